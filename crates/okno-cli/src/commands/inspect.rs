//! Looking into an index: `status`, `documents`.

use crate::args::Cli;
use crate::locale::say;
use crate::{output, place};
use anyhow::{Result, bail};
use okno::document::{Filter, Record};
use okno::retrieve::matching;
use okno::shapes::{Document, units};
use okno::store::{DocumentNumber, Snapshot};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

/// Values of a field shown by `status`.
const VALUES_SHOWN: usize = 6;

pub fn status(cli: &Cli) -> Result<()> {
    let engine = place::open(cli.index())?;
    let snapshot = engine.snapshot()?;
    let (totals, manifest) = (snapshot.totals()?, snapshot.manifest());
    let (sentences, text) = (totals.sentences, totals.bytes);
    let fields = fields(&*snapshot)?;
    let lacking = engine.lacking()?;
    if cli.json {
        return output::json(&serde_json::json!({
            "lacking": units(&lacking), "index": engine.folder(), "generation": snapshot.generation(), "documents": totals.documents, "sentences": sentences,
            "units": units(snapshot.derived_counts()), "text_bytes": text, "disk_bytes": engine.bytes()?, "embedder": manifest.embedder, "dimensions": manifest.dimensions,
            "recipe": manifest.recipe, "chunk": manifest.chunk, "neighbors": manifest.neighbors, "roots": snapshot.roots(), "fields": fields,
        }));
    }
    let mut out = std::io::stdout().lock();
    let bytes = |bytes| indicatif::HumanBytes(bytes).to_string();
    writeln!(out, "{}", say!("index      {}", "索引     {}", output::printable(&engine.folder().to_string_lossy())))?;
    writeln!(out, "{}", say!("documents  {}, {} sentences", "文档     {} 个,{} 个句子", totals.documents, sentences))?;
    writeln!(
        out,
        "{}",
        match engine.bytes()? {
            Some(size) => say!("size       {} for {} of text", "大小     {}(文本 {})", bytes(size), bytes(text)),
            None => say!("size       {} of text; the server keeps it", "大小     文本 {};由服务器保存", bytes(text)),
        }
    )?;
    writeln!(
        out,
        "{}",
        say!("embedder   {} ({} dimensions)", "嵌入模型 {}({} 维)", manifest.embedder, manifest.dimensions)
    )?;
    for (kind, count) in snapshot.derived_counts() {
        writeln!(out, "{}", say!("units      {}: {}", "派生单元 {}:{}", kind, count))?;
    }
    for (kind, count) in lacking.iter().filter(|(_, count)| **count > 0) {
        let line = say!(
            "lacking    {}: {} parts – `okno derive` makes them",
            "待生成   {}:{} 处 —— 可用 `okno derive` 生成",
            kind,
            count
        );
        writeln!(out, "{line}")?;
    }
    writeln!(out, "{}", say!("recipe     {}", "方案     {}", manifest.recipe))?;
    if let Some(chunk) = manifest.chunk {
        let neighbors = manifest.neighbors.unwrap_or(1);
        writeln!(out, "{}", say!("chunks     {}, {} on each side", "分块     {},前后各 {} 块", chunk, neighbors))?;
    }
    for root in snapshot.roots() {
        writeln!(out, "{}", say!("root       {}", "来源     {}", output::printable(root)))?;
    }
    for (field, values) in fields {
        let more = if values.len() > VALUES_SHOWN { " …" } else { "" };
        let values: Vec<String> =
            values.iter().take(VALUES_SHOWN).map(|value| output::printable(&output::shortened(value, 40))).collect();
        writeln!(
            out,
            "{}",
            say!("field      {}: {}{}", "字段     {}:{}{}", output::printable(&field), values.join(" | "), more)
        )?;
    }
    Ok(())
}

/// Every field with its distinct values.
fn fields(snapshot: &dyn Snapshot) -> Result<BTreeMap<String, BTreeSet<String>>> {
    let mut fields: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    snapshot.each_record(&mut |_, record| {
        for (field, value) in &record.metadata.0 {
            fields.entry(field.clone()).or_default().insert(value.to_string());
        }
    })?;
    Ok(fields)
}

pub fn documents(cli: &Cli, filter: Option<&str>) -> Result<()> {
    let engine = place::open(cli.index())?;
    let filter = filter.map(Filter::parse).transpose().map_err(okno::Error::from)?;
    let snapshot = engine.snapshot()?;
    let matching = filter.map(|filter| matching(&*snapshot, &filter)).transpose()?;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for (number, record) in snapshot.records()? {
        // Both lists ascend by number.
        if matching.as_ref().is_some_and(|matching| matching.binary_search(number).is_err()) {
            continue;
        }
        if cli.json {
            writeln!(out, "{}", serde_json::json!(Document::from(record)))?;
        } else {
            writeln!(
                out,
                "{}\t{}\t{}",
                output::printable(record.id.name()),
                record.sentences,
                output::printable(&record.title)
            )?;
        }
    }
    Ok(out.flush()?)
}

/// Refuses a name that documents of several roots have: the whole path tells them apart.
pub fn one_root(named: &[(DocumentNumber, Record)], name: &str) -> Result<()> {
    let paths: BTreeSet<String> =
        named.iter().map(|(_, record)| record.id.whole_path().display().to_string()).collect();
    if paths.len() > 1 {
        let paths: Vec<String> = paths.into_iter().collect();
        bail!(say!(
            "several documents are called `{}`: name one of `{}`",
            "有多个文档叫 `{}`:请指明 `{}` 之一",
            name,
            paths.join("`, `")
        ));
    }
    Ok(())
}
