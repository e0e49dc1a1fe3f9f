//! Files that claim more than they hold, one or more of every format: each is read within bounds or refused with its
//! reason, and none decides how much memory is taken. The allocator of this program counts.
#![cfg(all(feature = "office", feature = "mail", feature = "pdf"))]

mod counting;

use std::io::{Cursor, Read, Write};
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use okno_document::Loaded;
use okno_document::message::Message;
use okno_load::{HEAD, Loader, Sink, SkipReason, Source, accepting, builtin};

/// One file at a time, so that each is counted alone.
static ALONE: Mutex<()> = Mutex::new(());

#[derive(Default)]
struct Found {
    documents: Vec<Loaded>,
    reasons: Vec<SkipReason>,
}

impl Sink for Found {
    fn document(&mut self, loaded: Loaded) {
        self.documents.push(loaded);
    }

    fn skip(&mut self, _: &str, reason: SkipReason) {
        self.reasons.push(reason);
    }
}

/// One test at a time: the memory of all threads is counted, also of one that makes its file.
fn alone() -> std::sync::MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

const MEBIBYTE: usize = 1 << 20;

/// What a file gives: its text, and the codes of the reasons; within 256 MiB and in seconds of CPU time.
fn read(name: &str, bytes: &[u8]) -> (String, Vec<&'static str>) {
    read_within(256, name, bytes)
}

fn read_within(mebibytes: usize, name: &str, bytes: &[u8]) -> (String, Vec<&'static str>) {
    let loaders = builtin();
    let begun = cpu_time::ProcessTime::now();
    let mut found = Found::default();
    let head = &bytes[..bytes.len().min(HEAD)];
    let (read, taken) = counting::measured(|| {
        accepting(Path::new(name), head, &loaders)
            .and_then(|loader| loader.load(&Source::memory(name, bytes), &mut found))
    });
    found.reasons.extend(read.err());
    assert!(taken < mebibytes * MEBIBYTE, "{name} took {} MiB", taken / MEBIBYTE);
    assert!(begun.elapsed() < Duration::from_secs(30), "{name} took {:?}", begun.elapsed());
    let text = found.documents.iter().map(|document| document.text.as_str()).collect();
    (text, found.reasons.iter().map(Message::code).collect())
}

/// Refused with this reason, and nothing else.
fn refused(name: &str, bytes: &[u8], code: &str) {
    assert_eq!(read(name, bytes), (String::new(), vec![code]), "{name}");
}

fn zipped(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(content.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn xlsx(rows: &str, strings: &str) -> Vec<u8> {
    let relation = |id: &str, kind: &str, target: &str| {
        let base = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
        format!("<Relationship Id=\"{id}\" Type=\"{base}/{kind}\" Target=\"{target}\"/>")
    };
    let sheets = "<workbook xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"><sheets>\
                  <sheet name=\"S\" sheetId=\"1\" r:id=\"r1\"/></sheets></workbook>";
    zipped(&[
        (
            "_rels/.rels",
            &format!("<Relationships>{}</Relationships>", relation("r1", "officeDocument", "xl/workbook.xml")),
        ),
        ("xl/workbook.xml", sheets),
        (
            "xl/_rels/workbook.xml.rels",
            &format!(
                "<Relationships>{}{}</Relationships>",
                relation("r1", "worksheet", "worksheets/sheet1.xml"),
                relation("r2", "sharedStrings", "sharedStrings.xml")
            ),
        ),
        ("xl/sharedStrings.xml", strings),
        (
            "xl/worksheets/sheet1.xml",
            &format!("<worksheet><dimension ref=\"A1:XFD1048576\"/><sheetData>{rows}</sheetData></worksheet>"),
        ),
    ])
}

const NO_STRINGS: &str = "<sst></sst>";

#[test]
fn cells_at_the_corners_of_a_sheet() {
    let _alone = alone();
    let rows = "<row r=\"1\"><c r=\"A1\"><v>1</v></c></row><row r=\"1048576\"><c r=\"XFD1048576\"><v>2</v></c></row>";
    assert_eq!(read("corner.xlsx", &xlsx(rows, NO_STRINGS)), ("## S\n\n1\n\n2\n".to_owned(), vec![]));
}

#[test]
fn a_sheet_of_holes_is_told_and_left_out() {
    let _alone = alone();
    let cells: String = (1..6000)
        .map(|row| {
            format!(
                "<row r=\"{row}\"><c r=\"{}\"><v>1</v></c><c r=\"A{row}\"><v>1</v></c></row>",
                column(row) + &row.to_string()
            )
        })
        .collect();
    refused("diagonal.xlsx", &xlsx(&cells, NO_STRINGS), "too_many_cells");
}

fn column(mut number: usize) -> String {
    let mut name = String::new();
    while number > 0 {
        name.insert(0, char::from(b'A' + ((number - 1) % 26) as u8));
        number = (number - 1) / 26;
    }
    name
}

#[test]
fn shared_strings_that_are_claimed_or_shown_too_often() {
    let _alone = alone();
    let rows = "<row r=\"1\"><c r=\"A1\"><v>1</v></c></row>";
    for count in ["4000000000", "9999999999999999999999"] {
        let far = " ".repeat(5000);
        for before in ["", far.as_str(), "<x uniqueCount=\"1\"/>", "<x uniqueCount=\"\"/>"] {
            let strings = format!("{before}<sst uniqueCount=\"{count}\"><si><t>a</t></si></sst>");
            refused("claim.xlsx", &xlsx(rows, &strings), "too_many_cells");
        }
    }
    let strings = format!("<sst uniqueCount=\"1\"><si><t>{}</t></si></sst>", "word ".repeat(200_000));
    let rows = "<row><c t=\"s\"><v>0</v></c><c t=\"s\"><v>0</v></c></row>".repeat(1000);
    let (text, reasons) = read_within(500, "echo.xlsx", &xlsx(&rows, &strings));
    assert!(text.len() < 140 * MEBIBYTE && reasons == ["inflates"], "{} {reasons:?}", text.len());
}

#[test]
fn repeated_cells_of_an_open_document() {
    let _alone = alone();
    let ods = |rows: &str| {
        let content = format!(
            "<office:document-content><office:body><office:spreadsheet><table:table \
             table:name=\"S\">{rows}</table:table>\
             </office:spreadsheet></office:body></office:document-content>"
        );
        let kind = "application/vnd.oasis.opendocument.spreadsheet";
        zipped(&[("mimetype", kind), ("META-INF/manifest.xml", "<manifest/>"), ("content.xml", &content)])
    };
    let cell = |columns: usize, text: &str| {
        format!(
            "<table:table-cell office:value-type=\"string\" table:number-columns-repeated=\"{columns}\">\
             <text:p>{text}</text:p></table:table-cell>"
        )
    };
    let row = |rows: usize, cells: &str| {
        format!("<table:table-row table:number-rows-repeated=\"{rows}\">{cells}</table:table-row>")
    };
    refused("rep.ods", &ods(&row(1_000_000, &cell(16_000, "x"))), "too_many_cells");
    refused("long.ods", &ods(&row(1, &cell(16_000, &"word ".repeat(20_000)))), "too_many_cells");
    assert_eq!(read("rows.ods", &ods(&row(4_000_000_000, &cell(2, "x")).repeat(20))).1, [""; 0]);
    let spaces = ods(&row(1, &cell(1, "a<text:s text:c=\"4000000000\"/>b")));
    assert_eq!(read("spaces.ods", &spaces).1, [""; 0]);
    // Padding up to the end of the sheet is usual.
    let padded = row(1, &(cell(2, "x") + "<table:table-cell table:number-columns-repeated=\"16000\"/>"))
        + &row(1, &cell(2, "y"))
        + &row(1_048_000, "<table:table-cell table:number-columns-repeated=\"16000\"/>");
    assert_eq!(read("padded.ods", &ods(&padded)).0, "## S\n\n| x | x |\n| --- | --- |\n| y | y |\n");
}

/// A compound file of large sectors with one stream: the header, the table of sectors, the listing, the stream.
fn compound(name: &str, stream: &[u8]) -> Vec<u8> {
    let sectors = stream.len().max(4096).div_ceil(4096);
    let mut file = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".to_vec();
    file.resize(4096, 0);
    file[24..34].copy_from_slice(&[0x3e, 0, 4, 0, 0xfe, 0xff, 12, 0, 6, 0]);
    for (at, number) in [(44, 1), (48, 1), (56, 4096), (60, u32::MAX - 1), (68, u32::MAX - 1), (76, 0u32)] {
        file[at..at + 4].copy_from_slice(&number.to_le_bytes());
    }
    file[80..512].fill(0xff);
    let mut table = vec![u32::MAX - 2, u32::MAX - 1];
    table.extend((0..sectors as u32).map(|at| if at + 1 < sectors as u32 { at + 3 } else { u32::MAX - 1 }));
    table.resize(1024, u32::MAX);
    file.extend(table.iter().flat_map(|number| number.to_le_bytes()));
    for (name, kind, child, start, size) in [("Root Entry", 5, 1, 0, 0), (name, 2, u32::MAX, 2, stream.len().max(4096))]
    {
        let mut entry: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        entry.resize(128, 0);
        (entry[64], entry[66], entry[67]) = (name.len() as u8 * 2 + 2, kind, 1);
        for (at, number) in [(68, u32::MAX), (72, u32::MAX), (76, child), (116, start), (120, size as u32)] {
            entry[at..at + 4].copy_from_slice(&number.to_le_bytes());
        }
        file.extend(entry);
    }
    file.resize(3 * 4096, 0);
    file.extend(stream);
    file.resize((3 + sectors) * 4096, 0);
    file
}

/// An old workbook of one sheet with these records.
fn xls(records: &[(u16, Vec<u8>)]) -> Vec<u8> {
    xls_with(&[], records)
}

/// An old workbook with these records before its sheets and in its only sheet.
fn xls_with(globals: &[(u16, Vec<u8>)], records: &[(u16, Vec<u8>)]) -> Vec<u8> {
    let record = |kind: u16, data: &[u8]| [&kind.to_le_bytes()[..], &(data.len() as u16).to_le_bytes(), data].concat();
    let begin = |kind: u8| record(0x0809, &[0, 6, kind, 0, 0xbb, 0x0d, 0xcc, 7, 0, 0, 0, 0, 6, 0, 0, 0]);
    let all = |records: &[(u16, Vec<u8>)]| -> Vec<u8> {
        records.iter().flat_map(|(kind, data)| record(*kind, data)).collect()
    };
    let start = begin(5).len() + all(globals).len() + record(0x0085, &[0; 10]).len() + 4;
    let sheet = [&(start as u32).to_le_bytes()[..], &[0, 0, 2, 0, b'S', b'1']].concat();
    let head = [begin(5), all(globals), record(0x0085, &sheet), record(0x000a, &[])].concat();
    let stream = [head, begin(16), all(records), record(0x000a, &[])].concat();
    compound("Workbook", &stream)
}

fn number(row: u16, column: u16, value: f64) -> (u16, Vec<u8>) {
    (0x0203, [&row.to_le_bytes()[..], &column.to_le_bytes(), &[0, 0], &value.to_le_bytes()].concat())
}

#[test]
fn old_workbooks_with_claims() {
    let _alone = alone();
    let dimensions = (0x0200, [&0u32.to_le_bytes()[..], &u32::MAX.to_le_bytes(), &[0, 0, 0xff, 0xff, 0, 0]].concat());
    let cells = [dimensions, number(0, 0, 1.5), number(0, 1, 2.0), number(1, 0, 3.0), number(1, 1, 4.0)];
    assert_eq!(
        read("claim.xls", &xls(&cells)),
        ("## S1\n\n| 1.5 | 2 |\n| --- | --- |\n| 3 | 4 |\n".to_owned(), vec![])
    );
    let corners = [number(0, 0, 1.0), number(0, 1, 2.0), number(65_535, 0, 3.0), number(65_535, 255, 4.0)];
    let (text, _) = read("corners.xls", &xls(&corners));
    assert!(text.starts_with("## S1\n\n") && ["1", "2", "3", "4"].iter().all(|cell| text.contains(cell)), "{text}");
    let diagonal: Vec<(u16, Vec<u8>)> = (0..4096).map(|at| number(16 * at, 16 * at, 1.0)).collect();
    refused("diagonal.xls", &xls(&diagonal), "too_many_cells");
    let mut circle = xls(&cells[1..]);
    // Every sector is followed by the first one of the stream.
    (4096..8192).step_by(4).for_each(|at| circle[at..at + 4].copy_from_slice(&2u32.to_le_bytes()));
    read("circle.xls", &circle);
    let mut listing = xls(&cells[1..]);
    (4096..8192).step_by(4).for_each(|at| listing[at..at + 4].copy_from_slice(&1u32.to_le_bytes()));
    read("listing.xls", &listing);
    // Records that are shorter than their kind, and a sheet beyond the end of the stream.
    let short = [(0x0006, vec![0; 6]), (0x00e5, vec![9, 0]), number(0, 0, 1.5), number(0, 1, 2.0)];
    assert_eq!(read("short.xls", &xls(&short)).0, "## S1\n\n| 1.5 | 2 |\n| --- | --- |\n");
    // The beginning of a chart without a version; shared strings whose heads and letters go on in records that end.
    let mut begun = short.to_vec();
    begun.insert(0, (0x0809, vec![0]));
    let cut_head = [(0x00fc, vec![1, 0, 0, 0, 1, 0, 0, 0, 4, 0, 8]), (0x003c, vec![0; 8])];
    let no_letters = [(0x00fc, vec![1, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, b'a']), (0x003c, vec![])];
    let short_sheet = [(0x0085, vec![0, 0])];
    for file in
        [xls(&begun), xls_with(&cut_head, &short), xls_with(&no_letters, &short), xls_with(&short_sheet, &short)]
    {
        assert_eq!(read("short.xls", &file).0, "## S1\n\n| 1.5 | 2 |\n| --- | --- |\n");
    }
    // A stream that ends in the middle of a record's head, behind a long record of no known kind.
    for rest in 1..4 {
        let stream = [&[0x09, 8, 4, 0, 0, 6, 5, 0, 0xfe, 0xff, 0, 16][..], &[0; 4096], &[0x03, 2, 14][..rest]].concat();
        refused("cut.xls", &compound("Workbook", &stream), "no_text");
    }
    let mut beyond = xls(&cells[1..]);
    let place = beyond.windows(4).position(|bytes| bytes == [0x85, 0, 8 + 2, 0]).expect("the record of the sheet") + 4;
    beyond[place..place + 4].copy_from_slice(&0x00ff_ffffu32.to_le_bytes());
    refused("beyond.xls", &beyond, "no_text");
}

fn docx(body: &str) -> Vec<u8> {
    zipped(&[("word/document.xml", &format!("<w:document><w:body>{body}</w:body></w:document>"))])
}

#[test]
fn documents_that_inflate_nest_and_repeat() {
    let _alone = alone();
    refused("bomb.docx", &docx(&" ".repeat(140 * MEBIBYTE)), "inflates");
    let deep = "<w:tbl><w:tr><w:tc>".repeat(50_000)
        + "<w:p><w:r><w:t>deep</w:t></w:r></w:p>"
        + &"</w:tc></w:tr></w:tbl>".repeat(50_000);
    let after = "<w:p><w:r><w:t>after</w:t></w:r></w:p>";
    let (text, _) = read("deep.docx", &docx(&(deep + after)));
    assert!(text.ends_with("after\n"), "{text}");
    let cell = "<w:tc><w:tcPr><w:gridSpan w:val=\"64\"/></w:tcPr></w:tc>";
    refused("wide.docx", &docx(&format!("<w:tbl><w:tr>{}</w:tr></w:tbl>", cell.repeat(80_000))), "too_many_cells");
    let items: String = (0..20_000)
        .map(|list| {
            format!(
                "<w:p><w:pPr><w:numPr><w:ilvl w:val=\"4000000000\"/><w:numId w:val=\"{list}\"/></w:numPr>\
            </w:pPr><w:r><w:t>x</w:t></w:r></w:p>"
            )
        })
        .collect();
    assert_eq!(read("lists.docx", &docx(&items)).0.matches("- x").count(), 19_999);
}

#[test]
fn entities_are_neither_expanded_nor_fetched() {
    let _alone = alone();
    let entities: String =
        (1..10).map(|n| format!("<!ENTITY a{n} \"{}\">", format!("&a{};", n - 1).repeat(10))).collect();
    let head = format!(
        "<?xml version=\"1.0\"?><!DOCTYPE l [<!ENTITY x SYSTEM \"file:///etc/passwd\"><!ENTITY a0 \"lol\">{entities}]>"
    );
    let body = "<w:document><w:body><w:p><w:r><w:t>hi &a9; &x; there</w:t></w:r></w:p></w:body></w:document>";
    let (text, reasons) = read("lol.docx", &zipped(&[("word/document.xml", &(head + body))]));
    assert!(text.starts_with("hi") && text.ends_with("there\n") && text.len() < 20 && reasons.is_empty(), "{text}");
}

#[test]
fn books_and_slides_that_name_a_part_too_often() {
    let _alone = alone();
    let spine = "<itemref idref=\"a\"/>".repeat(200_000);
    let book = zipped(&[
        ("mimetype", "application/epub+zip"),
        ("META-INF/container.xml", "<container><rootfiles><rootfile full-path=\"a.opf\"/></rootfiles></container>"),
        (
            "a.opf",
            &format!("<package><manifest><item id=\"a\" href=\"a.xhtml\"/></manifest><spine>{spine}</spine></package>"),
        ),
        ("a.xhtml", "<html><body><p>Once.</p></body></html>"),
    ]);
    assert_eq!(read("book.epub", &book), ("Once.\n".to_owned(), vec![]));
    let relations: String =
        (0..50_000).map(|n| format!("<Relationship Id=\"r{n}\" Target=\"slides/none{n}.xml\"/>")).collect();
    let slides: String = (0..50_000).map(|n| format!("<p:sldId r:id=\"r{n}\"/>")).collect();
    let show = zipped(&[
        ("ppt/presentation.xml", &format!("<p:presentation><p:sldIdLst>{slides}</p:sldIdLst></p:presentation>")),
        ("ppt/_rels/presentation.xml.rels", &format!("<Relationships>{relations}</Relationships>")),
    ]);
    assert_eq!(read("show.pptx", &show).1, ["no_text"]);
}

#[test]
fn json_of_many_small_values() {
    let _alone = alone();
    refused("objects.json", format!("[{}0]", "{\"\":0},".repeat(1_400_000)).as_bytes(), "too_many_values");
    let line = format!("{{\"text\":\"a\",\"x\":[{}0]}}\n", "{\"\":0},".repeat(1_400_000));
    // A line is held as text and as a value.
    assert_eq!(read_within(384, "objects.jsonl", line.as_bytes()).1, ["too_many_values"]);
    refused("deep.json", "[".repeat(3_000_000).as_bytes(), "not_json");
    let strings = format!("[\"{}\"]", "{,".repeat(2_000_000));
    assert_eq!(read("words.json", strings.as_bytes()).1, [""; 0]);
}

#[test]
fn a_table_of_nothing_but_delimiters() {
    let _alone = alone();
    let (text, reasons) = read("a.csv", format!("a,b\n1{}\n", ",".repeat(8_000_000)).as_bytes());
    assert!(text.starts_with("| a | b |") && text.len() < 16 * MEBIBYTE && reasons.is_empty());
}

#[test]
fn mails_of_headers_parts_and_mails() {
    let _alone = alone();
    refused("headers.eml", format!("Subject: x\n{}\nbody", "a:\n".repeat(2_000_000)).as_bytes(), "too_many_parts");
    refused("to.eml", format!("Subject: x\nTo: {}\n\nbody", "a,".repeat(3_000_000)).as_bytes(), "too_many_parts");
    let parts = "--b\n\n".repeat(1_000_000);
    let head = "Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n";
    refused("parts.eml", format!("{head}{parts}").as_bytes(), "too_many_parts");
    // They were let go of one inside of the other, until the stack was at its end.
    let nested = "Content-Type: message/rfc822\n\n".repeat(200_000);
    refused("nested.eml", format!("Subject: x\n{nested}Subject: y\n\nbody").as_bytes(), "too_many_parts");
    let multiparts: String =
        (0..40_000).map(|n| format!("Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n")).collect();
    read("multiparts.eml", format!("Subject: x\n{multiparts}\nbody").as_bytes());
}

#[test]
fn pages_of_open_elements() {
    let _alone = alone();
    for tag in ["<div>", "<table><tr><td>", "<ul><li>", "<blockquote>", "<a href=x>", "<b>"] {
        let (text, _) = read("deep.html", format!("<html><body>{}deep</body></html>", tag.repeat(300_000)).as_bytes());
        assert!(tag != "<div>" || text.contains("deep"), "{text}");
    }
    let wide =
        format!("<html><table>{}</table>", "<tr><td colspan=99999999 rowspan=99999999>x</td></tr>".repeat(20_000));
    assert!(read("wide.html", wide.as_bytes()).0.contains("| x |"));
}

#[test]
fn marks_inside_of_marks() {
    let _alone = alone();
    for mark in ["> ", "- ", "  - ", "[", "![", "*", "`", "<!--", "| ", "# ", "    "] {
        let text = mark.repeat(20_000) + "deep";
        read("deep.md", text.as_bytes());
    }
    read("front.md", format!("---\na: {}\n---\ntext", "[".repeat(20_000)).as_bytes());
    read("front.md", format!("+++\na = {}\n+++\ntext", "[".repeat(20_000)).as_bytes());
}

/// A PDF of one page: objects from 4 on, the first of which is its content.
fn pdf(page: &str, objects: &[Vec<u8>]) -> Vec<u8> {
    let mut file = format!(
        "%PDF-1.7\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj\n\
         3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F \
         <</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>\
         /XObject<</I 5 0 R>>>> {page}>> endobj\n"
    )
    .into_bytes();
    for (at, object) in objects.iter().enumerate() {
        file.extend(format!("{} 0 obj ", at + 4).bytes());
        file.extend(object);
        file.extend(b" endobj\n");
    }
    file.extend(b"trailer <</Root 1 0 R/Size 9>>\n%%EOF\n");
    file
}

fn stream(description: &str, data: &[u8]) -> Vec<u8> {
    let mut object = format!("<<{description}/Length {}>> stream\n", data.len()).into_bytes();
    object.extend(data);
    object.extend(b"\nendstream");
    object
}

fn deflated(data: impl Read) -> Vec<u8> {
    let mut packed = Vec::new();
    flate2::read::ZlibEncoder::new(data, flate2::Compression::fast()).read_to_end(&mut packed).unwrap();
    packed
}

const WORDS: &[u8] = b"BT /F 12 Tf 10 700 Td (Words are read.) Tj ET";

#[test]
fn pdfs_that_inflate() {
    let _alone = alone();
    let bomb = deflated(std::io::repeat(b' ').take(300 << 20));
    let content = stream("/Filter/FlateDecode", &bomb);
    refused("bomb.pdf", &pdf("/Contents 4 0 R", &[content]), "inflates");
    let wide = "/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 4000000000/Colors 4>>";
    refused("wide.pdf", &pdf("/Contents 4 0 R", &[stream(wide, &deflated(WORDS))]), "inflates");
    let honest = stream("/Filter/FlateDecode", &deflated(WORDS));
    assert_eq!(read("a.pdf", &pdf("/Contents 4 0 R", &[honest])), ("Words are read.\n".to_owned(), vec![]));
}

#[test]
fn pdfs_that_draw_one_thing_many_times() {
    let _alone = alone();
    let spaces = stream("/Filter/FlateDecode", &deflated(std::io::repeat(b' ').take(4 << 20)));
    let many = format!("/Contents [{}]", "4 0 R ".repeat(10_000));
    let (_, reasons) = read_within(600, "many.pdf", &pdf(&many, &[spaces]));
    assert_eq!(reasons, ["too_slow"]);
    let mut image = vec![0xff, 0xd8, 0xff, 0xe0];
    image.resize(2 << 20, 7);
    let about =
        "/Type/XObject/Subtype/Image/Width 640/Height 640/BitsPerComponent 8/ColorSpace/DeviceRGB/Filter/DCTDecode";
    let content = [WORDS, &b" /I Do".repeat(1500)].concat();
    let file = pdf("/Contents 4 0 R", &[stream("", &content), stream(about, &image)]);
    let (text, _) = read_within(700, "image.pdf", &file);
    assert!(text.contains("Words are read."), "{text}");
}

#[test]
fn pdfs_that_nest() {
    let _alone = alone();
    let deep = [WORDS, &b"[".repeat(1_000_000)].concat();
    read("arrays.pdf", &pdf("/Contents 4 0 R", &[stream("", &deep)]));
    read("dictionaries.pdf", &pdf(&format!("/Contents 4 0 R /A {}", "<</A ".repeat(500_000)), &[stream("", WORDS)]));
    let form =
        stream("/Type/XObject/Subtype/Form/BBox[0 0 1 1]/Resources<</XObject<</I 5 0 R>>>>", &b"/I Do ".repeat(3));
    read("forms.pdf", &pdf("/Contents 4 0 R", &[stream("", b"/I Do"), form]));
    read("streams.pdf", &[b"%PDF-1.7\n".to_vec(), b"stream".repeat(1_000_000)].concat());
}

#[test]
fn images_that_claim_a_size_are_not_decoded() {
    let _alone = alone();
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\x7f\xff\xff\xff\x7f\xff\xff\xff\x08\x06\0\0\0";
    assert_eq!(read("large.png", png), ("large\n".to_owned(), vec![]));
}

#[test]
fn old_documents_that_claim_more_than_they_hold() {
    let _alone = alone();
    let mut word = vec![0; 4096];
    word[..4].copy_from_slice(&[0xec, 0xa5, 0xc1, 0]);
    // Text up to the end of the world, in every part of the document.
    (0x18..0x90).for_each(|at| word[at] = if at < 0x1c { 0 } else { 0xff });
    word[2048..2060].copy_from_slice(b"Some words.\r");
    let (text, _) = read("claim.doc", &compound("WordDocument", &word));
    assert!(text.len() < 20_000, "{}", text.len());
    let container =
        |kind: u16, length: usize| [&[0x0f, 0][..], &kind.to_le_bytes(), &(length as u32).to_le_bytes()].concat();
    let deep = container(0x03e8, usize::MAX).repeat(200_000);
    read("deep.ppt", &compound("PowerPoint Document", &deep));
    let many: Vec<u8> = [container(0x0ff0, 1 << 24), container(0x03f3, 20).repeat(500_000)].concat();
    let many = [container(0x03e8, 1 << 25), many].concat();
    read("many.ppt", &compound("PowerPoint Document", &many));
    read("plain.msg", &compound("__properties_version1.0", &vec![0xff; 50_000]));
}

#[test]
fn archives_that_inflate_nest_and_count() {
    let _alone = alone();
    let bomb = zipped(&[("a.txt", &" ".repeat(70 * MEBIBYTE))]);
    assert_eq!(read("bomb.zip", &bomb).1, ["inflates"]);
    let many: Vec<(String, &str)> = (0..25_000).map(|at| (format!("{at}.txt"), "words")).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(name, content)| (name.as_str(), *content)).collect();
    let (text, reasons) = read("many.zip", &zipped(&many));
    assert_eq!((text.len(), reasons.as_slice()), (100_000, &["too_many_parts"][..]));
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::copy(&mut std::io::repeat(b' ').take(300 << 20), &mut packed).unwrap();
    assert_eq!(read_within(300, "bomb.gz", &packed.finish().unwrap()).1, ["inflates"]);
    let mut tar = vec![0; 512];
    tar[..5].copy_from_slice(b"a.txt");
    tar[124..135].copy_from_slice(b"37777777777");
    (tar[156], tar[257], tar[258], tar[259], tar[260], tar[261]) = (b'0', b'u', b's', b't', b'a', b'r');
    assert_eq!(read("claim.tar", &tar).1, ["too_large"]);
}

#[test]
fn notebooks_and_xml_that_nest_and_repeat() {
    let _alone = alone();
    let cell = format!("{{\"cell_type\":\"code\",\"source\":\"{}\"}}", "`".repeat(2_000_000));
    let (text, _) = read("ticks.ipynb", format!("{{\"cells\":[{cell}]}}").as_bytes());
    assert!(text.len() < 7_000_000, "{}", text.len());
    refused("deep.ipynb", "{\"cells\":[".repeat(100_000).as_bytes(), "not_json");
    let deep =
        format!("<?xml version=\"1.0\"?><a>{}words{}</a>", "<b c=\"d\">".repeat(100_000), "</b>".repeat(100_000));
    read("deep.xml", deep.as_bytes());
    let entities: String =
        (1..10).map(|n| format!("<!ENTITY a{n} \"{}\">", format!("&a{};", n - 1).repeat(10))).collect();
    let (text, _) =
        read("lol.xml", format!("<!DOCTYPE l [<!ENTITY a0 \"lol\">{entities}]><l><p>hi &a9; there</p></l>").as_bytes());
    assert!(text.len() < 40, "{text}");
    let cells = "<Row><Cell ss:Index=\"16384\"><Data>x</Data></Cell></Row>".repeat(20_000);
    let (text, _) = read_within(
        600,
        "wide.xml",
        format!("<?xml version=\"1.0\"?><Workbook><Worksheet><Table>{cells}</Table></Worksheet></Workbook>").as_bytes(),
    );
    assert!(text.len() < 64 * MEBIBYTE, "{}", text.len());
}

#[test]
fn marked_up_texts_that_nest_and_never_end() {
    let _alone = alone();
    let nested: String = (0..3000).map(|at| format!("{}.. note::\n\n", "   ".repeat(at.min(300)))).collect();
    read("deep.rst", nested.as_bytes());
    read("rules.rst", "==  ==\n".repeat(20_000).as_bytes());
    read("grid.rst", format!("+-+\n{}\n+-+\n", "|".repeat(400_000)).as_bytes());
    read("marks.rst", "`a <".repeat(40_000).as_bytes());
    read("open.org", "#+begin_src\n".repeat(40_000).as_bytes());
    read("quotes.org", "#+begin_quote\n".repeat(40_000).as_bytes());
    read("marks.org", "*a /b =c [[".repeat(40_000).as_bytes());
    read("wide.adoc", format!("[cols=\"99999999*\"]\n|===\n{}\n|===\n", "100*|x ".repeat(20_000)).as_bytes());
    read("open.adoc", "----\n....\n****\n".repeat(20_000).as_bytes());
    for open in [
        "{",
        "\\begin{x}",
        "\\begin{itemize}\\item ",
        "\\section{",
        "\\section{\n\n",
        "$",
        "\\[",
        "\\footnote{",
        "\\verb|",
        "\\item[\n\n",
    ] {
        read("open.tex", (open.repeat(20_000) + "words").as_bytes());
    }
    let pairs = "\\begin{x}".repeat(20_000) + &"\\end{x}".repeat(20_000);
    read("pairs.tex", pairs.as_bytes());
    let macros = "\\newcommand{\\a}{\\b\\b}\\newcommand{\\b}{\\c\\c}\\newcommand{\\c}{\\a\\a}".to_owned()
        + &"\\a ".repeat(10_000);
    read("macros.tex", macros.as_bytes());
}
