//! The lexical index: which sentences hold a term, and how often.
//!
//! tantivy keeps the posting lists; it does not score. A window's count of a term is the sum of its
//! sentences' counts, with a document frequency and length of its own, so all scales are scored from
//! the sentence lists of one index ([`super::score`]). One tantivy document per sentence holds the
//! sentence's terms, one per section holds those of title and headings, one per derived text holds its
//! terms; `place` says which it is.
//!
//! The index is derived: its commit payload names the generation it was built from. It is always
//! committed *before* the generation becomes visible in the key-value store, and what was replaced is
//! deleted from it only afterwards, so a reader of any generation finds all its sentences here and
//! ignores the rest. A payload that does not fit means a crash in between: [`LexicalWriter::remove_from`]
//! takes out what never became visible.

use crate::document::{Derived, Structure};
use crate::store::terms::terms;
use crate::store::{DocumentNumber, FORMAT};
use std::ops::Bound;
use std::path::Path;
use tantivy::columnar::Column;
use tantivy::index::SegmentComponent;
use tantivy::postings::Postings;
use tantivy::query::RangeQuery;
use tantivy::schema::{FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};
use tantivy::{
    DocSet, Index, IndexSettings, IndexWriter, ReloadPolicy, Searcher, SegmentReader, TERMINATED, TantivyDocument,
    TantivyError, Term,
};

type Result<T> = std::result::Result<T, TantivyError>;

/// The least tantivy takes; a commit comes long before it is full.
const WRITER_MEMORY: usize = 20_000_000;

/// Set in `place` for a section; without a mark it is a sentence.
const SECTION: u64 = 1 << 31;

/// Set in `place` for a derived text.
const DERIVED: u64 = 1 << 30;

#[derive(Clone, Copy)]
struct Fields {
    /// The document's number, for taking it out.
    document: Field,
    /// Document number in the upper half; sentence or section number in the lower.
    place: Field,
    /// The terms of a sentence.
    body: Field,
    /// The terms of a section's title and headings.
    context: Field,
    /// The terms of a derived text.
    derived: Field,
}

fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let indexing = TextFieldIndexing::default()
        .set_tokenizer("okno")
        .set_fieldnorms(false)
        .set_index_option(IndexRecordOption::WithFreqs);
    let text = TextOptions::default().set_indexing_options(indexing);
    let fields = Fields {
        document: builder.add_u64_field("document", INDEXED),
        place: builder.add_u64_field("place", FAST),
        body: builder.add_text_field("body", text.clone()),
        context: builder.add_text_field("context", text.clone()),
        derived: builder.add_text_field("derived", text),
    };
    (builder.build(), fields)
}

fn prepared(index: Index) -> Index {
    index.tokenizers().register("okno", Terms::default());
    index
}

/// The payload of a commit: the format and the generation.
fn payload(generation: u64) -> String {
    format!("{FORMAT} {generation}")
}

/// The index, for reading.
pub struct Lexical {
    searcher: Searcher,
    places: Vec<Column<u64>>,
    fields: Fields,
}

/// One posting: the sentence, section or derived text of a document, and how often the term is in it.
pub struct Posting {
    /// The document.
    pub document: DocumentNumber,
    /// The sentence, the section or the derived text.
    pub at: u32,
    /// How often.
    pub count: u32,
}

impl Lexical {
    /// Opens what was last committed.
    pub fn open(folder: &Path) -> Result<Self> {
        let (_, fields) = schema();
        let index = prepared(Index::open_in_dir(folder)?);
        refuse_stumps(&index, folder)?;
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let searcher = reader.searcher();
        let places = searcher
            .segment_readers()
            .iter()
            .map(|segment| segment.fast_fields().u64("place"))
            .collect::<Result<_>>()?;
        Ok(Self { searcher, places, fields })
    }

    /// Calls back with every posting of a term in sentences.
    pub fn sentences(&self, term: &str, found: impl FnMut(Posting)) -> Result<()> {
        self.postings(self.fields.body, term, found)
    }

    /// Calls back with every posting of a term in the titles and headings of sections.
    pub fn sections(&self, term: &str, found: impl FnMut(Posting)) -> Result<()> {
        self.postings(self.fields.context, term, found)
    }

    /// Calls back with every posting of a term in derived texts.
    pub fn derived(&self, term: &str, found: impl FnMut(Posting)) -> Result<()> {
        self.postings(self.fields.derived, term, found)
    }

    fn postings(&self, field: Field, term: &str, mut found: impl FnMut(Posting)) -> Result<()> {
        let term = Term::from_field_text(field, term);
        for (segment, places) in self.searcher.segment_readers().iter().zip(&self.places) {
            segment_postings(segment, places, &term, &mut found)?;
        }
        Ok(())
    }
}

/// Files of a segment end with a footer of at least this many bytes; tantivy panics on shorter ones.
const FOOTER: u64 = 8;

/// Only files that a commit names: a writer may be making others right now.
fn refuse_stumps(index: &Index, folder: &Path) -> Result<()> {
    use SegmentComponent::{Delete, FastFields, FieldNorms, Positions, Postings, Store, Terms};
    let kinds = [Postings, Positions, FastFields, FieldNorms, Terms, Store, Delete];
    let segments = index.searchable_segment_metas()?;
    for file in segments.iter().flat_map(|segment| kinds.iter().map(|kind| segment.relative_path(kind.clone()))) {
        // Not every kind of file is there for every segment.
        if folder.join(&file).metadata().is_ok_and(|metadata| metadata.len() < FOOTER) {
            return Err(TantivyError::InternalError(format!("`{}` is cut off", file.display())));
        }
    }
    Ok(())
}

fn segment_postings(
    segment: &SegmentReader,
    places: &Column<u64>,
    term: &Term,
    found: &mut impl FnMut(Posting),
) -> Result<()> {
    let Some(mut postings) = segment.inverted_index(term.field())?.read_postings(term, IndexRecordOption::WithFreqs)?
    else {
        return Ok(());
    };
    let alive = segment.alive_bitset();
    let mut document = postings.doc();
    while document != TERMINATED {
        if alive.is_none_or(|alive| alive.is_alive(document)) {
            let place = places.first(document).unwrap_or_default();
            found(Posting {
                document: (place >> 32) as u32,
                at: (place & !(SECTION | DERIVED)) as u32,
                count: postings.term_freq(),
            });
        }
        document = postings.advance();
    }
    Ok(())
}

/// The index, for writing.
pub struct LexicalWriter {
    writer: IndexWriter,
    fields: Fields,
}

impl LexicalWriter {
    /// Opens what was last committed; [`Self::built_from`] says whether it fits.
    pub fn open(folder: &Path) -> Result<Self> {
        let (_, fields) = schema();
        let index = prepared(Index::open_in_dir(folder)?);
        let writer = index.writer_with_num_threads(1, WRITER_MEMORY)?;
        // A killed writer leaves files that no commit names. Names of deletion files repeat, because operations are
        // numbered on from the last commit: left there, they would make every later commit fail.
        writer.garbage_collect_files().wait()?;
        Ok(Self { writer, fields })
    }

    /// Makes an empty index.
    pub fn create(folder: &Path) -> Result<Self> {
        let (schema, fields) = schema();
        fs_err::create_dir_all(folder)?;
        let directory = tantivy::directory::MmapDirectory::open(folder).map_err(TantivyError::from)?;
        let index = prepared(Index::create(directory, schema, IndexSettings::default())?);
        Ok(Self { writer: index.writer_with_num_threads(1, WRITER_MEMORY)?, fields })
    }

    /// What it was built from, compared with this generation.
    pub fn built_from(&self, generation: u64) -> Result<Built> {
        let found = self.writer.index().load_metas()?.payload.unwrap_or_default();
        let mut words = found.split(' ').map(str::parse::<u64>);
        Ok(match (words.next(), words.next()) {
            (Some(Ok(format)), Some(Ok(built))) if format == u64::from(FORMAT) && built >= generation => {
                if built == generation { Built::Exactly } else { Built::Beyond }
            }
            _ => Built::Otherwise,
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
    ) -> Result<()> {
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

    fn add_place(&mut self, number: DocumentNumber, at: u64, field: Field, text: &str) -> Result<()> {
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
    pub fn remove_from(&mut self, number: DocumentNumber) -> Result<()> {
        let from = Bound::Included(Term::from_field_u64(self.fields.document, u64::from(number)));
        self.writer.delete_query(Box::new(RangeQuery::new(from, Bound::Unbounded))).map(drop)
    }

    /// Commits for this generation.
    pub fn commit(&mut self, generation: u64) -> Result<()> {
        let mut commit = self.writer.prepare_commit()?;
        commit.set_payload(&payload(generation));
        commit.commit().map(drop)
    }

    /// Waits for the merges under way.
    pub fn finish(self) -> Result<()> {
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
struct Terms {
    stream: Stream,
}

#[derive(Clone, Default)]
struct Stream {
    text: String,
    ends: Vec<usize>,
    next: usize,
    token: Token,
}

impl Tokenizer for Terms {
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
