//! Times become filters over the fields of time that an index has: a year, quarter and month of their
//! own, else days. Where documents keep their time in different fields, either may say it.

use super::judge::{Judged, ReadingKind, skip_of};
use super::text::FoldedQuestion;
use super::time::{self, Relation, Time, TimeParts};
use super::words::{ABOUT_THE_FILE, CHANGED, DOCUMENTS, GOES_BEFORE, MONTH_NAMES, QUARTER_NAMES, WRITTEN, YEAR_NAMES};
use super::{Evidence, ReadingReason};
use crate::Result;
use crate::document::{Catalogue, Comparison, Date, FieldKind, Filter, Period};

/// The times of a question. Today is when the question is asked, whatever it is about, unless documents are named by
/// it.
pub fn find(text: &FoldedQuestion, today: Date) -> Vec<Time> {
    let mut times = time::find(text, today);
    times.retain(|time| {
        text.one_of(time.place.start, &["今天", "今日", "today"]).is_none() || is_attached(text, time, &[])
    });
    times
}

/// Judges the times of a question, after its values.
pub fn judge(text: &FoldedQuestion, times: Vec<Time>, judged: &mut Vec<Judged>, evidence: &dyn Evidence) -> Result<()> {
    let values = super::judge::together(judged);
    let mut found = Vec::new();
    for time in times {
        let filter = filter(text, &time, values.as_ref(), evidence)?;
        let why = match &filter {
            None => ReadingReason::NoField,
            Some(filter) if evidence.matching(filter)? == 0 => ReadingReason::NoDocument,
            Some(filter) => ground(text, &time, filter, judged, evidence)?,
        };
        found.push(Judged { place: time.place, field: None, filter, why, kind: ReadingKind::Time });
    }
    judged.extend(alternatives(found));
    Ok(())
}

/// Several times that are all meant are alternatives: one filter, said by the first.
fn alternatives(mut times: Vec<Judged>) -> Vec<Judged> {
    let applied: Vec<usize> = (0..times.len()).filter(|&i| times[i].why.is_ground()).collect();
    if let [first, rest @ ..] = applied.as_slice() {
        let filters: Vec<Filter> = applied.iter().filter_map(|&i| times[i].filter.clone()).collect();
        if !rest.is_empty() {
            times[*first].filter = Some(Filter::Any(filters));
            for &i in rest {
                times[i].filter = None;
            }
        }
    }
    times
}

fn ground(
    text: &FoldedQuestion,
    time: &Time,
    filter: &Filter,
    judged: &[Judged],
    evidence: &dyn Evidence,
) -> Result<ReadingReason> {
    let fields = filter.fields();
    if is_attached(text, time, judged) || fields.iter().all(|field| ABOUT_THE_FILE.contains(field)) {
        return Ok(ReadingReason::Attached);
    }
    let has_own = |field: &&str| is_one_of(field, YEAR_NAMES) || is_one_of(field, QUARTER_NAMES);
    if fields.iter().all(has_own) {
        return Ok(ReadingReason::OwnField);
    }
    if time.relative {
        return Ok(ReadingReason::CountsFromToday);
    }
    let words = time.parts.year.map_or_else(|| text.original(&time.place), |year| year.to_string());
    Ok(if evidence.said_elsewhere(&words, filter)? { ReadingReason::Ordinary } else { ReadingReason::Telling })
}

/// A word for documents, for writing them, or a value that is meant, stands beside the time.
fn is_attached(text: &FoldedQuestion, time: &Time, judged: &[Judged]) -> bool {
    let next = skip_of(text, time.place.end);
    let value = |reading: &Judged| reading.why.is_ground() && reading.place.start == next;
    is_beside(text, time, DOCUMENTS) || is_beside(text, time, WRITTEN) || judged.iter().any(value)
}

/// Whether one of these words stands before the time or after it.
fn is_beside(text: &FoldedQuestion, time: &Time, words: &[&str]) -> bool {
    let before = text.one_before(time.place.start, GOES_BEFORE).unwrap_or(time.place.start);
    text.one_before(before, words).is_some() || text.one_of(skip_of(text, time.place.end), words).is_some()
}

/// The filter of a time, over those fields that documents of the other filters have.
fn filter(
    text: &FoldedQuestion,
    time: &Time,
    values: Option<&Filter>,
    evidence: &dyn Evidence,
) -> Result<Option<Filter>> {
    let catalogue = evidence.catalogue();
    if is_beside(text, time, CHANGED) && catalogue.field("modified").is_some() && !evidence.is_given("modified") {
        return Ok(on_days("modified", time));
    }
    let mut schemes: Vec<(String, Filter)> = own_fields(time, catalogue).into_iter().collect();
    schemes.extend(dates(catalogue).filter_map(|field| Some((field.to_owned(), on_days(field, time)?))));
    schemes.retain(|(field, _)| !evidence.is_given(field));
    // Asked for only where there is such a field: others are refused.
    let dated = schemes.iter().any(|(field, _)| field == MADE_ON);
    if dated && !is_beside(text, time, WRITTEN) && is_of_few(MADE_ON, evidence)? {
        schemes.retain(|(field, _)| field != MADE_ON);
    }
    let mut chosen: Vec<(String, Filter)> = Vec::new();
    for (field, filter) in schemes {
        let mut needed = vec![Filter::Exists(field.clone())];
        needed.extend(values.cloned());
        needed.extend(chosen.iter().map(|(other, _)| Filter::Not(Box::new(Filter::Exists(other.clone())))));
        if evidence.matching(&Filter::All(needed))? > 0 {
            chosen.push((field, filter));
        }
    }
    let mut filters: Vec<Filter> = chosen.into_iter().map(|(_, filter)| filter).collect();
    Ok(if filters.len() > 1 { Some(Filter::Any(filters)) } else { filters.pop() })
}

/// The day that PDF and Office files say they were made on.
const MADE_ON: &str = "created";

/// Whether less than half of the documents have a field: then a time tells those apart that have it, not those that
/// are meant.
fn is_of_few(field: &str, evidence: &dyn Evidence) -> Result<bool> {
    let (having, all) =
        (evidence.matching(&Filter::Exists(field.to_owned()))?, evidence.matching(&Filter::All(Vec::new()))?);
    Ok(2 * having < all)
}

fn dates(catalogue: &Catalogue) -> impl Iterator<Item = &str> {
    let is_own = |name: &str| !ABOUT_THE_FILE.contains(&name);
    catalogue.fields().filter(move |(name, field)| field.kind == FieldKind::Date && is_own(name)).map(|(name, _)| name)
}

fn is_one_of(field: &str, names: &[&str]) -> bool {
    names.contains(&field.to_lowercase().as_str())
}

/// A filter over fields that hold just the parts that were said; named by the first of them.
fn own_fields(time: &Time, catalogue: &Catalogue) -> Option<(String, Filter)> {
    let called = |names: &[&str]| {
        let fits = |kind| matches!(kind, FieldKind::Number | FieldKind::Category);
        catalogue.fields().find(|(name, field)| fits(field.kind) && is_one_of(name, names)).map(|(name, _)| name)
    };
    let TimeParts { year, quarter, month } = time.parts;
    if (year, quarter, month) == (None, None, None) {
        let field = called(YEAR_NAMES)?;
        return Some((field.to_owned(), years(field, time)?));
    }
    if time.relation != Relation::Within && (quarter.is_some() || month.is_some()) {
        return None;
    }
    let mut filters = Vec::new();
    if let Some(year) = year {
        filters.push(Filter::Compare(called(YEAR_NAMES)?.to_owned(), comparison(time.relation), year.to_string()));
    }
    if let Some(quarter) = quarter {
        filters.push(numbered(catalogue, called(QUARTER_NAMES)?, quarter)?);
    }
    if let Some(month) = month {
        filters.push(numbered(catalogue, called(MONTH_NAMES)?, month)?);
    }
    let first = filters.first()?.fields().first().map(|&field| field.to_owned())?;
    Some((first, filters.into_iter().reduce(Filter::and)?))
}

/// Whole years, first to last.
fn years(field: &str, time: &Time) -> Option<Filter> {
    let Period { first, last } = time.period?;
    let whole = (first.month, first.day, last.month, last.day) == (1, 1, 12, 31);
    let bound = |comparison, year: i16| Filter::Compare(field.to_owned(), comparison, year.to_string());
    whole.then(|| bound(Comparison::GreaterOrEqual, first.year).and(bound(Comparison::LessOrEqual, last.year)))
}

/// A quarter or month as the field writes it: `2`, `Q2`, `第二季度`, `二季度`, `7月`.
fn numbered(catalogue: &Catalogue, field: &str, number: u8) -> Option<Filter> {
    let chinese =
        ["零", "一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"][usize::from(number)];
    let fits = |value: &&String| {
        let bare = value.to_lowercase().replace(['第', '季', '度', '月', '份', 'q', ' '], "");
        bare.trim_start_matches('0') == number.to_string() || bare == chinese
    };
    let known = catalogue.field(field)?;
    match known.kind {
        FieldKind::Number => Some(Filter::equal(field, number.to_string())),
        _ => known.values.iter().find(fits).map(|value| Filter::equal(field, value.clone())),
    }
}

fn comparison(relation: Relation) -> Comparison {
    match relation {
        Relation::Within => Comparison::Equal,
        Relation::After => Comparison::Greater,
        Relation::Since => Comparison::GreaterOrEqual,
        Relation::Before => Comparison::Less,
        Relation::Until => Comparison::LessOrEqual,
    }
}

/// A filter over a field of days.
fn on_days(field: &str, time: &Time) -> Option<Filter> {
    let period = time.period?;
    let compare = |comparison, literal: String| Filter::Compare(field.to_owned(), comparison, literal);
    if let Some(name) = name(period, time.parts) {
        return Some(compare(comparison(time.relation), name));
    }
    let (first, last) = (period.first.to_string(), period.last.to_string());
    Some(match time.relation {
        Relation::Within => compare(Comparison::GreaterOrEqual, first).and(compare(Comparison::LessOrEqual, last)),
        Relation::After => compare(Comparison::Greater, last),
        Relation::Since => compare(Comparison::GreaterOrEqual, first),
        Relation::Before => compare(Comparison::Less, first),
        Relation::Until => compare(Comparison::LessOrEqual, last),
    })
}

/// The period as a literal of the filter language, where it has a name.
fn name(period: Period, parts: TimeParts) -> Option<String> {
    match parts {
        TimeParts { year: Some(year), month: Some(month), .. } => Some(format!("{year}-{month:02}")),
        TimeParts { year: Some(year), quarter: Some(quarter), .. } => Some(format!("{year}Q{quarter}")),
        TimeParts { year: Some(year), .. } => Some(year.to_string()),
        _ => (period.first == period.last).then(|| period.first.to_string()),
    }
}
