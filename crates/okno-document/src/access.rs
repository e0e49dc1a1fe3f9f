//! Who may see a document: the groups in its field `allow`, and the groups of whoever asks.
//!
//! A document without `allow` is for everybody. One with `allow` is for requests that have one of its groups; with an
//! empty `allow` it is for nobody but the owner of the index. Names of groups are compared exactly.

use super::Metadata;
use std::collections::BTreeSet;

/// The field that names the groups a document is for.
pub const ALLOW: &str = "allow";

/// What somebody may see of an index.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Access {
    /// Every document: the owner of the index.
    #[default]
    Everything,
    /// Documents for everybody, and those for one of these groups.
    Groups(BTreeSet<String>),
}

impl Access {
    /// The documents that are for everybody, and no others.
    pub fn public() -> Self {
        Self::Groups(BTreeSet::new())
    }

    /// The access of these groups.
    pub fn of<T: AsRef<str>>(groups: impl IntoIterator<Item = T>) -> Self {
        Self::Groups(groups.into_iter().flat_map(|names| group_names(names.as_ref())).collect())
    }

    /// Whether it is everything.
    pub fn is_everything(&self) -> bool {
        *self == Self::Everything
    }

    /// Whether a document for these groups may be seen.
    pub fn meets<T: AsRef<str>>(&self, allow: &[T]) -> bool {
        match self {
            Self::Everything => true,
            Self::Groups(groups) => allow.iter().any(|group| groups.contains(group.as_ref())),
        }
    }

    /// Whether a document with this metadata may be seen.
    pub fn sees(&self, metadata: &Metadata) -> bool {
        metadata.get(ALLOW).is_none_or(|allow| self.is_everything() || self.meets(&group_names(&allow.to_string())))
    }
}

/// The names of groups in a text, commas between them; none is empty.
pub fn group_names(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;

    fn allowing(value: Value) -> Metadata {
        let mut metadata = Metadata::default();
        metadata.set(ALLOW, value);
        metadata
    }

    #[test]
    fn a_document_is_for_its_groups() {
        let text = |text: &str| Value::Text(text.to_owned());
        let list = |items: &[&str]| Value::List(items.iter().map(|item| text(item)).collect());
        let staff = Access::of(["hr, board", "3"]);
        for value in [text("hr"), text("x, board"), list(&["x", "hr"]), Value::Number(3.0)] {
            assert!(staff.sees(&allowing(value.clone())), "{value:?}");
            assert!(!Access::public().sees(&allowing(value.clone())), "{value:?}");
            assert!(Access::Everything.sees(&allowing(value)));
        }
        for value in [text("HR"), text(""), list(&[]), list(&["h", "r"]), Value::Bool(true)] {
            assert!(!staff.sees(&allowing(value.clone())), "{value:?}");
        }
        assert!(Access::public().sees(&Metadata::default()));
    }
}
