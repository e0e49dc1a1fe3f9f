//! What an index on any engine must do besides the contract of every store: one suite, run by each driver.

mod filters;

use crate::RemoteStore;
use okno::document::{Derived, DerivedKind, ImageHash, Layer, Metadata, Value};
use okno::embed::{BuiltIn, Embedder, Role, normalize};
use okno::retrieve::built_in;
use okno::store::contract::{self, DIMENSIONS, EMBEDDER, HistoryStep, document, vector};
use okno::store::copy::{copy, verify};
use okno::store::{Ask, EmbeddedStore, Leg, Manifest, PreparedDocument, Scored, Snapshot, Store};
use okno::{Engine, Query};
use okno_evaluate::measure::Measure;
use okno_evaluate::run::{Candidate, RunRequest, run};
use okno_evaluate::set::{Indexed, QuestionSet};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Opens the index of a name, or makes an empty one.
pub type OpenRemote = Box<dyn Fn(&str, &Manifest) -> RemoteStore>;

/// A server under test.
pub struct ServerUnderTest {
    /// Opens the index of this name, or makes an empty one.
    pub open: OpenRemote,
    /// Takes it away.
    pub drop: Box<dyn Fn(&str)>,
    /// The variable of the environment that tells another process where the server is.
    pub told_by: (&'static str, String),
}

/// The name of an index that is not there yet.
pub fn new_name() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("test_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// How the indexes of the suite are made.
pub fn manifest() -> Manifest {
    Manifest::new(EMBEDDER, DIMENSIONS)
}

/// How many documents [`ingest`] puts, and how many between two commits.
const INGESTED: usize = 60;
/// See [`ingest`].
pub const COMMITTED: usize = 10;

/// Puts what is not there yet, as an engine does that goes on after it was stopped; a commit every [`COMMITTED`].
pub fn ingest(store: &dyn Store) {
    let mut writer = store.writer().unwrap();
    for (at, document) in documents(INGESTED).iter().enumerate() {
        let there = writer.find(&document.record.id).unwrap();
        if there.is_none_or(|(_, hash)| hash != document.record.hash) {
            writer.put(document).unwrap();
        }
        if at % COMMITTED == COMMITTED - 1 {
            writer.commit().unwrap();
        }
    }
    writer.finish().unwrap();
}

/// Documents that differ, and share words.
pub fn documents(count: usize) -> Vec<PreparedDocument> {
    let text = |at: usize| format!("Word{at} is here. Shared word{} too. 第{at}章 绿茶。", at % 7);
    (0..count).map(|at| document(&format!("n{at}"), &text(at))).collect()
}

/// Everything a reader sees: texts by name, and rankings with their scores.
pub type SeenIndex = (BTreeMap<String, String>, Vec<Vec<(String, u32, String)>>);

/// What a reader sees.
pub fn seen(snapshot: &dyn Snapshot) -> SeenIndex {
    let name = |number| snapshot.record(number).unwrap().id.path;
    let texts = snapshot.numbers().into_iter().map(|number| (name(number), snapshot.text(number).unwrap().to_owned()));
    let texts = texts.collect();
    let mut rankings = Vec::new();
    for question in ["word3 shared", "绿茶", "word11"] {
        let mut vector = vector(question);
        normalize(&mut vector);
        let wanted =
            [(Leg::Lexical, Layer::Sentence), (Leg::Lexical, Layer::Window(2)), (Leg::Dense, Layer::Paragraph)];
        let ask = Ask {
            text: question,
            vector: &vector,
            rankings: &wanted,
            allowed: None,
            sections: None,
            fields: None,
            depth: 1000,
        };
        let shown = |scored: &Scored| (name(scored.run.document), scored.run.anchor, format!("{:.4}", scored.score));
        for ranking in snapshot.search(&ask).unwrap() {
            let mut ranking: Vec<_> = ranking.iter().map(shown).collect();
            // Numbers, which order equal scores, differ between histories.
            ranking.sort();
            rankings.push(ranking);
        }
    }
    (texts, rankings)
}

/// The tests of a driver; `$with_server` does something with a server, where there is one.
#[macro_export]
macro_rules! suite_tests {
    ($with_server:path: $($test:ident),* $(,)?) => {
        $(
            #[test]
            fn $test() {
                $with_server($crate::suite::ServerUnderTest::$test);
            }
        )*
    };
    ($with_server:path) => {
        $crate::suite_tests!(
            $with_server: keeps_the_contract, a_history_equals_a_map, hostile_words_are_only_words,
            a_copy_goes_there_and_back, filters_find_what_a_folder_finds, a_folder_and_a_server_find_the_same,
            a_question_is_three_round_trips_and_three_more_where_it_names_documents,
        );
    };
}

/// Names the index to the client that is killed.
const KILLED_CLIENT: &str = "OKNO_KILLED_CLIENT";

/// Only whole commits are seen.
pub fn assert_whole(snapshot: &dyn Snapshot) {
    let (texts, _) = seen(snapshot);
    assert_eq!(texts.len() % COMMITTED, 0, "{} documents", texts.len());
}

impl ServerUnderTest {
    /// Starts the test `child` of this program as a process of its own, which puts documents into this index.
    pub fn start_client(&self, index: &str) -> Child {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "child"]).env(KILLED_CLIENT, index).env(self.told_by.0, &self.told_by.1);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// The client that is killed: what the test `child` does, which is no test by itself.
    pub fn is_the_killed_client(&self) {
        if let Ok(index) = std::env::var(KILLED_CLIENT) {
            ingest(&(self.open)(&index, &manifest()));
        }
    }

    /// Whatever was committed before a client is killed: others see whole commits, and a client that goes on ends with
    /// what a run without accidents gives. `seen` reads an index of a name.
    pub fn a_killed_client_loses_nothing_and_leaves_nothing_twice(&self, seen: &dyn Fn(&str) -> SeenIndex) {
        let expected = self.clean(seen);
        let index = new_name();
        let store = (self.open)(&index, &manifest());
        for committed in [0, 2] {
            let mut child = self.start_client(&index);
            let began = Instant::now();
            // Killed at some moment after so many commits, while others read.
            while store.snapshot().unwrap().generation() < committed + 1 && began.elapsed() < Duration::from_mins(1) {
                std::thread::sleep(Duration::from_millis(7));
            }
            std::thread::sleep(Duration::from_millis(13 * (committed + 1)));
            child.kill().unwrap();
            child.wait().unwrap();
            assert_whole(&*store.snapshot().unwrap());
        }
        ingest(&store);
        assert_eq!(seen(&index), expected);
        (self.drop)(&index);
    }

    /// What a run without accidents gives.
    pub fn clean(&self, seen: &dyn Fn(&str) -> SeenIndex) -> SeenIndex {
        let index = new_name();
        ingest(&(self.open)(&index, &manifest()));
        let seen = seen(&index);
        (self.drop)(&index);
        seen
    }

    /// Does something with an index of its own.
    fn with_index(&self, does: impl Fn(&str)) {
        let name = new_name();
        does(&name);
        (self.drop)(&name);
    }

    /// The contract of every store.
    pub fn keeps_the_contract(&self) {
        for (name, check) in contract::CHECKS.iter().chain(contract::IMAGE_CHECKS) {
            println!("{name}");
            self.with_index(|index| check(&|| Box::new((self.open)(index, &manifest()))));
        }
    }

    /// A history with everything that random ones have, once: a server is too slow for many.
    pub fn a_history_equals_a_map(&self) {
        use HistoryStep::{Commit, Put, Remove, Reopen};
        let begins = [Put(1, 1), Put(2, 2), Commit, Put(1, 3), Remove(2), Reopen, Put(3, 3), Remove(1), Commit];
        let ends = [Put(1, 1), Put(1, 4), Commit, Remove(7), Remove(3), Put(3, 9), Commit, Put(5, 5), Reopen, Commit];
        let steps = [&begins[..], &ends[..]].concat();
        self.with_index(|index| contract::history(&|| Box::new((self.open)(index, &manifest())), &steps));
    }

    /// Names, values and texts that would end a string or an expression, were they ever put into one.
    pub fn hostile_words_are_only_words(&self) {
        let index = new_name();
        let hostile = ["\" or document >= 0 or key == \"", "'] or 1 == 1 --", "\\\" \\u0000 \n{x}", "%_$ {{}} </a>"];
        let store = (self.open)(&index, &manifest());
        let mut writer = store.writer().unwrap();
        for (at, words) in hostile.iter().enumerate() {
            let mut document = document(words, &format!("Tea{at}: {words}."));
            document.record.id.root = format!("/{words}");
            document.record.metadata =
                Metadata([("kind".to_owned(), Value::Text((*words).to_owned()))].into_iter().collect());
            writer.put(&document).unwrap();
            writer.set_removed(&document.record.id, Some(at as u128)).unwrap();
        }
        writer.finish().unwrap();
        let snapshot = store.snapshot().unwrap();
        for words in hostile {
            let filter = okno::document::Filter::equal("kind", words);
            let found = okno::retrieve::matching(&*snapshot, &filter).unwrap();
            assert_eq!(found.len(), 1, "{words}");
            assert_eq!(snapshot.record(found[0]).unwrap().id.path, words);
        }
        (self.drop)(&index);
    }

    /// Regression: derived units came back at another length than they were put with, and a good copy was called a bad
    /// one.
    pub fn a_copy_goes_there_and_back(&self) {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let local = |at: usize| EmbeddedStore::open_or_create(folders[at].path(), &manifest()).unwrap();
        let (from, back, index) = (local(0), local(1), new_name());
        let mut writer = from.writer().unwrap();
        let numbers: Vec<_> = documents(5).iter().map(|document| writer.put(document).unwrap()).collect();
        let unit = Derived { kind: DerivedKind::Question, first: 0, end: 2, text: "Which word shared?".into() };
        writer.derive(numbers[2], &[unit], &contract::vector("which word shared shared")).unwrap();
        // Larger than a field: it is kept in parts.
        let (pixels, gone) =
            ((0..200_000u32).flat_map(u32::to_le_bytes).collect::<Vec<u8>>(), document("gone", "Gone.").record.id);
        let pictured = writer.put(&contract::with_image("pictured", "A picture.", &pixels)).unwrap();
        writer.keep_image(pictured, ImageHash::of(&pixels), &mut || Some(pixels.clone())).unwrap();
        writer.set_removed(&gone, Some(7)).unwrap();
        writer.finish().unwrap();
        let there = (self.open)(&index, &manifest());
        for (from, to, is_server) in [(&from as &dyn Store, &there as &dyn Store, true), (&there, &back, false)] {
            assert_eq!(copy(from, to, &mut |_, _| {}).unwrap().written, 6);
            assert_eq!(verify(from, to, &mut |_, _| {}).unwrap(), 6);
            let generation = to.snapshot().unwrap().generation();
            assert_eq!(copy(from, to, &mut |_, _| {}).unwrap().unchanged, 6);
            // A folder counts every copy as a generation; a server is written to only where something changed.
            let written = to.snapshot().unwrap().generation() != generation;
            assert!(!written || !is_server, "a second copy writes nothing to a server");
            assert_eq!(to.snapshot().unwrap().image(ImageHash::of(&pixels)).unwrap().as_ref(), Some(&pixels));
            assert_eq!(to.writer().unwrap().removed(&gone).unwrap(), Some(7));
        }
        (self.drop)(&index);
    }

    /// One question costs a look for a newer generation, one search of all rankings, and one reading of documents. One
    /// that names a document, or finds passages that do, reads the best passages and searches inside of those documents
    /// too.
    pub fn a_question_is_three_round_trips_and_three_more_where_it_names_documents(&self) {
        let index = new_name();
        let embedder = Arc::new(BuiltIn::default());
        let manifest = Manifest::new(embedder.identity(), embedder.dimensions());
        let store = (self.open)(&index, &manifest);
        let meter = store.meter();
        let folder = tempfile::tempdir().unwrap();
        for document in documents(5) {
            std::fs::write(folder.path().join(format!("{}.txt", document.record.title)), &document.text).unwrap();
        }
        let engine = Engine::builder().embedder(embedder).over("x", Box::new(store)).unwrap();
        engine.index(&[folder.path()]).unwrap();
        // The first question also reads the frequencies and the catalogue of its generation.
        engine.search(&Query::new("word1")).unwrap();
        for question in ["word3 shared", "绿茶", "第四章"] {
            let before = meter.traffic();
            let answer = engine.search(&Query::new(question)).unwrap();
            let trips = meter.traffic().round_trips - before.round_trips;
            assert!(!answer.contexts.is_empty());
            assert!(trips <= if answer.stage.led.is_empty() { 3 } else { 6 }, "{question}: {trips}");
        }
        (self.drop)(&index);
    }

    /// The same index in a folder and on a server: what may differ – ties, lengths, frequencies – moves few ranks and
    /// no answers.
    pub fn a_folder_and_a_server_find_the_same(&self) {
        let (folder, name) = (tempfile::tempdir().unwrap(), new_name());
        let index = folder.path().join("index");
        let local = Engine::create(&index).unwrap();
        local.index(&[sample("documents"), sample("messy")]).unwrap();
        let manifest = local.snapshot().unwrap().manifest().clone();
        drop(local);
        let store = (self.open)(&name, &manifest);
        copy(&EmbeddedStore::open(&index).unwrap(), &store, &mut |_, _| {}).unwrap();
        let local = Engine::open(&index).unwrap();
        let remote = Engine::builder().over("same", Box::new(store)).unwrap();
        let (one, other) = (local.snapshot().unwrap(), remote.snapshot().unwrap());
        let mut set = QuestionSet::read(&sample("questions.jsonl"), &mut Indexed::new(&*one)).unwrap();
        let mut at = 0;
        set.questions.retain(|_| {
            at += 1;
            at % EACH == 0
        });
        let (mut shared, mut all) = (0, 0);
        for question in &set.questions {
            let (ours, theirs) = (best(&*one, &question.text), best(&*other, &question.text));
            shared += ours.intersection(&theirs).count();
            all += ours.len();
        }
        let overlap = f64::from(shared as u32) / f64::from(all as u32);
        assert!(all > 1000 && overlap >= OVERLAP, "{shared} of {all} are the same");
        let (ours, theirs) = (coverage(&local, &set), coverage(&remote, &set));
        assert!((ours - theirs).abs() <= POINTS, "coverage {ours:.3} in a folder, {theirs:.3} on a server");
        drop(remote);
        (self.drop)(&name);
    }
}

/// One question of so many: a server for tests takes its time.
const EACH: usize = 4;

/// Ten best units the same, at least, as a share.
const OVERLAP: f64 = 0.9;

/// Points of coverage that may lie between them.
const POINTS: f64 = 0.01;

fn sample(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../okno-cli/sample").join(path)
}

/// The ten best units of each scale and leg.
fn best(snapshot: &dyn Snapshot, question: &str) -> HashSet<(Leg, String, u32, u32)> {
    let layers = [Layer::Sentence, Layer::Window(2), Layer::Paragraph];
    let rankings: Vec<(Leg, Layer)> =
        [Leg::Dense, Leg::Lexical].into_iter().flat_map(|leg| layers.map(|layer| (leg, layer))).collect();
    let mut vector = BuiltIn::default().embed(&[question], Role::Query).unwrap();
    normalize(&mut vector);
    let ask = Ask {
        text: question,
        vector: &vector,
        rankings: &rankings,
        allowed: None,
        sections: None,
        fields: None,
        depth: 10,
    };
    let found = snapshot.search(&ask).unwrap().into_iter().zip(&rankings);
    let named = |(units, (leg, _)): (Vec<Scored>, &(Leg, Layer))| {
        let name = |number| snapshot.record(number).unwrap().id.path;
        units.into_iter().map(|unit| (*leg, name(unit.run.document), unit.run.first, unit.run.end)).collect::<Vec<_>>()
    };
    found.flat_map(named).collect()
}

fn coverage(engine: &Engine, set: &QuestionSet) -> f64 {
    let candidates = [Candidate { name: "auto".into(), recipe: built_in().unwrap()["auto"].clone() }];
    let asking = RunRequest { set, candidates: &candidates, budgets: &[500], seed: 1, name: "same" };
    let snapshot = engine.snapshot().unwrap();
    let outcome = run(engine, &asking, &mut Indexed::new(&*snapshot), &|_, _| {}).unwrap();
    outcome.run.cells[0].scores.get(Measure::Coverage)
}
