//! Bytes of an index or a backup that change on disk, one at a time: each is noticed, or changes nothing that is shown.

use super::history::{History, backup_name};
use super::seen::{Ending, ending, look, questions};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// A byte that was changed, and what it was.
struct FlippedByte {
    file: PathBuf,
    at: u64,
    before: u8,
}

impl FlippedByte {
    fn flip(file: PathBuf, at: u64, with: u8) -> Self {
        let open = File::options().read(true).write(true).open(&file).unwrap();
        let mut byte = [0];
        open.read_exact_at(&mut byte, at).unwrap();
        open.write_all_at(&[byte[0] ^ with], at).unwrap();
        Self { file, at, before: byte[0] }
    }

    fn put_back(&self) {
        let open = File::options().write(true).open(&self.file).unwrap();
        open.write_all_at(&[self.before], self.at).unwrap();
    }
}

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, out);
        } else if std::fs::metadata(&path).unwrap().len() > 0 {
            out.push(path);
        }
    }
}

impl History {
    /// One bit, or several of a byte.
    fn some_flip(&mut self, file: PathBuf) -> FlippedByte {
        let length = std::fs::metadata(&file).unwrap().len();
        let at = self.random.below(length as usize) as u64;
        let one = self.random.below(2) == 0;
        let with = if one { 1 << self.random.below(8) } else { self.random.below(255) as u8 + 1 };
        FlippedByte::flip(file, at, with)
    }

    /// Changes a byte of the index, judges what comes of it, and mends it in one of the ways that a user has.
    pub fn flip(&mut self) {
        self.catch_up();
        let mut all = Vec::new();
        files(&self.world.path(".okno"), &mut all);
        all.sort();
        // Most bytes are in the first; the others would hardly ever be drawn by their size.
        let data = self.world.path(".okno/data.mdb");
        let file = if self.random.below(3) > 0 { data } else { all[self.random.below(all.len())].clone() };
        let kind = if file.ends_with("data.mdb") { "documents" } else { "lexical index and locks" };
        let flipped = self.some_flip(file);
        let verdict = self.judged(&flipped);
        self.tally.count(&format!("flipped: {kind}: {verdict}"));
        match self.random.below(3) {
            0 => {
                flipped.put_back();
                self.compare();
            }
            1 => self.mend(&["index", "many"]),
            _ => self.mend(&["check", "--repair"]),
        }
    }

    /// Fails where something changed is shown, or where the check finds nothing and something is not as it was.
    fn judged(&mut self, flipped: &FlippedByte) -> &'static str {
        let place = format!("{} at {}", flipped.file.display(), flipped.at);
        let checked = ending(self.world.command().args(["check", "--json"]));
        let whole = matches!(checked, Ending::Done(_));
        let model = self.index.clone();
        let asked = if whole { questions(&[&model], model.documents.keys()) } else { self.some_questions(&[&model]) };
        // Fails where a text comes back that is not what was stored.
        let seen = look(&self.world, ".okno", (&[&model], &self.fixture), &asked);
        match (checked, seen) {
            (Ending::Done(_), Ok(seen)) => {
                let differs = seen.differs(&model, &self.fixture, &asked);
                assert_eq!(differs, None, "the check finds nothing: {place}");
                "changed nothing"
            }
            (Ending::Crashed, _) | (_, Err(Ending::Crashed)) => panic!("a command crashed: {place}"),
            _ => "noticed",
        }
    }

    /// Mends with this command, and with deleting the index where that does not help.
    fn mend(&mut self, command: &[&str]) {
        let model = self.index.indexed(&self.files);
        let mended = matches!(ending(self.world.command().args(command)), Ending::Done(_))
            && matches!(ending(self.world.command().args(["check", "--repair"])), Ending::Done(_));
        if mended {
            self.index = model;
            self.compare();
            self.tally.count(&format!("mended by: {}", command.join(" ")));
        } else {
            self.remake();
            self.tally.count("mended by: deleting the index");
        }
    }

    /// A backup of which a byte changed is refused, and leaves nothing behind.
    pub fn flip_backup(&mut self) {
        let Some((number, _)) = self.some_backup() else { return };
        let flipped = self.some_flip(self.world.path(&backup_name(number)));
        let file = backup_name(number);
        self.world.okno(["--index", "copy", "restore", &file]).refuses();
        assert!(!self.world.path("copy").exists());
        self.tally.count("flipped: backup: noticed");
        flipped.put_back();
    }
}
