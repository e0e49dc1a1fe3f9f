//! Lines of a text as spans, and what can be said about one line by looking at its bytes.
//!
//! A line ends at `\n`, `\r\n` or a lone `\r`. Nothing is copied; a [`LineSpan`] is three offsets.

use std::ops::Range;

/// One line without its line end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LineSpan {
    pub start: usize,
    pub end: usize,
    /// Where the next line starts.
    pub next: usize,
}

impl LineSpan {
    /// The line at `start`; `None` at the end of the text.
    pub fn at(text: &str, start: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        if start >= bytes.len() {
            return None;
        }
        let end = memchr::memchr2(b'\n', b'\r', &bytes[start..]).map_or(bytes.len(), |i| start + i);
        let ending = match (bytes.get(end), bytes.get(end + 1)) {
            (Some(b'\r'), Some(b'\n')) => 2,
            (Some(_), _) => 1,
            _ => 0,
        };
        Some(Self { start, end, next: end + ending })
    }

    pub fn of(self, text: &str) -> &str {
        &text[self.start..self.end]
    }
}

/// All lines of `range`, which starts at a line's start.
pub(super) fn lines(text: &str, range: Range<usize>) -> impl Iterator<Item = LineSpan> {
    let mut at = range.start;
    std::iter::from_fn(move || {
        let line = (at < range.end).then(|| LineSpan::at(text, at)).flatten()?;
        at = line.next;
        Some(line)
    })
}

/// The columns of leading white space (a tab reaches the next multiple of four) and the text behind it.
pub(super) fn indent(line: &str) -> (usize, &str) {
    let mut columns = 0;
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            b' ' => columns += 1,
            b'\t' => columns += 4 - columns % 4,
            _ => return (columns, &line[at..]),
        }
    }
    (columns, "")
}

/// How wide a line is on a screen, about: East Asian characters (three bytes in UTF-8) are two columns wide.
pub(super) fn columns(line: &str) -> usize {
    // Sums of bytes over short pieces: the compiler makes vector instructions of these, and every line of every text
    // comes by here.
    let piece =
        |bytes: &[u8]| bytes.iter().map(|b| u8::from(!(0x80..0xc0).contains(b)) + u8::from(*b >= 0xe0)).sum::<u8>();
    line.as_bytes().chunks(120).map(|bytes| usize::from(piece(bytes))).sum()
}

/// `- `, `* `, `+ `, `1. `, `2) `: the width of a list marker with the white space behind it, in bytes.
pub fn list_marker(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let marker = match bytes.first()? {
        b'-' | b'*' | b'+' => 1,
        b'0'..=b'9' => {
            let digits = bytes.iter().take_while(|b| b.is_ascii_digit()).count();
            (digits <= 9 && matches!(bytes.get(digits), Some(b'.' | b')'))).then_some(digits + 1)?
        }
        _ => return None,
    };
    match bytes.get(marker) {
        None => Some(marker),
        Some(b' ' | b'\t') => Some(marker + bytes[marker..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count()),
        Some(_) => None,
    }
}

/// The level of a wiki heading: ` = Title = `, ` = = Section = = ` (tokenised wiki text) or `== Section ==`, whole
/// line only.
pub(super) fn wiki_heading(line: &str) -> Option<u8> {
    let line = line.trim();
    if !line.starts_with('=') || !line.ends_with('=') {
        return None;
    }
    let sign = |c: char| c == '=' || c == ' ';
    let inner = line.trim_matches(sign);
    let left = line.len() - line.trim_start_matches(sign).len();
    let count = |part: &str| part.bytes().filter(|b| *b == b'=').count();
    let (opening, closing) = (count(&line[..left]), count(&line[left + inner.len()..]));
    (!inner.is_empty() && opening == closing && opening <= 6).then_some(opening as u8)
}

/// The level of a heading that this line underlines: `===` is 1, `---` is 2.
pub(super) fn underline(line: &str) -> Option<u8> {
    let line = line.trim_end();
    let all = |byte: u8| line.bytes().all(|b| b == byte);
    match line.as_bytes() {
        [b'=', b'=', ..] if all(b'=') => Some(1),
        [b'-', b'-', b'-', ..] if all(b'-') => Some(2),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_end_counts() {
        let text = "a\nb\r\nc\rd";
        let found: Vec<&str> = lines(text, 0..text.len()).map(|l| l.of(text)).collect();
        assert_eq!(found, ["a", "b", "c", "d"]);
    }

    #[test]
    fn wiki_headings() {
        assert_eq!(wiki_heading(" = Valkyria Chronicles III = "), Some(1));
        assert_eq!(wiki_heading(" = = Plot = = "), Some(2));
        assert_eq!(wiki_heading("=== A = b ==="), Some(3));
        for no in ["a = b", "= a", "= a = =", "=====", "= = =", "x == y =", ""] {
            assert_eq!(wiki_heading(no), None, "{no}");
        }
    }

    #[test]
    fn markers() {
        assert_eq!(list_marker("- a"), Some(2));
        assert_eq!(list_marker("10.  a"), Some(5));
        assert_eq!(list_marker("-"), Some(1));
        assert_eq!(list_marker("-a"), None);
        assert_eq!(list_marker("1.5 g"), None);
        assert_eq!(list_marker("2023年"), None);
    }

    #[test]
    fn widths() {
        assert_eq!(columns("abc"), 3);
        assert_eq!(columns("é中文"), 5);
        assert_eq!(indent("\t x"), (5, "x"));
    }
}
