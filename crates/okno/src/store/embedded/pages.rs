//! Whether the pages of `data.mdb` are those of a tree, looked at before LMDB follows them.
//!
//! LMDB believes what its pages say: a changed page number, offset or count makes it read or write where nothing of
//! its own is, which ends the process, or overwrites pages in use. So every page of the tree is read once – by reads,
//! not through a memory map, whose end a damaged number may lie beyond – and compared with what LMDB writes: its own
//! number, its kind, nodes that fill it without gaps, keys in order, counts that are those of the tree, and no page
//! that is used twice, or used and free. The contents of documents have checksums of their own.
//!
//! A value that is longer than a page has pages of its own, with a header at the beginning. Readers do not look at
//! these headers, and what they hold follows from the tree: wrong ones are returned, and a writer writes them again.

use std::cmp::Ordering;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

/// Bytes of a page before its offsets.
const HEADER: usize = 16;

/// Bytes of a node before its key.
const NODE: usize = 8;

/// Bytes of the description of a tree.
const TREE: usize = 48;

/// Kinds of pages.
const BRANCH: u16 = 1;
const LEAF: u16 = 2;
const OVERFLOW: u16 = 4;

/// Flags of nodes: the value has pages of its own; the value describes a tree.
const BIG: u16 = 1;
const SUBTREE: u16 = 2;

/// The root of a tree without pages.
const NO_PAGE: u64 = u64::MAX;

/// How deep LMDB can follow a tree.
const DEEPEST: u16 = 32;

/// The flag of the table of free pages, whose keys are numbers. No other table has a flag.
const NUMBERS: u16 = 8;

/// Why the pages cannot be used.
#[derive(Debug)]
pub enum PageFault {
    /// The file cannot be read.
    Unreadable(io::Error),
    /// This page is not what was written.
    Bad(u64),
    /// Neither of the first pages describes this transaction: others have been committed since.
    Gone,
}

impl From<io::Error> for PageFault {
    fn from(error: io::Error) -> Self {
        Self::Unreadable(error)
    }
}

type Checked<T> = Result<T, PageFault>;

/// The header of a value that has pages of its own, as it must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValueHeader {
    page: u64,
    count: u32,
}

impl ValueHeader {
    fn bytes(self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..8].copy_from_slice(&self.page.to_ne_bytes());
        bytes[10..12].copy_from_slice(&OVERFLOW.to_ne_bytes());
        bytes[12..].copy_from_slice(&self.count.to_ne_bytes());
        bytes
    }

    /// Writes it where it belongs.
    pub fn write(self, file: &mut File, page_size: usize) -> io::Result<()> {
        file.seek(SeekFrom::Start(self.page * page_size as u64))?;
        file.write_all(&self.bytes())
    }
}

/// What a transaction of LMDB begins from: one of the first two pages.
#[derive(Debug, Clone, Copy)]
struct Start {
    page_size: usize,
    free: Tree,
    main: Tree,
    last: u64,
    transaction: u64,
}

/// One tree, as its description says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Tree {
    flags: u16,
    depth: u16,
    branches: u64,
    leaves: u64,
    overflow: u64,
    entries: u64,
    root: u64,
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_ne_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut own = [0; 8];
    own.copy_from_slice(&bytes[at..at + 8]);
    u64::from_ne_bytes(own)
}

impl Tree {
    fn read(bytes: &[u8]) -> Self {
        Self {
            flags: u16_at(bytes, 4),
            depth: u16_at(bytes, 6),
            branches: u64_at(bytes, 8),
            leaves: u64_at(bytes, 16),
            overflow: u64_at(bytes, 24),
            entries: u64_at(bytes, 32),
            root: u64_at(bytes, 40),
        }
    }
}

impl Start {
    /// Reads one of the two: header, magic number, version, address, size of the map, two trees, last page, number.
    fn read(bytes: &[u8]) -> Self {
        let trees = HEADER + 24;
        Self {
            page_size: u32_at(bytes, trees) as usize,
            free: Tree::read(&bytes[trees..]),
            main: Tree::read(&bytes[trees + TREE..]),
            last: u64_at(bytes, trees + 2 * TREE),
            transaction: u64_at(bytes, trees + 2 * TREE + 8),
        }
    }
}

/// Bytes of one of the first pages that mean something.
const START: usize = HEADER + 24 + 2 * TREE + 16;

fn starts(file: &mut File) -> Checked<[Start; 2]> {
    let mut bytes = [0; START];
    read_at(file, 0, &mut bytes)?;
    let first = Start::read(&bytes);
    if !first.page_size.is_power_of_two() || !(512..=65_536).contains(&first.page_size) {
        return Err(PageFault::Bad(0));
    }
    read_at(file, first.page_size as u64, &mut bytes)?;
    Ok([first, Start::read(&bytes)])
}

fn read_at(file: &mut File, at: u64, bytes: &mut [u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(bytes)
}

/// Compares what LMDB believes before the first transaction, and what no commit changes: the size of pages and the
/// flags of the first tables. A new, empty file is sound.
pub fn check_starts(file: &mut File) -> Checked<()> {
    if file.metadata()?.len() == 0 {
        return Ok(());
    }
    let [first, second] = starts(file)?;
    for (page, start) in [(0, first), (1, second)] {
        let same = start.page_size == first.page_size && start.free.flags & 0xff == NUMBERS;
        if !same || start.main.flags != 0 {
            return Err(PageFault::Bad(page));
        }
    }
    Ok(())
}

/// Makes both of the first pages of a compacted copy, of which LMDB fills the second, begin this transaction: whoever
/// has the file of locks open counts on from there.
pub fn set_transaction(file: &mut File, transaction: u64) -> Checked<()> {
    let page_size = starts(file)?[0].page_size as u64;
    let mut start = [0; START];
    read_at(file, page_size, &mut start)?;
    start[START - 8..].copy_from_slice(&transaction.to_ne_bytes());
    for page in [0u64, 1] {
        start[..8].copy_from_slice(&page.to_ne_bytes());
        file.seek(SeekFrom::Start(page * page_size))?;
        file.write_all(&start)?;
    }
    Ok(())
}

/// So many pages at the end may be missing from any file: 16 GB, far more than a commit writes.
const UNWRITTEN: u64 = 1 << 22;

/// What was found in the pages of a transaction.
#[derive(Debug, Default)]
pub struct PageReport {
    /// Headers of long values that are not what they must be.
    pub wrong_headers: Vec<ValueHeader>,
    /// The size of a page.
    pub page_size: usize,
}

/// Looks at all pages of a transaction, which must be one that LMDB keeps.
pub fn check_pages(file: &mut File, transaction: u64) -> Checked<PageReport> {
    let starts = starts(file)?;
    let place = starts.iter().position(|start| start.transaction == transaction).ok_or(PageFault::Gone)?;
    let (start, place) = (starts[place], place as u64);
    let written = file.metadata()?.len() / start.page_size as u64;
    // Free pages at the end need not have been written, so the file may be shorter, but not by any number of pages.
    if start.last < 1 || start.last > written * 16 + UNWRITTEN {
        return Err(PageFault::Bad(place));
    }
    let used = vec![0; (start.last / 64 + 1) as usize];
    let mut walk = PageWalk { file, start, used, found: Tree::default(), wrong: Vec::new() };
    walk.trees(place)?;
    // What is not written must be free, or the number of the last page is wrong.
    if (written..=start.last).any(|page| !walk.is_used(page)) {
        return Err(PageFault::Bad(place));
    }
    Ok(PageReport { wrong_headers: walk.wrong, page_size: start.page_size })
}

struct PageWalk<'f> {
    file: &'f mut File,
    start: Start,
    /// A bit for each page that is in a tree, or free.
    used: Vec<u64>,
    /// What was counted of the tree that is walked.
    found: Tree,
    wrong: Vec<ValueHeader>,
}

/// Where a page stands in its tree: the keys that it may have, and how deep it is.
#[derive(Clone, Copy)]
struct PagePlace<'k> {
    level: u16,
    least: Option<&'k [u8]>,
    /// Keys are less than this.
    beyond: Option<&'k [u8]>,
}

/// A node of a page that lies inside of it.
struct PageNode<'p> {
    key: &'p [u8],
    flags: u16,
    /// The size of the value of a leaf.
    size: u32,
    /// What follows the key, to the end of the page.
    rest: &'p [u8],
}

impl PageWalk<'_> {
    fn trees(&mut self, place: u64) -> Checked<()> {
        let mut tables = Vec::new();
        let mut free = Vec::new();
        let (first, main) = (self.start.free, self.start.main);
        self.tree(first, place, &mut |walk, page, node| {
            free.extend(walk.free_pages(page, node)?);
            Ok(())
        })?;
        self.tree(main, place, &mut |_, page, node| {
            if node.flags & SUBTREE != 0 {
                if node.flags != SUBTREE || node.size as usize != TREE {
                    return Err(PageFault::Bad(page));
                }
                tables.push((page, Tree::read(node.rest)));
            }
            Ok(())
        })?;
        for (page, table) in tables {
            if table.flags != 0 {
                return Err(PageFault::Bad(page));
            }
            self.tree(table, page, &mut |_, page, node| {
                if node.flags & SUBTREE == 0 { Ok(()) } else { Err(PageFault::Bad(page)) }
            })?;
        }
        free.into_iter().try_for_each(|(page, free)| self.claim(free, 1).map_err(|_| PageFault::Bad(page)))
    }

    /// One tree; `described_in` is the page with its description.
    fn tree(&mut self, tree: Tree, described_in: u64, leaf: LeafLook<'_>) -> Checked<()> {
        self.found = Tree { flags: tree.flags, depth: tree.depth, root: tree.root, ..Tree::default() };
        if tree.root == NO_PAGE {
            let empty = tree == (Tree { flags: tree.flags, root: NO_PAGE, ..Tree::default() });
            return if empty { Ok(()) } else { Err(PageFault::Bad(described_in)) };
        }
        if tree.depth == 0 || tree.depth > DEEPEST {
            return Err(PageFault::Bad(described_in));
        }
        self.page(tree.root, PagePlace { level: 1, least: None, beyond: None }, leaf)?;
        if self.found == tree { Ok(()) } else { Err(PageFault::Bad(described_in)) }
    }

    fn page(&mut self, number: u64, place: PagePlace<'_>, leaf: LeafLook<'_>) -> Checked<()> {
        self.claim(number, 1)?;
        let mut bytes = vec![0; self.start.page_size];
        self.read(number, &mut bytes)?;
        let is_leaf = place.level == self.found.depth;
        let kind = if is_leaf { LEAF } else { BRANCH };
        let bad = || PageFault::Bad(number);
        if u64_at(&bytes, 0) != number || u16_at(&bytes, 10) != kind {
            return Err(bad());
        }
        let nodes = nodes(&bytes, is_leaf).ok_or_else(bad)?;
        let numbers = self.found.flags & NUMBERS != 0;
        if !in_order(&nodes, place, is_leaf, numbers) {
            return Err(bad());
        }
        if !is_leaf {
            self.found.branches += 1;
            for (i, node) in nodes.iter().enumerate() {
                let least = if i == 0 { place.least } else { Some(node.key) };
                let beyond = nodes.get(i + 1).map(|next| next.key).or(place.beyond);
                let child = u64::from(node.size) | u64::from(node.flags) << 32;
                self.page(child, PagePlace { level: place.level + 1, least, beyond }, leaf)?;
            }
            return Ok(());
        }
        self.found.leaves += 1;
        self.found.entries += nodes.len() as u64;
        for node in &nodes {
            if node.flags & BIG != 0 {
                self.value(u64_at(node.rest, 0), node.size).map_err(|fault| fault.in_page(number))?;
            }
            leaf(self, number, node)?;
        }
        Ok(())
    }

    /// Pages of a long value.
    fn value(&mut self, page: u64, size: u32) -> Checked<()> {
        let count = (HEADER as u64 - 1 + u64::from(size)) / self.start.page_size as u64 + 1;
        self.claim(page, count)?;
        self.found.overflow += count;
        let expected = ValueHeader { page, count: count as u32 };
        let mut header = [0; HEADER];
        match self.read(page, &mut header) {
            // The file was cut short: this value is lost, the others are not.
            Err(PageFault::Bad(_)) => {}
            read => read?,
        }
        // Two bytes of the header mean nothing here.
        header[8..10].fill(0);
        if header != expected.bytes() {
            self.wrong.push(expected);
        }
        Ok(())
    }

    /// The free pages that an entry of the table of free pages lists, each with the page of that entry.
    fn free_pages(&mut self, page: u64, node: &PageNode<'_>) -> Checked<Vec<(u64, u64)>> {
        let mut long = Vec::new();
        let list = if node.flags & BIG == 0 {
            &node.rest[..node.size as usize]
        } else {
            long.resize(node.size as usize, 0);
            let at = u64_at(node.rest, 0) * self.start.page_size as u64 + HEADER as u64;
            read_at(self.file, at, &mut long).map_err(|fault| ended(fault, page))?;
            &long[..]
        };
        let bad = || PageFault::Bad(page);
        let numbers: Vec<u64> = list.chunks_exact(8).map(|number| u64_at(number, 0)).collect();
        let (&count, numbers) = numbers.split_first().ok_or_else(bad)?;
        let numbers = numbers.get(..usize::try_from(count).map_err(|_| bad())?).ok_or_else(bad)?;
        if node.key.len() != 8 || !numbers.is_sorted_by(|a, b| a > b) {
            return Err(bad());
        }
        Ok(numbers.iter().map(|&free| (page, free)).collect())
    }

    fn read(&mut self, page: u64, bytes: &mut [u8]) -> Checked<()> {
        read_at(self.file, page * self.start.page_size as u64, bytes).map_err(|fault| ended(fault, page))
    }

    fn is_used(&self, page: u64) -> bool {
        self.used[(page / 64) as usize] >> (page % 64) & 1 == 1
    }

    /// Marks pages as used; the first two and those behind the last may not be, and none twice.
    fn claim(&mut self, first: u64, count: u64) -> Checked<()> {
        let last = first.checked_add(count - 1).filter(|last| first > 1 && *last <= self.start.last);
        let last = last.ok_or(PageFault::Bad(first))?;
        for page in first..=last {
            if self.is_used(page) {
                return Err(PageFault::Bad(page));
            }
            self.used[(page / 64) as usize] |= 1 << (page % 64);
        }
        Ok(())
    }
}

/// What is done with each node of a leaf, and the number of its page.
type LeafLook<'l> = &'l mut dyn FnMut(&mut PageWalk<'_>, u64, &PageNode<'_>) -> Checked<()>;

/// A page behind the end of the file is not what was written.
fn ended(error: io::Error, page: u64) -> PageFault {
    if error.kind() == io::ErrorKind::UnexpectedEof { PageFault::Bad(page) } else { error.into() }
}

impl PageFault {
    fn in_page(self, page: u64) -> Self {
        if matches!(self, Self::Bad(_)) { Self::Bad(page) } else { self }
    }
}

/// The nodes of a page, if they fill its end without gaps.
fn nodes(page: &[u8], is_leaf: bool) -> Option<Vec<PageNode<'_>>> {
    let (lower, upper) = (usize::from(u16_at(page, 12)), usize::from(u16_at(page, 14)));
    if lower <= HEADER || lower % 2 == 1 || lower > upper || upper > page.len() {
        return None;
    }
    let mut places = Vec::with_capacity((lower - HEADER) / 2);
    let mut nodes = Vec::with_capacity((lower - HEADER) / 2);
    for at in (HEADER..lower).step_by(2) {
        let start = usize::from(u16_at(page, at));
        let node = page.get(start..).filter(|node| start >= upper && node.len() >= NODE)?;
        let (size, flags, key) = (u32_at(node, 0), u16_at(node, 4), usize::from(u16_at(node, 6)));
        let big = is_leaf && flags & BIG != 0;
        let value = if big { 8 } else { usize::from(is_leaf) * size as usize };
        let end = NODE + key + value;
        if (is_leaf && flags & !(BIG | SUBTREE) != 0) || end > node.len() {
            return None;
        }
        places.push((start, start + end.next_multiple_of(2)));
        nodes.push(PageNode { key: &node[NODE..NODE + key], flags, size, rest: &node[NODE + key..] });
    }
    places.sort_unstable();
    let gapless = places.windows(2).all(|pair| pair[0].1 == pair[1].0);
    (gapless && places.first()?.0 == upper && places.last()?.1 == page.len()).then_some(nodes)
}

/// Whether keys ascend, and are those of the place. The first key of a branch means nothing.
fn in_order(nodes: &[PageNode<'_>], place: PagePlace<'_>, is_leaf: bool, numbers: bool) -> bool {
    let keys = &nodes[usize::from(!is_leaf)..];
    if numbers && keys.iter().any(|node| node.key.len() != 8) {
        return false;
    }
    let order = |a: &[u8], b: &[u8]| if numbers { u64_at(a, 0).cmp(&u64_at(b, 0)) } else { a.cmp(b) };
    let (Some(first), Some(last)) = (keys.first(), keys.last()) else { return true };
    keys.windows(2).all(|pair| order(pair[0].key, pair[1].key) == Ordering::Less)
        && place.least.is_none_or(|least| order(least, first.key) != Ordering::Greater)
        && place.beyond.is_none_or(|beyond| order(last.key, beyond) == Ordering::Less)
}
