//! The table of a budget: one row per recipe, best first, each share with its interval. On a phone a row is a card.

use super::html::{both, text};
use super::settings::words;
use crate::compare::{Interval, points};
use crate::measure::Measure;
use crate::run::{EvaluationRun, RunCell};
use std::fmt::Write;

/// Columns between the main measure and the difference; a set that does not have one leaves it out.
const COLUMNS: [Measure; 8] = [
    Measure::Context,
    Measure::All,
    Measure::Mrr,
    Measure::Ndcg,
    Measure::Precision,
    Measure::Duplicate,
    Measure::Fragments,
    Measure::Tokens,
];

/// `87.3 %`.
pub fn percent(share: f64) -> String {
    format!("{} %", points(share))
}

/// The smallest budget open, the others folded.
pub fn tables(run: &EvaluationRun) -> String {
    let mut section = format!("<section><h2>{}</h2>", both("Scores", "得分"));
    for (i, budget) in run.budgets().into_iter().enumerate() {
        let open = if i == 0 { " open" } else { "" };
        let title = both(&format!("{budget} tokens of context"), &format!("{budget} 词元的上下文"));
        let _ = write!(
            section,
            "<details class=\"budget\"{open}><summary>{title}</summary>{}</details>",
            table(run, budget)
        );
    }
    section + "</section>\n"
}

fn table(run: &EvaluationRun, budget: usize) -> String {
    let cells = run.ranked(budget);
    let main = run.main_measure();
    let has = |measure: &Measure| *measure != main && cells.iter().any(|cell| cell.scores.0.contains_key(measure));
    let columns: Vec<Measure> = COLUMNS.into_iter().filter(has).collect();
    let mut out = String::from("<div class=\"scroll\"><table><thead><tr>");
    let _ = write!(
        out,
        "<th>{}</th><th>{}</th><th>{}</th>",
        both("recipe", "方案"),
        label(main),
        both("behind the best", "与最好的差距")
    );
    for &measure in &columns {
        let _ = write!(out, "<th>{}</th>", label(measure));
    }
    let _ = write!(out, "<th>{}</th></tr></thead><tbody>", both("ms p50 / p95", "毫秒 p50 / p95"));
    for cell in &cells {
        out += &row(run, cell, cells[0], main, &columns);
    }
    out + "</tbody></table></div>"
}

fn label(measure: Measure) -> String {
    let (en, zh) = words(measure);
    both(en, zh)
}

fn row(run: &EvaluationRun, cell: &RunCell, best: &RunCell, main: Measure, columns: &[Measure]) -> String {
    let values: Vec<f64> = cell.rows.iter().filter_map(|row| row.get(main)).collect();
    let own = Interval::of(&values, run.seed);
    let mut out = format!("<tr><th scope=\"row\"><code>{}</code></th>", text(&cell.recipe));
    let bar = format!(
        "<span class=\"bar\"><i style=\"width:{:.1}%\"></i><b style=\"left:{:.1}%;width:{:.1}%\"></b></span>",
        own.mean * 100.0,
        own.low * 100.0,
        (own.high - own.low) * 100.0
    );
    let value = format!(
        "<strong>{}</strong> <small>{} … {}</small>{bar}",
        percent(own.mean),
        points(own.low),
        points(own.high)
    );
    out += &data(&label(main), &value);
    out += &data(&both("behind the best", "与最好的差距"), &behind(run, cell, best, main));
    for &measure in columns {
        out += &data(&label(measure), &number(measure, cell.scores.get(measure)));
    }
    let digits = usize::from(cell.latency.p50 < 1.0) + 1;
    let time = format!("{:.digits$} / {:.digits$}", cell.latency.p50, cell.latency.p95);
    out + &data(&both("ms p50 / p95", "毫秒 p50 / p95"), &time) + "</tr>"
}

/// A value with its column's name, which only a phone shows.
fn data(label: &str, value: &str) -> String {
    format!("<td><span class=\"label\">{label}</span><span class=\"value\">{value}</span></td>")
}

fn number(measure: Measure, value: f64) -> String {
    match measure {
        Measure::Tokens => format!("{value:.0}"),
        Measure::Fragments => format!("{value:.1}"),
        _ => points(value),
    }
}

/// The difference to the best with its interval, and a word where it is noise.
fn behind(run: &EvaluationRun, cell: &RunCell, best: &RunCell, main: Measure) -> String {
    if std::ptr::eq(cell, best) {
        return both("best", "最好");
    }
    let differences: Vec<f64> =
        (best.rows.iter().zip(&cell.rows)).filter_map(|(best, own)| Some(own.get(main)? - best.get(main)?)).collect();
    let difference = Interval::of(&differences, run.seed);
    let interval =
        format!("{} <small>{} … {}</small>", points(difference.mean), points(difference.low), points(difference.high));
    if difference.is_clear() {
        interval
    } else {
        format!("{interval} <small class=\"noise\">{}</small>", both("noise", "噪声内"))
    }
}
