//! An open index as Python sees it: JSON in, JSON or [`Found`] out, the interpreter's lock released in between.

use crate::callables::{PythonEmbedder, PythonGenerator, PythonReranker};
use crate::failure::{Raised, bad_json, exception};
use crate::found::Found;
use crate::interrupt::{StopOnSignal, interruptible};
use crate::source::PythonSource;
use okno::answer::{Event, ReplyOptions, reply};
use okno::document::Record;
use okno::load::{GivenDocument, JsonlFields};
use okno::retrieve::{QueryRequest, Recipe};
use okno::shapes::{Document, IndexSummary, WholeDocument};
use okno::store::DamagedDocument;
use okno::{Engine, IndexOptions, IndexReport, Query, Skipped};
use okno_evaluate::run::{Candidate, RunRequest, run};
use okno_evaluate::set::Indexed;
use okno_evaluate::{EvaluationRun, QuestionSet};
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};

/// An open index. Threads may share it.
#[pyclass(frozen, name = "Engine", module = "okno._okno")]
pub struct PythonEngine {
    /// `None` once it is closed.
    engine: RwLock<Option<Arc<Engine>>>,
    raised: Raised,
}

/// A callable that embeds: its name, the length of its vectors, and itself.
type GivenEmbedder = (String, usize, Py<PyAny>);

/// A callable with a name.
type GivenModel = (String, Py<PyAny>);

#[pymethods]
impl PythonEngine {
    /// Opens an index; with `create`, makes an empty one where there is none.
    #[new]
    #[pyo3(signature = (path, create, embedder=None, generator=None, reranker=None))]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        create: bool,
        embedder: Option<GivenEmbedder>,
        generator: Option<GivenModel>,
        reranker: Option<GivenModel>,
    ) -> PyResult<Self> {
        let raised = Raised::default();
        let plain = embedder.is_none() && generator.is_none() && reranker.is_none();
        let mut builder = Engine::builder().row_route(Some(Arc::new(okno_sql::TableRoute::default())));
        if let Some((identity, dimensions, callable)) = embedder {
            let raised = raised.clone();
            builder = builder.embedder(Arc::new(PythonEmbedder { identity, dimensions, callable, raised }));
        }
        if let Some((identity, callable)) = generator {
            let raised = raised.clone();
            builder = builder.generator(Some(Arc::new(PythonGenerator { identity, callable, raised })));
        }
        if let Some((identity, callable)) = reranker {
            let raised = raised.clone();
            builder = builder.reranker(Some(Arc::new(PythonReranker { identity, callable, raised })));
        }
        let open = || if create { builder.create(&path) } else { builder.open(&path) };
        let opened = py.detach(|| if plain { shared(&path, open) } else { open().map(Arc::new) });
        let engine = opened.map_err(|error| raised.exception(py, &error))?;
        Ok(Self { engine: RwLock::new(Some(engine)), raised })
    }

    /// Lets go of the index; searches that run go on to their end.
    fn close(&self, py: Python<'_>) {
        let engine = self.engine.write().unwrap_or_else(PoisonError::into_inner).take();
        py.detach(|| drop(engine));
    }

    /// Brings the index up to date with files and folders.
    #[pyo3(signature = (paths, recipe=None, jsonl_fields=None, max_file_size=None))]
    fn index(
        &self,
        py: Python<'_>,
        paths: Vec<PathBuf>,
        recipe: Option<String>,
        jsonl_fields: Option<String>,
        max_file_size: Option<u64>,
    ) -> PyResult<String> {
        let mut options = IndexOptions::default();
        (options.recipe, options.jsonl_fields) = (recipe, jsonl_fields);
        options.max_file_size = max_file_size.unwrap_or(options.max_file_size);
        self.write(py, |engine, stop| engine.index_with(&paths, &options, stop))
    }

    /// Adds documents: an iterator of JSON objects.
    fn add(&self, py: Python<'_>, documents: Py<PyAny>) -> PyResult<String> {
        let fields = JsonlFields::default();
        let mut number = 0;
        let mut documents = std::iter::from_fn(|| {
            let next = Python::attach(|py| next_document(documents.bind(py)));
            let json = match next {
                Ok(json) => json?,
                Err(error) => {
                    self.raised.keep(error);
                    return None;
                }
            };
            number += 1;
            let skipped = |reason: okno::load::SkipReason| Skipped { place: number.to_string(), reason: reason.into() };
            Some(GivenDocument::from_json(&json, &fields).map_err(skipped))
        });
        let report = self.write(py, |engine, stop| engine.add_with(&mut documents, &IndexOptions::default(), stop))?;
        // What came before the iterator failed is stored.
        self.raised.take().map_or(Ok(report), Err)
    }

    /// Brings the documents of a source up to date: an iterator of ids, versions and callables that return JSON.
    fn sync(&self, py: Python<'_>, name: &str, items: Py<PyAny>) -> PyResult<String> {
        let engine = self.open(py)?;
        let mut source = PythonSource::new(&engine, name, items).map_err(|error| self.raised.exception(py, &error))?;
        let options = IndexOptions::default();
        let written = self.write(py, |engine, stop| {
            let mut report = engine.sync_source(name, &mut source, &options, stop)?;
            report.skipped.append(&mut source.failed);
            Ok(report)
        });
        // What ended the source is what happened.
        source.ended_by.map_or(written, Err)
    }

    /// Deletes documents that were added by these ids; how many there were.
    fn delete(&self, py: Python<'_>, ids: Vec<String>) -> PyResult<usize> {
        self.work(py, |engine| engine.delete(&ids))
    }

    /// Takes out documents by name, files too; how many there were.
    fn remove(&self, py: Python<'_>, names: Vec<String>) -> PyResult<usize> {
        self.work(py, |engine| engine.remove(&names))
    }

    /// Searches; the request is the JSON of the HTTP API.
    fn search(&self, py: Python<'_>, request: &str) -> PyResult<Found> {
        let (query, explain) = query(py, request)?;
        let answer = self.work(py, |engine| engine.search(&query))?;
        Ok(Found { answer, explain })
    }

    /// Answers in words; `on_text` gets each piece of checked text.
    #[pyo3(signature = (request, on_text=None))]
    fn ask(&self, py: Python<'_>, request: &str, on_text: Option<Py<PyAny>>) -> PyResult<String> {
        let (query, _) = query(py, request)?;
        let engine = self.open(py)?;
        let query = query.to_answer(engine.generator().is_some());
        let raised = &self.raised;
        let answered = interruptible(py, || {
            let found = engine.search(&query)?;
            reply(found, engine.generator(), &ReplyOptions::default(), &mut |event| {
                let (Event::Text(text), Some(told)) = (event, on_text.as_ref()) else {
                    return ControlFlow::Continue(());
                };
                match Python::attach(|py| told.call1(py, (text,)).map(drop)) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(error) => {
                        raised.keep(error);
                        ControlFlow::Break(())
                    }
                }
            })
        })?;
        let answered = answered.map_err(|error| match (&error, raised.take()) {
            // The reader of the text stopped it: what it raised is what happened.
            (okno::Error::Generate(okno::generate::GenerateError::Stopped), Some(own)) => own,
            (_, Some(cause)) => {
                raised.keep(cause);
                raised.exception(py, &error)
            }
            (_, None) => exception(py, &error),
        })?;
        Ok(okno::shapes::reply(&answered).to_string())
    }

    /// Measures recipes on a file of questions; the figures of the run.
    fn evaluate(&self, py: Python<'_>, file: PathBuf, recipes: Vec<String>, budgets: Vec<usize>) -> PyResult<String> {
        let engine = self.open(py)?;
        let measured = interruptible(py, || measure(&engine, &file, &recipes, &budgets))?;
        let run = measured.map_err(|error| self.raised.exception(py, &error))?;
        serde_json::to_string(&run).map_err(|error| bad_json(&error))
    }

    /// What the index holds.
    fn stats(&self, py: Python<'_>) -> PyResult<String> {
        self.work(py, stats)
    }

    /// The names of all documents, and what is known of each.
    fn documents(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.work(py, |engine| {
            let snapshot = engine.snapshot()?;
            let mut all = Vec::new();
            snapshot.each_record(&mut |_, record: &Record| {
                all.push(serde_json::json!(Document::from(record)).to_string());
            })?;
            Ok(all)
        })
    }

    /// A document with its text and structure.
    fn document(&self, py: Python<'_>, name: &str) -> PyResult<String> {
        self.work(py, |engine| {
            let snapshot = engine.snapshot()?;
            let (number, record) = engine.named(name)?.swap_remove(0);
            let (text, structure) = (snapshot.text(number)?, snapshot.structure(number)?);
            Ok(serde_json::json!(WholeDocument::new(&record, &text, &text, &structure)).to_string())
        })
    }
}

impl PythonEngine {
    fn open(&self, py: Python<'_>) -> PyResult<Arc<Engine>> {
        let engine = self.engine.read().unwrap_or_else(PoisonError::into_inner).clone();
        engine.ok_or_else(|| match py.import("okno._errors").and_then(|errors| errors.getattr("closed")?.call0()) {
            Ok(closed) => PyErr::from_value(closed),
            Err(error) => error,
        })
    }

    /// Works with the interpreter's lock released.
    fn work<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&Engine) -> okno::Result<T> + Send) -> PyResult<T> {
        let engine = self.open(py)?;
        py.detach(|| work(&engine)).map_err(|error| self.raised.exception(py, &error))
    }

    /// Writes until it is done or a signal came; what was committed by then stays.
    fn write(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Engine, &StopOnSignal) -> okno::Result<IndexReport> + Send,
    ) -> PyResult<String> {
        let engine = self.open(py)?;
        let stop = StopOnSignal::default();
        let report = py.detach(|| work(&engine, &stop));
        if let Some(raised) = stop.into_raised() {
            return Err(raised);
        }
        let report = report.map_err(|error| self.raised.exception(py, &error))?;
        serde_json::to_string(&IndexSummary::new(&report, engine.folder())).map_err(|error| bad_json(&error))
    }
}

/// The engines without callables that are open, by folder: a process can open an index only once, and a notebook opens
/// it whenever its cell is run.
static OPEN: Mutex<Vec<(PathBuf, Weak<Engine>)>> = Mutex::new(Vec::new());

/// The engine that is open in this folder, or a new one.
fn shared(path: &Path, open: impl FnOnce() -> okno::Result<Engine>) -> okno::Result<Arc<Engine>> {
    let mut all = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    all.retain(|(_, engine)| engine.strong_count() > 0);
    let known = std::fs::canonicalize(path).ok();
    let found = all.iter().find(|(folder, _)| known.as_ref() == Some(folder)).and_then(|(_, engine)| engine.upgrade());
    if let Some(engine) = found {
        return Ok(engine);
    }
    let engine = Arc::new(open()?);
    if let Ok(folder) = std::fs::canonicalize(path) {
        all.push((folder, Arc::downgrade(&engine)));
    }
    Ok(engine)
}

/// The next of an iterator of texts; `None` at its end.
fn next_document(documents: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    match documents.call_method0("__next__") {
        Ok(next) => next.extract().map(Some),
        Err(error) if error.is_instance_of::<pyo3::exceptions::PyStopIteration>(documents.py()) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The query that was meant, and whether results are explained.
fn query(py: Python<'_>, request: &str) -> PyResult<(Query, bool)> {
    let request: QueryRequest = serde_json::from_str(request).map_err(|error| bad_json(&error))?;
    Ok((request.query().map_err(|error| exception(py, &error))?, request.explain))
}

fn stats(engine: &Engine) -> okno::Result<String> {
    let snapshot = engine.snapshot()?;
    let (totals, manifest) = (snapshot.totals()?, snapshot.manifest());
    let shape = serde_json::json!({
        "index": engine.folder(), "generation": snapshot.generation(), "documents": totals.documents,
        "sentences": totals.sentences, "text_bytes": totals.bytes, "disk_bytes": engine.bytes()?,
        "embedder": manifest.embedder, "dimensions": manifest.dimensions, "recipe": manifest.recipe,
        "roots": snapshot.roots(), "damaged": DamagedDocument::names(&snapshot.damaged()),
    });
    Ok(shape.to_string())
}

fn measure(
    engine: &Engine,
    file: &std::path::Path,
    recipes: &[String],
    budgets: &[usize],
) -> okno_evaluate::Result<EvaluationRun> {
    let snapshot = engine.snapshot()?;
    let mut library = Indexed::new(&*snapshot);
    let set = QuestionSet::read(file, &mut library)?;
    let candidate = |name: &String| {
        let manifest = snapshot.manifest();
        let recipe = Recipe::named(name, manifest, engine.recipes())?;
        Ok(Candidate { name: name.clone(), recipe })
    };
    let candidates = recipes.iter().map(candidate).collect::<okno::Result<Vec<_>>>()?;
    let asking = RunRequest { set: &set, candidates: &candidates, budgets, seed: 1, name: "python" };
    Ok(run(engine, &asking, &mut library, &|_, _| {})?.run)
}
