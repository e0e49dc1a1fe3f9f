//! Weights and networks: what needs a model runs here.

pub mod service;
