//! Why a file, or a part of one, gave no document: values with data, each with a code and a sentence in both languages.

use super::encoding::NotText;
use super::kinds::FileKind;
use super::page_drawer::PageFailure;
use okno_document::message::{AnyOf, Bytes, IoCause, Lang, Reason, Word};
use std::path::PathBuf;

okno_document::messages! {
    /// Why a file, or a part of one, was skipped.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum SkipReason {
        /// The file vanished or may not be read.
        Unreadable { /** The file. */ path: PathBuf, /** Why. */ cause: IoCause } = "unreadable" => (
            "cannot read `{path}`: {cause}; check that it exists and may be read",
            "无法读取 `{path}`：{cause}；请检查它是否存在、是否可读",
        ),
        /// The content is not text.
        NotText(NotText),
        /// No loader reads such files.
        Unsupported { /** What it is. */ kind: FileKind, /** What to save it as. */ advice: SaveAs } = "unsupported" =>
            ("{kind} are not supported{advice}", "不支持{kind}{advice}"),
        /// It is larger than allowed.
        TooLarge { /** Its size. */ size: Bytes, /** The limit. */ limit: Bytes } = "too_large" =>
            ("{size} is more than the limit of {limit}", "{size} 超过上限 {limit}"),
        /// A row of a database is larger than any may be.
        RowTooLarge { /** Its size. */ size: Bytes, /** The limit. */ limit: Bytes } = "row_too_large" => (
            "the row has {size}, more than the limit of {limit} for rows; select fewer or shorter columns with a query",
            "该行有 {size}，超过每行的上限 {limit}；请用查询选取更少或更短的列",
        ),
        /// There is not one byte in it.
        EmptyFile = "empty_file" => ("empty file", "空文件"),
        /// A symbolic link, and links are not followed.
        SymbolicLink = "symbolic_link" => (
            "symbolic link: not followed, so that nothing outside the folder is read",
            "符号链接：不跟随，以免读到文件夹之外",
        ),
        /// A symbolic link to a folder that it is in.
        LinkLoop { /** The folder. */ to: PathBuf } = "link_loop" =>
            ("symbolic link that leads back to `{to}`", "符号链接，指回 `{to}`"),
        /// Not a file and not a folder.
        NotAFile = "not_a_file" =>
            ("a pipe, socket or device: reading it might never end", "管道、套接字或设备：读取可能永不结束"),
        /// A folder or an ignore file that the walk could not use.
        Walk { /** What it says. */ words: String } = "walk_failed" => ("cannot be listed: {words}", "无法列出：{words}"),
        /// The file needs a password.
        Encrypted = "encrypted" =>
            ("password-protected: save a copy without a password", "有密码保护：请另存一份没有密码的"),
        /// The file is encrypted in a way that is not supported.
        UnknownEncryption = "unknown_encryption" =>
            ("the encryption of this PDF is not supported; save a copy without it", "不支持该 PDF 的加密方式；请另存一份未加密的"),
        /// A PDF that is none.
        DamagedPdf = "damaged_pdf" => (
            "damaged PDF: its structure cannot be read; open it and save it again",
            "PDF 已损坏：无法读取其结构；请打开后重新保存",
        ),
        /// Another file that is not what it should be.
        Damaged { /** What of it. */ part: DamagedPart } = "damaged" =>
            ("damaged file: {part}; open it and save it again", "文件已损坏：{part}；请打开后重新保存"),
        /// Reading was given up.
        TooSlow = "too_slow" =>
            ("the PDF takes too long to read; print it into a new one", "读取该 PDF 耗时过长；请重新打印成新的 PDF"),
        /// Pages with nothing on them.
        BlankPages { /** How many. */ pages: usize } = "blank_pages" =>
            ("no text on any page, of {pages}", "{pages} 页上都没有文字"),
        /// Pages that are images, and no OCR to read them.
        NoTextLayer { /** How many. */ pages: usize } = "no_text_layer" => (
            "no text layer: it is scanned (pages: {pages}); OCR is needed to read it",
            "没有文字层：{pages} 页扫描图像；需要文字识别才能读取",
        ),
        /// Pages that are images in formats that are not decoded.
        UndecodedScans {
            /** Such pages. */ scanned: usize,
            /** All pages. */ pages: usize,
            /** The formats. */ formats: Vec<String>,
        } = "undecoded_scans" => (
            "{scanned} of {pages} pages are scans ({formats}) that are not decoded; run OCR over it first, for example \
             OCRmyPDF",
            "{scanned}/{pages} 页是无法解码的扫描图像（{formats}）；请先做文字识别，例如用 OCRmyPDF",
        ),
        /// Pages that are images which can only be read when the page is drawn, and that failed.
        PagesNotDrawn {
            /** Such pages. */ scanned: usize,
            /** All pages. */ pages: usize,
            /** Why the first one was not drawn. */ cause: PageFailure,
        } = "pages_not_drawn" => (
            "{scanned} of {pages} pages are scans that could not be drawn for OCR: {cause}; run OCR over it first, for \
             example OCRmyPDF",
            "{scanned}/{pages} 页是扫描图像，无法绘制出来做文字识别：{cause}；请先做文字识别，例如用 OCRmyPDF",
        ),
        /// Some pages are images, and no OCR to read them; the others were read.
        PagesWithoutText { /** Such pages. */ images: usize, /** All pages. */ pages: usize } = "pages_without_text" =>
            (
            "{images} of {pages} pages are images without text; OCR is needed to read them",
            "{images}/{pages} 页是没有文字的图像；需要文字识别才能读取",
        ),
        /// Some letters cannot be told from the fonts; the others were read.
        LettersNotRead { /** Such letters. */ unknown: usize, /** All letters. */ letters: usize } =
            "letters_not_read" => (
            "{unknown} of {letters} letters were not read: their fonts do not say which letters they draw; run OCR \
             over it \
             first, for example OCRmyPDF",
            "{letters} 个字中有 {unknown} 个未能读取：字体没有说明所画的文字；请先做文字识别，例如用 OCRmyPDF",
        ),
        /// Letters that cannot be told from the fonts.
        UnknownLetters = "unknown_letters" => (
            "its fonts do not say which letters they draw; run OCR over it first, for example OCRmyPDF",
            "字体没有说明所画的文字；请先做文字识别，例如用 OCRmyPDF",
        ),
        /// A small file that is large inside.
        Inflates { /** The limit. */ limit: Bytes } = "inflates" =>
            ("it inflates to more than {limit}; split it", "解压后超过 {limit}；请拆分"),
        /// An archive with more parts than any document has.
        TooManyParts { /** How many. */ parts: usize, /** The limit. */ limit: usize } = "too_many_parts" => (
            "{parts} parts are more than a document has ({limit})",
            "{parts} 个部分，超过一个文档应有的数量（{limit}）",
        ),
        /// A file inside of files inside of files.
        TooDeep { /** The limit. */ limit: usize } = "too_deep" => (
            "inside of more than {limit} other files: archives in archives are not read further",
            "嵌套在超过 {limit} 层文件之内：不再继续读取压缩包中的压缩包",
        ),
        /// A document that gave little text for its size: nobody should take it for read.
        LittleText {
            /** Letters and digits. */ letters: usize,
            /** Its size. */ size: Bytes,
        } = "little_text" => (
            "only {letters} characters were read from {size}: most of it is images or something that is not read",
            "{size} 中只读到 {letters} 个字符：大部分是图片或不读取的内容",
        ),
        /// Pages without text beside some that have it.
        FewPages { /** Pages with text. */ read: usize, /** All pages. */ pages: usize } = "few_pages" => (
            "{read} of {pages} pages have text; the others are empty, or images that only OCR reads",
            "{pages} 页中只有 {read} 页有文字；其余为空白，或是需要文字识别的图片",
        ),
        /// A workbook that is a database.
        TooManyCells { /** The limit. */ limit: usize } = "too_many_cells" =>
            ("more than {limit} cells: save the sheets as CSV files", "超过 {limit} 个单元格：请把工作表另存为 CSV"),
        /// A `.json` file that is none.
        NotJson { /** What is wrong with it. */ words: String } = "not_json" =>
            ("not JSON: {words}; repair it or name it `.txt`", "不是 JSON：{words}；请修复，或改名为 `.txt`"),
        /// A line that is no JSON.
        BadJson { /** Where. */ column: usize } = "bad_json" =>
            ("invalid JSON at column {column}", "第 {column} 列处不是有效的 JSON"),
        /// A line that ends too early.
        CutJson { /** Where. */ column: usize } = "cut_json" =>
            ("the JSON ends too early, at column {column}", "JSON 在第 {column} 列处提前结束"),
        /// A line or an item that is JSON, but no object.
        NotAnObject = "not_an_object" => ("not a JSON object", "不是 JSON 对象"),
        /// An object without a text.
        NoTextField { /** The names that were looked for. */ fields: AnyOf } = "no_text_field" =>
            ("no field {fields}", "没有字段 {fields}"),
        /// An object without an id, where one is needed.
        NoIdField { /** The names that were looked for. */ fields: AnyOf } = "no_id_field" =>
            ("no field {fields} that names the document", "没有可作为文档名称的字段 {fields}"),
        /// An id that is empty or too long.
        BadId { /** Bytes, at most. */ limit: usize } = "bad_id" =>
            ("an id has 1 to {limit} bytes", "文档编号应为 1 至 {limit} 字节"),
        /// An object whose text is none.
        TextNotString { /** The names that were looked for. */ fields: AnyOf } = "text_not_string" =>
            ("the field {fields} is not a string", "字段 {fields} 不是字符串"),
        /// Two documents of one name.
        RepeatedId { /** The name. */ id: String } = "repeated_id" => (
            "the id `{id}` was used by an earlier line; the first one is kept",
            "编号 `{id}` 前面已用过；保留第一个",
        ),
        /// A line without an end.
        LongLine { /** The limit. */ limit: Bytes } = "long_line" =>
            ("the line is longer than {limit}", "该行超过 {limit}"),
        /// Mail without headers.
        NotMail = "not_mail" => ("not a mail: it has no headers", "不是邮件：没有邮件头"),
        /// Subtitles without times.
        NoSubtitles = "no_subtitles" => (
            "no subtitles: expected a line like `00:00:01,000 --> 00:00:02,000` above each",
            "没有字幕：每条字幕上方应有形如 `00:00:01,000 --> 00:00:02,000` 的一行",
        ),
        /// A recording alone.
        NoTranscript { /** Its name without extension. */ stem: String } = "no_transcript" => (
            "recording without a transcript: put `{stem}.srt`, `{stem}.vtt` or `{stem}.txt` beside it",
            "录音没有文字稿：请在旁边放上 `{stem}.srt`、`{stem}.vtt` 或 `{stem}.txt`",
        ),
        /// Bytes that are no image of a known kind.
        NotAnImage = "not_an_image" => ("not a PNG, JPEG or WebP image", "不是 PNG、JPEG 或 WebP 图片"),
        /// An image that is larger than allowed.
        ImageTooLarge { /** The limit. */ limit: Bytes } = "image_too_large" =>
            ("the image is larger than {limit}", "图片超过 {limit}"),
        /// An image that is not a file.
        ImageOnNetwork { /** Its address. */ url: String } = "image_on_network" =>
            ("`{url}` is on the network: only files are read", "`{url}` 在网络上：只读取文件"),
        /// An image inside of an archive, without the feature `office`.
        NoArchives { /** The part of the archive. */ part: String } = "no_archives" => (
            "`{part}` is inside of an archive, which this program was built without",
            "`{part}` 在压缩包里，而本程序编译时没有包含对它的支持",
        ),
        /// A value that is larger than it may be: the number of values of a JSON file.
        TooManyValues { /** The limit. */ limit: Bytes } = "too_many_values" => (
            "its values would take more than {limit} of memory; save it as JSONL, one object per line",
            "其中的值会占用超过 {limit} 内存；请另存为 JSONL，每行一个对象",
        ),
        /// The loader panicked.
        InternalError { /** Where. */ place: String } = "internal_error" => (
            "Okno failed while reading this file (internal error at {place}); please report it with the file",
            "Okno 读取该文件时出错（内部错误，位于 {place}）；请报告此问题并附上文件",
        ),
        /// The loader panicked on some of the pages, sheets or chapters; the others were read.
        PartsFailed {
            /** How many. */ count: usize,
            /** The first of them. */ parts: Vec<String>,
            /** Where the first one failed. */ place: String,
        } = "parts_failed" => (
            "{count} parts of this file were not read ({parts}), the others were: internal error at {place}; please \
             report it with the file",
            "该文件有 {count} 个部分未能读取（{parts}），其余已读取：内部错误，位于 {place}；请报告此问题并附上文件",
        ),
        /// A loader's own reason.
        Custom(Reason),
    }
}

okno_document::messages! {
    /// What of a file is damaged.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum DamagedPart {
        /// The archive itself.
        Archive { /** What its reader says. */ words: String } = "archive" =>
            ("not a whole archive ({words})", "压缩包不完整（{words}）"),
        /// One part of the archive.
        Part { /** Its name. */ name: String, /** What its reader says. */ words: String } = "part" =>
            ("`{name}` cannot be read ({words})", "无法读取 `{name}`（{words}）"),
        /// The part that names the book.
        NoBook = "no_book" =>
            ("`META-INF/container.xml` names no book", "`META-INF/container.xml` 没有指明书籍"),
        /// A workbook that is none.
        Workbook { /** What its reader says. */ words: String } = "workbook" => ("{words}", "{words}"),
    }
}

/// The end of a message about a file that is not supported: what to save it as, where that helps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SaveAs(pub Option<&'static str>);

impl Word for SaveAs {
    fn word(&self, lang: Lang) -> String {
        match (self.0, lang) {
            (None, _) => String::new(),
            (Some(extension), Lang::En) => format!("; save it as {extension}"),
            (Some(extension), Lang::Zh) => format!("；请另存为 {extension}"),
        }
    }
}

impl SkipReason {
    /// Whether it is said beside a document that was read, and only in part.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        match self {
            Self::LittleText { .. }
            | Self::FewPages { .. }
            | Self::PartsFailed { .. }
            | Self::PagesWithoutText { .. }
            | Self::LettersNotRead { .. } => true,
            Self::UndecodedScans { scanned, pages, .. } | Self::PagesNotDrawn { scanned, pages, .. } => scanned < pages,
            _ => false,
        }
    }

    /// No loader reads such files.
    pub(super) fn unsupported(kind: FileKind) -> Self {
        Self::Unsupported { kind, advice: SaveAs(kind.save_as()) }
    }

    /// A line that is not the JSON it should be.
    pub(super) fn malformed(error: &serde_json::Error) -> Self {
        use serde_json::error::Category;
        // The place inside the line is the column; the line number of a single line would only confuse.
        let column = error.column();
        match error.classify() {
            Category::Data => Self::NotAnObject,
            Category::Eof => Self::CutJson { column },
            Category::Syntax | Category::Io => Self::BadJson { column },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use okno_document::message::Message;

    #[test]
    fn both_languages_name_the_kind_and_what_to_do() {
        let rtf = SkipReason::unsupported(FileKind::Rtf);
        assert_eq!(rtf.to_string(), "RTF files are not supported; save it as .docx");
        assert_eq!(rtf.text(Lang::Zh), "不支持 RTF 文件；请另存为 .docx");
        assert_eq!(SkipReason::unsupported(FileKind::Zip).to_string(), "ZIP archives are not supported");
        assert_eq!(rtf.code(), "unsupported");
    }
}
