//! What a person is told about an error.

mod advice;

pub use advice::{of_file, of_skipped};

use crate::locale::{language, say};
use crate::output;
use okno::embed::EmbedError;
use okno::generate::GenerateError;
use okno::generate::structured::Unusable;
use okno::load::SkipReason;
use okno::message::{Message, Word};

/// A message in the language of this run.
pub fn text(message: &impl Message) -> String {
    message.text(language())
}

/// The causes from the outside in, as `questions.jsonl:3: no document has the field …`; an error of the engine names
/// its own causes.
pub fn message(error: &anyhow::Error) -> String {
    let mut parts = Vec::new();
    for cause in error.chain() {
        if let Some(own) = cause.downcast_ref::<okno::Error>() {
            parts.push(advice::of_engine(own));
            break;
        }
        if let Some(own) = cause.downcast_ref::<okno_evaluate::Error>() {
            parts.push(advice::of_evaluation(own));
            break;
        }
        #[cfg(feature = "sql")]
        if let Some(own) = cause.downcast_ref::<okno_sql::Error>() {
            parts.push(text(own));
            break;
        }
        #[cfg(feature = "serve")]
        if let Some(own) = cause.downcast_ref::<okno_server::ServeError>() {
            parts.push(advice::of_server(own));
            break;
        }
        #[cfg(feature = "serve")]
        if let Some(own) = cause.downcast_ref::<okno_server::KeysError>() {
            parts.push(text(own));
            break;
        }
        #[cfg(feature = "models")]
        if let Some(own) = cause.downcast_ref::<okno_models::Error>() {
            parts.push(advice::of_models(own));
            break;
        }
        parts.push(inner(cause));
    }
    parts.join(": ")
}

/// An error inside of another, in the language of this run where it is known.
fn inner(cause: &(dyn std::error::Error + 'static)) -> String {
    if let Some(io) = cause.downcast_ref::<std::io::Error>() {
        return io.word(language());
    }
    if let Some(reason) = cause.downcast_ref::<SkipReason>() {
        return of_file(reason);
    }
    if let Some(unusable) = cause.downcast_ref::<Unusable>() {
        return text(&unusable.why);
    }
    match (cause.downcast_ref::<EmbedError>(), cause.downcast_ref::<GenerateError>()) {
        (Some(embedding), _) => text(embedding),
        (_, Some(generating)) => text(generating),
        _ => cause.to_string(),
    }
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
