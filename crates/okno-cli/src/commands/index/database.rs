//! `okno index DATABASE --table NAME`: rows as documents.

use crate::locale::say;
use crate::progress::IndexBar;
use anyhow::{Result, bail};
use clap::Args;
use okno::{Engine, IndexOptions, IndexReport};
use okno_sql::{DatabaseAddress, RowSelection};
use std::path::PathBuf;

/// Which rows of a database are documents.
#[derive(Debug, Args)]
pub struct DatabaseArgs {
    /// Index the rows of this table of a database, each as a document; with --query, the name of its rows
    #[arg(long, value_name = "NAME", conflicts_with_all = ["stdin", "watch", "urls", "lines"])]
    table: Option<String>,
    /// Index the rows of this SELECT
    #[arg(long, value_name = "SQL", conflicts_with_all = ["stdin", "watch", "urls", "lines"])]
    query: Option<String>,
    /// The column that tells rows apart [default: the primary key]
    #[arg(long, value_name = "COLUMN")]
    key: Option<String>,
    /// The column that says when a row was changed; without it, rows are compared as a whole
    #[arg(long, value_name = "COLUMN")]
    changed_at: Option<String>,
}

/// The database that is to be read, if any is.
pub fn address(paths: &[PathBuf], args: &DatabaseArgs) -> Result<Option<DatabaseAddress>> {
    let selects = args.table.is_some() || args.query.is_some();
    let asked = selects || args.key.is_some() || args.changed_at.is_some();
    let address = |path: &PathBuf| path.to_str().and_then(DatabaseAddress::parse);
    match paths {
        [only] if selects => match address(only) {
            Some(address) => Ok(Some(address)),
            None => bail!(say!(
                "`{}` is not a database – expected an SQLite file or `postgres://user@host/database`",
                "`{}` 不是数据库 —— 应为 SQLite 文件或 `postgres://用户@主机/数据库`",
                only.display()
            )),
        },
        paths if asked || paths.iter().any(|path| matches!(address(path), Some(DatabaseAddress::Postgres(_)))) => {
            bail!(say!(
                "nothing was indexed – name one database, and its rows with --table or --query",
                "没有索引任何内容 —— 请指定一个数据库，并用 --table 或 --query 指定其中的行"
            ))
        }
        _ => Ok(None),
    }
}

impl DatabaseArgs {
    /// Brings the documents of the rows up to date.
    pub fn sync(
        &self,
        engine: &Engine,
        database: &DatabaseAddress,
        options: &IndexOptions,
        bar: &IndexBar,
    ) -> Result<IndexReport> {
        let selection = RowSelection {
            table: self.table.clone(),
            query: self.query.clone(),
            key: self.key.clone(),
            changed_at: self.changed_at.clone(),
        };
        Ok(database.rows(&selection, |name, rows| engine.sync_source(name, rows, options, bar))??)
    }
}
