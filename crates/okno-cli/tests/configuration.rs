//! What is set where, what wins, and what rules make of documents.

mod support;

use serde_json::{Value, json};
use support::{Ran, World, contexts, counts, text};

/// A value of `okno config --json`.
fn value(world: &World, key: &str) -> (Value, String) {
    let config = world.okno(["config", "--json"]).succeeds().json();
    let values = config["values"].as_array().unwrap();
    let found = values.iter().find(|value| value["key"] == key).unwrap_or_else(|| panic!("no `{key}`"));
    (found["value"].clone(), text(found, "from"))
}

fn notes() -> World {
    let world = World::new();
    let note = "Green tea wants seventy degrees. Black tea wants a rolling boil. White tea wants patience. Herbal tea \
        wants time.";
    world.write("notes/tea.md", note).write("notes/soup.md", "Leek soup wants butter. It also wants salt.");
    world
}

#[test]
fn the_nearest_place_wins_and_is_named() {
    let world = notes();
    assert_eq!(value(&world, "budget"), (Value::Null, "default".into()));
    world.write(".config/okno/okno.toml", "budget = 300\nk = 4\n");
    assert_eq!(value(&world, "budget").0, 300);
    world.write("okno.toml", "budget = 20\n");
    let (budget, from) = value(&world, "budget");
    assert!(budget == 20 && from.ends_with("okno.toml") && !from.contains(".config"), "{budget} {from}");
    assert!(value(&world, "k").1.contains(".config"));
    world.index(["notes"]);
    let budget = |run: &mut std::process::Command| support::Ran::of(run).succeeds().json()["recipe"]["budget"].clone();
    let ask = ["search", "tea", "--json"];
    assert_eq!(budget(world.command().args(ask)), 20);
    assert_eq!(budget(world.command().env("OKNO_BUDGET", "30").args(ask)), 30);
    assert_eq!(budget(world.command().env("OKNO_BUDGET", "30").args(ask).args(["--budget", "40"])), 40);
}

#[test]
fn mistakes_name_the_line_and_the_nearest_key() {
    let world = notes();
    world.write("okno.toml", "k = 3\n\n[index]\nmax_filesize = \"1MB\"\n");
    for command in [&["config"][..], &["index", "notes"], &["recipes"]] {
        let ran = world.okno(command).refuses();
        assert!(ran.err.contains("okno.toml:4: ") && ran.err.contains("did you mean `max_file_size`"), "{}", ran.err);
    }
    assert!(!world.path(".okno").exists(), "nothing is made on a mistake");
    let ran = world.okno(["config", "--lang", "zh"]).ends_with(1);
    assert!(ran.err.contains("配置有误"), "{}", ran.err);
}

#[test]
fn own_recipes_are_listed_and_used() {
    let world = notes();
    world.write("okno.toml", "recipe = \"narrow\"\n[recipes.narrow]\nfrom = \"window\"\nexpand = \"none\"\nk = 1\n");
    world.index(["notes"]);
    let recipes = world.okno(["recipes", "--json"]).succeeds().json();
    assert_eq!((&recipes["narrow"]["own"], &recipes["narrow"]["rankings"]), (&json!(true), &json!(2)));
    assert_eq!((&recipes["auto"]["own"], &recipes["auto"]["missing"]), (&json!(false), &json!([])));
    assert_eq!(recipes["summary"]["missing"], json!(["summary"]), "this index has no summaries");
    let answer = world.search(&["black tea boil"]);
    assert_eq!(text(&contexts(&answer)[0], "text"), "Black tea wants a rolling boil.");
    let wide = world.search(&["black tea boil", "--recipe", "window", "-k", "1"]);
    assert!(text(&contexts(&wide)[0], "text").len() > 60);
    world.okno(["search", "x", "--recipe", "narow"]).refuses().says(&["no recipe `narow`", "`narrow`"]);
    let out = world.okno(["recipes"]).succeeds().out;
    assert!(out.contains("narrow") && out.contains("(custom)") && out.contains("needs `summary` units"), "{out}");
}

#[test]
fn keys_are_found_and_never_shown() {
    let world = notes();
    world.write(".env", "OPENAI_API_KEY=sk-very-secret\n").write("notes/.env", "OTHER=1");
    world.write("okno.toml", "[index]\nhidden = true\n");
    let ran = world.okno(["config"]).succeeds();
    let line = ran.out.lines().find(|line| line.contains("OPENAI_API_KEY")).unwrap();
    assert!(line.contains("set (.env)") && !ran.out.contains("very-secret"), "{line}");
    let json = world.okno(["config", "--json"]).succeeds();
    assert!(json.json()["keys"]["OPENAI_API_KEY"]["set"] == true && !json.out.contains("very-secret"));
    world.index(["notes"]);
    assert_eq!(world.names(), ["soup.md", "tea.md"], "a file of keys is no document");
}

#[test]
fn patterns_hidden_files_and_links_are_chosen() {
    let world = notes();
    world
        .write("notes/drafts/x.md", "A draft.")
        .write("notes/page.html", "<p>A page.</p>")
        .write("notes/.h/h.md", "Hidden.");
    world.write("okno.toml", "[index]\ninclude = [\"*.md\"]\nexclude = [\"drafts\"]\n");
    world.index(["notes"]);
    assert_eq!(world.names(), ["soup.md", "tea.md"]);
    world.index(["notes/drafts"]);
    assert_eq!(world.names(), ["soup.md", "tea.md"], "a part of a root is chosen by the same patterns");
    world.write("okno.toml", "[index]\nexclude = [\"*.md\"]\nhidden = true\n");
    assert_eq!(counts(&world.index(["notes"])), [1, 0, 2, 0]);
    assert_eq!(world.names(), ["page.html"]);
    world.write("okno.toml", "[index]\nhidden = true\n");
    world.index(["notes"]);
    assert_eq!(world.names(), [".h/h.md", "drafts/x.md", "page.html", "soup.md", "tea.md"]);
}

/// The example of the documentation, on recipes laid out as it says.
#[test]
fn the_documented_rules_sort_recipes_by_folder_and_stars() {
    let page = include_str!("../../../docs/configuration.md");
    let example = page.split("```toml").find(|block| block.contains("dishes/*/**")).unwrap();
    let world = World::new();
    world.write("okno.toml", example.split("```").next().unwrap());
    for (name, stars, note) in [
        ("dishes/vegetable_dish/凉拌黄瓜.md", "★★", "黄瓜拍碎，加醋和蒜。"),
        ("dishes/vegetable_dish/地三鲜/地三鲜.md", "★★★★", "茄子、土豆和青椒过油。"),
        ("dishes/meat_dish/红烧肉.md", "★★★", "五花肉焯水。"),
        ("dishes/soup/番茄汤.md", "★★", "番茄去皮。"),
        ("dishes/template/示例菜.md", "★", "示例。"),
    ] {
        world.write(&format!("cook/{name}"), format!("# {note}\n\n预估烹饪难度：{stars}\n\n{note}\n"));
    }
    world.write("cook/tips/去腥.md", "# 去腥\n\n料酒和姜。");
    world.index(["cook"]);
    let documents = world.documents();
    let fields = |name: &str| {
        let metadata = &documents[name]["metadata"];
        (metadata["category"].clone(), metadata["difficulty"].clone(), metadata["stars"].clone())
    };
    assert_eq!(fields("dishes/vegetable_dish/凉拌黄瓜.md"), (json!("素菜"), json!("简单"), json!(2)));
    assert_eq!(fields("dishes/vegetable_dish/地三鲜/地三鲜.md"), (json!("素菜"), json!("困难"), json!(4)));
    assert_eq!(fields("dishes/template/示例菜.md"), (json!("其他"), json!("非常简单"), json!(1)));
    assert_eq!(fields("tips/去腥.md"), (Value::Null, Value::Null, Value::Null));
    let answer = world.search(&["素菜", "--filter", "category = 素菜 and difficulty = 简单"]);
    let found: Vec<String> = contexts(&answer).iter().map(|context| text(context, "doc_id")).collect();
    assert_eq!(found, ["dishes/vegetable_dish/凉拌黄瓜.md"]);
}

#[test]
fn a_changed_rule_changes_metadata_and_nothing_else() {
    let world = notes();
    world.index(["notes"]);
    world.okno(["remove", "soup.md"]).succeeds();
    world.write("okno.toml", "[[rules]]\npath = \"*.md\"\nset = { name = \"$1\" }\n");
    let report = world.index(["notes"]);
    assert_eq!((counts(&report), &report["sentences"]), ([0, 1, 0, 0], &json!(0)), "no sentence is written again");
    assert_eq!(world.names(), ["tea.md"], "a rule is no reason to come back");
    assert_eq!(world.documents()["tea.md"]["metadata"]["name"], "tea");
    assert_eq!(counts(&world.index(["notes"])), [0, 0, 0, 1], "and then all is quiet");
    world.write("okno.toml", "");
    assert_eq!(counts(&world.index(["notes"])), [0, 1, 0, 0]);
    assert_eq!(world.documents()["tea.md"]["metadata"]["name"], Value::Null);
}

/// Was broken: the new rules were written down with the first commit, and files that were not reached never saw them.
#[test]
fn a_rule_reaches_roots_that_are_brought_up_to_date_later() {
    let world = notes();
    world.write("more/rice.md", "Rice wants rest.");
    world.index(["notes", "more"]);
    world.write("okno.toml", "[[rules]]\nset = { kind = \"note\" }\n");
    world.index(["notes"]);
    assert_eq!(world.documents()["rice.md"]["metadata"]["kind"], Value::Null, "not asked for yet");
    world.index(["more"]);
    assert_eq!(world.documents()["rice.md"]["metadata"]["kind"], "note");
}

#[test]
fn a_field_that_is_embedded_is_found_by_its_value() {
    let world = World::new();
    for (name, author) in [("a", "Zorbakian"), ("b", "Quimblethorpe")] {
        world.write(
            &format!("notes/{name}.md"),
            format!("---\nauthor: {author}\n---\nThe river is wide and slow here."),
        );
    }
    world.write("notes/c.md", "Other things are said about the mountain.");
    let found = |world: &World| {
        let answer = world.search(&["river by Quimblethorpe", "--recipe", "window", "--legs", "lexical", "-k", "1"]);
        text(&contexts(&answer)[0], "doc_id")
    };
    world.index(["notes"]);
    world.write("okno.toml", "[fields.author]\nembed = true\n");
    assert_eq!(counts(&world.index(["notes"])), [0, 2, 0, 1], "only documents that have the field");
    assert_eq!(found(&world), "b.md");
    // A lost lexical index is built again with the same words in it.
    std::fs::remove_dir_all(world.path(".okno/lexical")).unwrap();
    world.index(["notes"]);
    assert_eq!(found(&world), "b.md");
}

#[test]
fn wrong_rules_point_at_their_line() {
    let world = notes();
    world.write("okno.toml", "[[rules]]\nset = { a = 1 }\n\n[[rules]]\npath = \"x/*\"\nset = { b = \"$2\" }\n");
    world.okno(["index", "notes"]).refuses().says(&["okno.toml:4: rule 2: `$2` refers to `$2`"]);
}

/// The table of keys in the documentation is whole.
#[test]
fn every_key_is_documented_with_its_default() {
    let page = include_str!("../../../docs/configuration.md");
    let config = World::new().okno(["config", "--json"]).succeeds().json();
    for value in config["values"].as_array().unwrap() {
        let (key, default) = (text(value, "key"), text(value, "default"));
        let row = page.lines().find(|line| line.starts_with(&format!("| `{key}` |")));
        let row = row.unwrap_or_else(|| panic!("`{key}` is not documented"));
        let said = row.split('|').nth(2).unwrap().trim().trim_matches('`');
        assert!(said == default || key == "fetch.user_agent", "`{key}`: documented `{said}`, is `{default}`");
    }
}

/// It was ignored without a word.
#[test]
fn a_file_in_a_folder_below_the_index_is_told_of() {
    let world = World::new();
    world.write("notes/a.md", "Rain on the roof.");
    world.okno(["index", "notes"]).succeeds();
    world.write("notes/okno.toml", "budget = 7\n");
    let below = |language: &str| {
        Ran::of(world.command().current_dir(world.path("notes")).args(["--lang", language, "search", "rain"]))
            .succeeds()
    };
    assert!(below("en").err.contains("ignoring `okno.toml` in this folder"));
    assert!(below("zh").err.contains("没有读取当前文件夹的 `okno.toml`"));
    let beside = world.okno(["search", "rain"]).succeeds();
    assert!(!beside.err.contains("ignoring"), "{}", beside.err);
}
