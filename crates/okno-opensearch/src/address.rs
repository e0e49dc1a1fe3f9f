//! Where an index is: `opensearch://host:9200,host2:9200/name`, and how it is made there where it is not yet.

use okno_remote::{AddressError, AddressFlaw, AddressParts};
use std::fmt;
use std::str::FromStr;

/// The port OpenSearch listens on unless told otherwise.
const PORT: u16 = 9200;

const SCHEME: &str = "opensearch://";
const EXAMPLE: &str = "opensearch://host:9200,host2:9200/name";
const SECRETS: &str = "OKNO_OPENSEARCH_API_KEY, or OKNO_OPENSEARCH_USER and OKNO_OPENSEARCH_PASSWORD";
const OPTIONS: &str = "`shards=3`, `replicas=1`, `tls=on|off`";

/// Shards of a new index: one for each node of a small cluster.
const SHARDS: u32 = 3;

/// More shards than any sensible cluster has nodes.
const MOST_SHARDS: u32 = 1024;

/// An index on an OpenSearch cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterAddress {
    /// Hosts and ports of nodes; any of them may be away.
    pub hosts: Vec<String>,
    /// The index; it has others beside it whose names begin with it.
    pub name: String,
    /// Whether the connection is encrypted: `?tls=on`.
    pub tls: bool,
    /// Shards of units and documents, where the index is made: `?shards=3`.
    pub shards: u32,
    /// Copies of each shard besides the first, where the index is made: `?replicas=1`. `None`: one, where the cluster
    /// has a second node.
    pub replicas: Option<u32>,
    /// Never part of the address, so that it is in no list of processes.
    pub credentials: Option<Credentials>,
}

/// Who asks.
#[derive(Clone, PartialEq, Eq)]
pub enum Credentials {
    /// A user.
    User {
        /// The name.
        name: String,
        /// The password.
        password: String,
    },
    /// A key.
    Key(String),
}

/// Without what is secret.
impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User { name, .. } => write!(f, "User({name})"),
            Self::Key(_) => write!(f, "Key"),
        }
    }
}

impl ClusterAddress {
    /// Whether a text means an index on OpenSearch.
    pub fn is_meant(text: &str) -> bool {
        text.starts_with(SCHEME)
    }

    fn option(&mut self, key: &str, value: &str) -> Result<(), AddressFlaw> {
        match (key, value, value.parse::<u32>().ok().filter(|number| *number <= MOST_SHARDS)) {
            ("tls", "on" | "off", _) => self.tls = value == "on",
            ("shards", _, Some(shards)) if shards > 0 => self.shards = shards,
            ("replicas", _, Some(replicas)) => self.replicas = Some(replicas),
            _ => return Err(AddressFlaw::Option { options: OPTIONS }),
        }
        Ok(())
    }
}

fn read(text: &str) -> Result<ClusterAddress, AddressFlaw> {
    let AddressParts { hosts, name, options } = AddressParts::read(text, SCHEME, PORT, SECRETS)?;
    if name.starts_with('_') || name.contains(|c: char| c.is_ascii_uppercase()) {
        return Err(AddressFlaw::NameCase);
    }
    let name = name.to_owned();
    let mut address = ClusterAddress { hosts, name, tls: false, shards: SHARDS, replicas: None, credentials: None };
    options.into_iter().try_for_each(|(key, value)| address.option(key, value))?;
    Ok(address)
}

impl FromStr for ClusterAddress {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        read(text).map_err(|flaw| AddressError::Invalid { given: text.to_owned(), flaw, example: EXAMPLE })
    }
}

impl fmt::Display for ClusterAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{SCHEME}{}/{}", self.hosts.join(","), self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_shown() {
        let address: ClusterAddress = "opensearch://one,two:9201/books?tls=on&shards=6&replicas=2".parse().unwrap();
        assert_eq!((address.hosts.join(" "), address.name.as_str()), ("one:9200 two:9201".to_owned(), "books"));
        assert_eq!((address.tls, address.shards, address.replicas), (true, 6, Some(2)));
        assert_eq!(address.to_string(), "opensearch://one:9200,two:9201/books");
    }

    #[test]
    fn an_invalid_address_is_refused_with_the_reason() {
        for (text, flaw) in [
            ("opensearch://one,/a", AddressFlaw::Host { secrets: SECRETS }),
            ("opensearch://user:secret@one/a", AddressFlaw::Host { secrets: SECRETS }),
            ("opensearch://one:x/a", AddressFlaw::Port),
            ("opensearch://one", AddressFlaw::NoName),
            ("opensearch://one/../a", AddressFlaw::Name),
            ("opensearch://one/Books", AddressFlaw::NameCase),
            ("opensearch://one/a?shards=0", AddressFlaw::Option { options: OPTIONS }),
            ("opensearch://one/a?shards=99999999", AddressFlaw::Option { options: OPTIONS }),
        ] {
            let expected = AddressError::Invalid { given: text.to_owned(), flaw, example: EXAMPLE };
            assert_eq!(text.parse::<ClusterAddress>(), Err(expected), "{text}");
        }
    }

    #[test]
    fn secrets_are_not_printed() {
        let credentials = [
            Credentials::User { name: "me".to_owned(), password: "secret".to_owned() },
            Credentials::Key("secret".to_owned()),
        ];
        assert!(!format!("{credentials:?}").contains("secret"));
    }
}
