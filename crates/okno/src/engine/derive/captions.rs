//! The captions of images among the units of a document: which places have some, and which give way to new ones.
//!
//! A unit does not say who made it. Units of images come in the order in which they were made: first the images' own,
//! of what their authors say and of what is to be read in them, then captions. So a place has as many captions as it
//! has images, and the oldest give way to new ones. What may be an image's own is never lost, even where it might as
//! well be a caption.

use super::Ready;
use crate::document::{Derived, DerivedKind, Structure};
use crate::enrich;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Whether there are captions at a place. An image that nobody says anything about, but that something was read in,
/// counts as described.
pub fn are_at(run: &Range<usize>, derived: &[Derived], structure: &Structure) -> bool {
    let texts: Vec<&str> = units_at(run, derived).map(|(_, text)| text).collect();
    enrich::own_of_images(&texts, &said_at(run, structure)).contains(&false)
}

/// The captions that give way to those that were made, by their places among the units.
pub fn outdated(
    derived: &[Derived],
    made: &[(&Ready, Vec<String>)],
    structure: &Structure,
    text: &str,
) -> BTreeSet<usize> {
    let mut new: BTreeMap<(usize, usize), Vec<&str>> = BTreeMap::new();
    for (Ready { item, .. }, texts) in made.iter().filter(|(ready, _)| ready.item.kind == DerivedKind::Image) {
        new.entry((item.run.start, item.run.end)).or_default().extend(texts.iter().map(String::as_str));
    }
    let at_each =
        |((start, end), new): ((usize, usize), Vec<&str>)| outdated_at(&(start..end), &new, derived, structure, text);
    new.into_iter().flat_map(at_each).collect()
}

fn outdated_at(run: &Range<usize>, new: &[&str], derived: &[Derived], structure: &Structure, text: &str) -> Vec<usize> {
    let (places, texts): (Vec<usize>, Vec<&str>) = units_at(run, derived).unzip();
    let said = said_at(run, structure);
    let own = enrich::own_of_images(&texts, &said);
    // An image that is not kept has a unit too, of words that stand in the text and that no other says.
    let words = structure.span(run.clone()).of(text);
    let of_another = |text: &str| words.contains(text) && !said.iter().any(|said| said == text);
    // What was read in an image without a word of its author cannot be told from a caption, unless it is the new one.
    let mut read = said.iter().filter(|said| said.is_empty()).count();
    let mut captions = Vec::new();
    for ((place, text), own) in places.into_iter().zip(texts).zip(own) {
        if own || of_another(text) {
            continue;
        }
        if read > 0 && !new.contains(&text) {
            read -= 1;
        } else {
            captions.push(place);
        }
    }
    let surplus = (captions.len() + new.len()).saturating_sub(said.len());
    captions.truncate(surplus);
    captions
}

/// The units of images at a place: where they are among all, and their texts.
fn units_at<'d>(run: &Range<usize>, derived: &'d [Derived]) -> impl Iterator<Item = (usize, &'d str)> {
    let here = |unit: &Derived| unit.kind == DerivedKind::Image && unit.sentences() == *run;
    derived.iter().enumerate().filter(move |(_, unit)| here(unit)).map(|(at, unit)| (at, unit.text.as_str()))
}

/// What is said about each image at a place by its author, possibly nothing.
fn said_at(run: &Range<usize>, structure: &Structure) -> Vec<String> {
    let here = structure.images.iter().filter(|image| enrich::place_of_image(image.span, structure) == *run);
    here.map(|image| enrich::said_of_image(&image.alt, &image.caption)).collect()
}
