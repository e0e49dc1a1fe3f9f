//! The line of text that is being collected, and the link that is open in it.

/// The open link: the height of the stack it opened at, and where it leads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    pub height: usize,
    pub to_this_page: bool,
    pub to_picture: bool,
}

impl Link {
    pub fn new(height: usize, href: &str) -> Self {
        let href = href.to_ascii_lowercase();
        let to_picture = [".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp"].iter().any(|end| href.ends_with(end));
        Self { height, to_this_page: href.starts_with('#'), to_picture }
    }
}

#[derive(Debug, Default)]
pub(super) struct HtmlLine {
    pub text: String,
    /// Letters inside links, and inside links to this very page.
    pub links: usize,
    pub anchors: usize,
    /// White space was seen and not yet written; `true` if it had a line end in it.
    pub space: Option<bool>,
}

impl HtmlLine {
    /// Adds running text: white space collapses, and a line end between two Chinese characters is nothing at all.
    pub fn words(&mut self, text: &str, link: Option<Link>) {
        for c in text.chars() {
            if c.is_ascii_whitespace() || c == '\u{a0}' {
                let line_end = matches!(c, '\n' | '\r');
                self.space = Some(self.space.unwrap_or(false) || line_end);
                continue;
            }
            if let Some(line_end) = self.space.take() {
                self.space_before(c, line_end);
            }
            self.text.push(c);
            if let Some(link) = link {
                self.links += 1;
                self.anchors += usize::from(link.to_this_page);
            }
        }
    }

    fn space_before(&mut self, next: char, line_end: bool) {
        let wide = |c: char| ('\u{2e80}'..='\u{9fff}').contains(&c) || ('\u{ff00}'..='\u{ffef}').contains(&c);
        let last = self.text.chars().next_back();
        let glued = line_end && wide(next) && last.is_some_and(wide);
        if !glued && last.is_some_and(|last| last != '\n') {
            self.text.push(' ');
        }
    }
}
