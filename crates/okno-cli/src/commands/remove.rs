//! `okno remove`: documents, or everything a root brought.

use crate::args::Cli;
use crate::locale::say;
use crate::{output, place};
use anyhow::Result;
use std::path::Path;

pub fn run(cli: &Cli, documents: &[String], root: Option<&Path>) -> Result<()> {
    let engine = place::open(cli.index())?;
    for name in documents {
        super::inspect::one_root(&engine.named(name)?, name)?;
    }
    let mut removed = if documents.is_empty() { 0 } else { engine.remove(documents)? };
    if let Some(root) = root {
        removed += engine.remove_root(root)?;
    }
    if cli.json {
        return output::json(&serde_json::json!({"removed": removed}));
    }
    output::note(&say!("{} removed", "已移除 {} 个文档", removed));
    Ok(())
}
