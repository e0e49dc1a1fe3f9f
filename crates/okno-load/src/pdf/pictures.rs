//! The images of a page, as bytes that any program reads.
//!
//! A photograph is in a PDF as the JPEG file it was; it is taken out as it is. Anything else is rows of pixels, and
//! written as PNG. So are faxes (CCITT), where the feature `page-pictures` brings their decoder: how much one takes is
//! known before. JBIG2 and JPEG 2000 are not taken out: their decoders take what an image claims. A page of such a scan
//! is drawn in another process (`scans`).

use hayro_syntax::Filter;
use hayro_syntax::object::stream::ImageDecodeParams;
use hayro_syntax::object::{Array, Dict, Object, Stream};

use super::super::image::LARGEST_IMAGE;

/// Images with a shorter side are rules, bullets and ornaments.
const SMALLEST_SIDE: u32 = 32;
/// Pixels of one image: a page of A3 at 600 dots per inch has 70 million.
const MOST_PIXELS: u64 = 80_000_000;
/// Pixels of a row of a fax that does not say how many, by the standard.
const FAX_COLUMNS: u32 = 1728;

/// An image at its place on the page; `y` grows upwards.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Placed {
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
    pub bytes: Vec<u8>,
}

/// The file of an image, where it is one that is taken out.
pub(super) fn file(stream: &Stream<'_>) -> Option<Vec<u8>> {
    let dict = stream.dict();
    let (width, height) = (side(dict, "Width", "W")?, side(dict, "Height", "H")?);
    if width.min(height) < SMALLEST_SIDE || u64::from(width) * u64::from(height) > MOST_PIXELS {
        return None;
    }
    let file = match stream.filters().as_slice() {
        [Filter::DctDecode] => stream.raw_data().into_owned(),
        [before @ .., Filter::CcittFaxDecode] if before.iter().copied().all(is_lossless) => png(&fax(stream, height)?)?,
        filters if filters.iter().copied().all(is_lossless) => {
            let rows = stream.decoded_data().ok()?.into_owned();
            png(&pixels(stream, (width, height), rows)?)?
        }
        _ => return None,
    };
    (file.len() <= LARGEST_IMAGE).then_some(file)
}

/// The kind of a scan that is not decoded.
pub(super) fn undecoded(stream: &Stream<'_>) -> Option<&'static str> {
    stream.filters().iter().find_map(|filter| match filter {
        Filter::CcittFaxDecode => Some("CCITT fax"),
        Filter::Jbig2Decode => Some("JBIG2"),
        Filter::JpxDecode => Some("JPEG 2000"),
        _ => None,
    })
}

fn side(dict: &Dict<'_>, long: &str, short: &str) -> Option<u32> {
    dict.get::<u32>(long).or_else(|| dict.get::<u32>(short)).filter(|side| *side > 0)
}

fn is_lossless(filter: Filter) -> bool {
    matches!(
        filter,
        Filter::FlateDecode
            | Filter::LzwDecode
            | Filter::RunLengthDecode
            | Filter::Ascii85Decode
            | Filter::AsciiHexDecode
    )
}

/// Pixels as PNG stores them.
struct Pixels {
    width: u32,
    height: u32,
    bits: u8,
    /// 0 grey, 2 red green blue, 3 a palette.
    colours: u8,
    palette: Vec<u8>,
    /// Light is 0: as masks draw.
    inverted: bool,
    rows: Vec<u8>,
}

impl Pixels {
    /// Bytes of one row.
    fn row(&self) -> usize {
        let values = if self.colours == 2 { 3 } else { 1 };
        (self.width as usize * values * usize::from(self.bits)).div_ceil(8)
    }
}

/// The pixels of a fax. Its rows are as long as it says itself, whatever the image says, and may end early.
fn fax(stream: &Stream<'_>, height: u32) -> Option<Pixels> {
    let dict = stream.dict();
    if u64::from(columns(dict)) * u64::from(height) > MOST_PIXELS {
        return None;
    }
    // A pixel of an image with a palette stays one bit.
    let packed = ImageDecodeParams { is_indexed: true, height, ..ImageDecodeParams::default() };
    let decoded = stream.decoded_image(&packed).ok()?;
    let (width, rows) = (decoded.image_data?.width, decoded.data.into_owned());
    let whole = rows.len().checked_div((width as usize).div_ceil(8))? as u32;
    if width.min(whole) < SMALLEST_SIDE {
        return None;
    }
    pixels(stream, (width, height.min(whole)), rows)
}

/// The most pixels that a row of a fax may have by what its dictionary says.
fn columns(dict: &Dict<'_>) -> u32 {
    let own = |parameters: Dict<'_>| parameters.get::<usize>("Columns").map(|columns| columns as u32);
    let of = |key: &str| {
        let one = dict.get::<Dict<'_>>(key).and_then(own);
        let many = dict.get::<Array<'_>>(key).map(|all| all.iter::<Object<'_>>().collect::<Vec<_>>());
        one.max(many.into_iter().flatten().filter_map(|object| own(object.into_dict()?)).max())
    };
    of("DecodeParms").max(of("DP")).unwrap_or_default().max(FAX_COLUMNS)
}

fn pixels(stream: &Stream<'_>, (width, height): (u32, u32), rows: Vec<u8>) -> Option<Pixels> {
    let dict = stream.dict();
    let mask = dict.get::<bool>("ImageMask").or_else(|| dict.get::<bool>("IM")).unwrap_or(false);
    let one_bit = mask || stream.filters().contains(&Filter::CcittFaxDecode);
    let bits = if one_bit { 1 } else { dict.get::<u8>("BitsPerComponent").or_else(|| dict.get::<u8>("BPC"))? };
    let space = dict.get::<Object<'_>>("ColorSpace").or_else(|| dict.get::<Object<'_>>("CS"));
    let (colours, palette) = if mask { (0, Vec::new()) } else { colours(&space?)? };
    let decode = dict.get::<Array<'_>>("Decode").or_else(|| dict.get::<Array<'_>>("D"));
    let first = decode.and_then(|decode| decode.iter::<f64>().next()).unwrap_or(0.0);
    let inverted = first > 0.5 && colours == 0;
    let pixels = Pixels { width, height, bits, colours, palette, inverted, rows };
    let known = matches!(bits, 1 | 2 | 4 | 8) && (colours != 2 || bits == 8);
    (known && pixels.rows.len() >= pixels.row() * height as usize).then_some(pixels)
}

/// Which colours the values of a colour space stand for.
fn colours(space: &Object<'_>) -> Option<(u8, Vec<u8>)> {
    match space {
        Object::Name(name) => match name.as_ref() {
            b"DeviceGray" | b"CalGray" | b"G" => Some((0, Vec::new())),
            b"DeviceRGB" | b"CalRGB" | b"RGB" => Some((2, Vec::new())),
            _ => None,
        },
        Object::Array(parts) => {
            let mut parts = parts.iter::<Object<'_>>();
            let Some(Object::Name(kind)) = parts.next() else { return None };
            match (kind.as_ref(), parts.next()) {
                (b"ICCBased", Some(Object::Stream(profile))) => match profile.dict().get::<u8>("N") {
                    Some(1) => Some((0, Vec::new())),
                    Some(3) => Some((2, Vec::new())),
                    _ => None,
                },
                (b"CalGray", _) => Some((0, Vec::new())),
                (b"CalRGB", _) => Some((2, Vec::new())),
                (b"Indexed" | b"I", Some(base)) => palette(&base, parts.nth(1)?),
                _ => None,
            }
        }
        _ => None,
    }
}

fn palette(base: &Object<'_>, table: Object<'_>) -> Option<(u8, Vec<u8>)> {
    let (colours, _) = colours(base)?;
    let table = match table {
        Object::String(text) => text.as_bytes().to_vec(),
        Object::Stream(stream) => stream.decoded_data().ok()?.into_owned(),
        _ => return None,
    };
    let three = if colours == 0 { table.iter().flat_map(|&grey| [grey; 3]).collect() } else { table };
    Some((3, three))
}

/// Writes pixels as a PNG file.
fn png(pixels: &Pixels) -> Option<Vec<u8>> {
    let mut header = [pixels.width.to_be_bytes(), pixels.height.to_be_bytes()].concat();
    header.extend([pixels.bits, pixels.colours, 0, 0, 0]);
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut file, *b"IHDR", &header);
    if pixels.colours == 3 {
        let most = (1usize << pixels.bits) * 3;
        let whole = pixels.palette.len().min(most) / 3 * 3;
        chunk(&mut file, *b"PLTE", &pixels.palette[..whole]);
    }
    chunk(&mut file, *b"IDAT", &deflated(pixels)?);
    chunk(&mut file, *b"IEND", &[]);
    Some(file)
}

fn deflated(pixels: &Pixels) -> Option<Vec<u8>> {
    use std::io::Write;
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut row = Vec::with_capacity(pixels.row() + 1);
    for line in pixels.rows.chunks_exact(pixels.row()).take(pixels.height as usize) {
        row.clear();
        // Each row says how it is filtered: not at all.
        row.push(0);
        row.extend(line.iter().map(|byte| if pixels.inverted { !byte } else { *byte }));
        encoder.write_all(&row).ok()?;
    }
    encoder.finish().ok()
}

fn chunk(file: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) {
    let mut sum = flate2::Crc::new();
    sum.update(&kind);
    sum.update(data);
    file.extend((data.len() as u32).to_be_bytes());
    file.extend(kind);
    file.extend(data);
    file.extend(sum.sum().to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_png_says_what_it_holds() {
        let rows = vec![0b1010_0000, 0b0101_0000];
        let pixels = Pixels { width: 4, height: 2, bits: 1, colours: 0, palette: Vec::new(), inverted: true, rows };
        let file = png(&pixels).unwrap();
        assert_eq!(&file[12..16], b"IHDR");
        assert_eq!(&file[16..29], [0, 0, 0, 4, 0, 0, 0, 2, 1, 0, 0, 0, 0]);
        assert!(file.ends_with(b"IEND\xae\x42\x60\x82"));
        let data = file.windows(4).position(|at| at == b"IDAT").unwrap() + 4;
        let mut raw = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::ZlibDecoder::new(&file[data..]), &mut raw).unwrap();
        assert_eq!(raw, [0, 0b0101_1111, 0, 0b1010_1111]);
    }
}
