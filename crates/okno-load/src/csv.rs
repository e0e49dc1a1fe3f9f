//! CSV and TSV: a table. The first row is its header.
//!
//! The delimiter is the one of `,` `;` tab `|` that gives the most rows the same number of columns. Fields may be
//! quoted, quotes doubled, line ends inside quotes kept as spaces; a quote that never closes ends at the end of the
//! file. Nothing is refused: real exports have rows of different lengths.

use std::path::Path;

use super::rendering::Rendering;
use super::{Loader, Sink, SkipReason, Source, has_extension, textual};
use okno_document::{Metadata, Value};

const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];
/// Rows looked at to choose the delimiter.
const SAMPLE_ROWS: usize = 20;
/// Bytes looked at: a row without end must not cost more.
const SAMPLE_BYTES: usize = 64 << 10;

/// Cells of one row; the last one takes what is beyond. A file of nothing but delimiters would take 24 times its size.
const MOST_CELLS: usize = 100_000;

/// Reads tables of delimited text.
#[derive(Debug, Clone, Copy, Default)]
pub struct Csv;

impl Loader for Csv {
    fn accepts(&self, path: &Path, head: &[u8]) -> bool {
        // Programs that export tables call them workbooks.
        let exported = has_extension(path, &["xls"]) && tabbed(head);
        (has_extension(path, &["csv", "tsv", "tab"]) || exported) && textual(path, head)
    }

    fn load(&self, source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason> {
        let text = source.text()?;
        let tabs = has_extension(source.path, &["tsv", "tab", "xls"]);
        let delimiter = if tabs { b'\t' } else { delimiter(&text) };
        let mut rendering = Rendering::default();
        let rows = render(&text, delimiter, &mut rendering);
        let mut metadata = Metadata::default();
        metadata.set("rows", Value::Number(rows as f64));
        metadata.set("title", Value::Text(source.stem()));
        out.document(rendering.finish(source, if delimiter == b'\t' { "tsv" } else { "csv" }, metadata)?);
        Ok(())
    }
}

/// Whether the first lines are cells with tabs between them. Without zero bytes, UTF-16 reads as ASCII.
fn tabbed(head: &[u8]) -> bool {
    let plain: Vec<u8> = head.iter().copied().filter(|byte| *byte != 0).collect();
    let mut lines = plain.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).take(2).peekable();
    lines.peek().is_some() && lines.all(|line| !line.trim_ascii_start().starts_with(b"<") && line.contains(&b'\t'))
}

/// Writes all rows; how many there were below the header.
fn render(text: &str, delimiter: u8, rendering: &mut Rendering) -> usize {
    let mut rows = CsvRows { text, at: 0, delimiter }.filter(|row| row.iter().any(|cell| !cell.trim().is_empty()));
    // Some exporters name their delimiter in the first line: `sep=;`.
    let header = rows.find(|row| !(row.len() <= 2 && row[0].starts_with("sep=")));
    let Some(header) = header else { return 0 };
    if header.len() < 2 {
        rendering.paragraph(&header[0]);
        return rows.inspect(|row| _ = rendering.paragraph(&row.join(" "))).count();
    }
    let mut table = rendering.open_table(&header);
    let written = rows.inspect(|row| table.row(row.iter().map(String::as_str))).count();
    table.close();
    written
}

/// The delimiter that gives the most rows the same number of columns, more than one.
fn delimiter(text: &str) -> u8 {
    let named = text.strip_prefix("sep=").and_then(|rest| rest.bytes().next());
    // Any other byte may be a part of a letter.
    if let Some(named) = named.filter(|byte| byte.is_ascii_punctuation() || matches!(byte, b'\t' | b' ')) {
        return named;
    }
    let sample = &text[..text.floor_char_boundary(SAMPLE_BYTES)];
    let even = |delimiter: u8| {
        let widths: Vec<usize> =
            CsvRows { text: sample, at: 0, delimiter }.take(SAMPLE_ROWS).map(|row| row.len()).collect();
        let first = widths.first().copied().filter(|width| *width > 1);
        first.map_or((0, 0), |first| (widths.iter().filter(|width| **width == first).count(), first))
    };
    // The first of equals: a comma.
    DELIMITERS.into_iter().rev().max_by_key(|delimiter| even(*delimiter)).unwrap_or(b',')
}

/// The rows of a text, one after the other.
struct CsvRows<'t> {
    text: &'t str,
    at: usize,
    delimiter: u8,
}

impl Iterator for CsvRows<'_> {
    type Item = Vec<String>;

    fn next(&mut self) -> Option<Vec<String>> {
        if self.at >= self.text.len() {
            return None;
        }
        let mut row = Vec::new();
        loop {
            let (cell, more) = self.cell();
            if row.len() < MOST_CELLS {
                row.push(cell);
            } else if let Some(last) = row.last_mut() {
                last.push(' ');
                last.push_str(&cell);
            }
            if !more {
                return Some(row);
            }
        }
    }
}

impl CsvRows<'_> {
    /// The next cell, and whether another one follows in its row.
    fn cell(&mut self) -> (String, bool) {
        let mut cell = String::new();
        let rest = &self.text[self.at..];
        if rest.trim_start_matches(' ').starts_with('"') {
            self.at += rest.len() - rest.trim_start_matches(' ').len() + 1;
            self.quoted(&mut cell);
        }
        let bytes = &self.text.as_bytes()[self.at..];
        let end = bytes.iter().position(|b| *b == self.delimiter || matches!(b, b'\n' | b'\r')).unwrap_or(bytes.len());
        cell.push_str(&self.text[self.at..self.at + end]);
        self.at += end;
        let more = bytes.get(end) == Some(&self.delimiter);
        let ending = if bytes[end..].starts_with(b"\r\n") { 2 } else { usize::from(end < bytes.len()) };
        self.at += ending;
        (cell, more)
    }

    /// The inside of quotes up to the closing one; doubled quotes are one.
    fn quoted(&mut self, cell: &mut String) {
        loop {
            let rest = &self.text[self.at..];
            let Some(quote) = memchr::memchr(b'"', rest.as_bytes()) else {
                cell.push_str(rest);
                self.at = self.text.len();
                return;
            };
            cell.push_str(&rest[..quote]);
            self.at += quote + 1;
            if !rest[quote + 1..].starts_with('"') {
                return;
            }
            cell.push('"');
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::load;
    use super::*;
    use okno_document::{BlockKind, Loaded, table};

    fn csv(name: &str, content: &[u8]) -> Loaded {
        load(&Csv, name, content).documents.remove(0)
    }

    #[test]
    fn quotes_and_line_ends() {
        let got =
            csv("d/prices.csv", b"name,price,note\r\n\"Tea, green\",3.50,\"say \"\"hi\"\"\nthere\"\r\nCoffee,4,|\r\n");
        assert_eq!(
            got.text,
            "| name | price | note |\n| --- | --- | --- |\n| Tea, green | 3.50 | say \"hi\" there |\n| Coffee | 4 | \
             \\| |\n"
        );
        assert_eq!(got.blocks.len(), 1);
        assert_eq!(got.blocks[0].kind, BlockKind::Table);
        assert_eq!(got.title, "prices");
        assert_eq!(got.metadata.get("rows"), Some(&Value::Number(2.0)));
        assert_eq!(table::read(&got.text).unwrap().rows[1], ["Coffee", "4", "|"]);
    }

    #[test]
    fn delimiters_and_encodings_are_found_out() {
        for (content, cell) in [
            ("a;b\n1,5;2\n3,1;4\n", "1,5"),
            ("a\tb\n1,5\t2\n", "1,5"),
            ("a|b\n1,5|2\n", "1,5"),
            ("sep=;\na;b\n1,5;2\n", "1,5"),
        ] {
            let got = csv("a.csv", content.as_bytes());
            assert_eq!(table::read(&got.text).unwrap().rows[0][0], cell, "{content}");
        }
        let gbk = encoding_rs::GB18030.encode("姓名,城市,备注\n张三,北京,这是一个简单的中文表格\n").0.into_owned();
        assert!(csv("a.csv", &gbk).text.contains("| 张三 | 北京 |"));
    }

    /// The first byte of a letter was taken for the delimiter, and the next cell began inside of it.
    #[test]
    fn a_delimiter_that_is_a_letter_is_none() {
        for content in ["sep=中\n中国,北京\n甲,乙\n", "sep=\na,b\n1,2\n", "sep="] {
            load(&Csv, "a.csv", content.as_bytes());
        }
        assert!(csv("a.csv", "sep=中\na,b\n甲,乙\n".as_bytes()).text.contains("| 甲 | 乙 |"));
    }

    #[test]
    fn an_open_quote_and_uneven_rows_lose_nothing() {
        let got = csv("a.csv", b"a,b\n1\n1,2,3\n\"open,4\n5,6");
        assert!(got.text.contains("| 1 | 2 | 3 |") && got.text.contains("| open,4 5,6 |"), "{}", got.text);
        assert!(!Csv.accepts(Path::new("a.csv"), b"PK\x03\x04"));
    }
}
