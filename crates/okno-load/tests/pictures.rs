//! Pages as pictures: what is drawn is seen, passages are where their letters are drawn, and no file decides how much
//! is taken for it. The allocator of this program counts.
#![cfg(feature = "page-pictures")]

mod counting;

use std::io::Write;
use std::path::Path;
use std::sync::Mutex;

use okno_document::Loaded;
use okno_load::{Loader, MarkBox, Pdf, Sink, SkipReason, Source, marks, page_picture};

/// One at a time, so that each is counted alone.
static ALONE: Mutex<()> = Mutex::new(());

/// What drawing anything below may take: a picture, a few layers and masks of its size, an image.
const MOST_MEMORY: usize = 400 << 20;

/// A file of one page: what its dictionary has, its content, and objects from number 10 on.
fn file(page: &str, content: &[u8], objects: &[Vec<u8>]) -> Vec<u8> {
    let mut file = format!(
        "%PDF-1.7\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj\n\
         3 0 obj <</Type/Page/Parent 2 0 R/Contents 4 0 R {page}>> endobj\n\
         5 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>> endobj\n"
    )
    .into_bytes();
    file.extend(format!("4 0 obj <</Length {}>> stream\n", content.len()).bytes());
    file.extend(content);
    file.extend(b"\nendstream endobj\n");
    for (at, object) in objects.iter().enumerate() {
        file.extend(format!("{} 0 obj ", 10 + at).bytes());
        file.extend(object);
        file.extend(b" endobj\n");
    }
    file.extend(b"trailer <</Root 1 0 R/Size 100>>\n%%EOF\n");
    file
}

const PLAIN: &str = "/MediaBox[0 0 600 800]/Resources<</Font<</F 5 0 R>>>>";

fn stream(dictionary: &str, content: &[u8]) -> Vec<u8> {
    let mut object = format!("<<{dictionary}/Length {}>> stream\n", content.len()).into_bytes();
    object.extend(content);
    object.extend(b"\nendstream");
    object
}

fn deflated(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(content).expect("memory");
    encoder.finish().expect("memory")
}

/// A picture as its width, its height and its pixels.
struct Picture {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Picture {
    fn of(bytes: &[u8]) -> Self {
        let decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        let mut reader = decoder.read_info().expect("a PNG");
        let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
        let info = reader.next_frame(&mut pixels).expect("a PNG");
        assert_eq!(info.color_type, png::ColorType::Rgb);
        Self { width: info.width as usize, height: info.height as usize, pixels }
    }

    /// The colour at shares of the width and height.
    fn at(&self, x: f64, y: f64) -> [u8; 3] {
        let (x, y) = ((x * self.width as f64) as usize, (y * self.height as f64) as usize);
        let at = (y.min(self.height - 1) * self.width + x.min(self.width - 1)) * 3;
        [self.pixels[at], self.pixels[at + 1], self.pixels[at + 2]]
    }

    /// How many pixels in a box are dark.
    fn ink(&self, mark: &MarkBox) -> usize {
        let span = |from: f64, length: f64, of: usize| {
            let end = ((from + length) * of as f64).ceil() as usize;
            (from.max(0.0) * of as f64) as usize..end.min(of)
        };
        let rows = span(mark.top, mark.height, self.height);
        let columns = span(mark.left, mark.width, self.width);
        let dark = |row: usize, column: usize| self.pixels[(row * self.width + column) * 3] < 128;
        rows.map(|row| columns.clone().filter(|column| dark(row, *column)).count()).sum()
    }
}

/// Draws a page and says how much memory that took at most.
fn draw(file: Vec<u8>, width: u32) -> (Result<Vec<u8>, SkipReason>, usize) {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    counting::measured(|| page_picture(file, 1, width))
}

fn drawn(file: Vec<u8>, width: u32) -> Picture {
    Picture::of(&draw(file, width).0.expect("a picture"))
}

#[derive(Default)]
struct Found(Vec<Loaded>);

impl Sink for Found {
    fn document(&mut self, loaded: Loaded) {
        self.0.push(loaded);
    }

    fn skip(&mut self, _: &str, _: SkipReason) {}
}

fn text_of(file: &[u8]) -> String {
    let mut found = Found::default();
    let source = Source { path: Path::new("x.pdf"), name: "x.pdf", modified: None, content: Some(file), inside: None };
    Pdf::default().load(&source, &mut found).expect("a document");
    found.0.remove(0).text
}

#[test]
fn colours_images_patterns_and_groups_are_drawn() {
    let content = b"1 0 0 rg 0 400 300 400 re f q 200 0 0 200 350 550 cm /I Do Q \
        /Pattern cs /P scn 0 0 300 300 re f q /G gs 0 0 1 rg 350 50 200 200 re f Q \
        q 350 300 100 100 re W n 0 1 0 rg 0 0 600 800 re f Q";
    let page = "/MediaBox[0 0 600 800]/Resources<</XObject<</I 10 0 R>>/Pattern<</P 11 0 R>>/ExtGState<</G 12 0 R>>>>";
    let image = stream(
        "/Type/XObject/Subtype/Image/Width 2/Height 1/BitsPerComponent 8/ColorSpace/DeviceRGB",
        &[255, 255, 0, 0, 255, 255],
    );
    let tile = stream(
        "/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 20 20]/XStep 20/YStep 20/Resources<<>>",
        b"1 0 1 rg 0 0 20 20 re f",
    );
    let picture = drawn(file(page, content, &[image, tile, b"<</ca 0.5>>".to_vec()]), 300);
    assert_eq!((picture.width, picture.height), (300, 400));
    assert_eq!(picture.at(0.25, 0.25), [255, 0, 0], "a filled path");
    assert_eq!(picture.at(0.62, 0.2), [255, 255, 0], "the left half of an image");
    assert_eq!(picture.at(0.88, 0.2), [0, 255, 255], "its right half");
    assert_eq!(picture.at(0.25, 0.8), [255, 0, 255], "a pattern");
    let [r, g, b] = picture.at(0.75, 0.8);
    assert!(r.abs_diff(127) < 3 && g == r && b == 255, "half of blue: {r} {g} {b}");
    assert_eq!(picture.at(0.66, 0.56), [0, 255, 0], "inside of the clip");
    assert_eq!(picture.at(0.95, 0.56), [255, 255, 255], "outside of it");
}

#[test]
fn passages_are_where_their_letters_are_drawn() {
    let line = |y: u32, words: &str| format!("BT /F 12 Tf 60 {y} Td ({words}) Tj ET ");
    let content = line(700, "Green tea is brewed at eighty degrees. Black")
        + &line(684, "tea needs boiling water. Leave it for a while.");
    for rotate in [0, 90, 180, 270] {
        let page = format!("{PLAIN}/Rotate {rotate}/CropBox[20 30 580 780]");
        let bytes = file(&page, content.as_bytes(), &[]);
        let text = text_of(&bytes);
        let span = "Black tea needs boiling water.";
        let start = text.find(span).unwrap_or_else(|| panic!("{text}"));
        let found = marks(bytes.clone(), 1, &text, start..start + span.len()).expect("marks");
        assert_eq!((found.letters, found.found, found.boxes.len()), (25, 25, 2), "{rotate}: {found:?}");
        // The same page without the span has no ink in the boxes, and the page with it has.
        let without = content.replace("Black", "     ").replace("tea needs boiling water.", &" ".repeat(40));
        let [with, without] = [content.as_str(), &without].map(|content| {
            let picture = drawn(file(&page, content.as_bytes(), &[]), 1200);
            found.boxes.iter().map(|mark| picture.ink(mark)).sum::<usize>()
        });
        assert!(with > 500, "{rotate}: {with} dark pixels");
        assert!(without * 50 < with, "{rotate}: {without} of {with} dark pixels are of other words");
    }
}

/// A file that claims much, and whether anything of it is drawn.
fn bounded(name: &str, file: Vec<u8>) {
    let (drawn, memory) = draw(file, 1000);
    assert!(memory < MOST_MEMORY, "{name}: {} MB", memory >> 20);
    if let Ok(drawn) = drawn {
        let picture = Picture::of(&drawn);
        assert!(picture.width * picture.height < 10_000_000, "{name}");
    }
}

#[test]
fn a_huge_page_makes_a_picture_of_the_usual_size() {
    for page in ["[0 0 100000000 100000000]", "[0 0 1 100000000]", "[0 0 1e38 1]", "[-1e9 -1e9 1e9 1e9]", "[0 0 0 0]"] {
        bounded(page, file(&format!("/MediaBox{page}"), b"0 0 600 800 re f 1 0 0 rg 5 5 m 9 9 l S", &[]));
    }
}

#[test]
fn huge_images_take_what_they_hold() {
    let resources = "/MediaBox[0 0 600 800]/Resources<</XObject<</I 10 0 R>>>>";
    let size = "/Type/XObject/Subtype/Image/Width 100000/Height 100000/BitsPerComponent 8/ColorSpace/DeviceRGB";
    let draw = b"600 0 0 800 0 0 cm /I Do";
    bounded("no data", file(resources, draw, &[stream(size, b"abc")]));
    let packed = deflated(&vec![7; 20 << 20]);
    bounded("deflated", file(resources, draw, &[stream(&format!("{size}/Filter/FlateDecode"), &packed)]));
    let fax = format!("{size}/Filter/CCITTFaxDecode/DecodeParms<</K -1/Columns 100000/Rows 100000>>");
    bounded("fax", file(resources, draw, &[stream(&fax.replace("RGB", "Gray"), &[0x55; 1000])]));
    let jpeg = [0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0xff, 0xff, 0xff, 0xff, 1, 1, 0x11, 0, 0xff, 0xd9];
    bounded("jpeg", file(resources, draw, &[stream(&format!("{size}/Filter/DCTDecode"), &jpeg)]));
    let mask = size.replace("/BitsPerComponent 8/ColorSpace/DeviceRGB", "/ImageMask true/BitsPerComponent 1");
    bounded("mask", file(resources, draw, &[stream(&mask, b"abc")]));
    let large = |stream: String| stream.replace("100000", "10000");
    bounded("fax that fits", file(resources, draw, &[stream(&large(fax.replace("RGB", "Gray")), &[0x55; 1000])]));
    bounded("mask that fits", file(resources, draw, &[stream(&large(mask), b"abc")]));
}

#[test]
fn forms_clips_groups_and_patterns_inside_of_each_other_are_bounded() {
    let form = "/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Group<</S/Transparency/I true>>";
    let own = "/Resources<</XObject<</X 10 0 R>>/ExtGState<</G 11 0 R>>>>";
    let page = format!("/MediaBox[0 0 600 800]{own}");
    let recursive = stream(&format!("{form}{own}"), b"/G gs 0 0 300 400 re f /X Do");
    bounded("a form of itself", file(&page, b"/X Do", &[recursive.clone(), b"<</ca 0.5>>".to_vec()]));
    let masked = b"<</ca 0.5/SMask<</Type/Mask/S/Alpha/G 10 0 R>>>>".to_vec();
    bounded("a mask of itself", file(&page, b"/G gs /X Do 0 0 600 800 re f", &[recursive, masked]));
    let clips = b"q 0 0 m 600 0 l 300 800 l h W n ".repeat(20_000);
    bounded("clips", file(&page, &[&clips[..], b"1 0 0 rg 0 0 600 800 re f"].concat(), &[]));
    let tile = "/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9999 9999]/XStep 0.001/YStep 0.001\
        /Resources<</Pattern<</P 10 0 R>>>>";
    let tile = stream(tile, b"/Pattern cs /P scn 0 0 600 800 re f");
    let page = "/MediaBox[0 0 600 800]/Resources<</Pattern<</P 10 0 R>>>>";
    bounded("a pattern of itself", file(page, b"/Pattern cs /P scn 0 0 600 800 re f", &[tile]));
}

#[test]
fn strange_numbers_are_drawn_nowhere() {
    let content = b"1e30 0 0 1e30 0 0 cm 0 0 1e38 1e38 re f Q 0 0 0 0 0 0 cm 1 1 m 2 2 l S \
        [1e-30 1e-30] 0 d 0 0 m 1e30 1e30 l S [0 0] 0 d 1e30 w 0 0 m 5 5 l S -5 w BT /F -1e20 Tf (x) Tj ET";
    bounded("numbers", file(PLAIN, content, &[]));
}

#[test]
fn a_page_that_is_not_there_is_refused() {
    let bytes = file(PLAIN, b"", &[]);
    assert!(page_picture(bytes.clone(), 2, 100).is_err());
    assert!(page_picture(bytes, 0, 100).is_err());
    assert!(page_picture(b"no file".to_vec(), 1, 100).is_err());
}
