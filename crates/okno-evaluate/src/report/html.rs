//! The only door through which text reaches the page.

/// Text as text: never markup, no control characters.
pub fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            '\r' => (),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// The same in both languages; the page shows one. Both are markup already.
pub fn both(en: &str, zh: &str) -> String {
    format!("<span class=\"en\" lang=\"en\">{en}</span><span class=\"zh\" lang=\"zh\">{zh}</span>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_is_markup() {
        let hostile = "<script>alert(1)</script>\" onload='x' &amp; \u{7}\u{1b}[31m\r\n";
        let safe = text(hostile);
        assert!(!safe.contains(['<', '>', '"', '\'', '\u{7}', '\u{1b}', '\r']), "{safe}");
        assert!(safe.contains("&lt;script&gt;alert(1)&lt;/script&gt;") && safe.contains("&amp;amp;"));
    }
}
