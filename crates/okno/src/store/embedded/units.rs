//! A layer over the whole row of sentences.
//!
//! Most layers need no list of who holds whom: a sentence holds itself, what a window holds is also what holds it, and
//! paragraphs follow each other without a gap. Only overlapping chunks and derived texts are written out. All rows are
//! as narrow as they can be: what a question costs in a large index is mostly waiting for memory.

use super::atlas::{Atlas, AtlasEntry};
use super::parts::Parts;
use super::postings::Posting;
use super::vectors::{MEASURED, add, length};
use crate::document::{Derived, DerivedKind, Layer};
use crate::packed::series::{Series, SeriesReader, SeriesWriter};
use crate::store::Run;
use crate::text::terms;
use std::ops::Range;

/// How much a term in the title or a heading counts beside one in the text.
pub const CONTEXT_WEIGHT: f32 = 1.0;

/// A layer over the whole row.
pub struct Units {
    shape: UnitShape,
    /// The first unit of each document, in the order of the atlas; then the end of the last.
    firsts: Series<u32>,
    /// The units whose anchor is in each section, from the first to before the last.
    of_section: Series<[u32; 2]>,
    /// The section of each unit's anchor.
    pub section: Series<u32>,
    /// How many terms each unit has, those of its title and headings included; of very long ones not all are counted.
    terms: Series<u16>,
    /// Their mean.
    pub mean_terms: f32,
    /// The length of each unit's vector, its context included; empty where all have unit length and hold their context
    /// already.
    pub lengths: Series<f32>,
}

/// Which texts of the row each unit holds.
enum UnitShape {
    /// Each unit is the sentence of its own number.
    Sentences(u32),
    /// Each unit is the window around the sentence of its own number, with so many before it and behind it; what it
    /// holds is what holds it.
    Windows(Series<[u8; 2]>),
    /// Each unit begins where the one before ends.
    Parts(Parts),
    /// Any runs whose starts and ends both ascend, and for each sentence the units that hold it; they may be windows
    /// too wide for the above.
    Runs { runs: Vec<Range<u32>>, holding: Vec<Range<u32>>, are_windows: bool },
    /// Each unit is one derived text.
    Derived(DerivedTexts),
}

/// The derived texts of one kind.
#[derive(Default)]
struct DerivedTexts {
    /// The place of each unit's text in the row, ascending.
    places: Vec<u32>,
    /// The first sentence of what each stands for.
    anchors: Vec<u32>,
    /// Which of its document's derived texts each unit is.
    ordinals: Vec<u32>,
}

impl UnitShape {
    fn of(layer: Layer, runs: Vec<Range<u32>>, sentences: u32) -> Self {
        let adjoining = |pair: &[Range<u32>]| pair[0].end == pair[1].start && !pair[1].is_empty();
        match layer {
            Layer::Sentence => Self::Sentences(sentences),
            Layer::Window(size) if size < u32::from(u8::MAX) => {
                let around = |(at, run): (u32, Range<u32>)| [(at - run.start) as u8, (run.end - at) as u8];
                Self::Windows((0..).zip(runs).map(around).collect())
            }
            Layer::Window(_) => Self::Runs { holding: holding(&runs, sentences), runs, are_windows: true },
            _ if runs.windows(2).all(adjoining) => Self::Parts(Parts::new(&runs)),
            _ => Self::Runs { holding: holding(&runs, sentences), runs, are_windows: false },
        }
    }
}

impl Units {
    /// Cuts every document into the units of a layer.
    pub fn new(layer: Layer, atlas: &Atlas<'_>) -> Self {
        if let Layer::Derived(kind) = layer {
            return Self::derived(kind, atlas);
        }
        let (mut runs, mut firsts): (Vec<Range<u32>>, Vec<u32>) = (Vec::new(), vec![0]);
        for entry in atlas.each_document() {
            let shifted = |run: Range<usize>| entry.first + run.start as u32..entry.first + run.end as u32;
            // Chunks alone are measured by their text; a document that lost it has none.
            let text = if matches!(layer, Layer::Chunk { .. }) { entry.text.get() } else { Some("".into()) };
            let own = text.map(|text| layer.runs(&entry.structure(), &text)).unwrap_or_default();
            runs.extend(own.into_iter().map(shifted));
            firsts.push(runs.len() as u32);
        }
        let section = match layer {
            Layer::Sentence | Layer::Window(_) => atlas.section_of.clone(),
            _ => runs.iter().map(|run| atlas.section_of[run.start as usize]).collect(),
        };
        let lengths = lengths(layer, atlas, &runs, &firsts, &section);
        let own = |run: &Range<u32>| atlas.terms[run.start as usize..run.end as usize].iter().sum::<u32>() as f32;
        let terms = runs.iter().map(own).collect();
        Self::laid_out(UnitShape::of(layer, runs, atlas.sentences() as u32), firsts, section, terms, lengths, atlas)
    }

    /// The derived texts of one kind. Their vectors have unit length, and hold their context already.
    fn derived(kind: DerivedKind, atlas: &Atlas<'_>) -> Self {
        let (mut texts, mut firsts, mut terms) = (DerivedTexts::default(), vec![0], Vec::new());
        for entry in atlas.each_document() {
            for (ordinal, derived) in (0..).zip(entry.derived()).filter(|(_, derived)| derived.kind == kind) {
                texts.places.push(atlas.derived(entry, ordinal));
                texts.anchors.push(entry.first + derived.first);
                texts.ordinals.push(ordinal);
                terms.push(terms::count(&derived.text) as f32);
            }
            firsts.push(terms.len() as u32);
        }
        let section = texts.anchors.iter().map(|&anchor| atlas.section_of[anchor as usize]).collect();
        Self::laid_out(UnitShape::Derived(texts), firsts, section, terms, Vec::new(), atlas)
    }

    /// Units with terms of their own, to which those of title and headings are added.
    fn laid_out(
        shape: UnitShape,
        firsts: Vec<u32>,
        section: Series<u32>,
        mut terms: Vec<f32>,
        lengths: Vec<f32>,
        atlas: &Atlas<'_>,
    ) -> Self {
        for (terms, &section) in terms.iter_mut().zip(&*section) {
            *terms += CONTEXT_WEIGHT * atlas.context_terms[section as usize] as f32;
        }
        let mean_terms = (terms.iter().sum::<f32>() / terms.len().max(1) as f32).max(1.0);
        Self {
            of_section: grouped(&section, atlas.sections()).into(),
            shape,
            firsts: firsts.into(),
            section,
            terms: terms.into_iter().map(|terms| terms.min(f32::from(u16::MAX)) as u16).collect(),
            mean_terms,
            lengths: lengths.into(),
        }
    }

    /// Writes the rows for [`Self::kept`]; `None` for units that overlap or are derived.
    pub fn keep(&self, rows: &mut SeriesWriter) -> Option<()> {
        rows.put(&self.firsts);
        rows.put(&self.of_section);
        rows.put(&self.terms);
        rows.put(&[self.mean_terms]);
        rows.put(&self.lengths);
        match &self.shape {
            UnitShape::Sentences(_) => {}
            UnitShape::Windows(around) => rows.put(around),
            UnitShape::Parts(parts) => {
                parts.keep(rows);
                rows.put(&self.section);
            }
            UnitShape::Runs { .. } | UnitShape::Derived(_) => return None,
        }
        Some(())
    }

    /// The units of a layer that [`Self::keep`] wrote.
    pub fn kept(layer: Layer, rows: &mut SeriesReader, atlas: &Atlas<'_>) -> Option<Self> {
        let (firsts, of_section, terms) = (rows.next()?, rows.next()?, rows.next()?);
        let (&mean_terms, lengths) = (rows.next::<f32>()?.first()?, rows.next()?);
        let (shape, section) = match layer {
            Layer::Sentence => (UnitShape::Sentences(atlas.sentences() as u32), atlas.section_of.clone()),
            Layer::Window(_) => (UnitShape::Windows(rows.next()?), atlas.section_of.clone()),
            _ => (UnitShape::Parts(Parts::kept(rows)?), rows.next()?),
        };
        Some(Self { shape, firsts, of_section, section, terms, mean_terms, lengths })
    }

    /// The units whose anchor is in a section.
    #[inline]
    pub fn in_section(&self, section: u32) -> Range<u32> {
        range(self.of_section[section as usize])
    }

    /// How many terms a unit has.
    #[inline]
    pub fn terms_of(&self, unit: usize) -> f32 {
        f32::from(self.terms[unit])
    }

    /// Whether they are the sentences themselves.
    pub fn are_sentences(&self) -> bool {
        matches!(self.shape, UnitShape::Sentences(_))
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.terms.len()
    }

    /// The texts that a unit holds.
    #[inline]
    pub fn texts(&self, unit: usize) -> Range<usize> {
        match &self.shape {
            UnitShape::Sentences(_) => unit..unit + 1,
            UnitShape::Windows(around) => window(unit, around[unit]),
            UnitShape::Runs { runs, .. } => runs[unit].start as usize..runs[unit].end as usize,
            UnitShape::Parts(parts) => parts.texts(unit),
            UnitShape::Derived(texts) => texts.places[unit] as usize..texts.places[unit] as usize + 1,
        }
    }

    /// Calls `each` with each of these units and the sum of the values of its texts. The shape is looked at once, not
    /// for every unit: there are millions.
    #[inline]
    pub fn each_sum(&self, values: &[f32], units: Range<usize>, mut each: impl FnMut(usize, f32)) {
        let sum = |texts: Range<usize>| values[texts].iter().sum::<f32>();
        match &self.shape {
            UnitShape::Sentences(_) => units.for_each(|unit| each(unit, values[unit])),
            UnitShape::Windows(around) => units.for_each(|unit| each(unit, sum(window(unit, around[unit])))),
            UnitShape::Runs { .. } => units.for_each(|unit| each(unit, sum(self.texts(unit)))),
            UnitShape::Parts(parts) => units.for_each(|unit| each(unit, sum(parts.texts(unit)))),
            UnitShape::Derived(texts) => units.for_each(|unit| each(unit, values[texts.places[unit] as usize])),
        }
    }

    /// The units that hold a text: a range, because starts and ends both ascend; none where the layer has no such text.
    #[inline]
    pub fn holding(&self, text: u32) -> Range<u32> {
        match &self.shape {
            UnitShape::Sentences(count) => text..(text + 1).min(*count),
            UnitShape::Windows(around) => windows_of(around, text),
            UnitShape::Runs { holding, .. } => holding.get(text as usize).cloned().unwrap_or(0..0),
            UnitShape::Parts(parts) => parts.holding(text).map_or(0..0, |unit| unit..unit + 1),
            UnitShape::Derived(texts) => texts.places.binary_search(&text).map_or(0..0, |at| at as u32..at as u32 + 1),
        }
    }

    /// Calls `each` with the units that hold each of these texts, and how often a term is there. The shape is looked at
    /// once, not for every posting.
    #[inline]
    pub fn each_holding(&self, texts: impl Iterator<Item = Posting>, mut each: impl FnMut(Range<u32>, f32)) {
        match &self.shape {
            UnitShape::Sentences(count) => texts.for_each(|(text, often)| each(text..(text + 1).min(*count), often)),
            UnitShape::Parts(parts) => {
                let unit = |text| parts.holding(text).map_or(0..0, |unit| unit..unit + 1);
                texts.for_each(|(text, often)| each(unit(text), often));
            }
            UnitShape::Windows(around) => texts.for_each(|(text, often)| each(windows_of(around, text), often)),
            UnitShape::Runs { .. } | UnitShape::Derived(_) => {
                texts.for_each(|(text, often)| each(self.holding(text), often));
            }
        }
    }

    /// The sentence that stands for a unit.
    fn anchor(&self, unit: usize) -> u32 {
        match &self.shape {
            UnitShape::Sentences(_) | UnitShape::Windows(_) | UnitShape::Runs { are_windows: true, .. } => unit as u32,
            UnitShape::Parts(parts) => parts.texts(unit).start as u32,
            UnitShape::Runs { runs, .. } => runs[unit].start,
            UnitShape::Derived(texts) => texts.anchors[unit],
        }
    }

    /// A unit as the rest of the program names it; for a derived one, which of its document's it is.
    pub fn run(&self, unit: usize, atlas: &Atlas<'_>) -> (Run, Option<u32>) {
        let entry = atlas.holder(self.anchor(unit));
        let (document, anchor) = (entry.number, self.anchor(unit) - entry.first);
        if let UnitShape::Derived(texts) = &self.shape {
            let ordinal = texts.ordinals[unit];
            // A document that was damaged since has none, and is left out of what is returned.
            let (first, end) = match entry.derived().get(ordinal as usize) {
                Some(&Derived { first, end, .. }) => (first, end),
                None => (anchor, anchor + 1),
            };
            return (Run { document, first, end, anchor }, Some(ordinal));
        }
        let Range { start, end } = self.texts(unit);
        (Run { document, first: start as u32 - entry.first, end: end as u32 - entry.first, anchor }, None)
    }

    /// The units whose anchors are sentences of these documents, given by their places in the atlas.
    pub fn of_documents(&self, places: Range<usize>) -> Range<usize> {
        self.firsts[places.start] as usize..self.firsts[places.end] as usize
    }
}

/// The sentences of a window.
#[inline]
fn window(centre: usize, [before, behind]: [u8; 2]) -> Range<usize> {
    centre - usize::from(before)..centre + usize::from(behind)
}

/// The windows that hold a sentence, which are those of the sentences that its own holds; none for a derived text.
#[inline]
fn windows_of(around: &[[u8; 2]], sentence: u32) -> Range<u32> {
    around.get(sentence as usize).map_or(0..0, |&around| {
        let held = window(sentence as usize, around);
        held.start as u32..held.end as u32
    })
}

#[inline]
fn range([start, end]: [u32; 2]) -> Range<u32> {
    start..end
}

/// For each sentence the units that hold it.
fn holding(runs: &[Range<u32>], sentences: u32) -> Vec<Range<u32>> {
    let (mut low, mut high) = (0, 0);
    (0..sentences)
        .map(|sentence| {
            while low < runs.len() && runs[low].end <= sentence {
                low += 1;
            }
            while high < runs.len() && runs[high].start <= sentence {
                high += 1;
            }
            low as u32..high as u32
        })
        .collect()
}

/// For each key the range of positions that have it, the keys ascending.
fn grouped(keys: &[u32], count: usize) -> Vec<[u32; 2]> {
    let mut groups = vec![[0; 2]; count];
    let mut start = 0;
    for group in keys.chunk_by(|a, b| a == b) {
        groups[group[0] as usize] = [start, start + group.len() as u32];
        start += group.len() as u32;
    }
    groups
}

fn lengths(layer: Layer, atlas: &Atlas<'_>, runs: &[Range<u32>], firsts: &[u32], section: &[u32]) -> Vec<f32> {
    if let Some(position) = MEASURED.iter().position(|&measured| measured == layer) {
        return atlas.each_document().flat_map(|entry| stored_lengths(entry, position)).collect();
    }
    let of_document = |place: usize| firsts[place] as usize..firsts[place + 1] as usize;
    let documents = atlas.each_document().enumerate();
    documents
        .flat_map(|(place, entry)| {
            let units = of_document(place);
            summed_lengths(entry, atlas.dimensions, &runs[units.clone()], &section[units])
        })
        .collect()
}

/// The lengths stored for a measured layer.
fn stored_lengths<'e>(entry: &'e AtlasEntry<'_>, position: usize) -> impl Iterator<Item = f32> + 'e {
    let count = |layer: &Layer| match layer {
        Layer::Paragraph => entry.structure().paragraphs.len(),
        _ => entry.sentences().len(),
    };
    let before: usize = MEASURED[..position].iter().map(count).sum();
    entry.vectors.lengths(before..before + count(&MEASURED[position]))
}

/// The lengths of any other layer, from the rows themselves.
fn summed_lengths(entry: &AtlasEntry<'_>, dimensions: usize, runs: &[Range<u32>], section: &[u32]) -> Vec<f32> {
    let sentences = entry.sentences().len();
    let row = |index: usize| entry.vectors.row(index);
    let of_run = |(run, section): (&Range<u32>, &u32)| {
        let mut sum = row(sentences + (section - entry.first_section) as usize);
        debug_assert_eq!(sum.len(), dimensions);
        for sentence in run.clone() {
            add(&mut sum, &row((sentence - entry.first) as usize));
        }
        length(&sum)
    };
    runs.iter().zip(section).map(of_run).collect()
}

#[cfg(test)]
mod tests {
    use crate::document::Layer;
    use crate::store::contract::{DIMENSIONS, EMBEDDER, document};
    use crate::store::embedded::EmbeddedStore;
    use crate::store::{Ask, Leg, Manifest, Store};

    #[test]
    fn windows_of_any_width_are_around_their_sentence() {
        const SENTENCES: u32 = 700;
        let folder = tempfile::tempdir().unwrap();
        let store = EmbeddedStore::open_or_create(folder.path(), &Manifest::new(EMBEDDER, DIMENSIONS)).unwrap();
        let mut writer = store.writer().unwrap();
        let text: Vec<String> = (0..SENTENCES).map(|at| format!("The word here is number{at}.")).collect();
        writer.put(&document("long", &text.join(" "))).unwrap();
        writer.finish().unwrap();
        let snapshot = store.snapshot().unwrap();
        for around in [1, 2, 253, 254, 255, 300] {
            let rankings = [(Leg::Lexical, Layer::Window(around))];
            let (text, sections, fields) = ("number350", None, None);
            let ask = Ask { text, vector: &[], rankings: &rankings, allowed: None, sections, fields, depth: 1000 };
            let found = snapshot.search(&ask).unwrap().remove(0);
            assert_eq!(found.len() as u32, 2 * around + 1);
            for unit in found {
                let (first, end) = (unit.run.anchor.saturating_sub(around), unit.run.anchor + around + 1);
                assert_eq!((unit.run.first, unit.run.end), (first, end.min(SENTENCES)));
            }
        }
    }
}
