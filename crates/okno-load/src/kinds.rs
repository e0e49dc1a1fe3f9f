//! Names for files that are not text, by their first bytes, so that a skipped file is named for what it is.

use super::has_extension;
use okno_document::message::{Lang, Word};
use std::path::Path;

/// What a file is, by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs)] // the names say it
pub enum FileKind {
    Pdf,
    Png,
    Jpeg,
    Gif,
    Tiff,
    Bmp,
    WebP,
    OldWord,
    OldPowerPoint,
    OldOffice,
    Rtf,
    Word,
    PowerPoint,
    Excel,
    Epub,
    OpenDocument,
    Gzip,
    Bzip2,
    Xz,
    Zstd,
    SevenZip,
    Rar,
    Zip,
    Sqlite,
    Parquet,
    Program,
    WebAssembly,
    Ogg,
    Flac,
    Mp3,
    Matroska,
    WavOrAvi,
    Mp4OrHeic,
    Font,
    Unknown,
}

impl FileKind {
    /// Its name in English and Chinese, as in "ZIP archives are not supported". A Chinese name that begins with a
    /// Latin letter has a space before it.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Pdf => ("PDF files", " PDF 文件"),
            Self::Png => ("PNG images", " PNG 图片"),
            Self::Jpeg => ("JPEG images", " JPEG 图片"),
            Self::Gif => ("GIF images", " GIF 图片"),
            Self::Tiff => ("TIFF images", " TIFF 图片"),
            Self::Bmp => ("BMP images", " BMP 图片"),
            Self::WebP => ("WebP images", " WebP 图片"),
            Self::OldWord => ("old Word documents", "旧版 Word 文档"),
            Self::OldPowerPoint => ("old PowerPoint presentations", "旧版 PowerPoint 演示文稿"),
            Self::OldOffice => ("old Office documents", "旧版 Office 文档"),
            Self::Rtf => ("RTF files", " RTF 文件"),
            Self::Word => ("Word documents", " Word 文档"),
            Self::PowerPoint => ("PowerPoint presentations", " PowerPoint 演示文稿"),
            Self::Excel => ("Excel workbooks", " Excel 工作簿"),
            Self::Epub => ("EPUB books", " EPUB 电子书"),
            Self::OpenDocument => ("OpenDocument texts", " OpenDocument 文本"),
            Self::Gzip => ("gzip archives", " gzip 压缩包"),
            Self::Bzip2 => ("bzip2 archives", " bzip2 压缩包"),
            Self::Xz => ("xz archives", " xz 压缩包"),
            Self::Zstd => ("zstd archives", " zstd 压缩包"),
            Self::SevenZip => ("7-Zip archives", " 7-Zip 压缩包"),
            Self::Rar => ("RAR archives", " RAR 压缩包"),
            Self::Zip => ("ZIP archives", " ZIP 压缩包"),
            Self::Sqlite => ("SQLite databases", " SQLite 数据库"),
            Self::Parquet => ("Parquet tables", " Parquet 表格"),
            Self::Program => ("programs", "程序"),
            Self::WebAssembly => ("WebAssembly modules", " WebAssembly 模块"),
            Self::Ogg => ("Ogg recordings", " Ogg 音频"),
            Self::Flac => ("FLAC recordings", " FLAC 音频"),
            Self::Mp3 => ("MP3 recordings", " MP3 音频"),
            Self::Matroska => ("Matroska videos", " Matroska 视频"),
            Self::WavOrAvi => ("WAV or AVI recordings", " WAV 或 AVI 录制文件"),
            Self::Mp4OrHeic => ("MP4 or HEIC files", " MP4 或 HEIC 文件"),
            Self::Font => ("fonts", "字体"),
            Self::Unknown => ("files of this kind", "这种文件"),
        }
    }

    /// The format to save it as, for kinds that the same program saves in a supported one.
    pub(super) fn save_as(self) -> Option<&'static str> {
        match self {
            Self::Rtf | Self::OldWord => Some(".docx"),
            Self::OldPowerPoint => Some(".pptx"),
            _ => None,
        }
    }
}

impl Word for FileKind {
    fn word(&self, lang: Lang) -> String {
        let (english, chinese) = self.names();
        match lang {
            Lang::En => english.to_owned(),
            Lang::Zh => chinese.to_owned(),
        }
    }
}

/// First bytes and what they mean. Only what people keep beside their documents.
const MAGIC: [(&[u8], FileKind); 25] = [
    (b"%PDF-", FileKind::Pdf),
    (b"\x89PNG\r\n", FileKind::Png),
    (b"\xff\xd8\xff", FileKind::Jpeg),
    (b"GIF8", FileKind::Gif),
    (b"II*\0", FileKind::Tiff),
    (b"MM\0*", FileKind::Tiff),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", FileKind::OldOffice),
    (b"{\\rtf", FileKind::Rtf),
    (b"\x1f\x8b", FileKind::Gzip),
    (b"BZh", FileKind::Bzip2),
    (b"\xfd7zXZ\0", FileKind::Xz),
    (b"\x28\xb5\x2f\xfd", FileKind::Zstd),
    (b"7z\xbc\xaf\x27\x1c", FileKind::SevenZip),
    (b"Rar!\x1a\x07", FileKind::Rar),
    (b"SQLite format 3\0", FileKind::Sqlite),
    (b"PAR1", FileKind::Parquet),
    (b"\x7fELF", FileKind::Program),
    (b"MZ", FileKind::Program),
    (b"\0asm", FileKind::WebAssembly),
    (b"OggS", FileKind::Ogg),
    (b"fLaC", FileKind::Flac),
    (b"ID3", FileKind::Mp3),
    (b"\x1aE\xdf\xa3", FileKind::Matroska),
    (b"wOFF", FileKind::Font),
    (b"wOF2", FileKind::Font),
];

/// What a file is, if it is a known kind that no loader reads yet.
pub(super) fn unread_kind(path: &Path, head: &[u8]) -> Option<FileKind> {
    let inside = |at: usize, magic: &[u8]| head.get(at..at + magic.len()) == Some(magic);
    if inside(0, b"PK\x03\x04") || inside(0, b"PK\x05\x06") {
        return Some(zip_kind(path));
    }
    match () {
        () if inside(0, b"RIFF") && inside(8, b"WEBP") => return Some(FileKind::WebP),
        () if inside(0, b"RIFF") => return Some(FileKind::WavOrAvi),
        () if inside(4, b"ftyp") => return Some(FileKind::Mp4OrHeic),
        // Two letters are also the start of a word: a bitmap has four zero bytes at offset 6.
        () if inside(0, b"BM") && inside(6, &[0; 4]) => return Some(FileKind::Bmp),
        () => {}
    }
    // Short magic words could start a text; binary files show a control byte soon.
    let binary = head.iter().any(|b| *b < 9);
    MAGIC
        .iter()
        .find(|(magic, _)| head.starts_with(magic) && (binary || magic.len() > 4 || magic[0] >= 0x7f))
        .map(|(_, kind)| *kind)
}

fn zip_kind(path: &Path) -> FileKind {
    let kinds = [
        ("docx", FileKind::Word),
        ("pptx", FileKind::PowerPoint),
        ("xlsx", FileKind::Excel),
        ("epub", FileKind::Epub),
        ("odt", FileKind::OpenDocument),
    ];
    kinds.into_iter().find(|(extension, _)| has_extension(path, &[extension])).map_or(FileKind::Zip, |(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_by_first_bytes() {
        let kind = |name: &str, head: &[u8]| unread_kind(Path::new(name), head);
        assert_eq!(kind("a.txt", b"%PDF-1.4\n"), Some(FileKind::Pdf));
        assert_eq!(kind("a.docx", b"PK\x03\x04\x14\0"), Some(FileKind::Word));
        assert_eq!(kind("a", b"PK\x03\x04\x14\0"), Some(FileKind::Zip));
        assert_eq!(kind("a", b"MZ\x90\0\x03"), Some(FileKind::Program));
        assert_eq!(kind("a.txt", b"MZ is a name."), None);
        assert_eq!(kind("a.md", b"# PDF"), None);
    }
}
