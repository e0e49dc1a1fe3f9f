//! JSONL: one document per line, streamed.
//!
//! The text of a line is read as Markdown. Everything else on the line becomes typed metadata: scalars, lists of
//! scalars, and the members of a nested `meta` or `metadata` object. A line that is not a document is skipped with
//! its number; the others are read.

use okno_document::text::{detect_language, primary_language};
use std::collections::HashSet;
use std::io::{BufRead, Read};
use std::path::Path;

use encoding_rs::Encoding;
use serde_json::{Map, Value as Json};

use super::markdown::{self, merged};
use super::{Loader, Sink, SkipReason, Source, encoding, file_metadata, has_extension, textual, values};
use okno_document::message::{AnyOf, Bytes};
use okno_document::{ALLOW, Loaded, Metadata, Value};

/// A longer line is no document; the limit keeps a file without line ends from filling the memory.
const LONGEST_LINE: u64 = 64 << 20;

/// Which fields of a line hold what; the first one that is there counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonlFields {
    /// The document's own name.
    pub id: Vec<String>,
    /// Its text, read as Markdown.
    pub text: Vec<String>,
    /// Its title.
    pub title: Vec<String>,
    /// Its language.
    pub language: Vec<String>,
}

impl Default for JsonlFields {
    fn default() -> Self {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Self {
            id: names(&["doc_id", "id"]),
            text: names(&["text", "content"]),
            title: names(&["title"]),
            language: names(&["lang", "language"]),
        }
    }
}

okno_document::messages! {
    /// Why the names of fields could not be read.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum FieldsError {
        /// A part of a document that there is not, or without a name.
        Unknown { /** What was given. */ pair: String } = "unknown_part" => (
            "`{pair}`: expected `id=…`, `text=…`, `title=…` or `language=…`, separated by commas",
            "`{pair}`：应为 `id=…`、`text=…`、`title=…` 或 `language=…`，以逗号分隔",
        ),
    }
}

impl std::str::FromStr for JsonlFields {
    type Err = FieldsError;

    /// Reads `id=doc_id,text=body`. Several names for one field are separated by `|`; a field that is not named keeps
    /// its defaults.
    fn from_str(given: &str) -> Result<Self, FieldsError> {
        let unknown = |pair: &str| FieldsError::Unknown { pair: pair.to_owned() };
        let mut fields = Self::default();
        for pair in given.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let (field, names) =
                pair.split_once('=').filter(|(_, names)| !names.is_empty()).ok_or_else(|| unknown(pair))?;
            let slot = match field.trim() {
                "id" => &mut fields.id,
                "text" => &mut fields.text,
                "title" => &mut fields.title,
                "language" | "lang" => &mut fields.language,
                _ => return Err(unknown(pair)),
            };
            *slot = names.split('|').map(|name| name.trim().to_owned()).collect();
        }
        Ok(fields)
    }
}

/// Reads JSONL files.
#[derive(Debug, Clone, Default)]
pub struct Jsonl {
    fields: JsonlFields,
}

impl Jsonl {
    /// Reads lines with these fields.
    #[must_use]
    pub fn new(fields: JsonlFields) -> Self {
        Self { fields }
    }
}

impl Loader for Jsonl {
    fn accepts(&self, path: &Path, head: &[u8]) -> bool {
        if has_extension(path, &["jsonl", "ndjson"]) {
            return textual(path, head);
        }
        // Without the name, two lines that both are objects (or one that is the whole file) tell.
        let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
        let mut lines = head.split(|b| *b == b'\n').filter(|line| !line.trim_ascii().is_empty());
        let object = |line: &[u8]| {
            line.trim_ascii().starts_with(b"{") && serde_json::from_slice::<Map<String, Json>>(line).is_ok()
        };
        lines.next().is_some_and(object) && lines.next().is_some_and(|second| second.trim_ascii().starts_with(b"{"))
    }

    fn load(&self, source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason> {
        let mut lines = DecodedLines::open(source)?;
        let mut seen = HashSet::new();
        let mut any = false;
        while let Some((number, line)) = lines.next_line().map_err(|cause| source.unreadable(cause))? {
            any = true;
            let record = line.and_then(|line| {
                super::json::bounded(&line)?;
                serde_json::from_str(&line).map_err(|error| SkipReason::malformed(&error))
            });
            self.emit(source, number, record, &mut seen, out);
        }
        if any { Ok(()) } else { Err(encoding::NotText::Blank.into()) }
    }

    fn streams(&self) -> bool {
        true
    }
}

fn place(source: &Source<'_>, number: usize) -> String {
    format!("{}:{number}", source.name)
}

fn repeated(loaded: Loaded) -> SkipReason {
    SkipReason::RepeatedId { id: loaded.id.unwrap_or_default() }
}

impl Jsonl {
    /// Reads records that are parsed already, as those of a JSON array; their place in it takes the place of a line
    /// number.
    pub(super) fn load_records(&self, source: &Source<'_>, records: impl Iterator<Item = Json>, out: &mut dyn Sink) {
        let mut seen = HashSet::new();
        for (at, record) in records.enumerate() {
            let record = match record {
                Json::Object(record) => Ok(record),
                _ => Err(SkipReason::NotAnObject),
            };
            self.emit(source, at + 1, record, &mut seen, out);
        }
    }

    fn emit(
        &self,
        source: &Source<'_>,
        number: usize,
        record: Result<Map<String, Json>, SkipReason>,
        seen: &mut HashSet<Option<String>>,
        out: &mut dyn Sink,
    ) {
        match record.and_then(|record| self.document(source, number, record)) {
            Ok(loaded) if seen.insert(loaded.id.clone()) => out.document(loaded),
            Ok(loaded) => out.skip(&place(source, number), repeated(loaded)),
            Err(reason) => out.skip(&place(source, number), reason),
        }
    }

    fn document(
        &self,
        source: &Source<'_>,
        number: usize,
        mut record: Map<String, Json>,
    ) -> Result<Loaded, SkipReason> {
        let fields = || AnyOf(self.fields.text.clone());
        let text = match take(&mut record, &self.fields.text) {
            Some(Json::String(text)) => text,
            Some(_) => return Err(SkipReason::TextNotString { fields: fields() }),
            None => return Err(SkipReason::NoTextField { fields: fields() }),
        };
        if text.trim().is_empty() {
            return Err(encoding::NotText::Blank.into());
        }
        let id = take(&mut record, &self.fields.id).as_ref().and_then(plain).unwrap_or_else(|| place(source, number));
        let title = take(&mut record, &self.fields.title).as_ref().and_then(plain);
        let given = take(&mut record, &self.fields.language).as_ref().and_then(plain);
        let page = markdown::read(&text);
        let mut metadata = merged(record_metadata(record), page.metadata);
        file_metadata(&mut metadata, source, "jsonl");
        Ok(Loaded {
            id: Some(id),
            title: title.or(page.front_title).or(page.heading).unwrap_or_else(|| source.stem()),
            language: given.map(|tag| primary_language(&tag)).or(page.language).or_else(|| detect_language(&text)),
            blocks: page.blocks,
            images: page.images,
            text,
            metadata,
            ..Loaded::default()
        })
    }
}

/// The first of these fields that is there and not null.
pub(super) fn take(record: &mut Map<String, Json>, names: &[String]) -> Option<Json> {
    names.iter().find_map(|name| {
        if record.get(name).is_some_and(|value| !value.is_null()) { record.remove(name) } else { None }
    })
}

pub(super) fn plain(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Json::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The fields of a record that are not its text, as typed metadata.
pub(super) fn record_metadata(record: Map<String, Json>) -> Metadata {
    let mut metadata = Metadata::default();
    for (key, value) in record {
        match value {
            Json::Object(members) if key == "meta" || key == "metadata" => {
                metadata
                    .0
                    .extend(members.into_iter().filter_map(|(key, value)| Some((key.clone(), member(&key, value)?))));
            }
            value => {
                if let Some(value) = member(&key, value) {
                    metadata.0.entry(key).or_insert(value);
                }
            }
        }
    }
    metadata
}

/// The value of a field; permissions that cannot be read permit nobody.
fn member(key: &str, value: Json) -> Option<Value> {
    typed(value).or_else(|| (key == ALLOW).then(|| Value::List(Vec::new())))
}

fn typed(value: Json) -> Option<Value> {
    match value {
        Json::Bool(value) => Some(Value::Bool(value)),
        Json::Number(number) => number.as_f64().map(Value::Number),
        Json::String(text) => (!text.is_empty()).then(|| values::text(&text)),
        Json::Array(items) => Some(Value::List(items.into_iter().filter_map(scalar).collect())),
        Json::Null | Json::Object(_) => None,
    }
}

fn scalar(value: Json) -> Option<Value> {
    typed(value).filter(|value| !matches!(value, Value::List(_)))
}

/// Non-blank lines with their numbers, decoded; a file in UTF-16 is decoded as a whole first.
pub(super) struct DecodedLines<'a> {
    reader: Box<dyn BufRead + 'a>,
    number: usize,
    /// What lines that are not UTF-8 were read as; the first such line decides.
    legacy: Option<&'static Encoding>,
    buffer: Vec<u8>,
}

pub(super) type DecodedLine = Result<String, SkipReason>;

impl<'a> DecodedLines<'a> {
    pub fn open(source: &Source<'a>) -> Result<Self, SkipReason> {
        let mut reader = source.reader()?;
        let head = reader.fill_buf().map_err(|cause| source.unreadable(cause))?;
        let (marked, utf8_mark) =
            (head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff"), head.starts_with(b"\xef\xbb\xbf"));
        if marked || memchr::memchr(0, head).is_some() {
            reader = Box::new(std::io::Cursor::new(source.text()?));
        } else if utf8_mark {
            reader.consume(3);
        }
        Ok(Self::over(reader))
    }

    /// Lines in UTF-8, or whatever the first line that is not says.
    pub fn over(reader: Box<dyn BufRead + 'a>) -> Self {
        Self { reader, number: 0, legacy: None, buffer: Vec::new() }
    }

    pub fn next_line(&mut self) -> std::io::Result<Option<(usize, DecodedLine)>> {
        loop {
            self.buffer.clear();
            self.number += 1;
            if self.reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut self.buffer)? == 0 {
                return Ok(None);
            }
            if self.buffer.len() as u64 == LONGEST_LINE && !self.buffer.ends_with(b"\n") {
                self.reader.skip_until(b'\n')?;
                return Ok(Some((self.number, Err(SkipReason::LongLine { limit: Bytes(LONGEST_LINE) }))));
            }
            if !self.buffer.trim_ascii().is_empty() {
                return Ok(Some((self.number, self.decoded())));
            }
        }
    }

    fn decoded(&mut self) -> DecodedLine {
        if let Ok(text) = std::str::from_utf8(&self.buffer) {
            return Ok(text.to_owned());
        }
        let decoded = encoding::decode_hinted(&self.buffer, self.legacy)?;
        self.legacy = Encoding::for_label(decoded.encoding.as_bytes());
        Ok(decoded.text.into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Collected, load};
    use super::*;
    use okno_document::Date;

    fn jsonl(content: &str) -> Collected {
        load(&Jsonl::default(), "data/rows.jsonl", content.as_bytes())
    }

    #[test]
    fn a_document_per_line() {
        let got = jsonl(
            "\u{feff}{\"doc_id\":\"a\",\"title\":\"T\",\"lang\":\"zh-CN\",\"text\":\"# H\\n\\n\
             正文。\",\"meta\":{\"difficulty\":3,\"path\":\"x.md\",\"deep\":{\"no\":1}},\
             \"tags\":[\"x\",1,null],\"day\":\"2023-07-28\",\"ok\":true}\n\n{\"content\":\" unchanged \\r\\n\
             \",\"id\":7}\n{\"text\":\"no id\"}",
        );
        assert_eq!(got.skipped, []);
        let [a, b, c] = &got.documents[..] else { panic!("{got:?}") };
        assert_eq!((a.id.as_deref(), a.title.as_str(), a.language.as_deref()), (Some("a"), "T", Some("zh")));
        assert_eq!(a.blocks.len(), 2);
        assert_eq!(a.metadata.0["difficulty"], Value::Number(3.0));
        assert_eq!(a.metadata.0["path"], Value::Text("x.md".into()));
        assert_eq!(a.metadata.0["tags"], Value::List(vec![Value::Text("x".into()), Value::Number(1.0)]));
        assert_eq!(a.metadata.0["day"], Value::Date(Date { year: 2023, month: 7, day: 28 }));
        assert_eq!(a.metadata.0["type"], Value::Text("jsonl".into()));
        assert!(!a.metadata.0.contains_key("deep"));
        assert_eq!((b.id.as_deref(), b.text.as_str(), b.title.as_str()), (Some("7"), " unchanged \r\n", "rows"));
        assert_eq!(c.id.as_deref(), Some("data/rows.jsonl:4"));
    }

    #[test]
    fn bad_lines_are_reported_and_do_not_stop_the_others() {
        let got = jsonl(
            "{\"id\":1,\"text\":\"a\"}\n{broken\n[1]\n{\"id\":2}\n{\"id\":1,\"text\":\"again\"}\n\
             {\"id\":3,\"text\":5}\n{\"id\":4,\"text\":\" \"}\n{\"id\":5,\"text\":\"b\"}",
        );
        assert_eq!(got.documents.len(), 2);
        let places: Vec<&str> = got.skipped.iter().map(|(place, _)| place.as_str()).collect();
        assert_eq!(
            places,
            [
                "data/rows.jsonl:2",
                "data/rows.jsonl:3",
                "data/rows.jsonl:4",
                "data/rows.jsonl:5",
                "data/rows.jsonl:6",
                "data/rows.jsonl:7"
            ]
        );
        let fields = AnyOf(vec!["text".into(), "content".into()]);
        let reasons: Vec<SkipReason> = got.skipped.into_iter().map(|(_, reason)| reason).collect();
        assert_eq!(
            reasons,
            [
                SkipReason::BadJson { column: 2 },
                SkipReason::NotAnObject,
                SkipReason::NoTextField { fields: fields.clone() },
                SkipReason::RepeatedId { id: "1".into() },
                SkipReason::TextNotString { fields },
                encoding::NotText::Blank.into(),
            ]
        );
    }

    #[test]
    fn legacy_and_wide_encodings() {
        let line = "{\"id\":\"一\",\"text\":\"这是一个简单的中文文档，用于测试编码。\"}\n";
        let gbk = encoding_rs::GB18030.encode(line).0.into_owned();
        let wide: Vec<u8> = std::iter::once(0xfeff).chain(line.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        for bytes in [gbk, wide] {
            let got = load(&Jsonl::default(), "a.jsonl", &bytes);
            assert_eq!(got.documents[0].text, "这是一个简单的中文文档，用于测试编码。");
        }
    }

    #[test]
    fn fields_can_be_named() {
        let fields: JsonlFields = "id=key,text=body|abstract".parse().unwrap();
        assert_eq!(fields.text, ["body", "abstract"]);
        assert_eq!(fields.title, ["title"]);
        let got = load(&Jsonl::new(fields), "a.jsonl", b"{\"key\":\"k\",\"abstract\":\"words\"}");
        assert_eq!((got.documents[0].id.as_deref(), got.documents[0].text.as_str()), (Some("k"), "words"));
        assert_eq!("txt=body".parse::<JsonlFields>(), Err(FieldsError::Unknown { pair: "txt=body".into() }));
    }

    #[test]
    fn recognised_by_content() {
        let accepts = |name: &str, head: &str| Jsonl::default().accepts(Path::new(name), head.as_bytes());
        assert!(accepts("a.jsonl", "broken"));
        assert!(accepts("a.txt", "{\"a\":1}\n{\"b\":2"));
        assert!(!accepts("a.json", "{\n \"a\": 1\n}"));
        assert!(!accepts("a.md", "{{< note >}}\n{x}"));
        assert!(!accepts("a.jsonl", "%PDF-1.4"));
    }
}
