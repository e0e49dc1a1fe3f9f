//! The same index in a folder and on Milvus: what may differ – ties, the mean length, the table of frequencies – moves
//! few ranks and no answers.

mod common;

use common::{address, host};
use okno::document::Layer;
use okno::embed::{BuiltIn, Embedder, Role, normalize};
use okno::retrieve::built_in;
use okno::store::copy::copy;
use okno::store::{Ask, EmbeddedStore, Leg, Snapshot};
use okno_evaluate::measure::Measure;
use okno_evaluate::run::{Candidate, RunRequest, run};
use okno_evaluate::set::{Indexed, QuestionSet};
use okno_milvus::MilvusStore;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

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
    let ask = Ask { text: question, vector: &vector, rankings: &rankings, allowed: None, sections: None, depth: 10 };
    let found = snapshot.search(&ask).unwrap().into_iter().zip(&rankings);
    let named = |(units, (leg, _)): (Vec<okno::store::Scored>, &(Leg, Layer))| {
        let name = |number| snapshot.record(number).unwrap().id.path;
        units.into_iter().map(|unit| (*leg, name(unit.run.document), unit.run.first, unit.run.end)).collect::<Vec<_>>()
    };
    found.flat_map(named).collect()
}

fn coverage(engine: &okno::Engine, set: &QuestionSet) -> f64 {
    let candidates = [Candidate { name: "auto".into(), recipe: built_in().unwrap()["auto"].clone() }];
    let asking = RunRequest { set, candidates: &candidates, budgets: &[500], seed: 1, name: "same" };
    let snapshot = engine.snapshot().unwrap();
    let outcome = run(engine, &asking, &mut Indexed::new(&*snapshot), &|_, _| {}).unwrap();
    outcome.run.cells[0].scores.get(Measure::Coverage)
}

#[test]
fn a_folder_and_a_server_find_the_same() {
    let Some(host) = host() else { return };
    let (folder, address) = (tempfile::tempdir().unwrap(), address(&host));
    let index = folder.path().join("index");
    let local = okno::Engine::create(&index).unwrap();
    local.index(&[sample("documents"), sample("messy")]).unwrap();
    let manifest = local.snapshot().unwrap().manifest().clone();
    drop(local);
    let store = MilvusStore::open_or_create(&address, &manifest).unwrap();
    copy(&EmbeddedStore::open(&index).unwrap(), &store, &mut |_, _| {}).unwrap();
    let local = okno::Engine::open(&index).unwrap();
    let remote = okno::Engine::builder().over("same", Box::new(store)).unwrap();
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
    MilvusStore::drop_index(&address).unwrap();
}
