//! What a search found, kept in Rust: Python takes out what it looks at, when it looks at it.
//!
//! Most programs read a few fields of the contexts. These are handed over as they are; the JSON of the whole answer,
//! with what was understood and which hits led to it, is written only for `to_dict` and `to_json`.

use crate::failure::bad_json;
use okno::Answer;
use okno::retrieve::Context;
use okno::shapes::{FullAnswer, FullContext};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use serde_json::Value;

/// An answer that was not converted yet.
#[pyclass(frozen, name = "Found", module = "okno._okno")]
pub struct Found {
    pub answer: Answer,
    /// Whether its JSON tells how it came about.
    pub explain: bool,
}

#[pymethods]
impl Found {
    /// The question, tokens, relevance, and whether nothing was relevant: the order of the fields in `okno.Answer`.
    fn head(&self) -> (&str, usize, f64, bool) {
        let answer = &self.answer;
        (&answer.question, answer.tokens(), as_written(answer.relevance), answer.nothing_relevant())
    }

    /// The contexts, each with its values in the order of the fields of `okno.Context`.
    fn contexts<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        self.answer.contexts.iter().map(|context| fields(py, context)).collect()
    }

    /// The whole answer as JSON.
    fn json(&self, py: Python<'_>) -> PyResult<String> {
        let json = py.detach(|| FullAnswer::new(&self.answer, self.explain).to_json());
        json.map(|json| String::from_utf8_lossy(&json).into_owned()).map_err(|error| bad_json(&error))
    }

    /// One context as JSON.
    fn context_json(&self, position: usize) -> PyResult<String> {
        let context = self.answer.contexts.get(position).ok_or_else(|| PyIndexError::new_err(position))?;
        let explained = self.explain.then_some(self.answer.question.as_str());
        serde_json::to_string(&FullContext::new(context, explained)).map_err(|error| bad_json(&error))
    }
}

fn fields<'py>(py: Python<'py>, context: &Context) -> PyResult<Bound<'py, PyTuple>> {
    let Context {
        text, document, start, end, score, relevance, title, headings, pages, lines, tokens, metadata, ..
    } = context;
    let headings = PyTuple::new(py, headings)?;
    let about = PyDict::new(py);
    for (field, value) in &metadata.0 {
        about.set_item(field, as_python(py, &value.to_json())?)?;
    }
    let (score, relevance, page) = (as_written(*score), as_written(*relevance), pages.map(|(first, _)| first));
    (text, document, *start, *end, score, relevance, title, headings, page, *lines, *tokens, about).into_pyobject(py)
}

/// The number that JSON would say: the shortest one that is this `f32`, and not its exact value.
fn as_written(number: f32) -> f64 {
    number.to_string().parse().unwrap_or(f64::from(number))
}

fn as_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Null => py.None().into_bound_py_any(py),
        Value::Bool(truth) => truth.into_bound_py_any(py),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => whole.into_bound_py_any(py),
            None => number.as_f64().into_bound_py_any(py),
        },
        Value::String(text) => text.into_bound_py_any(py),
        Value::Array(items) => {
            let items = items.iter().map(|item| as_python(py, item)).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, items)?.into_bound_py_any(py)
        }
        Value::Object(fields) => {
            let dict = PyDict::new(py);
            for (field, value) in fields {
                dict.set_item(field, as_python(py, value)?)?;
            }
            dict.into_bound_py_any(py)
        }
    }
}
