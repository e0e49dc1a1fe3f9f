//! A reply: contexts and a question go in, checked text with citations comes out, piece by piece.
//!
//! ```text
//! contexts → prompt → model → "not in the documents"? → checked (citations, containment) → reader
//!                                                                   ↓
//!                                         each citation → the sentences that support it
//! ```
//!
//! Without a model the passages answer for themselves.

use super::checked::{CheckedText, CitationMark};
use super::extract;
use super::prompt::{self, NOT_FOUND, Pictures, Showing};
use super::support::{statement, supporting};
use crate::document::{CodePoints, Span};
use crate::generate::{Completion, GenerateError, Generator, Request, Usage, asked};
use crate::generate::{Language, Prompts};
use crate::retrieve::{QueryWriter, RowAnswer};
use crate::{Answer, Context, Result};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// How a reply is made.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct ReplyOptions<'a> {
    /// The prompts.
    pub prompts: Prompts,
    /// 0 for the likeliest words; the model's own setting when `None`.
    pub temperature: Option<f32>,
    /// Tokens of the answer, at most.
    pub max_tokens: Option<usize>,
    /// Fields of metadata that a model does not see.
    pub hidden: BTreeSet<String>,
    /// The pictures of a context, for a model that looks at some.
    pub pictures: Option<&'a Pictures<'a>>,
    /// The language of prompts; that of the question when `None`.
    pub language: Option<Language>,
}

/// What happens while a reply is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A further piece of checked text.
    Text(&'a str),
}

/// An answer in words.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Reply {
    /// The text, with citations as `[1]`.
    pub text: String,
    /// One for every citation in the text, in order.
    pub citations: Vec<Citation>,
    /// Citations that pointed to nothing and were removed.
    pub removed: usize,
    /// Links, images and tags that were taken apart.
    pub contained: usize,
    /// Whether the documents hold an answer, as far as can be told.
    pub found: bool,
    /// The model that wrote it; `None` for sentences of the documents themselves.
    pub by: Option<String>,
    /// What it cost.
    pub usage: Usage,
    /// Whether it was cut at the limit of tokens.
    pub cut: bool,
    /// Whether it was answered before and kept.
    pub cached: bool,
    /// Contexts that the model could read, the first of them; fewer than there are when the prompt was too long.
    pub shown: usize,
    /// What was found.
    pub contexts: Answer,
}

/// A citation: the exact place that supports a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Citation {
    /// The number of its context, from 1.
    pub number: usize,
    /// The code point of the text where `[1]` stands.
    pub at: usize,
    /// The document's name.
    pub document: String,
    /// The file it is in, below the indexed folder.
    pub path: String,
    /// The indexed folder or file.
    pub root: String,
    /// The document's title.
    pub title: String,
    /// The headings above the place.
    pub headings: Vec<String>,
    /// The first and last page of the context, for documents that have pages.
    pub pages: Option<(u32, u32)>,
    /// What is printed on these pages, where that says more than their numbers.
    pub page_labels: Option<(String, String)>,
    /// The first and last line, from 1.
    pub lines: (usize, usize),
    /// The first code point of the document's text.
    pub start: usize,
    /// One past the last code point.
    pub end: usize,
    /// Exactly that text.
    pub text: String,
}

/// Answers a question from what was found, telling `on` each piece of text as it is sure; `on` may stop it.
pub fn reply(
    answer: Answer,
    generator: Option<&dyn Generator>,
    options: &ReplyOptions<'_>,
    on: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
) -> Result<Reply> {
    let language = options.language.unwrap_or_else(|| Language::of(&answer.question));
    if answer.rows.is_none() && (answer.contexts.is_empty() || answer.nothing_relevant()) {
        let shown = answer.contexts.len();
        return not_found(answer, shown, language, None, &Completion::default(), on);
    }
    if answer.rows.is_some() {
        return computed(answer, language, on);
    }
    match generator {
        Some(generator) => generated(answer, generator, options, language, on),
        None => extracted(answer, language, on),
    }
}

/// The request that a reply would make.
pub fn request(answer: &Answer, options: &ReplyOptions<'_>) -> Request {
    about(answer, answer.contexts.len(), options)
}

fn about(answer: &Answer, shown: usize, options: &ReplyOptions<'_>) -> Request {
    let language = options.language.unwrap_or_else(|| Language::of(&answer.question));
    let showing = Showing { hidden: &options.hidden, pictures: options.pictures };
    let request = prompt::request(&options.prompts, language, &answer.question, &answer.contexts[..shown], showing);
    Request { temperature: options.temperature, max_tokens: options.max_tokens, ..request }
}

/// The sentence that says that there is nothing: after a model has `read` what was found, or where nothing was found.
fn nothing(language: Language, read: bool) -> &'static str {
    match (language, read) {
        (Language::English, true) => "The documents do not say.",
        (Language::English, false) => "Nothing relevant was found in the documents.",
        (Language::Chinese, true) => "文档中没有说明。",
        (Language::Chinese, false) => "没有在文档中找到相关内容。",
    }
}

fn not_found(
    answer: Answer,
    shown: usize,
    language: Language,
    by: Option<String>,
    completion: &Completion,
    on: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
) -> Result<Reply> {
    let text = nothing(language, by.is_some()).to_owned();
    tell(&text, on)?;
    let &Completion { usage, cut, cached, .. } = completion;
    Ok(Reply {
        text,
        citations: vec![],
        removed: 0,
        contained: 0,
        found: false,
        by,
        usage,
        cut,
        cached,
        shown,
        contexts: answer,
    })
}

fn tell(text: &str, on: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>) -> Result<(), GenerateError> {
    match text {
        "" => Ok(()),
        text if on(Event::Text(text)).is_break() => Err(GenerateError::Stopped),
        _ => Ok(()),
    }
}

/// What the contexts say.
fn extracted(answer: Answer, language: Language, on: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>) -> Result<Reply> {
    let chosen = extract::best(&answer.contexts);
    let (mut text, mut citations) = (String::new(), Vec::new());
    for one in chosen {
        let context = &answer.contexts[one.context];
        text.push_str(&extract::shown(one.span.of(&context.text), language));
        citations.push(citation(one.context + 1, text.chars().count(), context, one.span));
        text.push_str(&format!("[{}]\n", one.context + 1));
    }
    tell(&text, on)?;
    let (found, usage, shown) = (!citations.is_empty(), Usage::default(), answer.contexts.len());
    Ok(Reply {
        text,
        citations,
        removed: 0,
        contained: 0,
        found,
        by: None,
        usage,
        cut: false,
        cached: false,
        shown,
        contexts: answer,
    })
}

/// Rows of an answer that are written out, and contexts that are cited for them.
const ROWS_TOLD: usize = 20;

/// What a query over rows gave, with the query and the rows that it rests on. No model writes this: it could only
/// miscount.
fn computed(answer: Answer, language: Language, on: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>) -> Result<Reply> {
    let (mut text, mut citations) = (String::new(), Vec::new());
    if let Some(rows) = &answer.rows {
        for row in rows.rows.iter().take(ROWS_TOLD) {
            text.push_str(extract::shown(&told_row(&rows.columns, row), language).trim_end());
            text.push('\n');
        }
        text.push_str(&left_out(rows, language));
        let sql = rows.sql.replace('`', "'");
        text.push_str(&match (language, rows.by) {
            (Language::English, QueryWriter::Model) => format!("\nComputed with SQL that the model wrote: `{sql}`"),
            (Language::English, _) => format!("\nComputed with SQL: `{sql}`"),
            (Language::Chinese, QueryWriter::Model) => format!("\n由模型编写的 SQL 计算得出：`{sql}`"),
            (Language::Chinese, _) => format!("\n由 SQL 计算得出：`{sql}`"),
        });
        for (at, context) in answer.contexts.iter().take(rows.contexts.min(ROWS_TOLD)).enumerate() {
            text.push(' ');
            let span = Span { start: 0, end: context.text.len() as u32 };
            citations.push(citation(at + 1, text.chars().count(), context, span));
            text.push_str(&format!("[{}]", at + 1));
        }
        text.push('\n');
    }
    tell(&text, on)?;
    let shown = answer.contexts.len();
    Ok(Reply {
        text,
        citations,
        removed: 0,
        contained: 0,
        found: true,
        by: None,
        usage: Usage::default(),
        cut: false,
        cached: false,
        shown,
        contexts: answer,
    })
}

/// What is not told of the rows: those beyond the first, and those that the index does not hold.
fn left_out(rows: &RowAnswer, language: Language) -> String {
    let mut text = match (rows.beyond(ROWS_TOLD), language) {
        (0, _) if rows.more => "- …\n".to_owned(),
        (0, _) => String::new(),
        (more, Language::English) => format!("- … and {more} more\n"),
        (more, Language::Chinese) => format!("- …… 另有 {more} 行\n"),
    };
    match (rows.missing, language) {
        (0, _) => {}
        (missing, Language::English) => {
            text.push_str(&format!("\nWithout {missing} rows of the source that were too large to be indexed.\n"));
        }
        (missing, Language::Chinese) => text.push_str(&format!("\n不含来源中因过大而未索引的 {missing} 行。\n")),
    }
    text
}

/// A row in words: the value where there is only one, else each value with its column.
fn told_row(columns: &[String], row: &[serde_json::Value]) -> String {
    let plain = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    if let [only] = row {
        return plain(only);
    }
    let told = columns.iter().zip(row).filter(|(column, value)| !value.is_null() && !column.starts_with('_'));
    told.map(|(column, value)| format!("{column}: {}", plain(value))).collect::<Vec<_>>().join("; ")
}

fn generated(
    answer: Answer,
    generator: &dyn Generator,
    options: &ReplyOptions<'_>,
    language: Language,
    on: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
) -> Result<Reply> {
    let mut shown = answer.contexts.len();
    let told = Cell::new(false);
    let mut on = |event: Event<'_>| {
        told.set(true);
        on(event)
    };
    let (completion, heard) = loop {
        match heard(&answer, shown, generator, options, language, &mut on) {
            // The weakest contexts are last: better an answer from half of them than none. What was told cannot be
            // taken back.
            Err(GenerateError::TooLong { .. }) if shown > 1 && !told.get() => shown = shown.div_ceil(2),
            done => break done?,
        }
    };
    let by = Some(generator.identity().to_owned());
    let Some(Heard { text, marks, removed, contained }) = heard else {
        return not_found(answer, shown, language, by, &completion, &mut on);
    };
    let citations = cited(&text, &marks, &answer.contexts);
    let Completion { usage, cut, cached, .. } = completion;
    Ok(Reply { text, citations, removed, contained, found: true, by, usage, cut, cached, shown, contexts: answer })
}

/// What was said, checked.
struct Heard {
    text: String,
    marks: Vec<CitationMark>,
    removed: usize,
    contained: usize,
}

/// Asks about the first contexts and listens; `None` where the model says that they do not hold the answer.
fn heard(
    answer: &Answer,
    shown: usize,
    generator: &dyn Generator,
    options: &ReplyOptions<'_>,
    language: Language,
    on: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
) -> Result<(Completion, Option<Heard>), GenerateError> {
    let mut sources: Vec<&str> = answer.contexts[..shown].iter().map(|context| context.text.as_str()).collect();
    sources.push(&answer.question);
    let mut hearing = Hearing::new(CheckedText::new(shown, language, &sources));
    let completion =
        asked(generator, &about(answer, shown, options), &mut |piece| match tell(&hearing.hear(piece), on) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        })?;
    if hearing.says_nothing() {
        return Ok((completion, None));
    }
    tell(&hearing.finish(), on)?;
    let CheckedText { text, marks, removed, contained, .. } = hearing.checked;
    Ok((completion, Some(Heard { text, marks, removed, contained })))
}

/// Listens whether the answer begins with the word for "nothing", before anything is told.
struct Hearing<'a> {
    checked: CheckedText<'a>,
    /// The beginning, until it is sure what it is.
    begun: Option<String>,
}

impl<'a> Hearing<'a> {
    fn new(checked: CheckedText<'a>) -> Self {
        Self { checked, begun: Some(String::new()) }
    }

    /// What is sure after a further piece.
    fn hear(&mut self, piece: &str) -> String {
        let Some(begun) = &mut self.begun else { return self.checked.push(piece) };
        begun.push_str(piece);
        let bare = bare(begun);
        if NOT_FOUND.starts_with(bare) || bare.starts_with(NOT_FOUND) {
            return String::new();
        }
        let begun = std::mem::take(begun);
        self.begun = None;
        self.checked.push(&begun)
    }

    /// Whether the whole answer was that there is none.
    fn says_nothing(&self) -> bool {
        self.begun.as_deref().is_some_and(|begun| bare(begun).starts_with(NOT_FOUND) || bare(begun).is_empty())
    }

    fn finish(&mut self) -> String {
        let begun = self.begun.take().map(|begun| self.checked.push(&begun)).unwrap_or_default();
        begun + &self.checked.finish()
    }
}

/// Without the marks that models put around a word.
fn bare(text: &str) -> &str {
    text.trim_start_matches(|c: char| c.is_whitespace() || "`*\"'“[【".contains(c))
}

/// Every citation with the sentences that support what it stands behind.
fn cited(text: &str, marks: &[CitationMark], contexts: &[Context]) -> Vec<Citation> {
    let mut walk = CodePoints::new(text);
    let one = |mark: &CitationMark| {
        let context = &contexts[mark.number - 1];
        let span = supporting(&statement(text, mark.at), &context.text);
        citation(mark.number, walk.at(mark.at as u32).0, context, span)
    };
    marks.iter().map(one).collect()
}

/// The place of a part of a context.
fn citation(number: usize, at: usize, context: &Context, span: Span) -> Citation {
    let mut walk = CodePoints::new(&context.text);
    let (start, first) = walk.at(span.start);
    let (end, last) = walk.at(span.end);
    Citation {
        number,
        at,
        document: context.document.clone(),
        path: context.path.clone(),
        root: context.root.clone(),
        title: context.title.clone(),
        headings: context.headings.clone(),
        pages: context.pages,
        page_labels: context.page_labels.clone(),
        lines: (context.lines.0 + first - 1, context.lines.0 + last - 1),
        start: context.start + start,
        end: context.start + end,
        text: span.of(&context.text).to_owned(),
    }
}
