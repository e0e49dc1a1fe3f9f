//! Two charts as SVG: no script, labels at the lines themselves instead of a legend, a shape and a dash per recipe
//! besides its colour, so that neither colour-blind eyes nor a grey print lose anything.

use super::html::{both, text};
use super::pieces::{Axis, Box, apart, free_place};
use crate::compare::Interval;
use crate::measure::Measure;
use crate::run::{EvaluationRun, RunCell};
use std::fmt::Write;

/// The drawing, in units of about one pixel; small enough that its text is readable at 328 pixels.
const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 44.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 276.0;
/// Room on the right for the names of the curves.
const NAMES: f64 = 96.0;
/// The height of a line of text, and about the width of one letter.
const LINE: f64 = 16.0;
const LETTER: f64 = 7.2;
/// Between the intervals of two recipes at one budget.
const BESIDE: f64 = 3.5;

/// A share per budget, one curve per recipe.
pub fn curves(run: &EvaluationRun, measure: Measure) -> String {
    let budgets = run.budgets();
    let x =
        Axis::logarithmic(&budgets.iter().map(|&b| b as f64).collect::<Vec<_>>(), LEFT + 18.0, WIDTH - NAMES - 18.0);
    let y = share_axis(run, measure, None);
    let mut svg = frame(&y, WIDTH - NAMES, "coverage against budget");
    for &budget in &budgets {
        tick(&mut svg, x.at(budget as f64), &budget.to_string());
    }
    axis_name(&mut svg, (LEFT + WIDTH - NAMES) / 2.0, &both_text("tokens of context", "上下文词元数"));
    let mut ends = Vec::new();
    let recipes = run.recipes();
    for (i, recipe) in recipes.iter().copied().enumerate() {
        let cells: Vec<&RunCell> = budgets.iter().filter_map(|&budget| run.cell(recipe, budget)).collect();
        // Moved sideways by a hair, so that intervals stand beside each other.
        let beside = (i as f64 - (recipes.len() - 1) as f64 / 2.0) * BESIDE;
        let points: Vec<(f64, f64)> =
            cells.iter().map(|cell| (x.at(cell.budget as f64) + beside, y.at(cell.scores.get(measure)))).collect();
        let _ = write!(svg, "<g class=\"s{}\"><polyline points=\"{}\"/>", i % 6, joined(&points));
        for (cell, &(at, height)) in cells.iter().zip(&points) {
            whisker(&mut svg, run, cell, measure, &y, at);
            mark(&mut svg, i, at, height);
        }
        svg += "</g>";
        ends.extend(points.last().map(|&(_, height)| (i, recipe, height)));
    }
    names(&mut svg, ends, x.end());
    svg + "</svg>"
}

/// The names at the right, moved apart where curves end close together.
fn names(svg: &mut String, mut ends: Vec<(usize, &str, f64)>, x: f64) {
    ends.sort_by(|a, b| a.2.total_cmp(&b.2));
    let places = apart(&ends.iter().map(|end| end.2).collect::<Vec<_>>(), LINE, TOP, BOTTOM);
    for ((i, name, height), place) in ends.into_iter().zip(places) {
        let (from, to) = (x + 16.0, x + 28.0);
        let _ = write!(
            svg,
            "<g class=\"s{}\"><path class=\"leader\" d=\"M{from:.1} {height:.1}L{to:.1} {place:.1}\"/><text \
             x=\"{:.1}\" y=\"{:.1}\">{}</text></g>",
            i % 6,
            to + 3.0,
            place + 4.0,
            text(&short(name))
        );
    }
}

/// Names longer than their room are cut.
fn short(name: &str) -> String {
    if name.chars().count() <= 10 { name.to_owned() } else { name.chars().take(9).chain(['…']).collect() }
}

/// A share against the median time of a question.
pub fn scatter(run: &EvaluationRun, measure: Measure, budget: usize) -> String {
    let cells: Vec<&RunCell> = run.cells.iter().filter(|cell| cell.budget == budget).collect();
    let times: Vec<f64> = cells.iter().flat_map(|cell| [cell.latency.p50, cell.latency.p95]).collect();
    let x = Axis::logarithmic(&times, LEFT + 36.0, WIDTH - 36.0);
    let y = share_axis(run, measure, Some(budget));
    let mut svg = frame(&y, WIDTH, "quality against time");
    for value in x.round_values() {
        tick(&mut svg, x.at(value), &format!("{value}"));
    }
    axis_name(&mut svg, f64::midpoint(LEFT, WIDTH), &both_text("milliseconds per question", "每个问题的毫秒数"));
    let order = run.recipes();
    let mut taken: Vec<Box> = Vec::new();
    for cell in &cells {
        let (at, height) = (x.at(cell.latency.p50), y.at(cell.scores.get(measure)));
        taken.push(Box::around(at, height, 7.0, 7.0));
    }
    for cell in &cells {
        let i = order.iter().position(|name| *name == cell.recipe).unwrap_or(0);
        let (at, height) = (x.at(cell.latency.p50), y.at(cell.scores.get(measure)));
        let _ = write!(svg, "<g class=\"s{}\">", i % 6);
        let _ = write!(svg, "<path class=\"whisker\" d=\"M{at:.1} {height:.1}H{:.1}\"/>", x.at(cell.latency.p95));
        mark(&mut svg, i, at, height);
        let name = short(&cell.recipe);
        let width = name.chars().count() as f64 * LETTER;
        let limits = Box { left: LEFT, right: WIDTH, top: TOP - 8.0, bottom: BOTTOM };
        let place = free_place(at, height, width, LINE - 2.0, &taken, &limits);
        let _ = write!(svg, "<text x=\"{:.1}\" y=\"{:.1}\">{}</text></g>", place.left, place.bottom - 3.0, text(&name));
        taken.push(place);
    }
    svg + "</svg>"
}

fn joined(points: &[(f64, f64)]) -> String {
    points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ")
}

/// From a little below the worst to a little above the best.
fn share_axis(run: &EvaluationRun, measure: Measure, budget: Option<usize>) -> Axis {
    let cells = run.cells.iter().filter(|cell| budget.is_none_or(|budget| cell.budget == budget));
    let shares: Vec<f64> = cells.map(|cell| cell.scores.get(measure)).collect();
    let low = shares.iter().copied().fold(1.0, f64::min) - 0.04;
    let high = shares.iter().copied().fold(0.0, f64::max) + 0.04;
    Axis::linear((low * 20.0).floor().max(0.0) / 20.0, (high * 20.0).ceil().min(20.0) / 20.0, BOTTOM, TOP)
}

fn frame(y: &Axis, right: f64, name: &str) -> String {
    let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{name}\">");
    for value in y.shares() {
        let at = y.at(value);
        let _ = write!(
            svg,
            "<path class=\"grid\" d=\"M{LEFT} {at:.1}H{right}\"/><text class=\"axis\" text-anchor=\"end\" x=\"{}\" \
             y=\"{:.1}\">{:.0} %</text>",
            LEFT - 6.0,
            at + 4.0,
            value * 100.0
        );
    }
    svg
}

fn tick(svg: &mut String, x: f64, label: &str) {
    let _ = write!(
        svg,
        "<path class=\"grid\" d=\"M{x:.1} {BOTTOM}v5\"/><text class=\"axis\" text-anchor=\"middle\" x=\"{x:.1}\" \
         y=\"{}\">{label}</text>",
        BOTTOM + 19.0
    );
}

fn axis_name(svg: &mut String, x: f64, name: &str) {
    let _ =
        write!(svg, "<text class=\"axis\" text-anchor=\"middle\" x=\"{x:.1}\" y=\"{}\">{name}</text>", HEIGHT - 6.0);
}

/// Both languages inside one SVG text.
fn both_text(en: &str, zh: &str) -> String {
    both(en, zh).replace("<span", "<tspan").replace("</span", "</tspan")
}

fn whisker(svg: &mut String, run: &EvaluationRun, cell: &RunCell, measure: Measure, y: &Axis, x: f64) {
    let values: Vec<f64> = cell.rows.iter().filter_map(|row| row.get(measure)).collect();
    let Interval { low, high, .. } = Interval::of(&values, run.seed);
    let _ = write!(svg, "<path class=\"whisker\" d=\"M{x:.1} {:.1}V{:.1}\"/>", y.within(low), y.within(high));
}

/// A shape of its own for each recipe.
fn mark(svg: &mut String, index: usize, x: f64, y: f64) {
    let _ = match index % 6 {
        0 => write!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\"/>"),
        1 => write!(svg, "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"8\" height=\"8\"/>", x - 4.0, y - 4.0),
        2 => write!(svg, "<path class=\"mark\" d=\"M{x:.1} {:.1}l5 9h-10z\"/>", y - 5.5),
        3 => write!(svg, "<path class=\"mark\" d=\"M{x:.1} {:.1}l5.5 5.5l-5.5 5.5l-5.5 -5.5z\"/>", y - 5.5),
        4 => write!(svg, "<path class=\"mark\" d=\"M{x:.1} {:.1}l5 -9h-10z\"/>", y + 5.5),
        _ => write!(svg, "<circle class=\"ring\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>"),
    };
}
