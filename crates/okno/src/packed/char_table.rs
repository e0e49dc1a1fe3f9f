//! What becomes of a character: a two-stage table over code points, written by `two_stage` and `entry` in
//! `models/flat.py`.

/// Code points per block; the packer's `BLOCK`.
const BLOCK: usize = 64;
const PAYLOAD: u32 = (1 << 21) - 1;

/// Two-stage lookup: which element of the blocks belongs to a code point. `None` past the end of the table.
#[inline]
fn place(index: &[[u8; 2]], code: u32) -> Option<usize> {
    let code = code as usize;
    let block = index.get(code / BLOCK)?;
    Some(usize::from(u16::from_le_bytes(*block)) * BLOCK + code % BLOCK)
}

/// The byte of a two-stage table of bytes, 0 past its end.
#[inline]
pub(crate) fn class_of(index: &[u8], blocks: &[u8], c: char) -> u8 {
    place(index.as_chunks().0, c.into()).and_then(|at| blocks.get(at)).copied().unwrap_or_default()
}

/// A table of [`CharEntry`] and the pool that entries of several characters point into.
#[derive(Clone, Copy)]
pub(crate) struct CharTable<'a> {
    index: &'a [[u8; 2]],
    entries: &'a [[u8; 4]],
    pool: &'a [[u8; 4]],
}

impl<'a> CharTable<'a> {
    pub fn new(index: &'a [u8], entries: &'a [[u8; 4]], pool: &'a [[u8; 4]]) -> Self {
        Self { index: index.as_chunks().0, entries, pool }
    }

    #[inline]
    pub fn entry(self, c: char) -> CharEntry {
        self.entry_of(c.into())
    }

    /// The entry of a code point.
    #[inline]
    pub fn entry_of(self, code: u32) -> CharEntry {
        let found = place(self.index, code).and_then(|at| self.entries.get(at));
        CharEntry(found.map_or(0, |bytes| u32::from_le_bytes(*bytes)))
    }

    /// Numbers of the pool, fewer where the pool ends.
    pub fn pool(self, start: usize, length: usize) -> impl Iterator<Item = u32> + 'a {
        let after = self.pool.get(start..).unwrap_or_default();
        after.iter().take(length).map(|bytes| u32::from_le_bytes(*bytes))
    }

    /// The numbers a [`CharKind::Sequence`] stands for.
    pub fn sequence(self, entry: CharEntry) -> impl Iterator<Item = u32> + 'a {
        self.pool(entry.payload() as usize, entry.length())
    }
}

/// Kind, length and payload in one word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct CharEntry(u32);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CharKind {
    /// The character stays.
    Keep,
    /// Another character takes its place.
    Char,
    /// None or several take its place: [`CharTable::sequence`].
    Sequence,
    /// It stays, but `length` rules of several characters begin with it, at place `payload` of the pool.
    Starts,
    /// The end of a word.
    Break,
    /// A word of its own.
    Alone,
}

impl CharEntry {
    #[inline]
    pub fn kind(self) -> CharKind {
        match self.0 >> 29 {
            1 => CharKind::Char,
            2 => CharKind::Sequence,
            3 => CharKind::Starts,
            4 => CharKind::Break,
            5 => CharKind::Alone,
            _ => CharKind::Keep,
        }
    }

    pub fn payload(self) -> u32 {
        self.0 & PAYLOAD
    }

    pub fn length(self) -> usize {
        (self.0 >> 21 & 0xFF) as usize
    }

    /// The payload as a character; nothing where it is none, which only damaged files have.
    pub fn character(self) -> Option<char> {
        char::from_u32(self.payload())
    }
}
