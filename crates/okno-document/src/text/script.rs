//! Ranges of scripts: the one place that says which characters are Chinese.

/// Characters of Chinese writing that texts of today use: the unified ideographs and extension A.
pub const fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}')
}

/// Rare ideographs outside of the basic plane.
pub const fn is_rare_han(c: char) -> bool {
    matches!(c, '\u{20000}'..='\u{3ffff}')
}

/// Hiragana and katakana.
pub const fn is_kana(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}')
}

/// Syllables of Korean.
pub const fn is_hangul(c: char) -> bool {
    matches!(c, '\u{ac00}'..='\u{d7af}')
}

/// Scripts that write words without spaces, or inflect them inside one word: each character says something by itself.
pub const fn is_dense(c: char) -> bool {
    is_han(c)
        || is_rare_han(c)
        || is_hangul(c)
        // Compatibility ideographs and iteration marks.
        || matches!(c, '\u{f900}'..='\u{faff}' | '\u{3005}'..='\u{3007}')
        // Kana with the length mark, without the middle dot.
        || matches!(c, '\u{3041}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}')
        // Letters of Korean.
        || matches!(c, '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}')
        // Thai, Lao, Burmese, Khmer.
        || matches!(c, '\u{e01}'..='\u{e3a}' | '\u{e40}'..='\u{e4e}' | '\u{e81}'..='\u{ece}')
        || matches!(c, '\u{1000}'..='\u{103f}' | '\u{1780}'..='\u{17d3}')
}

/// Letters that [`is_chinese`] looks at: the beginning tells.
const SAMPLE: usize = 400;

/// Returns `true` if a fifth of the letters are Chinese: a Chinese text may be full of foreign names, an English one
/// is not full of Chinese.
pub fn is_chinese(text: &str) -> bool {
    if text.is_ascii() {
        return false;
    }
    let (mut han, mut letters) = (0, 0);
    for c in text.chars().filter(|c| c.is_alphabetic()).take(SAMPLE) {
        letters += 1;
        han += usize::from(is_han(c));
    }
    han * 5 > letters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_change_the_language() {
        assert!(is_chinese("请介绍 PostgreSQL 与 MySQL 的区别"));
        assert!(!is_chinese("The word 窗 means window in Chinese"));
        assert!(!is_chinese("2024"));
    }

    #[test]
    fn every_script_named_above_is_dense() {
        assert!("汉㐀𠀀かカー々가ไทยລາວ".chars().all(is_dense));
        assert!(!"é・aж。".chars().any(is_dense));
    }
}
