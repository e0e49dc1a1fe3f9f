//! What a person is told about an error.

#[cfg(any(feature = "models", feature = "serve"))]
mod advice;
mod chinese;

pub use chinese::{chinese_layer, reason};

use crate::locale::say;
use crate::output;

/// The causes from the outside in, as `questions.jsonl:3: no document has the field …`; an error of the engine names
/// its own causes.
pub fn message(error: &anyhow::Error) -> String {
    let mut parts = Vec::new();
    for cause in error.chain() {
        if let Some(own) = cause.downcast_ref::<okno::Error>() {
            parts.push(chinese::error(own));
            break;
        }
        if let Some(own) = cause.downcast_ref::<okno_evaluate::Error>() {
            parts.push(chinese::evaluation(own));
            break;
        }
        #[cfg(feature = "serve")]
        if let Some(own) = cause.downcast_ref::<okno_server::ServeError>() {
            parts.push(advice::of_server(own));
            break;
        }
        #[cfg(feature = "models")]
        if let Some(own) = cause.downcast_ref::<okno_models::Error>() {
            parts.push(advice::of_models(own));
            break;
        }
        parts.push(reason(&cause.to_string()));
    }
    parts.join(": ")
}

/// Prints an error; if a filter is to blame, with a caret under the mistake.
pub fn print(error: &anyhow::Error) {
    output::note(&format!("{}{}", say!("error: ", "错误："), message(error)));
    if let Some(caret) = caret(error) {
        output::note(&caret);
    }
}

/// The filter and a caret under the mistake in it, if a filter is to blame.
fn caret(error: &anyhow::Error) -> Option<String> {
    let filter = error.chain().find_map(|cause| match cause.downcast_ref::<okno::Error>()? {
        okno::Error::Filter(error) => Some(error),
        _ => None,
    })?;
    let pointer = filter.pointer();
    Some(format!("  {}\n  {}^", pointer.line, " ".repeat(pointer.column)))
}

/// Returns `true` if standard output was closed, as in `okno search … | head`: nothing failed.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| {
            let io = cause.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
            io.or_else(|| cause.downcast_ref::<serde_json::Error>()?.io_error_kind())
        })
        .any(|kind| kind == std::io::ErrorKind::BrokenPipe)
}
