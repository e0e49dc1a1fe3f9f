//! A question set from nothing: the documents alone, no model, no person.
//!
//! ```text
//! documents → drafts (headings, definitions, lists, figures, key sentences) → checks → a seeded, even choice
//! ```
//!
//! Such questions lean on the words of the text, so they flatter lexical search and cannot replace questions that
//! people ask; they show which recipe cuts well, find what is broken, and let [`super::tune`] begin. Every draft
//! carries its gold span from the start; what survives was checked: the span is there, the question is no copy of it,
//! and no other document answers it as well.

mod by_model;
mod check;
mod draft;
mod words;

pub use by_model::{ByModel, questions_by_model};

use super::gold::Points;
use super::random::Random;
use crate::Result;
use okno::document::CodePoints;
use okno::store::{DocumentNumber, Snapshot};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, HashSet};

/// What a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum QuestionKind {
    /// One thing: a figure, a definition, a statement.
    Fact,
    /// Several things that stand together.
    List,
    /// What a section is about.
    Broad,
}

/// A question made from a document; the fields are those of a question file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MadeQuestion {
    /// Its name.
    pub qid: String,
    /// The question.
    pub question: String,
    /// The gold spans' texts.
    pub answers: Vec<String>,
    /// The document's name.
    pub doc_id: String,
    /// The first code point of the first gold span.
    pub start: usize,
    /// One past its last.
    pub end: usize,
    /// All gold spans, where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<[usize; 2]>,
    /// What it asks for.
    pub kind: QuestionKind,
    /// `zh` or `en`.
    pub lang: &'static str,
}

/// What making a set did, for a summary.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Drafts before the checks.
    pub drafts: usize,
    /// Dropped: the same question, or the same gold, twice.
    pub repeated: usize,
    /// Dropped: a copy of its own answer.
    pub copied: usize,
    /// Passed over: another document answers it as well.
    pub ambiguous: usize,
}

/// Of ten questions: facts, lists, broad ones. What a corpus lacks of one kind is filled with the others.
const MIX: [(QuestionKind, usize); 3] = [(QuestionKind::Fact, 6), (QuestionKind::List, 2), (QuestionKind::Broad, 2)];

/// Makes at most `count` questions from the documents of an index.
pub fn questions(snapshot: &dyn Snapshot, count: usize, seed: u64) -> Result<(Vec<MadeQuestion>, Summary)> {
    let corpus = words::SentenceFrequencies::read(snapshot)?;
    let mut drafts = drafts(snapshot, &corpus)?;
    let mut summary = Summary { drafts: drafts.len(), ..Summary::default() };
    Random::new(seed).shuffle(&mut drafts);
    summary.repeated = keep_distinct(&mut drafts);
    summary.copied = keep_sound(&mut drafts, snapshot)?;
    // The surest first; among equals the order of chance stays.
    drafts.sort_by_key(|(_, draft)| draft.doubt);
    let places = check::TermPlaces::of(snapshot, drafts.iter().map(|(_, draft)| draft))?;
    // Only what would be chosen is compared with all other documents: that costs as much as they have sentences.
    let chosen = even(drafts, count, |(number, draft)| {
        let is_only_answer = places.answers_best(draft, *number, &corpus);
        summary.ambiguous += usize::from(!is_only_answer);
        is_only_answer
    });
    let made = chosen.into_iter().map(|(number, draft)| finished(snapshot, number, &draft));
    Ok((numbered(made.collect::<Result<Vec<_>>>()?), summary))
}

type Numbered = (DocumentNumber, draft::Draft);

fn drafts(snapshot: &dyn Snapshot, corpus: &words::SentenceFrequencies) -> Result<Vec<Numbered>> {
    let mut drafts = Vec::new();
    for (number, record) in snapshot.records()? {
        let structure = snapshot.structure(*number)?;
        let page = draft::DraftDocument { record, structure: &structure, text: &snapshot.text(*number)?, corpus };
        drafts.extend(draft::drafts(&page).into_iter().map(|draft| (*number, draft)));
    }
    Ok(drafts)
}

/// Each question once, each gold once per kind; how many went.
fn keep_distinct(drafts: &mut Vec<Numbered>) -> usize {
    let (before, mut questions, mut golds) = (drafts.len(), HashSet::new(), HashSet::new());
    drafts.retain(|(number, draft)| {
        questions.insert(draft.question.to_lowercase()) && golds.insert((*number, draft.spans[0].start, draft.kind))
    });
    before - drafts.len()
}

/// Only questions whose gold is there and that do not copy it; how many went.
fn keep_sound(drafts: &mut Vec<Numbered>, snapshot: &dyn Snapshot) -> Result<usize> {
    let (before, mut sound) = (drafts.len(), Vec::new());
    for (number, draft) in drafts.drain(..) {
        let text = snapshot.text(number)?;
        if draft.spans.iter().all(|span| check::is_there(&text, *span)) && !check::is_copy(&text, &draft) {
            sound.push((number, draft));
        }
    }
    *drafts = sound;
    Ok(before - drafts.len())
}

/// An even choice of what is kept: kinds in their mix, and within a kind the documents in turn.
fn even(drafts: Vec<Numbered>, count: usize, mut is_kept: impl FnMut(&Numbered) -> bool) -> Vec<Numbered> {
    let mut shelves: BTreeMap<QuestionKind, Vec<Numbered>> = BTreeMap::new();
    for (number, draft) in drafts {
        shelves.entry(draft.kind).or_default().push((number, draft));
    }
    let mut lines: BTreeMap<QuestionKind, std::vec::IntoIter<Numbered>> =
        shelves.into_iter().map(|(kind, shelf)| (kind, in_turn(shelf, |(number, _)| *number).into_iter())).collect();
    let mut chosen = Vec::new();
    while chosen.len() < count {
        let before = chosen.len();
        for (kind, share) in MIX {
            let line = lines.get_mut(&kind).into_iter().flatten();
            chosen.extend(line.filter(&mut is_kept).take(share.min(count - chosen.len())));
        }
        if chosen.len() == before {
            break;
        }
    }
    chosen
}

/// One of each document, then the next of each; documents in the order in which they first come, which is that of
/// chance.
fn in_turn<T>(all: Vec<T>, document: impl Fn(&T) -> DocumentNumber) -> Vec<T> {
    let mut rounds: HashMap<DocumentNumber, usize> = HashMap::new();
    let mut numbered: Vec<(usize, T)> = Vec::with_capacity(all.len());
    for one in all {
        let round = rounds.entry(document(&one)).or_default();
        numbered.push((*round, one));
        *round += 1;
    }
    numbered.sort_by_key(|(round, _)| *round);
    numbered.into_iter().map(|(_, one)| one).collect()
}

fn finished(snapshot: &dyn Snapshot, number: DocumentNumber, draft: &draft::Draft) -> Result<MadeQuestion> {
    let text = snapshot.text(number)?;
    let mut walk = CodePoints::new(&text);
    let points: Vec<Points> = draft.spans.iter().map(|s| walk.at(s.start).0..walk.at(s.end).0).collect();
    let several = points.len() > 1;
    Ok(MadeQuestion {
        qid: String::new(),
        question: draft.question.clone(),
        answers: draft.spans.iter().map(|span| span.of(&text).to_owned()).collect(),
        doc_id: snapshot.record(number)?.id.name().to_owned(),
        start: points[0].start,
        end: points[0].end,
        spans: if several { points.iter().map(|p| [p.start, p.end]).collect() } else { Vec::new() },
        kind: draft.kind,
        lang: if words::is_chinese(&draft.question) { "zh" } else { "en" },
    })
}

fn numbered(mut made: Vec<MadeQuestion>) -> Vec<MadeQuestion> {
    for (i, question) in made.iter_mut().enumerate() {
        question.qid = format!("made-{:04}", i + 1);
    }
    made
}

#[cfg(test)]
mod tests;
