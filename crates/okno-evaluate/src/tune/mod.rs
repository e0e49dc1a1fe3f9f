//! Tuning: a better recipe for *these* documents, if there is one.
//!
//! ```text
//! questions → train | held out
//! reference → families → moves, one at a time, while they help on train → held-out verdict
//! ```
//!
//! Everything tried is a recipe over the same index: nothing is indexed or embedded again. Train picks, and picking
//! from many flatters; so the verdict comes from questions that took no part, as a paired interval, and a gain inside
//! the noise is called that. A candidate is judged block by block and dropped as soon as it cannot win.

mod moves;
mod write;

pub use write::{section, with_section};

use super::compare::Interval;
use super::measure::Measure;
use super::random::Random;
use super::run::{Candidate, is_answerable, query};
use super::score::{self, Returned, Texts};
use super::set::{Gold, Question, QuestionSet};
use crate::{Error, Result};
use okno::retrieve::Recipe;
use okno::store::Snapshot;
use okno::{Engine, parallel};

/// Questions a split needs: with fewer, every interval is wider than any gain.
pub const FEWEST: usize = 20;

/// Of ten questions, so many choose; the others judge.
const TRAIN_IN_TEN: usize = 6;

/// Questions judged before a candidate is looked at again.
const BLOCK: usize = 32;

/// Rounds of moves: measured on six sets, none took more than four.
const ROUNDS: usize = 8;

/// A gain on train smaller than this many standard errors is not followed.
const FOLLOWED: f64 = 1.0;

/// A candidate this many standard errors behind is dropped.
const HOPELESS: f64 = 2.0;

/// What a recipe is tuned for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Objective {
    /// The answer, and the answer with its neighbours, whole: the mean of both.
    Answers,
    /// As much of the excerpts as possible: for feedback, whose spans are some recipe's own cuts.
    Excerpts,
}

/// What is tuned, and on what.
#[derive(Debug)]
pub struct Tuning<'a> {
    /// The questions.
    pub set: &'a QuestionSet,
    /// What must be beaten: the recipe that would be used otherwise.
    pub reference: &'a Candidate,
    /// The budgets a recipe must do well at, on average.
    pub budgets: &'a [usize],
    /// What counts.
    pub objective: Objective,
    /// Where chance begins: split and intervals.
    pub seed: u64,
}

/// How far tuning has come.
#[derive(Debug, Clone, PartialEq)]
pub struct TuneProgress {
    /// Candidates judged so far.
    pub tried: usize,
    /// Of those, dropped before all questions were asked.
    pub dropped: usize,
    /// What is looked at now.
    pub what: String,
    /// The best mean on train so far.
    pub best: f64,
}

/// What tuning found.
#[derive(Debug, Clone, PartialEq)]
pub struct Tuned {
    /// The best recipe on train; the reference itself when nothing was better.
    pub recipe: Recipe,
    /// What was changed, in order, with the gain on train.
    pub changes: Vec<(String, f64)>,
    /// Questions that chose.
    pub train: usize,
    /// Questions that judged.
    pub held_out: usize,
    /// Candidates tried.
    pub tried: usize,
    /// Of those, dropped early.
    pub dropped: usize,
    /// The reference's mean on the questions held out.
    pub before: f64,
    /// The recipe's.
    pub after: f64,
    /// The difference on the questions held out.
    pub gain: Interval,
}

impl Tuned {
    /// Whether the recipe is better beyond noise.
    pub fn is_better(&self) -> bool {
        self.gain.low > 0.0
    }
}

/// Looks for a better recipe, telling `progress` after each candidate.
pub fn tune(engine: &Engine, tuning: &Tuning<'_>, texts: &Texts, progress: &dyn Fn(&TuneProgress)) -> Result<Tuned> {
    if tuning.set.questions.len() < FEWEST {
        return Err(Error::FewQuestions { fewest: FEWEST, got: tuning.set.questions.len() });
    }
    let snapshot = engine.snapshot()?;
    let mut questions: Vec<&Question> = tuning.set.questions.iter().collect();
    Random::new(tuning.seed).shuffle(&mut questions);
    let (train, held_out) = questions.split_at(questions.len() * TRAIN_IN_TEN / 10);
    let judge = Judge { engine, snapshot: &*snapshot, tuning, texts };
    let mut search = Search::new(&judge, train, progress)?;
    search.families()?;
    search.climb()?;
    let before = judge.values(&tuning.reference.recipe, held_out)?;
    let after = judge.values(&search.recipe, held_out)?;
    let differences: Vec<f64> = after.iter().zip(&before).map(|(after, before)| after - before).collect();
    Ok(Tuned {
        recipe: search.recipe,
        changes: search.changes,
        train: train.len(),
        held_out: held_out.len(),
        tried: search.tried,
        dropped: search.dropped,
        before: mean(&before),
        after: mean(&after),
        gain: Interval::of(&differences, tuning.seed),
    })
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Judges recipes question by question.
struct Judge<'a> {
    engine: &'a Engine,
    snapshot: &'a dyn Snapshot,
    tuning: &'a Tuning<'a>,
    texts: &'a Texts,
}

impl Judge<'_> {
    fn values(&self, recipe: &Recipe, questions: &[&Question]) -> Result<Vec<f64>> {
        parallel::map(questions.to_vec(), |question| self.value(recipe, question)).into_iter().collect()
    }

    /// What a recipe is worth for a question: the mean over all budgets.
    fn value(&self, recipe: &Recipe, question: &Question) -> Result<f64> {
        let mut sum = 0.0;
        for &budget in self.tuning.budgets {
            let answer = self.engine.search_in(self.snapshot, &query(question, recipe, budget))?;
            let contexts: Vec<Returned> = answer.contexts.iter().map(Returned::from).collect();
            let row = score::row(&question.gold, &contexts, budget, self.texts);
            let get = |measure| row.get(measure).unwrap_or(0.0);
            sum += match (&question.gold, self.tuning.objective) {
                (Gold::Documents(_), _) => get(Measure::Ndcg),
                (_, Objective::Excerpts) => get(Measure::ExcerptRecall),
                (_, Objective::Answers) => f64::midpoint(get(Measure::Coverage), get(Measure::Context)),
            };
        }
        Ok(sum / self.tuning.budgets.len().max(1) as f64)
    }
}

/// The best recipe so far, with what it is worth on every training question.
struct Search<'a> {
    judge: &'a Judge<'a>,
    train: &'a [&'a Question],
    progress: &'a dyn Fn(&TuneProgress),
    recipe: Recipe,
    values: Vec<f64>,
    changes: Vec<(String, f64)>,
    tried: usize,
    dropped: usize,
}

impl<'a> Search<'a> {
    fn new(judge: &'a Judge<'a>, train: &'a [&'a Question], progress: &'a dyn Fn(&TuneProgress)) -> Result<Self> {
        let recipe = judge.tuning.reference.recipe.clone();
        let values = judge.values(&recipe, train)?;
        Ok(Self { judge, train, progress, recipe, values, changes: Vec::new(), tried: 1, dropped: 0 })
    }

    /// Starts from the best of the well-known ways.
    fn families(&mut self) -> Result<()> {
        let mut known = Vec::new();
        for (what, recipe) in moves::families()? {
            if is_answerable(self.judge.engine, self.judge.snapshot, &recipe)? {
                known.push((what, recipe));
            }
        }
        self.take_best(known).map(|_| ())
    }

    /// One change at a time, while one helps.
    fn climb(&mut self) -> Result<()> {
        for _ in 0..ROUNDS {
            if !self.take_best(moves::of(&self.recipe))? {
                break;
            }
        }
        Ok(())
    }

    /// Takes the best of these when it is worth following; whether one was.
    fn take_best(&mut self, candidates: Vec<(String, Recipe)>) -> Result<bool> {
        let mut best: Option<(f64, String, Recipe, Vec<f64>)> = None;
        for (what, recipe) in candidates {
            (self.progress)(&TuneProgress {
                tried: self.tried,
                dropped: self.dropped,
                what: what.clone(),
                best: mean(&self.values),
            });
            self.tried += 1;
            let Some(values) = self.race(&recipe)? else {
                self.dropped += 1;
                continue;
            };
            let gain = MeanGain::of(&values, &self.values);
            if gain.mean > FOLLOWED * gain.error && best.as_ref().is_none_or(|(least, ..)| gain.mean > *least) {
                best = Some((gain.mean, what, recipe, values));
            }
        }
        let Some((gain, what, recipe, values)) = best else { return Ok(false) };
        (self.recipe, self.values) = (recipe, values);
        self.changes.push((what, gain));
        Ok(true)
    }

    /// The candidate's values, or nothing when it cannot win any more: far behind, or behind by more than is left to
    /// gain.
    fn race(&self, recipe: &Recipe) -> Result<Option<Vec<f64>>> {
        let mut values = Vec::with_capacity(self.train.len());
        for block in self.train.chunks(BLOCK) {
            values.extend(self.judge.values(recipe, block)?);
            let gain = MeanGain::of(&values, &self.values);
            let left: f64 = self.values[values.len()..].iter().map(|value| 1.0 - value).sum();
            let reachable = gain.mean * values.len() as f64 + left;
            if gain.mean + HOPELESS * gain.error < 0.0 || reachable <= 0.0 {
                return Ok(None);
            }
        }
        Ok(Some(values))
    }
}

/// The mean difference so far, and its standard error.
struct MeanGain {
    mean: f64,
    error: f64,
}

impl MeanGain {
    fn of(values: &[f64], reference: &[f64]) -> Self {
        let differences: Vec<f64> = values.iter().zip(reference).map(|(value, reference)| value - reference).collect();
        let mean = mean(&differences);
        let squares: f64 = differences.iter().map(|difference| (difference - mean).powi(2)).sum();
        let count = differences.len() as f64;
        Self { mean, error: (squares / (count - 1.0).max(1.0) / count.max(1.0)).sqrt() }
    }
}
