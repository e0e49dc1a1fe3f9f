//! What an index shows, compared with the model: the names it lists, and the texts it finds.

use super::super::support::{World, contexts, text, word};
use super::history::{History, IndexModel, Versions, document};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// Longer than any command takes on a busy machine.
const HANGS: Duration = Duration::from_mins(2);

/// The exit code of a program that panicked.
const PANICKED: i32 = 101;

/// Documents that are asked for where not all are.
const ASKED: usize = 60;

/// An index of the earliest released format, and the documents in it.
pub struct Fixture {
    folder: PathBuf,
    texts: BTreeMap<String, String>,
}

impl Fixture {
    pub fn read() -> Self {
        let formats = Path::new(env!("CARGO_MANIFEST_DIR")).join("../okno/tests/formats");
        let (world, mut fixture) = (World::new(), Self { folder: formats.join("5"), texts: BTreeMap::new() });
        fixture.put(&world);
        fixture.texts = world.names().into_iter().map(|name| (name.clone(), world.text(&name))).collect();
        assert_eq!(fixture.texts["tea.md"], std::fs::read_to_string(formats.join("tea.md")).unwrap());
        fixture
    }

    /// Copies the index into a world without one.
    pub fn put(&self, world: &World) {
        copy_folder(&self.folder, &world.path(".okno")).unwrap();
    }

    fn holds(&self, name: &str, shown: &str) -> bool {
        self.texts.get(name).is_some_and(|text| text.contains(shown))
    }
}

fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// How a command ended.
#[derive(Debug)]
pub enum Ending {
    /// Exit code 0, and what it printed.
    Done(String),
    /// Exit code 1, and what it said.
    Refused(String),
    /// By a signal, as when the memory that a damaged file names is not there, or by a panic of a library that reads
    /// a damaged file.
    Crashed,
}

/// Runs a command to its end. Fails where it hangs or ends in another way.
pub fn ending(command: &mut Command) -> Ending {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (id, (sender, receiver)) = (child.id(), mpsc::channel());
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    let Ok(output) = receiver.recv_timeout(HANGS) else {
        Command::new("kill").args(["-KILL", &id.to_string()]).status().unwrap();
        panic!("hangs: {command:?}");
    };
    let Output { status, stdout, stderr } = output.unwrap();
    let said = String::from_utf8_lossy(&stderr).into_owned();
    let told = String::from_utf8_lossy(&stdout).into_owned();
    match status.code() {
        Some(0) => Ending::Done(told),
        Some(1) => Ending::Refused(format!("{told}\n{said}")),
        None | Some(PANICKED) => Ending::Crashed,
        Some(code) => panic!("exit code {code}: {command:?}: {said}"),
    }
}

/// What an index lists and finds.
#[derive(Debug, Default)]
pub struct SeenDocuments {
    listed: BTreeSet<String>,
    found: Versions,
}

/// Looks at an index with questions for these versions. Every text that comes back must be that of a version of its
/// document in one of the models, or of a document of the fixture.
pub fn look(
    world: &World,
    index: &str,
    (models, fixture): (&[&IndexModel], &Fixture),
    asked: &[(String, usize)],
) -> Result<SeenDocuments, Ending> {
    let told = match ending(world.command().args(["--index", index, "documents", "--json"])) {
        Ending::Done(told) => told,
        other => return Err(other),
    };
    let mut seen = SeenDocuments::default();
    for line in told.lines() {
        let name = text(&serde_json::from_str(line).unwrap(), "doc_id");
        assert!(seen.listed.insert(name.clone()), "`{name}` is listed twice");
    }
    let lines: Vec<String> =
        asked.iter().map(|(_, version)| serde_json::json!({ "question": word(*version) }).to_string()).collect();
    world.write("questions.jsonl", lines.join("\n"));
    let flags = ["search", "--queries", "questions.jsonl", "--recipe", "window", "--expand", "none", "-k", "10"];
    let told = match ending(world.command().args(["--index", index]).args(flags)) {
        Ending::Done(told) => told,
        other => return Err(other),
    };
    for (line, (name, version)) in told.lines().zip(asked) {
        let answer = serde_json::from_str(line).unwrap();
        for context in contexts(&answer) {
            let (own, shown) = (text(context, "doc_id"), text(context, "text"));
            let mut versions = models.iter().filter_map(|model| model.documents.get(&own));
            let genuine = versions.any(|version| document(*version).contains(&shown)) || fixture.holds(&own, &shown);
            assert!(genuine, "`{own}` never had this text: {shown}");
            if own == *name && shown.contains(&word(*version)) {
                let other = seen.found.insert(own, *version).filter(|other| other != version);
                assert_eq!(other, None, "two versions of `{name}` at once");
            }
        }
    }
    Ok(seen)
}

impl SeenDocuments {
    /// Whether a document is listed.
    pub fn lists(&self, name: &str) -> bool {
        self.listed.contains(name)
    }

    /// How this differs from the model, in names and in the versions of what was asked for.
    pub fn differs(&self, model: &IndexModel, fixture: &Fixture, asked: &[(String, usize)]) -> Option<String> {
        let mut names: BTreeSet<&String> = model.documents.keys().collect();
        if model.upgraded {
            names.extend(fixture.texts.keys());
        }
        let listed: BTreeSet<&String> = self.listed.iter().collect();
        let missing: Vec<_> = names.difference(&listed).collect();
        let more: Vec<_> = listed.difference(&names).collect();
        if !missing.is_empty() || !more.is_empty() {
            return Some(format!("not listed: {missing:?}; listed, and should not be: {more:?}"));
        }
        let lost = asked.iter().find(|(name, version)| self.found.get(name) != Some(version));
        lost.map(|(name, _)| format!("`{name}` is not found by its word"))
    }

    /// Fails unless every document is as in one of the two models, and what both have is there.
    pub fn is_between(&self, before: &IndexModel, after: &IndexModel, asked: &[(String, usize)]) {
        let names = |model: &IndexModel| model.documents.keys().cloned().collect::<BTreeSet<_>>();
        let (old, new) = (names(before), names(after));
        let lost: Vec<_> = old.intersection(&new).filter(|name| !self.listed.contains(*name)).collect();
        assert!(lost.is_empty(), "lost: {lost:?}");
        for (name, _) in asked {
            assert_eq!(self.listed.contains(name), self.found.contains_key(name), "`{name}`: listed, or found");
        }
        let known = |name: &&String| old.contains(*name) || new.contains(*name) || !is_ours(name);
        assert!(self.listed.iter().all(|name| known(&name)), "{:?}", self.listed);
    }
}

fn is_ours(name: &str) -> bool {
    name.starts_with("note") || name.starts_with("line0")
}

impl History {
    /// Some of the documents of these models, in all their versions.
    pub fn some_questions(&mut self, models: &[&IndexModel]) -> Vec<(String, usize)> {
        let names: BTreeSet<&String> = models.iter().flat_map(|model| model.documents.keys()).collect();
        let step = names.len().div_ceil(ASKED).max(1);
        let first = self.random.below(step);
        questions(models, names.into_iter().skip(first).step_by(step))
    }

    /// Brings the index up to date where it is not.
    pub fn catch_up(&mut self) {
        if self.index.indexed(&self.files) != self.index {
            self.run_index();
        }
    }

    /// Fails unless the index is as the model: some documents are asked for.
    pub fn compare(&mut self) {
        let asked = self.some_questions(&[&self.index.clone()]);
        self.compare_asking(&asked);
    }

    /// The same with all documents.
    pub fn compare_all(&mut self) {
        let asked = questions(&[&self.index], self.index.documents.keys());
        self.compare_asking(&asked);
        if self.index.upgraded {
            assert_eq!(self.world.text("tea.md"), self.fixture.texts["tea.md"]);
        }
    }

    fn compare_asking(&self, asked: &[(String, usize)]) {
        match look(&self.world, ".okno", (&[&self.index], &self.fixture), asked) {
            Ok(seen) => assert_eq!(seen.differs(&self.index, &self.fixture, asked), None),
            Err(ending) => panic!("{ending:?}"),
        }
    }
}

/// A question for every version of these documents.
pub fn questions<'a>(models: &[&IndexModel], names: impl Iterator<Item = &'a String>) -> Vec<(String, usize)> {
    let versions = |name: &String| {
        let versions: BTreeSet<usize> = models.iter().filter_map(|model| model.documents.get(name)).copied().collect();
        versions.into_iter().map(|version| (name.clone(), version)).collect::<Vec<_>>()
    };
    names.flat_map(versions).collect()
}
