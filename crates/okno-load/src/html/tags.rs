//! What the elements of a page mean for its text, and which of them are furniture rather than content.

/// The role of an element, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    /// Never text for a reader: scripts, controls, drawings.
    Dropped,
    /// Stands alone, has no end tag.
    Void,
    Break,
    Image,
    Meta,
    Title,
    Link,
    Inline,
    /// The page itself, whatever its classes say.
    Root,
    /// Ends the line before and after it.
    Block,
    Paragraph,
    Heading(u8),
    List {
        ordered: bool,
    },
    Item,
    Term,
    Definition,
    Pre,
    Table,
    Row,
    Cell,
    Caption,
    /// Holds what the page is about.
    Main,
    Header,
    Footer,
    Nav,
    Aside,
}

impl Tag {
    pub fn of(name: &[u8]) -> Self {
        match name {
            b"script" | b"style" | b"template" | b"noscript" | b"svg" | b"iframe" | b"object" | b"button"
            | b"select" | b"textarea" | b"canvas" | b"audio" | b"video" | b"rt" | b"rp" | b"datalist"
            | b"annotation" => Self::Dropped,
            b"input" | b"link" | b"wbr" | b"area" | b"base" | b"col" | b"embed" | b"param" | b"source" | b"track" => {
                Self::Void
            }
            b"br" => Self::Break,
            b"img" => Self::Image,
            b"meta" => Self::Meta,
            b"title" => Self::Title,
            b"a" => Self::Link,
            b"p" => Self::Paragraph,
            b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" => Self::Heading(name[1] - b'0'),
            b"ul" | b"menu" | b"dl" => Self::List { ordered: false },
            b"ol" => Self::List { ordered: true },
            b"li" => Self::Item,
            b"dt" => Self::Term,
            b"dd" => Self::Definition,
            b"pre" | b"listing" | b"xmp" => Self::Pre,
            b"table" => Self::Table,
            b"tr" => Self::Row,
            b"td" | b"th" => Self::Cell,
            b"caption" | b"figcaption" => Self::Caption,
            b"main" | b"article" => Self::Main,
            b"header" => Self::Header,
            b"footer" => Self::Footer,
            b"nav" => Self::Nav,
            b"aside" => Self::Aside,
            b"html" | b"head" | b"body" => Self::Root,
            b"div" | b"section" | b"blockquote" | b"figure" | b"form" | b"fieldset" | b"details" | b"summary"
            | b"address" | b"center" | b"hr" | b"thead" | b"tbody" | b"tfoot" | b"colgroup" | b"hgroup" | b"legend"
            | b"dialog" | b"search" => Self::Block,
            _ => Self::Inline,
        }
    }

    /// Whether the element has no end tag.
    pub fn is_void(self, name: &[u8]) -> bool {
        matches!(self, Self::Void | Self::Break | Self::Image | Self::Meta) || name == b"hr"
    }

    pub fn is_inline(self) -> bool {
        matches!(self, Self::Inline | Self::Link)
    }
}

/// How sure it is that an element is furniture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Furniture {
    /// Content, as far as the mark-up tells.
    No,
    /// Its class is that of navigation, but also of boxes in books: the share of links decides.
    Perhaps,
    /// Navigation, footer, hidden, cookie notes: dropped unless it is most of the page.
    Surely,
}

/// Words of `class` and `id` that navigation carries, but boxes inside an article too.
const PERHAPS: [&str; 9] =
    ["nav", "menu", "sidebar", "toc", "tableofcontents", "contents", "banner", "related", "metadata"];
/// Words that name what is never the subject of a page.
const SURELY: [&str; 26] = [
    "navbar",
    "navigation",
    "docnav",
    "sidenav",
    "breadcrumb",
    "breadcrumbs",
    "pagination",
    "pager",
    "footer",
    "masthead",
    "navbox",
    "catlinks",
    "toolbar",
    "navheader",
    "navfooter",
    "cookie",
    "cookies",
    "consent",
    "share",
    "sharing",
    "social",
    "advert",
    "advertisement",
    "newsletter",
    "noprint",
    "popup",
];
/// Small marks inside a line: edit links, anchors, reference numbers.
const INLINE: [&str; 7] = ["editsection", "headerlink", "anchorlink", "reference", "noprint", "hash", "permalink"];
/// Roles of ARIA that are never content.
const ROLES: [&str; 8] = ["navigation", "banner", "contentinfo", "search", "menu", "menubar", "dialog", "toolbar"];

/// The attributes of a start tag that matter.
#[derive(Debug, Default)]
pub(super) struct Attributes {
    pub class: String,
    pub role: String,
    pub href: String,
    pub src: String,
    pub alt: String,
    pub title: String,
    pub lang: String,
    pub name: String,
    pub content: String,
    pub columns: usize,
    pub hidden: bool,
}

impl Attributes {
    pub fn clear(&mut self) {
        for field in [
            &mut self.class,
            &mut self.role,
            &mut self.href,
            &mut self.src,
            &mut self.alt,
            &mut self.title,
            &mut self.lang,
            &mut self.name,
            &mut self.content,
        ] {
            field.clear();
        }
        (self.columns, self.hidden) = (1, false);
    }

    pub fn set(&mut self, name: &[u8], value: &str) {
        match name {
            b"class" | b"id" => {
                self.class.push(' ');
                self.class.push_str(value);
            }
            b"role" => value.clone_into(&mut self.role),
            b"href" => value.clone_into(&mut self.href),
            b"src" => value.clone_into(&mut self.src),
            b"alt" => value.clone_into(&mut self.alt),
            b"title" => value.clone_into(&mut self.title),
            b"lang" | b"xml:lang" => value.clone_into(&mut self.lang),
            b"name" | b"property" | b"itemprop" => value.clone_into(&mut self.name),
            b"content" => value.clone_into(&mut self.content),
            b"colspan" => self.columns = value.trim().parse().unwrap_or(1),
            b"hidden" => self.hidden = value != "until-found",
            b"aria-hidden" => self.hidden |= value == "true",
            b"style" => self.hidden |= hides(value),
            _ => {}
        }
    }

    fn has_word(&self, words: &[&str]) -> bool {
        let mut own = self.class.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        own.any(|word| words.iter().any(|known| known.eq_ignore_ascii_case(word)))
    }

    /// Whether an element inside a line is a mark of the page rather than a word of the text.
    pub fn marks_inline(&self) -> bool {
        self.hidden || (!self.class.is_empty() && self.has_word(&INLINE))
    }

    pub fn furniture(&self, tag: Tag, in_article: bool) -> Furniture {
        match tag {
            _ if self.hidden || ROLES.contains(&self.role.as_str()) => Furniture::Surely,
            Tag::Nav | Tag::Footer => Furniture::Surely,
            Tag::Header if !in_article => Furniture::Surely,
            Tag::Aside => Furniture::Perhaps,
            _ if self.class.is_empty() => Furniture::No,
            _ if self.has_word(&SURELY) => Furniture::Surely,
            _ if self.has_word(&PERHAPS) => Furniture::Perhaps,
            _ => Furniture::No,
        }
    }
}

fn hides(style: &str) -> bool {
    let compact: String = style.chars().filter(|c| !c.is_whitespace()).collect();
    compact.contains("display:none") || compact.contains("visibility:hidden")
}
