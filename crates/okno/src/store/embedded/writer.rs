//! The one writer: everything between two commits happens in one LMDB transaction.

use super::bundles::{BundleWriter, NumberedTable, replace};
use super::identity::IndexIdentity;
use super::lexical::{Built, Lexical, LexicalError, LexicalResult, LexicalWriter, lexical_failure};
use super::sound::mend_pages;
use super::tables::{Tables, file_key, holder_key, id_value, read_holder_key, read_id_value};
use super::{blob, lexical_folder, sums};
use crate::document::{Derived, DocumentId, ImageHash, Record};
use crate::error::Damage;
use crate::store::id_key;
use crate::store::{DocumentNumber, FORMAT, FileState, IndexFault, Manifest, PreparedDocument, Vectors, Writer};
use crate::{Error, Result};
use fs_err::File;
use heed::{RoTxn, RwTxn, WithoutTls};
use std::collections::HashSet;
use std::path::Path;

/// Writes to an [`super::EmbeddedStore`].
pub struct EmbeddedWriter<'s> {
    tables: &'s Tables,
    /// `None` only between a commit and the next change.
    writing: Option<RwTxn<'s>>,
    lexical: LexicalWriter,
    identity: IndexIdentity,
    generation: u64,
    next: DocumentNumber,
    dimensions: usize,
    embedded_fields: Vec<String>,
    sums: NumberedTable,
    documents: BundleWriter,
    /// Held, never read: the system lets go of it when the process ends, however it ends.
    _lock: File,
}

impl<'s> EmbeddedWriter<'s> {
    /// Takes the writer's lock and makes the lexical index fit the last committed generation.
    pub fn open(folder: &Path, tables: &'s Tables) -> Result<Self> {
        if tables.read_only {
            return Err(Error::ReadOnly(folder.to_owned()));
        }
        let lock = lock(folder)?;
        // The lock was taken in the folder that is there now, which need not be the one that the tables are in.
        tables.refuse_replaced()?;
        mend_pages(&tables.env, folder)?;
        let identity = tables.ensured_identity()?;
        let (sums, documents) = (tables.ensured_sums()?, tables.bundle_writer()?);
        let reading = tables.env.read_txn().map_err(|e| tables.wrong(e))?;
        let generation = tables.json(&reading, "generation")?.unwrap_or(0);
        let next = tables.json(&reading, "next")?.unwrap_or(0);
        let manifest: Manifest =
            tables.json(&reading, "manifest")?.ok_or_else(|| tables.damaged(Damage::NoManifest))?;
        let lacks_sums = tables.current_sums(&reading)?.is_none();
        let lexical = Self::fitting_lexical(tables, &reading, (generation, identity), next, &manifest)?;
        drop(reading);
        let mut writer = Self {
            tables,
            writing: None,
            lexical,
            identity,
            generation,
            next,
            dimensions: manifest.dimensions,
            embedded_fields: manifest.embedded_fields,
            sums,
            documents,
            _lock: lock,
        };
        if lacks_sums {
            writer.add_all_sums()?;
        }
        Ok(writer)
    }

    /// Gives every document its checksums: those of an index that was written by a program without any. A document
    /// whose text is not the one of its hash gets none.
    fn add_all_sums(&mut self) -> Result<()> {
        let (sums, stored, dimensions) = (self.sums, self.documents.stored(), self.dimensions);
        self.change(|_, writing| {
            sums.clear(writing)?;
            let mut at = 0;
            while let Some((number, _)) = stored.entries.get_greater_than_or_equal_to(writing, &at)? {
                let whole = |bytes: &&[u8]| blob::read_whole(bytes, dimensions).is_some();
                let own = stored.get(writing, number)?.filter(whole).and_then(sums::of);
                own.map_or(Ok(()), |own| sums.put(writing, &number, &own))?;
                let Some(next) = number.checked_add(1) else { break };
                at = next;
            }
            Ok(())
        })
    }

    /// Stores a packed document and its checksums under a number.
    fn put_document(&mut self, number: DocumentNumber, bytes: &[u8], record: Option<&Record>) -> Result<()> {
        let sums = self.sums;
        let own = sums::of(bytes).ok_or_else(|| self.tables.damaged(Damage::Document { number }))?;
        self.on_documents(|documents, writing| documents.put(writing, number, bytes))?;
        self.change(|tables, writing| {
            sums.put(writing, &number, &own)?;
            match record {
                Some(record) => tables.ids.put(writing, &id_key(&record.id), &id_value(number, record.hash)),
                None => Ok(()),
            }
        })
    }

    /// The lexical index of this generation: as it is, freed of what never became visible, or built anew.
    fn fitting_lexical(
        tables: &Tables,
        reading: &RoTxn<'_, WithoutTls>,
        (generation, identity): (u64, IndexIdentity),
        next: DocumentNumber,
        manifest: &Manifest,
    ) -> Result<LexicalWriter> {
        let path = lexical_folder(&tables.path);
        let wrong = |source| lexical_failure(path.clone(), source);
        // What a reader cannot open is no use, whatever it was built from.
        if let Ok(mut lexical) = Lexical::open(&path, Some(identity), None).and_then(|_| LexicalWriter::open(&path)) {
            match lexical.built_from(generation, identity, next) {
                Built::Exactly => return Ok(lexical),
                Built::Beyond => {
                    lexical.remove_from(next);
                    lexical.commit(generation, identity).map_err(wrong)?;
                    return Ok(lexical);
                }
                Built::Otherwise => {}
            }
        }
        if path.exists() {
            fs_err::remove_dir_all(&path)?;
        }
        let mut lexical = LexicalWriter::create(&path).map_err(wrong)?;
        for stored in tables.stored().all(reading).map_err(|e| tables.wrong(e))? {
            let (number, bytes) = stored.map_err(|e| tables.wrong(e))?;
            // What cannot be read cannot be found either; a reader names it.
            let Some(blob) = blob::read(bytes, manifest.dimensions) else { continue };
            let (Some(record), Some(text)) = (blob::read_record(blob.record), blob.text.get()) else { continue };
            let above = above(&record, &manifest.embedded_fields);
            lexical.add(number, &text, &above, &blob.structure, &blob.derived).map_err(wrong)?;
        }
        lexical.commit(generation, identity).map_err(wrong)?;
        Ok(lexical)
    }

    /// Runs a change inside the transaction, beginning one if there is none.
    fn change<T>(&mut self, change: impl FnOnce(&Tables, &mut RwTxn<'s>) -> heed::Result<T>) -> Result<T> {
        let tables = self.tables;
        self.on_documents(|_, writing| change(tables, writing))
    }

    /// The same for the documents.
    fn on_documents<T>(
        &mut self,
        change: impl FnOnce(&mut BundleWriter, &mut RwTxn<'s>) -> heed::Result<T>,
    ) -> Result<T> {
        let tables = self.tables;
        if self.writing.is_none() {
            self.writing = Some(tables.env.write_txn().map_err(|e| tables.wrong(e))?);
        }
        let writing = self.writing.as_mut().expect("begun above");
        change(&mut self.documents, writing).map_err(|e| tables.wrong(e))
    }

    /// What `read` makes of a document; `None` where there is none.
    fn document<T>(&mut self, number: DocumentNumber, read: impl FnOnce(&[u8]) -> T) -> Result<Option<T>> {
        self.on_documents(|documents, writing| Ok(documents.get(writing, number)?.map(read)))
    }

    fn lexical_failure(&self, source: LexicalError) -> Error {
        lexical_failure(lexical_folder(&self.tables.path), source)
    }
}

/// What the lexical leg sees above every text of a document.
pub fn above(record: &Record, embedded_fields: &[String]) -> String {
    let fields = record.metadata.line(embedded_fields);
    if fields.is_empty() { record.title.clone() } else { format!("{}\n{fields}", record.title) }
}

/// Takes the writer's lock, or says who cannot have it.
pub(super) fn lock(folder: &Path) -> Result<File> {
    let file = File::options().create(true).truncate(false).write(true).open(folder.join("writer.lock"))?;
    match file.file().try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => Err(Error::Locked(folder.to_owned())),
        Err(std::fs::TryLockError::Error(error)) => Err(error.into()),
    }
}

impl Writer for EmbeddedWriter<'_> {
    fn find(&mut self, id: &DocumentId) -> Result<Option<(DocumentNumber, u128)>> {
        let key = id_key(id);
        self.change(|tables, writing| Ok(tables.ids.get(writing, &key)?.and_then(read_id_value)))
    }

    fn put(&mut self, document: &PreparedDocument) -> Result<DocumentNumber> {
        if let Some((old, _)) = self.find(&document.record.id)? {
            self.remove(old)?;
        }
        let bytes = blob::write(document, self.dimensions)
            .map_err(|e| self.tables.damaged(Damage::Packing { words: e.to_string() }))?;
        self.put_bytes(&bytes, &document.record, |lexical, number, title| {
            lexical.add(number, &document.text, title, &document.structure, &document.derived)
        })
    }

    fn derive(&mut self, number: DocumentNumber, derived: &[Derived], vectors: &[f32]) -> Result<DocumentNumber> {
        let dimensions = self.dimensions;
        let changed = self.document(number, |bytes| blob::with_derived(bytes, derived, vectors, dimensions))?;
        let unreadable = || self.tables.damaged(Damage::Document { number });
        let bytes = changed.flatten().ok_or_else(unreadable)?;
        let blob = blob::read(&bytes, dimensions).ok_or_else(unreadable)?;
        let record = blob::read_record(blob.record).ok_or_else(unreadable)?;
        let text = blob.text.get().ok_or_else(unreadable)?;
        // A new number: what a reader of the last generation finds under the old one must not change.
        self.take_out(number, &record)?;
        let new = self.put_bytes(&bytes, &record, |lexical, number, title| {
            lexical.add(number, &text, title, &blob.structure, &blob.derived)
        })?;
        for picture in &blob.structure.images {
            self.hand_over(picture.hash, number, new)?;
        }
        Ok(new)
    }

    fn keep_image(
        &mut self,
        number: DocumentNumber,
        hash: ImageHash,
        bytes: &mut dyn FnMut() -> Option<Vec<u8>>,
    ) -> Result<()> {
        if self.change(|tables, writing| Ok(tables.images.get(writing, &hash.0)?.is_none()))? {
            let Some(bytes) = bytes() else { return Ok(()) };
            self.change(|tables, writing| tables.images.put(writing, &hash.0, &bytes))?;
        }
        self.change(|tables, writing| tables.holders.put(writing, &holder_key(hash, number), &[]))
    }

    fn set_vectors(&mut self, number: DocumentNumber, vectors: &Vectors) -> Result<()> {
        let dimensions = self.dimensions;
        let changed = self.document(number, |bytes| blob::with_vectors(bytes, vectors, dimensions))?;
        let unreadable = || self.tables.damaged(Damage::Document { number });
        let bytes = changed.flatten().ok_or_else(unreadable)?;
        self.put_document(number, &bytes, None)
    }

    fn forget_cached_vectors(&mut self) -> Result<()> {
        self.change(|tables, writing| tables.vectors.clear(writing))
    }

    fn record(&mut self, number: DocumentNumber) -> Result<Option<Record>> {
        let dimensions = self.dimensions;
        let read = |bytes: &[u8]| blob::read(bytes, dimensions).and_then(|blob| blob::read_record(blob.record));
        let stored = self.document(number, read)?;
        let unreadable = || self.tables.damaged(Damage::Document { number });
        stored.map(|record| record.ok_or_else(unreadable)).transpose()
    }

    fn amend(&mut self, number: DocumentNumber, record: &Record) -> Result<bool> {
        let stored = self.document(number, |bytes| blob::with_record(bytes, record))?;
        let Some(bytes) = stored else { return Ok(false) };
        let bytes = bytes.ok_or_else(|| self.tables.damaged(Damage::Document { number }))?;
        self.put_document(number, &bytes, Some(record))?;
        Ok(true)
    }

    fn remove(&mut self, number: DocumentNumber) -> Result<bool> {
        let record = match self.record(number) {
            Err(Error::Damaged { .. }) => return self.discard(number),
            record => record?,
        };
        let Some(record) = record else { return Ok(false) };
        let images = self.images_of(number)?;
        self.take_out(number, &record)?;
        images.into_iter().try_for_each(|hash| self.let_go(hash, number))?;
        Ok(true)
    }

    /// Nothing that the document says about itself is used: its id and its images are looked for among all of them.
    fn discard(&mut self, number: DocumentNumber) -> Result<bool> {
        let sums = self.sums;
        let found = self.on_documents(|documents, writing| documents.delete(writing, number))?;
        let images = self.change(|tables, writing| {
            let own = |value: &[u8]| read_id_value(value).is_some_and(|(other, _)| other == number);
            let mut ids = Vec::new();
            for stored in tables.ids.iter(writing)? {
                let (id, value) = stored?;
                ids.extend(own(value).then_some(id));
            }
            let mut images = Vec::new();
            for stored in tables.holders.iter(writing)? {
                images.extend(read_holder_key(stored?.0).filter(|(_, holder)| *holder == number));
            }
            for id in &ids {
                tables.ids.delete(writing, id)?;
            }
            sums.delete(writing, &number)?;
            if found {
                tables.garbage.put(writing, &number, &[])?;
            }
            Ok(images)
        })?;
        images.into_iter().try_for_each(|(hash, _)| self.let_go(hash, number))?;
        Ok(found)
    }

    fn removed(&mut self, id: &DocumentId) -> Result<Option<u128>> {
        let key = id_key(id);
        self.change(|tables, writing| tables.removed.get(writing, &key))
    }

    fn set_removed_key(&mut self, key: u128, hash: Option<u128>) -> Result<()> {
        self.change(|tables, writing| match hash {
            Some(hash) => tables.removed.put(writing, &key, &hash),
            None => tables.removed.delete(writing, &key).map(drop),
        })
    }

    fn set_file(&mut self, file: &FileState) -> Result<()> {
        let bytes =
            postcard::to_stdvec(file).map_err(|e| self.tables.damaged(Damage::Packing { words: e.to_string() }))?;
        self.change(|tables, writing| replace(tables.files, writing, &file_key(&file.root, &file.path), &bytes))
    }

    fn forget_file(&mut self, root: &str, path: &str) -> Result<()> {
        self.change(|tables, writing| tables.files.delete(writing, &file_key(root, path)).map(drop))
    }

    fn set_roots(&mut self, roots: &[String]) -> Result<()> {
        let json = serde_json::to_vec(roots).map_err(std::io::Error::from)?;
        self.change(|tables, writing| replace(tables.meta, writing, "roots", &json))
    }

    fn set_manifest(&mut self, manifest: &Manifest) -> Result<()> {
        let json = serde_json::to_vec(manifest).map_err(std::io::Error::from)?;
        self.embedded_fields.clone_from(&manifest.embedded_fields);
        self.dimensions = manifest.dimensions;
        self.change(|tables, writing| replace(tables.meta, writing, "manifest", &json))
    }

    fn cached_vector(&mut self, key: u128) -> Result<Option<Vec<f32>>> {
        self.change(|tables, writing| {
            Ok(tables.vectors.get(writing, &key)?.and_then(|bytes| postcard::from_bytes(bytes).ok()))
        })
    }

    fn cache_vector(&mut self, key: u128, vector: &[f32]) -> Result<()> {
        let bytes =
            postcard::to_stdvec(vector).map_err(|e| self.tables.damaged(Damage::Packing { words: e.to_string() }))?;
        self.change(|tables, writing| tables.vectors.put(writing, &key, &bytes))
    }

    fn commit(&mut self) -> Result<()> {
        if self.writing.is_none() {
            return Ok(());
        }
        // Somebody may have deleted the folder and made another index there: its lexical index is not ours to change.
        self.tables.refuse_replaced()?;
        self.collect_garbage()?;
        self.on_documents(BundleWriter::close)?;
        let (generation, next, identity) = (self.generation + 1, self.next, self.identity);
        // Lexical first: a generation is visible only once all its sentences can be found.
        let committed = self.lexical.commit(generation, identity);
        committed.map_err(|e| self.lexical_failure(e))?;
        self.mark_format()?;
        self.change(|tables, writing| {
            tables.meta.put(writing, "generation", generation.to_string().as_bytes())?;
            tables.meta.put(writing, "sums", generation.to_string().as_bytes())?;
            tables.meta.put(writing, "next", next.to_string().as_bytes())
        })?;
        let writing = self.writing.take().expect("begun above");
        writing.commit().map_err(|e| self.tables.wrong(e))?;
        self.generation = generation;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.commit()?;
        if !self.garbage()?.is_empty() {
            // Beginning a transaction makes this a commit of its own.
            self.change(|_, _| Ok(()))?;
            self.commit()?;
        }
        Ok(())
    }
}

impl EmbeddedWriter<'_> {
    /// Takes out what is damaged, and marks the files it came from, so that they are read again.
    pub fn repair(&mut self, faults: &[IndexFault]) -> Result<()> {
        let damaged: HashSet<DocumentNumber> = faults.iter().filter_map(IndexFault::document).collect();
        let files = self.change(|tables, writing| {
            let mut files = Vec::new();
            for stored in tables.files.iter(writing)? {
                let (key, bytes) = stored?;
                files.push((key, postcard::from_bytes::<FileState>(bytes).ok()));
            }
            Ok(files)
        })?;
        for (key, file) in files {
            match file {
                Some(mut file) if file.documents.iter().any(|number| damaged.contains(number)) => {
                    file.documents.retain(|number| !damaged.contains(number));
                    file.mark_unread();
                    self.set_file(&file)?;
                }
                // Its documents are known by their own records.
                None => self.change(|tables, writing| tables.files.delete(writing, &key).map(drop))?,
                Some(_) => {}
            }
        }
        for number in damaged {
            self.discard(number)?;
        }
        let renamed = |fault: &IndexFault| matches!(fault, IndexFault::Name { .. } | IndexFault::UnknownNames { .. });
        if faults.iter().any(renamed) { self.name_again() } else { Ok(()) }
    }

    /// Makes the table of names anew from the documents.
    fn name_again(&mut self) -> Result<()> {
        let dimensions = self.dimensions;
        self.on_documents(BundleWriter::close)?;
        let documents = self.documents.stored();
        self.change(|tables, writing| {
            let mut ids = Vec::new();
            for stored in documents.all(writing)? {
                let (number, bytes) = stored?;
                let record = blob::read(bytes, dimensions).and_then(|blob| blob::read_record(blob.record));
                ids.extend(record.map(|record| (id_key(&record.id), id_value(number, record.hash))));
            }
            tables.ids.clear(writing)?;
            ids.iter().try_for_each(|(key, value)| tables.ids.put(writing, key, value))
        })
    }

    /// Programs that know nothing of bundles and of four bits must not read an index with any.
    fn mark_format(&mut self) -> Result<()> {
        let tables = self.tables;
        let manifest: Option<Manifest> = self.writing.as_ref().map_or(Ok(None), |it| tables.json(it, "manifest"))?;
        match manifest.filter(|manifest| manifest.format < FORMAT) {
            Some(old) => self.set_manifest(&Manifest { format: FORMAT, ..old }),
            None => Ok(()),
        }
    }

    /// Takes a document out; its images stay.
    fn take_out(&mut self, number: DocumentNumber, record: &Record) -> Result<()> {
        let sums = self.sums;
        self.on_documents(|documents, writing| documents.delete(writing, number))?;
        self.change(|tables, writing| {
            sums.delete(writing, &number)?;
            tables.ids.delete(writing, &id_key(&record.id))?;
            tables.garbage.put(writing, &number, &[])
        })
    }

    fn images_of(&mut self, number: DocumentNumber) -> Result<Vec<ImageHash>> {
        let dimensions = self.dimensions;
        let hashes = |bytes: &[u8]| {
            let structure = blob::read(bytes, dimensions).map(|blob| blob.structure).unwrap_or_default();
            structure.images.iter().map(|picture| picture.hash).collect()
        };
        Ok(self.document(number, hashes)?.unwrap_or_default())
    }

    /// An image goes with the last document that has it.
    fn let_go(&mut self, hash: ImageHash, number: DocumentNumber) -> Result<()> {
        self.change(|tables, writing| {
            tables.holders.delete(writing, &holder_key(hash, number))?;
            let alone = tables.holders.prefix_iter(writing, &hash.0.to_be_bytes())?.next().is_none();
            if alone {
                tables.images.delete(writing, &hash.0)?;
            }
            Ok(())
        })
    }

    /// A document that got a new number has its images still.
    fn hand_over(&mut self, hash: ImageHash, old: DocumentNumber, new: DocumentNumber) -> Result<()> {
        self.change(|tables, writing| {
            // One that was never kept – its bytes were gone by then – is not kept now.
            if tables.holders.delete(writing, &holder_key(hash, old))? {
                tables.holders.put(writing, &holder_key(hash, new), &[])?;
            }
            Ok(())
        })
    }

    /// Stores a packed document under the next number.
    fn put_bytes(
        &mut self,
        bytes: &[u8],
        record: &Record,
        add: impl FnOnce(&mut LexicalWriter, DocumentNumber, &str) -> LexicalResult<()>,
    ) -> Result<DocumentNumber> {
        let number = self.next;
        self.next += 1;
        self.put_document(number, bytes, Some(record))?;
        let above = above(record, &self.embedded_fields);
        let added = add(&mut self.lexical, number, &above);
        added.map_err(|e| self.lexical_failure(e))?;
        Ok(number)
    }

    /// What the generation last committed no longer holds but the lexical index still does.
    fn garbage(&self) -> Result<Vec<DocumentNumber>> {
        let tables = self.tables;
        let reading = tables.env.read_txn().map_err(|e| tables.wrong(e))?;
        let garbage = tables.garbage.iter(&reading).map_err(|e| tables.wrong(e))?;
        garbage.map(|stored| stored.map(|(number, _)| number)).collect::<heed::Result<_>>().map_err(|e| tables.wrong(e))
    }

    /// Deletes the garbage from the lexical index. Only what was committed as garbage before: what
    /// is replaced in this transaction is still live for every reader until it ends.
    fn collect_garbage(&mut self) -> Result<()> {
        for number in self.garbage()? {
            self.lexical.remove(number);
            self.change(|tables, writing| tables.garbage.delete(writing, &number).map(drop))?;
        }
        Ok(())
    }
}
