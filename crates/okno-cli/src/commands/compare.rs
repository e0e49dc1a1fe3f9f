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
use okno::document::Span;
use okno::evaluate::gold::Target;
use okno::{Answer, Context, Engine, Query};
use std::io::{IsTerminal, Write};

/// Tokens each side may spend unless told otherwise: the same, or the larger would win by size.
const BUDGET: usize = 1000;

/// A recipe with what it returned.
pub struct Side {
    name: String,
    answer: Answer,
}

/// Where the words that answer are.
struct Answering {
    document: String,
    start: usize,
    end: usize,
    sentence: String,
}

pub fn run(cli: &Cli, args: &CompareArgs) -> Result<()> {
    let mut recipes: Vec<&str> = args.recipes.iter().map(String::as_str).collect();
    recipes.dedup();
    if recipes.len() < 2 {
        bail!(say!(
            "--recipes takes two names or more – try `--recipes chunks,auto`",
            "--recipes 需要至少两个名称 —— 例如 `--recipes chunks,auto`"
        ));
    }
    let engine = place::open_to_ask(cli.index(), args.how.rerank.as_deref())?;
    let mut query = query(&args.question, None, &args.how)?;
    crate::settings::fill(&mut query, &crate::settings::of(engine.folder())?, &engine)?;
    query.budget = query.budget.or(Some(BUDGET));
    let sides = sides(&engine, &query, &recipes)?;
    if let Some(file) = &args.html {
        let page = page::page(&args.question, &sides, args.gold.as_deref(), language() == Language::Zh);
        std::fs::write(file, page).with_context(|| say!("cannot write `{}`", "无法写入 `{}`", file.display()))?;
        output::note(&say!("the page is in {}", "页面在 {}", file.display()));
    }
    if cli.json {
        return output::json(&json(&args.question, &sides, args.gold.as_deref()));
    }
    if args.html.is_none() {
        show(&sides)?;
        tell_gold(&sides, args.gold.as_deref())?;
    }
    Ok(())
}

fn sides(engine: &Engine, query: &Query, recipes: &[&str]) -> Result<Vec<Side>> {
    let side = |name: &&str| {
        let answer = engine.search(&Query { recipe: Some((*name).to_owned()), ..query.clone() })?;
        Ok(Side { name: (*name).to_owned(), answer })
    };
    recipes.iter().map(side).collect()
}

/// Prints both sides for a person.
pub fn print(engine: &Engine, query: &Query, recipes: [&str; 2]) -> Result<()> {
    show(&sides(engine, query, &recipes)?)
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

/// A context in parts, each with whether only this side has it.
fn parts(context: &Context, sides: &[Side], own: usize) -> Vec<(Span, bool)> {
    let mut parts = Vec::new();
    let mut at = context.span.start;
    for span in only_here(context, sides, own) {
        if span.start > at {
            parts.push((Span { start: at, end: span.start }, false));
        }
        parts.push((span, true));
        at = span.end;
    }
    if at < context.span.end {
        parts.push((Span { start: at, end: context.span.end }, false));
    }
    parts
}

/// The parts of a context's text that no other side has, in bytes of the document.
fn only_here(context: &Context, sides: &[Side], own: usize) -> Vec<Span> {
    let others = sides.iter().enumerate().filter(|(i, _)| *i != own).flat_map(|(_, side)| &side.answer.contexts);
    let same_document = |theirs: &&Context| theirs.root == context.root && theirs.document == context.document;
    let mut theirs: Vec<Span> = others.filter(same_document).map(|theirs| theirs.span).collect();
    theirs.sort_unstable();
    let mut only = Vec::new();
    let mut at = context.span.start;
    for span in theirs {
        let start = span.start.clamp(at, context.span.end);
        if start > at {
            only.push(Span { start: at, end: start });
        }
        at = at.max(span.end.min(context.span.end));
    }
    if at < context.span.end {
        only.push(Span { start: at, end: context.span.end });
    }
    only
}

fn part(context: &Context, span: Span) -> &str {
    &context.text[(span.start - context.span.start) as usize..(span.end - context.span.start) as usize]
}

/// Where a side returned the words that answer, whatever the white space between them.
fn answering(side: &Side, gold: &str) -> Option<Answering> {
    let wanted: Vec<char> = gold.trim().chars().filter(|c| !c.is_whitespace()).collect();
    side.answer.contexts.iter().find_map(|context| {
        let text: Vec<char> = context.text.chars().collect();
        let dense: Vec<usize> = (0..text.len()).filter(|&i| !text[i].is_whitespace()).collect();
        let at = dense
            .windows(wanted.len().max(1))
            .position(|window| window.iter().map(|&i| text[i]).eq(wanted.iter().copied()))?;
        let span = dense[at]..dense[at + wanted.len() - 1] + 1;
        let sentence = Target::new(&text, &span, &[]).sentence;
        Some(Answering {
            document: context.document.clone(),
            start: context.start + span.start,
            end: context.start + span.end,
            sentence: text[sentence].iter().collect(),
        })
    })
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
    let recipes: Vec<_> = (0..sides.len()).map(|own| side_json(sides, own, gold)).collect();
    serde_json::json!({"question": question, "recipes": recipes})
}

fn side_json(sides: &[Side], own: usize, gold: Option<&str>) -> serde_json::Value {
    let side = &sides[own];
    let contexts: Vec<_> = side
        .answer
        .contexts
        .iter()
        .map(|context| {
            let mut json = output::plain_context_json(context);
            let texts = only_here(context, sides, own).into_iter().map(|span| part(context, span));
            json["only_here"] = texts.filter(|text| !text.trim().is_empty()).collect();
            json
        })
        .collect();
    let mut json = serde_json::json!({"recipe": side.name, "tokens": side.answer.tokens(), "contexts": contexts});
    if let Some(gold) = gold {
        json["gold"] = match answering(side, gold) {
            Some(found) => {
                serde_json::json!({"doc_id": found.document, "start": found.start, "end": found.end, "sentence": found.sentence})
            }
            None => serde_json::Value::Null,
        };
    }
    json
}
