//! Scanned pages: whatever their image is coded as, a reader is shown the page as a person sees it, and no image
//! decides how much is taken for it. The files are made by `files/make_scans.py`; the allocator of this program counts.
#![cfg(feature = "page-pictures")]

mod counting;

use std::sync::{Arc, Mutex, PoisonError};

use okno_document::Loaded;
use okno_load::{ImageReader, Loader, PageDrawer, PageFailure, Pdf, Sink, SkipReason, Source, page_picture};
use proptest::prelude::*;

const FAX: &[u8] = include_bytes!("files/fax.pdf");
const JBIG2: &[u8] = include_bytes!("files/jbig2.pdf");
const JPX: &[u8] = include_bytes!("files/jpx.pdf");
const PARTS: &[u8] = include_bytes!("files/scan-parts.pdf");
/// The size of the picture that all of them show (pixels), and the share of it that is ink.
const SIZE: (u32, u32) = (572, 265);
const INK: std::ops::Range<f64> = 0.025..0.035;
/// What reading an image that claims much may take: the largest has 80 million pixels of one bit, held twice.
const MOST_MEMORY: usize = 64 << 20;

/// One at a time, so that each is counted alone.
static ALONE: Mutex<()> = Mutex::new(());

/// What a reader was shown.
#[derive(Debug, Clone, Copy)]
struct Shown {
    width: u32,
    height: u32,
    /// Dark pixels.
    ink: usize,
}

impl Shown {
    fn of(bytes: &[u8]) -> Self {
        let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().expect("a PNG");
        let (width, height) = reader.info().size();
        let samples = reader.output_color_type().0.samples();
        let mut ink = 0;
        // Row by row: what a reader takes is not counted here.
        while let Some(row) = reader.next_row().expect("a row") {
            ink += row.data().chunks_exact(samples).filter(|pixel| pixel[0] < 128).count();
        }
        Self { width, height, ink }
    }

    /// Whether so much of it is ink as of the picture.
    fn is_right(&self) -> bool {
        INK.contains(&(self.ink as f64 / f64::from(self.width * self.height)))
    }
}

/// Stands in for OCR: keeps what it is shown, and reads its number. Draws pages in this process, if at all.
struct Looking {
    shown: Mutex<Vec<Shown>>,
    draws: bool,
}

impl Looking {
    fn new(draws: bool) -> Arc<Self> {
        Arc::new(Self { shown: Mutex::default(), draws })
    }
}

impl ImageReader for Looking {
    fn identity(&self) -> &'static str {
        "looking"
    }

    fn read(&self, image: &[u8]) -> Option<String> {
        let mut shown = self.shown.lock().expect("no panic");
        shown.push(Shown::of(image));
        Some(format!("Image {}.", shown.len()))
    }

    fn page_drawer(&self) -> Option<&dyn PageDrawer> {
        self.draws.then_some(self as &dyn PageDrawer)
    }
}

impl PageDrawer for Looking {
    fn draw(&self, pdf: &[u8], page: usize) -> Result<Vec<u8>, PageFailure> {
        page_picture(pdf.to_vec(), page, 2 * SIZE.0).map_err(|_| PageFailure::Ended)
    }
}

#[derive(Default)]
struct Found(Vec<Loaded>, Vec<SkipReason>);

impl Sink for Found {
    fn document(&mut self, loaded: Loaded) {
        self.0.push(loaded);
    }

    fn skip(&mut self, _: &str, reason: SkipReason) {
        self.1.push(reason);
    }
}

/// Loads a file with a reader: what it gave, and what the reader was shown.
fn load(file: &[u8], draws: bool) -> (Found, Vec<Shown>) {
    let (reader, mut found) = (Looking::new(draws), Found::default());
    let loader = Pdf::reading(Arc::clone(&reader) as Arc<dyn ImageReader>);
    if let Err(reason) = loader.load(&Source::memory("scan.pdf", file), &mut found) {
        found.1.push(reason);
    }
    let shown = reader.shown.lock().expect("no panic").clone();
    (found, shown)
}

/// The text of each page.
fn pages(loaded: &Loaded) -> Vec<&str> {
    let ends = loaded.pages.iter().skip(1).map(|page| page.start as usize).chain([loaded.text.len()]);
    loaded.pages.iter().zip(ends).map(|(page, end)| loaded.text[page.start as usize..end].trim()).collect()
}

#[test]
fn a_fax_is_taken_out_however_it_is_coded() {
    let (Found(documents, skipped), shown) = load(FAX, false);
    assert_eq!(pages(&documents[0]), ["Image 1.", "Image 2.", "Image 3.", "Image 4.", "Image 5."]);
    assert_eq!((documents[0].images.len(), skipped), (5, vec![]));
    for (page, seen) in shown.iter().enumerate() {
        assert_eq!((seen.width, seen.height), SIZE, "page {page}");
        assert!(seen.is_right() && seen.ink == shown[0].ink, "page {page}: {seen:?}");
    }
}

#[test]
fn what_cannot_be_taken_out_is_drawn_and_read() {
    for (name, file, count) in [("JBIG2", JBIG2, 1), ("JPEG 2000", JPX, 1), ("parts", PARTS, 3)] {
        let (Found(documents, skipped), shown) = load(file, true);
        let wanted: Vec<String> = (1..=count).map(|page| format!("Image {page}.")).collect();
        assert_eq!((pages(&documents[0]), skipped), (wanted.iter().map(String::as_str).collect(), vec![]), "{name}");
        for seen in shown {
            assert_eq!((seen.width, seen.height), (2 * SIZE.0, 2 * SIZE.1), "{name}");
            assert!(seen.is_right(), "{name}: {seen:?}");
        }
    }
}

#[test]
fn without_a_drawer_the_formats_are_named() {
    for (name, file) in [("JBIG2", JBIG2), ("JPEG 2000", JPX)] {
        let (Found(documents, skipped), shown) = load(file, false);
        assert!(documents.is_empty() && shown.is_empty());
        assert_eq!(skipped, [SkipReason::UndecodedScans { scanned: 1, pages: 1, formats: vec![name.to_owned()] }]);
    }
}

/// A page with one image.
fn scan(dictionary: &str, data: &[u8]) -> Vec<u8> {
    let image = format!("/Type/XObject/Subtype/Image/BitsPerComponent 1/ColorSpace/DeviceGray{dictionary}");
    let mut file = format!(
        "%PDF-1.7\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj\n\
         3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>> \
         endobj\n4 0 obj <</Length 24>> stream\n600 0 0 800 0 0 cm /I Do\nendstream endobj\n\
         5 0 obj <<{image}/Length {}>> stream\n",
        data.len()
    )
    .into_bytes();
    file.extend(data);
    file.extend(b"\nendstream endobj\ntrailer <</Root 1 0 R/Size 6>>\n%%EOF\n");
    file
}

fn fax(width: &str, height: &str, parameters: &str) -> String {
    format!("/Width {width}/Height {height}/Filter/CCITTFaxDecode/DecodeParms<<{parameters}>>")
}

/// Loads a file whose image claims much, and says what it gave.
fn bounded(name: &str, file: &[u8]) -> (Found, Vec<Shown>) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (loaded, memory) = counting::measured(|| load(file, false));
    assert!(memory < MOST_MEMORY, "{name}: {} MB", memory >> 20);
    loaded
}

#[test]
fn a_fax_takes_what_a_page_may_have() {
    // Each bit says that a row is as the one before: white.
    let rows = [0xff; 4096];
    let (Found(_, skipped), _) = bounded("wide", &scan(&fax("1000", "1000", "/K -1/Columns 4000000000"), &rows));
    assert_eq!(skipped.iter().map(|reason| matches!(reason, SkipReason::Inflates { .. })).collect::<Vec<_>>(), [true]);
    for (width, height, parameters) in [
        ("9999999", "10000", "/K -1/Columns 9999999"),
        ("1000", "4000000000", "/K -1/Columns 1000"),
        ("1000", "4000000000", "/K 0"),
        ("40", "1000000", "/K -1"),
        ("1000", "1000", "/K -1/Columns 9999999/Rows 4000000000"),
    ] {
        let (found, shown) = bounded(parameters, &scan(&fax(width, height, parameters), &rows));
        assert!(found.0.is_empty() && shown.is_empty(), "{parameters}: {shown:?}");
    }
    // As large as it may be; with fewer rows than it says; as wide as it says itself.
    for (width, parameters, data, shows) in [
        ("8000", "/K -1/Columns 8000", &rows[..], (8000, 10_000)),
        ("8000", "/K -1/Columns 8000", &rows[..100], (8000, 800)),
        ("300", "/K -1/Columns 640", &rows[..100], (640, 800)),
        ("300", "/K -1", &rows[..100], (1728, 800)),
        ("300", "/K -1/Columns -1", &rows[..100], (1728, 800)),
    ] {
        let (_, shown) = bounded(parameters, &scan(&fax(width, "10000", parameters), data));
        assert_eq!((shown[0].width, shown[0].height), shows, "{parameters}");
    }
}

/// Which filter counts is for the library to say: the decoders that take what an image claims are never run here.
#[test]
fn no_other_decoder_is_run_under_the_name_of_fax() {
    let header = [0, 0, 0, 0, 48, 0, 1, 0, 0, 0, 19, 0xff, 0xff, 0xff, 0xff, 0, 0, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0];
    let size = "/Width 1000/Height 1000";
    for filters in ["/Filter/CCITTFaxDecode/F/JBIG2Decode", "/Filter[/JBIG2Decode/CCITTFaxDecode]", "/F/JPXDecode"] {
        let (found, shown) = bounded(filters, &scan(&format!("{size}{filters}"), &header));
        assert!(found.0.is_empty() && shown.is_empty(), "{filters}");
        assert!(matches!(found.1[..], [SkipReason::UndecodedScans { .. }]), "{filters}: {:?}", found.1);
    }
}

proptest! {
    /// Whatever a fax holds and says about itself, it is read or left out.
    #[test]
    fn any_fax_does_no_harm(
        data in proptest::collection::vec(any::<u8>(), 0..300),
        (k, columns, height) in (-1..=4i32, 0u32..5000, 0u32..5000),
        flags in proptest::array::uniform4(any::<bool>()),
    ) {
        let [of_line, aligned, of_block, black] = flags;
        let said = format!("/K {k}/Columns {columns}/EndOfLine {of_line}/EncodedByteAlign {aligned}");
        let said = format!("{said}/EndOfBlock {of_block}/BlackIs1 {black}");
        let (Found(_, skipped), shown) = load(&scan(&fax("100", &height.to_string(), &said), &data), false);
        prop_assert!(shown.iter().all(|seen| seen.width == columns && seen.height <= height), "{:?}", shown);
        let failed = |reason: &SkipReason| {
            matches!(reason, SkipReason::InternalError { .. } | SkipReason::PartsFailed { .. })
        };
        prop_assert!(!skipped.iter().any(failed), "{:?}", skipped);
    }
}
