//! The rows of a database are documents: the same story with an SQLite file and with a PostgreSQL server.
//!
//! The customers are the rows of a CSV file of the docling project; `OKNO_TEST_POSTGRES` names a server
//! (`.ci/serve-postgres.sh`), whose password is `okno`, and `OKNO_TEST_POSTGRES_AUTHORITY` the certificate of the
//! authority that it has its own from.
#![cfg(feature = "postgres")]

mod support;

use postgres::{Client, NoTls};
use rusqlite::Connection;
use serde_json::json;
use support::{Ran, World, counts, say_skipped, skipped, text};

/// A real table: eleven columns of text with quotes, extensions and addresses.
const CUSTOMERS: &str = include_str!("database/customers.tsv");

/// A database that is filled by a test and read by the program.
enum Filled {
    File { connection: Connection, path: String },
    Server { client: Client, address: String, schema: String },
}

impl Filled {
    fn file(world: &World) -> Self {
        let path = world.path("shop.sqlite").to_str().unwrap().to_owned();
        Self::File { connection: Connection::open(&path).unwrap(), path }
    }

    /// A schema of its own for each test; `None` where there is no server.
    fn server(schema: &str) -> Option<Self> {
        let Ok(address) = std::env::var("OKNO_TEST_POSTGRES") else {
            say_skipped("OKNO_TEST_POSTGRES names no PostgreSQL server");
            return None;
        };
        let mut client = address.parse::<postgres::Config>().unwrap().password("okno").connect(NoTls).unwrap();
        let path =
            format!("DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema}; SET search_path = {schema}");
        client.batch_execute(&path).unwrap();
        Some(Self::Server { client, address, schema: schema.to_owned() })
    }

    /// Both kinds, as far as they are there.
    fn all(world: &World, schema: &str) -> Vec<Self> {
        std::iter::once(Self::file(world)).chain(Self::server(schema)).collect()
    }

    fn run(&mut self, sql: &str) {
        match self {
            Self::File { connection, .. } => connection.execute_batch(sql).unwrap(),
            Self::Server { client, .. } => client.batch_execute(sql).unwrap(),
        }
    }

    fn address(&self) -> &str {
        match self {
            Self::File { path, .. } => path,
            Self::Server { address, .. } => address,
        }
    }

    /// A table as the program is told it.
    fn table(&self, name: &str) -> String {
        match self {
            Self::File { .. } => name.to_owned(),
            Self::Server { schema, .. } => format!("{schema}.{name}"),
        }
    }

    fn okno(&self, world: &World, arguments: &[&str]) -> Ran {
        let mut command = world.command();
        Ran::of(command.args(["index", "--json", self.address()]).args(arguments).env("PGPASSWORD", "okno"))
    }

    /// What a person is told.
    fn okno_text(&self, world: &World, arguments: &[&str]) -> String {
        let mut command = world.command();
        Ran::of(command.args(["index", self.address()]).args(arguments).env("PGPASSWORD", "okno")).succeeds().err
    }

    fn sync(&self, world: &World, arguments: &[&str]) -> [usize; 4] {
        counts(&self.okno(world, arguments).succeeds().json())
    }

    fn fill_customers(&mut self) {
        let mut lines = CUSTOMERS.lines().map(|line| line.split('\t').map(|cell| cell.replace('\'', "''")));
        let columns: Vec<String> = lines.next().unwrap().map(|name| format!("\"{name}\" text")).collect();
        self.run(&format!("CREATE TABLE customers ({}, PRIMARY KEY (\"Customer Id\"))", columns.join(", ")));
        for line in lines {
            let cells: Vec<String> = line.take(columns.len()).map(|cell| format!("'{cell}'")).collect();
            self.run(&format!("INSERT INTO customers VALUES ({})", cells.join(", ")));
        }
    }

    fn fill_teas(&mut self) {
        self.run(
            "CREATE TABLE teas (id bigint PRIMARY KEY, name varchar(40), note text, price numeric, picked date,
                 sold boolean, changed timestamp);
             INSERT INTO teas VALUES
                 (9007199254740993, '龙井', '绿茶,用八十度的水冲泡。', 120.5, '2024-04-01', true, '2024-05-01 10:00:00'),
                 (9007199254740992, 'Keemun', 'A black tea for boiling water.', 30, '2023-05-02', false, NULL),
                 (7, 'Empty', '', NULL, NULL, NULL, NULL);",
        );
    }
}

#[test]
fn rows_are_documents_with_typed_metadata() {
    let world = World::new();
    for mut database in Filled::all(&world, "okno_rows") {
        world.delete_index();
        database.fill_teas();
        let table = database.table("teas");
        assert_eq!(database.sync(&world, &["--table", &table]), [3, 0, 0, 0]);
        // Numbers of 64 bits stay apart, though no float holds both.
        let id = format!("{table}/9007199254740993");
        let document = &world.documents()[&id];
        let expected = json!({"id": 9_007_199_254_740_992_i64, "name": "龙井", "note": "绿茶,用八十度的水冲泡。",
            "price": 120.5, "picked": "2024-04-01", "sold": true, "changed": "2024-05-01"});
        let mut metadata = document["metadata"].clone();
        metadata["id"] = expected["id"].clone();
        assert_eq!((&metadata, text(document, "title").as_str()), (&expected, "龙井"));
        let read = world.text(&id);
        assert!(
            read.starts_with("name: 龙井\nnote: 绿茶,用八十度的水冲泡。\nprice: 120.5\npicked: 2024-04-01"),
            "{read}"
        );
        assert_eq!(world.found("boiling water for black tea")[0], format!("{table}/9007199254740992"));
        let filtered = world.search(&["tea", "--filter", "price > 100 and picked >= 2024-01-01"]);
        assert_eq!(filtered["contexts"][0]["doc_id"], id.as_str());
    }
}

#[test]
fn a_second_run_follows_the_rows_and_nothing_else() {
    let world = World::new();
    for mut database in Filled::all(&world, "okno_sync") {
        world.delete_index();
        world.write("notes/tea.md", "Green tea is brewed at eighty degrees.");
        world.index(["notes"]);
        database.fill_teas();
        database.fill_customers();
        let (teas, customers) = (database.table("teas"), database.table("customers"));
        assert_eq!(database.sync(&world, &["--table", &teas]), [3, 0, 0, 0]);
        assert_eq!(database.sync(&world, &["--table", &customers]), [5, 0, 0, 0]);
        assert_eq!(database.sync(&world, &["--table", &teas]), [0, 0, 0, 3]);
        database.run(
            "UPDATE teas SET note = 'Keemun is smoky.' WHERE name = 'Keemun'; DELETE FROM teas WHERE id = 7;
             INSERT INTO teas (id, name, note) VALUES (8, 'Sencha', 'Sencha is steamed.');",
        );
        assert_eq!(database.sync(&world, &["--table", &teas]), [1, 1, 1, 1]);
        assert_eq!(world.names().len(), 1 + 5 + 3);
        assert_eq!(world.found("smoky")[0], format!("{teas}/9007199254740992"));
        // Following files leaves rows alone.
        assert_eq!(counts(&world.index(["notes"])), [0, 0, 0, 1]);
        assert_eq!(world.names().len(), 1 + 5 + 3);
        // A column that is added is read.
        database.run("ALTER TABLE teas ADD COLUMN region text");
        assert_eq!(database.sync(&world, &["--table", &teas]), [0, 0, 0, 3], "the documents are the same");
    }
}

#[test]
fn a_changed_at_column_says_which_rows_are_read() {
    let world = World::new();
    for mut database in Filled::all(&world, "okno_changed") {
        world.delete_index();
        database.fill_teas();
        let table = database.table("teas");
        let arguments = ["--table", &table, "--changed-at", "changed"];
        assert_eq!(database.sync(&world, &arguments), [3, 0, 0, 0]);
        assert_eq!(database.sync(&world, &arguments), [0, 0, 0, 3]);
        // Without a new time nothing is read; where there is none, the row tells.
        database.run("UPDATE teas SET note = 'Longjing is pan-fired.' WHERE name = '龙井'");
        database.run("UPDATE teas SET note = 'Keemun is smoky.' WHERE name = 'Keemun'");
        assert_eq!(database.sync(&world, &arguments), [0, 1, 0, 2]);
        database.run("UPDATE teas SET changed = '2024-05-01 10:00:01' WHERE name = '龙井'");
        assert_eq!(database.sync(&world, &arguments), [0, 1, 0, 2]);
        assert!(world.text(&format!("{table}/9007199254740993")).contains("note: Longjing is pan-fired."));
    }
}

#[test]
fn a_query_is_a_source_and_cannot_write() {
    let world = World::new();
    for mut database in Filled::all(&world, "okno_query") {
        world.delete_index();
        database.fill_customers();
        let table = database.table("customers");
        let query = format!("SELECT \"Customer Id\" AS id, \"Company\" FROM {table} WHERE \"Country\" = 'Chile';");
        assert_eq!(database.sync(&world, &["--query", &query, "--key", "ID"]), [1, 0, 0, 0]);
        assert_eq!(world.text("query/DD37Cf93aecA6Dc"), "Rasmussen Group");
        database.okno(&world, &["--query", &query]).refuses().says(&["no primary key", "`id`, `Company`"]);
        for writing in [
            format!("DELETE FROM {table}"),
            format!("SELECT 1) AS x; DELETE FROM {table}; --"),
            format!("WITH gone AS (DELETE FROM {table} RETURNING *) SELECT * FROM gone"),
        ] {
            database.okno(&world, &["--query", &writing, "--key", "Customer Id"]).ends_with(1);
        }
        assert_eq!(database.sync(&world, &["--table", &table]), [5, 0, 0, 0]);
    }
}

#[test]
fn what_cannot_be_read_is_told() {
    let world = World::new();
    for mut database in Filled::all(&world, "okno_told") {
        world.delete_index();
        database.fill_teas();
        let table = database.table("teas");
        database.okno(&world, &["--table", "coffee"]).refuses().says(&["no table `coffee`", &table]);
        database.okno(&world, &["--table", &table, "--key", "code"]).refuses().says(&["no column `code`", "`picked`"]);
        database.okno(&world, &["--table", &table, "--changed-at", "x"]).refuses().says(&["no column `x`"]);
        database.okno(&world, &["--changed-at", "changed"]).refuses().says(&["--table or --query"]);
        database.run(&format!("UPDATE teas SET note = '{}' WHERE id = 7", "x".repeat(3 << 20)));
        let report = database.okno(&world, &["--table", &table]).succeeds().json();
        assert_eq!(counts(&report), [2, 0, 0, 0]);
        let reason = &skipped(&report)[&format!("{table}/7")];
        assert!(reason.contains("more than the limit of 2 MB for rows") || reason.contains("MiB"), "{report}");
        // That flag is for files: it would not help.
        let told = database.okno_text(&world, &["--table", &table]);
        assert!(told.contains("for rows") && !told.contains("--max-file-size"), "{told}");
        // What was skipped is known: where rows are counted, and in the status.
        let answer = world.search(&["What is the sum of price?"]);
        assert_eq!((&answer["rows"]["rows"], &answer["rows"]["missing"]), (&json!([[150.5]]), &json!(1)), "{answer}");
        let told = text(&world.okno(["ask", "--json", "What is the sum of price?"]).succeeds().json(), "answer");
        assert!(told.contains("Without 1 rows of the source that were too large"), "{told}");
        let status = world.okno(["status", "--json"]).succeeds().json();
        let source = &status["sources"][0];
        assert_eq!((&source["rows"], &source["skipped"]), (&json!(2), &json!(1)), "{status}");
        let status = world.okno(["status"]).succeeds().out;
        assert!(status.contains(": 2, 1 more skipped") && status.contains(&format!("--table {table}`")), "{status}");
        // A key that is none: the first row counts.
        let report = database.okno(&world, &["--table", &table, "--key", "sold"]).succeeds().json();
        assert_eq!(report["skipped"].as_array().unwrap().len(), 1, "{report}");
        // A row that fits again is no longer missing.
        database.run("UPDATE teas SET note = 'short' WHERE id = 7");
        assert_eq!(database.sync(&world, &["--table", &table])[0], 3);
        assert_eq!(world.search(&["What is the sum of price?"])["rows"]["missing"], json!(null));
    }
    world.write("notes.txt", "Not a database.");
    world.okno(["index", "notes.txt", "--table", "teas"]).refuses().says(&["is not a database"]);
}

#[test]
fn passwords_come_from_the_environment_only() {
    let world = World::new();
    for address in ["postgres://okno:secret@127.0.0.1/x", "postgresql://okno@127.0.0.1/x?password=secret"] {
        let ran = world.okno(["index", address, "--table", "t"]).refuses().says(&["PGPASSWORD"]);
        assert!(!ran.err.contains("secret"), "{}", ran.err);
    }
    let Some(database) = Filled::server("okno_password") else { return };
    let mut command = world.command();
    let command = command.args(["index", database.address(), "--table", "t"]).env_remove("PGPASSWORD");
    Ran::of(command).ends_with(1).says(&["cannot connect"]);
}

#[test]
fn a_server_is_read_with_encryption_and_believed_by_its_certificate() {
    let world = World::new();
    let (Ok(address), Ok(authority)) =
        (std::env::var("OKNO_TEST_POSTGRES"), std::env::var("OKNO_TEST_POSTGRES_AUTHORITY"))
    else {
        return say_skipped("OKNO_TEST_POSTGRES and OKNO_TEST_POSTGRES_AUTHORITY name no server with TLS");
    };
    // The server says whether this very connection is encrypted.
    let query = "SELECT pid AS id, ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    let index = |address: &str| {
        world.delete_index();
        let mut command = world.command();
        let arguments = ["index", address, "--query", query, "--key", "id", "--table", "connection"];
        Ran::of(command.args(arguments).env("PGPASSWORD", "okno"))
    };
    let is_encrypted = |address: &str| {
        index(address).succeeds();
        world.documents().values().next().unwrap()["metadata"]["ssl"] == json!(true)
    };
    assert!(is_encrypted(&format!("{address}?sslmode=require&sslrootcert={authority}")));
    assert!(is_encrypted(&format!("{address}?sslrootcert={authority}")), "an authority is for something");
    assert!(!is_encrypted(&address) && !is_encrypted(&format!("{address}?sslmode=disable")), "it is on this machine");
    // A certificate by nobody who is known, one of another name, and none.
    let unknown = format!("{address}?sslmode=require");
    index(&unknown).ends_with(1).says(&["no encrypted connection", "`sslrootcert=FILE`", "`sslmode=disable`"]);
    let other = format!("{}?sslmode=require&sslrootcert={authority}", address.replace("127.0.0.1", "localhost"));
    index(&other).ends_with(1).says(&["no encrypted connection"]);
    world.write("empty.pem", "");
    let empty = world.path("empty.pem");
    index(&format!("{address}?sslrootcert={}", empty.display())).ends_with(1).says(&["empty.pem", "PEM"]);
    index(&format!("{address}?sslmode=maybe")).ends_with(1).says(&["invalid address"]);
}

#[test]
fn a_source_can_be_removed() {
    let world = World::new();
    let mut database = Filled::file(&world);
    database.fill_teas();
    world.okno(["index", database.address()]).ends_with(1).says(&["okno index FILE --table NAME"]);
    database.sync(&world, &["--table", "teas"]);
    let source = format!("{}#teas", world.path("shop.sqlite").canonicalize().unwrap().display());
    world.okno(["remove", "--root", "source:teas"]).refuses();
    assert_eq!(world.okno(["remove", "--json", "--root", &source]).succeeds().json(), json!({"removed": 3}));
    assert!(world.names().is_empty());
}

#[test]
fn questions_about_rows_are_answered_with_sql() {
    let world = World::new();
    let mut database = Filled::file(&world);
    database.fill_teas();
    database.fill_customers();
    database.sync(&world, &["--table", "teas"]);
    database.sync(&world, &["--table", "customers"]);
    // The rows of a CSV file of the unstructured project.
    world.write("files/cups.csv", "Team,Location,Stanley Cups\nBlues,STL,1\nFlyers,PHI,2\nMaple Leafs,TOR,13\n");
    world.index(["files"]);
    for (question, value, document) in [
        ("How many customers are from Chile?", json!(1), "customers/DD37Cf93aecA6Dc"),
        ("平均 price 是多少", json!(75.25), "teas/9007199254740993"),
        ("Which team has the most Stanley Cups?", json!("Maple Leafs"), "cups.csv"),
    ] {
        let answer = world.search(&[question]);
        let rows = &answer["rows"];
        assert_eq!((&rows["rows"][0][0], &answer["route"]["route"]), (&value, &json!("sql")), "{question}: {rows}");
        let resting = rows["contexts"].as_u64().unwrap() as usize;
        let found: Vec<String> =
            answer["contexts"].as_array().unwrap()[..resting].iter().map(|c| text(c, "doc_id")).collect();
        assert!(found.iter().any(|found| found == document), "{question}: {found:?}");
        let asked = world.okno(["ask", "--json", question]).succeeds().json();
        let told = text(&asked, "answer");
        assert!(told.contains(value.as_str().unwrap_or(&value.to_string())), "{told}");
        assert!(told.contains("SELECT") && told.contains("[1]"), "{told}");
    }
    // Rows are those of one table whatever their keys are, and one that adds up others is none of them.
    database.run(
        "CREATE TABLE stock (shelf text, place text, pieces int, PRIMARY KEY (shelf, place));
         INSERT INTO stock VALUES ('a', 'x', 1), ('a', 'y/z', 2), ('b', 'x', 3);",
    );
    database.sync(&world, &["--table", "stock"]);
    world.write("files/sales.csv", "city,tons\nOslo,3\nRome,4\nTotal,7\n");
    world.index(["files"]);
    for (question, value) in [("What is the sum of pieces?", 6), ("What is the sum of tons?", 7)] {
        assert_eq!(world.search(&[question])["rows"]["rows"], json!([[value]]), "{question}");
    }
    // `okno sql` asks the same tables by the same names.
    for question in ["What is the sum of pieces?", "What is the sum of tons?", "How many customers are from Chile?"] {
        let rows = &world.search(&[question])["rows"];
        let again = world.okno(["sql", "--json", rows["sql"].as_str().unwrap()]).succeeds().json();
        let value = again.as_object().unwrap().values().next().unwrap();
        assert_eq!(value, &rows["rows"][0][0], "{rows}");
    }
    let tons = world.search(&["What is the sum of tons?"]);
    assert_eq!(tons["rows"]["sql"], "SELECT sum(\"tons\") AS \"sum of tons\" FROM \"sales\" WHERE _row NOT IN (3)");
    // A long list says how many there are.
    let lines: Vec<String> = (1..=57).map(|at| format!("part {at},{at}")).collect();
    world.write("files/parts.csv", format!("part,grams\n{}\n", lines.join("\n")));
    world.index(["files"]);
    let told = text(&world.okno(["ask", "--json", "all parts with grams over 0"]).succeeds().json(), "answer");
    assert!(told.contains("- … and 37 more"), "{told}");
    let shown = world.okno(["search", "--explain", "How many customers are from Chile?"]).succeeds().out;
    assert!(shown.contains("SQL (by rule): SELECT count(*)") && shown.contains("route    sql"), "{shown}");
    // Nothing is found, a word is not explained, or the route was chosen: the usual search answers.
    for arguments in [
        &["How many customers are from Peru?"][..],
        &["How many customers from Chile like tea?"],
        &["How many customers are not from Chile?"],
        &["How many customers have a city?"],
        &["What is the average price by name?"],
        &["How many customers are from Chile?", "--route", "hybrid"],
    ] {
        let answer = world.search(arguments);
        assert_eq!((&answer["rows"], &answer["route"]["route"]), (&json!(null), &json!("hybrid")), "{arguments:?}");
        let filter = answer["understood"]["filter"].as_str();
        assert!(!arguments[0].contains(" not ") || filter.is_none(), "{filter:?}");
    }
}
