//! An image is found by what its author says about it: alternative text and caption. What is to be
//! read in it comes as text of the document.

use crate::document::{Derived, DerivedKind, Image, Loaded, Structure};

/// A unit for every image that something is said about.
pub fn describe(loaded: &Loaded, structure: &Structure) -> Vec<Derived> {
    loaded.images.iter().filter_map(|image| derived(image, structure)).collect()
}

fn derived(image: &Image, structure: &Structure) -> Option<Derived> {
    let said = [image.alt.trim(), image.caption.trim()];
    let text = said.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
    let sentences = structure.touching(image.span);
    (!text.is_empty() && !sentences.is_empty()).then_some(Derived {
        kind: DerivedKind::Image,
        first: sentences.start as u32,
        end: sentences.end as u32,
        text,
    })
}
