//! Planning: which parts of which roots are looked at, which files are gone, and which must be read.

use super::allow_list::AllowList;
use super::reason::SkippedReason;
use super::storing::IndexRun;
use crate::fetch::is_url;
use crate::load::{FileEntry, WalkOptions, walk};
use crate::store::FileState;
use crate::{Error, Result};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files by root and path.
type KnownFiles = HashMap<(String, String), FileState>;

/// Part of a root that is to be brought up to date.
pub struct RootScope {
    root: PathBuf,
    path: PathBuf,
}

impl RootScope {
    fn root_name(&self) -> String {
        self.root.to_string_lossy().into_owned()
    }

    /// Whether another scope covers it, or an earlier one is the same.
    fn is_inside_another(&self, own: usize, scopes: &[Self]) -> bool {
        let covers = |i: usize, other: &Self| {
            i != own && self.path.starts_with(&other.path) && (self.path != other.path || i < own)
        };
        scopes.iter().enumerate().any(|(i, other)| covers(i, other))
    }

    /// A file's path below the root; its name when the root is the file.
    fn relative(&self, path: &Path) -> String {
        crate::load::relative(&self.root, path)
    }
}

/// A file that must be read.
pub struct Work {
    pub root: Arc<str>,
    /// Named from its root.
    pub entry: FileEntry,
    pub known: Option<Box<FileState>>,
    /// For a page: what its server calls this state.
    pub validator: Option<String>,
    /// Who may see it, where its folder has a list.
    pub allow_list: Option<Arc<AllowList>>,
}

impl Work {
    /// The hash of the bytes when nothing else about the file has changed either. A new day is metadata, and so
    /// is who may see the file: such a file is loaded again, though nothing of it is split or embedded.
    pub fn known_hash(&self) -> Option<u128> {
        let known = self.known.as_ref().filter(|_| self.allow_list.is_none())?;
        let day = FileEntry { modified: known.modified, ..self.entry.clone() }.day();
        (day == self.entry.day()).then_some(known.hash)
    }
}

impl IndexRun<'_> {
    /// What is to be brought up to date, and the roots the index then has.
    pub fn scopes(
        &mut self,
        paths: &[&Path],
        mut roots: Vec<String>,
        files: &[FileState],
    ) -> Result<(Vec<RootScope>, Vec<String>)> {
        if paths.is_empty() {
            let mut scopes = Vec::new();
            for root in roots.iter().filter(|root| !is_url(root)) {
                match fs_err::canonicalize(root) {
                    Ok(path) => scopes.push(RootScope { root: path.clone(), path }),
                    Err(_) => self.skip(root.clone(), SkippedReason::Gone),
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
        let scope = |path: PathBuf| RootScope { root: root_of(&path, &roots).unwrap_or_else(|| path.clone()), path };
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
    pub fn plan(&mut self, scopes: &[RootScope], files: Vec<FileState>) -> Result<Vec<Work>> {
        let mut known: KnownFiles =
            files.into_iter().map(|file| ((file.root.clone(), file.path.clone()), file)).collect();
        let mut work = Vec::new();
        for (i, scope) in scopes.iter().enumerate() {
            if scope.is_inside_another(i, scopes) {
                continue;
            }
            let unreadable = self.look(scope, &mut known, &mut work)?;
            self.forget_gone(scope, &unreadable, &mut known)?;
        }
        Ok(work)
    }

    /// Walks one scope and takes out of `known` what it finds; gives what could not be read.
    fn look(&mut self, scope: &RootScope, known: &mut KnownFiles, work: &mut Vec<Work>) -> Result<Vec<PathBuf>> {
        let options = WalkOptions {
            index_folder: Some(self.engine.folder().to_owned()),
            root: Some(scope.root.clone()),
            chosen: self.chosen.clone(),
        };
        let root: Arc<str> = scope.root_name().into();
        let mut unreadable = Vec::new();
        for entry in walk(&scope.path, &options) {
            match entry {
                Ok(mut entry) => {
                    // Named from its root, whichever part of it is walked.
                    entry.name = scope.relative(&entry.path);
                    let mut file = known.remove(&(root.to_string(), entry.name.clone()));
                    self.read_again_if_damaged(file.as_mut())?;
                    let is_same = |file: &FileState| file.size == entry.size && file.modified == entry.modified;
                    if let Some(file) = file.take_if(|file| is_same(file)) {
                        self.report.unchanged += file.documents.len();
                        continue;
                    }
                    let (root, known) = (Arc::clone(&root), file.map(Box::new));
                    let allow_list = self.allow_list(&entry.path)?;
                    work.push(Work { root, entry, known, validator: None, allow_list });
                }
                Err(skipped) => {
                    self.skip(scope.relative(&skipped.path), skipped.reason);
                    unreadable.push(skipped.path);
                }
            }
        }
        Ok(unreadable)
    }

    /// Who may see the files beside this one.
    fn allow_list(&mut self, file: &Path) -> Result<Option<Arc<AllowList>>> {
        let folder = file.parent().unwrap_or(file);
        if let Some((_, known)) = self.allow_lists.as_ref().filter(|(of, _)| of == folder) {
            return Ok(known.clone());
        }
        let list = AllowList::read(folder)?.map(Arc::new);
        self.allow_lists = Some((folder.to_owned(), list.clone()));
        Ok(list)
    }

    /// Takes out the files that the scope no longer holds; what could not be read is kept.
    fn forget_gone(&mut self, scope: &RootScope, unreadable: &[PathBuf], known: &mut KnownFiles) -> Result<()> {
        let root = scope.root_name();
        let gone = |file: &FileState| {
            let path = if scope.root.is_file() { scope.root.clone() } else { scope.root.join(&file.path) };
            file.root == root && path.starts_with(&scope.path) && !unreadable.iter().any(|u| path.starts_with(u))
        };
        for (_, file) in known.extract_if(|_, file| gone(file)).collect::<Vec<_>>() {
            self.report.removed += self.forget(&file)?;
        }
        Ok(())
    }
}

/// The root that a path is in.
fn root_of(path: &Path, roots: &[String]) -> Option<PathBuf> {
    roots.iter().map(PathBuf::from).find(|root| path.starts_with(root))
}

fn canonical(path: &Path) -> Result<PathBuf> {
    fs_err::canonicalize(path).map_err(|error| Error::Unreadable { path: path.to_owned(), cause: error.kind().into() })
}
