//! Answers a question in words, with citations: once without a model, once with one.
//!
//! `cargo run -p okno --example ask`

use okno::answer::{Event, ReplyOptions, reply};
use okno::generate::{Completion, GenerateError, Generator, Request};
use okno::{Engine, Query};
use std::ops::ControlFlow;

/// Stands for a language model. `okno-models` has one for services that speak `OpenAI`'s protocol.
struct Canned;

impl Generator for Canned {
    fn identity(&self) -> &'static str {
        "example/canned"
    }

    fn generate(
        &self,
        request: &Request,
        on_text: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<Completion, GenerateError> {
        // A real model reads the messages: instructions, the contexts under numbers, the question.
        assert!(request.messages.iter().any(|message| message.text.contains("boiling water")));
        let text = "Black tea needs boiling water [1], and it is ready after four minutes [7].".to_owned();
        for word in text.split_inclusive(' ') {
            if on_text(word).is_break() {
                return Err(GenerateError::Stopped);
            }
        }
        Ok(Completion { text, ..Completion::default() })
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let notes = folder.path().join("tea.md");
    std::fs::write(&notes, "# Tea\n\nGreen tea is brewed at 80 °C. Black tea needs boiling water.\n")?;
    let engine = Engine::create(folder.path().join(".okno"))?;
    engine.index(&[notes])?;

    let query = Query::new("How hot should water for black tea be?");
    let models: [Option<&dyn Generator>; 2] = [None, Some(&Canned)];
    for model in models {
        println!("{}:", model.map_or("without a model", Generator::identity));
        // Text is told as soon as it is checked; a citation of a context that was not found is removed.
        let mut on = |event: Event<'_>| {
            if let Event::Text(text) = event {
                print!("{text}");
            }
            ControlFlow::Continue(())
        };
        let reply = reply(engine.search(&query)?, model, &ReplyOptions::default(), &mut on)?;
        println!();
        for citation in &reply.citations {
            println!("  [{}] {}, line {}: {}", citation.number, citation.document, citation.lines.0, citation.text);
        }
        println!("  {} citations removed\n", reply.removed);
    }
    Ok(())
}
