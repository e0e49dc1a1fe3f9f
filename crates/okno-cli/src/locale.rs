//! Chinese or English: one choice per run, by `--lang`, else by the locale.

pub use okno_document::message::Lang;

use clap::ValueEnum;
use std::ffi::OsString;
use std::sync::OnceLock;

/// A language by its name on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LangName {
    /// English
    En,
    /// Chinese (中文)
    Zh,
}

impl From<LangName> for Lang {
    fn from(name: LangName) -> Self {
        match name {
            LangName::En => Self::En,
            LangName::Zh => Self::Zh,
        }
    }
}

static CHOSEN: OnceLock<Lang> = OnceLock::new();

/// The language that `--lang` names, read before the command line is: its errors are told in that language.
pub fn named_in(arguments: &[OsString]) -> Option<Lang> {
    let mut words = arguments.iter().map(|word| word.to_string_lossy()).take_while(|word| word != "--");
    let value = words.find_map(|word| match word.strip_prefix("--lang") {
        Some("") => Some(None),
        Some(rest) => rest.strip_prefix('=').map(|value| Some(value.to_owned())),
        None => None,
    })?;
    let value = value.or_else(|| words.next().map(std::borrow::Cow::into_owned))?;
    LangName::from_str(&value, false).ok().map(Lang::from)
}

/// Sets the language for this run.
pub fn choose(language: Option<Lang>) {
    // Set once, at the start of `main`; a second call would change nothing.
    let _ = CHOSEN.set(language.unwrap_or_else(from_environment));
}

fn from_environment() -> Lang {
    let value = ["LC_ALL", "LC_MESSAGES", "LANG"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    if value.is_some_and(|value| value.starts_with("zh")) { Lang::Zh } else { Lang::En }
}

/// The language of this run.
pub fn language() -> Lang {
    *CHOSEN.get_or_init(from_environment)
}

/// The text in the language of this run.
macro_rules! say {
    ($en:literal, $zh:literal $(, $argument:expr)* $(,)?) => {
        match $crate::locale::language() {
            $crate::locale::Lang::En => format!($en $(, $argument)*),
            $crate::locale::Lang::Zh => format!($zh $(, $argument)*),
        }
    };
}
pub(crate) use say;
