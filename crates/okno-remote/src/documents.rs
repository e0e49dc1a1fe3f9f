//! Documents as rows: text, structure, record and vectors, in parts that fit into a field.
//!
//! A document has as many rows as its longest stream has parts; most have one. An amended record is a row of its own
//! with the generation it was born in, so that older generations keep the old one.

use crate::conditions::{RowCondition, among};
use crate::driver::{Columns, Lookup, RemoteTable, StoreDriver};
use crate::failure::DamagedRow;
use crate::fields::{FIRST_ROW, root_token};
use crate::numbers::Numbers;
use crate::pack::{self, parts};
use okno::Result;
use okno::document::{Derived, Record, Structure};
use okno::store::{DocumentNumber, PreparedDocument, Vectors, id_key};
use std::collections::BTreeMap;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// Documents in one answer, at most.
const PAGE: usize = 500;

/// Documents whose numbers one answer may hold: some 10 MB.
const NUMBERS: usize = 200_000;

/// Roots asked about in one request.
const ROOTS: usize = 100;

/// Bytes in one request, about.
const BATCH_BYTES: usize = 8 << 20;

/// A document as it is read.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredDocument {
    pub number: DocumentNumber,
    pub record: Record,
    pub structure: Arc<Structure>,
    pub derived: Arc<[Derived]>,
    pub text: String,
    /// What the lexical leg sees above all of it, as it was when its rows were made: which fields that includes may
    /// have changed.
    pub above: String,
}

/// Bytes of a record in memory, at most in most indexes: one of a corpus with few fields takes about 1 kB.
const RECORD: usize = 3 << 10;

impl StoredDocument {
    /// Bytes in memory, about.
    pub fn bytes(&self) -> usize {
        let structure = self.structure.sentences.len() * 32 + self.structure.sections.len() * 64;
        let derived: usize = self.derived.iter().map(|unit| unit.text.len() + 48).sum();
        self.text.len() + self.above.len() + structure + derived + RECORD
    }
}

/// A row.
struct DocumentRow {
    key: String,
    document: DocumentNumber,
    part: i64,
    born: u64,
    id: String,
    hash: String,
    content: i64,
    /// Record, structure, text, vectors.
    streams: [String; 4],
    /// Of the fields and the root; in the first row of a document.
    tokens: Vec<String>,
}

const STREAMS: [&str; 4] = ["record", "head", "text", "vectors"];

/// A hash of the text, to find copies.
pub fn content(text: &str) -> i64 {
    xxh3_64(text.as_bytes()).cast_signed()
}

fn rows(
    number: DocumentNumber,
    document: &PreparedDocument,
    (above, tokens): (&str, &[String]),
    born: u64,
    dimensions: usize,
) -> Vec<DocumentRow> {
    let record = pack::write(&document.record);
    let mut tokens = tokens.to_vec();
    if !tokens.is_empty() {
        tokens.extend(root_token(&document.record.id.root).into_iter().chain([FIRST_ROW.to_owned()]));
    }
    let head = pack::write(&(&document.structure, &document.derived, above));
    let vectors = pack::to_text(&pack::pack_vectors(&document.vectors, dimensions));
    let streams = [parts(&record), parts(&head), parts(&document.text), parts(&vectors)];
    let count = streams.iter().map(Vec::len).max().unwrap_or(1);
    let row = |at: usize| DocumentRow {
        key: format!("{number:x}/{at}"),
        document: number,
        part: at as i64,
        born,
        id: format!("{:032x}", id_key(&document.record.id)),
        hash: format!("{:032x}", document.record.hash),
        content: content(&document.text),
        streams: std::array::from_fn(|stream| streams[stream].get(at).copied().unwrap_or_default().to_owned()),
        tokens: if at == 0 { tokens.clone() } else { Vec::new() },
    };
    (0..count).map(row).collect()
}

fn amended_rows(number: DocumentNumber, record: &Record, born: u64) -> Vec<DocumentRow> {
    let packed = pack::write(record);
    let row = |(at, part): (usize, &str)| DocumentRow {
        key: format!("{number:x}/{born:x}/{at}"),
        document: number,
        part: -1 - at as i64,
        born,
        id: format!("{:032x}", id_key(&record.id)),
        hash: format!("{:032x}", record.hash),
        content: 0,
        streams: [part.to_owned(), String::new(), String::new(), String::new()],
        tokens: Vec::new(),
    };
    parts(&packed).into_iter().enumerate().map(row).collect()
}

fn columns(rows: &mut [DocumentRow]) -> Columns {
    let numbers = |name, value: &dyn Fn(&DocumentRow) -> i64| (name, rows.iter().map(value).collect::<Vec<_>>());
    let numbers = vec![
        numbers("document", &|row| i64::from(row.document)),
        numbers("part", &|row| row.part),
        numbers("born", &|row| row.born as i64),
        numbers("content", &|row| row.content),
    ];
    let tokens = rows.iter_mut().map(|row| std::mem::take(&mut row.tokens)).collect();
    let mut columns = Columns { numbers, texts: Vec::new(), tokens };
    let mut texts = |name, value: &dyn Fn(&mut DocumentRow) -> String| {
        columns.texts.push((name, rows.iter_mut().map(value).collect()));
    };
    texts("key", &|row| std::mem::take(&mut row.key));
    texts("id", &|row| std::mem::take(&mut row.id));
    texts("hash", &|row| std::mem::take(&mut row.hash));
    for (at, name) in STREAMS.into_iter().enumerate() {
        texts(name, &|row| std::mem::take(&mut row.streams[at]));
    }
    columns
}

/// The documents of an index.
#[derive(Clone)]
pub struct DocumentCollection {
    pub driver: Arc<dyn StoreDriver>,
}

impl DocumentCollection {
    /// Writes documents, each with what the lexical leg sees above it and the tokens of its fields.
    pub fn put(
        &self,
        documents: &[(DocumentNumber, PreparedDocument)],
        above: &[String],
        tokens: &[Arc<[String]>],
        born: u64,
        dimensions: usize,
    ) -> Result<()> {
        let all = documents.iter().zip(above.iter().zip(tokens));
        self.write(all.flat_map(|((number, document), (above, tokens))| {
            rows(*number, document, (above.as_str(), &**tokens), born, dimensions)
        }))
    }

    /// The documents of these whose rows fulfil a condition on their fields, page after page.
    pub fn fulfilling(&self, condition: &RowCondition, numbers: &Numbers) -> Result<Vec<DocumentNumber>> {
        let (Some(first), Some(last)) = (numbers.runs().first(), numbers.runs().last()) else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        // Other rows have no tokens, so that they fulfil what something must not have.
        let condition = RowCondition::Has(vec![FIRST_ROW.to_owned()]).and(condition.clone());
        for start in (first.start..last.end).step_by(NUMBERS) {
            let end = last.end.min(start.saturating_add(NUMBERS as u32));
            let among = among(std::slice::from_ref(&(start..end)));
            let lookup = self.looking(&among.and(condition.clone()), &["document"]);
            let table = self.driver.look_up_one(lookup)?;
            found.extend(table.numbers("document").iter().map(|&number| number as u32));
        }
        found.retain(|number| numbers.contains(*number));
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Which of these roots have a document that fulfils a condition.
    pub fn roots_of(&self, condition: &RowCondition, roots: &[String]) -> Result<Vec<bool>> {
        let lookup = |root: &String| {
            let of_root = RowCondition::Has(root_token(root).into_iter().collect());
            Lookup { most: Some(1), ..self.looking(&of_root.and(condition.clone()), &["document"]) }
        };
        let mut used = Vec::with_capacity(roots.len());
        for some in roots.chunks(ROOTS) {
            let answers = self.driver.look_up(some.iter().map(lookup).collect())?;
            used.extend(answers.iter().map(|table| !table.numbers("document").is_empty()));
        }
        Ok(used)
    }

    /// Writes amended records.
    pub fn amend<'r>(&self, records: impl Iterator<Item = (DocumentNumber, &'r Record)>, born: u64) -> Result<()> {
        self.write(records.flat_map(|(number, record)| amended_rows(number, record, born)))
    }

    fn write(&self, rows: impl Iterator<Item = DocumentRow>) -> Result<()> {
        let mut rows = rows.peekable();
        while rows.peek().is_some() {
            let mut bytes = 0;
            let mut batch: Vec<DocumentRow> = std::iter::from_fn(|| {
                let row = rows.next_if(|_| bytes < BATCH_BYTES)?;
                bytes += row.streams.iter().map(String::len).sum::<usize>() + 256;
                Some(row)
            })
            .collect();
            self.driver.write(RemoteTable::Documents, columns(&mut batch))?;
        }
        Ok(())
    }

    fn lookup(&self, numbers: &Numbers, fields: &'static [&'static str]) -> Lookup {
        self.looking(&among(numbers.runs()), fields)
    }

    fn looking(&self, condition: &RowCondition, fields: &'static [&'static str]) -> Lookup {
        let expression = self.driver.expression(condition);
        Lookup { table: RemoteTable::Documents, expression, fields, most: None }
    }

    /// Made lazily: a large index has many.
    fn pages<'n>(
        &'n self,
        numbers: &'n Numbers,
        fields: &'static [&'static str],
    ) -> impl Iterator<Item = Lookup> + use<'n> {
        numbers.pages(PAGE).map(move |page| self.lookup(&page, fields))
    }

    /// Reads documents as a generation sees them, in one round trip.
    pub fn read(&self, numbers: &Numbers, generation: u64) -> Result<Vec<StoredDocument>> {
        const FIELDS: &[&str] = &["document", "part", "born", "record", "head", "text"];
        let tables = self.driver.look_up(self.pages(numbers, FIELDS).collect())?;
        let mut read = Vec::new();
        for (number, streams) in tables.iter().flat_map(|table| gathered(table, generation)) {
            read.push(stored(number, streams).ok_or_else(|| self.unreadable(number))?);
        }
        Ok(read)
    }

    /// Reads documents with their vectors.
    pub fn read_whole(
        &self,
        numbers: &Numbers,
        generation: u64,
        dimensions: usize,
    ) -> Result<Vec<(StoredDocument, Vectors)>> {
        const FIELDS: &[&str] = &["document", "part", "born", "record", "head", "text", "vectors"];
        let tables = self.driver.look_up(self.pages(numbers, FIELDS).collect())?;
        let mut read = Vec::new();
        for (number, mut streams) in tables.iter().flat_map(|table| gathered(table, generation)) {
            let packed = std::mem::take(&mut streams[3]);
            let whole = || {
                let stored = stored(number, streams)?;
                let (sentences, sections) = (stored.structure.sentences.len(), stored.structure.sections.len());
                let vectors = pack::read_vectors(&pack::from_text(&packed)?, sentences, sections, dimensions)?;
                Some((stored, vectors))
            };
            read.push(whole().ok_or_else(|| self.unreadable(number))?);
        }
        Ok(read)
    }

    /// Reads the records of documents.
    pub fn records(&self, numbers: &Numbers, generation: u64) -> Result<Vec<(DocumentNumber, Record)>> {
        let mut records = Vec::with_capacity(numbers.count());
        self.each_record(numbers, generation, &mut |number, record| records.push((number, record)))?;
        Ok(records)
    }

    /// Reads the records of documents, page after page, by ascending number.
    pub fn each_record(
        &self,
        numbers: &Numbers,
        generation: u64,
        each: &mut dyn FnMut(DocumentNumber, Record),
    ) -> Result<()> {
        const FIELDS: &[&str] = &["document", "part", "born", "record"];
        for page in self.pages(numbers, FIELDS) {
            let table = self.driver.look_up_one(page)?;
            for (number, [record, ..]) in gathered(&table, generation) {
                each(number, pack::read(&record).ok_or_else(|| self.unreadable(number))?);
            }
        }
        Ok(())
    }

    /// Ids, numbers and content hashes of documents, page after page.
    pub fn ids(&self, numbers: &Numbers, generation: u64) -> Result<Vec<(u128, DocumentNumber, u128)>> {
        let mut ids = Vec::with_capacity(numbers.count());
        for page in self.pages(numbers, IDS) {
            ids.extend(read_ids(&self.driver.look_up_one(page)?, generation));
        }
        Ok(ids)
    }

    /// The numbers and content hashes that a document of this id has or had.
    pub fn with_id(&self, id: u128, generation: u64) -> Result<Vec<(u128, DocumentNumber, u128)>> {
        let lookup = self.looking(&RowCondition::named("id", format!("{id:032x}")), IDS);
        Ok(read_ids(&self.driver.look_up_one(lookup)?, generation))
    }

    /// The documents whose texts may be these.
    pub fn with_contents(&self, contents: &[i64]) -> Result<Vec<(i64, DocumentNumber)>> {
        const FIELDS: &[&str] = &["document", "part", "content"];
        let mut found = Vec::new();
        for page in contents.chunks(PAGE) {
            let lookup = self.looking(&RowCondition::In("content", page.to_vec()), FIELDS);
            let table = self.driver.look_up_one(lookup)?;
            let rows = table.numbers("content").iter().zip(table.numbers("document")).zip(table.numbers("part"));
            found.extend(rows.filter(|(_, part)| **part == 0).map(|((&content, &number), _)| (content, number as u32)));
        }
        Ok(found)
    }

    fn unreadable(&self, number: DocumentNumber) -> okno::Error {
        self.driver.damaged(DamagedRow::Document { number })
    }
}

const IDS: &[&str] = &["document", "part", "born", "id", "hash"];

fn read_ids(table: &Columns, generation: u64) -> Vec<(u128, DocumentNumber, u128)> {
    let (numbers, parts, born) = (table.numbers("document"), table.numbers("part"), table.numbers("born"));
    let mut latest: BTreeMap<DocumentNumber, (i64, u128, u128)> = BTreeMap::new();
    for (at, (id, hash)) in table.texts("id").iter().zip(table.texts("hash")).enumerate() {
        let seen = matches!(parts[at], 0 | -1) && born[at] as u64 <= generation;
        let (Ok(id), Ok(hash)) = (u128::from_str_radix(id, 16), u128::from_str_radix(hash, 16)) else { continue };
        let known = latest.entry(numbers[at] as u32).or_insert((i64::MIN, id, hash));
        if seen && born[at] > known.0 {
            *known = (born[at], id, hash);
        }
    }
    latest
        .into_iter()
        .filter(|(_, known)| known.0 > i64::MIN)
        .map(|(number, (_, id, hash))| (id, number, hash))
        .collect()
}

/// The streams of each document of a table as a generation sees them.
fn gathered(table: &Columns, generation: u64) -> Vec<(DocumentNumber, [String; 4])> {
    let (numbers, parts, born) = (table.numbers("document"), table.numbers("part"), table.numbers("born"));
    let columns = STREAMS.map(|name| table.texts(name));
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    // Of a document: its own parts in order, then amendments as they came, each in order.
    order.sort_unstable_by_key(|&at| {
        (numbers[at], parts[at] < 0, if parts[at] < 0 { born[at] } else { 0 }, parts[at].abs())
    });
    let mut documents: Vec<(DocumentNumber, [String; 4])> = Vec::new();
    for at in order.into_iter().filter(|&at| parts[at] >= 0 || born[at] as u64 <= generation) {
        let number = numbers[at] as u32;
        if documents.last().is_none_or(|(last, _)| *last != number) {
            documents.push((number, Default::default()));
        }
        let Some((_, streams)) = documents.last_mut() else { continue };
        if parts[at] == -1 {
            streams[0].clear();
        }
        for (stream, column) in streams.iter_mut().zip(columns) {
            stream.push_str(column.get(at).map_or("", String::as_str));
        }
    }
    documents
}

fn stored(number: DocumentNumber, [record, head, text, _]: [String; 4]) -> Option<StoredDocument> {
    let record: Record = pack::read(&record)?;
    let (structure, derived, above): (Structure, Vec<Derived>, String) = pack::read(&head)?;
    let whole = record.bytes == text.len() as u64
        || structure.sentences.last().is_none_or(|last| last.span.end as usize <= text.len());
    whole.then(|| StoredDocument {
        number,
        record,
        structure: Arc::new(structure),
        derived: derived.into(),
        text,
        above,
    })
}
