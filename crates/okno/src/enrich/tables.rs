//! A table described without a model: its caption, the names of its columns, and the first entries of
//! its rows. Its headings are added to every unit anyway.
//!
//! A table's rows are sentences, and are found as such; the description is for questions about the
//! table as a whole ("which plans are there?"), whose words stand in no single row.

use crate::document::table::{self, Table};
use crate::document::{BlockKind, Derived, DerivedKind, Loaded, Structure};

/// Rows whose first entry is named: enough to say what kind of things the rows are.
const NAMED_ROWS: usize = 12;

/// Characters of one entry that are used; more is a sentence, which is found as one.
const LONGEST_ENTRY: usize = 40;

/// Describes every table.
pub fn describe(loaded: &Loaded, structure: &Structure) -> Vec<Derived> {
    let tables = (0..loaded.blocks.len()).filter(|&at| loaded.blocks[at].kind == BlockKind::Table);
    tables.filter_map(|at| derived(loaded, structure, at)).collect()
}

fn derived(loaded: &Loaded, structure: &Structure, at: usize) -> Option<Derived> {
    let span = loaded.blocks[at].span;
    let caption = table::caption(&loaded.text, &loaded.blocks, at).map(|caption| caption.of(&loaded.text).trim());
    let entries = entries(&head(span.of(&loaded.text)));
    let text =
        caption.into_iter().chain((!entries.is_empty()).then_some(entries.as_str())).collect::<Vec<_>>().join("\n");
    let sentences = structure.touching(span);
    (!sentences.is_empty() && !text.is_empty()).then_some(Derived {
        kind: DerivedKind::Table,
        first: sentences.start as u32,
        end: sentences.end as u32,
        text,
    })
}

/// Whether this is how a table of this text is described without a model.
pub fn is_plain(description: &str, table: &str) -> bool {
    let entries = entries(&head(table));
    // What stands before the entries is the caption; a table without entries is described by nothing else.
    entries.is_empty() || description == entries || description.ends_with(&format!("\n{entries}"))
}

/// The first rows of a table: a sheet of a million rows is not read for a dozen names.
fn head(text: &str) -> Table {
    let end = text.match_indices('\n').nth(NAMED_ROWS + 2).map_or(text.len(), |(end, _)| end);
    table::read(&text[..end]).unwrap_or_default()
}

/// The names of the columns and the first entry of each row.
fn entries(table: &Table) -> String {
    let first = |row: &Vec<String>| row.iter().find(|entry| !entry.is_empty()).cloned();
    let named = table.rows.iter().filter_map(first).take(NAMED_ROWS);
    let entries = table.header.iter().cloned().chain(named).filter(|entry| !entry.is_empty());
    entries.map(|entry| entry.chars().take(LONGEST_ENTRY).collect()).collect::<Vec<String>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split::structure;

    fn described(markdown: &str) -> Vec<(String, String)> {
        let mut read = crate::load::contract::load(&crate::load::Markdown, "a.md", markdown.as_bytes());
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
