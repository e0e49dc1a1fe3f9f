//! Compares two recipes on questions with known answers.
//!
//! `cargo run -p okno-evaluate --example evaluate -- [FOLDER QUESTIONS.jsonl]`; without arguments, the sample of this
//! repository. Each line of the questions holds `question`, `doc_id` and `answers`, the exact words that answer.

use okno::Engine;
use okno_evaluate::run::{Candidate, run};
use okno_evaluate::set::Indexed;
use okno_evaluate::{Measure, QuestionSet, RecipeComparison, RunRequest};
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1).map(PathBuf::from);
    let (folders, questions) = match (arguments.next(), arguments.next()) {
        (Some(folder), Some(questions)) => (vec![folder], questions),
        _ => (vec![sample("documents"), sample("messy")], sample("questions.jsonl")),
    };
    let index = tempfile::tempdir()?;
    let engine = Engine::create(index.path())?;
    engine.index(&folders)?;

    // The documents are those of the index; a question whose answer is not in them is reported with its line.
    let snapshot = engine.snapshot()?;
    let mut library = Indexed::new(&*snapshot);
    let set = QuestionSet::read(&questions, &mut library)?;

    let candidate = |name: &str| Candidate { name: name.to_owned(), recipe: engine.recipes()[name].clone() };
    let candidates = [candidate("chunks"), candidate("auto")];
    let asking = RunRequest { set: &set, candidates: &candidates, budgets: &[300], seed: 1, name: "example" };
    let run = run(&engine, &asking, &mut library, &|_, _| {})?.run;

    println!("{} questions, at most 300 tokens of context", set.questions.len());
    for cell in &run.cells {
        let [coverage, repeated] =
            [Measure::Coverage, Measure::Duplicate].map(|measure| 100.0 * cell.scores.get(measure));
        println!("{:8} whole answer returned: {coverage:.1} %, repeated text: {repeated:.1} %", cell.recipe);
    }
    // Is that more than noise? The same questions, resampled.
    let pairs: Vec<_> = run.cells[1].rows.iter().copied().zip(run.cells[0].rows.iter().copied()).collect();
    println!("{}", RecipeComparison::of(["auto", "chunks"], Measure::Coverage, 300, &pairs, asking.seed).english());
    Ok(())
}

fn sample(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../okno-cli/sample")).join(name)
}
