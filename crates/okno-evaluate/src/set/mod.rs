//! Question sets: files in, questions with gold out – or every fault, each with its line and field.
//!
//! A set is a folder with `corpus.jsonl` and `queries.jsonl`, or a file of questions (JSON lines, CSV, TSV) over
//! documents that are indexed already. A set with a fault is refused whole: a figure over the questions that happened
//! to be readable would be a figure about something else.

mod csv;
mod fault;
mod library;
mod read;

pub use fault::{Fault, FaultReason, Faults, JsonKind};
pub use library::{Corpus, Indexed, Library, NameMatch};

use super::gold::Points;
use crate::{Error, Result};
use okno::document::Filter;
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// A question with what a good answer holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Its own name, or the number of its line.
    pub id: String,
    /// The question.
    pub text: String,
    /// What kind it is, where the set says.
    pub kind: Option<String>,
    /// Only documents that match.
    pub filter: Option<Filter>,
    /// What it is judged by.
    pub gold: Gold,
}

/// What a question is judged by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gold {
    /// Places in one document, in code points.
    Spans {
        /// The document's name.
        document: String,
        /// The answer.
        answer: Points,
        /// All reference excerpts, where there are several.
        excerpts: Vec<Points>,
    },
    /// Only which documents are relevant.
    Documents(BTreeSet<String>),
}

/// Questions that belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionSet {
    /// The name of its folder or file.
    pub name: String,
    /// The questions, in order.
    pub questions: Vec<Question>,
}

impl QuestionSet {
    /// Reads the questions of a file and finds their answers in the documents of `library`.
    pub fn read(file: &Path, library: &mut dyn Library) -> Result<Self> {
        let text = read_text(file)?;
        let is = |ending: &str| file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(ending));
        let lines = match (is("csv"), is("tsv")) {
            (true, _) => csv::objects(&text, ','),
            (_, true) => csv::objects(&text, '\t'),
            _ => read::json_lines(&text),
        };
        let questions = read::questions(lines, library)?.map_err(|faults| faulty(file, faults))?;
        if questions.is_empty() {
            let reason = FaultReason::NoQuestions;
            return Err(faulty(file, vec![Fault { line: 1, field: "question", reason }]));
        }
        Ok(Self { name: name_of(file), questions })
    }

    /// Reads questions that came as JSON lines from elsewhere, under a name.
    pub fn from_lines(name: &str, lines: &str, library: &mut dyn Library) -> Result<Self> {
        let questions = read::questions(read::json_lines(lines), library)?;
        let questions = questions.map_err(|faults| faulty(Path::new(name), faults))?;
        Ok(Self { name: name.to_owned(), questions })
    }

    /// The same questions have the same fingerprint: figures of two runs are comparable when theirs are equal.
    pub fn fingerprint(&self) -> String {
        let mut all = String::new();
        for question in &self.questions {
            let _ = writeln!(all, "{}\0{}\0{:?}", question.id, question.text, question.gold);
        }
        format!("{:016x}", xxh3_64(all.as_bytes()))
    }

    /// Questions by kind, where the set names kinds.
    pub fn kinds(&self) -> HashMap<&str, usize> {
        let mut kinds = HashMap::new();
        for kind in self.questions.iter().filter_map(|question| question.kind.as_deref()) {
            *kinds.entry(kind).or_default() += 1;
        }
        kinds
    }
}

/// A set's name: that of the folder when the file has the name every such file has.
fn name_of(file: &Path) -> String {
    let named = if file.file_name().is_some_and(|name| name == "queries.jsonl") { file.parent() } else { Some(file) };
    let canonical = named.and_then(|path| path.canonicalize().ok());
    let name = canonical.as_deref().or(named).and_then(Path::file_stem);
    name.map_or_else(|| "questions".to_owned(), |name| name.to_string_lossy().into_owned())
}

fn read_text(file: &Path) -> Result<String> {
    let text = fs_err::read_to_string(file)
        .map_err(|error| okno::Error::Unreadable { path: file.to_owned(), cause: error.kind().into() })?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

fn faulty(file: &Path, faults: Vec<Fault>) -> Error {
    Error::QuestionSet { path: file.to_owned(), faults: Faults(faults) }
}

#[cfg(test)]
mod tests;
