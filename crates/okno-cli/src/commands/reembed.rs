//! `okno reembed`: another embedder for the index, without reading any file again.

use crate::globals::Globals;
use crate::locale::say;
use crate::progress::{IndexBar, stop_on_interrupt};
use crate::{address, embedder, opening, output, settings};
use anyhow::{Result, bail};
use clap::Args;
use std::path::Path;
use std::time::Instant;

/// The new embedder.
#[derive(Debug, Args)]
pub struct ReembedArgs {
    /// The embedder: `builtin`, a model of `okno models list`, `service` or `service:MODEL`
    #[arg(long, value_name = "NAME")]
    embedder: String,
}

pub fn run(globals: &Globals, args: &ReembedArgs) -> Result<()> {
    if let Some(address) = globals.index().filter(|given| address::is_remote(given)) {
        bail!(refusal(address, &args.embedder));
    }
    let folder = address::target(globals.index());
    let wanted = embedder::named(&args.embedder, &folder, &settings::of(&folder)?)?;
    let mut engine = opening::open(globals.index())?;
    if engine.embedder().identity() == wanted.identity() && !globals.json {
        let name = wanted.identity();
        output::note(&say!("the index already uses `{}`; nothing to do", "索引用的就是 `{}` —— 无需重建", name));
        return Ok(());
    }
    let bar = IndexBar::new();
    stop_on_interrupt(&bar.stop)?;
    let begun = Instant::now();
    let report = engine.reembed(wanted, &bar)?;
    bar.bar.finish_and_clear();
    if report.stopped {
        bail!(say!(
            "stopped; the index is unchanged and progress is saved – run the same command again to continue",
            "已停止；索引保持原样，已算好的向量已保存 —— 再次运行同一命令即可继续"
        ));
    }
    if globals.json {
        let seconds = begun.elapsed().as_secs_f64();
        return output::json(&serde_json::json!({
            "index": engine.folder(), "from": report.from, "to": report.to, "documents": report.documents,
            "seconds": seconds,
        }));
    }
    output::note(&say!(
        "{} documents: vectors of `{}` in place of `{}`, in {:.1} s",
        "{} 个文档：向量已换成 `{}`（原为 `{}`），用时 {:.1} 秒",
        report.documents,
        report.to,
        report.from,
        begun.elapsed().as_secs_f64()
    ));
    Ok(())
}

/// On a server the length of vectors is fixed and rows cannot be replaced all at once, so it is done in a folder.
fn refusal(address: &Path, embedder: &str) -> String {
    say!(
        "the embedder of an index on a server cannot be changed in place – run `okno copy --from {} --to DIR`, `okno \
         reembed --index DIR --embedder {}`, then `okno copy` from DIR into a new name",
        "服务器上的索引不能更换嵌入模型 —— 请先 `okno copy --from {} --to 目录`，再 `okno reembed --index 目录 \
         --embedder {}`，然后用 `okno copy` 从该目录复制到一个新名称",
        address.display(),
        embedder
    )
}
