//! What a draft must stand: its gold is there, it is no copy of it, and no other document answers it as well.

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

/// The sentences that hold each term of the drafts, headings and titles counted with every sentence below them.
pub struct TermPlaces(FxHashMap<String, Vec<(DocumentNumber, u32)>>);

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

impl TermPlaces {
    pub fn of<'d>(snapshot: &dyn Snapshot, drafts: impl Iterator<Item = &'d Draft>) -> Result<Self> {
        let asked = drafts.flat_map(|draft| set_of(&draft.question));
        let mut places: FxHashMap<String, Vec<_>> = asked.map(|term| (term, Vec::new())).collect();
        for number in snapshot.numbers() {
            let (text, structure) = (snapshot.text(number)?, snapshot.structure(number)?);
            let title = set_of(&snapshot.record(number)?.title);
            let (mut section, mut above) = (None, FxHashSet::default());
            for (at, sentence) in structure.sentences.iter().enumerate() {
                let own = structure.section_number(at);
                if section.replace(own) != Some(own) {
                    above = structure.sections[own].path.iter().flat_map(|heading| set_of(heading.of(&text))).collect();
                    above.extend(title.iter().cloned());
                }
                for term in set_of(sentence.span.of(&text)).union(&above) {
                    if let Some(list) = places.get_mut(term) {
                        list.push((number, at as u32));
                    }
                }
            }
        }
        Ok(Self(places))
    }

    /// Whether a document's best sentence holds more of what is asked than any other document's.
    pub fn answers_best(&self, draft: &Draft, own: DocumentNumber, corpus: &SentenceFrequencies) -> bool {
        let mut sums: FxHashMap<(DocumentNumber, u32), f64> = FxHashMap::default();
        for term in set_of(&draft.question) {
            let weight = corpus.weight(&term);
            for place in self.0.get(&term).into_iter().flatten() {
                *sums.entry(*place).or_default() += weight;
            }
        }
        let best = |of_own: bool| {
            let sums = sums.iter().filter(|((number, _), _)| (*number == own) == of_own);
            sums.map(|(_, sum)| *sum).fold(0.0, f64::max)
        };
        best(true) > 0.0 && best(false) < AS_WELL * best(true)
    }
}
