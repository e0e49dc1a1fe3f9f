//! Files that came over HTTP: a folder beside the index, names that cannot leave it.
//!
//! Beside, not inside: the index folder is never walked, and a damaged index is deleted while uploads must stay. The
//! name has no dot in front, because hidden files are not indexed. A file is written under another name and then
//! renamed, so that an index run never reads half of one.

use crate::error::ApiError;
use crate::problem::{NameFlaw, Problem};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::io::AsyncWriteExt;

/// File systems allow 255 bytes; some are for the name it is written under.
const LONGEST: usize = 200;

/// Where uploads are moved that cannot be loaded. Hidden, so that it is not indexed.
const ASIDE: &str = ".set-aside";

/// The folder of uploads of one index.
#[derive(Debug, Clone)]
pub struct Uploads {
    folder: PathBuf,
}

impl Uploads {
    /// The uploads beside an index: `.okno` has `okno-uploads`.
    pub fn beside(index: &Path) -> Self {
        let whole = std::path::absolute(index).unwrap_or_else(|_| index.to_owned());
        let name = whole.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Self { folder: whole.with_file_name(format!("{}-uploads", name.trim_start_matches('.'))) }
    }

    /// Where they are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The path of an upload of this name.
    pub fn path(&self, name: &str) -> Result<PathBuf, ApiError> {
        Ok(self.folder.join(safe(name)?))
    }

    /// Whether a file is one of the uploads. Links and `..` are resolved first.
    pub fn holds(&self, path: &Path) -> bool {
        let real = |path: &Path| path.canonicalize().ok();
        let (Some(path), Some(folder)) = (real(path), real(&self.folder)) else { return false };
        path.starts_with(&folder) && path != folder
    }

    /// Moves an upload to where nothing reads it; its new path.
    pub fn set_aside(&self, file: &Path) -> std::io::Result<PathBuf> {
        let aside = self.folder.join(ASIDE);
        std::fs::create_dir_all(&aside)?;
        let target = aside.join(file.file_name().unwrap_or_default());
        std::fs::rename(file, &target)?;
        Ok(target)
    }

    /// The names of the uploads that were set aside.
    pub fn aside(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.join(ASIDE)).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Begins a file; nothing of it is visible under its name before [`PendingUpload::finish`].
    pub async fn begin(&self, name: &str) -> Result<PendingUpload, ApiError> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let path = self.path(name)?;
        tokio::fs::create_dir_all(&self.folder).await.map_err(|cause| cannot(&self.folder, cause))?;
        // A dot in front: a run of indexing passes over it.
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let draft = self.folder.join(format!(".upload-{}-{number}", std::process::id()));
        let file = tokio::fs::File::create(&draft).await.map_err(|cause| cannot(&draft, cause))?;
        Ok(PendingUpload { file, unfinished: draft, path, done: false })
    }
}

/// A file that is coming in.
#[derive(Debug)]
pub struct PendingUpload {
    file: tokio::fs::File,
    unfinished: PathBuf,
    path: PathBuf,
    done: bool,
}

impl PendingUpload {
    /// Adds bytes.
    pub async fn write(&mut self, bytes: &[u8]) -> Result<(), ApiError> {
        self.file.write_all(bytes).await.map_err(|cause| cannot(&self.unfinished, cause))
    }

    /// Gives the file its name; one of that name is replaced.
    pub async fn finish(mut self) -> Result<(), ApiError> {
        self.file.flush().await.map_err(|cause| cannot(&self.unfinished, cause))?;
        self.file.sync_all().await.map_err(|cause| cannot(&self.unfinished, cause))?;
        tokio::fs::rename(&self.unfinished, &self.path).await.map_err(|cause| cannot(&self.path, cause))?;
        self.done = true;
        Ok(())
    }
}

impl Drop for PendingUpload {
    fn drop(&mut self) {
        if !self.done {
            // What is left behind is hidden and harmless.
            let _ = std::fs::remove_file(&self.unfinished);
        }
    }
}

fn cannot(path: &Path, cause: std::io::Error) -> ApiError {
    Problem::CannotWrite { path: path.to_owned(), cause }.into()
}

/// The file's name alone: no folder, no hidden file, no control character, nothing a file system takes for something
/// else.
fn safe(name: &str) -> Result<String, ApiError> {
    let refused = |reason| Err(Problem::BadName { name: name.escape_debug().to_string(), reason }.into());
    // Browsers on Windows may send a whole path.
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default().trim();
    let plain =
        matches!(Path::new(last).components().collect::<Vec<_>>()[..], [Component::Normal(only)] if only == last);
    match last {
        "" => refused(NameFlaw::Empty),
        _ if last.starts_with('.') => refused(NameFlaw::Hidden),
        _ if last.len() > LONGEST => refused(NameFlaw::TooLong),
        _ if last.chars().any(|c| c.is_control() || ":*?\"<>|".contains(c)) => refused(NameFlaw::Characters),
        _ if !plain => refused(NameFlaw::NotPlain),
        _ => Ok(last.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::Code;

    #[test]
    fn no_name_leaves_the_folder() {
        let uploads = Uploads::beside(Path::new("/data/.okno"));
        assert_eq!(uploads.folder(), Path::new("/data/okno-uploads"));
        for (name, path) in [
            ("tea.md", "tea.md"),
            ("../../etc/passwd", "passwd"),
            ("C:\\letters\\茶.docx", "茶.docx"),
            ("/etc/cron.d/x", "x"),
        ] {
            assert_eq!(uploads.path(name).expect(name), uploads.folder().join(path));
        }
        for name in ["", "..", ".", "a/..", ".ssh", "a\0b", "x\ny", "con:aux", "a/", &"x".repeat(300)] {
            let refused = uploads.path(name).expect_err(name);
            assert_eq!(refused.code(), Code::BadName);
        }
    }
}
