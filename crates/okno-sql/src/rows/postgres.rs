//! Rows of a PostgreSQL server, read with a cursor inside of one transaction that may only read.
//!
//! Values come as the text that the server makes of them, whatever their type. With a column that says when a row
//! changed and a unique key, only these two are read of all rows, and the others of those that changed; otherwise every
//! row is read as a whole.

use super::{BATCH_ROWS, LONGEST_ROW, RowCell, RowSelection, RowShape, tls};
use crate::{Error, Result, quoted};
use okno::document::Value;
use okno::{DocumentSource, SourceDocument, SourceEntry};
use percent_encoding::percent_decode_str;
use postgres::config::{Host, SslMode};
use postgres::types::{Kind, Type};
use postgres::{Client, Config, NoTls, Row, Statement};
use std::collections::HashMap;
use std::error::Error as _;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Keys in memory at once.
const BATCH_KEYS: usize = 1024;

/// How long a server may take to answer at all.
const PATIENCE: Duration = Duration::from_secs(10);

/// The transaction, and dates and numbers in the one form that is read.
const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL datestyle = 'ISO, YMD'; \
                     SET LOCAL extra_float_digits = 1";

const TABLES: &str = "SELECT c.oid, quote_ident(n.nspname) || '.' || quote_ident(c.relname), c.relname::text, \
                      n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
                      WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f') AND n.nspname !~ '^pg_' \
                      AND n.nspname <> 'information_schema' ORDER BY pg_table_is_visible(c.oid) DESC, 4";

const PRIMARY: &str = "SELECT a.attname::text FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid \
                       AND a.attnum = ANY (i.indkey) WHERE i.indrelid = $1 AND i.indisprimary \
                       ORDER BY array_position(i.indkey::int2[], a.attnum)";

/// Rows that a cursor gives, and those of the batch that was listed last.
struct PostgresRows {
    client: Client,
    name: String,
    shape: RowShape,
    types: Vec<CellType>,
    /// Gives the next rows of the cursor.
    fetch: Statement,
    /// Reads rows by their keys, where only keys are listed.
    by_key: Option<Statement>,
    keys: Vec<String>,
    batch: Vec<Vec<RowCell>>,
}

/// What the text of a value means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CellType {
    Text,
    Code,
    Number,
    Truth,
    Day,
    Json,
    Bytes,
}

pub fn rows<T>(
    address: &str,
    selection: &RowSelection,
    follow: impl FnOnce(&str, &mut dyn DocumentSource) -> T,
) -> Result<T> {
    let (address, authority) = without_authority(address);
    let config = config(&address)?;
    let place = place(&config);
    let mut client = connected(config, authority.as_deref(), &place)?;
    client.batch_execute(BEGIN).map_err(query)?;
    let (base, primary) = base(&mut client, selection)?;
    // Prepared, not run: tells the columns. A statement that is prepared is one statement.
    let statement = client.prepare(&format!("SELECT * FROM {base} AS okno")).map_err(query)?;
    let columns: Vec<String> = statement.columns().iter().map(|column| column.name().to_owned()).collect();
    let (key, changed_at) = selection.places(&columns, &primary)?;
    let types: Vec<CellType> = statement.columns().iter().map(|column| CellType::of(column.type_())).collect();
    let values: Vec<String> = columns.iter().zip(&types).map(|(column, of)| of.select(column)).collect();
    let values = values.join(", ");
    let lookup = changed_at.zip(single(&key)).filter(|(_, key)| primary == [columns[*key].clone()]);
    let (listed, by_key) = match lookup {
        Some((changed, key)) => {
            let (of, changed, key) =
                (statement.columns()[key].type_(), quoted(&columns[changed]), quoted(&columns[key]));
            let of = format!("{}.{}", quoted(of.schema()), quoted(of.name()));
            let by_key = format!("SELECT {values} FROM {base} AS okno WHERE okno.{key} = ANY ($1::text[]::{of}[])");
            // A row that does not say when it changed is compared as a whole.
            let listed = format!("okno.{key}::text, coalesce(okno.{changed}::text, md5(okno::text))");
            (listed, Some(client.prepare(&by_key).map_err(query)?))
        }
        None => (values, None),
    };
    let cursor = format!("DECLARE okno NO SCROLL CURSOR FOR SELECT {listed} FROM {base} AS okno");
    client.execute(&cursor, &[]).map_err(query)?;
    let count = if by_key.is_some() { BATCH_KEYS } else { BATCH_ROWS };
    let fetch = client.prepare(&format!("FETCH {count} FROM okno")).map_err(query)?;
    let texts: Vec<usize> = (0..types.len()).filter(|at| types[*at] == CellType::Text).collect();
    let shape = RowShape::new(selection.name(), columns, key, changed_at, &texts);
    let name = format!("{place}#{}", selection.name());
    let (keys, batch) = (Vec::new(), Vec::new());
    Ok(follow(&name, &mut PostgresRows { client, name: name.clone(), shape, types, fetch, by_key, keys, batch }))
}

/// Connects, with encryption unless the server is on this machine or the address goes without.
fn connected(mut config: Config, authority: Option<&Path>, place: &str) -> Result<Client> {
    let unreachable = |error: &postgres::Error| Error::Unreachable { place: place.to_owned(), words: words(error) };
    let mode = tls::mode(&config, authority.is_some());
    config.ssl_mode(mode);
    if mode == SslMode::Disable {
        return config.connect(NoTls).map_err(|error| unreachable(&error));
    }
    let encryption = tls::Encryption::new(authority)?;
    config.connect(encryption).map_err(|error| {
        // The server was reached, and did not say no: what failed is the encryption.
        let cut = error.source().and_then(|cause| cause.downcast_ref::<io::Error>());
        let is_reached = error.as_db_error().is_none() && cut.is_none();
        match mode {
            SslMode::Require if is_reached => Error::Unencrypted { place: place.to_owned(), words: words(&error) },
            _ => unreachable(&error),
        }
    })
}

/// An address without `sslrootcert=FILE`, and that file: the client does not know this setting.
fn without_authority(address: &str) -> (String, Option<PathBuf>) {
    let Some((place, settings)) = address.split_once('?') else { return (address.to_owned(), None) };
    let (own, others): (Vec<&str>, Vec<&str>) =
        settings.split('&').partition(|setting| setting.starts_with("sslrootcert="));
    let file = own.first().and_then(|setting| setting.split_once('=')).map(|(_, file)| file);
    let file = file.map(|file| percent_decode_str(file).decode_utf8_lossy().into_owned().into());
    (if others.is_empty() { place.to_owned() } else { format!("{place}?{}", others.join("&")) }, file)
}

/// How to connect: as the address says, with the password of the environment, for reading.
fn config(address: &str) -> Result<Config> {
    let mut config: Config = address.parse().map_err(|error| Error::Address(words(&error)))?;
    if config.get_password().is_some() {
        return Err(Error::PasswordInAddress);
    }
    if let Ok(password) = std::env::var("PGPASSWORD") {
        config.password(password);
    }
    let options = config.get_options().map(|own| format!("{own} ")).unwrap_or_default();
    config.options(&format!("{options}-c default_transaction_read_only=on")).application_name("okno");
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(PATIENCE);
    }
    Ok(config)
}

/// The address without the user: the same source for everybody who reads it.
fn place(config: &Config) -> String {
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(host)) => host.clone(),
        #[cfg(unix)]
        Some(Host::Unix(path)) => path.to_string_lossy().into_owned(),
        None => "localhost".to_owned(),
    };
    let port = config.get_ports().first().copied().unwrap_or(5432);
    let database = config.get_dbname().or(config.get_user()).unwrap_or_default();
    format!("postgres://{host}:{port}/{database}")
}

/// What is selected from, and the columns of its primary key.
fn base(client: &mut Client, selection: &RowSelection) -> Result<(String, Vec<String>)> {
    if let Some(select) = &selection.query {
        return Ok((format!("({})", select.trim().trim_end_matches(';')), Vec::new()));
    }
    let (asked, tables) = (selection.name(), client.query(TABLES, &[]).map_err(query)?);
    let is_meant = |row: &&Row| row.get::<_, &str>(2) == asked || row.get::<_, &str>(3) == asked;
    let Some(table) = tables.iter().find(is_meant) else {
        let known = tables.iter().map(|row| row.get::<_, String>(3)).collect();
        return Err(Error::NoTable { table: asked.to_owned(), known });
    };
    let primary = client.query(PRIMARY, &[&table.get::<_, u32>(0)]).map_err(query)?;
    Ok((table.get(1), primary.iter().map(|row| row.get(0)).collect()))
}

fn single(places: &[usize]) -> Option<usize> {
    if let [only] = places { Some(*only) } else { None }
}

impl CellType {
    fn of(of: &Type) -> Self {
        match *of {
            Type::INT2 | Type::INT4 | Type::INT8 | Type::FLOAT4 | Type::FLOAT8 | Type::NUMERIC | Type::OID => {
                Self::Number
            }
            Type::BOOL => Self::Truth,
            Type::DATE | Type::TIMESTAMP | Type::TIMESTAMPTZ => Self::Day,
            Type::JSON | Type::JSONB => Self::Json,
            Type::BYTEA => Self::Bytes,
            Type::UUID | Type::INET | Type::CIDR | Type::MACADDR | Type::TIME | Type::TIMETZ | Type::INTERVAL => {
                Self::Code
            }
            _ => match of.kind() {
                Kind::Array(_) => Self::Json,
                Kind::Domain(base) => Self::of(base),
                Kind::Simple | Kind::Enum(_) => Self::Text,
                _ => Self::Code,
            },
        }
    }

    /// The value of a column as text; of what is too long, enough to tell that it is.
    fn select(self, column: &str) -> String {
        let column = format!("okno.{}", quoted(column));
        match self {
            Self::Bytes => "NULL::text".to_owned(),
            Self::Json => format!("left(to_json({column})::text, {})", LONGEST_ROW + 1),
            Self::Text => format!("left({column}::text, {})", LONGEST_ROW + 1),
            _ => format!("{column}::text"),
        }
    }

    fn cell(self, text: Option<String>) -> RowCell {
        let Some(text) = text else { return RowCell::Empty };
        if text.len() > LONGEST_ROW {
            return RowCell::TooLong(text.len());
        }
        match self {
            Self::Text => RowCell::Text(text),
            Self::Number => RowCell::number(text),
            Self::Day => RowCell::day(text),
            Self::Truth => RowCell::Typed(Value::Bool(text == "true"), text),
            Self::Json => {
                let value = serde_json::from_str(&text).ok().and_then(|json| Value::from_json(&json));
                value.map_or(RowCell::Empty, |value| RowCell::Typed(value, text))
            }
            Self::Code | Self::Bytes => RowCell::Typed(Value::Text(text.clone()), text),
        }
    }
}

impl PostgresRows {
    fn failed(&self, error: &postgres::Error) -> okno::Error {
        okno::Error::Source { name: self.name.clone(), reason: Error::Query(words(error)).into() }
    }

    fn cells(&self, row: &Row) -> Vec<RowCell> {
        self.types.iter().enumerate().map(|(at, of)| of.cell(row.get(at))).collect()
    }
}

impl DocumentSource for PostgresRows {
    fn list(&mut self) -> okno::Result<Vec<SourceEntry>> {
        let rows = self.client.query(&self.fetch, &[]).map_err(|error| self.failed(&error))?;
        if self.by_key.is_none() {
            self.batch = rows.iter().map(|row| self.cells(row)).collect();
            return Ok(self.batch.iter().map(|row| self.shape.entry(row)).collect());
        }
        self.keys = rows.iter().map(|row| row.get::<_, Option<String>>(0).unwrap_or_default()).collect();
        let version = |row: &Row| self.shape.version(&[RowCell::Text(row.get(1))]);
        let entry = |(key, row): (&String, &Row)| SourceEntry { id: self.shape.id(&[key]), version: version(row) };
        Ok(self.keys.iter().zip(&rows).map(entry).collect())
    }

    fn read(&mut self, positions: &[usize]) -> okno::Result<Vec<(usize, SourceDocument)>> {
        let Some(by_key) = &self.by_key else {
            return Ok(positions.iter().map(|&at| (at, self.shape.document(&self.batch[at]))).collect());
        };
        let keys: Vec<&str> = positions.iter().map(|&at| self.keys[at].as_str()).collect();
        let rows = self.client.query(by_key, &[&keys]).map_err(|error| self.failed(&error))?;
        let mut documents: HashMap<String, SourceDocument> = HashMap::new();
        for row in &rows {
            let cells = self.cells(row);
            documents.insert(self.shape.entry(&cells).id, self.shape.document(&cells));
        }
        let found = |&at: &usize| Some((at, documents.remove(&self.shape.id(&[&self.keys[at]]))?));
        Ok(positions.iter().filter_map(found).collect())
    }
}

#[allow(clippy::needless_pass_by_value)] // what `map_err` hands over
fn query(error: postgres::Error) -> Error {
    Error::Query(words(&error))
}

/// What the server says, or what lies below.
fn words(error: &postgres::Error) -> String {
    match (error.as_db_error(), error.source()) {
        (Some(told), _) => told.message().to_owned(),
        (None, Some(cause)) => cause.to_string(),
        (None, None) => error.to_string(),
    }
}
