//! Tables as a route: questions that only counting answers.
//!
//! The tables of documents – sheets, CSV files, tables in a page – become tables of an in-memory
//! SQLite database, and SQLite files are attached as they are, read-only. In comes one `SELECT`, out
//! come rows. SQLite is used because people know its SQL and it runs in the process; a crate of its
//! own because it is a hundred thousand lines of C that not everybody wants to build.
//!
//! What a query may do is decided by an authorizer, not by looking at its text: it can read tables and
//! call functions, and nothing else – no writing, no attaching, no pragmas, no loading of code.

mod describe;
mod functions;
mod guard;
mod import;
mod route;
mod rows;
mod words;

pub use describe::described;
pub use import::{MOST_COLUMNS, Narrowed, TableSource, of_loaded};
pub use route::{TableRoute, of_index};
pub use rows::{DatabaseAddress, LONGEST_ROW, RowSelection};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

okno::document::messages! {
    /// What can go wrong.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Error {
        /// The query cannot be answered.
        Query(String) = "bad_query" => ("{0}", "{0}"),
        /// The query wanted more than to read.
        NotReading = "not_reading" => (
            "only reading is allowed: one SELECT, no changes, no pragmas, no attaching",
            "只允许读取：一条 SELECT，不能修改，不能用 PRAGMA 或 ATTACH",
        ),
        /// The query took too long.
        TooLong(Duration) = "query_too_long" =>
            ("stopped after {0}; ask for less, or raise the time limit", "{0} 后停止；请缩小查询，或提高时间上限"),
        /// The query needs more memory than it may have.
        TooLarge = "query_too_large" => (
            "the query needs more memory than it may have, or its answer is too large; ask for less",
            "查询所需的内存超过上限，或结果过大；请缩小查询",
        ),
        /// A database file cannot be read.
        File { /** The file. */ path: PathBuf, /** What SQLite says. */ words: String } = "bad_database" =>
            ("cannot read `{path}` as an SQLite database: {words}", "无法把 “{path}” 当作 SQLite 数据库读取：{words}"),
        /// Neither a table nor a query was named.
        NoSelection = "no_selection" =>
            ("a database is read by table or by query; name one", "读取数据库需要指定表或查询"),
        /// There is no such table.
        NoTable { /** The table asked for. */ table: String, /** The tables there are. */ known: Vec<String> } =
            "no_table" => ("no table `{table}`; there are: {known}", "没有表 `{table}`；已有的表：{known}"),
        /// There is no such column.
        NoColumn { /** The column asked for. */ column: String, /** The columns there are. */ known: Vec<String> } =
            "no_column" => ("no column `{column}`; there are: {known}", "没有列 `{column}`；已有的列：{known}"),
        /// Nothing tells the rows apart.
        NoKey { /** The table. */ name: String, /** Its columns. */ known: Vec<String> } = "no_key" => (
            "`{name}` has no primary key; name the column that tells its rows apart, one of: {known}",
            "`{name}` 没有主键；请指定能区分各行的列，可选：{known}",
        ),
        /// The address has a password in it.
        PasswordInAddress = "password_in_address" => (
            "an address with a password is refused, because other users and logs can see it; leave it out and set \
             `PGPASSWORD` in the environment",
            "不接受含有密码的地址，因为其他用户和日志可能看到它；请去掉密码，改用环境变量 `PGPASSWORD`",
        ),
        /// An address of a PostgreSQL server cannot be read.
        Address(String) = "bad_address" => (
            "invalid address: {0}; expected `postgres://user@host:port/database`",
            "地址无效：{0}；应为 `postgres://用户@主机:端口/数据库`",
        ),
        /// A PostgreSQL server cannot be reached.
        Unreachable { /** Where. */ place: String, /** Why. */ words: String } = "database_unreachable" => (
            "cannot connect to `{place}`: {words}",
            "无法连接 “{place}”：{words}",
        ),
        /// A PostgreSQL server cannot be reached with encryption.
        Unencrypted { /** Where. */ place: String, /** Why. */ words: String } = "database_unencrypted" => (
            "no encrypted connection to `{place}`: {words}; `sslrootcert=FILE` in the address names the certificate of \
             its authority, and `sslmode=disable` goes without encryption, where the network can be trusted",
            "无法与 “{place}” 建立加密连接：{words}；可在地址中用 `sslrootcert=文件` 指定其颁发机构的证书；若网络可信，\
             可用 `sslmode=disable` 不加密",
        ),
        /// The certificate of an authority cannot be read.
        Certificate { /** The file. */ path: PathBuf, /** Why. */ words: String } = "bad_certificate" => (
            "cannot read `{path}`: {words}; expected certificates in PEM",
            "无法读取 “{path}”：{words}；应为 PEM 格式的证书",
        ),
        /// The program was built without PostgreSQL.
        WithoutPostgres = "without_postgres" => (
            "this program was built without PostgreSQL; build it with the feature `postgres`",
            "本程序未包含 PostgreSQL 支持；请用特性 `postgres` 构建",
        ),
    }
}

/// Either a value or one of [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// A table that can be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableInfo {
    /// Its name in SQL.
    pub name: String,
    /// Its columns.
    pub columns: Vec<String>,
    /// How many rows it has.
    pub rows: usize,
}

/// What a query gave.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QueryRows {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Value>>,
    /// Whether there were more than the limit.
    pub more: bool,
}

/// What a query may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SqlLimits {
    /// Rows returned at most.
    pub rows: usize,
    /// Time, at most.
    pub time: Duration,
    /// Bytes of all values returned, at most.
    pub bytes: usize,
}

impl Default for SqlLimits {
    fn default() -> Self {
        Self { rows: 1000, time: Duration::from_secs(10), bytes: 64 << 20 }
    }
}

/// Tables, ready to be asked.
pub struct Database {
    connection: Connection,
    deadline: guard::QueryDeadline,
    narrowed: Vec<Narrowed>,
    totals: BTreeMap<String, Vec<usize>>,
}

impl Database {
    /// Tables of documents, and SQLite files.
    pub fn new(sources: &[TableSource], files: &[PathBuf]) -> Result<Self> {
        let names = import::table_names(sources.iter().map(|source| source.document.as_str()));
        Self::named(&names.into_iter().zip(sources).collect::<Vec<_>>(), files)
    }

    /// The same under names that are given: those that they have among others which are left out here.
    pub(crate) fn named(sources: &[(String, &TableSource)], files: &[PathBuf]) -> Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_MEMORY;
        let mut connection = Connection::open_in_memory_with_flags(flags).map_err(query)?;
        let import::Filled { narrowed, totals } = import::fill(&mut connection, sources).map_err(query)?;
        for file in files {
            attach(&connection, file)?;
        }
        let deadline = guard::QueryDeadline::default();
        functions::add(&connection, &deadline).map_err(query)?;
        guard::limit(&connection).map_err(query)?;
        Ok(Self { connection, deadline, narrowed, totals })
    }

    /// The tables that have more columns than can be asked: whoever opens them should say so.
    pub fn narrowed(&self) -> &[Narrowed] {
        &self.narrowed
    }

    /// The rows of a table that add up others, counted from 1.
    pub(crate) fn totals(&self, name: &str) -> &[usize] {
        self.totals.get(name).map_or(&[], Vec::as_slice)
    }

    /// The tables. Counting the rows of all of them may take as long as one query; a view of a file may never end.
    pub fn tables(&self, limits: SqlLimits) -> Result<Vec<TableInfo>> {
        let mut tables = Vec::new();
        let end = Instant::now().checked_add(limits.time);
        for schema in self.column("SELECT name FROM pragma_database_list")? {
            let listed = format!("SELECT name FROM {}.sqlite_master WHERE type IN ('table', 'view')", quoted(&schema));
            for table in self.column(&listed)?.into_iter().filter(|table| !table.starts_with("sqlite_")) {
                let left = end.map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now()));
                let listed = self.table(&schema, &table, left).map_err(|error| match error {
                    Error::TooLong(_) => Error::TooLong(limits.time),
                    other => other,
                });
                tables.push(listed?);
            }
        }
        Ok(tables)
    }

    fn table(&self, schema: &str, table: &str, time: Duration) -> Result<TableInfo> {
        let guard = guard::ReadOnlyGuard::new(&self.connection, &self.deadline, time);
        let failed = |error| guard.explained(error);
        let name = if schema == "main" { quoted(table) } else { format!("{}.{}", quoted(schema), quoted(table)) };
        let counted = format!("SELECT count(*) FROM {name}");
        let rows = self.connection.query_row(&counted, [], |row| row.get::<_, i64>(0)).map_err(failed)?;
        let statement = self.connection.prepare(&format!("SELECT * FROM {name}")).map_err(failed)?;
        let columns = statement.column_names().into_iter().map(str::to_owned).collect();
        Ok(TableInfo { name, columns, rows: usize::try_from(rows).unwrap_or(0) })
    }

    fn column(&self, sql: &str) -> Result<Vec<String>> {
        let mut statement = self.connection.prepare(sql).map_err(query)?;
        let values = statement.query_map([], |row| row.get(0)).map_err(query)?;
        values.collect::<rusqlite::Result<_>>().map_err(query)
    }

    /// Whether a statement could be run: it is one `SELECT` over tables and columns that there are. Nothing is run.
    pub fn check(&self, sql: &str) -> Result<()> {
        let guard = guard::ReadOnlyGuard::new(&self.connection, &self.deadline, SqlLimits::default().time);
        let statement = self.connection.prepare(sql).map_err(|error| guard.refused(sql, error))?;
        // An empty statement reads nothing, and returns nothing either.
        if statement.readonly() && statement.column_count() > 0 { Ok(()) } else { Err(Error::NotReading) }
    }

    /// Answers one `SELECT`.
    pub fn query(&self, sql: &str, limits: SqlLimits) -> Result<QueryRows> {
        let guard = guard::ReadOnlyGuard::new(&self.connection, &self.deadline, limits.time);
        let failed = |error: rusqlite::Error| guard.explained(error);
        let mut bytes = 0;
        let mut statement = self.connection.prepare(sql).map_err(|error| guard.refused(sql, error))?;
        if !statement.readonly() {
            return Err(Error::NotReading);
        }
        let columns: Vec<String> = statement.column_names().into_iter().map(str::to_owned).collect();
        let mut found = QueryRows { columns, ..QueryRows::default() };
        let mut rows = statement.query([]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            if found.rows.len() == limits.rows {
                found.more = true;
                break;
            }
            let cells = (0..found.columns.len()).map(|at| row.get_ref(at).map(value));
            let cells = cells.collect::<rusqlite::Result<Vec<Value>>>().map_err(failed)?;
            bytes += cells.iter().map(|cell| cell.as_str().map_or(8, str::len)).sum::<usize>();
            if bytes > limits.bytes {
                return Err(Error::TooLarge);
            }
            found.rows.push(cells);
        }
        Ok(found)
    }
}

/// What SQLite writes at the beginning of its files.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// Whether a file is an SQLite database.
pub fn is_sqlite(path: &Path) -> bool {
    let mut head = [0; SQLITE.len()];
    std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok() && head == SQLITE
}

/// Attaches a file under its own name, for reading only.
fn attach(connection: &Connection, file: &Path) -> Result<()> {
    let failed = |error: rusqlite::Error| Error::File { path: file.to_owned(), words: error.to_string() };
    let name = file.file_stem().map_or_else(|| "file".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let uri = format!("file:{}?mode=ro", escaped(&file.to_string_lossy()));
    connection.execute(&format!("ATTACH DATABASE ?1 AS {}", quoted(&name)), [uri]).map_err(failed)?;
    // Only reading tells whether it is a database at all.
    let listed = format!("SELECT count(*) FROM {}.sqlite_master", quoted(&name));
    connection.query_row(&listed, [], |row| row.get::<_, i64>(0)).map(drop).map_err(failed)
}

/// A path inside a `file:` address.
fn escaped(path: &str) -> String {
    path.replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}

/// A name as SQL writes it when it may hold anything.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[allow(clippy::needless_pass_by_value)] // what `map_err` hands over
fn query(error: rusqlite::Error) -> Error {
    Error::Query(error.to_string())
}

fn value(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into(),
        ValueRef::Blob(bytes) => format!("<{} bytes>", bytes.len()).into(),
    }
}

#[cfg(test)]
mod tests;
