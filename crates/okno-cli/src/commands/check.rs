//! `okno check`: whether the index is what was stored, and repairing it.

use crate::globals::Globals;
use crate::indexing::{self, IndexChoices};
use crate::locale::say;
use crate::{errors, opening, output, settings};
use anyhow::{Result, bail};
use clap::Args;
use okno::Silent;
use okno::message::{Lang, Message};
use okno::store::IndexFault;
use serde_json::{Value, json};

/// What to do about damage.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Take out what is damaged, build it again from the rest, and read the files of damaged documents again
    #[arg(long)]
    repair: bool,
}

pub fn run(globals: &Globals, args: &CheckArgs) -> Result<()> {
    let engine = opening::open(globals.index())?;
    if !args.repair {
        let faults = engine.check()?;
        if globals.json {
            output::json(&json!({"faults": faults.iter().map(fault_json).collect::<Vec<_>>()}))?;
        } else {
            faults.iter().for_each(print);
        }
        return judged(&faults, &[]);
    }
    let options = indexing::options(IndexChoices::default(), settings::of(engine.folder())?.values())?;
    let report = engine.repair(&options, &Silent)?;
    if globals.json {
        let told = |faults: &[IndexFault]| faults.iter().map(fault_json).collect::<Vec<_>>();
        output::json(&json!({
            "faults": told(&report.found), "left": told(&report.left), "lost": report.lost,
            "read_again": report.index.added + report.index.changed,
        }))?;
    } else {
        report.found.iter().for_each(print);
        if !report.found.is_empty() {
            output::note(&say!("repaired {} faults", "修复了 {} 处", report.found.len() - report.left.len()));
        }
    }
    for name in &report.lost {
        output::note(&say!(
            "lost: {} – its file is gone or cannot be read",
            "已丢失：{} —— 其文件已不存在或无法读取",
            output::printable(name)
        ));
    }
    judged(&report.left, &report.lost)
}

fn print(fault: &IndexFault) {
    output::note(&format!("  {}", output::printable(&errors::text(fault))));
}

fn fault_json(fault: &IndexFault) -> Value {
    json!({"code": fault.code(), "message": fault.text(Lang::En), "chinese": fault.text(Lang::Zh)})
}

/// Success only where nothing is wrong.
fn judged(faults: &[IndexFault], lost: &[String]) -> Result<()> {
    if faults.is_empty() && lost.is_empty() {
        output::note(&say!("the index is what was stored", "索引与存入时一致"));
        return Ok(());
    }
    if faults.is_empty() {
        bail!(say!(
            "{} documents are lost; bring their files back and run `okno index`",
            "丢失了 {} 个文档；请恢复其文件后运行 `okno index`",
            lost.len()
        ));
    }
    bail!(say!(
        "{} faults; `okno check --repair` mends what can be built again",
        "发现 {} 处问题；`okno check --repair` 可修复能够重建的部分",
        faults.len()
    ))
}
