//! "Nothing relevant" is an answer: the same for every recipe and leg, in both languages, for the smallest index.

use okno::document::Layer;
use okno::retrieve::{RELEVANT, Recipe, built_in};
use okno::store::Leg;
use okno::{Answer, Engine, Query};
use std::sync::LazyLock;

const DOCUMENTS: &[(&str, &str)] = &[
    (
        "tea.md",
        "# Tea\n\nBlack tea needs boiling water and five minutes. Green tea is brewed at eighty degrees, or it turns \
         bitter. \
         Loose leaves are weighed: two grams for a cup. The pot is warmed first. Milk goes in last.\n",
    ),
    (
        "canal.md",
        "# The canal\n\nThe canal was dug between 1801 and 1817 to carry coal to the harbour. Thirty locks lift the \
         boats. \
         The railway took most of its trade after 1850. Today anglers and walkers use its banks.\n",
    ),
    (
        "土豆丝.md",
        "# 酸辣土豆丝的做法\n\n土豆去皮切丝，用清水泡十分钟去掉淀粉。锅中放油，下花椒和干辣椒炒香。大火下土豆丝翻炒两分钟，加醋和盐。出锅前撒葱花。\n",
    ),
];

const ANSWERABLE: &[&str] = &[
    "How hot should the water for green tea be?",
    "When was the canal dug, and what did it carry?",
    "土豆丝要泡多久？",
    "炒土豆丝什么时候放醋？",
    "tea",
    "canal",
    "土豆丝",
];

const FOREIGN: &[&str] = &[
    "Who composed the opera Carmen?",
    "What is the capital of Mongolia?",
    "How do I restart a Kubernetes pod?",
    "量子计算机的纠错码是什么？",
    "谁创立了清华大学？",
    "Mongolia",
    "篮球",
];

struct Index {
    engine: Engine,
    _folder: tempfile::TempDir,
}

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let documents = folder.path().join("documents");
    std::fs::create_dir(&documents).unwrap();
    for (name, text) in DOCUMENTS {
        std::fs::write(documents.join(name), text).unwrap();
    }
    let engine = Engine::create(folder.path().join("index")).unwrap();
    engine.index(&[documents]).unwrap();
    Index { engine, _folder: folder }
});

fn ask(query: &Query) -> Answer {
    INDEX.engine.search(query).unwrap()
}

#[test]
fn every_recipe_and_leg_tells_what_it_can_answer_from_what_it_cannot() {
    // Recipes over derived units alone have nothing to search here.
    let searchable = |recipe: &Recipe| recipe.layers.iter().any(|layer| !matches!(layer, Layer::Derived(_)));
    for recipe in built_in().unwrap().into_iter().filter(|(_, recipe)| searchable(recipe)).map(|(name, _)| name) {
        for legs in [None, Some(vec![Leg::Lexical]), Some(vec![Leg::Dense])] {
            let query = |text: &&str| Query::new(*text).recipe(recipe.clone()).legs(legs.clone());
            for question in ANSWERABLE {
                let answer = ask(&query(question));
                assert!(!answer.nothing_relevant(), "{recipe} {legs:?} {question}: {}", answer.relevance);
            }
            for question in FOREIGN {
                let answer = ask(&query(question));
                assert!(answer.nothing_relevant(), "{recipe} {legs:?} {question}: {}", answer.relevance);
            }
        }
    }
}

#[test]
fn a_filter_changes_no_relevance() {
    let all = ask(&Query::new("When was the canal dug?"));
    let filter = okno::document::Filter::parse("path = canal.md").unwrap();
    let some = ask(&Query::new("When was the canal dug?").filter(filter));
    assert!((all.contexts[0].relevance - some.contexts[0].relevance).abs() < 1e-6);
}

#[test]
fn an_answer_is_relevant_as_its_best_context_is_and_less_is_cut_on_demand() {
    let question = "When was the canal dug?";
    let answer = ask(&Query::new(question));
    let best = answer.contexts.iter().map(|context| context.relevance).fold(0.0, f32::max);
    assert!(answer.relevance >= RELEVANT && best >= RELEVANT);
    let relevant = ask(&Query::new(question).min_relevance(RELEVANT));
    assert!(!relevant.contexts.is_empty() && relevant.contexts.iter().all(|context| context.relevance >= RELEVANT));
    let foreign = ask(&Query::new("篮球").min_relevance(RELEVANT));
    assert!(foreign.contexts.is_empty() && foreign.nothing_relevant());
}

#[test]
fn what_says_nothing_is_relevant_to_nothing() {
    for question in ["", "?!", " \n", "\u{200b}"] {
        let answer = ask(&Query::new(question));
        assert!(answer.nothing_relevant() && answer.relevance.is_finite(), "{question:?} {}", answer.relevance);
    }
}

/// Was broken: with more tokens more was compared with the question, and what had been told as irrelevant became
/// relevant.
#[test]
fn what_is_relevant_does_not_hang_on_the_budget() {
    for question in ANSWERABLE.iter().chain(FOREIGN) {
        let relevance = |budget: usize| INDEX.engine.search(&Query::new(*question).budget(budget)).unwrap().relevance;
        let most = relevance(2000);
        for budget in [0, 10, 40, 200] {
            assert!((relevance(budget) - most).abs() < 1e-6, "{question} {budget}");
        }
    }
}
