//! Questions with parts, asked of an index.

use okno::{Engine, Query};

#[test]
fn each_part_of_a_question_is_searched_and_has_its_share() {
    let folder = tempfile::tempdir().unwrap();
    let documents = folder.path().join("documents");
    std::fs::create_dir(&documents).unwrap();
    let men = "2022年澳网男单冠军是纳达尔。\n\n2022年澳网男单和女单分别在两天决出冠军。\n\n2022年澳网男单冠军领奖。\n";
    std::fs::write(documents.join("a.md"), men).unwrap();
    std::fs::write(documents.join("b.md"), "澳网女单冠军是巴蒂。\n\n她随后退役。\n").unwrap();
    let engine = Engine::create(folder.path().join("index")).unwrap();
    engine.index(&[documents]).unwrap();

    let answer = engine.search(&Query::new("2022年澳网男单和女单冠军分别是谁？").budget(60)).unwrap();
    assert_eq!(answer.understood.parts, ["2022年澳网男单冠军是谁？", "2022年澳网女单冠军是谁？"]);
    let text: String = answer.contexts.iter().map(|context| context.text.as_str()).collect();
    assert!(text.contains("纳达尔") && text.contains("巴蒂"), "{text}");

    let whole = engine.search(&Query::new("澳网男单冠军是谁？")).unwrap();
    assert!(whole.understood.parts.is_empty());
}
