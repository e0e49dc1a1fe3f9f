//! Names for files that are not text, by their first bytes, so that a skipped file is named for what it is.

use super::has_extension;
use std::path::Path;

/// First bytes and what they mean. Only what people keep beside their documents.
const MAGIC: [(&[u8], &str); 25] = [
    (b"%PDF-", "PDF"),
    (b"\x89PNG\r\n", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"GIF8", "GIF image"),
    (b"II*\0", "TIFF image"),
    (b"MM\0*", "TIFF image"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old Office document"),
    (b"{\\rtf", "RTF document"),
    (b"\x1f\x8b", "gzip archive"),
    (b"BZh", "bzip2 archive"),
    (b"\xfd7zXZ\0", "xz archive"),
    (b"\x28\xb5\x2f\xfd", "zstd archive"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip archive"),
    (b"Rar!\x1a\x07", "RAR archive"),
    (b"SQLite format 3\0", "SQLite database"),
    (b"PAR1", "Parquet table"),
    (b"\x7fELF", "program"),
    (b"MZ", "program"),
    (b"\0asm", "WebAssembly module"),
    (b"OggS", "Ogg audio"),
    (b"fLaC", "FLAC audio"),
    (b"ID3", "MP3 audio"),
    (b"\x1aE\xdf\xa3", "Matroska video"),
    (b"wOFF", "font"),
    (b"wOF2", "font"),
];

/// What a file is, if it is a known kind that no loader reads yet.
pub(super) fn unread_kind(path: &Path, head: &[u8]) -> Option<&'static str> {
    let inside = |at: usize, magic: &[u8]| head.get(at..at + magic.len()) == Some(magic);
    if inside(0, b"PK\x03\x04") || inside(0, b"PK\x05\x06") {
        return Some(zip_kind(path));
    }
    match () {
        () if inside(0, b"RIFF") && inside(8, b"WEBP") => return Some("WebP image"),
        () if inside(0, b"RIFF") => return Some("WAV or AVI recording"),
        () if inside(4, b"ftyp") => return Some("MP4 or HEIC recording"),
        // Two letters are also the start of a word: a bitmap has four zero bytes at offset 6.
        () if inside(0, b"BM") && inside(6, &[0; 4]) => return Some("BMP image"),
        () => {}
    }
    // Short magic words could start a text; binary files show a control byte soon.
    let binary = head.iter().any(|b| *b < 9);
    MAGIC
        .iter()
        .find(|(magic, _)| head.starts_with(magic) && (binary || magic.len() > 4 || magic[0] >= 0x7f))
        .map(|(_, kind)| *kind)
}

fn zip_kind(path: &Path) -> &'static str {
    let kinds = [
        ("docx", "Word document"),
        ("pptx", "PowerPoint presentation"),
        ("xlsx", "Excel workbook"),
        ("epub", "EPUB book"),
        ("odt", "OpenDocument text"),
    ];
    kinds.into_iter().find(|(extension, _)| has_extension(path, &[extension])).map_or("ZIP archive", |(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_by_first_bytes() {
        let kind = |name: &str, head: &[u8]| unread_kind(Path::new(name), head);
        assert_eq!(kind("a.txt", b"%PDF-1.4\n"), Some("PDF"));
        assert_eq!(kind("a.docx", b"PK\x03\x04\x14\0"), Some("Word document"));
        assert_eq!(kind("a", b"PK\x03\x04\x14\0"), Some("ZIP archive"));
        assert_eq!(kind("a", b"MZ\x90\0\x03"), Some("program"));
        assert_eq!(kind("a.txt", b"MZ is a name."), None);
        assert_eq!(kind("a.md", b"# PDF"), None);
    }
}
