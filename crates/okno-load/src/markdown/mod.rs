//! Markdown: the decoded text unchanged, its blocks, and what its front matter says.

mod front_matter;
pub(super) mod images;
mod marks;
mod scan;
#[cfg(test)]
mod tests;

use okno_document::text::{detect_language, primary_language};
use std::path::Path;

use super::values::display;
use super::{Loader, Sink, SkipReason, Source, file_metadata, has_extension, lines, textual};
#[cfg(test)]
use okno_document::Value;
use okno_document::{Block, BlockKind, Image, Loaded, Metadata, Span};

/// Reads Markdown files: by name, or a nameless text that is plainly Markdown.
#[derive(Debug, Clone, Copy, Default)]
pub struct Markdown;

impl Loader for Markdown {
    fn accepts(&self, path: &Path, head: &[u8]) -> bool {
        let named = has_extension(path, &["md", "markdown", "mdown", "mkd", "mdx", "rmd", "qmd"]);
        let unnamed = path.extension().is_none() || has_extension(path, &["txt", "text"]);
        textual(path, head) && (named || (unnamed && looks_like_markdown(&String::from_utf8_lossy(head))))
    }

    fn load(&self, source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason> {
        let text = source.text()?;
        let page = read(&text);
        out.document(page.document(text, source, "markdown"));
        Ok(())
    }
}

/// What the Markdown reading of a text says about it.
pub(super) struct MarkdownPage {
    pub blocks: Vec<Block>,
    pub images: Vec<Image>,
    pub front_title: Option<String>,
    /// The first top-level heading.
    pub heading: Option<String>,
    pub language: Option<String>,
    pub metadata: Metadata,
}

impl MarkdownPage {
    /// The document of this text, which is of the named kind.
    pub fn document(mut self, text: String, source: &Source<'_>, kind: &str) -> Loaded {
        file_metadata(&mut self.metadata, source, kind);
        Loaded {
            id: None,
            title: self.front_title.or(self.heading).unwrap_or_else(|| source.stem()),
            language: self.language.or_else(|| detect_language(&text)),
            text,
            blocks: self.blocks,
            images: self.images,
            metadata: self.metadata,
            ..Loaded::default()
        }
    }
}

/// Reads a text as Markdown. Never fails: text without any mark-up is paragraphs.
pub(super) fn read(text: &str) -> MarkdownPage {
    let (start, mut metadata) = front_matter::front_matter(text).unwrap_or_default();
    let mut blocks = Vec::new();
    if start > 0 {
        blocks.push(Block { kind: BlockKind::FrontMatter, span: Span::new(0, text[..start].trim_end().len()) });
    }
    blocks.append(&mut scan::blocks(text, start));
    let mut taken = |key: &str| metadata.0.remove(key).as_ref().and_then(display);
    let (front_title, language) = (taken("title"), taken("lang").or_else(|| taken("language")));
    MarkdownPage {
        images: images::images(text, &blocks),
        heading: first_heading(text, &blocks),
        front_title,
        language: language.map(|tag| primary_language(&tag)),
        blocks,
        metadata,
    }
}

fn first_heading(text: &str, blocks: &[Block]) -> Option<String> {
    let first = blocks.iter().find(|block| block.kind == BlockKind::Heading(1))?;
    Some(heading_text(first.span.of(text))).filter(|title| !title.is_empty())
}

/// The words of a heading block without its marks: `## Install {#install}`, underlined and wiki headings, and emphasis.
#[must_use]
pub fn heading_text(heading: &str) -> String {
    let heading = heading.trim();
    let words = match heading.split_once(['\n', '\r']) {
        Some((words, rest)) => format!("{words} {}", rest.trim().trim_end_matches(['=', '-'])),
        None if lines::wiki_heading(heading).is_some() => heading.trim_matches(['=', ' ']).to_owned(),
        None => heading.trim_start_matches('#').trim_end_matches('#').to_owned(),
    };
    without_anchor(words.trim()).replace("**", "").replace('`', "")
}

/// A line without the name that it gives itself at its end: `Install {#install}` is `Install`.
#[must_use]
pub fn without_anchor(line: &str) -> &str {
    let words = line.trim_end();
    words.rfind("{#").filter(|&at| at > 0 && words.ends_with('}')).map_or(line, |at| words[..at].trim_end())
}

/// Two different marks of Markdown: one alone also occurs in scripts (`# comment`) and plain lists.
fn looks_like_markdown(head: &str) -> bool {
    let any = |mark: fn(&str) -> bool| head.lines().any(mark);
    let marks = [
        any(|line| marks::atx(line).is_some_and(|level| level > 1)),
        head.lines().zip(head.lines().skip(1)).any(|(line, next)| line.starts_with("# ") && next.trim().is_empty()),
        any(|line| line.starts_with("```")),
        any(|line| line.starts_with("- ") || line.starts_with("* ")),
        head.contains("](") || head.contains("**"),
        any(|line| line.starts_with("|--") || line.starts_with("| --") || line.starts_with("| :")),
    ];
    front_matter::front_matter(head).is_some() || marks.iter().filter(|mark| **mark).count() >= 2
}

/// Metadata given beside the text wins over what the text says about itself.
pub(super) fn merged(mut given: Metadata, own: Metadata) -> Metadata {
    for (key, value) in own.0 {
        given.0.entry(key).or_insert(value);
    }
    given
}
