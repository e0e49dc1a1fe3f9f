//! A long row of numbers, in the large pages of the system where it has them.
//!
//! A process that answers one question fills some megabytes of such rows, and to get them in pages of 4 KB took a tenth
//! of its time.

use bytemuck::Pod;
use memmap2::MmapMut;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

/// A row of a length that does not change; zeros at first.
pub struct BigRow<T> {
    map: Option<MmapMut>,
    of: PhantomData<T>,
}

impl<T: Pod> BigRow<T> {
    /// A row of so many numbers: this one if it has as many.
    pub fn of_length(self, length: usize) -> Self {
        if self.len() == length { self } else { Self::zeros(length) }
    }

    fn zeros(length: usize) -> Self {
        let bytes = length.checked_mul(size_of::<T>()).filter(|&bytes| bytes > 0);
        // As where any other memory is wanted and there is none.
        let map = bytes.map(|bytes| MmapMut::map_anon(bytes).expect("there is memory for a row of numbers"));
        #[cfg(target_os = "linux")]
        if let Some(map) = &map {
            // Advice that the system does not take changes nothing but the time.
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        Self { map, of: PhantomData }
    }
}

impl<T> Default for BigRow<T> {
    fn default() -> Self {
        Self { map: None, of: PhantomData }
    }
}

impl<T: Pod> Deref for BigRow<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.map.as_deref().map_or(&[], bytemuck::cast_slice)
    }
}

impl<T: Pod> DerefMut for BigRow<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.map.as_deref_mut().map_or(&mut [], bytemuck::cast_slice_mut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_zeros_and_keeps_what_is_written_until_its_length_is_another() {
        let mut row = BigRow::<u32>::default().of_length(700_000);
        assert!(row.len() == 700_000 && row.iter().all(|&number| number == 0));
        row[699_999] = 7;
        let row = row.of_length(700_000);
        assert_eq!(row[699_999], 7);
        let row = row.of_length(3);
        assert_eq!(*row, [0; 3]);
        assert!(row.of_length(0).is_empty());
    }
}
