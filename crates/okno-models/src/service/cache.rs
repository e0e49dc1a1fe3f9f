//! A cache of answers on disk: the same request costs nothing the second time.
//!
//! One small file per answer, named by a hash of the model and the whole request. Files are written beside and renamed,
//! so that a reader finds all or nothing; one that cannot be read is a cache miss. When the folder grows beyond its
//! limit, the least recently used go first. Failing to write is not an error: the answer is there. A caller that finds
//! an answer unusable reports it ([`Generator::forget`]), and it is removed.

use okno::generate::{Completion, GenerateError, Generator, Request, Usage};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

/// A quarter of a gigabyte: some hundred thousand summaries.
pub const DEFAULT_CACHE_SIZE: u64 = 256 << 20;

/// A model whose answers are kept.
#[derive(Debug)]
pub struct Cached<G> {
    inner: G,
    folder: PathBuf,
    limit: u64,
    variant: String,
    /// Bytes in the folder, as far as is known; `UNKNOWN` before the first look.
    size: AtomicU64,
}

const UNKNOWN: u64 = u64::MAX;

/// What a file holds.
#[derive(Serialize, Deserialize)]
struct CachedAnswer {
    model: String,
    text: String,
}

impl<G: Generator> Cached<G> {
    /// Keeps the answers of a model in a folder, in at most this many bytes.
    pub fn new(inner: G, folder: impl Into<PathBuf>, limit: u64) -> Self {
        Self { inner, folder: folder.into(), limit, variant: String::new(), size: AtomicU64::new(UNKNOWN) }
    }

    /// The same for a model with settings that are not part of requests, such as its default temperature: they become
    /// part of the key.
    #[must_use]
    pub fn variant(self, settings: impl Into<String>) -> Self {
        Self { variant: settings.into(), ..self }
    }

    fn path(&self, request: &Request) -> Option<PathBuf> {
        let mut hash = Sha256::new();
        for part in [self.inner.identity(), &self.variant, &serde_json::to_string(request).ok()?] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        let name: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Some(self.folder.join(&name[..2]).join(format!("{name}.json")))
    }

    fn read(&self, path: &Path) -> Option<String> {
        let kept: CachedAnswer = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
        (kept.model == self.inner.identity() && !kept.text.trim().is_empty()).then_some(())?;
        // Marks it as used now. If that fails, it is only removed earlier.
        if let Ok(file) = std::fs::File::options().append(true).open(path) {
            let _ = file.set_modified(SystemTime::now());
        }
        Some(kept.text)
    }

    fn keep(&self, path: &Path, completion: &Completion) -> std::io::Result<()> {
        let kept = CachedAnswer { model: self.inner.identity().to_owned(), text: completion.text.clone() };
        let bytes = serde_json::to_vec(&kept)?;
        let folder = path.parent().unwrap_or(&self.folder);
        private_folder(&self.folder)?;
        std::fs::create_dir_all(folder)?;
        // Two processes may keep the same answer at once: each writes its own file, the later name wins.
        let new = path.with_extension(format!("{}-{:?}.new", std::process::id(), std::thread::current().id()));
        std::fs::write(&new, &bytes)?;
        std::fs::rename(&new, path)?;
        self.grown(bytes.len() as u64);
        Ok(())
    }

    /// Counts what was added, and removes old files if necessary.
    fn grown(&self, by: u64) {
        let known = self.size.load(Ordering::Relaxed);
        if known == UNKNOWN || known.saturating_add(by) > self.limit {
            self.size.store(shrink(&self.folder, self.limit), Ordering::Relaxed);
        } else {
            self.size.fetch_add(by, Ordering::Relaxed);
        }
    }
}

/// Answers quote documents, so only the owner may read the folder.
fn private_folder(folder: &Path) -> std::io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    std::fs::create_dir_all(folder)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

/// If the limit is exceeded, removes the least recently used files until a tenth of it is free; returns the bytes that
/// are left.
fn shrink(folder: &Path, limit: u64) -> u64 {
    let inside = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<(SystemTime, u64, PathBuf)> = inside(folder)
        .flat_map(|part| inside(&part.path()).collect::<Vec<_>>())
        .filter_map(|file| file.metadata().ok().and_then(|data| Some((data.modified().ok()?, data.len(), file.path()))))
        .collect();
    let mut size: u64 = files.iter().map(|(_, length, _)| length).sum();
    if size > limit {
        files.sort_unstable();
        for (_, length, path) in files {
            if size <= limit / 10 * 9 {
                break;
            }
            if std::fs::remove_file(path).is_ok() {
                size -= length;
            }
        }
    }
    size
}

impl<G: Generator> Generator for Cached<G> {
    fn identity(&self) -> &str {
        self.inner.identity()
    }

    fn generate(
        &self,
        request: &Request,
        on_text: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<Completion, GenerateError> {
        let path = self.path(request);
        if let Some(text) = path.as_deref().and_then(|path| self.read(path)) {
            return match on_text(&text) {
                ControlFlow::Break(()) => Err(GenerateError::Stopped),
                ControlFlow::Continue(()) => Ok(Completion { text, usage: Usage::default(), cut: false, cached: true }),
            };
        }
        let completion = self.inner.generate(request, on_text)?;
        // An answer that was cut off or is empty is not cached.
        if let Some(path) = path.filter(|_| !completion.cut && !completion.text.trim().is_empty()) {
            let _ = self.keep(&path, &completion);
        }
        Ok(completion)
    }

    fn concurrency(&self) -> usize {
        self.inner.concurrency()
    }

    fn room(&self) -> Option<usize> {
        self.inner.room()
    }

    fn forget(&self, request: &Request) {
        // Not an error if it was never cached.
        self.path(request).map(std::fs::remove_file);
    }
}
