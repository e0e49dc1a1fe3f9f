//! Loaders run behind this guard: a panic inside of one is an internal error of ours with its place, and costs one
//! file, or one page of it.
//!
//! The place of a panic is only known to the panic hook. Ours is installed once, in front of the one that was there,
//! and notes the place of panics on threads that are inside of [`catch`]; any other panic goes to the hook behind it.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::path::Path;
use std::sync::Once;

use super::little_text::Watched;
use super::{Loader, Sink, SkipReason, Source};

thread_local! {
    /// How many guards this thread is inside of.
    static GUARDS: Cell<usize> = const { Cell::new(0) };
    /// Where the last panic inside of one was.
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Where code panicked: `calamine-0.38.0/src/xls.rs:34`.
#[derive(Debug, Default)]
pub struct PanicPlace(pub String);

/// Runs something that reads a file. Where it panics, nothing is printed, and the place of the panic is the error.
pub fn catch<T>(read: impl FnOnce() -> T) -> Result<T, PanicPlace> {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(install);
    GUARDS.set(GUARDS.get() + 1);
    let result = catch_unwind(AssertUnwindSafe(read));
    GUARDS.set(GUARDS.get() - 1);
    result.map_err(|_| PanicPlace(PLACE.take()))
}

fn install() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |about| if GUARDS.get() > 0 { PLACE.set(place(about)) } else { before(about) }));
}

/// `crates/okno-load/src/csv.rs:12`, `calamine-0.38.0/src/xls.rs:34`: without the folders of the machine that built it.
fn place(about: &PanicHookInfo<'_>) -> String {
    about.location().map_or_else(String::new, |at| format!("{}:{}", portable(at.file()), at.line()))
}

fn portable(file: &str) -> String {
    let parts: Vec<&str> = file.split(['/', '\\']).collect();
    let source = parts.iter().rposition(|part| *part == "src" || *part == "tests").unwrap_or(0);
    let absolute = Path::new(file).is_absolute();
    parts[if absolute { source.saturating_sub(1) } else { 0 }..].join("/")
}

/// Parts of a document – pages, sheets, chapters – of which some may fail while the others are read.
#[derive(Debug, Default)]
pub(super) struct DocumentParts {
    failed: Vec<String>,
    count: usize,
    place: String,
}

/// So many are named, the others counted.
const NAMED: usize = 5;

impl DocumentParts {
    /// Reads one part; nothing where that panics, which is remembered.
    pub fn read<T>(&mut self, name: impl FnOnce() -> String, read: impl FnOnce() -> T) -> Option<T> {
        match catch(read) {
            Ok(part) => Some(part),
            Err(PanicPlace(place)) => {
                if self.count == 0 {
                    self.place = place;
                }
                self.count += 1;
                if self.failed.len() < NAMED {
                    self.failed.push(name());
                }
                None
            }
        }
    }

    /// Whether one failed.
    pub fn any(&self) -> bool {
        self.count > 0
    }

    /// What is missing, if anything is.
    pub fn missing(self) -> Option<SkipReason> {
        let Self { failed: parts, count, place } = self;
        (count > 0).then_some(SkipReason::PartsFailed { count, parts, place })
    }
}

/// A loader behind the guard: what [`super::choose`] and [`super::accepting`] give.
#[derive(Clone, Copy)]
pub struct Guarded<'l>(&'l dyn Loader);

impl<'l> Guarded<'l> {
    /// Puts a loader behind the guard.
    #[must_use]
    pub fn new(loader: &'l dyn Loader) -> Self {
        Self(loader)
    }
}

impl std::fmt::Debug for Guarded<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Guarded(…)")
    }
}

impl Loader for Guarded<'_> {
    fn accepts(&self, path: &Path, head: &[u8]) -> bool {
        catch(|| self.0.accepts(path, head)).unwrap_or(false)
    }

    fn load(&self, source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason> {
        let mut watched = Watched::new(out);
        let read = catch(|| self.0.load(source, &mut watched));
        read.unwrap_or_else(|PanicPlace(place)| Err(SkipReason::InternalError { place }))?;
        if let Some(little) = watched.little_text(source) {
            out.skip(source.name, little);
        }
        Ok(())
    }

    fn streams(&self) -> bool {
        self.0.streams()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{FileEntry, load_file};
    use super::*;
    use okno_document::message::{Lang, Message};

    /// Keeps what was skipped; unlike the suite of the contract, internal errors too.
    #[derive(Default)]
    struct Skipped(Vec<(String, SkipReason)>);

    impl Sink for Skipped {
        fn document(&mut self, _: okno_document::Loaded) {}

        fn skip(&mut self, place: &str, reason: SkipReason) {
            self.0.push((place.to_owned(), reason));
        }
    }

    /// Panics as the loader of PDFs did on sixteen real reports.
    struct Careless;

    impl Loader for Careless {
        fn accepts(&self, _: &Path, _: &[u8]) -> bool {
            true
        }

        fn load(&self, source: &Source<'_>, _: &mut dyn Sink) -> Result<(), SkipReason> {
            let text = source.text()?;
            Err(SkipReason::Walk { words: text[..1].to_owned() })
        }
    }

    #[test]
    fn a_panic_is_an_internal_error_with_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, "– a dash").unwrap();
        let entry = FileEntry { path, name: "a.txt".into(), size: 10, modified: 0 };
        let mut got = Skipped::default();
        load_file(&entry, &[Box::new(Careless)], 1 << 20, &mut got);
        let [(name, reason @ SkipReason::InternalError { place })] = &got.0[..] else { panic!("{:?}", got.0) };
        assert_eq!(name, "a.txt");
        assert!(place.starts_with("crates/okno-load/src/guard.rs:"), "{place}");
        assert_eq!(reason.code(), "internal_error");
        assert!(reason.text(Lang::En).contains("please report") && reason.text(Lang::Zh).contains("请报告"));
    }

    #[test]
    fn parts_that_fail_are_named_and_counted() {
        let mut parts = DocumentParts::default();
        let read: Vec<usize> =
            (1..=10).filter_map(|n| parts.read(|| n.to_string(), || if n > 3 { panic!("{n}") } else { n })).collect();
        assert_eq!(read, [1, 2, 3]);
        let Some(SkipReason::PartsFailed { count, parts, place }) = parts.missing() else { panic!() };
        assert_eq!((count, parts.join(" ").as_str()), (7, "4 5 6 7 8"));
        assert!(place.contains("guard.rs:"), "{place}");
        assert_eq!(DocumentParts::default().missing(), None);
    }

    #[test]
    fn places_do_not_name_the_machine_that_built_it() {
        assert_eq!(
            portable("/home/ann/.cargo/registry/src/index-1/calamine-0.38.0/src/xls.rs"),
            "calamine-0.38.0/src/xls.rs"
        );
        assert_eq!(portable("crates/okno-load/src/csv.rs"), "crates/okno-load/src/csv.rs");
    }
}
