//! The finding of an evaluation in a sentence or two, before any table.

use super::compare::points;
use super::measure::Measure;
use super::run::{EvaluationRun, RunCell};
use serde::Serialize;

/// The recipe that is taken where nothing says otherwise; among equals it is named first.
const USUAL: &str = "auto";

/// A recipe that reaches this much has little left to gain.
const NEARLY_ALL: f64 = 0.95;

/// Which recipe does best with a budget.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunVerdict {
    /// Tokens that each recipe could spend.
    pub budget: usize,
    /// The best recipe, then those that differ from it by no more than chance.
    pub best: Vec<String>,
    /// Recipes in all.
    pub recipes: usize,
    /// What was measured.
    pub measure: Measure,
    /// The mean of the best.
    pub mean: f64,
    /// Questions whose whole answer the best returns.
    pub answered: usize,
    /// Questions in all.
    pub questions: usize,
    /// Whether the questions are too easy to tell recipes apart: at least half of several recipes answer nearly all.
    pub is_easy: bool,
}

impl RunVerdict {
    /// The verdict at a budget; none for a run without recipes.
    pub fn of(run: &EvaluationRun, budget: usize) -> Option<Self> {
        let (measure, ranked) = (run.main_measure(), run.ranked(budget));
        let comparisons = run.comparisons(measure, budget);
        let equal = comparisons.iter().filter(|other| !other.difference.is_clear()).map(|other| other.other.as_str());
        let mut best: Vec<String> =
            ranked.first().into_iter().map(|cell| cell.recipe.as_str()).chain(equal).map(str::to_owned).collect();
        best.sort_by_key(|recipe| recipe != USUAL);
        let first: &RunCell = ranked.iter().find(|cell| Some(&cell.recipe) == best.first())?;
        let nearly_all = ranked.iter().filter(|cell| cell.scores.get(measure) >= NEARLY_ALL).count();
        let answered = |row: &&super::measure::MeasureRow| row.get(measure).is_some_and(|value| value >= 1.0);
        Some(Self {
            budget,
            recipes: ranked.len(),
            measure,
            mean: first.scores.get(measure),
            answered: first.rows.iter().filter(answered).count(),
            questions: first.rows.len(),
            is_easy: ranked.len() > 1 && 2 * nearly_all >= ranked.len(),
            best,
        })
    }

    /// In English.
    pub fn english(&self) -> String {
        let Self { budget, measure, answered, questions, .. } = self;
        let (first, others) = (&self.best[0], listed(&self.best[1..], ", "));
        let best = if self.recipes > 1 { format!("Best here: `{first}`. It") } else { format!("`{first}`") };
        let mut text = match measure {
            Measure::Coverage => format!(
                "{best} returns the whole answer to {answered} of {questions} questions within {budget} tokens."
            ),
            other => format!("{best} reaches {} {} at {budget} tokens.", other.name(), points(self.mean)),
        };
        if !others.is_empty() {
            text += &format!(" No difference beyond chance: {others}.");
        }
        if self.is_easy {
            text += " These questions are too easy to tell recipes apart; take more, or harder ones.";
        }
        text
    }

    /// In Chinese.
    pub fn chinese(&self) -> String {
        let Self { budget, measure, answered, questions, .. } = self;
        let (first, others) = (&self.best[0], listed(&self.best[1..], "、"));
        let best = if self.recipes > 1 { format!("这里最好的是 `{first}`") } else { format!("`{first}`") };
        let mut text = match measure {
            Measure::Coverage => {
                format!("{best}：{budget} 词元内，{questions} 个问题中有 {answered} 个得到完整答案。")
            }
            other => format!("{best}：{budget} 词元时 {} 为 {}。", other.name(), points(self.mean)),
        };
        if !others.is_empty() {
            text += &format!("与它没有超出偶然的差异：{others}。");
        }
        if self.is_easy {
            text += "这些问题太容易，分不出方案的高下；请用更多或更难的问题。";
        }
        text
    }
}

fn listed(recipes: &[String], between: &str) -> String {
    recipes.iter().map(|recipe| format!("`{recipe}`")).collect::<Vec<_>>().join(between)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(best: &[&str], is_easy: bool) -> RunVerdict {
        let best = best.iter().map(|&recipe| recipe.to_owned()).collect();
        let (measure, mean) = (Measure::Coverage, 0.95);
        RunVerdict { budget: 500, recipes: 2, best, measure, mean, answered: 95, questions: 100, is_easy }
    }

    #[test]
    fn the_best_is_named_with_its_equals_and_easy_sets_are_called_so() {
        let one = verdict(&["auto"], false);
        let whole = "Best here: `auto`. It returns the whole answer to 95 of 100 questions within 500 tokens.";
        assert_eq!(one.english(), whole);
        assert_eq!(one.chinese(), "这里最好的是 `auto`：500 词元内，100 个问题中有 95 个得到完整答案。");
        let equal = verdict(&["auto", "broad"], true).english();
        assert!(
            equal.contains("No difference beyond chance: `broad`.") && equal.ends_with("or harder ones."),
            "{equal}"
        );
    }
}
