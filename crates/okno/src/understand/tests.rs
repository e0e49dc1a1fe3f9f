//! Questions, and what is made of them.

use super::*;
use crate::document::{DocumentId, Metadata, Record, Value};
use crate::text::terms::folded;
use proptest::prelude::*;
use serde_json::json;

/// Documents in memory: fields as JSON, and what each says.
struct Shelf {
    documents: Vec<(Record, String)>,
    catalogue: Catalogue,
    given: Option<&'static str>,
}

impl Shelf {
    fn new(documents: &[(serde_json::Value, &str)]) -> Self {
        let documents: Vec<(Record, String)> =
            documents.iter().map(|(fields, says)| (record(fields), (*says).to_owned())).collect();
        let catalogue = Catalogue::new(documents.iter().map(|(record, _)| record), folded);
        Self { documents, catalogue, given: None }
    }

    fn matches<'s>(&'s self, filter: &'s Filter) -> impl Iterator<Item = (bool, &'s str)> {
        self.documents.iter().map(|(record, says)| (filter.matches(&|field: &str| record.field(field)), says.as_str()))
    }
}

fn record(fields: &serde_json::Value) -> Record {
    let fields = fields.as_object().unwrap().iter();
    let metadata = Metadata(fields.map(|(name, value)| (name.clone(), Value::from_json(value).unwrap())).collect());
    let id = DocumentId { root: String::new(), path: String::new(), member: None };
    Record { id, title: String::new(), language: None, metadata, hash: 0, bytes: 0, sentences: 0 }
}

impl Evidence for Shelf {
    fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// As an index does, which refuses fields that no document has.
    fn matching(&self, filter: &Filter) -> Result<usize> {
        if let Some(field) = filter.fields().into_iter().find(|field| self.catalogue.field(field).is_none()) {
            return Err(crate::Error::UnknownField {
                field: field.to_owned(),
                known: crate::message::DidYouMean::default(),
            });
        }
        Ok(self.matches(filter).filter(|(matches, _)| *matches).count())
    }

    fn said_elsewhere(&self, words: &str, filter: &Filter) -> Result<bool> {
        Ok(self.matches(filter).any(|(matches, says)| !matches && says.contains(words)))
    }

    fn is_given(&self, field: &str) -> bool {
        self.given == Some(field)
    }
}

/// The fields that the readers of values and numbers are tried on.
pub fn catalogue() -> Catalogue {
    recipes().catalogue
}

fn recipes() -> Shelf {
    Shelf::new(&[
        (
            json!({"category": "素菜", "difficulty": 1, "minutes": 20, "author": "Jane Austen",
                "modified": "2024-03-12"}),
            "土豆切丝，做法简单。",
        ),
        (
            json!({"category": "荤菜", "difficulty": 5, "minutes": 90, "author": "李明", "tags": ["主食"],
                "document_type": "handbook"}),
            "排骨焯水，配一道素菜，或者汤。",
        ),
        (
            json!({"category": "汤羹", "difficulty": 2, "minutes": 12, "title": "番茄汤", "type": "markdown"}),
            "水开后淋入蛋液，Jane Austen 说。",
        ),
        (json!({"category": "主食", "difficulty": 4, "minutes": 40, "tags": ["下饭", "主食"]}), "米饭要焖，适合新手。"),
    ])
}

fn reports() -> Shelf {
    let report = |year: i32, quarter: &str, kind: &str| {
        json!({
            "document_type": kind, "year": year, "quarter": quarter, "company": "澄岬"
        })
    };
    Shelf::new(&[
        (report(2023, "Q1", "财报"), "2023年AI收入。"),
        (report(2023, "Q2", "财报"), "AI业务增长。"),
        (report(2022, "Q2", "财报"), "与2023年预期相比。"),
        (report(2023, "Q2", "新闻"), "澄岬发布AI产品。"),
    ])
}

fn news() -> Shelf {
    Shelf::new(&[
        (json!({"date": "2023-05-02", "section": "科技"}), "2019年立项。"),
        (json!({"date": "2024-02-20", "section": "体育"}), "科技与体育。2023年夺冠。"),
        (json!({"date": "2024-03-05", "section": "交通"}), "Reports about trains."),
        (json!({"published": "2023-06-30", "modified": "2024-03-06"}), "Published in Q2."),
    ])
}

const TODAY: Date = Date { year: 2024, month: 3, day: 13 };

/// `filter | text`, and what is offered and refused.
fn read(shelf: &Shelf, question: &str) -> String {
    let understood = understand(question, shelf, TODAY).unwrap();
    let list = |readings: &[Reading]| {
        let shown = |r: &Reading| {
            format!("{} ({})", r.filter.as_ref().map_or(r.words.clone(), ToString::to_string), r.why.name())
        };
        readings.iter().map(shown).collect::<Vec<_>>().join(", ")
    };
    let mut shown = format!("{} | {}", understood.filter.map_or("–".into(), |f| f.to_string()), understood.text);
    for (label, readings) in [("offered", &understood.offered), ("refused", &understood.refused)] {
        if !readings.is_empty() {
            shown += &format!(" | {label}: {}", list(readings));
        }
    }
    shown
}

#[track_caller]
fn check(shelf: &Shelf, cases: &[(&str, &str)]) {
    for (question, expected) in cases {
        assert_eq!(read(shelf, question), *expected, "{question}");
    }
}

#[test]
fn the_report_of_a_quarter() {
    let question = "请总结一下2023年第二季度财报中关于AI的论述";
    check(
        &reports(),
        &[
            (question, "document_type = 财报 and year = 2023 and quarter = Q2 | 关于AI的论述"),
            (
                "請總結一下２０２３年第二季度財報中關於AI的論述",
                "document_type = 财报 and year = 2023 and quarter = Q2 | 關於AI的論述",
            ),
            (
                "What do the Q2 2023 财报 say about AI?",
                "document_type = 财报 and year = 2023 and quarter = Q2 | What do 财报 say about AI?",
            ),
            ("2022年的财报", "document_type = 财报 and year = 2022 | 2022年的财报"),
            ("2021年的财报里的AI", "document_type = 财报 | 2021年AI | refused: year = 2021 (no document)"),
            ("2022年以后AI的进展", "year > 2022 | AI的进展"),
        ],
    );
    let dates = Shelf::new(&[(json!({"date": "2023-04-27"}), "AI"), (json!({"date": "2022-06-01"}), "2023年的AI")]);
    check(&dates, &[(question, "date = 2023Q2 | 财报中关于AI的论述")]);
    let without = Shelf::new(&[(json!({"modified": "2023-04-27"}), "AI")]);
    check(&without, &[(question, &format!("– | {question} | refused: 2023年第二季度 (no field)"))]);
}

#[test]
fn recipes_by_kind_and_difficulty() {
    check(
        &recipes(),
        &[
            ("推荐几道素菜", "category = 素菜 | 推荐几道素菜"),
            ("有什么简单的菜谱", "difficulty <= 2 | 有什么简单的菜谱"),
            ("适合新手", "difficulty <= 2 | 适合新手"),
            ("今天喝什么汤", "category = 汤羹 | 今天喝什么汤"),
            ("推荐几道用土豆做的素菜", "category = 素菜 | 几道用土豆做"),
            ("不超过30分钟的素菜有哪些", "category = 素菜 and minutes <= 30 | 不超过30分钟的素菜有哪些"),
            ("easy recipes with tomatoes under 30 minutes", "difficulty <= 2 and minutes < 30 | recipes with tomatoes"),
            ("category 是 素菜 的土豆", "category = 素菜 | 土豆"),
            (
                "素菜或者荤菜的做法有哪些",
                "– | 素菜或者荤菜的做法有哪些 | offered: category = 素菜 (ordinary words), category = 荤菜 (ordinary words)",
            ),
        ],
    );
}

#[test]
fn words_that_may_be_content_are_offered() {
    check(
        &recipes(),
        &[
            ("素菜怎么洗才干净", "– | 素菜怎么洗才干净 | offered: category = 素菜 (ordinary words)"),
            ("汤圆怎么煮", "– | 汤圆怎么煮 | offered: category = 汤羹 (ordinary words)"),
            ("Who is Jane Austen?", "– | Who is Jane Austen? | offered: author = \"Jane Austen\" (ordinary words)"),
            ("recipes by Jane Austen with potatoes", "author = \"Jane Austen\" | recipes with potatoes"),
            ("李明的排骨怎么做", "author = 李明 | 李明的排骨怎么做"),
            ("主食有哪些", "– | 主食有哪些 | offered: category = 主食 (several fields), tags = 主食 (several fields)"),
            ("不是素菜的有哪些", "– | 不是素菜的有哪些 | offered: not category = 素菜 (negated)"),
            (
                "recipes not by Jane Austen",
                "– | recipes not by Jane Austen | offered: not author = \"Jane Austen\" (negated)",
            ),
            (
                "how to write markdown tables",
                "– | how to write markdown tables | offered: type = markdown (ordinary words)",
            ),
            ("tables in markdown files", "type = markdown | tables files"),
            ("番茄汤", "– | 番茄汤 | offered: category = 汤羹 (ordinary words)"),
        ],
    );
}

#[test]
fn times_over_days() {
    check(
        &news(),
        &[
            ("上个月的体育新闻", "section = 体育 and date = 2024-02 | 上个月的体育新闻"),
            ("articles after 2023 about trains", "date > 2023 or published > 2023 | articles about trains"),
            (
                "What was written in 2023 about science?",
                "date = 2023 or published = 2023 | What was written about science?",
            ),
            (
                "last week's trains",
                "(date >= 2024-03-04 and date <= 2024-03-10) or (published >= 2024-03-04 and published <= 2024-03-10) \
                 | trains",
            ),
            (
                "files modified last week about quarters",
                "modified >= 2024-03-04 and modified <= 2024-03-10 | files modified about quarters",
            ),
            ("2023年谁夺冠", "– | 2023年谁夺冠 | offered: date = 2023 or published = 2023 (ordinary words)"),
            ("2019年立项的是什么", "– | 2019年立项的是什么 | refused: date = 2019 or published = 2019 (no document)"),
            ("今天喝什么", "– | 今天喝什么"),
            ("今天的新闻", "– | 今天的新闻 | refused: date = 2024-03-13 or published = 2024-03-13 (no document)"),
            ("城市交通中存在的问题", "section = 交通 | 城市交通中存在的问题"),
        ],
    );
}

#[test]
fn a_field_that_the_caller_filters_by_is_not_read_again() {
    let mut shelf = recipes();
    shelf.given = Some("category");
    check(&shelf, &[("推荐几道简单的素菜", "difficulty <= 2 | 几道素菜")]);
}

#[test]
fn readings_that_together_leave_nothing_are_withdrawn() {
    let understood = understand("有什么简单的荤菜", &recipes(), TODAY).unwrap();
    assert!(understood.withdrawn && understood.filter.is_none() && understood.applied.is_empty());
    assert_eq!((understood.text.as_str(), understood.offered.len()), ("有什么简单的荤菜", 2));
}

#[test]
fn hostile_questions_are_read_quickly_or_not_at_all() {
    let shelf = recipes();
    for question in [
        "",
        "\0",
        "🙂素菜🙂",
        "素菜".repeat(100_000).as_str(),
        "2023年".repeat(79).as_str(),
        "“”「」''\"\"",
        "最近",
        "不超过",
    ] {
        let _ = understand(question, &shelf, TODAY).unwrap();
    }
    assert_eq!(understand(&"素菜".repeat(1000), &shelf, TODAY).unwrap().filter, None);
}

proptest! {
    /// What makes it safe to have this on: with nothing applied the question is untouched, and what is applied has
    /// documents.
    #[test]
    fn a_question_is_untouched_or_its_filter_has_documents(
        parts in prop::collection::vec(
            prop::sample::select(
                vec!["素菜", "汤", "2023年", "推荐", "几道", "简单", "的", "菜谱", "不", "30分钟以内", "去年", "Jane Austen", " ", "by",
                    "土豆", "怎么做", "，", "\0", "Q2", "after 2020"]), 0..8)
    ) {
        let question = parts.concat();
        for shelf in [recipes(), reports(), news()] {
            let understood = understand(&question, &shelf, TODAY).unwrap();
            match &understood.filter {
                None => prop_assert_eq!(&understood.text, &question),
                Some(filter) => prop_assert!(shelf.matching(filter).unwrap() > 0),
            }
            let all = understood.applied.iter().chain(&understood.offered).chain(&understood.refused);
            for reading in all {
                let words: String = question.chars().skip(reading.place.start).take(reading.place.len()).collect();
                prop_assert_eq!(&words, &reading.words);
            }
        }
    }
}

/// A question for a report of a quarter found the one PDF that happened to be made then.
#[test]
fn the_day_a_few_files_were_made_on_is_no_filter() {
    let made = |day: &str| json!({"created": day});
    let few = Shelf::new(&[
        (made("2023-05-02"), "Minutes."),
        (json!({}), "2023年第二季度财报。"),
        (json!({}), "News."),
        (json!({}), "More."),
    ]);
    check(&few, &[("2023年第二季度财报", "– | 2023年第二季度财报 | refused: 2023年第二季度 (no field)")]);
    check(&few, &[("2023年第二季度发布的文件", "created = 2023Q2 | 发布的文件")]);
    let most = Shelf::new(&[(made("2023-05-02"), "Q2."), (made("2024-05-02"), "Later."), (json!({}), "More.")]);
    check(&most, &[("2023年第二季度财报", "created = 2023Q2 | 2023年第二季度财报")]);
}

#[test]
fn a_word_is_spelled_anew_where_it_stands_alone() {
    let spelled = vec![Spelling { written: "form".to_owned(), read: "farm".to_owned() }];
    let understood = Understood { spelled, ..Understood::default() };
    assert_eq!(understood.respelled("form platform的form, reform"), "farm platform的farm, reform");
}
