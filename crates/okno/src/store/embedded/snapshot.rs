//! One generation, for reading: pinned pages of the memory map and the lexical index of that moment.

use super::atlas::{Atlas, AtlasEntry, FurtherCopies};
use super::blob::{self, DocumentFront, StoredParts};
use super::bm25::WordRows;
use super::bundles::NumberedTable;
use super::columns::{FieldColumns, FilterVerdict};
use super::data_file::{DataFile, DocumentPlace};
use super::dense::{Scan, SpareDense};
use super::identity::IndexIdentity;
use super::known_terms::{KnownTerms, row};
use super::laid_out::{KEPT_LAYERS, LaidOut, is_sketched, laid_out, named_damage, stored_places};
use super::layout::{self, DiskStamp, LayoutSource};
use super::lexical::{Lexical, lexical_failure};
use super::lexical_folder;
use super::recent::Recent;
use super::sketch::Sketch;
use super::spare::Spare;
use super::sums::Sums;
use super::tables::{Tables, read_holder_key};
use super::terms_among::TermsAmong;
use super::texts::MOST_UNPACKED;
use super::units::Units;
use crate::deadline;
use crate::document::{Catalogue, Derived, DerivedKind, Filter, ImageHash, Layer, Record, Span, Structure};
use crate::error::Damage;
use crate::packed::series::SeriesWriter;
use crate::store::{
    Ask, CopyGroups, DamagedDocument, DocumentNumber, DocumentSet, DocumentText, FileState, Manifest, Scored, Snapshot,
    TermState, Totals, Vectors,
};
use crate::text::names::DocumentNames;
use crate::text::terms;
use crate::{Error, Result};
use heed::{RoTxn, WithoutTls};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

mod search;

/// One committed generation of an [`super::EmbeddedStore`].
pub struct EmbeddedSnapshot {
    // Dropped before `_file` and `pin`, in this order: it borrows from the pages that these hold.
    atlas: Atlas<'static>,
    units: Mutex<HashMap<Layer, Arc<Units>>>,
    /// Kept by an earlier process, or drawn when it pays.
    sketch: OnceLock<Sketch>,
    /// How many searches would have used a sketch that was not there.
    without_sketch: AtomicUsize,
    scan: Scan,
    records: OnceLock<Vec<(DocumentNumber, Record)>>,
    catalogue: OnceLock<Catalogue>,
    totals: OnceLock<Totals>,
    texts: Recent<DocumentNumber, str>,
    terms: KnownTerms,
    spare_dense: SpareDense,
    spare_words: Spare<WordRows>,
    names: OnceLock<DocumentNames>,
    columns: OnceLock<FieldColumns>,
    copies: CopyGroups,
    /// All copies of a text but the first; `None` where there are none.
    further_copies: Option<FurtherCopies>,
    damage: Mutex<Vec<DamagedDocument>>,
    /// How many of these were found after the snapshot was opened: they are in the atlas, and left out of rankings.
    found_later: AtomicUsize,
    sums: Option<NumberedTable>,
    derived_counts: BTreeMap<DerivedKind, usize>,
    lexical: Option<Lexical>,
    generation: u64,
    identity: Option<IndexIdentity>,
    /// What was kept of it for the next process was found when it was opened.
    was_kept: bool,
    manifest: Manifest,
    roots: Vec<String>,
    tables: Tables,
    _file: Option<DataFile>,
    pin: Mutex<RoTxn<'static, WithoutTls>>,
}

impl EmbeddedSnapshot {
    /// Opens the last committed generation.
    pub(super) fn open(folder: &Path, tables: &Tables, scan: Scan) -> Result<Self> {
        loop {
            let snapshot = match Self::try_open(tables, scan, open_lexical) {
                // Not the lexical index of these documents: that of the index that is there now.
                Err(Error::Lexical { .. }) if tables.is_replaced() => return Err(Error::Replaced(folder.to_owned())),
                opened => opened?,
            };
            // The lexical index was opened a moment after the generation was pinned. Unless a writer
            // committed in between, it holds all of it; otherwise look again.
            if tables.generation()? == snapshot.generation {
                return Ok(snapshot);
            }
        }
    }

    /// Opens the last committed generation without its lexical index, to read what is stored.
    pub(super) fn without_lexical(tables: &Tables) -> Result<Self> {
        Self::try_open(tables, Scan::default(), |_, _, _, _| Ok(None))
    }

    fn try_open(tables: &Tables, scan: Scan, open_lexical: OpenLexical) -> Result<Self> {
        tables.look_for_tables()?;
        let pin = tables.env.clone().static_read_txn().map_err(|e| tables.wrong(e))?;
        let generation: u64 = tables.json(&pin, "generation")?.unwrap_or(0);
        let manifest: Manifest = tables.json(&pin, "manifest")?.ok_or_else(|| tables.damaged(Damage::NoManifest))?;
        let roots = tables.json(&pin, "roots")?.unwrap_or_default();
        let identity = tables.identity_in(&pin)?;
        let layout = tables
            .layout
            .as_ref()
            .filter(|layout| layout.source.transaction == pin.id() as u64 && layout.source.identity == identity);
        let lexical = open_lexical(tables, generation, identity, layout.map(|layout| layout.source.lexical))?;
        let sums = tables.current_sums(&pin)?;
        let file = layout.and_then(|_| tables.data_file());
        let kept = layout.zip(file.as_ref()).and_then(|(layout, file)| {
            let bytes = file.bytes();
            // SAFETY: the map lives as long as the snapshot, which drops it last and hands out only borrows of itself.
            let bytes: &'static [u8] = unsafe { std::slice::from_raw_parts(bytes.as_ptr(), bytes.len()) };
            LaidOut::read(layout, bytes, manifest.dimensions, lexical.as_ref())
        });
        let is_current = |lexical: &Lexical| layout.is_some_and(|layout| lexical.stamp == Some(layout.source.lexical));
        let was_kept = kept.is_some() && lexical.as_ref().is_some_and(is_current);
        let (laid_out, damage) = match kept {
            Some(kept) => (kept, Vec::new()),
            None => laid_out(tables, &pin, sums, manifest.dimensions)?,
        };
        let LaidOut { atlas, copies, further, derived_counts, units, names, columns, catalogue, totals, sketch } =
            laid_out;
        Ok(Self {
            terms: KnownTerms::new(&atlas),
            spare_dense: SpareDense::default(),
            spare_words: Spare::default(),
            further_copies: further,
            atlas,
            units: Mutex::new(units),
            sketch,
            without_sketch: AtomicUsize::new(0),
            scan,
            records: OnceLock::new(),
            catalogue,
            totals,
            texts: Recent::new(MOST_UNPACKED),
            names,
            columns,
            copies,
            damage: Mutex::new(damage),
            found_later: AtomicUsize::new(0),
            sums,
            derived_counts,
            lexical,
            generation,
            identity,
            was_kept,
            manifest,
            roots,
            tables: tables.clone(),
            _file: file,
            pin: Mutex::new(pin),
        })
    }

    /// Keeps what was computed for the next process. Where that cannot be done, opening takes longer, and no more.
    pub(super) fn keep_layout(&self, folder: &Path) {
        let is_worth_it = !self.was_kept && self.atlas.sentences() >= KEPT_FROM && !self.tables.read_only;
        if is_worth_it && let Some((source, rows)) = self.rows_to_keep(folder) {
            // Another disk error will be told by whoever needs the disk.
            let _ = layout::keep(folder, source, rows);
        }
    }

    #[cfg(test)]
    pub(super) fn known_terms(&self) -> &KnownTerms {
        &self.terms
    }

    /// Whether all that could be kept for this process was.
    #[cfg(test)]
    pub(super) fn was_kept(&self) -> bool {
        self.was_kept
    }

    /// The rows, and what they were made from; `None` where a file changed after it was checked, or something is
    /// damaged.
    pub(super) fn rows_to_keep(&self, folder: &Path) -> Option<(LayoutSource, SeriesWriter)> {
        let (lexical, checked) = (self.lexical.as_ref()?, self.tables.checked?);
        let source = LayoutSource {
            data: DiskStamp::of(&folder.join("data.mdb")).filter(|now| *now == checked.stamp).map(|_| checked)?,
            transaction: self.reading(|pin| pin.id() as u64),
            identity: self.identity,
            lexical: lexical.stamp?,
        };
        let mut rows = layout::begin();
        self.atlas.keep(&self.places()?, &mut rows);
        let details = (&self.copies[..], &self.derived_counts, self.catalogue().ok()?, self.totals().ok()?);
        rows.put(&postcard::to_stdvec(&details).ok()?);
        if let Some(further) = &self.further_copies {
            further.keep(&mut rows);
        }
        self.copies.keep(&mut rows);
        KEPT_LAYERS.iter().try_for_each(|&layer| self.units(layer).keep(&mut rows))?;
        self.names().ok()?.keep(&mut rows);
        self.columns().keep(&mut rows)?;
        if is_sketched(&self.atlas) {
            self.sketch.get_or_init(|| Sketch::new(&self.atlas)).keep(&mut rows);
        }
        lexical.keep(&mut rows, |place| row(&self.atlas, place));
        let is_sound = self.sums.is_some() && self.lock_damage().is_empty();
        is_sound.then_some((source, rows))
    }

    /// Where the documents and their checksums lie in `data.mdb`.
    pub(super) fn places(&self) -> Option<Vec<DocumentPlace>> {
        let (numbers, places) = self.reading(|pin| stored_places(&self.tables, pin, self.sums))?;
        (numbers == *self.atlas.numbers).then_some(places)
    }

    fn units(&self, layer: Layer) -> Arc<Units> {
        // A poisoned lock means another search panicked while building; the map itself is whole.
        let mut units = self.units.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(units.entry(layer).or_insert_with(|| Arc::new(Units::new(layer, &self.atlas))))
    }

    fn columns(&self) -> &FieldColumns {
        self.columns
            .get_or_init(|| FieldColumns::new(self.atlas.each_document().map(|entry| blob::read_record(entry.record))))
    }

    fn lock_damage(&self) -> MutexGuard<'_, Vec<DamagedDocument>> {
        // Only whole entries are added.
        self.damage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers that a document is damaged, and gives that as an error.
    fn found_damaged(&self, number: DocumentNumber) -> Error {
        let named = self.reading(|pin| named_damage(&self.tables, pin, &[number]));
        let mut damage = self.lock_damage();
        if damage.iter().all(|known| known.number != number) {
            damage.extend(named.unwrap_or_else(|_| vec![DamagedDocument { number, file: None }]));
            self.found_later.fetch_add(1, Ordering::Relaxed);
        }
        self.tables.damaged(Damage::Document { number })
    }

    /// What is in front of a document's vectors, compared with its checksum when it is first asked for.
    fn front<'e>(&self, entry: &'e AtlasEntry<'_>) -> Result<&'e DocumentFront> {
        entry.front().ok_or_else(|| self.found_damaged(entry.number))
    }

    /// Looks at a document and its checksums; where there are none, at nothing.
    fn with_sums<T>(
        &self,
        number: DocumentNumber,
        look: impl FnOnce(&StoredParts<'_>, Sums<'_>) -> T,
    ) -> Result<Option<T>> {
        let Some(table) = self.sums else { return Ok(None) };
        let read = self.reading(|pin| {
            let stored = self.tables.stored().get(pin, number)?.and_then(blob::stored_parts);
            let sums = table.get(pin, &number)?.map(Sums::new);
            Ok(stored.zip(sums).map(|(parts, sums)| look(&parts, sums)))
        });
        read.map_err(|e| self.tables.wrong(e))
    }

    fn unknown(&self, number: DocumentNumber) -> Error {
        self.tables.damaged(Damage::NoNumber { number })
    }

    pub(super) fn reading<T>(&self, read: impl FnOnce(&RoTxn<'static, WithoutTls>) -> T) -> T {
        // A transaction has no state that a panic elsewhere could have left half-changed.
        read(&self.pin.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Sentences from which on what opening computes is kept: with fewer it takes a few milliseconds.
const KEPT_FROM: usize = 2000;

type OpenLexical = fn(&Tables, u64, Option<IndexIdentity>, Option<u64>) -> Result<Option<Lexical>>;

/// The lexical index; none before the first commit.
fn open_lexical(
    tables: &Tables,
    generation: u64,
    identity: Option<IndexIdentity>,
    checked: Option<u64>,
) -> Result<Option<Lexical>> {
    if generation == 0 {
        return Ok(None);
    }
    let path = lexical_folder(&tables.path);
    Lexical::open(&path, identity, checked).map(Some).map_err(|source| lexical_failure(path, source))
}

impl Snapshot for EmbeddedSnapshot {
    fn generation(&self) -> u64 {
        self.generation
    }

    fn identity(&self) -> Option<u128> {
        self.identity.map(|identity| identity.0)
    }

    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn numbers(&self) -> Vec<DocumentNumber> {
        self.atlas.numbers.to_vec()
    }

    fn records(&self) -> Result<&[(DocumentNumber, Record)]> {
        if let Some(records) = self.records.get() {
            return Ok(records);
        }
        let records: Vec<_> =
            self.numbers().into_iter().map(|number| Ok((number, self.record(number)?))).collect::<Result<_>>()?;
        Ok(self.records.get_or_init(|| records))
    }

    fn matching(&self, filter: &Filter) -> Result<Vec<DocumentNumber>> {
        let mut numbers = Vec::new();
        for (&number, verdict) in self.atlas.numbers.iter().zip(self.columns().verdicts(filter)) {
            if verdict == FilterVerdict::Yes || verdict == FilterVerdict::Open && self.record(number)?.matches(filter) {
                numbers.push(number);
            }
        }
        Ok(numbers)
    }

    fn catalogue(&self) -> Result<&Catalogue> {
        if self.catalogue.get().is_none() {
            let records = self.records()?.iter().map(|(_, record)| record);
            // Two threads may gather at once; the first to finish is kept.
            let _ = self.catalogue.set(Catalogue::new(records, terms::folded));
        }
        Ok(self.catalogue.get_or_init(Catalogue::default))
    }

    fn totals(&self) -> Result<Totals> {
        if let Some(totals) = self.totals.get() {
            return Ok(*totals);
        }
        let mut totals = Totals::default();
        for &number in self.atlas.numbers.iter() {
            totals.add(&self.record(number)?);
        }
        Ok(*self.totals.get_or_init(|| totals))
    }

    fn names(&self) -> Result<&DocumentNames> {
        if self.names.get().is_none() {
            let records = self.records()?.iter().map(|(number, record)| (*number, record));
            // Two threads may gather at once; the first to finish is kept.
            let _ = self.names.set(DocumentNames::new(records));
        }
        Ok(self.names.get_or_init(DocumentNames::default))
    }

    fn copies(&self) -> &CopyGroups {
        &self.copies
    }

    fn finds_copies(&self) -> bool {
        false
    }

    fn record(&self, number: DocumentNumber) -> Result<Record> {
        deadline::check()?;
        let entry = self.atlas.get(number).ok_or_else(|| self.unknown(number))?;
        self.front(entry)?;
        blob::read_record(entry.record).ok_or_else(|| self.unknown(number))
    }

    fn structure(&self, number: DocumentNumber) -> Result<Arc<Structure>> {
        deadline::check()?;
        let entry = self.atlas.get(number).ok_or_else(|| self.unknown(number))?;
        Ok(Arc::clone(&self.front(entry)?.structure))
    }

    fn text(&self, number: DocumentNumber) -> Result<DocumentText<'_>> {
        let entry = self.atlas.get(number).ok_or_else(|| self.unknown(number))?;
        let text = if entry.text.is_compressed {
            let unpack = || entry.text.unpacked().inspect(|text| self.texts.keep(number, text, text.len()));
            self.texts.get(&number).or_else(unpack).map(DocumentText::Shared)
        } else {
            entry.text.get()
        };
        text.ok_or_else(|| self.found_damaged(number))
    }

    fn derived(&self, number: DocumentNumber) -> Result<Arc<[Derived]>> {
        let entry = self.atlas.get(number).ok_or_else(|| self.unknown(number))?;
        Ok(Arc::clone(&self.front(entry)?.derived))
    }

    fn removed(&self) -> Result<BTreeMap<u128, u128>> {
        let removed = self.reading(|pin| self.tables.removed.iter(pin)?.collect::<heed::Result<_>>());
        removed.map_err(|e| self.tables.wrong(e))
    }

    fn image(&self, hash: ImageHash) -> Result<Option<Vec<u8>>> {
        let bytes = self.reading(|pin| Ok(self.tables.images.get(pin, &hash.0)?.map(<[u8]>::to_vec)));
        let bytes: Option<Vec<u8>> = bytes.map_err(|e| self.tables.wrong(e))?;
        if bytes.as_ref().is_some_and(|bytes| ImageHash::of(bytes) != hash) {
            return Err(self.tables.damaged(Damage::Image { hash: hash.to_string() }));
        }
        Ok(bytes)
    }

    fn image_among(&self, hash: ImageHash, among: &DocumentSet) -> Result<Option<Vec<u8>>> {
        let held = self.reading(|pin| {
            let holders = self.tables.holders.prefix_iter(pin, &hash.0.to_be_bytes())?;
            let mut held = false;
            for holder in holders {
                held |= read_holder_key(holder?.0).is_some_and(|(_, number)| among.contains(number));
            }
            Ok(held)
        });
        if held.map_err(|e| self.tables.wrong(e))? { self.image(hash) } else { Ok(None) }
    }

    fn damaged(&self) -> Vec<DamagedDocument> {
        self.lock_damage().clone()
    }

    fn all_damaged(&self) -> Vec<DamagedDocument> {
        let is_damaged = |entry: &&AtlasEntry<'_>| entry.front().is_none() || entry.text.get().is_none();
        let documents = (0..self.atlas.count()).into_par_iter().map(|place| self.atlas.document(place));
        documents.filter(is_damaged).map(|entry| entry.number).collect::<Vec<_>>().into_iter().for_each(|number| {
            self.found_damaged(number);
        });
        self.damaged()
    }

    fn check_text(&self, number: DocumentNumber, span: Span) -> Result<()> {
        let fits = self.with_sums(number, |parts, sums| sums.fit_text(parts, span))?;
        if fits == Some(false) { Err(self.found_damaged(number)) } else { Ok(()) }
    }

    fn check_document(&self, number: DocumentNumber) -> Result<()> {
        let fits = |parts: &StoredParts<'_>, sums: Sums<'_>| {
            let whole = Span::new(0, parts.text.len());
            sums.fit_layout(parts) && sums.fit_vectors(parts) && sums.fit_text(parts, whole)
        };
        if self.with_sums(number, fits)? == Some(false) { Err(self.found_damaged(number)) } else { Ok(()) }
    }

    fn vectors(&self, number: DocumentNumber) -> Result<Vectors> {
        let entry = self.atlas.get(number).ok_or_else(|| self.unknown(number))?;
        let (sentences, sections) = (entry.sentences().len(), entry.sections().len());
        Ok(Vectors {
            sentences: (0..sentences).flat_map(|row| entry.vectors.row(row)).collect(),
            sections: (sentences..sentences + sections).flat_map(|row| entry.vectors.row(row)).collect(),
            derived: (0..entry.counts().derived as usize).flat_map(|row| entry.derived_vectors.row(row)).collect(),
        })
    }

    fn derived_counts(&self) -> &BTreeMap<DerivedKind, usize> {
        &self.derived_counts
    }

    fn term_state(&self, term: &str) -> Result<TermState> {
        let Some(lexical) = &self.lexical else { return Ok(TermState::Known) };
        let wrong = |source| lexical_failure(lexical_folder(&self.tables.path), source);
        if lexical.holds(term).map_err(wrong)? {
            return Ok(TermState::Known);
        }
        let near = lexical.nearest(term, None).map_err(wrong)?;
        Ok(if near.is_empty() { TermState::Unknown } else { TermState::Like(near) })
    }

    fn term_state_among(&self, term: &str, among: &DocumentSet) -> Result<TermState> {
        let Some(lexical) = &self.lexical else { return Ok(TermState::Known) };
        let state = TermsAmong { atlas: &self.atlas, lexical, among }.state(term);
        state.map_err(|source| lexical_failure(lexical_folder(&self.tables.path), source))
    }

    fn search(&self, ask: &Ask<'_>) -> Result<Vec<Vec<Scored>>> {
        self.search_by(ask, None)
    }

    fn search_all(&self, asks: &[Ask<'_>]) -> Result<Vec<Vec<Vec<Scored>>>> {
        asks.iter().zip(self.signs(asks)).map(|(ask, signs)| self.search_by(ask, signs)).collect()
    }

    fn roots(&self) -> &[String] {
        &self.roots
    }

    fn files(&self) -> Result<Vec<FileState>> {
        self.reading(|reading| {
            let files = self.tables.files.iter(reading).map_err(|e| self.tables.wrong(e))?;
            files
                .map(|stored| {
                    let (_, bytes) = stored.map_err(|e| self.tables.wrong(e))?;
                    postcard::from_bytes(bytes).map_err(|_| self.tables.damaged(Damage::File))
                })
                .collect()
        })
    }
}
