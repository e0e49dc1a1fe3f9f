//! Tables in a text: written as Markdown rows, read back as cells.
//!
//! Every loader renders a table the same way – one line per row, cells between `|`, a line of dashes under the header
//! – so that a row is one line, a person can read it, and a program gets its cells back with [`read`]. A `|` inside a
//! cell is written `\|`.

use super::{Block, BlockKind, Span};

/// A caption longer than this (in characters) is a paragraph of its own.
const LONGEST_CAPTION: usize = 200;

/// The cells of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    /// The names of the columns; empty where the table has none.
    pub header: Vec<String>,
    /// The rows below.
    pub rows: Vec<Vec<String>>,
}

/// Writes a row, without a line end: `| a | b |`. A cell is one line whatever it holds.
pub fn write_row<'c>(out: &mut String, cells: impl IntoIterator<Item = &'c str>) {
    out.push('|');
    for cell in cells {
        for word in cell.split_whitespace() {
            out.push(' ');
            write_word(out, word);
        }
        out.push_str(" |");
    }
}

fn write_word(out: &mut String, word: &str) {
    for (at, part) in word.split('|').enumerate() {
        if at > 0 {
            out.push_str("\\|");
        }
        out.push_str(part);
    }
}

/// Writes the line under the header.
pub fn write_rule(out: &mut String, columns: usize) {
    out.push('|');
    for _ in 0..columns {
        out.push_str(" --- |");
    }
}

/// The cells of a table block; `None` when its text is no table of `|` rows.
pub fn read(text: &str) -> Option<Table> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    let first = cells(lines.next()?)?;
    let mut table = Table::default();
    if lines.next_if(|line| is_rule(line)).is_some() {
        table.header = first;
    } else {
        table.rows.push(first);
    }
    for line in lines {
        table.rows.push(cells(line)?);
    }
    if table.header.iter().all(String::is_empty) {
        table.header.clear();
    }
    Some(table)
}

/// Whether [`read`] would read a text as a table.
pub fn is_table(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    lines.peek().is_some() && lines.all(has_bar)
}

/// Whether a line holds a `|` that is not escaped.
fn has_bar(line: &str) -> bool {
    line.match_indices('|').any(|(at, _)| !line[..at].ends_with('\\'))
}

/// The cells of one line; `None` when it holds no `|`.
fn cells(line: &str) -> Option<Vec<String>> {
    if !has_bar(line) {
        return None;
    }
    let inner = line.strip_prefix('|').unwrap_or(line);
    let mut cells = vec![String::new()];
    let mut characters = inner.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\\' if characters.next_if_eq(&'|').is_some() => push(&mut cells, '|'),
            '|' => cells.push(String::new()),
            c => push(&mut cells, c),
        }
    }
    if cells.len() > 1 && cells.last().is_some_and(|last| last.trim().is_empty()) {
        cells.pop();
    }
    Some(cells.into_iter().map(|cell| cell.trim().to_owned()).collect())
}

fn push(cells: &mut [String], c: char) {
    if let Some(cell) = cells.last_mut() {
        cell.push(c);
    }
}

/// Whether a sentence of a table is its header: a row with the line of dashes that is drawn under it.
pub fn is_header(sentence: &str) -> bool {
    sentence.rsplit_once('\n').is_some_and(|(row, rule)| row.contains('|') && is_rule(rule.trim()))
}

fn is_rule(line: &str) -> bool {
    line.contains('-') && line.contains('|') && line.bytes().all(|b| matches!(b, b'-' | b'|' | b':' | b' ' | b'\t'))
}

/// The caption of the table that is block `at`: a short paragraph beside it that calls itself one (`Table 3`, `表 3`),
/// or a short one before it that introduces it with a colon.
pub fn caption(text: &str, blocks: &[Block], at: usize) -> Option<Span> {
    let paragraph = |at: usize| {
        let block = blocks.get(at).filter(|block| block.kind == BlockKind::Paragraph)?;
        (block.span.of(text).chars().take(LONGEST_CAPTION + 1).count() <= LONGEST_CAPTION).then_some(block.span)
    };
    let (before, after) = (at.checked_sub(1).and_then(paragraph), paragraph(at + 1));
    let named = |span: &Span| names_a_table(span.of(text));
    let introduced = |span: &Span| span.of(text).trim_end().ends_with([':', '：']);
    before.filter(named).or(after.filter(named)).or(before.filter(introduced))
}

/// `Table 3: …`, `Tab. 2`, `表3-1 …`, `附表 1`: the word and then a number or a colon.
fn names_a_table(paragraph: &str) -> bool {
    let words = ["Table", "TABLE", "Tab.", "表格", "附表", "表"];
    let rest = words.iter().find_map(|word| paragraph.trim_start_matches(['*', '_']).strip_prefix(word));
    let mark = rest.and_then(|rest| rest.trim_start().chars().next());
    mark.is_some_and(|c| c.is_ascii_digit() || matches!(c, ':' | '：') || "一二三四五六七八九十IVXA".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(table: &Table) -> String {
        let mut text = String::new();
        write_row(&mut text, table.header.iter().map(String::as_str));
        text.push('\n');
        write_rule(&mut text, table.header.len());
        for row in &table.rows {
            text.push('\n');
            write_row(&mut text, row.iter().map(String::as_str));
        }
        text
    }

    fn strings(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    proptest! {
        #[test]
        fn what_was_written_is_read_back(
            rows in prop::collection::vec(prop::collection::vec("[a|\\\\中 -]{0,5}x", 2), 1..5),
        ) {
            // A backslash before a bar cannot be told from an escaped bar, in Markdown neither.
            let plain = |cell: &String| cell.split('|').map(|part| part.trim_end_matches('\\')).collect::<Vec<_>>(
                ).join("|");
            let clean = |cell: &String| plain(cell).split_whitespace().collect::<Vec<_>>().join(" ");
            let mut rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(clean).collect()).collect();
            let table = Table { header: rows.remove(0), rows };
            prop_assert_eq!(read(&written(&table)), Some(table));
        }

        #[test]
        fn any_text_can_be_asked(text in "(?s)[|a\\\\ \n-]{0,40}") {
            read(&text);
        }
    }

    #[test]
    fn rows_are_lines_and_bars_are_kept() {
        let mut text = String::new();
        write_row(&mut text, ["a\nb", "", "x|y"]);
        assert_eq!(text, "| a b | | x\\|y |");
        assert_eq!(read(&text), Some(Table { header: vec![], rows: vec![strings(&["a b", "", "x|y"])] }));
        let markdown = "Name | Age\n--- | ---:\nAda | 36";
        assert_eq!(
            read(markdown),
            Some(Table { header: strings(&["Name", "Age"]), rows: vec![strings(&["Ada", "36"])] })
        );
        assert_eq!(read("<table><tr><td>x</td></tr></table>"), None);
        assert_eq!(read(""), None);
    }

    #[test]
    fn captions_stay_with_their_table() {
        let text = "表 1 各地产量\n\n| a |\n\nTable 2: Yields.\n\nThese are the limits:\n\n| b |\n\nTables are useful.\n\n| \
            c |";
        let mut at = 0;
        let blocks: Vec<Block> = text
            .split("\n\n")
            .map(|part| {
                let span = Span::new(at, at + part.len());
                at += part.len() + 2;
                let kind = if part.starts_with('|') { BlockKind::Table } else { BlockKind::Paragraph };
                Block { kind, span }
            })
            .collect();
        let found = |at| caption(text, &blocks, at).map(|span| span.of(text));
        assert_eq!(found(1), Some("表 1 各地产量"));
        assert_eq!(found(4), Some("These are the limits:"));
        assert_eq!(found(6), None);
    }
}
