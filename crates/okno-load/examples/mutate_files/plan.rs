//! How many rounds each file gets: the same time for every file, so that small files are changed often and large ones
//! are not forgotten.

use std::ops::Range;

/// Rounds that every file gets, however long they take; they also tell how long one takes.
pub const LEAST: u64 = 30;
/// No file gets more than so many times the mean.
const MOST_TIMES_MEAN: u64 = 8;
/// Rounds that a process is asked for at a time: a process costs some milliseconds.
const SLICE: u64 = 2000;

/// Rounds of one file.
#[derive(Debug, Clone)]
pub struct FileRounds {
    pub file: usize,
    pub rounds: Range<u64>,
}

/// The first rounds: of every file the same.
pub fn first_rounds(files: usize, inputs: u64) -> Vec<FileRounds> {
    let each = LEAST.min(inputs.div_ceil(files.max(1) as u64));
    (0..files).map(|file| FileRounds { file, rounds: 0..each }).collect()
}

/// The other rounds, by the time that a round of each file took (microseconds).
pub fn other_rounds(costs: &[f64], inputs: u64) -> Vec<FileRounds> {
    let left = inputs.saturating_sub(LEAST * costs.len() as u64);
    let most = (left / costs.len().max(1) as u64).saturating_mul(MOST_TIMES_MEAN) as f64;
    // The share is found by halving: with the limit above, the number of rounds is not proportional to it.
    let rounds =
        |share: f64| -> Vec<u64> { costs.iter().map(|cost| (share / cost.max(1.0)).min(most) as u64).collect() };
    let (mut low, mut high) = (0.0, 1e12);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if rounds(middle).iter().sum::<u64>() < left { low = middle } else { high = middle }
    }
    let slices = |(file, count): (usize, u64)| {
        let starts = (0..count).step_by(SLICE as usize);
        starts.map(move |at| FileRounds { file, rounds: LEAST + at..LEAST + (at + SLICE).min(count) })
    };
    rounds(high).into_iter().enumerate().flat_map(slices).collect()
}
