//! What one line of Markdown is, by looking at nothing but that line (without its indentation).

use okno_document::text::script::is_han;

/// The level of `## Heading`. A space must follow the signs, but Chinese authors often leave it out from the second
/// level on (one sign could be a hash tag).
pub(super) fn atx(content: &str) -> Option<u8> {
    let level = content.bytes().take_while(|b| *b == b'#').count();
    let next = content[level..].chars().next();
    let spaced = next.is_none_or(char::is_whitespace);
    let chinese = level > 1 && next.is_some_and(is_han);
    ((1..=6).contains(&level) && (spaced || chinese)).then_some(level as u8)
}

/// `***`, `- - -`, `___`: a rule across the page.
pub(super) fn rule(content: &str) -> bool {
    let mark = content.as_bytes()[0];
    let mut marks = 0;
    content.bytes().all(|b| {
        marks += usize::from(b == mark);
        b == mark || b == b' ' || b == b'\t'
    }) && marks >= 3
}

/// The name in a line that is one template tag: `note` of `{{< note >}}`, `/note` of `{{% /note %}}`.
pub(super) fn shortcode_name(content: &str) -> Option<&str> {
    let content = content.trim_end();
    let inner = content.strip_prefix("{{<").and_then(|rest| rest.strip_suffix(">}}"));
    let inner = inner.or_else(|| content.strip_prefix("{{%").and_then(|rest| rest.strip_suffix("%}}")))?;
    (!inner.contains("{{")).then(|| inner.split_whitespace().next())?
}

pub(super) fn closes(line: &str, mark: u8, length: usize) -> bool {
    let content = line.trim();
    content.len() >= length && content.bytes().all(|b| b == mark)
}

pub(super) fn ends_tag(content: &str, tag: &str) -> bool {
    content
        .match_indices("</")
        .any(|(at, _)| content.get(at + 2..at + 2 + tag.len()).is_some_and(|name| name.eq_ignore_ascii_case(tag)))
}

/// `|---|:-:|`
pub(super) fn delimiter_row(content: &str) -> bool {
    let mut dashes = false;
    let mut bars = false;
    content.bytes().all(|b| {
        dashes |= b == b'-';
        bars |= b == b'|';
        matches!(b, b'-' | b'|' | b':' | b' ' | b'\t')
    }) && dashes
        && bars
}

pub(super) fn table_row(line: &str) -> bool {
    let line = line.trim();
    line.len() > 2 && line.starts_with('|') && line.ends_with('|')
}
