//! An index on a server, whatever the engine: everything but the calls and the expressions of the engine itself.
//!
//! [`RemoteStore`] keeps the promises of [`okno::store`] on an engine that shards and replicates: everything – units,
//! texts, structure, the manifest – lives there, so any number of processes share one index. A [`StoreDriver`] makes
//! the calls of one engine.
//!
//! ```text
//! units       one row per unit: a dense vector, its terms, and whose it is
//! documents   text, structure, record and vectors of each document, in parts of bounded size
//! ledger      the head of each generation, files, removals, images, document frequencies, the writer's lock
//! ```
//!
//! *Scales are materialised.* An engine cannot sum neighbours, so sentences, windows and paragraphs are rows of their
//! own (`units`). *A generation is one row*: a commit first writes everything it adds and then the head that names it,
//! and a search asks only for documents that its head holds (`state`). Filters and permissions are checked by the
//! engine where its driver can ([`StoreDriver::checks_fields`]): rows hold the fields of their documents as tokens
//! (`fields`), with prefixes of them where it can only ask for equal ones (`prefixes`). Elsewhere they become numbers
//! of documents, and of people's words nothing enters a condition (`conditions`).

// Engines know signed numbers only; ours stay far below their end.
#![allow(clippy::cast_possible_wrap)]

mod address;
mod backoff;
#[cfg(feature = "contracts")]
pub mod beside;
mod cache;
mod conditions;
mod documents;
mod driver;
mod failure;
mod fields;
mod filters;
mod frequencies;
mod images;
mod layers;
mod ledger;
mod lock;
mod meter;
mod numbers;
mod once;
mod pack;
mod pins;
mod prefixes;
mod search;
mod sending;
mod snapshot;
mod state;
mod store;
#[cfg(feature = "contracts")]
#[allow(clippy::missing_panics_doc)]
pub mod suite;
mod tidy;
mod units;
mod unmade;
mod writer;

pub use address::{AddressError, AddressFlaw, AddressParts, is_name};
pub use backoff::{Backoff, read_version};
pub use conditions::{RowCondition, RunLimits, visible, within};
pub use driver::{
    AskedTerm, Columns, Lookup, Near, Nearest, RemoteTable, StoreDriver, UnitBatch, UnitQuestion, UnitRow, is_number,
};
pub use failure::{DamagedRow, RemoteFailure, damaged, failed};
pub use layers::{LayerCode, MADE, partition};
pub use meter::{Meter, Traffic};
pub use numbers::Numbers;
pub use prefixes::{covering, is_told, with_prefixes};
pub use store::RemoteStore;
pub use units::{Dimension, NO_TERM, TermCounts, saturated};
