//! Globs on paths below a root, with captures: the one pattern language of `include`, `exclude` and rules.
//!
//! `*` and `?` stay inside one name, `**` crosses folders, `[a-z]` and `{a,b}` choose. Each of them captures what it
//! stood for, in order. A pattern without `/` is for names at any depth (`*.md`), one that ends with `/` is for
//! everything below a folder. A glob becomes one regular expression, so matching takes time linear in the path,
//! whatever the pattern.

use regex::Regex;

/// A pattern for paths such as `dishes/soup/番茄汤.md`.
#[derive(Debug, Clone)]
pub struct Glob {
    regex: Regex,
}

okno_document::messages! {
    /// What is wrong with a pattern.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum GlobError {
        /// There is nothing in it.
        Empty = "empty_pattern" =>
            ("an empty pattern matches nothing; use `**` for every file", "空的模式什么也不匹配；要匹配所有文件请用 `**`"),
        /// A bracket without its other half.
        Unclosed { /** The pattern, or its end. */ pattern: String, /** What is open. */ open: char,
            /** What is missing. */ close: char } =
            "unclosed_pattern" =>
                ("`{pattern}`: a `{open}` is not closed by `{close}`", "`{pattern}`：`{open}` 没有用 `{close}` 闭合"),
        /// Anything else.
        Invalid { /** The pattern. */ pattern: String } = "invalid_pattern" =>
            ("`{pattern}` is not a valid pattern; check its brackets", "`{pattern}` 不是有效的模式；请检查括号"),
    }
}

impl Glob {
    /// Reads a pattern.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn new(pattern: &str) -> Result<Self, GlobError> {
        let trimmed = pattern.trim_start_matches("./").trim_start_matches('/');
        if trimmed.is_empty() {
            return Err(GlobError::Empty);
        }
        let mut regex = String::from("^");
        if !trimmed.contains('/') && !pattern.starts_with('/') {
            regex.push_str("(?:.*/)?");
        }
        translate(trimmed, &mut regex)?;
        regex.push('$');
        let built = regex::RegexBuilder::new(&regex).dot_matches_new_line(true).build();
        built.map(|regex| Self { regex }).map_err(|_| GlobError::Invalid { pattern: pattern.to_owned() })
    }

    /// Whether a path matches.
    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        self.regex.is_match(path)
    }

    /// What each wildcard stood for, where the path matches.
    #[must_use]
    pub fn captures<'p>(&self, path: &'p str) -> Option<Vec<Option<&'p str>>> {
        let found = self.regex.captures(path)?;
        Some(found.iter().skip(1).map(|group| group.map(|group| group.as_str())).collect())
    }

    /// How many wildcards there are.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.regex.captures_len() - 1
    }
}

fn translate(pattern: &str, regex: &mut String) -> Result<(), GlobError> {
    let mut rest = pattern;
    let mut open = 0usize;
    while let Some(c) = rest.chars().next() {
        let mut taken = c.len_utf8();
        match c {
            '*' if rest.starts_with("**/") && at_name_start(pattern, rest) => {
                regex.push_str("(?:(.*)/)?");
                taken = 3;
            }
            '*' if rest.starts_with("**") => {
                regex.push_str("(.*)");
                taken = 2;
            }
            '*' => regex.push_str("([^/]*)"),
            '?' => regex.push_str("([^/])"),
            '[' => taken = class(rest, regex)?,
            '{' => {
                open += 1;
                // Choices inside choices are one capture: the outermost.
                regex.push_str(if open == 1 { "(" } else { "(?:" });
            }
            '}' if open > 0 => {
                open -= 1;
                regex.push(')');
            }
            ',' if open > 0 => regex.push('|'),
            '/' if rest == "/" => regex.push_str("/(?:.*)"),
            c => regex.push_str(&regex::escape(c.encode_utf8(&mut [0; 4]))),
        }
        rest = &rest[taken..];
    }
    if open > 0 { Err(unclosed(pattern, '{', '}')) } else { Ok(()) }
}

fn unclosed(pattern: &str, open: char, close: char) -> GlobError {
    GlobError::Unclosed { pattern: pattern.to_owned(), open, close }
}

fn at_name_start(pattern: &str, rest: &str) -> bool {
    let before = &pattern[..pattern.len() - rest.len()];
    before.is_empty() || before.ends_with('/')
}

/// `[a-z]` or `[!a-z]`; how many bytes it took.
fn class(rest: &str, regex: &mut String) -> Result<usize, GlobError> {
    let end = rest[1..].find(']').filter(|&end| end > 0).ok_or_else(|| unclosed(rest, '[', ']'))? + 1;
    let inside = &rest[1..end];
    let (not, members) = inside.strip_prefix(['!', '^']).map_or(("", inside), |members| ("^/", members));
    let members: String =
        members.chars().map(|c| if c == '-' { "-".to_owned() } else { regex::escape(&c.to_string()) }).collect();
    regex.push_str(&format!("([{not}{members}])"));
    Ok(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, path: &str) -> bool {
        Glob::new(pattern).unwrap().matches(path)
    }

    #[test]
    fn wildcards_stay_where_they_belong() {
        for (pattern, path, expected) in [
            ("*.md", "a.md", true),
            ("*.md", "deep/a.md", true),
            ("/*.md", "deep/a.md", false),
            ("docs/*.md", "docs/a.md", true),
            ("docs/*.md", "docs/deep/a.md", false),
            ("docs/**/*.md", "docs/a.md", true),
            ("docs/**/*.md", "docs/x/y/a.md", true),
            ("**/a.md", "a.md", true),
            ("docs/**", "docs/x/y", true),
            ("docs/**", "other/x", false),
            ("drafts/", "drafts/x/y.md", true),
            ("drafts/", "drafts.md", false),
            ("图?.{png,jpg}", "图1.jpg", true),
            ("图?.{png,jpg}", "图1.gif", false),
            ("[!a-c]*.txt", "d.txt", true),
            ("[!a-c]*.txt", "b.txt", false),
            ("a+b(c).md", "a+b(c).md", true),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} on {path}");
        }
    }

    #[test]
    fn wildcards_capture_in_order() {
        let glob = Glob::new("dishes/*/**/{soup,tea}-?.md").unwrap();
        assert_eq!(glob.groups(), 4);
        let found = glob.captures("dishes/soup/hot/tea-1.md").unwrap();
        assert_eq!(found, [Some("soup"), Some("hot"), Some("tea"), Some("1")]);
        assert_eq!(glob.captures("dishes/soup/tea-1.md").unwrap()[1], None, "`**` stood for no folder");
    }

    #[test]
    fn patterns_that_cannot_be_read_are_refused() {
        for pattern in ["", "{a,b", "[a", "[]", "[z-a]"] {
            assert!(Glob::new(pattern).is_err(), "{pattern}");
        }
    }

    proptest::proptest! {
        /// No pattern panics, and a pattern of letters matches exactly itself.
        #[test]
        fn any_pattern_is_read_or_refused(pattern in "[a-z*?/\\[\\]{},!.-]{0,12}", path in "[a-c/.]{0,8}") {
            if let Ok(glob) = Glob::new(&pattern) {
                proptest::prop_assert_eq!(glob.matches(&path), glob.captures(&path).is_some());
            }
            if !path.is_empty() && !path.starts_with(['/', '.']) && !path.ends_with('/') {
                proptest::prop_assert!(matches(&path, &path));
            }
        }
    }
}
