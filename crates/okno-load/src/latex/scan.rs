//! The letters of a LaTeX text, with what is needed to take arguments and bodies out of it.

/// Bytes of an argument, and blank lines in it.
const LONGEST_ARGUMENT: usize = 256 << 10;
const MOST_BLANK_LINES: usize = 16;

/// A text that is read from left to right.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scanner<'t> {
    pub text: &'t str,
    pub at: usize,
}

impl<'t> Scanner<'t> {
    pub fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    pub fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub fn next(&mut self) -> Option<char> {
        let letter = self.peek()?;
        self.at += letter.len_utf8();
        Some(letter)
    }

    /// Takes this text if it comes next.
    pub fn take(&mut self, text: &str) -> bool {
        let comes = self.rest().starts_with(text);
        self.at += if comes { text.len() } else { 0 };
        comes
    }

    /// Passes over spaces and comments, and at most one line end.
    pub fn skip_space(&mut self) {
        let mut lines = 0;
        while let Some(letter) = self.peek() {
            match letter {
                '%' => self.skip_comment(),
                '\n' if lines == 0 => {
                    lines += 1;
                    self.next();
                }
                ' ' | '\t' | '\r' => _ = self.next(),
                _ => return,
            }
        }
    }

    /// Passes over a comment: up to the end of its line, and the spaces that the next one begins with.
    pub fn skip_comment(&mut self) {
        let rest = self.rest();
        let line = rest.find('\n').map_or(rest.len(), |end| end + 1);
        self.at += line;
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
    }

    /// The name of a command behind its backslash: letters, or one sign.
    pub fn name(&mut self) -> &'t str {
        let rest = self.rest();
        let letters = rest.bytes().take_while(|byte| byte.is_ascii_alphabetic() || *byte == b'@').count();
        let length = if letters > 0 { letters } else { rest.chars().next().map_or(0, char::len_utf8) };
        self.at += length;
        &rest[..length]
    }

    /// What stands between braces that come next, or the one letter or command that does.
    pub fn argument(&mut self) -> &'t str {
        self.skip_space();
        if let Some(inner) = self.enclosed('{', '}') {
            return inner;
        }
        let start = self.at;
        if self.take("\\") {
            self.name();
        } else if self.peek().is_some_and(|letter| letter != '}' && letter != '\n') {
            self.next();
        }
        &self.text[start..self.at]
    }

    /// What stands between braces, if they come next.
    pub fn braced(&mut self) -> Option<&'t str> {
        let before = self.at;
        self.skip_space();
        let inner = self.enclosed('{', '}');
        if inner.is_none() {
            self.at = before;
        }
        inner
    }

    /// What stands between square brackets, if they come next.
    pub fn option(&mut self) -> Option<&'t str> {
        let before = self.at;
        self.skip_space();
        let inner = self.enclosed('[', ']');
        if inner.is_none() {
            self.at = before;
        }
        inner
    }

    /// What stands between two signs that match; where the second is missing, up to the end of the paragraph.
    fn enclosed(&mut self, open: char, close: char) -> Option<&'t str> {
        if self.peek() != Some(open) {
            return None;
        }
        let start = self.at + 1;
        let (mut depth, mut braces, mut escaped) = (0usize, 0usize, false);
        let (mut blank, mut before) = (0, ' ');
        for (at, letter) in self.rest().char_indices() {
            blank += usize::from(letter == '\n' && before == '\n');
            before = letter;
            // Arguments are short: what is never closed must not be looked for in all the rest each time.
            if blank > MOST_BLANK_LINES || at > LONGEST_ARGUMENT {
                break;
            }
            if escaped {
                escaped = false;
                continue;
            }
            match letter {
                '\\' => escaped = true,
                '{' if open != '{' => braces += 1,
                '}' if open != '{' => braces = braces.saturating_sub(1),
                letter if letter == open && braces == 0 => depth += 1,
                letter if letter == close && braces == 0 => {
                    depth -= 1;
                    if depth == 0 {
                        let end = self.at + at;
                        self.at = end + 1;
                        return Some(&self.text[start..end]);
                    }
                }
                _ => {}
            }
        }
        let rest = &self.text[start..];
        let end = rest.find("\n\n").unwrap_or(rest.len());
        self.at = start + end;
        Some(&rest[..end])
    }

    /// The text up to this end, which is passed over; up to the end of all where it is missing.
    pub fn until(&mut self, end: &str) -> &'t str {
        let rest = self.rest();
        let found = rest.find(end);
        let length = found.unwrap_or(rest.len());
        self.at += length + if found.is_some() { end.len() } else { 0 };
        &rest[..length]
    }

    /// The body of an environment that is open, with the same environments inside of it.
    pub fn body(&mut self, name: &str) -> &'t str {
        let (begin, end) = (format!("\\begin{{{name}}}"), format!("\\end{{{name}}}"));
        let start = self.at;
        let rest = self.rest();
        let mut begins = memchr::memmem::find_iter(rest.as_bytes(), begin.as_bytes()).peekable();
        let mut depth = 1usize;
        for stop in memchr::memmem::find_iter(rest.as_bytes(), end.as_bytes()) {
            while begins.next_if(|begin| *begin < stop).is_some() {
                depth += 1;
            }
            depth -= 1;
            if depth == 0 {
                self.at = start + stop + end.len();
                return &rest[..stop];
            }
        }
        self.at = self.text.len();
        rest
    }
}
