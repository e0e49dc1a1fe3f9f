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

okno_document::messages! {
    /// Why an address is not valid.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub enum AddressError {
        /// What is wrong, and with which address.
        Invalid {
            /// As it was given.
            given: String,
            /// What is wrong with it.
            flaw: AddressFlaw,
        } = "bad_address" => (
            "`{given}` is not a valid index address: {flaw}; expected `milvus://host:19530/name`",
            "`{given}` 不是有效的索引地址：{flaw}；应类似 `milvus://host:19530/name`"
        ),
    }
}

okno_document::messages! {
    /// What is wrong with an address.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum AddressFlaw {
        /// Another scheme.
        Scheme = "scheme" => ("it does not begin with `milvus://`", "没有以 `milvus://` 开头"),
        /// No name of a collection.
        NoName = "no_name" => ("the name is missing", "缺少名称"),
        /// No host, or one with user and password.
        Host = "host" => (
            "the host is not valid (a key is set in OKNO_MILVUS_TOKEN)",
            "主机无效（密钥请通过 OKNO_MILVUS_TOKEN 设置）"
        ),
        /// A name that Milvus does not accept.
        Name = "name" => (
            "a name consists of letters, digits and `_` and does not begin with a digit",
            "名称只能由字母、数字和 `_` 组成，且不能以数字开头"
        ),
        /// The port.
        Port = "port" => ("the port is not a number", "端口不是数字"),
        /// An unknown option.
        Option = "option" => (
            "the options are `index=flat|hnsw|auto`, `tls=on|off` and `database=name`",
            "可用的选项：`index=flat|hnsw|auto`、`tls=on|off` 和 `database=name`"
        ),
    }
}

impl Address {
    /// Whether a text means an index on Milvus.
    pub fn is_meant(text: &str) -> bool {
        text.starts_with("milvus://")
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
            _ => return Err(AddressFlaw::Option),
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

fn read(text: &str) -> Result<Address, AddressFlaw> {
    let rest = text.strip_prefix("milvus://").ok_or(AddressFlaw::Scheme)?;
    let (place, options) = rest.split_once('?').unwrap_or((rest, ""));
    let (host, name) = place.split_once('/').ok_or(AddressFlaw::NoName)?;
    if host.is_empty() || host.contains(['@', ' ', '\\']) {
        return Err(AddressFlaw::Host);
    }
    if !is_name(name) {
        return Err(AddressFlaw::Name);
    }
    let port = host.rsplit_once(':').filter(|(_, port)| !port.ends_with(']'));
    if port.is_some_and(|(_, port)| port.parse::<u16>().is_err()) {
        return Err(AddressFlaw::Port);
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
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        read(text).map_err(|flaw| AddressError::Invalid { given: text.to_owned(), flaw })
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
            ("http://localhost/a", AddressFlaw::Scheme),
            ("milvus://localhost", AddressFlaw::NoName),
            ("milvus://localhost/", AddressFlaw::Name),
            ("milvus://localhost/a b\" or 1==1", AddressFlaw::Name),
            ("milvus://user:secret@localhost/a", AddressFlaw::Host),
            ("milvus://localhost:x/a", AddressFlaw::Port),
            ("milvus://localhost/a?index=magic", AddressFlaw::Option),
        ] {
            assert_eq!(text.parse::<Address>(), Err(AddressError::Invalid { given: text.to_owned(), flaw }), "{text}");
        }
    }
}
