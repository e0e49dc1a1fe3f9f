//! Which embedder for which documents: the table of `docs/models.md`.
//!
//! `choose SHELF SET NAME [POWERS] [BLENDS]` – SET is a folder with `corpus.jsonl` and `queries.jsonl`, NAME a model of
//! the shelf or `builtin`. POWERS, as in `0,0.5,1`, asks what a sentence of n tokens should weigh in a run: n to that
//! power; without it, what the program does. BLENDS, as in `0.25,0.5`, also reranks by late interaction with the same
//! model. One JSON line for each, with 95 % bootstrap intervals.

use okno::Engine;
use okno::embed::{BuiltIn, EmbedError, Embedder, Role};
use okno::retrieve::{RerankError, Reranker, built_in};
use okno_evaluate::set::{Corpus, QuestionSet};
use okno_evaluate::{Candidate, Interval, Measure, RunRequest, run};
use okno_models::registry::Card;
use okno_models::shelf::{Model, Shelf};
use okno_models::transformer::{Encoder, LateInteraction, TransformerEmbedder};
use std::collections::HashMap;
use std::error::Error;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [shelf, set, name, ..] = arguments.as_slice() else { return Err("SHELF SET NAME [POWERS] [BLENDS]".into()) };
    let numbers = |at: usize| -> Result<Vec<f32>, Box<dyn Error>> {
        let text = arguments.get(at).map_or("", String::as_str);
        Ok(text.split(',').filter(|part| !part.is_empty()).map(str::parse).collect::<Result<_, _>>()?)
    };
    let (powers, blends) = (numbers(3)?, numbers(4)?);
    let set = Path::new(set);
    if name == "builtin" {
        return measure(set, "builtin", Arc::new(BuiltIn::default()), &[], None);
    }
    let model = Shelf::new(shelf).get(name)?;
    let late: Option<Arc<dyn Reranker>> = if blends.is_empty() {
        None
    } else {
        Some(Arc::new(Remembered { late: LateInteraction::open(&model)?, kept: Mutex::default() }))
    };
    if powers.is_empty() {
        return measure(set, name, Arc::new(TransformerEmbedder::open(model)?), &blends, late.as_ref());
    }
    let weighted = Arc::new(Once { encoder: Encoder::open(&model)?, model, kept: Mutex::default() });
    for power in powers {
        let embedder = Weighted { once: Arc::clone(&weighted), identity: format!("{name}@{power}"), power };
        measure(set, &format!("{name} ^{power}"), Arc::new(embedder), &blends, late.as_ref())?;
    }
    Ok(())
}

fn measure(
    set: &Path,
    name: &str,
    embedder: Arc<dyn Embedder>,
    blends: &[f32],
    late: Option<&Arc<dyn Reranker>>,
) -> Result<(), Box<dyn Error>> {
    let corpus = set.join("corpus.jsonl");
    let mut library = Corpus::read(&corpus)?;
    let questions = QuestionSet::read(&set.join("queries.jsonl"), &mut library)?;
    let folder = tempfile::tempdir()?;
    let mut engine = Engine::builder().embedder(embedder).create(folder.path().join(".okno"))?;
    let begun = Instant::now();
    let report = engine.index(&[&corpus])?;
    let seconds = begun.elapsed().as_secs_f64();
    for blend in std::iter::once(None).chain(blends.iter().copied().map(Some)) {
        engine.reconfigure(|builder| builder.reranker(late.filter(|_| blend.is_some()).cloned()))?;
        let mut recipe = built_in()?["auto"].clone();
        recipe.rerank.blend = blend.unwrap_or(recipe.rerank.blend);
        let candidates = [Candidate { name: "auto".to_owned(), recipe }];
        let asking = RunRequest { set: &questions, candidates: &candidates, budgets: &[500], seed: 1, name: "" };
        let outcome = run::run(&engine, &asking, &mut library, &|_, _| {})?;
        let cell = &outcome.run.cells[0];
        let interval = |measure| {
            let values: Vec<f64> = cell.rows.iter().filter_map(|row| row.get(measure)).collect();
            let Interval { mean, low, high } = Interval::of(&values, 1);
            [mean, low, high]
        };
        println!(
            "{}",
            serde_json::json!({
                "set": set.file_name().unwrap_or_default().to_string_lossy(), "model": name, "maxsim": blend,
                "coverage": interval(Measure::Coverage), "context": interval(Measure::Context),
                "sentences": report.sentences, "index_seconds": seconds, "ms": cell.latency.p50,
            })
        );
    }
    Ok(())
}

/// Late interaction that reads each passage once for a question, whatever the blend.
struct Remembered {
    late: LateInteraction,
    kept: Mutex<HashMap<(String, String), f32>>,
}

impl Reranker for Remembered {
    fn identity(&self) -> &str {
        self.late.identity()
    }

    fn scores(&self, question: &str, passages: &[&str]) -> Result<Vec<f32>, RerankError> {
        let mut kept = self.kept.lock().map_err(|_| RerankError::new("another thread panicked".to_owned()))?;
        let key = |passage: &str| (question.to_owned(), passage.to_owned());
        let missing: Vec<&str> = passages.iter().copied().filter(|passage| !kept.contains_key(&key(passage))).collect();
        let scores = self.late.scores(question, &missing)?;
        kept.extend(missing.iter().map(|passage| key(passage)).zip(scores));
        Ok(passages.iter().map(|passage| kept[&key(passage)]).collect())
    }
}

/// A vector, and the tokens it was made of.
type Made = (Vec<f32>, usize);

/// Unit vectors of a model, each made once.
struct Once {
    model: Model,
    encoder: Encoder,
    kept: Mutex<HashMap<(Role, String), Made>>,
}

impl Once {
    fn of(&self, texts: &[&str], role: Role) -> Result<Vec<Made>, Box<dyn Error>> {
        let Card { query_prefix, passage_prefix, .. } = &self.model.card;
        let prefix = if role == Role::Query { query_prefix } else { passage_prefix };
        let mut kept = self.kept.lock().map_err(|_| "another thread panicked")?;
        let key = |text: &str| (role, text.to_owned());
        let missing: Vec<&str> = texts.iter().copied().filter(|text| !kept.contains_key(&key(text))).collect();
        if !missing.is_empty() {
            let dimensions = self.model.card.dimensions.unwrap_or(1);
            let made = self.encoder.vectors(&missing, prefix, None)?;
            let zeros = vec![0.0; dimensions];
            for (i, text) in missing.iter().enumerate() {
                let vector = made.vectors.chunks(dimensions).nth(i).unwrap_or(&zeros).to_vec();
                kept.insert(key(text), (vector, made.tokens[i]));
            }
        }
        Ok(texts.iter().map(|text| kept[&key(text)].clone()).collect())
    }
}

struct Weighted {
    once: Arc<Once>,
    identity: String,
    power: f32,
}

impl Embedder for Weighted {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn dimensions(&self) -> usize {
        self.once.model.card.dimensions.unwrap_or(1)
    }

    fn embed(&self, texts: &[&str], role: Role) -> Result<Vec<f32>, EmbedError> {
        let made = self.once.of(texts, role).map_err(|error| EmbedError::new(error.to_string()))?;
        let weighted = made.into_iter().flat_map(|(vector, tokens)| {
            let weight = (tokens as f32).powf(self.power);
            vector.into_iter().map(move |x| x * weight)
        });
        Ok(weighted.collect())
    }
}
