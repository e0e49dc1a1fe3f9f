//! Lists of numbers by hash, in rows that can be kept in a file and read in place.

use super::series::{Series, SeriesReader, SeriesWriter};
use rustc_hash::FxHashMap;

/// Lists of numbers by ascending hash.
#[derive(Debug, Default)]
pub struct HashGroups {
    /// The hashes.
    pub keys: Series<u64>,
    /// The end of the list of each key in `values`.
    ends: Series<u32>,
    values: Series<u32>,
}

impl HashGroups {
    /// Groups as they were gathered.
    pub fn new(groups: FxHashMap<u64, Vec<u32>>) -> Self {
        let mut groups: Vec<(u64, Vec<u32>)> = groups.into_iter().collect();
        groups.sort_unstable_by_key(|(key, _)| *key);
        let ends = groups.iter().scan(0, |end, (_, values)| {
            *end += values.len() as u32;
            Some(*end)
        });
        let ends = ends.collect();
        let keys = groups.iter().map(|(key, _)| *key).collect();
        Self { keys, ends, values: groups.into_iter().flat_map(|(_, values)| values).collect() }
    }

    /// The place of a hash.
    pub fn place(&self, key: u64) -> Option<usize> {
        self.keys.binary_search(&key).ok()
    }

    /// The list at a place.
    pub fn at(&self, place: usize) -> &[u32] {
        list(&self.ends, &self.values, place)
    }

    /// The list of a hash.
    pub fn get(&self, key: u64) -> Option<&[u32]> {
        self.place(key).map(|place| self.at(place))
    }

    /// Writes the rows for [`Self::kept`].
    pub fn keep(&self, rows: &mut SeriesWriter) {
        rows.put(&self.keys);
        rows.put(&self.ends);
        rows.put(&self.values);
    }

    /// The groups that [`Self::keep`] wrote.
    pub fn kept(rows: &mut SeriesReader) -> Option<Self> {
        Some(Self { keys: rows.next()?, ends: rows.next()?, values: rows.next()? })
    }
}

/// The list at a place; each begins where the one before ends.
pub fn list<'v>(ends: &[u32], values: &'v [u32], place: usize) -> &'v [u32] {
    let start = place.checked_sub(1).map_or(0, |before| ends[before]);
    values.get(start as usize..ends[place] as usize).unwrap_or_default()
}
