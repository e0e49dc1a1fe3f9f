//! How values are written inside of messages.

use super::{Lang, Word};
use std::fmt;
use std::path::PathBuf;

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
            (false, Lang::Zh) => format!("；是否指 {}？", self.0.word(lang)),
        }
    }
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
}
