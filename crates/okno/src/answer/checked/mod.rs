//! What a model says becomes text that is safe to show and whose citations point to something.
//!
//! Pieces come in as they are said; checked text goes out as soon as it is sure what it is. A model that read a hostile
//! document may say anything, so what leaves here is *text*:
//!
//! - Citations – `[1]`, `【1】`, `[1, 2]`, `[1-3]` – become `[1]`, `[1][2]`; a number that no context has is removed
//!   and counted.
//! - Images become their description, links their words: an image is fetched without being asked for, a link can carry
//!   away what was read. An address is kept, as plain text, only if it stands word for word in a context or in the
//!   question.
//! - `<` before a letter becomes `‹`: no HTML, no tool calls. Control characters and direction marks are left out.
//! - Code stays as it is where every Markdown reader agrees that it is code: between back-ticks on one line, and in a
//!   block
//!   whose fence begins a line. What is only almost code is treated as text.
//!
//! The law that tests hold it to: whatever is said, however it is cut, a Markdown parser finds in the result no HTML,
//! no image, and no link to an address that was not in the sources.

mod code;
mod link;
mod marker;
#[cfg(test)]
mod tests;

pub use marker::marker;

use crate::generate::Language;
use code::Fence;
use link::Bracket;

/// A citation in checked text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CitationMark {
    /// The byte of the text where `[1]` begins.
    pub at: usize,
    /// Its number.
    pub number: usize,
}

/// More than this is never held back: no link or word is longer.
const LONGEST_HELD: usize = 4000;

/// What was checked so far.
pub struct CheckedText<'a> {
    contexts: usize,
    language: Language,
    sources: &'a [&'a str],
    pending: String,
    fence: Option<Fence>,
    /// Whether this line has a `|`: in a table, cells are cut before code is found.
    piped: bool,
    /// All text that went out.
    pub text: String,
    /// The citations in it, in order.
    pub marks: Vec<CitationMark>,
    /// Citations that pointed to nothing.
    pub removed: usize,
    /// Links, images and tags that were taken apart.
    pub contained: usize,
}

/// What the beginning of the pending text is.
enum PendingStart {
    /// Not sure before more comes.
    Wait,
    /// This many bytes are said as they are.
    Plain(usize),
    /// This many bytes are said like this.
    As(usize, String),
    /// The same, because as they are they could act.
    Contained(usize, String),
    /// This many bytes are citations: those that point to a context, and how many do not.
    Cite(usize, Vec<usize>, usize),
    /// This many bytes are to be read again as this.
    Again(usize, String),
}

impl<'a> CheckedText<'a> {
    /// Checks an answer about this many contexts; addresses in `sources` may be said.
    pub fn new(contexts: usize, language: Language, sources: &'a [&'a str]) -> Self {
        let (pending, text, marks) = (String::new(), String::new(), Vec::new());
        Self { contexts, language, sources, pending, fence: None, piped: false, text, marks, removed: 0, contained: 0 }
    }

    /// Takes a piece; gives what is sure by now.
    pub fn push(&mut self, piece: &str) -> String {
        self.pending.extend(piece.chars().filter(|c| is_shown(*c)));
        self.go(false)
    }

    /// Gives what is left when the answer ends.
    pub fn finish(&mut self) -> String {
        self.go(true)
    }

    fn go(&mut self, last: bool) -> String {
        let begin = self.text.len();
        while !self.pending.is_empty() {
            // What is held for too long is decided with what there is.
            let step = self.step(last || self.pending.len() > LONGEST_HELD);
            if matches!(step, PendingStart::Wait) {
                break;
            }
            self.take(step);
        }
        self.text[begin..].to_owned()
    }

    fn take(&mut self, step: PendingStart) {
        let (taken, said) = match step {
            PendingStart::Wait => return,
            PendingStart::Plain(length) => (length, self.pending[..length].to_owned()),
            PendingStart::As(length, text) => (length, text),
            PendingStart::Contained(length, text) => {
                self.contained += 1;
                (length, text)
            }
            PendingStart::Again(length, text) => {
                self.contained += 1;
                self.pending.replace_range(..length, &text);
                return;
            }
            PendingStart::Cite(length, numbers, wrong) => {
                self.removed += wrong;
                (length, self.cite(&numbers, length))
            }
        };
        self.pending.drain(..taken);
        self.piped =
            (self.piped && !said.contains('\n')) || said.rsplit('\n').next().is_some_and(|line| line.contains('|'));
        self.text.push_str(&said);
    }

    /// The text of citations, each with its place noted.
    fn cite(&mut self, numbers: &[usize], length: usize) -> String {
        let mut said = String::new();
        for &number in numbers {
            self.marks.push(CitationMark { at: self.text.len() + said.len(), number });
            said.push_str(&format!("[{number}]"));
        }
        let rest = &self.pending[length..];
        // `[1](` would begin a link, `[1]:` at the beginning of a line the definition of one.
        let begins_link = rest.starts_with('(') || rest.starts_with(':') && self.begins_line();
        if (said.is_empty() && self.would_join(rest)) || (!said.is_empty() && begins_link) {
            said.push(' ');
        }
        said
    }

    /// Whether what was said and what follows a citation that is left out could act together: `<`, `[9]`, `img>`. The
    /// end of a sentence may close up.
    fn would_join(&self, rest: &str) -> bool {
        let Some(before) = self.text.chars().next_back() else { return false };
        let rest = if before.is_ascii_alphanumeric() { rest.trim_start_matches(marker::ENDS) } else { rest };
        let touches = |c: char| !c.is_whitespace();
        before.is_ascii() && touches(before) && rest.chars().next().is_some_and(touches)
    }

    fn begins_line(&self) -> bool {
        self.text.rsplit('\n').next().is_none_or(|line| line.trim().is_empty())
    }

    fn step(&mut self, last: bool) -> PendingStart {
        let text = self.pending.as_str();
        if let Some(fence) = self.fence {
            let (step, closed) = fence.line(text, last);
            if closed {
                self.fence = None;
            }
            return step;
        }
        let mut characters = text.chars();
        let (Some(first), next) = (characters.next(), characters.next()) else { return PendingStart::Wait };
        if next.is_none() && !last && "!]<\\~".contains(first) {
            return PendingStart::Wait;
        }
        match first {
            '`' => {
                let at_start = self.text.is_empty() || self.text.ends_with('\n');
                let (step, fence) = code::ticks(text, at_start, self.piped, last);
                self.fence = fence;
                step
            }
            '~' => code::tildes(text, last),
            '\\' if matches!(next, Some('`' | '\\')) => PendingStart::Plain(2),
            // Escaped, these would be an address once they are shown.
            '\\' if matches!(next, Some('/' | ':' | '.')) => PendingStart::Contained(1, r"\\".to_owned()),
            '!' if next == Some('[') => self.image(last),
            '[' | '【' | '［' => self.bracket(last),
            ']' if matches!(next, Some('(' | ':')) => PendingStart::Contained(1, "] ".to_owned()),
            '<' if next.is_some_and(|next| next.is_alphabetic() || "/!?".contains(next)) => {
                PendingStart::Contained(1, "‹".to_owned())
            }
            first if first.is_alphanumeric() => self.word(last),
            first => PendingStart::Plain(first.len_utf8()),
        }
    }

    fn image(&self, last: bool) -> PendingStart {
        match link::bracket(&self.pending[1..], last) {
            Bracket::Wait => PendingStart::Wait,
            Bracket::Link { inside, length, .. } => PendingStart::Again(length + 1, inside.to_owned()),
            Bracket::Marker { .. } | Bracket::Nothing => PendingStart::Plain(1),
        }
    }

    fn bracket(&self, last: bool) -> PendingStart {
        let opening = self.pending.chars().next().map_or(0, char::len_utf8);
        match link::bracket(&self.pending, last) {
            Bracket::Wait => PendingStart::Wait,
            Bracket::Link { inside, address, length } => {
                let words =
                    if marker(&format!("[{inside}]")).is_some() { format!("[{inside}]") } else { inside.to_owned() };
                let kept = link::is_among(address, self.sources);
                PendingStart::Again(length, if kept { format!("{words} ({address})") } else { words })
            }
            // What follows decides whether a space must keep things apart.
            Bracket::Marker { length, .. }
                if !last && self.pending[length..].trim_start_matches(marker::ENDS).is_empty() =>
            {
                PendingStart::Wait
            }
            Bracket::Marker { numbers, length } => {
                let (fine, wrong): (Vec<_>, Vec<_>) =
                    numbers.into_iter().partition(|n| (1..=self.contexts).contains(n));
                PendingStart::Cite(length, fine, wrong.len())
            }
            Bracket::Nothing => PendingStart::Plain(opening),
        }
    }

    /// A word, which may be an address.
    fn word(&self, last: bool) -> PendingStart {
        let word = link::word(&self.pending);
        if word.len() == self.pending.len() && !last {
            return PendingStart::Wait;
        }
        match link::address(word) {
            None => PendingStart::Plain(word.len()),
            Some(address) if link::is_among(address, self.sources) => {
                // Nothing that follows may become a part of it.
                let goes_on = |c: char| c.is_ascii() && !c.is_whitespace();
                let apart = if self.pending[word.len()..].starts_with(goes_on) { " " } else { "" };
                PendingStart::As(word.len(), format!("{word}{apart}"))
            }
            Some(address) => PendingStart::Contained(address.len(), self.link_removed().to_owned()),
        }
    }

    fn link_removed(&self) -> &'static str {
        match self.language {
            Language::English => "(link removed)",
            Language::Chinese => "（链接已移除）",
        }
    }
}

/// Whether a character may reach a reader: no control characters, no marks that turn text around, no invisible letters.
fn is_shown(c: char) -> bool {
    let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}');
    let hides = matches!(c, '\u{e0000}'..='\u{e007f}' | '\u{200b}' | '\u{2060}' | '\u{feff}');
    !(turns || hides || c.is_control() && !matches!(c, '\n' | '\t'))
}
