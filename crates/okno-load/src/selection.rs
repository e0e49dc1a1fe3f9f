//! Which files of a folder are documents at all: patterns, hidden files, links.
//!
//! A [`Selection`] is what a person wrote; [`CompiledSelection`] is the same, ready to be asked about every path of a
//! walk.

use super::glob::{Glob, GlobError};
use serde::{Deserialize, Serialize};

/// What a person chose.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Selection {
    /// Only files that match one of these; all when empty.
    pub include: Vec<String>,
    /// Never files or folders that match one of these.
    pub exclude: Vec<String>,
    /// Whether symbolic links are followed.
    pub follow_symlinks: bool,
    /// Whether files and folders whose names begin with a dot are read.
    pub hidden: bool,
}

okno_document::messages! {
    /// Which list of patterns is wrong, and how.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum SelectionError {
        /// Of the files to take.
        Include { /** What is wrong. */ reason: GlobError } = "bad_include" =>
            ("`include`: {reason}", "`include`：{reason}"),
        /// Of the files to leave out.
        Exclude { /** What is wrong. */ reason: GlobError } = "bad_exclude" =>
            ("`exclude`: {reason}", "`exclude`：{reason}"),
    }
}

/// A selection ready to be used.
#[derive(Debug, Clone, Default)]
pub struct CompiledSelection {
    include: Vec<Glob>,
    exclude: Vec<Glob>,
    /// Whether symbolic links are followed.
    pub follow_symlinks: bool,
    /// Whether hidden files are read.
    pub hidden: bool,
}

impl CompiledSelection {
    /// Reads the patterns.
    ///
    /// # Errors
    /// Which pattern is wrong, and how.
    pub fn new(selection: &Selection) -> Result<Self, SelectionError> {
        let globs =
            |patterns: &[String]| patterns.iter().map(|pattern| Glob::new(pattern)).collect::<Result<Vec<_>, _>>();
        Ok(Self {
            include: globs(&selection.include).map_err(|reason| SelectionError::Include { reason })?,
            exclude: globs(&selection.exclude).map_err(|reason| SelectionError::Exclude { reason })?,
            follow_symlinks: selection.follow_symlinks,
            hidden: selection.hidden,
        })
    }

    /// Whether a file is taken, by its path below the root.
    #[must_use]
    pub fn takes(&self, path: &str) -> bool {
        let wanted = self.include.is_empty() || self.include.iter().any(|glob| glob.matches(path));
        wanted && !self.leaves_out(path)
    }

    /// Whether a file or folder, or a folder it is in, is excluded.
    #[must_use]
    pub fn leaves_out(&self, path: &str) -> bool {
        let above = path.char_indices().filter(|&(_, c)| c == '/').map(|(at, _)| &path[..at]);
        !self.exclude.is_empty() && above.chain([path]).any(|part| self.exclude.iter().any(|glob| glob.matches(part)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excluded_folders_take_their_files_along() {
        let texts = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
        let selection = Selection {
            include: texts(&["*.md", "*.txt"]),
            exclude: texts(&["drafts", "old/**/*.txt"]),
            ..Selection::default()
        };
        let chosen = CompiledSelection::new(&selection).unwrap();
        for (path, expected) in [
            ("a.md", true),
            ("a.html", false),
            ("x/drafts/deep/a.md", false),
            ("old/x/a.txt", false),
            ("old/x/a.md", true),
        ] {
            assert_eq!(chosen.takes(path), expected, "{path}");
        }
        let wrong = CompiledSelection::new(&Selection { exclude: texts(&["{a"]), ..Selection::default() }).unwrap_err();
        assert!(matches!(wrong, SelectionError::Exclude { .. }), "{wrong}");
    }
}
