//! Indexes on another machine: an address in place of a folder.

use okno::Error;
use okno::store::{Manifest, Store};
use std::path::Path;

/// Whether an index on a server is meant, and no folder.
pub fn is_meant(given: &Path) -> bool {
    given.to_str().is_some_and(|text| text.starts_with("milvus://"))
}

/// The store at an address, made as the manifest says where there is none yet.
#[cfg(feature = "milvus")]
pub fn store(given: &Path, create: Option<&Manifest>) -> okno::Result<Box<dyn Store>> {
    use okno_milvus::{Address, AddressError, MilvusStore};
    let read = given.to_string_lossy().parse();
    let mut address: Address = read.map_err(|error: AddressError| Error::Options(error.to_string()))?;
    address.token = crate::settings::secrets(given).get(TOKEN);
    let opened = match create {
        Some(manifest) => MilvusStore::open_or_create(&address, manifest),
        None => MilvusStore::open(&address),
    };
    Ok(Box::new(opened?))
}

#[cfg(not(feature = "milvus"))]
pub fn store(given: &Path, _: Option<&Manifest>) -> okno::Result<Box<dyn Store>> {
    Err(Error::Options(crate::locale::say!(
        "`{}` is on Milvus, and this program was built without it – build it with `--features milvus`",
        "`{}` 在 Milvus 上,而本程序编译时没有包含它 —— 请用 `--features milvus` 编译",
        given.display()
    )))
}

/// The name of a server's key, in the environment or in `.env`.
#[cfg(feature = "milvus")]
const TOKEN: &str = "OKNO_MILVUS_TOKEN";

/// English and Chinese beginnings of what a server's errors say; the rest is the server's own words.
const REASONS: [(&str, &str); 4] = [
    (
        "no answer from the server",
        "服务器没有应答 —— 请检查那里的 Milvus 是否在运行、能否连上,然后再运行一次;已提交的内容不会丢失",
    ),
    ("the server is Milvus", "服务器的 Milvus 版本太旧,没有全文检索所需的稀疏向量 —— 请使用 2.4 或更新的版本"),
    ("the server refuses the key", "服务器拒绝了密钥 —— 请设置 OKNO_MILVUS_TOKEN 为 `用户:密码` 或密钥"),
    ("it is damaged", "索引已损坏 —— 请删除它的集合,然后重新建立索引"),
];

/// A reason in Chinese, with the original behind it.
pub fn chinese(reason: &str) -> String {
    let known = REASONS.iter().find(|(english, _)| reason.starts_with(english));
    known.map_or_else(|| reason.to_owned(), |(_, chinese)| format!("{chinese}({reason})"))
}
