//! Words inside reasons: kinds of files, what the system says, in the language of the run.
//!
//! A reason is a sentence of ours with something in it that is not: the name of a format, an error of the operating system, an error of
//! a parser. What is listed here is said in Chinese; a parser's own words stay as they are.

/// What stands inside sentences, English and Chinese.
const WORDS: &[(&str, &str)] = &[
    ("PNG image", "PNG 图片"),
    ("JPEG image", "JPEG 图片"),
    ("GIF image", "GIF 图片"),
    ("TIFF image", "TIFF 图片"),
    ("BMP image", "BMP 图片"),
    ("WebP image", "WebP 图片"),
    ("old Office document", "旧版 Office 文档"),
    ("RTF document", "RTF 文档"),
    ("Word document", "Word 文档"),
    ("PowerPoint presentation", "PowerPoint 演示文稿"),
    ("Excel workbook", "Excel 工作簿"),
    ("EPUB book", "EPUB 电子书"),
    ("OpenDocument text", "OpenDocument 文本"),
    ("gzip archive", "gzip 压缩包"),
    ("bzip2 archive", "bzip2 压缩包"),
    ("xz archive", "xz 压缩包"),
    ("zstd archive", "zstd 压缩包"),
    ("7-Zip archive", "7-Zip 压缩包"),
    ("RAR archive", "RAR 压缩包"),
    ("ZIP archive", "ZIP 压缩包"),
    ("SQLite database", "SQLite 数据库"),
    ("Parquet table", "Parquet 表格"),
    ("program", "程序"),
    ("WebAssembly module", "WebAssembly 模块"),
    ("Ogg audio", "Ogg 音频"),
    ("FLAC audio", "FLAC 音频"),
    ("MP3 audio", "MP3 音频"),
    ("Matroska video", "Matroska 视频"),
    ("WAV or AVI recording", "WAV 或 AVI 录制文件"),
    ("MP4 or HEIC recording", "MP4 或 HEIC 文件"),
    ("font", "字体"),
    ("unknown kind of file", "未知类型的文件"),
    ("a part of it is damaged", "其中一部分已损坏"),
];

/// What the system says, by its number: its own words depend on its own language.
const SYSTEM: &[(&str, &str)] = &[
    ("(os error 1)", "不允许该操作"),
    ("(os error 2)", "没有这个文件或文件夹"),
    ("(os error 5)", "读写设备出错"),
    ("(os error 13)", "没有权限"),
    ("(os error 17)", "已存在"),
    ("(os error 20)", "不是文件夹"),
    ("(os error 21)", "是文件夹"),
    ("(os error 24)", "打开的文件太多"),
    ("(os error 28)", "磁盘已满"),
    ("(os error 30)", "磁盘是只读的"),
    ("(os error 36)", "名称太长"),
    ("(os error 40)", "符号链接层数太多"),
];

/// A word in Chinese, where it is known. Numbers of errors are those of Linux and macOS.
pub fn chinese(word: &str) -> String {
    let known = WORDS.iter().find(|(english, _)| *english == word).map(|(_, chinese)| (*chinese).to_owned());
    let system = || {
        let (number, chinese) = SYSTEM.iter().find(|(number, _)| cfg!(unix) && word.ends_with(number))?;
        Some(format!("{chinese} {number}"))
    };
    known.or_else(system).unwrap_or_else(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_the_systems_words() {
        assert_eq!(chinese("Word document"), "Word 文档");
        #[cfg(unix)]
        assert_eq!(chinese("No such file or directory (os error 2)"), "没有这个文件或文件夹 (os error 2)");
        assert_eq!(chinese("expected value at column 1"), "expected value at column 1");
    }
}
