//! Streams that would fill the memory are found before anything is read: the library below inflates whatever it is
//! given.
//!
//! A stream says which filters it was packed with. Deflate makes at most a thousandfold of its input, LZW three times
//! as much, so only long streams can be too large, and they are inflated once, into nothing. Two compressions on top
//! of each other serve no honest purpose and can hide any size. What a file keeps open while it is read – tables of
//! objects, fonts – is counted together.
//!
//! Streams of encrypted files are not looked at: what is in them is known only to the library.

use std::borrow::Cow;
use std::io::Read;

use memchr::memmem;

/// Chosen: far more than a page, font or table should inflate to, and still little enough to hold.
pub(super) const LARGEST: u64 = 256 << 20;
/// All of a file's long streams together, so that looking at them comes to an end.
const ALL: u64 = 16 * LARGEST;
/// How far before its data the description of a stream is looked for.
const DESCRIPTION: usize = 4096;
/// Columns of a table or image that a stream names; a row is made before the first byte is read.
const MOST_COLUMNS: u64 = 10_000_000;

/// Whether a part of the file inflates to more than is good.
pub(super) fn is_bomb(bytes: &[u8]) -> bool {
    if is_too_wide(bytes) {
        return true;
    }
    let mut ends = memmem::find_iter(bytes, b"endstream").peekable();
    let (mut kept, mut kept_packed, mut left, mut before) = (Vec::new(), 0, ALL, 0);
    for at in memmem::find_iter(bytes, b"stream") {
        // A stream is described behind the one before it.
        let from = std::mem::replace(&mut before, at + b"stream".len());
        if bytes[..at].ends_with(b"end") {
            continue;
        }
        while ends.next_if(|end| *end < at).is_some() {}
        let stream = PackedStream::at(bytes, from, at, ends.peek().copied().unwrap_or(bytes.len()));
        if stream.filters.iter().filter(|filter| filter.compresses()).count() > 1 {
            return true;
        }
        if stream.is_kept {
            kept_packed += stream.data.len();
            kept.push(stream);
        } else if stream.data.len() as u64 >= LARGEST / stream.ratio() {
            let inflated = stream.inflated(LARGEST);
            left = left.saturating_sub(inflated);
            if inflated > LARGEST || left == 0 {
                return true;
            }
        }
    }
    // Most files have so few of these that they need not be inflated to know.
    let ratio = kept.iter().map(PackedStream::ratio).max().unwrap_or(1);
    let mut total = 0;
    kept_packed as u64 >= LARGEST / ratio
        && kept.iter().any(|stream| {
            total += stream.inflated(LARGEST - total);
            total > LARGEST
        })
}

fn is_too_wide(bytes: &[u8]) -> bool {
    memmem::find_iter(bytes, b"/Columns").any(|at| {
        let digits = bytes[at + b"/Columns".len()..].trim_ascii_start();
        let digits = &digits[..digits.iter().take_while(|byte| byte.is_ascii_digit()).count().min(20)];
        // More digits than fit are too many columns.
        digits.iter().fold(0u64, |sum, digit| sum.saturating_mul(10).saturating_add(u64::from(digit - b'0')))
            > MOST_COLUMNS
    })
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum StreamFilter {
    Flate,
    Lzw,
    Runs,
    Hex,
    Ascii85,
}

impl StreamFilter {
    fn of(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"FlateDecode" | b"Fl" => Self::Flate,
            b"LZWDecode" | b"LZW" => Self::Lzw,
            b"RunLengthDecode" | b"RL" => Self::Runs,
            b"ASCIIHexDecode" | b"AHx" => Self::Hex,
            b"ASCII85Decode" | b"A85" => Self::Ascii85,
            _ => return None,
        })
    }

    fn compresses(self) -> bool {
        matches!(self, Self::Flate | Self::Lzw | Self::Runs)
    }
}

/// A stream as it stands in the file.
struct PackedStream<'f> {
    filters: Vec<StreamFilter>,
    data: &'f [u8],
    /// It is held inflated for as long as the file is open.
    is_kept: bool,
}

impl<'f> PackedStream<'f> {
    /// The stream whose data are between the word `stream` at a place and the word `endstream` at its end; what
    /// describes it stands between `from` and there.
    fn at(bytes: &'f [u8], from: usize, at: usize, end: usize) -> Self {
        let before = &bytes[from.max(at.saturating_sub(DESCRIPTION))..at];
        let description = memmem::rfind(before, b"obj").map_or(before, |start| &before[start..]);
        let data = bytes.get(at + b"stream".len()..end).unwrap_or_default();
        let data = data.strip_prefix(b"\r").unwrap_or(data);
        let data = data.strip_prefix(b"\n").unwrap_or(data);
        let kept: [&[u8]; 6] = [b"/ObjStm", b"/XRef", b"/Length1", b"Type1C", b"CIDFontType0C", b"/OpenType"];
        Self {
            filters: filters(description),
            data,
            is_kept: kept.iter().any(|name| memmem::find(description, name).is_some()),
        }
    }

    /// How many bytes one byte of it may become.
    fn ratio(&self) -> u64 {
        match self.filters.iter().find(|filter| filter.compresses()) {
            Some(StreamFilter::Lzw) => 2600,
            Some(StreamFilter::Runs) => 64,
            _ => 1032,
        }
    }

    /// How much it inflates to; a little more than `most` at most.
    fn inflated(&self, most: u64) -> u64 {
        let mut data = Cow::Borrowed(self.data);
        for filter in &self.filters {
            data = match filter {
                StreamFilter::Hex => hexadecimal(&data).into(),
                StreamFilter::Ascii85 => ascii85(&data).into(),
                StreamFilter::Flate => return flate(&data, most),
                StreamFilter::Lzw => return lzw(&data, most),
                StreamFilter::Runs => return runs(&data, most),
            };
        }
        // Packed without saying so here: the name of the filter may stand elsewhere.
        let zlib = matches!(*data, [first, second, ..]
            if first & 0x0f == 8 && (u16::from(first) << 8 | u16::from(second)).is_multiple_of(31));
        if zlib { flate(&data, most) } else { data.len() as u64 }
    }
}

/// The filters that a description names, in their order.
fn filters(description: &[u8]) -> Vec<StreamFilter> {
    let value = |key: &[u8]| {
        memmem::find_iter(description, key).find_map(|at| {
            let rest = description[at + key.len()..].trim_ascii_start();
            match rest.first()? {
                b'/' => Some(&rest[..=rest[1..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count()]),
                b'[' => Some(&rest[..rest.iter().position(|byte| *byte == b']').unwrap_or(rest.len())]),
                _ => None,
            }
        })
    };
    let Some(names) = value(b"/Filter").or_else(|| value(b"/F")) else { return Vec::new() };
    let name = |rest: &[u8]| {
        let end = rest.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(rest.len());
        StreamFilter::of(&rest[..end])
    };
    names.split(|byte| *byte == b'/').skip(1).filter_map(name).collect()
}

fn hexadecimal(data: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> =
        data.iter().filter_map(|byte| char::from(*byte).to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).unwrap_or(&0)).collect()
}

fn ascii85(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len());
    let (mut group, mut count) = (0u32, 0);
    for byte in data {
        match byte {
            b'z' if count == 0 => out.extend([0; 4]),
            b'!'..=b'u' => {
                group = group.wrapping_mul(85).wrapping_add(u32::from(byte - b'!'));
                count += 1;
                if count == 5 {
                    out.extend(group.to_be_bytes());
                    (group, count) = (0, 0);
                }
            }
            b'~' => break,
            _ => {}
        }
    }
    out
}

fn flate(data: &[u8], most: u64) -> u64 {
    // What is damaged inside inflates as far as it goes.
    let mut counted = ByteCounter(0);
    let _ = std::io::copy(&mut flate2::read::ZlibDecoder::new(data).take(most + 1), &mut counted);
    counted.0
}

/// How long what LZW packed is: the lengths of its words are enough to know.
fn lzw(data: &[u8], most: u64) -> u64 {
    let (mut total, mut bits, mut held, mut width) = (0u64, 0u32, 0u32, 9);
    let mut lengths: Vec<u64> = vec![1; 258];
    let mut before: Option<u64> = None;
    for byte in data {
        held = held << 8 | u32::from(*byte);
        bits += 8;
        if bits < width {
            continue;
        }
        bits -= width;
        let code = (held >> bits & ((1 << width) - 1)) as usize;
        match code {
            256 => {
                lengths.truncate(258);
                before = None;
            }
            257 => break,
            _ => {
                let length = lengths.get(code).copied().unwrap_or_else(|| before.unwrap_or(0) + 1);
                total += length;
                if let Some(before) = before.filter(|_| lengths.len() < 4096) {
                    lengths.push(before + 1);
                }
                before = Some(length);
            }
        }
        width = match lengths.len() {
            0..511 => 9,
            511..1023 => 10,
            1023..2047 => 11,
            _ => 12,
        };
        if total > most {
            break;
        }
    }
    total
}

fn runs(data: &[u8], most: u64) -> u64 {
    let (mut total, mut at) = (0, 0);
    while let Some(length) = data.get(at).copied().filter(|_| total <= most) {
        match length {
            0..=127 => {
                total += u64::from(length) + 1;
                at += usize::from(length) + 2;
            }
            128 => break,
            _ => {
                total += 257 - u64::from(length);
                at += 2;
            }
        }
    }
    total
}

/// Takes bytes and only counts them.
struct ByteCounter(u64);

impl std::io::Write for ByteCounter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(description: &str, data: &[u8]) -> Vec<u8> {
        let mut file = format!("%PDF-1.4\n1 0 obj <<{description}>> stream\n").into_bytes();
        file.extend(data);
        file.extend(b"\nendstream endobj");
        file
    }

    fn zeros(length: u64) -> Vec<u8> {
        let mut packed = Vec::new();
        let zeros = std::io::repeat(b' ').take(length);
        flate2::read::ZlibEncoder::new(zeros, flate2::Compression::fast()).read_to_end(&mut packed).unwrap();
        packed
    }

    #[test]
    fn bombs_are_known_before_they_go_off() {
        let packed = zeros(LARGEST + 1);
        assert!(is_bomb(&file("/Filter /FlateDecode", &packed)));
        assert!(is_bomb(&file("/Filter 2 0 R", &packed)));
        let hex: String = packed.iter().map(|byte| format!("{byte:02x}")).collect();
        assert!(is_bomb(&file("/Filter [/ASCIIHexDecode /FlateDecode]", hex.as_bytes())));
        assert!(is_bomb(&file("/Filter [/FlateDecode /FlateDecode]", b"")));
        assert!(is_bomb(&file("/Filter [/FlateDecode/RunLengthDecode]", b"")));
        assert!(is_bomb(&file("/Filter /FlateDecode /DecodeParms <</Predictor 12 /Columns 4000000000>>", b"x")));
        assert!(!is_bomb(&file("/Filter [/ASCII85Decode /FlateDecode]", b"x")));
        assert!(!is_bomb(&file("/Filter [/FlateDecode /DCTDecode]", &zeros(1 << 20))));
        let tables = file("/Type /ObjStm /Filter /FlateDecode", &zeros(LARGEST / 4)).repeat(5);
        assert!(is_bomb(&tables));
        assert!(!is_bomb(&tables[..tables.len() / 5]));
    }

    #[test]
    fn other_filters_are_counted() {
        assert_eq!(runs(&[4, 1, 2, 3, 4, 5, 253, 3, 128, 9], 100), 9);
        // The example of the standard: ten bytes, some of them in words of two and three.
        assert_eq!(lzw(&[0x80, 0x0b, 0x60, 0x50, 0x22, 0x0c, 0x0c, 0x85, 0x01], 100), 10);
        assert_eq!(ascii85(b"87cURD]j7BEbo80~>"), b"Hello world!");
    }
}
