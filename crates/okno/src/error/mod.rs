//! What can go wrong, as values: each with data, a stable code, and a sentence in English and Chinese.
//!
//! Three families: the caller's input, the outside world, and our own bugs. Messages name the path and what was
//! expected; they name no flag and no command, which only a program knows.

mod backup;
mod config;
mod options;
mod recipe;
mod remote;
mod request;
mod rerank;

pub use backup::BackupError;
pub use config::ConfigError;
pub use options::{Difference, OptionsError};
pub use recipe::{OwnRecipeError, RecipeError};
pub use remote::RemoteError;
pub use request::RequestError;
pub use rerank::RerankError;

use crate::document::{FilterError, LayerError};
use crate::embed::EmbedError;
use crate::generate::GenerateError;
use crate::message::{DidYouMean, IoCause, Lang, Opaque, Reason, Word};
use crate::rules::RulesError;
use std::io::ErrorKind;
use std::path::PathBuf;

okno_document::messages! {
    /// Everything the engine can fail with.
    #[derive(Debug)]
    #[non_exhaustive]
    pub enum Error {
        /// There is no index where one was looked for.
        NoIndex(PathBuf) = "no_index" => ("no index at `{0}`", "“{0}” 里没有索引"),
        /// Another process is writing.
        Locked(PathBuf) = "locked" => (
            "another process is writing to the index at `{0}`; searching works meanwhile; try again when it is done",
            "另一个进程正在写入索引 “{0}”；搜索不受影响；等它结束后再试",
        ),
        /// This process has the index open already.
        AlreadyOpen(PathBuf) = "already_open" => (
            "the index at `{0}` is already open in this process; share one `Engine`",
            "索引 “{0}” 已在本进程中打开；请共用一个 `Engine`",
        ),
        /// The index may be read, but not written to.
        ReadOnly(PathBuf) = "read_only" => (
            "the index at `{0}` is open for reading only; to change it, make its folder and files writable, \
             or copy it to another place",
            "索引 “{0}” 只能读取；要修改它，请让其文件夹和文件可写，或把它复制到别处",
        ),
        /// Another index, or none, is where this one was opened.
        Replaced(PathBuf) = "index_replaced" => (
            "the index at `{0}` was deleted or replaced while it was open; the one that is there now is opened as soon \
             as the running work has ended: try again in a moment",
            "索引 “{0}” 在打开期间被删除或替换；正在进行的工作结束后会打开现有的索引：请稍后重试",
        ),
        /// The folder holds something else.
        NotAnIndex(PathBuf) = "not_an_index" => (
            "`{0}` is a file, or holds files but no index; choose an empty folder",
            "“{0}” 是文件，或里面有别的文件，不是索引；请换一个空文件夹",
        ),
        /// The folder is not empty.
        FolderInUse(PathBuf) = "folder_in_use" => (
            "`{0}` is not empty, and nothing in it is replaced; choose an empty folder",
            "“{0}” 不是空文件夹，其中的内容不会被替换；请换一个空文件夹",
        ),
        /// The index was made by another version.
        Format { /** The index. */ path: PathBuf, /** Its format. */ found: u32, /** Ours. */ expected: u32 } =
            "format" => (
            "the index at `{path}` has format {found}, this program reads format {expected}; \
             index the documents again into a new folder",
            "索引 “{path}” 的格式是 {found}，本程序只读格式 {expected}；请在新文件夹里重新建立索引",
        ),
        /// The index was made with another embedder; mixing vectors would give nonsense.
        Embedder {
            /** The index. */ path: PathBuf,
            /** The embedder it was made with. */ index: String,
            /** The embedder given. */ given: String,
        } = "other_embedder" => (
            "the index at `{path}` was made with embedder `{index}`, not `{given}`; open it with `{index}`, or make \
             its vectors anew",
            "索引 “{path}” 用的嵌入模型是 `{index}`，不是 `{given}`；请用 `{index}` 打开，或重建向量",
        ),
        /// The index does not hold what it must.
        Damaged { /** The index. */ path: PathBuf, /** What is wrong with it. */ what: Damage } = "damaged" => (
            "the index at `{path}` is damaged ({what}); delete the folder and index the documents again",
            "索引 “{path}” 已损坏（{what}）；请删除该文件夹后重新建立索引",
        ),
        /// A backup was not made, or not restored.
        Backup { /** Its file. */ path: PathBuf, /** Why. */ reason: BackupError } = "backup_failed" =>
            ("`{path}`: {reason}", "“{path}”:{reason}"),
        /// A filter could not be read.
        Filter(FilterError),
        /// A question cannot be asked as it was written.
        Request(RequestError),
        /// A filter asks for a field that no document has.
        UnknownField { /** The field asked for. */ field: String,
            /** The nearest ones there are. */ known: DidYouMean } =
            "unknown_field" => ("no document has the field `{field}`{known}", "没有文档有字段 `{field}`{known}"),
        /// A layer could not be read.
        Layer(LayerError),
        /// The recipe's layers are made of derived units, and the index has none of them.
        NoUnits(String) = "no_units" => ("this index has no units of layer `{0}`", "这个索引里没有 `{0}` 层的单元"),
        /// A recipe or one of its parts could not be read.
        Recipe(RecipeError),
        /// An option could not be read.
        Options(OptionsError),
        /// A configuration file or a variable of the environment could not be read.
        Config { /** The file and line, or the variable. */ place: String, /** Why. */ reason: ConfigError } =
            "bad_config" =>
            ("{place}: {reason}", "配置有误 {place}：{reason}"),
        /// A root is not in the index.
        NoRoot { /** The root asked for. */ root: String, /** The roots there are. */ known: Vec<String> } =
            "no_root" =>
            ("`{root}` was not indexed; these were: {known}", "“{root}” 没有被索引过；已索引的有：{known}"),
        /// A document is not in the index.
        NoDocument(String) = "no_document" => ("no document `{0}` in the index", "索引里没有文档 `{0}`"),
        /// A path that was to be indexed cannot be read.
        Unreadable { /** The path. */ path: PathBuf, /** Why. */ cause: IoCause } = "unreadable" => (
            "cannot read `{path}`: {cause}; check that it exists and may be read",
            "无法读取 “{path}”：{cause}；请检查它是否存在、是否可读",
        ),
        /// The embedder failed.
        Embedding { /** Its name. */ name: String, /** Why. */ reason: EmbedError } = "embedding_failed" =>
            ("embedder `{name}`: {reason}", "嵌入模型 `{name}` 出错：{reason}"),
        /// The caller asked to stop; what was committed stays.
        Stopped = "stopped" => ("stopped", "已停止"),
        /// The time of the work is over, or nobody waits for it any more.
        TimedOut = "timed_out" => ("the work took too long and was stopped; ask for less", "耗时过长，已停止；请缩小请求"),
        /// The reranker failed.
        Reranking { /** Its name. */ name: String, /** Why. */ reason: RerankError } = "reranking_failed" =>
            ("reranker `{name}`: {reason}", "重排模型 `{name}` 出错：{reason}"),
        /// The language model failed.
        Generate(GenerateError),
        /// Reading or writing a file failed.
        Io { /** Why. */ cause: std::io::Error } = "io" => ("{cause}", "{cause}"),
        /// A store on another machine failed.
        Remote { /** Its address. */ place: String, /** Why. */ reason: RemoteError } = "remote_failed" =>
            ("the index at `{place}`: {reason}", "索引 “{place}”：{reason}"),
        /// A source of documents could not be read.
        Source { /** Its name. */ name: String, /** Why. */ reason: Reason } = "source_failed" =>
            ("`{name}`: {reason}", "“{name}”:{reason}"),
        /// The key-value store failed.
        KeyValue { /** The index. */ path: PathBuf, /** What kind of failure. */ kind: StorageKind,
            /** Why. */ source: Opaque } =
            "storage_failed" => ("storing in `{path}`: {source}; {kind}", "写入或读取 “{path}” 时出错：{source}；{kind}"),
        /// The lexical index failed.
        Lexical { /** The index. */ path: PathBuf, /** What kind of failure. */ kind: StorageKind,
            /** Why. */ source: Opaque } =
            "lexical_failed" => (
                "the lexical index in `{path}`: {source}; check the disk's free space, then index again: \
                 a damaged one is built again from what is stored",
                "全文索引 “{path}” 出错：{source}；请检查磁盘空间，然后重新索引：损坏的全文索引会由已存的文档重建",
            ),
    }
}

okno_document::messages! {
    /// What is wrong with a damaged index.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Damage {
        /// The file of the key-value store is none.
        NotOurs = "not_an_index_file" => ("`data.mdb` is not an index file", "`data.mdb` 不是索引文件"),
        /// The key-value store found its pages damaged.
        Pages { /** What it says. */ words: String } = "damaged_pages" => ("{words}", "{words}"),
        /// A page of the key-value store's tree.
        Page { /** Its number. */ page: u64 } = "damaged_page" =>
            ("page {page} of `data.mdb` is not what was written", "`data.mdb` 的第 {page} 页与写入时不一致"),
        /// The file of the key-value store is shorter than it says.
        CutShort = "cut_short" => ("`data.mdb` is cut short", "`data.mdb` 不完整"),
        /// One of the tables is not there.
        MissingTable = "missing_table" => ("a table is missing", "缺少数据表"),
        /// There is no manifest.
        NoManifest = "no_manifest" => ("no manifest", "没有清单"),
        /// A value cannot be read.
        Value { /** Its name. */ key: String } = "bad_value" => ("`{key}` cannot be read", "无法读取 `{key}`"),
        /// There is no such document.
        NoNumber { /** The document's number. */ number: u32 } = "no_document_number" =>
            ("no document number {number}", "没有编号为 {number} 的文档"),
        /// A document cannot be read.
        Document { /** Its number. */ number: u32 } = "bad_document" =>
            ("document number {number} is not what was stored", "编号为 {number} 的文档与存入时不一致"),
        /// An image is not what was stored.
        Image { /** Its hash. */ hash: String } = "bad_image" =>
            ("image {hash} is not what was stored", "图片 {hash} 与存入时不一致"),
        /// The state of a file cannot be read.
        File = "bad_file_state" => ("a file's state cannot be read", "无法读取文件的状态"),
        /// Something cannot be packed for storing.
        Packing { /** What the library says. */ words: String } = "packing" => ("{words}", "{words}"),
    }
}

/// What kind of failure of the storage it is, as far as the system says: the end of its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StorageKind {
    /// The disk is full, or reading and writing failed in a way that a full disk looks like.
    DiskFull,
    /// Not permitted.
    Denied,
    /// Anything else.
    Other,
}

impl From<&std::io::Error> for StorageKind {
    fn from(error: &std::io::Error) -> Self {
        // LMDB reports a write that a full disk cut short as a plain input/output error.
        if matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) {
            Self::Denied
        } else {
            Self::DiskFull
        }
    }
}

impl Word for StorageKind {
    fn word(&self, lang: Lang) -> String {
        let (english, chinese) = match self {
            Self::DiskFull => (
                "if the disk is full, free some space and try again; what was committed is safe",
                "如果磁盘已满，请腾出空间后重试；已提交的内容不会丢失",
            ),
            Self::Denied => ("check the folder's permissions", "请检查文件夹的权限"),
            Self::Other => (
                "try again; if it fails again, index the documents into a new folder",
                "请重试；如果仍然失败，请在新文件夹里重新建立索引",
            ),
        };
        match lang {
            Lang::En => english.to_owned(),
            Lang::Zh => chinese.to_owned(),
        }
    }
}

/// What most of the engine returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl From<std::io::Error> for Error {
    fn from(cause: std::io::Error) -> Self {
        Self::Io { cause }
    }
}

impl From<RulesError> for Error {
    fn from(error: RulesError) -> Self {
        OptionsError::from(error).into()
    }
}

impl Error {
    /// An option that a program of its own refuses, in its own words.
    pub fn option(reason: impl Into<Reason>) -> Self {
        Self::Options(OptionsError::Other(reason.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Message;

    #[test]
    fn what_is_inside_speaks_the_language_of_the_whole() {
        let field = Error::UnknownField { field: "yaer".into(), known: DidYouMean(vec!["year".into()]) };
        assert_eq!(field.to_string(), "no document has the field `yaer`; did you mean `year`?");
        assert_eq!(field.text(Lang::Zh), "没有文档有字段 `yaer`；是否指 `year`？");
        let damaged = Error::Damaged { path: "x".into(), what: Damage::Document { number: 7 } };
        assert_eq!((damaged.code(), damaged.text(Lang::Zh).contains("编号为 7")), ("damaged", true));
    }

    #[test]
    fn the_kind_of_a_failure_is_the_systems() {
        let kind = |kind: ErrorKind| StorageKind::from(&std::io::Error::from(kind));
        assert_eq!(kind(ErrorKind::PermissionDenied), StorageKind::Denied);
        assert_eq!(kind(ErrorKind::StorageFull), StorageKind::DiskFull);
    }
}
