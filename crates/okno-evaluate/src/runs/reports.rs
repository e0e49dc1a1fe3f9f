//! What stays beside a run without being asked for: its report, and runs that nobody named.
//!
//! A server that ends takes nothing with it: pages and figures are files. Both are bounded, since nobody forgets them
//! by hand: the newest reports stay, and the newest runs without a name of their own. Figures of a named run stay
//! whatever becomes of its report. A report holds text of documents, so it goes when its run goes.

use super::{Runs, write_whole};
use crate::Result;
use std::path::PathBuf;
use std::time::SystemTime;

/// Reports kept at most; each is at most 900 kB.
pub const MOST_REPORTS: usize = 50;

/// Runs without a name of their own that are kept at most.
pub const MOST_UNNAMED: usize = 20;

/// How the name of a run begins that nobody named.
const UNNAMED: &str = "unnamed-";

impl Runs {
    /// A name for a run that has none: by the second in which it was asked for, and whatever tells it from others of
    /// that second.
    pub fn unnamed(seconds: u64, other: &str) -> String {
        format!("{UNNAMED}{seconds}-{other}")
    }

    /// Keeps the page of a run, and forgets the oldest pages and the oldest unnamed runs beyond what is kept.
    pub fn save_report(&self, name: &str, page: &str) -> Result<()> {
        write_whole(&self.report_path(name)?, page)?;
        for (_, path) in oldest_beyond(self.reports()?, MOST_REPORTS) {
            fs_err::remove_file(path)?;
        }
        let unnamed: Vec<String> = self.names()?.into_iter().filter(|name| name.starts_with(UNNAMED)).collect();
        for name in oldest_beyond(unnamed, MOST_UNNAMED) {
            self.forget(&name)?;
        }
        Ok(())
    }

    /// The page of a run, where one is kept.
    pub fn report(&self, name: &str) -> Result<Option<String>> {
        let path = self.report_path(name)?;
        Ok(if path.is_file() { Some(fs_err::read_to_string(path)?) } else { None })
    }

    /// Whether the page of a run is kept.
    pub fn has_report(&self, name: &str) -> bool {
        self.report_path(name).is_ok_and(|path| path.is_file())
    }

    pub(super) fn remove_report(&self, name: &str) -> Result<()> {
        let path = self.report_path(name)?;
        if path.is_file() {
            fs_err::remove_file(path)?;
        }
        Ok(())
    }

    /// All pages with the time they were written.
    fn reports(&self) -> Result<Vec<(SystemTime, PathBuf)>> {
        let folder = self.folder.with_file_name("reports");
        let mut reports = Vec::new();
        for entry in fs_err::read_dir(folder)? {
            let entry = entry?;
            if entry.path().extension().is_some_and(|extension| extension == "html") {
                reports.push((entry.metadata()?.modified()?, entry.path()));
            }
        }
        Ok(reports)
    }

    fn report_path(&self, name: &str) -> Result<PathBuf> {
        // The run's own path says whether the name may be one.
        let run = self.path(name)?;
        let file = run.with_extension("html");
        Ok(self.folder.with_file_name("reports").join(file.file_name().unwrap_or_default()))
    }
}

/// What comes first in order, without the last so many.
fn oldest_beyond<T: Ord>(mut all: Vec<T>, most: usize) -> Vec<T> {
    all.sort_unstable();
    all.truncate(all.len().saturating_sub(most));
    all
}

#[cfg(test)]
mod tests {
    use super::super::tests::run;
    use super::*;

    #[test]
    fn reports_are_kept_go_with_their_run_and_are_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let runs = Runs::beside(&folder.path().join(".okno"));
        runs.save(&run("v1.2")).unwrap();
        assert_eq!(runs.report("v1.2").unwrap(), None);
        runs.save_report("v1.2", "<html>").unwrap();
        assert_eq!(runs.report("v1.2").unwrap().as_deref(), Some("<html>"), "a dot in the name is no ending");
        runs.remove("v1.2").unwrap();
        assert!(!runs.has_report("v1.2"));
        assert!(runs.report("../v1").is_err());
        for number in 0..MOST_REPORTS + 3 {
            runs.save_report(&format!("r{number}"), "x").unwrap();
        }
        assert_eq!(runs.reports().unwrap().len(), MOST_REPORTS);
    }

    #[test]
    fn only_runs_that_nobody_named_are_forgotten_by_themselves() {
        let folder = tempfile::tempdir().unwrap();
        let runs = Runs::beside(&folder.path().join(".okno"));
        runs.save(&run("mine")).unwrap();
        for number in 0..MOST_UNNAMED as u64 + 2 {
            let name = Runs::unnamed(1_700_000_000 + number, "1");
            runs.save(&run(&name)).unwrap();
            runs.save_report(&name, "x").unwrap();
        }
        let names = runs.names().unwrap();
        assert_eq!((names.len(), names[0].as_str()), (MOST_UNNAMED + 1, "mine"));
        assert!(names.contains(&Runs::unnamed(1_700_000_000 + MOST_UNNAMED as u64 + 1, "1")));
        assert!(!names.contains(&Runs::unnamed(1_700_000_000, "1")));
        assert_eq!(runs.reports().unwrap().len(), MOST_UNNAMED, "their reports went with them");
    }
}
