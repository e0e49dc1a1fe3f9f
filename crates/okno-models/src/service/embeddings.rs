//! Embeddings: texts go out in batches, vectors come back.
//!
//! Services return unit vectors. A run of sentences is scored by the sum of theirs, so each is given the length of its text's
//! tokens, dampened by a square root: a long sentence says more than a short one, but not as many times more as it is longer.

use super::fault::{Fault, Kind};
use super::line::Line;
use super::options::Options;
use okno::embed::{EmbedError, Embedder, Role, normalize};
use okno::split::count_tokens;
use serde::Deserialize;
use serde_json::json;

/// An embedding model behind a service.
#[derive(Debug)]
pub struct Embeddings {
    line: Line,
    model: String,
    identity: String,
    dimensions: usize,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    index: Option<usize>,
    embedding: Vec<f32>,
}

impl Embeddings {
    /// A model of a service; asks for one vector to learn how long they are.
    pub fn connect(options: Options, model: &str) -> Result<Self, EmbedError> {
        let identity = options.identity(model);
        let mut this = Self { line: Line::new(options), model: model.to_owned(), identity, dimensions: 0 };
        this.dimensions = this.batch(&["okno"])?.first().map_or(0, Vec::len);
        if this.dimensions == 0 {
            Err(this.failed(&Fault::new(Kind::Garbled, "its vectors are empty")))
        } else {
            Ok(this)
        }
    }

    fn failed(&self, fault: &Fault) -> EmbedError {
        EmbedError(format!("{}: {}", self.identity, fault.reason))
    }

    /// The vectors of a few texts, in their order.
    fn batch(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let body = json!({"model": self.model, "input": texts, "encoding_format": "float"});
        let read = |response| {
            let text = self.line.text(response)?;
            let odd = |error| Fault::new(Kind::Garbled, format!("the answer is no list of vectors: {error}"));
            let answer: Answer = serde_json::from_str(&text).map_err(odd)?;
            in_order(answer, texts.len())
        };
        self.line.ask("embeddings", &body, read).map_err(|fault| self.failed(&fault))
    }

    fn checked(&self, vector: &[f32]) -> Result<(), EmbedError> {
        let fine = vector.len() == self.dimensions && vector.iter().all(|x| x.is_finite());
        let reason = format!("a vector of {} numbers, expected {}", vector.len(), self.dimensions);
        if fine { Ok(()) } else { Err(self.failed(&Fault::new(Kind::Garbled, reason))) }
    }
}

/// Vectors in the order of the texts, whatever order they came in.
fn in_order(answer: Answer, texts: usize) -> Result<Vec<Vec<f32>>, Fault> {
    let count = answer.data.len();
    let mut vectors = vec![None; texts];
    for (place, vector) in answer.data.into_iter().enumerate() {
        if let Some(free) = vectors.get_mut(vector.index.unwrap_or(place)) {
            *free = Some(vector.embedding);
        }
    }
    let all: Option<Vec<_>> = vectors.into_iter().collect();
    all.filter(|_| count == texts)
        .ok_or_else(|| Fault::new(Kind::Garbled, format!("{count} vectors for {texts} texts")))
}

impl Embedder for Embeddings {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn embed(&self, texts: &[&str], _: Role) -> Result<Vec<f32>, EmbedError> {
        let mut vectors = vec![0.0; texts.len() * self.dimensions];
        // Services refuse empty texts; theirs are zeros.
        let wanted: Vec<usize> = (0..texts.len()).filter(|&at| !texts[at].trim().is_empty()).collect();
        for places in wanted.chunks(self.line.options.batch.max(1)) {
            let batch: Vec<&str> = places.iter().map(|&at| texts[at]).collect();
            for (&at, mut vector) in places.iter().zip(self.batch(&batch)?) {
                self.checked(&vector)?;
                normalize(&mut vector);
                let weight = (count_tokens(texts[at]).max(1) as f32).sqrt();
                let place = &mut vectors[at * self.dimensions..(at + 1) * self.dimensions];
                place.iter_mut().zip(vector).for_each(|(to, from)| *to = from * weight);
            }
        }
        Ok(vectors)
    }
}
