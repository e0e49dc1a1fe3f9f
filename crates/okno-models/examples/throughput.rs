//! Sentences per second of an embedder, for `benches/models.py`: `throughput MODEL_FOLDER SENTENCES.txt
//! [TOKENS_PER_BATCH] [RUNS]`.
//!
//! Prints one JSON line: the best of several runs over all sentences, and the process's peak memory.

use okno_models::registry::Card;
use okno_models::shelf::Model;
use okno_models::transformer::{Encoder, MOST_TOKENS};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = std::path::PathBuf::from(&arguments[0]);
    let card: Card = toml::from_str(&std::fs::read_to_string(folder.join("card.toml"))?)?;
    let text = std::fs::read_to_string(&arguments[1])?;
    let sentences: Vec<&str> = text.lines().collect();
    let usual = if card.quantized { 1 } else { MOST_TOKENS };
    let batch = arguments.get(2).map_or(Ok(usual), |text| text.parse())?;
    let runs = arguments.get(3).map_or(Ok(3), |text| text.parse())?;
    let begun = Instant::now();
    let encoder = Encoder::open(&Model { card, folder })?.with_batches(batch);
    let opened = begun.elapsed();
    let mut best = f64::INFINITY;
    for _ in 0..runs {
        let begun = Instant::now();
        encoder.vectors(&sentences, "", None)?;
        best = best.min(begun.elapsed().as_secs_f64());
    }
    println!(
        "{}",
        serde_json::json!({
            "sentences": sentences.len(), "batch": batch, "per_second": sentences.len() as f64 / best,
            "open_seconds": opened.as_secs_f64(), "peak_mb": peak_megabytes(),
        })
    );
    Ok(())
}

/// The most memory this process had, as Linux tells it.
fn peak_megabytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kb| kb / 1024.0)
}
