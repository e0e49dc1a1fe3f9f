//! How cells of a workbook are shown: `0.12` with the format `0.0%` is `12.0%`, `1234.5` with `"€"#,##0.00` is
//! `€1,234.50`.
//!
//! `calamine` gives values and the number of their style, and of formats only whether they are dates. So the styles
//! of an XLSX file are read here. Formats with conditions, fractions and exponents are left alone.

use std::collections::HashMap;

use super::archive::Archive;
use super::xml::{self, XmlEvent};

/// The code of each style, where it shows a number as percent, with a currency or with thousands.
pub(super) type Styles = Vec<Option<std::rc::Rc<str>>>;

/// The styles of a workbook's cells, by number.
pub(super) fn read(archive: &mut Archive<'_>) -> Styles {
    archive.text("xl/styles.xml").map(|xml| styles(&xml)).unwrap_or_default()
}

/// The codes of the styles that cells name by number, where they show numbers otherwise.
fn styles(xml: &str) -> Styles {
    let (mut codes, mut styles, mut inside) = (HashMap::new(), Vec::new(), false);
    xml::walk(xml, |node| match node {
        XmlEvent::Open(element) => match element.name {
            "numFmt" => {
                if let (Some(id), Some(code)) = (element.number("numFmtId"), element.attribute("formatCode")) {
                    codes.insert(id, code);
                }
            }
            "cellXfs" => inside = true,
            "xf" if inside => {
                let id = element.number("numFmtId").unwrap_or(0);
                let code = codes.get(&id).cloned().or_else(|| built_in(id).map(str::to_owned));
                styles.push(code.filter(|code| shown(1.0, code).is_some()).map(std::rc::Rc::from));
            }
            _ => {}
        },
        XmlEvent::Close("cellXfs") => inside = false,
        _ => {}
    });
    styles
}

/// The formats that every program knows by number.
fn built_in(id: usize) -> Option<&'static str> {
    match id {
        3 | 37 | 38 => Some("#,##0"),
        4 | 39 | 40 => Some("#,##0.00"),
        9 => Some("0%"),
        10 => Some("0.00%"),
        _ => None,
    }
}

/// Excel shows no more; a format may name any number of them.
const MOST_DECIMALS: usize = 30;

/// A number as a format shows it; `None` for formats that add nothing to it or are not known.
pub(super) fn shown(number: f64, code: &str) -> Option<String> {
    let mut sections = code.split(';');
    let positive = sections.next()?;
    let (section, number, minus) = match sections.next() {
        Some(negative) if number < 0.0 && !negative.trim().is_empty() => (negative, -number, ""),
        _ if number < 0.0 => (positive, -number, "-"),
        _ => (positive, number, ""),
    };
    let Pattern { before, after, decimals, thousands, percent, plain } = Pattern::read(section)?;
    if plain {
        return None;
    }
    let number = if percent { number * 100.0 } else { number };
    let digits = format!("{number:.*}", decimals.min(MOST_DECIMALS));
    let digits = if thousands { grouped(&digits) } else { digits };
    Some(format!("{minus}{before}{digits}{after}"))
}

/// What stands around the digits of a format, and how they are written.
struct Pattern {
    before: String,
    after: String,
    decimals: usize,
    thousands: bool,
    percent: bool,
    /// It says nothing that the number does not.
    plain: bool,
}

impl Pattern {
    fn read(section: &str) -> Option<Self> {
        let mut pattern = Self {
            before: String::new(),
            after: String::new(),
            decimals: 0,
            thousands: false,
            percent: false,
            plain: true,
        };
        let (mut digits, mut point, mut letters) = (false, false, section.chars());
        while let Some(c) = letters.next() {
            match c {
                '0' | '#' | '?' => {
                    digits = true;
                    pattern.decimals += usize::from(point);
                }
                '.' if digits => point = true,
                ',' if digits => pattern.thousands = true,
                '%' => {
                    pattern.percent = true;
                    pattern.literal(digits, "%");
                }
                '"' => {
                    let words: String = letters.by_ref().take_while(|c| *c != '"').collect();
                    pattern.literal(digits, &words);
                }
                '[' => {
                    let inside: String = letters.by_ref().take_while(|c| *c != ']').collect();
                    match inside.strip_prefix('$') {
                        Some(currency) => pattern.literal(digits, currency.split('-').next().unwrap_or_default()),
                        // Conditions choose another section; colours change nothing.
                        None if inside.starts_with(['<', '>', '=']) => return None,
                        None => {}
                    }
                }
                '\\' => {
                    let next = letters.next()?;
                    pattern.literal(digits, next.encode_utf8(&mut [0; 4]));
                }
                '_' | '*' => _ = letters.next(),
                '(' | ')' | '-' | '+' | ' ' | '$' | '€' | '£' | '¥' | '￥' | '₹' | '元' => {
                    pattern.literal(digits, c.encode_utf8(&mut [0; 4]));
                }
                // Dates, fractions, exponents, text.
                _ => return None,
            }
        }
        pattern.plain = !pattern.percent && !pattern.thousands && pattern.before.is_empty() && pattern.after.is_empty();
        pattern.after.truncate(pattern.after.trim_end().len());
        digits.then_some(pattern)
    }

    fn literal(&mut self, behind: bool, words: &str) {
        (if behind { &mut self.after } else { &mut self.before }).push_str(words);
    }
}

/// `1234567.5` is `1,234,567.5`.
fn grouped(digits: &str) -> String {
    let (whole, rest) = digits.find('.').map_or((digits, ""), |point| digits.split_at(point));
    let mut out = String::new();
    for (at, digit) in whole.char_indices() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_their_formats_show_them() {
        let cases = [
            (0.125, "0.0%", "12.5%"),
            (0.5, "0%", "50%"),
            (1234.5, "#,##0.00", "1,234.50"),
            (1234.5, "\"$\"#,##0.00", "$1,234.50"),
            (-1234.5, "\"$\"#,##0.00_);[Red](\"$\"#,##0.00)", "($1,234.50)"),
            (99.0, "[$€-407]\\ #,##0", "€ 99"),
            (88.0, "¥0.00", "¥88.00"),
            (-0.1, "0%", "-10%"),
            (3.0, "0\" 元\"", "3 元"),
            (1_234_567.0, "#,##0", "1,234,567"),
        ];
        for (number, code, text) in cases {
            assert_eq!(shown(number, code).as_deref(), Some(text), "{number} {code}");
        }
        for code in ["General", "0.00", "yyyy-mm-dd", "0.00E+00", "# ?/?", "[>100]0%", "@", ""] {
            assert_eq!(shown(1.0, code), None, "{code}");
        }
    }
}
