//! Every command as its user sees it, on the sample that comes with the program.

#[path = "cli/asking.rs"]
mod asking;
#[path = "cli/routes.rs"]
mod routes;
mod support;
#[path = "cli/units.rs"]
mod units;

use serde_json::{Value, json};
use std::process::Stdio;
use support::{Ran, World, contexts, counts, number, sample, skipped, text};

/// A question of the sample whose answer is one Chinese sentence, and one in English.
const ZH: &str = "土豆丝为什么要泡水？";
const EN: &str = "What is the number of the kit meant for deep lakes?";

#[test]
fn index_prints_a_summary_for_people_and_a_report_for_programs() {
    let world = World::new();
    let ran = world.okno(["index", sample().to_str().unwrap()]).succeeds();
    assert_eq!(ran.out, "", "messages are not data");
    let ran = ran.says(&["26 added, 0 changed, 0 removed, 0 unchanged", "sentences", "KiB in"]);
    assert!(!ran.err.contains("skipped"), "all of the sample can be read: {}", ran.err);

    let ran = world.okno(["index", "--json", sample().to_str().unwrap()]).succeeds();
    assert_eq!(ran.err, "", "a program that reads both streams must not be disturbed");
    let report = ran.json();
    assert_eq!(counts(&report)[..3], [0, 0, 0]);
    assert_eq!((&report["stopped"], skipped(&report).len()), (&json!(false), 0));
}

#[test]
fn status_tells_what_the_index_holds() {
    let world = World::with_sample();
    let ran = world.okno(["status"]).succeeds();
    assert_eq!(ran.err, "");
    for part in ["documents  26, ", "embedder   okno-static-", "recipe     auto", "field      category: "] {
        assert!(ran.out.contains(part), "`{part}` is missing in {}", ran.out);
    }
    let status = world.status();
    assert_eq!(number(&status, "documents"), 26);
    assert!(number(&status, "disk_bytes") > 0 && number(&status, "text_bytes") > 50_000);
    assert_eq!(status["roots"], json!([sample().canonicalize().unwrap()]));
    assert!(status["fields"]["year"].as_array().unwrap().contains(&json!("2023")));
}

#[test]
fn index_choices_are_kept_in_the_index() {
    let world = World::new();
    let sample = sample();
    let sample = sample.to_str().unwrap();
    world.okno(["index", sample, "--recipe", "neighbors", "--size", "300", "--overlap", "100"]).succeeds();
    let status = world.status();
    assert_eq!((text(&status, "recipe"), text(&status, "chunk")), ("neighbors".into(), "chunk:300c/100c".into()));
    let answer = world.search(&[ZH]);
    assert_eq!(
        (&answer["recipe"]["layers"], &answer["recipe"]["expand"]),
        (&json!(["chunk:300c/100c"]), &json!("neighbors:1"))
    );
    // Another size needs nothing but the flag: no document is read again.
    assert_eq!(counts(&world.index(["--preset", "paper"]))[..3], [0, 0, 0]);
    let answer = world.search(&[ZH]);
    assert_eq!(
        (&answer["recipe"]["layers"], &answer["recipe"]["expand"]),
        (&json!(["chunk:700c/280c"]), &json!("neighbors:2"))
    );
}

#[test]
fn documents_lists_names_sentences_and_titles() {
    let world = World::with_sample();
    let ran = world.okno(["documents"]).succeeds();
    assert_eq!((ran.out.lines().count(), ran.err.as_str()), (26, ""));
    let line: Vec<&str> =
        ran.out.lines().find(|line| line.starts_with("zh/recipes/红烧排骨.md\t")).unwrap().split('\t').collect();
    assert!(line.len() == 3 && line[1].parse::<usize>().unwrap() > 5 && line[2] == "红烧排骨");
    let reports = world.okno(["documents", "--filter", "year = 2023 and document_type = 财报"]).succeeds();
    assert_eq!(reports.out.lines().count(), 4);
}

#[test]
fn show_prints_a_document_or_a_part_of_it() {
    let world = World::with_sample();
    let source = std::fs::read_to_string(sample().join("zh/老渡口.txt")).unwrap();
    let ran = world.okno(["show", "zh/老渡口.txt"]).succeeds();
    assert_eq!((ran.out.as_str(), ran.err.as_str()), (source.as_str(), ""));
    let part: String = source.chars().skip(5).take(10).collect();
    assert_eq!(world.okno(["show", "zh/老渡口.txt", "--start", "5", "--end", "15"]).succeeds().out, part);
    for (start, end) in [("15", "5"), ("99999999", "99999999")] {
        assert_eq!(world.okno(["show", "zh/老渡口.txt", "--start", start, "--end", end]).succeeds().out, "");
    }
    assert_eq!(text(&world.okno(["show", "news-002", "--json"]).succeeds().json(), "path"), "news.jsonl");
    world.okno(["show", "nothing.md"]).refuses().says(&["`nothing.md`", "`okno documents`"]);
}

#[test]
fn what_is_removed_stays_removed_until_its_content_changes() {
    let world = World::new();
    world.write("notes/tea.md", "Green tea wants water of seventy degrees.");
    world.write("notes/soup.md", "Leek soup wants patience.");
    world.write(
        "notes/news.jsonl",
        "{\"id\": \"n1\", \"text\": \"The ferry is late.\"}\n{\"id\": \"n2\", \"text\": \"The bridge is open.\"}\n",
    );
    world.index(["notes"]);
    world.okno(["remove", "tea.md", "n1"]).succeeds().says(&["2 removed"]);
    assert_eq!(world.names(), ["n2", "soup.md"]);
    assert!(!world.found("green tea degrees").contains(&"tea.md".to_owned()));

    world.index(["notes"]);
    assert_eq!(world.names(), ["n2", "soup.md"], "indexing again does not bring them back");
    world.write("notes/tea.md", "Green tea wants water of seventy degrees.");
    world.write(
        "notes/news.jsonl",
        "{\"id\": \"n1\", \"text\": \"The ferry is late.\"}\n{\"id\": \"n2\", \"text\": \
        \"The bridge is closed again.\"}\n",
    );
    world.index(["notes"]);
    assert_eq!(world.names(), ["n2", "soup.md"], "nor does a new date, nor a change of another line");

    world.write("notes/tea.md", "Green tea wants water of eighty degrees.");
    world.write(
        "notes/news.jsonl",
        "{\"id\": \"n1\", \"text\": \"The ferry is early.\"}\n{\"id\": \"n2\", \"text\": \
        \"The bridge is closed again.\"}\n",
    );
    assert_eq!(number(&world.index(["notes"]), "added"), 2);
    assert_eq!(world.names(), ["n1", "n2", "soup.md", "tea.md"]);
    world.okno(["remove", "gone.md"]).refuses().says(&["`okno documents`"]);
}

#[test]
fn removing_a_root_takes_all_of_it_out_and_no_longer_follows_it() {
    let world = World::new();
    world.write("a/one.md", "The first folder.").write("b/two.md", "The second folder.");
    world.index(["a", "b"]);
    let ran = world.okno(["remove", "--root", "a", "--json"]).succeeds();
    assert_eq!(ran.json(), json!({"removed": 1}));
    world.index([] as [&str; 0]);
    assert_eq!(world.names(), ["two.md"]);
    world.okno(["remove", "--root", "a"]).ends_with(1).says(&["was not indexed", "these were"]);
}

#[test]
fn recipes_are_listed() {
    let world = World::new();
    let ran = world.okno(["recipes"]).succeeds();
    let json = world.okno(["recipes", "--json"]).succeeds().json();
    for name in ["auto", "chunks", "neighbors", "parent", "section", "window"] {
        assert!(ran.out.contains(&format!("\n{name} ")) || ran.out.starts_with(name), "{}", ran.out);
        assert!(number(&json[name], "budget") > 0);
    }
}

#[test]
fn embed_turns_lines_into_unit_vectors() {
    let ran = World::new().okno_reading(["embed"], "hello world\n\n土豆\nhello world\n").succeeds();
    let vectors: Vec<Vec<f64>> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let lengths: Vec<f64> = vectors.iter().map(|v| v.iter().map(|x| x * x).sum::<f64>().sqrt()).collect();
    assert_eq!((vectors.len(), vectors[0] == vectors[3], vectors[0] == vectors[2]), (4, true, false));
    assert!(vectors.iter().all(|vector| vector.len() == vectors[0].len()));
    assert!([0, 2, 3].iter().all(|&i| (lengths[i] - 1.0).abs() < 1e-4), "{lengths:?}");
    assert!(lengths[1].abs() < 1e-9, "an empty line has no direction");
}

#[test]
fn demo_needs_nothing_and_leaves_nothing() {
    let world = World::new();
    let ran = world.okno(["demo"]).succeeds().says(&["indexed 26 documents", "Now try your own documents"]);
    assert_eq!(ran.out.matches("❯ okno search").count(), 3);
    assert!(ran.out.contains("1. en/") && ran.out.contains("❯ okno compare"), "{}", ran.out);
    assert_eq!(std::fs::read_dir(world.path("")).unwrap().count(), 0, "no index is left behind");
    Ran::of(world.command().env("OKNO_INDEX", world.path("mine")).args(["demo"])).succeeds();
    assert!(!world.path("mine").exists(), "the sample never goes into the user's own index");
    let ran = world.okno(["demo", "--lang", "zh"]).succeeds().says(&["已索引 26 个文档"]);
    assert!(ran.out.contains("酸辣土豆丝"), "{}", ran.out);
}

#[test]
fn chinese_by_flag_or_by_locale() {
    let world = World::with_sample();
    world.okno(["search", "x", "--index", "nowhere", "--lang", "zh"]).ends_with(1).says(&[
        "错误：",
        "没有索引",
        "`okno index",
    ]);
    for locale in ["LANG", "LC_MESSAGES", "LC_ALL"] {
        let ran = Ran::of(world.command().env(locale, "zh_CN.UTF-8").args(["show", "nothing"]));
        ran.ends_with(1).says(&["错误：", "`okno documents`"]);
    }
    let ran = Ran::of(world.command().env("LANG", "zh_CN.UTF-8").env("LC_ALL", "en_US.UTF-8").args(["status"]));
    assert!(ran.succeeds().out.starts_with("index "), "LC_ALL is stronger than LANG");
    let ran = Ran::of(world.command().env("LANG", "zh_CN.UTF-8").args(["--lang", "en", "status"]));
    assert!(ran.succeeds().out.starts_with("index "), "the flag is stronger than the locale");
    assert!(world.okno(["--lang", "zh", "status"]).succeeds().out.starts_with("索引"));
    world.okno(["--lang", "zh", "index"]).succeeds().says(&["新增 0，更新 0"]);
    world
        .okno(["--lang", "zh", "search", "土豆", "--filter", "categry = x"])
        .ends_with(1)
        .says(&["没有文档有字段 `categry`", "`category`"]);
}

#[test]
fn the_index_is_where_the_flag_or_the_variable_says() {
    let world = World::new();
    world.write("notes/a.md", "Rain on the roof.");
    Ran::of(world.command().env("OKNO_INDEX", "elsewhere").args(["index", "notes"])).succeeds();
    assert!(world.path("elsewhere/data.mdb").is_file() && !world.path(".okno").exists());
    let ran = Ran::of(world.command().env("OKNO_INDEX", "elsewhere").args(["documents"])).succeeds();
    assert_eq!(ran.out.lines().count(), 1);
    let ran = Ran::of(world.command().env("OKNO_INDEX", "nowhere").args(["--index", "elsewhere", "documents"]));
    assert_eq!(ran.succeeds().out.lines().count(), 1, "the flag is stronger");
    let stored = |name: &str| {
        Ran::of(world.command().env("OKNO_STORE", "milvus://nowhere/x").args(["--index", name, "documents"]))
    };
    assert_eq!(stored("elsewhere").succeeds().out.lines().count(), 1, "also than a variable that names a store");
    let two = Ran::of(
        world.command().env("OKNO_STORE", "milvus://nowhere/x").env("OKNO_INDEX", "elsewhere").args(["status"]),
    );
    assert!(two.ends_with(2).err.contains("use one of them"));
}

#[test]
fn an_empty_question_is_said_to_be_empty() {
    let world = World::new();
    world.write("notes/a.md", "Rain on the roof.");
    world.index(["notes"]);
    assert!(world.okno(["search", " "]).refuses().err.contains("the question is empty"));
    assert!(world.okno(["--lang", "zh", "search", ""]).refuses().err.contains("问题是空的"));
}

#[test]
fn a_filter_that_leaves_no_document_says_so() {
    let world = World::new();
    world.write("notes/a.md", "Rain on the roof.");
    world.index(["notes"]);
    let ran = world.okno(["documents", "--filter", "type = pdf"]).succeeds().says(&["no document matches the filter"]);
    assert_eq!(ran.out, "");
    assert_eq!(world.okno(["documents", "--filter", "type = markdown"]).succeeds().err, "");
}

#[test]
fn documents_of_the_same_name_are_cited_with_their_folders() {
    let world = World::new();
    world.write("north/a.md", "The lamp of the north pier burns all night.");
    world.write("south/a.md", "The lamp of the south pier burns until dawn.");
    world.write("south/b.md", "Boats pass the lamp of the west pier.");
    world.index(["north", "south"]);
    let whole = |path: &str| format!("{}:1", std::fs::canonicalize(world.path(path)).unwrap().display());
    let out = world.okno(["search", "lamp of the pier"]).succeeds().out;
    assert!(out.contains(&whole("north/a.md")) && out.contains(&whole("south/a.md")), "{out}");
    assert!(out.contains(". b.md:1\n"), "{out}");
    let out = world.okno(["ask", "how long does the lamp burn"]).succeeds().out;
    assert!(out.contains(&whole("north/a.md")) && out.contains(&whole("south/a.md")), "{out}");
}

#[test]
fn the_index_is_found_from_subfolders() {
    let world = World::new();
    world.write("notes/deep/er/a.md", "Rain on the roof.");
    world.index(["notes"]);
    let below = |arguments: &[&str]| Ran::of(world.command().current_dir(world.path("notes/deep/er")).args(arguments));
    assert!(below(&["search", "rain"]).succeeds().out.starts_with("1. deep/er/a.md:1"));
    world.write("notes/deep/b.md", "Snow on the roof.");
    below(&["index"]).succeeds().says(&["1 added"]);
    assert!(!world.path("notes/deep/er/.okno").exists(), "no second index");
}

#[test]
fn a_missing_index_says_how_to_make_one() {
    let world = World::new();
    for command in
        [&["search", "x"][..], &["status"], &["documents"], &["show", "x"], &["remove", "x"], &["compare", "x"]]
    {
        world.okno(command).refuses().says(&["no index at", "`okno index PATH`"]);
    }
    assert!(!world.path(".okno").exists(), "looking makes nothing");
    world.okno(["index"]).refuses().says(&["nothing to index", "`okno index PATH`"]);
}

#[test]
fn exit_code_2_means_that_the_command_itself_is_wrong() {
    let world = World::with_sample();
    for wrong in [
        &[][..],
        &["serch", "x"],
        &["search"],
        &["search", "x", "--window", "-1"],
        &["search", "x", "--window", "1", "--neighbors", "1"],
        &["search", "x", "--queries", "f"],
        &["search", "x", "-k", "many"],
        &["index", ".", "--preset", "faq", "--size", "9"],
        &["index", ".", "--max-file-size", "5xx"],
        &["remove"],
        &["--lang", "fr", "status"],
    ] {
        let ran = world.okno(wrong).ends_with(2);
        assert_eq!(ran.out, "");
        assert!(ran.err.contains("--help") || ran.err.contains("Usage"), "{}", ran.err);
    }
    for asked in [&["--help"][..], &["--version"], &["search", "--help"]] {
        let ran = world.okno(asked).succeeds();
        assert!(!ran.out.is_empty() && ran.err.is_empty(), "help that was asked for is data");
    }
}

/// `okno … | head -1`: the reader goes away early. Was broken for `--json`, `demo` and closed standard errors.
#[test]
fn a_reader_that_goes_away_is_no_error() {
    let world = World::with_sample();
    let questions = json!({"question": "土豆"}).to_string() + "\n";
    world.write("q.jsonl", questions.repeat(20));
    for command in [
        &["search", "土豆"][..],
        &["search", "土豆", "--json"],
        &["search", "--queries", "q.jsonl"],
        &["compare", "土豆"],
        &["documents"],
        &["documents", "--json"],
        &["show", "zh/老渡口.txt"],
        &["show", "--json", "zh/老渡口.txt"],
        &["status"],
        &["recipes"],
        &["recipes", "--json"],
        &["demo"],
    ] {
        let mut child = world.start(command);
        drop(child.stdout.take());
        let ran = Ran::from(child.wait_with_output().unwrap());
        assert!(ran.status.success() && !ran.err.contains("error"), "{command:?}: {ran:?}");
    }
    for command in [&["search", "土豆"][..], &["index"], &["show", "none"], &["demo"], &["remove", "news-001"]] {
        let mut child = world.start(command);
        drop(child.stderr.take());
        let status = child.wait_with_output().unwrap().status;
        assert_eq!(status.code(), Some(i32::from(command[0] == "show")), "{command:?} with standard error closed");
    }
    let shut = world.command().args(["embed"]).stdin(Stdio::null()).output().unwrap();
    assert!(shut.status.success() && shut.stdout.is_empty());
}
