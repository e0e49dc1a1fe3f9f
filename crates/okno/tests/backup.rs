//! Backups of an index, as the library makes and restores them; the program's are tested with its binary.

use okno::error::BackupError;
use okno::store::{EmbeddedStore, Store};
use okno::{Engine, Error, Query};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

struct Backed {
    folder: tempfile::TempDir,
}

impl Backed {
    /// Notes in an index.
    fn new() -> Self {
        let backed = Self { folder: tempfile::tempdir().unwrap() };
        backed.write();
        Engine::create(backed.path("index")).unwrap().index(&[backed.path("notes")]).unwrap();
        backed
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self) {
        std::fs::create_dir_all(self.path("notes")).unwrap();
        for number in 0..30 {
            let sentence = format!("Keeper{number:02} counted the lamps of pier{number:02} and wrote them down. ");
            std::fs::write(self.path(&format!("notes/n{number:02}.md")), sentence.repeat(40)).unwrap();
        }
    }

    fn backup(&self, file: &str) -> okno::Result<u64> {
        Ok(EmbeddedStore::open(&self.path("index"))?.backup(&self.path(file))?.bytes)
    }

    fn restore(&self, file: &str, folder: &str) -> okno::Result<usize> {
        Ok(EmbeddedStore::restore(&self.path(file), &self.path(folder))?.documents)
    }
}

/// The names and texts of an index, and what it answers.
fn content(index: &Path) -> (Vec<(String, String)>, Vec<String>) {
    let engine = Engine::open(index).unwrap();
    let snapshot = engine.snapshot().unwrap();
    let text = |number: u32| snapshot.text(number).unwrap().to_owned();
    let documents = snapshot.records().unwrap().iter();
    let documents = documents.map(|(number, record)| (record.id.name().to_owned(), text(*number))).collect();
    let answer = engine.search(&Query::new("What did Keeper07 count on pier07?").budget(300)).unwrap();
    (documents, answer.contexts.iter().map(|context| format!("{} {}", context.document, context.text)).collect())
}

fn reason(error: Error) -> BackupError {
    match error {
        Error::Backup { reason, .. } => reason,
        other => panic!("{other}"),
    }
}

#[test]
fn what_is_restored_is_what_was_backed_up() {
    let backed = Backed::new();
    let bytes = backed.backup("one.backup").unwrap();
    assert_eq!(std::fs::metadata(backed.path("one.backup")).unwrap().len(), bytes);
    assert!(!backed.path("one.backup.part").exists());
    assert_eq!(backed.restore("one.backup", "copy").unwrap(), 30);
    assert!(!backed.path("copy/.restoring").exists());
    assert_eq!(content(&backed.path("copy")), content(&backed.path("index")));
    let identity = |name: &str| {
        let store = EmbeddedStore::open(&backed.path(name)).unwrap();
        assert_eq!(store.check().unwrap(), []);
        store.snapshot().unwrap().identity()
    };
    assert_ne!(identity("copy"), identity("index"), "a cache would take one for the other");
    // It can be written to.
    let report = Engine::open(backed.path("copy")).unwrap().index(&[backed.path("notes")]).unwrap();
    assert_eq!((report.added, report.unchanged), (0, 30));
}

#[test]
fn a_changed_backup_is_refused_and_leaves_nothing() {
    let backed = Backed::new();
    backed.backup("one.backup").unwrap();
    let whole = std::fs::read(backed.path("one.backup")).unwrap();
    let refused = |bytes: &[u8]| {
        std::fs::write(backed.path("bad.backup"), bytes).unwrap();
        let reason = reason(backed.restore("bad.backup", "copy").unwrap_err());
        assert!(matches!(reason, BackupError::Changed | BackupError::NotABackup), "{reason}");
        assert!(!backed.path("copy").exists());
    };
    for at in (0..whole.len()).step_by(whole.len() / 50).chain(whole.len() - 40..whole.len()) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        refused(&bytes);
    }
    for length in [0, 39, 40, whole.len() / 2, whole.len() - 1] {
        refused(&whole[..length]);
    }
    refused(&[&whole[..], b"\0"].concat());
    refused(&whole[4096..]);
}

#[test]
fn a_backup_is_restored_only_where_nothing_is() {
    let backed = Backed::new();
    backed.backup("one.backup").unwrap();
    for folder in ["index", "notes", "one.backup"] {
        assert!(matches!(backed.restore("one.backup", folder), Err(Error::FolderInUse(_))), "{folder}");
    }
    // What an earlier restoring left behind is no obstacle.
    std::fs::create_dir_all(backed.path("copy/.restoring/lexical")).unwrap();
    std::fs::create_dir_all(backed.path("copy/lexical")).unwrap();
    std::fs::write(backed.path("copy/.restoring/data.mdb"), "half").unwrap();
    assert_eq!(backed.restore("one.backup", "copy").unwrap(), 30);
}

#[test]
fn damage_is_not_backed_up_and_the_earlier_backup_stays() {
    let backed = Backed::new();
    backed.backup("one.backup").unwrap();
    let before = std::fs::read(backed.path("one.backup")).unwrap();
    let data = backed.path("index/data.mdb");
    let mut bytes = std::fs::read(&data).unwrap();
    let words = b"Keeper07 counted";
    let at = bytes.windows(words.len()).position(|window| window == words).unwrap();
    bytes[at + 9] ^= 1;
    std::fs::write(&data, bytes).unwrap();
    let reason = reason(backed.backup("one.backup").unwrap_err());
    assert!(matches!(reason, BackupError::SourceDamaged { count: 1, .. }), "{reason}");
    assert_eq!(std::fs::read(backed.path("one.backup")).unwrap(), before);
    assert!(!backed.path("one.backup.part").exists());
}

/// Every backup that is made while a writer commits holds all documents, and checks without a fault.
#[test]
fn a_backup_made_while_a_writer_works_is_one_generation() {
    let backed = Backed::new();
    let store = EmbeddedStore::open(&backed.path("index")).unwrap();
    let (ended, mut backups) = (AtomicBool::new(false), 0);
    let snapshot = store.snapshot().unwrap();
    let documents = snapshot.numbers().len();
    let prepared = |number: u32| okno::store::PreparedDocument {
        record: snapshot.record(number).unwrap(),
        text: snapshot.text(number).unwrap().to_owned(),
        structure: (*snapshot.structure(number).unwrap()).clone(),
        derived: Vec::new(),
        vectors: snapshot.vectors(number).unwrap(),
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut writer = store.writer().unwrap();
            for _ in 0..4 {
                for number in snapshot.numbers() {
                    writer.put(&prepared(number)).unwrap();
                    writer.commit().unwrap();
                }
            }
            writer.finish().unwrap();
            ended.store(true, Ordering::SeqCst);
        });
        while !ended.load(Ordering::SeqCst) {
            assert_eq!(store.backup(&backed.path("one.backup")).unwrap().documents, documents);
            backups += 1;
        }
    });
    assert!(backups > 0);
    assert_eq!(backed.restore("one.backup", "copy").unwrap(), documents);
}
