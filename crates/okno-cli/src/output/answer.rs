//! An answer as its contexts, with what `--explain` adds.

use super::{CitedTogether, Paint, counted, note, printable, printable_text, shortened, understood, unit};
use crate::locale::{Lang, language, say};
use anyhow::Result;
use okno::document::Span;
use okno::retrieve::{FoundUnit, LedBy, Moved, PieceMatch, QueryWriter, RowAnswer, name_of};
use okno::{Answer, Context, shapes};
use serde_json::{Value, json as value};
use std::io::Write;

/// How much an answer says about how it was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerDetail {
    /// Contexts only.
    Plain,
    /// Also which stage contributed what: `--explain`.
    Explained,
}

impl AnswerDetail {
    /// As the flag `--explain` says.
    pub fn of_flag(explain: bool) -> Self {
        if explain { Self::Explained } else { Self::Plain }
    }
}

/// A context with what every program needs.
pub fn plain_context_json(context: &Context) -> Value {
    value!(shapes::PlainContext::from(context))
}

/// An answer with everything.
pub fn json(answer: &Answer, detail: AnswerDetail) -> Value {
    value!(shapes::FullAnswer::new(answer, detail == AnswerDetail::Explained))
}

/// Prints an answer for a person.
pub fn print(answer: &Answer, detail: AnswerDetail) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let paint = Paint::of(&out);
    if detail == AnswerDetail::Explained {
        write!(out, "{}", explained(answer))?;
    }
    if let Some(rows) = &answer.rows {
        write!(out, "{}", computed(rows))?;
    }
    let cited = CitedTogether::of(&answer.contexts);
    for (i, context) in answer.contexts.iter().enumerate() {
        writeln!(out, "{} {}", paint.bold(&format!("{}.", i + 1)), paint.bold(&cited.context(context)))?;
        let below = place(context);
        if !below.is_empty() {
            writeln!(out, "   {}", paint.dim(&below))?;
        }
        writeln!(out, "{}\n", indented(&highlighted(context, &paint)))?;
        if detail == AnswerDetail::Explained {
            write!(out, "{}", explained_context(&answer.question, context))?;
        }
    }
    note_damaged(&answer.damaged);
    if !answer.contexts.is_empty() {
        let (spent, contexts) = (answer.spent(), answer.contexts.len());
        let (budget, unit) = (answer.recipe.budget, unit(answer.recipe.unit));
        note(&match language() {
            Lang::En => format!("{}, {spent} {unit} of {budget}", counted(contexts, "context")),
            Lang::Zh => format!("{contexts} 段上下文，{spent} / {budget} 个{unit}"),
        });
    }
    Ok(())
}

/// Rows of an answer that are printed.
const ROWS_SHOWN: usize = 20;

/// The query over rows that answers, and what it gave.
fn computed(rows: &RowAnswer) -> String {
    let by = match rows.by {
        QueryWriter::Rule => say!("by rule", "按规则"),
        QueryWriter::Model => say!("by the model", "由模型编写"),
        _ => String::new(),
    };
    let mut text = say!("SQL ({}): {}\n", "SQL（{}）：{}\n", by, printable(&rows.sql));
    let columns: Vec<String> = rows.columns.iter().map(|column| printable(column)).collect();
    text.push_str(&format!("   {}\n", columns.join("\t")));
    for row in rows.rows.iter().take(ROWS_SHOWN) {
        let cells = row.iter().map(|cell| match cell {
            Value::Null => String::new(),
            Value::String(text) => printable(&shortened(text, 60)),
            other => other.to_string(),
        });
        text.push_str(&format!("   {}\n", cells.collect::<Vec<_>>().join("\t")));
    }
    text += &match rows.beyond(ROWS_SHOWN) {
        0 if rows.more => "   …\n".to_owned(),
        0 => String::new(),
        more => say!("   … and {} more\n", "   …… 另有 {} 行\n", more),
    };
    if rows.missing > 0 {
        text += &say!(
            "   without {} rows of the source that were too large to be indexed\n",
            "   不含来源中因过大而未索引的 {} 行\n",
            rows.missing
        );
    }
    text + "\n"
}

/// Names of damaged documents that are printed.
const DAMAGED_SHOWN: usize = 5;

/// Says which documents are damaged and what to do, if any are.
pub fn note_damaged(damaged: &[String]) {
    if damaged.is_empty() {
        return;
    }
    let more = if damaged.len() > DAMAGED_SHOWN { " …" } else { "" };
    let names: Vec<String> = damaged.iter().take(DAMAGED_SHOWN).map(|name| printable(name)).collect();
    note(&say!(
        "damaged in the index and not searched: {}{} – `okno index` reads the files again",
        "索引中已损坏、未参与搜索：{}{} —— `okno index` 会重新读取这些文件",
        names.join(", "),
        more
    ));
}

/// Title and headings, and where else the same text is.
fn place(context: &Context) -> String {
    let mut path = vec![context.title.as_str()];
    path.extend(context.headings.iter().map(String::as_str).filter(|heading| *heading != context.title));
    path.retain(|part| !part.is_empty());
    let mut place = pages(context) + &printable(&path.join(" › "));
    if !context.copies.is_empty() {
        place.push_str(&say!("  (also in {})", "  （另见 {}）", printable(&context.copies.join(", "))));
    }
    place
}

/// `p. 3–4 · `, or what is printed on the pages; nothing where there are none.
fn pages(context: &Context) -> String {
    let Some((first, last)) = context.pages else { return String::new() };
    let (first, last) = context.page_labels.clone().unwrap_or_else(|| (first.to_string(), last.to_string()));
    let range = if first == last { first } else { format!("{first}–{last}") };
    say!("p. {} · ", "第 {} 页 · ", printable(&range))
}

/// The context's text with its best hits marked.
fn highlighted(context: &Context, paint: &Paint) -> String {
    let best = context.hits.first().map_or(0.0, |hit| hit.score);
    let mut marked: Vec<Span> = context
        .hits
        .iter()
        .filter(|hit| hit.score >= best * MARKED_SHARE && !hit.trace.is_empty())
        .map(|hit| hit.span)
        .collect();
    marked.sort_unstable();
    let mut text = String::new();
    let mut at = context.span.start;
    for span in marked {
        let (start, end) = (span.start.max(at), span.end.min(context.span.end));
        if start < end {
            text.push_str(&printable_text(slice(context, at, start)));
            text.push_str(&paint.marked(&printable_text(slice(context, start, end))));
            at = end;
        }
    }
    text.push_str(&printable_text(slice(context, at, context.span.end)));
    text
}

/// Hits at least this good, compared with the best of their context, are marked.
const MARKED_SHARE: f32 = 0.8;

fn slice(context: &Context, start: u32, end: u32) -> &str {
    &context.text[(start - context.span.start) as usize..(end - context.span.start) as usize]
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("   {line}")).collect::<Vec<_>>().join("\n")
}

/// What the stages did.
fn explained(answer: &Answer) -> String {
    let recipe = &answer.recipe;
    let mut text = understood::explained(&answer.understood)
        + &understood::route(&answer.routing)
        + &understood::steps(&answer.steps);
    text += &format!(
        "{} → {} → {}\n",
        recipe.fusion,
        recipe.expand,
        say!("{} {}", "{} 个{}", recipe.budget, unit(recipe.unit))
    );
    for (leg, layer, found) in &answer.stage.rankings {
        text.push_str(&format!("  {:8} {:12} {found}\n", name_of(*leg), layer.to_string()));
    }
    if let Some(matching) = answer.stage.matching {
        text += &say!("  the filter matches {} documents\n", "  过滤后剩 {} 个文档\n", matching);
    }
    if let Some(lexical) = answer.stage.lexical {
        let (words, meaning) = (100.0 * lexical, 100.0 * (1.0 - lexical));
        text += &say!(
            "  what is most like the question is in another language: words weigh {:.0} %, meaning {:.0} %\n",
            "  与问题最相近的内容是另一种语言：字词占 {:.0}%，含义占 {:.0}%\n",
            words,
            meaning
        );
    }
    for (by, document) in &answer.stage.led {
        let document = printable(document);
        text += &match by {
            LedBy::Link => say!("  a passage names {}\n", "  命中的段落提到 {}\n", document),
            _ => say!("  the question names {}\n", "  问题提到 {}\n", document),
        };
    }
    if let Some(reranked) = &answer.stage.reranked {
        let (read, by) = (reranked.read, printable(&reranked.by));
        text += &say!("  {} hits read again by {}\n", "  {} 个命中由 {} 再读\n", read, by);
        if reranked.undecided {
            text += &say!(
                "  the reranker returned no order; the hits keep theirs\n",
                "  重排模型没有给出次序：保持原来的次序\n"
            );
        }
    }
    let line = say!(
        "  {} hits, {} distinct targets\n\n",
        "  命中 {}，不同目标 {}\n\n",
        answer.stage.hits,
        answer.stage.targets
    );
    text + &line
}

/// Each hit of a context with its legs, ranks and shares.
fn explained_context(question: &str, context: &Context) -> String {
    let mut text = say!(
        "   score {:.3}, relevance {:.2}, {} tokens, characters {}–{}\n",
        "   得分 {:.3}，相关度 {:.2}，{} 个词元，字符 {}–{}\n",
        context.score,
        context.relevance,
        context.tokens,
        context.start,
        context.end
    );
    let matches: Vec<String> = context.matches(question).iter().map(matched).collect();
    if !matches.is_empty() {
        text.push_str(&format!("   {}\n", matches.join("  ")));
    }
    for hit in context.hits.iter().filter(|hit| !hit.trace.is_empty()).take(EXPLAINED_HITS) {
        let words = slice(context, hit.span.start.max(context.span.start), hit.span.end.min(context.span.end));
        text.push_str(&format!("   {:.3}  {}\n", hit.score, printable(&shortened(words, 60))));
        let traces: Vec<String> = hit.trace.iter().map(found).collect();
        text.push_str(&format!("          {}\n", traces.join("  ")));
        if let Some(Moved { before, after, score }) = hit.reranked {
            text += &say!(
                "          second reading #{} → #{}, {:.3}\n",
                "          再读 #{} → #{}，{:.3}\n",
                before,
                after,
                score
            );
        }
        for derived in hit.trace.iter().filter_map(|found| found.text.as_deref()).take(EXPLAINED_HITS) {
            text.push_str(&format!("          “{}”\n", printable(&shortened(derived, 60))));
        }
    }
    text.push('\n');
    text
}

const EXPLAINED_HITS: usize = 5;

/// Below this cosine two pieces have nothing to do with each other.
const UNLIKE: f32 = 0.25;

/// A piece of the question and what it found.
fn matched(PieceMatch { asked, found, likeness, .. }: &PieceMatch) -> String {
    let (asked, found) = (printable(asked), printable(found));
    match likeness {
        _ if asked == found => format!("{asked} ✓"),
        likeness if *likeness < UNLIKE => format!("{asked} –"),
        likeness => format!("{asked} ≈ {found} {likeness:.2}"),
    }
}

fn found(FoundUnit { trace, .. }: &FoundUnit) -> String {
    let inside = match trace.led {
        None => String::new(),
        Some(LedBy::Link) => say!(" (linked)", "（被提到）"),
        Some(LedBy::Part) => say!(" (part)", "（分问）"),
        Some(_) => say!(" (named)", "（点名）"),
    };
    let (leg, layer, rank) = (name_of(trace.leg), trace.layer, trace.rank);
    format!("{leg}/{layer}{inside} #{rank} {:.3} → {:.3}", trace.score, trace.share)
}
