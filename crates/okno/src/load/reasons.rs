//! Why a file was skipped, in Chinese. Loaders give one English sentence; here is the Chinese one for each, for whoever shows it.

/// English and Chinese; `{}` stands for what differs. What is not listed stays English.
const REASONS: [(&str, &str); 36] = [
    ("no text", "没有文字"),
    ("empty file", "空文件"),
    ("looks binary (it holds NUL or control bytes)", "像是二进制文件(含有 NUL 或控制字符)"),
    ("looks binary or unknown encoding; save it as UTF-8", "像是二进制文件或未知编码;请另存为 UTF-8"),
    ("{}: not read yet", "{}:暂不支持"),
    ("{} MiB is more than `--max-file-size` ({} MiB)", "{} MiB 超过 `--max-file-size`({} MiB)"),
    ("cannot read `{}`: {}; check that it exists and may be read", "无法读取 `{}`:{};请检查它是否存在、是否可读"),
    ("cannot be read: {}", "无法读取:{}"),
    ("symbolic link: not followed, so that nothing outside the folder is read", "符号链接:不跟随,以免读到文件夹之外"),
    ("symbolic link that leads back to `{}`", "符号链接,指回 `{}`"),
    (
        "damaged PDF: its structure cannot be read; open it and save it again",
        "PDF 已损坏:无法读取其结构;请打开后重新保存",
    ),
    ("password-protected PDF: save a copy without a password", "PDF 有密码保护:请另存一份没有密码的"),
    ("PDF with an encryption that cannot be read", "PDF 的加密方式无法读取"),
    ("the PDF takes too long to read; print it into a new one", "读取该 PDF 耗时过长;请重新打印成新的 PDF"),
    ("no text on {} pages", "{} 页上都没有文字"),
    (
        "no text layer: {} scanned pages; add the OCR models (`okno models add rapidocr`), or run `ocrmypdf` over it",
        "没有文字层:{} 页扫描图像;请添加文字识别模型(`okno models add rapidocr`),或先用 `ocrmypdf` 处理",
    ),
    (
        "its fonts do not say which letters they draw; run OCR over it first (`ocrmypdf --force-ocr`)",
        "字体没有说明所画的文字;请先做文字识别(`ocrmypdf --force-ocr`)",
    ),
    ("damaged file: {}; open it and save it again", "文件已损坏:{};请打开后重新保存"),
    ("password-protected: save a copy without a password", "有密码保护:请另存一份没有密码的"),
    ("old Word document: save it as `.docx`", "旧版 Word 文档:请另存为 `.docx`"),
    ("old PowerPoint presentation: save it as `.pptx`", "旧版 PowerPoint 演示文稿:请另存为 `.pptx`"),
    ("it inflates to more than {} MiB; split it", "解压后超过 {} MiB;请拆分"),
    ("{} parts are more than a document has ({})", "{} 个部分,超过一个文档应有的数量({})"),
    ("more than {} cells: save the sheets as CSV files", "超过 {} 个单元格:请把工作表另存为 CSV"),
    ("not JSON: {}; repair it or name it `.txt`", "不是 JSON:{};请修复,或改名为 `.txt`"),
    ("not a JSON object: {}", "不是 JSON 对象:{}"),
    ("not a JSON object", "不是 JSON 对象"),
    ("no field `{}`; name it with `--jsonl-fields text=…`", "没有字段 `{}`;请用 `--jsonl-fields text=…` 指定"),
    ("the field `{}` is not a string", "字段 `{}` 不是字符串"),
    ("the id `{}` was used by an earlier line; the first one is kept", "编号 `{}` 前面已用过;保留第一个"),
    ("the line is longer than {} MiB", "该行超过 {} MiB"),
    ("not a mail: it has no headers", "不是邮件:没有邮件头"),
    ("no subtitles: a line like `{}` must stand above each", "没有字幕:每条字幕上方应有形如 `{}` 的一行"),
    (
        "recording without a transcript: put `{}`, `{}` or `{}` beside it",
        "录音没有文字稿:请在旁边放上 `{}`、`{}` 或 `{}`",
    ),
    ("not a PNG, JPEG or WebP image", "不是 PNG、JPEG 或 WebP 图片"),
    (
        "the folder or file is gone; its documents are kept – `okno remove --root` takes them out",
        "文件夹或文件已不存在;其文档仍保留 —— `okno remove --root` 可将其移除",
    ),
];

/// The reason in Chinese, where its sentence is known.
pub fn chinese(reason: &str) -> Option<String> {
    REASONS.iter().find_map(|(english, chinese)| {
        let parts = captured(english, reason)?;
        Some(parts.iter().fold((*chinese).to_owned(), |text, part| text.replacen("{}", part, 1)))
    })
}

/// What stands for each `{}` of a pattern in a text, if the text is one of the pattern.
fn captured<'t>(pattern: &str, mut text: &'t str) -> Option<Vec<&'t str>> {
    let mut parts = Vec::new();
    let mut fixed = pattern.split("{}").peekable();
    text = text.strip_prefix(fixed.next()?)?;
    while let Some(next) = fixed.next() {
        let last = fixed.peek().is_none();
        let end = if last { text.strip_suffix(next).map(str::len) } else { text.find(next) }?;
        parts.push(&text[..end]);
        text = &text[end + next.len()..];
    }
    text.is_empty().then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_catch_what_differs() {
        assert_eq!(chinese("no text").as_deref(), Some("没有文字"));
        assert_eq!(chinese("PDF: not read yet").as_deref(), Some("PDF:暂不支持"));
        let size = "70.0 MiB is more than `--max-file-size` (64.0 MiB)";
        assert_eq!(chinese(size).as_deref(), Some("70.0 MiB 超过 `--max-file-size`(64.0 MiB)"));
        assert_eq!(chinese("something new"), None);
        for (english, chinese) in REASONS {
            assert_eq!(english.matches("{}").count(), chinese.matches("{}").count(), "{english}");
        }
    }
}
