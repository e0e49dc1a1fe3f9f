//! The styles of a Word file: which of them are headings, and which are items of a list.

use super::super::compound::number16;
use super::sprms::operations;

/// What a paragraph style says.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ParagraphStyle {
    pub heading: Option<u8>,
    pub list: u16,
    pub level: u8,
    base: usize,
}

/// The number of the built-in style `Title`.
const TITLE: u16 = 62;
/// Styles are based on others; chains are short, and a circle ends here.
const LONGEST_CHAIN: usize = 12;

/// Reads the style sheet.
pub(super) fn read(sheet: &[u8]) -> Vec<ParagraphStyle> {
    let about = usize::from(number16(sheet, 0));
    let (count, base) = (usize::from(number16(sheet, 2)), usize::from(number16(sheet, 4)));
    let mut at = 2 + about;
    let mut own = Vec::new();
    while own.len() < count {
        let length = usize::from(number16(sheet, at));
        let Some(style) = sheet.get(at + 2..at + 2 + length) else { break };
        own.push(one(style, base));
        at += 2 + length + length % 2;
    }
    (0..own.len()).map(|at| inherited(&own, at)).collect()
}

fn one(style: &[u8], base: usize) -> ParagraphStyle {
    let built_in = number16(style, 0) & 0x0fff;
    let heading = match built_in {
        1..=9 if style.len() >= 10 => Some(built_in as u8),
        TITLE => Some(1),
        _ => None,
    };
    let mut read = ParagraphStyle { heading, base: usize::from(number16(style, 2) >> 4), ..ParagraphStyle::default() };
    // The name – its length, its letters, a zero – and then the properties of paragraphs.
    let name = usize::from(number16(style, base));
    let properties = base + 2 + (name + 1) * 2;
    let paragraph = number16(style, 2) & 0xf == 1;
    let length = usize::from(number16(style, properties));
    if let Some(list) = style.get(properties + 4..properties + 2 + length).filter(|_| paragraph) {
        for operation in operations(list) {
            match operation.code {
                0x2640 if operation.byte() < 9 => read.heading = read.heading.or(Some(operation.byte() + 1)),
                0x460b => read.list = operation.number(),
                0x260a => read.level = operation.byte(),
                _ => {}
            }
        }
    }
    read
}

/// A style with what it has from those it is based on.
fn inherited(own: &[ParagraphStyle], at: usize) -> ParagraphStyle {
    let mut style = own[at];
    let mut base = style.base;
    for _ in 0..LONGEST_CHAIN {
        let Some(above) = own.get(base) else { break };
        style.heading = style.heading.or(above.heading);
        if style.list == 0 {
            (style.list, style.level) = (above.list, above.level);
        }
        base = above.base;
    }
    style
}
