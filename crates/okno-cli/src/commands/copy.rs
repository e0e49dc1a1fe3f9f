//! `okno copy`: an index to another place – a folder, or a server – without embedding anything again.

use crate::globals::Globals;
use crate::locale::say;
use crate::{address, output, progress, remote_store};
use anyhow::Result;
use clap::Args;
use indicatif::ProgressBar;
use okno::store::copy::{Copied, copy, verify};
use okno::store::{EmbeddedStore, Manifest, Store};
use std::path::{Path, PathBuf};

/// From where to where.
#[derive(Debug, Args)]
pub struct CopyArgs {
    /// The index to copy: a folder or the address of an index on a server, as for `--store`
    #[arg(long, value_name = "DIR|ADDRESS")]
    from: PathBuf,
    /// Where to: a folder or an address; an interrupted copy is continued
    #[arg(long, value_name = "DIR|ADDRESS")]
    to: PathBuf,
    /// Do not compare both indexes afterwards
    #[arg(long)]
    no_verify: bool,
}

pub fn run(globals: &Globals, args: &CopyArgs) -> Result<()> {
    let from = existing(&args.from)?;
    let to = target(&args.to, from.manifest())?;
    let bar = progress::bar("{spinner} {msg} {bar:24} {pos}/{len}  {eta}");
    bar.set_message(say!("copying", "正在复制"));
    let copied = copy(&*from, &*to, &mut |done, all| advance(&bar, done, all))?;
    let verified = if args.no_verify {
        None
    } else {
        bar.set_message(say!("comparing", "正在核对"));
        Some(verify(&*from, &*to, &mut |done, all| advance(&bar, done, all))?)
    };
    bar.finish_and_clear();
    if globals.json {
        let Copied { written, unchanged, removed } = copied;
        return output::json(&serde_json::json!({
            "from": args.from, "to": args.to, "written": written, "unchanged": unchanged, "removed": removed,
            "verified": verified,
        }));
    }
    output::note(&say!(
        "{} written, {} unchanged, {} removed, {} verified",
        "写入 {}，未变 {}，移除 {}，核对一致 {}",
        copied.written,
        copied.unchanged,
        copied.removed,
        verified.unwrap_or(0),
    ));
    Ok(())
}

fn existing(place: &Path) -> okno::Result<Box<dyn Store>> {
    if address::is_remote(place) { remote_store::open(place, None) } else { Ok(Box::new(EmbeddedStore::open(place)?)) }
}

/// The target, created for the source's embedder if there is none yet.
fn target(place: &Path, source: &Manifest) -> okno::Result<Box<dyn Store>> {
    if address::is_remote(place) {
        remote_store::open(place, Some(source))
    } else {
        Ok(Box::new(EmbeddedStore::open_or_create(place, source)?))
    }
}

fn advance(bar: &ProgressBar, done: usize, all: usize) {
    bar.set_length(all as u64);
    bar.set_position(done as u64);
}
