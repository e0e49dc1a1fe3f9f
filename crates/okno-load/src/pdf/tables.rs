//! Bands of several fragments come in; out go tables: a header, and rows in which a label and its figures stand
//! together.
//!
//! Reports print tables without lines. Where rows have figures – `46,298`, `(34)`, `—` – the figures say where the
//! columns are: labels may be long and headers may span several columns. What stands above the first row of figures is
//! the header, all of its lines; a heading over several columns is the heading of each. Signs in columns of their own
//! (`$`, `%`, a closing bracket) go back to their figures. A line without figures is a row of its own, or the rest of
//! a label. Tables without figures are cut where all of their rows leave an upright gap.

use super::direction;
use super::fragments::{Band, Fragment};

/// Rows of one table on a page; more are cut into several.
const MOST_ROWS: usize = 2000;
/// So many lines with nothing but a label may follow each other inside of a table, or stand above its columns.
const MOST_LABELS: usize = 3;
/// Right borders of figures that belong to one column differ by less (points).
const ALIGNED: f64 = 4.0;
/// More columns are a drawing made of letters.
const MOST_COLUMNS: usize = 200;
/// Letters that two lines of a heading may have in common.
const LONGEST_COMMON: usize = 100;
/// Borders that are remembered: tables have fewer columns.
const MOST_BORDERS: usize = 100;

/// A table: rows of cells, all of one length.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PdfTable {
    /// What stands above the figures. Without it the first row may be the header, or the table goes on from the page
    /// before.
    pub header: Option<Vec<String>>,
    pub rows: Vec<Vec<String>>,
}

impl PdfTable {
    /// How many columns it has.
    pub fn width(&self) -> usize {
        self.rows.first().map_or(0, Vec::len)
    }

    /// Whether another table has the same columns, so that it can go on with this one.
    pub fn goes_on_in(&self, next: &Self) -> bool {
        self.header.is_some()
            && self.width() == next.width()
            && next.header.as_ref().is_none_or(|header| Some(header) == self.header.as_ref())
    }
}

/// How many fragments may be looked at in vain on a part of a page with so many: what looks like a table at one line
/// and is none looks the same at the next one.
pub(super) fn patience(fragments: usize) -> usize {
    10_000 + 50 * fragments
}

/// The table that the bands begin with, and how many of them it takes. What is looked at in vain is taken off
/// `patience`; without any left, nothing is a table.
pub(super) fn first(bands: &[Band], patience: &mut usize) -> Option<(PdfTable, usize)> {
    if *patience == 0 {
        return None;
    }
    let found = table_at_start(bands, patience);
    if found.is_none() {
        *patience = patience.saturating_sub(1);
    }
    found
}

fn table_at_start(bands: &[Band], patience: &mut usize) -> Option<(PdfTable, usize)> {
    let titles = bands.iter().take(MOST_LABELS + 1).position(|band| band.len() > 1)?;
    let count = extent(&bands[titles..]);
    if count == 0 {
        return None;
    }
    let rows = &bands[titles..titles + count];
    *patience = patience.saturating_sub(rows.iter().map(Vec::len).sum());
    if !rows.iter().any(has_figures) {
        return (titles == 0).then(|| plain(rows)).flatten().map(|table| (table, count));
    }
    let all: Vec<Band> = bands[..titles + count].iter().map(split_figures).collect();
    let Some(columns) = FigureColumns::of(&all[titles..]) else {
        return (titles == 0).then(|| plain(rows)).flatten().map(|table| (table, count));
    };
    let over = |at: usize| {
        let (title, below) = (&all[at][0], &all[at + 1][0]);
        columns.is_over(title) && title.y - below.y < 2.5 * title.size.max(below.size)
    };
    if !(0..titles).all(over) {
        return None;
    }
    Some((figures(&all, &columns)?, titles + count))
}

/// The band with every figure in a fragment of its own: the sign of the next column may stand close behind one.
fn split_figures(band: &Band) -> Band {
    let mut out = Band::with_capacity(band.len());
    for fragment in band {
        let mut rest = fragment.clone();
        while let Some(at) = sign_behind_figure(&rest.text) {
            let behind = rest.split_off(at);
            out.push(std::mem::replace(&mut rest, behind));
        }
        out.push(rest);
    }
    out
}

/// Where the sign of another figure begins: `39,117 $`, `12 $ 13`, `(567) (1,233)`.
fn sign_behind_figure(text: &str) -> Option<usize> {
    text.match_indices(' ').map(|(at, _)| at).find(|at| {
        let (figure, sign) = (&text[..*at], text[*at..].trim_start());
        is_figure(figure) && (sign.starts_with(['$', '€', '£', '¥', '(']) || (figure.ends_with(')') && is_figure(sign)))
    })
}

/// How many of the first bands look like rows: several fragments each, with a few labels between them.
fn extent(bands: &[Band]) -> usize {
    let (mut rows, mut end, mut labels) = (0, 0, 0);
    let (mut rights, mut left): (Vec<f64>, f64) = (Vec::new(), f64::MAX);
    let mut second = f64::MAX;
    for (at, band) in bands.iter().enumerate().take(MOST_ROWS) {
        if at > 0 && bands[at - 1][0].y - band[0].y > 4.0 * band[0].size {
            break;
        }
        if band.len() < 2 {
            // A figure that stands a little lower than its label.
            let column = |right: &f64| (right - band[0].right).abs() < ALIGNED;
            if is_figure(&band[0].text) && rights.iter().any(column) {
                (labels, end) = (0, at + 1);
                continue;
            }
            labels += 1;
            // Prose between two tables crosses their columns.
            let among = labels == 1 || (labels <= MOST_LABELS && band[0].right <= left.min(second));
            if at == 0 || !among {
                break;
            }
            continue;
        }
        let aligned = |f: &Fragment| rights.iter().any(|right| (right - f.right).abs() < ALIGNED);
        let known = if rights.is_empty() { has_figures(band) } else { band[1..].iter().any(aligned) };
        if labels > 1 && !known {
            break;
        }
        if rights.is_empty() {
            second = second.min(band[1].left);
        }
        for cell in band[1..].iter().filter(|cell| is_figure(&cell.text)) {
            left = left.min(cell.left);
            if rights.len() < MOST_BORDERS && !aligned_to(&rights, cell.right) {
                rights.push(cell.right);
            }
        }
        (labels, rows, end) = (0, rows + 1, at + 1);
    }
    if rows >= 2 { end } else { 0 }
}

fn aligned_to(rights: &[f64], right: f64) -> bool {
    rights.iter().any(|known| (known - right).abs() < 1.0)
}

/// Whether a cell is a figure: a number that is no year, or the dash that stands for none.
fn is_figure(text: &str) -> bool {
    let body = text.trim_matches(|c: char| c.is_whitespace() || "$€£¥%()*+".contains(c) || c == '\u{2212}');
    let dash = matches!(body, "—" | "–" | "-" | "--" | "——");
    let digits = body.trim_start_matches(['-', '–']);
    let number = !digits.ends_with(',')
        && digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && digits.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | '.' | ' '))
        && digits.chars().any(|c| c.is_ascii_digit());
    let year = body.len() == 4 && body.len() == text.trim().len() && (body.starts_with("19") || body.starts_with("20"));
    (dash || number) && !year
}

/// Whether a cell is a sign before a figure.
fn is_before(text: &str) -> bool {
    matches!(text, "US$" | "HK$" | "C$" | "A$" | "RMB")
        || (!text.is_empty() && text.chars().all(|c| "$€£¥( ".contains(c)))
}

/// Whether a cell is a sign behind a figure.
fn is_behind(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| ")%* ".contains(c))
}

/// Whether a band has figures beside a label, or several.
fn has_figures(band: &Band) -> bool {
    let figures = band.iter().filter(|f| is_figure(&f.text)).count();
    figures > 1 || (figures == 1 && band.len() > 1)
}

/// The columns of a table with figures, from left to right; what is left of them is the label.
struct FigureColumns(Vec<(f64, f64)>);

impl FigureColumns {
    fn of(rows: &[Band]) -> Option<Self> {
        let with_figures = || rows.iter().filter(|band| has_figures(band));
        let is_cell = |f: &Fragment| is_figure(&f.text) || is_before(&f.text) || is_behind(&f.text);
        let cells = with_figures().flat_map(|band| {
            // The first fragment may be a numbered label.
            band.iter().enumerate().filter(|(at, f)| is_cell(f) && (*at > 0 || !is_marker(f, band))).map(|(_, f)| f)
        });
        let cells: Vec<(f64, f64)> = cells.map(|f| (f.left, f.right)).collect();
        // A figure inside of a label makes no column: other labels cross it.
        let labels: Vec<&Fragment> = rows.iter().filter_map(|band| band.first().filter(|f| !is_cell(f))).collect();
        let is_column = |(left, right): &(f64, f64), cells: &[(f64, f64)]| {
            let crossing = labels.iter().filter(|label| label.left < *right && *left < label.right).count();
            crossing <= cells.iter().filter(|cell| cell.0 < *right && *left < cell.1).count()
        };
        let mut columns = merged(cells.clone());
        if columns.len() > MOST_COLUMNS {
            return None;
        }
        columns.retain(|column| is_column(column, &cells));
        let (several, with) = (rows.iter().filter(|band| band.len() > 1).count(), with_figures().count());
        if columns.is_empty() || with < 2 || with * 2 < several {
            return None;
        }
        // Words beside the label are columns too, where they cross none of figures.
        let apart = |f: &&Fragment| !columns.iter().any(|(left, right)| f.left < *right && *left < f.right);
        let words = with_figures().flat_map(|band| band.iter().skip(1)).filter(|f| !is_cell(f)).filter(apart);
        let first = columns[0].0;
        let words: Vec<(f64, f64)> = words.filter(|f| f.left > first).map(|f| (f.left, f.right)).collect();
        let beside: Vec<(f64, f64)> =
            merged(words.clone()).into_iter().take(MOST_COLUMNS).filter(|column| is_column(column, &words)).collect();
        columns.extend(beside);
        columns.sort_by(|a, b| a.0.total_cmp(&b.0));
        Some(Self(columns))
    }

    /// Whether a title stands over the columns and not over the labels.
    fn is_over(&self, title: &Fragment) -> bool {
        let (Some(first), Some(last)) = (self.0.first(), self.0.last()) else { return false };
        let middle = f64::midpoint(title.left, title.right);
        title.left > first.0 - 4.0 * title.size && middle > first.0 && middle < last.1 + title.size
    }

    /// The column of a fragment: 0 is that of labels.
    fn place(&self, fragment: &Fragment) -> usize {
        let overlap = |(left, right): &(f64, f64)| fragment.right.min(*right) - fragment.left.max(*left);
        let best = self.0.iter().enumerate().max_by(|a, b| overlap(a.1).total_cmp(&overlap(b.1)));
        let Some((at, column)) = best else { return 0 };
        let label = fragment.left < self.0[0].0 && overlap(column) < 0.5 * (fragment.right - fragment.left);
        if label { 0 } else { at + 1 }
    }

    /// The same of a heading, which may reach further to the left than the figures below it.
    fn place_of_heading(&self, heading: &Fragment) -> usize {
        if f64::midpoint(heading.left, heading.right) < self.0[0].0 {
            return 0;
        }
        let overlap = |(left, right): &(f64, f64)| heading.right.min(*right) - heading.left.max(*left);
        let best = self.0.iter().enumerate().max_by(|a, b| overlap(a.1).total_cmp(&overlap(b.1)));
        best.map_or(0, |(at, _)| at + 1)
    }

    /// The header: what the lines above the figures say of each column.
    fn header(&self, lines: &[Band]) -> Vec<String> {
        let mut header = vec![String::new(); self.0.len() + 1];
        let lowest = lines.iter().rposition(|line| line.len() > 1).unwrap_or(0);
        for (at, line) in lines.iter().enumerate() {
            let (labels, headings): (Vec<&Fragment>, Vec<&Fragment>) =
                line.iter().partition(|f| self.place_of_heading(f) == 0);
            for label in labels {
                add(&mut header[0], &label.text);
            }
            for (column, cell) in header.iter_mut().skip(1).enumerate() {
                if let Some(heading) = self.heading(column, &headings, at < lowest) {
                    add_once(cell, &heading.text);
                }
            }
        }
        header
    }

    /// The heading of a column among those of one line. Above other headings one may stand over several columns, in
    /// the middle of them.
    fn heading<'f>(&self, column: usize, headings: &[&'f Fragment], spans: bool) -> Option<&'f Fragment> {
        let middle = |(left, right): (f64, f64)| f64::midpoint(left, right);
        let (own, all) = (middle(self.0[column]), (self.0[0].0, self.0[self.0.len() - 1].1));
        let pitch = (all.1 - all.0) / self.0.len() as f64;
        let distance = |f: &Fragment| (f.left - own).max(own - f.right).max(0.0);
        let nearest = headings.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        let over_all = headings.len() == 1 && (middle((nearest.left, nearest.right)) - middle(all)).abs() < 0.5 * pitch;
        let (left, right) = self.0[column];
        let over =
            (nearest.left < right + 1.0 && left < nearest.right + 1.0) || self.place_of_heading(nearest) == column + 1;
        (over || (spans && (over_all || distance(nearest) < 0.6 * pitch))).then_some(nearest)
    }
}

/// The number of a list item or a note before a label.
fn is_marker(fragment: &Fragment, band: &Band) -> bool {
    super::letters::is_marker(&fragment.text) && band.get(1).is_some_and(|next| !is_figure(&next.text))
}

/// Reaches that touch become one.
fn merged(mut reaches: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    reaches.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut out: Vec<(f64, f64)> = Vec::new();
    for (left, right) in reaches {
        match out.last_mut() {
            Some(last) if left <= last.1 + 1.0 => last.1 = last.1.max(right),
            _ => out.push((left, right)),
        }
    }
    out
}

/// The table of bands with figures.
fn figures(bands: &[Band], columns: &FigureColumns) -> Option<PdfTable> {
    let width = columns.0.len() + 1;
    let body = bands.iter().position(has_figures)?;
    // Labels right above the figures are rows of the table.
    let heads =
        (0..body).rev().find(|at| bands[*at].len() > 1 || columns.is_over(&bands[*at][0])).map_or(0, |at| at + 1);
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut last_y = f64::MAX;
    for band in &bands[heads..] {
        let mut row = vec![String::new(); width];
        for fragment in band {
            let place = columns.place(fragment);
            // Signs stand right beside their figures.
            if place > 0 && (is_behind(&fragment.text) || is_before(&row[place])) {
                row[place].push_str(&fragment.text);
            } else {
                add(&mut row[place], &fragment.text);
            }
        }
        row[0] = without_leaders(&row[0]);
        // A label with a raised sign stands a little higher than its figures.
        let beside = last_y - band[0].y < 0.75 * band[0].size;
        last_y = band[0].y;
        match rows.last_mut().filter(|last| goes_on(last, &row) || (beside && complete(last, &row))) {
            Some(last) => last.iter_mut().zip(row).for_each(|(cell, more)| add(cell, &more)),
            None => rows.push(row),
        }
    }
    rows.insert(0, columns.header(&bands[..heads]));
    join_signs(&mut rows);
    move_signs(&mut rows);
    drop_empty(&mut rows);
    if rows[0].len() < 2 || (rows.len() < 4 && rows[0].len() < 3) {
        return None;
    }
    turn(&mut rows);
    let header = Some(rows.remove(0)).filter(|header| header.iter().any(|cell| !cell.is_empty()));
    Some(PdfTable { header, rows })
}

fn add(cell: &mut String, text: &str) {
    if !cell.is_empty() && !text.is_empty() {
        cell.push(' ');
    }
    cell.push_str(text);
}

/// Adds words to a heading that may already have them.
fn add_once(cell: &mut String, text: &str) {
    if text.contains(cell.as_str()) {
        text.clone_into(cell);
    } else if !cell.contains(text) {
        let common = text
            .char_indices()
            .map(|(at, _)| at)
            .take(LONGEST_COMMON)
            .filter(|at| *at > 3 && cell.ends_with(&text[..*at]))
            .max();
        match common {
            Some(at) => cell.push_str(&text[at..]),
            None => add(cell, text),
        }
    }
}

/// A label without the dots that lead to its figures.
fn without_leaders(label: &str) -> String {
    let bare = label.trim_end_matches(['.', ' ', '…', '_']);
    if label.len() - bare.len() > 3 { bare.to_owned() } else { label.to_owned() }
}

/// Whether one of two rows is the label and the other one its figures.
fn complete(last: &[String], row: &[String]) -> bool {
    let (label, figures) =
        (|row: &[String]| !row[0].is_empty(), |row: &[String]| row[1..].iter().any(|c| !c.is_empty()));
    label(last) != label(row) && figures(last) != figures(row)
}

/// Whether a row is the rest of the label above it.
fn goes_on(last: &[String], row: &[String]) -> bool {
    let bare = |row: &[String]| row[1..].iter().all(String::is_empty);
    let rest = row[0].starts_with(char::is_lowercase);
    let open =
        last[0].ends_with([',', '-', '–']) || [" and", " of", " or", " the"].iter().any(|end| last[0].ends_with(end));
    !last[0].is_empty()
        && !row[0].is_empty()
        && (bare(last) || bare(row))
        && (rest || (open && bare(last) != bare(row)))
}

/// Gives signs in columns of their own back to their figures, and headings that stand beside their column to it. The
/// first row is the header.
fn join_signs(rows: &mut [Vec<String>]) {
    let mut at = 1;
    while at < rows[0].len() {
        let (mut filled, mut before, mut behind) = (0, 0, 0);
        for cell in rows[1..].iter().map(|row| &row[at]).filter(|cell| !cell.is_empty()) {
            filled += 1;
            before += usize::from(is_before(cell));
            behind += usize::from(is_behind(cell));
        }
        let right = at + 1 < rows[0].len();
        let free = |place: usize| rows[0][place].is_empty() || rows[0][place] == rows[0][at] || rows[0][at].is_empty();
        if right && filled == before && (filled > 0 || free(at + 1)) {
            join(rows, at);
        } else if at > 1 && filled == behind && (filled > 0 || free(at - 1)) {
            join(rows, at - 1);
        } else {
            at += 1;
        }
    }
}

/// Moves the sign of a figure that came to stand behind the one before it.
fn move_signs(rows: &mut [Vec<String>]) {
    for row in rows.iter_mut().skip(1) {
        for at in 1..row.len().saturating_sub(1) {
            let sign = row[at].rsplit_once(' ').filter(|(figure, sign)| is_before(sign) && is_figure(figure));
            let Some((figure, sign)) = sign.map(|(figure, sign)| (figure.to_owned(), sign.to_owned())) else {
                continue;
            };
            if is_figure(&row[at + 1]) {
                row[at] = figure;
                row[at + 1].insert_str(0, &sign);
            }
        }
    }
}

/// Joins a column and the next one.
fn join(rows: &mut [Vec<String>], at: usize) {
    for (number, row) in rows.iter_mut().enumerate() {
        let next = row.remove(at + 1);
        if number == 0 {
            add_once(&mut row[at], &next);
        } else {
            row[at].push_str(&next);
        }
    }
}

fn drop_empty(rows: &mut [Vec<String>]) {
    for at in (0..rows[0].len()).rev() {
        if rows.iter().all(|row| row[at].is_empty()) {
            for row in rows.iter_mut() {
                row.remove(at);
            }
        }
    }
}

/// The cells of a table without figures, if its fragments stand in columns.
fn plain(bands: &[Band]) -> Option<PdfTable> {
    let several = || bands.iter().filter(|band| band.len() > 1);
    let columns: Vec<f64> =
        merged(several().flatten().map(|f| (f.left, f.right)).collect()).into_iter().map(|(left, _)| left).collect();
    if !(2..=MOST_COLUMNS).contains(&columns.len()) || (several().count() < 3 && columns.len() < 3) {
        return None;
    }
    let mut rows: Vec<Vec<String>> = Vec::new();
    for band in bands {
        // A single fragment below a row goes on in its cell.
        if band.len() > 1 || rows.is_empty() {
            rows.push(vec![String::new(); columns.len()]);
        }
        let row = rows.last_mut()?;
        for fragment in band {
            let middle = f64::midpoint(fragment.left, fragment.right);
            let place = columns.iter().rposition(|left| *left <= middle).unwrap_or(0);
            add(&mut row[place], &fragment.text);
        }
    }
    turn(&mut rows);
    Some(PdfTable { header: None, rows })
}

/// Puts the letters of cells, and the cells of a table that is read from the right, in reading order.
fn turn(rows: &mut [Vec<String>]) {
    let cells = || rows.iter().flatten();
    if !cells().any(|cell| direction::has_leftward(cell)) {
        return;
    }
    let leftward = cells().filter(|cell| direction::is_mostly_leftward(cell)).count();
    let from_right = leftward * 2 > cells().filter(|cell| cell.chars().any(char::is_alphabetic)).count();
    for row in rows {
        for cell in row.iter_mut() {
            *cell = direction::reading_order(std::mem::take(cell));
        }
        if from_right {
            row.reverse();
        }
    }
}

#[cfg(test)]
mod tests;
