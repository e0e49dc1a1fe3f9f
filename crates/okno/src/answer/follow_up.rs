//! A follow-up made a whole question: "and how many can I carry over?" after "How many days of annual leave do I get?"
//! is asked with "days of annual leave".
//!
//! By the language model where there is one; else by rule: what a question points at without naming it is carried over
//! from the turns before. A question that stands by itself stays as it is, and whoever asks is told what was made of
//! it.

use crate::generate::structured::{self, text};
use crate::generate::{Asker, Language, Request, messages, quoted};
use crate::message::Reason;
use crate::understand::model::StepError;
use okno_document::text::script::is_han;
use regex::Regex;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::LazyLock;

/// A question that was asked, and what was said to it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Turn {
    /// The question as it was typed.
    pub question: String,
    /// The answer; may be empty.
    #[serde(default)]
    pub answer: String,
}

/// What a question is asked as.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct WholeQuestion {
    /// The question as it was typed.
    pub asked: String,
    /// The whole question; the same where it stands by itself.
    pub question: String,
    /// Who made it whole.
    pub by: MadeWholeBy,
}

/// Who makes a follow-up a whole question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum MadeWholeBy {
    /// Nobody: it stands by itself.
    Nobody,
    /// Rules.
    Rule,
    /// The language model.
    Model,
}

/// Turns that are looked at; what was said before is another subject.
const TURNS: usize = 6;

/// Characters of a question and of an answer before that the model is shown; a longer text is not a question.
const LONGEST_QUESTION: usize = 500;
const SHOWN_ANSWER: usize = 500;

/// Characters of a subject that are carried over at most.
const LONGEST_SUBJECT: usize = 80;

/// Makes a question whole with the turns before it, the latest last.
pub fn whole_question(typed: &str, turns: &[Turn], asker: Option<Asker<'_>>) -> WholeQuestion {
    let turns = &turns[turns.len().saturating_sub(TURNS)..];
    let made = |question: String, by| {
        let by = if question.trim() == typed.trim() { MadeWholeBy::Nobody } else { by };
        WholeQuestion { asked: typed.to_owned(), question, by }
    };
    if turns.is_empty() {
        return made(typed.to_owned(), MadeWholeBy::Nobody);
    }
    match asker.and_then(|asker| by_model(typed, turns, asker)) {
        Some(question) => made(question, MadeWholeBy::Model),
        None => made(joined(typed, &subject(turns)), MadeWholeBy::Rule),
    }
}

/// What the model makes of it; `None` where it gives nothing usable.
fn by_model(typed: &str, turns: &[Turn], asker: Asker<'_>) -> Option<String> {
    let said = |turn: &Turn| {
        let first = |text: &str, most: usize| text.chars().take(most).collect::<String>();
        format!("Q: {}\nA: {}", first(&turn.question, LONGEST_QUESTION), first(&turn.answer, SHOWN_ANSWER))
    };
    let before = turns.iter().map(said).collect::<Vec<_>>().join("\n");
    let (before, question) = (quoted(&before), quoted(typed));
    let values = [("conversation", before.as_str()), ("question", question.as_str())];
    let messages = messages(asker.prompts, Language::of(typed), "ask.follow-up", &values);
    let schema = structured::object(&json!({"question": {"type": "string"}}));
    let request = Request { temperature: Some(0.0), schema: Some(schema), ..Request::new(messages) };
    let check = |answer: &Value| {
        let made = text(answer, "question")?;
        let length = made.chars().count();
        match () {
            () if length > LONGEST_QUESTION => {
                Err(Reason::from(StepError::LongText { length, most: LONGEST_QUESTION }))
            }
            () if !made.chars().any(char::is_alphanumeric) => Err(StepError::NoWords { text: made }.into()),
            () => Ok(made),
        }
    };
    structured::ask(asker, request, &check, &|| false).ok().map(|answer| answer.value)
}

/// What the turns are about: what the latest one names, or what it carried over itself.
fn subject(turns: &[Turn]) -> String {
    turns.iter().fold(String::new(), |subject, turn| {
        if joined(&turn.question, &subject) == turn.question { subject_of(&turn.question) } else { subject }
    })
}

macro_rules! pattern {
    ($name:ident = $pattern:literal) => {
        // The patterns are constants; the tests use each.
        static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($pattern).expect("a pattern"));
    };
}

pattern!(JOINS = r"(?i)^(?:and|but|so|then|also|or|ok|okay)\b[\s,]*");
pattern!(
    POINTS = r"(?i)\b(?:it|its|they|them|their|theirs|those|these|he|she|him|her|his)\b|\b(?:this|that)\s*(?:[?.!,]|$)"
);
pattern!(ABOUT = r"(?i)^(?:what|how) about\b");
pattern!(NAMED = r"(?i)\b(?:it|them|they)\b");
// "How do I start …": what is done is asked anew, what it is done to stays.
pattern!(
    DOING = r"(?ix)^(?:how|when|where|why|what)\s+(?:do|does|did|can|could|should|must|may|would|will)\s+
        (?:i|we|you|one|they|people|somebody|someone)\s+[a-z-]+\s+"
);
// "How hot should …", "What is …".
pattern!(
    ASKING = r"(?ix)^(?:how|what|which|when|where|why|who)(?:\s+[a-z]+)?\s+
        (?:do|does|did|is|are|was|were|can|could|should|must|may|would|will|has|have)\s+"
);
pattern!(LEAD_ZH = r"^(?:请问|我想知道|我想问|想问一下|麻烦问下|那么|那|然后|还有|另外|再问一下)[，,\s]*");
pattern!(JOINS_ZH = r"^(?:那么|那|还有|另外|然后|如果|要是|再)");
pattern!(POINTS_ZH = r"它们|他们|她们|它|这个|那个|这些|那些|上述|其中");
pattern!(NAMED_ZH = r"它们|它|这个|那个");
pattern!(ENDS_ZH = r"呢[？?。!！]*$");
pattern!(
    ASKS_ZH = r"是否|是不是|有没有|需不需要|能不能|可不可以|需要|应该|可以|怎么|怎样|怎么样|如何|多少|多久|多长|多大|多热|什么|哪|为什么|为何|几|要|是|有|能|会|该|吗|呢|在"
);

/// Words of English that are no subject.
const NO_SUBJECT: &str = "a an the and or but so then also of to in on at by for from with about into over after \
    before as than how what when where who whom whose why which many much long often far old big soon do does did is \
    are was were be been being am has have had can could should would will shall may might must need i you we they he \
    she it me us them him her my your our their his its this that these those there here one ones get gets got give \
    gives take takes please tell say know want any some if not no yes";

fn is_chinese(text: &str) -> bool {
    text.contains(is_han)
}

/// A question with the subject that it points at; the question itself where it stands by itself.
fn joined(asked: &str, subject: &str) -> String {
    let chinese = is_chinese(asked);
    let follows = if chinese {
        JOINS_ZH.is_match(asked) || POINTS_ZH.is_match(asked) || ENDS_ZH.is_match(asked)
    } else {
        JOINS.is_match(asked) || ABOUT.is_match(asked) || POINTS.is_match(asked)
    };
    if subject.is_empty() || !follows || asked.to_lowercase().contains(&subject.to_lowercase()) {
        return asked.to_owned();
    }
    let (lead, named) = if chinese { (&LEAD_ZH, &NAMED_ZH) } else { (&JOINS, &NAMED) };
    let rest = lead.replace(asked, "");
    if named.is_match(&rest) {
        return named.replace(&rest, regex::NoExpand(subject)).into_owned();
    }
    if chinese {
        return format!("{subject}，{rest}");
    }
    format!("{} – {subject}?", rest.trim_end_matches(['?', '.', '!', ' ']))
}

/// What a question is about; empty where that cannot be told.
fn subject_of(question: &str) -> String {
    let question = question.trim().trim_end_matches(['?', '.', '!', '？', '。', '！']);
    let subject = if is_chinese(question) { chinese_subject(question) } else { english_subject(question) };
    if subject.chars().count() <= LONGEST_SUBJECT { subject.to_owned() } else { String::new() }
}

/// From the first to the last word that says something.
fn english_subject(question: &str) -> &str {
    let done = DOING.find(question).map(|found| &question[found.end()..]);
    let question = done.filter(|rest| rest.trim().chars().nth(1).is_some()).unwrap_or(question);
    let question = ASKING.find(question).map_or(question, |found| &question[found.end()..]);
    let tells = |word: &str| {
        let bare: String =
            word.to_lowercase().chars().take_while(|&c| c != '\'').filter(|c| c.is_alphanumeric()).collect();
        !bare.is_empty() && !NO_SUBJECT.split_whitespace().any(|other| other == bare)
    };
    let place = |word: &str| word.as_ptr() as usize - question.as_ptr() as usize;
    let mut telling = question.split_whitespace().filter(|word| tells(word));
    let Some(first) = telling.next() else { return "" };
    let last = telling.next_back().unwrap_or(first);
    question[place(first)..place(last) + last.len()].trim_end_matches([',', ';', ':'])
}

/// What stands before the words that ask; where they come first, what stands after them.
fn chinese_subject(question: &str) -> &str {
    let said = LEAD_ZH.find(question).map_or(question, |found| &question[found.end()..]);
    let Some(asks) = ASKS_ZH.find(said) else { return said };
    let before = said[..asks.start()].trim_end_matches(['，', ',', '的', ' ']);
    if before.chars().nth(1).is_some() {
        return before;
    }
    said[asks.end()..].trim_start_matches(['，', ',', ' '])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Prompts;
    use crate::generate::scripted::Scripted;

    fn turns(questions: &[&str]) -> Vec<Turn> {
        questions.iter().map(|&question| Turn { question: question.to_owned(), answer: "…".to_owned() }).collect()
    }

    #[test]
    fn what_is_pointed_at_is_carried_over() {
        for (before, asked, wanted) in [
            (
                "How many days of annual leave do I get?",
                "and how many can I carry over?",
                "how many can I carry over – days of annual leave?",
            ),
            ("How do I start a rolling update?", "and how do I pause it?", "how do I pause rolling update?"),
            (
                "How hot should water for black tea be?",
                "what about green tea?",
                "what about green tea – water for black tea?",
            ),
            ("宫保鸡丁怎么做？", "那需要多长时间呢？", "宫保鸡丁，需要多长时间呢？"),
            ("年假有多少天？", "它可以结转吗？", "年假可以结转吗？"),
            ("How do I start the QX-250 logger?", "And how do I pause it?", "how do I pause QX-250 logger?"),
            ("番茄蛋花汤要几个鸡蛋？", "那要煮多久？", "番茄蛋花汤，要煮多久？"),
            ("如何申请年假？", "那要提前几天？", "申请年假，要提前几天？"),
        ] {
            let made = whole_question(asked, &turns(&[before]), None);
            assert_eq!((made.question.as_str(), made.by), (wanted, MadeWholeBy::Rule));
        }
    }

    #[test]
    fn a_subject_lasts_until_another_is_named() {
        let made = whole_question("它贵吗？", &turns(&["宫保鸡丁怎么做？", "那要多久呢？"]), None);
        assert_eq!(made.question, "宫保鸡丁贵吗？");
        let made = whole_question("它贵吗？", &turns(&["宫保鸡丁怎么做？", "红烧肉怎么做？"]), None);
        assert_eq!(made.question, "红烧肉贵吗？");
    }

    #[test]
    fn a_question_that_stands_by_itself_stays() {
        let before = turns(&["How do I start a rolling update?"]);
        for asked in ["How many pods fit on a node?", "红烧肉怎么做？", "Is a rolling update better than it was?", ""]
        {
            let made = whole_question(asked, &before, None);
            assert_eq!((made.question.as_str(), made.by), (asked, MadeWholeBy::Nobody));
        }
        assert_eq!(whole_question("and why?", &[], None).by, MadeWholeBy::Nobody);
    }

    #[test]
    fn the_model_makes_it_whole_and_the_rule_where_it_does_not() {
        let prompts = Prompts::default();
        let before = turns(&["How do I start a rolling update?"]);
        let model = Scripted::saying(&[r#"{"question": "How do I pause a rolling update?"}"#]);
        let asker = Some(Asker { generator: &model, prompts: &prompts });
        let made = whole_question("and pause it?", &before, asker);
        assert_eq!((made.question.as_str(), made.by), ("How do I pause a rolling update?", MadeWholeBy::Model));
        let model = Scripted::saying(&["no", r#"{"question": "?"}"#]);
        let asker = Some(Asker { generator: &model, prompts: &prompts });
        let made = whole_question("and how do I pause it?", &before, asker);
        assert_eq!((made.question.as_str(), made.by), ("how do I pause rolling update?", MadeWholeBy::Rule));
    }

    proptest::proptest! {
        #[test]
        fn any_words_are_taken(
            asked in "(and |it|它|那|呢|what about |\\$1|[a-z？，。 \u{4e00}-\u{4e20}]){0,12}",
            before in "\\PC{0,40}"
        ) {
            let made = whole_question(&asked, &turns(&[&before]), None);
            proptest::prop_assert!(made.by != MadeWholeBy::Model);
        }
    }
}
