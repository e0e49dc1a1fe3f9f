use super::*;
use crate::generate::scripted::Scripted;
use crate::generate::*;
use crate::{Answer, Engine, Query};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

mod hostile;
mod snapshots;

pub(super) const TEA: &str = "---\nauthor: Lu Yu\nrating: secret\n---\n# Tea\n\n## Brewing\n\nBlack tea needs boiling \
    water and five minutes[4]. Green tea is brewed at eighty degrees, or it turns bitter.\n\n## Serving\n\nMilk goes \
    in last. See https://tea.example/guide for more.\n";
pub(super) const POTATOES: &str =
    "# 酸辣土豆丝\n\n土豆去皮切丝，用清水泡十分钟去掉淀粉。大火下土豆丝翻炒两分钟，加醋和盐。\n";

/// What an index of these files says about a question.
pub(super) fn found(files: &[(&str, &str)], question: &str) -> Answer {
    let folder = tempfile::tempdir().unwrap();
    let documents = folder.path().join("documents");
    for (name, text) in files {
        let path = documents.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let engine = Engine::create(folder.path().join(".okno")).unwrap();
    engine.index(&[documents]).unwrap();
    engine.search(&Query { auto_filter: Some(false), ..Query::new(question) }).unwrap()
}

fn about_tea() -> Answer {
    found(&[("tea.md", TEA)], "How hot should water for green tea be?")
}

/// A reply, and what was told piece by piece.
pub(super) fn asked(answer: Answer, model: Option<&dyn Generator>) -> (Reply, String) {
    let mut told = String::new();
    let reply = reply(answer, model, &ReplyOptions::default(), &mut |event| {
        let Event::Text(text) = event;
        told.push_str(text);
        ControlFlow::Continue(())
    });
    (reply.unwrap(), told)
}

#[test]
fn every_citation_opens_the_sentence_that_supports_it() {
    let model = Scripted::saying(&[
        "Green tea is brewed at eighty degrees [1], black tea needs boiling water【1】. Nobody knows [5].",
    ]);
    let (reply, told) = asked(about_tea(), Some(&model));
    assert_eq!(
        reply.text,
        "Green tea is brewed at eighty degrees [1], black tea needs boiling water[1]. Nobody knows ."
    );
    assert_eq!(
        (told, reply.removed, reply.found, reply.by.as_deref()),
        (reply.text.clone(), 1, true, Some("scripted/model"))
    );
    let texts: Vec<&str> = reply.citations.iter().map(|citation| citation.text.as_str()).collect();
    assert_eq!(texts[0], "Green tea is brewed at eighty degrees, or it turns bitter.");
    for citation in &reply.citations {
        let cut: String = TEA.chars().skip(citation.start).take(citation.end - citation.start).collect();
        assert_eq!(cut, citation.text, "an exact slice of the document");
        let line = TEA.lines().nth(citation.lines.0 - 1).unwrap();
        assert!(line.contains(citation.text.lines().next().unwrap()), "{line}");
        let marked: String = reply.text.chars().skip(citation.at).take(3).collect();
        assert_eq!(marked, "[1]");
    }
}

#[test]
fn a_model_says_with_one_word_that_there_is_nothing() {
    for said in [NOT_FOUND, "`NOT_IN_DOCUMENTS`", " NOT_IN_DOCUMENTS. The excerpts are about tea [1].", ""] {
        let (reply, told) = asked(about_tea(), Some(&Scripted::saying(&[said])));
        assert_eq!((reply.found, told.as_str()), (false, "The documents do not say."), "{said}");
        assert!(reply.citations.is_empty() && reply.text == told);
    }
    let (reply, told) = asked(about_tea(), Some(&Scripted::saying(&["NOT_HOT: eighty degrees [1]"])));
    assert_eq!((reply.found, told.as_str()), (true, "NOT_HOT: eighty degrees [1]"));
}

#[test]
fn a_model_is_not_asked_where_nothing_is_relevant() {
    let model = Scripted::saying(&["Bizet [1]"]);
    let (reply, _) = asked(found(&[("tea.md", TEA)], "Who composed the opera Carmen?"), Some(&model));
    assert_eq!((reply.found, reply.text.as_str()), (false, "Nothing relevant was found in the documents."));
    assert!(model.asked().is_empty());
    let (reply, _) = asked(found(&[("a.md", POTATOES)], "量子计算机的纠错码是什么？"), Some(&model));
    assert_eq!(reply.text, "没有在文档中找到相关内容。");
}

#[test]
fn without_a_model_what_was_found_is_quoted() {
    let (reply, told) = asked(about_tea(), None);
    assert!(reply.text.contains(" Green tea is brewed at eighty degrees, or it turns bitter. [1]\n"), "{}", reply.text);
    assert_eq!((told, reply.by.clone(), reply.found), (reply.text.clone(), None, true));
    assert!(!reply.text.contains("[4]"), "a reference of the document is no citation: {}", reply.text);
    for citation in &reply.citations {
        let cut: String = TEA.chars().skip(citation.start).take(citation.end - citation.start).collect();
        assert_eq!(cut, citation.text);
    }
    let (reply, _) = asked(found(&[("土豆丝.md", POTATOES)], "土豆丝要泡多久？"), None);
    assert!(reply.text.contains("用清水泡十分钟"), "{}", reply.text);
}

/// A table, a list or settings on one line say nothing any more.
#[test]
fn without_a_model_tables_keep_their_lines_and_pictures_are_left_out() {
    let codes = "# Codes\n\n![ERR-4013 on a screen](err.png)\n\n| Code | Meaning |\n|---|---|\n| ERR-4010 | No ink |\n\
        | ERR-4013 | Paper is wet |\n";
    let (reply, _) = asked(found(&[("codes.md", codes)], "What does ERR-4013 mean?"), None);
    let rows = "- | Code | Meaning |\n  |---|---|\n  | ERR-4010 | No ink |\n  | ERR-4013 | Paper is wet |\n\n  [1]\n";
    assert_eq!(reply.text, rows);
    let marked: String = reply.text.chars().skip(reply.citations[0].at).take(3).collect();
    assert_eq!(marked, "[1]");
    let laid_out = |text: &str| extract::shown(text, Language::English);
    assert_eq!(
        laid_out("kind: Gateway\nmetadata:\n  name: door"),
        "- kind: Gateway\n  metadata:\n    name: door\n\n  "
    );
    assert_eq!(laid_out("- prose that is\nwrapped"), "- prose that is wrapped ");
    assert_eq!(laid_out("1. Wash the rice.\n\n2. Add water."), "1. Wash the rice.\n2. Add water. ");
}

/// Was broken: fences behind a lead or inside of steps came indented, and were taken for text (''').
#[test]
fn without_a_model_fences_of_code_stay_fences() {
    let shown = |text: &str| extract::shown(text, Language::English);
    assert_eq!(shown("Run this:\n\n```sh\n  make all\n```"), "Run this:\n\n```sh\n  make all\n```\n\n");
    let steps = "1. Run it:\n\n   ```sh\n   make\n     -j 2\n   ```\n\n2. Wait.";
    let written = shown(steps);
    assert!(written.contains("\n```sh\nmake\n  -j 2\n```\n"), "{written}");
    assert!(!written.contains("'''") && written.contains("2. Wait."), "{written}");
}

/// A reader of the page sees what a template makes of its tags.
#[test]
fn without_a_model_template_tags_are_read() {
    let shown = |text: &str| extract::shown(text, Language::English);
    let tagged = "Every {{< tooltip text=\"node\" id=\"n\" >}} runs it {{% version %}}since {{<b>}}2024.";
    assert_eq!(shown(tagged), "- Every node runs it since 2024. ");
    assert_eq!(shown("{{< never closed, 100 %}}"), "- {{< never closed, 100 %}} ");
    let code = "```go\n{{< note text=\"a\" >}}\n```";
    assert!(shown(code).contains("{{< note text=\"a\" >}}"), "{}", shown(code));
}

/// The line that leads to a list is no answer without it, and half of the steps is none either.
#[test]
fn without_a_model_lists_and_steps_are_whole() {
    let foods = "# 食品安全\n\n厨房里要注意卫生。以下食物有造成中毒的风险：\n\n* 青西红柿\n* 生豆浆\n* 发芽的土豆\n";
    let (reply, _) = asked(found(&[("foods.md", foods)], "哪些食物可能会中毒？"), None);
    let list = "- 厨房里要注意卫生。以下食物有造成中毒的风险：\n  * 青西红柿\n  * 生豆浆\n  * 发芽的土豆\n\n  [1]\n";
    assert!(reply.text.contains(list) && !reply.text.contains("- * "), "{}", reply.text);
    let rice = "# Rice\n\n1. Wash the rice.\n2. Add water to the rice.\n3. Wait.\n";
    let (reply, _) = asked(found(&[("rice.md", rice)], "How do I cook rice?"), None);
    assert_eq!(reply.text, "1. Wash the rice.\n2. Add water to the rice.\n3. Wait. [1]\n");
    let undo = "# Undo\n\nYou can undo a rollout:\n\n```shell\nkubectl rollout undo door\n```\n\nThat is all.\n";
    let (reply, _) = asked(found(&[("undo.md", undo)], "How do I undo a rollout?"), None);
    let code = "You can undo a rollout:\n\n```shell\nkubectl rollout undo door\n```\n";
    assert!(reply.text.contains(code) && reply.text.contains("\n\n[1]\n"), "{}", reply.text);
}

#[test]
fn without_a_model_nothing_is_taken_from_what_is_beside_the_point() {
    let other = "# Towns\n\nWater for the town is hot in summer. Keepers clean the lamp of the lighthouse.\n";
    let question = "How hot should water for green tea be?";
    let mut answer = found(&[("tea.md", TEA), ("towns.md", other)], question);
    assert!(answer.contexts.len() > 1 && answer.contexts[0].relevance >= crate::retrieve::RELEVANT);
    for context in &mut answer.contexts[1..] {
        context.relevance = 0.1;
    }
    let (reply, _) = asked(answer, None);
    assert!(reply.found && reply.citations.iter().all(|citation| citation.number == 1), "{}", reply.text);
}

#[test]
fn the_reader_may_stop_the_model() {
    let model = Scripted::saying(&["Green tea is hot [1]."]);
    let stopped = reply(about_tea(), Some(&model), &ReplyOptions::default(), &mut |_| ControlFlow::Break(()));
    assert!(matches!(stopped, Err(crate::Error::Generate(GenerateError::Stopped))));
}

#[test]
fn a_prompt_that_is_too_long_is_asked_with_fewer_contexts() {
    let files = [
        ("a.md", "Green tea wants eighty degrees."),
        ("b.md", "Green tea wants soft water."),
        ("c.md", "Green tea wants a warm pot."),
    ];
    let answer = found(&files, "What does green tea want?");
    assert!(answer.contexts.len() >= 2);
    let model = Scripted::new(|count, _| match count {
        0 => Err(GenerateError::TooLong { model: "m".into(), reason: "4096".into() }),
        _ => Ok("Warmth [1], water [3].".to_owned()),
    });
    let (reply, _) = asked(answer, Some(&model));
    assert_eq!((reply.shown, reply.removed), (reply.contexts.contexts.len().div_ceil(2), 1), "[3] was not shown");
}

/// The model read one of several contexts, and all of them were said to be shown.
#[test]
fn fewer_contexts_are_told_also_where_they_do_not_hold_the_answer() {
    let files = [("a.md", "Green tea wants eighty degrees."), ("b.md", "Green tea wants soft water.")];
    let model = Scripted::new(|count, _| match count {
        0 => Err(GenerateError::TooLong { model: "m".into(), reason: "4096".into() }),
        _ => Ok(NOT_FOUND.to_owned()),
    });
    let (reply, _) = asked(found(&files, "What does green tea want?"), Some(&model));
    assert_eq!((reply.found, reply.shown, reply.contexts.contexts.len()), (false, 1, 2));
}

/// A model that fails in the middle of its answer, as if the prompt had been too long.
struct Breaking;

impl Generator for Breaking {
    fn identity(&self) -> &'static str {
        "breaking/model"
    }

    fn generate(
        &self,
        _: &Request,
        on_text: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<Completion, GenerateError> {
        let _ = on_text("Green tea wants ");
        Err(GenerateError::TooLong { model: "m".into(), reason: "context size".into() })
    }
}

/// The answer was begun again with fewer contexts, after its beginning had been printed.
#[test]
fn once_text_was_told_nothing_is_asked_again() {
    let files = [("a.md", "Green tea wants eighty degrees."), ("b.md", "Green tea wants soft water.")];
    let mut told = String::new();
    let failed =
        reply(found(&files, "What does green tea want?"), Some(&Breaking), &ReplyOptions::default(), &mut |event| {
            let Event::Text(text) = event;
            told.push_str(text);
            ControlFlow::Continue(())
        });
    assert!(matches!(failed, Err(crate::Error::Generate(GenerateError::TooLong { .. }))));
    assert_eq!(told.matches("Green").count(), 1, "{told}");
}

#[test]
fn fields_that_are_hidden_are_not_sent_and_pictures_are() {
    let answer = about_tea();
    let picture = |_: &crate::Context| vec![ChatPicture { media_type: "image/png".into(), bytes: vec![1, 2, 3] }];
    let hidden = BTreeSet::from(["rating".to_owned()]);
    let options = ReplyOptions { hidden, pictures: Some(&picture), temperature: Some(0.1), ..ReplyOptions::default() };
    let request = request(&answer, &options);
    let sent: String = request.messages.iter().map(|message| message.text.as_str()).collect();
    assert!(sent.contains("author: Lu Yu") && !sent.contains("secret"), "{sent}");
    assert_eq!(request.messages[1].pictures.len(), answer.contexts.len());
    assert!(sent.contains("picture 1 [1]") && request.temperature == Some(0.1));
}
