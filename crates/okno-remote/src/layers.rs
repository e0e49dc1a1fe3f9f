//! The layers that have rows of their own, and how a row is numbered.
//!
//! A row's key is its layer, its document and its place among the document's units of that layer: putting a document
//! again under the same number writes the same rows, so nothing is stored twice.

use okno::document::{DerivedKind, Layer};
use okno::store::DocumentNumber;

/// The layers whose units are rows: the scales of the default recipe, and every kind of derived unit. Their widths are
/// part of the format; another width is scored on the client (`unmade`).
pub const MADE: [Layer; 8] = [
    Layer::Sentence,
    Layer::Window(2),
    Layer::Paragraph,
    Layer::Derived(DerivedKind::Summary),
    Layer::Derived(DerivedKind::Question),
    Layer::Derived(DerivedKind::Table),
    Layer::Derived(DerivedKind::Image),
    Layer::Derived(DerivedKind::Context),
];

/// The index of a layer in [`MADE`].
pub type LayerCode = usize;

/// The scales: the layers that are made of the document's own sentences.
pub const SCALES: std::ops::Range<LayerCode> = 0..3;

/// Bits of a key that number a document's units of one layer.
const ORDINAL_BITS: u32 = 27;

/// The code of a layer that has rows.
pub fn code(layer: Layer) -> Option<LayerCode> {
    MADE.iter().position(|&made| made == layer)
}

/// The partition that holds a layer's rows.
pub fn partition(code: LayerCode) -> &'static str {
    match MADE[code] {
        Layer::Sentence => "sentence",
        Layer::Window(_) => "window",
        Layer::Derived(kind) => kind.name(),
        _ => "paragraph",
    }
}

/// The key of a unit.
pub fn key(code: LayerCode, document: DocumentNumber, ordinal: u32) -> i64 {
    debug_assert!(ordinal >> ORDINAL_BITS == 0);
    (code as i64) << (32 + ORDINAL_BITS) | i64::from(document) << ORDINAL_BITS | i64::from(ordinal)
}

/// The document and ordinal of a key.
pub fn read_key(key: i64) -> (DocumentNumber, u32) {
    ((key >> ORDINAL_BITS) as u32, (key & ((1 << ORDINAL_BITS) - 1)) as u32)
}

/// Two numbers as one: a run's first sentence and its end, a document and a section.
pub fn pair(high: u32, low: u32) -> i64 {
    i64::from(high) << 32 | i64::from(low)
}

/// What [`pair`] joined.
pub fn read_pair(pair: i64) -> (u32, u32) {
    ((pair >> 32) as u32, pair as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_kind_of_derived_unit_has_rows() {
        assert!(DerivedKind::ALL.into_iter().all(|kind| code(Layer::Derived(kind)).is_some()));
    }

    proptest! {
        #[test]
        fn keys_say_whose_they_are(code in 0..MADE.len(), document: u32, ordinal in 0..1u32 << ORDINAL_BITS, low: u32) {
            let key = key(code, document, ordinal);
            prop_assert!(key >= 0);
            prop_assert_eq!(read_key(key), (document, ordinal));
            prop_assert_eq!(read_pair(pair(document, low)), (document, low));
        }
    }
}
