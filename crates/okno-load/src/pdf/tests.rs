//! Whole files: columns, Chinese, pages, and every reason not to read one.

use super::super::tests::{Collected, Saying, load};
use super::*;
use okno_document::{BlockKind, ImageSource, Loaded, table};

const COLUMNS: &[u8] = include_bytes!("../../tests/files/columns.pdf");
const CID: &[u8] = include_bytes!("../../tests/files/chinese-cid.pdf");
const EMBEDDED: &[u8] = include_bytes!("../../tests/files/chinese-embedded.pdf");
const SCANNED: &[u8] = include_bytes!("../../tests/files/scanned.pdf");
const PROTECTED: &[u8] = include_bytes!("../../tests/files/protected.pdf");

fn pdf(bytes: &[u8]) -> Loaded {
    let mut got = load(&Pdf::default(), "d/paper.pdf", bytes);
    assert_eq!(got.skipped, []);
    got.documents.remove(0)
}

fn blocks(loaded: &Loaded) -> Vec<(BlockKind, &str)> {
    loaded.blocks.iter().map(|block| (block.kind, block.span.of(&loaded.text))).collect()
}

#[test]
fn columns_are_read_one_after_the_other_and_pages_are_joined() {
    let got = pdf(COLUMNS);
    let blocks = blocks(&got);
    let headings: Vec<(BlockKind, &str)> =
        blocks.iter().copied().filter(|(kind, _)| matches!(kind, BlockKind::Heading(_))).collect();
    assert_eq!(
        headings,
        [
            (BlockKind::Heading(1), "# Index Small, Return Big"),
            (BlockKind::Heading(2), "## 1 Introduction"),
            (BlockKind::Heading(2), "## 2 Results"),
        ]
    );
    let text = &got.text;
    assert!(text.contains("engine should index small units and return large ones, since a sentence"), "{text}");
    assert!(text.contains("ends on this last line, but its sentence goes on in the right column. Here"), "{text}");
    assert!(
        text.contains("in the middle of a well-known sentence that is finished on the next page of this document."),
        "{text}"
    );
    assert!(!text.contains("\n2\n") && !text.ends_with("3\n"), "{text}");
    assert_eq!(text.matches("Journal of Small Windows").count(), 1, "{text}");
}

#[test]
fn a_table_is_a_table_with_its_caption() {
    let got = pdf(COLUMNS);
    let at = got.blocks.iter().position(|block| block.kind == BlockKind::Table).unwrap();
    let table = table::read(got.blocks[at].span.of(&got.text)).unwrap();
    assert_eq!(table.header, ["Method", "Coverage", "Tokens"]);
    assert_eq!(table.rows[2], ["auto", "0.90", "498"]);
    let caption = table::caption(&got.text, &got.blocks, at).map(|span| span.of(&got.text));
    assert_eq!(caption, Some("Table 1: Coverage by method."));
}

#[test]
fn pages_know_where_they_begin() {
    let got = pdf(COLUMNS);
    let begins: Vec<&str> = got.pages.iter().map(|page| got.text[page.start as usize..].trim_start()).collect();
    assert_eq!(begins.len(), 3);
    assert!(begins[1].starts_with("page of this document."), "{}", begins[1]);
    assert!(begins[2].starts_with("The third page"), "{}", begins[2]);
    assert_eq!(got.metadata.get("pages"), Some(&Value::Number(3.0)));
    assert_eq!(got.metadata.get("author"), Some(&Value::Text("Ann Lee".into())));
    assert_eq!(got.metadata.get("type"), Some(&Value::Text("pdf".into())));
    assert_eq!(got.title, "Two Columns");
}

#[test]
fn chinese_without_a_font_of_its_own() {
    let got = pdf(CID);
    assert_eq!(blocks(&got)[0], (BlockKind::Heading(1), "# 句子窗口检索"));
    assert!(got.text.contains("窗口的大小可以在查询时选择，不需要重新建立索引。"), "{}", got.text);
    assert_eq!(got.language.as_deref(), Some("zh"));
}

#[test]
fn radicals_are_found_as_the_letters_they_look_like() {
    let got = pdf(EMBEDDED);
    assert!(got.text.contains("入口在门边。"), "{}", got.text);
    assert!(got.text.contains("旧的版本仍然会继续运行"), "{}", got.text);
    assert_eq!((got.title.as_str(), got.pages.len()), ("中文排版", 2));
    assert_eq!(got.metadata.get("created"), Some(&Value::Date(Date { year: 2023, month: 7, day: 28 })));
}

#[test]
fn every_reason_is_said() {
    let reason = |bytes: &[u8]| {
        let got: Collected = load(&Pdf::default(), "a.pdf", bytes);
        assert!(got.documents.is_empty());
        got.skipped[0].1.clone()
    };
    assert_eq!(reason(PROTECTED), SkipReason::Encrypted);
    assert_eq!(reason(SCANNED), SkipReason::NoTextLayer { pages: 1 });
    assert_eq!(reason(b""), SkipReason::EmptyFile);
    assert_eq!(reason(b"%PDF-1.7\n..."), SkipReason::DamagedPdf);
    assert!(
        Pdf::default().accepts(Path::new("a.pdf"), b"")
            && Pdf::default().accepts(Path::new("x"), b"%PDF-1.4")
            && !Pdf::default().accepts(Path::new("a.pdf"), b"plain")
    );
}

const SCAN: &[u8] = include_bytes!("../../tests/files/scan.pdf");
const FIGURE: &[u8] = include_bytes!("../../tests/files/figure.pdf");

#[test]
fn scanned_pages_are_read_one_by_one() {
    use okno_document::MediaType;
    let said = |image: &[u8]| format!("{:?} read.\n\nAnd more.", MediaType::of(image).unwrap());
    let reader = std::sync::Arc::new(Saying(said));
    let got = load(&Pdf::reading(reader), "scan.pdf", SCAN).documents.remove(0);
    assert_eq!(got.text, "Jpeg read.\n\nAnd more.\n\nPng read.\n\nAnd more.\n");
    let second = got.text.find("Png").unwrap();
    assert_eq!(got.pages.iter().map(|page| page.start).collect::<Vec<_>>()[0], 0);
    assert!((got.pages[1].start as usize) <= second && got.pages.len() == 2, "{:?}", got.pages);
    let places: Vec<&str> = got.images.iter().map(|image| image.span.of(&got.text)).collect();
    assert_eq!(places, ["Jpeg read.\n\nAnd more.", "Png read.\n\nAnd more."]);
    let skipped = load(&Pdf::default(), "scan.pdf", SCAN).skipped;
    assert!(skipped.is_empty() || skipped[0].1 == SkipReason::NoTextLayer { pages: 2 }, "{skipped:?}");
}

#[test]
fn an_image_stands_where_it_is_drawn_and_pages_are_called_as_printed() {
    let got = pdf(FIGURE);
    assert_eq!(got.pages[0].label, "iv");
    let image = &got.images[0];
    assert_eq!(image.caption, "Figure 1: the notice of the cooperative");
    let before = got.text.find("notice.").unwrap() + "notice.".len();
    assert_eq!((image.span.start as usize, image.span.len()), (before, 0), "{}", got.text);
    let ImageSource::Bytes(bytes) = &image.source else { panic!("{:?}", image.source) };
    assert!(bytes.starts_with(b"\x89PNG"));
}

/// A page with an image and a page with words, in as few bytes as readers take.
fn fax(filter: &str, words: &str) -> Vec<u8> {
    let image = "/Type/XObject/Subtype/Image/Width 64/Height 64/BitsPerComponent 1/ColorSpace/DeviceGray";
    let page = "/Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]";
    let stream = |content: &str| format!("/Length {}>> stream\n{content}\nendstream", content.len());
    format!(
        "%PDF-1.7\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>> \
         endobj\n\
         3 0 obj <<{page}/Contents 5 0 R/Resources<</XObject<</I 7 0 R>>>>>> endobj\n\
         4 0 obj <<{page}/Contents 6 0 R/Resources<</Font<</F 8 0 R>>>>>> endobj\n\
         5 0 obj <<{} endobj\n6 0 obj <<{} endobj\n7 0 obj <<{image}/Filter/{filter}{} endobj\n\
         8 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica>> endobj\ntrailer <</Root 1 0 R/Size 9>>\n%%EOF\n",
        stream("500 0 0 700 0 0 cm /I Do"),
        stream(&format!("BT /F 12 Tf 10 700 Td ({words}) Tj ET")),
        stream("0000")
    )
    .into_bytes()
}

/// Such pages were left out without a word. Without OCR they are scans like others.
#[test]
fn scans_that_are_not_decoded_are_named() {
    let reader = || Pdf::reading(std::sync::Arc::new(Saying(|_: &[u8]| "read".to_owned())));
    for (filter, kind) in [("CCITTFaxDecode", "CCITT fax"), ("JBIG2Decode", "JBIG2"), ("JPXDecode", "JPEG 2000")] {
        let said = SkipReason::UndecodedScans { scanned: 1, pages: 2, formats: vec![kind.to_owned()] };
        let got = load(&reader(), "a.pdf", &fax(filter, "Words are read."));
        assert_eq!(got.documents.len(), 1);
        assert_eq!(got.skipped, [("a.pdf".to_owned(), said.clone())]);
        let none = load(&reader(), "a.pdf", &fax(filter, ""));
        assert_eq!(none.skipped, [("a.pdf".to_owned(), said)]);
        let unread = load(&Pdf::default(), "a.pdf", &fax(filter, ""));
        assert_eq!(unread.skipped, [("a.pdf".to_owned(), SkipReason::NoTextLayer { pages: 2 })]);
    }
}
