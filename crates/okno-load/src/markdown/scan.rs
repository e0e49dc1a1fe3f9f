//! Markdown text comes in; out go its blocks, as spans of that very text.
//!
//! A line scanner rather than a parser: a parser's tree is made for rendering, leaves out what it does not render
//! (reference definitions, comments) and joins lines that are paragraphs of their own. The scanner knows the block
//! rules of `CommonMark` and the tables of GFM; where documents in the wild break those rules it takes the reading
//! that a person would: a fence without an end stops where its list item stops, a comment without an end is text,
//! `##标题` is a heading. Headings inside comments and code are not headings. Time is linear in the text, also for
//! hostile ones.

use memchr::memmem;

use super::super::lines::{LineSpan, indent, lines, list_marker, underline, wiki_heading};
use super::super::paragraphs::paragraphs;
use super::marks::{atx, closes, delimiter_row, ends_tag, rule, shortcode_name, table_row};
use okno_document::{Block, BlockKind, Span};

/// Lines of one run that are looked at together: far more than any wrapped paragraph has, and it bounds the memory.
const LONGEST_RUN: usize = 4096;
/// An underline turns the lines above it into a heading; a heading has no more lines than this, a longer one is a
/// paragraph over a rule.
const HEADING_LINES: usize = 3;

/// How far behind an opening template tag its partner is looked for; a bound keeps the time linear.
const SHORTCODE_REACH: usize = 16 * 1024;

/// The blocks of `text` from byte `from` on: ordered, disjoint, covering every non-blank character.
pub(super) fn blocks(text: &str, from: usize) -> Vec<Block> {
    let mut scanner = MarkdownScanner {
        text,
        at: from,
        blocks: Vec::new(),
        run: Vec::new(),
        kind: OpenLines::Text,
        items: Vec::new(),
        endless: Endless::default(),
    };
    while let Some(line) = LineSpan::at(text, scanner.at) {
        scanner.at = line.next;
        scanner.line(line);
    }
    scanner.close();
    scanner.blocks
}

/// What the open run of lines is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OpenLines {
    Text,
    Quote,
    Item,
}

/// What was looked for once and does not occur again: keeps hostile texts from being searched over and over.
#[derive(Debug, Default)]
struct Endless {
    comment: bool,
    /// The shortest fence of backticks, and of tildes, that has no end.
    fences: [Option<usize>; 2],
    /// The closing tag that was looked for last, and where its search ended.
    shortcode: (String, usize),
}

struct MarkdownScanner<'t> {
    text: &'t str,
    at: usize,
    blocks: Vec<Block>,
    run: Vec<LineSpan>,
    kind: OpenLines,
    /// The columns where the contents of the open list items start, outermost first.
    items: Vec<usize>,
    endless: Endless,
}

impl MarkdownScanner<'_> {
    fn line(&mut self, line: LineSpan) {
        let (columns, content) = indent(line.of(self.text));
        if content.trim_start().is_empty() {
            return self.close();
        }
        let base = self.base(columns);
        let deep = columns - base >= 4;
        if deep && self.run.is_empty() {
            return self.indented_code(line, base);
        }
        if deep && !(self.kind == OpenLines::Item && list_marker(content).is_some()) {
            return self.run.push(line);
        }
        let _ = self.leaf(line, content, columns)
            || self.container(line, content, columns)
            || self.text_line(line, columns);
    }

    /// The content column of the innermost open item that a line indented by `columns` belongs to.
    fn base(&self, columns: usize) -> usize {
        self.items.iter().rev().copied().find(|content| *content <= columns).unwrap_or(0)
    }

    fn leave_items(&mut self, columns: usize) {
        while self.items.last().is_some_and(|content| *content > columns) {
            self.items.pop();
        }
    }

    /// Blocks that hold no other blocks.
    fn leaf(&mut self, line: LineSpan, content: &str, columns: usize) -> bool {
        match content.as_bytes()[0] {
            b'#' => self.heading(line, atx(content), columns),
            b'=' => self.underlined(line, content) || self.heading(line, wiki_heading(content), columns),
            b'-' if self.underlined(line, content) => true,
            b'-' | b'*' | b'_' if rule(content) => self.whole(line, BlockKind::Markup, columns),
            b'`' | b'~' => self.fence(line, line.start, content, columns),
            b'<' => self.html(line, content),
            b'{' => self.shortcode(line, content, columns),
            b'|' | b':' | b'-' => self.table(line, content),
            _ => false,
        }
    }

    fn container(&mut self, line: LineSpan, content: &str, columns: usize) -> bool {
        if !content.starts_with('>') {
            return self.item(line, content, columns);
        }
        if self.kind != OpenLines::Quote {
            self.close();
        }
        if content.trim_start_matches(['>', ' ', '\t']).is_empty() {
            self.blank_quote(line);
        } else {
            self.kind = OpenLines::Quote;
            self.add(line);
        }
        true
    }

    /// A `>` alone ends a paragraph of the quote, and stays with it: it is nothing of its own.
    fn blank_quote(&mut self, line: LineSpan) {
        let follows = !self.run.is_empty();
        self.close();
        match self.blocks.last_mut().filter(|_| follows) {
            Some(block) => {
                block.span = Span::new(block.span.range().start, line.start + line.of(self.text).trim_end().len());
            }
            None => self.emit(BlockKind::Paragraph, line.start, line.end),
        }
    }

    /// A list item starts. An ordered list interrupts a paragraph only with its number 1, as a sentence may well wrap
    /// before `1986. `
    fn item(&mut self, line: LineSpan, content: &str, columns: usize) -> bool {
        let Some(width) = list_marker(content) else { return false };
        let in_text = self.kind == OpenLines::Text && !self.run.is_empty();
        let first = content.starts_with(['-', '*', '+']) || content.starts_with("1.") || content.starts_with("1)");
        if in_text && (width == content.len() || !first) {
            return false;
        }
        self.close();
        self.leave_items(columns);
        // Five and more spaces behind a marker are an indented code; the item's content then starts one column behind
        // the marker.
        let marker = content[..width].trim_end().len();
        let step = if width == content.len() || width - marker > 4 { marker + 1 } else { width };
        self.items.push(columns + step);
        let rest = &content[width..];
        if rest.starts_with(['`', '~']) && self.fence(line, line.end - content.len(), rest, columns + step) {
            return true;
        }
        self.kind = OpenLines::Item;
        self.run.push(line);
        true
    }

    fn text_line(&mut self, line: LineSpan, columns: usize) -> bool {
        if self.kind == OpenLines::Quote {
            self.close();
        }
        if self.run.is_empty() {
            self.leave_items(columns);
            self.kind = if self.items.is_empty() { OpenLines::Text } else { OpenLines::Item };
        }
        self.add(line);
        true
    }

    fn heading(&mut self, line: LineSpan, level: Option<u8>, columns: usize) -> bool {
        level.is_some_and(|level| self.whole(line, BlockKind::Heading(level), columns))
    }

    /// A block of exactly one line.
    fn whole(&mut self, line: LineSpan, kind: BlockKind, columns: usize) -> bool {
        self.close();
        self.leave_items(columns);
        self.emit(kind, line.start, line.end);
        true
    }

    /// A line that opens or closes a pair of template tags, as `{{< note >}}`, is markup, and so is a tag that stands
    /// alone between blank lines; a tag without a partner is a word of its sentence. What `highlight` and `mermaid`
    /// enclose is code.
    fn shortcode(&mut self, line: LineSpan, content: &str, columns: usize) -> bool {
        let Some(name) = shortcode_name(content) else { return false };
        let closing = name.starts_with('/');
        let end = if closing { Some(line.end) } else { self.shortcode_end(line, name) };
        match end {
            None if self.stands_alone(line) => self.whole(line, BlockKind::Markup, columns),
            None => false,
            Some(end) if matches!(name, "highlight" | "mermaid") => {
                self.close();
                self.leave_items(columns);
                let last = LineSpan::at(self.text, end).map_or((end, end), |line| (line.end, line.next));
                self.at = last.1;
                self.emit(BlockKind::Code, line.start, last.0);
                true
            }
            Some(_) => self.whole(line, BlockKind::Markup, columns),
        }
    }

    /// Returns `true` if no text stands right before or after a line.
    fn stands_alone(&self, line: LineSpan) -> bool {
        let next = LineSpan::at(self.text, line.next);
        self.run.is_empty() && next.is_none_or(|next| next.of(self.text).trim().is_empty())
    }

    /// Where the partner of an opening tag stands; it is looked for nearby only, and no stretch of text twice for the
    /// same name.
    fn shortcode_end(&mut self, line: LineSpan, name: &str) -> Option<usize> {
        let needle = format!("/{name}");
        let (known, searched) = &self.endless.shortcode;
        let from = if *known == needle { line.next.max(searched.saturating_sub(needle.len())) } else { line.next };
        let reach = self.text.len().min(line.next + SHORTCODE_REACH);
        let rest = self.text.as_bytes().get(from..reach).unwrap_or_default();
        let opens =
            |at: &usize| matches!(self.text.as_bytes()[..from + at].trim_ascii_end(), [.., b'{', b'{', b'<' | b'%']);
        let found = memmem::find_iter(rest, needle.as_bytes()).find(opens).map(|at| from + at);
        if found.is_none() {
            self.endless.shortcode = (needle, reach);
        }
        found
    }

    fn underlined(&mut self, line: LineSpan, content: &str) -> bool {
        let Some(level) = underline(content) else { return false };
        if self.kind != OpenLines::Text || self.run.is_empty() || self.run.len() > HEADING_LINES {
            return false;
        }
        self.emit(BlockKind::Heading(level), self.run[0].start, line.end);
        self.run.clear();
        true
    }

    fn fence(&mut self, line: LineSpan, start: usize, content: &str, columns: usize) -> bool {
        let mark = content.as_bytes()[0];
        let length = content.bytes().take_while(|b| *b == mark).count();
        if length < 3 || (mark == b'`' && content[length..].contains('`')) {
            return false;
        }
        self.close();
        self.leave_items(columns);
        let end = self.fence_end(line, mark, length);
        self.emit(BlockKind::Code, start, end);
        true
    }

    /// Where the code ends; the scan goes on behind it.
    fn fence_end(&mut self, open: LineSpan, mark: u8, length: usize) -> usize {
        let known = &mut self.endless.fences[usize::from(mark == b'~')];
        if known.is_none_or(|shortest| length < shortest) {
            let closing =
                lines(self.text, open.next..self.text.len()).find(|line| closes(line.of(self.text), mark, length));
            if let Some(closing) = closing {
                self.at = closing.next;
                return closing.end;
            }
            *known = Some(length);
        }
        let inner = self.items.last().copied().unwrap_or(0);
        self.take_while(open, |content, columns| content.is_empty() || columns >= inner)
    }

    /// Takes the lines after `first` while they satisfy `goes_on` (given the content and its column); the end of the
    /// last one.
    fn take_while(&mut self, first: LineSpan, goes_on: impl Fn(&str, usize) -> bool) -> usize {
        let mut end = first.end;
        while let Some(line) = LineSpan::at(self.text, self.at) {
            let (columns, content) = indent(line.of(self.text));
            if !goes_on(content, columns) {
                break;
            }
            (self.at, end) = (line.next, line.end);
        }
        end
    }

    fn indented_code(&mut self, line: LineSpan, base: usize) {
        self.leave_items(base);
        let end = self.take_while(line, |content, columns| content.trim_start().is_empty() || columns >= base + 4);
        self.emit(BlockKind::Code, line.start, end);
    }

    fn html(&mut self, line: LineSpan, content: &str) -> bool {
        if content.starts_with("<!--") {
            return self.comment(line, content);
        }
        let opens = |tag: &str| content.get(1..=tag.len()).is_some_and(|name| name.eq_ignore_ascii_case(tag));
        let Some((tag, kind)) =
            [("table", BlockKind::Table), ("pre", BlockKind::Code)].into_iter().find(|(tag, _)| opens(tag))
        else {
            return false;
        };
        self.close();
        let done = std::cell::Cell::new(ends_tag(content, tag));
        let end = self.take_while(line, |content, _| {
            let more = !done.get() && !content.is_empty();
            done.set(done.get() || ends_tag(content, tag));
            more
        });
        self.emit(kind, line.start, end);
        true
    }

    /// A comment is markup; what stands behind it on its last line is read as a line of its own.
    fn comment(&mut self, line: LineSpan, content: &str) -> bool {
        let start = line.end - content.len();
        let open = start + 4;
        let close = (!self.endless.comment).then(|| memmem::find(&self.text.as_bytes()[open..], b"-->")).flatten();
        self.endless.comment = close.is_none();
        let Some(close) = close else { return false };
        self.close();
        let end = open + close + 3;
        let last = LineSpan::at(self.text, end).unwrap_or(LineSpan { start: end, end, next: end });
        self.at = if last.of(self.text).trim().is_empty() { last.next } else { end };
        self.emit(BlockKind::Markup, start, end);
        true
    }

    /// The line under a table's header: what is above it becomes the header, what is below with `|` its rows.
    fn table(&mut self, line: LineSpan, content: &str) -> bool {
        let header = self.run.last().copied().filter(|last| last.of(self.text).contains('|'));
        let Some(header) = header.filter(|_| delimiter_row(content)) else { return false };
        self.run.pop();
        let start = if self.kind == OpenLines::Item && self.run.is_empty() {
            indented_start(self.text, header)
        } else {
            header.start
        };
        self.close();
        let end = self.take_while(line, |content, _| {
            content.contains('|') && !content.starts_with("<!--") && atx(content).is_none()
        });
        self.emit(BlockKind::Table, start, end);
        true
    }

    fn add(&mut self, line: LineSpan) {
        if self.run.len() >= LONGEST_RUN {
            let kind = self.kind;
            self.close();
            self.kind = kind;
        }
        self.run.push(line);
    }

    /// Ends the open run: its lines become blocks.
    fn close(&mut self) {
        let run = std::mem::take(&mut self.run);
        let kind = std::mem::replace(&mut self.kind, OpenLines::Text);
        let (Some(first), Some(last)) = (run.first(), run.last()) else { return };
        if kind == OpenLines::Item {
            self.emit(BlockKind::ListItem, first.start, last.end);
        } else if run.len() > 1 && run.iter().all(|line| table_row(line.of(self.text))) {
            self.emit(BlockKind::Table, first.start, last.end);
        } else {
            let text = self.text;
            paragraphs(text, &run, |part| {
                self.emit(BlockKind::Paragraph, run[part.start].start, run[part.end - 1].end);
            });
        }
        self.run = run;
        self.run.clear();
    }

    /// Adds a block without the white space around it; code keeps its indentation.
    fn emit(&mut self, kind: BlockKind, start: usize, end: usize) {
        let text = &self.text[start..end];
        let end = start + text.trim_end().len();
        let skipped = if kind == BlockKind::Code { 0 } else { text.len() - text.trim_start().len() };
        if start + skipped < end {
            self.blocks.push(Block { kind, span: Span::new(start + skipped, end) });
        }
    }
}

fn indented_start(text: &str, line: LineSpan) -> usize {
    line.end - indent(line.of(text)).1.len()
}
