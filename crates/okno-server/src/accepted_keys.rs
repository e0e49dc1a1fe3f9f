//! The keys that a running server accepts: the one it was started with, and those of the file.
//!
//! With every request it is looked whether the file changed, so that a key that was revoked is refused at once.

use crate::keys::{FileStamp, KeyFile, KeyHash, KeyRole, KeysError, NamedKey, SINGLE_KEY};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use subtle::{Choice, ConditionallySelectable};

/// The keys that a running server accepts.
#[derive(Debug)]
pub struct AcceptedKeys {
    /// The key given when the server was started, which may do everything.
    single: Option<KeyHash>,
    file: Option<KeyFile>,
    /// Whether the server was started with a file of keys: then one is required also when the file is gone.
    began_with_file: bool,
    known: Mutex<(Option<FileStamp>, Arc<[NamedKey]>)>,
}

/// Who sends a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyHolder {
    /// Anybody on this machine: the server asks for no key.
    Anybody,
    /// The holder of a key.
    Named {
        /// The key's name.
        name: String,
        /// What they may do.
        role: KeyRole,
        /// Their groups, where the key has some.
        groups: Option<BTreeSet<String>>,
    },
    /// The holder of a key whose last day is over.
    Expired(NamedKey),
    /// No key, or one that is not accepted.
    Unknown,
}

impl AcceptedKeys {
    /// The keys of a server; fails where the file cannot be read.
    pub fn new(single: Option<&str>, file: Option<KeyFile>) -> Result<Self, KeysError> {
        let keys = file.as_ref().map(KeyFile::read).transpose()?.flatten();
        Ok(Self {
            single: single.map(KeyHash::of),
            began_with_file: keys.is_some(),
            known: Mutex::new((file.as_ref().and_then(KeyFile::stamp), keys.unwrap_or_default().into())),
            file,
        })
    }

    /// Whether there is a key with which the server can be used.
    pub fn is_usable(&self) -> bool {
        self.single.is_some() || self.lock().1.iter().any(|key| !key.is_expired())
    }

    /// Whose key one of these is. All of them are compared, in constant time.
    pub fn holder(&self, given: [Option<&str>; 2]) -> KeyHolder {
        let Some(known) = self.required() else { return KeyHolder::Anybody };
        let (mut single, mut found) = (Choice::from(0), 0_u64);
        for hash in given.map(|key| KeyHash::of(key.unwrap_or_default())) {
            single |= self.single.map_or(Choice::from(0), |own| own.is_same(&hash));
            for (key, number) in known.iter().zip(1..) {
                found.conditional_assign(&number, key.sha256.is_same(&hash));
            }
        }
        if bool::from(single) {
            return KeyHolder::Named { name: SINGLE_KEY.to_owned(), role: KeyRole::Administer, groups: None };
        }
        let found = usize::try_from(found).ok().and_then(|number| number.checked_sub(1)).and_then(|at| known.get(at));
        match found {
            None => KeyHolder::Unknown,
            Some(key) if key.is_expired() => KeyHolder::Expired(key.clone()),
            Some(key) => KeyHolder::Named { name: key.name.clone(), role: key.role, groups: key.groups.clone() },
        }
    }

    /// The named keys as they are now; `None` where no key is required.
    fn required(&self) -> Option<Arc<[NamedKey]>> {
        let Some(file) = &self.file else { return self.single.map(|_| Arc::default()) };
        let now = file.stamp();
        let mut known = self.lock();
        if known.0 != now {
            // A file that cannot be read lets nobody in.
            let keys = file.read().unwrap_or_else(|error| {
                tracing::warn!(%error, "no named key is accepted");
                None
            });
            *known = (now, keys.unwrap_or_default().into());
        }
        let required = self.single.is_some() || self.began_with_file || now.is_some();
        required.then(|| Arc::clone(&known.1))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, (Option<FileStamp>, Arc<[NamedKey]>)> {
        // Both parts are replaced at once.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::KeyDay;
    use std::fs;

    fn name_of(holder: KeyHolder) -> Option<(String, KeyRole)> {
        match holder {
            KeyHolder::Named { name, role, .. } => Some((name, role)),
            _ => None,
        }
    }

    #[test]
    fn keys_are_made_listed_and_revoked_and_a_server_notices_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = KeyFile::beside(&folder.path().join(".okno"));
        let accepted = AcceptedKeys::new(None, Some(file.clone())).unwrap();
        assert_eq!(accepted.holder([None, None]), KeyHolder::Anybody);
        let reader = file.make("reader", KeyRole::Search, None, None).unwrap();
        let admin = file.make("管理员", KeyRole::Administer, Some(KeyDay::today().0), None).unwrap();
        assert!(reader.len() == 69 && reader != admin);
        let stored = fs::read_to_string(file.path()).unwrap();
        assert!(!stored.contains(&reader[5..]) && !stored.contains(&admin[5..]), "{stored}");
        assert_eq!(accepted.holder([None, None]), KeyHolder::Unknown);
        assert_eq!(name_of(accepted.holder([Some(&reader), None])), Some(("reader".into(), KeyRole::Search)));
        assert_eq!(name_of(accepted.holder([None, Some(&admin)])), Some(("管理员".into(), KeyRole::Administer)));
        assert_eq!(accepted.holder([Some(&reader[..68]), Some("")]), KeyHolder::Unknown);
        file.revoke("reader").unwrap();
        assert_eq!(accepted.holder([Some(&reader), None]), KeyHolder::Unknown);
        file.revoke("管理员").unwrap();
        assert_eq!(accepted.holder([Some(&admin), None]), KeyHolder::Unknown);
        fs::remove_file(file.path()).unwrap();
        assert_eq!(accepted.holder([None, None]), KeyHolder::Anybody, "the server began without keys");
    }

    #[test]
    fn expired_keys_and_damaged_files_let_nobody_in() {
        let folder = tempfile::tempdir().unwrap();
        let file = KeyFile::beside(&folder.path().join(".okno"));
        let key = file.make("old", KeyRole::Add, None, None).unwrap();
        let single = AcceptedKeys::new(Some("0123456789abcdef"), Some(file.clone())).unwrap();
        let named = AcceptedKeys::new(None, Some(file.clone())).unwrap();
        assert!(named.is_usable());
        let past =
            fs::read_to_string(file.path()).unwrap().replace("\"made\"", "\"expires\": \"2020-01-31\", \"made\"");
        fs::write(file.path(), past).unwrap();
        assert!(matches!(named.holder([Some(&key), None]), KeyHolder::Expired(own) if own.name == "old"));
        assert!(!named.is_usable());
        fs::write(file.path(), "{\"keys\": [{\"name\": 1}]}").unwrap();
        assert!(matches!(AcceptedKeys::new(None, Some(file.clone())), Err(KeysError::Unreadable { .. })));
        assert_eq!(named.holder([Some(&key), None]), KeyHolder::Unknown);
        assert_eq!(name_of(single.holder([Some("0123456789abcdef"), None])).unwrap().1, KeyRole::Administer);
        fs::remove_file(file.path()).unwrap();
        assert_eq!(named.holder([None, None]), KeyHolder::Unknown, "the server began with keys");
    }
}
