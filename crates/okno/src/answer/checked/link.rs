//! Links and addresses: what stands in brackets, and what would be clickable.

use super::marker::marker;

/// What an opening bracket begins.
#[derive(Debug, PartialEq, Eq)]
pub enum Bracket<'t> {
    /// Not sure before more comes.
    Wait,
    /// `[inside](address)`.
    Link { inside: &'t str, address: &'t str, length: usize },
    /// Numbers.
    Marker { numbers: Vec<usize>, length: usize },
    /// Nothing of that.
    Nothing,
}

/// Reads what an opening bracket begins.
pub fn bracket(text: &str, last: bool) -> Bracket<'_> {
    let unsure = |end: Close| if end == Close::NotYet && !last { Bracket::Wait } else { Bracket::Nothing };
    if !text.starts_with('[') {
        return match marker(text) {
            Some((numbers, length)) => Bracket::Marker { numbers, length },
            None if !last && text.chars().count() < 12 && !text.contains(['】', '］', ']', '\n']) => Bracket::Wait,
            None => Bracket::Nothing,
        };
    }
    let end = match close(text, '[', ']') {
        Close::At(end) => end,
        other => return unsure(other),
    };
    let rest = &text[end + 1..];
    if rest.is_empty() && !last {
        return Bracket::Wait;
    }
    if rest.starts_with('(') {
        match close(rest, '(', ')') {
            Close::At(closed) => {
                let address = rest[1..closed].split_whitespace().next().unwrap_or_default().trim_matches(['<', '>']);
                return Bracket::Link { inside: &text[1..end], address, length: end + 1 + closed + 1 };
            }
            Close::NotYet if !last => return Bracket::Wait,
            _ => {}
        }
    }
    match marker(text) {
        Some((numbers, length)) => Bracket::Marker { numbers, length },
        None => Bracket::Nothing,
    }
}

/// Where a bracket closes.
#[derive(Debug, PartialEq, Eq)]
enum Close {
    At(usize),
    NotYet,
    Never,
}

/// The bracket that closes the first one, on the same line and with no code in between.
fn close(text: &str, open: char, shut: char) -> Close {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '\n' | '`' => return Close::Never,
            c if c == open => depth += 1,
            c if c == shut && depth == 1 => return Close::At(at),
            c if c == shut => depth -= 1,
            _ => {}
        }
    }
    Close::NotYet
}

/// The longest beginning of a text that may be one word or one address.
pub fn word(text: &str) -> &str {
    let ends = |c: char| c.is_whitespace() || "<>\"`[]{}|\\^!".contains(c) || !c.is_ascii() && !c.is_alphanumeric();
    let end = text.find(ends).unwrap_or(text.len());
    // Letters of a script without spaces are a word each, unless an address goes on.
    let plain = text.find(|c: char| !c.is_ascii()).unwrap_or(end).min(end);
    match plain {
        0 => &text[..text.chars().next().map_or(0, char::len_utf8)],
        plain if text[..plain].contains("://") => &text[..end],
        plain => &text[..plain],
    }
}

/// Schemes that need no `//` to act.
const SCHEMES: [&str; 7] = ["mailto:", "javascript:", "vbscript:", "data:", "tel:", "file:", "xmpp:"];

/// The part of a word that a reader could follow: all of it but closing marks. `None` for plain words.
pub fn address(word: &str) -> Option<&str> {
    let lower = word.to_lowercase();
    let starts = |at: usize| at == 0 || !lower[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
    let www = lower.match_indices("www.").any(|(at, _)| starts(at));
    let scheme = SCHEMES
        .iter()
        .any(|scheme| lower.match_indices(scheme).any(|(at, found)| starts(at) && lower.len() > at + found.len()));
    if !(www || scheme || lower.contains("://")) {
        return None;
    }
    let mut address = word.trim_end_matches(['.', ',', ';', ':', '?', '*', '_', '~', '\'']);
    while address.ends_with(')') && address.matches(')').count() > address.matches('(').count() {
        address = address[..address.len() - 1].trim_end_matches(['.', ',', ';', ':', '?', '*', '_', '~', '\'']);
    }
    Some(address)
}

/// Whether an address stands, word for word, in one of these texts.
pub fn is_among(address: &str, sources: &[&str]) -> bool {
    // `https://` alone stands in many.
    let says_where = address.split_once("://").is_some_and(|(_, rest)| rest.len() > 3) || address.starts_with("www.");
    says_where && sources.iter().any(|source| source.contains(address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_addresses() {
        assert_eq!(word("https://a.b/c?d=e, and"), "https://a.b/c?d=e,");
        assert_eq!(word("tea中文"), "tea");
        assert_eq!(word("茶https://a.b"), "茶");
        assert_eq!(word("https://例子.中国/路。好"), "https://例子.中国/路");
        assert_eq!(address("https://a.b/c(d)."), Some("https://a.b/c(d)"));
        assert_eq!(address("https://a.b/c)"), Some("https://a.b/c"));
        assert_eq!(address("(www.a.b"), Some("(www.a.b"));
        for plain in ["data:", "e.g.", "10:30", "a/b", "metadata:x"] {
            assert_eq!(address(plain), None, "{plain}");
        }
    }
}
