//! A Python iterator of `(id, version, load)` as a source that an index follows.

use okno::load::{GivenDocument, JsonlFields, SkipReason};
use okno::message::Reason;
use okno::{DocumentSource, Engine, SOURCE_ROOT, Skipped, SourceDocument, SourceEntry};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use std::collections::HashMap;
use xxhash_rust::xxh3::xxh3_128;

/// As many documents as the engine writes at once.
const LISTED_AT_ONCE: usize = 128;

/// What Python gives: an iterator whose items name a document, its version, and a callable that returns its JSON.
pub struct PythonSource {
    items: Py<PyAny>,
    /// The versions that the index has. What has another one is read as soon as it is listed, before the iterator goes
    /// on: a callable may use variables of the loop that lists it.
    known: HashMap<String, u128>,
    listed: Vec<ListedItem>,
    fields: JsonlFields,
    /// Documents whose callable failed; what the index has of them stays, and they are read again next time.
    pub failed: Vec<Skipped>,
    /// What ended it: the iterator failed, or a callable raised what is no `Exception`.
    pub ended_by: Option<PyErr>,
}

struct ListedItem {
    id: String,
    load: Py<PyAny>,
    state: ItemState,
}

enum ItemState {
    /// The index has this version; read only if the engine wants it all the same.
    NotRead,
    Failed,
    Read(SourceDocument),
}

impl PythonSource {
    /// A source of this name for an index.
    pub fn new(engine: &Engine, name: &str, items: Py<PyAny>) -> okno::Result<Self> {
        let root = format!("{SOURCE_ROOT}{name}");
        let files = engine.snapshot()?.files()?.into_iter().filter(|file| file.root == root);
        Ok(Self {
            items,
            known: files.map(|file| (file.path, file.hash)).collect(),
            listed: Vec::new(),
            fields: JsonlFields::default(),
            failed: Vec::new(),
            ended_by: None,
        })
    }

    fn next_entry(&mut self) -> PyResult<Option<SourceEntry>> {
        let next = Python::attach(|py| -> PyResult<Option<(String, String, Py<PyAny>)>> {
            match self.items.bind(py).call_method0("__next__") {
                Ok(next) => next.extract().map(Some),
                Err(error) if error.is_instance_of::<pyo3::exceptions::PyStopIteration>(py) => Ok(None),
                Err(error) => Err(error),
            }
        })?;
        let Some((id, version, load)) = next else { return Ok(None) };
        // 0 means that there is no version.
        let version = xxh3_128(version.as_bytes()).max(1);
        let changed = self.known.get(&id) != Some(&version);
        let state = if changed { self.load(&id, &load)? } else { ItemState::NotRead };
        self.listed.push(ListedItem { id: id.clone(), load, state });
        Ok(Some(SourceEntry { id, version }))
    }

    /// Reads a document. Where its callable fails, that is noted.
    fn load(&mut self, id: &str, load: &Py<PyAny>) -> PyResult<ItemState> {
        let json = Python::attach(|py| match load.call0(py).and_then(|json| json.extract::<Option<String>>(py)) {
            Ok(json) => Ok(Ok(json)),
            Err(error) if error.is_instance_of::<PyException>(py) => Ok(Err(error.to_string())),
            Err(error) => Err(error),
        })?;
        Ok(match json {
            Ok(Some(json)) => ItemState::Read(GivenDocument::from_json(&json, &self.fields)),
            // A document without text: the engine says so, and takes out what it was.
            Ok(None) => ItemState::Read(Ok(GivenDocument::new(id, ""))),
            Err(words) => {
                self.failed.push(Skipped { place: id.to_owned(), reason: SkipReason::Custom(failed(&words)).into() });
                ItemState::Failed
            }
        })
    }

    fn ended(&mut self, error: PyErr) -> okno::Error {
        self.ended_by.get_or_insert(error);
        okno::Error::Stopped
    }
}

impl DocumentSource for PythonSource {
    fn list(&mut self) -> okno::Result<Vec<SourceEntry>> {
        self.listed.clear();
        let mut entries = Vec::new();
        while entries.len() < LISTED_AT_ONCE {
            match self.next_entry() {
                Ok(Some(entry)) => entries.push(entry),
                Ok(None) => break,
                Err(error) => return Err(self.ended(error)),
            }
        }
        Ok(entries)
    }

    fn read(&mut self, positions: &[usize]) -> okno::Result<Vec<(usize, SourceDocument)>> {
        let mut documents = Vec::new();
        for &position in positions {
            let item = &mut self.listed[position];
            let mut state = std::mem::replace(&mut item.state, ItemState::Failed);
            if matches!(state, ItemState::NotRead) {
                let (id, load) = (item.id.clone(), Python::attach(|py| item.load.clone_ref(py)));
                state = self.load(&id, &load).map_err(|error| self.ended(error))?;
            }
            if let ItemState::Read(document) = state {
                documents.push((position, document));
            }
        }
        Ok(documents)
    }
}

fn failed(words: &str) -> Reason {
    Reason::new(
        "source_failed",
        format!("the source could not read it: {words}; what is indexed of it stays, and it is read again next time"),
        format!("来源无法读取：{words}；已索引的内容保留，下次会重新读取"),
    )
}
