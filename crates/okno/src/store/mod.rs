//! The store: the one truth about documents, and both ways of finding runs of their sentences.
//!
//! A [`Store`] is written by one [`Writer`] at a time and read through [`Snapshot`]s: each sees one
//! committed generation, whole, for as long as it lives. What a store is *not* for: it fuses,
//! expands and cuts nothing; it ranks the units of one layer by one leg, and the pure functions of
//! [`crate::retrieve`] do the rest.

mod check;
#[cfg(any(test, feature = "contracts"))]
#[allow(clippy::missing_panics_doc)]
pub mod contract;
mod copies;
pub mod copy;
mod documents;
mod embedded;
mod manifest;
mod text;
mod visible;

pub use check::IndexFault;
pub use copies::CopyGroups;
pub use documents::DocumentSet;
pub(crate) use embedded::add_scaled;
pub use embedded::{BackupSize, CONTEXT_WEIGHT, EmbeddedStore, K1, Scan, above, length_share, rarity};
pub use manifest::{DEFAULT_RECIPE, FORMAT, Manifest, is_readable};
pub use text::DocumentText;
pub(crate) use visible::SnapshotViews;

use crate::Result;
use crate::document::{
    Access, Catalogue, Derived, DerivedKind, DocumentId, Filter, ImageHash, Layer, Record, Span, Structure,
};
use crate::text::names::DocumentNames;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

/// A document's number inside one store: given once, never reused.
pub type DocumentNumber = u32;

/// The key of a document's id, the same in every store: ids hold paths, which may be longer than a store's keys.
pub fn id_key(id: &DocumentId) -> u128 {
    let member = id.member.as_deref();
    let whole = format!("{}\0{}\0{}{}", id.root, id.path, u8::from(member.is_some()), member.unwrap_or_default());
    xxhash_rust::xxh3::xxh3_128(whole.as_bytes())
}

/// A run of sentences of one document: what both legs find.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Run {
    /// The document.
    pub document: DocumentNumber,
    /// Its first sentence.
    pub first: u32,
    /// One past its last sentence.
    pub end: u32,
    /// The sentence it stands for: the centre of a window, the first of anything else.
    pub anchor: u32,
}

/// By where it begins: few runs begin at the same sentence, and thousands are looked up for each question.
impl Hash for Run {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(u64::from(self.document) << 32 | u64::from(self.first));
    }
}

impl Run {
    /// The sentences.
    pub fn sentences(self) -> Range<usize> {
        self.first as usize..self.end as usize
    }
}

/// A run found by one leg. Dense: cosine; lexical: BM25, above 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// What was found: for a derived unit, what it stands for.
    pub run: Run,
    /// Which of its document's derived units it is, if it is one.
    pub derived: Option<u32>,
    /// How well it matches.
    pub score: f32,
}

/// One way of finding units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Leg {
    /// By meaning: vectors.
    Dense,
    /// By words: BM25.
    Lexical,
}

/// Sections of documents, by their number in the document's structure, ascending.
pub type Sections = HashMap<DocumentNumber, Vec<u32>>;

/// A question to the store: rank the units of these layers by these legs.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// The question's text, for the lexical leg.
    pub text: &'a str,
    /// The question's vector, of unit length; all zeros finds nothing.
    pub vector: &'a [f32],
    /// Which rankings are wanted.
    pub rankings: &'a [(Leg, Layer)],
    /// Only these documents, the same for every ranking; `None` for all, of which a store may leave out further copies
    /// of a text ([`Snapshot::finds_copies`]).
    pub allowed: Option<&'a DocumentSet>,
    /// Of documents named here only units that stand for a sentence of these sections.
    pub sections: Option<&'a Sections>,
    /// How `allowed` came about, for a store that can check fields itself instead of naming documents. `None`: it is
    /// a list of its own.
    pub fields: Option<FieldScope<'a>>,
    /// How many units each ranking holds at most.
    pub depth: usize,
}

/// Documents told by their fields: those that match the filter and may be seen, but for a few.
#[derive(Debug, Clone, Copy)]
pub struct FieldScope<'a> {
    /// What they match; `None`: anything does.
    pub filter: Option<&'a Filter>,
    /// Who asks; `None`: somebody who may see everything.
    pub access: Option<&'a Access>,
    /// Those that are left out: further copies of the same text.
    pub without: &'a [DocumentNumber],
}

/// A document ready to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct PreparedDocument {
    /// Who and what it is.
    pub record: Record,
    /// Its text.
    pub text: String,
    /// Its sentences.
    pub structure: Structure,
    /// Texts made about them, by ascending first sentence.
    pub derived: Vec<Derived>,
    /// Their vectors.
    pub vectors: Vectors,
}

/// The vectors of one document, one row after the other, not normalised.
///
/// Additive embedders give sums, so that a run's vector is the sum of its sentences' rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Vectors {
    /// One row per sentence, of the sentence alone.
    pub sentences: Vec<f32>,
    /// One row per section, of what stands above its text: title and headings, already weighted.
    pub sections: Vec<f32>,
    /// One row per derived text, what stands above its target included.
    pub derived: Vec<f32>,
}

/// What the roots of sources begin with; the name of the source follows.
pub const SOURCE_ROOT: &str = "source:";

/// Whether a document is one that a source gave, such as a row of a database.
pub fn is_of_source(record: &Record) -> bool {
    record.id.root.starts_with(SOURCE_ROOT)
}

/// How much an index holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Documents.
    pub documents: usize,
    /// Those of them that a source gave.
    pub of_sources: usize,
    /// Their sentences.
    pub sentences: u64,
    /// Bytes of their texts.
    pub bytes: u64,
}

impl Totals {
    /// Counts one document more.
    pub fn add(&mut self, record: &Record) {
        self.documents += 1;
        self.of_sources += usize::from(is_of_source(record));
        self.sentences += u64::from(record.sentences);
        self.bytes += record.bytes;
    }
}

/// What is known of a file from the last time it was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileState {
    /// The indexed root.
    pub root: String,
    /// The path below it.
    pub path: String,
    /// Modification time, nanoseconds since 1970.
    pub modified: i64,
    /// Bytes.
    pub size: u64,
    /// A hash of the bytes; 0 when they must be looked at again.
    pub hash: u128,
    /// What a server calls this state (`ETag` or `Last-Modified`), to be asked whether there is another.
    pub validator: Option<String>,
    /// The documents read from it.
    pub documents: Vec<DocumentNumber>,
}

impl FileState {
    /// Marks it as known by no content: the next run reads the file again.
    pub fn mark_unread(&mut self) {
        (self.modified, self.size, self.hash, self.validator) = (i64::MIN, 0, 0, None);
    }
}

/// A document that is not what was stored: its bytes changed on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedDocument {
    /// Its number.
    pub number: DocumentNumber,
    /// The file it was read from, below its root, where that is known.
    pub file: Option<String>,
}

impl DamagedDocument {
    /// The file, or the number where no file is known.
    pub fn name(&self) -> String {
        self.file.clone().unwrap_or_else(|| format!("#{}", self.number))
    }

    /// The names of damaged documents, each once.
    pub fn names(damaged: &[Self]) -> Vec<String> {
        let names: std::collections::BTreeSet<String> = damaged.iter().map(Self::name).collect();
        names.into_iter().collect()
    }
}

/// Whether an index holds a term.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TermState {
    /// It does.
    Known,
    /// It does not, but it holds some that are spelled nearly like it, the most likely first.
    Like(Vec<String>),
    /// Nor one like it.
    Unknown,
}

/// Documents that somebody may see.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SeenDocuments {
    /// Their numbers, ascending.
    pub numbers: Vec<DocumentNumber>,
    /// The roots that they came from.
    pub roots: BTreeSet<String>,
}

impl SeenDocuments {
    /// Adds a document.
    pub fn add(&mut self, number: DocumentNumber, record: &Record) {
        self.numbers.push(number);
        if !self.roots.contains(&record.id.root) {
            self.roots.insert(record.id.root.clone());
        }
    }
}

/// One committed generation of a store.
///
/// Everything it returns belongs to that generation, however long the snapshot lives and whatever
/// a writer does meanwhile. Asking for a number that the generation does not hold is an error.
pub trait Snapshot: Send + Sync {
    /// Which generation: grows with every commit.
    fn generation(&self) -> u64;
    /// Which index: another one at the same place has another identity. `None` where the store gives none.
    fn identity(&self) -> Option<u128> {
        None
    }
    /// How the index was made.
    fn manifest(&self) -> &Manifest;
    /// The live documents, by ascending number.
    fn numbers(&self) -> Vec<DocumentNumber>;
    /// All records, by ascending number; read once and kept.
    fn records(&self) -> Result<&[(DocumentNumber, Record)]>;
    /// Looks at all records, by ascending number. A store on another machine keeps no more of them than it has room
    /// for.
    fn each_record(&self, each: &mut dyn FnMut(DocumentNumber, &Record)) -> Result<()> {
        self.records()?.iter().for_each(|(number, record)| each(*number, record));
        Ok(())
    }
    /// Looks at all documents – record, sentences, text – by ascending number, with no more in memory than it has
    /// room for.
    fn each_document(&self, each: &mut dyn FnMut(DocumentNumber, &Record, &Structure, &str)) -> Result<()> {
        for (number, record) in self.records()? {
            each(*number, record, &*self.structure(*number)?, &self.text(*number)?);
        }
        Ok(())
    }
    /// How much it holds.
    fn totals(&self) -> Result<Totals> {
        let mut totals = Totals::default();
        self.each_record(&mut |_, record| totals.add(record))?;
        Ok(totals)
    }
    /// The documents whose fields match a filter, by ascending number.
    fn matching(&self, filter: &Filter) -> Result<Vec<DocumentNumber>> {
        let mut numbers = Vec::new();
        self.each_record(&mut |number, record| {
            if record.matches(filter) {
                numbers.push(number);
            }
        })?;
        Ok(numbers)
    }
    /// The documents that somebody may see, by ascending number.
    fn seen_by(&self, access: &Access) -> Result<SeenDocuments> {
        let mut seen = SeenDocuments::default();
        self.each_record(&mut |number, record| {
            if access.sees(&record.metadata) {
                seen.add(number, record);
            }
        })?;
        Ok(seen)
    }
    /// What the fields of the documents hold, in folded words ([`crate::text::terms::fold`]); gathered once and kept.
    fn catalogue(&self) -> Result<&Catalogue>;
    /// What the documents are called; gathered once and kept.
    fn names(&self) -> Result<&DocumentNames>;
    /// The groups of documents whose texts are the same, each by ascending number.
    fn copies(&self) -> &CopyGroups;
    /// Whether a search that names no documents finds all copies of a text, and not only the first.
    fn finds_copies(&self) -> bool {
        true
    }
    /// A document's record.
    fn record(&self, number: DocumentNumber) -> Result<Record>;
    /// A document's sentences.
    fn structure(&self, number: DocumentNumber) -> Result<Arc<Structure>>;
    /// A document's text.
    fn text(&self, number: DocumentNumber) -> Result<DocumentText<'_>>;
    /// A document's derived units.
    fn derived(&self, number: DocumentNumber) -> Result<Arc<[Derived]>>;
    /// The bytes of an image of a live document; `None` where no such image is kept.
    fn image(&self, _: ImageHash) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }
    /// The same, of these documents.
    fn image_among(&self, hash: ImageHash, among: &DocumentSet) -> Result<Option<Vec<u8>>> {
        for number in self.numbers().into_iter().filter(|number| among.contains(*number)) {
            if self.structure(number)?.images.iter().any(|image| image.hash == hash) {
                return self.image(hash);
            }
        }
        Ok(None)
    }
    /// The documents that are damaged, as far as that was noticed: those that could not be read when the snapshot was
    /// opened, which it does not hold, and those found later, where their text was asked for or checked.
    fn damaged(&self) -> Vec<DamagedDocument> {
        Vec::new()
    }
    /// The same after all texts were read.
    fn all_damaged(&self) -> Vec<DamagedDocument> {
        self.damaged()
    }
    /// Checks that a part of a document's text is what was stored, where the store can tell. Rankings leave out a
    /// document that failed.
    ///
    /// # Errors
    /// [`Error::Damaged`](crate::Error::Damaged) with the document's number.
    fn check_text(&self, _: DocumentNumber, _: Span) -> Result<()> {
        Ok(())
    }
    /// Checks that everything of a document is what was stored, vectors too, where the store can tell.
    ///
    /// # Errors
    /// As [`Self::check_text`].
    fn check_document(&self, _: DocumentNumber) -> Result<()> {
        Ok(())
    }
    /// A document's vectors, as near to those it was put with as the store keeps them.
    fn vectors(&self, number: DocumentNumber) -> Result<Vectors>;
    /// Says which documents are asked for next, so that a store on another machine fetches them together.
    fn expect(&self, _: &[DocumentNumber]) -> Result<()> {
        Ok(())
    }
    /// How many derived units of each kind there are.
    fn derived_counts(&self) -> &BTreeMap<DerivedKind, usize>;
    /// The same, of these documents.
    fn derived_counts_among(&self, among: &DocumentSet) -> Result<BTreeMap<DerivedKind, usize>> {
        let mut counts = BTreeMap::new();
        for number in self.numbers().into_iter().filter(|number| among.contains(*number)) {
            for derived in &*self.derived(number)? {
                *counts.entry(derived.kind).or_default() += 1;
            }
        }
        Ok(counts)
    }
    /// Whether a Latin term is in the index, or one like it. A store that cannot tell says it is.
    fn term_state(&self, _: &str) -> Result<TermState> {
        Ok(TermState::Known)
    }
    /// The same, as if there were only these documents. A store that can tell one can tell the other.
    fn term_state_among(&self, _: &str, _: &DocumentSet) -> Result<TermState> {
        Ok(TermState::Known)
    }
    /// The rankings asked for, in that order: each best first, equal scores by document and place,
    /// at most `depth` long, every score finite. Lexical scores are above 0; dense ones too, unless `allowed`
    /// leaves so few documents that the others belong to the answer.
    fn search(&self, ask: &Ask<'_>) -> Result<Vec<Vec<Scored>>>;
    /// The same for several questions. A store on another machine asks for all of them in one round trip.
    fn search_all(&self, asks: &[Ask<'_>]) -> Result<Vec<Vec<Vec<Scored>>>> {
        asks.iter().map(|ask| self.search(ask)).collect()
    }
    /// The roots that were indexed.
    fn roots(&self) -> &[String];
    /// What is known of every file.
    fn files(&self) -> Result<Vec<FileState>>;
    /// What was removed by hand: keys of ids ([`id_key`]), and the content hash of each.
    fn removed(&self) -> Result<BTreeMap<u128, u128>>;
}

/// The one writer of a store. Nothing is visible, or durable, before [`Writer::commit`]; dropping it
/// forgets what was not committed.
pub trait Writer {
    /// The number and content hash of a document, uncommitted changes included.
    fn find(&mut self, id: &DocumentId) -> Result<Option<(DocumentNumber, u128)>>;
    /// Adds a document, or replaces the one of the same id. Its number is new either way.
    fn put(&mut self, document: &PreparedDocument) -> Result<DocumentNumber>;
    /// Keeps an image of a document that was put, as long as any live document has it. `bytes` is asked only when
    /// they are not kept already. A store that keeps no images does nothing.
    fn keep_image(&mut self, _: DocumentNumber, _: ImageHash, _: &mut dyn FnMut() -> Option<Vec<u8>>) -> Result<()> {
        Ok(())
    }
    /// Gives a document other derived units, with their vectors; nothing else of it changes but its number.
    fn derive(&mut self, number: DocumentNumber, derived: &[Derived], vectors: &[f32]) -> Result<DocumentNumber>;
    /// Gives a document other vectors, of the embedder that the manifest names by now; nothing else of it changes,
    /// its number neither. Between setting a manifest with another embedder and committing, every document gets its
    /// own. A store may know no such thing.
    fn set_vectors(&mut self, _number: DocumentNumber, _vectors: &Vectors) -> Result<()> {
        Err(crate::error::OptionsError::FixedVectors.into())
    }
    /// Forgets the vectors that were kept by content.
    fn forget_cached_vectors(&mut self) -> Result<()> {
        Ok(())
    }
    /// A document's record, uncommitted changes included.
    fn record(&mut self, number: DocumentNumber) -> Result<Option<Record>>;
    /// Gives a document another record: same id, text and vectors, same number; whether it was there. Title and the
    /// fields that the lexical leg sees must be those it was put with.
    fn amend(&mut self, number: DocumentNumber, record: &Record) -> Result<bool>;
    /// Takes a document out; whether it was there.
    fn remove(&mut self, number: DocumentNumber) -> Result<bool>;
    /// Takes out a document that is damaged: nothing that it says about itself is believed. Returns `true` if it
    /// was there.
    fn discard(&mut self, number: DocumentNumber) -> Result<bool> {
        self.remove(number)
    }
    /// The content hash under which a document was removed by hand, if it was.
    fn removed(&mut self, id: &DocumentId) -> Result<Option<u128>>;
    /// Remembers that a document of this content was removed by hand; `None` forgets it.
    fn set_removed(&mut self, id: &DocumentId, hash: Option<u128>) -> Result<()> {
        self.set_removed_key(id_key(id), hash)
    }
    /// The same for an id of which only the key ([`id_key`]) is known.
    fn set_removed_key(&mut self, key: u128, hash: Option<u128>) -> Result<()>;
    /// Remembers a file.
    fn set_file(&mut self, file: &FileState) -> Result<()>;
    /// Forgets a file; its documents are removed separately.
    fn forget_file(&mut self, root: &str, path: &str) -> Result<()>;
    /// Sets the roots.
    fn set_roots(&mut self, roots: &[String]) -> Result<()>;
    /// Sets how the index is made.
    fn set_manifest(&mut self, manifest: &Manifest) -> Result<()>;
    /// The stored vector of a text, for embedders too slow to ask twice.
    fn cached_vector(&mut self, key: u128) -> Result<Option<Vec<f32>>>;
    /// Remembers the vector of a text.
    fn cache_vector(&mut self, key: u128, vector: &[f32]) -> Result<()>;
    /// Makes all of it visible and durable at once.
    fn commit(&mut self) -> Result<()>;
    /// Commits and tidies up: nothing of removed documents can be found any more.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// Opens the index that is at a store's place now.
pub type Reopen = Box<dyn Fn() -> Result<Box<dyn Store>> + Send + Sync>;

/// An index somewhere.
pub trait Store: Send + Sync {
    /// The last committed generation.
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>>;
    /// The writer; an error when there is one already, in this process or another.
    fn writer(&self) -> Result<Box<dyn Writer + '_>>;
    /// Bytes on disk; `None` where that cannot be said.
    fn bytes(&self) -> Result<Option<u64>>;
    /// How the index was made, as it was when the store was opened.
    fn manifest(&self) -> &Manifest;
    /// Chooses how dense search reads the vectors, for snapshots taken from now on, where there is a choice.
    fn set_scan(&self, _: Scan) {}
    /// Keeps what opening the index computed, where that makes the next process open it faster. Where it cannot be kept
    /// nothing happens.
    fn keep_layout(&self) {}
    /// Lets go of what is kept for later searches, where that stands in a writer's way.
    fn release(&self) {}
    /// Gives the disk back what is no longer used, where that is much and no snapshot of it is in use; whether it did.
    /// This store is then replaced.
    fn give_back(&self) -> Result<bool> {
        Ok(false)
    }
    /// Whether another index, or none, is where this one was opened: somebody deleted the folder, and perhaps made
    /// another index there. Nothing may be written then, and what is read is of the past.
    fn is_replaced(&self) -> bool {
        false
    }
    /// Whether this store was replaced by the same index in a shorter file ([`Self::give_back`]) while it is read by
    /// somebody here: the place cannot be opened again yet, and this store can be read until then.
    fn is_read_on(&self) -> bool {
        false
    }
    /// Reads everything and says what is not as it was stored, or does not fit the rest. A store that cannot tell reads
    /// every document.
    fn check(&self) -> Result<Vec<IndexFault>> {
        self.snapshot()?.each_document(&mut |_, _, _, _| ())?;
        Ok(Vec::new())
    }
    /// Takes out what is damaged and builds again what can be built from the rest; the files of damaged documents are
    /// marked, so that the next run of indexing reads them again.
    fn repair(&self, _: &[IndexFault]) -> Result<()> {
        Ok(())
    }
    /// What opens the place again, where that can be done; it succeeds once this store and its snapshots are dropped.
    fn reopen(&self) -> Option<Reopen> {
        None
    }
}
