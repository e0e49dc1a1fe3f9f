//! What is wrong with a question set: lines, fields and reasons.

use okno::document::FilterError;
use okno::message::{Lang, Message, Word};
use std::fmt;
use std::ops::Deref;

/// What is wrong with one line of a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The line, from 1.
    pub line: usize,
    /// The field, empty when the whole line cannot be read.
    pub field: &'static str,
    /// What was expected and what was there.
    pub reason: FaultReason,
}

okno::document::messages! {
    /// What was expected and what was there.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum FaultReason {
        /// Not JSON.
        NotJson { /** Where it stops being so. */ column: usize } = "not_json" =>
            ("expected JSON, got something else at column {column}", "应为 JSON，第 {column} 列处不是"),
        /// JSON, but not an object.
        NotObject { /** What it is. */ got: JsonKind } = "not_object" =>
            ("expected an object `{{…}}`, got {got}", "应为对象 `{{…}}`，得到的是{got}"),
        /// A header without the columns.
        Columns { /** Its columns. */ got: Vec<String> } = "no_columns" =>
            ("expected columns `question`, `answer` and `document`, got {got}",
                "应有列 `question`、`answer` 和 `document`，得到的是 {got}"),
        /// A line with more or fewer columns than the header.
        ColumnCount { /** Those of the header. */ expected: usize, /** Those of the line. */ got: usize } =
            "column_count" =>
            ("expected {expected} columns, got {got}", "应有 {expected} 列，得到 {got} 列"),
        /// A set of nothing.
        NoQuestions = "no_questions" =>
            ("expected at least one question, got an empty file", "至少应有一个问题，而文件是空的"),
        /// Two questions of one name.
        RepeatedQuestion { /** The name. */ id: String } = "repeated_question" =>
            ("`{id}` is there already; every question needs its own", "`{id}` 已经有了；每个问题都需要自己的编号"),
        /// Two documents of one name.
        RepeatedDocument { /** The name. */ name: String } = "repeated_document" =>
            ("`{name}` is there already; every document needs its own name", "`{name}` 已经有了；每个文档都需要自己的名称"),
        /// No document of this name.
        NoDocument { /** The name. */ name: String } = "no_document" =>
            ("no document is called `{name}`", "没有名为 `{name}` 的文档"),
        /// Several documents of this name.
        SeveralDocuments { /** The name. */ name: String } = "several_documents" => (
            "several documents are called `{name}`; name one by its whole path",
            "有多个文档名为 `{name}`；请用完整路径指明一个",
        ),
        /// A filter that cannot be read.
        Filter { /** Why. */ reason: FilterError } = "bad_filter" => ("{reason}", "{reason}"),
        /// Not the name of a document.
        NotName { /** What it is. */ got: JsonKind } = "not_name" => ("expected a name, got {got}", "应为名称，得到的是{got}"),
        /// A list of names without one.
        NoNames = "no_names" =>
            ("expected a list of document names with at least one", "应为文档名称的列表，至少一个"),
        /// A text without letters.
        EmptyText = "empty_text" => ("expected a text, got an empty one", "应为文字，得到的是空的"),
        /// Not a text.
        NotText { /** What it is. */ got: JsonKind } = "not_text" => ("expected a text, got {got}", "应为文字，得到的是{got}"),
        /// Not a number of characters.
        NotCount { /** What it is. */ got: String } = "not_count" =>
            ("expected a count of characters, got {got}", "应为字符数，得到的是 {got}"),
        /// A span that is not in the document.
        Outside { /** The document's characters. */ length: usize, /** Its start. */ start: usize,
            /** Its end. */ end: usize } =
            "outside" => (
                "expected a span inside the document's {length} characters, got {start} … {end}",
                "应为文档 {length} 个字符之内的区间，得到的是 {start} … {end}",
            ),
        /// Not a list.
        NotList { /** What it is. */ got: JsonKind } = "not_list" => ("expected a list, got {got}", "应为列表，得到的是{got}"),
        /// Not a span.
        NotSpan { /** What it is. */ got: String } = "not_span" =>
            ("expected `[start, end]`, got {got}", "应为 `[start, end]`，得到的是 {got}"),
        /// No answer to look for.
        NoAnswer = "no_answer" =>
            ("expected an answer, or `start` and `end`, got nothing", "应有答案，或 `start` 和 `end`，而什么也没有"),
        /// An answer that the document does not hold.
        NotInDocument { /** Its beginning. */ words: String } = "not_in_document" =>
            ("expected words of the document, but `{words}` is not in it", "应为文档里的原文，但其中没有 `{words}`"),
        /// An answer that the document holds more than once.
        SeveralPlaces { /** Its beginning. */ words: String } = "several_places" => (
            "`{words}` is in the document more than once; give `start` and `end`, or a longer answer",
            "`{words}` 在文档里不止一处；请写 `start` 和 `end`，或更长的答案",
        ),
    }
}

/// What a value of JSON is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it
pub enum JsonKind {
    Nothing,
    Truth,
    Number,
    Text,
    List,
    Object,
}

impl From<&serde_json::Value> for JsonKind {
    fn from(value: &serde_json::Value) -> Self {
        use serde_json::Value;
        match value {
            Value::Null => Self::Nothing,
            Value::Bool(_) => Self::Truth,
            Value::Number(_) => Self::Number,
            Value::String(_) => Self::Text,
            Value::Array(_) => Self::List,
            Value::Object(_) => Self::Object,
        }
    }
}

impl Word for JsonKind {
    fn word(&self, lang: Lang) -> String {
        let (english, chinese) = match self {
            Self::Nothing => ("nothing", "空值"),
            Self::Truth => ("true or false", "真假值"),
            Self::Number => ("a number", "数字"),
            Self::Text => ("a text", "文字"),
            Self::List => ("a list", "列表"),
            Self::Object => ("an object", "对象"),
        };
        match lang {
            Lang::En => english.to_owned(),
            Lang::Zh => chinese.to_owned(),
        }
    }
}

impl Message for Fault {
    fn code(&self) -> &'static str {
        self.reason.code()
    }

    fn text(&self, lang: Lang) -> String {
        let Self { line, field, .. } = self;
        let reason = self.reason.text(lang);
        match (lang, *field) {
            (Lang::En, "") => format!("line {line}: {reason}"),
            (Lang::En, field) => format!("line {line}, field `{field}`: {reason}"),
            (Lang::Zh, "") => format!("第 {line} 行：{reason}"),
            (Lang::Zh, field) => format!("第 {line} 行，字段 `{field}`：{reason}"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Lang::En))
    }
}

/// The faults of a file; as a message, the first of them, each on a line of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Faults(pub Vec<Fault>);

impl Deref for Faults {
    type Target = [Fault];

    fn deref(&self) -> &[Fault] {
        &self.0
    }
}

/// Faults that a message lists; the rest are counted.
const SHOWN: usize = 20;

impl Word for Faults {
    fn word(&self, lang: Lang) -> String {
        let mut list: String = self.iter().take(SHOWN).map(|fault| format!("\n  {}", fault.text(lang))).collect();
        if let more @ 1.. = self.len().saturating_sub(SHOWN) {
            list += &match lang {
                Lang::En => format!("\n  … {more} more"),
                Lang::Zh => format!("\n  …… 还有 {more} 处"),
            };
        }
        list
    }
}
