//! Why a filter could not be read, and where: for a sentence, for a line with a caret under it, for a program.

use std::fmt;

/// Why a filter could not be read, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("filter `{}`: {fault} at character {} – expected something like `category = 素菜 and year >= 2023`", self.pointer().line, at + 1)]
pub struct FilterError {
    /// What was given.
    pub filter: String,
    /// The character (code point), from 0.
    pub at: usize,
    /// What is wrong there.
    pub fault: FilterFault,
}

/// What is wrong with a filter.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FilterFault {
    /// No field's name where one must be.
    Field,
    /// No operator after a field's name.
    Operator,
    /// No value after an operator.
    Value,
    /// No list after `in`.
    List,
    /// A list, group or quotation that is not closed by this.
    Unclosed(char),
    /// Nested too deeply.
    Deep(usize),
    /// Something after a whole filter.
    Rest,
    /// JSON that is no filter.
    Json(&'static str),
}

impl fmt::Display for FilterFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field => f.write_str("a field's name is missing"),
            Self::Operator => f.write_str(
                "one of `=`, `!=`, `<`, `<=`, `>`, `>=`, `in`, `not in`, `contains`, `starts with`, `ends with`, `exists` is missing",
            ),
            Self::Value => f.write_str("a value is missing"),
            Self::List => f.write_str("`[` is missing after `in`"),
            Self::Unclosed(close) => write!(f, "`{close}` is missing"),
            Self::Deep(most) => write!(f, "nested deeper than {most}"),
            Self::Rest => f.write_str("`and`, `or` or the end was expected"),
            Self::Json(what) => f.write_str(what),
        }
    }
}

/// The part of a filter around a fault, on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointer {
    /// The part, without control characters.
    pub line: String,
    /// How many columns of a terminal are before the fault.
    pub column: usize,
}

/// Characters shown on each side of a fault: a line of a terminal.
const SHOWN: usize = 36;

impl FilterError {
    /// The part of the filter around the fault, and the column to put a caret under.
    pub fn pointer(&self) -> Pointer {
        let chars: Vec<char> = self.filter.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let (start, end) = (self.at.saturating_sub(SHOWN), (self.at + SHOWN).min(chars.len()));
        let mark = |cut: bool| if cut { "…" } else { "" };
        let before: String = chars[start.min(end)..self.at.min(end)].iter().collect();
        let after: String = chars[self.at.min(end)..end].iter().collect();
        let before = format!("{}{before}", mark(start > 0));
        Pointer { column: before.chars().map(columns).sum(), line: before + &after + mark(end < chars.len()) }
    }

    /// For programs: the filter, the code point, the reason.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::json!({"filter": self.filter, "at": self.at, "reason": self.fault.to_string()})
    }
}

/// The columns a character takes in a terminal: two for Chinese, Japanese, Korean, full-width forms and emoji.
fn columns(c: char) -> usize {
    1 + usize::from(matches!(c, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff60}' | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1faff}' | '\u{20000}'..='\u{3fffd}'))
}
