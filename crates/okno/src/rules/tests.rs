use super::*;
use crate::document::{Date, Metadata};

fn document(title: &str, text: &str) -> Loaded {
    let mut metadata = Metadata::default();
    metadata.set("writer", Value::Text("Ann".into()));
    metadata.set("tags", Value::List(vec![Value::Text("a".into()), Value::Text("b".into())]));
    Loaded {
        id: None,
        title: title.into(),
        language: None,
        text: text.into(),
        blocks: Vec::new(),
        pages: Vec::new(),
        images: Vec::new(),
        metadata,
    }
}

fn read(toml: &str) -> Result<Rules, RulesError> {
    #[derive(Deserialize)]
    struct File {
        rules: Vec<RuleText>,
    }
    Rules::new(&toml::from_str::<File>(toml).unwrap().rules)
}

fn applied(toml: &str, path: &str, text: &str) -> Loaded {
    let mut loaded = document("Leek soup (2021)", text);
    read(toml).unwrap().apply(path, &mut loaded);
    loaded
}

fn field(loaded: &Loaded, name: &str) -> Option<Value> {
    loaded.metadata.get(name).cloned()
}

fn words(text: &str) -> Value {
    Value::Text(text.into())
}

#[test]
fn folders_become_categories() {
    let rules = r#"
        [[rules]]
        path = "dishes/*/**"
        set = { category = "$1", kind = "recipe" }
        map = { vegetable_dish = "素菜", recipe = "recipe", soup = "汤" }
        default = "其他""#;
    assert_eq!(field(&applied(rules, "dishes/soup/a/b.md", ""), "category"), Some(words("汤")));
    assert_eq!(field(&applied(rules, "dishes/drink/b.md", ""), "category"), Some(words("其他")));
    assert_eq!(field(&applied(rules, "tips/b.md", ""), "category"), None);
}

#[test]
fn stars_are_counted_and_named() {
    let rules = r#"
        [[rules]]
        text = "^预估烹饪难度：(★+)"
        set = { difficulty = "$1", stars = "count($1)" }
        map = { "★" = "非常简单", "★★" = "简单" }"#;
    let found = applied(rules, "a.md", "# 菜\n\n预估烹饪难度：★★\n");
    assert_eq!((field(&found, "difficulty"), field(&found, "stars")), (Some(words("简单")), Some(Value::Number(2.0))));
    let unknown = applied(rules, "a.md", "预估烹饪难度：★★★★★★\n");
    assert_eq!(field(&unknown, "difficulty"), None, "not in the map, and no default");
    assert_eq!(field(&unknown, "stars"), Some(Value::Number(6.0)));
}

#[test]
fn values_have_types() {
    let rules = r#"
        [[rules]]
        title = '\((?<year>\d{4})\)'
        text = '(?<day>\d+-\d+-\d+) costs ([\d,]+): (.*)'
        [rules.set]
        year = "number($year)"
        day = "date($day)"
        price = "number($3)"
        tags = "list($4)"
        fixed = 7
        yes = true
        since = 2020-01-02
        both = "$year/$day"
        low = "lower($4)""#;
    let found = applied(rules, "a.md", "on 2023-07-28 costs 1,200: Red、blue, 2024-01-01");
    let date = |year, month, day| Value::Date(Date { year, month, day });
    for (name, expected) in [
        ("year", Value::Number(2021.0)),
        ("day", date(2023, 7, 28)),
        ("price", Value::Number(1200.0)),
        ("tags", Value::List(vec![Value::Text("Red".into()), Value::Text("blue".into()), date(2024, 1, 1)])),
        ("fixed", Value::Number(7.0)),
        ("yes", Value::Bool(true)),
        ("since", date(2020, 1, 2)),
        ("both", Value::Text("2021/2023-07-28".into())),
        ("low", Value::Text("red、blue, 2024-01-01".into())),
    ] {
        assert_eq!(field(&found, name), Some(expected), "{name}");
    }
    let unmatched = applied(rules, "a.md", "on 2023-13-28 costs 1: x");
    assert_eq!(field(&unmatched, "day"), None, "there is no such day");
    assert_eq!(field(&unmatched, "price"), Some(Value::Number(1.0)), "one field that cannot be set stops no other");
}

#[test]
fn front_matter_is_mapped_with_its_type() {
    let rules = r#"
        [[rules]]
        set = { author = "$writer", labels = "$tags", none = "$absent", label = "by ${writer}" }
        drop = ["writer"]"#;
    let found = applied(rules, "a.md", "");
    assert_eq!(field(&found, "author"), Some(words("Ann")));
    assert_eq!(field(&found, "labels"), field(&document("", ""), "tags"));
    assert_eq!((field(&found, "none"), field(&found, "writer")), (None, None));
    assert_eq!(field(&found, "label"), Some(words("by Ann")));
}

#[test]
fn all_matches_become_a_list_without_repeats() {
    let rules = "[[rules]]\ntext = '#(\\w+)'\nall = true\nset = { tags = \"$1\" }";
    let found = applied(rules, "a.md", "#leek and #soup and #leek");
    assert_eq!(field(&found, "tags"), Some(Value::List(vec![Value::Text("leek".into()), Value::Text("soup".into())])));
    assert!(matches!(field(&applied(rules, "a.md", "none"), "tags"), Some(Value::List(own)) if own.len() == 2));
}

#[test]
fn later_rules_see_and_overrule_earlier_ones() {
    let rules = "[[rules]]\nset = { a = \"1\", b = \"x\" }\n[[rules]]\nset = { a = \"$b$b\", title = \"New\" }";
    let found = applied(rules, "a.md", "");
    assert_eq!((field(&found, "a"), found.title.as_str()), (Some(words("xx")), "New"));
}

#[test]
fn wrong_rules_say_which_and_why() {
    for (rule, expected) in [
        ("path = \"a\"", "rule 2: it sets nothing"),
        ("path = \"{a\"\nset = { x = \"y\" }", "rule 2: `path`: "),
        ("text = \"(\"\nset = { x = \"y\" }", "rule 2: `text`: `(` is not a valid regular expression: unclosed group"),
        ("path = \"a/*\"\nset = { x = \"$2\" }", "its patterns capture 1; count from `$1`"),
        ("text = \"(a)\"\nset = { x = \"cuont($1)\" }", "no function `cuont`; there are `count`"),
        ("set = { x = \"costs $ 5\" }", "`$$` is a dollar sign"),
        ("set = { path = \"x\" }", "`path` is a fact about the file"),
        ("all = true\nset = { x = \"y\" }", "and there is neither"),
        ("default = \"z\"\nset = { x = \"y\" }", "there is no `map`"),
    ] {
        let error = read(&format!("[[rules]]\nset = {{ ok = 1 }}\n[[rules]]\n{rule}")).unwrap_err().to_string();
        assert!(error.contains(expected), "{rule}: {error}");
    }
}

#[test]
fn rules_survive_being_stored() {
    let toml = "path = \"a/*\"\nset = { d = 2020-01-02, n = 1, l = [\"a\", 2], t = \"$1\" }";
    let rule: RuleText = toml::from_str(toml).unwrap();
    let again: RuleText = serde_json::from_str(&serde_json::to_string(&rule).unwrap()).unwrap();
    assert_eq!(rule, again);
}

/// A document as its loader saw it.
fn loaded(rules: &str, text: &str) -> Loaded {
    let mut loaded = Loaded { blocks: crate::load::markdown_blocks(text), ..document("Leek soup", text) };
    read(rules).unwrap().apply("a.md", &mut loaded);
    loaded
}

const SOUP: &str =
    "# Soup\n\n- no\n\n## Ingredients\n\n- leek\n- salt\n\n### For guests\n\n- cream\n\n## Steps\n\n- boil\n";

#[test]
fn a_rule_reads_the_sections_it_names() {
    let list = |items: &[&str]| Some(Value::List(items.iter().map(|item| words(item)).collect()));
    let rule = |section: &str, rest: &str| format!("[[rules]]\nsection = \"{section}\"\n{rest}");
    let every = "text = '^- (.+)'\nall = true\nset = { ingredients = \"$1\" }";
    assert_eq!(field(&loaded(&rule("> Ingredients$", every), SOUP), "ingredients"), list(&["leek", "salt"]));
    assert_eq!(field(&loaded(&rule("> Ingredients", every), SOUP), "ingredients"), list(&["leek", "salt", "cream"]));
    assert_eq!(field(&loaded(&rule("Nothing", every), SOUP), "ingredients"), None);
    let heading = rule("^Soup > ([^>]+)$", "all = true\nset = { parts = \"lower($1)\" }");
    assert_eq!(field(&loaded(&heading, SOUP), "parts"), list(&["ingredients", "steps"]), "captures of the path count");
    let first = rule("> (Steps)$", "text = '^- (.+)'\nset = { first = \"$1: $2\" }");
    assert_eq!(field(&loaded(&first, SOUP), "first"), Some(words("Steps: boil")));
}
