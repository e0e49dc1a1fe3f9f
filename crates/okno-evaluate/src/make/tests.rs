use super::*;
use okno::Engine;

const TEA: &str = "# Tea room manual\n\nThe samovar is a metal urn that keeps water hot for a whole afternoon. It was \
    bought second-hand.\n\n## How often is the samovar cleaned?\n\nEvery Friday after closing. Use citric acid, never \
    vinegar.\n\n## Opening duties\n\n- light the samovar,\n- count the cash drawer,\n- water the lemon tree.\n\n## \
    Winter hours\n\nFrom November the room closes at five. Snow may close it sooner, and then a note hangs on the \
    gate. Nobody is paid for a closed afternoon, except the two apprentices. The boiler room needs 45 minutes of \
    heating before guests arrive on frosty mornings.\n";
const ZH: &str = "# 渡口值班手册\n\n浮标灯是一种装在木桩上的警示灯，夜里每隔三秒闪一次。它由值班员点亮。\n\n## 值班前检查\n\n- 缆绳有没有磨损；\n- 救生圈是否在位；\n- 对讲机的电量。\n\n\
    ## 涨水时的规定\n\n水位超过警戒线就停航。停航的决定由站长作出，值班员只负责挂出红旗。复航之前必须试航一次，试航至少需要 40 分钟，船上不载乘客。\n";

fn made(seed: u64) -> (Vec<MadeQuestion>, Summary) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("d")).unwrap();
    std::fs::write(folder.path().join("d/tea.md"), TEA).unwrap();
    std::fs::write(folder.path().join("d/渡口.md"), ZH).unwrap();
    let engine = Engine::create(folder.path().join("index")).unwrap();
    engine.index(&[folder.path().join("d")]).unwrap();
    questions(&*engine.snapshot().unwrap(), 50, seed).unwrap()
}

#[test]
fn headings_definitions_lists_and_figures_become_questions_in_both_languages() {
    let (made, _) = made(1);
    let asked: Vec<&str> = made.iter().map(|made| made.question.as_str()).collect();
    for wanted in [
        "How often is the samovar cleaned?",
        "What is the samovar?",
        "什么是浮标灯？",
        "Which items does “Tea room manual” list for opening duties?",
        "《渡口值班手册》在“值班前检查”中列出了哪几项？",
        "What does “Tea room manual” say about winter hours?",
        "《渡口值班手册》关于“涨水时的规定”是怎么说的？",
    ] {
        assert!(asked.contains(&wanted), "{wanted} is missing in {asked:#?}");
    }
    assert!(asked.iter().any(|q| q.ends_with("how many minutes does the boiler room need?")), "{asked:#?}");
    assert!(asked.iter().any(|q| q.contains("多少分钟")), "{asked:#?}");
}

/// Broken before: "Which items does “Pods” list for {{% heading "whatsnext" %}}?", "What is Of the latter there?".
#[test]
fn no_question_has_template_code_or_begins_in_the_middle() {
    let folder = tempfile::tempdir().unwrap();
    let text = "# Pods\n\nOf the latter there is a kind that stays. A Pod is a group of containers on one machine.\n\n\
        ## {{% heading \"whatsnext\" %}}\n\n- Learn about Jobs.\n- Learn about Nodes.\n- Learn about Volumes.\n\n\
        ## Criteria\n\nA Pod is given this class of service, and keeps it for as long as it runs, if:\n\n- it asks.\n";
    std::fs::write(folder.path().join("pods.md"), text).unwrap();
    let engine = Engine::create(folder.path().join("index")).unwrap();
    engine.index(&[folder.path().join("pods.md")]).unwrap();
    let (made, _) = questions(&*engine.snapshot().unwrap(), 50, 1).unwrap();
    let asked: Vec<&str> = made.iter().map(|made| made.question.as_str()).collect();
    assert!(asked.contains(&"What is a Pod?"), "{asked:#?}");
    assert!(asked.iter().all(|question| !question.contains("{{") && !question.contains("Of the latter")), "{asked:#?}");
    assert!(made.iter().all(|made| made.answers.iter().all(|answer| !answer.ends_with(':'))), "{made:#?}");
}

#[test]
fn gold_spans_are_slices_of_their_documents_in_code_points() {
    for made in made(1).0 {
        let text: Vec<char> = if made.doc_id == "tea.md" { TEA.chars().collect() } else { ZH.chars().collect() };
        let of = |start: usize, end: usize| text[start..end].iter().collect::<String>();
        assert_eq!(of(made.start, made.end), made.answers[0]);
        let spans: Vec<String> = made.spans.iter().map(|&[start, end]| of(start, end)).collect();
        assert!(spans.is_empty() || spans == made.answers);
        assert_eq!(made.kind == QuestionKind::List, made.spans.len() > 1);
        assert_eq!(made.lang, if made.doc_id == "tea.md" { "en" } else { "zh" });
    }
}

#[test]
fn the_same_seed_makes_the_same_set() {
    assert_eq!(made(3), made(3));
    let names = |seed| made(seed).0.into_iter().map(|made| made.question).collect::<Vec<_>>();
    assert_ne!(names(3), names(4));
}

#[test]
fn what_two_documents_answer_is_not_asked() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("d")).unwrap();
    std::fs::write(folder.path().join("d/a.md"), "Zinc is a metal that protects steel from rust in the rain.\n")
        .unwrap();
    std::fs::write(folder.path().join("d/b.md"), "Zinc is a metal with many uses in roofs and gutters.\n").unwrap();
    let engine = Engine::create(folder.path().join("index")).unwrap();
    engine.index(&[folder.path().join("d")]).unwrap();
    let (made, summary) = questions(&*engine.snapshot().unwrap(), 50, 1).unwrap();
    assert!(made.iter().all(|made| made.question != "What is Zinc?"), "{made:#?}");
    assert!(summary.ambiguous + summary.repeated >= 1, "{summary:?}");
}

/// The first documents by name were asked about, and no others.
#[test]
fn few_questions_are_of_documents_by_chance_not_of_the_first_ones() {
    let all: Vec<(DocumentNumber, usize)> = (0..40).flat_map(|document| (0..3).map(move |at| (document, at))).collect();
    let mut shuffled = all.clone();
    Random::new(7).shuffle(&mut shuffled);
    let line = in_turn(shuffled, |(document, _)| *document);
    let first: HashSet<DocumentNumber> = line[..40].iter().map(|(document, _)| *document).collect();
    assert_eq!(first.len(), 40, "each document once before any comes again");
    assert!(line[..10].iter().any(|(document, _)| *document >= 20), "{:?}", &line[..10]);
    let mut sorted = line;
    sorted.sort_unstable();
    assert_eq!(sorted, all, "none is lost");
}
