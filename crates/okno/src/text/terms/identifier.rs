//! Identifiers and the words inside of them: `PersistentVolume`, `parseHTTPHeader`.

/// The ASCII words of a text that a capital letter divides. A text without one costs a look at its bytes.
pub fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let is_word = |at: &usize| bytes[*at].is_ascii_alphanumeric();
    let mut start = 1;
    std::iter::from_fn(move || {
        let hump = (start..bytes.len()).find(|&at| divides(bytes, at))?;
        let first = (0..hump).rev().take_while(is_word).last().unwrap_or(hump);
        let end = (hump..bytes.len()).find(|at| !is_word(at)).unwrap_or(bytes.len());
        start = end + 1;
        Some(&text[first..end])
    })
}

/// The words inside of an identifier, of two letters or more.
pub fn words(identifier: &str) -> impl Iterator<Item = &str> {
    let bytes = identifier.as_bytes();
    let ends = (1..bytes.len()).filter(|&at| divides(bytes, at)).chain([bytes.len()]);
    let mut start = 0;
    ends.map(move |end| &identifier[std::mem::replace(&mut start, end)..end]).filter(|word| word.len() > 1)
}

/// Whether a word begins inside of another: `t|V` of `PersistentVolume`, `P|He` of `HTTPHeader`.
fn divides(bytes: &[u8], at: usize) -> bool {
    let (before, here) = (bytes[at - 1], bytes[at]);
    let lower = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_lowercase);
    here.is_ascii_uppercase()
        && (before.is_ascii_lowercase()
            || before.is_ascii_digit() && lower(at + 1)
            || before.is_ascii_uppercase() && lower(at + 1) && lower(at + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inside(text: &str) -> Vec<&str> {
        identifiers(text).flat_map(words).collect()
    }

    #[test]
    fn capital_letters_tell_words_apart() {
        assert_eq!(inside("a PersistentVolume: parseHTTPHeader"), ["Persistent", "Volume", "parse", "HTTP", "Header"]);
        assert_eq!(inside("iPhone与ChatGPT、OAuth2Token"), ["Phone", "Chat", "GPT", "Auth2", "Token"]);
        assert_eq!(identifiers("aB.cD").collect::<Vec<_>>(), ["aB", "cD"]);
    }

    #[test]
    fn plain_words_have_none() {
        for text in ["", "Plain words", "NASA", "PODs", "GPT-4", "max_tokens", "v1.26", "宫保鸡丁 A", "É", "ÉCOLEs"]
        {
            assert_eq!(inside(text), Vec::<&str>::new(), "{text}");
        }
    }
}
