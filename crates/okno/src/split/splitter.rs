//! Every way of cutting a text, as exact spans.
//!
//! In comes a [`Text`] with the blocks its loader saw, out come [`Piece`]s: ordered byte spans of that very text, on
//! character boundaries, without white space at their ends, covering every other character. A piece knows the
//! headings above it where the splitter cuts at headings, and its parent where there is one. No text is copied,
//! trimmed, joined or repaired.
//!
//! Three kinds, by what they cut between:
//!
//! - *runs of sentences*: `sentence`, `sentences:3`, `window:2`, `paragraph`, `section`, `chunk:400c/200c` are the
//!   [`Layer`]s of the
//!   index, and `tokens:512t/64t`, `hierarchy:3000c/500c`, `semantic` pack the same sentences by the same function.
//!   Where a size is a
//!   promise – a model reads no more than 512 tokens – a sentence that is larger alone is cut; in a layer it stays
//!   whole.
//! - *headings*: `markdown`, `html` (every level; `markdown:2` for the first two).
//! - *characters*: `recursive:3000c/300c`, `chars:400/200`, `words:200/40`, and `code:1500c` by its blank lines.
//!
//! Only layers are searched: their units are whole sentences, so that they can be scored and merged without being
//! stored. `sentences:N` is one. The others are for `okno split` and for programs that bring their own index.
//!
//! Why not the crate `text-splitter`: see [`recursive`].

#[cfg(doctest)]
#[doc = include_str!("../../../../docs/add-a-splitter.md")]
struct AddASplitter;

mod code;
mod cut;
mod fixed;
mod measure;
mod name;
mod pack;
mod recursive;
mod sections;
mod semantic;
#[cfg(test)]
mod tests;

pub use measure::{Count, WordPiece};
pub use name::SplitterError;
pub use semantic::Threshold;

use super::outline;
use crate::document::{Block, BlockKind, Layer, Loaded, Size, Span};
use crate::embed::{BuiltIn, EmbedError, Embedder};
use crate::load;
use measure::CountedSize;
use std::borrow::Cow;

/// A text to be cut, and what a loader saw in it.
#[derive(Debug, Clone)]
pub struct Text<'a> {
    /// The text.
    pub text: &'a str,
    /// Its blocks: ordered, disjoint, covering every non-blank character.
    pub blocks: Cow<'a, [Block]>,
}

impl<'a> Text<'a> {
    /// A text without mark-up.
    #[must_use]
    pub fn plain(text: &'a str) -> Self {
        Self { text, blocks: load::plain_blocks(text).into() }
    }

    /// A text in Markdown.
    #[must_use]
    pub fn markdown(text: &'a str) -> Self {
        Self { text, blocks: load::markdown_blocks(text).into() }
    }

    /// A loaded document.
    #[must_use]
    pub fn of(loaded: &'a Loaded) -> Self {
        Self { text: &loaded.text, blocks: (&loaded.blocks).into() }
    }

    /// The sentences, in order. Front matter and comments are text to a splitter: what it leaves out, nobody could find
    /// again.
    fn sentences(&self) -> crate::document::Structure {
        let shown = |block: &Block| match block.kind {
            BlockKind::FrontMatter => Block { kind: BlockKind::Code, ..*block },
            BlockKind::Markup => Block { kind: BlockKind::Paragraph, ..*block },
            _ => *block,
        };
        let hidden = |block: &Block| matches!(block.kind, BlockKind::FrontMatter | BlockKind::Markup);
        if self.blocks.iter().any(hidden) {
            outline(self.text, &self.blocks.iter().map(shown).collect::<Vec<_>>())
        } else {
            outline(self.text, &self.blocks)
        }
    }
}

/// One span that a splitter made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Where it is.
    pub span: Span,
    /// The headings above it, outermost first, without their marks; empty unless the splitter cuts at headings.
    pub headings: Vec<Span>,
    /// The number of the piece it is a part of; parents come before their children.
    pub parent: Option<u32>,
}

impl From<Span> for Piece {
    fn from(span: Span) -> Self {
        Self { span, headings: Vec::new(), parent: None }
    }
}

/// A way of cutting a text. Outsiders implement this; [`Splitter`] is the closed set of ours.
///
/// The contract, which `split::contract::check` checks: pieces ascend (a parent stands before its children), lie on
/// character boundaries, hold something, start and end with something that is not white space, and together cover
/// every character that is not white space. The same text gives the same pieces. The time is linear in the text, and
/// no text at all makes it panic.
pub trait Split: Sync {
    /// The pieces of a text, in order; none if the text is blank.
    ///
    /// # Errors
    /// When a model that the splitter asks fails; nothing else can.
    fn split(&self, text: &Text<'_>) -> Result<Vec<Piece>, EmbedError>;
}

/// The splitters of this crate; `recursive:3000c/300c` is one's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Splitter {
    /// The units of a layer: `sentence`, `sentences:3`, `paragraph`, `section`, `window:2`, `chunk:400c/200c`. A
    /// sentence is indivisible.
    Layer(Layer),
    /// So many words, the last `overlap` of them again in the next: `words:200/40`. A Chinese character is a word.
    Words {
        /// The most words a piece holds.
        size: u32,
        /// How many it repeats.
        overlap: u32,
    },
    /// So many characters, cut wherever that is, but inside no grapheme: `chars:400/200`.
    Characters {
        /// The most characters a piece holds.
        size: u32,
        /// How many it repeats.
        overlap: u32,
    },
    /// As large as allowed, cut at the best place: `recursive:3000c/300c`.
    Recursive {
        /// The most a piece holds.
        size: Size,
        /// The most it repeats, in the same unit.
        overlap: u32,
    },
    /// Sentences packed up to a size that is never exceeded: `tokens:512t/64t`.
    Tokens {
        /// The most a piece holds.
        size: Size,
        /// The most it repeats, in the same unit.
        overlap: u32,
    },
    /// A piece per heading of this level or above: `markdown`, `markdown:2`.
    Markdown(u8),
    /// The same for a rendered page: `html`, `html:2`.
    Html(u8),
    /// Sentences until the subject changes: `semantic`, `semantic:95p/3000c`, `semantic:95g/3000c`.
    Semantic {
        /// When it has changed.
        threshold: Threshold,
        /// The most a piece holds.
        most: Size,
    },
    /// Parents, each followed by its children: `hierarchy:3000c/500c`.
    Hierarchy {
        /// The most a parent holds.
        parent: Size,
        /// The most a child holds, in the same unit.
        child: u32,
    },
    /// Program text: definitions packed up to a size, `code:1500c`.
    Code(Size),
}

impl Split for Splitter {
    fn split(&self, text: &Text<'_>) -> Result<Vec<Piece>, EmbedError> {
        self.split_with(text, &BuiltIn::default(), &WordPiece)
    }
}

impl Splitter {
    /// The pieces of a text, with another embedder (`semantic` asks it) or another tokenizer (sizes in tokens ask it).
    ///
    /// # Errors
    /// When the embedder fails.
    pub fn split_with(
        &self,
        text: &Text<'_>,
        embedder: &dyn Embedder,
        count: &dyn Count,
    ) -> Result<Vec<Piece>, EmbedError> {
        let measure = |size| CountedSize::new(size, count);
        let spans = match *self {
            Self::Layer(layer) => runs(text, layer, count),
            Self::Words { size, overlap } => fixed::words(text.text, size as usize, overlap as usize),
            Self::Characters { size, overlap } => fixed::characters(text.text, size as usize, overlap as usize),
            Self::Recursive { size, overlap } => recursive::split(text.text, measure(size), overlap as usize),
            Self::Tokens { size, overlap } => pack::sentences(text, measure(size), overlap as usize),
            Self::Markdown(level) | Self::Html(level) => return Ok(sections::split(text, level)),
            Self::Semantic { threshold, most } => semantic::split(text, threshold, measure(most), embedder)?,
            Self::Hierarchy { parent, child } => return Ok(pack::hierarchy(text, measure(parent), child as usize)),
            Self::Code(size) => code::split(text.text, measure(size)),
        };
        Ok(spans.into_iter().map(Piece::from).collect())
    }
}

/// The units of a layer as spans.
fn runs(text: &Text<'_>, layer: Layer, count: &dyn Count) -> Vec<Span> {
    let mut structure = text.sentences();
    if let Layer::Chunk { size: Size::Tokens(_), .. } = layer {
        for sentence in &mut structure.sentences {
            sentence.tokens = count.count(sentence.span.of(text.text)) as u32;
        }
    }
    layer.runs(&structure, text.text).into_iter().map(|run| structure.span(run)).collect()
}
