//! Enriching: texts made about parts of a document, so that those parts can be found by what they are
//! about.
//!
//! In come a loaded document and its sentences; out come [`Derived`] units, ordered by the sentence
//! they begin at. What is made here needs no model. Texts made elsewhere – by a language model, by
//! hand – come in through [`import`].

mod images;
pub mod import;
mod tables;

use crate::document::{Derived, Loaded, Structure};

/// The derived units of a document that can be made from itself.
pub fn derive(loaded: &Loaded, structure: &Structure) -> Vec<Derived> {
    let mut derived = tables::describe(loaded, structure);
    derived.extend(images::describe(loaded, structure));
    sort(&mut derived);
    derived
}

/// The order in which a store wants them.
pub fn sort(derived: &mut [Derived]) {
    derived.sort_by_key(|unit| (unit.first, unit.end, unit.kind));
}
