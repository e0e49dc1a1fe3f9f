//! Errors of the operating system, in both languages.

use super::{Lang, Word};
use std::fmt;

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
        let words = match kind {
            // The library says "entity not found".
            std::io::ErrorKind::NotFound => "no such file or folder".to_owned(),
            kind => kind.to_string(),
        };
        Self { kind, number: None, words }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_systems_errors_are_values() {
        let cause = IoCause::from(std::io::Error::from(std::io::ErrorKind::PermissionDenied));
        assert_eq!((cause.clone(), cause.word(Lang::Zh).as_str()), (cause, "没有权限"));
    }
}
