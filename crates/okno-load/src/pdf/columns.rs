//! The bands of a page come in; out go its lines and tables in reading order.
//!
//! Two columns are found by the gutter between them: an upright strip that few lines cross, with running text on both
//! sides. Lines that do cross it – a title, a wide figure's caption – cut the page into parts above and below, and
//! each part is read column by column. What is left of bands with several fragments at the same heights is a table
//! and is read row by row.

use super::direction;
use super::fragments::{Band, Fragment};
use super::letters::closed_up;
use super::tables::{self, PdfTable};

/// Narrower strips are spaces, not gutters (points).
const NARROWEST: f64 = 7.0;
/// The page is looked at in strips this wide (points).
const STRIP: f64 = 2.0;
/// At most this share of the bands may cross a gutter, in percent: titles, figures, tables over both columns.
const CROSSING: usize = 40;
/// Fewer lines make no column.
const LEAST_LINES: usize = 4;
/// The lines of a column have this many letters on average; the cells of a table rarely do.
const LEAST_LETTERS: f64 = 18.0;
/// So many lines that are numbered one after the other are numbered lines.
const NUMBERED: usize = 8;
/// Columns inside columns; more is noise.
const DEEPEST: usize = 5;

/// A line of running text, with the borders of the column it stands in.
#[derive(Debug, Clone)]
pub(super) struct PdfLine {
    pub text: String,
    pub left: f64,
    pub right: f64,
    pub y: f64,
    pub size: f64,
    pub bold: bool,
    pub column: (f64, f64),
}

/// A part of a page.
#[derive(Debug, Clone)]
pub(super) enum PdfPiece {
    Line(PdfLine),
    Table(PdfTable),
    /// An image, and the caption below or above it.
    Picture(Vec<u8>, String),
    /// Images that are the page, and what was read on it; none where they cannot be taken out.
    Scan(Vec<Vec<u8>>, String),
    /// The words of a reader about the page.
    Comment(String),
}

/// The pieces of a page in reading order.
pub(super) fn pieces(mut bands: Vec<Band>) -> Vec<PdfPiece> {
    remove_line_numbers(&mut bands);
    let mut out = Vec::new();
    arrange(bands, 0, &mut out);
    out
}

/// Transcripts and laws number their lines in the margin: these numbers are no cells of a table.
fn remove_line_numbers(bands: &mut Vec<Band>) {
    let number = |band: &Band| band.first()?.text.parse::<usize>().ok();
    let numbers: Vec<Option<usize>> = bands.iter().map(number).collect();
    let follows = |at: usize| {
        numbers[at].is_some_and(|n| at > 0 && numbers[at - 1].is_some_and(|before| before.checked_add(1) == Some(n)))
    };
    let followed = (0..bands.len()).filter(|at| follows(*at)).count();
    if followed < NUMBERED || followed * 2 < bands.len() {
        return;
    }
    for (at, band) in bands.iter_mut().enumerate() {
        let next = numbers.get(at + 1).copied().flatten();
        if follows(at) || (numbers[at].is_some() && next == numbers[at].and_then(|n| n.checked_add(1))) {
            band.remove(0);
        }
    }
    bands.retain(|band| !band.is_empty());
}

fn arrange(bands: Vec<Band>, depth: usize, out: &mut Vec<PdfPiece>) {
    let Some(gutter) = (depth < DEEPEST).then(|| gutter(&bands)).flatten() else { return flow(&bands, out) };
    let crosses = |band: &Band| band.iter().any(|f| f.left < gutter && f.right > gutter);
    let mut rest = bands.into_iter().peekable();
    while let Some(first) = rest.next() {
        let crossing = crosses(&first);
        let mut part = vec![first];
        while let Some(next) = rest.next_if(|next| crosses(next) == crossing) {
            part.push(next);
        }
        if crossing {
            arrange(part, depth + 1, out);
        } else {
            let (left, right) = halves(part, gutter);
            arrange(left, depth + 1, out);
            arrange(right, depth + 1, out);
        }
    }
}

fn halves(bands: Vec<Band>, gutter: f64) -> (Vec<Band>, Vec<Band>) {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for band in bands {
        let (l, r): (Band, Band) = band.into_iter().partition(|fragment| fragment.right <= gutter);
        left.extend(Some(l).filter(|band| !band.is_empty()));
        right.extend(Some(r).filter(|band| !band.is_empty()));
    }
    (left, right)
}

/// The middle of the strip between two columns of text, if there is one.
fn gutter(bands: &[Band]) -> Option<f64> {
    if bands.len() < LEAST_LINES {
        return None;
    }
    let all = || bands.iter().flatten();
    let (from, to) = all().fold((f64::MAX, f64::MIN), |(l, r), f| (l.min(f.left), r.max(f.right)));
    let strips = ((to - from) / STRIP) as usize;
    if !(10..5000).contains(&strips) {
        return None;
    }
    let counts = crossings(bands, from, strips);
    let mut found: Vec<(usize, usize, f64)> = empty_strips(&counts, bands.len() * CROSSING / 100)
        .into_iter()
        .map(|(start, end)| {
            (counts[start..end].iter().copied().min().unwrap_or(0), end - start, (start + end) as f64 / 2.0)
        })
        .collect();
    found.sort_by_key(|(crossing, width, _)| (*crossing, std::cmp::Reverse(*width)));
    found.into_iter().map(|(_, _, middle)| from + middle * STRIP).find(|middle| {
        let clean: Vec<&Band> =
            bands.iter().filter(|band| !band.iter().any(|f| f.left < *middle && f.right > *middle)).collect();
        is_text(&side(&clean, |f| f.right <= *middle)) && is_text(&side(&clean, |f| f.left >= *middle))
    })
}

/// The fragments on one side of a strip. Where most lines are whole, those that justification pulled apart are left
/// out; in a table most are not. A line whose dots lead to a number at its end is whole.
fn side<'f>(bands: &[&'f Band], is_there: impl Fn(&Fragment) -> bool) -> Vec<&'f Fragment> {
    let lines: Vec<Vec<&Fragment>> = bands
        .iter()
        .map(|band| band.iter().filter(|f| is_there(f)).collect())
        .map(|line: Vec<_>| if is_led(&line) { line[..1].to_vec() } else { line })
        .filter(|line: &Vec<_>| !line.is_empty())
        .collect();
    let whole = lines.iter().filter(|line| line.len() == 1).count();
    let only_whole = whole * 10 >= lines.len() * 7;
    lines.into_iter().filter(|line| !only_whole || line.len() == 1).flatten().collect()
}

/// Whether dots lead from the first of two fragments to the second.
fn is_led(line: &[&Fragment]) -> bool {
    matches!(line, [words, _] if words.text.ends_with("...."))
}

/// How many bands cover each strip.
fn crossings(bands: &[Band], from: f64, strips: usize) -> Vec<usize> {
    let mut counts = vec![0; strips];
    for fragment in bands.iter().flatten() {
        let strip = |x: f64| (((x - from) / STRIP).max(0.0) as usize).min(strips);
        counts[strip(fragment.left)..strip(fragment.right)].iter_mut().for_each(|count| *count += 1);
    }
    counts
}

/// Where few enough bands cross: of each run of such strips the part that the fewest cross, if it is wide enough for
/// a gutter.
fn empty_strips(counts: &[usize], most: usize) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (start, end) in runs(counts, 0, most) {
        let least = counts[start..end].iter().copied().min().unwrap_or(0);
        // A stray word in the gutter must not hide it.
        let wide = (0..3).find_map(|stray| {
            let longest =
                runs(&counts[start..end], start, least + stray).into_iter().max_by_key(|(from, to)| to - from)?;
            ((longest.1 - longest.0) as f64 * STRIP >= NARROWEST).then_some(longest)
        });
        found.extend(wide);
    }
    found
}

/// The longest runs of counts up to a limit, as places that start at `from`.
fn runs(counts: &[usize], from: usize, limit: usize) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for at in (0..counts.len()).filter(|at| counts[*at] <= limit) {
        match found.last_mut() {
            Some((_, end)) if *end == from + at => *end += 1,
            _ => found.push((from + at, from + at + 1)),
        }
    }
    found
}

/// Whether fragments are the lines of running text: enough of them, and most of them filling their column.
fn is_text(fragments: &[&Fragment]) -> bool {
    if fragments.len() < LEAST_LINES {
        return false;
    }
    let mut widths: Vec<f64> = fragments.iter().map(|f| f.right - f.left).collect();
    widths.sort_by(f64::total_cmp);
    // The width of a full line; there may be several columns on this side.
    let full = widths[widths.len() * 9 / 10];
    let count = fragments.len() as f64;
    let filled = widths.iter().sum::<f64>() / count / full.max(1.0);
    let words = |text: &str| text.chars().map(|c| if super::letters::is_wide(c) { 2 } else { 1 }).sum::<usize>();
    let length = fragments.iter().map(|f| words(&f.text)).sum::<usize>() as f64 / count;
    filled >= 0.55 && length >= LEAST_LETTERS
}

/// One column: tables are taken out whole, everything else is lines.
fn flow(bands: &[Band], out: &mut Vec<PdfPiece>) {
    let column = column(bands);
    let mut patience = tables::patience(bands.iter().map(Vec::len).sum());
    let mut at = 0;
    while at < bands.len() {
        if let Some((table, count)) = tables::first(&bands[at..], &mut patience) {
            out.push(PdfPiece::Table(table));
            at += count;
            continue;
        }
        out.push(PdfPiece::Line(line(&bands[at], column)));
        at += 1;
    }
}

fn line(band: &Band, column: (f64, f64)) -> PdfLine {
    let widest = band.iter().max_by(|a, b| (a.right - a.left).total_cmp(&(b.right - b.left)));
    let (y, size) = widest.map_or((0.0, 1.0), |f| (f.y, f.size));
    PdfLine {
        text: closed_up(direction::reading_order(band.iter().map(|f| f.text.as_str()).collect::<Vec<_>>().join(" "))),
        left: band.first().map_or(0.0, |f| f.left),
        right: band.last().map_or(0.0, |f| f.right),
        y,
        size,
        bold: band.iter().all(|f| f.bold),
        column,
    }
}

/// The left and right border that most lines keep; one line in twenty may stick out.
fn column(bands: &[Band]) -> (f64, f64) {
    let mut lefts: Vec<f64> = bands.iter().filter_map(|band| Some(band.first()?.left)).collect();
    let mut rights: Vec<f64> = bands.iter().filter_map(|band| Some(band.last()?.right)).collect();
    lefts.sort_by(f64::total_cmp);
    rights.sort_by(f64::total_cmp);
    let pick = |sorted: &[f64], place: usize| sorted.get(place).copied().unwrap_or(0.0);
    (pick(&lefts, lefts.len() / 20), pick(&rights, (rights.len() * 19 / 20).min(rights.len().saturating_sub(1))))
}
