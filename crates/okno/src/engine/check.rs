//! Checking an index as a whole, and repairing it: what can be made again from the files or from the rest is.

use super::{Engine, IndexOptions, IndexReport, Progress};
use crate::Result;
use crate::store::IndexFault;

/// What a repair did.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct RepairReport {
    /// What was wrong before.
    pub found: Vec<IndexFault>,
    /// What is still wrong.
    pub left: Vec<IndexFault>,
    /// Damaged documents that could not be read again: their files, or their numbers.
    pub lost: Vec<String>,
    /// What reading the files again did.
    pub index: IndexReport,
}

impl Engine {
    /// Reads everything the index holds and says what is not as it was stored, or does not fit the rest; nothing where
    /// all is well.
    pub fn check(&self) -> Result<Vec<IndexFault>> {
        self.store()?.check()
    }

    /// Takes out what is damaged, builds the rest again, and reads the files of damaged documents again.
    pub fn repair(&self, options: &IndexOptions, progress: &dyn Progress) -> Result<RepairReport> {
        let found = self.check()?;
        if found.is_empty() {
            return Ok(RepairReport::default());
        }
        self.store()?.repair(&found)?;
        // A lexical index that could not be read hid the rest.
        let rest = self.check()?;
        if !rest.is_empty() {
            self.store()?.repair(&rest)?;
        }
        let none: [&std::path::Path; 0] = [];
        let index = self.index_with(&none, options, progress)?;
        let found: Vec<IndexFault> = found.into_iter().chain(rest).collect();
        Ok(RepairReport { lost: self.lost(&found)?, left: self.check()?, found, index })
    }

    /// Damaged documents whose files gave none again.
    fn lost(&self, found: &[IndexFault]) -> Result<Vec<String>> {
        let files = self.snapshot()?.files()?;
        // A file that was read again has a hash; what it no longer holds is not lost.
        let is_back = |name: &str| files.iter().any(|file| file.path == name && file.hash != 0);
        let names = found.iter().filter_map(|fault| match fault {
            IndexFault::Document { name, .. } => Some(name.clone()),
            _ => None,
        });
        Ok(names.filter(|name| !is_back(name)).collect())
    }
}
