//! `okno status`: what an index contains and how it was made.

use crate::globals::Globals;
use crate::locale::say;
use crate::{opening, output};
use anyhow::Result;
use okno::SOURCE_ROOT;
use okno::shapes::units;
use okno::store::{DamagedDocument, Snapshot};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

/// Values of a field shown by `status`.
const VALUES_SHOWN: usize = 6;

pub fn run(globals: &Globals) -> Result<()> {
    let engine = opening::open(globals.index())?;
    let snapshot = engine.snapshot()?;
    let (totals, manifest) = (snapshot.totals()?, snapshot.manifest());
    let (sentences, text) = (totals.sentences, totals.bytes);
    let fields = fields(&*snapshot)?;
    let lacking = engine.lacking()?;
    let sources = sources(&*snapshot)?;
    if globals.json {
        return output::json(&serde_json::json!({
            "lacking": units(&lacking), "index": engine.folder(), "generation": snapshot.generation(),
            "documents": totals.documents, "sentences": sentences,
            "units": units(snapshot.derived_counts()), "text_bytes": text, "disk_bytes": engine.bytes()?,
            "embedder": manifest.embedder, "dimensions": manifest.dimensions,
            "recipe": manifest.recipe, "chunk": manifest.chunk, "neighbors": manifest.neighbors,
            "roots": snapshot.roots(), "sources": json(&sources), "fields": fields,
            "damaged": DamagedDocument::names(&snapshot.all_damaged()),
        }));
    }
    let mut out = std::io::stdout().lock();
    let bytes = |bytes| indicatif::HumanBytes(bytes).to_string();
    writeln!(out, "{}", say!("index      {}", "索引     {}", output::printable(&engine.folder().to_string_lossy())))?;
    writeln!(out, "{}", say!("documents  {}, {} sentences", "文档     {} 个，{} 个句子", totals.documents, sentences))?;
    writeln!(
        out,
        "{}",
        match engine.bytes()? {
            Some(size) => say!("size       {} for {} of text", "大小     {}（文本 {}）", bytes(size), bytes(text)),
            None => say!("size       {} of text, on the server", "大小     文本 {}，保存在服务器上", bytes(text)),
        }
    )?;
    writeln!(
        out,
        "{}",
        say!("embedder   {} ({} dimensions)", "嵌入模型 {}（{} 维）", manifest.embedder, manifest.dimensions)
    )?;
    for (kind, count) in snapshot.derived_counts() {
        writeln!(out, "{}", say!("units      {}: {}", "派生单元 {}：{}", kind, count))?;
    }
    for (kind, count) in lacking.iter().filter(|(_, count)| **count > 0) {
        let line = say!(
            "missing    {}: {} parts – create them with `okno derive`",
            "待生成   {}：{} 处 —— 可用 `okno derive` 生成",
            kind,
            count
        );
        writeln!(out, "{line}")?;
    }
    writeln!(out, "{}", say!("recipe     {}", "方案     {}", manifest.recipe))?;
    if let Some(chunk) = manifest.chunk {
        let neighbors = manifest.neighbors.unwrap_or(1);
        writeln!(out, "{}", say!("chunks     {}, {} on each side", "分块     {}，前后各 {} 块", chunk, neighbors))?;
    }
    for root in snapshot.roots() {
        writeln!(out, "{}", say!("root       {}", "来源     {}", output::printable(root)))?;
    }
    for (name, source) in &sources {
        writeln!(out, "{}", described(name, source))?;
    }
    for name in DamagedDocument::names(&snapshot.all_damaged()) {
        let line = say!(
            "damaged    {} – `okno index` reads it again",
            "已损坏   {} —— `okno index` 会重新读取",
            output::printable(&name)
        );
        writeln!(out, "{line}")?;
    }
    for (field, values) in fields {
        let more = if values.len() > VALUES_SHOWN { " …" } else { "" };
        let values: Vec<String> =
            values.iter().take(VALUES_SHOWN).map(|value| output::printable(&output::shortened(value, 40))).collect();
        writeln!(
            out,
            "{}",
            say!("field      {}: {}{}", "字段     {}：{}{}", output::printable(&field), values.join(" | "), more)
        )?;
    }
    Ok(())
}

/// How many rows a source has.
#[derive(Debug, Default)]
struct SourceRows {
    indexed: usize,
    skipped: usize,
}

/// The databases and other sources of documents that are no files, by name.
fn sources(snapshot: &dyn Snapshot) -> Result<BTreeMap<String, SourceRows>> {
    let mut sources: BTreeMap<String, SourceRows> = BTreeMap::new();
    for file in snapshot.files()? {
        let Some(name) = file.root.strip_prefix(SOURCE_ROOT) else { continue };
        let source = sources.entry(name.to_owned()).or_default();
        *(if file.documents.is_empty() { &mut source.skipped } else { &mut source.indexed }) += 1;
    }
    Ok(sources)
}

fn json(sources: &BTreeMap<String, SourceRows>) -> serde_json::Value {
    let one = |(name, rows): (&String, &SourceRows)| {
        let SourceRows { indexed, skipped } = rows;
        serde_json::json!({"name": name, "rows": indexed, "skipped": skipped})
    };
    sources.iter().map(one).collect()
}

/// A source, and the command that brings it up to date.
fn described(name: &str, rows: &SourceRows) -> String {
    let mut text = say!("rows       {}: {}", "数据行   {}：{} 行", output::printable(name), rows.indexed);
    if rows.skipped > 0 {
        text += &say!(", {} more skipped", "，另跳过 {} 行", rows.skipped);
    }
    // Rows of a query have the name that they were given; the query itself is not kept.
    if let Some((address, table)) = name.rsplit_once('#') {
        let (address, table) = (output::printable(address), output::printable(table));
        text += &say!(
            " – `okno index {} --table {}` updates them; for a query, with the same --query and --key",
            " —— 用 `okno index {} --table {}` 更新；若来自查询，请加上同样的 --query 和 --key",
            address,
            table
        );
    }
    text
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
