//! Questions that a language model writes, each with the sentence that answers it.
//!
//! A model paraphrases where the rules of [`super::draft`] can only repeat, so its questions flatter lexical search
//! less. It is believed as little as any other: the sentence it names must stand in the passage word for
//! word, the question must be in the passage's language and no copy of the sentence, the model – asked
//! again, without the passage – must find that the sentence answers, and no other document may answer as well.

use super::super::random::Random;
use super::draft::Draft;
use super::{MadeQuestion, Numbered, QuestionKind, Summary, check, finished, in_turn, keep_distinct, numbered, words};
use crate::Result;
use okno::Skipped;
use okno::document::{Layer, Size, Span};
use okno::generate::many;
use okno::generate::structured::{self, FormError, Unusable, text};
use okno::generate::{Asker, Language, Request, Usage, messages, quoted};
use okno::message::Reason;
use okno::store::{DocumentNumber, Snapshot};
use serde_json::{Value, json};

/// What a question is made of: a few paragraphs.
const PASSAGE: Layer = Layer::Chunk { size: Size::Characters(1000), overlap: 0 };

/// A passage with less says too little to be asked about.
const FEWEST_CHARACTERS: usize = 120;

/// Passages tried for each question wanted: not every one gives a sound question.
const TRIES: usize = 2;

/// What came of asking a model for questions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ByModel {
    /// The questions.
    pub made: Vec<MadeQuestion>,
    /// What was dropped.
    pub summary: Summary,
    /// Passages of which no question came, and why.
    pub failed: Vec<Skipped>,
    /// Tokens spent.
    pub usage: Usage,
}

struct ShownPassage {
    number: DocumentNumber,
    name: String,
    title: String,
    span: Span,
    text: String,
}

/// Makes at most `count` questions with a model; `done` is told after each passage.
pub fn questions_by_model(
    snapshot: &dyn Snapshot,
    asker: Asker<'_>,
    count: usize,
    seed: u64,
    done: &(dyn Fn() + Sync),
) -> Result<ByModel> {
    let mut passages = passages(snapshot, seed)?;
    passages.truncate(count * TRIES);
    let mut all = ByModel::default();
    let mut drafts: Vec<Numbered> = Vec::new();
    for batch in passages.chunks((asker.generator.concurrency() * 4).max(1)) {
        let answers = many(batch, asker.generator.concurrency(), &|| false, |passage| {
            let drafted = draft(passage, asker);
            done();
            drafted
        });
        for (passage, answer) in batch.iter().zip(answers.into_iter().flatten()) {
            all.add(passage, answer, &mut drafts);
        }
        if drafts.len() >= count {
            break;
        }
    }
    all.summary.drafts = drafts.len();
    all.summary.repeated = keep_distinct(&mut drafts);
    let corpus = words::SentenceFrequencies::read(snapshot)?;
    let places = check::TermPlaces::of(snapshot, drafts.iter().map(|(_, draft)| draft))?;
    let before = drafts.len();
    drafts.retain(|(number, draft)| places.answers_best(draft, *number, &corpus));
    all.summary.ambiguous = before - drafts.len();
    drafts.truncate(count);
    let made = drafts.iter().map(|(number, draft)| finished(snapshot, *number, draft)).collect::<Result<_>>()?;
    all.made = numbered(made);
    Ok(all)
}

impl ByModel {
    fn add(&mut self, passage: &ShownPassage, answer: Result<(Draft, Usage), Unusable>, drafts: &mut Vec<Numbered>) {
        let usage = match answer {
            Ok((draft, usage)) => {
                drafts.push((passage.number, draft));
                usage
            }
            Err(unusable) => {
                self.failed.push(Skipped { place: passage.name.clone(), reason: unusable.why.into() });
                unusable.usage
            }
        };
        self.usage.prompt += usage.prompt;
        self.usage.completion += usage.completion;
    }
}

/// Passages worth asking about: in an order of chance, the documents in turn.
fn passages(snapshot: &dyn Snapshot, seed: u64) -> Result<Vec<ShownPassage>> {
    let mut all = Vec::new();
    for (number, record) in snapshot.records()? {
        let (structure, text) = (snapshot.structure(*number)?, snapshot.text(*number)?);
        for run in PASSAGE.runs(&structure, &text) {
            let span = structure.span(run);
            if span.of(&text).chars().count() >= FEWEST_CHARACTERS {
                let (name, title) = (record.id.name().to_owned(), record.title.clone());
                all.push(ShownPassage { number: *number, name, title, span, text: span.of(&text).to_owned() });
            }
        }
    }
    Random::new(seed).shuffle(&mut all);
    Ok(in_turn(all, |passage| passage.number))
}

/// One question of a passage, checked twice.
fn draft(passage: &ShownPassage, asker: Asker<'_>) -> Result<(Draft, Usage), Unusable> {
    let values = [("passage", quoted(&passage.text)), ("title", passage.title.clone())];
    let values = values.each_ref().map(|(name, value)| (*name, value.as_str()));
    let text = json!({"type": "string"});
    let fields = json!({"question": text, "sentence": text, "kind": {"type": "string", "enum": ["fact", "list"]}});
    let request = asked(asker, passage, "questions.make", &values, structured::object(&fields));
    let made = structured::ask(asker, request, &|answer| read(passage, answer), &|| false)?;
    let usage = confirmed(passage, &made.value, asker, made.usage)?;
    Ok((made.value, usage))
}

fn asked(asker: Asker<'_>, passage: &ShownPassage, name: &str, values: &[(&str, &str)], schema: Value) -> Request {
    let messages = messages(asker.prompts, Language::of(&passage.text), name, values);
    Request { temperature: Some(0.0), schema: Some(schema), ..Request::new(messages) }
}

/// A question whose sentence is an exact span of the passage.
fn read(passage: &ShownPassage, answer: &Value) -> Result<Draft, Reason> {
    let (question, sentence) = (text(answer, "question")?, text(answer, "sentence")?);
    let at = passage.text.find(&sentence).ok_or(DraftError::NotVerbatim)?;
    if sentence.chars().count() * 2 > passage.text.chars().count() && passage.text.chars().count() > 200 {
        return Err(DraftError::LongSentence.into());
    }
    if Language::of(&question) != Language::of(&passage.text) {
        return Err(DraftError::OtherLanguage.into());
    }
    let start = passage.span.start as usize + at;
    let kind = if answer["kind"] == "list" { QuestionKind::List } else { QuestionKind::Fact };
    let draft = Draft { question, kind, doubt: 0, spans: vec![Span::new(start, start + sentence.len())] };
    if check::repeats(&draft.question, &sentence) {
        return Err(DraftError::Repeats.into());
    }
    Ok(draft)
}

okno::document::messages! {
    /// What is wrong with a question that a model made.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum DraftError {
        /// A sentence that the passage does not hold.
        NotVerbatim = "not_verbatim" => (
            "`sentence` does not stand in the passage word for word: copy it exactly",
            "`sentence` 与原文不一致：请逐字复制",
        ),
        /// Not a sentence but all of it.
        LongSentence = "long_sentence" => (
            "`sentence` is most of the passage: copy only the sentence that answers",
            "`sentence` 几乎是整段文字：请只复制回答问题的那句",
        ),
        /// A question in another language.
        OtherLanguage = "other_language" =>
            ("`question` is not in the language of the passage", "`question` 与这段文字的语言不同"),
        /// A question that gives its answer away.
        Repeats = "repeats" =>
            ("`question` repeats the sentence that answers it", "`question` 重复了回答它的句子"),
        /// A sentence that does not answer.
        NotAnswered { /** The question. */ question: String } = "not_answered" => (
            "the sentence does not answer “{question}”, says the model itself",
            "模型自己认为这句话没有回答“{question}”",
        ),
    }
}

/// Asks again, without the passage, whether the sentence answers; what both cost.
fn confirmed(passage: &ShownPassage, draft: &Draft, asker: Asker<'_>, spent: Usage) -> Result<Usage, Unusable> {
    let start = (draft.spans[0].start - passage.span.start) as usize;
    let sentence = &passage.text[start..start + (draft.spans[0].end - draft.spans[0].start) as usize];
    let (question, sentence) = (quoted(&draft.question), quoted(sentence));
    let values = [("question", question.as_str()), ("sentence", &sentence), ("title", &passage.title)];
    let schema = structured::object(&json!({"answers": {"type": "boolean"}}));
    let check = |answer: &Value| {
        let wrong = || Reason::from(FormError::NotTruth { field: "answers".to_owned() });
        answer["answers"].as_bool().ok_or_else(wrong)
    };
    let total =
        |usage: Usage| Usage { prompt: spent.prompt + usage.prompt, completion: spent.completion + usage.completion };
    match structured::ask(asker, asked(asker, passage, "questions.check", &values, schema), &check, &|| false) {
        Ok(checked) if checked.value => Ok(total(checked.usage)),
        Ok(checked) => {
            let reason = DraftError::NotAnswered { question: draft.question.clone() }.into();
            let why = structured::UnusableAnswer::Wrong { model: asker.generator.identity().to_owned(), reason };
            Err(Unusable { why, usage: total(checked.usage) })
        }
        Err(unusable) => Err(Unusable { usage: total(unusable.usage), ..unusable }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use okno::Engine;
    use okno::generate::Prompts;
    use okno::generate::scripted::Scripted;

    const TEA: &str = "# Tea room manual\n\nThe samovar was bought second-hand in Tula. It keeps forty litres of water \
        hot for a whole afternoon. Every Friday after closing it is cleaned with citric acid, because vinegar attacks \
        the seals.\n";

    fn made(says: &[&str]) -> ByModel {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("d")).unwrap();
        std::fs::write(folder.path().join("d/tea.md"), TEA).unwrap();
        let engine = Engine::create(folder.path().join("index")).unwrap();
        engine.index(&[folder.path().join("d")]).unwrap();
        let (model, prompts) = (Scripted::saying(says), Prompts::default());
        let asker = Asker { generator: &model, prompts: &prompts };
        questions_by_model(&*engine.snapshot().unwrap(), asker, 5, 1, &|| {}).unwrap()
    }

    const GOLD: &str = "It keeps forty litres of water hot for a whole afternoon.";
    const GOOD: &str = r#"{"question": "What is the capacity of the urn?",
        "sentence": "It keeps forty litres of water hot for a whole afternoon.", "kind": "fact"}"#;

    #[test]
    fn a_question_comes_with_an_exact_span() {
        let found = made(&[GOOD, r#"{"answers": true}"#]);
        let question = &found.made[0];
        let text: String = TEA.chars().skip(question.start).take(question.end - question.start).collect();
        assert_eq!((text.as_str(), question.answers[0].as_str(), question.kind), (GOLD, GOLD, QuestionKind::Fact));
        assert_eq!((found.usage.prompt, question.lang), (20, "en"));
    }

    #[test]
    fn a_sentence_that_is_not_there_is_repaired_or_reported() {
        let wrong = r#"{"question": "What is its capacity?", "sentence": "It holds 40 litres.", "kind": "fact"}"#;
        assert_eq!(made(&[wrong, GOOD, r#"{"answers": true}"#]).made.len(), 1);
        let found = made(&[wrong, wrong]);
        assert!(found.made.is_empty() && found.failed[0].reason.to_string().contains("word for word"), "{found:?}");
    }

    #[test]
    fn a_question_that_its_sentence_does_not_answer_is_dropped() {
        let found = made(&[GOOD, r#"{"answers": false}"#]);
        assert!(found.made.is_empty() && found.failed[0].reason.to_string().contains("does not answer"), "{found:?}");
    }
}
