//! The flags that every command takes.

use crate::locale::LangName;
use clap::Args;
use std::path::{Path, PathBuf};

/// Which index, and how to print.
#[derive(Debug, Args)]
pub struct Globals {
    /// The index folder; `search`, `serve` and `mcp` accept several [default: the nearest `.okno` here or above]
    #[arg(long, global = true, env = "OKNO_INDEX", value_name = "DIR")]
    pub index: Vec<PathBuf>,
    /// An index on a server instead of a folder: `opensearch://host:9200,host2:9200/name` or `milvus://host:19530/name`
    #[arg(long, global = true, env = "OKNO_STORE", value_name = "ADDRESS")]
    pub store: Option<PathBuf>,
    /// Language of help and messages [default: by locale]
    #[arg(long, global = true, value_name = "LANG")]
    pub lang: Option<LangName>,
    /// Print data as JSON
    #[arg(long, global = true)]
    pub json: bool,
}

impl Globals {
    /// The index that was named, if one was.
    pub fn index(&self) -> Option<&Path> {
        self.store.as_deref().or(self.index.first().map(PathBuf::as_path))
    }
}
