//! The route of questions to SQL, over an index: what the rule is not sure of a model may write, whoever asks counts
//! only what they may see, and what fails leaves the usual search as it is.

use okno::document::{Access, Metadata, Value};
use okno::generate::scripted::Scripted;
use okno::generate::{GenerateError, Generator};
use okno::load::GivenDocument;
use okno::retrieve::QueryWriter;
use okno::understand::model::{Step, Taken};
use okno::understand::{Because, Route};
use okno::{Answer, DocumentSource, Engine, IndexOptions, Query, Silent, SourceDocument, SourceEntry};
use okno_sql::{Database, SqlLimits, TableRoute, of_index};
use serde_json::json;
use std::sync::Arc;
use tempfile::TempDir;

const TEAS: &str = "name,country,price,stock\nSencha,Japan,30,5\nKeemun,China,25.5,70\nLongjing,China,120,8\n\
                    Gyokuro,Japan,150,2\nTotal,,325.5,85\n";

/// A question that counts, and that the rule does not explain.
const BY_COUNTRY: &str = "How many teas does each country have?";

const GROUPED: &str = r#"{"sql": "SELECT country, count(*) AS teas FROM teas WHERE _row NOT IN (5) GROUP BY country"}"#;

fn engine(files: &[(&str, &str)], model: Option<Arc<Scripted>>) -> (TempDir, Engine) {
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().join("notes");
    std::fs::create_dir(&notes).unwrap();
    for (name, text) in files {
        std::fs::write(notes.join(name), text).unwrap();
    }
    let generator = model.map(|model| model as Arc<dyn Generator>);
    let builder =
        Engine::builder().generator(generator).row_route(Some(Arc::new(TableRoute::hiding(["secret".to_owned()]))));
    let engine = builder.create(folder.path().join(".okno")).unwrap();
    engine.index(&[notes]).unwrap();
    (folder, engine)
}

fn teas(says: &[&str]) -> (TempDir, Engine, Arc<Scripted>) {
    let model = Arc::new(Scripted::saying(says));
    let (folder, engine) = engine(&[("teas.csv", TEAS), ("note.md", "Tea is drunk hot.")], Some(Arc::clone(&model)));
    (folder, engine, model)
}

fn sql_step(answer: &Answer) -> Option<&Taken> {
    answer.steps.iter().find(|taken| taken.step == Step::Sql)
}

fn failed(answer: &Answer) -> String {
    sql_step(answer).and_then(|taken| taken.failed.as_ref()).map(ToString::to_string).unwrap_or_default()
}

#[test]
fn a_model_writes_the_query_where_the_rule_is_not_sure() {
    let (_folder, engine, model) = teas(&[GROUPED]);
    for query in [Query::new(BY_COUNTRY).transform(vec![Step::Sql]), Query::new(BY_COUNTRY).to_answer(true)] {
        let answer = engine.search(&query).unwrap();
        let rows = answer.rows.as_ref().unwrap();
        assert_eq!(json!(rows.rows), json!([["China", 2], ["Japan", 2]]));
        assert_eq!((rows.by, answer.routing.route), (QueryWriter::Model, Route::Sql));
        let taken = sql_step(&answer).unwrap();
        assert!(taken.failed.is_none() && taken.gave == [rows.sql.clone()] && taken.usage.prompt > 0, "{taken:?}");
        // The header and the four rows, not the one that adds them up.
        let cited = &answer.contexts[..rows.contexts];
        assert!(cited[0].text.contains("name") && cited.iter().any(|context| context.text.contains("Gyokuro")));
        assert!(cited.iter().all(|context| !context.text.contains("Total")), "{cited:?}");
        assert!(engine.asks_model(&query).unwrap());
    }
    let shown = &model.asked()[0].messages[1].text;
    assert!(shown.contains(r#""teas" ("name", "country", "price", "stock", "_document", "_row"), 5 rows"#), "{shown}");
    assert!(shown.contains("_row NOT IN (5)") && shown.contains("Sencha"), "{shown}");
}

#[test]
fn nobody_asks_a_model_who_was_not_told_to() {
    let (_folder, engine, model) = teas(&[GROUPED]);
    let without = [
        // A search names no step; the rule is sure; nothing is counted; the steps are named, and this is none of them.
        Query::new(BY_COUNTRY),
        Query::new("What is the average price?").to_answer(true),
        Query::new("What does Sencha taste like?").to_answer(true),
        Query::new("What does Sencha mean?").to_answer(true),
        Query::new("Which tea is green?").to_answer(true),
        Query::new(BY_COUNTRY).transform(vec![]).to_answer(true),
        Query::new(BY_COUNTRY).route(Route::Hybrid).to_answer(true),
    ];
    for query in without {
        let answer = engine.search(&query).unwrap();
        assert!(sql_step(&answer).is_none(), "{query:?}");
        assert!(answer.rows.is_none_or(|rows| rows.by == QueryWriter::Rule), "{query:?}");
    }
    let (_folder, without_tables) = self::engine(&[("note.md", "Tea is drunk hot.")], Some(Arc::clone(&model)));
    let answer = without_tables.search(&Query::new(BY_COUNTRY).to_answer(true)).unwrap();
    assert!(answer.steps.is_empty() && model.asked().is_empty());
    // Who names the step is told why it was not taken.
    let answer = without_tables.search(&Query::new(BY_COUNTRY).transform(vec![Step::Sql])).unwrap();
    assert_eq!(failed(&answer), "there are no tables");
    let filter = okno::document::Filter::from_json(&json!("path = teas.csv")).unwrap();
    let answer = engine.search(&Query::new(BY_COUNTRY).transform(vec![Step::Sql]).filter(filter)).unwrap();
    assert!(failed(&answer).contains("a filter or a route"), "{:?}", answer.steps);
    assert!(model.asked().is_empty());
}

#[test]
fn what_fails_leaves_the_usual_search_and_is_told() {
    let (_folder, plain, _) = teas(&["{}"]);
    let usual: Vec<String> =
        plain.search(&Query::new(BY_COUNTRY)).unwrap().contexts.into_iter().map(|context| context.text).collect();
    let recursive = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n";
    let recursive = json!({ "sql": recursive }).to_string();
    for (says, reason, gave) in [
        (r#"{"sql": "SELECT taste FROM teas"}"#, "no such column: taste", 0),
        (r#"{"sql": "DELETE FROM teas"}"#, "only reading is allowed", 0),
        (r#"{"sql": null}"#, "no table answers", 0),
        ("I do not know.", "no JSON", 0),
        (r#"{"sql": "SELECT name FROM teas WHERE country = 'Peru'"}"#, "found nothing", 1),
        (r#"{"sql": "SELECT count(*), NULL, 0.0 FROM teas WHERE country = 'Peru'"}"#, "found nothing", 1),
        (recursive.as_str(), "stopped after", 1),
    ] {
        let (_folder, engine, model) = teas(&[says]);
        let answer = engine.search(&Query::new(BY_COUNTRY).to_answer(true)).unwrap();
        assert!(failed(&answer).contains(reason), "{says}: {:?}", answer.steps);
        assert_eq!(sql_step(&answer).unwrap().gave.len(), gave, "{says}");
        assert!(answer.rows.is_none() && answer.routing.route == Route::Hybrid);
        let found: Vec<String> = answer.contexts.into_iter().map(|context| context.text).collect();
        assert_eq!(found, usual, "{says}");
        assert!(model.asked().len() <= 2);
    }
    let away = Arc::new(Scripted::new(|_, _| Err(GenerateError::Stopped)));
    let (_folder, engine) = engine(&[("teas.csv", TEAS)], Some(away));
    assert!(!failed(&engine.search(&Query::new(BY_COUNTRY).to_answer(true)).unwrap()).is_empty());
}

#[test]
fn a_model_may_choose_the_route() {
    let routed = |says: &[&str]| {
        let (folder, engine, model) = teas(says);
        let answer = engine.search(&Query::new(BY_COUNTRY).transform(vec![Step::Route])).unwrap();
        (folder, answer, model)
    };
    let (_folder, answer, _) = routed(&[r#"{"route": "sql", "reason": "it counts"}"#, GROUPED]);
    assert_eq!((answer.routing.route, answer.routing.because), (Route::Sql, Because::Model));
    assert_eq!(answer.rows.unwrap().by, QueryWriter::Model);
    let (_folder, answer, _) = routed(&[r#"{"route": "sql", "reason": "it counts"}"#, r#"{"sql": null}"#]);
    assert_eq!((answer.routing.route, answer.rows.is_none()), (Route::Hybrid, true));
    assert!(failed(&answer).contains("no table answers"));
    let (_folder, answer, model) = routed(&[r#"{"route": "hybrid", "reason": null}"#]);
    assert!(sql_step(&answer).is_none() && model.asked().len() == 1, "{:?}", answer.steps);
}

#[test]
fn a_statement_over_several_tables_cites_their_headers() {
    let joined = r#"{"sql": "SELECT t.name, c.capital FROM teas t JOIN capitals c ON c.country = t.country"}"#;
    let model = Arc::new(Scripted::saying(&[joined]));
    let capitals = "country,capital\nJapan,Tokyo\nChina,Beijing\n";
    let (_folder, engine) = engine(&[("teas.csv", TEAS), ("capitals.csv", capitals)], Some(model));
    let answer = engine.search(&Query::new("List all teas with their capitals").to_answer(true)).unwrap();
    let rows = answer.rows.unwrap();
    assert_eq!((rows.rows.len(), rows.total, rows.contexts), (4, Some(4), 2), "{rows:?}");
    assert!(answer.contexts[..2].iter().all(|context| context.text.contains("country")));
}

#[test]
fn a_model_does_not_see_fields_that_are_hidden_from_it() {
    let model = Arc::new(Scripted::saying(&[r#"{"sql": null}"#]));
    let files = [("people.csv", "name,secret,age\nAda,plum,30\nBob,fig,40\n")];
    let (_folder, engine) = engine(&files, Some(Arc::clone(&model)));
    engine.search(&Query::new("How many people are old?").transform(vec![Step::Sql])).unwrap();
    let shown = &model.asked()[0].messages[1].text;
    assert!(shown.contains(r#"("name", "age", "_document", "_row")"#) && !shown.contains("plum"), "{shown}");
}

#[test]
fn several_indexes_count_only_where_one_of_them_answers() {
    let other = "pot,litres\nred,1\nblue,2\n";
    let ((_a, teas), (_b, pots)) = (engine(&[("teas.csv", TEAS)], None), engine(&[("pots.csv", other)], None));
    let asked = |question: &str, engines: [&Engine; 2]| {
        let query = Query::new(question);
        okno::search_several(engines.map(|engine| (engine, &query))).unwrap().unwrap()
    };
    for engines in [[&teas, &pots], [&pots, &teas]] {
        let answer = asked("What is the sum of litres?", engines);
        let rows = answer.rows.unwrap();
        assert_eq!((json!(rows.rows), answer.routing.route), (json!([[3]]), Route::Sql));
        assert!(rows.contexts > 0 && answer.contexts[..rows.contexts].iter().all(|c| c.document == "pots.csv"));
    }
    // Each would count its own: neither is the answer.
    let (_c, more) = engine(&[("teas.csv", "name,stock\nAssam,1\nCeylon,2\n")], None);
    let answer = asked("How many teas are there?", [&teas, &more]);
    assert!(answer.rows.is_none() && answer.routing.route == Route::Hybrid, "{:?}", answer.rows);
}

#[test]
fn of_many_tables_a_model_sees_those_that_the_question_is_about() {
    let model = Arc::new(Scripted::saying(&[r#"{"sql": null}"#]));
    let sheet = |at: usize| (format!("sheet{at}.csv"), format!("colour{at},weight\nred,{at}\nblue,7\n"));
    let mut files: Vec<(String, String)> = (0..40).map(sheet).collect();
    files.push(("zzz.csv".to_owned(), "who,where\nAda,Lisbon\nBob,Quito\n".to_owned()));
    files.push(("teas.csv".to_owned(), TEAS.to_owned()));
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let (_folder, engine) = engine(&files, Some(Arc::clone(&model)));
    engine.search(&Query::new("How many teas did she who is in Lisbon buy?").transform(vec![Step::Sql])).unwrap();
    let shown = &model.asked()[0].messages[1].text;
    assert!(shown.contains("\"teas\"") && shown.contains("\"zzz\""), "{shown}");
    assert_eq!(shown.matches("\"_row\"").count(), 8, "{shown}");
    assert!(shown.chars().count() < 13_000);
}

#[test]
fn the_query_that_an_answer_shows_can_be_run_again() {
    let (_folder, engine) = engine(&[("a.md", "| name | price |\n|---|---|\n| x | 1 |\n"), ("teas.csv", TEAS)], None);
    sync(&engine, &[("1", "Ada", 3, None), ("2", "Bob", 4, None)]);
    let database = Database::new(&of_index(&*engine.snapshot().unwrap()).unwrap(), &[]).unwrap();
    for (question, expected) in [
        ("What is the sum of stock?", json!([[85]])),
        ("What is the sum of points?", json!([[7]])),
        ("How many teas are there?", json!([[4]])),
    ] {
        let rows = engine.search(&Query::new(question)).unwrap().rows.unwrap();
        assert_eq!(json!(rows.rows), expected, "{question}: {}", rows.sql);
        assert_eq!(database.query(&rows.sql, SqlLimits::default()).unwrap().rows, rows.rows, "{}", rows.sql);
    }
    // The row that adds up the others is there, and the query leaves it out.
    let all = database.query("SELECT count(*) FROM teas", SqlLimits::default()).unwrap();
    assert_eq!(json!(all.rows), json!([[5]]));
}

/// A row of a database: key, name, points, and who may see it.
type Person<'r> = (&'r str, &'r str, i64, Option<&'r str>);

/// Rows that are listed once.
struct People<'r>(&'r [Person<'r>], bool);

impl DocumentSource for People<'_> {
    fn list(&mut self) -> okno::Result<Vec<SourceEntry>> {
        let entries = if std::mem::replace(&mut self.1, true) { &[] } else { self.0 };
        Ok(entries.iter().map(|row| SourceEntry { id: format!("people/{}", row.0), version: 1 }).collect())
    }

    fn read(&mut self, positions: &[usize]) -> okno::Result<Vec<(usize, SourceDocument)>> {
        let document = |&at: &usize| {
            let (key, name, points, allow) = self.0[at];
            let mut document = GivenDocument::new(format!("people/{key}"), format!("{name} has {points} points."));
            let mut metadata = Metadata::default();
            metadata.0.insert("name".to_owned(), Value::Text(name.to_owned()));
            metadata.0.insert("points".to_owned(), Value::Number(points as f64));
            metadata.0.extend(allow.map(|allow| ("allow".to_owned(), Value::Text(allow.to_owned()))));
            document.metadata = metadata;
            (at, Ok(document))
        };
        Ok(positions.iter().map(document).collect())
    }
}

fn sync(engine: &Engine, rows: &[Person<'_>]) {
    let mut source = People(rows, false);
    engine.sync_source("/db.sqlite#people", &mut source, &IndexOptions::default(), &Silent).unwrap();
}

#[test]
fn nobody_counts_what_they_may_not_see() {
    let hidden = "---\nallow: hr\n---\n# Pay\n\n| clerk | salary |\n|---|---|\n| Ada | 10 |\n| Bob | 20 |\n";
    let says = r#"{"sql": "SELECT sum(points) FROM people"}"#;
    let model = Arc::new(Scripted::saying(&[says]));
    let files = [("pay.md", hidden), ("note.md", "Points are given on Mondays.")];
    let (_folder, engine) = engine(&files, Some(Arc::clone(&model)));
    sync(&engine, &[("1", "Ada", 3, None), ("2", "Bob", 4, None), ("3", "Eve", 100, Some("hr"))]);
    let (public, staff) = (engine.seen_by(Access::public()), engine.seen_by(Access::of(["hr"])));
    let found = |engine: &Engine, query: Query| engine.search(&query).unwrap().rows.map(|rows| rows.rows[0][0].clone());
    // By rule: a table of a hidden document, and rows of a source.
    let salaries = || Query::new("What is the sum of salary?");
    assert_eq!((found(&public, salaries()), found(&staff, salaries())), (None, Some(30.into())));
    let points = || Query::new("What is the sum of points?");
    assert_eq!((found(&public, points()), found(&staff, points())), (Some(7.into()), Some(107.into())));
    // By a model: it is not even shown what is hidden.
    let by_model = || Query::new("How many points does everybody have?").transform(vec![Step::Sql]);
    assert_eq!((found(&public, by_model()), found(&staff, by_model())), (Some(7.into()), Some(107.into())));
    let shown: Vec<String> = model.asked().iter().map(|request| request.messages[1].text.clone()).collect();
    assert!(!shown[0].contains("Eve") && !shown[0].contains("salary") && shown[1].contains("Eve"), "{shown:?}");
}
