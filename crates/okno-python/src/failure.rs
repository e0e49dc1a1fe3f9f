//! Errors as Python exceptions: the class by the code, both languages, and what a callable raised as the cause.

use okno_document::message::{Lang, Message};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Arc, Mutex, PoisonError};

/// An error that says which class of exception it becomes: a key of `FAMILIES` in `okno/_errors.py`.
pub trait Family: Message {
    /// The key.
    fn family(&self) -> &'static str;
}

impl Family for okno::Error {
    fn family(&self) -> &'static str {
        use okno::Error as E;
        match self {
            E::NoIndex(_) | E::NoDocument(_) | E::NoRoot { .. } => "missing",
            E::Locked(_) => "locked",
            E::Filter(_)
            | E::Request(_)
            | E::UnknownField { .. }
            | E::Layer(_)
            | E::NoUnits(_)
            | E::Recipe(_)
            | E::Options(_)
            | E::Config { .. }
            | E::Embedder { .. } => "invalid",
            E::Unreadable { .. } => "load",
            E::Embedding { .. } | E::Reranking { .. } | E::Generate(_) => "model",
            E::TimedOut | E::Stopped => "stopped",
            _ => "storage",
        }
    }
}

impl Family for okno_evaluate::Error {
    fn family(&self) -> &'static str {
        match self {
            Self::Engine(error) => error.family(),
            _ => "invalid",
        }
    }
}

impl Family for okno::load::SkipReason {
    fn family(&self) -> &'static str {
        "load"
    }
}

impl Family for okno::split::SplitterError {
    fn family(&self) -> &'static str {
        "invalid"
    }
}

impl Family for okno::embed::EmbedError {
    fn family(&self) -> &'static str {
        "model"
    }
}

/// What a callable raised last, kept until the error that it led to is raised.
#[derive(Clone, Default)]
pub struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    /// Keeps what a callable raised; the first counts.
    pub fn keep(&self, error: PyErr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    /// What was kept, if anything; nothing is kept afterwards.
    pub fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The exception for an error; what a callable raised is its cause.
    pub fn exception(&self, py: Python<'_>, error: &impl Family) -> PyErr {
        let exception = exception(py, error);
        if let Some(cause) = self.take() {
            exception.set_cause(py, Some(cause));
        }
        exception
    }
}

/// The exception for an error.
pub fn exception(py: Python<'_>, error: &impl Family) -> PyErr {
    made(py, error).unwrap_or_else(|failed| failed)
}

fn made(py: Python<'_>, error: &impl Family) -> PyResult<PyErr> {
    let arguments = PyDict::new(py);
    arguments.set_item("family", error.family())?;
    arguments.set_item("code", error.code())?;
    arguments.set_item("message", error.text(Lang::En))?;
    arguments.set_item("chinese", error.text(Lang::Zh))?;
    let value = py.import("okno._errors")?.getattr("exception")?.call((), Some(&arguments))?;
    Ok(PyErr::from_value(value))
}

/// An error of JSON that this package wrote itself.
pub fn bad_json(error: &serde_json::Error) -> PyErr {
    pyo3::exceptions::PyValueError::new_err(error.to_string())
}
