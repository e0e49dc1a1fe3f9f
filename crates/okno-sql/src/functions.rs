//! Functions that take the place of SQLite's own, whose time grows with the product of the lengths of their arguments,
//! or faster: nothing can interrupt them. These look at the clock, or take time in proportion to their arguments.

use crate::guard::{LONGEST_VALUE, QueryDeadline};
use memchr::memmem;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Error, Result};
use std::borrow::Cow;
use std::collections::HashSet;

/// Comparisons between two looks at the clock.
const COMPARISONS: usize = 4096;

/// Adds the functions to a connection.
pub fn add(connection: &Connection, deadline: &QueryDeadline) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    for arguments in [2, 3] {
        let deadline = deadline.clone();
        connection.create_scalar_function("like", arguments, flags, move |context| like(context, &deadline))?;
    }
    let looked_at = deadline.clone();
    connection.create_scalar_function("glob", 2, flags, move |context| glob(context, &looked_at))?;
    connection.create_scalar_function("instr", 2, flags, |context| {
        Ok(instr(context).map(usize::cast_signed).map(|at| at as i64))
    })?;
    connection.create_scalar_function("replace", 3, flags, replace)?;
    connection.create_scalar_function("trim", 2, flags, |context| Ok(trim(context, true, true)))?;
    connection.create_scalar_function("ltrim", 2, flags, |context| Ok(trim(context, true, false)))?;
    connection.create_scalar_function("rtrim", 2, flags, |context| Ok(trim(context, false, true)))
}

/// An argument as text; `None` for NULL.
fn text<'c>(context: &'c Context<'_>, at: usize) -> Option<Cow<'c, str>> {
    match context.get_raw(at) {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string().into()),
        // `1.0`, as SQLite writes it.
        ValueRef::Real(number) => Some(format!("{number:?}").into()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes)),
    }
}

/// One character of a pattern.
enum PatternPart {
    /// Any number of characters.
    Any,
    /// One character.
    One,
    /// This character.
    Character(char),
    /// One of these characters, or none of them.
    Class { ranges: Vec<(char, char)>, negated: bool },
}

impl PatternPart {
    fn holds(&self, character: char, ignore_case: bool) -> bool {
        match self {
            Self::Any => false,
            Self::One => true,
            Self::Character(own) if ignore_case => own.eq_ignore_ascii_case(&character),
            Self::Character(own) => *own == character,
            Self::Class { ranges, negated } => {
                ranges.iter().any(|(first, last)| (*first..=*last).contains(&character)) != *negated
            }
        }
    }
}

/// Whether a text has a form: after a mismatch only the last `Any` is tried one character later, which is enough.
fn has_form(parts: &[PatternPart], text: &str, ignore_case: bool, deadline: &QueryDeadline) -> Result<bool> {
    let (mut part, mut rest) = (0, text.chars());
    let mut last_any: Option<(usize, std::str::Chars<'_>)> = None;
    let mut comparisons = 0;
    loop {
        comparisons += 1;
        if comparisons % COMPARISONS == 0 && deadline.is_over() {
            return Err(Error::UserFunctionError("the time is over".into()));
        }
        if matches!(parts.get(part), Some(PatternPart::Any)) {
            part += 1;
            last_any = Some((part, rest.clone()));
            continue;
        }
        let mut after = rest.clone();
        match (parts.get(part), after.next()) {
            (None, None) => return Ok(true),
            (Some(own), Some(character)) if own.holds(character, ignore_case) => (part, rest) = (part + 1, after),
            (_, None) => return Ok(false),
            _ => {
                let Some((again, from)) = &mut last_any else { return Ok(false) };
                from.next();
                (part, rest) = (*again, from.clone());
            }
        }
    }
}

fn like(context: &Context<'_>, deadline: &QueryDeadline) -> Result<Option<bool>> {
    let (Some(pattern), Some(of)) = (text(context, 0), text(context, 1)) else { return Ok(None) };
    let escape = match context.len() {
        3 => match text(context, 2) {
            None => return Ok(None),
            Some(escape) => Some(single(&escape)?),
        },
        _ => None,
    };
    let (mut parts, mut characters) = (Vec::new(), pattern.chars());
    while let Some(character) = characters.next() {
        parts.push(match character {
            // A pattern that ends with the escape character has the form of nothing.
            _ if Some(character) == escape => match characters.next() {
                Some(next) => PatternPart::Character(next),
                None => return Ok(Some(false)),
            },
            '%' => PatternPart::Any,
            '_' => PatternPart::One,
            other => PatternPart::Character(other),
        });
    }
    has_form(&parts, &of, true, deadline).map(Some)
}

fn single(escape: &str) -> Result<char> {
    let mut characters = escape.chars();
    match (characters.next(), characters.next()) {
        (Some(only), None) => Ok(only),
        _ => Err(Error::UserFunctionError("ESCAPE expression must be a single character".into())),
    }
}

fn glob(context: &Context<'_>, deadline: &QueryDeadline) -> Result<Option<bool>> {
    let (Some(pattern), Some(of)) = (text(context, 0), text(context, 1)) else { return Ok(None) };
    let (mut parts, mut characters) = (Vec::new(), pattern.chars());
    while let Some(character) = characters.next() {
        parts.push(match character {
            '*' => PatternPart::Any,
            '?' => PatternPart::One,
            '[' => match class(&mut characters) {
                Some(class) => class,
                // A class without an end has the form of nothing.
                None => return Ok(Some(false)),
            },
            other => PatternPart::Character(other),
        });
    }
    has_form(&parts, &of, false, deadline).map(Some)
}

/// `[a-z]`, `[^0-9]`, `[]x]`: what is behind the opening bracket.
fn class(characters: &mut std::str::Chars<'_>) -> Option<PatternPart> {
    let mut next = characters.next()?;
    let negated = next == '^';
    if negated {
        next = characters.next()?;
    }
    let mut ranges: Vec<(char, char)> = Vec::new();
    if next == ']' {
        ranges.push((']', ']'));
        next = characters.next()?;
    }
    while next != ']' {
        let mut ahead = characters.clone();
        let range = (ahead.next() == Some('-')).then(|| ahead.next()).flatten().filter(|last| *last != ']');
        match range {
            Some(last) => {
                ranges.push((next, last));
                *characters = ahead;
            }
            None => ranges.push((next, next)),
        }
        next = characters.next()?;
    }
    Some(PatternPart::Class { ranges, negated })
}

fn instr(context: &Context<'_>) -> Option<usize> {
    if let (ValueRef::Blob(all), ValueRef::Blob(part)) = (context.get_raw(0), context.get_raw(1)) {
        return Some(memmem::find(all, part).map_or(0, |at| at + 1));
    }
    let (all, part) = (text(context, 0)?, text(context, 1)?);
    let found = memmem::find(all.as_bytes(), part.as_bytes());
    Some(found.map_or(0, |at| all[..at].chars().count() + 1))
}

fn replace(context: &Context<'_>) -> Result<Value> {
    let (Some(all), Some(part)) = (text(context, 0), text(context, 1)) else { return Ok(Value::Null) };
    if part.is_empty() {
        return Ok(context.get_raw(0).into());
    }
    let Some(by) = text(context, 2) else { return Ok(Value::Null) };
    let count = memmem::find_iter(all.as_bytes(), part.as_bytes()).count();
    if all.len() - count * part.len() + count.saturating_mul(by.len()) > LONGEST_VALUE {
        return Err(Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_TOOBIG), None));
    }
    Ok(Value::Text(all.replace(&*part, &by)))
}

fn trim(context: &Context<'_>, start: bool, end: bool) -> Option<String> {
    let (all, cut) = (text(context, 0)?, text(context, 1)?);
    let cut: HashSet<char> = cut.chars().collect();
    let mut rest = &*all;
    if start {
        rest = rest.trim_start_matches(|c| cut.contains(&c));
    }
    if end {
        rest = rest.trim_end_matches(|c| cut.contains(&c));
    }
    Some(rest.to_owned())
}
