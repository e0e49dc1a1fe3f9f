//! Tokens that are looked for in the raw text before anything else happens to it, like `[UNK]`: the text falls apart
//! around them.

use super::u32_at;

/// The few special tokens of a tokenizer.
pub(crate) struct Specials {
    tokens: Vec<(u32, String)>,
    first: Vec<char>,
}

/// A part of a text.
pub(crate) enum TextOrSpecial<'t> {
    Text(&'t str),
    Special(u32, &'t str),
}

impl Specials {
    /// Reads (id, length, bytes padded to 4) until the section ends; what is not such a token is left out.
    pub fn read(section: &[u8]) -> Self {
        let (mut tokens, mut first, mut at) = (Vec::new(), Vec::new(), 0);
        while at + 8 <= section.len() {
            let (id, length) = (u32_at(section, at), u32_at(section, at + 4) as usize);
            let bytes = section[at + 8..].get(..length).unwrap_or_default();
            let content = String::from_utf8_lossy(bytes).into_owned();
            first.extend(content.chars().next());
            tokens.push((id, content));
            at += 8 + length.saturating_add(3) / 4 * 4;
        }
        tokens.retain(|(_, content)| !content.is_empty());
        first.sort_unstable();
        first.dedup();
        Self { tokens, first }
    }

    /// The text in parts, from left to right; where several tokens begin at one place, the longest is meant.
    pub fn split<'t>(&self, text: &'t str) -> impl Iterator<Item = TextOrSpecial<'t>> {
        let mut rest = text;
        std::iter::from_fn(move || {
            let (before, found) = self.find(rest);
            if before > 0 {
                let part = &rest[..before];
                rest = &rest[before..];
                return Some(TextOrSpecial::Text(part));
            }
            let (id, length) = found?;
            let part = &rest[..length];
            rest = &rest[length..];
            Some(TextOrSpecial::Special(id, part))
        })
    }

    /// Bytes before the first special token, and the token.
    fn find(&self, text: &str) -> (usize, Option<(u32, usize)>) {
        let mut from = 0;
        while let Some(at) = self.candidate(&text[from..]) {
            if let Some(found) = self.token_at(&text[from + at..]) {
                return (from + at, Some(found));
            }
            from += at + text[from + at..].chars().next().map_or(1, char::len_utf8);
        }
        (text.len(), None)
    }

    /// Where a token might begin. In practice all begin with one character, and looking for one is several times
    /// faster.
    fn candidate(&self, text: &str) -> Option<usize> {
        match self.first[..] {
            [] => None,
            [only] => text.find(only),
            _ => text.find(&self.first[..]),
        }
    }

    fn token_at(&self, text: &str) -> Option<(u32, usize)> {
        let here = self.tokens.iter().filter(|(_, content)| text.starts_with(content.as_str()));
        here.map(|(id, content)| (*id, content.len())).max_by_key(|(_, length)| *length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Vec<String> {
        let specials = Specials { tokens: vec![(0, "[A]".into()), (1, "[A]]".into())], first: vec!['['] };
        let show = |part| match part {
            TextOrSpecial::Text(text) => text.to_owned(),
            TextOrSpecial::Special(id, text) => format!("{id}={text}"),
        };
        specials.split(text).map(show).collect()
    }

    #[test]
    fn text_falls_apart_around_tokens() {
        assert_eq!(parts("x[A]y[[A]][a][A"), ["x", "0=[A]", "y[", "1=[A]]", "[a][A"]);
        assert_eq!(parts("[A]"), ["0=[A]"]);
        assert!(parts("").is_empty());
    }
}
