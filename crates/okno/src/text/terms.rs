//! The words a text is found by.
//!
//! Comes in: any text, in any mix of Chinese, English and other scripts. Goes out: its index terms, in order, with
//! repeats – the same for documents and for queries, so that what is in a text can be found in it:
//!
//! * *Dense scripts* – Han, kana, Hangul, Thai and their neighbours, which write words without spaces or inflect them
//!   inside one word:
//!   every character and every pair of neighbouring characters (宫保鸡丁 → 宫 宫保 保 保鸡 鸡 鸡丁 丁). No dictionary: on five
//!   question sets pairs find what a segmenter's words find (on recipes 2 to 5 points more), need no 240 ms of
//!   start-up, and cannot
//!   cut the question one way and the text another.
//! * *Words* of every other script, English ones as their stem (Porter2): 1 to 2 points over bare words.
//! * *Compounds* (`v1.26`, `GPT-4`, `10,000`, `e-mail`, `C++`): the parts, and the whole besides.
//! * *Identifiers* (`PersistentVolume`, `parseHTTPHeader`): the whole, and the words that capital letters tell apart.
//!
//! A query asks with fewer of them ([`of_query`]): characters only where pairs say nothing, no stop words unless
//! there is nothing else. Those are choices about the question; the index holds every word there is.

mod identifier;
mod stem;

use crate::embed::StaticModel;
use okno_document::text::script::is_dense;
use std::cell::RefCell;
use stem::stem;

/// Writes the folded form of a text over the buffer: NFKC, lower case, accents off, Traditional to Simplified Chinese.
type Fold = fn(&str, &mut String);

/// A term longer than this many bytes is cut: a word is shorter, and a base64 blob need not be indexed whole.
const LONGEST: usize = 64;

thread_local! {
    static TERMS: RefCell<TermMaker> =
        RefCell::new(TermMaker::new(|text, folded| StaticModel::builtin().normalize(text, folded)));
}

/// Hands every index term of a text to `out`, in order, with repeats. No letters and digits, no terms.
pub fn terms(text: &str, out: &mut impl FnMut(&str)) {
    TERMS.with_borrow_mut(|terms| terms.of(text, out));
}

/// How many index terms a text has.
pub fn count(text: &str) -> u32 {
    TERMS.with_borrow_mut(|terms| terms.count(text)) as u32
}

/// Appends the form of a character in which spellings that mean the same are the same: lower case, Simplified, no
/// accents.
pub fn fold(c: char, out: &mut String) {
    StaticModel::builtin().normalize(c.encode_utf8(&mut [0; 4]), out);
}

/// A text in the form in which spellings that mean the same are the same.
pub fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    StaticModel::builtin().normalize_characters(text, &mut folded);
    folded
}

/// What a question asks the index for.
pub fn of_query(text: &str) -> Vec<QueryTerm> {
    TERMS.with_borrow_mut(|terms| terms.of_query(text))
}

/// Makes terms; keeps its buffers from text to text, so that a term costs no allocation.
struct TermMaker {
    fold: Fold,
    folded: String,
    word: String,
    whole: String,
}

impl TermMaker {
    /// Terms of texts folded by `fold`. An index and its queries must use the same one.
    fn new(fold: Fold) -> Self {
        Self { fold, folded: String::new(), word: String::new(), whole: String::new() }
    }

    /// Hands every index term of `text` to `out`, in order, with repeats. No letters and digits, no terms.
    fn of(&mut self, text: &str, out: &mut impl FnMut(&str)) {
        let Self { fold, folded, word, whole } = self;
        folded.clear();
        fold(text, folded);
        each_run(folded, &mut |run| match run {
            TermRun::Dense(run) => dense_terms(run, out),
            TermRun::Words(compound, sign) => {
                compound_terms(compound, sign, word, whole, &mut |term, _| out(term));
            }
        });
        for part in identifier::identifiers(text).flat_map(identifier::words) {
            word_term(&part.to_ascii_lowercase(), word, &mut |term, _| out(term));
        }
    }

    /// How many terms [`Self::of`] hands out. What most of a text gives is counted without making it.
    fn count(&mut self, text: &str) -> usize {
        let Self { fold, folded, word, whole } = self;
        folded.clear();
        fold(text, folded);
        let mut count = 0;
        each_run(folded, &mut |run| match run {
            TermRun::Dense(run) => count += 2 * run.chars().count() - 1,
            TermRun::Words(compound, sign) if is_plain(compound, sign) => count += 1,
            TermRun::Words(compound, sign) => compound_terms(compound, sign, word, whole, &mut |_, _| count += 1),
        });
        count + identifier::identifiers(text).flat_map(identifier::words).count()
    }

    /// What a question asks the index for; see [`query_terms`].
    fn of_query(&mut self, text: &str) -> Vec<QueryTerm> {
        let Self { fold, folded, word, whole } = self;
        folded.clear();
        fold(text, folded);
        let mut terms = query_terms(folded, word, whole);
        for identifier in identifier::identifiers(text) {
            // The whole is what is meant; its words stand in where no document has it.
            word_term(&identifier.to_ascii_lowercase(), word, &mut |_, _| ());
            let Some(at) = terms.iter().position(|term| term.text == *word) else { continue };
            for part in identifier::words(identifier) {
                word_term(&part.to_ascii_lowercase(), word, &mut |term, _| {
                    terms.push(QueryTerm { text: term.to_owned(), weight: 1.0, unless: at..at + 1 });
                });
            }
        }
        terms
    }
}

/// A stretch of folded text that gives terms.
enum TermRun<'a> {
    /// Characters of dense scripts.
    Dense(&'a str),
    /// Words joined by single signs (`gpt-4`), and the sign at their end that belongs to a name (`c++`), or nothing.
    Words(&'a str, &'a str),
}

fn each_run<'a>(text: &'a str, out: &mut impl FnMut(TermRun<'a>)) {
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match CharClass::of(first) {
            CharClass::Dense => {
                let length = prefix(rest, CharClass::Dense);
                out(TermRun::Dense(&rest[..length]));
                length
            }
            CharClass::Word => {
                let length = compound(rest);
                let sign = closing_sign(&rest[length..]);
                out(TermRun::Words(&rest[..length], sign));
                length + sign.len()
            }
            CharClass::Other => first.len_utf8(),
        };
        rest = &rest[length..];
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CharClass {
    Dense,
    Word,
    Other,
}

impl CharClass {
    fn of(c: char) -> Self {
        if c.is_ascii() {
            return if c.is_ascii_alphanumeric() { Self::Word } else { Self::Other };
        }
        match c as u32 {
            _ if is_dense(c) => Self::Dense,
            // The commonest signs of Chinese text, and quotation marks: they need no table.
            0x2000..=0x206f | 0x3001..=0x3004 | 0x3008..=0x3020 => Self::Other,
            // Marks that are part of a word though no letters: combining accents, Hebrew and Arabic vowels, the
            // viramas of India.
            0x0300..=0x036f | 0x0591..=0x05bd | 0x064b..=0x065f | 0x0900..=0x0963 | 0x0966..=0x0dff => Self::Word,
            _ if c.is_alphanumeric() => Self::Word,
            _ => Self::Other,
        }
    }
}

/// The length of the leading characters of one kind.
fn prefix(text: &str, kind: CharClass) -> usize {
    text.find(|c| CharClass::of(c) != kind).unwrap_or(text.len())
}

/// The length of the word that `text` begins with, most of which are ASCII.
fn word_length(text: &str) -> usize {
    let ascii = text.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let goes_on = text.as_bytes().get(ascii).is_some_and(|byte| !byte.is_ascii());
    if goes_on { ascii + prefix(&text[ascii..], CharClass::Word) } else { ascii }
}

/// The length of the leading words that single signs join: `gpt-4`, `v1.26`, `o'reilly`.
fn compound(text: &str) -> usize {
    let mut end = word_length(text);
    while let Some(sign) = text[end..].chars().next().filter(|&c| joins(c)) {
        let next = end + sign.len_utf8();
        let word = word_length(&text[next..]);
        if word == 0 || !joins_these(sign, &text[..end], &text[next..next + word]) {
            break;
        }
        end = next + word;
    }
    end
}

fn joins(sign: char) -> bool {
    matches!(sign, '.' | '-' | '_' | '\'' | '’' | ',' | ':' | '‐' | '‑')
}

/// A comma joins thousands and a colon a time of day; elsewhere both end a word (folding makes `：` and `，` of Chinese
/// text ASCII).
fn joins_these(sign: char, before: &str, after: &str) -> bool {
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    match sign {
        ',' => before.ends_with(|c: char| c.is_ascii_digit()) && after.len() == 3 && digits(after),
        ':' => before.ends_with(|c: char| c.is_ascii_digit()) && after.len() == 2 && digits(after),
        _ => true,
    }
}

/// `++` of C++, `#` of C#: a sign right behind a word that nothing follows.
fn closing_sign(text: &str) -> &str {
    let length = text.bytes().take_while(|b| matches!(b, b'+' | b'#')).count();
    let ends = text[length..].chars().next().is_none_or(|c| CharClass::of(c) != CharClass::Word);
    if length <= 2 && ends { &text[..length] } else { "" }
}

/// Every character, and every pair of neighbours.
fn dense_terms(run: &str, out: &mut impl FnMut(&str)) {
    let mut last = 0..0;
    for (start, c) in run.char_indices() {
        let this = start..start + c.len_utf8();
        if !last.is_empty() {
            out(&run[last.start..this.end]);
        }
        out(&run[this.clone()]);
        last = this;
    }
}

/// The usual case: one word, and nothing else.
fn is_plain(compound: &str, sign: &str) -> bool {
    sign.is_empty() && compound.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// Every word of a compound, stemmed, then the compound whole. `out` gets the term and the word as it was written.
fn compound_terms(compound: &str, sign: &str, word: &mut String, whole: &mut String, out: &mut impl FnMut(&str, &str)) {
    if is_plain(compound, sign) {
        return word_term(compound, word, out);
    }
    whole.clear();
    let mut words = 0;
    for part in compound.split_inclusive(joins) {
        let bare = part.trim_end_matches(joins);
        if words > 0 && bare == "s" && whole.ends_with(is_apostrophe) {
            whole.pop(); // a possessive: `tesla's` is `tesla`
            continue;
        }
        words += 1;
        word_term(bare, word, out);
        whole.push_str(part);
    }
    whole.push_str(sign);
    if words > 1 || !sign.is_empty() {
        whole_terms(whole, word, out);
    }
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’')
}

fn word_term(text: &str, word: &mut String, out: &mut impl FnMut(&str, &str)) {
    word.clear();
    word.push_str(cut(text));
    stem(word);
    out(word, text);
}

/// The whole keeps the signs that change its meaning (1.26 is not 126) and drops those that writers leave out
/// (`gpt-4`, `10,000`, `e-mail`, `max_tokens`). A version is also found without its v.
fn whole_terms(whole: &str, word: &mut String, out: &mut impl FnMut(&str, &str)) {
    word.clear();
    word.extend(whole.chars().filter(|&c| !joins(c) || matches!(c, '.' | ':')));
    if word.len() > LONGEST {
        return;
    }
    stem(word);
    out(word, whole);
    if let Some(number) = word.strip_prefix('v').filter(|n| n.starts_with(|c: char| c.is_ascii_digit())) {
        out(number, whole);
    }
}

fn cut(word: &str) -> &str {
    &word[..word.floor_char_boundary(LONGEST)]
}

/// One thing a question asks the index for.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryTerm {
    /// The index term.
    pub text: String,
    /// How much of its BM25 score counts.
    pub weight: f32,
    /// Asked for only if none of these earlier terms of the list is in the index.
    pub unless: std::ops::Range<usize>,
}

/// A pair with a function character in it (丁的) is rare, so BM25 takes it for telling. Weighed down, not dropped: 目的
/// and 和平 are words. Measured on five Chinese sets: between +0.2 and +1.0 points of coverage in the mean, mostly
/// recipes; 0.3 is as good as 0.
const FUNCTION_CHARACTERS: [char; 7] = ['的', '是', '了', '在', '于', '和', '与'];
const FUNCTION_WEIGHT: f32 = 0.3;

/// What a Chinese question is asked with, and not what it asks about. Weighed down, since
/// documents that ask are seldom those that answer. On nine Chinese sets 0.3, 0.5 and 0.7 differ by a question or two,
/// and fewer answers are taken for irrelevant.
const FORM_WEIGHT: f32 = 0.5;
const QUESTION_PHRASES: &str = "什么 什么意思 什么原因 什么时候 什么地方 什么样 什么区别 什么不同 干什么用 为什么 \
    怎么 怎么办 怎么做 怎么用 怎么说 怎么样 怎么回事 怎样 如何 为何 多少 多久 多大 多长 多高 多远 哪些 哪个 哪里 哪位 \
    哪家 哪种 哪年 哪几 哪一 几个 请问 是否 能否 有没有 能不能";

/// What these begin with: a run without one of them, as nearly every title is, need not be searched for all.
const PHRASE_BEGINNINGS: [char; 12] = ['什', '干', '为', '怎', '如', '多', '哪', '几', '请', '是', '能', '有'];

/// Function and question words. Dropped from questions only: +3 points of coverage on squad for BM25 alone, nothing
/// lost in the hybrid; a list without the question words gives nothing, nor does a cut by document frequency.
const STOP_WORDS: [&str; 45] = [
    "a", "an", "the", "of", "in", "on", "at", "to", "for", "from", "by", "with", "and", "or", "is", "are", "was",
    "were", "be", "been", "being", "it", "its", "this", "that", "these", "those", "as", "do", "does", "did", "what",
    "which", "who", "whom", "whose", "when", "where", "why", "how", "many", "much", "i", "my", "can",
];

/// Whether a word in lower case is one that questions are not searched for by.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(&word)
}

/// What a folded question asks for: pairs of dense characters – a character only when it stands alone or none of its
/// pairs is in the index (今天喝什么汤 still finds 汤) – and words without stop words, unless those are all there is ("to be
/// or not to be"). Asking for every character too costs 4 to 9 points on recipes.
fn query_terms(folded: &str, word: &mut String, whole: &mut String) -> Vec<QueryTerm> {
    let (mut terms, mut stops) = (Vec::new(), Vec::new());
    each_run(folded, &mut |run| match run {
        TermRun::Dense(run) => dense_query(run, &mut terms),
        TermRun::Words(compound, sign) => compound_terms(compound, sign, word, whole, &mut |term, written| {
            let list = if is_stop_word(written) { &mut stops } else { &mut terms };
            list.push(QueryTerm { text: term.to_owned(), weight: 1.0, unless: 0..0 });
        }),
    });
    if terms.is_empty() { stops } else { terms }
}

fn dense_query(run: &str, terms: &mut Vec<QueryTerm>) {
    let forms = question_forms(run);
    let weight = |at: usize, text: &str| {
        let (start, end) = (at, at + text.len());
        if text.contains(FUNCTION_CHARACTERS) {
            FUNCTION_WEIGHT
        } else if forms.iter().any(|form| start < form.end && form.start < end) {
            FORM_WEIGHT
        } else {
            1.0
        }
    };
    let starts: Vec<usize> = run.char_indices().map(|(i, _)| i).chain([run.len()]).collect();
    let (first, pairs) = (terms.len(), starts.len().saturating_sub(2));
    for pair in starts.windows(3) {
        let text = &run[pair[0]..pair[2]];
        terms.push(QueryTerm { text: text.to_owned(), weight: weight(pair[0], text), unless: 0..0 });
    }
    for (i, c) in starts.windows(2).enumerate() {
        let text = &run[c[0]..c[1]];
        let unless = first + i.saturating_sub(1)..first + (i + 1).min(pairs);
        terms.push(QueryTerm { text: text.to_owned(), weight: weight(c[0], text), unless });
    }
}

/// Where a run says that it asks.
fn question_forms(run: &str) -> Vec<std::ops::Range<usize>> {
    if !run.contains(PHRASE_BEGINNINGS) {
        return Vec::new();
    }
    let phrases = QUESTION_PHRASES.split(' ').flat_map(|phrase| run.match_indices(phrase));
    phrases.map(|(at, phrase)| at..at + phrase.len()).collect()
}

/// The terms to score: each once, known to the index, characters only where no pair is.
pub fn resolve(terms: &[QueryTerm], known: impl Fn(&str) -> bool) -> Vec<(&str, f32)> {
    let found: Vec<bool> = terms.iter().map(|t| known(&t.text)).collect();
    let mut out: Vec<(&str, f32)> = Vec::new();
    for (term, &is_known) in terms.iter().zip(&found) {
        let covered = found[term.unless.clone()].contains(&true);
        if is_known && !covered && !out.iter().any(|(text, _)| *text == term.text) {
            out.push((&term.text, term.weight));
        }
    }
    out
}

#[cfg(test)]
mod tests;
