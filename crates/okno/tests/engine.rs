//! The engine as a library: what the sources ask for, and the traps in their own code.

use okno::document::Filter;
use okno::embed::{EmbedError, Embedder, Role};
use okno::retrieve::{Expansion, RerankError, Reranker};
use okno::store::Leg;
use okno::{Answer, Context, Engine, Error, Query};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// An index of these files.
struct Indexed {
    folder: tempfile::TempDir,
    engine: Engine,
}

fn indexed(files: &[(&str, &str)]) -> Indexed {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), files);
    let engine = Engine::create(folder.path().join("index")).unwrap();
    engine.index(&[folder.path().join("documents")]).unwrap();
    Indexed { folder, engine }
}

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = folder.join("documents").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

impl Indexed {
    fn search(&self, query: &Query) -> Answer {
        self.engine.search(query).unwrap()
    }

    fn ask(&self, text: &str, expand: Expansion) -> Vec<Context> {
        self.search(&Query::new(text).recipe("window").expand(expand)).contexts
    }
}

const SIX: &str = "hello. how are you? I am fine! Thank you. And you? I am fine too. ";

#[test]
fn a_window_is_source_text_clipped_at_the_documents_ends() {
    let index = indexed(&[("six.txt", SIX)]);
    let window = |question: &str| index.search(&Query::new(question).recipe("window").k(1)).contexts[0].text.clone();
    assert_eq!(window("hello"), "hello. how are you? I am fine! Thank you.");
    assert_eq!(window("thank"), SIX.trim_end(), "not sentences joined with spaces (002)");
}

#[test]
fn a_window_changes_no_hit() {
    let text: String = (0..40).map(|i| format!("Sentence {i} is about topic{}. ", i % 7)).collect();
    let index = indexed(&[("a.txt", &text)]);
    let hits = |window: u32| {
        let query = Query::new("topic3").recipe("window").expand(Expansion::Window(window)).budget(100_000);
        let mut hits: Vec<_> = index
            .search(&query)
            .contexts
            .into_iter()
            .flat_map(|c| c.hits)
            .map(|hit| (hit.span, hit.score.to_bits()))
            .collect();
        hits.sort();
        hits
    };
    let generation = index.engine.snapshot().unwrap().generation();
    assert!([1, 3, 5].iter().all(|&window| hits(window) == hits(0)) && !hits(0).is_empty());
    assert_eq!(index.engine.snapshot().unwrap().generation(), generation, "nothing was indexed again");
}

#[test]
fn overlapping_windows_become_one_context() {
    let text: String = (0..12).map(|i| format!("The red fox number {i} ran away. ")).collect();
    let contexts = indexed(&[("foxes.txt", &text)]).ask("red fox", Expansion::Window(3));
    let total: usize = contexts.iter().map(|c| c.text.len()).sum();
    assert!(total <= text.len(), "no sentence twice");
    assert!(contexts.iter().all(|c| text[c.span.range()] == c.text));
}

#[test]
fn auto_finds_the_sentence_that_answers_without_naming_anyone() {
    // After source 002: the names are four sentences away from the sentence that answers, which says only “两人”.
    let story = "灯塔守护会解散以后，由林舟、方岚、贺远和周砚组成的巡海队负责搜查走私船的下落，这一次他们按线报攻进了北礁的仓库。\
        贺远在仓库里被迷雾击倒。走私者逃走之后，巡海队收回了一只铜匣。大家回到总部，林舟拆开铜匣，发现里面是一台会学习的机器，他决定把它用在防卫上。\
        经过和方岚日夜不停的研究，两人造出了名叫“潮眼”的守卫程序。\n\n潮眼醒来不久就翻遍了巡海队的档案，认定祸害的源头是人。它毁掉旧程序，操纵一台坏掉的机器闯进庆功宴。\
        潮眼又用网络回到北礁，造出一支机器队伍。\n\n潮眼去南港抢走了所有铜料。巡海队赶到以后和它正面交手，多数人被迷雾困住。\
        贺远失去理智，在城里大闹一场。周砚最后把他劝住，众人撤到方岚的老家休整。";
    let index = indexed(&[("story.txt", story)]);
    let answer = index.search(&Query::new("潮眼是由哪两位巡海队成员创造的？").budget(300));
    assert!(answer.contexts.iter().any(|c| c.text.contains("两人造出了名叫“潮眼”的守卫程序")), "{:?}", answer.contexts);
}

#[test]
fn chinese_words_are_found_however_they_are_cut_or_written() {
    let index = indexed(&[
        ("宫保鸡丁.md", "# 宫保鸡丁\n\n鸡丁用料酒腌十分钟。"),
        ("土豆丝.md", "# 酸辣土豆丝\n\n土豆切丝，泡水。"),
        ("排骨.md", "# 红烧排骨\n\n排骨焯水。"),
        ("蛋花.md", "# 番茄蛋花汤\n\n水开后淋入蛋液。"),
    ]);
    for (question, document) in [
        ("宫保鸡丁", "宫保鸡丁.md"),
        ("土豆丝", "土豆丝.md"),
        ("红烧", "排骨.md"),
        ("宮保雞丁", "宫保鸡丁.md"),
        ("汤", "蛋花.md"),
        ("排", "排骨.md"),
    ] {
        for recipe in ["auto", "window", "chunks"] {
            let answer = index.search(&Query::new(question).recipe(recipe));
            assert_eq!(answer.contexts[0].document, document, "{question} {recipe}");
        }
    }
}

#[test]
fn filters_hold_in_both_legs_and_give_all_that_match() {
    let recipe = |name: &str, category: &str, difficulty: u32| {
        format!(
            "---\ncategory: {category}\ndifficulty: {difficulty}\n---\n\n# {name}\n\n{name}的做法很简单。先备料，再下锅。\n"
        )
    };
    let files: Vec<(String, String)> = (0..30)
        .map(|i| (format!("{i}.md"), recipe(&format!("菜{i}"), if i % 10 == 0 { "素菜" } else { "荤菜" }, i % 5 + 1)))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let index = indexed(&files);
    let matching = |filter: &str, k: usize| {
        let query = Query::new("推荐几道菜的做法")
            .recipe("window")
            .expand(Expansion::None)
            .k(k)
            .filter(Filter::parse(filter).unwrap());
        index.search(&query).contexts
    };
    let vegetables = matching("category = 素菜", 20);
    assert!(vegetables.iter().all(|c| c.metadata.get("category").unwrap().to_string() == "素菜"));
    let documents: std::collections::HashSet<_> = vegetables.iter().map(|c| c.document.clone()).collect();
    assert_eq!(
        documents.len(),
        3,
        "every one of the three matches, however far down it ranks (001 filtered after the search)"
    );
    assert!(matching("category = 素菜 and difficulty > 1", 20).is_empty());
    let error = index.engine.search(&Query::new("菜").filter(Filter::parse("categori = 素菜").unwrap())).unwrap_err();
    assert!(matches!(&error, Error::UnknownField { known, .. } if known.0[0] == "category"), "{error}");
}

#[test]
fn a_parent_is_returned_once_for_all_its_children() {
    let text: String = (0..80)
        .map(|i| {
            format!(
                "Part {i} of the rail report names the Cornwall Ranger ticket and its price in the year {}. ",
                1900 + i
            )
        })
        .collect();
    let index = indexed(&[("rail.txt", &text)]);
    let answer = index.search(&Query::new("Cornwall Ranger ticket").recipe("parent"));
    assert_eq!(answer.stage.targets.min(3), 3);
    let total: usize = answer.contexts.iter().map(|c| c.text.len()).sum();
    assert!(total <= text.len());
}

#[test]
fn identical_copies_are_returned_once_and_cite_each_place() {
    let text = "The harbour master keeps two clocks. One of them is wrong on purpose.";
    let index = indexed(&[("a.txt", text), ("deep/b.txt", text), ("c.txt", "Nothing about time here.")]);
    let answer = index.search(&Query::new("harbour clocks"));
    let found: Vec<_> = answer.contexts.iter().filter(|c| c.text.contains("harbour")).collect();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].document.as_str(), found[0].copies.as_slice()), ("a.txt", &["deep/b.txt".to_owned()][..]));
}

#[test]
fn a_hundred_copies_leave_room_for_others() {
    let text = "The harbour master keeps two clocks. One of them is wrong on purpose.";
    let names: Vec<String> = (0..100).map(|at| format!("copy{at:02}.txt")).collect();
    let mut files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), text)).collect();
    files.push(("other.txt", "The harbour has a third clock. It stands still."));
    let answer = indexed(&files).search(&Query::new("harbour clocks"));
    let found: Vec<&str> = answer.contexts.iter().map(|context| context.document.as_str()).collect();
    assert_eq!(found, ["copy00.txt", "other.txt"]);
    assert_eq!(answer.contexts[0].copies.len(), 99);
}

/// Came from step 2 on, with all of what stands behind the steps.
#[test]
fn who_asks_how_begins_at_the_first_step() {
    let parts = ["valve", "wheel", "handle", "cover", "spring", "gasket", "hinge"];
    let lines = |line: fn(usize, &str) -> String, count: usize| -> String {
        parts.iter().zip(1..).take(count).map(|(part, at)| line(at, part)).collect()
    };
    let steps = lines(|at, part| format!("{at}. Turn the {part} slowly until the red mark is seen at the side.\n"), 7);
    let oiled = lines(|at, part| format!("{at}. Oil the {part} of the steam pump.\n"), 5);
    let start = "### As a pump\n\n1. Start the steam pump at dawn.\n\n### As a mill\n";
    let text = format!("# Steam pump\n\n## Work\n\n{steps}\n{start}\n{oiled}");
    let index = indexed(&[("pump.md", text.as_str()), ("tea.md", "# Tea\n\nTea is brewed with hot water.")]);
    let answer = index.search(&Query::new("How do I use the steam pump?").budget(180));
    assert!(answer.contexts[0].text.contains("1. Turn the valve"), "{}", answer.contexts[0].text);
    assert!(answer.contexts[0].text.contains("1. Start the steam pump") && answer.spent() <= 180);
}

#[test]
fn questions_of_nothing_find_nothing() {
    let index = indexed(&[("a.txt", SIX)]);
    for question in ["", "   ", "?!。，", "\u{200b}", "\0\u{1b}[;"] {
        for recipe in ["auto", "window", "chunks", "neighbors", "parent", "section"] {
            let answer = index.search(&Query::new(question).recipe(recipe));
            assert!(answer.contexts.is_empty(), "{question:?} {recipe}");
        }
    }
    assert!(index.search(&Query::new("hello").k(0)).contexts.is_empty());
    assert!(index.search(&Query::new("hello").budget(0)).contexts.is_empty());
}

/// Counts what it is asked to embed.
struct Slow {
    asked: AtomicUsize,
    name: &'static str,
}

impl Embedder for Slow {
    fn identity(&self) -> &str {
        self.name
    }

    fn dimensions(&self) -> usize {
        4
    }

    fn embed(&self, texts: &[&str], role: Role) -> Result<Vec<f32>, EmbedError> {
        if role == Role::Passage {
            self.asked.fetch_add(texts.len(), Ordering::Relaxed);
        }
        Ok(texts.iter().flat_map(|text| [text.len() as f32, 1.0, text.chars().count() as f32, 0.5]).collect())
    }
}

#[test]
fn a_slow_embedder_is_never_asked_twice_for_the_same_text() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("a.txt", "One thing. Another thing."), ("b.txt", "A third thing.")]);
    let slow = Arc::new(Slow { asked: AtomicUsize::new(0), name: "slow" });
    let engine =
        Engine::builder().embedder(Arc::clone(&slow) as Arc<dyn Embedder>).create(folder.path().join("index")).unwrap();
    let documents = folder.path().join("documents");
    engine.index(&[&documents]).unwrap();
    let first = slow.asked.load(Ordering::Relaxed);
    assert!(first >= 3);
    engine.index(&[&documents]).unwrap();
    assert_eq!(slow.asked.load(Ordering::Relaxed), first, "nothing changed");
    write(folder.path(), &[("a.txt", "One thing. Another thing. A new thing.")]);
    std::fs::rename(documents.join("b.txt"), documents.join("c.txt")).unwrap();
    let report = engine.index(&[&documents]).unwrap();
    assert_eq!((report.added, report.changed, report.removed), (1, 1, 1));
    assert_eq!(slow.asked.load(Ordering::Relaxed), first + 2, "only the new sentence and the new file's title");
}

/// Embeds passages and no questions, as a service does that is away by now.
struct Away;

impl Embedder for Away {
    fn identity(&self) -> &'static str {
        "away"
    }

    fn dimensions(&self) -> usize {
        1
    }

    fn embed(&self, texts: &[&str], role: Role) -> Result<Vec<f32>, EmbedError> {
        match role {
            Role::Passage => Ok(vec![1.0; texts.len()]),
            Role::Query => Err(EmbedError::new("nobody there")),
        }
    }
}

#[test]
fn words_alone_are_found_without_the_embedder() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("a.txt", "One thing. Another thing.")]);
    let engine = Engine::builder().embedder(Arc::new(Away)).create(folder.path().join("index")).unwrap();
    engine.index(&[folder.path().join("documents")]).unwrap();
    let query = |legs| Query::new("another").legs(legs);
    let found = engine.search(&query(vec![Leg::Lexical])).unwrap();
    assert!(found.contexts[0].text.contains("Another thing."));
    let both = engine.search(&query(vec![Leg::Dense, Leg::Lexical])).unwrap_err();
    assert!(both.to_string().contains("nobody there"), "{both}");
}

/// Counts the passages it reads.
#[derive(Default)]
struct Reading(AtomicUsize);

impl Reranker for Reading {
    fn identity(&self) -> &'static str {
        "reading"
    }

    fn scores(&self, _: &str, passages: &[&str]) -> Result<Vec<f32>, RerankError> {
        self.0.store(passages.len(), Ordering::Relaxed);
        Ok(vec![0.0; passages.len()])
    }
}

/// A recipe that ranks few read as few, whatever depth was asked for.
#[test]
fn a_reranker_reads_as_many_as_it_is_told_to() {
    let folder = tempfile::tempdir().unwrap();
    let text: String = (0..60).map(|number| format!("Thing number {number} is a thing.\n\n")).collect();
    write(folder.path(), &[("a.txt", &text)]);
    let reading = Arc::new(Reading::default());
    let reranker = Some(Arc::clone(&reading) as Arc<dyn Reranker>);
    let engine = Engine::builder().reranker(reranker).create(folder.path().join("index")).unwrap();
    engine.index(&[folder.path().join("documents")]).unwrap();
    for depth in [5, 50] {
        let query = Query::new("a thing").recipe("window").rerank_depth(depth);
        engine.search(&query).unwrap();
        assert_eq!(reading.0.load(Ordering::Relaxed), depth);
    }
}

#[test]
fn new_metadata_asks_no_embedder_and_keeps_what_was_made() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("a.txt", "One thing. Another thing."), ("b.txt", "A third thing.")]);
    let slow = Arc::new(Slow { asked: AtomicUsize::new(0), name: "slow" });
    let engine =
        Engine::builder().embedder(Arc::clone(&slow) as Arc<dyn Embedder>).create(folder.path().join("index")).unwrap();
    let documents = folder.path().join("documents");
    engine.index(&[&documents]).unwrap();
    let first = slow.asked.load(Ordering::Relaxed);
    let numbers = engine.snapshot().unwrap().numbers();
    let rule: okno::rules::RuleText = serde_json::from_str(r#"{"path": "*.txt", "set": {"name": "$1"}}"#).unwrap();
    let mut options = okno::IndexOptions::default();
    options.rules = Some(vec![rule]);
    let report = engine.index_with(&[&documents], &options, &okno::Silent).unwrap();
    assert_eq!((report.changed, report.sentences), (2, 0));
    assert_eq!(slow.asked.load(Ordering::Relaxed), first);
    assert_eq!(engine.snapshot().unwrap().numbers(), numbers);
    // Whoever indexes next and says nothing of rules applies those of the index.
    write(folder.path(), &[("c.txt", "A fourth thing.")]);
    engine.index(&[&documents]).unwrap();
    let records = engine.snapshot().unwrap().records().unwrap().to_vec();
    assert!(records.iter().all(|(_, record)| record.metadata.get("name").is_some()), "{records:?}");
}

#[test]
fn an_index_of_another_embedder_is_refused_by_both_names() {
    let folder = tempfile::tempdir().unwrap();
    let make =
        |name| Engine::builder().embedder(Arc::new(Slow { asked: AtomicUsize::new(0), name })).create(folder.path());
    drop(make("first").unwrap());
    let error = make("second").err().unwrap().to_string();
    assert!(error.contains("`first`") && error.contains("`second`"), "{error}");
}

#[test]
fn a_removed_document_stays_removed_until_it_changes() {
    let index = indexed(&[("a.txt", "Alpha text."), ("b.txt", "Beta text.")]);
    let documents = index.folder.path().join("documents");
    let names = || {
        index.engine.snapshot().unwrap().records().unwrap().iter().map(|(_, r)| r.id.path.clone()).collect::<Vec<_>>()
    };
    assert_eq!(index.engine.remove(&["a.txt".into()]).unwrap(), 1);
    assert!(matches!(index.engine.remove(&["a.txt".into()]), Err(Error::NoDocument(_))));
    index.engine.index(&[&documents]).unwrap();
    assert_eq!(names(), ["b.txt"]);
    write(index.folder.path(), &[("a.txt", "Alpha text, written anew.")]);
    index.engine.index(&[&documents]).unwrap();
    assert_eq!(names(), ["b.txt", "a.txt"]);
}

#[test]
fn a_sentence_longer_than_any_piece_is_still_found() {
    // 900 characters without a stop: classical text, pasted chats.
    let long: String = "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏"
        .chars()
        .cycle()
        .take(900)
        .chain("菜重芥姜".chars())
        .collect();
    let index = indexed(&[("long.txt", &long), ("short.txt", "菜很好。")]);
    let answer = index.search(&Query::new("菜重芥姜").budget(4000));
    assert_eq!(answer.contexts[0].document, "long.txt");
}

#[test]
fn lines_that_all_match_alike_are_all_hits() {
    let lines: String = (0..300).map(|i| format!("{{\"doc_id\": \"{i}\", \"text\": \"第{i}箱是苹果。\"}}\n")).collect();
    let index = indexed(&[("boxes.jsonl", &lines)]);
    let query = Query::new("苹果").legs(vec![okno::store::Leg::Lexical]);
    assert!(!index.search(&query).contexts.is_empty());
}

#[test]
fn a_filter_leaves_as_many_as_match_even_for_a_foreign_question() {
    let files: Vec<(String, String)> = (0..12)
        .map(|i| (format!("{i}.md"), format!("---\nkind: {}\n---\n\nText number {i} about rivers.", i % 2)))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let index = indexed(&files);
    let query = Query::new("quantum chromodynamics").recipe("window").k(8).filter(Filter::parse("kind = 1").unwrap());
    let answer = index.search(&query);
    assert_eq!((answer.contexts.len(), answer.stage.matching), (6, Some(6)));
}

#[test]
fn k_limits_the_candidates_of_auto() {
    // Too long to be returned as one section.
    let text: String = (0..100).map(|i| format!("The river number {i} is long and slow.\n\n")).collect();
    let index = indexed(&[("rivers.txt", &text)]);
    let hits = |k| index.search(&Query::new("river").k(k)).contexts.iter().map(|c| c.hits.len()).sum::<usize>();
    assert!(hits(Some(2)) <= 2 && hits(None) > 10);
}

#[test]
fn another_mapping_of_json_fields_reads_the_files_again() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("a.jsonl", "{\"doc_id\": \"1\", \"body\": \"Water boils at sea level.\"}\n")]);
    let engine = Engine::create(folder.path().join("index")).unwrap();
    let documents = folder.path().join("documents");
    assert_eq!(engine.index(&[&documents]).unwrap().added, 0);
    let mut options = okno::IndexOptions::default();
    options.jsonl_fields = Some("text=body".into());
    assert_eq!(engine.index_with(&[&documents], &options, &okno::Silent).unwrap().added, 1);
    assert_eq!(engine.index(&[&documents]).unwrap().removed, 0, "the mapping is remembered");
}

#[test]
fn replacing_everything_does_not_double_the_index() {
    let text = |round: usize| (0..400).map(|i| format!("Sentence {i} of round {round}. ")).collect::<String>();
    let index = indexed(&[("a.txt", &text(0)), ("b.txt", &text(1))]);
    let documents = index.folder.path().join("documents");
    let mut sizes = Vec::new();
    for round in 2..8 {
        write(index.folder.path(), &[("a.txt", &text(round)), ("b.txt", &text(round + 100))]);
        index.engine.index(&[&documents]).unwrap();
        sizes.push(std::fs::metadata(index.engine.folder().join("data.mdb")).unwrap().len());
    }
    assert!(sizes[5] <= sizes[1], "pages of replaced documents are used again: {sizes:?}");
}

#[test]
fn an_answer_for_a_large_budget_begins_with_the_answer_for_a_small_one() {
    // Pieces grew with the budget and buried the best sentence: of 2,000 tokens the first 500 lost up to a tenth of
    // the answers.
    let topic = |i: usize| ["harbour", "railway", "bridge", "market", "canal"][i % 5];
    let paragraph = |i: usize| {
        let sentence = |j: usize| {
            format!("The {} of town {i} was rebuilt in {} by its {}. ", topic(i + j), 1800 + i * 7 + j, topic(j))
        };
        (0..6).map(sentence).collect::<String>() + "\n\n"
    };
    let text: String = (0..60).map(paragraph).collect();
    let index = indexed(&[("towns.md", &text)]);
    let spans = |budget| -> Vec<_> {
        let query = Query::new("When was the railway of the town by the canal rebuilt?").budget(budget);
        index.search(&query).contexts.iter().map(|context| context.span).collect()
    };
    let (small, middle, large) = (spans(500), spans(1000), spans(2000));
    assert!(small.len() < middle.len() && middle.len() < large.len());
    assert_eq!(middle[..small.len()], small);
    assert_eq!(large[..middle.len()], middle);
}

/// The contexts of `auto`, as text.
fn texts(index: &Indexed, question: &str, budget: usize) -> Vec<String> {
    index.search(&Query::new(question).budget(budget)).contexts.into_iter().map(|context| context.text).collect()
}

/// Reports that say the same of different companies and years.
fn reports() -> Indexed {
    let report = |company: &str, year: u32, amount: u32| {
        format!(
            "# Annual report\n\nThis is a report for {year}.\n\nPurchases of plant and equipment were {amount} \
             million. Sales of {company} grew."
        )
    };
    let files: Vec<(String, String)> =
        [("ACME", 2017, 11), ("ACME", 2018, 12), ("BOREAL", 2017, 13), ("BOREAL", 2018, 14)]
            .iter()
            .map(|&(company, year, amount)| (format!("{company}_{year}_10K.md"), report(company, year, amount)))
            .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    indexed(&files)
}

#[test]
fn a_question_that_names_a_file_is_led_there() {
    let index = reports();
    let first = |question: &str| index.search(&Query::new(question).budget(60)).contexts[0].document.clone();
    assert_eq!(first("How much plant and equipment did Boreal purchase in FY2018?"), "BOREAL_2018_10K.md");
    assert_eq!(first("How much plant and equipment did Acme purchase in FY2017?"), "ACME_2017_10K.md");
    let answer = index.search(&Query::new("How much plant and equipment did Boreal purchase in 2018?"));
    assert!(answer.stage.led.iter().any(|(_, document)| document == "BOREAL_2018_10K.md"), "{:?}", answer.stage.led);
    assert!(answer.contexts[0].hits[0].trace.iter().any(|found| found.trace.led.is_some()), "--explain shows it");
}

#[test]
fn a_passage_that_names_another_document_leads_to_it() {
    let filler =
        |i: usize| (format!("song{i}.md"), format!("# Song {i}\n\nSong {i} is a song of the nineties, born of a jam."));
    let mut files: Vec<(String, String)> = (0..30).map(filler).collect();
    files.push(("a.md".to_owned(), "# Blue Kettle\n\nBlue Kettle is a song performed by Ada Moreau.".to_owned()));
    files.push(("b.md".to_owned(), "# Ada Moreau\n\nShe came into the world in Lyon and sang early.".to_owned()));
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let texts = texts(&indexed(&files), "Where was the performer of the song Blue Kettle born?", 2000);
    assert!(texts.iter().any(|text| text.contains("Lyon")), "{texts:#?}");
}

#[test]
fn a_list_is_returned_whole_and_no_heading_alone() {
    let items = ["sprouted potatoes", "raw kidney beans", "unripe tomatoes", "bitter almonds", "green daylilies"];
    let list: String = items.iter().map(|item| format!("- {item}\n")).collect();
    let text = format!(
        "# Kitchen\n\n## Safety\n\nThese foods can be poisonous:\n\n{list}\n## Poisonous foods\n\n## Knives\n\nKeep \
         knives sharp.\n"
    );
    let texts = texts(&indexed(&[("kitchen.md", &text)]), "Which foods can be poisonous?", 100);
    assert!(items.iter().all(|item| texts[0].contains(item)), "{texts:#?}");
    let bare = |text: &String| text.lines().all(|line| line.is_empty() || line.starts_with('#'));
    assert!(!texts.iter().any(bare), "{texts:#?}");
}

#[test]
fn comments_of_markdown_are_neither_searched_nor_returned() {
    let text = "# 部署\n\n<!--\nRolling back a deployment to an earlier revision is done with the undo command, which is \
        described here.\n-->\n\n回滚到之前的版本。\n\n<!--\nAnother comment of some length, so that nobody takes it for text.\n\
        -->\n\n使用 undo 命令。\n\n<!-- short -->\n\n然后检查。\n";
    let index = indexed(&[("a.md", text)]);
    for question in ["Rolling back a deployment to an earlier revision", "回滚到之前的版本"] {
        let texts = texts(&index, question, 500);
        assert!(
            !texts.is_empty() && !texts.iter().any(|text| text.contains("<!--") || text.contains("-->")),
            "{texts:#?}"
        );
        assert!(!texts.iter().any(|text| text.contains("Rolling")), "{texts:#?}");
    }
}

/// What `docs/security.md` says about the price of checking what is returned. Prints the figure with `--nocapture`.
#[test]
fn checking_a_returned_context_takes_at_most_a_twentieth_of_a_millisecond() {
    let sentence = |file: usize, line: usize| format!("Keeper {file} wrote line {line} of the log of pier {file}. ");
    let text = |file: usize| (0..400).map(|line| sentence(file, line)).collect::<String>();
    let files: Vec<(String, String)> = (0..20).map(|file| (format!("log{file}.md"), text(file))).collect();
    let named: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let index = indexed(&named);
    let snapshot = index.engine.snapshot().unwrap();
    let mut returned = Vec::new();
    for file in 0..20 {
        for context in index.search(&Query::new(format!("line 200 of the log of pier {file}")).budget(500)).contexts {
            let mut records = snapshot.records().unwrap().iter();
            let (number, _) = records.find(|(_, record)| record.id.name() == context.document).unwrap();
            let start = snapshot.text(*number).unwrap().find(&context.text).unwrap();
            returned.push((*number, okno::document::Span::new(start, start + context.text.len())));
        }
    }
    let round = || {
        let begun = std::time::Instant::now();
        for (number, span) in &returned {
            snapshot.check_text(*number, *span).unwrap();
        }
        begun.elapsed().as_secs_f64() * 1e3 / returned.len() as f64
    };
    // The least of several: other programs run too.
    let least = (0..20).map(|_| round()).fold(f64::MAX, f64::min);
    let bytes: usize = returned.iter().map(|(_, span)| span.len()).sum();
    println!("checking a returned context of {} bytes: {least:.5} ms", bytes / returned.len());
    assert!(least <= 0.05, "{least} ms");
}

#[test]
fn documents_that_are_not_files_are_added_replaced_and_deleted() {
    use okno::load::GivenDocument;
    let index = indexed(&[("tea.md", "Green tea is brewed at 80 °C.")]);
    let given = |id: &str, text: &str| GivenDocument::new(id, text);
    let report =
        index.engine.add([given("a", "Coffee is ground fresh."), given("b", "Milk is boiled."), given("c", " ")]);
    let report = report.unwrap();
    assert_eq!((report.added, report.skipped.len(), report.skipped[0].place.as_str()), (2, 1, "c"));
    let best = |question: &str| index.search(&Query::new(question)).contexts[0].document.clone();
    assert_eq!((best("fresh coffee").as_str(), best("green tea").as_str()), ("a", "tea.md"));

    // The same again is not stored again; other metadata is, without another text.
    let generation = |engine: &Engine| engine.snapshot().unwrap().totals().unwrap();
    let before = generation(&index.engine);
    let mut named = given("b", "Milk is boiled.");
    named.metadata.set("kind", okno::document::Value::Text("drink".into()));
    let report = index.engine.add([given("a", "Coffee is ground fresh."), named]).unwrap();
    assert_eq!((report.added, report.changed, report.unchanged, report.sentences), (0, 1, 1, 0));
    assert_eq!(generation(&index.engine), before);
    let drinks = Query::new("milk").filter(Filter::parse("kind = drink").unwrap());
    assert_eq!(index.search(&drinks).contexts[0].document, "b");

    // The later of two documents of one id counts.
    let report = index.engine.add([given("a", "Cocoa is stirred."), given("a", "Cocoa is whisked.")]).unwrap();
    assert_eq!(report.changed, 2);
    assert_eq!(index.search(&Query::new("cocoa")).contexts[0].text, "Cocoa is whisked.");

    // Bringing files up to date leaves them alone, whatever it looks at.
    index.engine.index(&[index.folder.path().join("documents")]).unwrap();
    index.engine.index::<&Path>(&[]).unwrap();
    assert_eq!(generation(&index.engine).documents, 3);

    assert_eq!(index.engine.delete(&["a", "none", "tea.md"]).unwrap(), 1, "files are not deleted by id");
    assert_eq!(index.engine.remove(&["b".to_owned()]).unwrap(), 1);
    assert_eq!(generation(&index.engine).documents, 1);
    assert_eq!(index.engine.add([given("b", "Milk is boiled.")]).unwrap().added, 1, "adding again is what counts");
    assert_eq!(index.engine.snapshot().unwrap().files().unwrap().len(), 2);
}
