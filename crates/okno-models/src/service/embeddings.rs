//! Embeddings: texts are sent in batches, several at once, and vectors come back.
//!
//! Services return unit vectors. A run of sentences is scored by the sum of theirs, so each is given the length of its
//! text's tokens, dampened by a square root: a long sentence says more than a short one, but not as many times more as
//! it is longer. A batch that fails is retried by itself; one that fails for good ends the rest.

use super::connection::Connection;
use super::fault::{FaultKind, ServiceFault};
use super::made_by::MadeBy;
use super::options::Options;
use super::reason::{AtHost, ServiceReason};
use okno::embed::{EmbedError, Embedder, Role, normalize};
use okno::generate::many;
use okno::split::count_tokens;
use okno_document::message::{Lang, Message, Reason};
use serde::Deserialize;
use serde_json::json;
use std::sync::atomic::{AtomicBool, Ordering};

/// An embedding model behind a service.
#[derive(Debug)]
pub struct Embeddings {
    connection: Connection,
    made_by: MadeBy,
    identity: String,
}

#[derive(Deserialize)]
struct EmbeddingsAnswer {
    data: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    index: Option<usize>,
    embedding: Vec<f32>,
}

impl Embeddings {
    /// A model of a service; asks for one vector to learn how long they are, and where no model is named, which one it
    /// serves.
    pub fn connect(options: Options) -> Result<Self, EmbedError> {
        let connection = Connection::new(options);
        let model = match &connection.options.model {
            Some(model) => model.clone(),
            None => connection.served().map_err(|fault| {
                let (host, reason) = (connection.options.host(), fault.reason);
                let text = |lang| format!("{host}: {}", reason.text(lang));
                EmbedError::new(Reason::new(reason.code(), text(Lang::En), text(Lang::Zh)))
            })?,
        };
        let made_by = MadeBy { provider: connection.options.provider.clone(), model, dimensions: 0 };
        let mut this = Self { connection, made_by, identity: String::new() };
        this.made_by.dimensions = this.batch(&["okno"])?.first().map_or(0, Vec::len);
        this.identity = this.made_by.to_string();
        match this.connection.options.dimensions {
            _ if this.dimensions() == 0 => Err(this.failed(&ServiceReason::EmptyVectors)),
            Some(wanted) if wanted != this.dimensions() => Err(this.wrong_length(this.dimensions(), wanted)),
            _ => Ok(this),
        }
    }

    /// The model that made the vectors of an index. The service is not called until something is embedded.
    pub fn again(options: Options, made_by: MadeBy) -> Self {
        Self { connection: Connection::new(options), identity: made_by.to_string(), made_by }
    }

    fn failed(&self, reason: &ServiceReason) -> EmbedError {
        let at = AtHost { model: &self.made_by.model, host: self.connection.options.host(), reason };
        EmbedError::new(Reason::new(reason.code(), at.text(Lang::En), at.text(Lang::Zh)))
    }

    fn wrong_length(&self, got: usize, expected: usize) -> EmbedError {
        self.failed(&ServiceReason::VectorLength { got, expected })
    }

    /// The vectors of a few texts, in their order.
    fn batch(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut body = json!({"model": self.made_by.model, "input": texts, "encoding_format": "float"});
        if let Some(dimensions) = self.connection.options.dimensions {
            body["dimensions"] = dimensions.into();
        }
        let read = |response| {
            let text = self.connection.text(response)?;
            let odd = |error: serde_json::Error| garbled(ServiceReason::NotVectors { cause: error.to_string() });
            let answer: EmbeddingsAnswer = serde_json::from_str(&text).map_err(odd)?;
            in_order(answer, texts.len())
        };
        self.connection.ask("embeddings", &body, read).map_err(|fault| self.failed(&fault.reason))
    }

    /// The vectors of a few texts, checked and scaled by the weight of their texts.
    fn weighed(&self, texts: &[&str]) -> Result<Vec<f32>, EmbedError> {
        let mut all = Vec::with_capacity(texts.len() * self.dimensions());
        for (text, mut vector) in texts.iter().zip(self.batch(texts)?) {
            if vector.len() != self.dimensions() {
                return Err(self.wrong_length(vector.len(), self.dimensions()));
            }
            if !vector.iter().all(|x| x.is_finite()) {
                return Err(self.failed(&ServiceReason::NotFinite));
            }
            normalize(&mut vector);
            let weight = (count_tokens(text).max(1) as f32).sqrt();
            all.extend(vector.iter().map(|x| x * weight));
        }
        Ok(all)
    }
}

/// Vectors in the order of the texts, whatever order they came in.
fn in_order(answer: EmbeddingsAnswer, texts: usize) -> Result<Vec<Vec<f32>>, ServiceFault> {
    let count = answer.data.len();
    let mut vectors = vec![None; texts];
    for (place, vector) in answer.data.into_iter().enumerate() {
        if let Some(free) = vectors.get_mut(vector.index.unwrap_or(place)) {
            *free = Some(vector.embedding);
        }
    }
    let all: Option<Vec<_>> = vectors.into_iter().collect();
    all.filter(|_| count == texts).ok_or_else(|| garbled(ServiceReason::VectorCount { got: count, texts }))
}

fn garbled(reason: ServiceReason) -> ServiceFault {
    ServiceFault::new(FaultKind::Garbled, reason)
}

impl Embedder for Embeddings {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn dimensions(&self) -> usize {
        self.made_by.dimensions
    }

    fn embed(&self, texts: &[&str], _: Role) -> Result<Vec<f32>, EmbedError> {
        let dimensions = self.dimensions();
        let mut vectors = vec![0.0; texts.len() * dimensions];
        // Services refuse empty texts; their vectors are zeros.
        let wanted: Vec<usize> = (0..texts.len()).filter(|&at| !texts[at].trim().is_empty()).collect();
        let batches: Vec<&[usize]> = wanted.chunks(self.connection.options.batch.max(1)).collect();
        let failed = AtomicBool::new(false);
        let one = |places: &&[usize]| {
            let made = self.weighed(&places.iter().map(|&at| texts[at]).collect::<Vec<_>>());
            failed.fetch_or(made.is_err(), Ordering::Relaxed);
            made
        };
        let made = many(&batches, self.connection.options.concurrency, &|| failed.load(Ordering::Relaxed), one);
        // A batch without a result was not sent, because another failed; the error of that one is returned.
        let made = made.into_iter().flatten().collect::<Result<Vec<_>, _>>()?;
        for (at, vector) in
            batches.iter().copied().flatten().zip(made.iter().flat_map(|rows| rows.chunks_exact(dimensions)))
        {
            vectors[at * dimensions..(at + 1) * dimensions].copy_from_slice(vector);
        }
        Ok(vectors)
    }
}
