//! Where an index is: `milvus://host:19530/name`, and how it is made there where it is not yet.

use std::fmt;
use std::str::FromStr;

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
    /// User and password as `user:password`, or a key. Never part of the address, so that it is in no list of processes.
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

/// Why an address could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotAnAddress {
    given: String,
    why: &'static str,
}

impl fmt::Display for NotAnAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { given, why } = self;
        write!(f, "`{given}` is no address of an index: {why} – expected `milvus://host:19530/name`")
    }
}

impl std::error::Error for NotAnAddress {}

impl Address {
    /// Whether a text means an index on Milvus.
    pub fn is_meant(text: &str) -> bool {
        text.starts_with("milvus://")
    }

    /// What the client connects to.
    pub(crate) fn uri(&self) -> String {
        format!("{}://{}", if self.tls { "https" } else { "http" }, self.host)
    }

    fn option(&mut self, key: &str, value: &str) -> Result<(), &'static str> {
        match (key, value) {
            ("tls", "on" | "off") => self.tls = value == "on",
            ("index", "flat") => self.index = DenseIndex::Flat,
            ("index", "hnsw") => self.index = DenseIndex::Hnsw,
            ("index", "auto") => self.index = DenseIndex::Auto,
            ("database", name) if is_name(name) => self.database = Some(name.to_owned()),
            _ => return Err("of options it knows `index=flat|hnsw|auto`, `tls=on|off` and `database=name`"),
        }
        Ok(())
    }
}

/// What Milvus takes as a name.
fn is_name(text: &str) -> bool {
    text.len() <= 200
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn read(text: &str) -> Result<Address, &'static str> {
    let rest = text.strip_prefix("milvus://").ok_or("it begins otherwise")?;
    let (place, options) = rest.split_once('?').unwrap_or((rest, ""));
    let (host, name) = place.split_once('/').ok_or("the name is missing")?;
    if host.is_empty() || host.contains(['@', ' ', '\\']) {
        return Err("the host cannot be read (a key is given by OKNO_MILVUS_TOKEN)");
    }
    if !is_name(name) {
        return Err("a name has letters, digits and `_`, and begins with no digit");
    }
    let port = host.rsplit_once(':').filter(|(_, port)| !port.ends_with(']'));
    if port.is_some_and(|(_, port)| port.parse::<u16>().is_err()) {
        return Err("the port is no number");
    }
    let host = if port.is_some() { host.to_owned() } else { format!("{host}:{PORT}") };
    let (name, index) = (name.to_owned(), DenseIndex::default());
    let mut address = Address { host, name, tls: false, database: None, index, token: None };
    for option in options.split('&').filter(|option| !option.is_empty()) {
        let (key, value) = option.split_once('=').unwrap_or((option, ""));
        address.option(key, value)?;
    }
    Ok(address)
}

impl FromStr for Address {
    type Err = NotAnAddress;

    fn from_str(text: &str) -> Result<Self, NotAnAddress> {
        read(text).map_err(|why| NotAnAddress { given: text.to_owned(), why })
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
    fn what_is_no_address_is_refused_with_the_reason() {
        for (text, why) in [
            ("http://localhost/a", "begins otherwise"),
            ("milvus://localhost", "name is missing"),
            ("milvus://localhost/", "letters, digits"),
            ("milvus://localhost/a b\" or 1==1", "letters, digits"),
            ("milvus://user:secret@localhost/a", "OKNO_MILVUS_TOKEN"),
            ("milvus://localhost:x/a", "port"),
            ("milvus://localhost/a?index=magic", "of options"),
        ] {
            assert!(text.parse::<Address>().unwrap_err().to_string().contains(why), "{text}");
        }
    }
}
