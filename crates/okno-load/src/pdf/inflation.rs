//! Streams that would fill the memory are found before anything is read: the library below inflates whatever it is given.
//!
//! Deflate makes at most a thousandfold of its input, so only long streams can be too large, and they are inflated once, into nothing. Two
//! compressions on top of each other serve no honest purpose and can hide any size.

use std::io::Read;

use memchr::memmem;

/// Chosen: far more than a page, font or table should inflate to, and still little enough to hold.
pub(super) const LARGEST: u64 = 256 << 20;
/// A stream shorter than this cannot inflate to more than [`LARGEST`].
const SHORT: usize = (LARGEST / 1032) as usize;

/// Whether a part of the file inflates to more than is good.
pub(super) fn is_bomb(bytes: &[u8]) -> bool {
    is_twice_packed(bytes) || memmem::find_iter(bytes, b"stream").any(|at| is_too_large(&bytes[at + b"stream".len()..]))
}

fn is_twice_packed(bytes: &[u8]) -> bool {
    let packed =
        |rest: &[u8]| [&b"/FlateDecode"[..], b"/LZWDecode", b"/Fl ", b"/Fl]"].iter().any(|name| rest.starts_with(name));
    let mut names = memmem::find_iter(bytes, b"/FlateDecode").map(|at| at + b"/FlateDecode".len());
    names.any(|end| packed(bytes[end..].trim_ascii_start()))
}

fn is_too_large(rest: &[u8]) -> bool {
    let data = rest.strip_prefix(b"\r\n").or_else(|| rest.strip_prefix(b"\n")).unwrap_or_default();
    // The first byte of every zlib stream that PDF writers make.
    if data.len() < SHORT || data[0] != 0x78 || memmem::find(&data[..SHORT], b"endstream").is_some() {
        return false;
    }
    let inflated = flate2::read::ZlibDecoder::new(data).take(LARGEST + 1);
    // What is damaged inside inflates as far as it goes.
    let mut counted = Counted(0);
    let _ = std::io::copy(&mut { inflated }, &mut counted);
    counted.0 > LARGEST
}

/// Takes bytes and only counts them.
struct Counted(u64);

impl std::io::Write for Counted {
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

    #[test]
    fn bombs_are_known_before_they_go_off() {
        let mut packed =
            flate2::read::ZlibEncoder::new(std::io::repeat(b' ').take(LARGEST + 1), flate2::Compression::fast());
        let mut file = b"%PDF-1.4\n1 0 obj <</Filter /FlateDecode>> stream\n".to_vec();
        packed.read_to_end(&mut file).unwrap();
        assert!(is_bomb(&file));
        assert!(is_bomb(b"<</Filter [/FlateDecode /FlateDecode]>>"));
        assert!(!is_bomb(b"<</Filter [/ASCII85Decode /FlateDecode]>> stream\nx\nendstream"));
    }
}
