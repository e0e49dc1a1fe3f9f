//! A folder comes in, its files go out: sorted, each once, without hidden and ignored ones.
//!
//! `.gitignore` and `.oknoignore` files inside the folder count; ignore files above it and the user's global ones do
//! not, so that the same folder gives the same files on every machine. Symbolic links are not followed unless asked
//! for, unreadable folders, pipes, sockets and devices are passed over; all are reported and never stop the walk.
//! `.git`, `.env` and the configuration are never documents, whatever is asked for.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use ignore::{DirEntry, WalkBuilder};

use super::SkipReason;
use super::selection::CompiledSelection;
use okno_document::Date;

/// One file to be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEntry {
    /// Where it is.
    pub path: PathBuf,
    /// Relative to the root, with `/`; a root that is a file is its own name.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// The time of the last change, in nanoseconds since 1970; 0 where the system does not say.
    pub modified: i64,
}

impl FileEntry {
    /// The day of the last change, in UTC.
    pub fn day(&self) -> Option<Date> {
        (self.modified != 0).then(|| Date::from_unix(self.modified.div_euclid(1_000_000_000)))
    }
}

/// Something that was left out, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedPlace {
    /// Where it is.
    pub path: PathBuf,
    /// The same, relative to the root.
    pub place: String,
    /// Why.
    pub reason: SkipReason,
}

/// What to leave out.
#[derive(Debug, Clone, Default)]
pub struct WalkOptions {
    /// The folder of the index: it is not a document.
    pub index_folder: Option<PathBuf>,
    /// Where the paths of `chosen` begin, when that is above the folder walked.
    pub root: Option<PathBuf>,
    /// Patterns, hidden files, links.
    pub chosen: CompiledSelection,
}

/// Never documents: version control and secrets, which `hidden` would let in.
const NEVER: [&str; 2] = [".git", ".env"];

/// How the names of files of keys end (`.okno-keys.json`), which are hidden and are no documents either.
const KEYS: &str = "-keys.json";

/// The name of a configuration file.
const CONFIGURATION: &str = "okno.toml";

/// The files under `root`, which may be a file itself, ordered by name.
pub fn walk(root: &Path, options: &WalkOptions) -> impl Iterator<Item = Result<FileEntry, SkippedPlace>> + use<> {
    let root = root.to_owned();
    let index = options.index_folder.as_ref().and_then(|folder| folder.canonicalize().ok());
    let base = options.root.clone().unwrap_or_else(|| root.clone());
    let (chosen, follow) = (options.chosen.clone(), options.chosen.follow_symlinks);
    let mut builder = WalkBuilder::new(&root);
    builder
        .parents(false)
        .git_global(false)
        .git_exclude(false)
        .require_git(false)
        .follow_links(follow)
        .hidden(!chosen.hidden)
        .add_custom_ignore_filename(".oknoignore")
        .sort_by_file_name(std::cmp::Ord::cmp)
        .filter_entry(move |entry| !is_index(entry, index.as_deref()) && is_wanted(entry, &base, &chosen));
    builder.build().filter_map(move |entry| match entry {
        Ok(entry) => file_entry(&root, &entry, follow).transpose(),
        Err(error) => Some(Err(skipped(&root, &error))),
    })
}

fn is_index(entry: &DirEntry, index: Option<&Path>) -> bool {
    let folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    index.is_some_and(|index| folder && entry.path().canonicalize().is_ok_and(|path| path == index))
}

fn is_wanted(entry: &DirEntry, base: &Path, chosen: &CompiledSelection) -> bool {
    let name = entry.file_name().to_string_lossy();
    if entry.depth() > 0 && (NEVER.contains(&&*name) || (name.starts_with('.') && name.ends_with(KEYS))) {
        return false;
    }
    if entry.file_name() == CONFIGURATION && entry.depth() > 0 {
        return false;
    }
    let path = relative(base, entry.path());
    let folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    if folder { entry.path() == base || !chosen.leaves_out(&path) } else { chosen.takes(&path) }
}

fn file_entry(root: &Path, entry: &DirEntry, follow: bool) -> Result<Option<FileEntry>, SkippedPlace> {
    let left_out = |reason: SkipReason| {
        let (path, place) = (entry.path().to_owned(), relative(root, entry.path()));
        Err(SkippedPlace { path, place, reason })
    };
    if entry.path_is_symlink() && !follow {
        return left_out(SkipReason::SymbolicLink);
    }
    let metadata = entry.metadata().map_err(|error| skipped(root, &error))?;
    if metadata.is_dir() {
        return Ok(None);
    }
    if !metadata.is_file() {
        return left_out(SkipReason::NotAFile);
    }
    let (path, name) = (entry.path().to_owned(), relative(root, entry.path()));
    Ok(Some(FileEntry { path, name, size: metadata.len(), modified: nanoseconds(&metadata) }))
}

/// A path below the root, with `/`; its name when the root is the file. Bytes that are no text are written `%FE`, so
/// that two names never become one.
pub fn relative(root: &Path, path: &Path) -> String {
    let inside = path.strip_prefix(root).ok().filter(|inside| !inside.as_os_str().is_empty());
    let inside = inside.or_else(|| path.file_name().map(Path::new)).unwrap_or(path);
    inside.iter().map(readable).collect::<Vec<_>>().join("/")
}

fn readable(part: &OsStr) -> String {
    let mut name = String::new();
    for chunk in part.as_encoded_bytes().utf8_chunks() {
        name.push_str(chunk.valid());
        name.extend(chunk.invalid().iter().map(|byte| format!("%{byte:02X}")));
    }
    name
}

fn skipped(root: &Path, error: &ignore::Error) -> SkippedPlace {
    let (path, reason) = explain(error, root);
    SkippedPlace { path: path.to_owned(), place: relative(root, path), reason }
}

/// The path inside a nested error, which is about `path` unless it says otherwise, and the reason.
fn explain<'e>(error: &'e ignore::Error, path: &'e Path) -> (&'e Path, SkipReason) {
    match error {
        ignore::Error::WithPath { path, err } => (path, explain(err, path).1),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => explain(err, path),
        ignore::Error::Loop { ancestor, child } => (child, SkipReason::LinkLoop { to: ancestor.clone() }),
        ignore::Error::Io(cause) => (path, SkipReason::Unreadable { path: path.to_owned(), cause: cause.into() }),
        other => (path, SkipReason::Walk { words: other.to_string() }),
    }
}

/// Nanoseconds since 1970; 0 where the system does not say.
fn nanoseconds(metadata: &std::fs::Metadata) -> i64 {
    let since = metadata.modified().ok().and_then(|moment| moment.duration_since(SystemTime::UNIX_EPOCH).ok());
    since.map_or(0, |since| since.as_nanos() as i64)
}

#[cfg(test)]
mod tests {
    use super::super::Selection;
    use super::*;
    use std::fs;

    fn names(root: &Path, options: &WalkOptions) -> (Vec<String>, Vec<SkippedPlace>) {
        let (mut found, mut left) = (Vec::new(), Vec::new());
        for entry in walk(root, options) {
            match entry {
                Ok(entry) => found.push(entry.name),
                Err(skipped) => left.push(skipped),
            }
        }
        (found, left)
    }

    #[test]
    fn sorted_without_hidden_ignored_and_index() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for (name, content) in [
            ("b.md", "b"),
            ("a/z.txt", "z"),
            ("a/c.txt", "c"),
            (".hidden", "h"),
            ("skip.log", "s"),
            ("private/x.md", "x"),
            ("okno/index.db", "i"),
        ] {
            fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write(root.join(name), content).unwrap();
        }
        fs::write(root.join(".gitignore"), "*.log\n").unwrap();
        fs::write(root.join(".oknoignore"), "private/\n").unwrap();
        let options = WalkOptions { index_folder: Some(root.join("okno")), ..WalkOptions::default() };
        assert_eq!(names(root, &options), (vec!["a/c.txt".into(), "a/z.txt".into(), "b.md".into()], vec![]));
        assert_eq!(names(&root.join("b.md"), &options).0, ["b.md"]);
    }

    #[test]
    fn a_missing_root_is_reported() {
        let (found, left) = names(Path::new("/no/such/folder"), &WalkOptions::default());
        assert!(found.is_empty());
        assert!(matches!(left[0].reason, SkipReason::Unreadable { .. }), "{left:?}");
    }

    #[test]
    fn hidden_files_come_when_asked_for_but_never_secrets() {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in [
            (".notes/a.md", "a"),
            (".env", "KEY=1"),
            (".git/x.md", "x"),
            ("okno.toml", "k = 1"),
            (".okno-keys.json", "{}"),
        ] {
            fs::create_dir_all(folder.path().join(name).parent().unwrap()).unwrap();
            fs::write(folder.path().join(name), content).unwrap();
        }
        let chosen = CompiledSelection::new(&Selection { hidden: true, ..Selection::default() }).unwrap();
        let options = WalkOptions { chosen, ..WalkOptions::default() };
        assert_eq!(names(folder.path(), &options).0, [".notes/a.md"]);
        assert!(names(folder.path(), &WalkOptions::default()).0.is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_when_asked_for_and_loops_reported() {
        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(outside.path().join("x.md"), "x").unwrap();
        std::os::unix::fs::symlink(outside.path(), folder.path().join("out")).unwrap();
        std::os::unix::fs::symlink(folder.path(), folder.path().join("loop")).unwrap();
        let chosen = CompiledSelection::new(&Selection { follow_symlinks: true, ..Selection::default() }).unwrap();
        let (found, left) = names(folder.path(), &WalkOptions { chosen, ..WalkOptions::default() });
        assert_eq!(found, ["out/x.md"]);
        assert_eq!(left.len(), 1);
        assert!(matches!(left[0].reason, SkipReason::LinkLoop { .. }), "{left:?}");
    }

    #[cfg(unix)]
    #[test]
    fn sockets_are_reported() {
        let folder = tempfile::tempdir().unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("s")).unwrap();
        let (found, left) = names(folder.path(), &WalkOptions::default());
        assert!(found.is_empty() && left[0].reason == SkipReason::NotAFile, "{left:?}");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_reported_and_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir(root.join("a")).unwrap();
        fs::write(root.join("a/x.md"), "x").unwrap();
        std::os::unix::fs::symlink(root, root.join("a/loop")).unwrap();
        std::os::unix::fs::symlink(root.join("nowhere"), root.join("broken")).unwrap();
        let (found, left) = names(root, &WalkOptions::default());
        assert_eq!(found, ["a/x.md"]);
        let places: Vec<&str> = left.iter().map(|s| s.place.as_str()).collect();
        assert_eq!(places, ["a/loop", "broken"], "{left:?}");
    }
}
