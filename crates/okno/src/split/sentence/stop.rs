//! Whether a run of stops ends a sentence: Chinese marks by what follows, English by both sides.

use super::SentenceScan;
use super::abbreviations::{self as abbr, Class};
use super::marks::{self, char_at, char_before, skip_space};
use super::run::{StopKind, StopRun, Tail};

/// How far back a word before a stop is read, in bytes. Longer ones are addresses, not abbreviations.
const MAX_WORD: usize = 40;

/// How far into a sentence `At 5 a.m.` still is its opening, in bytes.
const MAX_OPENING: usize = 24;

/// How many bytes of bullets, brackets and quotes may precede the first word of a sentence.
const MAX_MARKS: usize = 12;

/// Han characters that carry on after a closing quote or an ellipsis: `“为什么？”的问题`, `……等`.
/// `又` and `就` want their subject before them: `他走了……又回来了`.
const CARRY_ON: [char; 15] = ['的', '之', '等', '与', '和', '及', '或', '與', '却', '卻', '又', '就', '都', '才', '便'];

/// The same for longer ones: `“我是谁？”这个问题`, `「加油！」怎麼說`, `桃……应有尽有`.
#[rustfmt::skip]
const CARRY_ON_WORDS: [&str; 30] = [
    "这个", "这一", "这种", "这句", "这样", "這個", "這一", "這種", "這句", "這樣", "一词", "一詞", "一句", "二字",
    "两字", "三字", "四字", "是什么", "是什麼", "怎么说", "怎麼說", "一语", "应有尽有", "應有盡有",
    "三个字", "三個字", "四个字", "四個字", "几个字", "几个大字",
];

/// What makes a quotation the subject of its sentence: `“为什么？”是他的口头禅`, `“加油！”声不断`.
#[rustfmt::skip]
const OF_QUOTED: [&str; 9] = ["是", "声", "聲", "成了", "成为", "成為", "出自", "地一声", "地一聲"];

/// What goes on with a quotation inside a sentence: `标语“别抽烟！”贴在墙上`. With other words a sentence starts as
/// often.
const OF_EMBEDDED: [char; 20] = [
    '让', '讓', '使', '来', '來', '贴', '貼', '挂', '掛', '被', '刻', '印', '转', '轉', '变', '變', '引', '响', '響',
    '吓',
];

/// What begins like one of these and starts a sentence.
#[rustfmt::skip]
const OWN_SENTENCE: [&str; 14] = [
    "是的", "是啊", "是吗", "是嗎", "是不是", "是否", "是谁", "是誰", "声音", "聲音", "声明", "使用", "来自", "來自",
];

/// Characters before a quotation that is said or is what something is.
#[rustfmt::skip]
const SAYS: [char; 42] = [
    '说', '說', '道', '喊', '叫', '问', '問', '答', '想', '写', '寫', '骂', '罵', '吼', '唱', '念', '云', '曰', '称', '稱',
    '是', '为', '為', '着', '著', '了', '过', '過', '声', '聲', '呼', '嚷', '笑', '哭', '读', '讀', '喝', '唤', '喚', '吟',
    '回', '我',
];

/// `“知道了！”之后再无音讯`: not all that begins with `之` carries on.
const AFTERWARDS: [&str; 2] = ["之后", "之後"];

/// Dashes around an aside, and the longest aside between them, in bytes.
const DASHES: [&str; 3] = ["--", "—", "–"];
const MAX_DASHED: usize = 80;

/// Words that open a sentence with a time.
const TIME_OPENERS: [&str; 9] = ["About", "After", "Around", "At", "Before", "By", "From", "Since", "Until"];

/// What stands after a run and its closers.
#[derive(Clone, Copy)]
struct After<'a> {
    /// The next character that is not white space, and the text from there.
    rest: &'a str,
    /// White space lies before it.
    gap: bool,
    /// Its first word, behind opening quotes.
    word: &'a str,
    /// The first character of that word, or whatever is there.
    first: char,
    /// The word is in brackets.
    bracketed: bool,
    /// The word is in quotes or brackets.
    opened: bool,
}

impl<'a> After<'a> {
    /// `None` at the end of the text and before a blank line.
    fn read(text: &'a str, end: usize) -> Option<Self> {
        let start = skip_space(text, end);
        let rest = &text[start..];
        let opening = |c| marks::is_open_quote(c) || marks::is_open_bracket(c) || matches!(c, '"' | '\'' | '*' | '_');
        let inner = rest.trim_start_matches(opening);
        let first = inner.chars().next().or(rest.chars().next())?;
        let letters = inner.bytes().take_while(u8::is_ascii_alphabetic).count();
        let bracketed = rest.starts_with(marks::is_open_bracket);
        let opened = inner.len() < rest.len();
        (!super::has_blank_line(&text[end..start])).then_some(Self {
            rest,
            gap: start > end,
            word: &inner[..letters],
            first,
            bracketed,
            opened,
        })
    }

    /// Starts with a small letter; `iPhone` counts as capital.
    fn lower(self) -> bool {
        let camel = self.word.as_bytes().get(1).is_some_and(u8::is_ascii_uppercase);
        self.first.is_lowercase() && !camel && !self.opened
    }

    fn upper(self) -> bool {
        self.first.is_uppercase() || (self.first.is_lowercase() && !self.lower() && !self.opened)
    }

    fn digit(self) -> bool {
        self.first.is_ascii_digit()
    }

    fn wide(self) -> bool {
        marks::is_wide_letter(self.first)
    }

    fn starter(self) -> bool {
        !self.bracketed && abbr::starts_sentences(self.word)
    }

    /// A clause mark follows, or directly a stop that decides in its own right: `“喝它！”。`
    fn another_mark(self) -> bool {
        let Some(c) = self.rest.chars().next() else { return false };
        if marks::is_stop(c) {
            return !self.gap;
        }
        let spaced = self.rest[c.len_utf8()..].starts_with(char::is_whitespace);
        marks::is_clause_mark(c) && (!c.is_ascii() || !self.gap || spaced)
    }

    /// `Com. & Adm.`, `approx. = 5`: no sentence starts with such a sign.
    fn joins(self) -> bool {
        self.gap && (self.rest.starts_with("& ") || self.rest.starts_with("= "))
    }

    /// One capital that names something: `Fig. A`
    fn named_by_letter(self) -> bool {
        self.word.len() == 1 && self.upper() && self.word != "I"
    }

    /// The next item, without a space before or behind its number: `带身份证.2.带钱`
    fn next_number(self) -> bool {
        let behind = self.rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = self.rest.len() - behind.len();
        let content = behind.strip_prefix(['.', '．', '、', ')', '）']).and_then(|content| content.chars().next());
        (1..=2).contains(&digits) && content.is_some_and(marks::is_wide_letter)
    }

    /// The next word is one letter and a stop: `J.` after `R.`
    fn initial(self) -> bool {
        self.word.len() == 1 && self.rest.as_bytes().get(1) == Some(&b'.')
    }

    /// `Tom said`, `Mrs. Hale cried` after `"Stop!"`. A pronoun with a capital starts a sentence: `"Stop!" He said
    /// nothing.` But `I` has no other form.
    fn attribution(self) -> bool {
        let (_, behind) = latin_word(self.rest);
        let (second, further) = latin_word(behind);
        let (third, _) = latin_word(further);
        let name = second.starts_with(|c: char| c.is_ascii_uppercase());
        let spoken = abbr::is_speech(second) || (name && abbr::is_speech(third));
        self.upper() && !self.opened && spoken && (self.word == "I" || !abbr::is_pronoun(self.word))
    }

    fn carries_on(self) -> bool {
        (self.rest.starts_with(CARRY_ON) && !self.begins(&AFTERWARDS)) || self.begins(&CARRY_ON_WORDS)
    }

    fn begins(self, words: &[&str]) -> bool {
        words.iter().any(|word| self.rest.starts_with(word))
    }
}

/// The Latin word that `text` starts with, and what follows it and its stop.
fn latin_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let letters = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (word, rest) = text.split_at(letters);
    (word, rest.strip_prefix('.').unwrap_or(rest))
}

impl<'a> SentenceScan<'a> {
    /// Whether the sentence ends after `run` and what closes behind it.
    pub(super) fn ends(&self, run: StopRun, tail: Tail) -> bool {
        let Some(after) = After::read(self.text, tail.end) else { return true };
        if after.another_mark() || after.joins() || (tail.closed && self.alone_inside(run)) {
            return false;
        }
        match run.kind {
            StopKind::Wide => self.ends_wide(tail, after) && !self.is_part(run, tail, after),
            StopKind::Bang => self.ends_bang(run, tail, after),
            StopKind::Dot => self.ends_dot(run, tail, after),
            StopKind::Ellipsis { dots, spaced } => self.ends_ellipsis(run, tail, after, dots, spaced),
        }
    }

    /// `(!)`, `“……”`: the mark is spoken of, or stands for something left out.
    fn alone_inside(&self, run: StopRun) -> bool {
        let opens = |c| marks::is_open_bracket(c) || marks::is_open_quote(c);
        char_before(self.text, run.at).is_some_and(opens)
    }

    /// A title does not end a sentence (`《谁？》出版了`), nor does an aside in the middle of one
    /// (`张三（他是工程师。）来了`).
    fn ends_wide(&self, tail: Tail, after: After) -> bool {
        let titled = |opened| self.text[opened..].starts_with(['《', '〈']);
        let aside = tail.bracket.is_some_and(|opened| opened > self.start() || titled(opened));
        !(aside || tail.closed && after.carries_on())
    }

    /// A short quotation that the sentence goes on with.
    fn is_part(&self, run: StopRun, tail: Tail, after: After) -> bool {
        let Some(opened) = tail.quotation.filter(|_| after.wide() && !after.gap && !after.opened) else { return false };
        if after.begins(&OWN_SENTENCE) {
            return false;
        }
        if opened <= self.start() {
            return after.begins(&OF_QUOTED);
        }
        let inside = |c| marks::is_wide_letter(c) && !SAYS.contains(&c);
        after.rest.starts_with(OF_EMBEDDED) && run.asks(self.text) && char_before(self.text, opened).is_some_and(inside)
    }

    fn ends_bang(&self, run: StopRun, tail: Tail, after: After) -> bool {
        if !after.gap {
            return self.ends_closely(run, after);
        }
        if tail.closed {
            return !after.lower() && !after.attribution();
        }
        if self.between_dashes(run, after) {
            return false;
        }
        let word = self.word_before(run.at);
        let named = abbr::is_exclaimed(word) || (after.lower() && self.names(word, run.at));
        !named || after.starter() || after.wide() || after.digit()
    }

    /// `and -- presto! -- dinner is ready`: an exclamation between two dashes.
    fn between_dashes(&self, run: StopRun, after: After) -> bool {
        let Some(dash) = DASHES.iter().find(|dash| after.rest.starts_with(**dash)) else { return false };
        let from = self.text.ceil_char_boundary(self.start().max(run.at.saturating_sub(MAX_DASHED)));
        let behind = after.rest[dash.len()..].trim_start();
        behind.starts_with(|c: char| c.is_lowercase()) && self.text[from..run.at].contains(dash)
    }

    /// A capital inside a sentence: `the musical Mamma Mia! opened`.
    fn names(&self, word: &str, end: usize) -> bool {
        word.starts_with(|c: char| c.is_ascii_uppercase())
            && word.bytes().skip(1).any(|b| b.is_ascii_lowercase())
            && self.text[self.start()..end - word.len()].contains(|c: char| c.is_ascii_lowercase())
    }

    /// No white space after a `.`, `!` or `?`.
    fn ends_closely(&self, run: StopRun, after: After) -> bool {
        let next = after.rest.chars().next().unwrap_or_default();
        if char_before(self.text, run.at).is_some_and(marks::is_wide_letter) && self.ends_after_wide(run, after, next) {
            return true;
        }
        let word = self.word_before(run.at);
        if run.kind == StopKind::Bang && marks::is_wide_letter(next) {
            return !abbr::is_exclaimed(word);
        }
        match abbr::class(word) {
            Class::Number if self.counts(word, run.at) => false,
            Class::Plain | Class::Number if marks::is_wide_letter(next) => true,
            Class::Plain if marks::is_open_quote(next) => true,
            // `See the map.(It is new.)`, not `asyncio.(A)`.
            Class::Plain if next == '(' => {
                word.bytes().all(|b| b.is_ascii_lowercase()) && abbr::starts_sentences(after.word)
            }
            Class::Plain if next >= '\u{3000}' || next == '"' => after.wide(),
            Class::Plain | Class::Number => runs_on(word, after),
            _ => false,
        }
    }

    /// English marks in Chinese text: `好!Hi!`, `带身份证.2.带钱`, not `/文档?q=1`.
    fn ends_after_wide(&self, run: StopRun, after: After, next: char) -> bool {
        if run.kind == StopKind::Bang {
            let bare = char_at(self.text, run.end) == Some(next);
            return bare && (next.is_uppercase() || (next != '[' && marks::is_open_bracket(next)));
        }
        after.next_number() && !self.opens_at(run.at)
    }

    fn ends_dot(&self, run: StopRun, tail: Tail, after: After) -> bool {
        if run.at == self.start() {
            return false;
        }
        if !after.gap && !tail.closed {
            return self.ends_closely(run, after);
        }
        if tail.closed && (after.lower() || after.attribution()) {
            return false;
        }
        if self.text[..run.at].ends_with(' ') {
            return self.ends_apart(run, after);
        }
        self.ends_after_word(self.word_before(run.at), run, tail, after)
    }

    /// Tokenised text, `he said . then`: initials and company names kept their own stop.
    fn ends_apart(&self, run: StopRun, after: After) -> bool {
        match abbr::class(self.word_before(run.at - 1)) {
            Class::Never => false,
            Class::Numbered | Class::NumberedWord => !after.digit(),
            _ => true,
        }
    }

    fn ends_after_word(&self, word: &str, run: StopRun, tail: Tail, after: After) -> bool {
        match abbr::class(word) {
            Class::Plain => self.ends_plain(word, run, after),
            Class::Never => false,
            Class::Numbered => after.starter() && !after.named_by_letter(),
            Class::Clipped => after.starter(),
            Class::NumberedWord => {
                let numbered = || abbr::is_numbered(self.word_ahead(word, run.at));
                !(after.digit() || after.lower() && numbered())
            }
            Class::Trailing => (after.upper() || after.wide()) && !after.bracketed,
            Class::Calendar => !after.digit() && !after.lower() && !abbr::is_calendar(after.word),
            Class::HalfDay => self.ends_half_day(run, after),
            Class::Initial => self.ends_initial(word, run, tail, after),
            Class::Number => {
                let section = after.lower() && self.numbers_section(word, run.at);
                !(self.counts(word, run.at) || section || self.is_headed(run.at - word.len()))
            }
        }
    }

    /// `Step 1. Open the lid.`, `Art. 5. Everyone`: the number at `at` and the word before it open the sentence.
    fn is_headed(&self, at: usize) -> bool {
        let head = self.text[..at].trim_end();
        let word = self.word_before(head.len());
        let label = word.trim_end_matches('.');
        at > head.len() && abbr::is_heading(label) && self.opens_at(head.len() - word.len())
    }

    /// `Section 1.2. covers`: the number of a part, with a stop of its own.
    fn numbers_section(&self, number: &str, end: usize) -> bool {
        number.contains('.') && abbr::is_labelled(self.word_ahead(number, end))
    }

    /// The word before `word`, which ends at `end`.
    fn word_ahead(&self, word: &str, end: usize) -> &'a str {
        self.word_before(self.text[..end - word.len()].trim_end().len())
    }

    fn ends_plain(&self, word: &str, run: StopRun, after: After) -> bool {
        let at = run.at - word.len();
        let roman = abbr::is_roman(word);
        let section = roman && self.opens_at(at) || (roman || is_numbered(word)) && self.is_headed(at);
        !(section || after.lower() && after.word != word && self.is_clipped(word, run.at))
    }

    /// An abbreviation by its looks or its place, if a small letter follows.
    fn is_clipped(&self, word: &str, end: usize) -> bool {
        let ahead = || self.word_ahead(word, end);
        abbr::looks_clipped(word)
            || abbr::is_ordinal(word)
            || word == "in" && ahead().ends_with(|c: char| c.is_ascii_digit())
            || self.clipped_after_comma(word, end)
            || self.clipped_in_chain(word, end)
    }

    /// `St. Louis, Mo. was`, `Austin, Tex. and`: the place of a place, shortened.
    fn clipped_after_comma(&self, word: &str, end: usize) -> bool {
        (2..=4).contains(&word.len())
            && word.starts_with(|c: char| c.is_ascii_uppercase())
            && self.text[..end - word.len()].ends_with(", ")
    }

    /// `Proc. R. Soc. Lond. in`: one more of several clipped words.
    fn clipped_in_chain(&self, word: &str, end: usize) -> bool {
        let ahead = self.word_ahead(word, end);
        word.len() <= 5
            && word.starts_with(|c: char| c.is_ascii_uppercase())
            && ahead.strip_suffix('.').is_some_and(|ahead| abbr::class(ahead) == Class::Clipped)
    }

    /// `at 6 p.m. Then` ends; `5 p.m. EST`, `5 p.m. Monday` and the opening `At 5 a.m. Mr. Smith` do not.
    fn ends_half_day(&self, run: StopRun, after: After) -> bool {
        let opening = &self.text[self.start()..run.at];
        let opens = TIME_OPENERS.iter().any(|word| opening.starts_with(word));
        let named = abbr::is_zone(after.word) || abbr::is_calendar(after.word);
        after.upper() && !named && !(opens && opening.len() <= MAX_OPENING)
    }

    /// One letter: a name's initial, a list marker, a label (`vitamin C.`) or the word `I`.
    fn ends_initial(&self, letter: &str, run: StopRun, tail: Tail, after: After) -> bool {
        let at = run.at - letter.len();
        if self.opens_at(at) || self.is_headed(at) || after.initial() || tail.bracket.is_some_and(|open| open + 1 == at)
        {
            return false;
        }
        if letter.starts_with(char::is_lowercase) {
            return ends_small_letter(letter, after);
        }
        let before = self.word_ahead(letter, run.at);
        let spoken = letter == "I" && before.starts_with(char::is_lowercase);
        abbr::is_labelled(before) || after.starter() || spoken
    }

    fn ends_ellipsis(&self, run: StopRun, tail: Tail, after: After, dots: usize, spaced: bool) -> bool {
        if run.at == self.start() && !tail.closed {
            return false;
        }
        let before = char_before(self.text, run.at);
        let word = self.word_before(run.at);
        if before.is_some_and(marks::is_wide_letter) || after.wide() {
            return self.ends_wide_ellipsis(run, tail, after, dots);
        }
        if !after.gap {
            return !tail.closed && after.word != "I" && runs_on(word, after);
        }
        if tail.closed {
            return !after.lower() && !after.attribution();
        }
        // `is . . . I didn't` leaves words out; a fourth dot is the full stop.
        let left_out = dots == 3 && before.is_some_and(char::is_whitespace);
        let stutter = !word.is_empty() && (word == after.word || abbr::hesitates(word));
        !(after.lower() || after.digit() || stutter) && !(left_out && (spaced || after.word == "I"))
    }

    /// `……` ends a Chinese sentence unless it stutters (`我……我`), has hardly begun (`唉……`) or turns (`他想说……但是`,
    /// `等一下……不对`).
    fn ends_wide_ellipsis(&self, run: StopRun, tail: Tail, after: After, dots: usize) -> bool {
        if tail.closed {
            return self.ends_wide(tail, after);
        }
        let begun = self.text[self.start()..run.at].chars().take(3).count() == 3;
        let stutter = self.stutters(run.at, after);
        let turns = after.rest.starts_with(['但', '而']) || after.begins(&["不对", "不對", "不是", "不，"]);
        (dots >= 6 || after.gap) && begun && !stutter && !turns && !after.carries_on() && !after.lower()
    }

    /// `我……我`, `我想……我想`: the last one to three characters are said again.
    fn stutters(&self, end: usize, after: After) -> bool {
        let head = &self.text[self.start()..end];
        let mut from = head.char_indices().rev().map(|(at, _)| at).take(3);
        from.any(|at| after.rest.starts_with(&head[at..]))
    }

    /// The Latin word that ends at `end`, within this sentence.
    pub(super) fn word_before(&self, end: usize) -> &'a str {
        let text: &'a str = self.text;
        let from = text.ceil_char_boundary(self.start().max(end.saturating_sub(MAX_WORD)));
        let Some(head) = text.get(from..end) else { return "" };
        let word = head.trim_end_matches(is_word_char).len();
        head[word..].trim_start_matches(['\'', '-', '.', '_', ':', '/'])
    }

    /// Whether `at` starts the sentence, but for marks, or an item within it: `as follows: 1. Peel`.
    fn opens_at(&self, at: usize) -> bool {
        let start = self.start();
        let Some(head) = self.text.get(start..at) else { return false };
        let first = head.len() <= MAX_MARKS && !head.contains(char::is_alphanumeric);
        first || head.trim_end().ends_with([':', ';', '：', '；'])
    }

    /// `1.` at the start of a sentence, or between spaces before Chinese (`2.香蕉`), counts items.
    fn counts(&self, number: &str, end: usize) -> bool {
        let at = end - number.len();
        let close = char_at(self.text, end + 1).is_some_and(marks::is_wide_letter);
        let apart = char_before(self.text, at).is_none_or(|c| !c.is_ascii() || c.is_whitespace());
        number.len() <= 3 && (self.opens_at(at) || (close && apart))
    }
}

/// `1A`: a number with a letter.
fn is_numbered(word: &str) -> bool {
    word.len() <= 4 && word.starts_with(|c: char| c.is_ascii_digit()) && word.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// `p. 55`, `c. 1900`, `Roe v. Wade`, `i. e.` go on; `the value of x. Then` ends.
fn ends_small_letter(letter: &str, after: After) -> bool {
    match letter {
        "p" | "v" => false,
        "b" | "c" | "d" | "n" => !after.digit(),
        "e" | "i" => !after.lower(),
        _ => true,
    }
}

fn is_word_char(c: char) -> bool {
    let inner = matches!(c, '.' | '\'' | '’' | '@' | '/' | ':' | '_' | '&' | '%' | '#' | '+' | '°');
    inner || c == '№' || (c.is_alphanumeric() && !marks::is_wide_letter(c))
}

/// A forgotten space: `the end.The next`. Only words that start sentences count, for
/// `asyncio.Queue` and `System.Out` are more common than the slip.
fn runs_on(word: &str, after: After) -> bool {
    let bare = word.ends_with(char::is_alphanumeric) && word.chars().all(|c| c.is_alphanumeric() || c == '.');
    let behind = after.rest.get(after.word.len()..).unwrap_or_default();
    let ends = behind.starts_with([' ', '\n', ',', '\'', '’']) || behind.starts_with(". ");
    bare && ends && !after.opened && after.starter()
}
