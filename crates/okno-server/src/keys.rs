//! Named keys: who may do what, and until when.
//!
//! A key is 256 random bits and is shown once, when it is made. The file of keys, beside the index, holds only SHA-256
//! hashes: keys are random, so a hash cannot be turned back by guessing, and needs neither salt nor a slow function.

use okno_document::Date;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};
use subtle::{Choice, ConstantTimeEq};

/// What the holder of a key may do; each role includes the ones before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KeyRole {
    /// Search, ask and read documents.
    Search,
    /// Upload documents.
    Add,
    /// Everything: remove documents, start and stop jobs, read feedback.
    Administer,
}

impl KeyRole {
    /// All roles.
    pub const ALL: [Self; 3] = [Self::Search, Self::Add, Self::Administer];
}

impl fmt::Display for KeyRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Search => "search",
            Self::Add => "add",
            Self::Administer => "administer",
        })
    }
}

/// A key as the file keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedKey {
    /// Its name.
    pub name: String,
    /// What its holder may do.
    pub role: KeyRole,
    /// The SHA-256 of the key, in hexadecimal digits.
    pub sha256: KeyHash,
    /// The day it was made (UTC).
    pub made: KeyDay,
    /// The last day on which it is accepted (UTC); without one, until it is revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<KeyDay>,
    /// The groups of its holder, for documents that are not for everybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<BTreeSet<String>>,
}

impl NamedKey {
    /// Whether its last day is over.
    pub fn is_expired(&self) -> bool {
        self.expires.is_some_and(|last| last < KeyDay::today())
    }
}

/// A day, written `2027-01-31`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct KeyDay(pub Date);

impl KeyDay {
    /// The UTC day of now.
    pub fn today() -> Self {
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        Self(Date::from_unix(seconds.cast_signed()))
    }
}

impl From<KeyDay> for String {
    fn from(day: KeyDay) -> Self {
        day.0.to_string()
    }
}

impl TryFrom<String> for KeyDay {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Date::parse(&text).map(Self).ok_or("expected a day, such as `2027-01-31`")
    }
}

/// The SHA-256 of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct KeyHash([u8; 32]);

impl KeyHash {
    pub(crate) fn of(key: &str) -> Self {
        Self(Sha256::digest(key.as_bytes()).into())
    }

    /// Compares in constant time.
    pub(crate) fn is_same(&self, other: &Self) -> Choice {
        self.0.ct_eq(&other.0)
    }
}

impl From<KeyHash> for String {
    fn from(hash: KeyHash) -> Self {
        hex(&hash.0)
    }
}

impl FromStr for KeyHash {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const WRONG: &str = "expected 64 hexadecimal digits";
        let mut bytes = [0; 32];
        if text.len() != 64 || !text.is_ascii() {
            return Err(WRONG);
        }
        for (byte, at) in bytes.iter_mut().zip((0..).step_by(2)) {
            *byte = u8::from_str_radix(&text[at..at + 2], 16).map_err(|_| WRONG)?;
        }
        Ok(Self(bytes))
    }
}

impl TryFrom<String> for KeyHash {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

okno_document::messages! {
    /// Why the keys cannot be used or changed.
    #[derive(Debug)]
    #[non_exhaustive]
    pub enum KeysError {
        /// The file is not one of keys.
        Unreadable { /** The file. */ path: PathBuf, /** What is wrong with it. */ cause: serde_json::Error } =
            "bad_keys" => (
            "the keys in `{path}` cannot be read: {cause}; correct the file, or delete it and make the keys again",
            "无法读取 `{path}` 中的密钥：{cause}；请更正该文件，或删除后重新生成密钥"
        ),
        /// A name that cannot be a key's.
        Name { /** As it was given. */ name: String } = "bad_key_name" => (
            "`{name}` cannot be the name of a key; expected 1 to 64 letters, digits, `-`, `_` or `.`",
            "`{name}` 不能作为密钥名称；应为 1 至 64 个字母、数字、`-`、`_` 或 `.`"
        ),
        /// A name that another key has.
        Taken { /** The name. */ name: String } = "key_exists" => (
            "there is a key `{name}` already; choose another name, or revoke that key first",
            "已有密钥 `{name}`；请换一个名称，或先撤销该密钥"
        ),
        /// No key has this name.
        Unknown { /** The name. */ name: String, /** Those there are. */ known: Vec<String> } = "no_such_key" =>
            ("no key `{name}`; there are {known}", "没有密钥 `{name}`；现有 {known}"),
        /// The last day is over already.
        Past { /** The day. */ day: String } = "key_day_past" =>
            ("{day} is in the past; choose a later day", "{day} 已经过去；请选择以后的日期"),
        /// Groups for a key that sees everything.
        Groups = "key_groups" => (
            "a key with the role `administer` sees all documents, so it cannot have groups; \
             choose the role `search` or `add`",
            "角色为 `administer` 的密钥可以看到所有文档，因此不能有用户组；请选择角色 `search` 或 `add`"
        ),
        /// The system gives no random numbers.
        NoRandom { /** What it says. */ cause: String } = "no_random" => (
            "the system gives no random numbers: {cause}; try again",
            "系统无法提供随机数：{cause}；请重试"
        ),
        /// The file cannot be read or written.
        Io { /** The file. */ path: PathBuf, /** Why. */ cause: std::io::Error } = "io" => (
            "`{path}`: {cause}; check the folder's permissions",
            "`{path}`：{cause}；请检查文件夹的权限"
        ),
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct KeyList {
    keys: Vec<NamedKey>,
}

/// The file of keys.
#[derive(Debug, Clone)]
pub struct KeyFile {
    path: PathBuf,
}

impl KeyFile {
    /// The file beside an index: `.okno` has `.okno-keys.json`.
    pub fn beside(index: &Path) -> Self {
        let whole = std::path::absolute(index).unwrap_or_else(|_| index.to_owned());
        let name = whole.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        // Hidden: it is no document, even if the folder around it is indexed.
        Self { path: whole.with_file_name(format!(".{}-keys.json", name.trim_start_matches('.'))) }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All keys; `None` where there is no file.
    pub fn read(&self) -> Result<Option<Vec<NamedKey>>, KeysError> {
        let bytes = match fs::read(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            bytes => bytes.map_err(|cause| self.failed(cause))?,
        };
        let list: Result<KeyList, _> = serde_json::from_slice(&bytes);
        list.map(|list| Some(list.keys)).map_err(|cause| KeysError::Unreadable { path: self.path.clone(), cause })
    }

    /// Makes a key and returns it; nobody can read it again later.
    pub fn make(
        &self,
        name: &str,
        role: KeyRole,
        expires: Option<Date>,
        groups: Option<BTreeSet<String>>,
    ) -> Result<String, KeysError> {
        let is_plain = |c: char| c.is_alphanumeric() || "-_.".contains(c);
        if name.is_empty() || name.chars().count() > 64 || !name.chars().all(is_plain) || name == SINGLE_KEY {
            return Err(KeysError::Name { name: name.to_owned() });
        }
        if groups.is_some() && role == KeyRole::Administer {
            return Err(KeysError::Groups);
        }
        let (made, expires) = (KeyDay::today(), expires.map(KeyDay));
        if let Some(day) = expires.filter(|day| *day < made) {
            return Err(KeysError::Past { day: day.into() });
        }
        let mut random = [0; 32];
        getrandom::fill(&mut random).map_err(|cause| KeysError::NoRandom { cause: cause.to_string() })?;
        let key = format!("okno_{}", hex(&random));
        self.change(|keys| {
            if keys.iter().any(|known| known.name == name) {
                return Err(KeysError::Taken { name: name.to_owned() });
            }
            keys.push(NamedKey { name: name.to_owned(), role, sha256: KeyHash::of(&key), made, expires, groups });
            Ok(())
        })?;
        Ok(key)
    }

    /// Takes a key out. The file stays, also without keys: a server then accepts none of them.
    pub fn revoke(&self, name: &str) -> Result<(), KeysError> {
        self.change(|keys| {
            let Some(at) = keys.iter().position(|known| known.name == name) else {
                let known = keys.iter().map(|known| known.name.clone()).collect();
                return Err(KeysError::Unknown { name: name.to_owned(), known });
            };
            keys.remove(at);
            Ok(())
        })
    }

    /// Changes the keys, one process at a time; readers see the old file or the new one.
    fn change(&self, change: impl FnOnce(&mut Vec<NamedKey>) -> Result<(), KeysError>) -> Result<(), KeysError> {
        let lock = private(&self.path.with_extension("lock")).map_err(|cause| self.failed(cause))?;
        lock.lock().map_err(|cause| self.failed(cause))?;
        let mut list = KeyList { keys: self.read()?.unwrap_or_default() };
        change(&mut list.keys)?;
        let draft = self.path.with_extension("json.part");
        let written = || {
            let mut file = private(&draft)?;
            file.set_len(0)?;
            file.write_all(&serde_json::to_vec_pretty(&list)?)?;
            file.sync_all()?;
            fs::rename(&draft, &self.path)
        };
        written().map_err(|cause| self.failed(cause))
    }

    fn failed(&self, cause: std::io::Error) -> KeysError {
        KeysError::Io { path: self.path.clone(), cause }
    }

    /// Which file it is now; changes when it is replaced.
    pub(crate) fn stamp(&self) -> Option<FileStamp> {
        file_stamp(&self.path)
    }
}

/// Which file is at a path now; changes when it is replaced.
pub(crate) fn file_stamp(path: &Path) -> Option<FileStamp> {
    let metadata = fs::metadata(path).ok()?;
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(&metadata);
    #[cfg(not(unix))]
    let number = 0;
    Some((metadata.modified().ok(), metadata.len(), number))
}

pub(crate) type FileStamp = (Option<SystemTime>, u64, u64);

/// A file that only its owner may read.
fn private(path: &Path) -> std::io::Result<fs::File> {
    let mut options = fs::File::options();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// The name of the one key that is given when a server is started.
pub const SINGLE_KEY: &str = "api-key";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_a_key_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = KeyFile::beside(&folder.path().join(".okno"));
        for name in ["", "a b", "a/b", SINGLE_KEY, &"x".repeat(65)] {
            assert!(matches!(file.make(name, KeyRole::Add, None, None), Err(KeysError::Name { .. })), "{name}");
        }
        assert!(matches!(file.make("a", KeyRole::Add, Date::new(2020, 1, 1), None), Err(KeysError::Past { .. })));
        let groups = Some(BTreeSet::from(["hr".to_owned()]));
        assert!(matches!(file.make("a", KeyRole::Administer, None, groups), Err(KeysError::Groups)));
        file.make("a", KeyRole::Add, None, None).unwrap();
        assert!(matches!(file.make("a", KeyRole::Add, None, None), Err(KeysError::Taken { .. })));
        assert!(matches!(file.revoke("b"), Err(KeysError::Unknown { .. })));
        assert_eq!(file.read().unwrap().unwrap().len(), 1);
    }
}
