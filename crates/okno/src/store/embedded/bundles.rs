//! Documents in the key-value store: long ones each as one value, short ones together in bundles.
//!
//! LMDB gives every long value pages of its own, so a document of two pages and a bit takes three: of an index of news
//! articles that was a quarter. Therefore short documents stand behind one another in values of some [`FULL`] bytes,
//! and their own entries say where. What is removed stays in its bundle until less than half of it is in use; then the
//! bundle is written again without it.

use crate::store::DocumentNumber;
use heed::byteorder::BigEndian;
use heed::types::{Bytes, U32};
use heed::{BytesEncode, Database, RoTxn, RwTxn, WithoutTls};

/// Values that are looked at to learn where LMDB's memory map begins.
const SOME: usize = 8;

/// A table of values by number.
pub type NumberedTable = Database<U32<BigEndian>, Bytes>;

/// Bytes of a bundle, about: sixteen pages, of which the last is half empty on average.
const FULL: usize = 16 * 4096 - 256;

/// Documents from so many bytes on stand alone.
const LONG: usize = FULL / 4;

/// Documents of a bundle, at most.
const MOST: usize = 256;

/// The documents of an index, for reading.
#[derive(Clone, Copy)]
pub struct StoredDocuments {
    /// Number → the document, or its [`BundlePlace`].
    pub entries: NumberedTable,
    /// Number of a bundle → the bundle. Not in an index that was made before there were bundles.
    pub bundles: Option<NumberedTable>,
}

/// Where a document stands in a bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BundlePlace {
    bundle: u32,
    start: u32,
    length: u32,
}

/// Bytes of a place. A document has more: its lengths alone do.
const PLACE: usize = 12;

impl BundlePlace {
    fn write(self) -> [u8; PLACE] {
        let mut bytes = [0; PLACE];
        for (chunk, number) in bytes.chunks_exact_mut(4).zip([self.bundle, self.start, self.length]) {
            chunk.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    /// The place that an entry names; `None` where the entry is the document itself.
    fn read(entry: &[u8]) -> Option<Self> {
        let bytes: &[u8; PLACE] = entry.try_into().ok()?;
        let number = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        Some(Self { bundle: number(0), start: number(4), length: number(8) })
    }

    /// The document; nothing, which is no document, where the bundle does not reach so far.
    fn of(self, bundle: &[u8]) -> &[u8] {
        let start = self.start as usize;
        bundle.get(start..start.saturating_add(self.length as usize)).unwrap_or_default()
    }
}

impl StoredDocuments {
    /// A document.
    pub fn get<'t>(
        &self,
        reading: &'t RoTxn<'_, WithoutTls>,
        number: DocumentNumber,
    ) -> heed::Result<Option<&'t [u8]>> {
        let Some(entry) = self.entries.get(reading, &number)? else { return Ok(None) };
        let Some(place) = BundlePlace::read(entry) else { return Ok(Some(entry)) };
        Ok(Some(place.of(self.bundle(reading, place.bundle)?)))
    }

    /// A bundle; nothing where there is none.
    fn bundle<'t>(&self, reading: &'t RoTxn<'_, WithoutTls>, bundle: u32) -> heed::Result<&'t [u8]> {
        let Some(bundles) = self.bundles else { return Ok(&[]) };
        Ok(bundles.get(reading, &bundle)?.unwrap_or_default())
    }

    /// Some values that are longer than a page, and so have pages of their own.
    pub fn long_values<'t>(&self, reading: &'t RoTxn<'_, WithoutTls>, page: usize) -> heed::Result<Vec<&'t [u8]>> {
        let mut long = Vec::new();
        for table in self.bundles.into_iter().chain([self.entries]) {
            let values = table.iter(reading)?.map(|entry| entry.map(|(_, value)| value));
            let values = values.filter(|value| value.as_ref().map_or(true, |value| value.len() > page));
            long.extend(values.take(SOME).collect::<heed::Result<Vec<_>>>()?);
            if !long.is_empty() {
                break;
            }
        }
        Ok(long)
    }

    /// All documents, by ascending number.
    pub fn all<'t>(
        self,
        reading: &'t RoTxn<'_, WithoutTls>,
    ) -> heed::Result<impl Iterator<Item = heed::Result<(DocumentNumber, &'t [u8])>>> {
        let mut last: (Option<u32>, &[u8]) = (None, &[]);
        Ok(self.entries.iter(reading)?.map(move |entry| {
            let (number, entry) = entry?;
            let Some(place) = BundlePlace::read(entry) else { return Ok((number, entry)) };
            if last.0 != Some(place.bundle) {
                last = (Some(place.bundle), self.bundle(reading, place.bundle)?);
            }
            Ok((number, place.of(last.1)))
        }))
    }
}

/// Writes a value in place of the one that is there. LMDB would leave a shorter one in the pages of a longer one that
/// was written in the same transaction, and such a value is not told from a damaged one.
pub fn replace<'k, K: BytesEncode<'k>>(
    table: Database<K, Bytes>,
    writing: &mut RwTxn<'_>,
    key: &'k K::EItem,
    value: &'k [u8],
) -> heed::Result<()> {
    table.delete(writing, key)?;
    table.put(writing, key, value)
}

/// The documents of an index, for its writer. Those of a bundle are gathered in memory until it is full: LMDB does not
/// use the pages of a value again that is written twice in one transaction.
pub struct BundleWriter {
    entries: NumberedTable,
    bundles: NumberedTable,
    gathered: Bundle,
}

impl BundleWriter {
    /// The documents of these tables.
    pub fn new(entries: NumberedTable, bundles: NumberedTable) -> Self {
        Self { entries, bundles, gathered: Bundle::default() }
    }

    /// Stores a document, in place of the one of its number.
    pub fn put(&mut self, writing: &mut RwTxn<'_>, number: DocumentNumber, document: &[u8]) -> heed::Result<()> {
        self.settle(writing, number)?;
        if document.len() >= LONG {
            let before = self.place(writing, number)?;
            replace(self.entries, writing, &number, document)?;
            return before.map_or(Ok(()), |before| self.tidy(writing, before.bundle));
        }
        if !self.gathered.has_room_for(document) {
            self.close(writing)?;
        }
        self.gathered.add(number, document);
        Ok(())
    }

    /// A document.
    pub fn get<'t>(&mut self, writing: &'t mut RwTxn<'_>, number: DocumentNumber) -> heed::Result<Option<&'t [u8]>> {
        self.settle(writing, number)?;
        self.stored().get(writing, number)
    }

    /// Takes a document out; whether there was one.
    pub fn delete(&mut self, writing: &mut RwTxn<'_>, number: DocumentNumber) -> heed::Result<bool> {
        self.settle(writing, number)?;
        let before = self.place(writing, number)?;
        let found = self.entries.delete(writing, &number)?;
        before.map_or(Ok(()), |before| self.tidy(writing, before.bundle))?;
        Ok(found)
    }

    /// Writes what was gathered.
    pub fn close(&mut self, writing: &mut RwTxn<'_>) -> heed::Result<()> {
        let gathered = std::mem::take(&mut self.gathered);
        if gathered.numbers.is_empty() {
            return Ok(());
        }
        let mut before = Vec::new();
        for &number in &gathered.numbers {
            before.extend(self.place(writing, number)?.map(|place| place.bundle));
        }
        let last = self.bundles.last(writing)?.map(|(last, _)| last);
        let bundle = last.map_or(Some(0), |last| last.checked_add(1)).ok_or(heed::MdbError::Corrupted)?;
        self.write(writing, bundle, &gathered)?;
        before.sort_unstable();
        before.dedup();
        before.into_iter().try_for_each(|bundle| self.tidy(writing, bundle))
    }

    /// All but what is gathered.
    pub fn stored(&self) -> StoredDocuments {
        StoredDocuments { entries: self.entries, bundles: Some(self.bundles) }
    }

    /// Writes what was gathered if this document is among it.
    fn settle(&mut self, writing: &mut RwTxn<'_>, number: DocumentNumber) -> heed::Result<()> {
        if self.gathered.numbers.contains(&number) { self.close(writing) } else { Ok(()) }
    }

    fn place(&self, writing: &RwTxn<'_>, number: DocumentNumber) -> heed::Result<Option<BundlePlace>> {
        Ok(self.entries.get(writing, &number)?.and_then(BundlePlace::read))
    }

    fn write(&self, writing: &mut RwTxn<'_>, number: u32, bundle: &Bundle) -> heed::Result<()> {
        replace(self.bundles, writing, &number, &bundle.packed())?;
        for (document, start, length) in bundle.places() {
            replace(self.entries, writing, &document, &BundlePlace { bundle: number, start, length }.write())?;
        }
        Ok(())
    }

    /// Writes a bundle again where less than half of it is in use, and deletes it where nothing is.
    fn tidy(&self, writing: &mut RwTxn<'_>, number: u32) -> heed::Result<()> {
        let Some(bytes) = self.bundles.get(writing, &number)? else { return Ok(()) };
        let (size, mut kept) = (bytes.len(), Bundle::default());
        // What a damaged list does not name is kept as it is: its bundle is not touched.
        let Some(numbers) = bundled(bytes) else { return Ok(()) };
        for document in numbers {
            if let Some(place) = self.place(writing, document)?.filter(|place| place.bundle == number) {
                kept.add(document, place.of(bytes));
            }
        }
        match kept.bytes.len() {
            0 => self.bundles.delete(writing, &number).map(drop),
            used if used * 2 < size => self.write(writing, number, &kept),
            _ => Ok(()),
        }
    }
}

/// Documents behind one another; as a value, their count and their numbers come first.
#[derive(Default)]
struct Bundle {
    numbers: Vec<DocumentNumber>,
    ends: Vec<usize>,
    bytes: Vec<u8>,
}

impl Bundle {
    fn has_room_for(&self, document: &[u8]) -> bool {
        self.numbers.len() < MOST && head(self.numbers.len() + 1) + self.bytes.len() + document.len() <= FULL
    }

    fn add(&mut self, number: DocumentNumber, document: &[u8]) {
        self.numbers.push(number);
        self.bytes.extend_from_slice(document);
        self.ends.push(self.bytes.len());
    }

    fn packed(&self) -> Vec<u8> {
        let mut packed = Vec::with_capacity(head(self.numbers.len()) + self.bytes.len());
        packed.extend((self.numbers.len() as u32).to_le_bytes());
        packed.extend(self.numbers.iter().flat_map(|number| number.to_le_bytes()));
        packed.extend_from_slice(&self.bytes);
        packed
    }

    /// Each document with where it begins in the packed bundle, and its length.
    fn places(&self) -> impl Iterator<Item = (DocumentNumber, u32, u32)> {
        let head = head(self.numbers.len());
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let place = move |((&number, start), &end): ((&DocumentNumber, usize), &usize)| {
            (number, (head + start) as u32, (end - start) as u32)
        };
        self.numbers.iter().zip(starts).zip(&self.ends).map(place)
    }
}

/// Bytes in front of the documents of a bundle.
fn head(documents: usize) -> usize {
    4 + 4 * documents
}

/// The numbers of the documents that a bundle was written with; `None` where that cannot be.
fn bundled(bundle: &[u8]) -> Option<Vec<DocumentNumber>> {
    let (count, rest) = bundle.split_first_chunk::<4>()?;
    let numbers = rest.get(..(u32::from_le_bytes(*count) as usize).checked_mul(4)?)?;
    Some(numbers.as_chunks::<4>().0.iter().map(|number| u32::from_le_bytes(*number)).collect())
}

#[cfg(test)]
mod tests {
    use super::super::sound::checked_pages;
    use super::*;
    use heed::EnvOpenOptions;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[derive(Debug, Clone)]
    enum Step {
        Put(DocumentNumber, usize),
        Delete(DocumentNumber),
        Look(DocumentNumber),
        Commit,
    }

    fn step() -> impl Strategy<Value = Step> {
        let length = prop_oneof![40..4000usize, 40..200usize, LONG - 3..LONG + 3];
        prop_oneof![
            6 => (0..60u32, length).prop_map(|(number, length)| Step::Put(number, length)),
            3 => (0..60u32).prop_map(Step::Delete),
            1 => (0..60u32).prop_map(Step::Look),
            1 => Just(Step::Commit),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn documents_are_what_was_put_and_bundles_at_least_half_in_use(
            steps in prop::collection::vec(step(), 1..300)
        ) {
            let folder = tempfile::tempdir().unwrap();
            let mut options = EnvOpenOptions::new().read_txn_without_tls();
            options.map_size(1 << 30).max_dbs(2);
            // SAFETY: nobody else knows the folder.
            let env = unsafe { options.open(folder.path()) }.unwrap();
            let mut writing = env.write_txn().unwrap();
            let entries = env.create_database(&mut writing, Some("documents")).unwrap();
            let bundles = env.create_database(&mut writing, Some("bundles")).unwrap();
            let mut documents = BundleWriter::new(entries, bundles);
            let mut expected: BTreeMap<DocumentNumber, Vec<u8>> = BTreeMap::new();
            for (at, step) in steps.into_iter().enumerate() {
                match step {
                    Step::Put(number, length) => {
                        let document = vec![at as u8; length];
                        documents.put(&mut writing, number, &document).unwrap();
                        expected.insert(number, document);
                    }
                    Step::Delete(number) => {
                        let found = documents.delete(&mut writing, number).unwrap();
                        prop_assert_eq!(found, expected.remove(&number).is_some());
                    }
                    Step::Look(number) => {
                        let found = documents.get(&mut writing, number).unwrap();
                        prop_assert_eq!(found, expected.get(&number).map(Vec::as_slice));
                    }
                    Step::Commit => {
                        documents.close(&mut writing).unwrap();
                        writing.commit().unwrap();
                        writing = env.write_txn().unwrap();
                    }
                }
            }
            documents.close(&mut writing).unwrap();
            let stored: Vec<_> = documents.stored().all(&writing).unwrap().map(Result::unwrap).collect();
            let all: Vec<_> = expected.iter().map(|(number, document)| (*number, document.as_slice())).collect();
            prop_assert_eq!(stored, all);
            writing.commit().unwrap();
            prop_assert!(checked_pages(&env, folder.path()).unwrap().wrong_headers.is_empty());
            let writing = env.write_txn().unwrap();
            let size: usize = bundles.iter(&writing).unwrap().map(|bundle| bundle.unwrap().1.len()).sum();
            let short: usize = expected.values().map(Vec::len).filter(|length| *length < LONG).sum();
            prop_assert!(size <= 2 * short, "{size} {short}");
        }
    }

    #[test]
    fn a_place_outside_of_its_bundle_holds_nothing() {
        let place = BundlePlace { bundle: 1, start: 8, length: u32::MAX };
        assert_eq!(BundlePlace::read(&place.write()), Some(place));
        assert_eq!(place.of(&[0; 100]), [0; 0]);
        assert_eq!(BundlePlace::read(&[0; 40]), None);
        assert_eq!(bundled(&[255; 9]), None);
    }
}
