//! The same index on Milvus, for corpora beyond one machine.
//!
//! [`MilvusStore`] keeps the promises of [`okno::store`] on an engine that shards and replicates:
//! everything – units, texts, structure, the manifest – lives there, so any number of processes share one index.
//!
//! ```text
//! NAME             one row per unit: a dense vector, a sparse one, and whose it is; a partition per layer
//! NAME_documents   text, structure, record and vectors of each document, in parts of bounded size
//! NAME_ledger      the head of each generation, files, removals, images, document frequencies, the writer's lock
//! ```
//!
//! *Scales are materialised.* Milvus cannot sum neighbours, so sentences, windows and paragraphs are rows of their own
//! (`units`). *BM25 is ours*: terms become dimensions of a sparse vector, weighed when a document is put; how rare a
//! term is stands in the question's vector (`frequencies`). *A generation is one row*: a commit first writes
//! everything it adds and then the head that names it, and a search asks only for documents that its head holds
//! (`state`). Of people's words nothing ever enters an expression, only numbers (`expression`).

// Milvus knows signed numbers only; ours stay far below their end.
#![allow(clippy::cast_possible_wrap)]

mod address;
mod cache;
mod client;
mod documents;
mod expression;
mod failure;
mod filters;
mod frequencies;
mod images;
mod layers;
mod ledger;
mod lock;
mod numbers;
mod pack;
mod pins;
mod retry;
mod schema;
mod search;
mod sending;
mod snapshot;
mod state;
mod store;
mod tidy;
mod units;
mod unmade;
mod writer;

pub use address::{Address, AddressError, AddressFlaw, DenseIndex};
pub use client::{Meter, Traffic};
pub use failure::{DamagedRow, MilvusFailure};
pub use store::MilvusStore;
