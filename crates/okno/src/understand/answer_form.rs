//! What an answer must look like, read from how a question is put: a sentence that says what something is, steps, a
//! list or a figure.
//!
//! The phrases are data. `…` in one stands for what is asked about; a phrase without it may stand anywhere.
//!
//! Tried the same way and left out: sentences with any figure for "how many", and the lines of a list – not the line
//! that leads into it – for "which", move no set of `benches/quality.py`, `benches/parts.py` or `benches/natural.py` by
//! more than one question either way. A figure with the unit that is asked for does ([`AskedFigure`]).

use super::figure::AskedFigure;
use crate::text::terms::folded;

/// What an answer looks like.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnswerForm {
    /// A sentence that says what this is.
    Definition(String),
    /// Numbered lines, or something to type.
    Steps,
    /// Several things.
    List,
    /// A number of this kind.
    Figure(AskedFigure),
}

/// Whole questions that ask what something is; the first that fits counts.
const DEFINITIONS: &str = "…是什么意思|…是什么|…什么意思|…是干什么用的|…是干什么的|…是做什么用的|…是做什么的|…是干嘛的|\
    …有什么用|…有什么作用|…指的是什么|…是指什么|…指什么|什么是…|什么叫…|何谓…|解释一下…|…的定义|…的含义|\
    what is … used for|what is … for|what does … mean|what does … do|what do … do|what is the meaning of …|\
    what is the definition of …|what is …|what's …|what are …|whats …|define …|explain …|meaning of …";

/// Words that ask how something is done.
const STEPS: &str = "怎么做|怎么弄|怎样做|如何|步骤|how do i|how to|how can i|how do you|how should i|steps to";

/// Words that ask for several things.
const LISTS: &str = "有哪|哪些|哪几|几种|几类|what are the|which |what kinds|what types|list of|list all";

/// What is longer is more than a name: words of ASCII, characters of other scripts.
const MOST_WORDS: usize = 3;
const MOST_CHARACTERS: usize = 8;

impl AnswerForm {
    /// The form that a question asks for, where it can be told.
    pub fn of(question: &str) -> Option<Self> {
        let question = folded(question.trim().trim_end_matches(['?', '？', '。', '.', '!', '！', ' ']));
        let says = |phrases: &str| phrases.split('|').any(|phrase| question.contains(phrase));
        if says(STEPS) {
            return Some(Self::Steps);
        }
        if let Some(figure) = AskedFigure::asked_by(&question) {
            return Some(Self::Figure(figure));
        }
        let defined = DEFINITIONS.split('|').find_map(|phrase| subject(&question, phrase)).map(Self::Definition);
        let listed = defined.or_else(|| says(LISTS).then_some(Self::List));
        listed.or_else(|| AskedFigure::counted_by(&question).map(Self::Figure))
    }

    /// Its name for programs.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Definition(_) => "definition",
            Self::Steps => "steps",
            Self::List => "list",
            Self::Figure(figure) => figure.name(),
        }
    }
}

/// What a question asks about, if it is this phrase around something short.
fn subject(question: &str, phrase: &str) -> Option<String> {
    let (before, after) = phrase.split_once('…')?;
    let inner = question.strip_prefix(before)?.strip_suffix(after)?.trim();
    let quoted = inner.split(['“', '”', '"', '「', '」', '《', '》', '\'', '`']).nth(1).filter(|text| !text.is_empty());
    let last = || inner.rsplit('的').next().unwrap_or(inner);
    let named = quoted.unwrap_or_else(last).trim();
    let bare = without_article(named);
    let short = if bare.is_ascii() {
        bare.split(' ').count() <= MOST_WORDS && !bare.contains(" of ")
    } else {
        bare.chars().count() <= MOST_CHARACTERS
    };
    (short && !bare.is_empty()).then(|| bare.to_owned())
}

/// Words without the article they begin with.
pub(crate) fn without_article(words: &str) -> &str {
    ["a ", "an ", "the "].iter().find_map(|article| words.strip_prefix(article)).unwrap_or(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_is_read_from_how_it_is_asked() {
        let definition = |subject: &str| Some(AnswerForm::Definition(subject.to_owned()));
        for (question, form) in [
            ("What is a DaemonSet?", definition("daemonset")),
            ("What is an init container used for?", definition("init container")),
            ("Kubernetes 的 Finalizer 是干什么用的", definition("finalizer")),
            ("烹饪里说的“焗”是什么意思？", definition("焗")),
            ("什么是污点", definition("污点")),
            ("What is the FY2018 capital expenditure of 3M?", None),
            ("How many people died?", AskedFigure::counted_by("how many people").map(AnswerForm::Figure)),
            ("烤鱼的具体操作步骤是什么？", Some(AnswerForm::Steps)),
            ("宫保鸡丁怎么做？", Some(AnswerForm::Steps)),
            ("How do I roll back a deployment?", Some(AnswerForm::Steps)),
            ("哪些食物吃了可能会中毒？", Some(AnswerForm::List)),
            ("Service 有哪几种类型", Some(AnswerForm::List)),
            ("What are the criteria for the Guaranteed class?", Some(AnswerForm::List)),
            ("Who is Roy Berry?", None),
        ] {
            assert_eq!(AnswerForm::of(question), form, "{question}");
        }
    }
}
