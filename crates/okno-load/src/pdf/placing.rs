//! Images among the lines of a page: each comes behind the line above it. An image on a page without letters is the
//! page; what is read in it is its text.

use std::collections::BTreeSet;

use super::super::{PageFailure, SkipReason};
use super::columns::{PdfLine, PdfPiece};
use super::pictures::Placed;
use super::scans::{ScanReader, ScannedPage};

/// What a page shows beside its text.
#[derive(Default)]
pub(super) struct PageExtras {
    /// How many letters are on it.
    pub letters: usize,
    /// How many images are on it, whether they can be taken out or not.
    pub images: usize,
    pub pictures: Vec<Placed>,
    /// Kinds of images that are not decoded.
    pub undecoded: BTreeSet<&'static str>,
    /// It, or an image on it, is shown in another direction than it is stored.
    pub turned: bool,
}

impl PageExtras {
    /// Whether what is taken out is all that is on the page, as it is shown.
    pub fn is_one_image(&self) -> bool {
        self.images == 1 && self.pictures.len() == 1 && !self.turned
    }
}

/// Pages that are nothing but images.
#[derive(Debug, Default, PartialEq)]
pub(super) struct ImagePages {
    /// Those whose text was read from them.
    pub read: usize,
    /// Those that show no text, or that nobody read.
    pub unread: usize,
    /// Those that are not decoded, and their kinds.
    undecoded: usize,
    kinds: BTreeSet<&'static str>,
    /// Those that could not be drawn, and why the first one was not.
    not_drawn: Option<(usize, PageFailure)>,
}

impl ImagePages {
    /// What is missing although somebody reads images: such pages give nothing, and that must be said.
    pub fn lost(&self, pages: usize) -> Vec<SkipReason> {
        let not_drawn = self.not_drawn.clone();
        let not_drawn = not_drawn.map(|(scanned, cause)| SkipReason::PagesNotDrawn { scanned, pages, cause });
        let formats = self.kinds.iter().map(|kind| (*kind).to_owned()).collect();
        let undecoded = SkipReason::UndecodedScans { scanned: self.undecoded, pages, formats };
        not_drawn.into_iter().chain((self.undecoded > 0).then_some(undecoded)).collect()
    }

    fn unread(&mut self, extras: PageExtras, scanned: Option<ScannedPage>) {
        match scanned {
            Some(ScannedPage::NotDrawn(cause)) => self.not_drawn.get_or_insert((0, cause)).0 += 1,
            Some(ScannedPage::NoDrawer) if !extras.undecoded.is_empty() => {
                self.undecoded += 1;
                self.kinds.extend(extras.undecoded);
            }
            _ => self.unread += 1,
        }
    }
}

/// Puts the images of all pages in their places.
pub(super) fn place(
    pages: &mut [Vec<PdfPiece>],
    shown: Vec<PageExtras>,
    mut reader: Option<ScanReader<'_>>,
) -> ImagePages {
    let mut found = ImagePages::default();
    for (at, (page, mut extras)) in pages.iter_mut().zip(shown).enumerate() {
        extras.pictures.sort_by(|a, b| b.top.total_cmp(&a.top).then(a.left.total_cmp(&b.left)));
        let is_scan = extras.letters == 0 && extras.images > 0;
        let scanned = reader.as_mut().filter(|_| is_scan).map(|reader| reader.read(at, &extras));
        let pictures = std::mem::take(&mut extras.pictures);
        if place_page(page, pictures, scanned.as_ref()) {
            found.read += 1;
        } else if is_scan {
            found.unread(extras, scanned);
        }
    }
    found
}

/// Puts the images of one page in their places; returns `true` if text was read from them.
fn place_page(page: &mut Vec<PdfPiece>, pictures: Vec<Placed>, scanned: Option<&ScannedPage>) -> bool {
    match scanned {
        Some(ScannedPage::Drawn(text)) => {
            page.push(PdfPiece::Scan(pictures.into_iter().map(|part| part.bytes).collect(), text.clone()));
            true
        }
        Some(ScannedPage::Images(texts)) => {
            for (picture, text) in pictures.into_iter().zip(texts) {
                match text {
                    Some(text) => page.push(PdfPiece::Scan(vec![picture.bytes], text.clone())),
                    None => insert(page, picture),
                }
            }
            texts.iter().any(Option::is_some)
        }
        _ => {
            for picture in pictures {
                insert(page, picture);
            }
            false
        }
    }
}

fn insert(page: &mut Vec<PdfPiece>, picture: Placed) {
    let caption = caption(page, &picture);
    let at = above(page, &picture).map_or(0, |at| at + 1);
    page.insert(at, PdfPiece::Picture(picture.bytes, caption));
}

fn overlaps(line: &PdfLine, picture: &Placed) -> bool {
    line.left < picture.right && picture.left < line.right
}

/// The nearest line above an image.
fn above(page: &[PdfPiece], picture: &Placed) -> Option<usize> {
    let middle = f64::midpoint(picture.top, picture.bottom);
    let line = |(at, piece): (usize, &PdfPiece)| match piece {
        PdfPiece::Line(line) if line.y >= middle && overlaps(line, picture) => Some((at, line.y)),
        _ => None,
    };
    page.iter().enumerate().filter_map(line).min_by(|a, b| a.1.total_cmp(&b.1)).map(|(at, _)| at)
}

/// The line right below or above an image that says what it is: `Figure 3: …`.
fn caption(page: &[PdfPiece], picture: &Placed) -> String {
    let near = |line: &&PdfLine| {
        let (below, above) = (picture.bottom - line.y, line.y - picture.top);
        overlaps(line, picture) && ((0.0..line.size * 4.0).contains(&below) || (0.0..line.size * 3.0).contains(&above))
    };
    let lines = page.iter().filter_map(|piece| if let PdfPiece::Line(line) = piece { Some(line) } else { None });
    lines.filter(near).find(|line| is_caption(&line.text)).map(|line| line.text.clone()).unwrap_or_default()
}

fn is_caption(text: &str) -> bool {
    let named = ["Figure", "Fig.", "FIG.", "Photo", "Image", "图", "圖", "照片"]
        .iter()
        .find_map(|word| text.strip_prefix(word));
    named.is_some_and(|rest| {
        rest.trim_start().starts_with(|c: char| c.is_ascii_digit() || "一二三四五六七八九十:：".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::Saying;
    use super::super::super::{ImageReader, PageDrawer};
    use super::*;

    fn line(text: &str, y: f64) -> PdfPiece {
        PdfPiece::Line(PdfLine {
            text: text.into(),
            left: 0.0,
            right: 100.0,
            y,
            size: 10.0,
            bold: false,
            column: (0.0, 100.0),
        })
    }

    fn picture(top: f64) -> Placed {
        Placed { left: 10.0, right: 90.0, top, bottom: top - 50.0, bytes: vec![1] }
    }

    fn shown(letters: usize, images: usize, pictures: Vec<Placed>) -> PageExtras {
        PageExtras { letters, images, pictures, ..PageExtras::default() }
    }

    #[test]
    fn an_image_comes_behind_the_line_above_it_with_its_caption() {
        let mut pages = [vec![line("before", 200.0), line("Figure 2: a lamp", 120.0), line("after", 100.0)]];
        assert_eq!(place(&mut pages, vec![shown(30, 1, vec![picture(190.0)])], None), ImagePages::default());
        assert!(
            matches!(&pages[0][1], PdfPiece::Picture(_, caption) if caption == "Figure 2: a lamp"),
            "{:?}",
            pages[0]
        );
    }

    #[test]
    fn a_page_without_letters_is_read_from_its_image() {
        let reader = Saying(|_: &[u8]| "read".to_owned());
        let both = || vec![shown(0, 1, vec![picture(190.0)]), shown(4, 1, vec![picture(190.0)])];
        let mut pages = [vec![], vec![line("text", 200.0)]];
        let found = place(&mut pages, both(), Some(ScanReader::new(b"", 2, &reader)));
        assert_eq!(found, ImagePages { read: 1, ..ImagePages::default() });
        assert!(matches!(&pages[0][..], [PdfPiece::Scan(_, text)] if text == "read"));
        assert!(matches!(pages[1][1], PdfPiece::Picture(..)));
        let none = place(&mut [vec![], vec![]], both(), None);
        assert_eq!(none, ImagePages { unread: 1, ..ImagePages::default() });
    }

    /// Draws what it is told to, and reads the bytes of images as their text.
    struct Drawing(Result<Vec<u8>, PageFailure>);

    impl ImageReader for Drawing {
        fn identity(&self) -> &'static str {
            "drawing"
        }

        fn read(&self, image: &[u8]) -> Option<String> {
            (image != b"blank").then(|| String::from_utf8_lossy(image).into_owned())
        }

        fn page_drawer(&self) -> Option<&dyn PageDrawer> {
            Some(self)
        }
    }

    impl PageDrawer for Drawing {
        fn draw(&self, pdf: &[u8], page: usize) -> Result<Vec<u8>, PageFailure> {
            assert_eq!((pdf, page), (&b"pdf"[..], 1));
            self.0.clone()
        }
    }

    fn drawn(extras: PageExtras, drawing: Result<&[u8], PageFailure>) -> (Vec<PdfPiece>, ImagePages) {
        let mut pages = [vec![]];
        let reader = Drawing(drawing.map(<[u8]>::to_vec));
        let found = place(&mut pages, vec![extras], Some(ScanReader::new(b"pdf", 1, &reader)));
        (std::mem::take(&mut pages[0]), found)
    }

    /// One image of several is a strip of the page: what is read in it alone breaks off inside of words.
    #[test]
    fn what_cannot_be_taken_out_is_drawn() {
        let strips = || shown(0, 2, vec![picture(190.0), picture(90.0)]);
        let turned = PageExtras { turned: true, ..shown(0, 1, vec![picture(190.0)]) };
        for (extras, parts) in [(shown(0, 1, vec![]), 0), (strips(), 2), (turned, 1)] {
            let (page, found) = drawn(extras, Ok(b"drawn"));
            let [PdfPiece::Scan(images, text)] = &page[..] else { panic!("{page:?}") };
            assert_eq!((images.len(), text.as_str(), found.read), (parts, "drawn", 1));
        }
        let (page, found) = drawn(strips(), Err(PageFailure::Ended));
        assert!(matches!(&page[..], [PdfPiece::Scan(..), PdfPiece::Scan(..)]), "the strips are read: {page:?}");
        assert_eq!((found.read, found.lost(1)), (1, vec![]));
    }

    #[test]
    fn a_page_that_is_not_drawn_is_said_to_be_missing_with_the_reason() {
        let scan = || PageExtras { undecoded: BTreeSet::from(["JBIG2"]), ..shown(0, 1, vec![]) };
        let (page, found) = drawn(scan(), Err(PageFailure::TooLong { seconds: 9 }));
        let cause = PageFailure::TooLong { seconds: 9 };
        assert!(page.is_empty());
        assert_eq!(found.lost(5), [SkipReason::PagesNotDrawn { scanned: 1, pages: 5, cause }]);
        let (_, blank) = drawn(scan(), Ok(b"blank"));
        assert_eq!(blank, ImagePages { unread: 1, ..ImagePages::default() });
        let reader = Saying(|_: &[u8]| "read".to_owned());
        let found = place(&mut [vec![]], vec![scan()], Some(ScanReader::new(b"", 5, &reader)));
        let formats = vec!["JBIG2".to_owned()];
        assert_eq!(found.lost(5), [SkipReason::UndecodedScans { scanned: 1, pages: 5, formats }]);
        assert_eq!(place(&mut [vec![]], vec![scan()], None).lost(5), [], "OCR is missing, and that is said elsewhere");
    }
}
