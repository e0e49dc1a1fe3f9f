//! Where an index is: `milvus://host:19530/name`, and how it is made there where it is not yet.

use okno_remote::{AddressError, AddressFlaw, AddressParts, is_name};
use std::fmt;
use std::str::FromStr;

const SCHEME: &str = "milvus://";
const EXAMPLE: &str = "milvus://host:19530/name";
const SECRETS: &str = "OKNO_MILVUS_TOKEN";
const OPTIONS: &str = "`index=flat|hnsw|auto`, `tls=on|off`, `database=name`";

/// The port Milvus listens on unless told otherwise.
const PORT: u16 = 19530;

/// A collection of a Milvus server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Host and port.
    pub host: String,
    /// The collection; the index has others beside it whose names begin with it.
    pub name: String,
    /// Whether the connection is encrypted: `?tls=on`.
    pub tls: bool,
    /// The database: `?database=…`.
    pub database: Option<String>,
    /// How dense vectors are searched, where the index is made: `?index=hnsw`.
    pub index: DenseIndex,
    /// User and password as `user:password`, or a key. Never part of the address, so that it is in no list of
    /// processes.
    pub token: Option<String>,
}

/// How dense vectors are searched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DenseIndex {
    /// Every vector, exactly.
    #[default]
    Flat,
    /// A graph in memory.
    Hnsw,
    /// What the server thinks best.
    Auto,
}

impl Address {
    /// Whether a text means an index on Milvus.
    pub fn is_meant(text: &str) -> bool {
        text.starts_with(SCHEME)
    }

    /// What the client connects to.
    pub(crate) fn uri(&self) -> String {
        format!("{}://{}", if self.tls { "https" } else { "http" }, self.host)
    }

    fn option(&mut self, key: &str, value: &str) -> Result<(), AddressFlaw> {
        match (key, value) {
            ("tls", "on" | "off") => self.tls = value == "on",
            ("index", "flat") => self.index = DenseIndex::Flat,
            ("index", "hnsw") => self.index = DenseIndex::Hnsw,
            ("index", "auto") => self.index = DenseIndex::Auto,
            ("database", name) if is_name(name) => self.database = Some(name.to_owned()),
            _ => return Err(AddressFlaw::Option { options: OPTIONS }),
        }
        Ok(())
    }
}

fn read(text: &str) -> Result<Address, AddressFlaw> {
    let AddressParts { hosts, name, options } = AddressParts::read(text, SCHEME, PORT, SECRETS)?;
    let [host] = hosts.try_into().map_err(|_| AddressFlaw::Host { secrets: SECRETS })?;
    let (name, index) = (name.to_owned(), DenseIndex::default());
    let mut address = Address { host, name, tls: false, database: None, index, token: None };
    options.into_iter().try_for_each(|(key, value)| address.option(key, value))?;
    Ok(address)
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        read(text).map_err(|flaw| AddressError::Invalid { given: text.to_owned(), flaw, example: EXAMPLE })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "milvus://{}/{}", self.host, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_shown() {
        let address: Address = "milvus://localhost/books?index=hnsw&tls=on&database=lib".parse().unwrap();
        assert_eq!((address.host.as_str(), address.name.as_str()), ("localhost:19530", "books"));
        assert_eq!((address.index, address.tls, address.database.as_deref()), (DenseIndex::Hnsw, true, Some("lib")));
        assert_eq!(address.to_string(), "milvus://localhost:19530/books");
        assert_eq!("milvus://[::1]:1/a".parse::<Address>().unwrap().uri(), "http://[::1]:1");
        assert_eq!("milvus://[::1]/a".parse::<Address>().unwrap().uri(), "http://[::1]:19530");
    }

    #[test]
    fn an_invalid_address_is_refused_with_the_reason() {
        for (text, flaw) in [
            ("http://localhost/a", AddressFlaw::Scheme { scheme: SCHEME }),
            ("milvus://localhost", AddressFlaw::NoName),
            ("milvus://localhost/", AddressFlaw::Name),
            ("milvus://localhost/a b\" or 1==1", AddressFlaw::Name),
            ("milvus://user:secret@localhost/a", AddressFlaw::Host { secrets: SECRETS }),
            ("milvus://localhost:x/a", AddressFlaw::Port),
            ("milvus://one:1,two:2/a", AddressFlaw::Host { secrets: SECRETS }),
            ("milvus://localhost/a?index=magic", AddressFlaw::Option { options: OPTIONS }),
        ] {
            let expected = AddressError::Invalid { given: text.to_owned(), flaw, example: EXAMPLE };
            assert_eq!(text.parse::<Address>(), Err(expected), "{text}");
        }
    }
}
