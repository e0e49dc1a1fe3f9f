//! Searches with an embedder of your own: here one that compares letters, which finds misspelt words.
//!
//! `cargo run -p okno --example custom_embedder`; `docs/add-an-embedder.md` says what an embedder promises.

use okno::embed::{EmbedError, Embedder, Role};
use okno::store::Leg;
use okno::{Engine, Query};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Counts pairs of neighbouring letters.
struct LetterPairs;

impl Embedder for LetterPairs {
    fn identity(&self) -> &'static str {
        "letter-pairs@1" // whatever must be the same for two vectors to be comparable
    }

    fn dimensions(&self) -> usize {
        256
    }

    fn embed(&self, texts: &[&str], _: Role) -> Result<Vec<f32>, EmbedError> {
        let mut vectors = vec![0.0; texts.len() * self.dimensions()];
        for (text, vector) in texts.iter().zip(vectors.chunks_exact_mut(self.dimensions())) {
            let letters: Vec<char> = text.to_lowercase().chars().collect();
            for pair in letters.windows(2) {
                let mut hasher = DefaultHasher::new();
                pair.hash(&mut hasher);
                vector[(hasher.finish() % 256) as usize] += 1.0;
            }
        }
        Ok(vectors)
    }

    fn is_slow(&self) -> bool {
        false // vectors are not worth keeping for texts that come again
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let notes = folder.path().join("tea.txt");
    std::fs::write(&notes, "Oolong is half oxidised.\n\nRooibos holds no caffeine.\n\nMatcha is ground leaf.\n")?;

    let index = folder.path().join(".okno");
    let engine = Engine::builder().embedder(Arc::new(LetterPairs)).create(&index)?;
    engine.index(&[notes])?;

    let by_letters = Query::new("roibos cafeine")
        .recipe("window")
        .expand(okno::retrieve::Expansion::None)
        .legs(vec![Leg::Dense])
        .k(1);
    println!("{}", engine.search(&by_letters)?.contexts[0].text);

    // An index remembers its embedder: vectors of two are never mixed.
    drop(engine);
    match Engine::open(&index) {
        Err(refused) => println!("{refused}"),
        Ok(_) => unreachable!("the index was made with another embedder"),
    }
    Ok(())
}
