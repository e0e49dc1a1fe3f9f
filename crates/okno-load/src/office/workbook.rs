//! Workbooks (XLSX, XLSM, XLSB, XLS, ODS): each sheet is a heading and a table whose first row is its header.
//!
//! `calamine` reads the cells. Numbers are written as people see them – fifteen digits, as Excel has –, dates as
//! dates, and in XLSX files percent, currencies and thousands as the cells' formats say (`formats`).

use std::io::Cursor;
use std::path::Path;

use calamine::{Data, DataRef, Reader, Xls, XlsError, Xlsb, XlsbError, Xlsx, XlsxError};

use super::super::compound::MAGIC as OLD;
use super::super::guard::{self, DocumentParts, PanicPlace};
use super::super::{DamagedPart, Loader, Sink, SkipReason, Source, has_extension};
use super::archive::Archive;
use super::sheet::{self, MOST_FILLED, SheetCell, SheetRow, SheetWriter};
use super::{damaged, drawings, formats, ods, properties, xls};
use okno_document::{Metadata, Value};

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
        if !bytes.starts_with(OLD) && !is_workbook(&Archive::open(&bytes)?) {
            return super::Office::default().load(&Source { content: Some(&bytes), ..*source }, out);
        }
        load(&bytes, source, out)
    }
}

/// Whether an archive holds a workbook.
pub(super) fn is_workbook(archive: &Archive<'_>) -> bool {
    let ods = archive.has("content.xml") && archive.has("mimetype");
    archive.has("xl/workbook.xml") || archive.has("xl/workbook.bin") || ods
}

/// Whether an archive is a spreadsheet of `OpenDocument`.
fn is_ods(archive: &Archive<'_>) -> bool {
    archive.has("content.xml") && !archive.has("xl/workbook.xml") && !archive.has("xl/workbook.bin")
}

pub(super) fn load(bytes: &[u8], source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason> {
    let mut reading = Sheets::default();
    let mut metadata = Metadata::default();
    if bytes.starts_with(b"PK") {
        let mut archive = Archive::open(bytes)?;
        metadata =
            archive.text("meta.xml").map_or_else(|| properties::core(&mut archive), |xml| properties::read(&xml));
        archive.check()?;
        // What was inflated for the check counts no more.
        reading.archive(&mut Archive::open(bytes)?, bytes)?;
    } else {
        reading.xls(bytes)?;
    }
    let Sheets { writer, parts, mut failed } = reading;
    failed.extend(parts.missing().map(|missing| (String::new(), missing)));
    if writer.rendering.is_blank() && !failed.is_empty() {
        return Err(failed.swap_remove(0).1);
    }
    for (sheet, reason) in failed {
        let place = if sheet.is_empty() { source.name.to_owned() } else { format!("{} ({sheet})", source.name) };
        out.skip(&place, reason);
    }
    metadata.0.entry("title".to_owned()).or_insert_with(|| Value::Text(source.stem()));
    let kind = ["ods", "xls"].into_iter().find(|kind| has_extension(source.path, &[kind])).unwrap_or("xlsx");
    out.document(writer.rendering.finish(source, kind, metadata)?);
    if bytes.starts_with(b"PK") {
        super::tell_left_out(&mut Archive::open(bytes)?, source, out);
    }
    Ok(())
}

/// Reads sheets one by one: one that is too large or breaks its reader is told, and the others are read.
#[derive(Default)]
struct Sheets {
    writer: SheetWriter,
    parts: DocumentParts,
    /// Sheets that were left out, or the rest of which was.
    failed: Vec<(String, SkipReason)>,
}

/// The filled cells of a sheet up to what breaks it off; one more than may be kept where they are too many.
struct FoundCells<'w> {
    cells: Vec<(u32, SheetCell<'w>)>,
    damage: Option<SkipReason>,
}

impl Sheets {
    fn archive(&mut self, archive: &mut Archive<'_>, bytes: &[u8]) -> Result<(), SkipReason> {
        if is_ods(archive) {
            for (name, rows) in ods::sheets(archive)? {
                self.write(&name, &rows, &Vec::new());
            }
            return Ok(());
        }
        if archive.has("xl/workbook.bin") {
            return self.xlsb(bytes);
        }
        let codes = formats::read(archive);
        let mut shapes = drawings::of_sheets(archive);
        let mut workbook: Xlsx<_> = opened(|| Xlsx::new(Cursor::new(bytes)))?;
        for name in workbook.sheet_names() {
            let cells = self.parts.read(|| name.clone(), || xlsx_cells(&mut workbook, &name));
            let before = self.writer.rendering.len();
            self.found(&name, cells, &codes);
            self.shapes(&name, before, &shapes.remove(&name).unwrap_or_default());
        }
        Ok(())
    }

    /// Writes the text of a sheet's shapes behind its cells; `before` is where the sheet begins.
    fn shapes(&mut self, name: &str, before: usize, texts: &[String]) {
        let rendering = &mut self.writer.rendering;
        if !texts.is_empty() && rendering.len() == before {
            rendering.heading(2, name);
        }
        for text in texts {
            rendering.paragraph(text);
        }
    }

    fn xlsb(&mut self, bytes: &[u8]) -> Result<(), SkipReason> {
        let mut workbook: Xlsb<_> = opened(|| Xlsb::new(Cursor::new(bytes)))?;
        for name in workbook.sheet_names() {
            let cells = self.parts.read(|| name.clone(), || xlsb_cells(&mut workbook, &name));
            self.found(&name, cells, &Vec::new());
        }
        Ok(())
    }

    fn xls(&mut self, bytes: &[u8]) -> Result<(), SkipReason> {
        let bounded = xls::bounded(bytes)?;
        let mut workbook: Xls<_> = opened(|| Xls::new(Cursor::new(bounded.as_slice())))?;
        for name in workbook.sheet_names() {
            let Ok(range) = workbook.worksheet_range(&name) else { continue };
            let (top, left) = range.start().unwrap_or_default();
            let cells = range
                .used_cells()
                .map(|(row, column, cell)| (top + row as u32, (left + column as u32, 0, borrowed(cell))));
            self.write(&name, &sheet::rows(cells.collect()), &Vec::new());
        }
        Ok(())
    }

    fn found(&mut self, name: &str, found: Option<FoundCells<'_>>, codes: &formats::Styles) {
        let Some(FoundCells { cells, damage }) = found else { return };
        if cells.len() > MOST_FILLED {
            self.failed.push((name.to_owned(), SkipReason::TooManyCells { limit: MOST_FILLED }));
            return;
        }
        self.failed.extend(damage.map(|damage| (name.to_owned(), damage)));
        self.write(name, &sheet::rows(cells), codes);
    }

    fn write(&mut self, name: &str, rows: &[SheetRow<'_>], codes: &formats::Styles) {
        if let Err(reason) = self.writer.sheet(name, rows, codes) {
            self.failed.push((name.to_owned(), reason));
        }
    }
}

/// An open workbook. Its reader breaks on some damaged ones.
fn opened<W, E: Into<calamine::Error>>(open: impl FnOnce() -> Result<W, E>) -> Result<W, SkipReason> {
    let opened = guard::catch(open).map_err(|PanicPlace(place)| SkipReason::InternalError { place })?;
    opened.map_err(|error| refused(&error.into()))
}

fn xlsx_cells<'w>(workbook: &'w mut Xlsx<Cursor<&[u8]>>, name: &str) -> FoundCells<'w> {
    let mut reader = match workbook.worksheet_cells_reader(name) {
        Ok(reader) => reader,
        // A chart or a dialogue has no cells.
        Err(XlsxError::NotAWorksheet(_)) => return FoundCells { cells: Vec::new(), damage: None },
        Err(error) => return FoundCells { cells: Vec::new(), damage: Some(refused(&error.into())) },
    };
    collected(|| {
        let next = reader.next_cell_with_style_id().map_err(|error| refused(&error.into()))?;
        Ok(next.map(|(cell, style)| {
            let (row, column) = cell.get_position();
            (row, (column, u32::try_from(style).unwrap_or(u32::MAX), cell.get_value().clone()))
        }))
    })
}

fn xlsb_cells<'w>(workbook: &'w mut Xlsb<Cursor<&[u8]>>, name: &str) -> FoundCells<'w> {
    let mut reader = match workbook.worksheet_cells_reader(name) {
        Ok(reader) => reader,
        Err(error) => return FoundCells { cells: Vec::new(), damage: Some(refused(&error.into())) },
    };
    collected(|| {
        let next = reader.next_cell().map_err(|error| refused(&error.into()))?;
        Ok(next.map(|cell| (cell.get_position().0, (cell.get_position().1, 0, cell.get_value().clone()))))
    })
}

fn collected<'w>(mut next: impl FnMut() -> Result<Option<(u32, SheetCell<'w>)>, SkipReason>) -> FoundCells<'w> {
    let mut cells = Vec::new();
    loop {
        match next() {
            Ok(None) => return FoundCells { cells, damage: None },
            Err(damage) => return FoundCells { cells, damage: Some(damage) },
            Ok(Some((_, (.., DataRef::Empty)))) => {}
            Ok(Some(cell)) => cells.push(cell),
        }
        if cells.len() > MOST_FILLED {
            return FoundCells { cells, damage: None };
        }
    }
}

fn borrowed(cell: &Data) -> DataRef<'_> {
    match cell {
        Data::Int(number) => DataRef::Int(*number),
        Data::Float(number) => DataRef::Float(*number),
        Data::String(text) => DataRef::SharedString(text),
        Data::Bool(truth) => DataRef::Bool(*truth),
        Data::DateTime(moment) => DataRef::DateTime(*moment),
        Data::DateTimeIso(text) => DataRef::DateTimeIso(text.clone()),
        Data::DurationIso(text) => DataRef::DurationIso(text.clone()),
        Data::Error(error) => DataRef::Error(error.clone()),
        Data::Empty => DataRef::Empty,
    }
}

fn refused(error: &calamine::Error) -> SkipReason {
    use calamine::Error;
    match error {
        Error::Xls(XlsError::Password) | Error::Xlsx(XlsxError::Password) | Error::Xlsb(XlsbError::Password) => {
            SkipReason::Encrypted
        }
        other => damaged(DamagedPart::Workbook { words: other.to_string() }),
    }
}
