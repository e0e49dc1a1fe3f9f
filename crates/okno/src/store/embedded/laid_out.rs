//! A generation laid out: computed from its documents, or as an earlier process kept it.

use super::atlas::{Atlas, AtlasEntry, DocumentBytes, FurtherCopies, UnplacedDocument};
use super::blob::{self, StoredFront};
use super::bundles::NumberedTable;
use super::columns::FieldColumns;
use super::data_file::DocumentPlace;
use super::dense::Scan;
use super::layout::Layout;
use super::lexical::Lexical;
use super::sketch::Sketch;
use super::sums::Sums;
use super::tables::Tables;
use super::units::Units;
use crate::Result;
use crate::document::{Catalogue, DerivedKind, Layer};
use crate::packed::series::SeriesReader;
use crate::store::{CopyGroups, DamagedDocument, DocumentNumber, FileState, Totals};
use crate::text::names::DocumentNames;
use heed::{RoTxn, WithoutTls};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

/// The layers whose units are kept: those of `auto` and `broad`.
pub const KEPT_LAYERS: [Layer; 4] = [Layer::Sentence, Layer::Window(2), Layer::Paragraph, Layer::Section];

/// All that is computed of a generation, now or earlier.
pub struct LaidOut {
    pub atlas: Atlas<'static>,
    pub copies: CopyGroups,
    /// All copies of a text but the first; `None` where there are none.
    pub further: Option<FurtherCopies>,
    pub derived_counts: BTreeMap<DerivedKind, usize>,
    pub units: HashMap<Layer, Arc<Units>>,
    pub names: OnceLock<DocumentNames>,
    pub columns: OnceLock<FieldColumns>,
    pub catalogue: OnceLock<Catalogue>,
    pub totals: OnceLock<Totals>,
    pub sketch: OnceLock<Sketch>,
}

impl LaidOut {
    /// What an earlier process computed; `None` where that does not fit.
    pub fn read(layout: &Layout, file: &'static [u8], dimensions: usize, lexical: Option<&Lexical>) -> Option<Self> {
        let mut rows = layout.rows();
        let atlas = Atlas::kept(&mut rows, file, dimensions)?;
        Self::read_rows(atlas, &mut rows, lexical)
    }

    fn read_rows(atlas: Atlas<'static>, rows: &mut SeriesReader, lexical: Option<&Lexical>) -> Option<Self> {
        let details: (Vec<Vec<DocumentNumber>>, _, Catalogue, Totals) =
            postcard::from_bytes(&rows.next::<u8>()?).ok()?;
        let (groups, derived_counts, catalogue, totals) = details;
        let further = if groups.is_empty() { None } else { Some(FurtherCopies::kept(rows, &atlas)?) };
        let copies = CopyGroups::kept(groups, rows)?;
        let units = KEPT_LAYERS.iter().map(|&layer| Some((layer, Arc::new(Units::kept(layer, rows, &atlas)?))));
        let units = units.collect::<Option<_>>()?;
        let names = DocumentNames::kept(rows)?;
        let columns = FieldColumns::kept(rows, atlas.count())?;
        let sketch = if is_sketched(&atlas) { Sketch::kept(rows, &atlas)?.into() } else { OnceLock::new() };
        if let Some(lexical) = lexical {
            // After a merge they are those of other segments, and looked up again.
            let _ = lexical.set_kept(rows);
        }
        let (names, columns, catalogue, totals) = (names.into(), columns.into(), catalogue.into(), totals.into());
        Some(Self { atlas, copies, further, derived_counts, units, names, columns, catalogue, totals, sketch })
    }
}

/// Whether a sketch is kept: there are sentences enough to be estimated.
pub fn is_sketched(atlas: &Atlas<'_>) -> bool {
    Scan::Auto.is_approximate(atlas.sentences())
}

/// Reads all documents and lays them out; with those that are damaged.
pub fn laid_out(
    tables: &Tables,
    pin: &RoTxn<'static, WithoutTls>,
    sums: Option<NumberedTable>,
    dimensions: usize,
) -> Result<(LaidOut, Vec<DamagedDocument>)> {
    let mut documents = CheckedDocuments::default();
    stored_documents(tables, pin, sums, |stored| stored.for_each(|document| documents.add(&document, dimensions)))?;
    let CheckedDocuments { parts, hashes, unreadable } = documents;
    let damage = if unreadable.is_empty() { Vec::new() } else { named_damage(tables, pin, &unreadable)? };
    let atlas = Atlas::new(parts.into_iter(), dimensions);
    let copies = CopyGroups::from(copies(&hashes));
    let laid_out = LaidOut {
        further: FurtherCopies::new(&atlas, &copies),
        copies,
        derived_counts: derived_counts(&atlas),
        atlas,
        units: HashMap::new(),
        names: OnceLock::new(),
        columns: OnceLock::new(),
        catalogue: OnceLock::new(),
        totals: OnceLock::new(),
        sketch: OnceLock::new(),
    };
    Ok((laid_out, damage))
}

/// Documents of the same text, where there are several.
fn copies(hashes: &[(DocumentNumber, u128)]) -> Vec<Vec<DocumentNumber>> {
    let mut groups: HashMap<u128, Vec<DocumentNumber>> = HashMap::new();
    for &(number, hash) in hashes {
        groups.entry(hash).or_default().push(number);
    }
    groups.into_values().filter(|group| group.len() > 1).collect()
}

fn derived_counts(atlas: &Atlas<'_>) -> BTreeMap<DerivedKind, usize> {
    let mut counts = BTreeMap::new();
    for derived in atlas.each_document().flat_map(AtlasEntry::derived) {
        *counts.entry(derived.kind).or_default() += 1;
    }
    counts
}

/// The documents of a generation.
#[derive(Default)]
struct CheckedDocuments {
    parts: Vec<(DocumentNumber, UnplacedDocument<'static>)>,
    hashes: Vec<(DocumentNumber, u128)>,
    /// Those that are not what was stored.
    unreadable: Vec<DocumentNumber>,
}

impl CheckedDocuments {
    fn add(&mut self, stored: &DocumentBytes<'static>, dimensions: usize) {
        let &DocumentBytes { number, bytes, sums } = stored;
        let Some(blob) = blob::read_checked(bytes, dimensions, sums) else {
            self.unreadable.push(number);
            return;
        };
        self.hashes.push((number, blob.text.hash));
        let part = UnplacedDocument {
            front: StoredFront::of(blob.structure, blob.derived),
            text: blob.text,
            record: blob.record,
            vectors: blob.vectors,
            derived_vectors: blob.derived_vectors,
        };
        self.parts.push((number, part));
    }
}

/// Gives all documents and their checksums to `look`, by ascending number.
fn stored_documents(
    tables: &Tables,
    pin: &RoTxn<'static, WithoutTls>,
    sums: Option<NumberedTable>,
    look: impl FnOnce(&mut dyn Iterator<Item = DocumentBytes<'static>>),
) -> Result<()> {
    // SAFETY: the bytes lie in the memory map, which lives as long as the environment, which the
    // transaction keeps open; LMDB does not reuse a page while a transaction that sees it lives.
    // `EmbeddedSnapshot` drops the transaction last and hands out only borrows of itself.
    let lasting =
        |bytes: &[u8]| -> &'static [u8] { unsafe { std::slice::from_raw_parts(bytes.as_ptr(), bytes.len()) } };
    let sums = sums.map(|sums| sums.iter(pin)).transpose().map_err(|e| tables.wrong(e))?;
    let mut sums = sums.into_iter().flatten().peekable();
    let mut with_sums = |stored: heed::Result<(DocumentNumber, &[u8])>| {
        let (number, bytes) = stored?;
        // Both by ascending number.
        while sums.next_if(|sum| sum.as_ref().is_ok_and(|(other, _)| *other < number)).is_some() {}
        let own = sums.next_if(|sum| sum.as_ref().is_ok_and(|(other, _)| *other == number)).transpose()?;
        Ok(DocumentBytes { number, bytes: lasting(bytes), sums: own.map(|(_, bytes)| Sums::new(lasting(bytes))) })
    };
    let mut failed = Ok(());
    let documents = tables.stored().all(pin).map_err(|e| tables.wrong(e))?;
    look(&mut documents.map_while(|stored| with_sums(stored).map_err(|e| failed = Err(tables.wrong(e))).ok()));
    failed
}

/// Where all documents and their checksums lie in `data.mdb`, with the documents' numbers; `None` where that cannot be
/// told.
pub fn stored_places(
    tables: &Tables,
    pin: &RoTxn<'static, WithoutTls>,
    sums: Option<NumberedTable>,
) -> Option<(Vec<DocumentNumber>, Vec<DocumentPlace>)> {
    let file = tables.data_file()?;
    let (mut numbers, mut lent) = (Vec::new(), Vec::new());
    let look = |stored: &mut dyn Iterator<Item = DocumentBytes<'static>>| {
        for DocumentBytes { number, bytes, sums } in stored {
            numbers.push(number);
            lent.push([bytes, sums.map_or(&[][..], Sums::bytes)]);
        }
    };
    stored_documents(tables, pin, sums, look).ok()?;
    let stored = tables.stored();
    let page_size = stored.entries.stat(pin).ok()?.page_size as usize;
    let long = stored.long_values(pin, page_size).ok()?;
    Some((numbers, file.places(&long, &lent, page_size)?))
}

/// Damaged documents with the files they were read from.
pub fn named_damage(
    tables: &Tables,
    reading: &RoTxn<'_, WithoutTls>,
    numbers: &[DocumentNumber],
) -> Result<Vec<DamagedDocument>> {
    let mut files: HashMap<DocumentNumber, String> = HashMap::new();
    for stored in tables.files.iter(reading).map_err(|e| tables.wrong(e))? {
        let (_, bytes) = stored.map_err(|e| tables.wrong(e))?;
        let Ok(file) = postcard::from_bytes::<FileState>(bytes) else { continue };
        for number in file.documents.iter().filter(|number| numbers.contains(number)) {
            files.insert(*number, file.path.clone());
        }
    }
    Ok(numbers.iter().map(|&number| DamagedDocument { number, file: files.remove(&number) }).collect())
}
