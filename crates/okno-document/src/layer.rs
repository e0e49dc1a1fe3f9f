//! Layers: ways of cutting a document into units.
//!
//! Every unit made of the document's own text is a run of whole sentences, so a layer is a function
//! from [`Structure`] to runs, computed when it is asked for: nothing is stored for it, nothing is
//! indexed again when a size changes, and a chunk can never be cut inside a sentence. A sentence
//! larger than the chunk size is a chunk of its own.
//!
//! The units of a derived layer ([`super::Derived`]) have texts of their own, which are stored; they
//! stand for runs of sentences too.

use super::{DerivedKind, Span, Structure};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// A way of cutting a document into units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Layer {
    /// Every sentence: `sentence`.
    Sentence,
    /// This many sentences together, inside their section, none twice: `sentences:3`.
    Sentences(u32),
    /// Every sentence with this many on each side, inside its section: `window:2`.
    Window(u32),
    /// Every paragraph: `paragraph`.
    Paragraph,
    /// Every section: `section`.
    Section,
    /// Sentences packed up to a size, each chunk repeating up to `overlap` of the one before: `chunk:400c/200c`,
    /// `chunk:512t`.
    Chunk {
        /// The most a chunk holds.
        size: Size,
        /// The most it repeats, in the same unit.
        overlap: u32,
    },
    /// Texts made about runs of sentences: `summary`, `question`, `table`, `image`, `context`.
    Derived(DerivedKind),
}

/// A size with its unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Size {
    /// Characters (code points): `400c`.
    Characters(u32),
    /// Tokens: `512t`.
    Tokens(u32),
}

crate::messages! {
    /// Why a layer's name could not be read.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum LayerError {
        /// Not a name.
        Unknown(String) = "unknown_layer" => (
            "`{0}` is not a layer; expected `sentence`, `sentences:3`, `window:2`, `paragraph`, `section`, \
             `chunk:400c/200c`, \
             `chunk:512t`, `summary`, `question`, `table`, `image` or `context`",
            "`{0}` 不是层；可用的有 `sentence`、`sentences:3`、`window:2`、`paragraph`、`section`、`chunk:400c/200c`、\
             `chunk:512t`、`summary`、`question`、`table`、`image`、`context`",
        ),
        /// Splitting would never end.
        Overlap { /** The size asked for. */ size: u32, /** The overlap asked for. */ overlap: u32 } =
            "overlap_too_large" => (
            "chunk overlap {overlap} must be smaller than chunk size {size}; try half of it",
            "分块的重叠 {overlap} 必须小于大小 {size}；可以试试一半",
        ),
        /// Nothing fits.
        Zero = "chunk_size_zero" =>
            ("a chunk size of 0 holds nothing; try `chunk:400c`", "分块大小为 0 什么也装不下；可以试试 `chunk:400c`"),
        /// Groups of nothing.
        NoSentences = "no_sentences" => (
            "groups of 0 sentences hold nothing; try `sentences:3`",
            "每组 0 个句子什么也装不下；可以试试 `sentences:3`",
        ),
    }
}

impl Layer {
    /// A chunk layer, checked.
    pub fn chunk(size: Size, overlap: u32) -> Result<Self, LayerError> {
        match size.number() {
            0 => Err(LayerError::Zero),
            number if overlap >= number => Err(LayerError::Overlap { size: number, overlap }),
            _ => Ok(Self::Chunk { size, overlap }),
        }
    }

    /// The units of a document, in order: each a non-empty run of sentences. Starts and ends both ascend.
    /// None for a derived layer, whose units cannot be computed.
    pub fn runs(self, document: &Structure, text: &str) -> Vec<Range<usize>> {
        let count = document.sentences.len();
        match self {
            Self::Sentence => (0..count).map(|i| i..i + 1).collect(),
            Self::Sentences(number) => groups(document, number as usize),
            Self::Window(around) => (0..count).map(|i| clipped(i, around as usize, document.section(i))).collect(),
            Self::Paragraph => between(document.paragraphs.iter().copied(), count),
            Self::Section => between(document.sections.iter().map(|s| s.first), count),
            Self::Chunk { size, overlap } => chunks(&size.of(document, text), size.number() as usize, overlap as usize),
            Self::Derived(_) => Vec::new(),
        }
    }

    /// The sentence that stands for a unit: the centre of a window, the first of anything else.
    pub fn anchor(self, unit: usize, run: &Range<usize>) -> usize {
        if matches!(self, Self::Window(_)) { unit } else { run.start }
    }
}

/// The run of `around` sentences on each side of `centre`, inside `bounds`.
pub fn clipped(centre: usize, around: usize, bounds: Range<usize>) -> Range<usize> {
    centre.saturating_sub(around).max(bounds.start)..centre.saturating_add(around).saturating_add(1).min(bounds.end)
}

fn between(firsts: impl Iterator<Item = u32>, end: usize) -> Vec<Range<usize>> {
    let bounds: Vec<usize> = firsts.map(|first| first as usize).chain([end]).collect();
    bounds.windows(2).map(|pair| pair[0]..pair[1]).filter(|run| !run.is_empty()).collect()
}

/// Sections, each in groups of `number` sentences; the last of a section may be smaller.
fn groups(document: &Structure, number: usize) -> Vec<Range<usize>> {
    let sections = between(document.sections.iter().map(|s| s.first), document.sentences.len());
    let grouped = |run: Range<usize>| {
        run.clone().step_by(number).map(move |start| start..run.end.min(start.saturating_add(number)))
    };
    sections.into_iter().flat_map(grouped).collect()
}

/// Packs items of these costs into runs of at most `size`, each starting with at most `overlap` of
/// the run before. Every run ends later than the one before, so no tail repeats its predecessor.
pub fn chunks(costs: &[usize], size: usize, overlap: usize) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    while start < costs.len() {
        let end = start + fitting(costs[start..].iter(), size).max(1);
        // The repeated part must leave room for the first new sentence, or the run would add nothing.
        let floor = runs.last().map_or(0, |run| run.end);
        let end = end.max(floor + 1).min(costs.len());
        runs.push(start..end);
        if end == costs.len() {
            break;
        }
        // A sentence that is too large for a chunk stands alone.
        let repeated = size
            .checked_sub(costs[end])
            .map_or(0, |room| fitting(costs[start + 1..end].iter().rev(), room.min(overlap)));
        start = end - repeated;
    }
    runs
}

/// How many of these fit together.
fn fitting<'a>(costs: impl Iterator<Item = &'a usize>, mut room: usize) -> usize {
    costs
        .take_while(|&&cost| {
            let fits = cost <= room;
            room = room.saturating_sub(cost);
            fits
        })
        .count()
}

impl Size {
    /// The number without its unit.
    pub fn number(self) -> u32 {
        match self {
            Self::Characters(number) | Self::Tokens(number) => number,
        }
    }

    /// What each sentence costs in this unit. Characters count the blanks up to the next sentence
    /// too, so that a chunk's span is never longer than its size.
    fn of(self, document: &Structure, text: &str) -> Vec<usize> {
        let sentences = &document.sentences;
        match self {
            Self::Tokens(_) => sentences.iter().map(|s| s.tokens as usize).collect(),
            Self::Characters(_) => characters(text, sentences.iter().map(|s| s.span)),
        }
    }
}

/// The characters of each span with the blanks up to the next.
pub fn characters(text: &str, spans: impl DoubleEndedIterator<Item = Span> + Clone) -> Vec<usize> {
    let next = spans.clone().skip(1).map(|span| span.start as usize);
    let ends = next.chain(spans.clone().next_back().map(|last| last.end as usize));
    spans.zip(ends).map(|(span, end)| text[span.start as usize..end].chars().count()).collect()
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Characters(number) => write!(f, "{number}c"),
            Self::Tokens(number) => write!(f, "{number}t"),
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sentence => f.write_str("sentence"),
            Self::Sentences(number) => write!(f, "sentences:{number}"),
            Self::Window(around) => write!(f, "window:{around}"),
            Self::Paragraph => f.write_str("paragraph"),
            Self::Section => f.write_str("section"),
            Self::Derived(kind) => f.write_str(kind.name()),
            Self::Chunk { size, overlap: 0 } => write!(f, "chunk:{size}"),
            Self::Chunk { size: size @ Size::Characters(_), overlap } => write!(f, "chunk:{size}/{overlap}c"),
            Self::Chunk { size: size @ Size::Tokens(_), overlap } => write!(f, "chunk:{size}/{overlap}t"),
        }
    }
}

impl FromStr for Layer {
    type Err = LayerError;

    fn from_str(text: &str) -> Result<Self, LayerError> {
        let unknown = || LayerError::Unknown(text.to_owned());
        match text.split_once(':') {
            None => match text {
                "sentence" => Ok(Self::Sentence),
                "paragraph" => Ok(Self::Paragraph),
                "section" => Ok(Self::Section),
                name => name.parse().map(Self::Derived).map_err(|()| unknown()),
            },
            Some(("sentences", number)) => match number.parse() {
                Ok(0) => Err(LayerError::NoSentences),
                number => number.map(Self::Sentences).map_err(|_| unknown()),
            },
            Some(("window", around)) => around.parse().map(Self::Window).map_err(|_| unknown()),
            Some(("chunk" | "parent", sizes)) => {
                let (size, overlap) =
                    sizes.split_once('/').map_or((sizes, None), |(size, overlap)| (size, Some(overlap)));
                let size = size.parse().map_err(|()| unknown())?;
                let overlap = overlap.map_or(Ok(0), |o| o.parse().map(Size::number)).map_err(|()| unknown())?;
                Self::chunk(size, overlap)
            }
            Some(_) => Err(unknown()),
        }
    }
}

impl FromStr for Size {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text.strip_suffix('t') {
            Some(number) => number.parse().map(Self::Tokens).map_err(|_| ()),
            None => text.strip_suffix('c').unwrap_or(text).parse().map(Self::Characters).map_err(|_| ()),
        }
    }
}

impl TryFrom<String> for Layer {
    type Error = LayerError;

    fn try_from(text: String) -> Result<Self, LayerError> {
        text.parse()
    }
}

impl From<Layer> for String {
    fn from(layer: Layer) -> Self {
        layer.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_round_trip() {
        for name in [
            "sentence",
            "sentences:3",
            "window:2",
            "paragraph",
            "section",
            "chunk:400c/200c",
            "chunk:512t",
            "chunk:512t/64t",
            "summary",
            "image",
        ] {
            assert_eq!(name.parse::<Layer>().unwrap().to_string(), name);
        }
        assert_eq!("chunk:400/200".parse::<Layer>().unwrap().to_string(), "chunk:400c/200c");
        assert!(
            matches!("chunk:200c/200c".parse::<Layer>(), Err(LayerError::Overlap { .. })),
            "would never end (source 004)"
        );
        assert!(matches!("chunk:0c".parse::<Layer>(), Err(LayerError::Zero)));
        assert!(matches!("sentences:0".parse::<Layer>(), Err(LayerError::NoSentences)));
        for name in ["", "chunk", "chunk:", "chunk:x", "window:-1", "sentences", "chunk:4294967296c"] {
            assert!(name.parse::<Layer>().is_err(), "{name}");
        }
    }

    proptest! {
        #[test]
        fn chunks_cover_advance_and_fit(
            costs in prop::collection::vec(0..50usize, 0..60),
            size in 1..120usize,
            share in 0.0..1.0f64,
        ) {
            let overlap = ((size as f64) * share) as usize;
            let runs = chunks(&costs, size, overlap);
            let cost = |run: &Range<usize>| costs[run.clone()].iter().sum::<usize>();
            prop_assert_eq!(runs.first().map_or(0, |run| run.start), 0);
            prop_assert_eq!(runs.last().map_or(0, |run| run.end), costs.len());
            for run in &runs {
                prop_assert!(run.len() == 1 || cost(run) <= size);
            }
            for pair in runs.windows(2) {
                prop_assert!(pair[0].start < pair[1].start && pair[0].end < pair[1].end && pair[1].start <= pair[
                    0].end);
                prop_assert!(cost(&(pair[1].start..pair[0].end)) <= overlap);
            }
        }
    }
}
