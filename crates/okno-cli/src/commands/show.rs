//! `okno show`: a document as it is kept, a part of it, or the bytes of an image that a context names.

use crate::globals::Globals;
use crate::locale::say;
use crate::values::number;
use crate::{opening, output};
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
    #[arg(long, value_parser = number::<usize>)]
    start: Option<usize>,
    /// One past the last character
    #[arg(long, value_parser = number::<usize>)]
    end: Option<usize>,
    /// Print the image with this hash, as in the output of `okno search --json`
    #[arg(long, value_name = "HASH")]
    image: Option<String>,
    /// Write the image to this file instead of standard output
    #[arg(long, value_name = "FILE", requires = "image")]
    out: Option<PathBuf>,
}

pub fn run(globals: &Globals, args: &ShowArgs) -> Result<()> {
    match (&args.image, &args.document) {
        (Some(hash), _) => image(globals, hash, args.out.as_deref()),
        (None, Some(name)) => document(globals, name, args.start, args.end),
        // The command line requires one of them.
        (None, None) => Ok(()),
    }
}

fn image(globals: &Globals, hash: &str, out: Option<&Path>) -> Result<()> {
    let Ok(wanted) = hash.parse::<ImageHash>() else {
        bail!(say!(
            "`{}` is not the hash of an image; expected 32 hexadecimal digits, as `okno search --json` prints under \
             `images`",
            "`{}` 不是图像的哈希；应为 32 位十六进制数字，见 `okno search --json` 输出的 `images`",
            hash
        ));
    };
    let Some(bytes) = opening::open(globals.index())?.image(wanted)? else {
        bail!(say!(
            "the index has no image `{}` – `okno search --json` lists its images; an image is deleted with the last \
             document that contains it",
            "索引中没有图像 `{}` —— `okno search --json` 会列出现有的图像；图像随最后一个引用它的文档一起删除",
            hash
        ));
    };
    if let Some(path) = out {
        std::fs::write(path, &bytes).with_context(|| path.display().to_string())?;
        output::note(&say!("{}: {} bytes", "{}：{} 字节", path.display(), bytes.len()));
        return Ok(());
    }
    let mut stdout = std::io::stdout().lock();
    if stdout.is_terminal() {
        bail!(say!(
            "an image cannot be shown in a terminal – use `--out FILE` or a pipe",
            "终端无法显示图像 —— 请使用 `--out 文件` 或管道"
        ));
    }
    Ok(stdout.write_all(&bytes)?)
}

fn document(globals: &Globals, name: &str, start: Option<usize>, end: Option<usize>) -> Result<()> {
    let engine = opening::open(globals.index())?;
    let snapshot = engine.snapshot()?;
    let (number, record) = opening::documents_named(&engine, name)?.remove(0);
    let text = snapshot.text(number)?;
    let slice = slice(&text, start, end);
    if !globals.json {
        std::io::stdout().lock().write_all(output::printable_text(slice).as_bytes())?;
        return Ok(());
    }
    let structure = snapshot.structure(number)?;
    output::json(&serde_json::json!(WholeDocument::new(&record, &text, slice, &structure)))
}
