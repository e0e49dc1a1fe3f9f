//! A history: the folder, what its index must hold by now, and the operations that change both.

use super::super::World;
use super::super::support::Many;
use super::seen::Fixture;
use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

/// Documents with one file each, and documents of one file. Together more than a run commits at once (500), so that
/// there is a moment at which half of a run is committed.
const FILES: usize = 60;
const LINES: usize = 460;

/// Which version of each document there is: the number of its word, which no other version of any document has.
pub type Versions = BTreeMap<String, usize>;

/// What an index holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IndexModel {
    /// The documents of the folder `many`.
    pub documents: Versions,
    /// What was removed by hand, as it was then: it comes back when its file changes.
    pub removed: Versions,
    /// Whether it was once an index of an earlier format, whose documents it still has.
    pub upgraded: bool,
}

impl IndexModel {
    /// The same after `okno index`.
    pub fn indexed(&self, files: &Versions) -> Self {
        let mut removed = self.removed.clone();
        removed.retain(|name, version| files.get(name).is_none_or(|now| now == version));
        let mut documents = files.clone();
        documents.retain(|name, _| !removed.contains_key(name));
        Self { documents, removed, upgraded: self.upgraded }
    }
}

/// How often each thing happened.
#[derive(Default)]
pub struct Tally(BTreeMap<String, usize>);

impl Tally {
    pub fn count(&mut self, what: &str) {
        *self.0.entry(what.to_owned()).or_default() += 1;
    }

    fn sum(&self, prefix: &str) -> usize {
        self.0.iter().filter(|(what, _)| what.starts_with(prefix)).map(|(_, count)| count).sum()
    }

    pub fn kills(&self) -> usize {
        self.sum("killed: ")
    }

    pub fn flips(&self) -> usize {
        self.sum("flipped: ")
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} kills, {} flipped bytes", self.kills(), self.flips())?;
        self.0.iter().try_for_each(|(what, count)| writeln!(f, "{count:>6}  {what}"))
    }
}

/// Random numbers that are the same every time.
pub struct RandomNumbers(pub u64);

impl RandomNumbers {
    pub fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count
    }

    pub fn share(&mut self) -> f64 {
        self.below(1 << 20) as f64 / f64::from(1 << 20)
    }
}

pub struct History {
    pub world: World,
    pub random: RandomNumbers,
    /// What is on disk.
    pub files: Versions,
    /// What the index holds.
    pub index: IndexModel,
    /// What each backup holds; `None` for a file that was never completed.
    pub backups: [Option<IndexModel>; 3],
    pub fixture: Fixture,
    pub tally: Tally,
    /// How long each command took the last time, by its name.
    pub durations: BTreeMap<&'static str, Duration>,
    next_word: usize,
}

pub fn backup_name(number: usize) -> String {
    format!("{number}.backup")
}

impl History {
    /// A folder of documents, indexed.
    pub fn begin(seed: u64) -> Self {
        let mut history = Self {
            world: World::new(),
            random: RandomNumbers(seed),
            files: Versions::new(),
            index: IndexModel::default(),
            backups: [None, None, None],
            fixture: Fixture::read(),
            tally: Tally::default(),
            durations: BTreeMap::new(),
            next_word: 0,
        };
        history.change(1.0);
        history.run_index();
        history.compare_all();
        history
    }

    /// One more operation: kills and flips until there are enough, everything else in between.
    pub fn step(&mut self, kills: usize, flips: usize) {
        match self.random.below(20) {
            0 => self.remove(),
            1 => self.remake(),
            2 => self.upgrade(),
            3 => self.back_up(),
            4 => self.restore(),
            5 => self.flip_backup(),
            6..8 => {
                self.change_some();
                self.run_index();
                self.tally.count("indexed");
            }
            8..14 if self.tally.kills() < kills => self.kill(),
            _ if self.tally.flips() < flips => self.flip(),
            _ if self.tally.kills() < kills => self.kill(),
            _ => (),
        }
    }

    /// The last look, at everything.
    pub fn end(&mut self) {
        self.run_index();
        self.compare_all();
        self.world.okno(["check"]).succeeds();
    }

    /// Runs a command and remembers how long it took.
    pub fn timed(&mut self, what: &'static str, arguments: &[&str]) {
        let begun = Instant::now();
        self.world.okno(arguments).succeeds();
        self.durations.insert(what, begun.elapsed());
    }

    /// Brings the index up to date, and looks at it.
    pub fn run_index(&mut self) {
        self.timed("index", &["index", "many"]);
        self.index = self.index.indexed(&self.files);
        self.compare();
    }

    pub fn change_some(&mut self) {
        let share = [0.01, 0.1, 1.0][self.random.below(3)];
        self.change(share);
    }

    /// Writes new versions of a share of the documents; one in ten of these goes instead, or comes back.
    fn change(&mut self, share: f64) {
        let first = self.files.is_empty();
        for number in 0..FILES + LINES {
            if self.random.share() >= share {
                continue;
            }
            let name = if number < FILES { format!("note{number:04}.md") } else { format!("line{number:04}") };
            let goes = !first && self.random.below(10) == 0 && self.files.len() > 10;
            self.next_word += 1;
            if goes && self.files.remove(&name).is_some() {
                if number < FILES {
                    self.world.delete(&format!("many/{name}"));
                }
            } else {
                if number < FILES {
                    self.world.write(&format!("many/{name}"), document(self.next_word));
                }
                self.files.insert(name, self.next_word);
            }
        }
        let lines = self.files.iter().filter(|(name, _)| name.starts_with("line"));
        let line = |(name, &version): (&String, &usize)| {
            serde_json::json!({"doc_id": name, "text": document(version)}).to_string()
        };
        self.world.write("many/lines.jsonl", lines.map(line).collect::<Vec<_>>().join("\n"));
    }

    fn remove(&mut self) {
        let names: Vec<String> = self.some_documents(3);
        if names.is_empty() {
            return;
        }
        let arguments: Vec<&str> = ["remove"].into_iter().chain(names.iter().map(String::as_str)).collect();
        self.timed("remove", &arguments);
        self.forget(&names);
        self.tally.count("removed");
        self.compare();
    }

    /// The model of `okno remove`.
    pub fn forget(&mut self, names: &[String]) {
        for name in names {
            let version = self.index.documents.remove(name).expect("it was drawn from these");
            self.index.removed.insert(name.clone(), version);
        }
    }

    /// Names of documents of the index, at most so many.
    pub fn some_documents(&mut self, most: usize) -> Vec<String> {
        let count = self.random.below(most) + 1;
        let names: Vec<&String> = self.index.documents.keys().collect();
        let mut drawn: Vec<String> = Vec::new();
        for _ in 0..count.min(names.len()) {
            let name = names[self.random.below(names.len())].clone();
            if !drawn.contains(&name) {
                drawn.push(name);
            }
        }
        drawn
    }

    /// Deletes the index and makes it again.
    pub fn remake(&mut self) {
        self.world.delete(".okno");
        self.index = IndexModel::default();
        self.run_index();
        self.tally.count("made again");
    }

    /// Puts an index of the earliest released format in place, and brings it up to date.
    fn upgrade(&mut self) {
        self.world.delete(".okno");
        self.fixture.put(&self.world);
        self.index = IndexModel { upgraded: true, ..IndexModel::default() };
        self.compare_all();
        self.run_index();
        self.tally.count("upgraded");
    }

    fn back_up(&mut self) {
        let number = self.random.below(self.backups.len());
        self.timed("backup", &["backup", &backup_name(number)]);
        self.backups[number] = Some(self.index.clone());
        self.tally.count("backed up");
    }

    /// A backup that is there, and what it holds.
    pub fn some_backup(&mut self) -> Option<(usize, IndexModel)> {
        let number = self.random.below(self.backups.len());
        self.backups[number].clone().map(|model| (number, model))
    }

    fn restore(&mut self) {
        let Some((number, model)) = self.some_backup() else { return };
        self.world.delete(".okno");
        self.timed("restore", &["restore", &backup_name(number)]);
        self.index = model;
        self.compare_all();
        self.tally.count("restored");
    }
}

/// The text of a version.
pub fn document(version: usize) -> String {
    Many::text(&super::super::support::word(version))
}
