//! `okno compare`: the same question to several recipes, and what only one of them returned.

mod columns;
mod page;

use super::search::query;
use crate::args::{Cli, CompareArgs};
use crate::locale::{Language, language, say};
use crate::output::{self, Paint};
use crate::place;
use anyhow::{Context as _, Result, bail};
use columns::Line;
use okno::{Engine, Query};
use okno_evaluate::shapes::Compared;
use okno_evaluate::sides::{BUDGET, Side, answering, ask, part, parts};
use std::io::{IsTerminal, Write};

pub fn run(cli: &Cli, args: &CompareArgs) -> Result<()> {
    let mut recipes: Vec<&str> = args.recipes.iter().map(String::as_str).collect();
    recipes.dedup();
    if recipes.len() < 2 {
        bail!(say!(
            "--recipes takes two names or more – try `--recipes chunks,auto`",
            "--recipes 需要至少两个名称 —— 例如 `--recipes chunks,auto`"
        ));
    }
    let mut engine = place::open_to_ask(cli.index(), args.how.rerank.as_deref())?;
    let mut query = query(&args.question, None, &args.how)?;
    crate::settings::fill(&mut query, &crate::settings::of(engine.folder())?, &engine)?;
    query.budget = query.budget.or(Some(BUDGET));
    crate::helper::attach_for(&mut engine, &query, &recipes)?;
    let sides = ask(&engine, &query, &recipes)?;
    if let Some(file) = &args.html {
        let page = page::page(&args.question, &sides, args.gold.as_deref(), language() == Language::Zh);
        std::fs::write(file, page).with_context(|| say!("cannot write `{}`", "无法写入 `{}`", file.display()))?;
        output::note(&say!("the page is in {}", "页面在 {}", file.display()));
    }
    if cli.json {
        return output::json(&json(&args.question, &sides, args.gold.as_deref()));
    }
    // Both sides understand the question alike.
    for note in sides.first().into_iter().flat_map(|side| crate::understood::notes(&side.answer.understood)) {
        output::note(&note);
    }
    if args.html.is_none() {
        show(&sides)?;
        tell_gold(&sides, args.gold.as_deref())?;
    }
    Ok(())
}

/// Prints both sides for a person.
pub fn print(engine: &Engine, query: &Query, recipes: [&str; 2]) -> Result<()> {
    show(&ask(engine, query, &recipes)?)
}

/// Side by side where the terminal is wide enough, one below the other everywhere else.
fn show(sides: &[Side]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let paint = Paint::new(out.is_terminal());
    let width = console::Term::stdout().size_checked().map(|(_, columns)| usize::from(columns));
    let lines: Vec<Vec<Line>> = (0..sides.len()).map(|own| lines(sides, own)).collect();
    match width.filter(|&width| out.is_terminal() && columns::fits(sides.len(), width)) {
        Some(width) => {
            for line in columns::beside(&lines, width, &|line, text| styled(&paint, line, text)) {
                writeln!(out, "{line}")?;
            }
        }
        None => {
            for line in lines.iter().flatten() {
                writeln!(out, "{}", styled(&paint, line, &line.whole()))?;
            }
        }
    }
    Ok(())
}

fn styled(paint: &Paint, line: &Line, text: &str) -> String {
    match line {
        Line::Title(_) | Line::Place(_) => paint.bold(text),
        Line::Only(_) => paint.marked(text),
        Line::Shared(_) | Line::Note(_) => text.to_owned(),
    }
}

/// A side as lines: its title, its contexts, and how much of them nobody else returned.
fn lines(sides: &[Side], own: usize) -> Vec<Line> {
    let side = &sides[own];
    let (contexts, tokens) = (side.answer.contexts.len(), side.answer.tokens());
    let mut lines = vec![Line::Title(match language() {
        Language::En => format!("━━ {}: {}, {tokens} tokens ━━", side.name, output::counted(contexts, "context")),
        Language::Zh => format!("━━ {}:{contexts} 段上下文,{tokens} 个词元 ━━", side.name),
    })];
    let mut only = 0;
    for context in &side.answer.contexts {
        lines.push(Line::Place(output::citation(context)));
        for (span, alone) in parts(context, sides, own) {
            let text = part(context, span);
            only += if alone { text.trim().chars().count() } else { 0 };
            let printable = output::printable_text(text);
            let kept = printable.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned);
            lines.extend(kept.map(if alone { Line::Only } else { Line::Shared }));
        }
        lines.push(Line::Note(String::new()));
    }
    lines.push(Line::Note(say!(
        "+ marks {} characters that only `{}` returned",
        "+ 标出只有 `{1}` 返回的内容,共 {0} 个字符",
        only,
        side.name
    )));
    lines.push(Line::Note(String::new()));
    lines
}

fn tell_gold(sides: &[Side], gold: Option<&str>) -> Result<()> {
    let Some(gold) = gold else { return Ok(()) };
    let mut out = std::io::stdout().lock();
    for side in sides {
        match answering(side, gold) {
            Some(found) => {
                let sentence = output::printable(&output::shortened(&found.sentence, 200));
                let text =
                    say!("✓ {}: {} ({})", "✓ {}:{}({})", side.name, sentence, output::printable(&found.document));
                writeln!(out, "{text}")?;
            }
            None => writeln!(out, "{}", say!("✗ {}: does not return it", "✗ {}:没有返回", side.name))?,
        }
    }
    Ok(())
}

fn json(question: &str, sides: &[Side], gold: Option<&str>) -> serde_json::Value {
    serde_json::json!(Compared::new(question, sides, gold, false))
}
