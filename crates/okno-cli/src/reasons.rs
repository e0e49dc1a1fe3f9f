//! Why something could not be done, in the language of the run.

use crate::locale::{Language, language};
use okno::reasons::in_chinese;

/// The reason in the language of this run; what has no Chinese sentence stays English.
pub fn shown(reason: &str) -> String {
    match language() {
        Language::En => reason.to_owned(),
        Language::Zh => in_chinese(reason),
    }
}
