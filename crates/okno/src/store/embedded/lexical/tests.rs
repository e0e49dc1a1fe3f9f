use super::draft::SegmentDraft;
use super::merge::merged;
use super::segment::{Segment, SegmentDocument, SegmentWriter};
use super::*;
use crate::document::Structure;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use tempfile::TempDir;

const GENERATIONS: IndexIdentity = IndexIdentity(7);

fn structure(text: &str) -> Structure {
    crate::split::structure(text, "", &crate::load::markdown_blocks(text))
}

fn add(writer: &mut LexicalWriter, number: DocumentNumber, text: &str) {
    writer.add(number, text, "", &structure(text), &[]).unwrap();
}

fn documents_with(folder: &TempDir, term: &str) -> Vec<DocumentNumber> {
    let lexical = Lexical::open(folder.path(), Some(GENERATIONS), None).unwrap();
    let found = lexical.postings(&[TermSource::Body], term, |place| Some(place.document)).unwrap();
    found.into_iter().map(|(number, _)| number).collect()
}

fn files(folder: &TempDir) -> usize {
    fs_err::read_dir(folder.path()).unwrap().count()
}

#[test]
fn many_small_commits_become_few_segments_and_removed_documents_leave() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = LexicalWriter::create(folder.path()).unwrap();
    for number in 0..40 {
        add(&mut writer, number, &format!("tea number{number}"));
        if number % 2 == 1 {
            writer.remove(number);
        }
        writer.commit(u64::from(number) + 1, GENERATIONS).unwrap();
    }
    assert!(files(&folder) < 12, "{} files", files(&folder));
    let found = documents_with(&folder, "tea");
    assert!((0..40).step_by(2).all(|number| found.contains(&number)));
    assert!(found.len() < 30, "{found:?}");
    assert_eq!(documents_with(&folder, "number38"), [38]);
}

#[test]
fn what_never_became_visible_is_taken_out() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = LexicalWriter::create(folder.path()).unwrap();
    add(&mut writer, 0, "tea");
    writer.commit(1, GENERATIONS).unwrap();
    add(&mut writer, 1, "tea");
    writer.commit(2, GENERATIONS).unwrap();
    // The key-value store knows the first commit only.
    let mut writer = LexicalWriter::open(folder.path()).unwrap();
    assert_eq!(writer.built_from(2, GENERATIONS, 2), Built::Exactly);
    assert_eq!(writer.built_from(3, GENERATIONS, 2), Built::Otherwise);
    assert_eq!(writer.built_from(1, IndexIdentity(8), 1), Built::Otherwise);
    assert_eq!(writer.built_from(1, GENERATIONS, 1), Built::Beyond);
    writer.remove_from(1);
    writer.commit(1, GENERATIONS).unwrap();
    assert_eq!((documents_with(&folder, "tea"), files(&folder)), (vec![0], 2));
    // A killed writer leaves files that no list names.
    fs_err::write(folder.path().join("left.idx"), "half").unwrap();
    drop(LexicalWriter::open(folder.path()).unwrap());
    assert_eq!(files(&folder), 2);
}

type Lists = BTreeMap<Vec<u8>, Vec<(u32, u32)>>;

fn written(folder: &TempDir, lists: &Lists, rows: u32) -> Segment {
    let mut writer = SegmentWriter::create(folder.path().join("a.idx")).unwrap();
    for (term, postings) in lists {
        writer.put(term, postings).unwrap();
    }
    let document = SegmentDocument { number: 3, first: 0, sentences: rows, sections: 0, derived: 0 };
    writer.finish(&[document]).unwrap()
}

fn read(segment: &Segment) -> LexicalResult<Lists> {
    let mut lists = Lists::new();
    let mut terms = segment.terms_from(&[])?;
    while terms.advance()? {
        let mut postings = Vec::new();
        let _ = terms.list().read(|row, count| {
            postings.push((row, count));
            ControlFlow::Continue(())
        })?;
        lists.insert(terms.term.clone(), postings);
    }
    Ok(lists)
}

fn lists() -> impl Strategy<Value = Lists> {
    let postings = prop::collection::btree_map(0..500u32, 1..4u32, 1..40);
    let postings = postings.prop_map(|postings| postings.into_iter().collect());
    prop::collection::btree_map(prop::collection::vec(97..100u8, 0..6), postings, 0..120)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_segment_holds_what_was_put(lists in lists()) {
        let folder = tempfile::tempdir().unwrap();
        let segment = written(&folder, &lists, 500);
        segment.refuse_damaged().unwrap();
        prop_assert_eq!(&read(&segment).unwrap(), &lists);
        for term in lists.keys() {
            prop_assert_eq!(segment.list(term).unwrap().unwrap().length, lists[term].len());
            let longer = [term.as_slice(), b"!"].concat();
            prop_assert!(segment.list(&longer).unwrap().is_none());
        }
    }

    #[test]
    fn a_changed_byte_is_noticed_and_never_a_panic(
        lists in lists(),
        places in prop::collection::vec(any::<(u16, u8)>(), 8),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let bytes = fs_err::read(written(&folder, &lists, 500).path()).unwrap();
        for (at, change) in places {
            let (mut bytes, at) = (bytes.clone(), usize::from(at) % bytes.len());
            bytes[at] ^= change.max(1);
            let path = folder.path().join("b.idx");
            fs_err::write(&path, &bytes).unwrap();
            if let Ok(segment) = Segment::open(&path) {
                prop_assert!(segment.refuse_damaged().is_err());
                let _ = (read(&segment), segment.list(b"abc").map(|list| list.is_some()));
            }
        }
    }

    #[test]
    fn segments_merged_hold_what_stays(
        texts in prop::collection::vec(prop::collection::vec("[a-d]{1,3}", 1..5), 1..20),
        cuts in 1..5usize,
        removed in prop::collection::btree_set(0..20u32, 0..8),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let texts: Vec<String> = texts.iter().map(|words| words.join(" ")).collect();
        let (mut segments, mut next) = (Vec::new(), 0);
        for (part, texts) in texts.chunks(texts.len().div_ceil(cuts)).enumerate() {
            let mut draft = SegmentDraft::default();
            for text in texts {
                draft.add(next, text, "", &structure(text), &[]);
                next += 1;
            }
            segments.push(draft.write(folder.path().join(format!("{part}.idx"))).unwrap());
        }
        let all: Vec<&Segment> = segments.iter().collect();
        let one = merged(&all, &removed, folder.path().join("one.idx")).unwrap();
        let mut expected: BTreeMap<Vec<u8>, Vec<(DocumentNumber, u32)>> = BTreeMap::new();
        for segment in &segments {
            for (term, postings) in by_document(segment) {
                let stay = postings.into_iter().filter(|(number, _)| !removed.contains(number));
                expected.entry(term).or_default().extend(stay);
            }
        }
        expected.retain(|_, postings| !postings.is_empty());
        prop_assert_eq!(one.as_ref().map(by_document).unwrap_or_default(), expected);
    }
}

/// Where each term is, by document.
fn by_document(segment: &Segment) -> BTreeMap<Vec<u8>, Vec<(DocumentNumber, u32)>> {
    let holder = |row: u32| segment.documents().rfind(|document| document.first <= row).unwrap().number;
    let named = |postings: Vec<(u32, u32)>| postings.into_iter().map(|(row, count)| (holder(row), count)).collect();
    read(segment).unwrap().into_iter().map(|(term, postings)| (term, named(postings))).collect()
}

#[test]
fn nothing_left_is_no_segment() {
    let folder = tempfile::tempdir().unwrap();
    let segment = written(&folder, &Lists::new(), 2);
    assert!(merged(&[&segment], &BTreeSet::from([3]), folder.path().join("one.idx")).unwrap().is_none());
}
