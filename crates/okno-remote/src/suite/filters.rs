//! Filters and permissions on a server: whoever checks the fields, the documents are those of a folder.

use super::{ServerUnderTest, manifest, new_name};
use okno::document::{ALLOW, Access, Comparison, Date, Filter, Layer, Metadata, Record, Value};
use okno::embed::normalize;
use okno::store::contract::{document, vector};
use okno::store::{Ask, DocumentNumber, DocumentSet, EmbeddedStore, FieldScope, Leg, Snapshot, Store};
use std::collections::BTreeSet;

/// Documents, and filters that are compared.
const DOCUMENTS: usize = 60;
const FILTERS: usize = 80;

/// Numbers that look random, and are the same every time.
struct FieldDice(u64);

impl FieldDice {
    fn below(&mut self, end: usize) -> usize {
        // Xorshift: all that is needed is variety.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }

    fn one<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }
}

const FIELDS: [&str; 6] = ["kind", "year", "day", "tags", ALLOW, "title"];
const TEXTS: [&str; 14] =
    ["note", "no", "素菜", "素", "3", "30", "2023", "2023-07", "2023-07-28", "2023Q3", "true", "a*b", "?\\\"", ""];

fn value(dice: &mut FieldDice, depth: usize) -> Value {
    match dice.below(if depth == 0 { 5 } else { 4 }) {
        0 => Value::Text(dice.one(&TEXTS).to_owned()),
        1 => Value::Number([3.0, 30.0, 2023.0, -1.5][dice.below(4)]),
        2 => Value::Bool(dice.below(2) == 0),
        3 => Value::Date(Date { year: 2022 + dice.below(3) as i16, month: 7, day: 27 + dice.below(3) as u8 }),
        _ => Value::List((0..dice.below(3)).map(|_| value(dice, depth + 1)).collect()),
    }
}

fn metadata(dice: &mut FieldDice) -> Metadata {
    let mut metadata = Metadata::default();
    for field in &FIELDS[..4] {
        if dice.below(4) > 0 {
            metadata.set(*field, value(dice, 0));
        }
    }
    match dice.below(3) {
        0 => metadata.set(ALLOW, Value::Text(dice.one(&["staff", "board, staff", ""]).to_owned())),
        1 => metadata.set("note", Value::Text("long ".repeat(dice.below(2) * 1000))),
        _ => {}
    }
    metadata
}

fn filter(dice: &mut FieldDice, depth: usize) -> Filter {
    let field = FIELDS[dice.below(FIELDS.len())].to_owned();
    match dice.below(if depth < 3 { 9 } else { 6 }) {
        0 => Filter::Exists(field),
        1 => Filter::In(field, (0..dice.below(4)).map(|_| dice.one(&TEXTS).to_owned()).collect()),
        2..=5 => Filter::Compare(field, Comparison::ALL[dice.below(9)], dice.one(&TEXTS).to_owned()),
        6 => Filter::Not(Box::new(filter(dice, depth + 1))),
        7 => Filter::All((0..dice.below(3)).map(|_| filter(dice, depth + 1)).collect()),
        _ => Filter::Any((0..dice.below(3)).map(|_| filter(dice, depth + 1)).collect()),
    }
}

fn names(snapshot: &dyn Snapshot, numbers: &[DocumentNumber]) -> BTreeSet<String> {
    numbers.iter().map(|&number| snapshot.record(number).unwrap().id.path).collect()
}

fn accesses() -> [Access; 4] {
    [Access::public(), Access::of(["staff"]), Access::of(["board"]), Access::of(["other", "x"])]
}

/// Both stores hold the same documents: the same filters and permissions give the same ones.
fn same_documents(dice: &mut FieldDice, local: &dyn Snapshot, remote: &dyn Snapshot) {
    for _ in 0..FILTERS {
        let filter = filter(dice, 0);
        let (ours, theirs) = (local.matching(&filter).unwrap(), remote.matching(&filter).unwrap());
        assert!(theirs.is_sorted());
        assert_eq!(names(local, &ours), names(remote, &theirs), "{filter:?}");
    }
    for access in accesses() {
        let (ours, theirs) = (local.seen_by(&access).unwrap(), remote.seen_by(&access).unwrap());
        assert_eq!(names(local, &ours.numbers), names(remote, &theirs.numbers), "{access:?}");
        assert_eq!(ours.roots, theirs.roots, "{access:?}");
    }
}

/// Searches that tell the documents by their fields find what searches find that name them.
fn same_units(dice: &mut FieldDice, remote: &dyn Snapshot) {
    let mut question = vector("shared word tea");
    normalize(&mut question);
    let rankings = [(Leg::Lexical, Layer::Sentence), (Leg::Dense, Layer::Window(2)), (Leg::Dense, Layer::Paragraph)];
    for at in 0..FILTERS / 4 {
        let (filter, access) = (filter(dice, 0), &accesses()[at % 4]);
        let seen = DocumentSet::from(remote.seen_by(access).unwrap().numbers);
        let mut allowed: Vec<DocumentNumber> =
            remote.matching(&filter).unwrap().into_iter().filter(|number| seen.contains(*number)).collect();
        let without: Vec<DocumentNumber> = allowed.pop().into_iter().collect();
        let allowed = DocumentSet::from(allowed);
        let scope = FieldScope { filter: Some(&filter), access: Some(access), without: &without };
        let found = |fields| {
            let ask = Ask {
                text: "shared word3 tea",
                vector: &question,
                rankings: &rankings,
                allowed: Some(&allowed),
                sections: None,
                fields,
                depth: 1000,
            };
            remote.search(&ask).unwrap()
        };
        let (by_fields, by_numbers) = (found(Some(scope)), found(None));
        assert_eq!(by_fields, by_numbers, "{filter:?}");
        assert_eq!(by_fields[0].is_empty(), allowed.is_empty(), "{filter:?}");
    }
}

impl ServerUnderTest {
    /// Random fields, filters and groups, before and after records were changed and documents removed.
    pub fn filters_find_what_a_folder_finds(&self) {
        let (folder, index, mut dice) = (tempfile::tempdir().unwrap(), new_name(), FieldDice(20_261_116));
        let local = EmbeddedStore::open_or_create(folder.path(), &manifest()).unwrap();
        let remote = (self.open)(&index, &manifest());
        let stores = [&local as &dyn Store, &remote];
        let text = |at: usize| format!("Shared word{at} is here. More tea. Word{}.", at % 7);
        let mut records: Vec<Record> = Vec::new();
        let mut writers = stores.map(|store| store.writer().unwrap());
        let mut numbers = [Vec::new(), Vec::new()];
        for at in 0..DOCUMENTS {
            let mut document = document(&format!("n{at}"), &text(at));
            document.record.metadata = metadata(&mut dice);
            document.record.id.root = format!("/root{}", at % 5);
            for (writer, numbers) in writers.iter_mut().zip(&mut numbers) {
                numbers.push(writer.put(&document).unwrap());
            }
            records.push(document.record);
        }
        let roots: Vec<String> = (0..7).map(|at| format!("/root{at}")).collect();
        for writer in &mut writers {
            writer.set_roots(&roots).unwrap();
            writer.commit().unwrap();
        }
        let compared = |dice: &mut FieldDice| {
            let [local, remote] = stores.map(|store| store.snapshot().unwrap());
            same_documents(dice, &*local, &*remote);
            same_units(dice, &*remote);
        };
        compared(&mut dice);
        for (at, record) in records.iter_mut().enumerate().step_by(6) {
            record.metadata = metadata(&mut dice);
            for (writer, numbers) in writers.iter_mut().zip(&numbers) {
                assert!(writer.amend(numbers[at], record).unwrap());
                assert!(writer.remove(numbers[at + 1]).unwrap());
            }
        }
        for writer in writers {
            writer.finish().unwrap();
        }
        compared(&mut dice);
        (self.drop)(&index);
    }
}
