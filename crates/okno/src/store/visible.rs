//! The part of a generation that somebody may see: a snapshot as if the other documents were not there.
//!
//! Whatever reads an index reads a [`Snapshot`], so this is the one place where permissions are applied: rankings of
//! both legs, listings, counts, fields and their values, names, copies, images and the terms that spellings are
//! corrected to. Only statistics are those of the whole index: how rare a word is, and how long texts are on average.

use super::{
    Ask, CopyGroups, DamagedDocument, DocumentNumber, DocumentSet, DocumentText, FieldScope, FileState, Leg, Manifest,
    Scored, SeenDocuments, Snapshot, TermState, Totals, Vectors,
};
use crate::document::{Access, Catalogue, Derived, DerivedKind, Filter, Gathering, ImageHash, Record, Span, Structure};
use crate::text::names::{DocumentNames, NameGathering};
use crate::text::terms;
use crate::{Error, Result};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Which documents of a generation may be seen, and what is gathered of them; shared by all snapshots of it.
struct VisibleDocuments {
    numbers: DocumentSet,
    /// Whether there are documents that may not be seen.
    hidden: bool,
    roots: Vec<String>,
    copies: CopyGroups,
    derived_counts: BTreeMap<DerivedKind, usize>,
    records: OnceLock<Vec<(DocumentNumber, Record)>>,
    catalogue: OnceLock<Catalogue>,
    names: OnceLock<DocumentNames>,
}

impl VisibleDocuments {
    fn new(whole: &dyn Snapshot, access: &Access) -> Result<Self> {
        let SeenDocuments { numbers, roots: used } = whole.seen_by(access)?;
        let hidden = numbers.len() < whole.numbers().len();
        let numbers = DocumentSet::from(numbers);
        let visible =
            |group: &Vec<DocumentNumber>| group.iter().copied().filter(|&number| numbers.contains(number)).collect();
        let copies = whole.copies().iter().map(visible).filter(|group: &Vec<_>| group.len() > 1);
        let copies = copies.collect::<Vec<_>>().into();
        let derived_counts = match whole.derived_counts() {
            counts if !hidden || counts.is_empty() => counts.clone(),
            _ => whole.derived_counts_among(&numbers)?,
        };
        let roots = whole.roots().iter().filter(|root| !hidden || used.contains(*root)).cloned().collect();
        let (records, catalogue, names) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Ok(Self { numbers, hidden, roots, copies, derived_counts, records, catalogue, names })
    }
}

/// A generation as somebody sees it.
struct VisibleSnapshot {
    whole: Arc<dyn Snapshot>,
    visible: Arc<VisibleDocuments>,
    access: Access,
}

impl VisibleSnapshot {
    fn check(&self, number: DocumentNumber) -> Result<()> {
        if self.visible.numbers.contains(number) { Ok(()) } else { Err(Error::NoDocument(format!("#{number}"))) }
    }
}

/// Views that are kept; each has the records of its documents.
const MOST_VIEWS: usize = 32;

/// The views of an index, the most recently used last.
#[derive(Default)]
pub struct SnapshotViews {
    kept: Mutex<Vec<KnownView>>,
}

struct KnownView {
    identity: Option<u128>,
    generation: u64,
    access: Access,
    visible: Arc<VisibleDocuments>,
}

impl KnownView {
    fn is_of(&self, whole: &dyn Snapshot) -> bool {
        (self.identity, self.generation) == (whole.identity(), whole.generation())
    }
}

impl SnapshotViews {
    /// A generation as somebody with this access sees it.
    pub fn of(&self, whole: Arc<dyn Snapshot>, access: &Access) -> Result<Arc<dyn Snapshot>> {
        if access.is_everything() {
            return Ok(whole);
        }
        let visible = self.visible(&*whole, access)?;
        Ok(Arc::new(VisibleSnapshot { whole, visible, access: access.clone() }))
    }

    /// Whether somebody with this access does not see all documents of a generation. Who may see a damaged document
    /// is not known.
    pub fn hides(&self, whole: &dyn Snapshot, access: &Access) -> Result<bool> {
        if access.is_everything() {
            return Ok(false);
        }
        let visible = self.visible(whole, access)?;
        Ok(visible.hidden || whole.damaged().iter().any(|damaged| !visible.numbers.contains(damaged.number)))
    }

    fn visible(&self, whole: &dyn Snapshot, access: &Access) -> Result<Arc<VisibleDocuments>> {
        if let Some(known) = self.take(whole, access) {
            return Ok(self.keep(known));
        }
        let visible = Arc::new(VisibleDocuments::new(whole, access)?);
        let (identity, generation) = (whole.identity(), whole.generation());
        Ok(self.keep(KnownView { identity, generation, access: access.clone(), visible }))
    }

    fn take(&self, whole: &dyn Snapshot, access: &Access) -> Option<KnownView> {
        let mut kept = self.kept();
        // Generations before are not asked for again.
        kept.retain(|known| known.generation >= whole.generation() || known.identity != whole.identity());
        let at = kept.iter().position(|known| known.is_of(whole) && known.access == *access)?;
        Some(kept.remove(at))
    }

    fn keep(&self, view: KnownView) -> Arc<VisibleDocuments> {
        let visible = Arc::clone(&view.visible);
        let mut kept = self.kept();
        kept.push(view);
        if kept.len() > MOST_VIEWS {
            kept.remove(0);
        }
        visible
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Vec<KnownView>> {
        // Only whole entries are added and removed.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl VisibleSnapshot {
    /// What of the documents asked for may be seen.
    fn seen_of<'a>(&'a self, ask: &Ask<'a>) -> Cow<'a, DocumentSet> {
        match ask.allowed {
            None => Cow::Borrowed(&self.visible.numbers),
            Some(given) => Cow::Owned(given.intersection(&self.visible.numbers)),
        }
    }

    /// The same question, asked of these documents.
    fn narrowed<'a>(&'a self, ask: &Ask<'a>, seen: &'a DocumentSet) -> Ask<'a> {
        let everything = FieldScope { filter: None, access: None, without: &[] };
        let given = if ask.allowed.is_none() { Some(everything) } else { ask.fields };
        let fields = given.map(|fields| FieldScope { access: Some(&self.access), ..fields });
        Ask { allowed: Some(seen), fields, ..*ask }
    }
}

impl Snapshot for VisibleSnapshot {
    fn generation(&self) -> u64 {
        self.whole.generation()
    }

    fn identity(&self) -> Option<u128> {
        self.whole.identity()
    }

    fn manifest(&self) -> &Manifest {
        self.whole.manifest()
    }

    fn numbers(&self) -> Vec<DocumentNumber> {
        self.visible.numbers.numbers().to_vec()
    }

    fn records(&self) -> Result<&[(DocumentNumber, Record)]> {
        if !self.visible.hidden {
            return self.whole.records();
        }
        if let Some(records) = self.visible.records.get() {
            return Ok(records);
        }
        let mut records = Vec::new();
        self.each_record(&mut |number, record| records.push((number, record.clone())))?;
        // Two threads may read at once; the first to finish is kept.
        Ok(self.visible.records.get_or_init(|| records))
    }

    fn each_record(&self, each: &mut dyn FnMut(DocumentNumber, &Record)) -> Result<()> {
        self.whole.each_record(&mut |number, record| {
            if self.visible.numbers.contains(number) {
                each(number, record);
            }
        })
    }

    fn totals(&self) -> Result<Totals> {
        if !self.visible.hidden {
            return self.whole.totals();
        }
        let mut totals = Totals::default();
        self.each_record(&mut |_, record| totals.add(record))?;
        Ok(totals)
    }

    fn each_document(&self, each: &mut dyn FnMut(DocumentNumber, &Record, &Structure, &str)) -> Result<()> {
        self.whole.each_document(&mut |number, record, structure, text| {
            if self.visible.numbers.contains(number) {
                each(number, record, structure, text);
            }
        })
    }

    fn matching(&self, filter: &Filter) -> Result<Vec<DocumentNumber>> {
        let mut matching = self.whole.matching(filter)?;
        matching.retain(|number| self.visible.numbers.contains(*number));
        Ok(matching)
    }

    fn catalogue(&self) -> Result<&Catalogue> {
        if !self.visible.hidden {
            return self.whole.catalogue();
        }
        if let Some(catalogue) = self.visible.catalogue.get() {
            return Ok(catalogue);
        }
        let mut gathering = Gathering::default();
        self.each_record(&mut |_, record| gathering.add(record))?;
        Ok(self.visible.catalogue.get_or_init(|| gathering.catalogue(terms::folded)))
    }

    fn names(&self) -> Result<&DocumentNames> {
        if !self.visible.hidden {
            return self.whole.names();
        }
        if let Some(names) = self.visible.names.get() {
            return Ok(names);
        }
        let mut names = NameGathering::default();
        self.each_record(&mut |number, record| names.add(number, record))?;
        Ok(self.visible.names.get_or_init(|| names.names()))
    }

    fn finds_copies(&self) -> bool {
        self.visible.hidden || self.whole.finds_copies()
    }

    fn copies(&self) -> &CopyGroups {
        &self.visible.copies
    }

    fn record(&self, number: DocumentNumber) -> Result<Record> {
        self.check(number)?;
        self.whole.record(number)
    }

    fn structure(&self, number: DocumentNumber) -> Result<Arc<Structure>> {
        self.check(number)?;
        self.whole.structure(number)
    }

    fn text(&self, number: DocumentNumber) -> Result<DocumentText<'_>> {
        self.check(number)?;
        self.whole.text(number)
    }

    fn derived(&self, number: DocumentNumber) -> Result<Arc<[Derived]>> {
        self.check(number)?;
        self.whole.derived(number)
    }

    fn image(&self, hash: ImageHash) -> Result<Option<Vec<u8>>> {
        self.whole.image_among(hash, &self.visible.numbers)
    }

    fn image_among(&self, hash: ImageHash, among: &DocumentSet) -> Result<Option<Vec<u8>>> {
        self.whole.image_among(hash, &among.intersection(&self.visible.numbers))
    }

    fn damaged(&self) -> Vec<DamagedDocument> {
        let mut damaged = self.whole.damaged();
        damaged.retain(|damaged| self.visible.numbers.contains(damaged.number));
        damaged
    }

    fn all_damaged(&self) -> Vec<DamagedDocument> {
        self.whole.all_damaged();
        self.damaged()
    }

    fn check_text(&self, number: DocumentNumber, span: Span) -> Result<()> {
        self.check(number)?;
        self.whole.check_text(number, span)
    }

    fn check_document(&self, number: DocumentNumber) -> Result<()> {
        self.check(number)?;
        self.whole.check_document(number)
    }

    fn vectors(&self, number: DocumentNumber) -> Result<Vectors> {
        self.check(number)?;
        self.whole.vectors(number)
    }

    fn expect(&self, numbers: &[DocumentNumber]) -> Result<()> {
        let visible: Vec<DocumentNumber> =
            numbers.iter().copied().filter(|number| self.visible.numbers.contains(*number)).collect();
        self.whole.expect(&visible)
    }

    fn derived_counts(&self) -> &BTreeMap<DerivedKind, usize> {
        &self.visible.derived_counts
    }

    fn derived_counts_among(&self, among: &DocumentSet) -> Result<BTreeMap<DerivedKind, usize>> {
        self.whole.derived_counts_among(&among.intersection(&self.visible.numbers))
    }

    fn term_state(&self, term: &str) -> Result<TermState> {
        if self.visible.hidden {
            return self.whole.term_state_among(term, &self.visible.numbers);
        }
        self.whole.term_state(term)
    }

    fn term_state_among(&self, term: &str, among: &DocumentSet) -> Result<TermState> {
        self.whole.term_state_among(term, &among.intersection(&self.visible.numbers))
    }

    fn search(&self, ask: &Ask<'_>) -> Result<Vec<Vec<Scored>>> {
        Ok(self.search_all(std::slice::from_ref(ask))?.pop().unwrap_or_default())
    }

    fn search_all(&self, asks: &[Ask<'_>]) -> Result<Vec<Vec<Vec<Scored>>>> {
        if !self.visible.hidden {
            return self.whole.search_all(asks);
        }
        let seen: Vec<Cow<'_, DocumentSet>> = asks.iter().map(|ask| self.seen_of(ask)).collect();
        let narrowed: Vec<Ask<'_>> = asks.iter().zip(&seen).map(|(ask, seen)| self.narrowed(ask, seen)).collect();
        let mut found = self.whole.search_all(&narrowed)?;
        for (ask, found) in asks.iter().zip(&mut found).filter(|(ask, _)| ask.allowed.is_none()) {
            // Nobody asked for few documents: what is unlike the question is no answer.
            for ((leg, _), ranking) in ask.rankings.iter().zip(found) {
                ranking.retain(|scored| *leg != Leg::Dense || scored.score > 0.0);
            }
        }
        Ok(found)
    }

    fn roots(&self) -> &[String] {
        &self.visible.roots
    }

    fn files(&self) -> Result<Vec<FileState>> {
        let mut files = self.whole.files()?;
        for file in &mut files {
            file.documents.retain(|number| self.visible.numbers.contains(*number));
        }
        files.retain(|file| !file.documents.is_empty());
        Ok(files)
    }

    /// What was removed by hand is the owner's to know.
    fn removed(&self) -> Result<BTreeMap<u128, u128>> {
        Ok(BTreeMap::new())
    }
}
