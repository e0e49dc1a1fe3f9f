//! Embedding: texts become vectors.
//!
//! An [`Embedder`] has an identity, which an index remembers: vectors of two embedders are never
//! mixed. The default is the project's own static model, compiled into the program.

mod charsmap;
pub(crate) mod dot;
mod encoded;
mod remembering;
mod static_model;
mod unigram;

pub(crate) use encoded::{sum_into, with_ids};
pub use remembering::Remembering;
pub use static_model::StaticModel;

use crate::message::Reason;
use std::fmt;

/// What a text is embedded for: models may treat questions and passages differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// A question.
    Query,
    /// A piece of a document, a title, a heading.
    Passage,
}

okno_document::messages! {
    /// Why an embedder failed.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum EmbedError {
        /// Its own reason.
        Failed(Reason),
        /// Not one vector for each text.
        Count { /** Numbers it gave. */ got: usize, /** Numbers of all vectors. */ expected: usize } = "wrong_count" =>
            ("gave {got} numbers instead of {expected}", "给出了 {got} 个数，应为 {expected} 个"),
    }
}

impl EmbedError {
    /// An embedder's own reason.
    pub fn new(reason: impl Into<Reason>) -> Self {
        Self::Failed(reason.into())
    }
}

/// Turns texts into vectors.
///
/// The same text and role give the same vector, always: vectors are cached by content. The empty
/// text gives zeros.
pub trait Embedder: Send + Sync {
    /// Name, version and whatever else must be the same for two vectors to be comparable.
    fn identity(&self) -> &str;

    /// The length of its vectors.
    fn dimensions(&self) -> usize;

    /// One vector per text, one after the other, not normalised. The sum of the vectors of several
    /// sentences stands for the run of them: an additive model returns sums, any other returns
    /// vectors whose length says how much the sentence weighs in a run.
    fn embed(&self, texts: &[&str], role: Role) -> Result<Vec<f32>, EmbedError>;

    /// Whether embedding costs so much that vectors are kept by content.
    fn is_slow(&self) -> bool {
        true
    }
}

impl fmt::Debug for dyn Embedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.identity())
    }
}

/// The built-in model as an [`Embedder`].
#[derive(Clone, Copy)]
pub struct BuiltIn(&'static StaticModel);

impl Default for BuiltIn {
    fn default() -> Self {
        Self(StaticModel::builtin())
    }
}

impl Embedder for BuiltIn {
    fn identity(&self) -> &str {
        self.0.identity()
    }

    fn dimensions(&self) -> usize {
        self.0.dimensions()
    }

    fn embed(&self, texts: &[&str], _: Role) -> Result<Vec<f32>, EmbedError> {
        let dimensions = self.dimensions();
        let mut vectors = vec![0.0; texts.len() * dimensions];
        for (text, vector) in texts.iter().zip(vectors.chunks_exact_mut(dimensions)) {
            sum_into(text, vector);
        }
        Ok(vectors)
    }

    /// A look-up and a sum: cheaper than reading a cache.
    fn is_slow(&self) -> bool {
        false
    }
}

/// Scales a vector to unit length; zeros stay zeros.
pub fn normalize(vector: &mut [f32]) {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        for x in vector {
            *x /= length;
        }
    }
}
