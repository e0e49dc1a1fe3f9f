//! Why a file was skipped, in the language of the run.

use crate::locale::{Language, language};
use okno::load::reason_in_chinese;

/// The reason in the language of this run; what has no Chinese sentence stays English.
pub fn shown(reason: &str) -> String {
    match language() {
        Language::En => reason.to_owned(),
        Language::Zh => reason_in_chinese(reason).unwrap_or_else(|| reason.to_owned()),
    }
}
