//! Org (`.org`): headlines, lists, tables, blocks of code; rendered as Markdown would write it.
//!
//! Keywords of tasks, tags and drawers are for the program that edits the file and are left out, as are comments and
//! settings. Marks inside of lines are dropped; a link is its description. The crate `orgize` was looked at: it reads
//! the format well, into a tree of its own with twice as many dependencies as this loader has lines to need.

use std::path::Path;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::markup::{LineWriter, indent, marked, unmarked};
use super::{Loader, Sink, SkipReason, Source, has_extension, textual};
use okno_document::{ImageSource, Metadata, Value};

/// Reads Org files.
#[derive(Debug, Clone, Copy, Default)]
pub struct Org;

impl Loader for Org {
    fn accepts(&self, path: &Path, head: &[u8]) -> bool {
        let titled = path.extension().is_none() && head.len() > 8 && head[..8].eq_ignore_ascii_case(b"#+title:");
        (has_extension(path, &["org"]) || titled) && textual(path, head)
    }

    fn load(&self, source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason> {
        let text = source.text()?;
        let lines: Vec<&str> = text.lines().collect();
        let mut reading = OrgReading::default();
        let mut at = 0;
        while at < lines.len() {
            at = reading.element(&lines, at);
        }
        reading.end_table();
        reading.writer.end_lists();
        out.document(reading.writer.rendering.finish(source, "org", reading.metadata)?);
        Ok(())
    }
}

#[derive(Default)]
struct OrgReading {
    writer: LineWriter,
    metadata: Metadata,
    rows: Vec<Vec<String>>,
}

const IMAGES: [&str; 5] = [".png", ".jpg", ".jpeg", ".gif", ".webp"];

impl OrgReading {
    /// Reads what begins at this line; where the next begins.
    fn element(&mut self, lines: &[&str], at: usize) -> usize {
        let line = lines[at];
        let words = line.trim();
        if let Some(row) = words.strip_prefix('|') {
            self.row(row);
            return at + 1;
        }
        self.end_table();
        if words.is_empty() {
            self.writer.flush();
            return at + 1;
        }
        let stars = line.bytes().take_while(|byte| *byte == b'*').count();
        if stars > 0 && line[stars..].starts_with([' ', '\t']) {
            self.writer.heading(stars, &headline(&line[stars..]));
            return at + 1;
        }
        if words.starts_with("#+") {
            return self.keyword(lines, at);
        }
        if words.starts_with("# ") || words == "#" || words.starts_with("-----") {
            return at + 1;
        }
        if is_drawer(words) {
            let end = lines[at..].iter().take(500).position(|line| line.trim().eq_ignore_ascii_case(":end:"));
            return end.map_or(at + 1, |end| at + end + 1);
        }
        if words == ":" || words.starts_with(": ") {
            let end = at + lines[at..].iter().take_while(|line| line.trim().starts_with(':')).count();
            let code = lines[at..end].iter().map(|line| line.trim().strip_prefix(": ").unwrap_or(""));
            self.writer.code("", &code.collect::<Vec<&str>>());
            return end;
        }
        self.text(line, words);
        at + 1
    }

    fn text(&mut self, line: &str, words: &str) {
        let signs = if indent(line) > 0 { "-+*" } else { "-+" };
        if let Some((marker, rest)) = marked(words, signs) {
            let rest = inline(rest).replacen(" :: ", ": ", 1);
            return self.writer.item(indent(line), &marker, &rest);
        }
        if let Some(image) = image(words) {
            self.writer.flush();
            return self.writer.rendering.image("", "", ImageSource::Reference(image.to_owned()));
        }
        if !self.writer.is_open() && indent(line) == 0 {
            self.writer.end_lists();
        }
        self.writer.line(&inline(words));
    }

    fn keyword(&mut self, lines: &[&str], at: usize) -> usize {
        let words = lines[at].trim();
        let (name, value) = words[2..].split_once(':').unwrap_or((&words[2..], ""));
        let name = name.to_ascii_lowercase();
        if let Some(block) = name.strip_prefix("begin_") {
            let kind = block.split_whitespace().next().unwrap_or_default().to_owned();
            return self.block(&kind, lines, at);
        }
        let value = inline(value.trim());
        match name.as_str() {
            _ if value.is_empty() => {}
            "title" => self.metadata.set("title", Value::Text(value)),
            "author" => self.metadata.set("author", Value::Text(value)),
            "date" => self.metadata.set("created", Value::from_text(value.trim_matches(['<', '>', '[', ']']))),
            "language" => self.metadata.set("language", Value::Text(value)),
            "filetags" | "keywords" => {
                let tags = value.split([':', ' ', ',']).filter(|tag| !tag.is_empty());
                self.metadata.set("keywords", Value::List(tags.map(|tag| Value::Text(tag.to_owned())).collect()));
            }
            "caption" | "description" | "subtitle" => {
                self.writer.flush();
                self.writer.line(&value);
                self.writer.flush();
            }
            _ => {}
        }
        at + 1
    }

    /// A block between `#+begin_x` and `#+end_x`. Text in it is read where it is text.
    fn block(&mut self, kind: &str, lines: &[&str], at: usize) -> usize {
        self.writer.flush();
        // Quotations, verses and the like: the lines between are read as the others.
        if !matches!(kind, "src" | "example" | "export" | "comment") {
            return at + 1;
        }
        let ends = format!("#+end_{kind}");
        let end = lines[at + 1..].iter().position(|line| line.trim().eq_ignore_ascii_case(&ends));
        // A block that never ends goes on to the end.
        let end = end.map_or(lines.len(), |end| at + 1 + end);
        let language = lines[at].split_whitespace().nth(1).filter(|_| kind == "src").unwrap_or_default();
        if matches!(kind, "src" | "example") {
            self.writer.code(language, &lines[at + 1..end]);
        }
        end + 1
    }

    fn row(&mut self, row: &str) {
        if row.starts_with('-') {
            return;
        }
        self.writer.flush();
        let row = row.strip_suffix('|').unwrap_or(row);
        self.rows.push(row.split('|').map(|cell| inline(cell.trim())).collect());
    }

    fn end_table(&mut self) {
        if !self.rows.is_empty() {
            let rows = std::mem::take(&mut self.rows);
            self.writer.table(&rows);
        }
    }
}

/// `:PROPERTIES:`, `:LOGBOOK:`: a drawer opens.
fn is_drawer(words: &str) -> bool {
    let name = words.strip_prefix(':').and_then(|words| words.strip_suffix(':'));
    name.is_some_and(|name| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'))
}

/// The words of a headline: without the keyword of a task, its priority and its tags.
fn headline(words: &str) -> String {
    let words = words.trim();
    let words = ["TODO ", "DONE ", "NEXT ", "WAITING ", "CANCELLED "]
        .iter()
        .find_map(|task| words.strip_prefix(task))
        .unwrap_or(words)
        .trim_start();
    let rest = words.strip_prefix("[#").and_then(|rest| rest.split_once("] "));
    let words = rest.map_or(words, |(_, rest)| rest);
    let tagged = words
        .rsplit_once(char::is_whitespace)
        .filter(|(_, tags)| tags.len() > 2 && tags.starts_with(':') && tags.ends_with(':'));
    inline(tagged.map_or(words, |(words, _)| words.trim_end()))
}

/// The file of a line that is nothing but an image.
fn image(words: &str) -> Option<&str> {
    let to = words.strip_prefix("[[")?.strip_suffix("]]").filter(|to| !to.contains("]["))?;
    let to = to.strip_prefix("file:").unwrap_or(to);
    IMAGES.iter().any(|ending| to.to_ascii_lowercase().ends_with(ending)).then_some(to)
}

/// The words of a line without marks.
fn inline(text: &str) -> String {
    static LINKS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\[\[([^\]\[]+)\](?:\[([^\]]+)\])?\]").ok());
    static MARKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(concat!(
            r#"(^|[\s("'{-])"#,
            r"(?:\*([^\s*](?:[^*]*[^\s*])?)\*|/([^\s/](?:[^/]*[^\s/])?)/|_([^\s_](?:[^_]*[^\s_])?)_",
            r"|=([^\s=](?:[^=]*[^\s=])?)=|~([^\s~](?:[^~]*[^\s~])?)~|\+([^\s+](?:[^+]*[^\s+])?)\+)",
            r#"($|[\s)"'}.,;:!?-])"#,
        ))
        .ok()
    });
    let mut text = text.to_owned();
    if let Some(links) = LINKS.as_ref().filter(|_| text.contains("[[")) {
        let words = |found: &Captures<'_>| found.get(2).or(found.get(1)).map_or("", |words| words.as_str()).to_owned();
        text = links.replace_all(&text, words).into_owned();
    }
    match MARKS.as_ref().filter(|_| text.contains(['*', '/', '_', '=', '~', '+'])) {
        Some(marks) => unmarked(text, marks),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::*;

    #[test]
    fn headlines_lists_tables_and_blocks() {
        let text = "#+TITLE: Tea\n#+AUTHOR: Ann\n#+OPTIONS: toc:nil\n\n* TODO [#A] Green tea :drink:hot:\n\
            :PROPERTIES:\n:ID: 1\n:END:\n\
                    Some *bold* and =code= words, [[http://x.y][a link]].\nNext line.\n\n- one\n  goes on\n  - inner\n\
                    1. first\n\n** Heat\n| tea | heat |\n|-----+------|\n| green | 75 |\n\n\
                    #+BEGIN_SRC python\nprint(1)\n#+END_SRC\n# a comment\n#+begin_quote\nQuoted.\n#+end_quote\n: \
                    literal\n";
        let got = check(&Org, "a.org", text.as_bytes()).documents.remove(0);
        assert_eq!(
            got.text,
            "# Green tea\n\nSome bold and code words, a link.\nNext line.\n\n- one goes on\n  - inner\n1. first\n\n## \
             Heat\n\n| tea | heat |\n| --- | --- |\n| green | 75 |\n\n\
             ```python\nprint(1)\n```\n\nQuoted.\n\n```\nliteral\n```\n"
        );
        assert_eq!((got.title.as_str(), got.metadata.get("author")), ("Tea", Some(&Value::Text("Ann".into()))));
    }
}
