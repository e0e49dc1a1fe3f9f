//! `okno demo`: a small bilingual sample, indexed and asked, in a temporary folder.

use crate::locale::{Lang, language, say};
use crate::output::answer::{self, AnswerDetail};
use crate::output::{self, sides};
use anyhow::Result;
use okno::{Engine, Query};
use okno_evaluate::sides::ask;
use std::io::Write;
use std::path::Path;

macro_rules! sample {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../sample/documents/", $name)))),*]
    };
}

/// The sample: written for this project, compiled into the program.
const SAMPLE: &[(&str, &str)] = sample![
    "en/essay-three-clocks.txt",
    "en/handbook.md",
    "en/lab-notebook-coatings.md",
    "en/minutes-2024-03-12.txt",
    "en/product-faq.md",
    "en/qx-link-spec.md",
    "en/skerry-vane-lighthouse.html",
    "news.jsonl",
    "zh/recipes/番茄蛋花汤.md",
    "zh/recipes/紫菜虾皮蛋花汤.md",
    "zh/recipes/红烧排骨.md",
    "zh/recipes/酸辣土豆丝.md",
    "zh/recipes/醋溜土豆丝.md",
    "zh/reports/2023-q1.md",
    "zh/reports/2023-q2.md",
    "zh/reports/2023-q3.md",
    "zh/reports/2023-q4.md",
    "zh/老渡口.txt",
    "zh/青巒島旅遊指南.md",
];

pub fn run() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let sample = folder.path().join("sample");
    unpack(&sample)?;
    // Never the user's own index: --index and OKNO_INDEX are ignored.
    let engine = Engine::create(folder.path().join(".okno"))?;
    let report = engine.index(&[&sample])?;
    output::note(&say!(
        "indexed {} documents, {} sentences\n",
        "已索引 {} 个文档，{} 个句子\n",
        report.added,
        report.sentences
    ));
    for question in questions() {
        writeln!(std::io::stdout(), "❯ okno search \"{question}\"\n")?;
        let answer = engine.search(&Query::new(question).budget(150))?;
        answer::print(&answer, AnswerDetail::Plain)?;
        writeln!(std::io::stdout())?;
    }
    let question = questions()[0];
    writeln!(std::io::stdout(), "❯ okno compare \"{question}\"\n")?;
    sides::print(&ask(&engine, &Query::new(question).budget(300), &["chunks", "auto"])?)?;
    output::note(&say!(
        "Now try your own documents: `okno index FOLDER`, then `okno search \"…\"`, `okno compare \"…\"`.",
        "现在试试自己的文档：`okno index 文件夹`，然后 `okno search \"……\"`、`okno compare \"……\"`。"
    ));
    Ok(())
}

fn unpack(folder: &Path) -> Result<()> {
    for (name, text) in SAMPLE {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, text)?;
    }
    Ok(())
}

fn questions() -> [&'static str; 3] {
    match language() {
        Lang::En => [
            "Why do new people have to come to the office every day in their first six weeks?",
            "Weir displays ERR-4013. What should I do?",
            "涂层 C 是怎么烘烤的？",
        ],
        Lang::Zh => [
            "酸辣土豆丝分两次放醋，各有什么用？",
            "2023年第二季度的营业收入增长情况如何？",
            "Which value does the logger write when a probe does not answer?",
        ],
    }
}
