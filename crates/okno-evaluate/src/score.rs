//! Judging contexts: plain spans in, a [`MeasureRow`] out.
//!
//! Nothing here knows the engine: contexts of any system can be judged, at any budget, and the figures are those of the
//! scoring script that was agreed on before there was anything to score (`tests/evaluate.rs` holds its numbers).

use super::gold::{Points, Target};
use super::measure::{Measure, MeasureRow};
use super::set::Gold;
use okno::split::first_tokens;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};

/// A context as it leaves a system; offsets in code points.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Returned {
    /// The document's name.
    #[serde(rename = "doc_id")]
    pub document: String,
    /// The first code point.
    pub start: usize,
    /// One past the last.
    pub end: usize,
    /// The text.
    pub text: String,
}

/// The texts of documents by name, as code points.
pub type Texts = HashMap<String, Vec<char>>;

/// A span of a document.
type DocumentSpan<'a> = (&'a str, Points);

/// Judges the contexts one question got, best first, as a model sees them within `budget` tokens.
pub fn row(gold: &Gold, contexts: &[Returned], budget: usize, texts: &Texts) -> MeasureRow {
    let mut row = MeasureRow::default();
    let exact = contexts.iter().filter(|context| is_exact(context, texts)).count();
    row.set(Measure::Exact, exact as f64);
    row.set(Measure::Fragments, contexts.len() as f64);
    let (seen, tokens) = within_budget(contexts, budget);
    row.set(Measure::Tokens, tokens as f64);
    match gold {
        Gold::Documents(relevant) => by_document(&mut row, relevant, contexts),
        Gold::Spans { document, answer, excerpts } => {
            let Some(text) = texts.get(document) else { return row };
            let target = Target::new(text, answer, excerpts);
            by_rank(&mut row, document, &target, contexts);
            by_text(&mut row, document, &target, &seen);
        }
    }
    row
}

fn is_exact(context: &Returned, texts: &Texts) -> bool {
    let slice = texts.get(&context.document).and_then(|text| text.get(context.start..context.end));
    slice.is_some_and(|slice| slice.iter().copied().eq(context.text.chars()))
}

/// The spans a model sees when the contexts are cut at `budget` tokens, and the tokens that takes.
fn within_budget(contexts: &[Returned], budget: usize) -> (Vec<DocumentSpan<'_>>, usize) {
    let (mut spans, mut used) = (Vec::new(), 0);
    for context in contexts {
        if used >= budget {
            break;
        }
        let (bytes, tokens) = first_tokens(&context.text, budget - used);
        let length = context.text[..bytes].chars().count();
        spans.push((context.document.as_str(), context.start..context.start + length));
        used += tokens;
    }
    (spans, used)
}

// ---- by rank

const CUTS: [(Measure, usize); 3] = [(Measure::Recall1, 1), (Measure::Recall5, 5), (Measure::Recall10, 10)];

/// Ranks beyond this count for nothing.
const PLACES: usize = 10;

fn by_rank(row: &mut MeasureRow, document: &str, target: &Target, contexts: &[Returned]) {
    let touches = |c: &Returned, span: &Points| c.document == document && c.start < span.end && c.end > span.start;
    let first = contexts.iter().position(|context| touches(context, &target.answer)).map(|at| at + 1);
    for (measure, cut) in CUTS {
        row.set(measure, f64::from(first.is_some_and(|rank| rank <= cut)));
    }
    row.set(Measure::Mrr, reciprocal(first));
    let mut open: Vec<&Points> = target.excerpts.iter().collect();
    let gains = contexts.iter().map(|context| {
        let before = open.len();
        open.retain(|excerpt| !touches(context, excerpt));
        before - open.len()
    });
    row.set(Measure::Ndcg, ndcg(gains, target.excerpts.len()));
}

fn reciprocal(rank: Option<usize>) -> f64 {
    rank.filter(|&rank| rank <= PLACES).map_or(0.0, |rank| 1.0 / rank as f64)
}

/// Discounted gain. A context that is the first to touch several excerpts takes as many places, so that merging what
/// touches costs nothing; one that touches nothing new takes one place.
fn ndcg(gains: impl Iterator<Item = usize>, relevant: usize) -> f64 {
    let discount = |place: usize| 1.0 / ((place + 2) as f64).log2();
    let (mut place, mut gained) = (0, 0.0);
    for gain in gains {
        gained += (place..place + gain).take_while(|&place| place < PLACES).map(discount).sum::<f64>();
        place += gain.max(1);
    }
    let best: f64 = (0..relevant.min(PLACES)).map(discount).sum();
    if best > 0.0 { gained / best } else { 0.0 }
}

/// Sets that know only which documents are relevant: documents in the order their first context came.
fn by_document(row: &mut MeasureRow, relevant: &BTreeSet<String>, contexts: &[Returned]) {
    let mut seen = BTreeSet::new();
    let found: Vec<bool> = contexts
        .iter()
        .filter(|context| seen.insert(&context.document))
        .map(|context| relevant.contains(&context.document))
        .collect();
    for (measure, cut) in CUTS {
        let hits = found.iter().take(cut).filter(|&&hit| hit).count();
        row.set(measure, hits as f64 / relevant.len().max(1) as f64);
    }
    row.set(Measure::Mrr, reciprocal(found.iter().position(|&hit| hit).map(|at| at + 1)));
    row.set(Measure::Ndcg, ndcg(found.into_iter().map(usize::from), relevant.len()));
}

// ---- by text

fn by_text(row: &mut MeasureRow, document: &str, target: &Target, seen: &[DocumentSpan<'_>]) {
    let own: Vec<&Points> = seen.iter().filter(|(name, _)| *name == document).map(|(_, span)| span).collect();
    let inside = |wanted: &Points| union(own.iter().filter_map(|span| intersection(span, wanted)));
    let holds = |wanted: &Points| f64::from(inside(wanted) == wanted.len());
    let returned: usize = seen.iter().map(|(_, span)| span.len()).sum();
    row.set(Measure::Coverage, holds(&target.answer));
    row.set(Measure::Context, holds(&target.around));
    row.set(Measure::All, f64::from(target.excerpts.iter().all(|excerpt| inside(excerpt) == excerpt.len())));
    let share = |part: usize, whole: usize| if whole > 0 { part as f64 / whole as f64 } else { 0.0 };
    row.set(Measure::Precision, share(inside(&target.sentence), returned));
    row.set(Measure::Duplicate, if returned > 0 { 1.0 - share(distinct(seen), returned) } else { 0.0 });
    let wanted: usize = target.excerpts.iter().map(ExactSizeIterator::len).sum();
    let found = union(
        own.iter().flat_map(|span| target.excerpts.iter().filter_map(move |excerpt| intersection(span, excerpt))),
    );
    row.set(Measure::ExcerptRecall, share(found, wanted));
    row.set(Measure::ExcerptPrecision, share(found, returned));
    let missed: usize = target.excerpts.iter().map(|excerpt| excerpt.len() - inside(excerpt)).sum();
    row.set(Measure::ExcerptIou, share(found, returned + missed));
}

fn intersection(a: &Points, b: &Points) -> Option<Points> {
    let both = a.start.max(b.start)..a.end.min(b.end);
    (!both.is_empty()).then_some(both)
}

/// How many code points these spans of one document hold, each once.
fn union(spans: impl Iterator<Item = Points>) -> usize {
    let mut spans: Vec<Points> = spans.collect();
    spans.sort_unstable_by_key(|span| (span.start, span.end));
    let (mut total, mut reach) = (0, 0);
    for span in spans {
        total += span.end.saturating_sub(span.start.max(reach));
        reach = reach.max(span.end);
    }
    total
}

/// The same over several documents.
fn distinct(spans: &[DocumentSpan<'_>]) -> usize {
    let documents: BTreeSet<&str> = spans.iter().map(|(name, _)| *name).collect();
    let of = |document: &str| union(spans.iter().filter(|(name, _)| *name == document).map(|(_, span)| span.clone()));
    documents.into_iter().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Aspect;
    use proptest::prelude::*;

    fn context(document: &str, span: Points) -> Returned {
        Returned { document: document.into(), start: span.start, end: span.end, text: "x ".repeat(span.len() / 2) }
    }

    fn texts() -> Texts {
        Texts::from([("a".into(), "x ".repeat(50).chars().collect()), ("b".into(), "x ".repeat(50).chars().collect())])
    }

    fn spans(answer: Points, excerpts: &[Points]) -> Gold {
        Gold::Spans { document: "a".into(), answer, excerpts: excerpts.to_vec() }
    }

    #[test]
    fn excerpts_are_measured_as_the_public_chunking_evaluation_does() {
        // Excerpts of 9 + 9 code points; 20 + 10 returned, 9 of them in the first excerpt, 4 in the second.
        let gold = spans(10..19, &[10..19, 40..49]);
        let row = row(&gold, &[context("a", 0..20), context("b", 0..10), context("a", 30..44)], 1000, &texts());
        let near = |measure, value: f64| assert!((row.get(measure).unwrap() - value).abs() < 1e-12, "{measure:?}");
        near(Measure::ExcerptRecall, 13.0 / 18.0);
        near(Measure::ExcerptPrecision, 13.0 / 44.0);
        near(Measure::ExcerptIou, 13.0 / (44.0 + 5.0));
        near(Measure::Coverage, 1.0);
        near(Measure::All, 0.0);
    }

    #[test]
    fn the_order_of_excerpts_makes_the_gain() {
        assert!((ndcg([1, 1].into_iter(), 2) - 1.0).abs() < 1e-12);
        assert!((ndcg([2].into_iter(), 2) - 1.0).abs() < 1e-12, "one context with both is as good as two");
        let late = (1.0 / 3f64.log2()) / (1.0 + 1.0 / 3f64.log2());
        assert!((ndcg([0, 1].into_iter(), 2) - late).abs() < 1e-12);
        assert!(ndcg([0; 12].into_iter().chain([1]), 1).abs() < 1e-12, "beyond ten places nothing counts");
    }

    #[test]
    fn documents_count_once_where_only_documents_are_known() {
        let gold = Gold::Documents(["a".to_owned(), "c".to_owned()].into());
        let row = row(&gold, &[context("b", 0..4), context("b", 8..12), context("a", 0..4)], 1000, &texts());
        assert_eq!(row.get(Measure::Mrr), Some(0.5));
        assert_eq!((row.get(Measure::Recall1), row.get(Measure::Recall5)), (Some(0.0), Some(0.5)));
        assert_eq!(row.get(Measure::Coverage), None);
    }

    proptest! {
        #[test]
        fn shares_are_shares(
            answer in 0usize..40,
            length in 1usize..20,
            pieces in prop::collection::vec((any::<bool>(), 0usize..45, 1usize..20), 0..6),
        ) {
            let contexts: Vec<Returned> = pieces.into_iter()
                .map(|(own, at, half)| context(if own { "a" } else { "b" }, at * 2..(at + half).min(50) * 2)).collect();
            let row = row(&spans(answer * 2..(answer * 2 + length).min(99), &[]), &contexts, 40, &texts());
            // What a judge says is not measured here.
            let judged = Aspect::ALL.map(Aspect::measure);
            let here = |m: &Measure| m.is_share() && *m != Measure::Exact && !judged.contains(m);
            for measure in Measure::ALL.into_iter().filter(here) {
                let value = row.get(measure).unwrap();
                prop_assert!((-1e-12..=1.0 + 1e-12).contains(&value), "{measure:?} {value}");
            }
            prop_assert!(row.get(Measure::Context) <= row.get(Measure::Coverage));
            prop_assert!(row.get(Measure::ExcerptIou) <= row.get(Measure::ExcerptPrecision));
            prop_assert!(row.get(Measure::Tokens).unwrap() <= 40.0);
            prop_assert_eq!(row.get(Measure::Exact), row.get(Measure::Fragments));
        }
    }
}
