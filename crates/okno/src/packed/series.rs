//! Rows of numbers that were computed here, or lie in a file that is read in place: whoever reads them cannot tell.
//!
//! [`SeriesWriter`] puts rows behind one another, [`SeriesReader`] finds them in the same order in a memory map.
//! Numbers are in the byte order of the machine: such a file is made and read on one machine, and is only a copy of
//! what can be computed again.

use bytemuck::Pod;
use memmap2::Mmap;
use std::any::Any;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A row of values, shared and never changed.
pub struct Series<T: 'static> {
    values: &'static [T],
    /// What `values` borrows from.
    owner: Arc<dyn Any + Send + Sync>,
}

impl<T> Series<T> {
    /// The values are lent for as long as the series lives, which holds their owner.
    fn lent(values: &[T], owner: Arc<dyn Any + Send + Sync>) -> Self {
        // SAFETY: both callers give values that lie in memory of `owner` which is neither changed nor moved while it
        // lives: the buffer of a vector behind an `Arc`, or a memory map. They are never handed out beyond `self`.
        Self { values: unsafe { std::slice::from_raw_parts(values.as_ptr(), values.len()) }, owner }
    }
}

impl<T: Send + Sync> From<Vec<T>> for Series<T> {
    fn from(values: Vec<T>) -> Self {
        let owner = Arc::new(values);
        Self::lent(&owner, Arc::clone(&owner) as Arc<dyn Any + Send + Sync>)
    }
}

impl<T: Send + Sync> FromIterator<T> for Series<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        values.into_iter().collect::<Vec<T>>().into()
    }
}

impl<T> Clone for Series<T> {
    fn clone(&self) -> Self {
        Self { values: self.values, owner: Arc::clone(&self.owner) }
    }
}

impl<T> Default for Series<T> {
    fn default() -> Self {
        Self { values: &[], owner: Arc::new(()) }
    }
}

impl<T> Deref for Series<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        self.values
    }
}

impl<T: fmt::Debug> fmt::Debug for Series<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.values.fmt(f)
    }
}

/// Every row begins at a multiple of this many bytes.
const ALIGNED: usize = 8;

/// Writes rows behind one another, each after its length in bytes.
#[derive(Default)]
pub struct SeriesWriter {
    /// What was written.
    pub bytes: Vec<u8>,
}

impl SeriesWriter {
    /// Adds a row.
    pub fn put<T: Pod>(&mut self, values: &[T]) {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        self.bytes.extend((bytes.len() as u64).to_ne_bytes());
        self.bytes.extend_from_slice(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(ALIGNED), 0);
    }
}

/// Finds what a [`SeriesWriter`] wrote, in the same order.
pub struct SeriesReader {
    map: Arc<Mmap>,
    at: usize,
}

impl SeriesReader {
    /// The rows from this byte of a map on, a multiple of eight.
    pub fn new(map: Arc<Mmap>, at: usize) -> Self {
        Self { map, at }
    }

    /// What a writer wrote, as if it lay in a file.
    #[cfg(test)]
    pub fn of(writer: &SeriesWriter) -> Self {
        let mut map = memmap2::MmapMut::map_anon(writer.bytes.len().max(1)).unwrap();
        map[..writer.bytes.len()].copy_from_slice(&writer.bytes);
        Self::new(Arc::new(map.make_read_only().unwrap()), 0)
    }

    /// The next row; `None` where there is none of such values.
    pub fn next<T: Pod>(&mut self) -> Option<Series<T>> {
        let start = self.at.checked_add(ALIGNED)?;
        let length = u64::from_ne_bytes(self.map.get(self.at..start)?.try_into().ok()?);
        let end = start.checked_add(usize::try_from(length).ok()?)?;
        let values = bytemuck::try_cast_slice(self.map.get(start..end)?).ok()?;
        self.at = end.checked_next_multiple_of(ALIGNED)?;
        Some(Series::lent(values, Arc::clone(&self.map) as Arc<dyn Any + Send + Sync>))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_as_they_were_written() {
        let mut writer = SeriesWriter::default();
        writer.put(&[1u8, 2, 3]);
        writer.put(&[[4u32, 5], [6, 7]]);
        writer.put::<f32>(&[]);
        writer.put(&[8u64]);
        let mut reader = SeriesReader::of(&writer);
        assert_eq!(*reader.next::<u8>().unwrap(), [1, 2, 3]);
        let pairs = reader.next::<[u32; 2]>().unwrap();
        assert!(reader.next::<f32>().unwrap().is_empty());
        assert!(reader.next::<[u64; 3]>().is_none(), "eight bytes are no three numbers");
        assert_eq!(*reader.next::<u64>().unwrap(), [8]);
        assert!(reader.next::<u8>().is_none(), "the end");
        drop(reader);
        assert_eq!(*pairs, [[4, 5], [6, 7]], "a series keeps its map");
        assert_eq!(*Series::from(vec![1, 2]).clone(), [1, 2]);
    }
}
