//! One byte changed at a time, in every file of an index and in every kind of place: no command ends by a signal or a
//! panic, and each change is noticed by `okno check` or changes nothing.
//!
//! Small by default; `OKNO_TRUST_PLACES` says how many bytes of the lexical index, and of the documents, are changed.

use super::damage::{note, world};
use super::histories::{Ending, RandomNumbers, ending};
use super::support::{World, contexts, size, text};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// An index that was written several times, so that it has deleted rows and free pages; the bytes of its files.
struct WholeIndex {
    world: World,
    files: BTreeMap<PathBuf, Vec<u8>>,
    answers: Vec<(String, String)>,
}

const QUESTIONS: [&str; 2] = ["Keeper07 pier07", "Who counted the lamps of pier23?"];

impl WholeIndex {
    fn new() -> Self {
        let world = world();
        for number in [3, 4, 11] {
            world.write(&format!("notes/n{number:02}.md"), note(number).replace("lamps", "lights"));
        }
        world.index(["notes"]);
        world.delete("notes/n05.md").write("notes/short.md", "A short note.").index(["notes"]);
        let mut files = BTreeMap::new();
        read_files(&world.path(".okno"), &mut files);
        let answers = answers(&world).unwrap().expect("a whole index answers");
        assert!(answers.len() > 2 && answers.iter().any(|(name, _)| name == "n23.md"), "{answers:?}");
        Self { world, files, answers }
    }

    fn put_back(&self) {
        self.world.delete(".okno");
        for (path, bytes) in &self.files {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
    }

    fn flip(&self, file: &Path, at: usize, with: u8) {
        let mut bytes = self.files[file].clone();
        bytes[at] ^= with;
        std::fs::write(file, bytes).unwrap();
    }

    /// Runs a command, which may fail, but not end in another way.
    fn run(&self, arguments: &[&str], place: &str) -> bool {
        match ending(self.world.command().args(arguments)) {
            Ending::Done(_) => true,
            Ending::Refused(_) => false,
            Ending::Crashed => panic!("{place}: {arguments:?} crashed"),
        }
    }

    /// The answers now; `None` where a question is refused.
    fn answers(&self, place: &str) -> Option<Vec<(String, String)>> {
        answers(&self.world).unwrap_or_else(|()| panic!("{place}: a search crashed"))
    }
}

fn read_files(folder: &Path, out: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_files(&path, out);
        } else {
            out.insert(path.clone(), std::fs::read(&path).unwrap());
        }
    }
}

/// Names and texts that come back; an error where a search crashes.
fn answers(world: &World) -> Result<Option<Vec<(String, String)>>, ()> {
    let mut found = Vec::new();
    for question in QUESTIONS {
        match ending(world.command().args(["search", "--json", question])) {
            Ending::Done(told) => {
                let answer: serde_json::Value = serde_json::from_str(&told).unwrap();
                found.extend(contexts(&answer).iter().map(|context| (text(context, "doc_id"), text(context, "text"))));
            }
            Ending::Refused(_) => return Ok(None),
            Ending::Crashed => return Err(()),
        }
    }
    Ok(Some(found))
}

/// One bit, or several of a byte.
fn some_change(random: &mut RandomNumbers) -> u8 {
    if random.below(2) == 0 { 1 << random.below(8) } else { random.below(255) as u8 + 1 }
}

/// Was broken: a changed footer made every command panic.
#[test]
fn a_byte_changed_anywhere_in_the_lexical_index_is_an_error_that_can_be_repaired() {
    let (whole, mut random) = (WholeIndex::new(), RandomNumbers(7));
    let files: Vec<&PathBuf> = whole
        .files
        .iter()
        .filter(|(path, bytes)| is_lexical(path) && !bytes.is_empty())
        .map(|(path, _)| path)
        .collect();
    assert!(files.len() > 1, "{files:?}");
    let mut noticed = 0;
    let places = size("OKNO_TRUST_PLACES", 60);
    for number in 0..places {
        let file = files[number % files.len()];
        let length = whole.files[file].len();
        let edge = length.min(96);
        let at = match number / files.len() % 3 {
            0 => length - 1 - random.below(edge),
            1 => random.below(edge),
            _ => random.below(length),
        };
        let with = some_change(&mut random);
        let place = format!("{} of {length} bytes at {at} with {with:#x}", file.display());
        whole.flip(file, at, with);
        let sound = whole.run(&["check"], &place);
        let shown = whole.answers(&place);
        if sound {
            assert_eq!(shown.as_ref(), Some(&whole.answers), "the check finds nothing: {place}");
        }
        noticed += usize::from(!sound);
        let mend: &[&str] = if number % 2 == 0 { &["index", "notes"] } else { &["check", "--repair"] };
        assert!(whole.run(mend, &place), "{place}: {mend:?} does not mend it");
        assert!(whole.run(&["check"], &place), "{place}: not mended");
        assert_eq!(whole.answers(&place).as_ref(), Some(&whole.answers), "{place}: not mended");
        whole.put_back();
    }
    println!("lexical index: {places} bytes changed, {noticed} noticed, {} changed nothing", places - noticed);
    assert!(noticed * 3 > places, "{noticed} of {places}");
}

fn is_lexical(path: &Path) -> bool {
    path.parent().is_some_and(|folder| folder.ends_with("lexical"))
}

const PAGE: usize = 4096;

/// Pages of the tree: those that begin with their number and the mark of a branch, a leaf or a first page.
fn tree_pages(bytes: &[u8]) -> Vec<usize> {
    let is_tree = |page: &usize| {
        let header = &bytes[page * PAGE..];
        header[..8] == page.to_ne_bytes() && [[1, 0], [2, 0], [8, 0]].iter().any(|kind| header[10..12] == *kind)
    };
    (0..bytes.len() / PAGE).filter(is_tree).collect()
}

/// Half of the bytes in pages of the tree, which LMDB follows without looking: in header and offsets, or in nodes. A
/// quarter at the beginning of any page.
fn some_place(bytes: &[u8], tree: &[usize], random: &mut RandomNumbers) -> usize {
    let start = tree[random.below(tree.len())] * PAGE;
    let number = |at: usize| usize::from(u16::from_ne_bytes([bytes[start + at], bytes[start + at + 1]]));
    // The first pages have no nodes, and their bytes stand at the beginning.
    let (lower, upper) =
        if start < 2 * PAGE { (160, 0) } else { (number(12).clamp(16, PAGE), number(14).min(PAGE - 16)) };
    match random.below(4) {
        0 => start + random.below(lower),
        1 => start + upper + random.below(PAGE - upper),
        2 => random.below(bytes.len() / PAGE) * PAGE + random.below(48),
        _ => random.below(bytes.len()),
    }
}

/// Was broken: LMDB follows changed pages to where nothing is, and commands ended by SIGSEGV.
#[test]
fn a_byte_changed_anywhere_in_the_documents_ends_no_command_by_a_signal() {
    let (whole, mut random) = (WholeIndex::new(), RandomNumbers(11));
    let data = whole.world.path(".okno/data.mdb");
    let tree = tree_pages(&whole.files[&data]);
    assert!(tree.len() > 10, "{tree:?}");
    let (mut noticed, mut mended) = (0, 0);
    let places = size("OKNO_TRUST_PLACES", 60);
    for number in 0..places {
        let (at, with) = (some_place(&whole.files[&data], &tree, &mut random), some_change(&mut random));
        let place = format!("page {} at {} with {with:#x}", at / PAGE, at % PAGE);
        whole.flip(&data, at, with);
        let sound = whole.run(&["check"], &place);
        let shown = whole.answers(&place);
        if sound {
            assert_eq!(shown.as_ref(), Some(&whole.answers), "the check finds nothing: {place}");
        }
        noticed += usize::from(!sound);
        let saved = whole.run(&["backup", "one.backup"], &place);
        assert!(sound || !saved, "{place}: damage was backed up");
        let mend: &[&str] = if number % 2 == 0 { &["index", "notes"] } else { &["check", "--repair"] };
        if whole.run(mend, &place) && whole.run(&["check", "--repair"], &place) {
            assert_eq!(whole.answers(&place).as_ref(), Some(&whole.answers), "{place}: not mended");
            mended += usize::from(!sound);
        }
        whole.put_back();
    }
    println!("documents: {places} bytes changed, {noticed} noticed, {mended} of these mended in place");
    assert!(noticed * 5 > places, "{noticed} of {places}");
}
