//! Images among the lines of a page: each comes behind the line above it. An image on a page without letters is the
//! page; what is read in it is its text.

use super::super::ImageReader;
use super::columns::{PdfLine, PdfPiece};
use super::pictures::Placed;

/// What a page shows beside its text.
#[derive(Default)]
pub(super) struct PageExtras {
    /// How many letters are on it.
    pub letters: usize,
    /// How many images are on it, whether they can be taken out or not.
    pub images: usize,
    pub pictures: Vec<Placed>,
}

/// Pages that are nothing but images.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(super) struct ImagePages {
    /// Those whose text was read from them.
    pub read: usize,
    pub unread: usize,
}

/// Puts the images of all pages in their places.
pub(super) fn place(
    pages: &mut [Vec<PdfPiece>],
    shown: Vec<PageExtras>,
    reader: Option<&dyn ImageReader>,
) -> ImagePages {
    let mut found = ImagePages::default();
    for (page, PageExtras { letters, images, mut pictures }) in pages.iter_mut().zip(shown) {
        let mut read = false;
        pictures.sort_by(|a, b| b.top.total_cmp(&a.top).then(a.left.total_cmp(&b.left)));
        for picture in pictures {
            let text = reader.filter(|_| letters == 0).and_then(|reader| reader.read(&picture.bytes));
            match text {
                Some(text) => {
                    read = true;
                    page.push(PdfPiece::Scan(picture.bytes, text));
                }
                None => insert(page, picture),
            }
        }
        if read {
            found.read += 1;
        } else if letters == 0 && images > 0 {
            found.unread += 1;
        }
    }
    found
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

    #[test]
    fn an_image_comes_behind_the_line_above_it_with_its_caption() {
        let mut pages = [vec![line("before", 200.0), line("Figure 2: a lamp", 120.0), line("after", 100.0)]];
        let shown = PageExtras { letters: 30, images: 1, pictures: vec![picture(190.0)] };
        assert_eq!(place(&mut pages, vec![shown], None), ImagePages::default());
        assert!(
            matches!(&pages[0][1], PdfPiece::Picture(_, caption) if caption == "Figure 2: a lamp"),
            "{:?}",
            pages[0]
        );
    }

    #[test]
    fn a_page_without_letters_is_read_from_its_image() {
        let reader = Saying(|_: &[u8]| "read".to_owned());
        let shown = |letters| PageExtras { letters, images: 1, pictures: vec![picture(190.0)] };
        let mut pages = [vec![], vec![line("text", 200.0)]];
        let found = place(&mut pages, vec![shown(0), shown(4)], Some(&reader));
        assert_eq!(found, ImagePages { read: 1, unread: 0 });
        assert!(matches!(&pages[0][..], [PdfPiece::Scan(_, text)] if text == "read"));
        assert!(matches!(pages[1][1], PdfPiece::Picture(..)));
        let none = place(&mut [vec![], vec![]], vec![shown(0), shown(4)], None);
        assert_eq!(none, ImagePages { read: 0, unread: 1 });
    }
}
