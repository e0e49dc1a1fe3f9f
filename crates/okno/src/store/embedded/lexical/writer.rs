//! The lexical index, for writing.

use super::draft::SegmentDraft;
use super::error::LexicalResult;
use super::list::{self, SegmentList};
use super::merge;
use super::segment::Segment;
use crate::document::{Derived, Structure};
use crate::store::embedded::identity::IndexIdentity;
use crate::store::{DocumentNumber, FORMAT};
use std::cmp::Ordering;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Writes a lexical index. Nothing is seen by others before a commit.
pub struct LexicalWriter {
    folder: PathBuf,
    list: SegmentList,
    /// What the list names.
    segments: Vec<Segment>,
    /// Written since, and not committed.
    added: Vec<Segment>,
    draft: SegmentDraft,
    /// How many files this writer has made.
    made: usize,
    unique: IndexIdentity,
}

/// What a lexical index was built from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Built {
    /// The generation asked about.
    Exactly,
    /// That and more, which never became visible.
    Beyond,
    /// Something else: it must be built anew.
    Otherwise,
}

impl LexicalWriter {
    /// Opens what was last committed; [`Self::built_from`] says whether it fits.
    pub fn open(folder: &Path) -> LexicalResult<Self> {
        let list = SegmentList::read(folder)?;
        let segments =
            list.segments.iter().map(|name| Segment::open(&folder.join(name))).collect::<LexicalResult<_>>()?;
        let writer = Self { list, segments, ..Self::empty(folder) };
        writer.delete_unnamed();
        Ok(writer)
    }

    /// Makes an empty index.
    pub fn create(folder: &Path) -> LexicalResult<Self> {
        fs_err::create_dir_all(folder)?;
        Ok(Self::empty(folder))
    }

    fn empty(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            list: SegmentList::default(),
            segments: Vec::new(),
            added: Vec::new(),
            draft: SegmentDraft::default(),
            made: 0,
            unique: IndexIdentity::new(),
        }
    }

    /// Deletes what a writer left that was killed. What another process reads may stay, where the system wants it so.
    fn delete_unnamed(&self) {
        let Ok(entries) = fs_err::read_dir(&self.folder) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path() != list::path(&self.folder) && !self.list.segments.contains(&name) {
                let _ = fs_err::remove_file(entry.path());
            }
        }
    }

    /// What it was built from, compared with this generation of this index, in which `next` is the first number that
    /// no document has.
    pub fn built_from(&self, generation: u64, identity: IndexIdentity, next: DocumentNumber) -> Built {
        if self.list.is_other_format() || self.list.is_foreign(Some(identity)) {
            return Built::Otherwise;
        }
        match self.list.generation.cmp(&generation) {
            Ordering::Equal => Built::Exactly,
            Ordering::Greater if self.segments.iter().all(|one| is_before(one, next) || is_from(one, next)) => {
                Built::Beyond
            }
            Ordering::Greater | Ordering::Less => Built::Otherwise,
        }
    }

    /// Adds a document's sentences, sections and derived texts.
    pub fn add(
        &mut self,
        number: DocumentNumber,
        text: &str,
        title: &str,
        structure: &Structure,
        derived: &[Derived],
    ) -> LexicalResult<()> {
        self.draft.add(number, text, title, structure, derived);
        if self.draft.is_full() { self.end_draft() } else { Ok(()) }
    }

    fn end_draft(&mut self) -> LexicalResult<()> {
        if !self.draft.is_empty() {
            let path = self.new_path();
            self.added.push(self.draft.write(path)?);
        }
        Ok(())
    }

    /// A file that was never there.
    fn new_path(&mut self) -> PathBuf {
        self.made += 1;
        self.folder.join(format!("{}{:x}.idx", self.unique, self.made))
    }

    /// Takes a document out.
    pub fn remove(&mut self, number: DocumentNumber) {
        self.list.removed.insert(number);
    }

    /// Takes out every document from this number on: they are in segments of their own, since only what became
    /// visible is merged.
    pub fn remove_from(&mut self, number: DocumentNumber) {
        self.segments.retain(|segment| is_before(segment, number));
    }

    /// Commits for this generation of this index.
    pub fn commit(&mut self, generation: u64, identity: IndexIdentity) -> LexicalResult<()> {
        self.end_draft()?;
        // What is added now is not visible yet, and stays apart: it may have to be taken out again.
        self.merge()?;
        self.segments.append(&mut self.added);
        let name = |segment: &Segment| segment.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.list = SegmentList {
            format: FORMAT,
            generation,
            identity: identity.to_string(),
            segments: self.segments.iter().map(name).collect(),
            removed: std::mem::take(&mut self.list.removed),
        };
        self.list.write(&self.folder)?;
        self.delete_unnamed();
        Ok(())
    }

    fn merge(&mut self) -> LexicalResult<()> {
        while let Some(due) = merge::due(&self.segments, &self.list.removed) {
            let path = self.new_path();
            let old: Vec<&Segment> = due.iter().map(|&at| &self.segments[at]).collect();
            let merged = merge::merged(&old, &self.list.removed, path)?;
            // From behind, so that what is before stays where it is; the new one comes where the first was.
            due.iter().rev().for_each(|&at| drop(self.segments.remove(at)));
            self.segments.splice(due[0]..due[0], merged);
        }
        let stays: HashSet<DocumentNumber> =
            self.segments.iter().chain(&self.added).flat_map(Segment::documents).map(|one| one.number).collect();
        self.list.removed.retain(|number| stays.contains(number));
        Ok(())
    }
}

fn is_before(segment: &Segment, number: DocumentNumber) -> bool {
    segment.documents().all(|document| document.number < number)
}

fn is_from(segment: &Segment, number: DocumentNumber) -> bool {
    segment.documents().all(|document| document.number >= number)
}
