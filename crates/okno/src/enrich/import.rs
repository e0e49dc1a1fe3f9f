//! Derived units from outside: JSON lines that name a document, a place in it, a layer and a text.
//!
//! ```json
//! {"document": "report.pdf", "start": 120, "end": 980, "layer": "question", "text": "How did sales develop?"}
//! ```
//!
//! Offsets are code points of the document's text, end exclusive; without them the whole document is
//! meant. A line that cannot be used is reported with its number and its field; the others count.

use crate::document::{Derived, DerivedKind, Span, Structure};
use crate::message::Reason;
use serde::Deserialize;

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnitLine {
    /// The document's name, as `okno documents` prints it.
    #[serde(alias = "doc_id")]
    pub document: String,
    /// The first code point it stands for.
    pub start: Option<usize>,
    /// One past the last.
    pub end: Option<usize>,
    /// `summary`, `question`, `table`, `image` or `context`.
    pub layer: DerivedKind,
    /// What is searched.
    pub text: String,
}

impl UnitLine {
    /// Reads a line of JSON.
    pub fn read(json: &str) -> Result<Self, UnitError> {
        let value: serde_json::Value =
            serde_json::from_str(json).map_err(|error| UnitError::NotJson { column: error.column() })?;
        // Every line is one value: where in the file it is, the caller knows better.
        let line = Self::deserialize(value).map_err(|error| UnitError::Fields { words: error.to_string() })?;
        if line.text.trim().is_empty() {
            return Err(UnitError::NoText);
        }
        Ok(line)
    }

    /// The unit it describes in a document of this text.
    pub fn unit(self, text: &str, structure: &Structure) -> Result<Derived, UnitError> {
        let span = self.span(text)?;
        let sentences = structure.touching(span);
        if sentences.is_empty() {
            return Err(UnitError::NoSentence { start: self.start.unwrap_or(0), end: self.end.unwrap_or(0) });
        }
        Ok(Derived { kind: self.layer, first: sentences.start as u32, end: sentences.end as u32, text: self.text })
    }

    fn span(&self, text: &str) -> Result<Span, UnitError> {
        let length = || text.chars().count();
        let (start, end) = (self.start.unwrap_or(0), self.end.unwrap_or_else(length));
        if start >= end || end > length() {
            return Err(UnitError::Outside { start, end, length: length() });
        }
        let byte = |point| text.char_indices().nth(point).map_or(text.len(), |(byte, _)| byte);
        Ok(Span::new(byte(start), byte(end)))
    }
}

okno_document::messages! {
    /// Why a line of units cannot be used.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum UnitError {
        /// Not JSON.
        NotJson { /** Where it stops being so. */ column: usize } = "unit_not_json" =>
            ("invalid JSON at column {column}", "第 {column} 列处不是有效的 JSON"),
        /// A field is missing, unknown or of another type.
        Fields { /** What the reader of JSON says. */ words: String } = "unit_fields" => ("{words}", "{words}"),
        /// There is nothing to search.
        NoText = "unit_no_text" =>
            ("`text` is empty: there is nothing to search", "`text` 是空的：没有可搜索的内容"),
        /// A place without a sentence.
        NoSentence { /** Its start. */ start: usize, /** Its end. */ end: usize } = "unit_no_sentence" =>
            ("no text between {start} and {end}", "{start} 与 {end} 之间没有文字"),
        /// A place that is not in the text.
        Outside { /** Its start. */ start: usize, /** Its end. */ end: usize,
            /** The text's characters. */ length: usize } =
            "unit_outside" => (
                "`start` {start} and `end` {end} are no part of a text of {length} characters",
                "`start` {start} 和 `end` {end} 不在 {length} 个字符的文本之内",
            ),
        /// Several documents of one name.
        Several { /** The name. */ name: String } = "unit_several" =>
            ("several documents are called `{name}`: give the whole path", "有多个文档名为 `{name}`：请写完整路径"),
        /// The document cannot be found or read.
        Document(Reason),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Block, BlockKind};

    #[test]
    fn a_line_names_whole_sentences() {
        let text = "一。二二。三三三。";
        let blocks = [Block { kind: BlockKind::Paragraph, span: Span::new(0, text.len()) }];
        let structure = crate::split::structure(text, "", &blocks);
        let unit = |json: &str| UnitLine::read(json).and_then(|line| line.unit(text, &structure));
        let found = unit(r#"{"document": "a", "start": 3, "end": 4, "layer": "question", "text": "二？"}"#).unwrap();
        assert_eq!((found.sentences(), found.kind), (1..2, DerivedKind::Question));
        assert_eq!(unit(r#"{"doc_id": "a", "layer": "summary", "text": "数"}"#).unwrap().sentences(), 0..3);
        for (json, reason) in [
            (r#"{"document": "a", "layer": "poem", "text": "x"}"#, "poem"),
            (r#"{"document": "a", "layer": "summary"}"#, "text"),
            (r#"{"document": "a", "layer": "summary", "text": " "}"#, "`text` is empty"),
            (r#"{"document": "a", "layer": "summary", "text": "x", "start": 4, "end": 4}"#, "no part"),
            (r#"{"document": "a", "layer": "summary", "text": "x", "end": 10}"#, "9 characters"),
            (r#"{"document": "a", "colour": 1, "layer": "summary", "text": "x"}"#, "colour"),
            ("nonsense", "invalid JSON at column"),
        ] {
            let error = unit(json).unwrap_err().to_string();
            assert!(error.contains(reason) && !error.contains("line"), "{json}: {error}");
        }
    }
}
