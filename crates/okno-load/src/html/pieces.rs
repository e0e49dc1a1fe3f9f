//! Tokens of a page come in; out go its pieces of text in reading order, each with the region of the page it stands in.
//!
//! There is no tree. The text of a page needs little of one – which list, table, heading or region is open – and a
//! stack knows that. It is bounded, so no nesting can exhaust it, and every token costs a bounded number of steps.

use std::collections::HashMap;

use super::line::{HtmlLine, Link};
use super::own_images::OwnImages;
use super::tables::HtmlTable;
use super::tags::{Attributes, Furniture, Tag};

/// Elements deeper than this are read as if they were siblings; browsers stop at the same depth.
const DEEPEST: usize = 512;
/// A heading longer than this was never closed.
const LONGEST_HEADING: usize = 300;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PieceKind {
    Heading(u8),
    Paragraph,
    /// A list item or a further paragraph of it, at its depth (from 1); the marker is empty for the latter.
    Item {
        depth: usize,
        marker: String,
    },
    Definition,
    Code {
        language: String,
    },
    Table,
}

/// One block of text; `text` is final but for the marks of its kind.
#[derive(Debug)]
pub(super) struct HtmlPiece {
    pub kind: PieceKind,
    pub text: String,
    pub region: usize,
    /// Letters inside links, and inside links to this very page.
    pub links: usize,
    pub anchors: usize,
}

/// A part of the page that is kept or dropped as a whole.
#[derive(Debug)]
pub(super) struct Region {
    pub parent: usize,
    pub furniture: Furniture,
    /// It is, or is inside, a `main` or `article`.
    pub in_main: bool,
    pub list: bool,
}

#[derive(Debug)]
struct OpenHtmlElement {
    name: u64,
    tag: Tag,
    /// The region to return to.
    outer: usize,
}

#[derive(Debug)]
pub(super) struct Collector {
    pub pieces: Vec<HtmlPiece>,
    pub regions: Vec<Region>,
    pub title: String,
    /// Titles and captions of images, by their address.
    pub captions: HashMap<String, String>,
    /// The images that the page carries itself.
    pub own: OwnImages,
    /// The last image and how many pieces there were then: a caption beside it is its own.
    last_image: Option<(String, usize)>,
    stack: Vec<OpenHtmlElement>,
    /// Open elements beyond the deepest.
    beyond: usize,
    region: usize,
    /// The stack's height below which dropped content ends.
    dropped: Option<usize>,
    line: HtmlLine,
    heading: Option<u8>,
    code: Option<String>,
    /// Open lists: the next number of an ordered one.
    lists: Vec<Option<usize>>,
    marker: Option<String>,
    tables: Vec<HtmlTable>,
    link: Option<Link>,
}

/// FNV-1a; names only need to be told apart.
fn hash(name: &[u8]) -> u64 {
    name.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

type Test = fn(Tag) -> bool;

impl Collector {
    pub fn new() -> Self {
        let page = Region { parent: 0, furniture: Furniture::No, in_main: false, list: false };
        Self {
            pieces: Vec::new(),
            regions: vec![page],
            title: String::new(),
            captions: HashMap::new(),
            own: OwnImages::default(),
            last_image: None,
            stack: Vec::new(),
            beyond: 0,
            region: 0,
            dropped: None,
            line: HtmlLine::default(),
            heading: None,
            code: None,
            lists: Vec::new(),
            marker: None,
            tables: Vec::new(),
            link: None,
        }
    }

    pub fn start(&mut self, name: &[u8], attributes: &Attributes, self_closing: bool) {
        let tag = Tag::of(name);
        if self.dropped.is_none() {
            self.close_implied(tag);
            self.open(tag, attributes);
        }
        // XHTML closes empty elements itself; HTML ignores the slash, but an empty element has no text either way.
        let empty = tag.is_void(name) || (self_closing && !matches!(tag, Tag::Block | Tag::Paragraph | Tag::Main));
        if empty {
            return;
        }
        if self.stack.len() >= DEEPEST {
            self.beyond += 1;
            return;
        }
        self.stack.push(OpenHtmlElement { name: hash(name), tag, outer: self.region });
        if self.dropped.is_none() {
            self.enter(tag, attributes);
        }
    }

    /// An end tag closes the nearest open element of its name, and all inside it – but none outside of its table cell.
    pub fn end(&mut self, name: &[u8]) {
        if self.beyond > 0 {
            self.beyond -= 1;
            return;
        }
        let (hash, tag) = (hash(name), Tag::of(name));
        let tabular = matches!(tag, Tag::Cell | Tag::Row | Tag::Table) || name.starts_with(b"t");
        for at in (0..self.stack.len()).rev() {
            if self.stack[at].name == hash {
                return self.pop_to(at);
            }
            if !tabular && matches!(self.stack[at].tag, Tag::Cell | Tag::Table) {
                return;
            }
        }
    }

    pub fn text(&mut self, text: &str) {
        if self.dropped.is_some() {
            return;
        }
        match self.stack.last().map(|open| open.tag) {
            Some(Tag::Title) => self.title.push_str(text),
            _ if self.code.is_some() => self.line.text.push_str(text),
            _ => self.line.words(text, self.link),
        }
    }

    pub fn finish(&mut self) {
        self.pop_to(0);
        self.flush();
    }

    /// Elements that end where the next of their kind starts.
    fn close_implied(&mut self, tag: Tag) {
        let (ends, within): (Test, Test) = match tag {
            Tag::Item => (|t| t == Tag::Item, |t| matches!(t, Tag::List { .. } | Tag::Cell)),
            Tag::Term | Tag::Definition => {
                (|t| matches!(t, Tag::Term | Tag::Definition), |t| matches!(t, Tag::List { .. } | Tag::Cell))
            }
            Tag::Cell => (|t| t == Tag::Cell, |t| t == Tag::Table),
            Tag::Row => (|t| t == Tag::Row, |t| t == Tag::Table),
            _ if tag.is_inline() || matches!(tag, Tag::Break | Tag::Image | Tag::Void | Tag::Dropped) => return,
            _ => (|t| t == Tag::Paragraph, |t| !t.is_inline()),
        };
        let open = self.stack.iter().rposition(|open| ends(open.tag) || within(open.tag));
        if let Some(at) = open.filter(|at| ends(self.stack[*at].tag)) {
            self.pop_to(at);
        }
    }

    /// What a start tag means for the text before it.
    fn open(&mut self, tag: Tag, attributes: &Attributes) {
        match tag {
            Tag::Break => self.line_break(),
            Tag::Image => self.image(attributes),
            _ if tag.is_inline() || matches!(tag, Tag::Void | Tag::Dropped | Tag::Meta | Tag::Title) => {}
            // Blocks inside a heading are part of it: `<h1><div>Title</div></h1>`.
            Tag::Block | Tag::Paragraph if self.heading.is_some() => self.line.space = Some(false),
            _ => self.flush(),
        }
    }

    /// What changes inside the element, now the top of the stack.
    fn enter(&mut self, tag: Tag, attributes: &Attributes) {
        let height = self.stack.len();
        if tag == Tag::Dropped || (tag.is_inline() && attributes.marks_inline()) {
            self.dropped = Some(height);
            return;
        }
        self.enter_region(tag, attributes);
        match tag {
            Tag::Link if self.link.is_none() => self.link = Some(Link::new(height, &attributes.href)),
            Tag::Heading(level) => {
                self.leave_table();
                self.heading = Some(level);
            }
            Tag::List { ordered } => self.lists.push(ordered.then_some(1)),
            Tag::Item => self.marker = Some(self.next_marker()),
            Tag::Pre => {
                self.leave_table();
                self.code = Some(code_language(&attributes.class));
            }
            Tag::Inline => {
                if let Some(language) = self.code.as_mut().filter(|language| language.is_empty()) {
                    *language = code_language(&attributes.class);
                }
            }
            Tag::Table => {
                self.leave_table();
                self.tables.push(HtmlTable::new(self.region));
            }
            Tag::Row => {
                if let Some(table) = self.tables.last_mut() {
                    table.row();
                }
            }
            Tag::Cell => {
                if let Some(table) = self.tables.last_mut() {
                    table.cell(attributes.columns);
                }
            }
            _ => {}
        }
    }

    fn enter_region(&mut self, tag: Tag, attributes: &Attributes) {
        if tag.is_inline() || tag == Tag::Root || self.in_cell() {
            return;
        }
        let in_main = self.regions[self.region].in_main;
        let furniture = attributes.furniture(tag, in_main);
        let main = tag == Tag::Main || attributes.role == "main";
        let list = matches!(tag, Tag::List { .. }) && self.lists.is_empty();
        if furniture != Furniture::No || main || list {
            self.regions.push(Region { parent: self.region, furniture, in_main: in_main || main, list });
            self.region = self.regions.len() - 1;
        }
    }

    fn pop_to(&mut self, height: usize) {
        while self.stack.len() > height {
            if self.dropped.is_none() {
                self.end_line();
            }
            if let Some(open) = self.stack.pop() {
                self.leave(&open);
            }
        }
    }

    /// The end of the innermost element ends its line, while it is still known what it is in.
    fn end_line(&mut self) {
        match self.stack.last().map(|open| open.tag) {
            None | Some(Tag::Link | Tag::Inline | Tag::Title) => {}
            Some(Tag::Block | Tag::Paragraph) if self.heading.is_some() => self.line.space = Some(false),
            Some(_) => self.flush(),
        }
    }

    fn leave(&mut self, open: &OpenHtmlElement) {
        let height = self.stack.len() + 1;
        if let Some(dropped) = self.dropped {
            if height == dropped {
                self.dropped = None;
            }
            return;
        }
        if self.link.is_some_and(|link| link.height >= height) {
            self.link = None;
        }
        match open.tag {
            Tag::Heading(_) => self.heading = None,
            Tag::Pre => self.code = None,
            Tag::List { .. } => {
                self.lists.pop();
                self.marker = None;
            }
            Tag::Item => self.marker = None,
            Tag::Cell => self.with_table(HtmlTable::end_cell),
            Tag::Table => self.end_table(),
            _ => {}
        }
        self.region = open.outer;
    }

    fn with_table(&mut self, act: impl FnOnce(&mut HtmlTable)) {
        if let Some(table) = self.tables.last_mut() {
            act(table);
        }
    }

    fn next_marker(&mut self) -> String {
        match self.lists.last_mut() {
            Some(Some(number)) => {
                *number += 1;
                format!("{}. ", *number - 1)
            }
            _ => "- ".to_owned(),
        }
    }

    fn line_break(&mut self) {
        if self.code.is_some() {
            self.line.text.push('\n');
        } else if self.heading.is_some() || self.in_cell() {
            self.line.space = Some(false);
        } else if !self.line.text.is_empty() {
            self.line.text.push('\n');
            self.line.space = None;
        }
    }

    fn image(&mut self, attributes: &Attributes) {
        let (alt, src) = (attributes.alt.trim(), attributes.src.trim());
        // An image without a description is decoration, one that links to another page a logo.
        let logo = self.link.is_some_and(|link| !link.to_picture);
        if alt.is_empty() || src.is_empty() || attributes.hidden || logo {
            return;
        }
        let named = if OwnImages::is_own(src) { self.own.take(src) } else { Some(src.to_owned()) };
        let Some(src) = named.as_deref() else { return };
        if !attributes.title.trim().is_empty() {
            self.captions.entry(src.to_owned()).or_insert_with(|| attributes.title.trim().to_owned());
        }
        self.last_image = Some((src.to_owned(), self.pieces.len()));
        let picture = format!("![{}]({src})", alt.replace(['\n', '\r'], " "));
        self.line.words(&picture, self.link);
    }

    fn in_cell(&self) -> bool {
        self.tables.last().is_some_and(HtmlTable::collects)
    }

    /// The open line becomes a piece, or goes into the open table cell.
    fn flush(&mut self) {
        let line = std::mem::take(&mut self.line);
        if line.text.trim().is_empty() {
            return;
        }
        if let Some(table) = self.tables.last_mut().filter(|table| table.collects()) {
            return table.add(&line.text, line.links, line.anchors);
        }
        let kind = self.kind(&line.text);
        let text = match &kind {
            PieceKind::Code { .. } => line.text.trim_matches(['\n', '\r']).trim_end().to_owned(),
            PieceKind::Heading(_) => super::choose::heading_words(&line.text),
            _ => line.text.trim().to_owned(),
        };
        if self.stack.iter().rev().take(4).any(|open| open.tag == Tag::Caption) {
            self.caption(&text);
        }
        self.pieces.push(HtmlPiece { kind, text, region: self.region, links: line.links, anchors: line.anchors });
    }

    /// A caption belongs to the image right before it.
    fn caption(&mut self, text: &str) {
        if let Some((src, _)) = self.last_image.take_if(|(_, pieces)| self.pieces.len() <= *pieces + 1) {
            self.captions.insert(src, text.to_owned());
        }
    }

    fn kind(&mut self, text: &str) -> PieceKind {
        if let Some(language) = &self.code {
            return PieceKind::Code { language: language.clone() };
        }
        if let Some(level) = self.heading.filter(|_| text.len() <= LONGEST_HEADING) {
            return PieceKind::Heading(level);
        }
        let inner = self
            .stack
            .iter()
            .rev()
            .map(|open| open.tag)
            .find(|tag| matches!(tag, Tag::Item | Tag::Definition | Tag::Term | Tag::Cell));
        match inner {
            Some(Tag::Item) => {
                PieceKind::Item { depth: self.lists.len().max(1), marker: self.marker.take().unwrap_or_default() }
            }
            Some(Tag::Definition) => PieceKind::Definition,
            _ => PieceKind::Paragraph,
        }
    }

    /// A table with headings, code or tables inside is no table but a way to lay out the page: its cells are
    /// paragraphs.
    fn leave_table(&mut self) {
        if let Some(table) = self.tables.last_mut() {
            let region = table.region;
            let cells = table.dissolve();
            self.pieces.extend(cells.into_iter().map(|cell| HtmlPiece {
                kind: PieceKind::Paragraph,
                text: cell.text,
                region,
                links: cell.links,
                anchors: cell.anchors,
            }));
        }
    }

    fn end_table(&mut self) {
        let Some(mut table) = self.tables.pop() else { return };
        let region = table.region;
        if let Some((text, links, anchors)) = table.rendered() {
            let piece = HtmlPiece { kind: PieceKind::Table, text, region, links, anchors };
            return self.pieces.push(piece);
        }
        for cell in table.dissolve() {
            self.pieces.push(HtmlPiece {
                kind: PieceKind::Paragraph,
                text: cell.text,
                region,
                links: cell.links,
                anchors: cell.anchors,
            });
        }
    }
}

/// `yaml` of `class="highlight language-yaml"`.
fn code_language(class: &str) -> String {
    let named =
        class.split_whitespace().find_map(|word| word.strip_prefix("language-").or_else(|| word.strip_prefix("lang-")));
    named.unwrap_or_default().chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '#')).collect()
}
