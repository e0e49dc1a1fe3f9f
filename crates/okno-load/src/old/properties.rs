//! What an old Office file says about itself: title, author, dates, keywords, from the stream of its summary.

use encoding_rs::Encoding;

use super::super::compound::{Compound, number16, number32};
use super::super::rtf::code_pages::code_page;
use okno_document::{Date, Metadata, Value};

/// Properties of a summary: more are damage.
const MOST: usize = 64;
/// Seconds between 1601 and 1970.
const SINCE_1601: i64 = 11_644_473_600;

/// Seconds from 1970 to the year 10000.
const LAST_DAY: i64 = 253_402_300_800;

/// Reads the summary of a file.
pub(super) fn read(file: &Compound<'_>) -> Metadata {
    let mut metadata = Metadata::default();
    let Some(stream) = file.stream("\u{5}SummaryInformation") else { return metadata };
    let start = number32(&stream, 44) as usize;
    let set = stream.get(start..).unwrap_or_default();
    let count = (number32(set, 4) as usize).min(MOST);
    let value = |at: usize| set.get(number32(set, 12 + at * 8) as usize..).unwrap_or_default();
    let listed: Vec<(u32, &[u8])> = (0..count).map(|at| (number32(set, 8 + at * 8), value(at))).collect();
    let page = listed.iter().find(|(id, _)| *id == 1).map(|(_, value)| i32::from(number16(value, 4)));
    let encoding = page.and_then(code_page).unwrap_or(encoding_rs::WINDOWS_1252);
    for (id, value) in listed {
        let key = match id {
            2 => "title",
            3 => "subject",
            4 => "author",
            5 => "keywords",
            12 => "created",
            _ => continue,
        };
        let found = if id == 12 { moment(value).map(Value::Date) } else { text(value, encoding).map(Value::Text) };
        if let Some(found) = found {
            metadata.set(key, found);
        }
    }
    metadata
}

fn text(value: &[u8], encoding: &'static Encoding) -> Option<String> {
    let length = number32(value, 4) as usize;
    let text = match number16(value, 0) {
        0x1e => encoding.decode_without_bom_handling(value.get(8..8 + length.min(value.len()))?).0.into_owned(),
        0x1f => wide(value.get(8..8 + (length.min(value.len()) * 2))?),
        _ => return None,
    };
    let text = super::super::rendering::one_line(text.trim_end_matches('\0'));
    Some(text).filter(|text| !text.is_empty() && !text.contains('\0'))
}

fn moment(value: &[u8]) -> Option<Date> {
    (number16(value, 0) == 0x40).then(|| day(u64::from(number32(value, 8)) << 32 | u64::from(number32(value, 4))))?
}

/// The day of a moment that is counted in tenths of a microsecond since 1601.
pub(super) fn day(ticks: u64) -> Option<Date> {
    let seconds = i64::try_from(ticks / 10_000_000).ok()? - SINCE_1601;
    (1..LAST_DAY).contains(&seconds).then(|| Date::from_unix(seconds))
}

/// Text in UTF-16.
pub(super) fn wide(bytes: &[u8]) -> String {
    encoding_rs::UTF_16LE.decode_without_bom_handling(bytes).0.into_owned()
}
