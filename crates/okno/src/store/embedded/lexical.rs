//! The lexical index: which sentences hold a term, and how often.
//!
//! tantivy keeps the posting lists; it does not score. A window's count of a term is the sum of its
//! sentences' counts, with a document frequency and length of its own, so all scales are scored from
//! the sentence lists of one index ([`super::bm25`]). One tantivy document per sentence holds the
//! sentence's terms, one per section holds those of title and headings, one per derived text holds its
//! terms; `place` says which it is.
//!
//! The index is derived: its commit payload names the index and the generation it was built from. It is always
//! committed *before* the generation becomes visible in the key-value store, and what was replaced is
//! deleted from it only afterwards, so a reader of any generation finds all its sentences here and
//! ignores the rest. A payload that does not fit means a crash in between: [`LexicalWriter::remove_from`]
//! takes out what never became visible.

mod damage;
mod nearest;

use super::identity::IndexIdentity;
use super::read_only::ReadOnlyFolder;
use crate::Error;
use crate::document::{Derived, Structure};
use crate::error::StorageKind;
use crate::message::Opaque;
use crate::packed::series::{Series, SeriesReader, SeriesWriter};
use crate::store::{DocumentNumber, FORMAT};
use crate::text::terms::terms;
use damage::{guarded, refuse_damaged, refuse_foreign_columns};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::{Bound, ControlFlow};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tantivy::query::RangeQuery;
use tantivy::schema::{FAST, Field as Column, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};
use tantivy::{
    Index, IndexSettings, IndexWriter, ReloadPolicy, Searcher, SegmentReader, TantivyDocument, TantivyError, Term,
};
use xxhash_rust::xxh3::xxh3_128;

type TantivyResult<T> = std::result::Result<T, TantivyError>;

/// The least tantivy takes; a commit comes long before it is full.
const WRITER_MEMORY: usize = 20_000_000;

/// Set in `place` for a section; without a mark it is a sentence.
const SECTION: u64 = 1 << 31;

/// Set in `place` for a derived text.
const DERIVED: u64 = 1 << 30;

#[derive(Clone, Copy)]
struct LexicalFields {
    /// The document's number, for taking it out.
    document: Column,
    /// Document number in the upper half; sentence or section number in the lower.
    place: Column,
    /// The terms of a sentence.
    body: Column,
    /// The terms of a section's title and headings.
    context: Column,
    /// The terms of a derived text.
    derived: Column,
}

impl LexicalFields {
    fn of(&self, field: TermSource) -> Column {
        match field {
            TermSource::Body => self.body,
            TermSource::Context => self.context,
            TermSource::Derived => self.derived,
        }
    }
}

fn schema() -> (Schema, LexicalFields) {
    let mut builder = Schema::builder();
    let indexing = TextFieldIndexing::default()
        .set_tokenizer("okno")
        .set_fieldnorms(false)
        .set_index_option(IndexRecordOption::WithFreqs);
    let text = TextOptions::default().set_indexing_options(indexing);
    let fields = LexicalFields {
        document: builder.add_u64_field("document", INDEXED),
        place: builder.add_u64_field("place", FAST),
        body: builder.add_text_field("body", text.clone()),
        context: builder.add_text_field("context", text.clone()),
        derived: builder.add_text_field("derived", text),
    };
    (builder.build(), fields)
}

fn opened(folder: &Path, read_only: bool) -> TantivyResult<Index> {
    let index = if read_only { Index::open(ReadOnlyFolder::open(folder)?)? } else { Index::open_in_dir(folder)? };
    Ok(prepared(index))
}

fn prepared(index: Index) -> Index {
    index.tokenizers().register("okno", TermTokenizer::default());
    index
}

/// What a commit says it was built from: the format, the generation, and the identity of the index, which commits of
/// earlier programs do not name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CommitPayload {
    format: u32,
    generation: u64,
    identity: Option<IndexIdentity>,
}

impl CommitPayload {
    fn of(index: &Index) -> TantivyResult<Option<Self>> {
        Ok(Self::parse(&index.load_metas()?.payload.unwrap_or_default()))
    }

    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let (format, generation) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        Some(Self { format, generation, identity: words.next().and_then(|word| word.parse().ok()) })
    }

    fn text(generation: u64, identity: IndexIdentity) -> String {
        format!("{FORMAT} {generation} {identity}")
    }

    /// Whether it names another index.
    fn is_foreign(&self, identity: Option<IndexIdentity>) -> bool {
        self.identity.is_some() && identity.is_some() && self.identity != identity
    }
}

/// The index, for reading.
pub struct Lexical {
    searcher: Searcher,
    fields: LexicalFields,
    /// For each segment, for each of its rows, the number that its reader gave it; looked up once, because a column
    /// and a search for the document would cost more than all else that is done with a posting.
    rows: OnceLock<Vec<Series<u32>>>,
    /// The state of its files; `None` where they may be changing.
    pub stamp: Option<u64>,
}

/// What a row of the index holds the terms of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TermSource {
    /// A sentence.
    Body,
    /// The title and headings of a section.
    Context,
    /// A derived text.
    Derived,
}

/// Which sentence, section or derived text of a document a row is.
#[derive(Debug, Clone, Copy)]
pub struct RowPlace {
    /// The document.
    pub document: DocumentNumber,
    /// Sentence, section or derived text.
    pub field: TermSource,
    /// Its number in the document.
    pub at: u32,
}

impl RowPlace {
    fn read(packed: u64) -> Self {
        let field = match packed & (SECTION | DERIVED) {
            SECTION => TermSource::Context,
            DERIVED => TermSource::Derived,
            _ => TermSource::Body,
        };
        Self { document: (packed >> 32) as u32, field, at: (packed & !(SECTION | DERIVED)) as u32 }
    }
}

/// In `rows`: nothing that can be found.
const NOWHERE: u32 = u32::MAX;

impl Lexical {
    /// Opens what was last committed. One that was built from an index of another identity, or is damaged, is refused;
    /// files whose state is the one in which they were `checked` are not read for that.
    pub fn open(
        folder: &Path,
        identity: Option<IndexIdentity>,
        read_only: bool,
        checked: Option<u64>,
    ) -> TantivyResult<Self> {
        guarded(|| Self::open_unguarded(folder, identity, read_only, checked))
    }

    fn open_unguarded(
        folder: &Path,
        identity: Option<IndexIdentity>,
        read_only: bool,
        checked: Option<u64>,
    ) -> TantivyResult<Self> {
        let (_, fields) = schema();
        let index = opened(folder, read_only)?;
        refuse_foreign_columns(&index)?;
        let stamp = damage::stamp(&index, folder)?;
        if stamp.is_none() || stamp != checked {
            refuse_damaged(&index, folder)?;
        }
        if CommitPayload::of(&index)?.is_some_and(|payload| payload.is_foreign(identity)) {
            return Err(TantivyError::InternalError("it was built from another index".to_owned()));
        }
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Self { searcher: reader.searcher(), fields, rows: OnceLock::new(), stamp })
    }

    /// Whether a term is in one of these fields, in a row that counts.
    pub fn has(
        &self,
        fields: &[TermSource],
        term: &str,
        number: impl Fn(RowPlace) -> Option<u32>,
        counts: impl Fn(u32) -> bool,
    ) -> TantivyResult<bool> {
        let mut found = false;
        self.visit(fields, term, number, |row, _| {
            found = counts(row);
            if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(found)
    }

    /// Every posting of a term in these fields: the number of its place, and how often it is there. `number` gives a
    /// place its number, the same at every call; what has none is passed over.
    pub fn postings(
        &self,
        fields: &[TermSource],
        term: &str,
        number: impl Fn(RowPlace) -> Option<u32>,
    ) -> TantivyResult<Vec<(u32, f32)>> {
        let mut found = Vec::new();
        self.visit(fields, term, number, |row, count| {
            found.push((row, count as f32));
            ControlFlow::Continue(())
        })?;
        Ok(found)
    }

    fn visit(
        &self,
        fields: &[TermSource],
        term: &str,
        number: impl Fn(RowPlace) -> Option<u32>,
        mut found: impl FnMut(u32, u32) -> ControlFlow<()>,
    ) -> TantivyResult<()> {
        guarded(|| {
            let rows = self.rows(number)?;
            for term in fields.iter().map(|&field| Term::from_field_text(self.fields.of(field), term)) {
                for (segment, rows) in self.searcher.segment_readers().iter().zip(rows) {
                    if visit_segment(segment, rows, &term, &mut found)?.is_break() {
                        return Ok(());
                    }
                }
            }
            Ok(())
        })
    }

    fn rows(&self, number: impl Fn(RowPlace) -> Option<u32>) -> TantivyResult<&[Series<u32>]> {
        if let Some(rows) = self.rows.get() {
            return Ok(rows);
        }
        let segments = self.searcher.segment_readers().iter();
        let rows = segments.map(|segment| segment_rows(segment, &number)).collect::<TantivyResult<_>>()?;
        Ok(self.rows.get_or_init(|| rows))
    }

    /// Writes the numbers of all rows, for [`Self::set_kept`].
    pub fn keep(&self, rows: &mut SeriesWriter, number: impl Fn(RowPlace) -> Option<u32>) -> TantivyResult<()> {
        let numbers = guarded(|| self.rows(number))?;
        for (segment, numbers) in self.searcher.segment_readers().iter().zip(numbers) {
            rows.put(&segment_name(segment));
            rows.put(numbers);
        }
        Ok(())
    }

    /// Takes the numbers that [`Self::keep`] wrote, if they are those of these segments.
    pub fn set_kept(&self, rows: &mut SeriesReader) -> Option<()> {
        let numbers = |segment: &SegmentReader| {
            let (name, numbers) = (rows.next::<u64>()?, rows.next::<u32>()?);
            (*name == segment_name(segment) && numbers.len() == segment.max_doc() as usize).then_some(numbers)
        };
        let numbers = self.searcher.segment_readers().iter().map(numbers).collect::<Option<_>>()?;
        self.rows.set(numbers).ok()
    }
}

/// Which segment this is, and how much of it is deleted: that only grows.
fn segment_name(segment: &SegmentReader) -> [u64; 3] {
    let rows = u64::from(segment.max_doc()) << 32 | u64::from(segment.num_docs());
    let name = xxh3_128(segment.segment_id().uuid_string().as_bytes());
    [name as u64, (name >> 64) as u64, rows]
}

impl Lexical {
    /// Reads the whole index: how many rows – sentences, sections, derived texts – each document has.
    pub fn measured(folder: &Path, read_only: bool) -> TantivyResult<HashMap<DocumentNumber, usize>> {
        guarded(|| {
            let index = opened(folder, read_only)?;
            refuse_foreign_columns(&index)?;
            refuse_damaged(&index, folder)?;
            let mut rows = HashMap::new();
            let reader: tantivy::IndexReader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
            for segment in reader.searcher().segment_readers() {
                count_rows(segment, &mut rows)?;
            }
            Ok(rows)
        })
    }
}

fn count_rows(segment: &SegmentReader, rows: &mut HashMap<DocumentNumber, usize>) -> TantivyResult<()> {
    let places = segment.fast_fields().u64("place")?;
    for place in segment.doc_ids_alive().filter_map(|row| places.first(row)) {
        *rows.entry(RowPlace::read(place).document).or_default() += 1;
    }
    Ok(())
}

/// The numbers of a segment's rows.
fn segment_rows(segment: &SegmentReader, number: &impl Fn(RowPlace) -> Option<u32>) -> TantivyResult<Series<u32>> {
    let places = segment.fast_fields().u64("place")?;
    let alive = segment.alive_bitset();
    let row = |document: u32| {
        let place = places.first(document).filter(|_| alive.is_none_or(|alive| alive.is_alive(document)))?;
        number(RowPlace::read(place))
    };
    Ok((0..segment.max_doc()).map(|document| row(document).unwrap_or(NOWHERE)).collect())
}

/// Block by block, because a call per posting costs more than the posting.
fn visit_segment(
    segment: &SegmentReader,
    rows: &[u32],
    term: &Term,
    found: &mut impl FnMut(u32, u32) -> ControlFlow<()>,
) -> TantivyResult<ControlFlow<()>> {
    let index = segment.inverted_index(term.field())?;
    let Some(mut block) = index.read_block_postings(term, IndexRecordOption::WithFreqs)? else {
        return Ok(ControlFlow::Continue(()));
    };
    while block.block_len() > 0 {
        for (&document, &count) in block.docs().iter().zip(block.freqs()) {
            let row = rows[document as usize];
            if row != NOWHERE && found(row, count).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        block.advance();
    }
    Ok(ControlFlow::Continue(()))
}

/// The index, for writing.
pub struct LexicalWriter {
    writer: IndexWriter,
    fields: LexicalFields,
}

impl LexicalWriter {
    /// Opens what was last committed; [`Self::built_from`] says whether it fits.
    pub fn open(folder: &Path) -> TantivyResult<Self> {
        guarded(|| {
            let (_, fields) = schema();
            let index = prepared(Index::open_in_dir(folder)?);
            let writer = index.writer_with_num_threads(1, WRITER_MEMORY)?;
            // A killed writer leaves files that no commit names. Names of deletion files repeat, because operations
            // are numbered on from the last commit: left there, they would make every later commit fail.
            writer.garbage_collect_files().wait()?;
            Ok(Self { writer, fields })
        })
    }

    /// Makes an empty index.
    pub fn create(folder: &Path) -> TantivyResult<Self> {
        let (schema, fields) = schema();
        fs_err::create_dir_all(folder)?;
        let directory = tantivy::directory::MmapDirectory::open(folder).map_err(TantivyError::from)?;
        let index = prepared(Index::create(directory, schema, IndexSettings::default())?);
        Ok(Self { writer: index.writer_with_num_threads(1, WRITER_MEMORY)?, fields })
    }

    /// What it was built from, compared with this generation of this index.
    pub fn built_from(&self, generation: u64, identity: IndexIdentity) -> TantivyResult<Built> {
        let fits = |payload: &CommitPayload| payload.format == FORMAT && !payload.is_foreign(Some(identity));
        let payload = CommitPayload::of(self.writer.index())?.filter(fits);
        Ok(match payload.map(|payload| payload.generation.cmp(&generation)) {
            Some(Ordering::Equal) => Built::Exactly,
            Some(Ordering::Greater) => Built::Beyond,
            Some(Ordering::Less) | None => Built::Otherwise,
        })
    }

    /// Adds a document's sentences, sections and derived texts.
    pub fn add(
        &mut self,
        number: DocumentNumber,
        text: &str,
        title: &str,
        structure: &Structure,
        derived: &[Derived],
    ) -> TantivyResult<()> {
        for (i, sentence) in structure.sentences.iter().enumerate() {
            self.add_place(number, i as u64, self.fields.body, sentence.span.of(text))?;
        }
        for (i, section) in structure.sections.iter().enumerate() {
            let headings = section.path.iter().map(|heading| heading.of(text));
            let context: Vec<&str> = std::iter::once(title).chain(headings).collect();
            self.add_place(number, i as u64 | SECTION, self.fields.context, &context.join("\n"))?;
        }
        for (i, derived) in derived.iter().enumerate() {
            self.add_place(number, i as u64 | DERIVED, self.fields.derived, &derived.text)?;
        }
        Ok(())
    }

    fn add_place(&mut self, number: DocumentNumber, at: u64, field: Column, text: &str) -> TantivyResult<()> {
        let mut row = TantivyDocument::new();
        row.add_u64(self.fields.document, u64::from(number));
        row.add_u64(self.fields.place, u64::from(number) << 32 | at);
        row.add_text(field, text);
        self.writer.add_document(row).map(drop)
    }

    /// Takes a document out.
    pub fn remove(&mut self, number: DocumentNumber) {
        self.writer.delete_term(Term::from_field_u64(self.fields.document, u64::from(number)));
    }

    /// Takes out every document from this number on.
    pub fn remove_from(&mut self, number: DocumentNumber) -> TantivyResult<()> {
        let from = Bound::Included(Term::from_field_u64(self.fields.document, u64::from(number)));
        self.writer.delete_query(Box::new(RangeQuery::new(from, Bound::Unbounded))).map(drop)
    }

    /// Commits for this generation of this index.
    pub fn commit(&mut self, generation: u64, identity: IndexIdentity) -> TantivyResult<()> {
        let mut commit = self.writer.prepare_commit()?;
        commit.set_payload(&CommitPayload::text(generation, identity));
        commit.commit().map(drop)
    }

    /// Waits for the merges under way.
    pub fn finish(self) -> TantivyResult<()> {
        self.writer.wait_merging_threads()
    }
}

/// What a lexical index was built from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Built {
    /// The generation asked about.
    Exactly,
    /// That and more, which never became visible.
    Beyond,
    /// Something else: it must be built anew.
    Otherwise,
}

/// Our index terms as a tantivy tokenizer.
#[derive(Clone, Default)]
struct TermTokenizer {
    stream: Stream,
}

#[derive(Clone, Default)]
struct Stream {
    text: String,
    ends: Vec<usize>,
    next: usize,
    token: Token,
}

impl Tokenizer for TermTokenizer {
    type TokenStream<'a> = &'a mut Stream;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> &'a mut Stream {
        let Stream { text: joined, ends, next, token } = &mut self.stream;
        joined.clear();
        ends.clear();
        *next = 0;
        token.reset();
        terms(text, &mut |term: &str| {
            joined.push_str(term);
            ends.push(joined.len());
        });
        &mut self.stream
    }
}

impl TokenStream for &mut Stream {
    fn advance(&mut self) -> bool {
        let Some(&end) = self.ends.get(self.next) else { return false };
        let start = self.next.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.token.text.clear();
        let Stream { text, token, .. } = &mut **self;
        token.text.push_str(&text[start..end]);
        self.token.position = self.next;
        self.next += 1;
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

/// An error of the lexical index in this folder.
pub fn lexical_failure(path: PathBuf, source: TantivyError) -> Error {
    use tantivy::directory::error::{OpenDirectoryError, OpenReadError, OpenWriteError};
    let kind = match &source {
        TantivyError::IoError(io)
        | TantivyError::OpenDirectoryError(OpenDirectoryError::IoError { io_error: io, .. })
        | TantivyError::OpenReadError(OpenReadError::IoError { io_error: io, .. })
        | TantivyError::OpenWriteError(OpenWriteError::IoError { io_error: io, .. }) => StorageKind::from(&**io),
        _ => StorageKind::Other,
    };
    Error::Lexical { path, kind, source: Opaque::new(source) }
}
