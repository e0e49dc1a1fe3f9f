//! Reading order: lines with places come in, in any order; out go paragraphs, as a person would read them aloud.
//!
//! The page is set straight first (a scan is slanted, a column of old Chinese runs downwards). Then it is cut into
//! blocks: where a gutter – a strip without text – parts two stacks of long lines, the left one is read before the
//! right one; what spans both comes where it stands. A grid of short texts is no pair of columns but a table or a menu,
//! and read row by row. Inside a block lines are joined to a paragraph while the line before reaches the block's right
//! edge.

use super::TextLine;
use super::geometry::{Corner, Quad};

/// A gutter is at least this wide, in heights of a line; boxes reach about half a letter beyond their letters.
const GUTTER: f32 = 0.5;
/// Lines of a column are at least this long, in heights of a line: cells of a table are shorter.
const LONG: f32 = 4.0;
/// The share of a box above and below its letters: boxes of neighbouring lines overlap by that.
const AIR: f32 = 0.25;
/// Rows after which no gutter is looked for any more when none has shown.
const PATIENCE: usize = 4;
/// Lines of one paragraph differ in height by no more than this.
const SAME_HEIGHT: f32 = 1.4;
/// Lines of one paragraph are no further apart than this, in usual distances of the block.
const SAME_DISTANCE: f32 = 1.5;
/// A line is full when it ends no further from the block's edge than this, in heights.
const FULL: f32 = 1.5;
/// A line is indented when it begins further from the block's edge than this, in heights.
const INDENTED: f32 = 0.8;

/// A box set straight.
#[derive(Debug, Clone, Copy)]
struct Rect {
    left: f32,
    top: f32,
    right: f32,
    bottom: f32,
}

impl Rect {
    fn height(self) -> f32 {
        self.bottom - self.top
    }

    fn middle(self) -> f32 {
        f32::midpoint(self.top, self.bottom)
    }

    fn cover(self, other: Self) -> Self {
        Self {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }
}

/// The paragraphs that lines make.
#[must_use]
pub fn paragraphs(lines: &[TextLine]) -> Vec<String> {
    let places = straight(lines);
    let blocks = blocks(&places, (0..lines.len()).collect());
    blocks.iter().flat_map(|block| written(lines, &places, block)).collect()
}

/// The places of lines that run to the right and follow each other downwards.
fn straight(lines: &[TextLine]) -> Vec<Rect> {
    let upright = |quad: &Quad| quad.height() > quad.width() * 1.5;
    let area = |quad: &Quad| quad.width() * quad.height();
    let (mut down, mut all) = (0.0, 0.0);
    for line in lines {
        all += area(&line.place);
        down += if upright(&line.place) { area(&line.place) } else { 0.0 };
    }
    if down * 2.0 > all {
        // Columns that run downwards follow each other from right to left: a quarter turn makes rows of them.
        let turned = |p: Corner| Corner { x: p.y, y: -p.x };
        return lines.iter().map(|line| bounds(line.place.0.map(turned))).collect();
    }
    let slant =
        median(lines.iter().map(|line| &line.place).filter(|quad| quad.width() > quad.height() * 2.0).map(Quad::angle));
    let (sin, cos) = slant.unwrap_or(0.0).sin_cos();
    let turned = |p: Corner| Corner { x: p.x * cos + p.y * sin, y: p.y * cos - p.x * sin };
    lines.iter().map(|line| bounds(line.place.0.map(turned))).collect()
}

fn bounds(corners: [Corner; 4]) -> Rect {
    let spot = |p: Corner| Rect { left: p.x, top: p.y, right: p.x, bottom: p.y };
    corners[1..].iter().fold(spot(corners[0]), |rect, &corner| rect.cover(spot(corner)))
}

fn median(values: impl Iterator<Item = f32>) -> Option<f32> {
    let mut values: Vec<f32> = values.collect();
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).copied()
}

/// The blocks of a page in reading order; a block is one column.
fn blocks(places: &[Rect], set: Vec<usize>) -> Vec<Vec<usize>> {
    if let Some((left, right)) = columns(places, &set) {
        return [blocks(places, left), blocks(places, right)].concat();
    }
    let bands = bands(places, set);
    let (mut blocks_found, mut single, mut at) = (Vec::new(), Vec::new(), 0);
    while at < bands.len() {
        if let Some((count, left, right)) = parted(places, &bands[at..]) {
            blocks_found.extend((!single.is_empty()).then(|| std::mem::take(&mut single)));
            blocks_found.extend(blocks(places, left));
            blocks_found.extend(blocks(places, right));
            at += count;
        } else {
            single.extend_from_slice(&bands[at]);
            at += 1;
        }
    }
    blocks_found.extend((!single.is_empty()).then_some(single));
    blocks_found
}

/// The longest run of bands from the first that a gutter parts: how many, left, right.
fn parted(places: &[Rect], bands: &[Vec<usize>]) -> Option<(usize, Vec<usize>, Vec<usize>)> {
    let (mut run, mut found) = (Vec::new(), None);
    for (at, band) in bands.iter().enumerate() {
        run.extend_from_slice(band);
        match columns(places, &run) {
            Some((left, right)) => found = Some((at + 1, left, right)),
            None if found.is_some() || at >= PATIENCE => break,
            None => {}
        }
    }
    // The whole set was tried before; a run of all of it would be tried for ever.
    found.filter(|(count, ..)| *count < bands.len() || bands.len() > 1)
}

/// Lines that share no height with any other, together with those that do: the set from top to bottom.
fn bands(places: &[Rect], mut set: Vec<usize>) -> Vec<Vec<usize>> {
    let air = |at: usize| places[at].height() * AIR;
    set.sort_by(|&a, &b| places[a].top.total_cmp(&places[b].top));
    let (mut bands, mut reach) = (Vec::<Vec<usize>>::new(), f32::NEG_INFINITY);
    for at in set {
        match bands.last_mut() {
            Some(band) if places[at].top + air(at) < reach => band.push(at),
            _ => bands.push(vec![at]),
        }
        reach = reach.max(places[at].bottom - air(at));
    }
    bands
}

/// The two sides of the widest gutter that parts columns of text.
fn columns(places: &[Rect], set: &[usize]) -> Option<(Vec<usize>, Vec<usize>)> {
    let height = median(set.iter().map(|&at| places[at].height()))?;
    let mut by_left = set.to_vec();
    by_left.sort_by(|&a, &b| places[a].left.total_cmp(&places[b].left));
    let mut reach = places[by_left[0]].right;
    let mut gutters = Vec::new();
    for (count, &at) in by_left.iter().enumerate().skip(1) {
        let gap = places[at].left - reach;
        if gap >= height * GUTTER {
            gutters.push((gap, count));
        }
        reach = reach.max(places[at].right);
    }
    gutters.sort_by(|a, b| b.0.total_cmp(&a.0));
    let sides = |&(_, count): &(f32, usize)| (by_left[..count].to_vec(), by_left[count..].to_vec());
    gutters
        .iter()
        .map(sides)
        .find(|(left, right)| is_column(places, left) && is_column(places, right) && side_by_side(places, left, right))
}

/// Whether these are several long lines below each other.
fn is_column(places: &[Rect], set: &[usize]) -> bool {
    let long = median(set.iter().map(|&at| (places[at].right - places[at].left) / places[at].height()));
    long.is_some_and(|long| long >= LONG) && rows(places, set).len() > 1
}

fn side_by_side(places: &[Rect], left: &[usize], right: &[usize]) -> bool {
    let whole = |set: &[usize]| set.iter().map(|&at| places[at]).reduce(Rect::cover);
    let (Some(left), Some(right)) = (whole(left), whole(right)) else { return false };
    let shared = left.bottom.min(right.bottom) - left.top.max(right.top);
    shared > 0.0 && shared * 2.0 > left.height().min(right.height())
}

/// The rows of a set, from top to bottom, each from left to right.
fn rows(places: &[Rect], set: &[usize]) -> Vec<Vec<usize>> {
    let mut set = set.to_vec();
    set.sort_by(|&a, &b| places[a].middle().total_cmp(&places[b].middle()));
    let mut rows: Vec<Vec<usize>> = Vec::new();
    for at in set {
        let near = |row: &Vec<usize>| {
            let (first, own) = (places[row[0]], places[at]);
            (own.middle() - first.middle()).abs() < first.height().min(own.height()) * 0.5
        };
        match rows.last_mut() {
            Some(row) if near(row) => row.push(at),
            _ => rows.push(vec![at]),
        }
    }
    for row in &mut rows {
        row.sort_by(|&a, &b| places[a].left.total_cmp(&places[b].left));
    }
    rows
}

/// The paragraphs of a block.
fn written(lines: &[TextLine], places: &[Rect], block: &[usize]) -> Vec<String> {
    let rows = rows(places, block);
    let text = |row: &Vec<usize>| row.iter().map(|&at| lines[at].text.as_str()).collect::<Vec<_>>().join(" ");
    // A row is never empty, nor is a block.
    let whole: Vec<Rect> = rows.iter().filter_map(|row| row.iter().map(|&at| places[at]).reduce(Rect::cover)).collect();
    let Some(block) = whole.iter().copied().reduce(Rect::cover) else { return Vec::new() };
    let distance = median(whole.windows(2).map(|pair| pair[1].middle() - pair[0].middle())).unwrap_or(0.0);
    let mut paragraphs: Vec<String> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let alone = |at: usize| rows[at].len() == 1;
        let goes_on = at > 0
            && (alone(at - 1) && alone(at))
            && follows(whole[at - 1], whole[at], block, distance)
            && !begins_item(&lines[row[0]].text);
        match paragraphs.last_mut() {
            Some(paragraph) if goes_on => join(paragraph, &text(row)),
            _ => paragraphs.push(text(row)),
        }
    }
    paragraphs
}

/// Whether a line goes on where the one before ends.
fn follows(before: Rect, line: Rect, block: Rect, distance: f32) -> bool {
    let (low, high) = (before.height().min(line.height()), before.height().max(line.height()));
    high <= low * SAME_HEIGHT
        && line.middle() - before.middle() <= distance * SAME_DISTANCE
        && block.right - before.right <= high * FULL
        && line.left - block.left <= high * INDENTED
}

/// Whether a line begins with the marker of a list item.
fn begins_item(text: &str) -> bool {
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let mut rest = number.chars();
    let marked = number.len() < text.len() && matches!(rest.next(), Some('.' | ')' | '、' | '）'));
    // `3.14 metres` begins no item.
    let counted = marked && !rest.next().is_some_and(|c| c.is_ascii_digit());
    counted || text.starts_with(['•', '●', '▪', '■', '○', '·', '◆', '-', '–', '—', '*'])
}

/// Adds a line to a paragraph: a broken word becomes whole, Chinese letters stand side by side, anything else gets a
/// space.
fn join(text: &mut String, next: &str) {
    let (last, first) = (text.chars().next_back(), next.chars().next());
    let letter = text.chars().rev().nth(1).is_some_and(char::is_alphabetic);
    let (Some(last), Some(first)) = (last, first) else { return text.push_str(next) };
    if last == '-' && letter && first.is_lowercase() {
        text.pop();
    } else if !(is_wide(last) && is_wide(first)) {
        text.push(' ');
    }
    text.push_str(next);
}

fn is_wide(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff60}')
        || matches!(c, '\u{20000}'..='\u{3ffff}' | '“' | '”' | '…')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of height 20, a distance of 30 apart, each at a column and row, as wide as said.
    fn line(text: &str, left: f32, row: f32, width: f32) -> TextLine {
        let place = Quad::rectangle(left, row * 30.0, left + width, row * 30.0 + 24.0);
        TextLine { text: text.to_owned(), place, confidence: 1.0 }
    }

    fn slanted(line: TextLine, slope: f32) -> TextLine {
        let place = Quad(line.place.0.map(|p| Corner { x: p.x - p.y * slope, y: p.y + p.x * slope }));
        TextLine { place, ..line }
    }

    #[test]
    fn full_lines_are_one_paragraph_and_broken_words_whole() {
        let lines = [
            line("a word is bro-", 0.0, 0.0, 300.0),
            line("ken and goes on", 0.0, 1.0, 300.0),
            line("to here.", 0.0, 2.0, 90.0),
        ];
        assert_eq!(paragraphs(&lines), ["a word is broken and goes on to here."]);
        let lines = [line("天气很", 0.0, 0.0, 300.0), line("好。", 0.0, 1.0, 50.0), line("第二段", 30.0, 2.0, 200.0)];
        assert_eq!(paragraphs(&lines), ["天气很好。", "第二段"]);
    }

    #[test]
    fn two_columns_below_a_headline() {
        let mut lines = vec![line("Headline over both of the columns", 0.0, 0.0, 620.0)];
        for row in 0..5 {
            lines.push(line(&format!("right {row}"), 340.0, 2.3 + row as f32, 280.0));
            lines.push(line(&format!("left {row}"), 0.0, 2.0 + row as f32, 280.0));
        }
        lines.push(line("a note below both", 0.0, 9.0, 600.0));
        let expected = [
            "Headline over both of the columns",
            "left 0 left 1 left 2 left 3 left 4",
            "right 0 right 1 right 2 right 3 right 4",
            "a note below both",
        ];
        assert_eq!(paragraphs(&lines), expected);
        let slant: Vec<TextLine> = lines.into_iter().map(|line| slanted(line, 0.05)).collect();
        assert_eq!(paragraphs(&slant), expected, "a slanted page");
    }

    #[test]
    fn a_table_is_read_by_rows() {
        let cells = (0..3).flat_map(|row| {
            (0..3).map(move |column| line(&format!("r{row}c{column}"), column as f32 * 150.0, row as f32, 60.0))
        });
        assert_eq!(paragraphs(&cells.collect::<Vec<_>>()), ["r0c0 r0c1 r0c2", "r1c0 r1c1 r1c2", "r2c0 r2c1 r2c2"]);
    }

    #[test]
    fn columns_that_run_downwards_are_read_from_the_right() {
        let column = |text: &str, x: f32| TextLine {
            text: text.to_owned(),
            place: Quad::rectangle(x, 0.0, x + 24.0, 300.0),
            confidence: 1.0,
        };
        assert_eq!(paragraphs(&[column("其二", 0.0), column("其一", 40.0)]), ["其一其二"]);
    }

    #[test]
    fn items_and_short_lines_stand_alone() {
        let lines = [
            line("Shopping list for Friday", 0.0, 0.0, 300.0),
            line("1. flour, two bags or so", 0.0, 1.0, 300.0),
            line("2、鸡蛋", 0.0, 2.0, 80.0),
        ];
        assert_eq!(paragraphs(&lines).len(), 3);
        assert!(paragraphs(&[]).is_empty());
    }
}
