//! Workbooks (XLSX, XLSM, XLSB, XLS, ODS): each sheet is a heading and a table whose first row is its header.
//!
//! `calamine` reads the cells. Numbers are written as people see them – fifteen digits, as Excel has –, dates as dates, and in XLSX files percent, currencies and
//! thousands as the cells' formats say (`formats`).

use std::collections::HashMap;
use std::io::Cursor;
use std::path::Path;

use calamine::{Data, ExcelDateTime, Range, Reader, open_workbook_auto_from_rs};

use super::super::rendering::Rendering;
use super::super::{DamagedPart, FileKind, Loader, Sink, SkipReason, Source, has_extension};
use super::archive::Archive;
use super::formats::{self, Shown};
use super::{damaged, properties};
use okno_document::{Metadata, Value};

/// The first bytes of old Office files.
const OLD: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
/// Cells of a workbook: what is larger is a database.
const MOST_CELLS: usize = 20_000_000;

/// Reads workbooks that their first bytes or their name tell apart; any other archive is [`super::Office`]'s.
#[derive(Debug, Clone, Copy, Default)]
pub struct Workbook;

impl Loader for Workbook {
    fn accepts(&self, path: &Path, head: &[u8]) -> bool {
        let zip = head.starts_with(b"PK\x03\x04") && has_extension(path, &["xlsx", "xlsm", "xlsb", "ods"]);
        zip || head.starts_with(OLD)
    }

    fn load(&self, source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason> {
        let bytes = source.bytes()?;
        if bytes.starts_with(OLD) {
            refuse_others(&bytes)?;
        } else if !is_workbook(&Archive::open(&bytes)?) {
            return super::Office.load(&Source { content: Some(&bytes), ..*source }, out);
        }
        load(&bytes, source, out)
    }
}

/// Old files that are no workbook, by the names of their streams (in UTF-16).
fn refuse_others(bytes: &[u8]) -> Result<(), SkipReason> {
    let holds = |name: &str| {
        let wide: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        memchr::memmem::find(bytes, &wide).is_some()
    };
    let refuse = |kind: FileKind| Err(SkipReason::unsupported(kind));
    match () {
        () if holds("EncryptedPackage") => Err(SkipReason::Encrypted),
        () if holds("WordDocument") => refuse(FileKind::OldWord),
        () if holds("PowerPoint Document") => refuse(FileKind::OldPowerPoint),
        () if holds("Workbook") || holds("Book") => Ok(()),
        () => refuse(FileKind::OldOffice),
    }
}

/// Whether an archive holds a workbook.
pub(super) fn is_workbook(archive: &Archive<'_>) -> bool {
    let ods = archive.has("content.xml") && archive.has("mimetype");
    archive.has("xl/workbook.xml") || archive.has("xl/workbook.bin") || ods
}

pub(super) fn load(bytes: &[u8], source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason> {
    let (mut metadata, mut formats) = (Metadata::default(), HashMap::new());
    if bytes.starts_with(b"PK") {
        let mut archive = Archive::open(bytes)?;
        metadata =
            archive.text("meta.xml").map_or_else(|| properties::core(&mut archive), |xml| properties::read(&xml));
        archive.check()?;
        // What was inflated for the check counts no more.
        formats = formats::read(&mut Archive::open(bytes)?);
    }
    // `calamine` trusts what a sheet says of its own size.
    let read = std::panic::catch_unwind(|| render(bytes, &formats));
    let rendering = read.unwrap_or_else(|_| Err(damaged(DamagedPart::Sheets)))?;
    metadata.0.entry("title".to_owned()).or_insert_with(|| Value::Text(source.stem()));
    let kind = if has_extension(source.path, &["ods"]) { "ods" } else { "xlsx" };
    out.document(rendering.finish(source, kind, metadata)?);
    Ok(())
}

fn render(bytes: &[u8], formats: &HashMap<String, Shown>) -> Result<Rendering, SkipReason> {
    let mut workbook = open_workbook_auto_from_rs(Cursor::new(bytes)).map_err(|error| refused(&error))?;
    let mut rendering = Rendering::default();
    let mut cells = 0;
    for name in workbook.sheet_names() {
        let Ok(range) = workbook.worksheet_range(&name) else { continue };
        cells += range.height() * range.width();
        if cells > MOST_CELLS {
            return Err(SkipReason::TooManyCells { limit: MOST_CELLS });
        }
        write(&mut rendering, &name, &range, formats.get(&name).unwrap_or(&Shown::new()));
    }
    Ok(rendering)
}

fn refused(error: &calamine::Error) -> SkipReason {
    use calamine::{Error, OdsError, XlsError, XlsbError, XlsxError};
    match error {
        Error::Xls(XlsError::Password)
        | Error::Xlsx(XlsxError::Password)
        | Error::Xlsb(XlsbError::Password)
        | Error::Ods(OdsError::Password) => SkipReason::Encrypted,
        other => damaged(DamagedPart::Workbook { words: other.to_string() }),
    }
}

fn write(rendering: &mut Rendering, name: &str, range: &Range<Data>, formats: &Shown) {
    let (top, left) = range.start().unwrap_or_default();
    let filled = |(_, row): &(u32, &[Data])| row.iter().any(|cell| *cell != Data::Empty);
    let mut rows = (top..).zip(range.rows()).filter(filled).peekable();
    if rows.peek().is_none() {
        return;
    }
    rendering.heading(2, name);
    // Lines of one cell above the table are its title.
    while let Some(alone) =
        rows.next_if(|(_, row)| row.len() > 1 && row.iter().filter(|cell| **cell != Data::Empty).count() == 1)
    {
        alone.1.iter().filter(|cell| **cell != Data::Empty).for_each(|cell| _ = rendering.paragraph(&shown(cell)));
    }
    let Some(header) = rows.next() else { return };
    let words = |(row, cells): (u32, &[Data])| {
        let cells = (left..).zip(cells);
        cells
            .map(|(column, cell)| formatted(cell, formats.get(&(row, column)).map(|code| &**code)))
            .collect::<Vec<String>>()
    };
    if header.1.len() < 2 {
        std::iter::once(header).chain(rows).flat_map(words).for_each(|cell| _ = rendering.paragraph(&cell));
        return;
    }
    let mut table = rendering.open_table(&words(header));
    rows.for_each(|row| table.row(words(row).iter().map(String::as_str)));
    table.close();
}

/// A cell as its format shows it.
fn formatted(cell: &Data, code: Option<&str>) -> String {
    let number = match cell {
        Data::Float(number) => Some(*number),
        Data::Int(number) => Some(*number as f64),
        _ => None,
    };
    let special = number.zip(code).and_then(|(number, code)| formats::shown(number, code));
    special.unwrap_or_else(|| shown(cell))
}

/// A cell as people see it.
fn shown(cell: &Data) -> String {
    match cell {
        Data::Empty => String::new(),
        Data::String(text) | Data::DateTimeIso(text) | Data::DurationIso(text) => text.clone(),
        Data::Int(number) => number.to_string(),
        Data::Float(number) => number_shown(*number),
        Data::Bool(truth) => truth.to_string(),
        Data::DateTime(moment) => moment_shown(moment),
        Data::Error(error) => error.to_string(),
    }
}

/// Fifteen digits, as Excel keeps: `0.1 + 0.2` is `0.3`.
fn number_shown(number: f64) -> String {
    let short: f64 = format!("{number:.14e}").parse().unwrap_or(number);
    short.to_string()
}

fn moment_shown(moment: &ExcelDateTime) -> String {
    let (year, month, day, hour, minute, second, _) = moment.to_ymd_hms_milli();
    let time = format!("{hour:02}:{minute:02}:{second:02}");
    match moment.as_f64() {
        _ if moment.is_duration() => {
            let seconds = (moment.as_f64() * 86_400.0).round() as i64;
            format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
        }
        days if days < 1.0 => time,
        days if days.fract() == 0.0 => format!("{year:04}-{month:02}-{day:02}"),
        _ => format!("{year:04}-{month:02}-{day:02} {time}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_people_see_them() {
        let cases = [
            (0.1 + 0.2, "0.3"),
            (5.0, "5"),
            (1_234_567.891, "1234567.891"),
            (-2.5, "-2.5"),
            (1e21, "1000000000000000000000"),
        ];
        for (number, text) in cases {
            assert_eq!(number_shown(number), text);
        }
    }
}
