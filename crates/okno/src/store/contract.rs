//! What every [`Store`] must do: one suite, run by each implementation.
//!
//! `open` opens the store under test; called again after the last one was dropped, it opens the same
//! store again. Every check starts from an empty store of its own.

mod hidden;

use super::{
    Ask, DocumentNumber, DocumentSet, FileState, Leg, PreparedDocument, Scored, Snapshot, Store, Vectors, Writer,
};
use crate::document::{
    Block, BlockKind, Derived, DerivedKind, DocumentId, ImageHash, Layer, MediaType, Metadata, Picture, Record, Span,
};
use crate::split::structure;
use std::collections::BTreeMap;

/// The length of the suite's vectors.
pub const DIMENSIONS: usize = 8;

/// The identity of the suite's embedder.
pub const EMBEDDER: &str = "contract";

/// Opens a store; the same one each time.
pub type OpenStore<'a> = &'a dyn Fn() -> Box<dyn Store>;

/// A check of a store.
pub type Check = fn(OpenStore<'_>);

/// All checks that need only one empty store, by name.
pub const CHECKS: &[(&str, Check)] = &[
    ("nothing is visible before a commit", nothing_before_commit),
    ("a snapshot never changes", snapshots_never_change),
    ("the same id replaces", the_same_id_replaces),
    ("a record is amended, and nothing else", a_record_is_amended),
    ("a dropped writer leaves nothing", a_dropped_writer_leaves_nothing),
    ("there is one writer", one_writer),
    ("both legs find, in order, only what is allowed", both_legs_find),
    ("an empty store finds nothing", an_empty_store_finds_nothing),
    ("derived units are found and stand for their targets", derived_units_are_found),
    ("every kind of derived unit is found", every_kind_is_found),
    ("a field that is searched from now on is found by its words", fields_are_found),
    ("copies are known", copies_are_known),
    ("files, roots and removals are remembered", small_things_are_remembered),
    ("all documents can be looked at, and a filter finds those it means", documents_are_looked_at),
    ("documents that somebody may not see are not there for them", hidden::hidden_documents_are_not_there),
];

/// Checks of stores that keep images.
pub const IMAGE_CHECKS: &[(&str, Check)] = &[
    ("images live as long as a document that has them", images_live_with_their_documents),
    ("an image is kept once and asked for once", an_image_is_kept_once),
    ("nor are their images", hidden::hidden_images_are_not_there),
];

/// A document of one paragraph with one image.
pub fn with_image(name: &str, text: &str, bytes: &[u8]) -> PreparedDocument {
    let mut document = document(name, text);
    document.structure.images.push(Picture {
        span: Span::new(0, 1),
        hash: ImageHash::of(bytes),
        media: MediaType::Png,
        alt: "what it shows".into(),
        caption: String::new(),
    });
    document
}

fn keep(writer: &mut dyn Writer, name: &str, text: &str, bytes: &[u8]) -> DocumentNumber {
    let number = writer.put(&with_image(name, text, bytes)).unwrap();
    writer.keep_image(number, ImageHash::of(bytes), &mut || Some(bytes.to_vec())).unwrap();
    number
}

fn images_live_with_their_documents(open: OpenStore<'_>) {
    let (shared, hash) = (b"pixels", ImageHash::of(b"pixels"));
    {
        let store = open();
        let mut writer = store.writer().unwrap();
        keep(&mut *writer, "a", "Alpha.", shared);
        assert_eq!(store.snapshot().unwrap().image(hash).unwrap(), None, "before the commit");
        keep(&mut *writer, "b", "Beta.", shared);
        writer.finish().unwrap();
    }
    let store = open();
    let kept = |hash| store.snapshot().unwrap().image(hash).unwrap();
    assert_eq!(kept(hash).as_deref(), Some(&shared[..]), "opened again");
    assert_eq!(kept(ImageHash::of(b"others")), None);
    let before = store.snapshot().unwrap();
    let first = before.numbers()[0];
    assert_eq!(before.structure(first).unwrap().images[0].hash, hash);
    // New derived units give a document a new number, and take nothing from it.
    let mut writer = store.writer().unwrap();
    let unit = Derived { kind: DerivedKind::Image, first: 0, end: 1, text: "pixels".into() };
    let first = writer.derive(first, &[unit], &vector("pixels")).unwrap();
    writer.commit().unwrap();
    assert!(writer.remove(first).unwrap());
    writer.commit().unwrap();
    assert!(kept(hash).is_some(), "the other document still has it");
    keep(&mut *writer, "b", "Beta changed.", b"other pixels");
    writer.finish().unwrap();
    assert_eq!(kept(hash), None, "its last document has another image now");
    assert!(kept(ImageHash::of(b"other pixels")).is_some());
    assert!(before.image(hash).unwrap().is_some(), "a snapshot never changes");
}

fn an_image_is_kept_once(open: OpenStore<'_>) {
    let store = open();
    let mut writer = store.writer().unwrap();
    let hash = ImageHash::of(b"pixels");
    keep(&mut *writer, "a", "Alpha.", b"pixels");
    let number = writer.put(&with_image("b", "Beta.", b"pixels")).unwrap();
    writer.keep_image(number, hash, &mut || panic!("asked twice")).unwrap();
    // One whose bytes are gone by the time it is stored is not there, and no error.
    let gone = writer.put(&with_image("c", "Gamma.", b"gone")).unwrap();
    writer.keep_image(gone, ImageHash::of(b"gone"), &mut || None).unwrap();
    writer.commit().unwrap();
    assert_eq!(store.snapshot().unwrap().image(ImageHash::of(b"gone")).unwrap(), None);
    assert!(writer.remove(gone).unwrap() && writer.remove(number).unwrap());
    writer.finish().unwrap();
    assert!(store.snapshot().unwrap().image(hash).unwrap().is_some());
}

/// A document of one paragraph.
pub fn document(name: &str, text: &str) -> PreparedDocument {
    let blocks = [Block { kind: BlockKind::Paragraph, span: Span::new(0, text.len()) }];
    let structure = structure(text, name, &blocks);
    let rows = |texts: Vec<&str>| texts.into_iter().flat_map(vector).collect();
    let record = Record {
        id: DocumentId { root: "/root".into(), path: name.into(), member: None },
        title: name.into(),
        language: None,
        metadata: Metadata::default(),
        hash: xxhash_rust::xxh3::xxh3_128(text.as_bytes()),
        bytes: text.len() as u64,
        sentences: structure.sentences.len() as u32,
    };
    let vectors = Vectors {
        sentences: rows(structure.sentences.iter().map(|s| s.span.of(text)).collect()),
        sections: rows(structure.sections.iter().map(|_| name).collect()),
        derived: Vec::new(),
    };
    PreparedDocument { record, text: text.into(), structure, derived: Vec::new(), vectors }
}

/// A vector by words: texts that share words are near each other.
pub fn vector(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0; DIMENSIONS];
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        vector[xxhash_rust::xxh3::xxh3_64(word.to_lowercase().as_bytes()) as usize % DIMENSIONS] += 1.0;
    }
    vector
}

fn texts(snapshot: &dyn Snapshot) -> BTreeMap<String, String> {
    let text = |number| (snapshot.record(number).unwrap().id.path, snapshot.text(number).unwrap().to_owned());
    snapshot.numbers().into_iter().map(text).collect()
}

fn put(store: &dyn Store, documents: &[(&str, &str)]) -> Vec<DocumentNumber> {
    let mut writer = store.writer().unwrap();
    let numbers = documents.iter().map(|(name, text)| writer.put(&document(name, text)).unwrap()).collect();
    writer.finish().unwrap();
    numbers
}

fn search(snapshot: &dyn Snapshot, leg: Leg, text: &str, allowed: Option<&DocumentSet>) -> Vec<Scored> {
    search_layer(snapshot, leg, Layer::Sentence, text, allowed)
}

fn search_layer(
    snapshot: &dyn Snapshot,
    leg: Leg,
    layer: Layer,
    text: &str,
    allowed: Option<&DocumentSet>,
) -> Vec<Scored> {
    let mut vector = vector(text);
    crate::embed::normalize(&mut vector);
    let rankings = [(leg, layer)];
    snapshot
        .search(&Ask { text, vector: &vector, rankings: &rankings, allowed, sections: None, fields: None, depth: 10 })
        .unwrap()
        .remove(0)
}

fn nothing_before_commit(open: OpenStore<'_>) {
    let store = open();
    let mut writer = store.writer().unwrap();
    writer.put(&document("a", "Alpha beta.")).unwrap();
    assert!(store.snapshot().unwrap().numbers().is_empty());
    writer.commit().unwrap();
    assert_eq!(texts(&*store.snapshot().unwrap()).len(), 1);
}

fn snapshots_never_change(open: OpenStore<'_>) {
    let store = open();
    put(&*store, &[("a", "Alpha beta."), ("b", "Gamma delta.")]);
    let before = store.snapshot().unwrap();
    let number = before.numbers()[0];
    put(&*store, &[("a", "Epsilon."), ("c", "Zeta.")]);
    assert_eq!(
        texts(&*before),
        BTreeMap::from([("a".into(), "Alpha beta.".into()), ("b".into(), "Gamma delta.".into())])
    );
    assert_eq!(search(&*before, Leg::Lexical, "alpha", None)[0].run.document, number);
    let after = store.snapshot().unwrap();
    assert!(after.generation() > before.generation());
    assert!(search(&*after, Leg::Lexical, "alpha", None).is_empty());
    assert_eq!(search(&*after, Leg::Lexical, "epsilon", None).len(), 1);
}

fn the_same_id_replaces(open: OpenStore<'_>) {
    let store = open();
    let old = put(&*store, &[("a", "Alpha beta.")])[0];
    let new = put(&*store, &[("a", "Alpha gamma.")])[0];
    assert_ne!(old, new, "numbers are never reused");
    let snapshot = store.snapshot().unwrap();
    assert_eq!(snapshot.numbers(), [new]);
    assert_eq!(search(&*snapshot, Leg::Lexical, "alpha", None).len(), 1);
    let mut writer = store.writer().unwrap();
    assert_eq!(writer.find(&document("a", "").record.id).unwrap().map(|(number, _)| number), Some(new));
    assert!(writer.remove(new).unwrap() && !writer.remove(new).unwrap());
    writer.finish().unwrap();
    assert!(store.snapshot().unwrap().numbers().is_empty());
}

fn a_record_is_amended(open: OpenStore<'_>) {
    let store = open();
    let number = put(&*store, &[("a", "The tea is green.")])[0];
    let before = store.snapshot().unwrap();
    let mut record = before.record(number).unwrap();
    record.metadata.set("kind", crate::document::Value::Text("note".into()));
    record.hash += 1;
    let mut writer = store.writer().unwrap();
    assert!(writer.amend(number, &record).unwrap() && !writer.amend(number + 1, &record).unwrap());
    assert_eq!(writer.record(number).unwrap().as_ref(), Some(&record), "seen before the commit");
    assert_eq!(writer.record(number + 1).unwrap(), None);
    assert_eq!(writer.find(&record.id).unwrap(), Some((number, record.hash)));
    writer.finish().unwrap();
    let after = store.snapshot().unwrap();
    assert_eq!(after.record(number).unwrap(), record);
    assert!(before.record(number).unwrap().metadata.0.is_empty(), "an older generation is as it was");
    for leg in [Leg::Dense, Leg::Lexical] {
        assert_eq!(search(&*after, leg, "green tea", None), search(&*before, leg, "green tea", None), "{leg:?}");
    }
}

fn a_dropped_writer_leaves_nothing(open: OpenStore<'_>) {
    let store = open();
    put(&*store, &[("a", "Alpha beta.")]);
    let mut writer = store.writer().unwrap();
    writer.put(&document("b", "Gamma.")).unwrap();
    writer.put(&document("a", "Delta.")).unwrap();
    drop(writer);
    drop(store);
    let store = open();
    put(&*store, &[("c", "Epsilon.")]);
    let snapshot = store.snapshot().unwrap();
    assert_eq!(
        texts(&*snapshot),
        BTreeMap::from([("a".into(), "Alpha beta.".into()), ("c".into(), "Epsilon.".into())])
    );
    assert!(search(&*snapshot, Leg::Lexical, "gamma delta", None).is_empty());
}

fn one_writer(open: OpenStore<'_>) {
    let store = open();
    let writer = store.writer().unwrap();
    assert!(store.writer().is_err());
    drop(writer);
    assert!(store.writer().is_ok());
}

fn both_legs_find(open: OpenStore<'_>) {
    let store = open();
    let numbers = put(
        &*store,
        &[("a", "The tea is green. The coffee is black."), ("b", "Green tea is brewed cool."), ("c", "Nothing here.")],
    );
    let snapshot = store.snapshot().unwrap();
    for leg in [Leg::Dense, Leg::Lexical] {
        let found = search(&*snapshot, leg, "green tea", None);
        assert!(found.len() >= 2 && found.windows(2).all(|w| w[0].score >= w[1].score), "{leg:?} {found:?}");
        assert!(found.iter().all(|f| f.score > 0.0 && f.score.is_finite()));
        let only = DocumentSet::from(vec![numbers[1]]);
        let allowed = search(&*snapshot, leg, "green tea", Some(&only));
        assert!(!allowed.is_empty() && allowed.iter().all(|f| f.run.document == numbers[1]), "{leg:?}");
        assert!(search(&*snapshot, leg, "green tea", Some(&DocumentSet::default())).is_empty());
        assert!(search(&*snapshot, leg, "?!", None).is_empty(), "{leg:?}");
    }
}

fn derived_units_are_found(open: OpenStore<'_>) {
    let store = open();
    let text = "Alpha beta. Gamma delta. Epsilon zeta.";
    let numbers = put(&*store, &[("a", text), ("b", "Eta theta.")]);
    let before = store.snapshot().unwrap();
    let unit = |first, end, text: &str| Derived { kind: DerivedKind::Question, first, end, text: text.into() };
    let units = [unit(0, 2, "Where is iota?"), unit(1, 3, "Kappa or iota kappa?")];
    let rows: Vec<f32> = units.iter().flat_map(|unit| vector(&unit.text)).collect();
    let mut writer = store.writer().unwrap();
    let number = writer.derive(numbers[0], &units, &rows).unwrap();
    writer.finish().unwrap();
    let snapshot = store.snapshot().unwrap();
    assert_eq!((&*snapshot.derived(number).unwrap(), &*snapshot.text(number).unwrap()), (&units[..], text));
    assert_eq!(snapshot.derived_counts(), &BTreeMap::from([(DerivedKind::Question, 2)]));
    assert!(before.derived_counts().is_empty() && before.text(numbers[0]).is_ok(), "a snapshot never changes");
    for leg in [Leg::Dense, Leg::Lexical] {
        let found = search_layer(&*snapshot, leg, Layer::Derived(DerivedKind::Question), "kappa", None);
        let best = found[0];
        assert_eq!((best.run.document, best.run.sentences(), best.derived), (number, 1..3, Some(1)), "{leg:?}");
        assert!(search_layer(&*snapshot, leg, Layer::Derived(DerivedKind::Summary), "kappa", None).is_empty());
    }
    assert!(search(&*snapshot, Leg::Lexical, "iota", None).is_empty(), "derived texts are no sentences");
    assert_eq!(search(&*snapshot, Leg::Lexical, "epsilon", None)[0].run.sentences(), 2..3);
    let mut writer = store.writer().unwrap();
    writer.remove(number).unwrap();
    writer.finish().unwrap();
    assert!(store.snapshot().unwrap().derived_counts().is_empty());
}

fn every_kind_is_found(open: OpenStore<'_>) {
    let store = open();
    let number = put(&*store, &[("a", "Alpha beta.")])[0];
    let units = DerivedKind::ALL.map(|kind| Derived {
        kind,
        first: 0,
        end: 1,
        text: format!("This {} says iota.", kind.name()),
    });
    let rows: Vec<f32> = units.iter().flat_map(|unit| vector(&unit.text)).collect();
    let mut writer = store.writer().unwrap();
    let number = writer.derive(number, &units, &rows).unwrap();
    writer.finish().unwrap();
    let snapshot = store.snapshot().unwrap();
    for (at, kind) in DerivedKind::ALL.into_iter().enumerate() {
        for leg in [Leg::Dense, Leg::Lexical] {
            let found = search_layer(&*snapshot, leg, Layer::Derived(kind), "iota", None);
            let found: Vec<_> = found.iter().map(|own| (own.run.document, own.derived)).collect();
            assert_eq!(found, [(number, Some(at as u32))], "{kind} {leg:?}");
        }
    }
}

fn fields_are_found(open: OpenStore<'_>) {
    let store = open();
    let mut document = document("a", "Alpha beta.");
    document.record.metadata.set("author", crate::document::Value::Text("Kappa".into()));
    let mut writer = store.writer().unwrap();
    writer.put(&document).unwrap();
    writer.finish().unwrap();
    assert!(search(&*store.snapshot().unwrap(), Leg::Lexical, "kappa", None).is_empty());
    let mut manifest = store.snapshot().unwrap().manifest().clone();
    manifest.embedded_fields = vec!["author".into()];
    let mut writer = store.writer().unwrap();
    writer.set_manifest(&manifest).unwrap();
    writer.put(&document).unwrap();
    writer.finish().unwrap();
    assert_eq!(search(&*store.snapshot().unwrap(), Leg::Lexical, "kappa", None).len(), 1);
}

fn an_empty_store_finds_nothing(open: OpenStore<'_>) {
    let snapshot = open().snapshot().unwrap();
    assert!(
        search(&*snapshot, Leg::Dense, "tea", None).is_empty()
            && search(&*snapshot, Leg::Lexical, "tea", None).is_empty()
    );
    assert!(snapshot.record(0).is_err() && snapshot.text(7).is_err() && snapshot.structure(1).is_err());
}

fn copies_are_known(open: OpenStore<'_>) {
    let store = open();
    let numbers = put(&*store, &[("a", "The same."), ("b", "Another."), ("c", "The same.")]);
    assert_eq!(store.snapshot().unwrap().copies()[..], [vec![numbers[0], numbers[2]]]);
}

fn small_things_are_remembered(open: OpenStore<'_>) {
    let store = open();
    let file = FileState {
        root: "/r".into(),
        path: "p".into(),
        modified: 1,
        size: 2,
        hash: 3,
        validator: None,
        documents: vec![4],
    };
    let id = document("a", "").record.id;
    let mut writer = store.writer().unwrap();
    writer.set_file(&file).unwrap();
    writer.set_roots(&["/r".into()]).unwrap();
    writer.set_removed(&id, Some(9)).unwrap();
    writer.cache_vector(5, &[0.5, 1.0]).unwrap();
    writer.finish().unwrap();
    drop(store);
    let store = open();
    let snapshot = store.snapshot().unwrap();
    assert_eq!((snapshot.files().unwrap(), snapshot.roots()), (vec![file], &["/r".to_owned()][..]));
    assert_eq!(snapshot.removed().unwrap(), BTreeMap::from([(super::id_key(&id), 9)]));
    let mut writer = store.writer().unwrap();
    assert_eq!((writer.removed(&id).unwrap(), writer.cached_vector(5).unwrap()), (Some(9), Some(vec![0.5, 1.0])));
    writer.set_removed(&id, None).unwrap();
    writer.forget_file("/r", "p").unwrap();
    assert_eq!(writer.removed(&id).unwrap(), None);
    writer.finish().unwrap();
    assert!(store.snapshot().unwrap().files().unwrap().is_empty());
}

fn documents_are_looked_at(open: OpenStore<'_>) {
    let store = open();
    let numbers = put(&*store, &[("a", "Alpha beta."), ("b", "Gamma. Delta."), ("c", "Epsilon.")]);
    let mark = |writer: &mut dyn Writer, number, kind: &str| {
        let mut record = writer.record(number).unwrap().unwrap();
        record.metadata.set("kind", crate::document::Value::Text(kind.into()));
        assert!(writer.amend(number, &record).unwrap());
    };
    let found = |kind: &str| {
        let snapshot = store.snapshot().unwrap();
        snapshot.matching(&crate::document::Filter::equal("kind", kind)).unwrap()
    };
    let mut writer = store.writer().unwrap();
    mark(&mut *writer, numbers[0], "note");
    mark(&mut *writer, numbers[1], "note");
    writer.commit().unwrap();
    assert_eq!((found("note"), found("book")), (numbers[..2].to_vec(), vec![]));
    // Asked again, of other generations: what is amended, gone and new counts.
    mark(&mut *writer, numbers[0], "book");
    writer.remove(numbers[1]).unwrap();
    writer.commit().unwrap();
    let new = writer.put(&document("d", "Zeta eta.")).unwrap();
    mark(&mut *writer, new, "note");
    writer.finish().unwrap();
    assert_eq!((found("note"), found("book")), (vec![new], vec![numbers[0]]));
    let snapshot = store.snapshot().unwrap();
    let (mut records, mut documents) = (Vec::new(), Vec::new());
    snapshot.each_record(&mut |number, record| records.push((number, record.clone()))).unwrap();
    assert_eq!(records, snapshot.records().unwrap());
    snapshot
        .each_document(&mut |number, record, structure, text| {
            assert_eq!(structure.sentences.len(), record.sentences as usize);
            documents.push((number, text.to_owned()));
        })
        .unwrap();
    let text = |&(number, _): &(DocumentNumber, Record)| (number, snapshot.text(number).unwrap().to_owned());
    assert_eq!(documents, records.iter().map(text).collect::<Vec<_>>());
    let totals = snapshot.totals().unwrap();
    let bytes = documents.iter().map(|(_, text)| text.len() as u64).sum::<u64>();
    assert_eq!((totals.documents, totals.sentences, totals.bytes), (3, 3, bytes));
}

/// A step of a random history.
#[derive(Debug, Clone)]
pub enum HistoryStep {
    /// Puts a document: name and text by number.
    Put(u8, u8),
    /// Removes a document.
    Remove(u8),
    /// Makes what was done visible.
    Commit,
    /// Closes the store without a commit, and opens it again.
    Reopen,
}

/// Runs a history beside a map of names to texts; after every commit and reopening both must agree.
pub fn history(open: OpenStore<'_>, steps: &[HistoryStep]) {
    let (mut committed, mut current) = (BTreeMap::new(), BTreeMap::new());
    let mut rest = steps.iter().peekable();
    while rest.peek().is_some() {
        let store = open();
        agree(&*store, &committed);
        let mut writer = store.writer().unwrap();
        for step in rest.by_ref() {
            match step {
                HistoryStep::Put(name, text) => {
                    let (name, text) = (format!("n{name}"), format!("Word{text} here. Shared tail{text}."));
                    writer.put(&document(&name, &text)).unwrap();
                    current.insert(name, text);
                }
                HistoryStep::Remove(name) => {
                    let name = format!("n{name}");
                    let found = writer.find(&document(&name, "").record.id).unwrap();
                    assert_eq!(found.is_some(), current.remove(&name).is_some());
                    found.map(|(number, _)| writer.remove(number).unwrap());
                }
                HistoryStep::Commit => {
                    writer.commit().unwrap();
                    committed.clone_from(&current);
                    agree(&*store, &committed);
                }
                HistoryStep::Reopen => break,
            }
        }
        drop(writer);
        current.clone_from(&committed);
    }
    agree(&*open(), &committed);
}

/// The store holds exactly these documents, and the lexical leg finds each of their words: in all documents of a text,
/// or in one of them.
fn agree(store: &dyn Store, expected: &BTreeMap<String, String>) {
    let snapshot = store.snapshot().unwrap();
    assert_eq!(&texts(&*snapshot), expected);
    for (name, text) in expected {
        let word = text.split(' ').next().unwrap();
        let found = search(&*snapshot, Leg::Lexical, word, None);
        let named = |scored: &Scored| snapshot.record(scored.run.document).unwrap().id.path;
        let same = expected.iter().filter(|(other, own)| *other == name || !snapshot.finds_copies() && *own == text);
        let either: Vec<&String> = same.map(|(name, _)| name).collect();
        assert!(found.iter().any(|scored| either.contains(&&named(scored))), "{word} must be found in {either:?}");
        assert!(found.iter().all(|scored| expected.contains_key(&named(scored))));
    }
}
