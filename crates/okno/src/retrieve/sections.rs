//! Filters on the headings above a text: `"Header 2" = 原料`.
//!
//! Headings belong to sections, not to documents, so such a filter is asked of every section: the
//! fields `Header 1` … `Header 6` are the headings of these levels above its text, `heading` is the
//! list of all of them, and every other field is the document's. Goes out: for each document the
//! sections that match. A unit may be found when the sentence it stands for is in one of them.

use crate::document::{Filter, Record, Span, Structure, Value};
use crate::message::DidYouMean;
use crate::store::{Sections, Snapshot};
use crate::{Error, Result};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The field that holds every heading above a text.
const ANY_LEVEL: &str = "heading";

/// Whether a filter asks about headings.
pub fn asked_by(filter: &Filter) -> bool {
    filter.fields().into_iter().any(is_heading)
}

/// Whether a field is about headings.
pub fn is_heading(field: &str) -> bool {
    field == ANY_LEVEL || level_of(field).is_some()
}

/// `Header 2` is 2, whatever its case.
fn level_of(field: &str) -> Option<u8> {
    let (word, level) = field.split_once(' ')?;
    word.eq_ignore_ascii_case("header").then(|| level.parse().ok())?.filter(|level| (1..=6).contains(level))
}

/// The sections that match a filter, by document; documents without any are left out.
///
/// A level of headings that no document has is an error, like any other field.
pub fn matching(snapshot: &dyn Snapshot, filter: &Filter) -> Result<Sections> {
    let mut found = Sections::default();
    let mut levels = BTreeSet::new();
    snapshot.each_document(&mut |number, record, structure, text| {
        let headings: Vec<Vec<Heading<'_>>> =
            (0..structure.sections.len()).map(|i| above(structure, i, text)).collect();
        levels.extend(headings.iter().flatten().map(|heading| heading.level));
        let matches = |i: &u32| filter.matches(&|field: &str| value(field, record, &headings[*i as usize]));
        let sections: Vec<u32> = (0..headings.len() as u32).filter(matches).collect();
        if !sections.is_empty() {
            found.insert(number, sections);
        }
    })?;
    match filter.fields().into_iter().find(|field| level_of(field).is_some_and(|level| !levels.contains(&level))) {
        Some(field) => Err(Error::UnknownField { field: field.to_owned(), known: DidYouMean(names(&levels)) }),
        None => Ok(found),
    }
}

fn names(levels: &BTreeSet<u8>) -> Vec<String> {
    levels.iter().map(|level| format!("Header {level}")).collect()
}

/// A heading above a text.
struct Heading<'t> {
    level: u8,
    text: &'t str,
}

fn above<'t>(structure: &Structure, section: usize, text: &'t str) -> Vec<Heading<'t>> {
    let path = structure.sections[section].path.iter().enumerate();
    path.map(|(i, &span)| Heading { level: level(text, span, i), text: span.of(text) }).collect()
}

/// The level a heading is written with: by its marks, by the line under it, else by its place in the path.
fn level(text: &str, heading: Span, place: usize) -> u8 {
    let line = text[..heading.start as usize].rfind('\n').map_or(0, |at| at + 1);
    let marks = text[line..heading.start as usize].chars().filter(|c| matches!(c, '#' | '=')).count();
    let below = text[heading.end as usize..].lines().nth(1).unwrap_or_default().trim();
    let underlined = |mark: char| below.len() > 1 && below.chars().all(|c| c == mark);
    match marks {
        0 if underlined('=') => 1,
        0 if underlined('-') => 2,
        0 => place as u8 + 1,
        marks => marks as u8,
    }
}

fn value<'a>(field: &str, record: &'a Record, headings: &[Heading<'_>]) -> Option<Cow<'a, Value>> {
    let text = |heading: &Heading<'_>| Value::Text(heading.text.to_owned());
    if let Some(level) = level_of(field) {
        return headings.iter().find(|heading| heading.level == level).map(text).map(Cow::Owned);
    }
    let own = record.field(field);
    if field == ANY_LEVEL && own.is_none() && !headings.is_empty() {
        return Some(Cow::Owned(Value::List(headings.iter().map(text).collect())));
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_about_headings() {
        for field in ["Header 1", "header 6", "heading"] {
            assert!(is_heading(field), "{field}");
        }
        for field in ["Header", "Header 0", "Header 7", "Header two", "title", "headings"] {
            assert!(!is_heading(field), "{field}");
        }
    }

    #[test]
    fn a_heading_has_the_level_it_is_written_with() {
        let of = |text: &str| level(text, Span::new(text.find('T').unwrap(), text.find('T').unwrap() + 5), 0);
        assert_eq!(of("## Title\n\ntext"), 2);
        assert_eq!(of("x\n\n### Title ###\n"), 3);
        assert_eq!(of("Title\n=====\n"), 1);
        assert_eq!(of("Title\n---\n"), 2);
        assert_eq!(of(" = = Title = = \n"), 2);
        assert_eq!(of("Title\n\ntext"), 1);
    }
}
