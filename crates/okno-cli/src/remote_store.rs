//! Indexes on a server: Milvus or OpenSearch, as far as this program was built with them.

use okno::Error;
use okno::store::{Manifest, Store};
use std::path::Path;

/// The store at an address, created for this manifest if there is none yet.
pub fn open(given: &Path, create: Option<&Manifest>) -> okno::Result<Box<dyn Store>> {
    if given.to_string_lossy().starts_with("milvus://") {
        on_milvus(given, create)
    } else {
        on_opensearch(given, create)
    }
}

#[cfg(feature = "milvus")]
fn on_milvus(given: &Path, create: Option<&Manifest>) -> okno::Result<Box<dyn Store>> {
    let read = given.to_string_lossy().parse::<okno_milvus::Address>();
    let mut address = read.map_err(|error| Error::option(okno::message::Reason::of(&error)))?;
    address.token = crate::settings::secrets(given).get("OKNO_MILVUS_TOKEN");
    let opened = match create {
        Some(manifest) => okno_milvus::open_or_create(&address, manifest),
        None => okno_milvus::open(&address),
    };
    Ok(Box::new(opened?))
}

#[cfg(not(feature = "milvus"))]
fn on_milvus(given: &Path, _: Option<&Manifest>) -> okno::Result<Box<dyn Store>> {
    Err(Error::option(crate::locale::say!(
        "`{}` is on Milvus, which this program was built without; build it with `--features milvus`",
        "`{}` 在 Milvus 上，而本程序编译时没有包含它；请用 `--features milvus` 编译",
        given.display()
    )))
}

#[cfg(feature = "opensearch")]
fn on_opensearch(given: &Path, create: Option<&Manifest>) -> okno::Result<Box<dyn Store>> {
    use okno_opensearch::{ClusterAddress, Credentials};
    let read = given.to_string_lossy().parse::<ClusterAddress>();
    let mut address = read.map_err(|error| Error::option(okno::message::Reason::of(&error)))?;
    let secrets = crate::settings::secrets(given);
    let user = || Some((secrets.get("OKNO_OPENSEARCH_USER")?, secrets.get("OKNO_OPENSEARCH_PASSWORD")?));
    let user = || user().map(|(name, password)| Credentials::User { name, password });
    address.credentials = secrets.get("OKNO_OPENSEARCH_API_KEY").map(Credentials::Key).or_else(user);
    let opened = match create {
        Some(manifest) => okno_opensearch::open_or_create(&address, manifest),
        None => okno_opensearch::open(&address),
    };
    Ok(Box::new(opened?))
}

#[cfg(not(feature = "opensearch"))]
fn on_opensearch(given: &Path, _: Option<&Manifest>) -> okno::Result<Box<dyn Store>> {
    Err(Error::option(crate::locale::say!(
        "`{}` is on OpenSearch, which this program was built without; build it with `--features opensearch`",
        "`{}` 在 OpenSearch 上，而本程序编译时没有包含它；请用 `--features opensearch` 编译",
        given.display()
    )))
}
