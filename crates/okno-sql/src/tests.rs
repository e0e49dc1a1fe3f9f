use super::*;
use okno::document::table::Table;

fn source(document: &str, rows: &[&[&str]]) -> TableSource {
    let row = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
    let table = Table { header: row(rows[0]), rows: rows[1..].iter().map(|cells| row(cells)).collect() };
    TableSource { document: document.to_owned(), table }
}

fn sales() -> Vec<TableSource> {
    vec![
        source(
            "reports/销售 2023.csv",
            &[
                &["城市", "Amount", "amount", ""],
                &["**北京**", "1,200", "007", "x"],
                &["上海", "800.5", "", "y"],
                &["上海", "12,5"],
            ],
        ),
        source("reports/销售 2023.csv", &[&["a"], &["1"]]),
    ]
}

fn ask(sql: &str) -> Result<QueryRows> {
    Database::new(&sales(), &[]).unwrap().query(sql, SqlLimits::default())
}

#[test]
fn tables_are_named_after_documents_and_columns_after_headers() {
    let database = Database::new(&sales(), &[]).unwrap();
    let tables = database.tables(SqlLimits::default()).unwrap();
    let columns = ["城市", "Amount", "amount_2", "column_4", "_document", "_row"];
    assert_eq!((tables[0].name.as_str(), tables[0].rows), ("\"销售_2023\"", 3));
    assert_eq!(tables[0].columns, columns);
    assert_eq!(tables[1].name, "\"销售_2023_2\"");
}

#[test]
fn numbers_are_numbers_codes_stay_text_and_empty_cells_are_null() {
    let rows = ask("SELECT 城市, Amount, amount_2, column_4, _row FROM 销售_2023 ORDER BY _row").unwrap();
    let json = serde_json::json!([
        ["北京", 1200, "007", "x", 1],
        ["上海", 800.5, null, "y", 2],
        ["上海", "12,5", null, null, 3]
    ]);
    assert_eq!(serde_json::json!(rows.rows), json);
    let sum = ask("SELECT sum(Amount) AS total FROM 销售_2023 WHERE typeof(Amount) != 'text'").unwrap();
    assert_eq!((sum.columns[0].as_str(), &sum.rows[0][0]), ("total", &serde_json::json!(2000.5)));
}

#[test]
fn signs_of_money_and_per_cent_do_not_make_a_number_text() {
    // As text they were greater than every number.
    let table = source("a.csv", &[&["x"], &["11%"], &["¥1,200"], &["$3.5"], &["5 kg"], &["v1"]]);
    let rows = Database::new(&[table], &[]).unwrap().query("SELECT x FROM a", SqlLimits::default()).unwrap().rows;
    assert_eq!(serde_json::json!(rows), serde_json::json!([[11], [1200], [3.5], ["5 kg"], ["v1"]]));
}

#[test]
fn nothing_but_reading_is_allowed() {
    for sql in [
        "DROP TABLE 销售_2023",
        "INSERT INTO 销售_2023 VALUES (1,2,3,4,5,6)",
        "ATTACH DATABASE '/etc/passwd' AS p",
        "PRAGMA writable_schema = 1",
        "SELECT 1; DROP TABLE 销售_2023",
        "SELECT load_extension('x')",
        "CREATE TABLE t (a)",
        "VACUUM INTO '/tmp/x'",
        "WITH x AS (SELECT 1) DELETE FROM 销售_2023",
    ] {
        let error = ask(sql).unwrap_err();
        assert!(matches!(error, Error::NotReading | Error::Query(_)), "{sql}: {error}");
    }
    assert_eq!(ask("SELECT count(*) FROM 销售_2023").unwrap().rows[0][0], 3);
}

#[test]
fn a_change_is_called_one_also_where_its_table_does_not_exist() {
    // It was told as `no such table`.
    for sql in ["DROP TABLE nowhere", "  delete from nowhere", "Update nowhere SET a = 1"] {
        assert!(matches!(ask(sql).unwrap_err(), Error::NotReading), "{sql}");
    }
    assert!(matches!(ask("SELECT * FROM nowhere").unwrap_err(), Error::Query(_)));
}

#[test]
fn a_query_that_never_ends_is_stopped_and_a_long_answer_is_cut() {
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    let database = Database::new(&sales(), &[]).unwrap();
    let time = Duration::from_millis(100);
    assert!(matches!(database.query(endless, SqlLimits { time, ..SqlLimits::default() }), Err(Error::TooLong(_))));
    let forever = SqlLimits { time: Duration::MAX, ..SqlLimits::default() };
    assert!(database.query("SELECT 1", forever).is_ok(), "a time no clock can hold");
    let many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
    let cut = database.query(many, SqlLimits { rows: 5, ..SqlLimits::default() }).unwrap();
    assert_eq!((cut.rows.len(), cut.more), (5, true));
}

fn ends_in_time(sql: &str) -> Result<QueryRows> {
    let (begun, time) = (Instant::now(), Duration::from_millis(500));
    let answer = Database::new(&sales(), &[]).unwrap().query(sql, SqlLimits { time, ..SqlLimits::default() });
    assert!(begun.elapsed() < Duration::from_secs(4), "{sql}: {:?}", begun.elapsed());
    answer
}

/// Was broken: functions cannot be interrupted, and one call worked on hundreds of megabytes for half a minute.
#[test]
fn no_function_takes_longer_than_the_time_or_more_than_the_memory() {
    let large = "SELECT length(replace(hex(zeroblob(200000000)), '0', 'aaaa'))";
    assert_eq!(ends_in_time(large), Err(Error::TooLarge));
    assert_eq!(ends_in_time("SELECT replace(hex(zeroblob(1000000)), '0', 'aaaaaaaaaa')"), Err(Error::TooLarge));
    let many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT hex(zeroblob(3000000)) FROM n";
    assert_eq!(ends_in_time(many), Err(Error::TooLarge), "the answer counts too");
    let sorted = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 900) \
                  SELECT count(*) FROM (SELECT DISTINCT hex(randomblob(1000000)) FROM n)";
    assert!(matches!(ends_in_time(sorted), Err(Error::TooLarge | Error::TooLong(_))));
    let zeros = "hex(zeroblob(3000000))";
    for slow in [
        format!("SELECT {zeros} LIKE '%0%0%0%0%0%0%0%0%0%01'"),
        format!("SELECT {zeros} GLOB '*0*0*0*0*0*0*0*0*0*01'"),
        format!("SELECT {zeros} LIKE '%' || hex(zeroblob(20000)) || '1%'"),
        format!("SELECT instr({zeros}, hex(zeroblob(1500000)) || '1')"),
        format!("SELECT length(replace({zeros}, hex(zeroblob(1500000)) || '1', ''))"),
        format!("SELECT length(trim({zeros}, hex(zeroblob(1500000)) || '1'))"),
    ] {
        assert!(matches!(ends_in_time(&slow), Ok(_) | Err(Error::TooLong(_))), "{slow}");
    }
}

#[test]
fn functions_that_are_ours_answer_as_those_of_sqlite() {
    let sqlite = Connection::open_in_memory().unwrap();
    let ours = Database::new(&sales(), &[]).unwrap();
    for expression in [
        "'Tea' LIKE 't%'",
        "'Tea' LIKE '_e_'",
        "'a%b' LIKE 'a\\%b' ESCAPE '\\'",
        "'ab' LIKE 'a\\%b' ESCAPE '\\'",
        "NULL LIKE 'x'",
        "'茶叶' LIKE '茶_'",
        "'É' LIKE 'é'",
        "12 LIKE '1%'",
        "1.0 LIKE '1.0'",
        "'' LIKE '%'",
        "'abcbc' LIKE '%bc'",
        "'Tea' GLOB 't*'",
        "'Tea' GLOB '[A-Z]ea'",
        "'Tea' GLOB '[^a-z]*'",
        "'x]' GLOB 'x[]]'",
        "'a-' GLOB 'a[-x]'",
        "'tea' GLOB 't[d-f'",
        "'aXbXc' GLOB '*X?'",
        "instr('绿茶 tea', 'tea')",
        "instr('x', '')",
        "instr(x'0102', x'02')",
        "instr(NULL, 'x')",
        "instr(1234, 34)",
        "replace('a-b-c', '-', '+')",
        "replace('abc', '', 'x')",
        "replace(NULL, 'a', 'b')",
        "replace('abc', 'b', NULL)",
        "replace(121, 1, 'x')",
        "trim('xxaxx', 'x')",
        "ltrim('xyax', 'yx')",
        "rtrim('茶茶a茶', '茶')",
        "trim(NULL, 'x')",
        "trim('x', '')",
    ] {
        let sql = format!("SELECT {expression}");
        let theirs = sqlite.query_row(&sql, [], |row| row.get_ref(0).map(value)).unwrap();
        assert_eq!(ours.query(&sql, SqlLimits::default()).unwrap().rows[0][0], theirs, "{expression}");
    }
}

#[test]
fn a_view_that_never_ends_does_not_hold_up_the_list_of_tables() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("endless.db");
    let made = Connection::open(&path).unwrap();
    made.execute_batch(
        "CREATE VIEW v AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
    )
    .unwrap();
    drop(made);
    let database = Database::new(&[], &[path]).unwrap();
    let time = Duration::from_millis(200);
    assert_eq!(database.tables(SqlLimits { time, ..SqlLimits::default() }), Err(Error::TooLong(time)));
}

#[test]
fn a_database_file_is_read_and_never_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop? 100%.db");
    let made = Connection::open(&path).unwrap();
    made.execute_batch("CREATE TABLE items (name TEXT, price REAL); INSERT INTO items VALUES ('tea', 3.5);").unwrap();
    drop(made);
    let database = Database::new(&[], std::slice::from_ref(&path)).unwrap();
    let rows = database.query("SELECT price FROM items WHERE name = 'tea'", SqlLimits::default()).unwrap();
    assert_eq!(rows.rows[0][0], 3.5);
    assert!(database.query("DELETE FROM items", SqlLimits::default()).is_err());
    let no_database = folder.path().join("letter.db");
    std::fs::write(&no_database, "Dear …".repeat(200)).unwrap();
    assert!(matches!(Database::new(&[], &[no_database]), Err(Error::File { .. })));
    assert!(matches!(Database::new(&[], &[folder.path().join("gone.db")]), Err(Error::File { .. })));
}

#[test]
fn a_statement_is_checked_without_being_run() {
    let database = Database::new(&sales(), &[]).unwrap();
    assert!(database.check("SELECT \"城市\" FROM \"销售_2023\"").is_ok());
    let missing = database.check("SELECT price FROM \"销售_2023\"").unwrap_err().to_string();
    assert!(missing.contains("price"), "{missing}");
    for no in ["DROP TABLE \"销售_2023\"", "SELECT 1; SELECT 2", "PRAGMA user_version", ""] {
        assert!(database.check(no).is_err(), "{no}");
    }
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    assert!(database.check(endless).is_ok(), "it is not run");
}

#[test]
fn columns_that_sqlite_cannot_hold_are_not_left_out_silently() {
    let wide: Vec<String> = (0..2100).map(|at| format!("c{at}")).collect();
    let table = Table { header: wide.clone(), rows: vec![wide] };
    let database = Database::new(&[TableSource { document: "wide.csv".into(), table }], &[]).unwrap();
    let lost = Narrowed { name: "wide".into(), document: "wide.csv".into(), columns: 2100 };
    assert_eq!(database.narrowed(), [lost]);
    let statement = format!("SELECT c{} FROM wide", MOST_COLUMNS - 1);
    assert_eq!(database.query(&statement, SqlLimits::default()).unwrap().rows[0][0], "c1989");
    assert!(Database::new(&sales(), &[]).unwrap().narrowed().is_empty());
}
