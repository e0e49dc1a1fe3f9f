//! One file per command.

pub mod compare;
pub mod config;
pub mod demo;
pub mod embed;
pub mod index;
pub mod inspect;
pub mod remove;
pub mod search;
pub mod split;
pub mod units;
pub mod watch;
