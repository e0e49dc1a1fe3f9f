//! The same index on an OpenSearch cluster, for corpora beyond one machine.
//!
//! Rows, generations and caches are those of [`okno_remote`]; here are the calls and queries of OpenSearch. Each layer
//! has two fields of its own in the units' index: its terms as tokens, which the engine ranks by BM25 with our k1 and
//! b and the counts and lengths of that field alone, and its vectors as bytes in an HNSW graph. All rankings of a
//! question are one `_multi_search`; rows are written with `_bulk` under ids of ours, so that what is sent twice is
//! there once; what was written is made visible by an explicit refresh before a head names it.

// OpenSearch knows signed numbers only; ours stay far below their end.
#![allow(clippy::cast_possible_wrap)]

mod address;
mod bulk;
mod client;
mod driver;
mod expression;
mod failure;
mod schema;
mod search;

pub use address::{ClusterAddress, Credentials};
pub use failure::ClusterFailure;

use driver::OpenSearchDriver;
use okno::Result;
use okno::store::Manifest;
use okno_remote::{RemoteStore, StoreDriver};
use std::sync::Arc;

/// Opens an index.
pub fn open(address: &ClusterAddress) -> Result<RemoteStore> {
    RemoteStore::open(Arc::new(OpenSearchDriver::connect(address)?))
}

/// Opens an index, or makes an empty one as the manifest says.
pub fn open_or_create(address: &ClusterAddress, manifest: &Manifest) -> Result<RemoteStore> {
    RemoteStore::open_or_create(Arc::new(OpenSearchDriver::connect(address)?), manifest)
}

/// Takes an index away, with everything in it.
pub fn drop_index(address: &ClusterAddress) -> Result<()> {
    OpenSearchDriver::connect(address)?.drop_index()
}
