//! Page numbers, running heads and feet: what stands at the edge of every page and belongs to none of them.
//!
//! A line is a running one when the same words (numbers aside) stand at the same edge of a third of the pages. Each is
//! kept once: in its place where it is the head of the first page – it may be the title – or looks like the header of
//! a table that goes on over many pages, and otherwise behind the text of the page, so that it interrupts no sentence.
//! Page numbers go everywhere.

use std::collections::{HashMap, HashSet};

use super::fragments::Band;

/// Bands looked at on each edge of a page.
const EDGE: usize = 3;
/// The header of a table has at least this many cells.
const CELLS: usize = 3;
/// All running lines together are less than this part of the text.
const MUCH: usize = 4;
/// On fewer pages, the same line may stand by chance.
const LEAST_PAGES: usize = 3;
/// A running line is never longer (bytes): prose that repeats by chance is.
const LONGEST: usize = 160;

/// What was taken out of the pages.
#[derive(Debug, Default)]
pub(super) struct PageFurniture {
    /// Whether there was any.
    pub any: bool,
    /// Running lines that were taken from their places, each once, with the page where it is first seen.
    pub kept: Vec<(usize, String)>,
}

/// Takes furniture out of the pages; each is a list of bands from top to bottom.
pub(super) fn remove(pages: &mut [Vec<Band>]) -> PageFurniture {
    if pages.len() < 2 {
        return PageFurniture::default();
    }
    let before: usize = pages.iter().map(Vec::len).sum();
    let mut running = running(pages);
    let offsets = number_offsets(pages);
    let weight = Weight::of(pages, &running, &offsets);
    if weight.text == 0 {
        return PageFurniture::default();
    }
    if weight.running * MUCH > weight.text + weight.running {
        running.clear();
    }
    let (mut seen, mut kept) = (HashSet::new(), Vec::new());
    for (number, page) in pages.iter_mut().enumerate() {
        let count = page.len();
        let mut at = 0;
        page.retain(|band| {
            let place = at;
            at += 1;
            let Some(top) = edge(place, count) else { return true };
            let words = words(band);
            if is_page_number(band, number, &offsets) {
                return false;
            }
            let key = (top, masked(&words));
            if !running.contains(&key) {
                return true;
            }
            let (first, stays) = (seen.insert(key), (number == 0 && top) || band.len() >= CELLS);
            if first && !stays {
                kept.push((number, words));
            }
            first && stays
        });
    }
    PageFurniture { any: pages.iter().map(Vec::len).sum::<usize>() < before, kept }
}

/// How many bytes are furniture and how many are not: slides, forms and labels have the same words on every page, and
/// these words are their text.
#[derive(Default)]
struct Weight {
    running: usize,
    text: usize,
}

impl Weight {
    fn of(pages: &[Vec<Band>], running: &HashSet<(bool, String)>, offsets: &HashSet<usize>) -> Self {
        let mut weight = Self::default();
        for (number, page) in pages.iter().enumerate() {
            for (at, band) in page.iter().enumerate() {
                let words = words(band);
                match edge(at, page.len()) {
                    Some(_) if is_page_number(band, number, offsets) => {}
                    Some(top) if running.contains(&(top, masked(&words))) => weight.running += words.len(),
                    _ => weight.text += words.len(),
                }
            }
        }
        weight
    }
}

/// Whether a band is at the top (`true`) or bottom edge.
fn edge(at: usize, count: usize) -> Option<bool> {
    if at < EDGE.min(count / 2) { Some(true) } else { (at + EDGE >= count && at >= count / 2).then_some(false) }
}

fn words(band: &Band) -> String {
    band.iter().map(|fragment| fragment.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// The words with every number replaced by one sign.
fn masked(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    for c in words.chars() {
        match c {
            c if c.is_ascii_digit() => {
                if !out.ends_with('#') {
                    out.push('#');
                }
            }
            c => out.extend(c.to_lowercase()),
        }
    }
    out
}

/// The lines that stand at the same edge of enough pages.
fn running(pages: &[Vec<Band>]) -> HashSet<(bool, String)> {
    let mut counts: HashMap<(bool, String), usize> = HashMap::new();
    for page in pages {
        let mut own = HashSet::new();
        for (at, band) in page.iter().enumerate() {
            let words = words(band);
            if let Some(top) = edge(at, page.len()).filter(|_| words.len() <= LONGEST) {
                own.insert((top, masked(&words)));
            }
        }
        for key in own {
            *counts.entry(key).or_default() += 1;
        }
    }
    let enough = (pages.len().div_ceil(3)).max(LEAST_PAGES);
    counts.into_iter().filter(|(_, count)| *count >= enough).map(|(key, _)| key).collect()
}

/// The number a band shows when it shows nothing else: `12`, `- 12 -`, `Page 3 of 9`, `第 3 页`. And whether words say
/// that it is a page's.
fn shown_number(band: &Band) -> Option<(usize, bool)> {
    let words = words(band).to_lowercase();
    let bare = words.replace("page", "").replace("of", "");
    let sign = |c: char| c.is_ascii_digit() || c.is_whitespace() || "-–—|/.·第页頁共".contains(c);
    if words.len() > 30 || !bare.chars().all(sign) {
        return None;
    }
    let digits: String = words.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    Some((digits.parse().ok()?, bare.len() < words.len() || words.contains(['第', '页', '頁'])))
}

/// What is to be added to a page's place to get its printed number, for every offset that two pages agree on; it
/// wraps below 0.
fn number_offsets(pages: &[Vec<Band>]) -> HashSet<usize> {
    let mut counts: HashMap<usize, usize> = HashMap::new();
    for (number, page) in pages.iter().enumerate() {
        let edges = page.iter().enumerate().filter(|(at, _)| edge(*at, page.len()).is_some());
        let own: HashSet<usize> =
            edges.filter_map(|(_, band)| shown_number(band)).map(|(shown, _)| shown.wrapping_sub(number)).collect();
        for offset in own {
            *counts.entry(offset).or_default() += 1;
        }
    }
    counts.into_iter().filter(|(_, count)| *count > 1).map(|(offset, _)| offset).collect()
}

fn is_page_number(band: &Band, number: usize, offsets: &HashSet<usize>) -> bool {
    shown_number(band)
        .is_some_and(|(shown, named)| named || (band.len() == 1 && offsets.contains(&(shown.wrapping_sub(number)))))
}
