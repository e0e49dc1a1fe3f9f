//! What the fields of an index hold, gathered once: which fields there are, of what kind, and the
//! words that name a value.
//!
//! A question can only be read as a filter against this: a field or value that is not in here is not
//! in the index. Names and running text (`title`, `summary`, anything with nearly as many values as
//! documents) are not categories, and their words are not gathered.

use super::{Record, Value};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The fields of an index and their values.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Catalogue {
    fields: BTreeMap<String, Field>,
    /// Folded words, and the values they name.
    meanings: HashMap<String, Vec<Meaning>>,
    longest: usize,
}

/// What one field holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// What kind of values.
    pub kind: FieldKind,
    /// How many documents have it.
    pub documents: usize,
    /// Whether a document may have several values.
    pub list: bool,
    /// The distinct values of a category, as they are written.
    pub values: BTreeSet<String>,
    /// The least and the greatest number.
    pub range: Option<(f64, f64)>,
}

/// What kind of values a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FieldKind {
    /// One of a few short texts, shared by documents.
    Category,
    /// Names, running text: each document has its own.
    Prose,
    /// Numbers.
    Number,
    /// Days.
    Date,
    /// True or false.
    Truth,
}

/// A value that some words name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meaning {
    /// The field.
    pub field: String,
    /// The value, as it is written.
    pub value: String,
}

/// Fields that hold names and running text whatever their values look like.
const PROSE: [&str; 16] = [
    "title",
    "path",
    "file",
    "doc_id",
    "id",
    "name",
    "url",
    "source",
    "summary",
    "description",
    "abstract",
    "subtitle",
    "text",
    // Who may see a document is no word of a question.
    super::ALLOW,
    "标题",
    "摘要",
];

/// A value longer than this many characters is not a category.
const LONGEST_VALUE: usize = 32;

/// So many distinct values are a category even where each document has its own.
const FEW_VALUES: usize = 50;

/// More distinct values than this are names.
const MOST_VALUES: usize = 2000;

impl Catalogue {
    /// Gathers the fields of these documents; `fold` gives the form in which spellings that mean the same are the same.
    pub fn new<'r>(records: impl Iterator<Item = &'r Record>, fold: impl Fn(&str) -> String) -> Self {
        let mut gathering = Gathering::default();
        records.for_each(|record| gathering.add(record));
        gathering.catalogue(fold)
    }

    fn remember(&mut self, words: String, meaning: Meaning) {
        self.longest = self.longest.max(words.chars().count());
        self.meanings.entry(words).or_default().push(meaning);
    }

    /// The fields, by name.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &Field)> {
        self.fields.iter().map(|(name, field)| (name.as_str(), field))
    }

    /// A field.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.get(name)
    }

    /// The values that these folded words name.
    pub fn meanings(&self, words: &str) -> &[Meaning] {
        self.meanings.get(words).map_or(&[], Vec::as_slice)
    }

    /// The most characters that name a value.
    pub fn longest(&self) -> usize {
        self.longest
    }
}

/// A catalogue in the making: it keeps what it needs of each document and no more, however many there are.
#[derive(Debug, Clone, Default)]
pub struct Gathering {
    fields: BTreeMap<String, Gathered>,
}

impl Gathering {
    /// Looks at one more document.
    pub fn add(&mut self, record: &Record) {
        for (name, value) in &record.metadata.0 {
            if !self.fields.contains_key(name) {
                self.fields.insert(name.clone(), Gathered::default());
            }
            if let Some(field) = self.fields.get_mut(name) {
                field.add(value);
            }
        }
    }

    /// What was seen; `fold` gives the form in which spellings that mean the same are the same.
    pub fn catalogue(self, fold: impl Fn(&str) -> String) -> Catalogue {
        let mut catalogue = Catalogue::default();
        for (name, gathered) in self.fields {
            let field = gathered.field(&name);
            for value in &field.values {
                catalogue.remember(fold(value.trim()), Meaning { field: name.clone(), value: value.clone() });
            }
            catalogue.fields.insert(name, field);
        }
        catalogue
    }
}

/// What has been seen of a field.
#[derive(Debug, Clone, Default)]
struct Gathered {
    documents: usize,
    texts: BTreeSet<String>,
    numbers: Option<(f64, f64)>,
    dates: bool,
    list: bool,
}

impl Gathered {
    fn add(&mut self, value: &Value) {
        self.documents += 1;
        match value {
            Value::List(items) => {
                self.list = true;
                for item in items {
                    self.note(item);
                }
            }
            one => self.note(one),
        }
    }

    fn note(&mut self, value: &Value) {
        match value {
            // One more than the most is enough to know that there are too many.
            Value::Text(text) if self.texts.len() <= MOST_VALUES && !self.texts.contains(text) => {
                self.texts.insert(text.clone());
            }
            Value::Number(number) => {
                let (least, most) = self.numbers.unwrap_or((*number, *number));
                self.numbers = Some((least.min(*number), most.max(*number)));
            }
            Value::Date(_) => self.dates = true,
            _ => {}
        }
    }

    fn field(self, name: &str) -> Field {
        let kind = self.kind(name);
        let values = if kind == FieldKind::Category { self.texts } else { BTreeSet::new() };
        Field { kind, documents: self.documents, list: self.list, values, range: self.numbers }
    }

    fn kind(&self, name: &str) -> FieldKind {
        if self.texts.is_empty() {
            return match (self.dates, self.numbers) {
                (true, _) => FieldKind::Date,
                (_, Some(_)) => FieldKind::Number,
                _ => FieldKind::Truth,
            };
        }
        let short = self.texts.iter().all(|text| text.chars().count() <= LONGEST_VALUE);
        let shared = self.texts.len() <= FEW_VALUES || self.texts.len() <= self.documents / 2;
        let prose = PROSE.contains(&name.to_lowercase().as_str());
        if short && shared && self.texts.len() <= MOST_VALUES && !prose {
            FieldKind::Category
        } else {
            FieldKind::Prose
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Date, DocumentId, Metadata};

    fn record(fields: &[(&str, Value)]) -> Record {
        let metadata = Metadata(fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect());
        let id = DocumentId { root: String::new(), path: String::new(), member: None };
        Record { id, title: String::new(), language: None, metadata, hash: 0, bytes: 0, sentences: 0 }
    }

    #[test]
    fn fields_have_kinds_and_categories_have_words() {
        let text = |text: &str| Value::Text(text.to_owned());
        let day = Value::Date(Date { year: 2023, month: 7, day: 28 });
        let records = [
            record(&[("category", text("素菜")), ("title", text("土豆丝")), ("minutes", Value::Number(20.0))]),
            record(&[("category", text("汤")), ("tags", Value::List(vec![text("Quick"), text("汤")])), ("date", day)]),
            record(&[
                ("minutes", Value::Number(5.0)),
                ("note", text(&"long ".repeat(20))),
                ("draft", Value::Bool(true)),
            ]),
        ];
        let catalogue = Catalogue::new(records.iter(), str::to_lowercase);
        let kinds: Vec<_> = catalogue.fields().map(|(name, field)| (name, field.kind)).collect();
        use FieldKind::{Category, Number, Prose, Truth};
        let expected = [
            ("category", Category),
            ("date", FieldKind::Date),
            ("draft", Truth),
            ("minutes", Number),
            ("note", Prose),
            ("tags", Category),
            ("title", Prose),
        ];
        assert_eq!(kinds, expected);
        assert_eq!(catalogue.field("minutes").unwrap().range, Some((5.0, 20.0)));
        let fields = |words: &str| catalogue.meanings(words).iter().map(|m| m.field.as_str()).collect::<Vec<_>>();
        assert_eq!((fields("汤"), fields("quick"), fields("土豆丝")), (vec!["category", "tags"], vec!["tags"], vec![]));
    }
}
