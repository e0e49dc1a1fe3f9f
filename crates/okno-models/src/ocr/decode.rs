//! Bytes of a PNG, JPEG or WebP to pixels; what is transparent is white.

use std::error::Error;
use std::io::Cursor;

use image_webp::WebPDecoder;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use super::OcrError;

/// Pixels of one side; larger ones are maps and posters, and cost gigabytes.
const LARGEST_SIDE: usize = 20_000;
/// Bytes that decoding may take: a scan of A3 at 600 dots per inch takes 210 MB.
const LARGEST: usize = 512 << 20;
/// The tag of Exif that says how the camera was held.
const TURN: u16 = 0x112;

/// Red, green and blue, row by row, and how the camera was held: a number of Exif from 1 to 8.
pub(super) struct DecodedImage {
    pub width: usize,
    pub height: usize,
    pub pixels: Vec<u8>,
    pub turn: u16,
}

type DecodeFault = Box<dyn Error>;

/// Reads a picture; which kind it is, its first bytes say.
pub(super) fn decode(bytes: &[u8]) -> Result<DecodedImage, OcrError> {
    let decoded = match bytes {
        [0x89, b'P', b'N', b'G', ..] => png(bytes),
        [0xff, 0xd8, 0xff, ..] => jpeg(bytes),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => webp(bytes),
        _ => Err("not a PNG, JPEG or WebP image".into()),
    };
    decoded.map_err(|error: DecodeFault| OcrError::Image { cause: error.to_string() })
}

fn png(bytes: &[u8]) -> Result<DecodedImage, DecodeFault> {
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), png::Limits { bytes: LARGEST });
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info()?;
    let (width, height) = (reader.info().width as usize, reader.info().height as usize);
    bounded(width, height)?;
    let size = reader.output_buffer_size().ok_or("too large")?;
    let mut values = vec![0; size];
    let frame = reader.next_frame(&mut values)?;
    values.truncate(frame.buffer_size());
    let channels = frame.color_type.samples();
    let turn = reader.info().exif_metadata.as_deref().and_then(turn).unwrap_or(1);
    Ok(DecodedImage { width, height, pixels: on_white(values, channels), turn })
}

fn jpeg(bytes: &[u8]) -> Result<DecodedImage, DecodeFault> {
    let options = DecoderOptions::default()
        .set_strict_mode(false)
        .set_max_width(LARGEST_SIDE)
        .set_max_height(LARGEST_SIDE)
        .jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers()?;
    let (width, height) = decoder.dimensions().ok_or("no size")?;
    bounded(width, height)?;
    let pixels = decoder.decode()?;
    let turn = decoder.exif().and_then(|exif| turn(exif)).unwrap_or(1);
    Ok(DecodedImage { width, height, pixels, turn })
}

fn webp(bytes: &[u8]) -> Result<DecodedImage, DecodeFault> {
    let mut decoder = WebPDecoder::new(Cursor::new(bytes))?;
    decoder.set_memory_limit(LARGEST);
    let (width, height) = decoder.dimensions();
    let (width, height) = (width as usize, height as usize);
    bounded(width, height)?;
    let mut values = vec![0; decoder.output_buffer_size().ok_or("too large")?];
    decoder.read_image(&mut values)?;
    let channels = if decoder.has_alpha() { 4 } else { 3 };
    let turn = decoder.exif_metadata()?.as_deref().and_then(turn).unwrap_or(1);
    Ok(DecodedImage { width, height, pixels: on_white(values, channels), turn })
}

/// An error where a picture would take more memory than a page can need.
fn bounded(width: usize, height: usize) -> Result<(), DecodeFault> {
    let fits = width.max(height) <= LARGEST_SIDE && width.saturating_mul(height).saturating_mul(4) <= LARGEST;
    if width == 0 || height == 0 || !fits {
        return Err(format!("{width} × {height} pixels: too large, or nothing").into());
    }
    Ok(())
}

/// Grey, grey with transparency, colours or colours with transparency as colours; screenshots with transparent ground
/// are dark letters on nothing.
fn on_white(values: Vec<u8>, channels: usize) -> Vec<u8> {
    let seen =
        |colour: u8, alpha: u8| ((u16::from(colour) * u16::from(alpha) + 255 * (255 - u16::from(alpha))) / 255) as u8;
    match channels {
        1 => values.into_iter().flat_map(|grey| [grey; 3]).collect(),
        2 => values.chunks_exact(2).flat_map(|pixel| [seen(pixel[0], pixel[1]); 3]).collect(),
        4 => values.chunks_exact(4).flat_map(|p| [seen(p[0], p[3]), seen(p[1], p[3]), seen(p[2], p[3])]).collect(),
        _ => values,
    }
}

/// How the camera was held, by the first table of its notes (TIFF).
fn turn(exif: &[u8]) -> Option<u16> {
    let little = match exif {
        [b'I', b'I', 42, 0, ..] => true,
        [b'M', b'M', 0, 42, ..] => false,
        _ => return None,
    };
    let two = |at: usize| {
        let bytes: [u8; 2] = exif.get(at..at.checked_add(2)?)?.try_into().ok()?;
        Some(if little { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) })
    };
    let four = |at: usize| {
        let bytes: [u8; 4] = exif.get(at..at.checked_add(4)?)?.try_into().ok()?;
        Some(if little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) } as usize)
    };
    let table = four(4)?;
    let mut entries = (0..usize::from(two(table)?)).map(|entry| table + 2 + entry * 12);
    let entry = entries.find(|&entry| two(entry) == Some(TURN))?;
    // A short number, one of them.
    (two(entry + 2)? == 3 && four(entry + 4)? == 1)
        .then(|| two(entry + 8))
        .flatten()
        .filter(|turn| (1..=8).contains(turn))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_png_becomes_colours_on_white() {
        let encode = |kind: png::ColorType, depth: png::BitDepth, values: &[u8]| {
            let mut bytes = Vec::new();
            let mut encoder = png::Encoder::new(&mut bytes, 2, 1);
            encoder.set_color(kind);
            encoder.set_depth(depth);
            if kind == png::ColorType::Indexed {
                encoder.set_palette(vec![1, 2, 3, 40, 50, 60]);
            }
            let mut writer = encoder.write_header().expect("a header");
            writer.write_image_data(values).expect("pixels");
            writer.finish().expect("an end");
            bytes
        };
        use png::{BitDepth as D, ColorType as C};
        for (kind, depth, values, wanted) in [
            (C::Grayscale, D::Eight, &[7, 200][..], [7, 7, 7, 200, 200, 200]),
            (C::Grayscale, D::One, &[0b0100_0000], [0, 0, 0, 255, 255, 255]),
            (C::Grayscale, D::Sixteen, &[7, 0, 200, 0], [7, 7, 7, 200, 200, 200]),
            (C::GrayscaleAlpha, D::Eight, &[7, 255, 7, 0], [7, 7, 7, 255, 255, 255]),
            (C::Rgb, D::Eight, &[1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6]),
            (C::Rgba, D::Eight, &[1, 2, 3, 255, 4, 5, 6, 0], [1, 2, 3, 255, 255, 255]),
            (C::Indexed, D::Eight, &[1, 0], [40, 50, 60, 1, 2, 3]),
        ] {
            let decoded = decode(&encode(kind, depth, values)).expect("a picture");
            assert_eq!((decoded.width, decoded.height, decoded.turn), (2, 1, 1));
            assert_eq!(decoded.pixels, wanted, "{kind:?} {depth:?}");
        }
    }

    #[test]
    fn the_camera_is_asked_in_both_orders_of_bytes() {
        let little = b"II\x2a\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0";
        let big = b"MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x08\0\0";
        assert_eq!((turn(little), turn(big)), (Some(6), Some(8)));
        for cut in 0..little.len() - 2 {
            turn(&little[..cut]);
        }
        assert_eq!(turn(b"II\x2a\0\xff\xff\xff\xff"), None);
    }
}
