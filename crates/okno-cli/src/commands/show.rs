//! `okno show`: a document as it is kept, a part of it, or the bytes of an image that a context names.

use super::inspect::one_root;
use crate::args::Cli;
use crate::locale::say;
use crate::{output, place};
use anyhow::{Context as _, Result, bail};
use clap::Args;
use okno::document::ImageHash;
use okno::shapes::{WholeDocument, slice};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

/// What to show.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// The document's name, as `okno documents` prints it
    #[arg(required_unless_present = "image", conflicts_with = "image")]
    document: Option<String>,
    /// First character (code point)
    #[arg(long)]
    start: Option<usize>,
    /// One past the last character
    #[arg(long)]
    end: Option<usize>,
    /// The image of this hash, as `search --json` names it
    #[arg(long, value_name = "HASH")]
    image: Option<String>,
    /// Write the image into this file instead of standard output
    #[arg(long, value_name = "FILE", requires = "image")]
    out: Option<PathBuf>,
}

pub fn run(cli: &Cli, args: &ShowArgs) -> Result<()> {
    match (&args.image, &args.document) {
        (Some(hash), _) => image(cli, hash, args.out.as_deref()),
        (None, Some(name)) => document(cli, name, args.start, args.end),
        // The command line asks for one of them.
        (None, None) => Ok(()),
    }
}

fn image(cli: &Cli, hash: &str, out: Option<&Path>) -> Result<()> {
    let Ok(wanted) = hash.parse::<ImageHash>() else {
        bail!(say!(
            "`{}` is no hash of an image; expected 32 hexadecimal digits – `okno search --json` prints them under `images`",
            "`{}` 不是图像的哈希;应为 32 位十六进制数字,见 `okno search --json` 输出的 `images`",
            hash
        ));
    };
    let Some(bytes) = place::open(cli.index())?.image(wanted)? else {
        bail!(say!(
            "the index holds no image `{}` – `okno search --json` names those it holds; with the last document that shows it an image goes",
            "索引中没有图像 `{}` —— `okno search --json` 会列出现有的图像;图像随最后一个引用它的文档一起删除",
            hash
        ));
    };
    if let Some(path) = out {
        std::fs::write(path, &bytes).with_context(|| path.display().to_string())?;
        output::note(&say!("{}: {} bytes", "{}:{} 字节", path.display(), bytes.len()));
        return Ok(());
    }
    let mut stdout = std::io::stdout().lock();
    if stdout.is_terminal() {
        bail!(say!("an image is no text: give `--out FILE`, or a pipe", "图像不是文本:请使用 `--out 文件` 或管道"));
    }
    Ok(stdout.write_all(&bytes)?)
}

fn document(cli: &Cli, name: &str, start: Option<usize>, end: Option<usize>) -> Result<()> {
    let engine = place::open(cli.index())?;
    let snapshot = engine.snapshot()?;
    let mut named = engine.named(name)?;
    one_root(&named, name)?;
    let (number, record) = named.remove(0);
    let text = snapshot.text(number)?;
    let slice = slice(text, start, end);
    if !cli.json {
        std::io::stdout().lock().write_all(output::printable_text(slice).as_bytes())?;
        return Ok(());
    }
    let structure = snapshot.structure(number)?;
    output::json(&serde_json::json!(WholeDocument::new(&record, text, slice, &structure)))
}
