//! What is left of a question when its readings are taken out.

use super::judge::Judged;
use super::text::{FoldedQuestion, FoldedRange};
use super::words::{ASKING, DOCUMENTS, GOES_AFTER, GOES_BEFORE, LEADS};
use super::{Reading, ReadingReason, Understood};
use crate::document::Filter;

/// Sorts readings into applied, offered and refused, and takes the applied ones out of the text.
pub fn sorted(text: &FoldedQuestion, question: &str, judged: Vec<Judged>, filter: Option<Filter>) -> Understood {
    // Words that only tell which documents are meant are content too: they stay.
    let said = |reading: &&Judged| reading.why.is_ground() && reading.why != ReadingReason::Telling;
    let applied: Vec<FoldedRange> = judged.iter().filter(said).map(|reading| reading.place.clone()).collect();
    let mut understood = Understood { text: left(text, question, &applied), filter, ..Understood::default() };
    for reading in judged {
        let words = text.original(&reading.place);
        let place = text.original_place(&reading.place);
        let list = match reading.why {
            ReadingReason::NoDocument | ReadingReason::NoField => &mut understood.refused,
            why if why.is_ground() => &mut understood.applied,
            _ => &mut understood.offered,
        };
        list.push(Reading { words, place, filter: reading.filter, why: reading.why });
    }
    understood
}

/// Whether a question says nothing but these places, words of asking and names for documents – and does ask.
pub fn only_asks(text: &FoldedQuestion, places: &[FoldedRange]) -> bool {
    let mut at = 0;
    let mut asks = false;
    while at < text.len() {
        if let Some(place) = places.iter().find(|place| place.contains(&at)) {
            at = place.end;
        } else if let Some(end) = text.one_of(at, ASKING).or_else(|| text.one_of(at, DOCUMENTS)) {
            // A name that begins inside a word of asking would be cut in two.
            asks = true;
            at = end;
        } else if text.at(at).is_some_and(char::is_alphanumeric) {
            return false;
        } else {
            at += 1;
        }
    }
    asks && !places.is_empty()
}

/// The question without what was read; the whole question where nothing is left to search for.
fn left(text: &FoldedQuestion, question: &str, applied: &[FoldedRange]) -> String {
    if applied.is_empty() || only_asks(text, applied) {
        return question.to_owned();
    }
    let mut gone: Vec<FoldedRange> = applied.iter().map(|place| with_small_words(text, place)).collect();
    gone.extend(leads(text, &gone));
    let left = text.without(&gone);
    if left.chars().any(char::is_alphanumeric) { left } else { question.to_owned() }
}

/// A place with the small words before and after it that belong to it.
fn with_small_words(text: &FoldedQuestion, place: &FoldedRange) -> FoldedRange {
    let start = text.one_before(place.start, GOES_BEFORE).unwrap_or(place.start);
    let end = text.one_of(text.after_spaces(place.end), GOES_AFTER).unwrap_or(place.end);
    start..end
}

/// The words that open a request.
fn leads(text: &FoldedQuestion, gone: &[FoldedRange]) -> Vec<FoldedRange> {
    let mut leads = Vec::new();
    let mut at = 0;
    loop {
        at = text.after_spaces(at);
        if let Some(place) = gone.iter().find(|place| place.contains(&at)) {
            at = place.end;
        } else if let Some(end) = text.one_of(at, LEADS) {
            leads.push(at..end);
            at = end;
        } else {
            return leads;
        }
    }
}
