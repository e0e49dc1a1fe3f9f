//! What a judge said: a table of the three aspects, and below it answers, verdicts and reasons.

use super::html::{both, text};
use crate::compare::points;
use crate::judge::{Aspect, CellJudged, Figure, Judgement, QuestionJudged};
use std::fmt::Write;

/// Questions whose verdicts are shown, for each recipe and budget; the JSON has all.
const SHOWN: usize = 5;

/// Characters of an answer or a judged text that are shown.
const LONGEST: usize = 400;

/// The section; nothing where nobody judged.
pub fn section(cells: &[CellJudged], seed: u64) -> String {
    if cells.is_empty() {
        return String::new();
    }
    let title = both("Answers, judged by a model", "由模型评判的回答");
    let mut out =
        format!("<section><h2>{title}</h2><div class=\"scroll\"><table><thead><tr><th>{}</th>", both("recipe", "方案"));
    for aspect in Aspect::ALL {
        let _ = write!(out, "<th>{}</th>", label(aspect));
    }
    let _ = write!(out, "<th>{}</th></tr></thead><tbody>", both("judge failed", "评判失败"));
    for cell in cells {
        out += &row(cell, seed);
    }
    out += "</tbody></table></div>";
    for cell in cells {
        out += &verdicts(cell);
    }
    out + "</section>\n"
}

fn label(aspect: Aspect) -> String {
    match aspect {
        Aspect::Groundedness => both("grounded", "有依据"),
        Aspect::AnswerRelevance => both("answers the question", "切题"),
        Aspect::ContextRelevance => both("contexts relevant", "上下文相关"),
    }
}

fn row(cell: &CellJudged, seed: u64) -> String {
    let figures = Aspect::ALL.map(|aspect| (aspect, cell.figure(aspect, seed)));
    let mut out = format!("<tr><th scope=\"row\"><code>{}</code> @{}</th>", text(&cell.recipe), cell.budget);
    for (aspect, figure) in &figures {
        out += &data(&label(*aspect), &shown(figure));
    }
    let failed: usize = figures.iter().map(|(_, figure)| figure.failed).sum();
    out + &data(&both("judge failed", "评判失败"), &failed.to_string()) + "</tr>"
}

fn data(label: &str, value: &str) -> String {
    format!("<td><span class=\"label\">{label}</span><span class=\"value\">{value}</span></td>")
}

fn shown(figure: &Figure) -> String {
    let one = |score: crate::Interval| {
        let (mean, low, high) = (points(score.mean), points(score.low), points(score.high));
        format!("<strong>{mean} %</strong> <small>{low} … {high}, n = {}</small>", figure.judged)
    };
    figure.score.map_or_else(|| "–".to_owned(), one)
}

fn verdicts(cell: &CellJudged) -> String {
    let title = both("what the judge said about", "评判详情");
    let mut out = format!("<details><summary>{title} <code>{}</code> @{}</summary>", text(&cell.recipe), cell.budget);
    for question in cell.questions.iter().take(SHOWN) {
        out += &one(question);
    }
    out + "</details>"
}

fn one(question: &QuestionJudged) -> String {
    let said = question.error.as_deref().unwrap_or(&question.answer);
    let mut out = format!("<h3>{}</h3><p>{}</p><ul>", text(&question.question), text(&short(said)));
    for (aspect, judgement) in &question.aspects {
        match judgement {
            Judgement::Judged(verdicts) => {
                for verdict in verdicts {
                    let (score, about, reason) = (points(verdict.score), short(&verdict.about), short(&verdict.reason));
                    let _ =
                        write!(out, "<li>{} {score} %: “{}” – {}</li>", label(*aspect), text(&about), text(&reason));
                }
            }
            Judgement::Failed(reason) => {
                let _ =
                    write!(out, "<li>{} – {}: {}</li>", label(*aspect), both("failed", "失败"), text(&short(reason)));
            }
            Judgement::Nothing => {}
        }
    }
    out + "</ul>"
}

fn short(whole: &str) -> String {
    if whole.chars().count() <= LONGEST {
        whole.to_owned()
    } else {
        whole.chars().take(LONGEST).chain(['…']).collect()
    }
}
