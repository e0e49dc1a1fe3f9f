//! Making derived units of documents that are stored already: by a language model, or without one.
//!
//! ```text
//! plan (which parts lack a unit) → batches: prepare (texts) → make (many at once) → keep (one commit)
//! ```
//!
//! What is missing is read from the index itself, so a run that was stopped, killed or partly failed is
//! gone on with by the next one, and a document that changed – its units are lost with its old text – is
//! done again. Nothing is locked while a model thinks: a batch is written when it is made, to documents
//! that are still what they were. One failed item is one line of the report.

mod captions;
mod keep;
mod make;
mod plan;

pub use make::Maker;

use super::{Engine, Silent, Skipped};
use crate::Result;
use crate::document::{DerivedKind, DocumentId, Filter, Layer, Size};
use crate::enrich::ask::{self, Passage};
use crate::generate::Usage;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Which units are made, of which parts.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct DeriveOptions {
    /// What is made.
    pub kinds: BTreeSet<DerivedKind>,
    /// Of which documents; all when `None`.
    pub filter: Option<Filter>,
    /// What summaries and questions stand for.
    pub parent: Layer,
    /// What contexts stand for.
    pub chunk: Layer,
    /// Make also what is there already, in its place.
    pub again: bool,
}

/// The parent of the method's source.
const PARENT: Layer = Layer::Chunk { size: Size::Characters(3000), overlap: 0 };

/// The child of the method's source: about a paragraph.
const CHUNK: Layer = Layer::Chunk { size: Size::Characters(500), overlap: 0 };

impl Default for DeriveOptions {
    fn default() -> Self {
        let kinds = BTreeSet::from([DerivedKind::Summary, DerivedKind::Question]);
        Self { kinds, filter: None, parent: PARENT, chunk: CHUNK, again: false }
    }
}

/// What a run would do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DerivePlan {
    /// Documents that lack something.
    pub documents: usize,
    /// Parts that lack each kind of unit.
    pub items: BTreeMap<DerivedKind, usize>,
    /// Tokens of all requests and answers, about.
    pub tokens: Usage,
    /// Documents that could not be looked at.
    pub skipped: Vec<Skipped>,
}

/// What a run did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeriveReport {
    /// Documents that have new units.
    pub documents: usize,
    /// How many of each kind.
    pub units: BTreeMap<DerivedKind, usize>,
    /// Answers that were right only after the model was told what was wrong.
    pub repaired: usize,
    /// Tokens spent.
    pub usage: Usage,
    /// What could not be made, and why.
    pub failed: Vec<Skipped>,
    /// Parts that were not tried, because the run was stopped or the model could not be reached.
    pub left: usize,
    /// Whether it was stopped before the end.
    pub stopped: bool,
}

/// How making units goes, told while it goes.
pub trait DeriveProgress: Sync {
    /// So many parts lack a unit.
    fn begin(&self, _items: usize) {}
    /// One more is done, or failed; this was spent so far.
    fn done(&self, _place: &str, _spent: Usage) {}
    /// Whether to stop; what is made is kept.
    fn stop(&self) -> bool {
        false
    }
}

impl DeriveProgress for Silent {}

/// A part of a document that lacks a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
struct MissingUnit {
    id: DocumentId,
    /// The document's hash when it was looked at.
    hash: u128,
    kind: DerivedKind,
    run: Range<usize>,
    /// Which of the document's images, for a caption.
    image: usize,
}

/// An item with what a model needs to see of it.
struct Ready {
    item: MissingUnit,
    place: String,
    passage: Passage,
}

impl Engine {
    /// Which parts lack units, and about what making them would cost.
    pub fn plan_units(&self, options: &DeriveOptions) -> Result<DerivePlan> {
        let items = plan::items(self, options)?;
        let documents = items.iter().map(|item| &item.id).collect::<BTreeSet<_>>().len();
        let mut plan = DerivePlan { documents, ..DerivePlan::default() };
        for batch in items.chunks(plan::BATCH) {
            let (ready, skipped) = plan::prepare(self, batch)?;
            plan.skipped.extend(skipped);
            for Ready { item, passage, .. } in ready {
                let request = ask::request(item.kind, &passage, self.prompts());
                let (prompt, answer) = ask::estimate(item.kind, &request);
                *plan.items.entry(item.kind).or_default() += 1;
                plan.tokens.prompt += prompt;
                plan.tokens.completion += answer;
            }
        }
        Ok(plan)
    }

    /// Parts of the text that no unit of each kind speaks about, for those kinds of text units that the index has at
    /// all.
    pub fn lacking(&self) -> Result<BTreeMap<DerivedKind, usize>> {
        plan::lacking(&*self.snapshot()?)
    }

    /// Makes the units that are missing.
    pub fn derive_units(
        &self,
        maker: Maker<'_>,
        options: &DeriveOptions,
        progress: &dyn DeriveProgress,
    ) -> Result<DeriveReport> {
        let items = plan::items(self, options)?;
        let mut report = DeriveReport::default();
        progress.begin(items.len());
        let mut touched = BTreeSet::new();
        let batches = items.chunks(maker.batch());
        let mut left = items.len();
        for batch in batches {
            let (ready, skipped) = plan::prepare(self, batch)?;
            report.failed.extend(skipped);
            let made = make::make(self, maker, &ready, progress, &mut report);
            left -= batch.len() - made.untried;
            let kept = keep::keep(self, &ready, made.texts, options.again, progress, &mut report)?;
            touched.extend(kept);
            if progress.stop() || made.gave_up {
                report.stopped = true;
                break;
            }
        }
        (report.documents, report.left) = (touched.len(), left);
        Ok(report)
    }
}
