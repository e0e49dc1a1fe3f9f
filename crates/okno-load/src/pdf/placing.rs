//! Images among the lines of a page: each comes behind the line above it. An image on a page without letters is the
//! page; what is read in it is its text.

use super::super::ImageReader;
use super::columns::{Line, Piece};
use super::pictures::Placed;

/// What a page shows beside its text.
pub(super) struct Shown {
    /// How many letters are on it.
    pub letters: usize,
    pub pictures: Vec<Placed>,
}

/// Puts the images of all pages in their places; how many pages were read from them.
pub(super) fn place(pages: &mut [Vec<Piece>], shown: Vec<Shown>, reader: Option<&dyn ImageReader>) -> usize {
    let mut read = 0;
    for (page, Shown { letters, mut pictures }) in pages.iter_mut().zip(shown) {
        pictures.sort_by(|a, b| b.top.total_cmp(&a.top).then(a.left.total_cmp(&b.left)));
        for picture in pictures {
            let text = reader.filter(|_| letters == 0).and_then(|reader| reader.read(&picture.bytes));
            match text {
                Some(text) => {
                    read += 1;
                    page.push(Piece::Scan(picture.bytes, text));
                }
                None => insert(page, picture),
            }
        }
    }
    read
}

fn insert(page: &mut Vec<Piece>, picture: Placed) {
    let caption = caption(page, &picture);
    let at = above(page, &picture).map_or(0, |at| at + 1);
    page.insert(at, Piece::Picture(picture.bytes, caption));
}

fn overlaps(line: &Line, picture: &Placed) -> bool {
    line.left < picture.right && picture.left < line.right
}

/// The nearest line above an image.
fn above(page: &[Piece], picture: &Placed) -> Option<usize> {
    let middle = f64::midpoint(picture.top, picture.bottom);
    let line = |(at, piece): (usize, &Piece)| match piece {
        Piece::Line(line) if line.y >= middle && overlaps(line, picture) => Some((at, line.y)),
        _ => None,
    };
    page.iter().enumerate().filter_map(line).min_by(|a, b| a.1.total_cmp(&b.1)).map(|(at, _)| at)
}

/// The line right below or above an image that says what it is: `Figure 3: …`.
fn caption(page: &[Piece], picture: &Placed) -> String {
    let near = |line: &&Line| {
        let (below, above) = (picture.bottom - line.y, line.y - picture.top);
        overlaps(line, picture) && ((0.0..line.size * 4.0).contains(&below) || (0.0..line.size * 3.0).contains(&above))
    };
    let lines = page.iter().filter_map(|piece| if let Piece::Line(line) = piece { Some(line) } else { None });
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

    fn line(text: &str, y: f64) -> Piece {
        Piece::Line(Line {
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
        let shown = Shown { letters: 30, pictures: vec![picture(190.0)] };
        assert_eq!(place(&mut pages, vec![shown], None), 0);
        assert!(matches!(&pages[0][1], Piece::Picture(_, caption) if caption == "Figure 2: a lamp"), "{:?}", pages[0]);
    }

    #[test]
    fn a_page_without_letters_is_read_from_its_image() {
        let reader = Saying(|_: &[u8]| "read".to_owned());
        let shown = |letters| Shown { letters, pictures: vec![picture(190.0)] };
        let mut pages = [vec![], vec![line("text", 200.0)]];
        assert_eq!(place(&mut pages, vec![shown(0), shown(4)], Some(&reader)), 1);
        assert!(matches!(&pages[0][..], [Piece::Scan(_, text)] if text == "read"));
        assert!(matches!(pages[1][1], Piece::Picture(..)));
    }
}
