//! A table described without a model: its caption, the names of its columns, and the first entries of
//! its rows. Its headings are added to every unit anyway.
//!
//! A table's rows are sentences, and are found as such; the description is for questions about the
//! table as a whole ("which plans are there?"), whose words stand in no single row.

use crate::document::{Block, BlockKind, Derived, DerivedKind, Loaded, Structure};

/// Rows whose first entry is named: enough to say what kind of things the rows are.
const NAMED_ROWS: usize = 12;

/// Characters of one entry that are used; more is a sentence, which is found as one.
const LONGEST_ENTRY: usize = 40;

/// Characters of a paragraph that can still be a caption.
const LONGEST_CAPTION: usize = 160;

/// Describes every table.
pub fn describe(loaded: &Loaded, structure: &Structure) -> Vec<Derived> {
    let tables = loaded.blocks.iter().enumerate().filter(|(_, block)| block.kind == BlockKind::Table);
    tables.filter_map(|(at, table)| derived(loaded, structure, at, *table)).collect()
}

fn derived(loaded: &Loaded, structure: &Structure, at: usize, table: Block) -> Option<Derived> {
    let sentences = structure.touching(table.span);
    let text = description(caption(loaded, at), table.span.of(&loaded.text));
    (!sentences.is_empty() && !text.is_empty()).then_some(Derived {
        kind: DerivedKind::Table,
        first: sentences.start as u32,
        end: sentences.end as u32,
        text,
    })
}

/// The short paragraph before a table, or else after it, where it is called one or ends like one.
fn caption(loaded: &Loaded, at: usize) -> Option<&str> {
    let paragraph = |block: &Block| (block.kind == BlockKind::Paragraph).then(|| block.span.of(&loaded.text).trim());
    let before = at.checked_sub(1).and_then(|before| paragraph(&loaded.blocks[before]));
    let after = loaded.blocks.get(at + 1).and_then(paragraph);
    let introduces = |text: &&str| is_caption(text) || text.ends_with([':', '：']);
    before.filter(|text| text.chars().count() <= LONGEST_CAPTION && introduces(text)).or(after.filter(is_caption))
}

fn is_caption(text: &&str) -> bool {
    let numbered = |rest: &str| rest.trim_start().starts_with(|c: char| c.is_numeric() || c == '一' || c == '.');
    ["Table", "table", "Tab.", "表格", "表"].iter().any(|mark| text.strip_prefix(mark).is_some_and(numbered))
        && text.chars().count() <= LONGEST_CAPTION
}

fn description(caption: Option<&str>, table: &str) -> String {
    let mut rows = table.lines().filter(|line| !is_rule(line)).map(entries).filter(|row| !row.is_empty());
    let columns = rows.next().unwrap_or_default();
    let names = rows.filter_map(|row| row.into_iter().find(|entry| !entry.is_empty())).take(NAMED_ROWS);
    let entries: Vec<String> = columns.into_iter().chain(names).filter(|entry| !entry.is_empty()).collect();
    let parts = caption.map(str::to_owned).into_iter().chain((!entries.is_empty()).then(|| entries.join("; ")));
    parts.collect::<Vec<_>>().join("\n")
}

/// The line between a table's head and its body.
fn is_rule(line: &str) -> bool {
    line.contains('-') && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ' | '+' | '=' | '\t'))
}

/// The entries of a row, without the bars between them.
fn entries(row: &str) -> Vec<String> {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let row = row.strip_suffix('|').unwrap_or(row);
    row.split('|').map(|entry| entry.trim().chars().take(LONGEST_ENTRY).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split::structure;

    fn described(markdown: &str) -> Vec<(String, String)> {
        let mut read = crate::load::tests::load(&crate::load::Markdown, "a.md", markdown.as_bytes());
        let loaded = read.documents.remove(0);
        let structure = structure(&loaded.text, &loaded.title, &loaded.blocks);
        let whole = |unit: &Derived| structure.span(unit.sentences()).of(&loaded.text).to_owned();
        describe(&loaded, &structure).into_iter().map(|unit| (whole(&unit), unit.text)).collect()
    }

    #[test]
    fn a_table_is_described_by_caption_columns_and_rows_and_returned_whole() {
        let table = "| 城市 | 票价 |\n|---|---|\n| 北京 | 20 |\n| 上海 | 30 |";
        let found = described(&format!("# 门票\n\n表 1 各地票价\n\n{table}\n\n以上。"));
        assert_eq!(found, [(table.to_owned(), "表 1 各地票价\n城市; 票价; 北京; 上海".to_owned())]);
    }

    #[test]
    fn an_ordinary_paragraph_is_no_caption() {
        let table = "| a | b |\n|---|---|\n| 1 | 2 |";
        assert_eq!(described(&format!("We went home.\n\n{table}"))[0].1, "a; b; 1");
        assert_eq!(described(&format!("The plans are:\n\n{table}"))[0].1, "The plans are:\na; b; 1");
        assert_eq!(described(&format!("{table}\n\nTable 3: plans"))[0].1, "Table 3: plans\na; b; 1");
    }
}
