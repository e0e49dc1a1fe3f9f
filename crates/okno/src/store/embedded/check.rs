//! Reads all of an index and says what is not as it was stored, or does not fit the rest: documents, vectors, images,
//! names, the states of files, the lexical index with its checksums, and the references between them.

use super::lexical::{Lexical, LexicalError};
use super::snapshot::EmbeddedSnapshot;
use super::sound::checked_pages;
use super::tables::{Tables, id_value, read_holder_key, read_id_value};
use super::{EmbeddedStore, lexical_folder};
use crate::document::{ImageHash, Record};
use crate::error::Damage;
use crate::store::{DocumentNumber, FileState, IndexFault, Snapshot, Store, id_key};
use crate::{Error, Result};
use heed::{RoTxn, WithoutTls};
use std::collections::{BTreeMap, HashMap};

/// All faults of the last committed generation.
pub fn check(store: &EmbeddedStore) -> Result<Vec<IndexFault>> {
    loop {
        // Opened anew: what was read before says nothing about the disk.
        store.release();
        let mut faults = headers(&store.tables)?;
        let snapshot = match store.opened() {
            // Without the lexical index the rest can be read after it was built again.
            Err(Error::Lexical { source, .. }) => return Ok(vec![IndexFault::Lexical { words: source.to_string() }]),
            snapshot => snapshot?,
        };
        faults.extend(stored(&snapshot, &store.tables)?);
        let lexical = lexical(&store.tables, &snapshot)?;
        // The files of the lexical index are those of now: after a commit they need not hold what the snapshot holds.
        if lexical.is_empty() || store.tables.generation()? == snapshot.generation() {
            faults.extend(lexical);
            return Ok(faults);
        }
    }
}

/// Headers of values that a reader does not look at, and a writer writes again.
pub fn headers(tables: &Tables) -> Result<Vec<IndexFault>> {
    let count = checked_pages(&tables.env, &tables.path)?.wrong_headers.len();
    Ok(if count == 0 { Vec::new() } else { vec![IndexFault::PageHeaders { count }] })
}

/// The faults of everything but the lexical index.
pub fn stored(snapshot: &EmbeddedSnapshot, tables: &Tables) -> Result<Vec<IndexFault>> {
    let mut faults = documents(snapshot)?;
    let records = snapshot.records()?;
    snapshot.reading(|reading| {
        faults.extend(names(records, tables, reading)?);
        faults.extend(file_states(tables, reading)?);
        faults.extend(images(tables, reading)?);
        Ok(faults)
    })
}

/// Documents that are not what was stored, vectors included.
fn documents(snapshot: &EmbeddedSnapshot) -> Result<Vec<IndexFault>> {
    for number in snapshot.numbers() {
        match snapshot.check_document(number) {
            // The snapshot remembers it, with its file.
            Err(Error::Damaged { what: Damage::Document { .. }, .. }) => {}
            checked => checked?,
        }
    }
    let fault =
        |damaged: crate::store::DamagedDocument| IndexFault::Document { number: damaged.number, name: damaged.name() };
    Ok(snapshot.damaged().into_iter().map(fault).collect())
}

/// Every document is found under its name, and no name leads nowhere.
fn names(
    records: &[(DocumentNumber, Record)],
    tables: &Tables,
    reading: &RoTxn<'_, WithoutTls>,
) -> Result<Vec<IndexFault>> {
    let wrong = |e: heed::Error| tables.wrong(e);
    let mut faults = Vec::new();
    for (number, record) in records {
        let stored = tables.ids.get(reading, &id_key(&record.id)).map_err(wrong)?;
        if stored != Some(&id_value(*number, record.hash)[..]) {
            faults.push(IndexFault::Name { name: record.id.name().to_owned() });
        }
    }
    let mut unknown = 0;
    for stored in tables.ids.iter(reading).map_err(wrong)? {
        let number = read_id_value(stored.map_err(wrong)?.1).map(|(number, _)| number);
        let known = number.map(|number| tables.stored().get(reading, number)).transpose().map_err(wrong)?;
        unknown += usize::from(known.flatten().is_none());
    }
    if unknown > 0 {
        faults.push(IndexFault::UnknownNames { count: unknown });
    }
    Ok(faults)
}

fn file_states(tables: &Tables, reading: &RoTxn<'_, WithoutTls>) -> Result<Vec<IndexFault>> {
    let mut faults = Vec::new();
    for stored in tables.files.iter(reading).map_err(|e| tables.wrong(e))? {
        let (_, bytes) = stored.map_err(|e| tables.wrong(e))?;
        if postcard::from_bytes::<FileState>(bytes).is_err() {
            faults.push(IndexFault::FileState);
        }
    }
    Ok(faults)
}

/// Images whose bytes are not those of their hash.
fn images(tables: &Tables, reading: &RoTxn<'_, WithoutTls>) -> Result<Vec<IndexFault>> {
    let wrong = |e: heed::Error| tables.wrong(e);
    let mut holders: BTreeMap<u128, Vec<DocumentNumber>> = BTreeMap::new();
    for stored in tables.holders.iter(reading).map_err(wrong)? {
        if let Some((hash, number)) = read_holder_key(stored.map_err(wrong)?.0) {
            holders.entry(hash.0).or_default().push(number);
        }
    }
    let mut faults = Vec::new();
    for stored in tables.images.iter(reading).map_err(wrong)? {
        let (hash, bytes) = stored.map_err(wrong)?;
        let whole = ImageHash::of(bytes) == ImageHash(hash);
        if whole {
            holders.remove(&hash);
        }
    }
    // What is left are documents whose images are damaged, or gone.
    for (hash, holders) in holders {
        let hash = ImageHash(hash).to_string();
        faults.extend(holders.into_iter().map(|number| IndexFault::Image { hash: hash.clone(), number }));
    }
    Ok(faults)
}

/// Damaged files of the lexical index, and documents of which it does not hold every sentence, section and derived
/// text.
fn lexical(tables: &Tables, snapshot: &EmbeddedSnapshot) -> Result<Vec<IndexFault>> {
    if snapshot.generation() == 0 {
        return Ok(Vec::new());
    }
    let unreadable = |source: LexicalError| vec![IndexFault::Lexical { words: source.to_string() }];
    match Lexical::measured(&lexical_folder(&tables.path)) {
        Ok(rows) => short_of_words(snapshot, &rows),
        Err(source) => Ok(unreadable(source)),
    }
}

fn short_of_words(snapshot: &EmbeddedSnapshot, rows: &HashMap<DocumentNumber, usize>) -> Result<Vec<IndexFault>> {
    let mut faults = Vec::new();
    for (number, record) in snapshot.records()? {
        let structure = snapshot.structure(*number)?;
        let derived = snapshot.derived(*number)?.len();
        if rows.get(number).copied().unwrap_or(0) != structure.sentences.len() + structure.sections.len() + derived {
            faults.push(IndexFault::Words { name: record.id.name().to_owned() });
        }
    }
    Ok(faults)
}
