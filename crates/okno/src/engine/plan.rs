//! Planning: which parts of which roots are looked at, which files are gone, and which must be read.

use super::storing::Run;
use crate::load::{FileEntry, WalkOptions, walk};
use crate::store::FileState;
use crate::{Error, Result};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Part of a root that is to be brought up to date.
pub struct Scope {
    root: PathBuf,
    path: PathBuf,
}

impl Scope {
    fn root_name(&self) -> String {
        self.root.to_string_lossy().into_owned()
    }

    /// A file's path below the root; its name when the root is the file.
    fn relative(&self, path: &Path) -> String {
        let below = path.strip_prefix(&self.root).unwrap_or(path);
        let below = if below.as_os_str().is_empty() { Path::new(path.file_name().unwrap_or_default()) } else { below };
        below.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
    }
}

/// A file that must be read.
pub struct Work {
    pub root: String,
    pub name: String,
    pub entry: FileEntry,
    pub known: Option<FileState>,
}

impl Run<'_> {
    /// What is to be brought up to date, and the roots the index then has.
    pub fn scopes(
        &mut self,
        paths: &[&Path],
        mut roots: Vec<String>,
        files: &[FileState],
    ) -> Result<(Vec<Scope>, Vec<String>)> {
        if paths.is_empty() {
            let mut scopes = Vec::new();
            for root in &roots {
                match fs_err::canonicalize(root) {
                    Ok(path) => scopes.push(Scope { root: path.clone(), path }),
                    Err(_) => self.skip(
                        root.clone(),
                        "the folder or file is gone; its documents are kept – `okno remove --root` takes them out",
                    ),
                }
            }
            return Ok((scopes, roots));
        }
        let paths: Vec<PathBuf> = paths.iter().map(|path| canonical(path)).collect::<Result<_>>()?;
        for path in &paths {
            if root_of(path, &roots).is_none() {
                self.absorb(path, &mut roots, files)?;
                roots.push(path.to_string_lossy().into_owned());
            }
        }
        // Only now: a folder given after a part of it has absorbed that part.
        let scope = |path: PathBuf| Scope { root: root_of(&path, &roots).unwrap_or_else(|| path.clone()), path };
        Ok((paths.into_iter().map(scope).collect(), roots))
    }

    /// Roots inside a new root become part of it: their documents come again under their new names.
    fn absorb(&mut self, path: &Path, roots: &mut Vec<String>, files: &[FileState]) -> Result<()> {
        let inside: HashSet<String> = roots.iter().filter(|root| Path::new(root).starts_with(path)).cloned().collect();
        roots.retain(|root| !inside.contains(root));
        for file in files.iter().filter(|file| inside.contains(&file.root)) {
            self.forget(file)?;
        }
        Ok(())
    }

    /// Walks the scopes: forgets the files that are gone, and lists those that must be read.
    pub fn plan(&mut self, scopes: &[Scope], files: Vec<FileState>) -> Result<Vec<Work>> {
        let mut known: HashMap<(String, String), FileState> =
            files.into_iter().map(|file| ((file.root.clone(), file.path.clone()), file)).collect();
        let mut work = Vec::new();
        let mut planned = HashSet::new();
        let walk_options = WalkOptions { index_folder: Some(self.engine.folder().to_owned()) };
        for scope in scopes {
            let root = scope.root_name();
            let mut unreadable: Vec<PathBuf> = Vec::new();
            let mut seen = HashSet::new();
            for entry in walk(&scope.path, &walk_options) {
                match entry {
                    Ok(entry) => {
                        let name = scope.relative(&entry.path);
                        seen.insert(name.clone());
                        let file = known.get(&(root.clone(), name.clone()));
                        if file.is_some_and(|file| file.size == entry.size && file.modified == entry.modified) {
                            self.report.unchanged += 1;
                        } else if planned.insert((root.clone(), name.clone())) {
                            work.push(Work { root: root.clone(), known: file.cloned(), name, entry });
                        }
                    }
                    Err(skipped) => {
                        self.skip(scope.relative(&skipped.path), skipped.reason);
                        unreadable.push(skipped.path);
                    }
                }
            }
            let gone = |file: &FileState| {
                let path = if scope.root.is_file() { scope.root.clone() } else { scope.root.join(&file.path) };
                file.root == root
                    && path.starts_with(&scope.path)
                    && !seen.contains(&file.path)
                    && !unreadable.iter().any(|u| path.starts_with(u))
            };
            let gone: Vec<(String, String)> =
                known.iter().filter(|(_, file)| gone(file)).map(|(key, _)| key.clone()).collect();
            for file in gone.iter().filter_map(|key| known.remove(key)) {
                self.report.removed += self.forget(&file)?;
            }
        }
        Ok(work)
    }
}

/// The root that a path is in.
fn root_of(path: &Path, roots: &[String]) -> Option<PathBuf> {
    roots.iter().map(PathBuf::from).find(|root| path.starts_with(root))
}

fn canonical(path: &Path) -> Result<PathBuf> {
    fs_err::canonicalize(path)
        .map_err(|error| Error::Unreadable { path: path.to_owned(), reason: error.kind().to_string() })
}
