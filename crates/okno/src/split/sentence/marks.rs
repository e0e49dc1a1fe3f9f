//! The characters that matter: stops, brackets, quotes, clause marks, combining marks.
//!
//! [`next_mark`] is the inner loop of the splitter. Every mark starts with one of sixteen bytes,
//! and most text – Latin letters, and Han characters from U+4000 on – starts with none of them.

/// What a character means to the scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// May end a sentence.
    Stop,
    /// Opens a pair that keeps its inside together; carries the closing character.
    Open(char),
    Close,
    /// `"`, which opens or closes.
    Quote,
    /// Opens a quotation; carries the closing character.
    OpenQuote(char),
    CloseQuote,
    LineFeed,
    /// A bullet, or what ends the marker of an item: `①`, `1、`
    Item,
    Other,
}

const LEADS: [bool; 256] = {
    let bytes = b".!?\n()[]\"\xE2\xE3\xEF";
    let mut table = [false; 256];
    let mut i = 0;
    while i < bytes.len() {
        table[bytes[i] as usize] = true;
        i += 1;
    }
    table
};

/// The first byte at or after `from` that may start a mark.
pub(super) fn next_mark(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    rest.iter().position(|&b| LEADS[usize::from(b)]).map(|offset| from + offset)
}

pub(super) fn mark(c: char) -> Mark {
    match c {
        // By far the most frequent of those that begin with the byte of a mark.
        '，' => Mark::Other,
        '\n' => Mark::LineFeed,
        '"' => Mark::Quote,
        '“' => Mark::OpenQuote('”'),
        '「' => Mark::OpenQuote('」'),
        '『' => Mark::OpenQuote('』'),
        '”' | '」' | '』' => Mark::CloseQuote,
        '•' | '⁃' | '‣' | '◦' | '▪' | '①'..='⑳' | '、' => Mark::Item,
        _ if is_stop(c) => Mark::Stop,
        _ if is_close_bracket(c) => Mark::Close,
        _ => close_of(c).map_or(Mark::Other, Mark::Open),
    }
}

pub(super) fn is_stop(c: char) -> bool {
    is_wide_stop(c) || is_bang(c) || is_dot(c) || c == '…'
}

pub(super) fn is_wide_stop(c: char) -> bool {
    matches!(c, '。' | '！' | '？' | '｡')
}

pub(super) fn is_bang(c: char) -> bool {
    matches!(c, '!' | '?' | '‼' | '⁇' | '⁈' | '⁉')
}

pub(super) fn is_dot(c: char) -> bool {
    matches!(c, '.' | '．')
}

fn close_of(open: char) -> Option<char> {
    Some(match open {
        '(' => ')',
        '[' => ']',
        '（' => '）',
        '［' => '］',
        '【' => '】',
        '〔' => '〕',
        '《' => '》',
        '〈' => '〉',
        _ => return None,
    })
}

pub(super) fn is_open_bracket(c: char) -> bool {
    close_of(c).is_some()
}

pub(super) fn is_close_bracket(c: char) -> bool {
    matches!(c, ')' | ']' | '）' | '］' | '】' | '〕' | '》' | '〉')
}

/// Quotation marks that can only open. `"` and `'` may do either.
pub(super) fn is_open_quote(c: char) -> bool {
    matches!(c, '“' | '‘' | '「' | '『' | '«' | '„')
}

/// Quotation marks that can only close. `’` is also the apostrophe: see the caller.
pub(super) fn is_close_quote(c: char) -> bool {
    matches!(c, '”' | '’' | '」' | '』' | '»')
}

/// After one of these a sentence goes on: `“走吧！”，他说`, `etc., and`.
pub(super) fn is_clause_mark(c: char) -> bool {
    matches!(c, ',' | ';' | ':' | '，' | '、' | '；' | '：')
}

/// A letter of a script written without spaces; Hangul comes along unharmed.
pub(super) fn is_wide_letter(c: char) -> bool {
    // Nearly all are in the first range, which needs no table.
    matches!(c, '\u{4E00}'..='\u{9FFF}') || c >= '\u{2E80}' && c.is_alphanumeric()
}

/// Whether a bullet.
pub(super) fn is_bullet(c: char) -> bool {
    mark(c) == Mark::Item && c != '、'
}

/// The sign of a note, raised: `slowed.¹`, `slowed.†`
pub(super) fn is_raised(c: char) -> bool {
    matches!(c, '¹' | '²' | '³' | '⁰' | '\u{2074}'..='\u{2079}' | '†' | '‡')
}

/// A picture of a face, a hand or a heart.
pub(super) fn is_face(c: char) -> bool {
    matches!(c, '\u{1F440}'..='\u{1F4AF}' | '\u{1F600}'..='\u{1F64F}' | '\u{1F910}'..='\u{1F97A}' | '❤')
}

/// Any picture that stands in text like a character.
pub(super) fn is_emoji(c: char) -> bool {
    matches!(c, '\u{1F300}'..='\u{1FAFF}' | '\u{2600}'..='\u{27BF}')
}

/// Characters that belong to the one before them: accents, variation selectors, joiners, skin tones.
/// The common ranges rather than the Unicode tables: cheap, and a miss only costs beauty.
pub(super) fn is_combining(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36F}' | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}'
        | '\u{200C}' | '\u{200D}' | '\u{20D0}'..='\u{20FF}' | '\u{3099}' | '\u{309A}'
        | '\u{FE00}'..='\u{FE0F}' | '\u{FE20}'..='\u{FE2F}' | '\u{1F3FB}'..='\u{1F3FF}'
        | '\u{E0100}'..='\u{E01EF}')
}

pub(super) fn char_at(text: &str, at: usize) -> Option<char> {
    text.get(at..)?.chars().next()
}

pub(super) fn char_before(text: &str, at: usize) -> Option<char> {
    text.get(..at)?.chars().next_back()
}

pub(super) fn skip_space(text: &str, at: usize) -> usize {
    text.len() - text[at..].trim_start().len()
}
