//! The engine as a Python extension module.
//!
//! `python/okno` is the package that people import: typed Python over this module. What a search found stays in Rust
//! until it is looked at (`found`), because searches are short; other results cross the border as the JSON of
//! [`okno::shapes`], vectors as bytes. What a Python program brings – an embedder, a language model, a reranker – is
//! called through `callables`.

// What Python gives is taken out of its objects by value.
#![allow(clippy::needless_pass_by_value)]

mod callables;
mod engine;
mod failure;
mod found;
mod functions;
mod interrupt;
mod source;

use pyo3::prelude::*;

/// The module `okno._okno`.
#[pymodule(name = "_okno", gil_used = true)]
fn okno_module(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<engine::PythonEngine>()?;
    module.add_class::<found::Found>()?;
    module.add_function(wrap_pyfunction!(functions::load, module)?)?;
    module.add_function(wrap_pyfunction!(functions::split, module)?)?;
    module.add_function(wrap_pyfunction!(functions::embed, module)?)?;
    module.add_function(wrap_pyfunction!(functions::cli, module)?)?;
    Ok(())
}
