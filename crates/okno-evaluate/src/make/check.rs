//! What a draft must stand: its gold is there, it is no copy of it, and no other document answers it as well.

use super::Numbered;
use super::draft::Draft;
use super::words::{SentenceFrequencies, set_of};
use crate::Result;
use okno::document::Span;
use okno::store::{DocumentNumber, Snapshot};
use rustc_hash::{FxHashMap, FxHashSet};

/// A question that holds more of its answer's terms than this is a copy of it.
const COPIED: f64 = 0.6;

/// Another document that has this share of what the gold has of a question answers it as well.
const AS_WELL: f64 = 0.95;

/// The sentences that hold each term.
type TermSentences = FxHashMap<String, Vec<(DocumentNumber, u32)>>;

/// The span holds words of the text.
pub fn is_there(text: &str, span: Span) -> bool {
    text.get(span.range()).is_some_and(|gold| gold.chars().any(char::is_alphanumeric))
}

/// The question repeats its answer.
pub fn is_copy(text: &str, draft: &Draft) -> bool {
    draft.spans.iter().any(|span| repeats(&draft.question, span.of(text)))
}

/// The question holds most of what its answer says.
pub fn repeats(question: &str, answer: &str) -> bool {
    let (asked, gold) = (set_of(question), set_of(answer));
    gold.intersection(&asked).count() as f64 > COPIED * gold.len() as f64
}

/// Keeps the drafts whose document answers them better than any other.
pub fn only_answer(
    snapshot: &dyn Snapshot,
    corpus: &SentenceFrequencies,
    drafts: Vec<Numbered>,
    ambiguous: &mut usize,
) -> Result<Vec<Numbered>> {
    let asked: Vec<FxHashSet<String>> = drafts.iter().map(|(_, draft)| set_of(&draft.question)).collect();
    let postings = postings(snapshot, &asked)?;
    let mut kept = Vec::new();
    for (terms, (number, draft)) in asked.iter().zip(drafts) {
        if answers_best(terms, number, &postings, corpus) {
            kept.push((number, draft));
        } else {
            *ambiguous += 1;
        }
    }
    Ok(kept)
}

/// Where each term that is asked for stands, headings and titles counted with every sentence below them.
fn postings(snapshot: &dyn Snapshot, asked: &[FxHashSet<String>]) -> Result<TermSentences> {
    let mut postings: TermSentences = asked.iter().flatten().map(|term| (term.clone(), Vec::new())).collect();
    for number in snapshot.numbers() {
        let (text, structure, record) = (snapshot.text(number)?, snapshot.structure(number)?, snapshot.record(number)?);
        for (at, sentence) in structure.sentences.iter().enumerate() {
            let section = &structure.sections[structure.section_number(at)];
            let above = section.path.iter().map(|heading| heading.of(text)).chain([record.title.as_str()]);
            let mut terms = set_of(sentence.span.of(text));
            terms.extend(above.flat_map(set_of));
            for term in terms {
                if let Some(list) = postings.get_mut(&term) {
                    list.push((number, at as u32));
                }
            }
        }
    }
    Ok(postings)
}

/// Whether a document's best sentence holds more of what is asked than any other document's.
fn answers_best(
    terms: &FxHashSet<String>,
    own: DocumentNumber,
    postings: &TermSentences,
    corpus: &SentenceFrequencies,
) -> bool {
    let mut sums: FxHashMap<(DocumentNumber, u32), f64> = FxHashMap::default();
    for term in terms {
        let weight = corpus.weight(term);
        for place in postings.get(term).into_iter().flatten() {
            *sums.entry(*place).or_default() += weight;
        }
    }
    let best = |of_own: bool| {
        let sums = sums.iter().filter(|((number, _), _)| (*number == own) == of_own);
        sums.map(|(_, sum)| *sum).fold(0.0, f64::max)
    };
    best(true) > 0.0 && best(false) < AS_WELL * best(true)
}
