//! Drafts: what the shape of a text lets us ask.

use super::QuestionKind;
use super::words::{SentenceFrequencies, is_chinese, key_phrase, key_words};
use okno::document::{Record, Span, Structure};
use std::ops::Range;

/// A question with its gold, before it is checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    pub question: String,
    pub kind: QuestionKind,
    /// How surely the gold answers: 0 where the text itself asks, lists or defines, 1 for a figure, 2 for key words.
    pub doubt: u8,
    /// The gold spans, in bytes, in order.
    pub spans: Vec<Span>,
}

/// A document to ask about.
pub struct DraftDocument<'a> {
    pub record: &'a Record,
    pub structure: &'a Structure,
    pub text: &'a str,
    pub corpus: &'a SentenceFrequencies,
}

/// Sentences that may answer: shorter ones say nothing, longer ones are not one statement.
const LENGTH: Range<usize> = 24..400;

/// A list has at least this many items; with more than this it is a table of contents or a glossary.
const ITEMS: std::ops::RangeInclusive<usize> = 3..=12;

/// All drafts of a document.
pub fn drafts(page: &DraftDocument<'_>) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for section in 0..page.structure.sections.len() {
        drafts.extend(asked_by_heading(page, section));
        drafts.extend(listed(page, section));
        drafts.extend(broad(page, section));
    }
    for at in 0..page.structure.sentences.len() {
        if !page.structure.sentences[at].heading {
            drafts.extend(definition(page, at).or_else(|| figure(page, at)).or_else(|| key(page, at)));
        }
    }
    drafts.retain(|draft| is_plain(&draft.question) && draft.spans.iter().all(|span| ends(span.of(page.text))));
    drafts
}

/// Whether a question is what a person would type: no template code, markup or addresses.
fn is_plain(question: &str) -> bool {
    !question.contains(['{', '}', '<', '>', '[', ']', '|', '\\', '`', '*', '_', '$', '=']) && !question.contains("://")
}

/// Whether an answer ends, and does not lead in something else.
fn ends(answer: &str) -> bool {
    !answer.trim_end().ends_with([':', '：']) && !answer.contains("{{")
}

impl<'a> DraftDocument<'a> {
    fn sentence(&self, at: usize) -> &'a str {
        self.structure.sentences[at].span.of(self.text)
    }

    /// The innermost heading above a section's text.
    fn heading(&self, section: usize) -> Option<&'a str> {
        let heading = self.structure.sections[section].path.last()?.of(self.text).trim();
        (!heading.is_empty() && heading != self.record.title).then_some(heading)
    }

    /// The sentences of a section that are no heading.
    fn body(&self, section: usize) -> Range<usize> {
        let sections = &self.structure.sections;
        let first = sections[section].first as usize;
        let end = sections.get(section + 1).map_or(self.structure.sentences.len(), |next| next.first as usize);
        let heading = usize::from(self.structure.sentences.get(first).is_some_and(|sentence| sentence.heading));
        (first + heading).min(end)..end
    }

    /// What the document is called, where it has a title.
    fn title(&self) -> Option<&'a str> {
        let title = self.record.title.trim();
        (!title.is_empty() && title.chars().count() <= 60).then_some(title)
    }
}

/// A heading that is a question is answered by the first sentences below it.
fn asked_by_heading(page: &DraftDocument<'_>, section: usize) -> Option<Draft> {
    let question = page.heading(section).filter(|heading| heading.ends_with(['?', '？'])).map(unnumbered)?;
    stands_alone(question, page.corpus).then_some(())?;
    let body = page.body(section);
    let first = page.structure.paragraph(body.clone().next()?);
    let answer = page.structure.span(body.start..first.end.min(body.end).min(body.start + 2));
    Some(Draft { question: question.to_owned(), kind: QuestionKind::Fact, doubt: 0, spans: vec![answer] })
}

/// A heading without its number: `3.2 Range` is about `Range`, `14 February` stays what it is.
fn unnumbered(heading: &str) -> &str {
    let number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '、' | ')' | '）');
    let rest = heading.trim_start_matches(number);
    let cut = &heading[..heading.len() - rest.len()];
    if cut.ends_with(|c: char| c.is_ascii_digit()) && !cut.contains('.') { heading } else { rest.trim_start() }
}

/// `Where do I send it?` asks nothing by itself: a question names at least two things, or six Chinese characters.
fn stands_alone(question: &str, corpus: &SentenceFrequencies) -> bool {
    if is_chinese(question) { question.chars().count() >= 6 } else { key_words(question, 2, corpus).len() == 2 }
}

fn is_item(text: &str) -> bool {
    let digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = digits.len() < text.len() && text.len() - digits.len() < 4 && digits.starts_with(['.', ')', '、']);
    numbered || text.starts_with(['-', '*', '•', '·', '–'])
}

/// Items that follow each other below a heading.
fn listed(page: &DraftDocument<'_>, section: usize) -> Option<Draft> {
    let heading = unnumbered(page.heading(section)?);
    let items: Vec<usize> = page.body(section).filter(|&at| starts_item(page, at)).collect();
    if !ITEMS.contains(&items.len()) || heading.ends_with(['?', '？']) || heading.is_empty() {
        return None;
    }
    let question = match (is_chinese(heading), page.title()) {
        (false, _) if heading.to_lowercase().starts_with("how to ") => format!("{heading}?"),
        (true, Some(title)) => format!("《{title}》在“{heading}”中列出了哪几项？"),
        (true, None) => format!("“{heading}”列出了哪几项？"),
        (false, Some(title)) => format!("Which items does “{title}” list for {}?", lowered(heading)),
        (false, None) => format!("Which items are listed for {}?", lowered(heading)),
    };
    let spans = items.into_iter().map(|at| page.structure.sentences[at].span).collect();
    Some(Draft { question, kind: QuestionKind::List, doubt: 0, spans })
}

/// Whether a sentence is the first of a list item: its mark stands before it, in or outside the sentence.
fn starts_item(page: &DraftDocument<'_>, at: usize) -> bool {
    let span = page.structure.sentences[at].span;
    let line = page.text[..span.start as usize].rfind('\n').map_or(0, |newline| newline + 1);
    is_item(page.text[line..span.end as usize].trim_start()) && page.text[line..span.start as usize].trim().len() < 4
}

/// What a section says, by its heading.
fn broad(page: &DraftDocument<'_>, section: usize) -> Option<Draft> {
    let heading = unnumbered(page.heading(section)?);
    let body = page.body(section);
    if body.len() < 3 || heading.ends_with(['?', '？']) || heading.chars().count() < 2 || starts_item(page, body.start)
    {
        return None;
    }
    let paragraph = page.structure.paragraph(body.start);
    let answer = page.structure.span(body.start..paragraph.end.min(body.end).min(body.start + 3));
    let question = match (is_chinese(heading), page.title()) {
        (true, Some(title)) => format!("《{title}》关于“{heading}”是怎么说的？"),
        (true, None) => format!("关于“{heading}”，文中是怎么说的？"),
        (false, Some(title)) => format!("What does “{title}” say about {}?", lowered(heading)),
        (false, None) => format!("What is said about {}?", lowered(heading)),
    };
    Some(Draft { question, kind: QuestionKind::Broad, doubt: 0, spans: vec![answer] })
}

/// `Spare parts` inside a question is `spare parts`; `QX-250` stays.
fn lowered(heading: &str) -> String {
    let mut characters = heading.chars();
    match (characters.next(), characters.next()) {
        (Some(first), Some(second)) if second.is_lowercase() => {
            first.to_lowercase().chain(heading.chars().skip(1)).collect()
        }
        _ => heading.to_owned(),
    }
}

fn fact(question: String, doubt: u8, span: Span) -> Draft {
    Draft { question, kind: QuestionKind::Fact, doubt, spans: vec![span] }
}

/// Words that begin no definition.
const POINTING: &[&str] = &[
    "it", "this", "that", "he", "she", "they", "there", "we", "i", "you", "these", "those", "here", "what", "which",
    "who", "its", "his", "her", "their", "our", "my", "one", "another", "all", "none", "nothing", "and", "but", "so",
    "if", "when", "while", "of", "in", "on", "at", "for", "with", "from", "by", "to", "as", "after", "before", "under",
    "during", "since", "although", "because", "however", "also", "then", "thus", "each", "every", "some", "any",
    "many", "most", "both", "either", "neither", "such", "other", "only", "no", "not", "first", "second", "finally",
    "where",
];

/// Words that tell which one by where it stands.
const ELSEWHERE: &[&str] = &["above", "below", "following", "previous", "next", "same", "existing", "new", "example"];

/// `X is a …`, `X是一种……`: what is X?
fn definition(page: &DraftDocument<'_>, at: usize) -> Option<Draft> {
    let span = page.structure.sentences[at].span;
    let sentence = page.sentence(at);
    if !LENGTH.contains(&sentence.len()) || is_item(sentence) {
        return None;
    }
    if is_chinese(sentence) {
        let subject = chinese_subject(sentence)?;
        return Some(fact(format!("什么是{subject}？"), 0, span));
    }
    let (subject, verb) = english_subject(sentence)?;
    Some(fact(format!("What {verb} {}?", inside(subject)), 0, span))
}

/// A subject inside of a question: `A Pod` is `a Pod`, names stay.
fn inside(subject: &str) -> String {
    let article = ["The ", "A ", "An "].into_iter().find(|article| subject.starts_with(article));
    article.map_or_else(|| subject.to_owned(), |article| article.to_lowercase() + &subject[article.len()..])
}

fn english_subject(sentence: &str) -> Option<(&str, &'static str)> {
    let forms = [(" is a ", "is"), (" is an ", "is"), (" is the ", "is"), (" refers to ", "is"), (" are ", "are")];
    let (place, verb) = forms.iter().filter_map(|&(form, verb)| Some((sentence.find(form)?, verb))).min()?;
    let subject = &sentence[..place];
    let words: Vec<&str> = subject.split(' ').collect();
    let plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '\'' | '’');
    let elsewhere = words.iter().any(|word| ELSEWHERE.contains(&word.to_lowercase().as_str()));
    let named = words.len() <= 5 && subject.len() >= 3 && subject.chars().all(plain) && !elsewhere;
    let begins = words[0].starts_with(char::is_uppercase) && !POINTING.contains(&words[0].to_lowercase().as_str());
    // Plurals define only as `Xs are …` with one or two words; anything longer states something about them.
    (named && begins && (verb == "is" || words.len() <= 2)).then_some((subject, verb))
}

fn chinese_subject(sentence: &str) -> Option<&str> {
    let forms = ["是一种", "是一款", "是一个", "是一项", "是一座", "是一类", "是指", "指的是"];
    let place = forms.iter().filter_map(|form| sentence.find(form)).min()?;
    let subject = sentence[..place].trim_start_matches("所谓").trim_matches(['“', '”', '"', '「', '」', '《', '》']);
    let plain = subject.chars().all(|c| c.is_alphanumeric() || c == '-');
    let pointing = ['这', '那', '它', '他', '她', '我', '你', '其', '该', '此', '本', '但', '而'];
    (plain && (2..=12).contains(&subject.chars().count()) && !subject.starts_with(pointing)).then_some(subject)
}

/// A sentence with a figure and a unit: how many?
fn figure(page: &DraftDocument<'_>, at: usize) -> Option<Draft> {
    let span = page.structure.sentences[at].span;
    let sentence = page.sentence(at);
    if !LENGTH.contains(&sentence.len()) || is_item(sentence) || sentence.contains('|') {
        return None;
    }
    if is_chinese(sentence) {
        let unit = chinese_unit(sentence)?;
        let phrase = key_phrase(sentence, page.corpus)?;
        return Some(fact(within(page, &format!("{phrase}是多少{unit}？"), true), 1, span));
    }
    let question = english_figure(sentence)?;
    Some(fact(within(page, &question, false), 1, span))
}

/// Verbs that stand between a thing and its figure, with the form that asks.
const HAVING: [(&str, &str); 16] = [
    (" has ", "have"),
    (" have ", "have"),
    (" had ", "have"),
    (" needs ", "need"),
    (" need ", "need"),
    (" takes ", "take"),
    (" take ", "take"),
    (" took ", "take"),
    (" contains ", "contain"),
    (" contain ", "contain"),
    (" includes ", "include"),
    (" supports ", "support"),
    (" holds ", "hold"),
    (" lasts ", "last"),
    (" costs ", "cost"),
    (" covers ", "cover"),
];

/// `The boiler room needs 45 minutes of …`: how many minutes does the boiler room need?
fn english_figure(sentence: &str) -> Option<String> {
    let (place, verb, asking) =
        HAVING.iter().filter_map(|(verb, asking)| Some((sentence.find(verb)?, *verb, *asking))).min()?;
    let (subject, rest) = (&sentence[..place], &sentence[place + verb.len()..]);
    let words: Vec<&str> = rest.split(' ').take(4).collect();
    let at = words.iter().position(|word| word.chars().all(|c| c.is_ascii_digit()))?;
    let unit = words.get(at + 1)?.trim_end_matches([',', '.', ';']);
    let about = words[..at].iter().all(|word| ["about", "at", "least", "up", "to", "over", "only"].contains(word));
    let plural = unit.len() > 3 && unit.ends_with('s') && unit.chars().all(|c| c.is_ascii_lowercase());
    let first = subject.split(' ').next()?;
    let named = (1..=5).contains(&subject.split(' ').count())
        && first.starts_with(char::is_uppercase)
        && !POINTING.contains(&first.to_lowercase().as_str());
    let does = match (verb.trim(), asking) {
        ("had" | "took", _) => "did",
        (verb, asking) if verb == asking => "do",
        _ => "does",
    };
    (about && plural && named).then(|| format!("how many {unit} {does} {} {asking}?", inside(subject)))
}

/// The unit after a figure: `40 分钟`.
fn chinese_unit(sentence: &str) -> Option<&'static str> {
    const UNITS: &[&str] = &[
        "分钟", "小时", "公里", "千米", "厘米", "毫米", "公斤", "毫升", "万元", "亿元", "个月", "米", "克", "吨", "元",
        "天", "年", "人", "次", "度",
    ];
    let mut rest = sentence;
    while let Some(place) = rest.find(|c: char| c.is_ascii_digit()) {
        let after = rest[place..].trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | ' '));
        let unit = UNITS.iter().find(|unit| after.starts_with(**unit));
        // `2023 年` is a date, not a figure.
        let year = unit == Some(&"年") && rest[place..].starts_with(['1', '2']);
        if let Some(unit) = unit.filter(|_| !year) {
            return Some(unit);
        }
        rest = after;
    }
    None
}

/// A sentence that tells a lot, asked for by its rarest words.
fn key(page: &DraftDocument<'_>, at: usize) -> Option<Draft> {
    let span = page.structure.sentences[at].span;
    let sentence = page.sentence(at);
    if !(LENGTH.start * 2..LENGTH.end).contains(&sentence.len())
        || sentence.contains('|')
        || sentence.ends_with(['?', '？', ':', '：'])
    {
        return None;
    }
    if is_chinese(sentence) {
        let phrase = key_phrase(sentence, page.corpus)?;
        let title = page.title().filter(|title| is_chinese(title) && !title.contains(phrase));
        return Some(fact([title.unwrap_or_default(), phrase].join(" ").trim().to_owned(), 2, span));
    }
    // As people type into a search box: what it is about, and the rarest words.
    let words = key_words(sentence, 3, page.corpus);
    let title = page.title().filter(|title| !is_chinese(title));
    (words.len() == 3).then_some(())?;
    let new =
        words.into_iter().filter(|word| title.is_none_or(|title| !title.to_lowercase().contains(&word.to_lowercase())));
    let query: Vec<&str> = title.into_iter().chain(new).collect();
    Some(fact(query.join(" "), 2, span))
}

/// A question that names its document, where that has a title in the same language.
fn within(page: &DraftDocument<'_>, question: &str, chinese: bool) -> String {
    match page.title().filter(|title| is_chinese(title) == chinese) {
        Some(title) if chinese => format!("在《{title}》中，{question}"),
        Some(title) => format!("In “{title}”, {question}"),
        None if chinese => question.to_owned(),
        None => question[..1].to_uppercase() + &question[1..],
    }
}
