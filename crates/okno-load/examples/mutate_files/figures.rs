//! What is known of all inputs: a row of a table for each format.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What became of one input.
pub struct InputResult<'a> {
    pub refused: Option<&'a str>,
    pub time: Duration,
    pub memory: usize,
}

#[derive(Default)]
struct FormatFigures {
    read: u64,
    refused: BTreeMap<String, u64>,
    time: Duration,
    slowest: (Duration, String),
    most_memory: (usize, String),
}

/// The figures of all formats, and what was found.
#[derive(Default)]
pub struct Figures {
    formats: BTreeMap<String, FormatFigures>,
    /// Time and rounds of every file.
    costs: BTreeMap<usize, (Duration, u64)>,
    pub found: Vec<String>,
}

fn format(path: &Path) -> String {
    path.extension().map_or_else(|| "–".to_owned(), |ending| ending.to_string_lossy().to_lowercase())
}

impl Figures {
    pub fn note(&mut self, files: &[PathBuf], file: usize, round: u64, result: &InputResult<'_>) {
        let path = &files[file];
        let row = self.formats.entry(format(path)).or_default();
        match result.refused {
            None => row.read += 1,
            Some(code) => *row.refused.entry(code.to_owned()).or_default() += 1,
        }
        row.time += result.time;
        let name = || format!("{} {round}", path.file_name().unwrap_or_default().to_string_lossy());
        if result.time > row.slowest.0 {
            row.slowest = (result.time, name());
        }
        if result.memory > row.most_memory.0 {
            row.most_memory = (result.memory, name());
        }
        let cost = self.costs.entry(file).or_default();
        *cost = (cost.0 + result.time, cost.1 + 1);
    }

    /// How long a round of each file took, in microseconds.
    pub fn costs(&self, files: usize) -> Vec<f64> {
        let mean = |(time, rounds): &(Duration, u64)| time.as_secs_f64() * 1e6 / *rounds as f64;
        (0..files).map(|file| self.costs.get(&file).map_or(1e6, mean)).collect()
    }

    pub fn inputs(&self) -> u64 {
        self.formats.values().map(|row| row.read + row.refused.values().sum::<u64>()).sum()
    }

    /// The table, and what was found.
    pub fn print(&self) {
        println!("| format | inputs | read | refused | CPU | slowest | most memory |\n|---|---|---|---|---|---|---|");
        for (format, row) in &self.formats {
            let refused: u64 = row.refused.values().sum();
            let slowest = format!("{:.2} s ({})", row.slowest.0.as_secs_f64(), row.slowest.1);
            let memory = format!("{} MB ({})", row.most_memory.0 / 1_000_000, row.most_memory.1);
            let (inputs, seconds) = (row.read + refused, row.time.as_secs());
            println!("| {format} | {inputs} | {} | {refused} | {seconds} s | {slowest} | {memory} |", row.read);
        }
        for (format, row) in &self.formats {
            let reasons: Vec<String> = row.refused.iter().map(|(code, count)| format!("{count} {code}")).collect();
            println!("refused {format}: {}", reasons.join(", "));
        }
        println!("{} inputs, {} found", self.inputs(), self.found.len());
        self.found.iter().for_each(|line| println!("FOUND {line}"));
    }
}
