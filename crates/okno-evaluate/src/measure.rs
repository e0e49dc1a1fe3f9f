//! The measures, by name: one row of them per question, one line of means per recipe.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;

macro_rules! measures {
    ($($(#[$doc:meta])* $name:ident = $text:literal),* $(,)?) => {
        /// Something that is measured for every question.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Measure { $($(#[$doc])* $name),* }

        impl Measure {
            /// All of them, in the order tables show them.
            pub const ALL: [Self; [$($text),*].len()] = [$(Self::$name),*];

            /// Its name in tables and JSON.
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $text),* }
            }
        }
    };
}

measures! {
    /// The gold span is touched by the first context. For document-level sets: relevant documents found by then.
    Recall1 = "recall@1",
    /// The same for the first five.
    Recall5 = "recall@5",
    /// The same for the first ten.
    Recall10 = "recall@10",
    /// One over the rank of the first context that touches the gold span, 0 beyond ten.
    Mrr = "mrr@10",
    /// Discounted gain of all excerpts in the first ten places, as a share of the best order.
    Ndcg = "ndcg@10",
    /// The whole gold span lies within the budget.
    Coverage = "coverage",
    /// The gold sentence and its neighbours lie within the budget.
    Context = "context",
    /// Every reference excerpt lies within the budget.
    All = "all",
    /// Characters of the gold sentence, as a share of all that was returned.
    Precision = "precision",
    /// The share of the returned text that had been returned already.
    Duplicate = "duplicate",
    /// Characters of all excerpts that were returned, as a share of the excerpts.
    ExcerptRecall = "excerpt_recall",
    /// The same as a share of what was returned.
    ExcerptPrecision = "excerpt_precision",
    /// The same as a share of both together.
    ExcerptIou = "excerpt_iou",
    /// Contexts that are, character by character, the slice of the document they claim to be.
    Exact = "exact",
    /// Contexts returned.
    Fragments = "fragments",
    /// Tokens returned.
    Tokens = "tokens",
    /// A judge's mean verdict on the answer's statements: do the contexts say so? Absent where the judge failed.
    Groundedness = "groundedness",
    /// A judge's verdict on the answer: does it answer the question?
    AnswerRelevance = "answer_relevance",
    /// A judge's mean verdict on the contexts: do they help?
    ContextRelevance = "context_relevance",
}

impl Measure {
    /// Whether more of it is better.
    pub fn more_is_better(self) -> bool {
        !matches!(self, Self::Duplicate | Self::Fragments | Self::Tokens)
    }

    /// Whether it is a share, shown in percent.
    pub fn is_share(self) -> bool {
        !matches!(self, Self::Fragments | Self::Tokens)
    }
}

impl Serialize for Measure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Measure {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let found = Self::ALL.into_iter().find(|measure| measure.name() == name);
        found.ok_or_else(|| serde::de::Error::custom(format!("no measure `{name}`")))
    }
}

/// What one question measured. What does not apply – coverage where only documents are known – is absent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<Option<f64>>")]
pub struct MeasureRow([Option<f64>; Measure::ALL.len()]);

/// Measures are only ever added at the end, so a row that was kept before is the beginning of one.
impl From<Vec<Option<f64>>> for MeasureRow {
    fn from(kept: Vec<Option<f64>>) -> Self {
        let mut row = Self::default();
        row.0.iter_mut().zip(kept).for_each(|(place, value)| *place = value);
        row
    }
}

impl MeasureRow {
    /// One value.
    pub fn get(&self, measure: Measure) -> Option<f64> {
        self.0[measure as usize]
    }

    /// Sets a value.
    pub fn set(&mut self, measure: Measure, value: f64) {
        self.0[measure as usize] = Some(value);
    }

    /// The same with four decimals: enough to compare runs, a fifth of the file.
    #[must_use]
    pub fn rounded(&self) -> Self {
        Self(self.0.map(|value| value.map(|value| (value * 1e4).round() / 1e4)))
    }
}

/// The means over all questions, by measure.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Scores(pub BTreeMap<Measure, f64>);

impl Scores {
    /// The means of these rows. `exact` is a share of all contexts, everything else a mean over the questions it
    /// applies to.
    pub fn of(rows: &[MeasureRow]) -> Self {
        let mut scores = BTreeMap::new();
        for measure in Measure::ALL {
            let values: Vec<f64> = rows.iter().filter_map(|row| row.get(measure)).collect();
            if !values.is_empty() {
                scores.insert(measure, values.iter().sum::<f64>() / values.len() as f64);
            }
        }
        if let (Some(&exact), Some(&contexts)) = (scores.get(&Measure::Exact), scores.get(&Measure::Fragments)) {
            scores.insert(Measure::Exact, if contexts > 0.0 { exact / contexts } else { 0.0 });
        }
        Self(scores)
    }

    /// One mean; 0 where nothing was measured.
    pub fn get(&self, measure: Measure) -> f64 {
        self.0.get(&measure).copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_names_agree() {
        for (i, measure) in Measure::ALL.into_iter().enumerate() {
            assert_eq!(measure as usize, i);
            let json = serde_json::to_string(&measure).unwrap();
            assert_eq!(serde_json::from_str::<Measure>(&json).unwrap(), measure);
        }
        assert!(serde_json::from_str::<Measure>("\"best\"").is_err());
    }

    #[test]
    fn a_row_that_was_kept_before_there_was_a_judge_is_read() {
        let kept = serde_json::to_value([Some(0.5); 16]).unwrap();
        let row: MeasureRow = serde_json::from_value(kept).unwrap();
        assert_eq!((row.get(Measure::Tokens), row.get(Measure::Groundedness)), (Some(0.5), None));
        let whole: MeasureRow = serde_json::from_str(&serde_json::to_string(&row).unwrap()).unwrap();
        assert_eq!(whole, row);
    }

    #[test]
    fn exactness_is_a_share_of_contexts_and_absent_values_are_left_out() {
        let mut rows = [MeasureRow::default(); 2];
        for (row, (exact, contexts)) in rows.iter_mut().zip([(2.0, 3.0), (1.0, 1.0)]) {
            row.set(Measure::Exact, exact);
            row.set(Measure::Fragments, contexts);
        }
        rows[0].set(Measure::Coverage, 1.0);
        let scores = Scores::of(&rows);
        assert_eq!((scores.get(Measure::Exact), scores.get(Measure::Coverage)), (0.75, 1.0));
        assert!(!scores.0.contains_key(&Measure::Context));
    }
}
