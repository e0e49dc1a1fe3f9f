//! What each form means, where errors point, and that no form loses anything.

use super::*;
use crate::Date;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn recipe(name: &str) -> Option<Cow<'static, Value>> {
    Some(Cow::Owned(match name {
        "category" => Value::Text("素菜".into()),
        "difficulty" => Value::Number(3.0),
        "tags" => Value::List(vec![Value::Text("quick".into()), Value::Text("hot pot".into())]),
        "modified" => Value::Date(Date { year: 2023, month: 7, day: 28 }),
        "draft" => Value::Bool(false),
        "year" => Value::Text("2023".into()),
        "readers" => Value::Number(30_000.0),
        "Header 2" => Value::Text("See".into()),
        "做法" => Value::Text("快炒！".into()),
        _ => return None,
    }))
}

fn matches(filter: &str) -> bool {
    Filter::parse(filter).unwrap_or_else(|error| panic!("{error}")).matches(&recipe)
}

#[test]
fn what_holds() {
    for filter in [
        "category = 素菜",
        "category=素菜 and difficulty<=3",
        "difficulty = 3",
        "difficulty = 3.0",
        "difficulty > 2 and difficulty < 4",
        "tags = quick",
        "tags contains \"hot pot\"",
        "tags in (slow, quick)",
        "modified >= 2023年7月1日",
        "modified = 2023",
        "modified = 2023年",
        "modified = 2023年第三季度",
        "modified = 2023Q3",
        "modified < 2024",
        "modified = 2023-07-28",
        "modified = 2023-07",
        "modified >= 2023-07",
        "modified < 2023年8月",
        "modified in [2022, 2023年7月]",
        "not draft = true",
        "draft = false",
        "year = 2023",
        "year >= 2022",
        "\"Header 2\" == See",
        "category contains 素",
        "category starts with 素",
        "category ends  with 菜",
        "category exists",
        "not author exists",
        "category = 荤菜 or (difficulty != 4 and NOT year = 2022)",
        "tags != slow",
        "category = “素菜”",
        "difficulty in [1, 2, 3]",
        "difficulty not in [1, 2]",
        "author not in [me]",
        "category = 素菜 且 year = 2023",
        "category ＝ “素菜”且 difficulty ≤ 3",
        "“category”＝「素菜」且（difficulty ＞＝ 3 或 year = 1999）",
        "difficulty 属于【1、2、3】",
        "非 category ＝ 荤菜",
        "difficulty 大于2 并且 difficulty 不超过 3",
        "readers = 3万 and readers < 1亿 and readers >= ３００００",
        "做法 = 快炒！",
        "做法!=慢炖",
        "!(draft = true) && category = '素菜'",
        "()",
    ] {
        assert!(matches(filter), "{filter}");
    }
}

#[test]
fn what_does_not_hold() {
    for filter in [
        "category = 荤菜",
        "difficulty > 3",
        "tags != quick",
        "author = me",
        "author != me",
        "modified > 2023",
        "modified > 6",
        "modified > 2023-07",
        "modified = 2023Q2",
        "draft = true",
        "category > 3 and category < 1",
        "category in ()",
        "difficulty = three",
        "difficulty < inf and difficulty > nan",
        "difficulty not in [1, 3]",
        "author contains x",
        "category ends with 素",
        "not ()",
    ] {
        assert!(!matches(filter), "{filter}");
    }
}

#[test]
fn errors_point_at_the_character() {
    for (filter, at, fault) in [
        ("category", 8, FilterFault::Operator),
        ("category =", 10, FilterFault::Value),
        ("(a = 1", 6, FilterFault::Unclosed(')')),
        ("a = 1 b", 6, FilterFault::Rest),
        ("a in 1", 5, FilterFault::List),
        ("a in [1, 2", 10, FilterFault::Unclosed(']')),
        ("= 3", 0, FilterFault::Field),
        ("a = \"open", 4, FilterFault::Unclosed('"')),
        ("菜 = 「开", 4, FilterFault::Unclosed('」')),
        ("", 0, FilterFault::Field),
        ("a = 1 and", 9, FilterFault::Field),
    ] {
        let error = Filter::parse(filter).unwrap_err();
        assert_eq!((error.at, error.fault), (at, fault), "{filter}");
    }
}

#[test]
fn the_caret_stands_under_the_fault() {
    let pointer = |filter: &str| Filter::parse(filter).unwrap_err().pointer();
    assert_eq!(pointer("菜系 川菜"), Pointer { line: "菜系 川菜".into(), column: 5 });
    let long = pointer(&format!("{} b", "a = 1 and ".repeat(100) + "a = 1"));
    assert!(long.line.starts_with('…') && long.line.len() < 100, "{long:?}");
    assert_eq!(&long.line[long.column + '…'.len_utf8() - 1..], "b");
    assert!(!pointer("a\0b 🙂\n").line.contains(['\0', '\n']));
}

#[test]
fn nesting_that_would_exhaust_the_stack_is_refused() {
    for hostile in ["(".repeat(100_000), "not ".repeat(100_000), "!".repeat(10_000), "非 ".repeat(10_000)] {
        assert_eq!(Filter::parse(&hostile).unwrap_err().fault, FilterFault::Deep(DEEPEST));
    }
    let mut json = serde_json::json!({"a": 1});
    for _ in 0..1000 {
        json = serde_json::json!({ "not": json });
    }
    assert_eq!(Filter::from_json(&json).unwrap_err().fault, FilterFault::Deep(DEEPEST));
}

#[test]
fn a_very_long_filter_is_read() {
    let long = vec!["difficulty = 7"; 50_000].join(" or ") + " or category = 素菜";
    assert!(matches(&long));
    assert!(matches(&format!("difficulty in [{}3]", "9, ".repeat(50_000))));
}

#[test]
fn json_forms() {
    let json = serde_json::json!(
        {"category": "水产", "year": [2022, 2023], "difficulty": {"<=": 3, ">": 1}, "tags": {"not in": ["辣"]},
            "author": {"exists": false}});
    assert_eq!(
        Filter::from_json(&json).unwrap().to_string(),
        "not author exists and category = 水产 and (difficulty <= 3 and difficulty > 1) and tags not in [辣] and year in \
         [2022, 2023]"
    );
    let nested = serde_json::json!({"or": [{"not": {"a": 1}}, {"and": [{"b": {"contains": "x"}}]}]});
    assert_eq!(Filter::from_json(&nested).unwrap().to_string(), "not a = 1 or b contains x");
    for wrong in [
        serde_json::json!({"a": null}),
        serde_json::json!(3),
        serde_json::json!({"a": {"~": 1}}),
        serde_json::json!({"a": {"in": 1}}),
    ] {
        assert!(Filter::from_json(&wrong).is_err(), "{wrong}");
    }
    let wrong = Filter::from_json(&serde_json::json!("菜系 川菜")).unwrap_err();
    assert_eq!(wrong.to_json()["at"], 3, "code points");
}

#[test]
fn people_can_read_what_is_printed() {
    for filter in [
        "document_type = 财报 and year = 2023 and quarter = Q2",
        "\"Header 2\" = \"See also\" or not (a = 1 and b exists)",
        "a not in [1, \"x, y\"] and (b = 1 or c = 2)",
    ] {
        assert_eq!(Filter::parse(filter).unwrap().to_string(), filter);
    }
}

/// The plainest reading of a filter over small numbers, to compare with.
fn naive(filter: &Filter, document: &BTreeMap<&str, i32>) -> bool {
    match filter {
        Filter::All(filters) => !filters.iter().any(|f| !naive(f, document)),
        Filter::Any(filters) => filters.iter().filter(|f| naive(f, document)).count() > 0,
        Filter::Not(filter) => !naive(filter, document),
        Filter::Exists(field) => document.contains_key(field.as_str()),
        Filter::In(field, literals) => {
            document.get(field.as_str()).is_some_and(|own| literals.contains(&own.to_string()))
        }
        Filter::Compare(field, comparison, literal) => document.get(field.as_str()).is_some_and(|own| {
            let other: i32 = literal.parse().unwrap();
            match comparison {
                Comparison::Equal => *own == other,
                Comparison::NotEqual => *own != other,
                Comparison::Less => *own < other,
                Comparison::LessOrEqual => *own <= other,
                Comparison::Greater => *own > other,
                Comparison::GreaterOrEqual => *own >= other,
                Comparison::Contains => own.to_string().contains(literal.as_str()),
                Comparison::StartsWith => own.to_string().starts_with(literal.as_str()),
                Comparison::EndsWith => own.to_string().ends_with(literal.as_str()),
            }
        }),
    }
}

fn nested(leaf: impl Strategy<Value = Filter> + 'static) -> impl Strategy<Value = Filter> {
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Filter::All),
            prop::collection::vec(inner.clone(), 0..4).prop_map(Filter::Any),
            inner.prop_map(|f| Filter::Not(Box::new(f))),
        ]
    })
}

fn any_filter() -> impl Strategy<Value = Filter> {
    let word =
        || prop_oneof!["(?s).{0,6}", "[a-z!=]{1,5}", "(not|非|in|and|or|exists|=|<=|contains)", "[\"'“”「」\\\\]{1,3}"];
    nested(prop_oneof![
        (word(), 0..9usize, word()).prop_map(|(field, c, literal)| Filter::Compare(field, Comparison::ALL[c], literal)),
        (word(), prop::collection::vec(word(), 0..3)).prop_map(|(field, literals)| Filter::In(field, literals)),
        word().prop_map(Filter::Exists),
    ])
}

fn numeric_filter() -> impl Strategy<Value = Filter> {
    let field = || prop::sample::select(vec!["a", "b", "c"]).prop_map(str::to_owned);
    let literal = || (-12..30i32).prop_map(|n| n.to_string());
    nested(prop_oneof![
        (field(), 0..9usize, literal()).prop_map(|(field, c, literal)| Filter::Compare(
            field,
            Comparison::ALL[c],
            literal
        )),
        (field(), prop::collection::vec(literal(), 0..4)).prop_map(|(field, literals)| Filter::In(field, literals)),
        field().prop_map(Filter::Exists),
    ])
}

/// Groups of one and groups in groups are written without parentheses of their own; everything else comes back the
/// same.
fn flat(filter: Filter) -> Filter {
    match filter {
        Filter::All(mut filters) | Filter::Any(mut filters) if filters.len() == 1 => flat(filters.remove(0)),
        Filter::All(filters) => Filter::All(filters.into_iter().map(flat).collect()),
        Filter::Any(filters) if filters.is_empty() => Filter::Not(Box::new(Filter::All(Vec::new()))),
        Filter::Any(filters) => Filter::Any(filters.into_iter().map(flat).collect()),
        Filter::Not(filter) => Filter::Not(Box::new(flat(*filter))),
        leaf => leaf,
    }
}

proptest! {
    #[test]
    fn printing_and_reading_again_gives_the_same(filter in any_filter()) {
        let printed = filter.to_string();
        let again = Filter::parse(&printed).map_err(|e| TestCaseError::fail(format!("{printed:?}: {e}")))?;
        prop_assert_eq!(again, flat(filter));
    }

    #[test]
    fn json_and_back_gives_the_same(filter in any_filter()) {
        let json = filter.to_json();
        prop_assert_eq!(Filter::from_json(&json).unwrap(), filter, "{}", json);
    }

    #[test]
    fn a_read_filter_is_the_naive_filter(
        filter in numeric_filter(),
        documents in prop::collection::vec(
            prop::collection::btree_map(prop::sample::select(vec!["a", "b"]), -12..30i32, 0..3), 1..12),
    ) {
        let read = Filter::parse(&filter.to_string()).unwrap();
        for document in documents {
            let field = |name: &str| document.get(name).map(|&n| Cow::Owned(Value::Number(f64::from(n))));
            prop_assert_eq!(read.matches(&field), naive(&filter, &document), "{} on {:?}", read, document);
        }
    }

    #[test]
    fn any_text_is_read_or_refused_at_a_character_it_has(text in "(?s).{0,40}") {
        if let Err(error) = Filter::parse(&text) {
            prop_assert!(error.at <= text.chars().count());
            let _ = error.pointer();
        }
    }
}
