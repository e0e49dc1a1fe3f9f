//! Documents that a snapshot has handed out: kept as long as it lives, because it lends their texts.
//!
//! A table that only grows, so that a reference into it stays valid while others add: each place is written once.

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
    /// A document that is there.
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

    /// Adds a document; the one that is there already where there is one.
    pub fn add(&self, document: Arc<StoredDocument>) -> &Arc<StoredDocument> {
        let number = document.number;
        let mut node = Box::new(PinNode { document, next: PinLink::new() });
        let mut link = &self.chains[number as usize % CHAINS];
        loop {
            // Another thread may be first; then the chain goes on behind what it added.
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
