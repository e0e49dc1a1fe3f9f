//! What is fuzzed: bytes come in, every law of loaders and splitters is asked. The fuzzer's targets and
//! `examples/mutate.rs` share this.

use okno::load::{Office, Pdf, Workbook, builtin, contract as loading};
use okno::split::{Splitter, contract as splitting, structure};
use std::io::{Cursor, Write};
use std::path::Path;
use zip::write::SimpleFileOptions;

const SPLITTERS: &[&str] = &[
    "sentence",
    "sentences:3",
    "paragraph",
    "chunk:40c/20c",
    "words:7/3",
    "chars:10/4",
    "recursive:40c/15c",
    "recursive:12t/4t",
    "tokens:12t/4t",
    "markdown",
    "semantic:50p/200c",
    "hierarchy:120c/30c",
    "code:80c",
];

/// Any text at all, every splitter.
pub fn split(text: &str) {
    for name in SPLITTERS {
        let splitter: Splitter = name.parse().expect("a splitter");
        splitting::check(&splitter, text);
    }
}

/// A name decides between formats that look alike; formats with a signature are found under any of them.
const NAMES: &[&str] = &["a.md", "a.txt", "a.html", "a.csv", "a.tsv", "a.json", "a.jsonl", "a.srt", "a.vtt", "a.eml"];

/// Any bytes at all, every loader that would take them; every document becomes sentences.
pub fn load(bytes: &[u8]) {
    let loaders = builtin();
    let mut asked = vec![false; loaders.len()];
    for name in NAMES {
        let head = &bytes[..bytes.len().min(okno::load::HEAD)];
        let Some(at) = loaders.iter().position(|loader| loader.accepts(Path::new(name), head)) else { continue };
        if !std::mem::replace(&mut asked[at], true) {
            for document in loading::check(loaders[at].as_ref(), name, bytes).documents {
                structure(&document.text, &document.title, &document.blocks);
            }
        }
    }
}

const RELATIONS: &[u8] = br#"<Relationships><Relationship Id="rId1" Type="x/slide" Target="slides/slide1.xml"/>
<Relationship Id="rId2" Type="x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>"#;
const SLIDES: &[u8] = br#"<p:presentation><p:sldIdLst><p:sldId r:id="rId1"/></p:sldIdLst></p:presentation>"#;
const SHEETS: &[u8] = br#"<workbook><sheets><sheet name="S" sheetId="1" r:id="rId2"/></sheets></workbook>"#;
const BOOK: &[u8] = br#"<container><rootfiles><rootfile full-path="a.opf"/></rootfiles></container>"#;
const SPINE: &[u8] = br#"<package><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>
<spine><itemref idref="a"/></spine></package>"#;

/// Any bytes as the inside of a container: bytes that change at random seldom get past its checksums and compression.
pub fn inside(bytes: &[u8]) {
    let office = |name: &str, parts: &[(&str, &[u8])]| loading::check(&Office::default(), name, &zipped(parts));
    office("a.docx", &[("word/document.xml", bytes), ("word/numbering.xml", bytes), ("word/styles.xml", bytes)]);
    let slides = ("ppt/_rels/presentation.xml.rels", RELATIONS);
    office("a.pptx", &[("ppt/presentation.xml", SLIDES), slides, ("ppt/slides/slide1.xml", bytes)]);
    office("a.odt", &[("mimetype", b"application/vnd.oasis.opendocument.text"), ("content.xml", bytes)]);
    let book = [("mimetype", &b"application/epub+zip"[..]), ("META-INF/container.xml", BOOK)];
    office("a.epub", &[book[0], book[1], ("a.opf", SPINE), ("a.xhtml", bytes)]);
    let sheets = [("xl/workbook.xml", SHEETS), ("xl/_rels/workbook.xml.rels", RELATIONS)];
    let workbook = [sheets[0], sheets[1], ("xl/worksheets/sheet1.xml", bytes), ("xl/styles.xml", bytes)];
    loading::check(&Workbook, "a.xlsx", &zipped(&workbook));
    loading::check(&Pdf::default(), "a.pdf", &page(bytes, b""));
    loading::check(&Pdf::default(), "a.pdf", &page(b"BT /F 12 Tf 10 700 Td (abc) Tj <00410042> Tj ET", bytes));
}

fn zipped(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        archive.start_file(*name, stored).expect("a name");
        archive.write_all(bytes).expect("memory");
    }
    archive.finish().expect("an archive").into_inner()
}

/// A PDF of one page. It has no table of its objects: readers look for them then.
fn page(content: &[u8], map: &[u8]) -> Vec<u8> {
    let mut pdf =
        b"%PDF-1.7\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>> endobj
5 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>> endobj\n"
            .to_vec();
    for (number, stream) in [(4, content), (6, map)] {
        pdf.extend(format!("{number} 0 obj <</Length {}>> stream\n", stream.len()).bytes());
        pdf.extend(stream);
        pdf.extend(b"\nendstream endobj\n");
    }
    pdf.extend(b"trailer <</Root 1 0 R/Size 7>>\n%%EOF\n");
    pdf
}
