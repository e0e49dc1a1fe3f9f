//! The same index on Milvus, for corpora beyond one machine.
//!
//! Rows, generations and caches are those of [`okno_remote`]; here are the calls and expressions of Milvus. A layer is
//! a partition. *BM25 is ours*: terms become dimensions of a sparse vector, weighed when a document is put; how rare a
//! term is stands in the question's vector.

// Milvus knows signed numbers only; ours stay far below their end.
#![allow(clippy::cast_possible_wrap)]

mod address;
mod client;
mod driver;
mod expression;
mod failure;
mod retry;
mod rows;
mod schema;

pub use address::{Address, DenseIndex};
pub use failure::MilvusFailure;

use driver::MilvusDriver;
use okno::Result;
use okno::store::Manifest;
use okno_remote::{RemoteStore, StoreDriver};
use std::sync::Arc;

/// Opens an index.
pub fn open(address: &Address) -> Result<RemoteStore> {
    RemoteStore::open(Arc::new(MilvusDriver::connect(address)?))
}

/// Opens an index, or makes an empty one as the manifest says.
pub fn open_or_create(address: &Address, manifest: &Manifest) -> Result<RemoteStore> {
    RemoteStore::open_or_create(Arc::new(MilvusDriver::connect(address)?), manifest)
}

/// Takes an index away, with everything in it.
pub fn drop_index(address: &Address) -> Result<()> {
    MilvusDriver::connect(address)?.drop_index()
}
