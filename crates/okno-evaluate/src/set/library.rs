//! Where the documents of a question set are: in its own corpus file, or in an index.

use super::super::score::Texts;
use super::{Fault, FaultReason, faulty, read, read_text};
use crate::Result;
use okno::store::{DocumentNumber, Snapshot};
use std::collections::HashMap;
use std::path::Path;

/// What a name stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameMatch {
    /// No document.
    No,
    /// More than one.
    Several,
    /// This one, by the name that contexts carry.
    One(String),
}

/// Documents by name, with their texts.
pub trait Library {
    /// The document of this name; its text is in [`Library::texts`] afterwards.
    fn find(&mut self, name: &str) -> Result<NameMatch>;
    /// The texts found so far.
    fn texts(&self) -> &Texts;
}

/// The documents of a `corpus.jsonl`.
#[derive(Debug, Default)]
pub struct Corpus {
    texts: Texts,
}

impl Corpus {
    /// Reads the file.
    pub fn read(file: &Path) -> Result<Self> {
        let (mut texts, mut faults) = (Texts::new(), Vec::new());
        for line in read::json_lines(&read_text(file)?) {
            match line.and_then(|(line, object)| read::document(line, &object)) {
                Err(fault) => faults.push(fault),
                Ok((line, name, text)) => {
                    if texts.insert(name.clone(), text.chars().collect()).is_some() {
                        let reason = FaultReason::RepeatedDocument { name };
                        faults.push(Fault { line, field: "doc_id", reason });
                    }
                }
            }
        }
        if faults.is_empty() { Ok(Self { texts }) } else { Err(faulty(file, faults)) }
    }
}

impl Library for Corpus {
    fn find(&mut self, name: &str) -> Result<NameMatch> {
        Ok(if self.texts.contains_key(name) { NameMatch::One(name.to_owned()) } else { NameMatch::No })
    }

    fn texts(&self) -> &Texts {
        &self.texts
    }
}

/// The documents of an index; only those that are asked for are read.
pub struct Indexed<'s> {
    snapshot: &'s dyn Snapshot,
    texts: Texts,
    numbers: HashMap<String, NameMatch>,
}

impl<'s> Indexed<'s> {
    /// The documents of one generation.
    pub fn new(snapshot: &'s dyn Snapshot) -> Self {
        Self { snapshot, texts: Texts::new(), numbers: HashMap::new() }
    }

    fn look_up(&mut self, name: &str) -> Result<NameMatch> {
        let named: Vec<(DocumentNumber, String)> = self
            .snapshot
            .records()?
            .iter()
            .filter(|(_, record)| record.id.is_called(name))
            .map(|(number, record)| (*number, record.id.name().to_owned()))
            .collect();
        let [(number, own)] = named.as_slice() else {
            return Ok(if named.is_empty() { NameMatch::No } else { NameMatch::Several });
        };
        self.texts.insert(own.clone(), self.snapshot.text(*number)?.chars().collect());
        Ok(NameMatch::One(own.clone()))
    }
}

impl Library for Indexed<'_> {
    fn find(&mut self, name: &str) -> Result<NameMatch> {
        if let Some(found) = self.numbers.get(name) {
            return Ok(found.clone());
        }
        let found = self.look_up(name)?;
        self.numbers.insert(name.to_owned(), found.clone());
        Ok(found)
    }

    fn texts(&self) -> &Texts {
        &self.texts
    }
}

/// A document that a set names and a library lacks.
pub(super) fn missing(name: &str, found: &NameMatch) -> FaultReason {
    let name = name.to_owned();
    match found {
        NameMatch::Several => FaultReason::SeveralDocuments { name },
        _ => FaultReason::NoDocument { name },
    }
}
