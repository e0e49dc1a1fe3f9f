//! A trie in a double array: one load per byte of the key, no pointers. Written by `double_array` in `models/flat.py`.
//!
//! A node's child for byte `b` lies at slot `base ^ b` and repeats `b` in its lowest bits; each base belongs to one
//! node, so that is check enough. A node that ends a key says so in a bit and keeps the key's value at slot `base`.
//! Slots outside the array hold nothing.

const LEAF: u32 = 1 << 31;
const HAS_VALUE: u32 = 1 << 8;
const BASE_SHIFT: u32 = 9;

#[derive(Clone, Copy)]
pub(crate) struct Trie<'a> {
    units: &'a [[u8; 4]],
}

/// A place in the trie: the unit found there.
#[derive(Clone, Copy)]
pub(crate) struct TrieNode(u32);

impl<'a> Trie<'a> {
    pub fn new(units: &'a [[u8; 4]]) -> Self {
        Self { units }
    }

    #[inline]
    pub fn root(self) -> TrieNode {
        self.at(0)
    }

    #[inline]
    pub fn at(self, slot: u32) -> TrieNode {
        TrieNode(self.units.get(slot as usize).map_or(LEAF, |unit| u32::from_le_bytes(*unit)))
    }

    #[inline]
    pub fn child(self, node: TrieNode, byte: u8) -> Option<TrieNode> {
        let child = self.at((node.0 >> BASE_SHIFT) ^ u32::from(byte));
        (child.0 & (LEAF | 0xFF) == u32::from(byte)).then_some(child)
    }

    #[inline]
    pub fn value(self, node: TrieNode) -> Option<u32> {
        node.ends_key().then(|| self.at(node.0 >> BASE_SHIFT).0 & !LEAF)
    }
}

impl TrieNode {
    #[inline]
    pub fn ends_key(self) -> bool {
        self.0 & HAS_VALUE != 0
    }
}
