//! `okno backup` and `okno restore`: an index in one file, and back.

use crate::globals::Globals;
use crate::locale::say;
use crate::{address, output};
use anyhow::{Result, bail};
use clap::Args;
use indicatif::HumanBytes;
use okno::store::{BackupSize, EmbeddedStore};
use std::path::{Path, PathBuf};

/// Where to.
#[derive(Debug, Args)]
pub struct BackupArgs {
    /// The file to write; an existing one is replaced when the new one is whole and checked
    file: PathBuf,
}

/// From where.
#[derive(Debug, Args)]
pub struct RestoreArgs {
    /// A file that `okno backup` wrote
    file: PathBuf,
}

pub fn backup(globals: &Globals, args: &BackupArgs) -> Result<()> {
    let index = address::target(globals.index());
    refuse_remote(&index)?;
    let size = EmbeddedStore::open(&index)?.backup(&args.file)?;
    if globals.json {
        return told(size, &args.file, &index);
    }
    output::note(&say!(
        "{} documents in `{}`, {}",
        "已备份 {} 个文档到 `{}`，{}",
        size.documents,
        output::printable(&args.file.display().to_string()),
        HumanBytes(size.bytes)
    ));
    Ok(())
}

pub fn restore(globals: &Globals, args: &RestoreArgs) -> Result<()> {
    // Not the nearest index above, which `folder` would look for: that one is not empty.
    let index = globals.index().unwrap_or(Path::new(address::FOLDER));
    refuse_remote(index)?;
    let size = EmbeddedStore::restore(&args.file, index)?;
    if globals.json {
        return told(size, &args.file, index);
    }
    output::note(&say!(
        "{} documents restored to `{}` and checked",
        "已恢复 {} 个文档到 `{}`，并检查无误",
        size.documents,
        output::printable(&index.display().to_string())
    ));
    Ok(())
}

fn told(size: BackupSize, file: &Path, index: &Path) -> Result<()> {
    output::json(&serde_json::json!({
        "file": file, "index": index, "documents": size.documents, "bytes": size.bytes,
    }))
}

fn refuse_remote(index: &Path) -> Result<()> {
    if address::is_remote(index) {
        bail!(say!(
            "backups are made of indexes in folders; copy this one to a folder first, with `okno copy`",
            "只能备份文件夹中的索引；请先用 `okno copy` 把它复制到文件夹"
        ));
    }
    Ok(())
}
