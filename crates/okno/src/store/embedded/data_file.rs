//! Where documents lie in `data.mdb`: a later process finds them there without asking LMDB for each.
//!
//! A generation never changes, so a value that lies somewhere in the file stays there while a transaction that sees it
//! lives. The file is mapped once more for this, because LMDB tells nobody where its own map begins.

use super::identity::FileNumber;
use memmap2::Mmap;
use std::fs::File;
use std::path::Path;

/// Where a document and its checksums lie: the first byte of each and how many there are.
pub type DocumentPlace = [u64; 4];

/// Bytes before a value that has pages of its own. The first eight are the number of its first page.
const HEADER: usize = 16;

/// `data.mdb`, mapped for reading.
pub struct DataFile {
    map: Mmap,
}

impl DataFile {
    /// Maps the file of a folder; `None` where that cannot be done, or another file than this one is there by now.
    pub fn open(folder: &Path, same: Option<FileNumber>) -> Option<Self> {
        let file = File::open(folder.join("data.mdb")).ok()?;
        if FileNumber::of(&file.metadata().ok()?) != same {
            return None;
        }
        // SAFETY: as with LMDB's own map, the folder is ours, and pages that a pinned transaction sees are not written.
        unsafe { Mmap::map(&file) }.ok().map(|map| Self { map })
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// Where documents and their checksums, as LMDB lent them, lie in the file. `long` are values of more than a page:
    /// all of them must agree on where the map begins. `None` where they do not, or something lies elsewhere.
    pub fn places(&self, long: &[&[u8]], lent: &[[&[u8]; 2]], page_size: usize) -> Option<Vec<DocumentPlace>> {
        let start = start_of_map(long.first()?, page_size)?;
        let agree = long.iter().all(|value| start_of_map(value, page_size) == Some(start));
        let place = |value: &[u8]| {
            let at = (value.as_ptr() as usize).checked_sub(start)?;
            let here = self.map.get(at..at.checked_add(value.len())?)?;
            let compared = value.len().min(COMPARED);
            (here[..compared] == value[..compared]).then_some([at as u64, value.len() as u64])
        };
        let both = |[document, sums]: &[&[u8]; 2]| {
            let ([at, length], [sums_at, sums_length]) = (place(document)?, place(sums)?);
            Some([at, length, sums_at, sums_length])
        };
        if agree { lent.iter().map(both).collect() } else { None }
    }
}

/// Bytes of a value that are compared with those at its place: documents begin with a hash, checksums are hashes.
const COMPARED: usize = 32;

/// Where LMDB's map begins, told by a value in it that has pages of its own.
fn start_of_map(value: &[u8], page_size: usize) -> Option<usize> {
    let at = value.as_ptr() as usize;
    if at % page_size != HEADER {
        return None;
    }
    // SAFETY: a value of more than a page lies behind the header of its first page, in the same map.
    let header: [u8; HEADER] = unsafe { value.as_ptr().sub(HEADER).cast::<[u8; HEADER]>().read() };
    let page = u64::from_ne_bytes(header[..8].try_into().ok()?);
    (at - HEADER).checked_sub(usize::try_from(page).ok()?.checked_mul(page_size)?)
}

/// A part of the file; nothing where it does not reach so far.
pub fn part(file: &[u8], at: u64, length: u64) -> &[u8] {
    let range = || Some(usize::try_from(at).ok()?..usize::try_from(at.checked_add(length)?).ok()?);
    range().and_then(|range| file.get(range)).unwrap_or_default()
}
