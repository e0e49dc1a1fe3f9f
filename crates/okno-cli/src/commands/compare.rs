//! `okno compare`: the same question to several recipes, and what only one of them returned.

mod page;

use crate::globals::Globals;
use crate::locale::{language, say};
use crate::output::{self, sides, understood};
use crate::search_flags::{SearchFlags, query};
use crate::{model, opening, settings};
use anyhow::{Context as _, Result, bail};
use clap::Args;
use okno_evaluate::shapes::Compared;
use okno_evaluate::sides::{BUDGET, Side, answering, ask};
use std::io::Write;
use std::path::PathBuf;

/// A question to several recipes.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// The question
    question: String,
    /// The recipes
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', num_args = 1, default_value = "chunks,auto")]
    recipes: Vec<String>,
    /// The expected answer: says which recipe returns it, and in which sentence
    #[arg(long, value_name = "TEXT")]
    gold: Option<String>,
    /// Write an HTML page instead of printing
    #[arg(long, value_name = "FILE.html")]
    html: Option<PathBuf>,
    #[command(flatten)]
    search: SearchFlags,
}

pub fn run(globals: &Globals, args: &CompareArgs) -> Result<()> {
    let mut recipes: Vec<&str> = args.recipes.iter().map(String::as_str).collect();
    recipes.dedup();
    if recipes.len() < 2 {
        bail!(say!(
            "--recipes needs at least two names – try `--recipes chunks,auto`",
            "--recipes 需要至少两个名称 —— 例如 `--recipes chunks,auto`"
        ));
    }
    let mut engine = opening::open_to_search(globals.index(), args.search.rerank.as_deref())?;
    let mut query = query(&args.question, None, &args.search)?;
    settings::fill(&mut query, &settings::of(engine.folder())?, &engine)?;
    query.budget = query.budget.or(Some(BUDGET));
    model::attach_for(&mut engine, &query, &recipes)?;
    let sides = ask(&engine, &query, &recipes)?;
    if let Some(file) = &args.html {
        let page = page::page(&args.question, &sides, args.gold.as_deref(), language());
        std::fs::write(file, page).with_context(|| say!("cannot write `{}`", "无法写入 `{}`", file.display()))?;
        output::note(&say!("wrote {}", "已写入 {}", file.display()));
    }
    if globals.json {
        return output::json(&json(&args.question, &sides, args.gold.as_deref()));
    }
    // The notes are the same for all sides.
    for note in sides.first().into_iter().flat_map(|side| understood::notes(&side.answer.understood)) {
        output::note(&note);
    }
    if args.html.is_none() {
        sides::print(&sides)?;
        tell_gold(&sides, args.gold.as_deref())?;
    }
    Ok(())
}

fn tell_gold(sides: &[Side], gold: Option<&str>) -> Result<()> {
    let Some(gold) = gold else { return Ok(()) };
    let mut out = std::io::stdout().lock();
    for side in sides {
        match answering(side, gold) {
            Some(found) => {
                let sentence = output::printable(&output::shortened(&found.sentence, 200));
                let text =
                    say!("✓ {}: {} ({})", "✓ {}：{}（{}）", side.name, sentence, output::printable(&found.document));
                writeln!(out, "{text}")?;
            }
            None => writeln!(out, "{}", say!("✗ {}: does not return it", "✗ {}：没有返回", side.name))?,
        }
    }
    Ok(())
}

fn json(question: &str, sides: &[Side], gold: Option<&str>) -> serde_json::Value {
    serde_json::json!(Compared::new(question, sides, gold, false))
}
