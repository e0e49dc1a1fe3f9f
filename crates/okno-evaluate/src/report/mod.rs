//! The report: one page that a person can look at, send to somebody, and open in ten years.
//!
//! One self-contained HTML file: no script, no font, no image, no network – the page's own policy forbids them. Both
//! languages are on the page and a switch shows one. Text of documents and questions is untrusted: it is escaped,
//! always, in one place ([`html::text`]), and a policy without scripts stands behind that.

mod chart;
mod html;
mod judged;
mod pieces;
mod questions;
mod settings;
mod table;

pub use html::{both, text};

use super::gold::Target;
use super::judge::CellJudged;
use super::measure::Measure;
use super::run::{EvaluationRun, Outcome, RunCell};
use super::score::Texts;
use super::set::QuestionSet;
use super::verdict::RunVerdict;
use okno::document::Date;
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");

/// No page is larger than this, in bytes; questions that do not fit are counted instead.
pub const LARGEST: usize = 900_000;

/// What a report is about.
#[derive(Debug)]
pub struct Report<'a> {
    /// The figures and the contexts.
    pub outcome: &'a Outcome,
    /// What a judge said, where one was asked.
    pub judged: &'a [CellJudged],
    /// The questions.
    pub set: &'a QuestionSet,
    /// The texts of the documents with gold, for highlighting.
    pub texts: &'a Texts,
    /// The command that repeats it.
    pub command: &'a str,
    /// Whether it opens in Chinese.
    pub chinese: bool,
}

impl Report<'_> {
    /// The page.
    pub fn html(&self) -> String {
        let run = &self.outcome.run;
        let budget = run.budgets().first().copied().unwrap_or_default();
        let mut body = header(run);
        body += &finding(run, budget);
        body += &table::tables(run);
        body += &judged::section(self.judged, run.seed);
        body += &charts(run, budget);
        let rest = settings::guide() + &settings::settings(run, self.command);
        let room = LARGEST.saturating_sub(STYLE.len() + body.len() + rest.len());
        body += &questions::section(self, budget, room);
        body += &rest;
        page(&format!("Okno · {}", run.set), &body, self.chinese)
    }
}

/// A whole page around a body.
pub fn page(title: &str, body: &str, chinese: bool) -> String {
    let checked = |zh: bool| if zh == chinese { " checked" } else { "" };
    let language = if chinese { "zh" } else { "en" };
    format!(
        "<!doctype html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n\
         <body>\n\
         <input type=\"radio\" name=\"lang\" id=\"en\"{}><input type=\"radio\" name=\"lang\" id=\"zh\"{}>\n\
         <nav aria-label=\"Language\"><label for=\"en\" lang=\"en\">English</label><label for=\"zh\" \
         lang=\"zh\">中文</label></nav>\n\
         <main>\n{body}</main>\n</body>\n</html>\n",
        text(title),
        checked(false),
        checked(true)
    )
}

fn header(run: &EvaluationRun) -> String {
    let count = run.questions.len();
    let recipes = run.recipes().len();
    let facts = both(
        &format!(
            "{count} questions · {} documents, {} sentences · {recipes} recipes · {}",
            run.documents,
            run.sentences,
            date(run.made)
        ),
        &format!(
            "{count} 个问题 · {} 个文档、{} 个句子 · {recipes} 个方案 · {}",
            run.documents,
            run.sentences,
            date(run.made)
        ),
    );
    let run_name = if run.name.is_empty() { String::new() } else { format!(" · {}", text(&run.name)) };
    format!(
        "<header><p class=\"eyebrow\">{}</p><h1>{}</h1><p class=\"facts\">{facts}{run_name}</p></header>\n",
        both("Okno evaluation", "Okno 评测"),
        text(&run.set)
    )
}

/// The verdict, and the comparisons below it.
fn finding(run: &EvaluationRun, budget: usize) -> String {
    let Some(verdict) = RunVerdict::of(run, budget) else { return String::new() };
    let sentence = |english: &str, chinese: &str| both(&coded(english), &coded(chinese));
    let mut section = format!(
        "<section class=\"finding\"><p class=\"lead\">{}</p><ul>",
        sentence(&verdict.english(), &verdict.chinese())
    );
    for other in run.comparisons(run.main_measure(), budget) {
        let _ = write!(section, "<li>{}</li>", sentence(&other.english(), &other.chinese()));
    }
    section + "</ul></section>\n"
}

/// A sentence whose names between back-ticks are set as code.
fn coded(sentence: &str) -> String {
    let mut parts = sentence.split('`');
    let mut out = text(parts.next().unwrap_or_default());
    while let (Some(name), Some(rest)) = (parts.next(), parts.next()) {
        let _ = write!(out, "<code>{}</code>{}", text(name), text(rest));
    }
    out
}

fn charts(run: &EvaluationRun, budget: usize) -> String {
    let measure = run.main_measure();
    let curves = chart::curves(run, measure);
    let scatter = chart::scatter(run, measure, budget);
    let (name_en, name_zh) = settings::words(measure);
    format!(
        "<section><h2>{}</h2><div class=\"charts\"><figure>{curves}<figcaption>{}</figcaption></figure>\
         <figure>{scatter}<figcaption>{}</figcaption></figure></div></section>\n",
        both("More budget, more time", "预算与时间"),
        both(
            &format!("{name_en} against the token budget. Higher is better; thin bars are 95 % intervals."),
            &format!("{name_zh}随词元预算的变化。越高越好；细线是 95 % 置信区间。")
        ),
        both(
            &format!(
                "{name_en} at {budget} tokens against the time of one question. Best is top left; the line runs from \
                 the median to the 95th percentile."
            ),
            &format!("{budget} 词元时的{name_zh}与单个问题的用时。左上角最好；横线从中位数到第 95 百分位。")
        ),
    )
}

/// The gold of a question, where it is a span of a known text.
fn target(report: &Report<'_>, question: usize) -> Option<(String, Target)> {
    match &report.set.questions[question].gold {
        super::Gold::Spans { document, answer, excerpts } => {
            let text = report.texts.get(document)?;
            Some((document.clone(), Target::new(text, answer, excerpts)))
        }
        super::Gold::Documents(_) => None,
    }
}

fn covers(cell: &RunCell, question: usize, measure: Measure) -> bool {
    cell.rows[question].get(measure).is_some_and(|value| value >= 1.0)
}

/// `2026-11-15 06:00 UTC`.
fn date(seconds: u64) -> String {
    let (day, rest) = (Date::from_unix(seconds.cast_signed()), seconds % 86_400);
    format!("{day} {:02}:{:02} UTC", rest / 3600, rest % 3600 / 60)
}

#[cfg(test)]
mod tests;
