//! One question to several indexes, and tables asked with SQL.

use super::*;

/// Two indexes side by side: `tea` and `rail`.
fn two() -> World {
    let world = World::new();
    world.write("tea/tea.md", "# Tea\n\nGreen tea is brewed at 80 °C. Black tea needs boiling water.\n");
    world.write("rail/rail.md", "# Rail\n\nThe night train to Vienna leaves at nine from platform four.\n");
    for name in ["tea", "rail"] {
        world.okno(["--index", &format!("{name}.okno"), "index", name]).succeeds();
    }
    world
}

#[test]
fn several_indexes_answer_together_the_most_relevant_first() {
    let world = two();
    let both = ["--index", "tea.okno", "--index", "rail.okno"];
    for (question, best) in
        [("When does the night train to Vienna leave?", "rail.md"), ("How hot is green tea brewed?", "tea.md")]
    {
        let answer = world.okno([&both[..], &["search", "--json", "--explain", question]].concat()).succeeds().json();
        assert_eq!(contexts(&answer)[0]["doc_id"], best, "{question}");
        assert_eq!(answer["explain"]["rankings"].as_array().unwrap().len(), 12, "both indexes were asked");
        let small =
            world.okno([&both[..], &["search", "--json", question, "--budget", "30"]].concat()).succeeds().json();
        assert!(number(&small, "tokens") <= 30 && contexts(&small)[0]["doc_id"] == best);
    }
    // The same index twice says nothing twice.
    let twice = ["--index", "tea.okno", "--index", "./tea.okno", "search", "--json", "green tea"];
    assert_eq!(contexts(&world.okno(twice).succeeds().json()).len(), 1);
    world
        .okno([&both[..], &["status"]].concat())
        .ends_with(2)
        .says(&["only `search`, `serve` and `mcp` accept several"]);
}

#[test]
fn tables_of_the_index_and_of_files_are_asked_with_sql() {
    let world = World::new();
    let table = "| City | Fare |\n|---|---|\n| Truro | 1,200 |\n| Penzance | 30 |\n";
    world.write("docs/fares.md", format!("# Fares\n\n{table}"));
    world.write("sales.csv", "城市,金额\n北京,20\n上海,22.5\n");
    world.index(["docs"]);
    let ask = |arguments: &[&str]| world.okno([&["sql", "--json"], arguments].concat()).succeeds();
    assert_eq!(ask(&["SELECT sum(Fare) AS total FROM fares"]).lines(), [json!({"total": 1230})]);
    let place = &ask(&["SELECT _document, _row FROM fares WHERE City = 'Penzance'"]).lines()[0];
    assert_eq!(place, &json!({"_document": "fares.md", "_row": 2}), "a row can be cited");
    assert_eq!(ask(&["SELECT max(金额) AS m FROM sales", "--from", "sales.csv"]).lines(), [json!({"m": 22.5})]);
    assert_eq!(ask(&["--from", "sales.csv"]).json()[0]["columns"][1], "金额");
    let plain = world.okno(["sql", "SELECT City FROM fares ORDER BY City"]).succeeds().out;
    assert_eq!(plain, "City\nPenzance\nTruro\n");
    world.okno(["sql", "DROP TABLE fares"]).ends_with(1).says(&["only reading is allowed"]);
    world.okno(["sql", "SELECT nonsense FROM fares"]).ends_with(1).says(&["no such column"]);
}

#[test]
fn a_filter_over_several_indexes_needs_its_field_in_one_of_them() {
    let world = two();
    world
        .write("more/food.jsonl", json!({"doc_id": "f", "text": "Soup is hot.", "meta": {"kind": "soup"}}).to_string());
    world.okno(["--index", "food.okno", "index", "more"]).succeeds();
    for order in [["tea.okno", "food.okno"], ["food.okno", "tea.okno"]] {
        let asked = ["--index", order[0], "--index", order[1], "search", "--json", "soup", "--filter", "kind = soup"];
        let found = world.okno(asked).succeeds().json();
        assert_eq!(contexts(&found)[0]["doc_id"], "f", "{order:?}");
    }
    let nowhere = ["--index", "tea.okno", "--index", "rail.okno", "search", "tea", "--filter", "kind = soup"];
    world.okno(nowhere).refuses().says(&["`kind`"]);
}
