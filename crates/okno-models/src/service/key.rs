//! A key that cannot be printed by accident.

use std::fmt;

/// The key of a service. Its `Debug` shows only that there is one, and it has no `Display`.
#[derive(Clone, PartialEq, Eq)]
pub struct ServiceKey(String);

/// Shorter keys are placeholders (`none`, `ollama`): removing them from messages would damage words.
const SHORTEST_SECRET: usize = 8;

impl ServiceKey {
    /// A key, without the white space that a copied line has around it.
    pub fn new(key: &str) -> Self {
        Self(key.trim().to_owned())
    }

    /// The value of the header `Authorization`.
    pub(super) fn bearer(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// A text without this key: services repeat a wrong key in their answers.
    pub(super) fn scrub(&self, text: &str) -> String {
        if self.0.len() < SHORTEST_SECRET { text.to_owned() } else { text.replace(&self.0, "[key]") }
    }
}

impl fmt::Debug for ServiceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServiceKey([key])")
    }
}
