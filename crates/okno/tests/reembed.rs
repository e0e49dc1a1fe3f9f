//! Another embedder for an index: only vectors change, all at once or not at all.

use okno::embed::{EmbedError, Embedder, Role};
use okno::{Engine, Error, Progress, Query, Silent};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Letters counted, by an embedder that takes its time.
struct Letters {
    identity: &'static str,
    dimensions: usize,
    texts: AtomicUsize,
}

impl Letters {
    fn new(identity: &'static str, dimensions: usize) -> Arc<Self> {
        Arc::new(Self { identity, dimensions, texts: AtomicUsize::new(0) })
    }

    fn asked(&self) -> usize {
        self.texts.swap(0, Ordering::Relaxed)
    }
}

impl Embedder for Letters {
    fn identity(&self) -> &str {
        self.identity
    }
    fn dimensions(&self) -> usize {
        self.dimensions
    }
    fn embed(&self, texts: &[&str], _: Role) -> Result<Vec<f32>, EmbedError> {
        self.texts.fetch_add(texts.len(), Ordering::Relaxed);
        let mut vectors = vec![0.0; texts.len() * self.dimensions];
        for (text, vector) in texts.iter().zip(vectors.chunks_mut(self.dimensions)) {
            text.chars().for_each(|c| vector[c as usize % self.dimensions] += 1.0);
        }
        Ok(vectors)
    }
}

/// Stops after some blocks of texts.
struct StopAfter(AtomicUsize);

impl Progress for StopAfter {
    fn stop(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_sub(1))) == Ok(0)
    }
}

fn documents(folder: &std::path::Path) -> std::path::PathBuf {
    let notes = folder.join("notes");
    std::fs::create_dir(&notes).unwrap();
    for number in 0..40 {
        let sentences: String =
            (0..20).map(|i| format!("Sentence {i} of note {number} is about x{number}y{i}. ")).collect();
        std::fs::write(notes.join(format!("{number}.md")), format!("# Note {number}\n\n{sentences}")).unwrap();
    }
    notes
}

/// What a question finds, and everything else one can see of an index.
fn seen(engine: &Engine) -> (Vec<String>, Vec<String>) {
    let answer = engine.search(&Query::new("What is x7y3 about?")).unwrap();
    let snapshot = engine.snapshot().unwrap();
    let documents = snapshot.numbers().into_iter().map(|number| {
        let derived = snapshot.derived(number).unwrap();
        format!("{number} {:?} {:?} {}", snapshot.record(number).unwrap(), derived, &*snapshot.text(number).unwrap())
    });
    (answer.contexts.into_iter().map(|context| context.text).collect(), documents.collect())
}

#[test]
fn only_vectors_change_and_no_file_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let notes = documents(folder.path());
    let index = folder.path().join(".okno");
    let (first, second) = (Letters::new("letters@1", 7), Letters::new("letters@2", 11));
    let mut engine = Engine::builder().embedder(Arc::clone(&first) as Arc<dyn Embedder>).create(&index).unwrap();
    engine.index(&[&notes]).unwrap();
    let units = r#"{"document": "7.md", "layer": "summary", "text": "All about seven."}"#;
    engine.import_units(units.as_bytes()).unwrap();
    let before = seen(&engine);
    std::fs::remove_dir_all(&notes).unwrap();
    let report = engine.reembed(Arc::clone(&second) as Arc<dyn Embedder>, &Silent).unwrap();
    assert_eq!((report.from.as_str(), report.to.as_str(), report.documents), ("letters@1", "letters@2", 40));
    assert_eq!(seen(&engine).1, before.1, "records, texts, numbers and derived units are those of before");
    assert!(seen(&engine).0[0].contains("x7y3"));
    drop(engine);
    assert!(matches!(Engine::builder().embedder(first).open(&index), Err(Error::Embedder { .. })));
    let expected = {
        let fresh = folder.path().join("fresh");
        std::fs::create_dir(&fresh).unwrap();
        let notes = documents(&fresh);
        let other = Engine::builder().embedder(Letters::new("letters@2", 11)).create(fresh.join(".okno")).unwrap();
        other.index(&[notes]).unwrap();
        other.import_units(units.as_bytes()).unwrap();
        seen(&other).0
    };
    assert_eq!(seen(&Engine::builder().embedder(second).open(&index).unwrap()).0, expected, "as if made with it");
}

#[test]
fn a_run_that_was_stopped_changes_nothing_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let notes = documents(folder.path());
    let mut engine = Engine::create(folder.path().join(".okno")).unwrap();
    engine.index(&[&notes]).unwrap();
    let before = seen(&engine);
    let slow = Letters::new("letters@1", 7);
    let stopping = StopAfter(AtomicUsize::new(2));
    let report = engine.reembed(Arc::clone(&slow) as Arc<dyn Embedder>, &stopping).unwrap();
    assert!(report.stopped && report.documents == 0);
    let made = slow.asked();
    assert!(made > 0);
    assert_eq!(seen(&engine), before, "still the embedder it had");
    assert!(!engine.reembed(Arc::clone(&slow) as Arc<dyn Embedder>, &Silent).unwrap().stopped);
    let rest = slow.asked();
    engine.reembed(Arc::new(okno::embed::BuiltIn::default()), &Silent).unwrap();
    assert_eq!(seen(&engine), before, "and back again");
    engine.reembed(Arc::clone(&slow) as Arc<dyn Embedder>, &Silent).unwrap();
    assert_eq!(
        slow.asked(),
        made + rest,
        "what was made before the stop was not made again, and the way back forgot it all"
    );
}

#[test]
fn an_engine_that_was_open_meanwhile_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let notes = documents(folder.path());
    let index = folder.path().join(".okno");
    let mut engine = Engine::create(&index).unwrap();
    engine.index(&[&notes]).unwrap();
    let snapshot = engine.snapshot().unwrap();
    engine.reembed(Letters::new("letters@1", 7), &Silent).unwrap();
    let error = engine.search_in(&*snapshot, &Query::new("x1y1")).unwrap_err();
    assert!(matches!(error, Error::Embedder { .. }), "vectors of two embedders are never compared: {error}");
}

#[test]
fn indexing_with_a_slow_embedder_stops_inside_a_document_and_keeps_its_vectors() {
    let folder = tempfile::tempdir().unwrap();
    let notes = documents(folder.path());
    let slow = Letters::new("letters@1", 7);
    let engine =
        Engine::builder().embedder(Arc::clone(&slow) as Arc<dyn Embedder>).create(folder.path().join(".okno")).unwrap();
    let report = engine.index_with(&[&notes], &okno::IndexOptions::default(), &StopAfter(AtomicUsize::new(2))).unwrap();
    assert!(report.stopped && report.added == 0, "{report:?}");
    let first = slow.asked();
    let report = engine.index(&[&notes]).unwrap();
    assert_eq!(report.added, 40);
    let second = slow.asked();
    let whole = Letters::new("letters@1", 7);
    let other = Engine::builder()
        .embedder(Arc::clone(&whole) as Arc<dyn Embedder>)
        .create(folder.path().join("other"))
        .unwrap();
    other.index(&[&notes]).unwrap();
    assert!(first > 0 && first + second == whole.asked(), "nothing was embedded twice");
}

/// The stop came while vectors were exchanged, and half of them were kept under the new embedder's name.
#[test]
fn a_stop_in_the_middle_of_the_exchange_leaves_the_index_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let notes = documents(folder.path());
    let index = folder.path().join(".okno");
    let mut engine = Engine::create(&index).unwrap();
    engine.index(&[&notes]).unwrap();
    let before = seen(&engine);
    // A few looks while vectors are made, then one per document.
    for looks in [8, 20, 39] {
        let report = engine.reembed(Letters::new("letters@1", 7), &StopAfter(AtomicUsize::new(looks))).unwrap();
        assert!(report.stopped, "after {looks} looks");
        drop(engine);
        engine = Engine::open(&index).unwrap();
        assert_eq!(seen(&engine), before, "after {looks} looks");
    }
}

/// Fails after some texts, as a service does whose quota is used up.
struct Failing(Arc<Letters>, AtomicUsize);

impl Embedder for Failing {
    fn identity(&self) -> &str {
        self.0.identity()
    }
    fn dimensions(&self) -> usize {
        self.0.dimensions()
    }
    fn embed(&self, texts: &[&str], role: Role) -> Result<Vec<f32>, EmbedError> {
        let left = self.1.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(texts.len()));
        left.map_err(|_| EmbedError::new("the quota is used up"))?;
        self.0.embed(texts, role)
    }
}

/// What a service was paid for was lost with the error.
#[test]
fn an_embedder_that_fails_half_way_is_not_asked_again_for_what_it_made() {
    let folder = tempfile::tempdir().unwrap();
    let notes = documents(folder.path());
    let letters = Letters::new("letters@1", 7);
    let failing = || Arc::new(Failing(Arc::clone(&letters), AtomicUsize::new(600)));
    let index = folder.path().join(".okno");
    let failed = Engine::builder().embedder(failing()).create(&index).unwrap().index(&[&notes]).unwrap_err();
    assert!(failed.to_string().contains("the quota is used up"), "{failed}");
    let first = letters.asked();
    let engine = Engine::builder().embedder(Arc::clone(&letters) as Arc<dyn Embedder>).open(&index).unwrap();
    assert_eq!(engine.index(&[&notes]).unwrap().added + engine.snapshot().unwrap().numbers().len(), 80);
    let second = letters.asked();
    let mut other = Engine::create(folder.path().join("other")).unwrap();
    other.index(&[&notes]).unwrap();
    assert!(other.reembed(failing(), &Silent).is_err());
    let (third, _) = (letters.asked(), other.search(&Query::new("x7y3")).unwrap());
    other.reembed(Arc::clone(&letters) as Arc<dyn Embedder>, &Silent).unwrap();
    assert!(first > 0 && third > 0);
    assert_eq!(first + second, third + letters.asked(), "each text once, however it was interrupted");
}
