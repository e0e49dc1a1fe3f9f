use super::*;
use crate::run::{Candidate, RunRequest, run};
use crate::set::{Indexed, Library};
use okno::Engine;
use okno::retrieve::built_in;

const HOSTILE: &str = "<script>alert('gold')</script> and \"quotes\" & <img src=x onerror=alert(1)>";

/// A page about documents and questions that try to be markup.
fn hostile_page(recipes: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("d")).unwrap();
    for i in 0..6 {
        let text = format!(
            "Note {i} begins. The answer of number {i} is {HOSTILE} here. It ends </blockquote></main> there.\n"
        );
        std::fs::write(folder.path().join(format!("d/a{i}.txt")), text).unwrap();
    }
    let questions: Vec<String> = (0..6)
        .map(|i| {
            serde_json::json!({"question": format!("What is <b>number {i}</b>?"), "document": format!("a{i}.txt"),
                "answer": format!("number {i} is {HOSTILE}")})
            .to_string()
        })
        .collect();
    let file = folder.path().join("<q>.jsonl");
    std::fs::write(&file, questions.join("\n")).unwrap();
    let engine = Engine::create(folder.path().join("index")).unwrap();
    engine.index(&[folder.path().join("d")]).unwrap();
    let snapshot = engine.snapshot().unwrap();
    let mut library = Indexed::new(&*snapshot);
    let set = QuestionSet::read(&file, &mut library).unwrap();
    let known = built_in().unwrap();
    let candidates: Vec<Candidate> =
        recipes.iter().map(|name| Candidate { name: (*name).to_owned(), recipe: known[*name].clone() }).collect();
    let asking = RunRequest { set: &set, candidates: &candidates, budgets: &[30, 200], seed: 1, name: "<name>" };
    let outcome = run(&engine, &asking, &mut library, &|_, _| ()).unwrap();
    Report {
        outcome: &outcome,
        judged: &judged(),
        set: &set,
        texts: library.texts(),
        command: "okno eval '<q>'",
        chinese: false,
    }
    .html()
}

/// A judge that quotes a hostile answer, and one that failed.
fn judged() -> Vec<crate::judge::CellJudged> {
    use crate::judge::{Aspect, CellJudged, JudgeVerdict, Judgement, QuestionJudged};
    let said = "<script>alert(1)</script>";
    let verdict = JudgeVerdict { about: said.into(), score: 2.0 / 3.0, reason: said.into() };
    let aspects = [
        (Aspect::Groundedness, Judgement::Judged(vec![verdict])),
        (Aspect::AnswerRelevance, Judgement::Failed(said.into())),
    ];
    let question = QuestionJudged { question: said.into(), answer: said.into(), error: None, aspects: aspects.into() };
    vec![CellJudged { recipe: "auto".into(), budget: 500, questions: vec![question] }]
}

#[test]
fn a_judge_is_shown_with_its_reasons_and_its_failures() {
    let section = super::judged::section(&judged(), 20);
    assert!(section.contains("<strong>66.7 %</strong>") && section.contains("n = 1"), "{section}");
    assert!(section.contains("&lt;script&gt;") && !section.contains("<script"), "{section}");
    assert!(section.contains("评判失败"));
    assert_eq!(super::judged::section(&[], 20), "");
}

/// The tags of a page, opened and closed; panics on a stray one.
fn tags(page: &str) -> Vec<String> {
    const VOID: [&str; 4] = ["meta", "input", "circle", "rect"];
    let (mut open, mut seen) = (Vec::new(), Vec::new());
    let body = page.split_once("</style>").map_or(page, |(_, body)| body);
    for part in body.split('<').skip(1) {
        let (tag, _) = part.split_once('>').expect("every < begins a tag");
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default().to_owned();
        seen.push(name.clone());
        if let Some(closed) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(closed), "tags are nested");
        } else if !tag.ends_with('/') && !VOID.contains(&name.as_str()) && !name.starts_with('!') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "not closed: {open:?}");
    seen
}

#[test]
fn a_document_is_never_markup() {
    let page = hostile_page(&["auto", "window", "chunks"]);
    let body = page.split_once("<body>").unwrap().1;
    for hostile in ["<script", "<img", "<b>number", "onerror=alert(1)>"] {
        assert!(!body.contains(hostile), "{hostile}");
    }
    assert!(body.contains("&lt;script&gt;alert(&#39;gold&#39;)&lt;/script&gt;"), "the text itself is shown");
    assert!(page.contains("<title>Okno · &lt;q&gt;</title>"));
}

#[test]
fn the_page_is_whole_and_needs_nothing() {
    let page = hostile_page(&["auto", "window", "chunks"]);
    let body = format!("<body>{}", page.split_once("<body>").unwrap().1.replace("</html>", ""));
    let seen = tags(&body);
    for tag in ["section", "table", "svg", "polyline", "details", "mark", "strong", "blockquote", "pre", "dl"] {
        assert!(seen.iter().any(|name| name == tag), "{tag} is missing");
    }
    for forbidden in ["script", "link", "img", "iframe", "object", "form", "a", "foreignObject"] {
        assert!(seen.iter().all(|name| name != forbidden), "{forbidden}");
    }
    for outside in ["http://", "https://", "url(", "@import", "@font-face"] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(
        page.contains("default-src 'none'")
            && page.contains("prefers-color-scheme: dark")
            && page.contains("width=device-width")
    );
    assert!(page.len() < LARGEST);
    assert_eq!(
        page.matches("class=\"en\"").count(),
        page.matches("class=\"zh\"").count(),
        "everything in both languages"
    );
}

#[test]
fn one_recipe_and_one_budget_make_a_page_too() {
    let page = hostile_page(&["auto"]);
    assert!(
        page.contains("</code> returns the whole answer to") && !page.contains("NaN") && !page.contains("inf"),
        "{page}"
    );
}

#[test]
fn dates_are_dates() {
    assert_eq!(date(0), "1970-01-01 00:00 UTC");
    assert_eq!(date(951_827_696), "2000-02-29 12:34 UTC");
    assert_eq!(date(1_794_722_400), "2026-11-15 06:00 UTC");
}
