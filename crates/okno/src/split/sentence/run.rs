//! A run of stops, and what closes after it: `？！`, `……`, `. . .`, then `”`, `)`, `**`, `[3]`.

use super::SentenceScan;
use super::abbreviations as abbr;
use super::marks::{self, char_at, char_before};

/// The longest note that hangs on a sentence, in bytes: `[original research?]` and its like.
const MAX_NOTE: usize = 24;

/// Faces in letters.
const FACES: [&str; 8] = [":)", ":-)", ";)", ";-)", ":(", ":-(", ":D", ":P"];

/// The shortest word that a raised note number may follow: shorter ones are abbreviations and file names.
const MIN_NOTED: usize = 3;

/// Stops that belong together.
#[derive(Debug, Clone, Copy)]
pub(super) struct StopRun {
    pub at: usize,
    pub end: usize,
    pub kind: StopKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StopKind {
    /// Has a `。`, `！` or `？`.
    Wide,
    /// Has a `!` or `?`.
    Bang,
    /// One full stop.
    Dot,
    /// Only dots, this many; `…` is three. `spaced`: written `. . .`
    Ellipsis { dots: usize, spaced: bool },
}

impl StopRun {
    /// Reads the run at `at`. Tokenised text puts spaces between its stops.
    pub(super) fn read(text: &str, at: usize) -> Self {
        let mut end = group_end(text, at);
        let mut spaced = false;
        while let Some(further) = spaced_group(text, end) {
            end = further;
            spaced = true;
        }
        Self { at, end, kind: kind(&text[at..end], spaced) }
    }

    /// Whether it asks or exclaims, or pauses.
    pub(super) fn pauses(self, text: &str) -> bool {
        self.asks(text) || matches!(self.kind, StopKind::Ellipsis { .. })
    }

    /// Whether it asks or exclaims.
    pub(super) fn asks(self, text: &str) -> bool {
        match self.kind {
            StopKind::Bang => true,
            StopKind::Wide => text[self.at..self.end].contains(|c| marks::is_bang(c) || matches!(c, '！' | '？')),
            StopKind::Dot | StopKind::Ellipsis { .. } => false,
        }
    }
}

fn kind(run: &str, spaced: bool) -> StopKind {
    if run.contains(marks::is_wide_stop) {
        return StopKind::Wide;
    }
    if run.contains(marks::is_bang) {
        return StopKind::Bang;
    }
    let dots = |c| if c == '…' { 3 } else { usize::from(marks::is_dot(c)) };
    match run.chars().map(dots).sum() {
        1 => StopKind::Dot,
        dots => StopKind::Ellipsis { dots, spaced },
    }
}

fn group_end(text: &str, at: usize) -> usize {
    text.len() - text[at..].trim_start_matches(marks::is_stop).len()
}

/// The end of a group of stops one space further on that stands alone, unlike `.NET`.
fn spaced_group(text: &str, end: usize) -> Option<usize> {
    let start = end + 1;
    if text.as_bytes().get(end) != Some(&b' ') || !char_at(text, start).is_some_and(marks::is_stop) {
        return None;
    }
    let further = group_end(text, start);
    let next = char_at(text, further);
    next.is_none_or(|c| c.is_whitespace() || closes(c) || c == '"').then_some(further)
}

fn closes(c: char) -> bool {
    marks::is_close_bracket(c) || marks::is_close_quote(c)
}

/// What closes after a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tail {
    pub end: usize,
    /// A quote or a bracket was closed.
    pub closed: bool,
    /// Where the outermost bracket closed here had opened.
    pub bracket: Option<usize>,
    /// The same for a short quotation.
    pub quotation: Option<usize>,
}

impl SentenceScan<'_> {
    /// Reads what closes after `run`, and closes it.
    pub(super) fn tail(&mut self, run: StopRun) -> Tail {
        let mut tail = Tail { end: run.end, closed: false, bracket: None, quotation: None };
        while let Some(end) = self.closer(&mut tail) {
            tail.end = end;
        }
        if run.kind == StopKind::Dot
            && let Some(end) = self.raised_note(run, tail)
        {
            tail.end = end;
        }
        tail
    }

    /// The end of raised note numbers whose raising was lost: `after week two.14 15 Two patients`. They follow a word
    /// or a bracket directly, and a capital follows them.
    fn raised_note(&self, run: StopRun, tail: Tail) -> Option<usize> {
        let bytes = self.text.as_bytes();
        if !bytes.get(tail.end).is_some_and(u8::is_ascii_digit) {
            return None;
        }
        let word = bytes[..run.at].iter().rev().take(MIN_NOTED).take_while(|b| b.is_ascii_lowercase()).count();
        if word < MIN_NOTED && !bytes[..run.at].ends_with(b")") {
            return None;
        }
        let is_note = |b: &u8| b.is_ascii_digit() || b", -".contains(b);
        let numbers = bytes[tail.end..].iter().take(MAX_NOTE).take_while(|b| is_note(b)).count();
        let note = &self.text[tail.end..tail.end + numbers];
        let short = note.split([',', ' ', '-']).all(|number| number.len() <= 3);
        let capital = bytes.get(tail.end + numbers).is_some_and(u8::is_ascii_uppercase);
        let known = abbr::class(self.word_before(run.at)) != abbr::Class::Plain;
        (short && capital && !known && note.ends_with(' ')).then_some(tail.end + note.trim_end().len())
    }

    /// The end of the closer at `tail.end`, if there is one there.
    fn closer(&mut self, tail: &mut Tail) -> Option<usize> {
        if let Some(end) = face_end(self.text, tail.end) {
            return Some(end);
        }
        let at = tail.end + usize::from(self.closes_after_space(tail.end));
        let c = char_at(self.text, at)?;
        let after = at + c.len_utf8();
        match c {
            _ if marks::is_combining(c) => return Some(after),
            _ if marks::is_raised(c) => return Some(raised_end(self.text, after)),
            '[' => return note_end(self.text, at),
            ':' => return page_end(self.text, at),
            '*' | '_' | '~' => return emphasis_end(self.text, at),
            // Code is quoted: `1.0.` goes on before a small letter.
            '`' => {
                let end = emphasis_end(self.text, at)?;
                tail.closed = true;
                return Some(end);
            }
            '\'' if !self.word_follows(after) => {}
            '’' if !char_at(self.text, after).is_some_and(|c| c.is_ascii_alphabetic()) => {}
            '"' if self.closes_quote(at) => {
                self.quoted = false;
                tail.quotation = self.unquote(at, c).or(tail.quotation);
            }
            _ if marks::is_close_bracket(c) => tail.bracket = self.close(at, c).or(tail.bracket),
            _ if marks::is_close_quote(c) && c != '’' => tail.quotation = self.unquote(at, c).or(tail.quotation),
            _ => return None,
        }
        tail.closed = true;
        Some(after)
    }

    /// Tokenised text: `Stop . " Then`. No sentence starts with a closing mark that stands alone.
    fn closes_after_space(&self, at: usize) -> bool {
        let alone = char_at(self.text, at + 1 + self.width_at(at + 1));
        let closer = char_at(self.text, at + 1);
        self.text[at..].starts_with(' ')
            && alone.is_none_or(char::is_whitespace)
            && closer.is_some_and(|c| (closes(c) && c != '’') || (c == '"' && self.quoted))
    }

    fn width_at(&self, at: usize) -> usize {
        char_at(self.text, at).map_or(0, char::len_utf8)
    }

    fn word_follows(&self, at: usize) -> bool {
        char_at(self.text, at).is_some_and(char::is_alphanumeric)
    }

    /// A `"` after a stop closes when white space follows; otherwise when one is open.
    fn closes_quote(&self, at: usize) -> bool {
        let spaced_before = char_before(self.text, at).is_some_and(char::is_whitespace);
        let spaced_after = char_at(self.text, at + 1).is_none_or(char::is_whitespace);
        self.quoted || (spaced_after && !spaced_before)
    }
}

/// The end of a face that goes with the stop at `at`: `Thanks! :)`, `We won!🎉`. Other pictures than faces are also
/// bullets, and belong to the stop only without a space.
fn face_end(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let space = usize::from(bytes.get(at) == Some(&b' '));
    // What no face begins with is most of what follows a stop.
    if !matches!(bytes.get(at + space)?, b':' | b';' | 0xE2 | 0xF0) {
        return None;
    }
    let rest = &text[at + space..];
    let c = rest.chars().next()?;
    if marks::is_face(c) || (space == 0 && marks::is_emoji(c)) {
        return Some(at + space + c.len_utf8());
    }
    let typed = FACES.iter().find(|face| space == 1 && rest.starts_with(**face))?;
    rest[typed.len()..].chars().next().is_none_or(char::is_whitespace).then_some(at + space + typed.len())
}

/// `[3]`, `[12,13]`, `[note 2]`, `[citation needed]`: a note belongs to the sentence before it.
fn note_end(text: &str, at: usize) -> Option<usize> {
    let small = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b" ,-?".contains(b);
    let rest = &text.as_bytes()[at + 1..];
    let inside = rest.iter().take(MAX_NOTE).take_while(|b| small(b)).count();
    (inside > 0 && rest.get(inside) == Some(&b']')).then_some(at + inside + 2)
}

/// The end of raised signs of notes: `rose.²,³`
fn raised_end(text: &str, at: usize) -> usize {
    let joins = |c| matches!(c, ',' | '-' | '–');
    let note = text[at..].trim_start_matches(|c| marks::is_raised(c) || joins(c));
    text[..text.len() - note.len()].trim_end_matches(joins).len()
}

/// The pages encyclopedias put behind a note whose number was stripped: `built in 1902.:121,154`
fn page_end(text: &str, at: usize) -> Option<usize> {
    let rest = text[at + 1..].trim_start_matches(|c: char| c.is_ascii_digit() || ",–-".contains(c));
    let end = text.len() - rest.len();
    (end > at + 1 && rest.chars().next().is_none_or(|c| c.is_whitespace() || c == '[')).then_some(end)
}

/// The end of `**` after `**Done.**`: nothing but white space may follow.
fn emphasis_end(text: &str, at: usize) -> Option<usize> {
    let rest = text[at..].trim_start_matches(['*', '_', '`', '~']);
    let end = text.len() - rest.len();
    rest.chars().next().is_none_or(char::is_whitespace).then_some(end)
}
