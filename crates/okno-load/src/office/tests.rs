//! Whole files of every kind, and archives that are none.

use std::io::Write;

use super::super::encoding::NotText;
use super::super::tests::{Collected, check, load};
use super::*;
use okno_document::{BlockKind, Date, ImageSource, Loaded, Value, table};

const DOCX: &[u8] = include_bytes!("../../tests/files/handbook.docx");
const PPTX: &[u8] = include_bytes!("../../tests/files/roadmap.pptx");
const XLSX: &[u8] = include_bytes!("../../tests/files/prices.xlsx");
const ODT: &[u8] = include_bytes!("../../tests/files/garden.odt");
const ODS: &[u8] = include_bytes!("../../tests/files/garden.ods");
const EPUB: &[u8] = include_bytes!("../../tests/files/book.epub");

fn one(loader: &dyn Loader, name: &str, bytes: &[u8]) -> Loaded {
    let mut got: Collected = load(loader, name, bytes);
    assert_eq!(got.skipped, []);
    got.documents.remove(0)
}

fn archive(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in parts {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(content.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn a_word_document() {
    let got = one(&Office::default(), "handbook.bin", DOCX);
    assert_eq!(
        got.text,
        "# Kitchen Handbook\n\n# Safety & care\n\nKnives are sharp. Keep them dry.\n\n## 刀具\n\n- 用完立刻洗净。\n1. First \
         wash.\n2. Then dry.\n\n\
         Kept text.\n\n| Tool | Use |\n| --- | --- |\n| knife | cut \\| slice |\n| pan | fry |\n\nA red square\n"
    );
    assert_eq!(got.title, "Handbook");
    assert_eq!(got.metadata.get("author"), Some(&Value::Text("Ann Lee".into())));
    assert_eq!(got.metadata.get("created"), Some(&Value::Date(Date { year: 2023, month: 7, day: 28 })));
    assert_eq!(got.metadata.get("type"), Some(&Value::Text("docx".into())));
    assert_eq!(got.images[0].alt, "A red square");
    assert_eq!(got.images[0].source, ImageSource::Inside("word/media/image1.png".into()));
    assert_eq!(got.images[0].span.of(&got.text), "A red square");
}

#[test]
fn notes_and_nested_tables() {
    let document = "<w:document><w:body><w:p><w:r><w:t>Said</w:t><w:footnoteReference w:id=\"2\"/></w:r></w:p>\
                    <w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:tbl><w:tr><w:tc><w:p><w:r>\
                    <w:t>in</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:tc></w:tr>\
                    <w:tr><w:tc><w:tcPr><w:gridSpan w:val=\"2\"/></w:tcPr><w:p><w:r><w:t>wide</w:t></w:r></w:p></w:tc>\
                    </w:tr></w:tbl></w:body></w:document>";
    let notes = "<w:footnotes><w:footnote w:type=\"separator\" w:id=\"0\"><w:p/></w:footnote><w:footnote \
        w:id=\"2\"><w:p><w:r><w:t>By whom.</w:t></w:r></w:p></w:footnote></w:footnotes>";
    let bytes = archive(&[("word/document.xml", document), ("word/footnotes.xml", notes)]);
    let got = one(&Office::default(), "a.docx", &bytes);
    assert_eq!(got.text, "Said[^2]\n\n| a | in |\n| --- | --- |\n| wide | |\n\n[^2]: By whom.\n");
}

#[test]
fn slides_are_pages() {
    let got = one(&Office::default(), "roadmap.pptx", PPTX);
    assert_eq!(
        got.text,
        "# Plans for 2024\n\n- Ship the engine\n- 发布中文文档\n\nSay thanks to everybody.\n\n# Numbers\n\n| Year | Users |\n\
         | --- | --- |\n| 2023 | 1200 |\n"
    );
    let begins: Vec<&str> = got.pages.iter().map(|page| got.text[page.start as usize..].trim_start()).collect();
    assert!(begins.len() == 2 && begins[1].starts_with("# Numbers"), "{begins:?}");
}

#[test]
fn sheets_are_tables() {
    for name in ["prices.xlsx", "prices"] {
        let loader: &dyn Loader = if name.contains('.') { &Workbook } else { &Office::default() };
        let got = one(loader, name, XLSX);
        assert_eq!(
            got.text,
            "## Prices\n\n| Item | Price | Since | Stock |\n| --- | --- | --- | --- |\n| Tea | 3.5 | 2023-07-28 | true \
             |\n\
             | 咖啡 | 0.3 | 2023-07-28 16:40:00 | |\n\n## 空 Notes\n\nOnly a note.\n"
        );
        assert_eq!(got.metadata.get("author"), Some(&Value::Text("Ann Lee".into())));
    }
    let got = one(&Workbook, "garden.ods", ODS);
    let block = got.blocks.iter().find(|block| block.kind == BlockKind::Table).unwrap();
    assert_eq!(table::read(block.span.of(&got.text)).unwrap().rows, [["Rose", "1.2 m"]]);
}

#[test]
fn open_document_text() {
    let got = one(&Office::default(), "garden.odt", ODT);
    assert_eq!(
        got.text,
        "# Garden\n\nWater the roses daily.\n\n- Spade\n- Rake\n\n| Plant | Height |\n| --- | --- |\n| Rose | 1.2 m |\n"
    );
}

#[test]
fn a_book_in_reading_order() {
    let got = one(&Office::default(), "book.epub", EPUB);
    assert_eq!(got.text, "# One\n\nIt begins.\n\n![A map](../img/map.png)\n\n# Two\n\nIt ends.\n");
    assert_eq!((got.title.as_str(), got.language.as_deref()), ("A Small Book", Some("en")));
    assert_eq!(got.images[0].source, ImageSource::Inside("OPS/img/map.png".into()));
    assert_eq!(got.images[0].span.of(&got.text), "![A map](../img/map.png)");
}

#[test]
fn archives_that_are_no_documents() {
    let reason = |name: &str, bytes: &[u8]| load(&Office::default(), name, bytes).skipped.remove(0).1;
    assert_eq!(reason("a.jar", &archive(&[("readme.txt", "x")])), SkipReason::unsupported(crate::FileKind::Zip));
    assert!(matches!(
        reason("a.docx", b"PK\x03\x04\x14\0\0\0"),
        SkipReason::Damaged { part: DamagedPart::Archive { .. } }
    ));
    assert_eq!(reason("a.docx", &archive(&[("word/document.xml", "<w:document/>")])), NotText::Blank.into());
}

#[test]
fn other_archives_are_folders() {
    let inner = archive(&[("deep.md", "# Deep")]);
    let mut bytes =
        archive(&[("notes/readme.txt", "Words."), (".hidden", "x"), ("__MACOSX/a", "x"), ("b.bin", "\0\u{1}\0")]);
    let got = check(&Office::default(), "d/a.zip", &bytes);
    assert_eq!(got.documents.len(), 1);
    assert_eq!(got.documents[0].id.as_deref(), Some("d/a.zip/notes/readme.txt"));
    assert_eq!(got.documents[0].metadata.get("path"), Some(&Value::Text("d/a.zip/notes/readme.txt".into())));
    assert_eq!(got.skipped[0].0, "d/a.zip/b.bin");
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file("inner.zip", zip::write::SimpleFileOptions::default()).unwrap();
    std::io::Write::write_all(&mut zip, &inner).unwrap();
    bytes = zip.finish().unwrap().into_inner();
    let got = check(&Office::default(), "a.zip", &bytes);
    assert_eq!(got.documents[0].id.as_deref(), Some("a.zip/inner.zip/deep.md"));
}

#[test]
fn a_bomb_is_refused() {
    let bytes = archive(&[("word/document.xml", &" ".repeat(140 << 20))]);
    assert!(bytes.len() < 1 << 20, "{}", bytes.len());
    assert!(matches!(load(&Office::default(), "a.docx", &bytes).skipped[0].1, SkipReason::Inflates { .. }));
}

#[test]
fn percent_and_currency_are_shown_as_the_sheet_shows_them() {
    let bytes = include_bytes!("../../tests/files/formats.xlsx");
    let got = load(&Workbook, "formats.xlsx", bytes).documents.remove(0);
    assert!(got.text.contains("| 2023 | 12.5% | €1,234.50 | 2023-07-28 |"), "{}", got.text);
}

const CHART: &str = "<c:chartSpace><c:chart><c:title><a:p><a:r><a:t>Peaches </a:t></a:r><a:r><a:t>sold</a:t></a:r>\
    </a:p></c:title>\
    <c:plotArea><c:ser><c:tx><c:strRef><c:v>2023</c:v></c:strRef></c:tx><c:cat><c:pt idx=\"0\"><c:v>May</c:v>\
    </c:pt><c:pt idx=\"1\"><c:v>June</c:v></c:pt></c:cat><c:val><c:pt idx=\"1\"><c:v>7</c:v></c:pt></c:val></c:ser>\
    <c:valAx><c:title><a:p><a:r><a:t>tons</a:t></a:r></a:p></c:title></c:valAx></c:plotArea></c:chart></c:chartSpace>";

fn related(target: &str) -> String {
    format!("<Relationships><Relationship Id=\"r1\" Target=\"{target}\"/></Relationships>")
}

#[test]
fn charts_are_tables() {
    let table = "Peaches sold\n\ntons\n\n| | 2023 |\n| --- | --- |\n| May | |\n| June | 7 |\n";
    let document = "<w:document><w:body><w:p><w:r><w:drawing><c:chart r:id=\"r1\"/></w:drawing></w:r></w:p>\
                    <w:p><w:r><w:drawing><c:chart r:id=\"r1\"/></w:drawing></w:r></w:p></w:body></w:document>";
    let word = archive(&[
        ("word/document.xml", document),
        ("word/_rels/document.xml.rels", &related("charts/chart1.xml")),
        ("word/charts/chart1.xml", CHART),
    ]);
    assert_eq!(one(&Office::default(), "a.docx", &word).text, table);
    let slides = archive(&[
        ("ppt/presentation.xml", "<p:presentation/>"),
        ("ppt/slides/slide1.xml", "<p:sld><p:graphicFrame/></p:sld>"),
        ("ppt/slides/_rels/slide1.xml.rels", &related("../charts/chart1.xml")),
        ("ppt/charts/chart1.xml", CHART),
        ("ppt/charts/_rels/chart1.xml.rels", &related("../embeddings/Sheet1.xlsx")),
        ("ppt/embeddings/Sheet1.xlsx", "the numbers of the chart"),
    ]);
    assert_eq!(one(&Office::default(), "a.pptx", &slides).text, table);
}

#[test]
fn a_later_part_of_an_archive_is_not_taken_for_noise() {
    let whole = archive(&[("a.txt", "peaches"), ("b.txt", "pears")]);
    let part = [&[0x79, 0xc3, 0x85, 0x00, 0xfa, 0x8a][..], &whole[40..whole.len() - 4]].concat();
    assert!(Office::default().accepts(std::path::Path::new("a.zip"), &part));
    let got = load(&Office::default(), "a.zip", &part);
    assert!(matches!(got.skipped[0].1, SkipReason::Damaged { .. }), "{:?}", got.skipped);
    assert!(!Office::default().accepts(std::path::Path::new("a.zip"), "wörds in a file with a wrong name".as_bytes()));
}

#[test]
fn what_a_master_shows_is_read_where_slides_have_nothing() {
    let shape = |inner: &str, text: &str| format!("<p:sp>{inner}<a:p><a:t>{text}</a:t></a:p></p:sp>");
    let master = shape("<p:ph type=\"title\"/>", "Click to edit") + &shape("", "Orchard Ltd., 2011");
    let read = |slide: &str| {
        let file = archive(&[
            ("ppt/presentation.xml", "<p:presentation/>"),
            ("ppt/slides/slide1.xml", slide),
            ("ppt/slides/_rels/slide1.xml.rels", &related("../slideLayouts/slideLayout1.xml")),
            ("ppt/slideLayouts/slideLayout1.xml", &shape("<p:ph/>", "Click")),
            ("ppt/slideLayouts/_rels/slideLayout1.xml.rels", &related("../slideMasters/slideMaster1.xml")),
            ("ppt/slideMasters/slideMaster1.xml", &master),
        ]);
        one(&Office::default(), "a.pptx", &file).text
    };
    assert_eq!(read("<p:sld/>"), "Orchard Ltd., 2011\n");
    assert_eq!(read(&shape("", "Peaches")), "Peaches\n");
}

#[test]
fn a_chart_of_many_cells_is_its_titles() {
    let series: String =
        (0..200).map(|at| format!("<c:ser><c:val><c:pt idx=\"{at}\"><c:v>1</c:v></c:pt></c:val></c:ser>")).collect();
    let chart = format!("<c:chart><c:title><a:p><a:t>Wide</a:t></a:p></c:title>{series}</c:chart>");
    let word = archive(&[
        ("word/document.xml", "<w:document><w:body><w:p><c:chart r:id=\"r1\"/></w:p></w:body></w:document>"),
        ("word/_rels/document.xml.rels", &related("charts/chart1.xml")),
        ("word/charts/chart1.xml", &chart),
    ]);
    assert_eq!(one(&Office::default(), "a.docx", &word).text, "Wide\n");
}

#[test]
fn shapes_on_a_sheet_are_read() {
    let shape = "<xdr:wsDr><xdr:sp><xdr:txBody><a:p><a:r><a:t>this is</a:t></a:r><a:r><a:t> a box</a:t></a:r></a:p>\
                 <a:p/></xdr:txBody></xdr:sp></xdr:wsDr>";
    let mut zip = zip::ZipWriter::new_append(std::io::Cursor::new(XLSX.to_vec())).unwrap();
    let sheet = related("../drawings/drawing1.xml");
    for (name, content) in
        [("xl/worksheets/_rels/sheet2.xml.rels", sheet.as_str()), ("xl/drawings/drawing1.xml", shape)]
    {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(content.as_bytes()).unwrap();
    }
    let got = one(&Office::default(), "a.xlsx", &zip.finish().unwrap().into_inner());
    assert!(got.text.ends_with("## 空 Notes\n\nOnly a note.\n\nthis is a box\n"), "{}", got.text);
}

#[test]
fn embedded_documents_are_documents_of_their_own() {
    let document = "<w:document><w:body><w:p><w:r><w:t>Outer</w:t></w:r></w:p></w:body></w:document>";
    for (body, outer) in [(document, 1), ("<w:document/>", 0)] {
        let word = archive(&[("word/document.xml", body), ("word/embeddings/plan.md", "# Plan")]);
        let got = check(&Office::default(), "d/a.docx", &word);
        assert_eq!((got.documents.len(), got.skipped.len()), (outer + 1, 0));
        assert_eq!(got.documents[outer].id.as_deref(), Some("d/a.docx/plan.md"));
    }
}

#[test]
fn slides_without_words_show_the_foot_of_their_master() {
    let kind = "application/vnd.oasis.opendocument.presentation";
    let slides = |words: &str| {
        format!("<office:body><draw:page><draw:frame><text:p>{words}</text:p></draw:frame></draw:page></office:body>")
    };
    let frame = |class: &str, words: &str| {
        format!("<draw:frame presentation:class=\"{class}\"><text:p>{words}</text:p></draw:frame>")
    };
    let foot = frame("outline", "Click to edit") + &frame("footer", "Tea Company");
    let text = |words: &str| {
        let parts = [("mimetype", kind), ("content.xml", &slides(words)), ("styles.xml", &foot)];
        one(&Office::default(), "a.odp", &archive(&parts)).text
    };
    assert_eq!((text("").as_str(), text("Words").as_str()), ("Tea Company\n", "Words\n"));
}
