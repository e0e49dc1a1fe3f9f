//! Fonts of a PDF: codes come in, letters and widths go out.
//!
//! `hayro-font` reads `ToUnicode` tables, encodings and glyph names. What it leaves open is decided here: Chinese,
//! Japanese and Korean fonts without a `ToUnicode` table say by the name of their encoding, or of their character
//! collection, what their codes mean.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GB18030, SHIFT_JIS};
use hayro_cmap::{BfString, CMap, CMapName, CidFamily};
use hayro_font::{CMapResolverFn, Font, FontCache, FontGlyph, FontQuery, FontResolverFn, OutlineGlyph};
use hayro_syntax::object::{Array, Dict, Name, Object, String as PdfString};

/// No font has more codes; the standard counts them in two bytes.
const MOST_CODES: f64 = 70_000.0;

use super::programs;

/// What a code of a font draws.
#[derive(Debug, Clone)]
pub(super) struct DrawnCode {
    /// The letters; empty when nobody can tell.
    pub text: Rc<str>,
    /// How far the pen moves, in units of the font's size; downwards for vertical fonts.
    pub advance: f64,
}

/// A font that is in use.
pub(super) struct Face<'a> {
    font: Font<'a>,
    wide: Wide,
    pub bold: bool,
    pub vertical: bool,
    /// How large the letters of the font are in units of its size: a font that is drawn by the page may have any units.
    pub scale: f64,
    /// What its program says of its glyphs; read when it is first asked for.
    program: OnceCell<HashMap<u32, char>>,
    known: RefCell<HashMap<u32, DrawnCode>>,
}

/// What the codes of a composite font mean where it has no table of its own.
enum Wide {
    /// A simple font.
    No,
    /// A simple font of a system that wrote two bytes for a letter: its strings are in this encoding.
    TwoBytes(&'static Encoding),
    /// Codes are UTF-16.
    Unicode,
    /// Codes are bytes of this encoding.
    Legacy(&'static Encoding),
    /// Codes are the characters of a collection.
    Collection(Box<CMap>),
    /// Codes are glyphs in the order that most fonts have.
    GlyphOrder,
    Unknown,
}

/// All fonts of one document.
pub(super) struct Fonts<'a> {
    cache: FontCache<'a>,
    programs: FontResolverFn,
    cmaps: CMapResolverFn,
    faces: RefCell<HashMap<Vec<u8>, Option<Rc<Face<'a>>>>>,
}

impl<'a> Fonts<'a> {
    pub fn new() -> Self {
        let programs: FontResolverFn = Arc::new(|query| match query {
            FontQuery::Standard(font) => Some(font.get_font_data()),
            FontQuery::Fallback(query) => Some(query.pick_standard_font().get_font_data()),
        });
        let cmaps: CMapResolverFn = Arc::new(hayro_cmap::load_embedded);
        Self { cache: FontCache::new(), programs, cmaps, faces: RefCell::default() }
    }

    /// The font that a dictionary describes.
    pub fn face(&self, dict: &Dict<'a>) -> Option<Rc<Face<'a>>> {
        // The text of a dictionary stands for it: two fonts with the same one are the same font.
        let key = dict.data().to_vec();
        if let Some(face) = self.faces.borrow().get(&key) {
            return face.clone();
        }
        let font =
            (!claims_too_much(dict)).then_some(()).and_then(|()| self.cache.font(dict, &self.programs, &self.cmaps));
        let face = font.map(|font| {
            let (wide, bold, scale) = (self.wide(dict), is_bold(dict), scale(dict, &font));
            let wide =
                if matches!(wide, Wide::Unknown) && has_usual_order(dict, &font) { Wide::GlyphOrder } else { wide };
            let vertical = !font.is_horizontal();
            Rc::new(Face { vertical, font, wide, bold, scale, program: OnceCell::new(), known: RefCell::default() })
        });
        self.faces.borrow_mut().insert(key, face.clone());
        face
    }

    fn wide(&self, dict: &Dict<'a>) -> Wide {
        if dict.get::<Name<'_>>("Subtype").is_none_or(|kind| kind.as_ref() != b"Type0") {
            return old_encoding(dict).map_or(Wide::No, Wide::TwoBytes);
        }
        let named = dict.get::<Name<'_>>("Encoding").map(|name| name.as_ref().to_vec()).unwrap_or_default();
        let has = |part: &str| memchr::memmem::find(&named, part.as_bytes()).is_some();
        match () {
            () if has("UCS2") || has("UTF16") => Wide::Unicode,
            () if has("GB") => Wide::Legacy(GB18030),
            () if has("B5") => Wide::Legacy(BIG5),
            () if has("RKSJ") => Wide::Legacy(SHIFT_JIS),
            () if has("KSC") => Wide::Legacy(EUC_KR),
            () if has("EUC-") => Wide::Legacy(EUC_JP),
            () => self.collection(dict).map_or(Wide::Unknown, |map| Wide::Collection(Box::new(map))),
        }
    }

    /// The table from the characters of the font's collection to Unicode.
    fn collection(&self, dict: &Dict<'a>) -> Option<CMap> {
        let below = dict.get::<Array<'_>>("DescendantFonts")?.iter::<Dict<'_>>().next()?;
        let info = below.get::<Dict<'_>>("CIDSystemInfo")?;
        let part = |key: &str| info.get::<PdfString<'_>>(key).map(|text| text.as_bytes().to_vec());
        let name = CidFamily::from_registry_ordering(&part("Registry")?, &part("Ordering")?).ucs2_cmap()?;
        let resolver = Arc::clone(&self.cmaps);
        CMap::parse((self.cmaps)(name)?, move |name: CMapName<'_>| (resolver)(name))
    }
}

/// The first glyph of TrueType fonts that is a letter is the third, a space, and ASCII follows.
const BEFORE_ASCII: u32 = b' ' as u32 - 3;

/// Letters that are narrow, usual and wide in every font that is not of a typewriter.
const BY_WIDTH: [&[u8]; 3] = [b"ijl.,:;'!", b"abdeghnopqu", b"mwMW"];

/// The least number of letters whose widths must be known to tell an order of glyphs by them.
const MIN_WIDTHS: usize = 8;

/// Whether a font without tables of letters has its glyphs in the order of the Macintosh, as most TrueType fonts have:
/// widths tell. A narrow letter is narrower than a usual one, that is narrower than a wide one, and digits are equal.
fn has_usual_order(dict: &Dict<'_>, font: &Font<'_>) -> bool {
    let below = dict.get::<Array<'_>>("DescendantFonts").and_then(|below| below.iter::<Dict<'_>>().next());
    let Some(below) = below.filter(|below| is_named(below, "Subtype", b"CIDFontType2")) else { return false };
    if !is_named(dict, "Encoding", b"Identity-H") || dict.contains_key("ToUnicode") {
        return false;
    }
    let missing = below.get::<f64>("DW").unwrap_or(1000.0);
    let widths = |letters: &[u8]| -> Vec<f64> {
        let width = |letter: &u8| font.code_advance(u32::from(*letter) - BEFORE_ASCII).x;
        letters.iter().map(width).filter(|width| (width - missing).abs() > 0.5).collect()
    };
    let [narrow, usual, wide] = BY_WIDTH.map(widths);
    let digits = widths(b"0123456789");
    let most = |widths: &[f64]| widths.iter().copied().fold(f64::MIN, f64::max);
    let least = |widths: &[f64]| widths.iter().copied().fold(f64::MAX, f64::min);
    let known = narrow.len() + usual.len() + wide.len();
    known >= MIN_WIDTHS
        && [&narrow, &usual, &wide].iter().all(|widths| !widths.is_empty())
        && most(&narrow) < least(&usual)
        && most(&usual) < least(&wide)
        && (digits.is_empty() || most(&digits) - least(&digits) < 1.0)
}

fn is_named(dict: &Dict<'_>, key: &str, name: &[u8]) -> bool {
    dict.get::<Name<'_>>(key).is_some_and(|found| found.as_ref() == name)
}

/// Words in the names of fonts, and the encoding of the systems that had them.
const FONT_NAMES: [(&Encoding, [&str; 4]); 4] = [
    (GB18030, ["宋", "黑体", "楷体", "隶书"]),
    (BIG5, ["明體", "楷體", "黑體", "圓體"]),
    (SHIFT_JIS, ["明朝", "ゴシック", "教科書", "楷書"]),
    (EUC_KR, ["바탕", "굴림", "돋움", "명조"]),
];

/// The encoding of a font that is not embedded and whose own name is written in it. Such a file says that its codes are
/// Latin letters, one byte each: the program that wrote it did not know better.
fn old_encoding(dict: &Dict<'_>) -> Option<&'static Encoding> {
    let name = dict.get::<Name<'_>>("BaseFont")?;
    let name = name.as_ref();
    let info = dict.get::<Dict<'_>>("FontDescriptor");
    let embedded =
        info.is_some_and(|info| ["FontFile", "FontFile2", "FontFile3"].iter().any(|key| info.contains_key(*key)));
    if embedded || name.is_ascii() || std::str::from_utf8(name).is_ok() {
        return None;
    }
    let found = FONT_NAMES.iter().find(|(encoding, words)| {
        let (name, _, broken) = encoding.decode(name);
        !broken && words.iter().any(|word| name.contains(word))
    });
    found.map(|(encoding, _)| *encoding)
}

/// Whether a font names more widths than there are codes: the library would make room for all of them.
fn claims_too_much(dict: &Dict<'_>) -> bool {
    let far = |dict: &Dict<'_>, key: &str| dict.get::<f64>(key).is_some_and(|code| code.abs() > MOST_CODES);
    let wide = |dict: &Dict<'_>, key: &str| {
        let widths = dict.get::<Array<'_>>(key);
        // A range is two codes and a width, or a code and a list of widths: codes are the only large numbers.
        widths.is_some_and(|widths| {
            widths
                .iter::<Object<'_>>()
                .any(|object| matches!(object, Object::Number(n) if n.as_f64().abs() > MOST_CODES))
        })
    };
    let below = dict.get::<Array<'_>>("DescendantFonts").and_then(|below| below.iter::<Dict<'_>>().next());
    far(dict, "FirstChar") || below.is_some_and(|below| wide(&below, "W") || wide(&below, "W2"))
}

/// The size of the letters of a font that is drawn by the page, measured by how wide they are: its units are its own,
/// and where they are not the usual thousandths, a letter is half as wide as high on average.
fn scale(dict: &Dict<'_>, font: &Font<'_>) -> f64 {
    let drawn = dict.get::<Name<'_>>("Subtype").is_some_and(|kind| kind.as_ref() == b"Type3");
    let unit = dict.get::<[f64; 6]>("FontMatrix").map_or(0.001, |matrix| matrix[0].abs());
    if !drawn || (unit - 0.001).abs() < 0.0002 {
        return 1.0;
    }
    let widths: Vec<f64> = (0..256).map(|code| font.code_advance(code).x / 1000.0).filter(|w| *w > 0.0).collect();
    let mean = widths.iter().sum::<f64>() / widths.len().max(1) as f64;
    if mean.is_finite() && mean > 0.0 { mean / 0.5 } else { 1.0 }
}

fn is_bold(dict: &Dict<'_>) -> bool {
    let name = dict.get::<Name<'_>>("BaseFont").map(|name| String::from_utf8_lossy(name.as_ref()).to_ascii_lowercase());
    let weight = dict.get::<Dict<'_>>("FontDescriptor").and_then(|info| info.get::<f32>("FontWeight"));
    let words = ["bold", "black", "heavy", "semibold", "simhei", "heiti"];
    name.is_some_and(|name| words.iter().any(|word| name.contains(word)))
        || weight.is_some_and(|weight| weight >= 600.0)
}

/// The letters of a text: private use and broken characters are nobody's.
fn letters(text: &str) -> String {
    let letter = |c: &char| {
        !matches!(c, '\0' | '\u{fffd}' | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..) && (!c.is_control() || *c == '\t')
    };
    text.chars().filter(letter).collect()
}

impl Face<'_> {
    /// Reads the next code of a string; the code and its length, at least 1.
    pub fn read(&self, bytes: &[u8], at: usize) -> (u32, usize) {
        if let (Wide::TwoBytes(_), [first @ 0x81..=0xfe, second @ 0x40..=0xfe, ..]) = (&self.wide, &bytes[at..]) {
            return (u32::from(*first) << 8 | u32::from(*second), 2);
        }
        let (code, length) = self.font.read_code(bytes, at);
        (code, length.max(1))
    }

    /// What a code of this many bytes draws.
    pub fn drawn(&self, code: u32, length: usize) -> DrawnCode {
        if let Some(drawn) = self.known.borrow().get(&code) {
            return drawn.clone();
        }
        let along = |code: u32| {
            let advance = self.font.code_advance(code);
            let units = if self.vertical { advance.y } else { advance.x };
            units / 1000.0
        };
        let two = matches!(self.wide, Wide::TwoBytes(_)) && length == 2;
        let advance = if two { along(code >> 8) + along(code & 0xff) } else { along(code) };
        let drawn = DrawnCode { text: self.text(code, length).into(), advance };
        self.known.borrow_mut().insert(code, drawn.clone());
        drawn
    }

    fn text(&self, code: u32, length: usize) -> String {
        if matches!(self.wide, Wide::TwoBytes(_)) && length == 2 {
            return self.guessed(code, length).map(|text| letters(&text)).unwrap_or_default();
        }
        let glyph = self.font.glyph(self.font.map_code(code), code);
        let unicode = match &glyph {
            FontGlyph::Outline(glyph) => glyph.as_unicode(),
            FontGlyph::Type3(glyph) => glyph.as_unicode(),
        };
        let said = match unicode {
            Some(BfString::Char(c)) => letters(&c.to_string()),
            Some(BfString::String(text)) => letters(&text),
            None => String::new(),
        };
        // Some programs write a question mark for what they do not know.
        if !said.is_empty() && said != "?" {
            return said;
        }
        let embedded = || match &glyph {
            FontGlyph::Outline(glyph) => self.embedded(glyph),
            FontGlyph::Type3(_) => None,
        };
        let guessed = || self.guessed(code, length).map(|text| letters(&text)).filter(|text| !text.is_empty());
        embedded().or_else(guessed).unwrap_or(said)
    }

    /// What the embedded program says of a glyph.
    fn embedded(&self, glyph: &OutlineGlyph) -> Option<String> {
        let read = || glyph.font_data().map(|font| programs::letters((*font.data).as_ref())).unwrap_or_default();
        self.program.get_or_init(read).get(&glyph.glyph_id().to_u32()).map(char::to_string)
    }

    fn guessed(&self, code: u32, length: usize) -> Option<String> {
        match &self.wide {
            Wide::TwoBytes(_) if length < 2 => {
                char::from_u32(code).filter(|c| matches!(c, ' '..='~')).map(String::from)
            }
            Wide::No => char::from_u32(code).filter(|c| matches!(c, ' '..='~')).map(String::from),
            Wide::Unicode => char::from_u32(code).map(String::from),
            Wide::Legacy(encoding) | Wide::TwoBytes(encoding) => {
                let bytes = code.to_be_bytes();
                let (text, _, broken) = encoding.decode(&bytes[4 - length.min(4)..]);
                (!broken).then(|| text.into_owned())
            }
            Wide::Collection(map) => match map.lookup_bf_string(code)? {
                BfString::Char(c) => Some(c.to_string()),
                BfString::String(text) => Some(text),
            },
            Wide::GlyphOrder => {
                char::from_u32(code + BEFORE_ASCII).filter(|c| matches!(c, ' '..='~')).map(String::from)
            }
            Wide::Unknown => None,
        }
    }
}
