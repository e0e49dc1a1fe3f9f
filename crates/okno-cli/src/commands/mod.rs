//! One file per command.

pub mod ask;
pub mod compare;
pub mod config;
pub mod copy;
pub mod demo;
pub mod derive;
pub mod embed;
pub mod eval;
pub mod feedback;
pub mod index;
pub mod inspect;
pub mod load;
#[cfg(feature = "models")]
pub mod models;
pub mod questions;
pub mod reembed;
pub mod remove;
pub mod runs;
pub mod search;
#[cfg(feature = "serve")]
pub mod serve;
pub mod show;
pub mod split;
#[cfg(feature = "sql")]
pub mod sql;
#[cfg(feature = "sql")]
mod sql_ask;
pub mod tune;
pub mod units;
pub mod watch;
