//! The identity of a service's embedder in an index: provider, model, length of vectors.
//!
//! ```text
//! service:dashscope/text-embedding-v2#1536      service:own/bge-m3#1024
//! ```
//!
//! The address is not part of it: a model behind another address makes the same vectors.

use std::fmt;
use std::str::FromStr;

/// What the name of a service's embedder begins with.
pub const SERVICE: &str = "service:";

/// The name of a service without a preset.
pub const OWN: &str = "own";

/// The maker of an index's vectors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeBy {
    /// A preset's name, or [`OWN`].
    pub provider: String,
    /// The model.
    pub model: String,
    /// The length of its vectors.
    pub dimensions: usize,
}

impl fmt::Display for MadeBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{SERVICE}{}/{}#{}", self.provider, self.model, self.dimensions)
    }
}

/// Returned if a text is not the identity of a service's embedder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAService;

impl FromStr for MadeBy {
    type Err = NotAService;

    /// A model's name may hold anything (`BAAI/bge-m3`, a path); a provider's holds no `/`, and a length is a number.
    fn from_str(identity: &str) -> Result<Self, NotAService> {
        let rest = identity.strip_prefix(SERVICE).ok_or(NotAService)?;
        let (provider, rest) = rest.split_once('/').ok_or(NotAService)?;
        let (model, dimensions) = rest.rsplit_once('#').ok_or(NotAService)?;
        let dimensions = dimensions.parse().map_err(|_| NotAService)?;
        Ok(Self { provider: provider.to_owned(), model: model.to_owned(), dimensions })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_is_read_back_whatever_the_model_is_called() {
        for model in ["text-embedding-v2", "BAAI/bge-m3", "C:\\models\\a#b.gguf", "模型"] {
            let made_by = MadeBy { provider: "vllm".to_owned(), model: model.to_owned(), dimensions: 384 };
            assert_eq!(made_by.to_string().parse(), Ok(made_by));
        }
        for odd in ["bge-small-zh-v1.5@0123", "service:", "service:own/m", "service:own/m#x", "okno-static-1"] {
            assert_eq!(odd.parse::<MadeBy>(), Err(NotAService), "{odd}");
        }
    }
}
