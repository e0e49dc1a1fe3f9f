//! `okno compare`: the same question to two recipes, and what only one of them returned.

use super::search::query;
use crate::args::{Cli, CompareArgs};
use crate::locale::{Language, language, say};
use crate::output::{self, Paint};
use crate::place;
use anyhow::{Result, bail};
use okno::document::Span;
use okno::{Answer, Context, Engine, Query};
use std::io::{IsTerminal, Write};

/// Tokens each side may spend unless told otherwise: the same, or the larger would win by size.
const BUDGET: usize = 1000;

pub fn run(cli: &Cli, args: &CompareArgs) -> Result<()> {
    let [first, second] = args.recipes.as_slice() else {
        bail!(say!("--recipes takes two names, such as `chunks,auto`", "--recipes 需要两个名称,例如 `chunks,auto`"));
    };
    let engine = place::open(cli.index.as_deref())?;
    let mut query = query(&args.question, None, &args.how)?;
    crate::settings::fill(&mut query, &crate::settings::of(engine.folder())?, &engine)?;
    query.budget = query.budget.or(Some(BUDGET));
    if !cli.json {
        return print(&engine, &query, [first, second]);
    }
    let [left, right] = answers(&engine, &query, [first, second])?;
    output::json(&serde_json::json!({
        "question": args.question,
        "recipes": [side_json(first, &left, &right), side_json(second, &right, &left)],
    }))
}

fn answers(engine: &Engine, query: &Query, recipes: [&str; 2]) -> Result<[Answer; 2]> {
    let answer = |recipe: &str| engine.search(&Query { recipe: Some(recipe.to_owned()), ..query.clone() });
    Ok([answer(recipes[0])?, answer(recipes[1])?])
}

/// Prints both sides for a person.
pub fn print(engine: &Engine, query: &Query, recipes: [&str; 2]) -> Result<()> {
    let [left, right] = answers(engine, query, recipes)?;
    print_side(recipes[0], &left, &right)?;
    print_side(recipes[1], &right, &left)
}

/// The parts of a context's text that the other answer lacks, in bytes of the document.
fn only_here(context: &Context, other: &Answer) -> Vec<Span> {
    let same_document = |theirs: &&Context| theirs.root == context.root && theirs.document == context.document;
    let mut theirs: Vec<Span> = other.contexts.iter().filter(same_document).map(|theirs| theirs.span).collect();
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

fn side_json(name: &str, own: &Answer, other: &Answer) -> serde_json::Value {
    let contexts: Vec<_> = own
        .contexts
        .iter()
        .map(|context| {
            let mut json = output::plain_context_json(context);
            let texts = only_here(context, other).into_iter().map(|span| part(context, span));
            json["only_here"] = texts.filter(|text| !text.trim().is_empty()).collect();
            json
        })
        .collect();
    serde_json::json!({"recipe": name, "tokens": own.tokens(), "contexts": contexts})
}

fn part(context: &Context, span: Span) -> &str {
    &context.text[(span.start - context.span.start) as usize..(span.end - context.span.start) as usize]
}

fn print_side(name: &str, own: &Answer, other: &Answer) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let paint = Paint::new(out.is_terminal());
    let (contexts, tokens) = (own.contexts.len(), own.tokens());
    let title = match language() {
        Language::En => format!("{name}: {}, {tokens} tokens", output::counted(contexts, "context")),
        Language::Zh => format!("{name}:{contexts} 段上下文,{tokens} 个词元"),
    };
    writeln!(out, "{}", paint.bold(&format!("━━ {title} ━━")))?;
    for context in &own.contexts {
        writeln!(out, "{}", paint.bold(&output::citation(context)))?;
        let only = only_here(context, other);
        let mut at = context.span.start;
        for span in only.iter().copied().chain([Span { start: context.span.end, end: context.span.end }]) {
            print_lines(&mut out, "  ", part(context, Span { start: at, end: span.start }), str::to_owned)?;
            print_lines(&mut out, "+ ", part(context, span), |line| paint.marked(line))?;
            at = span.end;
        }
        writeln!(out)?;
    }
    let only: usize = own
        .contexts
        .iter()
        .flat_map(|context| {
            only_here(context, other).into_iter().map(move |span| part(context, span).trim().chars().count())
        })
        .sum();
    writeln!(
        out,
        "{}\n",
        say!("+ marks {} characters that only `{}` returned", "+ 标出只有 `{1}` 返回的内容,共 {0} 个字符", only, name)
    )?;
    Ok(())
}

fn print_lines(out: &mut impl Write, mark: &str, text: &str, style: impl Fn(&str) -> String) -> Result<()> {
    for line in output::printable_text(text).lines().filter(|line| !line.trim().is_empty()) {
        writeln!(out, "{mark}{}", style(line.trim()))?;
    }
    Ok(())
}
