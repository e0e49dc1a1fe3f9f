//! RTF: paragraphs with their styles, list items, tables, footnotes.
//!
//! A file is groups in braces, control words and text in the code page of the document or of its font. What a group
//! is for, its first control word says; fonts, colours, pictures, fields' codes, headers and footers are left out, as
//! is everything marked as unknown to old readers. A heading is a paragraph with an outline level or a style that is
//! called so.
//!
//! The crates that read RTF were looked at: those that are maintained give the text without structure, or fail on
//! what they do not know.

pub(super) mod code_pages;

use std::collections::HashMap;
use std::path::Path;

use code_pages::{charset, code_page};
use encoding_rs::Encoding;

use super::rendering::Rendering;
use super::{Loader, Sink, SkipReason, Source};
use okno_document::{Metadata, Value};

/// Groups inside of groups; deeper ones are read as if they were the last.
const DEEPEST: usize = 1000;
/// Cells of a table; what is beyond them is text.
const MOST_CELLS: usize = 1_000_000;

/// Reads RTF files.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rtf;

impl Loader for Rtf {
    fn accepts(&self, _: &Path, head: &[u8]) -> bool {
        head.starts_with(b"{\\rtf")
    }

    fn load(&self, source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason> {
        let bytes = source.bytes()?;
        let (rendering, metadata) = read(&bytes);
        out.document(rendering.finish(source, "rtf", metadata)?);
        Ok(())
    }
}

/// The text of RTF inside of something else, and what it says about itself.
pub(super) fn read(bytes: &[u8]) -> (Rendering, Metadata) {
    let body = reading(bytes, false);
    // A letterhead may be all that is written.
    if body.0.is_blank() { reading(bytes, true) } else { body }
}

fn reading(bytes: &[u8], heads: bool) -> (Rendering, Metadata) {
    let mut reading = RtfReader { heads, ..RtfReader::default() };
    reading.read(bytes);
    reading.end_paragraph();
    reading.end_table();
    (reading.rendering, reading.metadata)
}

/// What the text of a group is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
enum Purpose {
    #[default]
    Text,
    Nothing,
    Fonts,
    Styles,
    /// The marker of a list item.
    Marker,
    /// What the document says about itself.
    Info(&'static str),
}

/// What holds until the group ends.
#[derive(Debug, Clone, Copy)]
struct GroupState {
    purpose: Purpose,
    encoding: &'static Encoding,
    /// Letters that follow one in Unicode for those who do not know it.
    fallback: usize,
    hidden: bool,
}

impl Default for GroupState {
    fn default() -> Self {
        Self { purpose: Purpose::Text, encoding: encoding_rs::WINDOWS_1252, fallback: 1, hidden: false }
    }
}

#[derive(Debug, Default)]
struct RtfReader {
    rendering: Rendering,
    metadata: Metadata,
    state: GroupState,
    outer: Vec<GroupState>,
    /// Headers and footers are text.
    heads: bool,
    /// Open groups that are too deep.
    deeper: usize,
    /// Bytes of letters that are not whole yet.
    bytes: Vec<u8>,
    /// Half of a letter that is written as two.
    surrogate: Option<u16>,
    /// Letters still to be left out behind one in Unicode.
    skipped: usize,
    starred: bool,
    default_encoding: Option<&'static Encoding>,
    fonts: HashMap<i32, &'static Encoding>,
    font: i32,
    levels: HashMap<i32, u8>,
    style: i32,
    style_level: Option<u8>,
    text: String,
    marker: String,
    paragraph: RtfParagraph,
    row: Vec<String>,
    rows: Vec<Vec<String>>,
    cells: usize,
}

#[derive(Debug, Clone, Copy, Default)]
struct RtfParagraph {
    level: Option<u8>,
    style: i32,
    in_table: bool,
    depth: usize,
}

impl RtfReader {
    fn read(&mut self, bytes: &[u8]) {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            at += 1;
            match byte {
                b'{' => self.open(),
                b'}' => self.close(),
                b'\\' => at = self.control(bytes, at),
                b'\r' | b'\n' | 0 => {}
                _ => self.byte(byte),
            }
        }
        self.flush();
    }

    fn open(&mut self) {
        self.flush();
        if self.outer.len() < DEEPEST {
            self.outer.push(self.state);
        } else {
            self.deeper += 1;
        }
        (self.skipped, self.starred) = (0, false);
    }

    fn close(&mut self) {
        self.flush();
        (self.skipped, self.starred) = (0, false);
        match self.state.purpose {
            Purpose::Styles => self.end_style(),
            Purpose::Info(key) => self.end_info(key),
            _ => {}
        }
        if self.deeper > 0 {
            self.deeper -= 1;
        } else if let Some(outer) = self.outer.pop() {
            self.state = outer;
        }
    }

    /// Reads what follows a backslash; where it ends.
    fn control(&mut self, bytes: &[u8], at: usize) -> usize {
        let rest = &bytes[at.min(bytes.len())..];
        let letters = rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).take(32).count();
        if letters == 0 {
            return at + self.symbol(rest);
        }
        let minus = usize::from(rest.get(letters) == Some(&b'-'));
        let digits = rest[letters + minus..].iter().take_while(|byte| byte.is_ascii_digit()).take(10).count();
        let end = if digits > 0 { letters + minus + digits } else { letters };
        let word = std::str::from_utf8(&rest[..letters]).unwrap_or_default();
        let number = std::str::from_utf8(&rest[letters..end]).ok().and_then(|number| number.parse::<i64>().ok());
        let space = usize::from(rest.get(end) == Some(&b' '));
        if word == "bin" {
            let length = usize::try_from(number.unwrap_or(0)).unwrap_or(0);
            return at.saturating_add(end + space).saturating_add(length).min(bytes.len());
        }
        self.word(word, number.map(|number| number.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32));
        at + end + space
    }

    /// A control symbol; how long it is.
    fn symbol(&mut self, rest: &[u8]) -> usize {
        match rest.first() {
            Some(b'\'') => {
                let digits = rest.get(1..3).and_then(|digits| std::str::from_utf8(digits).ok());
                if let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                    self.byte(byte);
                    return 3;
                }
                1
            }
            Some(b'*') => {
                self.starred = true;
                1
            }
            Some(b'~') => self.letter('\u{a0}'),
            Some(b'_') => self.letter('-'),
            Some(byte @ (b'\\' | b'{' | b'}')) => {
                self.byte(*byte);
                1
            }
            Some(b'\r' | b'\n') => {
                self.word("par", None);
                1
            }
            Some(_) => 1,
            None => 0,
        }
    }

    fn letter(&mut self, letter: char) -> usize {
        self.flush();
        self.push(letter);
        1
    }

    /// A byte of text.
    fn byte(&mut self, byte: u8) {
        self.starred = false;
        if self.skipped > 0 {
            self.skipped -= 1;
        } else {
            self.bytes.push(byte);
        }
    }

    /// Decodes the bytes so far.
    fn flush(&mut self) {
        if !self.bytes.is_empty() {
            let bytes = std::mem::take(&mut self.bytes);
            let text = self.state.encoding.decode_without_bom_handling(&bytes).0;
            self.write(&text);
        }
    }

    fn push(&mut self, letter: char) {
        self.write(letter.encode_utf8(&mut [0; 4]));
    }

    fn write(&mut self, text: &str) {
        if self.state.hidden {
            return;
        }
        match self.state.purpose {
            Purpose::Text | Purpose::Styles | Purpose::Info(_) => self.text.push_str(text),
            Purpose::Marker => self.marker.push_str(text),
            Purpose::Nothing | Purpose::Fonts => {}
        }
    }

    fn word(&mut self, word: &str, number: Option<i32>) {
        let starred = std::mem::take(&mut self.starred);
        if word == "u" {
            return self.unicode(number.unwrap_or(0));
        }
        self.flush();
        self.skipped = 0;
        if self.purpose(word, starred) {
            return;
        }
        match (self.state.purpose, word) {
            (_, "uc") => self.state.fallback = usize::try_from(number.unwrap_or(1)).unwrap_or(1).min(64),
            (_, "ansicpg") => {
                self.default_encoding = code_page(number.unwrap_or(0));
                self.state.encoding = self.default_encoding.unwrap_or(self.state.encoding);
                self.outer.iter_mut().for_each(|outer| outer.encoding = self.state.encoding);
            }
            (Purpose::Fonts, "f") => self.font = number.unwrap_or(0),
            (Purpose::Fonts, "fcharset") => {
                if let Some(encoding) = charset(number.unwrap_or(0)) {
                    self.fonts.insert(self.font, encoding);
                }
            }
            (Purpose::Styles, "s") => self.style = number.unwrap_or(0),
            (Purpose::Styles, "outlinelevel") => self.style_level = level(number),
            (_, "f") => {
                let known = self.fonts.get(&number.unwrap_or(0)).copied();
                self.state.encoding = known.or(self.default_encoding).unwrap_or(encoding_rs::WINDOWS_1252);
            }
            (_, "v") => self.state.hidden = number != Some(0),
            (_, "plain") => self.state.hidden = false,
            (Purpose::Text | Purpose::Marker, _) => self.layout(word, number),
            _ => {}
        }
    }

    /// Control words that say what a group is for; whether this is one.
    fn purpose(&mut self, word: &str, starred: bool) -> bool {
        let purpose = match word {
            "fonttbl" => Purpose::Fonts,
            "stylesheet" => Purpose::Styles,
            "listtext" | "pntext" => Purpose::Marker,
            "shptxt" => Purpose::Text,
            "header" | "headerl" | "headerr" | "headerf" | "footer" | "footerl" | "footerr" | "footerf"
                if self.heads =>
            {
                Purpose::Text
            }
            "title" => Purpose::Info("title"),
            "author" => Purpose::Info("author"),
            "subject" => Purpose::Info("subject"),
            "keywords" => Purpose::Info("keywords"),
            "colortbl" | "info" | "pict" | "object" | "header" | "headerl" | "headerr" | "headerf" | "footer"
            | "footerl" | "footerr" | "footerf" | "fldinst" | "datafield" | "themedata" | "colorschememapping"
            | "latentstyles" | "datastore" | "listtable" | "listoverridetable" | "rsidtbl" | "generator" | "revtbl"
            | "nonshppict" | "shprslt" | "xmlnstbl" | "bkmkstart" | "bkmkend" | "atnid" | "atnauthor"
            | "annotation" | "tc" | "xe" | "operator" | "creatim" | "revtim" | "printim" | "doccomm" | "company"
            | "sp" | "buptim" => Purpose::Nothing,
            _ if starred => Purpose::Nothing,
            _ => return false,
        };
        let informing = matches!(purpose, Purpose::Info(_));
        // Only what `info` holds is about the document; text boxes may stand inside of what is left out.
        let silent = self.state.purpose == Purpose::Nothing;
        if informing && !silent {
            return false;
        }
        if !silent || informing || purpose == Purpose::Text {
            if matches!(purpose, Purpose::Info(_) | Purpose::Styles) {
                self.end_paragraph();
            }
            self.state.purpose = purpose;
        }
        true
    }

    fn unicode(&mut self, number: i32) {
        // Numbers are signed, and larger letters are two of them.
        let unit = number as u16;
        let letter = match (self.surrogate.take(), char::from_u32(u32::from(unit))) {
            (_, Some(letter)) => Some(letter),
            (Some(high), None) => char::decode_utf16([high, unit]).next().and_then(Result::ok),
            (None, None) => {
                self.surrogate = Some(unit);
                None
            }
        };
        if let Some(letter) = letter.filter(|letter| !letter.is_control()) {
            self.flush();
            self.push(letter);
        }
        self.skipped = self.state.fallback;
    }

    fn layout(&mut self, word: &str, number: Option<i32>) {
        match word {
            "par" | "sect" | "page" => self.end_paragraph(),
            "line" | "softline" => self.push('\n'),
            "tab" => self.push('\t'),
            "pard" => self.paragraph = RtfParagraph::default(),
            "s" => self.paragraph.style = number.unwrap_or(0),
            "outlinelevel" => self.paragraph.level = level(number),
            "ilvl" => self.paragraph.depth = usize::try_from(number.unwrap_or(0)).unwrap_or(0),
            "intbl" => self.paragraph.in_table = true,
            "cell" => self.end_cell(),
            "row" => self.end_row(),
            "emdash" => self.push('—'),
            "endash" => self.push('–'),
            "bullet" => self.push('•'),
            "lquote" => self.push('‘'),
            "rquote" => self.push('’'),
            "ldblquote" => self.push('“'),
            "rdblquote" => self.push('”'),
            "emspace" | "enspace" | "qmspace" | "nestcell" | "footnote" => self.push(' '),
            _ => {}
        }
    }

    fn end_paragraph(&mut self) {
        self.flush();
        if self.paragraph.in_table && !self.text.is_empty() && self.cells < MOST_CELLS {
            return self.text.push(' ');
        }
        let (text, marker) = (std::mem::take(&mut self.text), std::mem::take(&mut self.marker));
        if text.trim().is_empty() {
            return;
        }
        self.end_table();
        let level = self.paragraph.level.or_else(|| self.levels.get(&self.paragraph.style).copied());
        match level {
            Some(level) => self.rendering.heading(level, &text),
            None if !marker.trim().is_empty() => {
                let number = marker.trim().trim_end_matches(['.', ')']);
                let counted = !number.is_empty() && number.chars().all(|c| c.is_ascii_alphanumeric());
                let marker = if counted { format!("{number}.") } else { "-".to_owned() };
                self.rendering.item(self.paragraph.depth, &marker, &text);
            }
            None => _ = self.rendering.paragraph(&text),
        }
    }

    fn end_cell(&mut self) {
        self.flush();
        self.cells += 1;
        let text = std::mem::take(&mut self.text);
        self.marker.clear();
        if self.cells < MOST_CELLS {
            self.row.push(text.trim().to_owned());
        } else {
            self.rendering.paragraph(&text);
        }
    }

    fn end_row(&mut self) {
        let row = std::mem::take(&mut self.row);
        self.rows.extend(Some(row).filter(|row| !row.is_empty()));
    }

    fn end_table(&mut self) {
        self.end_row();
        let rows = std::mem::take(&mut self.rows);
        self.rendering.table(&rows);
    }

    fn end_style(&mut self) {
        let name = std::mem::take(&mut self.text);
        let (style, given) = (std::mem::take(&mut self.style), self.style_level.take());
        let name = name.trim().trim_end_matches(';').to_ascii_lowercase();
        let named = name.strip_prefix("heading ").and_then(|number| number.trim().parse().ok());
        let level = given.or(named).or((name == "title").then_some(1));
        if let Some(level) = level.filter(|level| (1..=9).contains(level)) {
            self.levels.insert(style, level);
        }
    }

    fn end_info(&mut self, key: &str) {
        let text = std::mem::take(&mut self.text);
        if !text.trim().is_empty() {
            self.metadata.0.entry(key.to_owned()).or_insert_with(|| Value::Text(text.trim().to_owned()));
        }
    }
}

/// An outline level, from 1; 9 is the text.
fn level(number: Option<i32>) -> Option<u8> {
    number.and_then(|number| u8::try_from(number).ok()).filter(|level| *level < 9).map(|level| level + 1)
}

#[cfg(test)]
mod tests {
    use super::super::contract::check;
    use super::*;
    use okno_document::Loaded;

    fn rtf(content: &str) -> Loaded {
        check(&Rtf, "a.rtf", content.as_bytes()).documents.remove(0)
    }

    #[test]
    fn structure_and_what_is_left_out() {
        let got =
            rtf(r"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fswiss Arial;}{\f1\fcharset134 SimSun;}}{\colortbl;\red0;}
{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}{\s7 Heading 2;}}{\info{\title A Plan}{\author Ann Lee}}
{\*\generator Writer;}{\header page head}\pard\s1 Garden\par\pard\s7 Tools\par
\pard Caf\'e9 \u20320?\u22909?, {\f1 \'d6\'d0\'ce\'c4}\line and \{braces\}\par
{\listtext\tab -}Spade\par{\listtext 1.}\ilvl1 Rake\par
\pard{\pict 89504e47}{\field{\*\fldinst HYPERLINK x}{\fldrslt a link}} \emdash  end{\v hidden}\par
\trowd\cellx1\intbl Plant\cell Height\cell\row\trowd\intbl Rose\par red\cell 1.2 m\cell\row\pard After.\par}");
        assert_eq!(
            got.text,
            "# Garden\n\n## Tools\n\nCafé 你好, 中文\nand {braces}\n\n- Spade\n  1. Rake\n\na link — end\n\n\
             | Plant | Height |\n| --- | --- |\n| Rose red | 1.2 m |\n\nAfter.\n"
        );
        assert_eq!((got.title.as_str(), got.metadata.get("author")), ("A Plan", Some(&Value::Text("Ann Lee".into()))));
    }

    #[test]
    fn headers_are_read_where_there_is_nothing_else() {
        assert_eq!(rtf(r"{\rtf1{\header\b Animal Hospital\par 555\par}\pard\par}").text, "Animal Hospital\n\n555\n");
        assert_eq!(rtf(r"{\rtf1{\header Animal Hospital\par}\pard Body\par}").text, "Body\n");
    }

    #[test]
    fn broken_files_are_read_as_far_as_they_go() {
        let deep = format!("{{\\rtf1 {}deep", "{".repeat(100_000));
        assert_eq!(rtf(&deep).text, "deep\n");
        for content in [
            "{\\rtf1 a\\",
            "{\\rtf1 a\\'",
            "{\\rtf1 a\\'zz\\bin99999999999 x",
            "{\\rtf1 a\\u-10179?\\u",
            "{\\rtf1 a}}}}b\\cell\\row",
        ] {
            assert!(rtf(content).text.starts_with('a'), "{content}");
        }
        assert!(Rtf.accepts(Path::new("x"), b"{\\rtf1") && !Rtf.accepts(Path::new("a.rtf"), b"plain"));
    }
}
