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

use serde::{Serialize, Serializer};
use std::fmt;
use std::path::PathBuf;

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

/// The same in every language.
macro_rules! displayed {
    ($($type:ty),*) => {$(
        impl Word for $type {
            fn word(&self, _: Lang) -> String {
                self.to_string()
            }
        }
    )*};
}

displayed!(String, &'static str, char, bool, u8, u16, u32, u64, usize, i32, i64, f32, f64, serde_json::Error);
displayed!(std::net::IpAddr);

impl Word for PathBuf {
    fn word(&self, _: Lang) -> String {
        self.display().to_string()
    }
}

impl<W: Word + ?Sized> Word for Box<W> {
    fn word(&self, lang: Lang) -> String {
        (**self).word(lang)
    }
}

impl<W: Word + ?Sized> Word for std::sync::Arc<W> {
    fn word(&self, lang: Lang) -> String {
        (**self).word(lang)
    }
}

/// Nothing where there is none.
impl<W: Word> Word for Option<W> {
    fn word(&self, lang: Lang) -> String {
        self.as_ref().map(|word| word.word(lang)).unwrap_or_default()
    }
}

/// A list of literals: `` `a`, `b` ``.
impl Word for Vec<String> {
    fn word(&self, lang: Lang) -> String {
        format!("`{}`", self.join(between_literals(lang)))
    }
}

/// A list of literals: `` `a`, `b` ``.
impl Word for &'static [&'static str] {
    fn word(&self, lang: Lang) -> String {
        format!("`{}`", self.join(between_literals(lang)))
    }
}

fn between_literals(lang: Lang) -> &'static str {
    match lang {
        Lang::En => "`, `",
        Lang::Zh => "`、`",
    }
}

/// Literals of which one is meant: `` `a` or `b` ``.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnyOf(pub Vec<String>);

impl Word for AnyOf {
    fn word(&self, lang: Lang) -> String {
        let separator = match lang {
            Lang::En => "` or `",
            Lang::Zh => "` 或 `",
        };
        format!("`{}`", self.0.join(separator))
    }
}

/// A number of seconds.
impl Word for std::time::Duration {
    fn word(&self, _: Lang) -> String {
        format!("{} s", self.as_secs_f32())
    }
}

/// A size in bytes, written in the unit that fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

impl Word for Bytes {
    fn word(&self, _: Lang) -> String {
        self.to_string()
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [("GiB", 1u64 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
        let Some((unit, size)) = units.into_iter().find(|(_, size)| self.0 >= *size) else {
            return write!(f, "{} B", self.0);
        };
        // Rounded up, so that what is over a limit never reads as the limit itself.
        let tenths = (u128::from(self.0) * 10).div_ceil(u128::from(size));
        match tenths % 10 {
            0 => write!(f, "{} {unit}", tenths / 10),
            rest => write!(f, "{}.{rest} {unit}", tenths / 10),
        }
    }
}

/// The end of a message about an unknown name: the nearest known ones, or nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DidYouMean(pub Vec<String>);

impl Word for DidYouMean {
    fn word(&self, lang: Lang) -> String {
        match (self.0.is_empty(), lang) {
            (true, _) => String::new(),
            (false, Lang::En) => format!("; did you mean {}?", self.0.word(lang)),
            (false, Lang::Zh) => format!(";是否指 {}?", self.0.word(lang)),
        }
    }
}

/// What the operating system says; in Chinese by the error's number, because the system's own words follow its own
/// locale.
impl Word for std::io::Error {
    fn word(&self, lang: Lang) -> String {
        in_language(lang, self.raw_os_error(), self.kind()).map_or_else(|| self.to_string(), str::to_owned)
    }
}

/// An error of the operating system as a value: it can be cloned and compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IoCause {
    /// What kind of error it is.
    pub kind: std::io::ErrorKind,
    /// The system's number of it.
    pub number: Option<i32>,
    words: String,
}

impl From<&std::io::Error> for IoCause {
    fn from(error: &std::io::Error) -> Self {
        Self { kind: error.kind(), number: error.raw_os_error(), words: error.to_string() }
    }
}

impl From<std::io::Error> for IoCause {
    fn from(error: std::io::Error) -> Self {
        Self::from(&error)
    }
}

impl From<std::io::ErrorKind> for IoCause {
    fn from(kind: std::io::ErrorKind) -> Self {
        Self { kind, number: None, words: kind.to_string() }
    }
}

impl fmt::Display for IoCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

impl std::error::Error for IoCause {}

impl Word for IoCause {
    fn word(&self, lang: Lang) -> String {
        in_language(lang, self.number, self.kind).map_or_else(|| self.words.clone(), str::to_owned)
    }
}

fn in_language(lang: Lang, number: Option<i32>, kind: std::io::ErrorKind) -> Option<&'static str> {
    use std::io::ErrorKind::{IsADirectory, NotFound, PermissionDenied, StorageFull};
    match (lang, number, kind) {
        (Lang::Zh, Some(number), _) if cfg!(unix) => system(number),
        (Lang::Zh, None, NotFound) => system(2),
        (Lang::Zh, None, PermissionDenied) => system(13),
        (Lang::Zh, None, IsADirectory) => system(21),
        (Lang::Zh, None, StorageFull) => system(28),
        _ => None,
    }
}

/// Numbers that Linux and macOS share, and the two that differ but mean one thing.
fn system(number: i32) -> Option<&'static str> {
    Some(match number {
        1 => "不允许该操作",
        2 => "没有这个文件或文件夹",
        5 => "读写设备出错",
        13 => "没有权限",
        17 => "已存在",
        20 => "不是文件夹",
        21 => "是文件夹",
        24 => "打开的文件太多",
        28 => "磁盘已满",
        30 => "磁盘是只读的",
        36 | 63 => "名称太长",
        40 | 62 => "符号链接层数太多",
        98 | 48 => "地址已被占用",
        111 | 61 => "连接被拒绝",
        _ => return None,
    })
}

/// Why a plug-in failed – a loader, an embedder, a language model –, in its own words: a message whose type only the
/// plug-in knows.
///
/// A plug-in with typed errors turns them into reasons; one that only passes on what a service said gives its text,
/// which is the same in every language and has the code `other`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    code: &'static str,
    english: String,
    chinese: String,
}

impl Reason {
    /// The reason that a message gives.
    pub fn of(message: &(impl Message + ?Sized)) -> Self {
        Self { code: message.code(), english: message.text(Lang::En), chinese: message.text(Lang::Zh) }
    }

    /// A reason in both languages.
    pub fn new(code: &'static str, english: impl Into<String>, chinese: impl Into<String>) -> Self {
        Self { code, english: english.into(), chinese: chinese.into() }
    }
}

impl From<String> for Reason {
    fn from(words: String) -> Self {
        Self { code: "other", chinese: words.clone(), english: words }
    }
}

impl From<&str> for Reason {
    fn from(words: &str) -> Self {
        words.to_owned().into()
    }
}

impl Message for Reason {
    fn code(&self) -> &'static str {
        self.code
    }

    fn text(&self, lang: Lang) -> String {
        match lang {
            Lang::En => self.english.clone(),
            Lang::Zh => self.chinese.clone(),
        }
    }
}

impl Word for Reason {
    fn word(&self, lang: Lang) -> String {
        self.text(lang)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.english)
    }
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.english)
    }
}

/// An error of a library whose types are nobody else's business, as the source of one that has a kind.
#[derive(Debug)]
pub struct Opaque(Box<dyn std::error::Error + Send + Sync>);

impl Opaque {
    /// Hides an error's type.
    pub fn new(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(error.into())
    }
}

impl fmt::Display for Opaque {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Opaque {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

impl Word for Opaque {
    fn word(&self, _: Lang) -> String {
        self.to_string()
    }
}

/// Whether codes are in `snake_case` and none is there twice: every enum of [`messages!`](crate::messages) asks this
/// when it is compiled.
#[must_use]
pub const fn are_codes(codes: &[&str]) -> bool {
    let mut at = 0;
    while at < codes.len() {
        if !is_snake_case(codes[at].as_bytes()) {
            return false;
        }
        let mut other = at + 1;
        while other < codes.len() {
            if is_same(codes[at].as_bytes(), codes[other].as_bytes()) {
                return false;
            }
            other += 1;
        }
        at += 1;
    }
    true
}

const fn is_snake_case(code: &[u8]) -> bool {
    let mut at = 0;
    while at < code.len() {
        if !(code[at].is_ascii_lowercase() || code[at].is_ascii_digit() || code[at] == b'_') {
            return false;
        }
        at += 1;
    }
    !code.is_empty() && code[0].is_ascii_lowercase() && code[code.len() - 1] != b'_'
}

const fn is_same(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

/// Declares an enum whose variants are messages: a stable code, an English and a Chinese sentence each.
///
/// Fields are named in the sentences by their names, the value of `Name(Type) = "code" => …` is `{0}`; each type
/// implements
/// [`Word`]. A variant `Name(Type)` without code and sentences wraps another message and speaks as that one does; it
/// also gives `From<Type>`. A field that is called `source` is the error's source.
///
/// The enum implements [`Message`], [`Word`], `Display` (English) and `std::error::Error`, becomes a [`Reason`] where
/// one is wanted, and has its codes in `CODES`. Codes that are not in `snake_case`, or there twice, do not compile.
#[macro_export]
macro_rules! messages {
    (
        $(#[$outer:meta])*
        $vis:vis enum $name:ident {
            $(
                $(#[$meta:meta])*
                $variant:ident
                $( { $( $(#[$field_meta:meta])* $field:ident : $type:ty ),* $(,)? } )?
                $( ( $inner:ty ) )?
                $( = $code:literal => ( $en:literal, $zh:literal $(,)? ) )?
            ),* $(,)?
        }
    ) => {
        $(#[$outer])*
        $vis enum $name {
            $( $(#[$meta])* $variant $( { $( $(#[$field_meta])* $field: $type ),* } )? $( ($inner) )? ),*
        }

        #[allow(dead_code)]
        impl $name {
            /// Every code of this type's own; those of messages inside are their types'.
            pub const CODES: &'static [&'static str] = &[ $( $( $code, )? )* ];
        }

        const _: () = assert!($crate::message::are_codes($name::CODES), "codes are in snake_case, each once");

        impl $crate::message::Message for $name {
            #[allow(unused_variables)]
            fn code(&self) -> &'static str {
                match self {
                    $( $crate::messages!(@pattern $variant $( { $($field),* } )? $( ($inner) inner )?) =>
                        $crate::messages!(@code $( ($inner) inner )? $( $code )?) ),*
                }
            }

            fn text(&self, lang: $crate::message::Lang) -> String {
                match self {
                    $( $crate::messages!(@bound $variant $( { $($field),* } )? $( ($inner) inner )?) =>
                        $crate::messages!(@text lang; $( { $($field),* } )? $( ($inner) inner )? $( ($en, $zh) )?) ),*
                }
            }
        }

        impl $crate::message::Word for $name {
            fn word(&self, lang: $crate::message::Lang) -> String {
                $crate::message::Message::text(self, lang)
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(&$crate::message::Message::text(self, $crate::message::Lang::En))
            }
        }

        impl ::std::error::Error for $name {
            #[allow(unused_variables)]
            fn source(&self) -> Option<&(dyn ::std::error::Error + 'static)> {
                match self {
                    $( $crate::messages!(@bound $variant $( { $($field),* } )? $( ($inner) inner )?) =>
                        $crate::messages!(@source $( $($field $field)* )?) ),*
                }
            }
        }

        impl From<$name> for $crate::message::Reason {
            fn from(message: $name) -> Self {
                Self::of(&message)
            }
        }

        $( $crate::messages!(@from $name $variant $( ($inner) )? $( $code )?); )*
    };
    (@pattern $variant:ident { $($field:ident),* }) => { Self::$variant { .. } };
    (@pattern $variant:ident ($type:ty) $inner:ident) => { Self::$variant($inner) };
    (@pattern $variant:ident) => { Self::$variant };
    (@bound $variant:ident { $($field:ident),* }) => { Self::$variant { $($field),* } };
    (@bound $variant:ident ($type:ty) $inner:ident) => { Self::$variant($inner) };
    (@bound $variant:ident) => { Self::$variant };
    (@code ($type:ty) $inner:ident) => { $crate::message::Message::code($inner) };
    (@code ($type:ty) $inner:ident $code:literal) => { $code };
    (@code $code:literal) => { $code };
    (@text $lang:ident; ($type:ty) $inner:ident) => { $crate::message::Message::text($inner, $lang) };
    (@text $lang:ident; ($type:ty) $inner:ident ($en:literal, $zh:literal)) => {{
        let inner = $crate::message::Word::word($inner, $lang);
        match $lang {
            $crate::message::Lang::En => format!($en, inner),
            $crate::message::Lang::Zh => format!($zh, inner),
        }
    }};
    (@text $lang:ident; { $($field:ident),* } ($en:literal, $zh:literal)) => {{
        $( #[allow(unused_variables)] let $field = $crate::message::Word::word($field, $lang); )*
        match $lang {
            $crate::message::Lang::En => format!($en),
            $crate::message::Lang::Zh => format!($zh),
        }
    }};
    (@text $lang:ident; ($en:literal, $zh:literal)) => {
        match $lang {
            $crate::message::Lang::En => $en.to_owned(),
            $crate::message::Lang::Zh => $zh.to_owned(),
        }
    };
    (@source $own:ident source $($rest:ident)*) => { Some($own) };
    (@source $own:ident $other:ident $($rest:ident)*) => { $crate::messages!(@source $($rest)*) };
    (@source) => { None };
    (@from $name:ident $variant:ident ($inner:ty)) => {
        impl From<$inner> for $name {
            fn from(inner: $inner) -> Self {
                Self::$variant(inner)
            }
        }
    };
    (@from $($other:tt)*) => {};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rounded_up_to_a_tenth() {
        let said =
            [0, 1023, 1024, 1025, 1 << 20, (1 << 20) + 1, 64 << 20, 3 << 30].map(|bytes| Bytes(bytes).to_string());
        assert_eq!(said, ["0 B", "1023 B", "1 KiB", "1.1 KiB", "1 MiB", "1.1 MiB", "64 MiB", "3 GiB"]);
    }

    crate::messages! {
        /// Inner.
        #[derive(Debug)]
        enum Inner {
            /// A name.
            Unknown { name: String, near: DidYouMean } = "unknown" => ("no recipe `{name}`{near}", "没有方案 `{name}`{near}"),
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
            At { line: usize, reason: Inner } = "at" => ("line {line}: {reason}", "第 {line} 行:{reason}"),
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
        assert_eq!(at.text(Lang::Zh), "第 3 行:没有方案 `x`;是否指 `auto`?");
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

    #[test]
    fn the_systems_errors_are_values() {
        let cause = IoCause::from(std::io::Error::from(std::io::ErrorKind::PermissionDenied));
        assert_eq!((cause.clone(), cause.word(Lang::Zh).as_str()), (cause, "没有权限"));
    }
}
