//! `AsciiDoc` (`.adoc`): sections, lists, tables, blocks of code; rendered as Markdown would write it.
//!
//! Attributes, comments and conditions are for the program that prints the text and are left out; what a condition
//! encloses is read. Marks inside of lines are dropped; a link is its description. No maintained crate that reads the
//! whole format without its own document model was found.

use std::path::Path;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::markup::{LineWriter, indent, marked, unmarked};
use super::{Loader, Sink, SkipReason, Source, has_extension, textual};
use okno_document::{ImageSource, Metadata, Value};

/// Reads `AsciiDoc` files.
#[derive(Debug, Clone, Copy, Default)]
pub struct AsciiDoc;

impl Loader for AsciiDoc {
    fn accepts(&self, path: &Path, head: &[u8]) -> bool {
        has_extension(path, &["adoc", "asciidoc", "asc"]) && textual(path, head) && !head.starts_with(b"-----BEGIN ")
    }

    fn load(&self, source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason> {
        let text = source.text()?;
        let lines: Vec<&str> = text.lines().collect();
        let mut reading = AsciiDocReading::default();
        let mut at = 0;
        while at < lines.len() {
            at = reading.element(&lines, at);
        }
        reading.writer.end_lists();
        out.document(reading.writer.rendering.finish(source, "asciidoc", reading.metadata)?);
        Ok(())
    }
}

#[derive(Default)]
struct AsciiDocReading {
    writer: LineWriter,
    metadata: Metadata,
    /// The attributes above the next block: `[source,rust]`.
    attributes: String,
    /// Lines below the title belong to it.
    in_header: bool,
}

impl AsciiDocReading {
    /// Reads what begins at this line; where the next begins.
    fn element(&mut self, lines: &[&str], at: usize) -> usize {
        let line = lines[at].trim_end();
        let words = line.trim();
        if words.is_empty() {
            self.writer.flush();
            self.in_header = false;
            return at + 1;
        }
        if let Some(next) = self.delimited(lines, at, words) {
            return next;
        }
        if words.starts_with("//") || self.attribute(line) || self.macros(words) {
            return at + 1;
        }
        let level = line.bytes().take_while(|byte| *byte == b'=').count();
        if (1..=6).contains(&level) && line[level..].starts_with(' ') && !self.writer.is_open() {
            self.writer.heading(level, &inline(line[level..].trim().trim_end_matches(['=', ' '])));
            self.in_header = level == 1;
            self.attributes.clear();
            return at + 1;
        }
        if std::mem::take(&mut self.in_header) {
            self.author(words);
            return at + 1;
        }
        if words == "+" {
            return at + 1;
        }
        self.text(line, words);
        at + 1
    }

    /// The line below the title names the author.
    fn author(&mut self, words: &str) {
        let name = words.split(['<', ';']).next().unwrap_or_default().trim();
        if !name.starts_with(|c: char| c.is_ascii_digit() || c == 'v') {
            self.metadata.set("author", Value::Text(name.to_owned()));
        }
    }

    fn text(&mut self, line: &str, words: &str) {
        self.attributes.clear();
        let marks = words.bytes().take_while(|byte| *byte == words.as_bytes()[0]).count();
        let rest = words.get(marks..).unwrap_or_default();
        if matches!(words.as_bytes()[0], b'*' | b'.' | b'-') && marks <= 6 && rest.starts_with(' ') {
            let marker = if words.starts_with('.') { "1." } else { "-" };
            return self.writer.item_at(marks - 1, marker, &inline(rest));
        }
        if let Some((marker, rest)) = marked(words, "") {
            return self.writer.item(indent(line), &marker, &inline(rest));
        }
        if let Some((term, about)) = words.split_once(":: ").or_else(|| Some((words.strip_suffix("::")?, ""))) {
            return self.writer.item_at(0, "-", &inline(format!("{term}: {about}").trim_end()));
        }
        // `.Title` stands above a block.
        if words.starts_with('.') && words.len() > 1 && !words.starts_with("..") && !self.writer.is_open() {
            self.writer.line(&inline(&words[1..]));
            return self.writer.flush();
        }
        if !self.writer.is_open() {
            self.writer.end_lists();
        }
        self.writer.line(&inline(words.strip_suffix(" +").unwrap_or(words)));
    }

    /// `:name: value` and `[…]`; whether the line is one.
    fn attribute(&mut self, line: &str) -> bool {
        if line.starts_with('[') && line.ends_with(']') && !self.writer.is_open() {
            line[1..line.len() - 1].clone_into(&mut self.attributes);
            return true;
        }
        let Some((name, value)) = line.strip_prefix(':').and_then(|rest| rest.split_once(':')) else { return false };
        let named = name.trim_end_matches('!');
        let valid =
            !named.is_empty() && named.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_!".contains(&byte));
        if !valid || self.writer.is_open() {
            return false;
        }
        let value = value.trim();
        match named {
            _ if value.is_empty() => {}
            "author" => self.metadata.set("author", Value::Text(value.to_owned())),
            "lang" => self.metadata.set("language", Value::Text(value.to_owned())),
            "description" => self.metadata.set("description", Value::Text(value.to_owned())),
            "revdate" => self.metadata.set("created", Value::from_text(value)),
            _ => {}
        }
        true
    }

    /// Lines that are a command; whether this is one.
    fn macros(&mut self, words: &str) -> bool {
        if let Some((target, rest)) = words.strip_prefix("image::").and_then(|rest| rest.split_once('[')) {
            self.writer.flush();
            let alt = rest.trim_end_matches(']').split(',').next().unwrap_or_default().trim_matches('"');
            let alt = if alt.contains('=') { "" } else { alt };
            self.writer.rendering.image(alt, "", ImageSource::Reference(target.to_owned()));
            return true;
        }
        let commands = ["include::", "ifdef::", "ifndef::", "ifeval::", "endif::", "toc::", "video::", "audio::"];
        commands.iter().any(|command| words.starts_with(command)) || matches!(words, "'''" | "<<<" | "---" | "***")
    }

    /// A block between two lines of the same signs.
    fn delimited(&mut self, lines: &[&str], at: usize, words: &str) -> Option<usize> {
        let sign = words.bytes().next().filter(|sign| b"-.=*_/+`|,:!".contains(sign))?;
        let table = words.len() == 4 && b"|,:!".contains(&sign) && &words[1..] == "===";
        let fence = words.starts_with("```") && !words[3..].contains('`');
        let ruled = words.len() >= 4 && words.bytes().all(|byte| byte == sign) && !b"|,:!".contains(&sign);
        if !(table || fence || ruled || words == "--") {
            return None;
        }
        // What is transparent needs no end.
        if words == "--" || (ruled && matches!(sign, b'=' | b'*' | b'_')) {
            self.writer.flush();
            self.attributes.clear();
            return Some(at + 1);
        }
        let ends = if fence { "```" } else { words };
        let end = lines[at + 1..].iter().position(|line| line.trim() == ends).map_or(lines.len(), |end| at + 1 + end);
        let inner = &lines[at + 1..end];
        let attributes = std::mem::take(&mut self.attributes);
        match sign {
            _ if table => {
                let rows = if sign == b'|' { rows(inner, &attributes) } else { separated(inner, sign) };
                self.writer.table(&rows);
            }
            b'/' | b'+' => {}
            _ => {
                let named = attributes.strip_prefix("source").and_then(|rest| rest.split(',').nth(1));
                let language = if fence { &words[3..] } else { named.unwrap_or_default() };
                self.writer.code(language.trim(), inner);
            }
        }
        Some((end + 1).min(lines.len()))
    }
}

/// Cells of a table; what is beyond them is not read.
const MOST_CELLS: usize = 200_000;
/// Columns; what a table claims is believed up to this.
const MOST_COLUMNS: usize = 1000;

/// The rows of a table of pipes. How many columns it has, its attributes say, or its first line.
fn rows(lines: &[&str], attributes: &str) -> Vec<Vec<String>> {
    static CELL: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?:^|\s)(?:(\d{1,3})(?:\.\d+)?([+*]))?(?:[.<^>]*[adehlmsv]?)\|").ok());
    let Some(cell) = CELL.as_ref() else { return Vec::new() };
    let mut columns = columns(attributes);
    let mut cells: Vec<String> = Vec::new();
    for line in lines.iter().map(|line| line.trim_end()) {
        let starts: Vec<Captures<'_>> = cell.captures_iter(line).collect();
        let ends = starts.iter().skip(1).filter_map(|next| next.get(0)).map(|next| next.start()).chain([line.len()]);
        let before = starts.first().and_then(|first| first.get(0)).map_or(line.len(), |first| first.start());
        if let (Some(last), words) = (cells.last_mut(), line[..before].trim())
            && !words.is_empty()
        {
            last.push(' ');
            last.push_str(&inline(words));
        }
        for (found, end) in starts.iter().zip(ends) {
            let from = found.get(0).map_or(0, |whole| whole.end());
            let span: usize = found.get(1).and_then(|number| number.as_str().parse().ok()).unwrap_or(1);
            let words = inline(line[from..end.max(from)].trim());
            let copied = found.get(2).is_some_and(|sign| sign.as_str() == "*");
            cells.push(words.clone());
            let more = if copied { words } else { String::new() };
            cells.extend(std::iter::repeat_n(more, span.clamp(1, 100) - 1));
        }
        if columns == 0 && !cells.is_empty() {
            columns = cells.len();
        }
        if cells.len() > MOST_CELLS {
            break;
        }
    }
    let (mut rows, mut cells) = (Vec::new(), cells.into_iter().peekable());
    while cells.peek().is_some() {
        rows.push(cells.by_ref().take(columns.max(1)).collect());
    }
    rows
}

/// How many columns `cols="1,2*,3"` names; 0 where it does not say.
fn columns(attributes: &str) -> usize {
    let Some(at) = attributes.find("cols=") else { return 0 };
    let rest = &attributes[at + 5..];
    let value = match rest.strip_prefix('"') {
        Some(rest) => rest.split('"').next().unwrap_or_default(),
        None => rest.split(',').next().unwrap_or_default(),
    };
    let column = |part: &str| part.trim().split_once('*').map_or(1, |(times, _)| times.trim().parse().unwrap_or(1));
    value.split([',', ';']).map(column).fold(0usize, usize::saturating_add).min(MOST_COLUMNS)
}

/// The rows of a table that is written as delimited values.
fn separated(lines: &[&str], sign: u8) -> Vec<Vec<String>> {
    let row = |line: &&str| line.split(char::from(sign)).map(|cell| inline(cell.trim().trim_matches('"'))).collect();
    lines.iter().filter(|line| !line.trim().is_empty()).map(row).collect()
}

/// The words of a line without marks.
fn inline(text: &str) -> String {
    static LINKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?:link:|xref:|mailto:|image:|(https?://))([^\s\[\]]+)\[([^\]]*)\]",
            r"|<<([^,>]+)(?:,\s*([^>]+))?>>",
            r"|\[\[[^\]]*\]\]",
        ))
        .ok()
    });
    static MARKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(concat!(
            r#"(^|[\s("'{\[:;,-])(?:\[[\w.# -]*\])?"#,
            r"(?:\*([^\s*](?:[^*]*[^\s*])?)\*|_([^\s_](?:[^_]*[^\s_])?)_",
            r"|`\+?([^\s`](?:[^`]*?[^\s`])??)\+?`|#([^\s#](?:[^#]*[^\s#])?)#)",
            r#"($|[\s)"'}.,;:!?\]-])"#,
        ))
        .ok()
    });
    let mut text = text.to_owned();
    if let Some(links) = LINKS.as_ref().filter(|_| text.contains(['[', '<'])) {
        let words = |found: &Captures<'_>| {
            let label = found.get(3).or(found.get(5)).map(|words| words.as_str().trim_end_matches('^'));
            let address = || {
                let to = found.get(2).or(found.get(4)).map_or("", |to| to.as_str());
                format!("{}{to}", found.get(1).map_or("", |scheme| scheme.as_str()))
            };
            label.filter(|label| !label.is_empty()).map_or_else(address, str::to_owned)
        };
        text = links.replace_all(&text, words).into_owned();
    }
    match MARKS.as_ref().filter(|_| text.contains(['*', '_', '`', '#'])) {
        Some(marks) => unmarked(text, marks),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::*;

    #[test]
    fn sections_lists_tables_and_blocks() {
        let text = "= Tea\nAnn Lee <ann@example.org>\n:toc:\n:revdate: 2023-05-01\n\n== Green *tea*\n\nSome *bold* and \
            `code` words, https://x.y[a link].\nNext line.\n\n* one\n** inner\n. first\n\n\
                    term:: about\n\n[source,rust]\n----\nfn a() {}\n----\n\n// no\n////\nhidden\n////\n.Heat\n\
                    [cols=\"1,1\"]\n|===\n| tea | heat\n\n| green\n| 75\n|===\n\n====\nNOTE: Mind this.\n====\n\n\
                    image::a.png[A tree]\n";
        let got = check(&AsciiDoc, "a.adoc", text.as_bytes()).documents.remove(0);
        assert_eq!(
            got.text,
            "# Tea\n\n## Green tea\n\nSome bold and code words, a link.\nNext line.\n\n- one\n  - inner\n1. first\n- \
             term: about\n\n```rust\nfn a() {}\n```\n\nHeat\n\n\
             | tea | heat |\n| --- | --- |\n| green | 75 |\n\nNOTE: Mind this.\n\nA tree\n"
        );
        assert_eq!(got.metadata.get("author"), Some(&Value::Text("Ann Lee".into())));
    }

    #[test]
    fn columns_are_believed_within_bounds() {
        assert_eq!(columns("cols=\"3*,2\""), 4);
        assert_eq!(columns("cols=\"99999999*\""), MOST_COLUMNS);
        assert_eq!(columns("cols=2*"), 2);
    }
}
