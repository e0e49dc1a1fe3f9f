//! A page and a span of its text come in; out go boxes on the page around the letters of the span, one for each line.
//!
//! The document's text was made of all pages together: running heads are gone, words broken by a hyphen are whole,
//! cells stand in rows. So the lines of the page ([`placed`]) are looked up in that text again, by their letters and
//! digits alone. A line that stands there once is known at once; one that stands there several times – a cell with a
//! year, a word in a column – is taken for the occurrence nearest to that of its neighbour on the page. What is not
//! found is not marked, so that the letters in the boxes are always letters of the span.

use std::ops::Range;

use memchr::memmem;

use super::SkipReason;
use super::guard::{self, PanicPlace};
use super::placed::{self, PageBox, PlacedLetter, PlacedLine};

/// Letters of a page, and pieces of its lines: a page of a newspaper has a tenth of them.
const MOST_LETTERS: usize = 400_000;
const MOST_PIECES: usize = 20_000;
/// Occurrences of one piece that are looked at.
const MOST_OCCURRENCES: usize = 500;
/// Shorter pieces stand somewhere by chance.
const SHORTEST_SURE: usize = 3;
/// Lines are nearer to their neighbours in the line than to those above, however far these are.
const LINE_WEIGHT: f64 = 8.0;

/// A rectangle on a page, in shares of the page's width and height, from its upper left corner.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct MarkBox {
    /// The left edge, 0 to 1.
    pub left: f64,
    /// The upper edge, 0 to 1.
    pub top: f64,
    /// The width.
    pub width: f64,
    /// The height.
    pub height: f64,
}

/// Where a span of text is on a page.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PageMarks {
    /// A box for each line of it.
    pub boxes: Vec<MarkBox>,
    /// How many letters and digits the span has.
    pub letters: usize,
    /// How many of them are inside the boxes.
    pub found: usize,
}

/// Finds a span of a page's text on the page; pages are counted from 1, the span in bytes of `text`.
///
/// # Errors
/// If the file cannot be read, or has no such page.
pub fn marks(bytes: Vec<u8>, page: usize, text: &str, span: Range<usize>) -> Result<PageMarks, SkipReason> {
    guard::catch(|| Ok(found(&placed::lines(bytes, page)?, text, span)))
        .unwrap_or_else(|PanicPlace(place)| Err(SkipReason::InternalError { place }))
}

/// The boxes of a span among the lines of its page.
pub(super) fn found(lines: &[PlacedLine], text: &str, span: Range<usize>) -> PageMarks {
    let page = PageText::of(text);
    let wanted = page.letters_in(&span);
    let mut marks = PageMarks { letters: wanted.len(), ..PageMarks::default() };
    if wanted.is_empty() || page.starts.len() > MOST_LETTERS {
        return marks;
    }
    let pieces = pieces(lines, &page);
    if pieces.len() > MOST_PIECES {
        return marks;
    }
    let places = assigned(&pieces, &page);
    for (piece, place) in pieces.iter().zip(places) {
        let Some(first) = place else { continue };
        let (from, to) = (wanted.start.max(first), wanted.end.min(first + piece.letters.len()));
        if from < to {
            marks.found += to - from;
            let ends = (from == wanted.start, to == wanted.end);
            let around = piece.around(&lines[piece.line], from - first..to - first, closing(text, &span, ends));
            marks.boxes.push(MarkBox {
                left: around.left,
                top: around.top,
                width: around.right - around.left,
                height: around.bottom - around.top,
            });
        }
    }
    marks
}

/// How many signs the span has before its first and behind its last letter; only those of its ends are marked with it.
fn closing(text: &str, span: &Range<usize>, (first, last): (bool, bool)) -> (usize, usize) {
    let part = text.get(span.clone()).unwrap_or_default();
    let sign = |c: &char| !c.is_alphanumeric();
    let signs = |among: &mut dyn Iterator<Item = char>| among.take_while(sign).filter(|c| !c.is_whitespace()).count();
    (if first { signs(&mut part.chars()) } else { 0 }, if last { signs(&mut part.chars().rev()) } else { 0 })
}

/// The letters and digits of a page's text.
struct PageText {
    letters: String,
    /// Where each of them begins: in `letters`, and in the text.
    starts: Vec<(u32, u32)>,
}

impl PageText {
    fn of(text: &str) -> Self {
        let (mut letters, mut starts) = (String::with_capacity(text.len()), Vec::new());
        for (at, c) in text.char_indices().filter(|(_, c)| c.is_alphanumeric()) {
            starts.push((letters.len() as u32, at as u32));
            letters.push(c);
        }
        Self { letters, starts }
    }

    /// The letters of a span, counted.
    fn letters_in(&self, span: &Range<usize>) -> Range<usize> {
        let before = |byte: usize| self.starts.partition_point(|(_, at)| (*at as usize) < byte);
        before(span.start)..before(span.end.max(span.start))
    }

    /// The letters where these ones stand, at most so many of them.
    fn occurrences(&self, letters: &str, most: usize) -> Vec<usize> {
        let counted = |byte: usize| self.starts.binary_search_by_key(&(byte as u32), |(start, _)| *start).ok();
        memmem::find_iter(self.letters.as_bytes(), letters).filter_map(counted).take(most).collect()
    }
}

/// A part of a line that stands in the text in one piece: mostly all of it.
struct LinePiece {
    line: usize,
    /// The letters and digits of it, as places in the line, in the order of the text.
    letters: Vec<usize>,
    around: PageBox,
    occurrences: Vec<usize>,
}

impl LinePiece {
    fn of(lines: &[PlacedLine], line: usize, letters: Vec<usize>, page: &PageText) -> Option<Self> {
        let placed = &lines[line];
        let words: String = letters.iter().map(|at| placed[*at].letter).collect();
        let around = letters.iter().map(|at| placed[*at].place).reduce(PageBox::with)?;
        let occurrences = page.occurrences(&words, MOST_OCCURRENCES);
        Some(Self { line, letters, around, occurrences })
    }

    /// The box around some of its letters, and around so many signs before and behind them.
    fn around(&self, line: &[PlacedLetter], part: Range<usize>, (before, behind): (usize, usize)) -> PageBox {
        let part = &self.letters[part];
        let (low, high) = (part.iter().min().copied().unwrap_or(0), part.iter().max().copied().unwrap_or(0));
        let sign = |letter: &&PlacedLetter| !letter.letter.is_alphanumeric();
        let leading = line[..low].iter().rev().take_while(sign).take(before);
        let trailing = line[high + 1..].iter().take_while(sign).take(behind);
        let all = line[low..=high].iter().chain(leading).chain(trailing);
        all.map(|letter| letter.place).reduce(PageBox::with).unwrap_or(self.around)
    }

    /// How far another piece is on the page.
    fn distance(&self, other: &Self) -> f64 {
        let gap = |low: f64, high: f64| (low - high).max(0.0);
        let (a, b) = (&self.around, &other.around);
        let beside = gap(a.left, b.right) + gap(b.left, a.right);
        let above = (f64::midpoint(a.top, a.bottom) - f64::midpoint(b.top, b.bottom)).abs();
        above * LINE_WEIGHT + beside
    }

    fn is_after(&self, other: &Self) -> bool {
        let middle = f64::midpoint(self.around.top, self.around.bottom);
        middle > other.around.bottom || (middle > other.around.top && self.around.left > other.around.left)
    }
}

/// The lines, those that do not stand in the text as they are in words.
fn pieces(lines: &[PlacedLine], page: &PageText) -> Vec<LinePiece> {
    let mut pieces = Vec::new();
    for (line, placed) in lines.iter().enumerate() {
        let letters =
            |range: Range<usize>| -> Vec<usize> { range.filter(|at| placed[*at].letter.is_alphanumeric()).collect() };
        let whole = letters(0..placed.len());
        // Letters that run to the left stand in the text in the other order.
        let turned: Vec<usize> = whole.iter().rev().copied().collect();
        let mut ways = [whole, turned].into_iter().filter_map(|way| LinePiece::of(lines, line, way, page));
        if let Some(piece) = ways.find(|piece| !piece.occurrences.is_empty()) {
            pieces.push(piece);
            continue;
        }
        let mut starts: Vec<usize> = (0..placed.len()).filter(|at| placed[*at].begins_word).collect();
        starts.push(placed.len());
        let words = starts.windows(2).map(|pair| letters(pair[0]..pair[1]));
        let words = words.filter_map(|word| LinePiece::of(lines, line, word, page));
        pieces.extend(words.filter(|piece| !piece.occurrences.is_empty()));
        if pieces.len() > MOST_PIECES {
            break;
        }
    }
    pieces
}

/// Where each piece stands in the text: its first letter. No letter belongs to two.
fn assigned(pieces: &[LinePiece], page: &PageText) -> Vec<Option<usize>> {
    let mut taken = vec![false; page.starts.len()];
    let mut places: Vec<Option<usize>> = vec![None; pieces.len()];
    let mut take = |piece: &LinePiece, at: usize| {
        let letters = taken.get_mut(at..at + piece.letters.len());
        let free = letters.filter(|letters| letters.iter().all(|taken| !taken));
        free.is_some_and(|letters| {
            letters.fill(true);
            true
        })
    };
    let mut open: Vec<usize> = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        match piece.occurrences[..] {
            [only] if piece.letters.len() >= SHORTEST_SURE => places[at] = take(piece, only).then_some(only),
            _ => open.push(at),
        }
    }
    // Those with the fewest occurrences first: they help to place the others.
    open.sort_by_key(|at| (pieces[*at].occurrences.len(), std::cmp::Reverse(pieces[*at].letters.len())));
    for at in open {
        let piece = &pieces[at];
        let near = anchor(piece, pieces, &places).unwrap_or(0);
        let mut occurrences = piece.occurrences.clone();
        occurrences.sort_by_key(|start| start.abs_diff(near));
        places[at] = occurrences.into_iter().find(|start| take(piece, *start));
    }
    places
}

/// Where in the text a piece is expected: behind, or before, the nearest one on the page that has its place.
fn anchor(piece: &LinePiece, pieces: &[LinePiece], places: &[Option<usize>]) -> Option<usize> {
    let known = pieces.iter().zip(places).filter_map(|(other, place)| Some((other, (*place)?)));
    let (nearest, place) = known.min_by(|a, b| piece.distance(a.0).total_cmp(&piece.distance(b.0)))?;
    Some(if piece.is_after(nearest) {
        place + nearest.letters.len()
    } else {
        place.saturating_sub(piece.letters.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of letters that are as wide as a hundredth of the page, each at its place.
    fn line(left: usize, top: usize, words: &str) -> PlacedLine {
        let mut begins_word = true;
        let mut letters = Vec::new();
        for (at, letter) in words.chars().enumerate() {
            if letter == ' ' {
                begins_word = true;
                continue;
            }
            let left = (left + at) as f64 / 100.0;
            let top = top as f64 / 100.0;
            let place = PageBox { left, top, right: left + 0.01, bottom: top + 0.01 };
            letters.push(PlacedLetter { letter, begins_word, place });
            begins_word = false;
        }
        letters
    }

    /// The boxes as left, top and width, in hundredths.
    fn boxes(lines: &[PlacedLine], text: &str, span: &str) -> Vec<(i64, i64, i64)> {
        let start = text.find(span).expect("the span is in the text");
        let hundredths = |share: f64| (share * 100.0).round() as i64;
        let marks = found(lines, text, start..start + span.len());
        marks.boxes.iter().map(|mark| (hundredths(mark.left), hundredths(mark.top), hundredths(mark.width))).collect()
    }

    #[test]
    fn a_sentence_over_two_lines_has_two_boxes() {
        let lines = [line(10, 10, "Brew it. Tea needs recog-"), line(10, 12, "nition. Drink it.")];
        let text = "Brew it. Tea needs recognition. Drink it.\n";
        assert_eq!(boxes(&lines, text, "Tea needs recognition."), [(19, 10, 15), (10, 12, 7)]);
        assert_eq!(boxes(&lines, text, "Drink it."), [(18, 12, 9)]);
    }

    #[test]
    fn cells_with_the_same_words_are_told_apart_by_their_neighbours() {
        let row = |top, name: &str| [line(10, top, name), line(40, top, "12"), line(60, top, "7")];
        let lines: Vec<PlacedLine> = [row(10, "Apples"), row(12, "Pears")].into_iter().flatten().collect();
        let text = "| Fruit | | |\n|---|---|---|\n| Apples | 12 | 7 |\n| Pears | 12 | 7 |\n";
        assert_eq!(boxes(&lines, text, "Pears | 12 | 7"), [(10, 12, 5), (40, 12, 2), (60, 12, 1)]);
    }

    #[test]
    fn what_is_not_on_the_page_is_not_marked() {
        let lines = [line(10, 5, "Running head"), line(10, 10, "Tea is hot.")];
        let text = "Tea is hot. A comment.\n";
        assert_eq!(boxes(&lines, text, "A comment."), []);
        let marks = found(&lines, text, 0..text.len());
        assert_eq!((marks.letters, marks.found, marks.boxes.len()), (16, 8, 1));
        assert_eq!(found(&lines, text, 3..3), PageMarks::default());
        assert_eq!(found(&lines, text, 500..900).boxes, []);
    }

    /// The letters and digits whose middles are inside of boxes, sorted.
    fn letters_inside(lines: &[PlacedLine], boxes: &[MarkBox]) -> String {
        let inside = |letter: &&PlacedLetter| {
            let PageBox { left, top, right, bottom } = letter.place;
            let (x, y) = (f64::midpoint(left, right), f64::midpoint(top, bottom));
            let holds = |mark: &MarkBox| {
                (mark.left..=mark.left + mark.width).contains(&x) && (mark.top..=mark.top + mark.height).contains(&y)
            };
            letter.letter.is_alphanumeric() && boxes.iter().any(holds)
        };
        let mut letters: Vec<char> = lines.iter().flatten().filter(inside).map(|letter| letter.letter).collect();
        letters.sort_unstable();
        letters.into_iter().collect()
    }

    /// Sentences of real files: how much of them is found on their pages, and whether what is in the boxes is theirs.
    /// `OKNO_TEST_PDFS=FOLDER cargo test -p okno-load --lib -- --ignored --nocapture sentences_of_real_files`
    #[test]
    #[ignore = "needs a folder of PDF files"]
    fn sentences_of_real_files_are_where_their_letters_are() {
        use super::super::super::tests::load;
        let folder = std::env::var("OKNO_TEST_PDFS").expect("OKNO_TEST_PDFS names a folder");
        let mut files: Vec<_> =
            std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()).collect();
        files.retain(|path| path.extension().is_some_and(|kind| kind == "pdf"));
        files.sort();
        let (mut spans, mut exact, mut letters, mut found_letters) = (0, 0, 0, 0);
        for path in files {
            let bytes = std::fs::read(&path).expect("a file");
            let got = load(&super::super::Pdf::default(), "x.pdf", &bytes);
            let Some(document) = got.documents.first() else { continue };
            let every = (document.pages.len() / 8).max(1);
            let (mut own, mut own_exact) = (0, 0);
            for at in (0..document.pages.len()).step_by(every) {
                let start = document.pages[at].start as usize;
                let end = document.pages.get(at + 1).map_or(document.text.len(), |next| next.start as usize);
                let text = &document.text[start..end];
                let Ok(lines) = placed::lines(bytes.clone(), at + 1) else { continue };
                let ends: Vec<usize> = text
                    .char_indices()
                    .filter(|(_, c)| ".!?。！？\n".contains(*c))
                    .map(|(at, c)| at + c.len_utf8())
                    .collect();
                for pair in ends.windows(2).step_by(3) {
                    let span = pair[0]..pair[1];
                    let mut wanted: Vec<char> = text[span.clone()].chars().filter(|c| c.is_alphanumeric()).collect();
                    if wanted.len() < 12 {
                        continue;
                    }
                    wanted.sort_unstable();
                    let marks = found(&lines, text, span);
                    own += 1;
                    letters += marks.letters;
                    found_letters += marks.found;
                    own_exact +=
                        usize::from(letters_inside(&lines, &marks.boxes) == wanted.into_iter().collect::<String>());
                }
            }
            println!("{own_exact} of {own} {}", path.display());
            spans += own;
            exact += own_exact;
        }
        let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
        println!(
            "{spans} sentences: {:.3} exactly in their boxes, {:.4} of the letters found",
            share(exact, spans),
            share(found_letters, letters)
        );
        assert!(share(exact, spans) > 0.9);
    }
}
