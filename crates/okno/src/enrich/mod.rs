//! Enriching: texts made about parts of a document, so that those parts can be found by what they are
//! about.
//!
//! In come a loaded document and its sentences; out come [`Derived`] units, ordered by the sentence
//! they begin at. [`derive()`] makes what needs no model, [`extract`] a summary of a passage's own
//! sentences; [`ask`] says what a language model is asked and what it may answer. Texts made elsewhere
//! come in through [`import`].

pub mod ask;
pub mod extract;
mod images;
pub mod import;
mod tables;

pub(crate) use images::{own as own_of_images, place as place_of_image, said as said_of_image};
pub(crate) use tables::is_plain as is_plain_table;

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
