//! Indexes on a Milvus server.

use okno::Error;
use okno::store::{Manifest, Store};
use std::path::Path;

/// The store at an address, created for this manifest if there is none yet.
#[cfg(feature = "milvus")]
pub fn open(given: &Path, create: Option<&Manifest>) -> okno::Result<Box<dyn Store>> {
    use okno::message::Reason;
    use okno_milvus::Address;
    let read = given.to_string_lossy().parse::<Address>();
    let mut address = read.map_err(|error| Error::option(Reason::of(&error)))?;
    address.token = crate::settings::secrets(given).get(TOKEN);
    let opened = match create {
        Some(manifest) => okno_milvus::open_or_create(&address, manifest),
        None => okno_milvus::open(&address),
    };
    Ok(Box::new(opened?))
}

#[cfg(not(feature = "milvus"))]
pub fn open(given: &Path, _: Option<&Manifest>) -> okno::Result<Box<dyn Store>> {
    Err(Error::option(crate::locale::say!(
        "`{}` is on Milvus, which this program was built without; build it with `--features milvus`",
        "`{}` 在 Milvus 上，而本程序编译时没有包含它；请用 `--features milvus` 编译",
        given.display()
    )))
}

/// The name of a server's key, in the environment or in `.env`.
#[cfg(feature = "milvus")]
const TOKEN: &str = "OKNO_MILVUS_TOKEN";
