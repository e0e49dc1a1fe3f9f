//! Reading the filter language: one function per rule, from `or` inwards.
//!
//! Chinese words and full-width signs mean what their English and narrow forms mean. A bare word ends
//! at white space or a sign, so before a Chinese operator there must be one: `年份 大于2020`.

use super::{Comparison, DEEPEST, Filter, FilterFault};

pub(super) type FilterResult<T> = Result<T, FilterFault>;

/// Reads a filter, or says at which character it stopped making sense and why.
pub fn parse(text: &str) -> Result<Filter, (usize, FilterFault)> {
    let mut parser = Parser { chars: text.chars().collect(), at: 0, depth: 0 };
    let filter = parser.any().and_then(|filter| parser.end().map(|()| filter));
    filter.map_err(|fault| (parser.at, fault))
}

const AND: &[&str] = &["and", "&&", "&", "且", "并且", "和", "與", "与"];
const OR: &[&str] = &["or", "||", "|", "或", "或者"];
const NOT: &[&str] = &["not", "非", "不是"];
const IN: &[&str] = &["in", "属于", "屬於", "∈"];
const NOT_IN: &[&str] = &["not in", "不属于", "不屬於", "∉"];
const EXISTS: &[&str] = &["exists", "存在"];

/// How each comparison is written, longer forms before those they begin with.
const COMPARISONS: &[(Comparison, &[&str])] = &[
    (Comparison::NotEqual, &["!=", "！＝", "≠", "<>", "不等于", "不等於"]),
    (
        Comparison::LessOrEqual,
        &["<=", "＜＝", "≤", "小于等于", "小於等於", "不大于", "不大於", "不超过", "不超過", "至多"],
    ),
    (Comparison::GreaterOrEqual, &[">=", "＞＝", "≥", "大于等于", "大於等於", "不小于", "不小於", "不少于", "至少"]),
    (Comparison::Equal, &["==", "=", "＝＝", "＝", "等于", "等於"]),
    (Comparison::Less, &["<", "＜", "小于", "小於", "早于", "早於"]),
    (Comparison::Greater, &[">", "＞", "大于", "大於", "晚于", "晚於"]),
    (Comparison::Contains, &["contains", "包含"]),
    (Comparison::StartsWith, &["starts with", "开头是", "開頭是"]),
    (Comparison::EndsWith, &["ends with", "结尾是", "結尾是"]),
];

/// The comparison that is written so.
pub fn comparison(text: &str) -> Option<Comparison> {
    COMPARISONS.iter().find(|(_, forms)| forms.contains(&text)).map(|&(comparison, _)| comparison)
}

/// Signs that end a bare word wherever they stand; each also has its narrow form here.
const SIGNS: &str = "()[],（），、【】［］=＝<>＜＞≤≥≠∈∉\"'“”‘’「」『』&|";

/// What opens a quotation, and what closes it.
const QUOTES: [(char, char); 6] = [('"', '"'), ('\'', '\''), ('“', '”'), ('‘', '’'), ('「', '」'), ('『', '』')];

/// Whether a text is read back as one bare word.
pub fn is_bare_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| is_bare(c) && !matches!(c, '!' | '！'))
}

/// Whether a bare word means something where a field's name may stand.
pub fn is_keyword(text: &str) -> bool {
    NOT.iter().any(|word| word.eq_ignore_ascii_case(text))
}

fn is_bare(c: char) -> bool {
    !c.is_whitespace() && !SIGNS.contains(c)
}

struct Parser {
    chars: Vec<char>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn any(&mut self) -> FilterResult<Filter> {
        let mut filters = vec![self.all()?];
        while self.one_of(OR) {
            filters.push(self.all()?);
        }
        Ok(alone_or(filters, Filter::Any))
    }

    fn all(&mut self) -> FilterResult<Filter> {
        let mut filters = vec![self.one()?];
        while self.one_of(AND) {
            filters.push(self.one()?);
        }
        Ok(alone_or(filters, Filter::All))
    }

    fn one(&mut self) -> FilterResult<Filter> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(FilterFault::Deep(DEEPEST));
        }
        let filter = self.not_or_group()?;
        self.depth -= 1;
        Ok(filter)
    }

    fn not_or_group(&mut self) -> FilterResult<Filter> {
        if self.one_of(NOT) || self.bang() {
            return Ok(Filter::Not(Box::new(self.one()?)));
        }
        if self.one_of(&["(", "（"]) {
            if self.one_of(&[")", "）"]) {
                return Ok(Filter::All(Vec::new()));
            }
            let filter = self.any()?;
            return if self.one_of(&[")", "）"]) { Ok(filter) } else { Err(FilterFault::Unclosed(')')) };
        }
        self.condition()
    }

    /// `!(…)`: a sign that negates, not the beginning of `!=`.
    fn bang(&mut self) -> bool {
        self.blanks();
        let found = self.peek(0) == Some('!') && self.peek(1) != Some('=');
        self.at += usize::from(found);
        found
    }

    fn condition(&mut self) -> FilterResult<Filter> {
        let field = self.word(FilterFault::Field)?;
        if self.one_of(EXISTS) {
            return Ok(Filter::Exists(field));
        }
        if self.one_of(NOT_IN) {
            return Ok(Filter::Not(Box::new(Filter::In(field, self.list()?))));
        }
        if self.one_of(IN) {
            return Ok(Filter::In(field, self.list()?));
        }
        let written = COMPARISONS.iter().find(|(_, forms)| self.one_of(forms));
        let &(comparison, _) = written.ok_or(FilterFault::Operator)?;
        Ok(Filter::Compare(field, comparison, self.word(FilterFault::Value)?))
    }

    fn list(&mut self) -> FilterResult<Vec<String>> {
        if !self.one_of(&["(", "[", "（", "［", "【"]) {
            return Err(FilterFault::List);
        }
        let mut literals = Vec::new();
        while !self.one_of(&[")", "]", "）", "］", "】"]) {
            literals.push(self.word(FilterFault::Unclosed(']'))?);
            self.one_of(&[",", "，", "、"]);
        }
        Ok(literals)
    }

    fn end(&mut self) -> FilterResult<()> {
        self.blanks();
        if self.at == self.chars.len() { Ok(()) } else { Err(FilterFault::Rest) }
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn blanks(&mut self) {
        while self.peek(0).is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    /// Steps over the first of these forms that stands here, whatever its case.
    fn one_of(&mut self, forms: &[&str]) -> bool {
        self.blanks();
        let end = forms.iter().find_map(|form| self.form_end(form));
        self.at = end.unwrap_or(self.at);
        end.is_some()
    }

    /// Where a form that begins here ends; a space in it is any white space. A word must end where a word ends, a
    /// Chinese one only where a field's name could stand instead (`非` and `非常`).
    fn form_end(&self, form: &str) -> Option<usize> {
        let mut at = self.at;
        for expected in form.chars() {
            let here = *self.chars.get(at)?;
            if expected == ' ' {
                let blanks = self.chars[at..].iter().take_while(|c| c.is_whitespace()).count();
                at += (blanks > 0).then_some(blanks)?;
            } else {
                at += (here.to_ascii_lowercase() == expected).then_some(1)?;
            }
        }
        let is_word = form.ends_with(|c: char| c.is_ascii_alphabetic()) || NOT.contains(&form);
        let goes_on = self.chars.get(at).is_some_and(|&c| is_bare(c));
        (!(is_word && goes_on)).then_some(at)
    }

    /// A field's name or a value: quoted, or a run of characters that mean nothing else here.
    fn word(&mut self, missing: FilterFault) -> FilterResult<String> {
        self.blanks();
        let open = self.peek(0);
        match QUOTES.iter().find(|(quote, _)| Some(*quote) == open) {
            Some(&(_, close)) => self.quoted(close),
            None => self.bare().ok_or(missing),
        }
    }

    fn quoted(&mut self, close: char) -> FilterResult<String> {
        let mut word = String::new();
        let mut at = self.at + 1;
        loop {
            let escaped = self.chars.get(at) == Some(&'\\');
            at += usize::from(escaped);
            match self.chars.get(at) {
                None => return Err(FilterFault::Unclosed(close)),
                Some(&c) if c == close && !escaped => break,
                Some(&c) => word.push(c),
            }
            at += 1;
        }
        self.at = at + 1;
        Ok(word)
    }

    fn bare(&mut self) -> Option<String> {
        let ends = |i: usize| {
            let negates = matches!(self.peek(i), Some('!' | '！')) && matches!(self.peek(i + 1), Some('=' | '＝'));
            self.peek(i).is_none_or(|c| !is_bare(c)) || negates
        };
        let length = (0..self.chars.len() - self.at).take_while(|&i| !ends(i)).count();
        let word: String = self.chars[self.at..self.at + length].iter().collect();
        self.at += length;
        (length > 0).then_some(word)
    }
}

fn alone_or(mut filters: Vec<Filter>, several: fn(Vec<Filter>) -> Filter) -> Filter {
    match filters.pop() {
        Some(only) if filters.is_empty() => only,
        last => {
            filters.extend(last);
            several(filters)
        }
    }
}
