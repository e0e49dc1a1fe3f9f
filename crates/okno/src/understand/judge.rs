//! Is a reading meant? Each mention of a value, a number or a time is judged by the words around it
//! and by what the index says; see [`ReadingReason`] for the grounds and the doubts.

use super::text::{FoldedQuestion, FoldedRange, is_dense};
use super::value::{self, Mention};
use super::words::{
    ABOUT_THE_FILE, AFTER_A_KIND, AFTER_A_NAME, AFTER_AN_ENGLISH_NAME, ASKS_FOR_THINGS, BEFORE_A_KIND, DOCUMENTS,
    INSIDE, INTO, KIND_NAMES, LEADS, NEGATIONS, TIES,
};
use super::{Evidence, ReadingReason, amount, rest, when};
use crate::Result;
use crate::document::{Date, Filter};

/// A reading with its verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    pub place: FoldedRange,
    /// The field, where it is one.
    pub field: Option<String>,
    pub filter: Option<Filter>,
    pub why: ReadingReason,
    pub kind: ReadingKind,
}

/// What kind of reading: filters are written in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReadingKind {
    Value,
    Time,
    Amount,
}

/// Judges everything that can be read in a question.
pub fn judge(text: &FoldedQuestion, evidence: &dyn Evidence, today: Date) -> Result<Vec<Judged>> {
    let times = when::find(text, today);
    let amounts = amount::find(text, evidence.catalogue());
    let taken = |place: &FoldedRange| {
        let overlaps = |other: &FoldedRange| place.start < other.end && other.start < place.end;
        times.iter().any(|time| overlaps(&time.place)) || amounts.iter().any(|amount| overlaps(&amount.place))
    };
    let mut mentions = value::find(text, evidence.catalogue());
    mentions.retain(|mention| !taken(&mention.place));
    for mention in &mut mentions {
        mention.meanings.retain(|(field, _)| !evidence.is_given(field));
    }
    let all: Vec<FoldedRange> =
        mentions.iter().map(|m| m.place.clone()).chain(times.iter().map(|t| t.place.clone())).collect();
    let nothing_else = rest::only_asks(text, &all);
    let mut judged = Vec::new();
    for mention in mentions.iter().filter(|mention| !mention.meanings.is_empty()) {
        judged.extend(judge_mention(text, mention, &all, nothing_else, evidence)?);
    }
    doubt_whole_fields(&mut judged);
    for amount in amounts {
        judged.push(judge_amount(amount, evidence)?);
    }
    when::judge(text, times, &mut judged, evidence)?;
    Ok(judged)
}

/// Of two values of a field one is in doubt: then so is the other, or the filter would leave out half of what is asked.
fn doubt_whole_fields(judged: &mut [Judged]) {
    let doubted: Vec<Option<String>> =
        judged.iter().filter(|reading| !reading.why.is_ground()).map(|reading| reading.field.clone()).collect();
    for reading in judged.iter_mut().filter(|reading| reading.why.is_ground() && doubted.contains(&reading.field)) {
        reading.why = ReadingReason::Ordinary;
    }
}

/// What the applied readings say together: values of one field are alternatives, everything else must hold.
pub fn together(judged: &[Judged]) -> Option<Filter> {
    let mut applied: Vec<&Judged> = judged.iter().filter(|reading| reading.why.is_ground()).collect();
    applied.sort_by_key(|reading| (reading.kind, reading.place.start));
    let mut filters: Vec<(Option<&str>, Filter)> = Vec::new();
    for reading in applied {
        let (field, Some(filter)) = (reading.field.as_deref(), reading.filter.clone()) else { continue };
        match filters
            .iter_mut()
            .find(|(other, _)| field.is_some() && *other == field && reading.kind == ReadingKind::Value)
        {
            Some((_, other)) => *other = either(std::mem::replace(other, Filter::All(Vec::new())), filter),
            None => filters.push((field, filter)),
        }
    }
    filters.into_iter().map(|(_, filter)| filter).reduce(Filter::and)
}

fn either(a: Filter, b: Filter) -> Filter {
    use crate::document::Comparison::Equal;
    match (a, b) {
        (Filter::Compare(field, Equal, a), Filter::Compare(_, Equal, b)) => value::one_of(field, vec![a, b]),
        (Filter::In(field, mut values), Filter::Compare(_, Equal, b)) => {
            values.push(b);
            value::one_of(field, values)
        }
        (Filter::Any(mut filters), b) => {
            filters.push(b);
            Filter::Any(filters)
        }
        (a, b) => Filter::Any(vec![a, b]),
    }
}

fn judge_amount(amount: amount::Amount, evidence: &dyn Evidence) -> Result<Judged> {
    let matches = evidence.matching(&amount.filter)? > 0;
    let why = if matches { ReadingReason::Measured } else { ReadingReason::NoDocument };
    let field = amount.filter.fields().first().map(|&field| field.to_owned());
    Ok(Judged { place: amount.place, field, filter: Some(amount.filter), why, kind: ReadingKind::Amount })
}

/// A mention of a value: applied in one field, or offered in each.
fn judge_mention(
    text: &FoldedQuestion,
    mention: &Mention,
    all: &[FoldedRange],
    nothing_else: bool,
    evidence: &dyn Evidence,
) -> Result<Vec<Judged>> {
    let judged = |(field, filter): &(String, Filter), why| Judged {
        place: mention.place.clone(),
        field: Some(field.clone()),
        filter: Some(filter.clone()),
        why,
        kind: ReadingKind::Value,
    };
    let before = mention.meanings.iter().filter_map(|(field, _)| name_before(text, mention.place.start, field));
    if std::iter::once(mention.place.start).chain(before).any(|at| text.one_before(at, NEGATIONS).is_some()) {
        let not = |(field, filter): &(String, Filter)| (field.clone(), Filter::Not(Box::new(filter.clone())));
        return Ok(mention.meanings.iter().map(|meaning| judged(&not(meaning), ReadingReason::Negated)).collect());
    }
    let named = |meaning: &&(String, Filter)| name_before(text, mention.place.start, &meaning.0).is_some();
    if let Some(meaning) = mention.meanings.iter().find(named) {
        let start = name_before(text, mention.place.start, &meaning.0).unwrap_or(mention.place.start);
        return Ok(vec![Judged { place: start..mention.place.end, ..judged(meaning, ReadingReason::Named) }]);
    }
    let Some(meaning) = the_one(&mention.meanings, evidence)? else {
        return Ok(mention.meanings.iter().map(|meaning| judged(meaning, ReadingReason::SeveralFields)).collect());
    };
    Ok(vec![judged(meaning, ground(text, mention, meaning, all, nothing_else, evidence)?)])
}

/// The meaning, where there is one or all of them leave the same documents; a field with one value for each document
/// first.
fn the_one<'m>(meanings: &'m [(String, Filter)], evidence: &dyn Evidence) -> Result<Option<&'m (String, Filter)>> {
    let is_list = |field: &str| evidence.catalogue().field(field).is_some_and(|field| field.list);
    let best = meanings.iter().min_by_key(|(field, _)| (is_list(field), ABOUT_THE_FILE.contains(&field.as_str())));
    let Some(best) = best else { return Ok(None) };
    let count = evidence.matching(&best.1)?;
    for (_, other) in meanings.iter().filter(|meaning| *meaning != best) {
        if evidence.matching(other)? != count || evidence.matching(&best.1.clone().and(other.clone()))? != count {
            return Ok(None);
        }
    }
    Ok(Some(best))
}

fn ground(
    text: &FoldedQuestion,
    mention: &Mention,
    (field, filter): &(String, Filter),
    all: &[FoldedRange],
    nothing_else: bool,
    evidence: &dyn Evidence,
) -> Result<ReadingReason> {
    let place = &mention.place;
    if is_attached(text, place, field, all) {
        return Ok(ReadingReason::Attached);
    }
    if ABOUT_THE_FILE.contains(&field.as_str()) {
        return Ok(ReadingReason::Ordinary);
    }
    if nothing_else || is_asked_for(text, place) {
        return Ok(ReadingReason::AskedFor);
    }
    // `not from Chile`, `customers that don't live in Chile`: words in front may turn it into its opposite.
    let negated = (0..place.start).any(|at| text.one_of(at, NEGATIONS).is_some_and(|end| end <= place.start));
    let telling =
        mention.own_words && place.len() > 1 && !negated && !evidence.said_elsewhere(&text.original(place), filter)?;
    Ok(if telling { ReadingReason::Telling } else { ReadingReason::Ordinary })
}

/// Where the field's own name begins that stands before a value: `作者鲁迅`, `category: 素菜`; `by` names an author.
fn name_before(text: &FoldedQuestion, value: usize, field: &str) -> Option<usize> {
    let before = text.one_before(value, TIES).unwrap_or(value);
    let (folded, spaced) = (field.to_lowercase(), field.to_lowercase().replace('_', " "));
    let mut names = vec![folded.as_str(), spaced.as_str()];
    if ["author", "authors", "作者"].contains(&folded.as_str()) {
        names.extend(["by", "作者", "written by"]);
    }
    text.one_before(before, &names)
}

/// The value stands at a word for documents, or is one and says where to look.
fn is_attached(text: &FoldedQuestion, place: &FoldedRange, field: &str, all: &[FoldedRange]) -> bool {
    let next = skip_of(text, place.end);
    if text.one_of(next, DOCUMENTS).is_some_and(|end| ends_name(text, end)) {
        return true;
    }
    let documents = (place.start..place.end).any(|i| text.one_of(i, DOCUMENTS) == Some(place.end));
    let names_documents = documents || KIND_NAMES.iter().any(|name| field.to_lowercase().contains(name));
    let inside = text.one_of(place.end, INSIDE).is_some();
    let into = text.one_before(place.start, INTO).is_some() && ends_name(text, place.end);
    let after_another = all.iter().any(|other| other.end <= place.start && skip_of(text, other.end) == place.start);
    names_documents && (inside || into || (documents && after_another && ends_name(text, place.end)))
}

/// Past the words that tie a name to what it describes.
pub fn skip_of(text: &FoldedQuestion, at: usize) -> usize {
    text.after_spaces(text.one_of(text.after_spaces(at), &["的", "之", "'s", "’s"]).unwrap_or(at))
}

/// Whether things of this kind are what the question asks for.
fn is_asked_for(text: &FoldedQuestion, place: &FoldedRange) -> bool {
    if text.one_of(text.after_spaces(place.end), AFTER_A_KIND).is_some() {
        return true;
    }
    let last = text.after_spaces(place.end);
    let ends = (last..text.len())
        .all(|i| text.at(i).is_some_and(|c| !c.is_alphanumeric()) || text.one_of(i, &["吗", "呢", "吧"]).is_some());
    let mut first = text.after_spaces(0);
    while let Some(end) = text.one_of(first, LEADS).filter(|_| text.one_of(first, ASKS_FOR_THINGS).is_none()) {
        first = text.after_spaces(end);
    }
    let asks = text.one_of(first, ASKS_FOR_THINGS).is_some();
    ends_name(text, place.end) && text.one_before(place.start, BEFORE_A_KIND).is_some() || (ends && asks)
}

/// Whether a name may end here: not inside a longer word or name.
pub fn ends_name(text: &FoldedQuestion, at: usize) -> bool {
    let next = text.after_spaces(at);
    match text.at(next) {
        Some(c) if is_dense(c) => text.one_of(next, AFTER_A_NAME).or_else(|| text.one_of(next, DOCUMENTS)).is_some(),
        Some(c) if c.is_alphanumeric() => {
            text.one_of(next, AFTER_AN_ENGLISH_NAME).or_else(|| text.one_of(next, DOCUMENTS)).is_some()
        }
        _ => true,
    }
}
