//! Making the texts of a batch: by a model, as many requests at once as it takes; or of the sentences themselves.

use super::{DeriveProgress, DeriveReport, Ready};
use crate::document::{DerivedKind, Span};
use crate::embed::Role;
use crate::engine::{Engine, Skipped, SkippedReason};
use crate::enrich::{ask, extract};
use crate::generate::structured::{self, Unusable, UnusableAnswer};
use crate::generate::{Asker, GenerateError, Generator, Usage};
use crate::generate::{held, many};
use crate::message::Reason;
use crate::split;
use std::collections::HashMap;
use std::fmt;
use std::sync::Mutex;

/// Who makes the texts.
#[derive(Clone, Copy)]
pub enum Maker<'a> {
    /// A language model.
    Model(&'a dyn Generator),
    /// Nobody: a summary is the passage's own best sentences. Makes summaries only.
    Extract,
}

/// Requests for each that may run at once, in a batch: a batch ends with its slowest.
const ROUNDS: usize = 8;

/// A model that cannot be reached, or refuses, this many times without one answer in between will not answer the rest.
const PATIENCE: usize = 3;

impl fmt::Debug for Maker<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Model(generator) => f.write_str(generator.identity()),
            Self::Extract => f.write_str("extract"),
        }
    }
}

impl Maker<'_> {
    /// How many items are made between two commits.
    pub(super) fn batch(self) -> usize {
        match self {
            Self::Model(generator) => (generator.concurrency() * ROUNDS).clamp(ROUNDS, super::plan::BATCH * 2),
            Self::Extract => super::plan::BATCH,
        }
    }
}

/// What came of a batch.
#[derive(Default)]
pub struct MadeBatch {
    /// The texts of each item, in order; nothing where it failed or was not tried.
    pub texts: Vec<Option<Vec<String>>>,
    /// How many were not tried.
    pub untried: usize,
    /// Whether the model does not answer at all.
    pub gave_up: bool,
}

/// Makes the texts of a batch; failures and tokens go to the report.
pub fn make(
    engine: &Engine,
    maker: Maker<'_>,
    ready: &[Ready],
    progress: &dyn DeriveProgress,
    report: &mut DeriveReport,
) -> MadeBatch {
    match maker {
        Maker::Model(generator) => by_model(Asker { generator, prompts: engine.prompts() }, ready, progress, report),
        Maker::Extract => extracted(engine, ready, progress, report),
    }
}

/// What one request came to: texts and whether they were repaired.
type Answered = Result<(Vec<String>, bool), Unusable>;

/// What is known while a batch is made.
struct BatchState {
    spent: Usage,
    /// Failures to reach the model since it last answered.
    silent: usize,
}

fn by_model(asker: Asker<'_>, ready: &[Ready], progress: &dyn DeriveProgress, report: &mut DeriveReport) -> MadeBatch {
    let (distinct, answered_by) = distinct(ready);
    let state = Mutex::new(BatchState { spent: report.usage, silent: 0 });
    let gave_up = || held(&state).silent >= PATIENCE;
    let answers = many(&distinct, asker.generator.concurrency(), &|| gave_up() || progress.stop(), |item| {
        let (answered, usage) = one(asker, item, progress);
        let spent = {
            let mut state = held(&state);
            state.spent.prompt += usage.prompt;
            state.spent.completion += usage.completion;
            state.silent = if is_silent(&answered) { state.silent + 1 } else { 0 };
            state.spent
        };
        progress.done(&item.place, spent);
        answered
    });
    let gave_up = gave_up();
    report.usage = held(&state).spent;
    let mut made = MadeBatch { gave_up, ..MadeBatch::default() };
    for (item, at) in ready.iter().zip(answered_by) {
        made.texts.push(collected(item, answers[at].as_ref(), &mut made.untried, report));
    }
    made
}

/// The items that differ – copies of a passage are asked about once –, and for every item which of them it is.
fn distinct(ready: &[Ready]) -> (Vec<&Ready>, Vec<usize>) {
    let mut places: HashMap<(DerivedKind, &ask::Passage), usize> = HashMap::new();
    let mut distinct = Vec::new();
    let mut answered_by = Vec::new();
    for item in ready {
        let at = *places.entry((item.item.kind, &item.passage)).or_insert(distinct.len());
        if at == distinct.len() {
            distinct.push(item);
        }
        answered_by.push(at);
    }
    (distinct, answered_by)
}

fn one(asker: Asker<'_>, Ready { item, passage, .. }: &Ready, progress: &dyn DeriveProgress) -> (Answered, Usage) {
    let check = |answer: &serde_json::Value| ask::read(item.kind, passage, answer).map_err(Reason::from);
    match structured::ask(asker, ask::request(item.kind, passage, asker.prompts), &check, &|| progress.stop()) {
        Ok(checked) => (Ok((checked.value, checked.repaired)), checked.usage),
        Err(unusable) => {
            let usage = unusable.usage;
            (Err(unusable), usage)
        }
    }
}

fn is_silent(answered: &Answered) -> bool {
    use GenerateError::{Away, Refused};
    matches!(answered, Err(Unusable { why: UnusableAnswer::Silent(Away { .. } | Refused { .. }), .. }))
}

/// The texts of an item, or a line in the report.
fn collected(
    item: &Ready,
    answered: Option<&Answered>,
    untried: &mut usize,
    report: &mut DeriveReport,
) -> Option<Vec<String>> {
    match answered {
        Some(Ok((texts, repaired))) => {
            report.repaired += usize::from(*repaired);
            return Some(texts.clone());
        }
        None | Some(Err(Unusable { why: UnusableAnswer::Silent(GenerateError::Stopped), .. })) => *untried += 1,
        Some(Err(unusable)) => {
            report.failed.push(Skipped { place: item.place.clone(), reason: unusable.why.clone().into() });
        }
    }
    None
}

/// Summaries of the passages' own sentences.
fn extracted(engine: &Engine, ready: &[Ready], progress: &dyn DeriveProgress, report: &mut DeriveReport) -> MadeBatch {
    let mut made = MadeBatch::default();
    for item in ready {
        if progress.stop() {
            made.untried += 1;
            made.texts.push(None);
            continue;
        }
        let failed = |reason| report.failed.push(Skipped { place: item.place.clone(), reason });
        made.texts.push(summary(engine, item).map_err(failed).ok());
        progress.done(&item.place, Usage::default());
    }
    made
}

fn summary(engine: &Engine, item: &Ready) -> Result<Vec<String>, SkippedReason> {
    if item.item.kind != DerivedKind::Summary {
        return Err(SkippedReason::NeedsModel { kind: item.item.kind.to_string() });
    }
    let text = &item.passage.text;
    let whole = Span::new(0, text.len());
    let mut sentences: Vec<&str> = split::sentences(text, whole).into_iter().map(|span| span.of(text).trim()).collect();
    if sentences.iter().any(|sentence| is_prose(sentence)) {
        sentences.retain(|sentence| is_prose(sentence));
    }
    let vectors = engine.embedder().embed(&sentences, Role::Passage)?;
    let chosen = extract::central(&vectors, engine.embedder().dimensions());
    let chosen: Vec<&str> = chosen.into_iter().map(|at| sentences[at]).collect();
    Ok(vec![chosen.join("\n")])
}

/// Whether a sentence tells something by itself: no heading, row of a table or item of a list.
fn is_prose(sentence: &str) -> bool {
    !sentence.contains('|')
        && !sentence.starts_with(['#', '-', '*', '>', '•'])
        && sentence.chars().any(char::is_alphabetic)
}
