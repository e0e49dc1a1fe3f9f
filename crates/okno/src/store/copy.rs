//! From one store to another, nothing embedded again: documents with their vectors and images, files, what was
//! removed by hand, roots and manifest.
//!
//! A copy is made in commits of bounded size and can be cut short at any time: run again, it goes on with what is
//! missing. Afterwards the target holds what the source holds and nothing else, and [`verify`] reads both and
//! compares. Not copied are vectors kept for slow embedders.

use super::{DamagedDocument, DocumentNumber, FileState, PreparedDocument, Snapshot, Store, Vectors, Writer, id_key};
use crate::document::Record;
use crate::error::{Difference, OptionsError};
use crate::{Error, Result};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Documents between two commits, and read together.
const PAGE: usize = 200;

/// How far the components of a vector may differ, as a share of the largest: a folder keeps four bits for each, and the
/// upper levels are a quarter apart.
const TOLERANCE: f32 = 0.15;

/// What a copy did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Copied {
    /// Documents that were written.
    pub written: usize,
    /// Documents that were there already.
    pub unchanged: usize,
    /// Documents that the source no longer has.
    pub removed: usize,
}

/// Copies an index. `progress` hears how many documents are done, and of how many.
pub fn copy(from: &dyn Store, to: &dyn Store, progress: &mut dyn FnMut(usize, usize)) -> Result<Copied> {
    let source = DocumentPages::new(from)?;
    refuse_damage(&*source.first)?;
    let mut writer = to.writer()?;
    refuse_others(&*source.first, &*to.snapshot()?)?;
    writer.set_manifest(source.first.manifest())?;
    let mut copied = Copied::default();
    let mut numbers: HashMap<DocumentNumber, DocumentNumber> = HashMap::new();
    for page in source.pages() {
        let (snapshot, target) = (source.snapshot(page)?, to.snapshot()?);
        for (&number, there) in page.iter().zip(there(&*snapshot, page, &*target, &mut *writer)?) {
            numbers.insert(number, put(&*snapshot, number, there, &mut *writer, &mut copied)?);
        }
        writer.commit()?;
        progress(numbers.len(), source.numbers.len());
    }
    remove_others(&source, to, &mut *writer, &mut copied)?;
    copy_files(&*source.first, &*to.snapshot()?, &numbers, &mut *writer)?;
    copy_removed(&*source.first, &*to.snapshot()?, &mut *writer)?;
    writer.set_roots(source.first.roots())?;
    writer.finish()?;
    Ok(copied)
}

/// The documents of one generation, page by page, each page from a snapshot of its own so that what it read is let go
/// of.
struct DocumentPages<'s> {
    store: &'s dyn Store,
    first: Arc<dyn Snapshot>,
    numbers: Vec<DocumentNumber>,
}

impl<'s> DocumentPages<'s> {
    fn new(store: &'s dyn Store) -> Result<Self> {
        let first = store.snapshot()?;
        Ok(Self { store, numbers: first.numbers(), first })
    }

    fn pages(&self) -> impl Iterator<Item = &[DocumentNumber]> {
        self.numbers.chunks(PAGE)
    }

    fn snapshot(&self, page: &[DocumentNumber]) -> Result<Arc<dyn Snapshot>> {
        let snapshot = self.store.snapshot()?;
        if snapshot.generation() != self.first.generation() {
            return Err(OptionsError::ChangedMeanwhile.into());
        }
        snapshot.expect(page)?;
        Ok(snapshot)
    }
}

/// A document of a snapshot as it can be put.
fn prepared(snapshot: &dyn Snapshot, number: DocumentNumber) -> Result<PreparedDocument> {
    snapshot.check_document(number)?;
    Ok(PreparedDocument {
        record: snapshot.record(number)?,
        text: snapshot.text(number)?.to_owned(),
        structure: (*snapshot.structure(number)?).clone(),
        derived: snapshot.derived(number)?.to_vec(),
        vectors: snapshot.vectors(number)?,
    })
}

/// The documents of a page that the target has just so. Equal contents are not enough: units may have been derived
/// since, or what is known of a file may have changed.
fn there(
    source: &dyn Snapshot,
    page: &[DocumentNumber],
    target: &dyn Snapshot,
    writer: &mut dyn Writer,
) -> Result<Vec<Option<DocumentNumber>>> {
    let mut found = Vec::with_capacity(page.len());
    for &number in page {
        let record = source.record(number)?;
        let known = writer.find(&record.id)?;
        found.push(known.filter(|(_, hash)| *hash == record.hash).map(|(there, _)| there));
    }
    target.expect(&found.iter().copied().flatten().collect::<Vec<_>>())?;
    let same = |(&number, there): (&DocumentNumber, Option<DocumentNumber>)| match there {
        Some(other) if is_same(source, number, target, other)? => Ok(there),
        _ => Ok(None),
    };
    page.iter().zip(found).map(same).collect()
}

/// Whether two documents are the same in all but their vectors, which are made of the rest.
fn is_same(one: &dyn Snapshot, number: DocumentNumber, other: &dyn Snapshot, there: DocumentNumber) -> Result<bool> {
    Ok(one.record(number)? == other.record(there)?
        && one.derived(number)? == other.derived(there)?
        && one.structure(number)? == other.structure(there)?
        && *one.text(number)? == *other.text(there)?)
}

fn put(
    snapshot: &dyn Snapshot,
    number: DocumentNumber,
    there: Option<DocumentNumber>,
    writer: &mut dyn Writer,
    copied: &mut Copied,
) -> Result<DocumentNumber> {
    let there = if let Some(there) = there {
        copied.unchanged += 1;
        there
    } else {
        copied.written += 1;
        writer.put(&prepared(snapshot, number)?)?
    };
    keep_images(snapshot, number, writer, there)?;
    Ok(there)
}

/// Images that the target has already are not read.
fn keep_images(
    snapshot: &dyn Snapshot,
    number: DocumentNumber,
    writer: &mut dyn Writer,
    there: DocumentNumber,
) -> Result<()> {
    for picture in &snapshot.structure(number)?.images {
        let mut read = Ok(None);
        writer.keep_image(there, picture.hash, &mut || {
            read = snapshot.image(picture.hash);
            read.as_mut().ok()?.take()
        })?;
        read?;
    }
    Ok(())
}

/// Damage is not carried on: what was not damaged would look whole at the target, and the rest would be missing there.
fn refuse_damage(source: &dyn Snapshot) -> Result<()> {
    for number in source.numbers() {
        // What fails is remembered by the snapshot, which names all of it.
        match source.check_document(number) {
            Err(Error::Damaged { .. }) => {}
            checked => checked?,
        }
    }
    let names = DamagedDocument::names(&source.damaged());
    if names.is_empty() { Ok(()) } else { Err(OptionsError::SourceDamaged { names }.into()) }
}

/// A target that was indexed from elsewhere is not overwritten.
fn refuse_others(source: &dyn Snapshot, target: &dyn Snapshot) -> Result<()> {
    if source.manifest().embedder != target.manifest().embedder {
        let (from, to) = (source.manifest().embedder.clone(), target.manifest().embedder.clone());
        return Err(OptionsError::CopyEmbedder { from, to }.into());
    }
    match target.roots().iter().find(|root| !source.roots().contains(root)) {
        Some(root) => Err(OptionsError::CopyRoot { root: root.clone() }.into()),
        None => Ok(()),
    }
}

/// Takes out what the source no longer has.
fn remove_others(
    source: &DocumentPages<'_>,
    to: &dyn Store,
    writer: &mut dyn Writer,
    copied: &mut Copied,
) -> Result<()> {
    let target = to.snapshot()?;
    if target.numbers().len() == source.numbers.len() {
        return Ok(());
    }
    // Keys and not ids: a copy of millions of documents has room for them.
    let (mut own, mut others) = (HashSet::new(), Vec::new());
    source.first.each_record(&mut |_, record| {
        own.insert(id_key(&record.id));
    })?;
    target.each_record(&mut |number, record| {
        if !own.contains(&id_key(&record.id)) {
            others.push(number);
        }
    })?;
    for number in others {
        copied.removed += usize::from(writer.remove(number)?);
    }
    Ok(())
}

fn copy_files(
    source: &dyn Snapshot,
    target: &dyn Snapshot,
    numbers: &HashMap<DocumentNumber, DocumentNumber>,
    writer: &mut dyn Writer,
) -> Result<()> {
    let files = source.files()?;
    let mut there: HashMap<(String, String), FileState> =
        target.files()?.into_iter().map(|file| ((file.root.clone(), file.path.clone()), file)).collect();
    for mut file in files {
        file.documents = file.documents.iter().filter_map(|number| numbers.get(number).copied()).collect();
        if there.remove(&(file.root.clone(), file.path.clone())).as_ref() != Some(&file) {
            writer.set_file(&file)?;
        }
    }
    there.into_values().try_for_each(|file| writer.forget_file(&file.root, &file.path))
}

fn copy_removed(source: &dyn Snapshot, target: &dyn Snapshot, writer: &mut dyn Writer) -> Result<()> {
    let (removed, there) = (source.removed()?, target.removed()?);
    for (key, hash) in removed.iter().filter(|(key, hash)| there.get(key) != Some(hash)) {
        writer.set_removed_key(*key, Some(*hash))?;
    }
    there.keys().filter(|key| !removed.contains_key(key)).try_for_each(|key| writer.set_removed_key(*key, None))
}

/// Compares two indexes document by document; an error names the first that differs. Gives how many were compared.
pub fn verify(one: &dyn Store, other: &dyn Store, progress: &mut dyn FnMut(usize, usize)) -> Result<usize> {
    let (left, right) = (DocumentPages::new(one)?, DocumentPages::new(other)?);
    let mut ids: HashMap<u128, DocumentNumber> = HashMap::new();
    right.first.each_record(&mut |number, record| {
        ids.insert(id_key(&record.id), number);
    })?;
    if left.numbers.len() != right.numbers.len() {
        let what = Difference::Documents { left: left.numbers.len(), right: right.numbers.len() };
        return Err(OptionsError::IndexesDiffer { what }.into());
    }
    if left.first.removed()? != right.first.removed()? {
        return Err(OptionsError::IndexesDiffer { what: Difference::Removed }.into());
    }
    let (mut compared, mut images) = (0, HashSet::new());
    for page in left.pages() {
        let snapshot = left.snapshot(page)?;
        let records: Vec<Record> = page.iter().map(|&number| snapshot.record(number)).collect::<Result<_>>()?;
        let others: Vec<DocumentNumber> =
            records.iter().filter_map(|record| ids.get(&id_key(&record.id)).copied()).collect();
        let copies = right.snapshot(&others)?;
        for (&number, record) in page.iter().zip(&records) {
            let name = record.id.name();
            let copy = *ids.get(&id_key(&record.id)).ok_or_else(|| differs(name, Difference::Missing))?;
            let (one, other) = (prepared(&*snapshot, number)?, prepared(&*copies, copy)?);
            same(&one, &other).map_err(|what| differs(name, what))?;
            for picture in one.structure.images.iter().filter(|picture| images.insert(picture.hash)) {
                if snapshot.image(picture.hash)? != copies.image(picture.hash)? {
                    return Err(differs(name, Difference::Image));
                }
            }
            compared += 1;
        }
        progress(compared, left.numbers.len());
    }
    Ok(compared)
}

fn differs(name: &str, what: Difference) -> Error {
    OptionsError::CopyDiffers { name: name.to_owned(), what }.into()
}

fn same(one: &PreparedDocument, other: &PreparedDocument) -> Result<(), Difference> {
    let near = |what, one: &[f32], other: &[f32]| if alike(one, other) { Ok(()) } else { Err(what) };
    let Vectors { sentences, sections, derived } = &other.vectors;
    near(Difference::SentenceVectors, &one.vectors.sentences, sentences)?;
    near(Difference::HeadingVectors, &one.vectors.sections, sections)?;
    near(Difference::DerivedVectors, &one.vectors.derived, derived)?;
    match () {
        () if one.record != other.record => Err(Difference::Record),
        () if one.text != other.text => Err(Difference::Text),
        () if one.structure != other.structure => Err(Difference::Sentences),
        () if one.derived != other.derived => Err(Difference::DerivedUnits),
        () => Ok(()),
    }
}

fn alike(one: &[f32], other: &[f32]) -> bool {
    let largest = one.iter().fold(0.0f32, |largest, x| largest.max(x.abs()));
    one.len() == other.len() && one.iter().zip(other).all(|(x, y)| (x - y).abs() <= TOLERANCE * largest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Derived, DerivedKind, ImageHash};
    use crate::store::contract::{DIMENSIONS, EMBEDDER, document, vector, with_image};
    use crate::store::{EmbeddedStore, Manifest};

    fn store(folder: &std::path::Path) -> EmbeddedStore {
        EmbeddedStore::open_or_create(folder, &Manifest::new(EMBEDDER, DIMENSIONS)).unwrap()
    }

    fn file(documents: Vec<DocumentNumber>) -> FileState {
        let (root, path) = ("/root".to_owned(), "a".to_owned());
        FileState { root, path, modified: 1, size: 2, hash: 3, validator: None, documents }
    }

    #[test]
    fn a_copy_is_the_same_goes_on_and_follows() {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let (from, to) = (store(folders[0].path()), store(folders[1].path()));
        let mut writer = from.writer().unwrap();
        let first = writer.put(&document("a", "Green tea. Black tea.")).unwrap();
        let unit = Derived { kind: DerivedKind::Question, first: 0, end: 1, text: "Which tea?".into() };
        let number = writer.derive(first, &[unit], &vector("which tea")).unwrap();
        let other = writer.put(&with_image("b", "Coffee.", b"pixels")).unwrap();
        writer.keep_image(other, ImageHash::of(b"pixels"), &mut || Some(b"pixels".to_vec())).unwrap();
        writer.set_removed_key(5, Some(6)).unwrap();
        writer.set_file(&file(vec![number])).unwrap();
        writer.set_roots(&["/root".into()]).unwrap();
        writer.finish().unwrap();
        let copied = |written, unchanged, removed| Copied { written, unchanged, removed };
        assert_eq!(copy(&from, &to, &mut |_, _| {}).unwrap(), copied(2, 0, 0));
        assert_eq!(verify(&from, &to, &mut |_, _| {}).unwrap(), 2);
        assert_eq!(copy(&from, &to, &mut |_, _| {}).unwrap(), copied(0, 2, 0), "a second copy writes nothing");
        assert_eq!(to.snapshot().unwrap().image(ImageHash::of(b"pixels")).unwrap().as_deref(), Some(&b"pixels"[..]));
        assert_eq!(to.snapshot().unwrap().removed().unwrap(), [(5, 6)].into());
        let files = to.snapshot().unwrap().files().unwrap();
        assert_eq!(to.snapshot().unwrap().record(files[0].documents[0]).unwrap().id.path, "a");
        let mut writer = from.writer().unwrap();
        let unit = Derived { kind: DerivedKind::Summary, first: 0, end: 1, text: "Drinks.".into() };
        let number = writer.derive(number, &[unit], &vector("drinks")).unwrap();
        writer.set_file(&file(vec![number])).unwrap();
        let mut record = from.snapshot().unwrap().record(other).unwrap();
        record.metadata.set("day", crate::document::Value::Text("today".into()));
        assert!(writer.amend(other, &record).unwrap());
        writer.finish().unwrap();
        assert_eq!(
            copy(&from, &to, &mut |_, _| {}).unwrap(),
            copied(2, 0, 0),
            "the same contents are not the same documents"
        );
        assert_eq!(verify(&from, &to, &mut |_, _| {}).unwrap(), 2);
        let mut writer = from.writer().unwrap();
        writer.remove(other).unwrap();
        writer.set_removed_key(5, None).unwrap();
        writer.put(&document("a", "White tea.")).unwrap();
        writer.finish().unwrap();
        assert!(verify(&from, &to, &mut |_, _| {}).unwrap_err().to_string().contains("differ"));
        assert_eq!(copy(&from, &to, &mut |_, _| {}).unwrap(), copied(1, 0, 1));
        assert_eq!(verify(&from, &to, &mut |_, _| {}).unwrap(), 1);
    }

    #[test]
    fn what_was_indexed_from_elsewhere_is_not_overwritten() {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let (from, to) = (store(folders[0].path()), store(folders[1].path()));
        let mut writer = to.writer().unwrap();
        writer.set_roots(&["/elsewhere".into()]).unwrap();
        writer.finish().unwrap();
        assert!(copy(&from, &to, &mut |_, _| {}).unwrap_err().to_string().contains("/elsewhere"));
    }
}
