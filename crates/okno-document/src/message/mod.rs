//! Messages for people, in English and Chinese, made from typed values.
//!
//! An error or a reason is an enum with data. [`messages!`](crate::messages) declares such an enum together with a
//! stable code and both sentences of every variant, so that none can be added without its Chinese, and nothing ever
//! has to look into a sentence to find out what happened:
//!
//! ```
//! use okno_document::message::{Bytes, Lang, Message};
//!
//! okno_document::messages! {
//!     /// Why a file was skipped.
//!     #[derive(Debug, Clone, PartialEq)]
//!     pub enum Reason {
//!         /// It has no text.
//!         NoText = "no_text" => ("no text", "没有文字"),
//!         /// It is larger than allowed.
//!         TooLarge { /** Its size. */ size: Bytes, /** The limit. */ limit: Bytes } = "too_large" =>
//!             ("{size} is more than the limit of {limit}", "{size} 超过上限 {limit}"),
//!     }
//! }
//!
//! let reason = Reason::TooLarge { size: Bytes(3 << 20), limit: Bytes(2 << 20) };
//! assert_eq!(reason.code(), "too_large");
//! assert_eq!(reason.to_string(), "3 MiB is more than the limit of 2 MiB");
//! assert_eq!(reason.text(Lang::Zh), "3 MiB 超过上限 2 MiB");
//! ```
//!
//! Messages name no flag and no command of a program: which there are, only the program knows. It adds advice of its
//! own, by matching on the value.

mod declare;
mod io;
mod reason;
mod words;

pub use declare::are_codes;
pub use io::IoCause;
pub use reason::{Opaque, Reason};
pub use words::{AnyOf, Bytes, DidYouMean};

/// The language of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Chinese.
    Zh,
}

/// Something that a person is told and a program can branch on.
pub trait Message {
    /// The name of what happened: stable, for programs.
    fn code(&self) -> &'static str;
    /// The sentence in this language.
    fn text(&self, lang: Lang) -> String;
}

/// A part of a message: how a field's value is written in a language.
pub trait Word {
    /// The value as it stands in a sentence of this language.
    fn word(&self, lang: Lang) -> String;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    crate::messages! {
        /// Inner.
        #[derive(Debug)]
        enum Inner {
            /// A name.
            Unknown { name: String, near: DidYouMean } = "unknown" =>
                ("no recipe `{name}`{near}", "没有方案 `{name}`{near}"),
        }
    }

    crate::messages! {
        /// Outer.
        #[derive(Debug)]
        enum Outer {
            /// Nothing.
            Nothing = "nothing" => ("nothing", "无"),
            /// Wrapped.
            Inner(Inner),
            /// A message inside of a message.
            At { line: usize, reason: Inner } = "at" => ("line {line}: {reason}", "第 {line} 行：{reason}"),
            /// The system's error.
            Io { cause: std::io::Error } = "io" => ("{cause}", "{cause}"),
            /// One value.
            Path(PathBuf) = "path" => ("no `{0}`", "没有 `{0}`"),
            /// An error behind it.
            Behind { source: std::io::Error } = "behind" => ("cannot write", "无法写入"),
        }
    }

    #[test]
    fn a_message_inside_of_a_message_keeps_its_language() {
        let inner = || Inner::Unknown { name: "x".into(), near: DidYouMean(vec!["auto".into()]) };
        let at = Outer::At { line: 3, reason: inner() };
        assert_eq!(at.to_string(), "line 3: no recipe `x`; did you mean `auto`?");
        assert_eq!(at.text(Lang::Zh), "第 3 行：没有方案 `x`；是否指 `auto`？");
        assert_eq!(Outer::from(inner()).code(), "unknown");
        assert_eq!(Outer::Nothing.text(Lang::Zh), "无");
        assert_eq!(Outer::Path("a/b".into()).text(Lang::Zh), "没有 `a/b`");
        #[cfg(unix)]
        assert_eq!(Outer::Io { cause: std::io::Error::from_raw_os_error(13) }.text(Lang::Zh), "没有权限");
    }

    #[test]
    fn an_error_has_its_source() {
        use std::error::Error;
        let behind = Outer::Behind { source: std::io::ErrorKind::NotFound.into() };
        assert_eq!(behind.source().map(ToString::to_string).as_deref(), Some("entity not found"));
        assert!(Outer::Nothing.source().is_none());
    }

    #[test]
    fn codes_are_in_snake_case_and_each_once() {
        assert_eq!(Outer::CODES, ["nothing", "at", "io", "path", "behind"]);
        assert!(are_codes(&["a", "too_large", "a2"]));
        for wrong in [&["a", "b", "a"][..], &["Large"], &["too-large"], &[""], &["_a"], &["a_"], &["2a"]] {
            assert!(!are_codes(wrong), "{wrong:?}");
        }
    }

    #[test]
    fn a_reason_keeps_code_and_languages() {
        let reason = Reason::of(&Outer::Nothing);
        assert_eq!(
            (reason.code(), reason.text(Lang::Zh).as_str(), reason.to_string().as_str()),
            ("nothing", "无", "nothing")
        );
        assert_eq!(Reason::from("502: bad gateway").code(), "other");
    }
}
