//! Prompts as a model sees them: the whole rendering, in both languages.

use super::*;

/// Compares with the committed rendering; `OKNO_WRITE_PROMPTS=1` writes it anew.
fn matches(name: &str, request: &Request) {
    let role = |message: &ChatMessage| format!("=== {:?}\n{}\n", message.role, message.text);
    let rendered: String = request.messages.iter().map(role).collect();
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/answer/tests").join(name);
    if std::env::var_os("OKNO_WRITE_PROMPTS").is_some() {
        std::fs::write(&path, &rendered).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(kept, rendered, "`OKNO_WRITE_PROMPTS=1 cargo test -p okno --lib answer` writes {name} anew");
}

/// Dates of files are those of the day a test runs.
fn without_dates(mut answer: Answer) -> Answer {
    for context in &mut answer.contexts {
        context.metadata.0.retain(|field, _| !["modified", "created"].contains(&field.as_str()));
    }
    answer
}

#[test]
fn an_english_question() {
    matches("answer.en.txt", &request(&without_dates(about_tea()), &ReplyOptions::default()));
}

#[test]
fn a_chinese_question() {
    let answer = found(&[("菜谱/土豆丝.md", POTATOES)], "土豆丝要泡多久？");
    matches("answer.zh.txt", &request(&without_dates(answer), &ReplyOptions::default()));
}
