//! Documents that a snapshot has lent: kept as long as the snapshot lives.
//!
//! A hash table that only grows, so that references into it stay valid while other threads add: each slot is written
//! once.

use crate::documents::StoredDocument;
use okno::store::DocumentNumber;
use std::sync::{Arc, OnceLock};

/// Chains; a search reads some hundred documents.
const CHAINS: usize = 256;

/// The table.
pub struct Pins {
    chains: Box<[PinLink]>,
}

type PinLink = OnceLock<Box<PinNode>>;

struct PinNode {
    document: Arc<StoredDocument>,
    next: PinLink,
}

impl Default for Pins {
    fn default() -> Self {
        Self { chains: (0..CHAINS).map(|_| PinLink::new()).collect() }
    }
}

impl Pins {
    /// A document, if it was added.
    pub fn get(&self, number: DocumentNumber) -> Option<&Arc<StoredDocument>> {
        let mut link = &self.chains[number as usize % CHAINS];
        while let Some(node) = link.get() {
            if node.document.number == number {
                return Some(&node.document);
            }
            link = &node.next;
        }
        None
    }

    /// Adds a document; returns the one of that number that was added before, if any.
    pub fn add(&self, document: Arc<StoredDocument>) -> &Arc<StoredDocument> {
        let number = document.number;
        let mut node = Box::new(PinNode { document, next: PinLink::new() });
        let mut link = &self.chains[number as usize % CHAINS];
        loop {
            // Another thread may have added one here; then continue behind it.
            if let Err(refused) = link.set(node) {
                node = refused;
            } else {
                break;
            }
            match link.get() {
                Some(there) if there.document.number == number => return &there.document,
                Some(there) => link = &there.next,
                None => unreachable!("what was refused is refused because something is there"),
            }
        }
        match link.get() {
            Some(node) => &node.document,
            None => unreachable!("set above"),
        }
    }
}
