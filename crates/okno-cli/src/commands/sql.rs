//! `okno sql`: SQL queries over tables of documents.

mod ask;

use crate::globals::Globals;
use crate::locale::say;
use crate::values::number;
use crate::{errors, opening, output};
use anyhow::Result;
use clap::Args;
use okno::document::Loaded;
use okno::load::{FileEntry, JsonlFields, MAX_FILE_SIZE, Sink, SkipReason, WalkOptions, builtin_for, load_file, walk};
use okno_sql::{Database, QueryRows, SqlLimits, TableSource, is_sqlite, of_index, of_loaded};
use serde_json::{Map, Value};
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

/// A query and the tables it is about.
#[derive(Debug, Args)]
pub struct SqlArgs {
    /// A SELECT statement
    query: Option<String>,
    /// Files with tables – CSV, XLSX, Markdown, HTML, SQLite … – instead of the index
    #[arg(long, value_name = "FILE")]
    from: Vec<PathBuf>,
    /// A question in words: the language model writes the SELECT, which is shown before it runs
    #[arg(long, value_name = "QUESTION", conflicts_with = "query")]
    ask: Option<String>,
    /// Run the model's statement without confirmation
    #[arg(long, requires = "ask")]
    yes: bool,
    /// Maximum number of rows to print
    #[arg(long, value_name = "N", value_parser = number::<usize>, default_value_t = 1000)]
    limit: usize,
    /// Time limit in seconds
    #[arg(long, value_name = "S", value_parser = number::<u64>, default_value_t = 10)]
    seconds: u64,
}

pub fn run(globals: &Globals, args: &SqlArgs) -> Result<()> {
    let database = if args.from.is_empty() {
        Database::new(&of_index(&*opening::open(globals.index())?.snapshot()?)?, &[])?
    } else {
        let (databases, files): (Vec<PathBuf>, Vec<PathBuf>) = args.from.iter().cloned().partition(|f| is_sqlite(f));
        Database::new(&tables(&files), &databases)?
    };
    narrowed(&database);
    let written = args.ask.as_deref().map(|question| ask::written(globals, args, question, &database)).transpose()?;
    let limits = SqlLimits { rows: args.limit, time: Duration::from_secs(args.seconds), ..SqlLimits::default() };
    let query = match (&args.query, written) {
        (Some(query), _) => query.clone(),
        (None, Some(Some(query))) => query,
        (None, Some(None)) => return Ok(()),
        (None, None) => return list(globals, &database, limits),
    };
    let rows = database.query(&query, limits)?;
    if rows.more {
        output::note(&say!(
            "showing only the first {} rows – raise --limit for more",
            "只显示前 {} 行 —— 可增大 --limit",
            args.limit
        ));
    }
    print(globals, &rows)
}

/// Prints which tables have more columns than SQLite can hold.
fn narrowed(database: &Database) {
    for table in database.narrowed() {
        output::note(&say!(
            "{}: {} columns, of which only the first {} can be queried – `okno load --json` shows them all",
            "{}：共 {} 列，只能查询前 {} 列 —— `okno load --json` 可显示全部",
            output::printable(&table.document),
            table.columns,
            okno_sql::MOST_COLUMNS
        ));
    }
}

/// The tables of files that some loader reads.
fn tables(files: &[PathBuf]) -> Vec<TableSource> {
    let loaders = builtin_for(JsonlFields::default(), false);
    let mut found = TableCollector::default();
    for entry in files.iter().flat_map(|file| walk(file, &WalkOptions::default())) {
        match entry {
            Ok(entry) => {
                found.name = name(&entry);
                load_file(&entry, &loaders, MAX_FILE_SIZE, &mut found);
            }
            Err(skipped) => found.skip(&skipped.place, skipped.reason),
        }
    }
    found.sources
}

fn name(entry: &FileEntry) -> String {
    entry.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

#[derive(Default)]
struct TableCollector {
    name: String,
    sources: Vec<TableSource>,
}

impl Sink for TableCollector {
    fn document(&mut self, loaded: Loaded) {
        let name = loaded.id.clone().unwrap_or_else(|| self.name.clone());
        self.sources.extend(of_loaded(&name, &loaded));
    }

    fn skip(&mut self, place: &str, reason: SkipReason) {
        let reason = errors::of_file(&reason);
        output::note(&say!("skipped {} – {}", "跳过 {} —— {}", output::printable(place), output::printable(&reason)));
    }
}

fn list(globals: &Globals, database: &Database, limits: SqlLimits) -> Result<()> {
    let tables = database.tables(limits)?;
    if globals.json {
        let table =
            |t: &okno_sql::TableInfo| serde_json::json!({"table": t.name, "columns": t.columns, "rows": t.rows});
        return output::json(&tables.iter().map(table).collect());
    }
    if tables.is_empty() {
        output::note(&say!(
            "no tables – index documents with tables, or name files with --from",
            "没有表格 —— 请索引含有表格的文档，或用 --from 指定文件"
        ));
    }
    let mut out = std::io::stdout().lock();
    for table in tables {
        let columns = output::printable(&table.columns.join(", "));
        writeln!(out, "{} ({columns})  {}", output::printable(&table.name), table.rows)?;
    }
    Ok(())
}

/// One JSON object per row for programs, columns between tabs for people.
fn print(globals: &Globals, rows: &QueryRows) -> Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    if !globals.json {
        let columns: Vec<String> = rows.columns.iter().map(|name| output::printable(name)).collect();
        writeln!(out, "{}", columns.join("\t"))?;
    }
    for row in &rows.rows {
        if globals.json {
            let object: Map<String, Value> = rows.columns.iter().cloned().zip(row.iter().cloned()).collect();
            writeln!(out, "{}", Value::Object(object))?;
        } else {
            let cells: Vec<String> = row.iter().map(cell).collect();
            writeln!(out, "{}", cells.join("\t"))?;
        }
    }
    Ok(out.flush()?)
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => output::printable(text),
        other => other.to_string(),
    }
}
