//! Okno: *index small, return big*.
//!
//! Okno searches over the sentences of your documents, in Chinese and English, and returns the span of source text that
//! answers: exact, no part twice, cited, within a token budget. Everything runs in this process; the embedding model is
//! compiled in.
//!
//! # A tour
//!
//! Index a folder, search it, and answer in words:
//!
//! ```
//! # fn main() -> okno::Result<()> {
//! # let folder = tempfile::tempdir()?;
//! # let notes = folder.path().join("notes");
//! # std::fs::create_dir(&notes)?;
//! # std::fs::write(notes.join("tea.md"), "# Tea\n\nGreen tea is brewed at 80 °C. Black tea needs boiling water.")?;
//! use okno::{Engine, Query};
//!
//! // Makes an index, or opens the one that is there. Indexing again reads only what changed.
//! let engine = Engine::create(folder.path().join(".okno"))?;
//! engine.index(&[notes])?;
//!
//! // A context is a span of one document, with its place in characters, lines and pages.
//! let answer = engine.search(&Query::new("How hot should water for black tea be?"))?;
//! let best = &answer.contexts[0];
//! assert_eq!(best.document, "tea.md");
//! assert!(best.text.contains("Black tea needs boiling water."));
//!
//! // A reply cites the sentences it rests on. With a `Generator` a language model writes it.
//! use okno::answer::{ReplyOptions, reply};
//! let reply = reply(answer, None, &ReplyOptions::default(), &mut |_| std::ops::ControlFlow::Continue(()))?;
//! assert!(reply.text.contains("boiling water"));
//! assert_eq!(reply.citations[0].document, "tea.md");
//! # Ok(())
//! # }
//! ```
//!
//! - [`Query`] says what is asked and how: recipe, budget, filter, expansion. [`retrieve::QueryRequest`] makes one of
//!   what a person or a program wrote.
//! - [`Engine::builder`] takes what is not built in: an [`Embedder`](embed::Embedder), [`Loader`](load::Loader)s, a
//!   [`Reranker`](retrieve::Reranker), a [`Generator`](generate::Generator), an [`ImageReader`](load::ImageReader),
//!   another [`Store`](store::Store), your own [`Recipes`](retrieve::Recipes).
//! - [`Engine::add`] and [`Engine::delete`] keep documents that are not files, by their ids.
//! - [`search_several`] asks several indexes and returns one answer.
//!
//! `examples/` holds a program for each: `search`, `ask`, `custom_loader`, `custom_embedder`. Measuring how well a
//! recipe answers your own questions is the crate `okno-evaluate`.
//!
//! # Modules, in the order in which data flows
//!
//! ```text
//! index:   load → rules → split → enrich → embed → store
//! search:  understand → search (dense, lexical) → fuse → collapse → rerank → expand → merge → budget → contexts
//! then:    contexts → answer
//! ```
//!
//! | module | what it does |
//! |---|---|
//! | [`document`] | the vocabulary: text, spans, blocks, metadata, filters (crate `okno-document`) |
//! | [`load`] | files become text and blocks (crate `okno-load`) |
//! | [`rules`] | adds the metadata that a person's rules say |
//! | [`split`] | text becomes sentences, or any other pieces, as exact spans |
//! | [`enrich`] | texts made about a passage – a table's description, a summary – that are searched in its place |
//! | [`embed`] | texts become vectors |
//! | [`store`] | keeps documents, ranks their sentences by meaning and by words |
//! | [`understand`] | reads filters, dates and a route from a question |
//! | [`retrieve`] | recipes, queries, answers: everything between a question and contexts |
//! | [`generate`] | how language models are asked |
//! | [`answer`] | contexts become an answer in words, with checked citations |
//! | [`config`] | `okno.toml` and the environment become settings |
//! | [`shapes`] | the JSON of results, the same for every interface |
//! | [`parallel`] | work on all cores that waits for networks |
//!
//! # Cargo features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `pdf` | yes | PDF files |
//! | `office` | yes | Office files of every age, `.epub` and XML files, archives |
//! | `mail` | yes | e-mail files |
//! | `fetch` | yes | pages by URL; without it there is no network code |
//! | `contracts` | no | test suites for your own loaders, splitters and stores, and a scripted language model |
//! | `schema` | no | the JSON of results and requests describes itself for `OpenAPI` |
//!
//! Without a format's feature its files are skipped with that reason.

pub mod answer;
pub mod config;
pub mod deadline;
pub mod embed;
mod engine;
pub mod enrich;
pub mod error;
pub mod fetch;
pub mod generate;
mod packed;
pub mod parallel;
pub mod retrieve;
pub mod rules;
pub mod shapes;
pub mod split;
pub mod store;
pub mod text;
pub mod understand;

pub use okno_document as document;
pub use okno_document::message;
pub use okno_load as load;

pub use engine::{
    ADDED_ROOT, AllowList, DocumentSource, Engine, EngineBuilder, ImportReport, IndexOptions, IndexReport, LoadGuard,
    OriginalFile, OriginalLost, Progress, ReembedReport, RepairReport, SOURCE_ROOT, Silent, Skipped, SkippedReason,
    SourceDocument, SourceEntry, search_several,
};
pub use engine::{DeriveOptions, DerivePlan, DeriveProgress, DeriveReport, Maker};
pub use error::{Error, RequestError, Result};
pub use retrieve::{Answer, Context, Query};
