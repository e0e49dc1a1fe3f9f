//! A folder, the program, and what came of running it.
//!
//! Every test runs the real binary in a folder of its own, with a fixed language and no index from
//! outside, and looks at what a user would see: exit code, standard output, standard error.
// Each test file uses its own part of this.
#![allow(dead_code)]

use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

/// Says why a test does nothing, past the test runner, which keeps what passing tests print to itself.
pub fn say_skipped(why: &str) {
    // Nobody may listen; the test passes all the same.
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

/// The program: the one of this build, or the one that `OKNO_TEST_PROGRAM` names.
pub fn program() -> PathBuf {
    std::env::var_os("OKNO_TEST_PROGRAM").map_or_else(|| env!("CARGO_BIN_EXE_okno").into(), PathBuf::from)
}

/// How large a test is: what this variable says, or small.
pub fn size(variable: &str, small: usize) -> usize {
    let given = std::env::var(variable).ok();
    given.map_or(small, |given| given.parse().unwrap_or_else(|_| panic!("{variable}: expected a number: {given}")))
}

/// The sample that `okno demo` shows.
pub fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("sample/documents")
}

/// A folder with documents and, after the first `index`, an index in `.okno`.
pub struct World {
    folder: tempfile::TempDir,
}

impl World {
    /// An empty folder.
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A folder whose index holds one note about tea.
    pub fn with_tea() -> Self {
        let world = Self::new();
        world.write("notes/tea.md", "Green tea is brewed at eighty degrees.");
        world.index(["notes"]);
        world
    }

    /// A folder whose index holds the sample.
    pub fn with_sample() -> Self {
        let world = Self::new();
        world.okno(["index", sample().to_str().unwrap()]).succeeds();
        world
    }

    /// A path in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file, with the folders it needs.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    /// Deletes a file or folder.
    pub fn delete(&self, name: &str) -> &Self {
        let path = self.path(name);
        if path.is_dir() {
            std::fs::remove_dir_all(path).unwrap();
        } else {
            std::fs::remove_file(path).unwrap();
        }
        self
    }

    /// Deletes the index, if there is one.
    pub fn delete_index(&self) {
        if self.path(".okno").exists() {
            self.delete(".okno");
        }
    }

    /// The program, ready to be given arguments, in this folder and in English.
    pub fn command(&self) -> Command {
        let mut command = Command::new(program());
        command.current_dir(self.folder.path()).stdin(Stdio::null());
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("OKNO_")) {
            command.env_remove(name);
        }
        for name in ["LC_ALL", "LC_MESSAGES", "RUST_BACKTRACE"] {
            command.env_remove(name);
        }
        // The user's own configuration and models are no part of a test.
        command
            .env("LANG", "C.UTF-8")
            .env("XDG_CONFIG_HOME", self.path(".config"))
            .env("XDG_DATA_HOME", self.path(".data"))
            .env("XDG_STATE_HOME", self.path(".state"));
        command
    }

    /// Runs the program.
    pub fn okno<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Ran {
        Ran::of(self.command().args(arguments))
    }

    /// Runs the program with lines to read.
    pub fn okno_reading<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>, input: &str) -> Ran {
        let mut child = piped(self.command().args(arguments).stdin(Stdio::piped()));
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        Ran::from(child.wait_with_output().unwrap())
    }

    /// Starts the program and does not wait.
    pub fn start<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Child {
        piped(self.command().args(arguments))
    }

    /// The report of `okno index … --json`.
    pub fn index<S: AsRef<OsStr>>(&self, paths: impl IntoIterator<Item = S>) -> Value {
        let arguments: Vec<_> = paths.into_iter().map(|path| path.as_ref().to_owned()).collect();
        Ran::of(self.command().args(["index", "--json"]).args(arguments)).succeeds().json()
    }

    /// The answer of `okno search … --json`.
    pub fn search(&self, arguments: &[&str]) -> Value {
        Ran::of(self.command().args(["search", "--json"]).args(arguments)).succeeds().json()
    }

    /// The names of the documents that answer a question, best first, each once.
    pub fn found(&self, question: &str) -> Vec<String> {
        let mut names = Vec::new();
        for context in contexts(&self.search(&[question])) {
            let name = text(context, "doc_id");
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// The answers to many questions, in order.
    pub fn ask_all(&self, questions: &[String], flags: &[&str]) -> Vec<Value> {
        let lines: Vec<String> = questions.iter().map(|q| serde_json::json!({ "question": q }).to_string()).collect();
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), lines.join("\n")).unwrap();
        Ran::of(self.command().arg("search").arg("--queries").arg(file.path()).args(flags)).succeeds().lines()
    }

    /// `status --json`.
    pub fn status(&self) -> Value {
        self.okno(["status", "--json"]).succeeds().json()
    }

    /// `documents --json`, by name.
    pub fn documents(&self) -> BTreeMap<String, Value> {
        let lines = self.okno(["documents", "--json"]).succeeds().lines();
        let count = lines.len();
        let named: BTreeMap<_, _> = lines.into_iter().map(|document| (text(&document, "doc_id"), document)).collect();
        assert_eq!(named.len(), count, "a document is listed twice");
        named
    }

    /// The names of the documents, in order of name.
    pub fn names(&self) -> Vec<String> {
        self.documents().into_keys().collect()
    }

    /// A document's whole text.
    pub fn text(&self, name: &str) -> String {
        text(&self.okno(["show", "--json", name]).succeeds().json(), "text")
    }
}

fn piped(command: &mut Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// What a run printed and how it ended.
#[derive(Debug)]
pub struct Ran {
    pub status: ExitStatus,
    pub out: String,
    pub err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        let ran = Self {
            status: output.status,
            out: String::from_utf8(output.stdout).expect("standard output is UTF-8"),
            err: String::from_utf8(output.stderr).expect("standard error is UTF-8"),
        };
        assert!(!ran.err.contains("panicked"), "a user must never see a panic:\n{}", ran.err);
        ran
    }
}

impl Ran {
    /// Runs a command to its end.
    pub fn of(command: &mut Command) -> Self {
        Self::from(command.output().unwrap())
    }

    /// Exit code 0.
    pub fn succeeds(self) -> Self {
        self.ends_with(0)
    }

    /// Exit code 1, nothing on standard output, and a message with a next step.
    pub fn refuses(self) -> Self {
        let ran = self.ends_with(1);
        assert_eq!(ran.out, "", "a failure prints no data");
        let step = [" – ", "; ", " —— ", ";", "；", ": expected ", "应为"].iter().any(|mark| ran.err.contains(mark));
        let error = ["error: ", "错误："].iter().any(|word| ran.err.starts_with(word));
        assert!(error && step, "no next step: {}", ran.err);
        ran
    }

    /// This exit code.
    pub fn ends_with(self, code: i32) -> Self {
        assert_eq!(self.status.code(), Some(code), "{self:#?}");
        self
    }

    /// Standard error holds all of these.
    pub fn says(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.err.contains(part), "`{part}` is missing in: {}", self.err);
        }
        self
    }

    /// Standard output as one JSON value.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }

    /// Standard output as JSON lines.
    pub fn lines(&self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// The contexts of an answer.
pub fn contexts(answer: &Value) -> &[Value] {
    answer["contexts"].as_array().expect("an answer has contexts")
}

/// A field that is text.
pub fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_else(|| panic!("no text `{field}` in {value}")).to_owned()
}

/// A field that is a count.
pub fn number(value: &Value, field: &str) -> usize {
    value[field].as_u64().unwrap_or_else(|| panic!("no number `{field}` in {value}")) as usize
}

/// `added`, `changed`, `removed`, `unchanged` of a report.
pub fn counts(report: &Value) -> [usize; 4] {
    ["added", "changed", "removed", "unchanged"].map(|field| number(report, field))
}

/// The places and reasons of what a report says was skipped.
pub fn skipped(report: &Value) -> BTreeMap<String, String> {
    let skipped = report["skipped"].as_array().unwrap().iter();
    skipped.map(|skipped| (text(skipped, "place"), text(skipped, "reason"))).collect()
}

/// A word that no other number gives, and that no stemmer touches.
pub fn word(number: usize) -> String {
    let letters: String =
        number.to_string().bytes().map(|digit| char::from(b"bdfgjkmpqz"[usize::from(digit - b'0')])).collect();
    format!("zor{letters}ak")
}

/// Waits until something holds, for at most ten seconds.
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(10), "waited too long until {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Sends a signal to a process this test started.
#[cfg(unix)]
pub fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").arg(format!("-{name}")).arg(child.id().to_string()).status().unwrap();
    assert!(sent.success(), "no signal {name} could be sent");
}

/// Many small documents, each with a word of its own that changes with the version.
pub struct Many {
    /// Files with one document each.
    pub files: usize,
    /// Lines of one JSONL file.
    pub lines: usize,
}

impl Many {
    /// The name and the word of every document of a version.
    pub fn words(&self, version: usize) -> Vec<(String, String)> {
        let names =
            (0..self.files).map(|i| format!("note{i:04}.md")).chain((0..self.lines).map(|i| format!("line{i:04}")));
        names.enumerate().map(|(i, name)| (name, word(2 * i + version % 2))).collect()
    }

    /// The text of a document.
    pub fn text(word: &str) -> String {
        format!("The secret word here is {word}. Nobody else knows it, and nobody asked.")
    }

    /// Writes a version into the folder `many`: every document differs from the version before.
    pub fn write(&self, world: &World, version: usize) {
        let words = self.words(version);
        for (name, word) in &words[..self.files] {
            world.write(&format!("many/{name}"), Self::text(word));
        }
        let line =
            |(name, word): &(String, String)| serde_json::json!({"doc_id": name, "text": Self::text(word)}).to_string();
        let lines: Vec<String> = words[self.files..].iter().map(line).collect();
        world.write("many/lines.jsonl", lines.join("\n"));
    }

    /// Which version of each of these documents the index finds by its word: 0, 1, or neither.
    pub fn versions(&self, world: &World, every: usize) -> BTreeMap<String, usize> {
        let asked: Vec<(usize, String, String)> = (0..2)
            .flat_map(|version| {
                self.words(version).into_iter().step_by(every).map(move |(name, word)| (version, name, word))
            })
            .collect();
        let questions: Vec<String> = asked.iter().map(|(_, _, word)| word.clone()).collect();
        // The dense leg adds others; the lexical leg finds the one sentence that has the word, or nothing.
        let answers = world.ask_all(&questions, &["--recipe", "window", "--expand", "none", "-k", "10"]);
        let mut versions = BTreeMap::new();
        for ((version, name, word), answer) in asked.into_iter().zip(answers) {
            if let Some(context) = contexts(&answer).iter().find(|context| text(context, "text").contains(&word)) {
                assert_eq!(text(context, "doc_id"), name, "the word of another document");
                let before = versions.insert(name.clone(), version);
                assert_eq!(before, None, "two versions of `{name}` at once");
            }
        }
        versions
    }
}
