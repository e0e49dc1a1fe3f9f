//! What is printed on pages: `iv`, `A-3`. A PDF says it in ranges, each from its first page to the next one's.

use hayro_syntax::Pdf as File;
use hayro_syntax::object::{Array, Dict, Name, Object, String as Text};

/// Ranges deeper or more than these are damage.
const DEEPEST: usize = 16;
const MOST_RANGES: usize = 100_000;

/// How the pages from one on are called.
#[derive(Debug, Clone, PartialEq)]
struct Range {
    first: usize,
    style: Option<u8>,
    prefix: String,
    start: usize,
}

/// The label of each page; empty where the file says nothing of it.
pub(super) fn labels(file: &File, pages: usize) -> Vec<String> {
    let root = file.xref().get::<Dict<'_>>(file.xref().root_id());
    let Some(tree) = root.and_then(|root| root.get::<Dict<'_>>("PageLabels")) else { return Vec::new() };
    let mut ranges = Vec::new();
    collect(&tree, 0, &mut ranges);
    ranges.sort_by_key(|range| range.first);
    if ranges.is_empty() { Vec::new() } else { (0..pages).map(|page| label(&ranges, page)).collect() }
}

fn collect(node: &Dict<'_>, depth: usize, ranges: &mut Vec<Range>) {
    if depth > DEEPEST || ranges.len() > MOST_RANGES {
        return;
    }
    let mut numbers =
        node.get::<Array<'_>>("Nums").into_iter().flat_map(|numbers| numbers.iter::<Object<'_>>().collect::<Vec<_>>());
    while let (Some(Object::Number(first)), Some(Object::Dict(range))) = (numbers.next(), numbers.next()) {
        ranges.push(Range {
            first: first.as_f64().max(0.0) as usize,
            style: range.get::<Name<'_>>("S").and_then(|style| style.as_ref().first().copied()),
            prefix: range.get::<Text<'_>>("P").map(|prefix| super::text_string(prefix.as_bytes())).unwrap_or_default(),
            start: range.get::<u32>("St").unwrap_or(1) as usize,
        });
    }
    for kid in node.get::<Array<'_>>("Kids").into_iter().flat_map(|kids| kids.iter::<Dict<'_>>().collect::<Vec<_>>()) {
        collect(&kid, depth + 1, ranges);
    }
}

fn label(ranges: &[Range], page: usize) -> String {
    let Some(range) = ranges[..ranges.partition_point(|range| range.first <= page)].last() else {
        return (page + 1).to_string();
    };
    let number = range.start.saturating_add(page - range.first);
    let counted = match range.style {
        Some(b'D') => number.to_string(),
        Some(b'r') => roman(number),
        Some(b'R') => roman(number).to_uppercase(),
        Some(b'a') => letters(number),
        Some(b'A') => letters(number).to_uppercase(),
        _ => String::new(),
    };
    format!("{}{counted}", range.prefix)
}

fn roman(mut number: usize) -> String {
    const SIGNS: [(usize, &str); 13] = [
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    if number > 4999 {
        return number.to_string();
    }
    let mut text = String::new();
    for (value, sign) in SIGNS {
        while number >= value {
            text.push_str(sign);
            number -= value;
        }
    }
    text
}

/// `a` to `z`, then `aa` to `zz`, as the standard counts.
fn letters(number: usize) -> String {
    let Some(before) = number.checked_sub(1) else { return String::new() };
    let letter = char::from(b'a' + (before % 26) as u8);
    std::iter::repeat_n(letter, (before / 26 + 1).min(8)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_count_in_their_own_way() {
        let range = |first, style, prefix: &str, start| Range { first, style, prefix: prefix.into(), start };
        let ranges = [
            range(0, Some(b'r'), "", 1),
            range(4, Some(b'D'), "", 1),
            range(6, Some(b'A'), "B-", 27),
            range(7, None, "end", 1),
        ];
        let labels: Vec<String> = (0..9).map(|page| label(&ranges, page)).collect();
        assert_eq!(labels, ["i", "ii", "iii", "iv", "1", "2", "B-AA", "end", "end"]);
        assert_eq!((roman(1994).as_str(), letters(28).as_str(), letters(0).as_str()), ("mcmxciv", "bb", ""));
    }
}
