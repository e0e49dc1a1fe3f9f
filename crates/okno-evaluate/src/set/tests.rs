use super::*;
use crate::score::Texts;

struct Shelf(Texts);

impl Library for Shelf {
    fn find(&mut self, name: &str) -> Result<NameMatch> {
        Ok(if self.0.contains_key(name) { NameMatch::One(name.to_owned()) } else { NameMatch::No })
    }
    fn texts(&self) -> &Texts {
        &self.0
    }
}

fn shelf() -> Shelf {
    let text = |text: &str| text.chars().collect();
    Shelf(Texts::from([
        ("tea.md".into(), text("绿茶用八十度的水。Black tea\nneeds boiling water. Tea, tea.")),
        ("b.md".into(), text("Second.")),
    ]))
}

fn read(name: &str, content: &str) -> Result<QuestionSet> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    std::fs::write(&file, content).unwrap();
    QuestionSet::read(&file, &mut shelf())
}

fn faults(name: &str, content: &str) -> Vec<String> {
    match read(name, content) {
        Err(Error::QuestionSet { faults, .. }) => faults.iter().map(ToString::to_string).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn answers_are_found_by_offsets_or_by_their_words() {
    let set = read(
        "q.jsonl",
        concat!(
            "\u{feff}{\"question\": \"a\", \"doc_id\": \"tea.md\", \"start\": 3, \"end\": 7, \"spans\": [[3, 7], \
             {\"start\": 9, \"end\": 12}]}\n\n",
            "{\"qid\": \"x\", \"query\": \"b\", \"document\": \"tea.md\", \"answer\": \"Black tea needs\", \"kind\": \
             \"fact\"}\n",
            "{\"question\": \"c\", \"relevant\": [\"b.md\"]}\n",
        ),
    )
    .unwrap();
    assert_eq!((set.name.as_str(), set.questions.len(), set.kinds()["fact"]), ("q", 3, 1));
    let spans = |answer, excerpts| Gold::Spans { document: "tea.md".into(), answer, excerpts };
    assert_eq!(set.questions[0].gold, spans(3..7, vec![3..7, 9..12]));
    assert_eq!((set.questions[1].id.as_str(), &set.questions[1].gold), ("x", &spans(9..24, vec![])));
    assert_eq!(set.questions[2].gold, Gold::Documents(["b.md".to_owned()].into()));
    assert_eq!(set.questions[2].id, "4", "a question without a name is called by its line");
}

#[test]
fn csv_with_quotes_line_ends_and_chinese_headers() {
    let set = read(
        "q.csv",
        "问题,答案,文档\r\n\"How, and \"\"why\"\"?\",\"Black tea\nneeds\",tea.md\r\n多少度？,八十度,tea.md\r\n",
    )
    .unwrap();
    assert_eq!(set.questions[0].text, "How, and \"why\"?");
    assert_eq!(set.questions[1].gold, Gold::Spans { document: "tea.md".into(), answer: 3..6, excerpts: vec![] });
    assert_eq!((set.questions[0].id.as_str(), set.questions[1].id.as_str()), ("2", "4"));
}

#[test]
fn every_fault_is_named_with_its_line_and_field() {
    let lines = [
        "{\"question\": \"ok\", \"doc_id\": \"tea.md\", \"start\": 0, \"end\": 2}",
        "{\"question\": \"a\", \"doc_id\": \"tea.md\", \"start\": \"x\", \"end\": 2}",
        "{\"question\": \"a\", \"doc_id\": \"tea.md\", \"start\": 5, \"end\": 2000}",
        "{\"question\": \"a\", \"doc_id\": \"nowhere\", \"start\": 0, \"end\": 2}",
        "{\"question\": \"\", \"doc_id\": \"tea.md\"}",
        "{\"question\": \"a\", \"doc_id\": \"tea.md\", \"answer\": \"tea\"}",
        "{\"question\": \"a\", \"doc_id\": \"tea.md\"}",
        "not json",
        "{\"qid\": \"1\", \"question\": \"a\", \"doc_id\": \"b.md\", \"answer\": \"Second\"}",
        "[1]",
    ];
    let faults = faults("q.jsonl", &lines.join("\n"));
    let begins = [
        "line 2, field `start`: expected a count",
        "line 3, field `start`: expected a span inside",
        "line 4, field `doc_id`: no document is called `nowhere`",
        "line 5, field `question`: expected a text",
        "line 6, field `answer`: `tea` is in the document more than once",
        "line 7, field `answer`: expected an answer",
        "line 8: expected JSON",
        "line 9, field `qid`: `1` is there already",
        "line 10: expected an object",
    ];
    assert_eq!(faults.len(), begins.len(), "{faults:#?}");
    for (fault, begin) in faults.iter().zip(begins) {
        assert!(fault.starts_with(begin), "{fault} / {begin}");
    }
}

#[test]
fn a_csv_names_what_it_lacks() {
    assert!(faults("q.csv", "a,b\n1,2\n")[0].starts_with("line 1, field `question`: expected columns"));
    assert_eq!(faults("q.csv", "question,answer,document\nx,y\n"), ["line 2: expected 3 columns, got 2"]);
    assert_eq!(
        faults("q.tsv", "question\tanswer\tdocument\nq\t八十度\tc.md\n"),
        ["line 2, field `doc_id`: no document is called `c.md`"]
    );
    assert!(faults("q.jsonl", "\n")[0].contains("empty file"));
}

#[test]
fn a_fingerprint_changes_with_the_gold() {
    let set = |end: usize| {
        read("q.jsonl", &format!("{{\"question\": \"a\", \"doc_id\": \"tea.md\", \"start\": 0, \"end\": {end}}}"))
            .unwrap()
    };
    assert_eq!(set(2).fingerprint(), set(2).fingerprint());
    assert_ne!(set(2).fingerprint(), set(3).fingerprint());
}
