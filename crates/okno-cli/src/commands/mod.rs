//! One file per command.

pub mod compare;
pub mod config;
pub mod demo;
pub mod embed;
pub mod eval;
pub mod feedback;
pub mod index;
pub mod inspect;
pub mod load;
pub mod questions;
pub mod remove;
pub mod runs;
pub mod search;
pub mod show;
pub mod split;
#[cfg(feature = "sql")]
pub mod sql;
pub mod tune;
pub mod units;
pub mod watch;
