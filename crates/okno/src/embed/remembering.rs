//! Questions are asked again: the vectors of the last ones are kept in memory.

use super::{EmbedError, Embedder, Role};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

/// Questions that are kept: a few megabytes of vectors.
const KEPT: usize = 1024;

/// An embedder that keeps the vectors of the last questions. Passages are kept by the index.
pub struct Remembering {
    embedder: Arc<dyn Embedder>,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    vectors: HashMap<String, Vec<f32>>,
    /// The oldest first.
    order: VecDeque<String>,
}

impl Remembering {
    /// Keeps what this embedder makes of questions.
    pub fn new(embedder: Arc<dyn Embedder>) -> Self {
        Self { embedder, kept: Mutex::default() }
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        // A poisoned lock means another question panicked; what is kept is whole all the same.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn keep(&mut self, question: &str, vector: Vec<f32>) {
        if self.vectors.insert(question.to_owned(), vector).is_none() {
            self.order.push_back(question.to_owned());
        }
        if self.order.len() > KEPT
            && let Some(oldest) = self.order.pop_front()
        {
            self.vectors.remove(&oldest);
        }
    }
}

impl Embedder for Remembering {
    fn identity(&self) -> &str {
        self.embedder.identity()
    }

    fn dimensions(&self) -> usize {
        self.embedder.dimensions()
    }

    fn embed(&self, texts: &[&str], role: Role) -> Result<Vec<f32>, EmbedError> {
        let [question] = texts else { return self.embedder.embed(texts, role) };
        if role == Role::Passage {
            return self.embedder.embed(texts, role);
        }
        if let Some(vector) = self.kept().vectors.get(*question) {
            return Ok(vector.clone());
        }
        let vector = self.embedder.embed(texts, role)?;
        self.kept().keep(question, vector.clone());
        Ok(vector)
    }

    fn is_slow(&self) -> bool {
        self.embedder.is_slow()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[derive(Default)]
    struct Counting(AtomicUsize);

    impl Embedder for Counting {
        fn identity(&self) -> &'static str {
            "counting"
        }
        fn dimensions(&self) -> usize {
            1
        }
        fn embed(&self, texts: &[&str], _: Role) -> Result<Vec<f32>, EmbedError> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Ok(texts.iter().map(|text| text.len() as f32).collect())
        }
    }

    #[test]
    fn the_last_questions_are_kept_and_no_more() {
        let counting = Arc::new(Counting::default());
        let embedder = Remembering::new(Arc::clone(&counting) as Arc<dyn Embedder>);
        let asked = || counting.0.load(Ordering::Relaxed);
        for _ in 0..3 {
            assert_eq!(embedder.embed(&["tea"], Role::Query).unwrap(), [3.0]);
        }
        assert_eq!(asked(), 1);
        embedder.embed(&["tea"], Role::Passage).unwrap();
        assert_eq!(asked(), 2, "a passage is another text");
        for i in 0..KEPT {
            embedder.embed(&[&format!("question {i}")], Role::Query).unwrap();
        }
        assert_eq!(embedder.kept().vectors.len(), KEPT);
        embedder.embed(&["tea"], Role::Query).unwrap();
        assert_eq!(asked(), 2 + KEPT + 1, "the oldest was forgotten");
    }
}
