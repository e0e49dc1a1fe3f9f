//! The fields of all documents by columns: a filter is asked of each value once, and not of each record.
//!
//! A column numbers the values of one field and holds the number of each document's, so what a filter costs hardly
//! grows with the documents. Fields with many or long values have no column, and fields of few documents where there
//! are many fields; where a filter asks about one, the records that the rest of the filter leaves open are read.

use crate::document::{Filter, Record, Value};
use crate::packed::series::{Series, SeriesReader, SeriesWriter};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

/// The columns of a generation.
#[derive(Default)]
pub struct FieldColumns {
    documents: usize,
    /// By field; `None` for a field that has no column.
    fields: BTreeMap<String, Option<Column>>,
}

struct Column {
    /// What documents have; the first is for those that lack the field.
    values: Vec<Option<Value>>,
    /// For each document, in the order of the atlas, which of these it has.
    of_document: Series<u16>,
}

/// What a filter says of a document: the least of some where all must hold, the greatest where one must.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum FilterVerdict {
    /// It does not match.
    No,
    /// The columns do not tell.
    Open,
    /// It matches.
    Yes,
}

impl FilterVerdict {
    fn of(matches: bool) -> Self {
        if matches { Self::Yes } else { Self::No }
    }

    fn opposite(self) -> Self {
        match self {
            Self::No => Self::Yes,
            Self::Open => Self::Open,
            Self::Yes => Self::No,
        }
    }
}

/// Fields that a record has beside its metadata; every document has a path of its own, and most a title.
const LANGUAGE: &str = "language";
const OWN: [&str; 3] = ["title", "path", "doc_id"];

/// Bytes that the values of a column may take together, for each document and at least.
const VALUES_EACH: usize = 16;
const VALUES_AT_LEAST: usize = 64 << 10;

/// Columns, at most: those of the fields that most documents have. Each takes two bytes for every document, whether it
/// has the field or not, and a file may name as many fields as it likes.
const MOST_COLUMNS: usize = 32;

impl FieldColumns {
    /// The columns of these records, by ascending number; `None` for one that cannot be read.
    pub fn new(records: impl Iterator<Item = Option<Record>>) -> Self {
        let mut drafts: BTreeMap<String, ColumnDraft> = BTreeMap::new();
        let mut documents = 0;
        for record in records {
            for (field, value) in record.iter().flat_map(values) {
                if !drafts.contains_key(field) {
                    drafts.insert(field.to_owned(), ColumnDraft::default());
                }
                if let Some(draft) = drafts.get_mut(field) {
                    draft.add(documents, &value);
                }
            }
            documents += 1;
        }
        let mut having: Vec<usize> = drafts.values().map(|draft| draft.having.len()).collect();
        having.sort_unstable_by(|a, b| b.cmp(a));
        let fewest = having.get(MOST_COLUMNS).map_or(0, |&next| next + 1);
        let finish = |draft: ColumnDraft| (draft.having.len() >= fewest).then(|| draft.finish(documents)).flatten();
        Self { documents, fields: drafts.into_iter().map(|(field, draft)| (field, finish(draft))).collect() }
    }

    /// Writes them for [`Self::kept`]; `None` where a value cannot be written.
    pub fn keep(&self, rows: &mut SeriesWriter) -> Option<()> {
        let names: Vec<KeptField<'_>> = self
            .fields
            .iter()
            .map(|(name, column)| {
                (Cow::Borrowed(name.as_str()), column.as_ref().map(|column| Cow::Borrowed(&*column.values)))
            })
            .collect();
        rows.put(&postcard::to_stdvec(&names).ok()?);
        for column in self.fields.values().flatten() {
            rows.put(&column.of_document);
        }
        Some(())
    }

    /// What [`Self::keep`] wrote of so many documents; `None` where that does not fit.
    pub fn kept(rows: &mut SeriesReader, documents: usize) -> Option<Self> {
        let names = rows.next::<u8>()?;
        let names: Vec<KeptField<'_>> = postcard::from_bytes(&names).ok()?;
        let mut column = |values: Cow<'_, [Option<Value>]>| {
            let (values, of_document) = (values.into_owned(), rows.next::<u16>()?);
            (of_document.len() == documents).then_some(Column { values, of_document })
        };
        let field = |(name, values): KeptField<'_>| {
            let column = match values {
                Some(values) => Some(column(values)?),
                None => None,
            };
            Some((name.into_owned(), column))
        };
        let fields = names.into_iter().map(field).collect::<Option<_>>()?;
        Some(Self { documents, fields })
    }

    /// What a filter says of each document, in the order of the atlas.
    pub fn verdicts(&self, filter: &Filter) -> Vec<FilterVerdict> {
        match filter {
            Filter::All(filters) => self.combined(filters, FilterVerdict::Yes, FilterVerdict::min),
            Filter::Any(filters) => self.combined(filters, FilterVerdict::No, FilterVerdict::max),
            Filter::Not(filter) => self.verdicts(filter).into_iter().map(FilterVerdict::opposite).collect(),
            Filter::Compare(field, ..) | Filter::In(field, _) | Filter::Exists(field) => self.of_field(field, filter),
        }
    }

    fn combined(
        &self,
        filters: &[Filter],
        first: FilterVerdict,
        combine: fn(FilterVerdict, FilterVerdict) -> FilterVerdict,
    ) -> Vec<FilterVerdict> {
        let mut all = vec![first; self.documents];
        for filter in filters {
            all.iter_mut().zip(self.verdicts(filter)).for_each(|(all, one)| *all = combine(*all, one));
        }
        all
    }

    /// The verdicts of a condition on one field.
    fn of_field(&self, field: &str, condition: &Filter) -> Vec<FilterVerdict> {
        let of_value =
            |value: Option<&Value>| FilterVerdict::of(condition.matches(&|_: &str| value.map(Cow::Borrowed)));
        match self.fields.get(field) {
            Some(Some(column)) => {
                let verdicts: Vec<FilterVerdict> = column.values.iter().map(|value| of_value(value.as_ref())).collect();
                let verdict = |&at: &u16| verdicts.get(usize::from(at)).copied().unwrap_or(FilterVerdict::Open);
                column.of_document.iter().map(verdict).collect()
            }
            None if !OWN.contains(&field) => vec![of_value(None); self.documents],
            _ => vec![FilterVerdict::Open; self.documents],
        }
    }
}

/// A field as it is kept, with the values of its column.
type KeptField<'c> = (Cow<'c, str>, Option<Cow<'c, [Option<Value>]>>);

/// The fields of a record that may have columns.
fn values(record: &Record) -> impl Iterator<Item = (&str, Cow<'_, Value>)> {
    let metadata = record.metadata.0.iter().filter(|(field, _)| !OWN.contains(&field.as_str()) && *field != LANGUAGE);
    let metadata = metadata.map(|(field, value)| (field.as_str(), Cow::Borrowed(value)));
    metadata.chain(record.field(LANGUAGE).map(|language| (LANGUAGE, language)))
}

/// A column in the making.
#[derive(Default)]
struct ColumnDraft {
    values: Vec<Value>,
    /// The number of each value, by the form in which it is kept.
    numbers: HashMap<Vec<u8>, u16>,
    bytes: usize,
    /// The documents that have the field, and which value.
    having: Vec<(usize, u16)>,
    /// It has too many values for a column.
    is_given_up: bool,
}

impl ColumnDraft {
    fn add(&mut self, document: usize, value: &Value) {
        let key = if self.is_given_up { return } else { postcard::to_stdvec(value).unwrap_or_default() };
        let number = match self.numbers.get(&key) {
            Some(&number) => number,
            None => match u16::try_from(self.values.len() + 1) {
                Ok(number) => {
                    self.bytes += key.len();
                    self.values.push(value.clone());
                    self.numbers.insert(key, number);
                    number
                }
                Err(_) => return *self = Self { is_given_up: true, ..Self::default() },
            },
        };
        self.having.push((document, number));
    }

    fn finish(self, documents: usize) -> Option<Column> {
        if self.is_given_up || self.bytes > VALUES_AT_LEAST.max(VALUES_EACH * documents) {
            return None;
        }
        let mut of_document = vec![0; documents];
        for (document, number) in self.having {
            of_document[document] = number;
        }
        let values = std::iter::once(None).chain(self.values.into_iter().map(Some)).collect();
        Some(Column { values, of_document: of_document.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{DocumentId, Metadata};
    use proptest::prelude::*;

    fn record(number: usize, language: Option<&str>, metadata: Metadata) -> Record {
        let id = DocumentId { root: "/r".to_owned(), path: format!("d{number}"), member: None };
        let language = language.map(str::to_owned);
        Record { id, title: format!("T{}", number % 3), language, metadata, hash: 0, bytes: 0, sentences: 0 }
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let one = prop_oneof![
            (0..4u8).prop_map(|n| Value::Text(format!("v{n}"))),
            (0..4u8).prop_map(|n| Value::Number(f64::from(n))),
            any::<bool>().prop_map(Value::Bool),
        ];
        prop_oneof![4 => one.clone(), 1 => prop::collection::vec(one, 0..3).prop_map(Value::List)]
    }

    fn any_record() -> impl Strategy<Value = (Option<&'static str>, Metadata)> {
        let language = prop::option::of(prop_oneof![Just("zh"), Just("en")]);
        let field = prop_oneof![Just("a"), Just("b"), Just("title"), Just("language")];
        let fields = prop::collection::btree_map(field.prop_map(str::to_owned), any_value(), 0..4);
        (language, fields.prop_map(Metadata))
    }

    fn any_filter() -> impl Strategy<Value = Filter> {
        let field = prop_oneof![Just("a"), Just("b"), Just("title"), Just("language"), Just("path"), Just("none")];
        let literal = prop_oneof![Just("v1"), Just("2"), Just("true"), Just("T1"), Just("zh"), Just("d3")];
        let comparison = prop::sample::select(crate::document::Comparison::ALL.to_vec());
        let leaf = (field, comparison, literal, 0..3u8).prop_map(|(field, comparison, literal, form)| match form {
            0 => Filter::Exists(field.to_owned()),
            1 => Filter::In(field.to_owned(), vec![literal.to_owned(), "v0".to_owned()]),
            _ => Filter::Compare(field.to_owned(), comparison, literal.to_owned()),
        });
        leaf.prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Filter::All),
                prop::collection::vec(inner.clone(), 0..3).prop_map(Filter::Any),
                inner.prop_map(|filter| Filter::Not(Box::new(filter))),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_verdict_is_what_the_record_says(
            records in prop::collection::vec(any_record(), 0..20),
            filter in any_filter(),
        ) {
            let records = records.into_iter().enumerate();
            let records: Vec<Record> =
                records.map(|(at, (language, metadata))| record(at, language, metadata)).collect();
            let computed = FieldColumns::new(records.iter().cloned().map(Some));
            let asks_own = filter.fields().iter().any(|field| OWN.contains(field));
            for columns in [kept(&computed, records.len()), computed] {
                let verdicts = columns.verdicts(&filter);
                prop_assert_eq!(verdicts.len(), records.len());
                for (record, verdict) in records.iter().zip(verdicts) {
                    let expected = FilterVerdict::of(record.matches(&filter));
                    prop_assert!(verdict == expected || asks_own && verdict == FilterVerdict::Open);
                }
            }
        }
    }

    fn kept(columns: &FieldColumns, documents: usize) -> FieldColumns {
        let mut writer = SeriesWriter::default();
        columns.keep(&mut writer).unwrap();
        FieldColumns::kept(&mut SeriesReader::of(&writer), documents).unwrap()
    }

    #[test]
    fn of_many_fields_those_that_most_documents_have_are_columns() {
        let records = (0..1000).map(|at| {
            let field = |name: String| (name, Value::Number(f64::from(at % 2)));
            let names = (0..20).map(|own| format!("only{at}-{own}")).chain(["common".to_owned()]);
            Some(record(at as usize, None, Metadata(names.map(field).collect())))
        });
        let columns = FieldColumns::new(records);
        assert_eq!(columns.fields.len(), 20_001);
        assert!(columns.fields.values().flatten().count() <= MOST_COLUMNS);
        let verdicts = |filter: &str| columns.verdicts(&Filter::parse(filter).unwrap());
        assert_eq!(verdicts("common = 1").iter().filter(|verdict| **verdict == FilterVerdict::Yes).count(), 500);
        assert!(verdicts("only7-3 = 1").iter().all(|verdict| *verdict == FilterVerdict::Open));
    }

    #[test]
    fn a_field_with_many_or_long_values_is_left_open() {
        let texts = |length: usize| {
            let text = move |at: usize| Value::Text(format!("{at:length$}"));
            (0..70_000).map(move |at| {
                let metadata = Metadata([("own".to_owned(), text(at)), ("same".to_owned(), text(7))].into());
                Some(record(at, None, metadata))
            })
        };
        for columns in [FieldColumns::new(texts(5)), FieldColumns::new(texts(2000).take(1000))] {
            let verdicts = |filter: &str| columns.verdicts(&Filter::parse(filter).unwrap());
            assert!(verdicts("own = x").iter().all(|verdict| *verdict == FilterVerdict::Open));
            assert!(verdicts("own = x and same = y").iter().all(|verdict| *verdict == FilterVerdict::No));
            assert!(verdicts("own = x or same exists").iter().all(|verdict| *verdict == FilterVerdict::Yes));
        }
    }
}
