//! `okno copy`: an index to another place – a folder, or a Milvus server – without embedding anything again.

use crate::args::Cli;
use crate::locale::say;
use crate::{output, remote};
use anyhow::Result;
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use okno::store::copy::{Copied, copy, verify};
use okno::store::{EmbeddedStore, Manifest, Store};
use std::path::{Path, PathBuf};

/// From where to where.
#[derive(Debug, Args)]
pub struct CopyArgs {
    /// The index to copy: a folder or `milvus://host:19530/name`
    #[arg(long, value_name = "DIR|ADDRESS")]
    from: PathBuf,
    /// Where to: a folder or `milvus://host:19530/name`; one that was cut short is gone on with
    #[arg(long, value_name = "DIR|ADDRESS")]
    to: PathBuf,
    /// Do not read both indexes again and compare them
    #[arg(long)]
    no_verify: bool,
}

pub fn run(cli: &Cli, args: &CopyArgs) -> Result<()> {
    let from = existing(&args.from)?;
    let to = target(&args.to, from.manifest())?;
    let bar = bar();
    bar.set_message(say!("copying", "正在复制"));
    let copied = copy(&*from, &*to, &mut |done, all| advance(&bar, done, all))?;
    let verified = if args.no_verify {
        None
    } else {
        bar.set_message(say!("comparing", "正在核对"));
        Some(verify(&*from, &*to, &mut |done, all| advance(&bar, done, all))?)
    };
    bar.finish_and_clear();
    if cli.json {
        let Copied { written, unchanged, removed } = copied;
        return output::json(&serde_json::json!({
            "from": args.from, "to": args.to, "written": written, "unchanged": unchanged, "removed": removed, "verified": verified,
        }));
    }
    output::note(&say!(
        "{} written, {} unchanged, {} removed, {} compared and found the same",
        "写入 {},未变 {},移除 {},核对一致 {}",
        copied.written,
        copied.unchanged,
        copied.removed,
        verified.unwrap_or(0),
    ));
    Ok(())
}

fn existing(place: &Path) -> okno::Result<Box<dyn Store>> {
    if remote::is_meant(place) { remote::store(place, None) } else { Ok(Box::new(EmbeddedStore::open(place)?)) }
}

/// The target, made for the source's embedder where there is none yet.
fn target(place: &Path, source: &Manifest) -> okno::Result<Box<dyn Store>> {
    if remote::is_meant(place) {
        remote::store(place, Some(source))
    } else {
        Ok(Box::new(EmbeddedStore::open_or_create(place, source)?))
    }
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
    // The template is a constant: it parses, or the test that copies fails.
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {bar:24} {pos}/{len}  {eta}") {
        bar.set_style(style);
    }
    bar
}

fn advance(bar: &ProgressBar, done: usize, all: usize) {
    bar.set_length(all as u64);
    bar.set_position(done as u64);
}
