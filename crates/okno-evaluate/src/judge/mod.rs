//! A model as judge: is each statement grounded, is the question answered, were the contexts relevant?
//!
//! ```text
//! question, answer, contexts → three requests → JSON, checked, repaired once → verdicts with reasons → scores (0 to 1)
//! ```
//!
//! Contexts and answers are quoted to the judge as data, as they are to the model that answers. A judge that fails –
//! does not answer, or answers twice with something that is no verdict – is reported as failed: it never counts as 0,
//! and never as anything else. Whoever wants the same verdicts twice gives a model whose answers are kept.

mod cell;
mod read;
#[cfg(test)]
mod tests;

pub use cell::{CellJudged, Figure, QuestionJudged, judge_run};

use super::measure::Measure;
use okno::answer::{fenced, sentences_of};
use okno::generate::{Asker, ChatMessage, ChatRole, Generator, Language, Prompts, Request, mark, structured};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One of the three things that are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aspect {
    /// Whether the contexts say what the answer says, statement by statement.
    Groundedness,
    /// Whether the answer answers the question.
    AnswerRelevance,
    /// Whether the contexts help to answer it, one by one.
    ContextRelevance,
}

impl Aspect {
    /// All of them, in the order they are shown.
    pub const ALL: [Self; 3] = [Self::Groundedness, Self::AnswerRelevance, Self::ContextRelevance];

    /// What a kept run calls it.
    pub fn measure(self) -> Measure {
        match self {
            Self::Groundedness => Measure::Groundedness,
            Self::AnswerRelevance => Measure::AnswerRelevance,
            Self::ContextRelevance => Measure::ContextRelevance,
        }
    }

    /// Its name in tables and JSON.
    pub fn name(self) -> &'static str {
        self.measure().name()
    }
}

/// What is judged.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    /// The question.
    pub question: &'a str,
    /// The answer, its citations and all.
    pub answer: &'a str,
    /// The contexts it was made from.
    pub contexts: &'a [&'a str],
}

/// A judgement of one thing: a statement, an answer, a context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgeVerdict {
    /// What was judged.
    pub about: String,
    /// From 0 to 1.
    pub score: f64,
    /// Why, in the judge's words.
    pub reason: String,
}

/// What came of judging one aspect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// The verdicts.
    Judged(Vec<JudgeVerdict>),
    /// The judge gave none that can be used: why.
    Failed(String),
    /// There is nothing to judge: no statement, no context.
    Nothing,
}

impl Judgement {
    /// The mean of the verdicts; `None` where there are none.
    pub fn score(&self) -> Option<f64> {
        match self {
            Self::Judged(verdicts) if !verdicts.is_empty() => {
                Some(verdicts.iter().map(|verdict| verdict.score).sum::<f64>() / verdicts.len() as f64)
            }
            _ => None,
        }
    }
}

/// Judges one aspect of a case.
pub fn judge(aspect: Aspect, case: Case<'_>, model: &dyn Generator, prompts: &Prompts) -> Judgement {
    let subjects = subjects(aspect, case);
    if subjects.is_empty() || (aspect == Aspect::Groundedness && case.contexts.is_empty()) {
        return Judgement::Nothing;
    }
    let request = request(aspect, case, &subjects, prompts, Language::of(case.question));
    let check = |said: &Value| read::verdicts(said, &subjects).map_err(Into::into);
    match structured::ask(Asker { generator: model, prompts }, request, &check, &|| false) {
        Ok(checked) => Judgement::Judged(checked.value),
        Err(unusable) => Judgement::Failed(unusable.to_string()),
    }
}

/// The things that are judged, each by itself.
fn subjects(aspect: Aspect, case: Case<'_>) -> Vec<String> {
    match aspect {
        Aspect::Groundedness => statements(case.answer),
        Aspect::AnswerRelevance => {
            Some(case.answer).filter(|answer| !answer.trim().is_empty()).map(str::to_owned).into_iter().collect()
        }
        Aspect::ContextRelevance => case.contexts.iter().map(ToString::to_string).collect(),
    }
}

/// The sentences of an answer that state something.
pub fn statements(answer: &str) -> Vec<String> {
    let bare = |text: &str| text.trim_start_matches(['-', '*', '#', ' ']).trim().to_owned();
    let states = |text: &String| {
        let letters = text.chars().filter(|c| c.is_alphabetic()).count();
        letters > 1
    };
    sentences_of(answer).into_iter().map(|span| bare(span.of(answer))).filter(states).collect()
}

fn request(aspect: Aspect, case: Case<'_>, subjects: &[String], prompts: &Prompts, language: Language) -> Request {
    let subjects: Vec<&str> = subjects.iter().map(String::as_str).collect();
    let pair = [case.question, case.answer];
    let everything: Vec<&str> = case.contexts.iter().copied().chain(pair).collect();
    let fence = mark(&everything);
    let (contexts, statements) = (fenced(case.contexts, &fence), fenced(&subjects, &fence));
    let (question, pair) = (fenced(&[case.question], &fence), fenced(&pair, &fence));
    let values = [
        ("fence", fence.as_str()),
        ("contexts", &contexts),
        ("statements", &statements),
        ("question", &question),
        ("pair", &pair),
    ];
    let name = match aspect {
        Aspect::Groundedness => "judge.groundedness",
        Aspect::AnswerRelevance => "judge.answer",
        Aspect::ContextRelevance => "judge.context",
    };
    let system = ChatMessage::new(ChatRole::System, prompts.render(language, "judge.system", &values));
    let user = ChatMessage::new(ChatRole::User, prompts.render(language, name, &values));
    // The likeliest verdict, so that judging again gives the same.
    Request { temperature: Some(0.0), schema: Some(read::schema()), ..Request::new(vec![system, user]) }
}
