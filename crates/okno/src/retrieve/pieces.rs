//! Which pieces of a question found what in a context: what the second reading compared, for those who want to know.

use super::Context;
use super::relevance::{dot, length, unit};
use crate::embed::StaticModel;
use rustc_hash::FxHashMap;
use serde::Serialize;

/// Pieces of the question that are told, those that say most.
const MOST_TOLD: usize = 8;

/// A piece that says less than this, beside the one that says most, is not told: "how", 的.
const LEAST_SHARE: f32 = 0.4;

/// A piece of the question and what is most like it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct PieceMatch {
    /// The piece of the question: a word, a part of one, or a few Chinese characters.
    pub asked: String,
    /// The piece of the context, its headings or its title that is most like it.
    pub found: String,
    /// The cosine of their vectors.
    pub likeness: f32,
}

impl Context {
    /// Which pieces of a question found what in this context, in the order of the question.
    pub fn matches(&self, question: &str) -> Vec<PieceMatch> {
        let above = std::iter::once(self.title.as_str()).chain(self.headings.iter().map(String::as_str));
        matches(question, above.chain([self.text.as_str()]))
    }
}

fn matches<'t>(question: &str, texts: impl Iterator<Item = &'t str>) -> Vec<PieceMatch> {
    let model = StaticModel::builtin();
    let there: FxHashMap<u32, (String, Vec<f32>)> =
        texts.flat_map(|text| model.pieces(text)).map(|(piece, id)| (id, (piece, unit(model.row(id))))).collect();
    heaviest(model, question).into_iter().filter_map(|(asked, row)| best(asked, &row, &there)).collect()
}

/// The distinct pieces of a question that say most, with their directions, in its order.
fn heaviest(model: &StaticModel, question: &str) -> Vec<(String, Vec<f32>)> {
    let mut pieces: Vec<(String, Vec<f32>)> = Vec::new();
    for (piece, id) in model.pieces(question) {
        if pieces.iter().all(|(other, _)| *other != piece) {
            pieces.push((piece, model.row(id)));
        }
    }
    let mut lengths: Vec<f32> = pieces.iter().map(|(_, row)| length(row)).collect();
    lengths.sort_by(|a, b| b.total_cmp(a));
    let least = lengths.get(MOST_TOLD).copied().unwrap_or_default();
    let least = least.max(LEAST_SHARE * lengths.first().copied().unwrap_or_default());
    pieces.retain(|(_, row)| length(row) > least);
    pieces.into_iter().map(|(piece, row)| (piece, unit(row))).collect()
}

fn best(asked: String, row: &[f32], there: &FxHashMap<u32, (String, Vec<f32>)>) -> Option<PieceMatch> {
    let cosines = there.values().map(|(piece, other)| (piece, dot(row, other)));
    let (found, likeness) = cosines.max_by(|a, b| a.1.total_cmp(&b.1).then_with(|| b.0.cmp(a.0)))?;
    Some(PieceMatch { asked, found: found.clone(), likeness: likeness.clamp(0.0, 1.0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(question: &str, text: &str) -> Vec<(String, String)> {
        matches(question, [text].into_iter()).into_iter().map(|it| (it.asked, it.found)).collect()
    }

    #[test]
    fn a_piece_finds_itself_or_what_means_the_same() {
        let told = found("automobile repair", "The workshop repairs your car on Monday.");
        assert_eq!(told, [("automobile".into(), "car".into()), ("repair".into(), "repairs".into())]);
        let told = matches("宫保鸡丁怎么做", ["鸡丁切好，加花生"].into_iter());
        assert!(told.iter().any(|it| it.asked == it.found && it.likeness > 0.999), "{told:?}");
    }

    #[test]
    fn the_heaviest_pieces_are_told_once_and_in_order() {
        let told = found("the tea of the tea garden and the river of the mountain village near the lake", "tea");
        let asked: Vec<&str> = told.iter().map(|(asked, _)| asked.as_str()).collect();
        assert!(asked.len() <= MOST_TOLD && !asked.contains(&"the"), "{asked:?}");
        assert!(asked.starts_with(&["tea", "garden"]), "{asked:?}");
        assert!(found("", "tea").is_empty() && found("tea", "").is_empty());
    }
}
