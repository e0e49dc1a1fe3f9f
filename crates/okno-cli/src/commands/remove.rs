//! `okno remove`: documents, or everything that was added with a root.

use crate::globals::Globals;
use crate::locale::say;
use crate::{opening, output};
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

/// What to remove.
#[derive(Debug, Args)]
pub struct RemoveArgs {
    /// Names, as `okno documents` prints them
    #[arg(required_unless_present = "root")]
    documents: Vec<String>,
    /// Remove everything that was added with this folder or file, and stop indexing it
    #[arg(long, value_name = "PATH")]
    root: Option<PathBuf>,
}

pub fn run(globals: &Globals, args: &RemoveArgs) -> Result<()> {
    let engine = opening::open(globals.index())?;
    for name in &args.documents {
        opening::documents_named(&engine, name)?;
    }
    let mut removed = if args.documents.is_empty() { 0 } else { engine.remove(&args.documents)? };
    if let Some(root) = &args.root {
        removed += engine.remove_root(root)?;
    }
    if globals.json {
        return output::json(&serde_json::json!({"removed": removed}));
    }
    output::note(&say!("{} removed", "已移除 {} 个文档", removed));
    Ok(())
}
