//! A snapshot: one generation for reading.
//!
//! What belongs to a generation – records, catalogue, frequencies – is read once and shared; documents go through a
//! cache of bounded size. A snapshot keeps the documents whose texts it has lent until it is dropped, so memory is
//! bounded if each question has a snapshot of its own.

use crate::conditions::{RowCondition, allowed, told_by_fields};
use crate::documents::StoredDocument;
use crate::failure::{DamagedRow, RemoteFailure};
use crate::fields::{self, root_token};
use crate::frequencies::Frequencies;
use crate::ledger::EntryKind;
use crate::numbers::Numbers;
use crate::once::ReadOnce;
use crate::pack;
use crate::pins::Pins;
use crate::prefixes::bound;
use crate::state::GenerationState;
use crate::store::StoreParts;
use okno::document::{Access, Catalogue, Derived, DerivedKind, Filter, Gathering, ImageHash, Record, Structure};
use okno::store::{
    Ask, CopyGroups, DocumentNumber, DocumentSet, DocumentText, FileState, Manifest, Scored, SeenDocuments, Snapshot,
    Totals, Vectors,
};
use okno::text::names::{DocumentNames, NameGathering};
use okno::text::terms;
use okno::{Error, Result};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Records are kept in memory up to this many: some 400 bytes each without metadata, so 8 MB; 40 MB with much metadata.
const RECORDS_KEPT: usize = 20_000;

/// Fewer records than one in this many are read by themselves, where not all are in memory.
const FEW: usize = 8;

/// Documents in memory at once when all are read.
const DOCUMENTS_AT_ONCE: usize = 100;

/// What all snapshots of a generation share.
pub struct SharedSnapshot {
    pub parts: StoreParts,
    pub state: GenerationState,
    pub manifest: Manifest,
    copies: CopyGroups,
    /// Removed documents that may still have rows.
    pub dead: Numbers,
    frequencies: ReadOnce<Arc<Frequencies>>,
    /// The table of an earlier generation, and which segments it is made of, where this one's begin with them.
    table_before: Option<(usize, Arc<Frequencies>)>,
    records: ReadOnce<Vec<(DocumentNumber, Record)>>,
    /// Read together: to visit all records takes seconds.
    names: ReadOnce<(DocumentNames, Totals)>,
    catalogue: ReadOnce<(Gathering, Catalogue)>,
    /// What was seen of the fields by the generation before, where it is part of this one.
    before: Option<(Numbers, Gathering)>,
}

impl SharedSnapshot {
    /// A generation, given what is known of an earlier one.
    pub fn new(parts: StoreParts, state: GenerationState, earlier: Option<&Self>) -> Result<Self> {
        let (manifest, dead) = (parts.manifest(&state)?, state.all_dead());
        let before = earlier.and_then(|earlier| earlier.gathered_for(&state));
        let table_before = earlier.and_then(|earlier| earlier.table_for(&state));
        Ok(Self {
            parts,
            copies: state.copies.clone().into(),
            state,
            manifest,
            dead,
            table_before,
            before,
            frequencies: ReadOnce::default(),
            records: ReadOnce::default(),
            names: ReadOnce::default(),
            catalogue: ReadOnce::default(),
        })
    }

    /// What this generation has seen of the fields, if a later one still has all its documents as they were.
    fn gathered_for(&self, later: &GenerationState) -> Option<(Numbers, Gathering)> {
        let (gathering, _) = self.catalogue.get()?;
        let kept = later.live.contains_all(&self.state.live) && later.amended == self.state.amended;
        kept.then(|| (self.state.live.clone(), gathering.clone()))
    }

    /// Visits the records that were not visited yet, without keeping them.
    fn gather(&self) -> Result<Gathering> {
        let (seen, mut gathering) = self.before.clone().unwrap_or_default();
        let new = self.state.live.without(&seen);
        self.parts.documents.each_record(&new, self.state.generation, &mut |_, record| gathering.add(&record))?;
        Ok(gathering)
    }

    /// How many units have a term.
    pub fn frequencies(&self) -> Result<&Frequencies> {
        let read = || {
            let (seen, mut table) = match &self.table_before {
                Some((seen, table)) => (*seen, Frequencies::clone(table)),
                None => (0, Frequencies::default()),
            };
            add_frequencies(&mut table, &self.parts, &self.state.segments[seen..])?;
            Ok(Arc::new(table))
        };
        self.frequencies.get_or_read(read).map(|table| &**table)
    }

    /// This generation's table and how many segments it is made of, if a later one's begin with the same.
    fn table_for(&self, later: &GenerationState) -> Option<(usize, Arc<Frequencies>)> {
        let begins = later.segments.starts_with(&self.state.segments);
        self.frequencies.get().filter(|_| begins).map(|table| (self.state.segments.len(), Arc::clone(table)))
    }
}

/// Adds these segments to a table.
pub fn add_frequencies(table: &mut Frequencies, parts: &StoreParts, segments: &[u64]) -> Result<()> {
    for segment in parts.ledger.segments(segments)? {
        let added = pack::from_text(&segment).and_then(|segment| table.add(&segment));
        added.ok_or_else(|| parts.driver.damaged(DamagedRow::Segment))?;
    }
    Ok(())
}

/// What an engine says of a filter.
struct FoundByEngine {
    /// These match.
    surely: Vec<DocumentNumber>,
    /// These must be read to know.
    perhaps: Numbers,
}

/// One committed generation of a [`crate::RemoteStore`].
pub struct RemoteSnapshot {
    pub shared: Arc<SharedSnapshot>,
    pins: Pins,
}

impl RemoteSnapshot {
    pub fn new(shared: Arc<SharedSnapshot>) -> Self {
        Self { shared, pins: Pins::default() }
    }

    fn unknown(&self, number: DocumentNumber) -> Error {
        self.shared.parts.driver.failed(RemoteFailure::NoDocument { number })
    }

    fn document(&self, number: DocumentNumber) -> Result<&Arc<StoredDocument>> {
        if self.pins.get(number).is_none() {
            self.expect(&[number])?;
        }
        self.pins.get(number).ok_or_else(|| self.unknown(number))
    }

    /// Documents with their vectors, added to the cache.
    pub fn whole(&self, numbers: &Numbers) -> Result<Vec<(Arc<StoredDocument>, Vectors)>> {
        let SharedSnapshot { parts, state, manifest, .. } = &*self.shared;
        let read = parts.documents.read_whole(numbers, state.generation, manifest.dimensions)?;
        let kept = |(stored, vectors): (StoredDocument, Vectors)| (Arc::clone(self.pin(Arc::new(stored))), vectors);
        Ok(read.into_iter().map(kept).collect())
    }

    /// Visits the records of these documents: from memory if all fit there, else page after page; so are a few.
    fn each_of(&self, numbers: &Numbers, each: &mut dyn FnMut(DocumentNumber, &Record)) -> Result<()> {
        let SharedSnapshot { parts, state, records, .. } = &*self.shared;
        let few = records.get().is_none() && numbers.count() < state.live.count() / FEW;
        if few || state.live.count() > RECORDS_KEPT {
            return parts.documents.each_record(numbers, state.generation, &mut |number, record| each(number, &record));
        }
        let wanted = self.records()?.iter().filter(|(number, _)| numbers.contains(*number));
        wanted.for_each(|(number, record)| each(*number, record));
        Ok(())
    }

    /// The documents of these that match a filter, found by the engine; `None` where it cannot tell, or all records are
    /// in memory anyway. Those whose rows do not say their fields are left out.
    fn found_by_engine(&self, condition: Option<RowCondition>, among: &Numbers) -> Result<Option<FoundByEngine>> {
        let SharedSnapshot { parts, state, records, .. } = &*self.shared;
        let Some(condition) = condition.filter(|_| parts.driver.checks_fields() && records.get().is_none()) else {
            return Ok(None);
        };
        let (said, told) = (among.without(&state.unsaid), parts.driver.tells(&condition));
        let surely = if told { condition.clone() } else { bound(&condition, true) };
        let mut found =
            FoundByEngine { surely: parts.documents.fulfilling(&surely, &said)?, perhaps: Numbers::default() };
        if !told {
            let rest = said.without(&found.surely.iter().copied().collect());
            found.perhaps = parts.documents.fulfilling(&bound(&condition, false), &rest)?.into_iter().collect();
        }
        Ok(Some(found))
    }

    /// The documents of these that match a filter, in any order.
    fn matching_among(&self, filter: &Filter, among: &Numbers) -> Result<Vec<DocumentNumber>> {
        let (mut found, left) = match self.found_by_engine(fields::condition(filter), among)? {
            Some(FoundByEngine { surely, perhaps }) => (surely, among.common(&self.shared.state.unsaid).with(&perhaps)),
            None => (Vec::new(), among.clone()),
        };
        if !left.is_empty() {
            self.each_of(&left, &mut |number, record| found.extend(record.matches(filter).then_some(number)))?;
        }
        Ok(found)
    }

    fn names_and_totals(&self) -> Result<&(DocumentNames, Totals)> {
        self.shared.names.get_or_read(|| {
            let (mut names, mut totals) = (NameGathering::default(), Totals::default());
            self.each_record(&mut |number, record| {
                names.add(number, record);
                totals.add(record);
            })?;
            Ok((names.names(), totals))
        })
    }

    fn pin(&self, document: Arc<StoredDocument>) -> &Arc<StoredDocument> {
        self.shared.parts.cache.keep(&document, self.shared.state.amended);
        self.pins.add(document)
    }
}

impl Snapshot for RemoteSnapshot {
    fn generation(&self) -> u64 {
        self.shared.state.generation
    }

    fn manifest(&self) -> &Manifest {
        &self.shared.manifest
    }

    fn numbers(&self) -> Vec<DocumentNumber> {
        self.shared.state.live.iter().collect()
    }

    fn records(&self) -> Result<&[(DocumentNumber, Record)]> {
        let SharedSnapshot { parts, state, records, .. } = &*self.shared;
        records.get_or_read(|| parts.documents.records(&state.live, state.generation)).map(Vec::as_slice)
    }

    fn each_record(&self, each: &mut dyn FnMut(DocumentNumber, &Record)) -> Result<()> {
        self.each_of(&self.shared.state.live, each)
    }

    fn each_document(&self, each: &mut dyn FnMut(DocumentNumber, &Record, &Structure, &str)) -> Result<()> {
        let SharedSnapshot { parts, state, .. } = &*self.shared;
        for page in state.live.pages(DOCUMENTS_AT_ONCE) {
            for document in parts.documents.read(&page, state.generation)? {
                each(document.number, &document.record, &document.structure, &document.text);
            }
        }
        Ok(())
    }

    fn totals(&self) -> Result<Totals> {
        self.names_and_totals().map(|(_, totals)| *totals)
    }

    fn matching(&self, filter: &Filter) -> Result<Vec<DocumentNumber>> {
        let SharedSnapshot { parts, state, .. } = &*self.shared;
        let found = parts.filters.matching(filter, state, &mut |new| self.matching_among(filter, new))?;
        Ok(found.iter().collect())
    }

    fn seen_by(&self, access: &Access) -> Result<SeenDocuments> {
        let SharedSnapshot { parts, state, dead, .. } = &*self.shared;
        let mut seen = SeenDocuments::default();
        let condition = fields::seen_by(access).filter(|_| state.roots.iter().all(|root| root_token(root).is_some()));
        let told = condition.clone().and_then(|condition| {
            let left_out = dead.with(&state.unsaid);
            told_by_fields(state.next, condition, &left_out, &Numbers::default(), parts.driver.run_limits())
        });
        let found = self.found_by_engine(condition.filter(|_| told.is_some()), &state.live)?;
        let left = if found.is_some() { &state.unsaid } else { &state.live };
        if !left.is_empty() {
            self.each_of(left, &mut |number, record| {
                if access.sees(&record.metadata) {
                    seen.add(number, record);
                }
            })?;
        }
        // Who may see a document is always told as it is.
        if let (Some(FoundByEngine { surely: found, .. }), Some(told)) = (found, told) {
            let used = parts.documents.roots_of(&told, &state.roots)?;
            seen.roots.extend(state.roots.iter().zip(used).filter(|(_, used)| *used).map(|(root, _)| root.clone()));
            seen.numbers.extend(found);
            seen.numbers.sort_unstable();
        }
        Ok(seen)
    }

    fn catalogue(&self) -> Result<&Catalogue> {
        let read = || {
            let gathering = self.shared.gather()?;
            let catalogue = gathering.clone().catalogue(terms::folded);
            Ok((gathering, catalogue))
        };
        self.shared.catalogue.get_or_read(read).map(|(_, catalogue)| catalogue)
    }

    fn names(&self) -> Result<&DocumentNames> {
        self.names_and_totals().map(|(names, _)| names)
    }

    fn copies(&self) -> &CopyGroups {
        &self.shared.copies
    }

    fn record(&self, number: DocumentNumber) -> Result<Record> {
        self.document(number).map(|document| document.record.clone())
    }

    fn structure(&self, number: DocumentNumber) -> Result<Arc<Structure>> {
        self.document(number).map(|document| Arc::clone(&document.structure))
    }

    fn text(&self, number: DocumentNumber) -> Result<DocumentText<'_>> {
        self.document(number).map(|document| document.text.as_str().into())
    }

    fn derived(&self, number: DocumentNumber) -> Result<Arc<[Derived]>> {
        self.document(number).map(|document| Arc::clone(&document.derived))
    }

    fn image(&self, hash: ImageHash) -> Result<Option<Vec<u8>>> {
        let SharedSnapshot { parts, state, .. } = &*self.shared;
        parts.ledger.image(hash, state.generation, &state.live)
    }

    fn image_among(&self, hash: ImageHash, among: &DocumentSet) -> Result<Option<Vec<u8>>> {
        let SharedSnapshot { parts, state, .. } = &*self.shared;
        parts.ledger.image(hash, state.generation, &allowed(among, &state.live))
    }

    /// Page by page: reading a document keeps it until the snapshot is dropped.
    fn derived_counts_among(&self, among: &DocumentSet) -> Result<BTreeMap<DerivedKind, usize>> {
        let SharedSnapshot { parts, state, .. } = &*self.shared;
        let mut counts = BTreeMap::new();
        for page in allowed(among, &state.live).pages(DOCUMENTS_AT_ONCE) {
            for derived in parts.documents.read(&page, state.generation)?.iter().flat_map(|read| read.derived.iter()) {
                *counts.entry(derived.kind).or_default() += 1;
            }
        }
        Ok(counts)
    }

    fn vectors(&self, number: DocumentNumber) -> Result<Vectors> {
        let whole = self.whole(&[number].into_iter().collect())?;
        whole.into_iter().next().map(|(_, vectors)| vectors).ok_or_else(|| self.unknown(number))
    }

    /// All that are neither lent nor cached, in one round trip.
    fn expect(&self, numbers: &[DocumentNumber]) -> Result<()> {
        let SharedSnapshot { parts, state, .. } = &*self.shared;
        let mut missing = Vec::new();
        for &number in numbers.iter().filter(|&&number| self.pins.get(number).is_none()) {
            match parts.cache.get(number, state.amended) {
                _ if !state.live.contains(number) => {}
                Some(document) => {
                    self.pins.add(document);
                }
                None => missing.push(number),
            }
        }
        for document in parts.documents.read(&missing.into_iter().collect(), state.generation)? {
            self.pin(Arc::new(document));
        }
        Ok(())
    }

    fn derived_counts(&self) -> &BTreeMap<DerivedKind, usize> {
        &self.shared.state.derived
    }

    fn search(&self, ask: &Ask<'_>) -> Result<Vec<Vec<Scored>>> {
        Ok(self.search_all(std::slice::from_ref(ask))?.pop().unwrap_or_default())
    }

    fn search_all(&self, asks: &[Ask<'_>]) -> Result<Vec<Vec<Vec<Scored>>>> {
        crate::search::search_all(self, asks)
    }

    fn roots(&self) -> &[String] {
        &self.shared.state.roots
    }

    fn removed(&self) -> Result<BTreeMap<u128, u128>> {
        let SharedSnapshot { parts, state, .. } = &*self.shared;
        let read = |(base, hash): (String, String)| {
            let key = base.rsplit('/').next().and_then(|key| u128::from_str_radix(key, 16).ok())?;
            Some((key, u128::from_str_radix(&hash, 16).ok()?))
        };
        Ok(parts.ledger.all(EntryKind::Removed, state.generation)?.into_iter().filter_map(read).collect())
    }

    fn files(&self) -> Result<Vec<FileState>> {
        let SharedSnapshot { parts, state, .. } = &*self.shared;
        let files = parts.ledger.all(EntryKind::File, state.generation)?;
        let read = |file: &String| pack::read(file).ok_or_else(|| parts.driver.damaged(DamagedRow::FileState));
        files.values().map(read).collect()
    }
}
