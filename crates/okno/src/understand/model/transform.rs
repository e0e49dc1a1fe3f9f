//! A question in other forms: rewritten, taken apart, generalised, asked otherwise, or answered by guess.
//!
//! Comes in: what is to be searched for. Goes out: [`Probes`] – what is searched in its place or beside it.
//! Every probe is ranked by every leg and layer of the recipe, and all rankings are fused as the recipe
//! fuses: with reciprocal ranks that is RRF over the variants, with relative scores the mean of their
//! shares. So asking the same thing twice changes nothing, and the order of the probes does not matter.

use super::{Step, StepError, StepRequest, Taken, object, take};
use crate::generate::Asker;
use crate::generate::structured::{text, texts};
use crate::message::Reason;
use serde_json::{Value, json};

/// What is searched for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Probes {
    /// In place of the question.
    pub instead: Option<String>,
    /// Beside it.
    pub beside: Vec<String>,
    /// The passage whose vector stands for the question's.
    pub passage: Option<String>,
}

/// Probes beside the question, at most: four sub-questions, a more general one, three variants.
const MOST: usize = 8;

/// A probe longer than this is no question.
const LONGEST: usize = 500;

impl Probes {
    /// Everything that is searched for where a question was to be: it, or what stands in its place, first.
    pub fn texts<'p>(&'p self, question: &'p str) -> Vec<&'p str> {
        let first = self.instead.as_deref().unwrap_or(question);
        let mut texts = vec![first];
        for text in self.beside.iter().map(String::as_str) {
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        texts
    }
}

/// Puts a question into other forms, as these steps say; steps of another kind are not taken here.
pub fn transformed(question: &str, steps: &[Step], asker: Option<Asker<'_>>) -> (Probes, Vec<Taken>) {
    let (mut probes, mut all) = (Probes::default(), Vec::new());
    for &step in Step::ALL.iter().filter(|step| steps.contains(step)) {
        let (gave, taken) = match step {
            Step::Rewrite | Step::StepBack => one(step, question, "question", asker),
            Step::Hyde => one(step, question, "passage", asker),
            Step::Decompose | Step::MultiQuery => several(step, question, asker),
            Step::Filter | Step::Route | Step::PostFilter | Step::Sql => continue,
        };
        match step {
            Step::Rewrite => probes.instead = gave.into_iter().next(),
            Step::Hyde => probes.passage = gave.into_iter().next(),
            _ => probes.beside.extend(gave),
        }
        all.push(taken);
    }
    probes.beside.truncate(MOST);
    (probes, all)
}

/// One text.
fn one(step: Step, question: &str, field: &str, asker: Option<Asker<'_>>) -> (Vec<String>, Taken) {
    let most = if step == Step::Hyde { LONGEST * 4 } else { LONGEST };
    let check = |answer: &Value| sound(text(answer, field)?, most);
    let asking = StepRequest { step, question, more: &[], schema: object(field, &json!({"type": "string"})) };
    let (gave, taken) = take(asking, asker, &check, |text| vec![text.clone()]);
    (gave.into_iter().collect(), taken)
}

/// Several questions; those that only repeat the question are left out.
fn several(step: Step, question: &str, asker: Option<Asker<'_>>) -> (Vec<String>, Taken) {
    let items = json!({"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 4});
    let check = |answer: &Value| {
        let found = texts(answer, "questions")?;
        if found.is_empty() || found.len() > 4 {
            return Err(StepError::Questions { got: found.len() }.into());
        }
        found.into_iter().map(|text| sound(text, LONGEST)).collect()
    };
    let asking = StepRequest { step, question, more: &[], schema: object("questions", &items) };
    let (gave, taken) = take(asking, asker, &check, Vec::clone);
    let other = |text: &String| text.trim() != question.trim();
    (gave.unwrap_or_default().into_iter().filter(other).collect(), taken)
}

fn sound(text: String, most: usize) -> Result<String, Reason> {
    let length = text.chars().count();
    if length > most {
        return Err(StepError::LongText { length, most }.into());
    }
    if text.chars().any(char::is_alphanumeric) { Ok(text) } else { Err(StepError::NoWords { text }.into()) }
}

#[cfg(test)]
mod tests {
    use super::super::tests::asker;
    use super::*;
    use crate::generate::scripted::Scripted;
    use crate::message::Message;
    use proptest::prelude::*;

    #[test]
    fn each_form_goes_where_it_belongs() {
        let model = Scripted::saying(&[
            r#"{"question": "water temperature for black tea"}"#,
            r#"{"questions": ["How hot for black tea?", "How hot for green tea?", "black or green?"]}"#,
            r#"{"question": "How is tea brewed?"}"#,
            r#"{"passage": "Black tea is brewed with boiling water."}"#,
        ]);
        let steps = [Step::Hyde, Step::StepBack, Step::Rewrite, Step::Decompose, Step::PostFilter];
        let (probes, taken) = transformed("black or green?", &steps, asker(&model));
        assert_eq!(probes.instead.as_deref(), Some("water temperature for black tea"));
        assert_eq!(probes.beside, ["How hot for black tea?", "How hot for green tea?", "How is tea brewed?"]);
        assert_eq!(probes.passage.as_deref(), Some("Black tea is brewed with boiling water."));
        let order: Vec<Step> = taken.iter().map(|taken| taken.step).collect();
        assert_eq!(order, [Step::Rewrite, Step::Decompose, Step::StepBack, Step::Hyde]);
        assert!(taken.iter().all(|taken| taken.failed.is_none() && taken.usage.prompt == 10));
    }

    #[test]
    fn a_step_that_fails_changes_nothing_and_says_so() {
        let model = Scripted::saying(&["no", "no", r#"{"question": "tea"}"#]);
        let (probes, taken) = transformed("q?", &[Step::Rewrite, Step::StepBack], asker(&model));
        assert_eq!(probes, Probes { beside: vec!["tea".into()], ..Probes::default() });
        assert!(taken[0].failed.as_ref().unwrap().code() == "unusable_answer" && taken[1].failed.is_none());
        let (probes, taken) = transformed("q?", &[Step::Hyde], None);
        assert!(probes == Probes::default() && taken[0].failed.is_some());
    }

    proptest! {
        #[test]
        fn the_question_or_its_rewriting_comes_first_and_nothing_twice(
            question in "[a-c]{1,2}", instead in prop::option::of("[a-c]{1,2}"),
            beside in prop::collection::vec("[a-c]{1,2}", 0..9),
        ) {
            let probes = Probes { instead: instead.clone(), beside: beside.clone(), passage: None };
            let texts = probes.texts(&question);
            prop_assert_eq!(texts[0], instead.as_deref().unwrap_or(&question));
            let distinct: std::collections::BTreeSet<&&str> = texts.iter().collect();
            prop_assert_eq!(distinct.len(), texts.len());
            prop_assert!(beside.iter().all(|text| texts.contains(&text.as_str())));
        }
    }
}
