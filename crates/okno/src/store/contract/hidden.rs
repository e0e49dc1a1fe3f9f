//! What a view of somebody's documents holds of a store.

use super::{OpenStore, document, keep, search};
use crate::document::{ALLOW, Access, Derived, DerivedKind, ImageHash, Value};
use crate::store::{DocumentSet, Leg, SnapshotViews};
use std::sync::Arc;

pub fn hidden_documents_are_not_there(open: OpenStore<'_>) {
    let store = open();
    let mut writer = store.writer().unwrap();
    let mut put = |name: &str, allow: &str| {
        let mut document = document(name, "The kettle sings in the morning.");
        document.record.metadata.set(ALLOW, Value::Text(allow.to_owned()));
        let number = writer.put(&document).unwrap();
        let unit = Derived { kind: DerivedKind::Summary, first: 0, end: 1, text: "a kettle".into() };
        writer.derive(number, &[unit], &super::vector("kettle")).unwrap()
    };
    let (hr, board) = (put("hr", "hr, staff"), put("board", "board"));
    let public = writer.put(&document("public", "The kettle is on the stove.")).unwrap();
    writer.commit().unwrap();
    let (views, whole) = (SnapshotViews::default(), store.snapshot().unwrap());
    assert_eq!(whole.copies().len(), 1);
    for (groups, expected) in [("", vec![public]), ("staff", vec![hr, public]), ("board,x", vec![board, public])] {
        let access = Access::of([groups]);
        assert!(views.hides(&*whole, &access).unwrap());
        let seen = views.of(Arc::clone(&whole), &access).unwrap();
        assert_eq!(seen.numbers(), expected);
        let listed: Vec<_> = seen.records().unwrap().iter().map(|(number, _)| *number).collect();
        assert_eq!(listed, expected);
        assert_eq!(seen.totals().unwrap().documents, expected.len());
        assert_eq!(seen.derived_counts().get(&DerivedKind::Summary).copied().unwrap_or(0), expected.len() - 1);
        assert!(seen.copies().is_empty());
        let all = DocumentSet::from(vec![hr, board, public]);
        for leg in [Leg::Dense, Leg::Lexical] {
            for allowed in [None, Some(&all)] {
                let mut found: Vec<_> = search(&*seen, leg, "kettle", allowed).iter().map(|s| s.run.document).collect();
                found.sort_unstable();
                assert_eq!(found, expected, "{leg:?}");
            }
        }
        for number in [hr, board, public] {
            assert_eq!(seen.text(number).is_ok(), expected.contains(&number));
            assert_eq!(seen.record(number).is_ok(), expected.contains(&number));
        }
    }
    let everything = Access::of(["hr", "board"]);
    assert!(!views.hides(&*whole, &everything).unwrap());
    assert_eq!(views.of(whole, &everything).unwrap().numbers(), [hr, board, public]);
}

pub fn hidden_images_are_not_there(open: OpenStore<'_>) {
    let store = open();
    let mut writer = store.writer().unwrap();
    let number = keep(&mut *writer, "a", "Alpha.", b"pixels");
    let mut record = writer.record(number).unwrap().unwrap();
    record.metadata.set(ALLOW, Value::Text("hr".into()));
    assert!(writer.amend(number, &record).unwrap());
    writer.commit().unwrap();
    let (views, hash) = (SnapshotViews::default(), ImageHash::of(b"pixels"));
    let image = |access| views.of(store.snapshot().unwrap(), &access).unwrap().image(hash).unwrap();
    assert_eq!(image(Access::public()), None);
    assert!(image(Access::of(["hr"])).is_some());
    keep(&mut *writer, "b", "Beta.", b"pixels");
    writer.finish().unwrap();
    assert!(image(Access::public()).is_some(), "a document for everybody has it too");
}
