//! Python callables as an embedder, a language model and a reranker.

use crate::failure::Raised;
use okno::embed::{EmbedError, Embedder, Role};
use okno::generate::{Completion, GenerateError, Generator, Request};
use okno::message::Reason;
use okno::retrieve::{RerankError, Reranker};
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::ops::ControlFlow;

/// `embed(texts, role) -> vectors`, where the role is `query` or `passage`.
pub struct PythonEmbedder {
    pub identity: String,
    pub dimensions: usize,
    pub callable: Py<PyAny>,
    pub raised: Raised,
}

impl Embedder for PythonEmbedder {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn embed(&self, texts: &[&str], role: Role) -> Result<Vec<f32>, EmbedError> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let role = match role {
            Role::Query => "query",
            Role::Passage => "passage",
        };
        let rows = Python::attach(|py| {
            let texts = PyList::new(py, texts)?;
            self.callable.bind(py).call1((texts, role))?.extract::<Vec<Vec<f32>>>()
        });
        let rows = rows.map_err(|error| EmbedError::new(kept(&self.raised, error)))?;
        let expected = self.dimensions;
        match rows.iter().find(|row| row.len() != expected) {
            Some(row) => Err(EmbedError::Count { got: row.len(), expected }),
            None => Ok(rows.concat()),
        }
    }
}

/// `generate(messages) -> str`, or an iterator of its parts; messages are dicts with `role` and `content`.
pub struct PythonGenerator {
    pub identity: String,
    pub callable: Py<PyAny>,
    pub raised: Raised,
}

impl PythonGenerator {
    fn ask(&self, request: &Request, on_text: &mut dyn FnMut(&str) -> ControlFlow<()>) -> PyResult<Option<String>> {
        Python::attach(|py| {
            let shape = |message: &okno::generate::ChatMessage| -> PyResult<_> {
                let role = serde_json::json!(message.role);
                let turn = pyo3::types::PyDict::new(py);
                turn.set_item("role", role.as_str().unwrap_or_default())?;
                turn.set_item("content", &message.text)?;
                Ok(turn)
            };
            let messages = request.messages.iter().map(shape).collect::<PyResult<Vec<_>>>()?;
            let answer = self.callable.bind(py).call1((messages,))?;
            if let Ok(text) = answer.extract::<String>() {
                return Ok(on_text(&text).is_continue().then_some(text));
            }
            let mut whole = String::new();
            for part in answer.try_iter()? {
                let part: String = part?.extract()?;
                whole.push_str(&part);
                if on_text(&part).is_break() {
                    return Ok(None);
                }
            }
            Ok(Some(whole))
        })
    }
}

impl Generator for PythonGenerator {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn generate(
        &self,
        request: &Request,
        on_text: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<Completion, GenerateError> {
        match self.ask(request, on_text) {
            Ok(Some(text)) => Ok(Completion { text, ..Completion::default() }),
            Ok(None) => Err(GenerateError::Stopped),
            Err(error) => {
                let reason = kept(&self.raised, error);
                Err(GenerateError::Refused { model: self.identity.clone(), reason })
            }
        }
    }
}

/// `rerank(question, passages) -> scores`.
pub struct PythonReranker {
    pub identity: String,
    pub callable: Py<PyAny>,
    pub raised: Raised,
}

impl Reranker for PythonReranker {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn scores(&self, question: &str, passages: &[&str]) -> Result<Vec<f32>, RerankError> {
        if passages.is_empty() {
            return Ok(Vec::new());
        }
        let scores = Python::attach(|py| {
            let passages = PyList::new(py, passages)?;
            self.callable.bind(py).call1((question, passages))?.extract::<Vec<f32>>()
        });
        scores.map_err(|error| RerankError::new(kept(&self.raised, error)))
    }
}

/// Keeps what a callable raised as the cause of the exception to come, and says it in words.
fn kept(raised: &Raised, error: PyErr) -> Reason {
    let words = error.to_string();
    raised.keep(error);
    Reason::from(words)
}
