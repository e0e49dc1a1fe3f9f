//! Reading the filter language: one function per rule, from `or` inwards.

use super::{Comparison, Filter};

/// Reads a filter, or says at which character it stopped making sense and why.
pub fn parse(text: &str) -> Result<Filter, (usize, String)> {
    let mut parser = Parser { chars: text.chars().collect(), at: 0, depth: 0 };
    let filter = parser.any().and_then(|filter| parser.end().map(|()| filter));
    filter.map_err(|reason| (parser.at, reason))
}

/// Nested deeper than any person writes; keeps hostile input from exhausting the stack.
const DEEPEST: usize = 64;

struct Parser {
    chars: Vec<char>,
    at: usize,
    depth: usize,
}

type Parsed<T> = Result<T, String>;

impl Parser {
    fn any(&mut self) -> Parsed<Filter> {
        let mut filters = vec![self.all()?];
        while self.keyword("or") || self.symbol("||") || self.keyword("或") {
            filters.push(self.all()?);
        }
        Ok(alone_or(filters, Filter::Any))
    }

    fn all(&mut self) -> Parsed<Filter> {
        let mut filters = vec![self.one()?];
        while self.keyword("and") || self.symbol("&&") || self.keyword("且") {
            filters.push(self.one()?);
        }
        Ok(alone_or(filters, Filter::All))
    }

    fn one(&mut self) -> Parsed<Filter> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("nested deeper than {DEEPEST}"));
        }
        let filter = self.not_or_group()?;
        self.depth -= 1;
        Ok(filter)
    }

    fn not_or_group(&mut self) -> Parsed<Filter> {
        if self.keyword("not") || self.keyword("非") {
            return Ok(Filter::Not(Box::new(self.one()?)));
        }
        if self.symbol("(") {
            let filter = self.any()?;
            return if self.symbol(")") { Ok(filter) } else { Err("`)` is missing".into()) };
        }
        self.condition()
    }

    fn condition(&mut self) -> Parsed<Filter> {
        let field = self.word().ok_or("a field's name is missing")?;
        if self.keyword("exists") {
            return Ok(Filter::Exists(field));
        }
        if self.keyword("in") {
            return Ok(Filter::In(field, self.list()?));
        }
        let comparison = self
            .comparison()
            .ok_or("one of `=`, `!=`, `<`, `<=`, `>`, `>=`, `in`, `contains`, `starts with`, `exists` is missing")?;
        let literal = self.word().ok_or("a value is missing")?;
        Ok(Filter::Compare(field, comparison, literal))
    }

    fn comparison(&mut self) -> Option<Comparison> {
        if self.symbol("==") {
            return Some(Comparison::Equal);
        }
        Comparison::ALL.into_iter().find(|c| match c {
            Comparison::Contains => self.keyword("contains"),
            Comparison::StartsWith => self.keyword("starts") && self.keyword("with"),
            other => self.symbol(other.symbol()),
        })
    }

    fn list(&mut self) -> Parsed<Vec<String>> {
        if !(self.symbol("(") || self.symbol("[")) {
            return Err("`(` is missing after `in`".into());
        }
        let mut literals = Vec::new();
        while !(self.symbol(")") || self.symbol("]")) {
            literals.push(self.word().ok_or("a value or `)` is missing")?);
            self.symbol(",");
        }
        Ok(literals)
    }

    fn end(&mut self) -> Parsed<()> {
        self.blanks();
        if self.at == self.chars.len() { Ok(()) } else { Err("`and`, `or` or the end was expected".into()) }
    }

    fn blanks(&mut self) {
        while self.chars.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
    }

    fn symbol(&mut self, symbol: &str) -> bool {
        self.blanks();
        let found = symbol.chars().enumerate().all(|(i, c)| self.chars.get(self.at + i) == Some(&c));
        self.at += if found { symbol.chars().count() } else { 0 };
        found
    }

    /// A bare word, whatever its case, that ends where a word ends.
    fn keyword(&mut self, keyword: &str) -> bool {
        self.blanks();
        let end = self.at + keyword.chars().count();
        let found = self
            .chars
            .get(self.at..end)
            .is_some_and(|word| word.iter().collect::<String>().eq_ignore_ascii_case(keyword))
            && !self.chars.get(end).is_some_and(|&c| is_bare(c));
        self.at = if found { end } else { self.at };
        found
    }

    /// A field name or a value: quoted, or a run of characters that mean nothing else here.
    fn word(&mut self) -> Option<String> {
        self.blanks();
        match self.chars.get(self.at)? {
            '"' => self.quoted('"'),
            '\'' => self.quoted('\''),
            '“' => self.quoted('”'),
            _ => self.bare(),
        }
    }

    fn quoted(&mut self, close: char) -> Option<String> {
        let mut word = String::new();
        let mut at = self.at + 1;
        loop {
            match *self.chars.get(at)? {
                '\\' => {
                    word.push(*self.chars.get(at + 1)?);
                    at += 2;
                }
                c if c == close => {
                    self.at = at + 1;
                    return Some(word);
                }
                c => {
                    word.push(c);
                    at += 1;
                }
            }
        }
    }

    fn bare(&mut self) -> Option<String> {
        let length = self.chars[self.at..].iter().take_while(|&&c| is_bare(c)).count();
        let word: String = self.chars[self.at..self.at + length].iter().collect();
        self.at += length;
        (length > 0).then_some(word)
    }
}

fn is_bare(c: char) -> bool {
    !c.is_whitespace() && !"()[],=!<>\"'“”&|".contains(c)
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
