//! Killing commands: whatever the moment, one whole generation is left, and the next run goes on.

use super::super::support::Ran;
use super::history::{History, IndexModel, backup_name};
use super::seen::{Ending, ending, look, questions};
use std::time::Duration;

/// How long a command is assumed to take that did not run yet.
const UNKNOWN: Duration = Duration::from_millis(200);

impl History {
    /// Kills one of the commands that write.
    pub fn kill(&mut self) {
        match self.random.below(20) {
            0..12 => self.kill_index(),
            12..14 => self.kill_first_index(),
            14..16 => self.kill_remove(),
            16 => self.kill_repair(),
            17..19 => self.kill_backup(),
            _ => self.kill_restore(),
        }
    }

    /// Starts a command and kills it at some moment. Returns `true` if it was still running.
    fn killed(&mut self, what: &'static str, arguments: &[&str]) -> bool {
        let run = self.durations.get(what).copied().unwrap_or(UNKNOWN);
        let moment = run.mul_f64(self.random.share());
        let mut child = self.world.start(arguments);
        std::thread::sleep(moment);
        child.kill().unwrap();
        let output = child.wait_with_output().unwrap();
        let running = output.status.code().is_none();
        // Killed or not, it must not have panicked before.
        let _ = Ran::from(output);
        self.tally.count(&if running { format!("killed: {what}") } else { format!("ended before its kill: {what}") });
        running
    }

    /// Fails unless the index is one of these, or something in between that was committed.
    fn compare_between(&mut self, before: &IndexModel, after: &IndexModel) {
        let asked = self.some_questions(&[before, after]);
        match look(&self.world, ".okno", (&[before, after], &self.fixture), &asked) {
            Ok(seen) => seen.is_between(before, after, &asked),
            Err(ending) => panic!("after a kill: {ending:?}"),
        }
    }

    /// Several kills in a row: a run that goes on from a killed one is killed as well.
    fn kill_index(&mut self) {
        self.change_some();
        let before = self.index.clone();
        let after = before.indexed(&self.files);
        for _ in 0..=self.random.below(3) {
            let running = self.killed("index", &["index", "many"]);
            self.compare_between(&before, &after);
            if !running {
                break;
            }
        }
        self.run_index();
    }

    fn kill_first_index(&mut self) {
        self.world.delete(".okno");
        self.index = IndexModel::default();
        let after = self.index.indexed(&self.files);
        self.killed("index", &["index", "many"]);
        match ending(self.world.command().args(["status", "--json"])) {
            Ending::Done(_) => self.compare_between(&IndexModel::default(), &after),
            Ending::Refused(said) => assert!(said.contains("no index at"), "{said}"),
            Ending::Crashed => panic!("`status` crashed after a kill"),
        }
        self.run_index();
    }

    fn kill_remove(&mut self) {
        let names = self.some_documents(40);
        let arguments: Vec<&str> = ["remove"].into_iter().chain(names.iter().map(String::as_str)).collect();
        let before = self.index.clone();
        self.killed("remove", &arguments);
        self.forget(&names);
        // It commits once: all of them are gone, or none.
        let after = self.index.clone();
        let asked = questions(&[&before], names.iter());
        let seen = look(&self.world, ".okno", (&[&before], &self.fixture), &asked);
        let seen = seen.unwrap_or_else(|ending| panic!("after a kill: {ending:?}"));
        let (left, asked) = if seen.lists(&names[0]) { (before, asked) } else { (after, vec![]) };
        assert_eq!(seen.differs(&left, &self.fixture, &asked), None);
        self.index = left;
    }

    fn kill_repair(&mut self) {
        self.catch_up();
        self.killed("repair", &["check", "--repair"]);
        self.compare();
        self.timed("repair", &["check", "--repair"]);
        self.compare();
    }

    /// Leaves the earlier backup, or the whole new one.
    fn kill_backup(&mut self) {
        let number = self.random.below(self.backups.len());
        let file = backup_name(number);
        self.killed("backup", &["backup", &file]);
        if !self.world.path(&file).exists() {
            assert!(self.backups[number].is_none(), "the earlier backup is gone");
            return;
        }
        self.world.okno(["--index", "copy", "restore", &file]).succeeds();
        let models = [self.backups[number].clone(), Some(self.index.clone())];
        let held = models.into_iter().flatten().find(|model| {
            let asked = questions(&[model], model.documents.keys().step_by(29));
            let models = [model, &self.index].into_iter().chain(&self.backups[number]).collect::<Vec<_>>();
            let seen = look(&self.world, "copy", (&models, &self.fixture), &asked);
            seen.unwrap_or_else(|ending| panic!("{ending:?}")).differs(model, &self.fixture, &asked).is_none()
        });
        assert!(held.is_some(), "a backup of something that never was");
        self.backups[number] = held;
        self.world.delete("copy");
    }

    /// Leaves no index, or a whole one.
    fn kill_restore(&mut self) {
        let Some((number, model)) = self.some_backup() else { return };
        let file = backup_name(number);
        self.world.delete(".okno");
        self.killed("restore", &["restore", &file]);
        self.index = model;
        match ending(self.world.command().args(["check"])) {
            Ending::Done(_) => (),
            Ending::Refused(said) => {
                assert!(said.contains("no index at"), "{said}");
                self.timed("restore", &["restore", &file]);
            }
            Ending::Crashed => panic!("`check` crashed after a kill"),
        }
        self.compare();
    }
}
