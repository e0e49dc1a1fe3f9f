//! Names: `recursive:3000c/300c` and its like, read and written.

use super::{Splitter, Threshold};
use crate::document::{Layer, LayerError, Size};
use std::fmt;
use std::str::FromStr;

okno_document::messages! {
    /// Why a splitter's name could not be read.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum SplitterError {
        /// Not a name.
        Unknown(String) = "unknown_splitter" => (
            "`{0}` is not a splitter; expected one of `sentence`, `sentences:3`, `window:2`, `paragraph`, `section`, \
             `chunk:400c/200c`, \
             `words:200/40`, `chars:400/200`, `recursive:3000c/300c`, `tokens:512t/64t`, `markdown`, `html`, \
             `semantic:95p/3000c`, \
             `hierarchy:3000c/500c`, `code:1500c`",
            "`{0}` 不是分割器;可用的有 `sentence`、`sentences:3`、`window:2`、`paragraph`、`section`、`chunk:400c/200c`、\
             `words:200/40`、`chars:400/200`、`recursive:3000c/300c`、`tokens:512t/64t`、`markdown`、`html`、\
             `semantic:95p/3000c`、\
             `hierarchy:3000c/500c`、`code:1500c`",
        ),
        /// Splitting would never end.
        Overlap {
            /** What was asked for. */ name: String,
            /** The size asked for. */ size: u32,
            /** The overlap asked for. */ overlap: u32,
        } = "overlap_too_large" => (
            "`{name}`: overlap {overlap} must be smaller than size {size}; try half of it",
            "`{name}`:重叠 {overlap} 必须小于大小 {size};可以试试一半",
        ),
        /// Nothing fits.
        Zero { /** What was asked for. */ name: String, /** What works. */ suggestion: &'static str } = "size_zero" => (
            "`{name}`: a size of 0 holds nothing; try {suggestion}",
            "`{name}`:大小为 0 什么也装不下;可以试试 {suggestion}",
        ),
        /// Two units in one name.
        Units(String) = "two_units" => (
            "`{0}`: both sizes must be in characters (`c`) or both in tokens (`t`)",
            "`{0}`:两个大小必须同为字符(`c`)或同为词元(`t`)",
        ),
        /// A child as large as its parent.
        Child {
            /** What was asked for. */ name: String,
            /** The parent's size. */ parent: u32,
            /** The child's size. */ child: u32,
        } = "child_too_large" => (
            "`{name}`: a child of {child} must be smaller than its parent of {parent}; try a sixth of it",
            "`{name}`:子块 {child} 必须小于父块 {parent};可以试试六分之一",
        ),
        /// A layer's name with something wrong in it.
        Layer(LayerError),
    }
}

/// The deepest heading there is.
const DEEPEST: u8 = 6;

/// The name being read, for messages, and its part behind the colon.
struct WrittenName<'a> {
    name: &'a str,
    sizes: Option<&'a str>,
}

impl FromStr for Splitter {
    type Err = SplitterError;

    /// Reads a name; sizes that are left out take the values of the sources: 3000/300 recursive, 400/200 characters,
    /// 512 tokens.
    fn from_str(name: &str) -> Result<Self, SplitterError> {
        let (kind, sizes) = name.split_once(':').map_or((name, None), |(kind, sizes)| (kind, Some(sizes)));
        let given = WrittenName { name, sizes };
        match kind {
            "words" => given.numbers("200/40").map(|(size, overlap)| Self::Words { size, overlap }),
            "chars" => given.numbers("400/200").map(|(size, overlap)| Self::Characters { size, overlap }),
            "recursive" => given.sized("3000c/300c").map(|(size, overlap)| Self::Recursive { size, overlap }),
            "tokens" => given.sized("512t/64t").map(|(size, overlap)| Self::Tokens { size, overlap }),
            "markdown" => given.level().map(Self::Markdown),
            "html" => given.level().map(Self::Html),
            "semantic" => given.semantic(),
            "hierarchy" => given.hierarchy(),
            "code" => given.sized("1500c").map(|(size, _)| Self::Code(size)),
            _ => match name.parse() {
                // The units of a derived layer are stored, not cut.
                Ok(Layer::Derived(_)) | Err(LayerError::Unknown(_)) => Err(given.unknown()),
                Ok(layer) => Ok(Self::Layer(layer)),
                Err(error) => Err(SplitterError::Layer(error)),
            },
        }
    }
}

impl WrittenName<'_> {
    fn unknown(&self) -> SplitterError {
        SplitterError::Unknown(self.name.to_owned())
    }

    /// `size` or `size/overlap`, in one unit.
    fn sized(&self, default: &'static str) -> Result<(Size, u32), SplitterError> {
        let (size, overlap) = self.pair(default)?;
        let overlap = overlap.map_or(0, Size::number);
        match size.number() {
            0 => Err(SplitterError::Zero { name: self.name.to_owned(), suggestion: default }),
            number if overlap >= number => {
                Err(SplitterError::Overlap { name: self.name.to_owned(), size: number, overlap })
            }
            _ => Ok((size, overlap)),
        }
    }

    /// The same for what has only one unit.
    fn numbers(&self, default: &'static str) -> Result<(u32, u32), SplitterError> {
        match self.sized(default)? {
            (Size::Characters(size), overlap) => Ok((size, overlap)),
            (Size::Tokens(_), _) => Err(self.unknown()),
        }
    }

    /// Two sizes of one unit; without one, that of the default.
    fn pair(&self, default: &'static str) -> Result<(Size, Option<Size>), SplitterError> {
        let sizes = self.sizes.unwrap_or(default);
        let (first, second) = sizes.split_once('/').map_or((sizes, None), |(first, second)| (first, Some(second)));
        let unit = [first, default].into_iter().find_map(|text| text.chars().next_back().filter(|c| !c.is_numeric()));
        let read = |text: &str| {
            let bare = text.ends_with(|c: char| c.is_ascii_digit());
            let unit = unit.filter(|_| bare).map(String::from).unwrap_or_default();
            format!("{text}{unit}").parse::<Size>().map_err(|()| self.unknown())
        };
        let (first, second) = (read(first)?, second.map(read).transpose()?);
        let same = second.is_none_or(|second| std::mem::discriminant(&first) == std::mem::discriminant(&second));
        if same { Ok((first, second)) } else { Err(SplitterError::Units(self.name.to_owned())) }
    }

    fn level(&self) -> Result<u8, SplitterError> {
        let level = self.sizes.map_or(Ok(DEEPEST), str::parse).map_err(|_| self.unknown())?;
        if (1..=DEEPEST).contains(&level) { Ok(level) } else { Err(self.unknown()) }
    }

    fn semantic(&self) -> Result<Splitter, SplitterError> {
        let sizes = self.sizes.unwrap_or("95p");
        let (limit, most) = sizes.split_once('/').unwrap_or((sizes, "3000c"));
        let percent = |text: &str| text.parse().ok().filter(|percent| *percent <= 100).ok_or_else(|| self.unknown());
        let threshold = match limit.strip_suffix('g') {
            Some(number) => Threshold::Gradient(percent(number)?),
            None => Threshold::Percentile(percent(limit.trim_end_matches('p'))?),
        };
        let most: Size = most.parse().map_err(|()| self.unknown())?;
        if most.number() == 0 {
            return Err(SplitterError::Zero { name: self.name.to_owned(), suggestion: "semantic:95p/3000c" });
        }
        Ok(Splitter::Semantic { threshold, most })
    }

    fn hierarchy(&self) -> Result<Splitter, SplitterError> {
        let (parent, child) = self.pair("3000c/500c")?;
        // The sources' child is a sixth of its parent.
        let child = child.map_or((parent.number() / 6).max(1), Size::number);
        let name = || self.name.to_owned();
        if parent.number() == 0 || child == 0 {
            return Err(SplitterError::Zero { name: name(), suggestion: "hierarchy:3000c/500c" });
        }
        if child >= parent.number() && parent.number() > 1 {
            return Err(SplitterError::Child { name: name(), parent: parent.number(), child });
        }
        Ok(Splitter::Hierarchy { parent, child })
    }
}

impl fmt::Display for Splitter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Layer(layer) => layer.fmt(f),
            Self::Words { size, overlap } => write!(f, "words:{size}/{overlap}"),
            Self::Characters { size, overlap } => write!(f, "chars:{size}/{overlap}"),
            Self::Recursive { size, overlap } => write!(f, "recursive:{size}/{}", like(size, overlap)),
            Self::Tokens { size, overlap } => write!(f, "tokens:{size}/{}", like(size, overlap)),
            Self::Markdown(DEEPEST) => f.write_str("markdown"),
            Self::Markdown(level) => write!(f, "markdown:{level}"),
            Self::Html(DEEPEST) => f.write_str("html"),
            Self::Html(level) => write!(f, "html:{level}"),
            Self::Semantic { threshold: Threshold::Percentile(p), most } => write!(f, "semantic:{p}p/{most}"),
            Self::Semantic { threshold: Threshold::Gradient(p), most } => write!(f, "semantic:{p}g/{most}"),
            Self::Hierarchy { parent, child } => write!(f, "hierarchy:{parent}/{}", like(parent, child)),
            Self::Code(size) => write!(f, "code:{size}"),
        }
    }
}

/// A number in the unit of `size`.
fn like(size: Size, number: u32) -> Size {
    match size {
        Size::Characters(_) => Size::Characters(number),
        Size::Tokens(_) => Size::Tokens(number),
    }
}
