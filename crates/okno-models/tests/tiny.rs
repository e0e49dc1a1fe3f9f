//! The loaders on tiny models that `data/make_tiny.py` makes: the whole way from a folder to vectors and scores.

use okno::embed::{Embedder, Role};
use okno::retrieve::Reranker;
use okno_models::registry::{Card, ModelKind};
use okno_models::shelf::{Model, Shelf};
use okno_models::transformer::{CrossEncoder, LateInteraction, TransformerEmbedder, try_out};
use std::path::{Path, PathBuf};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn added(shelf: &Path, name: &str, kind: ModelKind) -> Model {
    let shelf = Shelf::new(shelf);
    shelf.add(Card::unknown(name, kind), &data(name), None, &try_out).unwrap()
}

#[test]
fn a_folder_with_a_vocabulary_becomes_an_embedder() {
    let shelf = tempfile::tempdir().unwrap();
    let model = added(shelf.path(), "tiny-encoder", ModelKind::Embedder);
    assert_eq!(model.card.dimensions, Some(8), "learnt by trying");
    let embedder = TransformerEmbedder::open(Shelf::new(shelf.path()).get("tiny-encoder").unwrap()).unwrap();
    assert_eq!((embedder.identity(), embedder.dimensions()), (model.identity().as_str(), 8));
    let texts = ["Green tea", "green TEA", "black tea is boiling", "", "river"];
    let vectors = embedder.embed(&texts, Role::Passage).unwrap();
    let of = |i: usize| &vectors[i * 8..(i + 1) * 8];
    assert_eq!(of(0), of(1), "capitals mean nothing");
    assert!(of(3).iter().all(|x| *x == 0.0));
    let length = |v: &[f32]| v.iter().map(|x| x * x).sum::<f32>().sqrt();
    assert!(length(of(2)) > length(of(4)), "a longer sentence weighs more in a run");
    for (i, text) in texts.iter().enumerate() {
        assert_eq!(embedder.embed(&[text], Role::Passage).unwrap(), of(i));
    }
}

#[test]
fn a_cross_encoder_reads_question_and_passage_together() {
    let shelf = tempfile::tempdir().unwrap();
    let model = added(shelf.path(), "tiny-reranker", ModelKind::Reranker);
    let reranker = CrossEncoder::open(&model).unwrap();
    let scores = reranker.scores("hot tea", &["coffee", "tea is hot", "black tea", ""]).unwrap();
    let logistic = |x: f32| 1.0 / (1.0 + (-x).exp());
    let expected = [logistic(-0.5), logistic(1.5), logistic(0.5), logistic(-0.5)];
    assert!(scores.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{scores:?}");
    assert!(reranker.scores("x", &[]).unwrap().is_empty());
}

#[test]
fn any_encoder_is_a_late_interaction_reranker() {
    let shelf = tempfile::tempdir().unwrap();
    let model = added(shelf.path(), "tiny-encoder", ModelKind::Embedder);
    let reranker = LateInteraction::open(&model).unwrap();
    assert_eq!(reranker.identity(), format!("maxsim:{}", model.identity()));
    let scores = reranker.scores("hot tea", &["coffee", "tea is hot", "black tea", ""]).unwrap();
    assert!((scores[1] - 1.0).abs() < 1e-5, "both words are there: {scores:?}");
    assert!(scores.iter().enumerate().all(|(i, score)| i == 1 || *score < 0.9), "{scores:?}");
}

#[test]
fn what_cannot_be_used_says_why() {
    let shelf = tempfile::tempdir().unwrap();
    let model = added(shelf.path(), "tiny-reranker", ModelKind::Reranker);
    assert!(TransformerEmbedder::open(model.clone()).err().unwrap().to_string().contains("not embedder"));
    let as_embedder = Model { card: Card::unknown("tiny-reranker", ModelKind::Embedder), ..model.clone() };
    let card = try_out(&as_embedder).unwrap();
    assert_eq!(card.dimensions, Some(1), "a network without token vectors gives what it gives");
    std::fs::write(model.file("model.onnx"), b"not a network").unwrap();
    assert!(matches!(try_out(&model), Err(okno_models::Error::Weights { .. })));
}
