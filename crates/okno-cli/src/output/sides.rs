//! The contexts of several recipes for one question, side by side.

use super::columns::{self, SideLine};
use super::{CitedTogether, Paint, counted, printable_text};
use crate::locale::{Lang, language, say};
use anyhow::Result;
use okno_evaluate::sides::{Side, part, parts};
use std::io::{IsTerminal, Write};

/// Side by side where the terminal is wide enough, one below the other everywhere else.
pub fn print(sides: &[Side]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let paint = Paint::of(&out);
    let width = console::Term::stdout().size_checked().map(|(_, columns)| usize::from(columns));
    let lines: Vec<Vec<SideLine>> = (0..sides.len()).map(|own| lines(sides, own)).collect();
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

fn styled(paint: &Paint, line: &SideLine, text: &str) -> String {
    match line {
        SideLine::Title(_) | SideLine::Place(_) => paint.bold(text),
        SideLine::Only(_) => paint.marked(text),
        SideLine::Shared(_) | SideLine::Note(_) => text.to_owned(),
    }
}

/// A side as lines: its title, its contexts, and how much of them no other side returned.
fn lines(sides: &[Side], own: usize) -> Vec<SideLine> {
    let side = &sides[own];
    let (contexts, tokens) = (side.answer.contexts.len(), side.answer.tokens());
    let mut lines = vec![SideLine::Title(match language() {
        Lang::En => format!("━━ {}: {}, {tokens} tokens ━━", side.name, counted(contexts, "context")),
        Lang::Zh => format!("━━ {}：{contexts} 段上下文，{tokens} 个词元 ━━", side.name),
    })];
    let (cited, mut only) = (CitedTogether::of(&side.answer.contexts), 0);
    for context in &side.answer.contexts {
        lines.push(SideLine::Place(cited.context(context)));
        for (span, alone) in parts(context, sides, own) {
            let text = part(context, span);
            only += if alone { text.trim().chars().count() } else { 0 };
            let printable = printable_text(text);
            let kept = printable.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned);
            lines.extend(kept.map(if alone { SideLine::Only } else { SideLine::Shared }));
        }
        lines.push(SideLine::Note(String::new()));
    }
    lines.push(SideLine::Note(say!(
        "+ marks {} characters that only `{}` returned",
        "+ 标出只有 `{1}` 返回的内容，共 {0} 个字符",
        only,
        side.name
    )));
    lines.push(SideLine::Note(String::new()));
    lines
}
