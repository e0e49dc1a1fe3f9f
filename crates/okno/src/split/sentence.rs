//! Sentences of mixed Chinese and English text.
//!
//! In comes one block of a document, out come the byte spans of its sentences. A single pass stops
//! at each mark that could matter, and decides from the characters around it whether a sentence ends
//! there. Which rules apply is asked of each mark – `。` is Chinese, `.` between Latin letters is
//! English – so a paragraph may change language as often as it likes.
//!
//! The decisions, where taste differs:
//!
//! - A closing quote or bracket stays with the sentence it closes: `他说：“走吧。”` | `然后离开了。`
//! - A quotation of several sentences is several sentences: the unit of search is small. Only questions,
//!   exclamations and ellipses inside a short one (`“谁？你吗？”`, [`MAX_QUOTED`] bytes) do not divide it.
//! - Brackets and title marks keep their inside together (`《摔跤吧！爸爸》`), but only over
//!   [`MAX_PAIR`] bytes. Ends found inside are taken back when the closing mark arrives, so a bracket
//!   that never closes takes nothing back and there is no looking ahead.
//! - After `.`, small letters start a sentence (`hello. how are you?`) unless the word before is an
//!   abbreviation. After `."` they go on (`"This is great." she said`).
//! - A line break is white space; a blank line ends a sentence.
//!
//! Why our own rules. The crate `sentencex` is the base to beat: byte spans, some thirty languages,
//! but one per call, Chinese falling back to English. In Chinese it does not end a sentence at `。`
//! before a digit (`…。2008年…`: 1,093 ends are missing in 1.1 MB of encyclopedia), keeps quotations
//! and lists together, and it brings `clap`, `regex` and `strum`. Whole cases right, theirs with the
//! better of English and Chinese rules:
//!
//! | | cases | ours | sentencex 0.1.33 | pysbd 0.3.4 |
//! |---|---|---|---|---|
//! | `cases.txt` when the rules were new (tuned on it) | 212 | 203 | 165 | 151 |
//! | `unseen.txt` then (written after, run once) | 32 | 29 | 22 | 22 |
//! | `cases.txt` in version 0.1 | 311 | 304 | | 220 |
//! | `unseen.txt` in version 0.1, each part at its first run | 128 | 123 | | 96 |
//! | `last` of `unseen.txt`, at its first run | 126 | 120 | | 83 |
//! | first part of `blind.txt`, at its first run | 120 | 116 | | 78 |
//! | second part of `blind.txt`, at its first run | 119 | 114 | | 75 |
//! | English, MB per CPU second | | 217–246 | 88–98 | 0.2 |
//! | Chinese, MB per CPU second | | 346–362 | 60–64 | 0.5 |
//!
//! Peers in one run. The last two rows were measured for version 0.1. On a busy machine, one after the other: version
//! 0.1 English 190–280 MB per CPU second and Chinese 273–400, the rules after it 286–309 and 301–405. In turns, on
//! 13 MB each: the same rules English 309–367 and Chinese 341–423, those with `blind.txt` 282–344 and 300–387.
//!
//! Known misses: an abbreviation that ends a sentence before a word that is no usual sentence start
//! (`in the U.S. Congress met`), a single letter that is no initial (`the blood group was B. Doctors came`).
//! `……` is taken for an end unless what follows carries on, which is a guess.

mod abbreviations;
mod item;
mod limit;
mod marks;
mod run;
mod stop;
#[cfg(test)]
mod tests;

use crate::document::Span;
use item::ListMarker;
pub(super) use limit::at_clause;
use marks::{Mark, char_at, char_before, skip_space};
use run::StopRun;

/// The longest pair of brackets that keeps its inside together, in bytes: about four lines of
/// English or 130 Chinese characters. What is longer is not an aside.
const MAX_PAIR: usize = 400;

/// Brackets deeper than this are forgotten: real text nests two or three.
const MAX_DEPTH: usize = 16;

/// Splits `text[within]` into sentences.
///
/// The spans are ordered, do not overlap, are never empty, carry no white space at either end, lie on
/// character boundaries and together cover every character of `within` that is not white space.
/// None is longer than 1,000 characters (`limit::MAX_CHARS`). The same text always gives the same spans; the time
/// is linear in the length of `within`. A span that reaches past the text is clipped to it.
#[must_use]
pub fn sentences(text: &str, within: Span) -> Vec<Span> {
    let end = text.floor_char_boundary(within.end as usize);
    let start = text.floor_char_boundary(within.start as usize).min(end);
    let mut scan = SentenceScan::new(&text[start..end]);
    scan.run();
    scan.spans(start)
}

/// The longest quotation that a question, an exclamation or an ellipsis inside it does not divide, in bytes: about
/// twenty Chinese characters or ten English words. `“谁？你吗？”` says one thing.
const MAX_QUOTED: usize = 66;

/// An end found, and where the sentence after it starts.
#[derive(Debug, Clone, Copy)]
struct Cut {
    end: usize,
    next: usize,
    /// It is a question, an exclamation or an ellipsis, which a short quotation takes back.
    pauses: bool,
}

#[derive(Debug, Clone, Copy)]
struct Pair {
    at: usize,
    close: char,
}

struct SentenceScan<'a> {
    text: &'a str,
    first: usize,
    cuts: Vec<Cut>,
    pairs: Vec<Pair>,
    /// Whether a `"` is open.
    quoted: bool,
    /// The outermost quotation that is open.
    quotation: Option<Pair>,
    /// The list marker at the start of this sentence.
    item: Option<ListMarker>,
}

impl<'a> SentenceScan<'a> {
    fn new(text: &'a str) -> Self {
        let first = skip_space(text, 0);
        let item = ListMarker::at(text, first);
        Self { text, first, cuts: Vec::new(), pairs: Vec::new(), quoted: false, quotation: None, item }
    }

    fn run(&mut self) {
        let mut at = self.first;
        while let Some(found) = marks::next_mark(self.text.as_bytes(), at) {
            at = self.mark(found);
        }
    }

    fn spans(self, base: usize) -> Vec<Span> {
        let mut spans = Vec::with_capacity(self.cuts.len() + 1);
        let mut start = self.first;
        for cut in &self.cuts {
            limit::push(self.text, start, cut.end, base, &mut spans);
            start = cut.next;
        }
        limit::push(self.text, start, self.text.len(), base, &mut spans);
        spans
    }

    /// Where the sentence being read starts.
    fn start(&self) -> usize {
        self.cuts.last().map_or(self.first, |cut| cut.next)
    }

    /// Looks at the character at `at`; answers where to go on.
    fn mark(&mut self, at: usize) -> usize {
        let Some(c) = char_at(self.text, at) else { return self.text.len() };
        let after = at + c.len_utf8();
        match marks::mark(c) {
            Mark::Stop if !marks::is_dot(c) || !self.next_item(at) => return self.stop(at),
            Mark::Open(close) => self.open(at, close),
            Mark::Close => {
                self.close(at, c);
                self.next_item(at);
            }
            Mark::Quote => {
                self.quoted = self.opens_quote(at);
                if self.quoted {
                    self.quote(at, '"');
                } else {
                    self.unquote(at, '"');
                }
            }
            Mark::OpenQuote(close) => self.quote(at, close),
            Mark::CloseQuote => _ = self.unquote(at, c),
            Mark::LineFeed => return self.line_feed(at),
            Mark::Item => _ = self.next_item(at),
            Mark::Stop | Mark::Other => {}
        }
        after
    }

    fn stop(&mut self, at: usize) -> usize {
        let run = StopRun::read(self.text, at);
        let tail = self.tail(run);
        if !self.ends(run, tail) {
            self.first_item(run);
            return tail.end;
        }
        let next = self.cut(tail.end);
        if let Some(cut) = self.cuts.last_mut() {
            cut.pauses = run.pauses(self.text);
        }
        next
    }

    fn cut(&mut self, end: usize) -> usize {
        let next = skip_space(self.text, end);
        if has_blank_line(&self.text[end..next]) {
            self.forget();
        }
        self.cuts.push(Cut { end, next, pauses: false });
        self.item = ListMarker::at(self.text, next);
        next
    }

    /// White space that holds a second line feed is a blank line.
    fn line_feed(&mut self, at: usize) -> usize {
        let next = skip_space(self.text, at);
        if has_blank_line(&self.text[at..next]) { self.cut(at) } else { next }
    }

    /// Nothing reaches over a blank line.
    fn forget(&mut self) {
        self.pairs.clear();
        self.quoted = false;
        self.quotation = None;
    }

    fn open(&mut self, at: usize, close: char) {
        let face = close == ')' && matches!(char_before(self.text, at), Some(':' | ';' | '-'));
        if face {
            return;
        }
        if self.pairs.len() == MAX_DEPTH {
            self.pairs.remove(0);
        }
        self.pairs.push(Pair { at, close });
    }

    /// Closes the pair that `close` at `at` belongs to, and takes back the ends found inside it.
    /// Answers where the pair opened.
    fn close(&mut self, at: usize, close: char) -> Option<usize> {
        let index = self.pairs.iter().rposition(|pair| pair.close == close)?;
        let opened = self.pairs[index].at;
        self.pairs.truncate(index);
        if at - opened > MAX_PAIR {
            return None;
        }
        let before = self.start();
        while self.cuts.last().is_some_and(|cut| cut.end > opened) {
            self.cuts.pop();
        }
        if self.start() != before {
            self.item = ListMarker::at(self.text, self.start());
        }
        Some(opened)
    }

    fn quote(&mut self, at: usize, close: char) {
        if self.quotation.is_none_or(|open| at - open.at > MAX_QUOTED) {
            self.quotation = Some(Pair { at, close });
        }
    }

    /// Closes the quotation that `close` at `at` belongs to. A short one takes back the questions, exclamations
    /// and ellipses inside it. Answers where a short one opened.
    fn unquote(&mut self, at: usize, close: char) -> Option<usize> {
        let open = self.quotation.filter(|open| open.close == close)?;
        self.quotation = None;
        if at - open.at > MAX_QUOTED {
            return None;
        }
        let inside = self.cuts.iter().rev().take_while(|cut| cut.end > open.at).count();
        if inside == 0 {
            return Some(open.at);
        }
        let before = self.start();
        let from = self.cuts.len() - inside;
        let kept: Vec<Cut> = self.cuts.drain(from..).filter(|cut| !cut.pauses).collect();
        self.cuts.extend(kept);
        if self.start() != before {
            self.item = ListMarker::at(self.text, self.start());
        }
        Some(open.at)
    }

    /// White space tells an opening `"` from a closing one; without it they take turns.
    fn opens_quote(&self, at: usize) -> bool {
        let before = char_before(self.text, at).is_none_or(char::is_whitespace);
        let after = char_at(self.text, at + 1).is_none_or(char::is_whitespace);
        if before == after { !self.quoted } else { before }
    }

    /// `You need: 1. flour 2. sugar`: the marker behind a colon begins a list.
    fn first_item(&mut self, run: StopRun) {
        if self.item.is_none() && run.kind == run::StopKind::Dot {
            self.item = ListMarker::behind_colon(self.text, self.start(), run.at);
        }
    }

    /// Ends the sentence before the next marker of a running list, if the mark at `at` is in one.
    fn next_item(&mut self, at: usize) -> bool {
        let next = self.item.and_then(|item| item.next(self.text, at));
        let next = next.filter(|&next| next > self.start());
        if let Some(next) = next {
            self.cut(next);
            self.item = self.item.map(ListMarker::running);
        }
        next.is_some()
    }
}

fn has_blank_line(space: &str) -> bool {
    space.bytes().filter(|&b| b == b'\n').count() > 1
}
