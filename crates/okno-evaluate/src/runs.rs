//! Runs kept by name: one small JSON file each, in a folder beside the index.
//!
//! Beside, not inside: a damaged index is deleted and built again, and figures must outlive what they are about; and
//! a run over a set with its own corpus has no index to live in. The folder's name starts with a dot, so that
//! indexing the folder around it never reads it. Figures and settings are kept, never document text.

mod reports;

use super::run::EvaluationRun;
use crate::{Error, Result};
use std::path::{Path, PathBuf};

/// The longest name, in bytes: file systems allow 255 with the ending.
const LONGEST_NAME: usize = 100;

/// Runs kept at most: each is some ten to some hundred kB, and nobody looks through more. A named run is never
/// forgotten by itself.
const MOST: usize = 1000;

/// A folder of runs.
#[derive(Debug, Clone)]
pub struct Runs {
    folder: PathBuf,
}

/// The folder beside an index where everything about its evaluation is kept: `.okno` has `.okno-eval`.
pub fn beside(index: &Path) -> PathBuf {
    let name = index.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    index.with_file_name(format!(".{}-eval", name.trim_start_matches('.')))
}

/// Writes a file so that it is there whole or not at all.
pub(crate) fn write_whole(path: &Path, content: &str) -> Result<()> {
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        fs_err::create_dir_all(parent)?;
    }
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".new");
    let new = path.with_file_name(name);
    fs_err::write(&new, content)?;
    Ok(fs_err::rename(new, path)?)
}

impl Runs {
    /// The runs beside an index.
    pub fn beside(index: &Path) -> Self {
        Self { folder: beside(index).join("runs") }
    }

    /// Where they are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Checks that a name can be kept and is free, before the work is done.
    pub fn check_new(&self, name: &str) -> Result<()> {
        if self.path(name)?.exists() {
            return Err(Error::RunExists { name: name.to_owned() });
        }
        if self.names()?.len() >= MOST {
            return Err(Error::TooManyRuns { most: MOST });
        }
        Ok(())
    }

    /// Keeps a run; a run of its name is never replaced.
    pub fn save(&self, run: &EvaluationRun) -> Result<PathBuf> {
        self.check_new(&run.name)?;
        let path = self.path(&run.name)?;
        let mut run = run.clone();
        for row in run.cells.iter_mut().flat_map(|cell| &mut cell.rows) {
            *row = row.rounded();
        }
        write_whole(
            &path,
            &serde_json::to_string(&run).map_err(|error| Error::Unwritable { words: error.to_string() })?,
        )?;
        Ok(path)
    }

    /// A run by its name.
    pub fn load(&self, name: &str) -> Result<EvaluationRun> {
        let path = self.path(name)?;
        if !path.exists() {
            return Err(Error::NoRun { name: name.to_owned(), known: self.names()? });
        }
        let text = fs_err::read_to_string(&path)?;
        serde_json::from_str(&text).map_err(|error| Error::OldRun { path, words: error.to_string() })
    }

    /// The names of all runs, in order.
    pub fn names(&self) -> Result<Vec<String>> {
        if !self.folder.is_dir() {
            return Ok(Vec::new());
        }
        let mut names = Vec::new();
        for entry in fs_err::read_dir(&self.folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                names.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    /// Forgets a run and its report; an error when there is none.
    pub fn remove(&self, name: &str) -> Result<()> {
        self.load(name)?;
        self.forget(name)
    }

    fn forget(&self, name: &str) -> Result<()> {
        self.remove_report(name)?;
        Ok(fs_err::remove_file(self.path(name)?)?)
    }

    /// Forgets all runs and their reports; how many there were.
    pub fn reset(&self) -> Result<usize> {
        let names = self.names()?;
        for name in &names {
            self.forget(name)?;
        }
        Ok(names.len())
    }

    fn path(&self, name: &str) -> Result<PathBuf> {
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ');
        if name.is_empty() || name.starts_with('.') || name.len() > LONGEST_NAME || !name.chars().all(plain) {
            return Err(Error::RunName { name: name.to_owned(), longest: LONGEST_NAME });
        }
        Ok(self.folder.join(format!("{name}.json")))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub fn run(name: &str) -> EvaluationRun {
        EvaluationRun {
            name: name.into(),
            made: 0,
            version: "0".into(),
            set: "s".into(),
            fingerprint: "f".into(),
            embedder: "e".into(),
            documents: 1,
            sentences: 1,
            seed: 20,
            questions: vec!["1".into()],
            cells: vec![],
        }
    }

    #[test]
    fn runs_are_kept_listed_and_forgotten_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let runs = Runs::beside(&folder.path().join(".okno"));
        assert_eq!(runs.names().unwrap(), Vec::<String>::new());
        for name in ["b", "a"] {
            runs.save(&run(name)).unwrap();
        }
        assert_eq!(runs.names().unwrap(), ["a", "b"]);
        assert_eq!(runs.load("a").unwrap(), run("a"));
        assert!(runs.save(&run("a")).unwrap_err().to_string().contains("already"), "a run is never replaced");
        runs.remove("a").unwrap();
        assert!(runs.remove("a").unwrap_err().to_string().contains("`b`"));
        assert_eq!((runs.reset().unwrap(), runs.names().unwrap().len()), (1, 0));
    }

    #[test]
    fn a_name_never_leaves_the_folder() {
        let runs = Runs::beside(Path::new("/nowhere/.okno"));
        for name in ["", "../x", "a/b", ".hidden", "a\\b", &"x".repeat(101)] {
            assert!(runs.check_new(name).is_err(), "{name}");
        }
        assert!(runs.folder().ends_with(".okno-eval/runs"));
        assert!(beside(Path::new("/a/idx")).ends_with(".idx-eval"), "hidden, whatever the index is called");
    }
}
