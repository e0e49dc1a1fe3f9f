//! Which parts of which documents lack a unit, and what a model needs to see of them.

use super::{DeriveOptions, MissingUnit, Ready, captions};
use crate::Result;
use crate::document::{CodePoints, Derived, DerivedKind, DocumentId, Layer, Picture, Record, Structure};
use crate::engine::content_hash::same_body;
use crate::engine::{Engine, Skipped, SkippedReason};
use crate::enrich::{self, ask::Passage};
use crate::generate;
use crate::retrieve::matching;
use crate::store::{DocumentNumber, DocumentText, Snapshot};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// Items whose texts are held at once.
pub const BATCH: usize = 64;

/// Characters of a document on each side of a chunk that a model sees when it places the chunk: with the beginning of
/// the document, which says what it is about, some thousand tokens.
const AROUND: usize = 2000;

/// Everything that lacks a unit, document by document.
pub fn items(engine: &Engine, options: &DeriveOptions) -> Result<Vec<MissingUnit>> {
    let snapshot = engine.snapshot()?;
    let numbers = match &options.filter {
        Some(filter) => matching(&*snapshot, filter)?,
        None => snapshot.numbers(),
    };
    let mut items = Vec::new();
    for number in numbers {
        let page = PlannedDocument::read(&*snapshot, number)?;
        for &kind in &options.kinds {
            let runs = match kind {
                DerivedKind::Image => images(&page, options.again),
                _ => page.lacking(kind, options).into_iter().map(|run| (run, 0)).collect(),
            };
            let (id, hash) = (&page.record.id, page.record.hash);
            items.extend(runs.into_iter().map(|(run, image)| MissingUnit { id: id.clone(), hash, kind, run, image }));
        }
    }
    Ok(items)
}

/// A document as it is looked at.
struct PlannedDocument<'s> {
    record: Record,
    structure: std::sync::Arc<Structure>,
    text: DocumentText<'s>,
    derived: std::sync::Arc<[Derived]>,
}

impl<'s> PlannedDocument<'s> {
    fn read(snapshot: &'s dyn Snapshot, number: DocumentNumber) -> Result<Self> {
        let (record, structure) = (snapshot.record(number)?, snapshot.structure(number)?);
        Ok(Self { record, structure, text: snapshot.text(number)?, derived: snapshot.derived(number)? })
    }

    fn lacking(&self, kind: DerivedKind, options: &DeriveOptions) -> Vec<Range<usize>> {
        let runs = match kind {
            DerivedKind::Table => self.tables(),
            DerivedKind::Context => self.parts(options.chunk),
            _ => self.parts(options.parent),
        };
        runs.into_iter().filter(|run| options.again || !self.has(kind, run)).collect()
    }

    /// The units of a layer that say something.
    fn parts(&self, layer: Layer) -> Vec<Range<usize>> {
        let says = |at: usize| {
            let sentence = &self.structure.sentences[at];
            !sentence.heading && sentence.span.of(&self.text).chars().any(char::is_alphabetic)
        };
        layer.runs(&self.structure, &self.text).into_iter().filter(|run| run.clone().any(says)).collect()
    }

    /// The tables: each has a unit made without a model.
    fn tables(&self) -> Vec<Range<usize>> {
        let tables = self.derived.iter().filter(|unit| unit.kind == DerivedKind::Table);
        let mut runs: Vec<Range<usize>> = tables.map(Derived::sentences).collect();
        runs.dedup();
        runs
    }

    /// Whether a part has a unit of this kind that was not made from the document alone.
    fn has(&self, kind: DerivedKind, run: &Range<usize>) -> bool {
        let mut units = self.derived.iter().filter(|unit| unit.kind == kind && unit.sentences() == *run);
        let table = || self.structure.span(run.clone()).of(&self.text);
        units.any(|unit| kind != DerivedKind::Table || !enrich::is_plain_table(&unit.text, table()))
    }
}

/// The images of a document that have no caption of their own, with their places among its images.
fn images(page: &PlannedDocument<'_>, again: bool) -> Vec<(Range<usize>, usize)> {
    let images = &page.structure.images;
    let placed = |(at, image): (usize, &Picture)| (enrich::place_of_image(image.span, &page.structure), at);
    let placed: Vec<_> = images.iter().enumerate().map(placed).filter(|(run, _)| !run.is_empty()).collect();
    let captioned = |run: &Range<usize>| captions::are_at(run, &page.derived, &page.structure);
    placed.iter().filter(|(run, _)| again || !captioned(run)).cloned().collect()
}

/// The texts of items whose documents are still what they were; what could not be prepared is said.
pub fn prepare(engine: &Engine, items: &[MissingUnit]) -> Result<(Vec<Ready>, Vec<Skipped>)> {
    let snapshot = engine.snapshot()?;
    let numbers = numbers(&*snapshot)?;
    let (mut ready, mut skipped) = (Vec::new(), Vec::new());
    for item in items {
        let Some(&(number, hash)) = numbers.get(&item.id) else { continue };
        if !same_body(hash, item.hash) {
            continue;
        }
        let page = PlannedDocument::read(&*snapshot, number)?;
        let mut passage = passage(&page, item);
        if item.kind == DerivedKind::Image {
            let Some(picture) = picture(&*snapshot, &page, item)? else {
                skipped.push(Skipped { place: place(&page, item), reason: SkippedReason::ImageNotKept });
                continue;
            };
            passage.picture = Some(picture);
        }
        ready.push(Ready { place: place(&page, item), item: item.clone(), passage });
    }
    Ok((ready, skipped))
}

/// The current number and hash of every document.
pub fn numbers(snapshot: &dyn Snapshot) -> Result<HashMap<DocumentId, (DocumentNumber, u128)>> {
    Ok(snapshot.records()?.iter().map(|(number, record)| (record.id.clone(), (*number, record.hash))).collect())
}

/// An image as the index keeps it: files are not read again.
fn picture(
    snapshot: &dyn Snapshot,
    page: &PlannedDocument<'_>,
    item: &MissingUnit,
) -> Result<Option<generate::ChatPicture>> {
    let Some(Picture { hash, media, .. }) = page.structure.images.get(item.image) else { return Ok(None) };
    let bytes = snapshot.image(*hash)?;
    Ok(bytes.map(|bytes| generate::ChatPicture { media_type: media.name().to_owned(), bytes }))
}

fn passage(page: &PlannedDocument<'_>, item: &MissingUnit) -> Passage {
    let run = item.run.clone();
    let headings = &page.structure.sections[page.structure.section_number(run.start)].path;
    let headings: Vec<&str> = headings.iter().map(|heading| heading.of(&page.text)).collect();
    let span = page.structure.span(run);
    Passage {
        title: page.record.title.clone(),
        headings: headings.join(" › "),
        text: span.of(&page.text).to_owned(),
        around: if item.kind == DerivedKind::Context { around(page, span.range()) } else { String::new() },
        picture: None,
    }
}

/// The beginning of a document, and what is on both sides of a part of it.
fn around(page: &PlannedDocument<'_>, part: Range<usize>) -> String {
    let text = &page.text;
    let beginning = text.floor_char_boundary(AROUND);
    let start = text.floor_char_boundary(part.start.saturating_sub(AROUND));
    let end = text.ceil_char_boundary((part.end + AROUND).min(text.len()));
    if start <= beginning {
        text[..end].to_owned()
    } else {
        format!("{}\n…\n{}", &text[..beginning], &text[start..end])
    }
}

/// `guide/tea.md 120–980 (summary)`, in code points.
fn place(page: &PlannedDocument<'_>, item: &MissingUnit) -> String {
    let span = page.structure.span(item.run.clone());
    let mut walk = CodePoints::new(&page.text);
    let (start, end) = (walk.at(span.start).0, walk.at(span.end).0);
    format!("{} {start}–{end} ({})", page.record.id.name(), item.kind)
}

/// Parents – for contexts, chunks – that no unit of a kind overlaps, for those kinds that the index has at all:
/// whoever never made summaries lacks none. Overlap, not sameness: with parents of another size they are there too.
pub fn lacking(snapshot: &dyn Snapshot) -> Result<BTreeMap<DerivedKind, usize>> {
    let kinds = [DerivedKind::Summary, DerivedKind::Question, DerivedKind::Context];
    let present = snapshot.derived_counts();
    let kinds: Vec<DerivedKind> = kinds.into_iter().filter(|kind| present.contains_key(kind)).collect();
    let mut lacking: BTreeMap<DerivedKind, usize> = kinds.iter().map(|&kind| (kind, 0)).collect();
    if kinds.is_empty() {
        return Ok(lacking);
    }
    let options = DeriveOptions::default();
    for number in snapshot.numbers() {
        let page = PlannedDocument::read(snapshot, number)?;
        for (&kind, count) in &mut lacking {
            let parts = page.parts(if kind == DerivedKind::Context { options.chunk } else { options.parent });
            let spoken = |run: &Range<usize>| {
                let mut units = page.derived.iter().filter(|unit| unit.kind == kind).map(Derived::sentences);
                units.any(|unit| unit.start < run.end && run.start < unit.end)
            };
            *count += parts.iter().filter(|run| !spoken(run)).count();
        }
    }
    Ok(lacking)
}
