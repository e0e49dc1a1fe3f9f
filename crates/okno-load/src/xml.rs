//! XML: text with the structure that its elements give it.
//!
//! Word documents and workbooks that were saved as one XML file are read as what they are. Of other files, elements
//! that hold prose – text with marks inside of it, or elements that are called as those of books are – become
//! headings, paragraphs, items and tables; what is left is data, written as an outline of names and values, as JSON
//! is.

use std::path::Path;

use super::office::docx;
use super::office::xml::{Element, XmlEvent, walk};
use super::rendering::Rendering;
use super::{Loader, Sink, SkipReason, Source, encoding, has_extension, textual};
use okno_document::{Metadata, Value};

/// Reads XML files.
#[derive(Debug, Clone, Copy, Default)]
pub struct XmlFile;

impl Loader for XmlFile {
    fn accepts(&self, path: &Path, head: &[u8]) -> bool {
        // Without zero bytes, UTF-16 reads as ASCII.
        let plain: Vec<u8> = head.iter().copied().filter(|byte| *byte != 0 && *byte < 0x80).take(256).collect();
        let declared = plain.trim_ascii_start().starts_with(b"<?xml");
        let unnamed = path.extension().is_none() || has_extension(path, &["doc", "xls", "txt", "dat"]);
        let named =
            has_extension(path, &["xml", "rss", "atom", "fodt", "dita", "docbook", "dbk", "opml", "xliff", "nxml"]);
        (named || (unnamed && declared)) && textual(path, head) && plain.trim_ascii_start().starts_with(b"<")
    }

    fn load(&self, source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason> {
        let bytes = source.bytes()?;
        let xml = encoding::decode_hinted(&bytes, declared(&bytes))?.text;
        let mut metadata = Metadata::default();
        let rendering = match root(&xml).as_deref() {
            Some("Workbook") => workbook(&xml),
            Some("package" | "wordDocument" | "document") if xml.contains("<w:body") => docx::flat(&xml),
            _ => XmlReading::read(&xml, &mut metadata),
        };
        out.document(rendering.finish(source, "xml", metadata)?);
        Ok(())
    }
}

/// The encoding that the first line names.
fn declared(bytes: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]).into_owned();
    let rest = head.split("encoding=").nth(1)?;
    let label = rest.trim_start_matches(['"', '\'']).split(['"', '\'']).next()?;
    encoding_rs::Encoding::for_label(label.as_bytes()).filter(|encoding| encoding.is_ascii_compatible())
}

/// The name of the outermost element.
fn root(xml: &str) -> Option<String> {
    let mut found = None;
    // The first element is near the beginning.
    let head = xml.char_indices().nth(20_000).map_or(xml, |(at, _)| &xml[..at]);
    walk(head, |node| {
        if let XmlEvent::Open(element) = node {
            found.get_or_insert_with(|| element.name.to_owned());
        }
    });
    found
}

/// Cells of all sheets, and of what is repeated.
const MOST_CELLS: usize = 4_000_000;

/// A workbook in one file: every sheet is a heading and a table.
fn workbook(xml: &str) -> Rendering {
    let mut rendering = Rendering::default();
    let (mut rows, mut row, mut cell): (Vec<Vec<String>>, Vec<String>, String) = Default::default();
    let (mut in_data, mut cells) = (false, 0);
    walk(xml, |node| match node {
        XmlEvent::Open(element) => match element.name {
            "Worksheet" => {
                rendering.heading(2, &element.attribute("Name").unwrap_or_default());
                rows.clear();
            }
            "Row" => row.clear(),
            "Cell" => {
                // Cells that are empty are left out, and the next one says where it is.
                let index = element.number("Index").unwrap_or(0).min(16_384);
                let missing = index.saturating_sub(1).saturating_sub(row.len());
                cells += missing + 1;
                if cells <= MOST_CELLS {
                    row.extend((0..missing).map(|_| String::new()));
                }
                cell.clear();
            }
            "Data" => in_data = true,
            _ => {}
        },
        XmlEvent::Text(text) if in_data => cell.push_str(text),
        XmlEvent::Close("Data") => in_data = false,
        XmlEvent::Close("Cell") if cells <= MOST_CELLS => row.push(std::mem::take(&mut cell)),
        XmlEvent::Close("Row") => rows.push(std::mem::take(&mut row)),
        XmlEvent::Close("Table") => rendering.table(&std::mem::take(&mut rows)),
        XmlEvent::Text(_) | XmlEvent::Close(_) => {}
    });
    rendering
}

/// What an element is, by its name.
#[derive(Clone, Copy, PartialEq)]
enum ElementRole {
    Heading,
    Paragraph,
    Item,
    Row,
    Cell,
    Table,
    Code,
    /// A part of the document: its headings are deeper.
    Section,
    /// A word in a line.
    Inline,
    Data,
}

fn role(name: &str) -> ElementRole {
    match name.to_ascii_lowercase().as_str() {
        "title" | "head" | "heading" | "h1" | "h2" | "h3" | "h4" | "headline" | "subtitle" | "caption" => {
            ElementRole::Heading
        }
        "p" | "para" | "simpara" | "ab" | "l" | "shortdesc" | "blockquote" | "quote" | "dd" | "term" | "dt"
        | "summary" | "description" | "content" => ElementRole::Paragraph,
        "li" | "item" | "listitem" => ElementRole::Item,
        "tr" | "row" => ElementRole::Row,
        "td" | "th" | "cell" | "entry" => ElementRole::Cell,
        "table" | "informaltable" => ElementRole::Table,
        "pre" | "programlisting" | "codeblock" | "screen" => ElementRole::Code,
        "section" | "sect1" | "sect2" | "sect3" | "sect4" | "sec" | "chapter" | "part" | "div" | "div1" | "div2"
        | "topic" | "channel" | "article" | "book" | "body" => ElementRole::Section,
        "b" | "i" | "em" | "emph" | "strong" | "emphasis" | "hi" | "a" | "ref" | "link" | "xref" | "ulink" | "code"
        | "literal" | "sub" | "sup" | "span" | "q" | "u" | "tt" | "italic" | "bold" | "lb" | "br" | "ph" | "name"
        | "persname" | "placename" | "date" | "foreign" | "filename" | "command" => ElementRole::Inline,
        _ => ElementRole::Data,
    }
}

/// An open element.
struct OpenElement {
    name: String,
    /// Its name with its attributes, where it is data.
    label: String,
    role: ElementRole,
    /// Its place in the rendering has been written: a heading, the line above its members.
    written: bool,
    /// The letters of its text begin here.
    start: usize,
    /// It holds elements of its own line.
    parts: usize,
}

impl OpenElement {
    fn only_attributes(&self) -> bool {
        !self.written && self.label.len() > self.name.len()
    }
}

/// The name of an element with its attributes, which are data too.
fn labelled(element: &Element<'_>) -> String {
    let mut values = Vec::new();
    element.attributes(|name, value| {
        let technical = name.starts_with("xmlns") || name.contains(':') || name == "id" || value.trim().is_empty();
        if !technical && values.len() < MOST_ATTRIBUTES {
            values.push(format!("{name}: {}", value.trim()));
        }
    });
    if values.is_empty() { element.name.to_owned() } else { format!("{} ({})", element.name, values.join(", ")) }
}

#[derive(Default)]
struct XmlReading {
    rendering: Rendering,
    open: Vec<OpenElement>,
    text: String,
    table: Vec<Vec<String>>,
    tables: usize,
    /// The first title.
    title: Option<String>,
}

/// Attributes of one element that are shown.
const MOST_ATTRIBUTES: usize = 20;
/// Elements inside of elements that are remembered by name.
const DEEPEST: usize = 200;

impl XmlReading {
    fn read(xml: &str, metadata: &mut Metadata) -> Rendering {
        let mut reading = Self::default();
        walk(xml, |node| match node {
            XmlEvent::Open(element) => reading.begin(&element),
            XmlEvent::Text(text) => reading.text.push_str(text),
            XmlEvent::Close(name) => reading.end(name),
        });
        reading.flush(ElementRole::Paragraph);
        if let Some(title) = reading.title.take() {
            metadata.set("title", Value::Text(title));
        }
        reading.rendering
    }

    fn begin(&mut self, element: &Element<'_>) {
        let mut role = role(element.name);
        if role == ElementRole::Data {
            self.no_table(element.name);
        }
        let prose = self.in_prose();
        // A word in a line, or anything in the middle of one.
        let inline = (role == ElementRole::Inline && (prose || !self.own_text().trim().is_empty()))
            || (prose && role == ElementRole::Data);
        if inline || self.open.len() >= DEEPEST {
            return self.push(element.name, ElementRole::Inline);
        }
        // What is a word in a line elsewhere is a value here.
        role = if role == ElementRole::Inline { ElementRole::Data } else { role };
        if !matches!(role, ElementRole::Cell | ElementRole::Row) || self.tables == 0 {
            self.flush(self.open.last().map_or(ElementRole::Data, |open| open.role));
        }
        match role {
            ElementRole::Table => self.tables += 1,
            ElementRole::Row if self.tables > 0 => self.table.push(Vec::new()),
            _ => {}
        }
        if let Some(above) = self.open.last_mut() {
            above.parts += 1;
        }
        self.push(element.name, role);
        if role == ElementRole::Data
            && let Some(open) = self.open.last_mut()
        {
            open.label = labelled(element);
        }
    }

    /// Takes back that the innermost element is a table where it holds something else than rows: records of a database
    /// stand in elements that are called so.
    fn no_table(&mut self, inside: &str) {
        const GROUPS: [&str; 8] = ["tgroup", "thead", "tbody", "tfoot", "colgroup", "col", "colspec", "tabularray"];
        if GROUPS.contains(&inside.to_ascii_lowercase().as_str()) || !self.table.is_empty() {
            return;
        }
        if let Some(open) = self.open.last_mut().filter(|open| open.role == ElementRole::Table) {
            open.role = ElementRole::Data;
            self.tables -= 1;
        }
    }

    fn push(&mut self, name: &str, role: ElementRole) {
        let start = self.text.len();
        self.open.push(OpenElement {
            name: name.to_owned(),
            label: name.to_owned(),
            role,
            written: false,
            start,
            parts: 0,
        });
    }

    /// Whether the innermost element that is no word of a line holds prose.
    fn in_prose(&self) -> bool {
        let block = self.open.iter().rev().find(|open| open.role != ElementRole::Inline);
        block.is_some_and(|block| {
            matches!(
                block.role,
                ElementRole::Paragraph
                    | ElementRole::Heading
                    | ElementRole::Item
                    | ElementRole::Cell
                    | ElementRole::Code
            )
        }) && self
            .open
            .last()
            .is_some_and(|last| last.role == ElementRole::Inline || !self.own_text().trim().is_empty())
    }

    fn own_text(&self) -> &str {
        let start = self.open.iter().rev().find(|open| open.role != ElementRole::Inline).map_or(0, |open| open.start);
        self.text.get(start..).unwrap_or_default()
    }

    /// Writes the lines above data that have none yet; how deep the next line is.
    fn above(&mut self) -> usize {
        let mut depth = 0;
        let count = self.open.len();
        let mut lines = Vec::new();
        // The outermost element is the file itself.
        for (at, open) in self.open.iter_mut().enumerate().skip(1) {
            if open.role != ElementRole::Data || at + 1 == count {
                continue;
            }
            if !std::mem::replace(&mut open.written, true) {
                lines.push((depth, open.label.clone()));
            }
            depth += 1;
        }
        for (depth, name) in lines {
            self.rendering.item(depth, "-", &format!("{name}:"));
        }
        depth
    }

    fn end(&mut self, name: &str) {
        let Some(last) = self.open.last() else { return };
        if last.name != name && !self.open.iter().any(|open| open.name == name) {
            return;
        }
        while let Some(open) = self.open.last() {
            let (role, found) = (open.role, open.name == name);
            if role != ElementRole::Inline {
                self.flush(role);
            }
            // An element that has nothing but attributes.
            if role == ElementRole::Data
                && self.tables == 0
                && self.open.last().is_some_and(OpenElement::only_attributes)
            {
                let depth = self.above();
                let label = self.open.last().map_or("", |open| open.label.as_str());
                self.rendering.item(depth, "-", label);
            }
            self.open.pop();
            if role == ElementRole::Table {
                self.tables = self.tables.saturating_sub(1);
                if self.tables == 0 {
                    let rows = std::mem::take(&mut self.table);
                    self.rendering.table(&rows);
                }
            }
            if found {
                return;
            }
        }
    }

    /// Writes the text so far as what the innermost element is.
    fn flush(&mut self, role: ElementRole) {
        let text = std::mem::take(&mut self.text);
        self.open.iter_mut().for_each(|open| open.start = 0);
        let words = super::rendering::one_line(&text);
        if self.tables > 0 {
            match (role, self.table.last_mut()) {
                (ElementRole::Cell, Some(row)) => row.push(words),
                (_, Some(row)) if !words.is_empty() => match row.last_mut() {
                    Some(cell) => cell.push_str(&format!(" {words}")),
                    None => row.push(words),
                },
                _ => {}
            }
            return;
        }
        if words.is_empty() {
            return;
        }
        match role {
            ElementRole::Heading => {
                let depth = self.open.iter().filter(|open| open.role == ElementRole::Section).count();
                self.title.get_or_insert_with(|| words.clone());
                self.rendering.heading(depth.clamp(1, 6) as u8, &words);
            }
            ElementRole::Item => {
                let depth = self.open.iter().filter(|open| open.role == ElementRole::Item).count();
                self.rendering.item(depth.saturating_sub(1), "-", &words);
            }
            // The first paragraph of an item is the item.
            ElementRole::Paragraph if self.open.iter().any(|open| open.role == ElementRole::Item && !open.written) => {
                let items = self.open.iter_mut().filter(|open| open.role == ElementRole::Item);
                let depth = items.map(|open| open.written = true).count();
                self.rendering.item(depth.saturating_sub(1), "-", &words);
            }
            ElementRole::Code => super::markup::code(&mut self.rendering, "", &text),
            ElementRole::Data if self.is_value() => {
                let depth = self.above();
                let label = self.open.last().map_or("", |open| open.label.as_str());
                self.rendering.item(depth, "-", &format!("{label}: {words}"));
                self.open.iter_mut().last().into_iter().for_each(|open| open.written = true);
            }
            _ => _ = self.rendering.paragraph(&words),
        }
    }

    /// Whether the innermost element is a value of its own, and not text between elements.
    fn is_value(&self) -> bool {
        self.open.len() > 1 && self.open.last().is_some_and(|open| open.parts == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::*;

    fn xml(text: &str) -> String {
        check(&XmlFile, "a.xml", text.as_bytes()).documents.remove(0).text
    }

    #[test]
    fn prose_and_data() {
        let book = "<?xml version=\"1.0\"?><book><title>Tea</title><chapter><title>Green</title><para>Some \
            <emphasis>good</emphasis> words &amp; more.</para>\
                    <itemizedlist><listitem><para>one</para></listitem><listitem>two</listitem></itemizedlist><table>\
                    <tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>\
                    <programlisting>x = 1</programlisting></chapter></book>";
        assert_eq!(
            xml(book),
            "# Tea\n\n## Green\n\nSome good words & more.\n\n- one\n- two\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n\
             ```\nx = 1\n```\n"
        );
        let data = "<factbook><country code=\"us\"><name>United States</name><size unit=\"km\">9</size></country>\
            <country><name>Canada</name></country><end at=\"1\"/></factbook>";
        assert_eq!(
            xml(data),
            "- country (code: us):\n  - name: United States\n  - size (unit: km): 9\n- country:\n  - name: Canada\n- \
             end (at: 1)\n"
        );
    }

    #[test]
    fn a_table_of_records_is_data() {
        let records =
            "<TABLE><ROWSET><desc>row one</desc><n>1</n></ROWSET><ROWSET><desc>row two</desc></ROWSET></TABLE>";
        assert_eq!(xml(records), "- ROWSET:\n  - desc: row one\n  - n: 1\n- ROWSET:\n  - desc: row two\n");
        let grouped = "<doc><table><tgroup cols=\"2\"><tbody><row><entry>a</entry><entry>b</entry></row></tbody>\
            </tgroup></table></doc>";
        assert_eq!(xml(grouped), "| a | b |\n| --- | --- |\n");
    }

    #[test]
    fn workbooks_in_one_file() {
        let book = "<?xml version=\"1.0\"?><Workbook xmlns=\"urn:x\"><Worksheet ss:Name=\"S\"><Table><Row><Cell><Data>\
            a</Data></Cell><Cell><Data>b</Data></Cell></Row>\
                    <Row><Cell ss:Index=\"2\"><Data>2</Data></Cell></Row></Table></Worksheet></Workbook>";
        assert_eq!(xml(book), "## S\n\n| a | b |\n| --- | --- |\n| | 2 |\n");
    }
}
