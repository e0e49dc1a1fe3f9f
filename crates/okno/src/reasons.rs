//! Why something could not be done, in Chinese. The library gives one English sentence; here is the Chinese one for each, for whoever
//! shows it.

mod words;

/// English and Chinese; `{}` stands for what differs. What is not listed stays English.
const REASONS: &[(&str, &str)] = &[
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
        "no text layer: {} of {} pages are scans ({}) that are not decoded; run `ocrmypdf` over it",
        "没有文字层:{}/{} 页是无法解码的扫描图像({});请先用 `ocrmypdf` 处理",
    ),
    (
        "{} of {} pages are scans ({}) that are not decoded; run `ocrmypdf` over it",
        "{}/{} 页是无法解码的扫描图像({});请先用 `ocrmypdf` 处理",
    ),
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
    ("no recipe `{}` – there are `{}`", "没有方案 `{}` —— 可用的有 `{}`"),
    ("no recipe `{}`", "没有方案 `{}`"),
    ("no expansion `{}` – there are {}", "没有扩展方式 `{}` —— 可用的有 {}"),
    ("no fusion `{}` – there are `relative` and `rrf:60`", "没有融合方式 `{}` —— 可用的有 `relative` 和 `rrf:60`"),
    ("no route `{}` – there are {}", "没有路由 `{}` —— 可用的有 {}"),
    ("no step `{}` for a model – there are `{}`", "模型没有步骤 `{}` —— 可用的有 `{}`"),
    ("this kind of store cannot change vectors – index the documents again", "这种存储不能更改向量 —— 请重新索引文档"),
    ("the index was changed while it was read – run the command again", "读取期间索引被修改 —— 请重新运行该命令"),
    (
        "the source was made with embedder `{}`, the target with `{}` – copy into a new place",
        "来源用的嵌入模型是 `{}`,目标用的是 `{}` —— 请复制到新的位置",
    ),
    (
        "the target holds documents of `{}`, which the source does not know – copy into an empty place",
        "目标里有 `{}` 的文档,来源没有 —— 请复制到空的位置",
    ),
    (
        "`{}` in `--jsonl-fields`: expected `id=…`, `text=…`, `title=…` or `language=…`, separated by commas",
        "`--jsonl-fields` 中的 `{}`:应为 `id=…`、`text=…`、`title=…` 或 `language=…`,以逗号分隔",
    ),
    ("rule {}: {}", "第 {} 条规则:{}"),
    ("it sets nothing – add `set = { field = \"value\" }`", "它什么也没有设置 —— 请加上 `set = { 字段 = \"值\" }`"),
    (
        "`all` is about the matches of `section` and `text`, and there is neither",
        "`all` 针对 `section` 和 `text` 的匹配,而两者都没有",
    ),
    (
        "`default` is for texts that `map` does not know, and there is no `map`",
        "`default` 用于 `map` 里没有的文字,而没有 `map`",
    ),
    (
        "`{}` is a fact about the file and cannot be set – choose another name",
        "`{}` 是文件自身的信息,不能设置 —— 请换一个名称",
    ),
    ("`{}`: `{}` is no regular expression: {}", "`{}`:`{}` 不是正则表达式:{}"),
    ("`{}` is no number, and not `true` or `false`", "`{}` 不是数字,也不是 `true` 或 `false`"),
    ("`{}` is no unit; expected something like `64MB`", "`{}` 不是单位;应形如 `64MB`"),
    ("`{}` is no size; expected something like `64MB`", "`{}` 不是大小;应形如 `64MB`"),
    ("`legs` is empty – name `dense`, `lexical` or both", "`legs` 是空的 —— 请写 `dense`、`lexical` 或两者"),
    ("[fetch] `{}` is a number of seconds from 0 to 86400", "[fetch] `{}` 是 0 到 86400 的秒数"),
    ("no key `{}` here – did you mean `{}`?", "这里没有键 `{}` —— 是否指 `{}`?"),
    ("recipe `{}`: {}", "方案 `{}`:{}"),
    ("there is a built-in recipe of this name – choose another", "已有同名的内置方案 —— 请换一个名称"),
    ("`from` is the name of a recipe: `{}`", "`from` 是方案的名称:`{}`"),
    ("no recipe `{}` to start from – there are `{}`", "没有可作为起点的方案 `{}` —— 可用的有 `{}`"),
    ("`{}` must be more than 0", "`{}` 必须大于 0"),
    ("`layers` and `legs` must name at least one each", "`layers` 和 `legs` 各至少写一个"),
    (
        "`weights` has no leg `{}` – there are `dense` and `lexical`",
        "`weights` 没有 `{}` 这一路 —— 可用的有 `dense` 和 `lexical`",
    ),
];

/// A reason in Chinese; what is not known stays English.
pub fn in_chinese(reason: &str) -> String {
    chinese(reason).unwrap_or_else(|| words::chinese(reason))
}

/// A reason in Chinese, if there is a sentence for it.
pub fn chinese(reason: &str) -> Option<String> {
    REASONS.iter().find_map(|(english, chinese)| {
        let parts = captured(english, reason)?;
        Some(filled(chinese, &parts))
    })
}

/// A sentence with its parts, each of which may be a sentence or a word that is known too.
fn filled(sentence: &str, parts: &[&str]) -> String {
    let mut pieces = sentence.split("{}");
    let first = pieces.next().unwrap_or_default().to_owned();
    let part = |part: &str| chinese(part).unwrap_or_else(|| words::chinese(part));
    pieces.zip(parts).fold(first, |text, (piece, given)| text + &part(given) + piece)
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
        assert_eq!(chinese("ZIP archive: not read yet").as_deref(), Some("ZIP 压缩包:暂不支持"), "words inside too");
        assert_eq!(
            chinese("rule 2: it sets nothing – add `set = { field = \"value\" }`")
                .as_deref()
                .map(|s| s.contains("什么也没有")),
            Some(true)
        );
        for (english, chinese) in REASONS {
            assert_eq!(english.matches("{}").count(), chinese.matches("{}").count(), "{english}");
        }
    }
}
