//! A cheap guess of a text's language, for texts that do not name it: by script, and for Latin script by the
//! commonest English words.

use super::script::{is_han, is_hangul, is_kana, is_rare_han};

/// Bytes looked at: some hundred words are enough to be sure, and the cost stays flat (32 KiB took half the time of
/// loading).
const SAMPLE: usize = 4 * 1024;
/// In running English every fourth word or so is one of these; in other languages hardly one in fifty.
const ENGLISH: [&str; 12] = ["the", "of", "and", "to", "in", "is", "for", "that", "with", "are", "this", "on"];

/// `zh`, `ja`, `ko` or `en`; `None` for anything else and for texts too short to tell.
#[must_use]
pub fn detect_language(text: &str) -> Option<String> {
    let counts = count(&text[..text.floor_char_boundary(SAMPLE)]);
    // A Chinese character is about as much as a Latin word: technical Chinese has as many of one as of the other.
    let total = counts.han + counts.kana + counts.hangul + counts.words;
    let share = |part: usize| part as f32 / total.max(1) as f32;
    let found = match () {
        () if share(counts.kana) > 0.1 => "ja",
        () if share(counts.hangul) > 0.3 => "ko",
        () if share(counts.han) > 0.3 => "zh",
        () if counts.english * 12 > counts.words => "en",
        () => return None,
    };
    Some(found.to_owned())
}

/// The language of a tag without region or script: `en` of `en-US`, `zh` of `zh_Hant`.
pub fn primary_language(tag: &str) -> String {
    tag.trim().split(['-', '_']).next().unwrap_or_default().to_lowercase()
}

#[derive(Default)]
struct Counts {
    han: usize,
    kana: usize,
    hangul: usize,
    words: usize,
    english: usize,
}

fn count(text: &str) -> Counts {
    let mut counts = Counts::default();
    for word in text.split(|c: char| !is_letter(c)).filter(|word| !word.is_empty()) {
        if word.is_ascii() {
            counts.words += 1;
            counts.english += usize::from(is_english(word));
        } else {
            scripts(word, &mut counts);
        }
    }
    counts
}

/// Whether one of the words that tell English, which are short: a look at a number, not at letters.
fn is_english(word: &str) -> bool {
    const NUMBERS: [u32; ENGLISH.len()] = {
        let mut numbers = [0; ENGLISH.len()];
        let mut at = 0;
        while at < numbers.len() {
            numbers[at] = number(ENGLISH[at]);
            at += 1;
        }
        numbers
    };
    word.len() <= 4 && NUMBERS.contains(&number(word))
}

/// The letters of a short word of ASCII as a number, the same for capitals.
const fn number(word: &str) -> u32 {
    let (mut number, mut at) = (0, 0);
    while at < word.len() {
        number = number << 8 | word.as_bytes()[at].to_ascii_lowercase() as u32;
        at += 1;
    }
    number
}

/// Whether a letter: nearly all of those in Chinese text need no table.
fn is_letter(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}') || c.is_alphabetic()
}

fn scripts(word: &str, counts: &mut Counts) {
    let mut other = false;
    for c in word.chars() {
        match c {
            _ if is_han(c) || is_rare_han(c) => counts.han += 1,
            _ if is_kana(c) => counts.kana += 1,
            _ if is_hangul(c) => counts.hangul += 1,
            _ => other = true,
        }
    }
    counts.words += usize::from(other);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_is_told_by_its_words_in_any_case() {
        for word in ENGLISH {
            assert!(is_english(word) && is_english(&word.to_ascii_uppercase()));
        }
        assert!(["a", "fo", "thee", "thatt", "an", "he", "nd"].iter().all(|word| !is_english(word)));
    }

    #[test]
    fn letters_are_those_of_unicode() {
        assert!(('\0'..=char::MAX).all(|c| is_letter(c) == c.is_alphabetic()));
    }

    #[test]
    fn languages() {
        let cases = [
            ("Pods are the smallest deployable units of computing that you can create.", Some("en")),
            ("Pod 是可以在 Kubernetes 中创建和管理的最小可部署计算单元。", Some("zh")),
            ("これは日本語の文章です。", Some("ja")),
            ("이것은 한국어 문장입니다.", Some("ko")),
            ("Der schnelle braune Fuchs springt über den faulen Hund.", None),
            ("1 2 3", None),
        ];
        for (text, language) in cases {
            assert_eq!(detect_language(text).as_deref(), language, "{text}");
        }
        assert_eq!(primary_language("zh-Hant-TW"), "zh");
    }
}
