//! Why a filter could not be read, and where: for a sentence, for a line with a caret under it, for a program.

use crate::message::{Lang, Message, Word};
use std::fmt;

/// Why a filter could not be read, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterError {
    /// What was given.
    pub filter: String,
    /// The character (code point), from 0.
    pub at: usize,
    /// What is wrong there.
    pub fault: FilterFault,
}

crate::messages! {
    /// What is wrong with a filter.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum FilterFault {
        /// No field's name where one must be.
        Field = "no_field" => ("a field's name is missing", "缺少字段名"),
        /// No operator after a field's name.
        Operator = "no_operator" => (
            "one of `=`, `!=`, `<`, `<=`, `>`, `>=`, `in`, `not in`, `contains`, `starts with`, `ends with`, `exists` \
             is missing",
            "缺少运算符，例如 `=`、`!=`、`<=`、`in`、`contains`、`exists`",
        ),
        /// No value after an operator.
        Value = "no_value" => ("a value is missing", "缺少值"),
        /// No list after `in`.
        List = "no_list" => ("`[` is missing after `in`", "`in` 后面缺少 `[`"),
        /// A list, group or quotation that is not closed by this.
        Unclosed(char) = "unclosed" => ("`{0}` is missing", "缺少 `{0}`"),
        /// Nested too deeply.
        Deep(usize) = "too_deep" => ("nested deeper than {0}", "嵌套超过 {0} 层"),
        /// Something after a whole filter.
        Rest = "unexpected_rest" => ("`and`, `or` or the end was expected", "这里应当是 `and`、`or` 或结尾"),
        /// JSON that is neither text nor an object.
        JsonFilter = "bad_json_filter" => ("neither text nor an object", "既不是文字也不是对象"),
        /// A value in JSON that is none of the kinds a filter compares with.
        JsonValue = "bad_json_value" => (
            "a value is not text, a number, true, false, a list of them or {operator: value}",
            "值不是文字、数字、true、false、它们的列表，也不是 {运算符: 值}",
        ),
    }
}

impl Message for FilterError {
    fn code(&self) -> &'static str {
        "bad_filter"
    }

    fn text(&self, lang: Lang) -> String {
        let (line, at, fault) = (self.pointer().line, self.at + 1, self.fault.text(lang));
        match lang {
            Lang::En => format!(
                "filter `{line}`: {fault} at character {at}; expected something like `category = 素菜 and year >= 2023`"
            ),
            Lang::Zh => {
                format!(
                    "过滤条件 `{line}` 第 {at} 个字符处有误：{fault}；正确的例子：`category = 素菜 and year >= 2023`"
                )
            }
        }
    }
}

impl Word for FilterError {
    fn word(&self, lang: Lang) -> String {
        self.text(lang)
    }
}

impl fmt::Display for FilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Lang::En))
    }
}

impl std::error::Error for FilterError {}

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

    /// For programs: the filter, the code point, the reason and its code.
    pub fn to_json(&self) -> serde_json::Value {
        let (code, reason) = (self.fault.code(), self.fault.to_string());
        serde_json::json!({"filter": self.filter, "at": self.at, "code": code, "reason": reason})
    }
}

/// The columns a character takes in a terminal: two for Chinese, Japanese, Korean, full-width forms and emoji.
fn columns(c: char) -> usize {
    1 + usize::from(matches!(c, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff60}' | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1faff}' | '\u{20000}'..='\u{3fffd}'))
}
