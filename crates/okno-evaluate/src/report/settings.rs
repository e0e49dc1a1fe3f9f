//! What the words on the page mean, and what is needed to repeat it.

use super::html::{both, text};
use crate::measure::Measure;
use crate::run::EvaluationRun;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A measure's name for people.
pub fn words(measure: Measure) -> (&'static str, &'static str) {
    match measure {
        Measure::Recall1 => ("recall@1", "召回@1"),
        Measure::Recall5 => ("recall@5", "召回@5"),
        Measure::Recall10 => ("recall@10", "召回@10"),
        Measure::Mrr => ("MRR@10", "MRR@10"),
        Measure::Ndcg => ("nDCG@10", "nDCG@10"),
        Measure::Coverage => ("coverage", "答案覆盖率"),
        Measure::Context => ("readable", "可读覆盖率"),
        Measure::All => ("all excerpts", "全部片段"),
        Measure::Precision => ("precision", "精度"),
        Measure::Duplicate => ("repeated", "重复"),
        Measure::ExcerptRecall => ("excerpt recall", "片段召回"),
        Measure::ExcerptPrecision => ("excerpt precision", "片段精度"),
        Measure::ExcerptIou => ("excerpt IoU", "片段 IoU"),
        Measure::Exact => ("exact", "逐字一致"),
        Measure::Fragments => ("contexts", "段数"),
        Measure::Tokens => ("tokens", "词元"),
        Measure::Groundedness => ("groundedness", "有据性"),
        Measure::AnswerRelevance => ("answer relevance", "回答相关性"),
        Measure::ContextRelevance => ("context relevance", "上下文相关性"),
    }
}

const MEANINGS: [(Measure, &str, &str); 10] = [
    (
        Measure::Coverage,
        "the whole answer lies inside the returned text, within the budget",
        "整个答案都在预算之内的返回文本里",
    ),
    (
        Measure::Context,
        "the answering sentence is there with the sentence before and after it, so that it can be understood",
        "答案所在的句子及其前后各一句都在，读得懂",
    ),
    (
        Measure::All,
        "every reference excerpt is there, where a question has several",
        "有多个参考片段的问题，所有片段都在",
    ),
    (
        Measure::Mrr,
        "one over the rank of the first context that touches the answer",
        "第一个碰到答案的上下文的名次的倒数",
    ),
    (Measure::Ndcg, "how early all excerpts come, 1 when they come first", "所有片段出现得有多早，最先出现为 1"),
    (Measure::Precision, "how much of the returned text is the answering sentence", "返回文本里答案句所占的比例"),
    (Measure::Duplicate, "how much of the returned text had been returned already", "返回文本中重复返回的比例"),
    (Measure::Fragments, "contexts returned per question", "每个问题返回的上下文段数"),
    (Measure::Tokens, "tokens spent per question", "每个问题花费的词元"),
    (
        Measure::ExcerptIou,
        "characters shared by excerpts and returned text, over the characters of both (in the JSON output)",
        "参考片段与返回文本共有的字符，除以两者合计的字符（见 JSON 输出）",
    ),
];

/// How to read the page.
pub fn guide() -> String {
    let mut out = format!("<section><h2>{}</h2><dl>", both("How to read this", "怎样读这份报告"));
    for (measure, en, zh) in MEANINGS {
        let (name_en, name_zh) = words(measure);
        let _ = write!(out, "<dt>{}</dt><dd>{}</dd>", both(name_en, name_zh), both(en, zh));
    }
    let _ = write!(
        out,
        "<dt>{}</dt><dd>{}</dd></dl></section>",
        both("interval", "置信区间"),
        both(
            "from 2,000 paired resamples of the questions; a difference whose interval holds 0 is called noise. With \
             many recipes, one in twenty clear differences is still chance.",
            "由问题的 2000 次配对重抽样得出；包含 0 的差异称为噪声。比较的方案多时，仍有二十分之一的“明显”差异出于偶然。"
        )
    );
    out
}

/// What is needed to repeat the run.
pub fn settings(run: &EvaluationRun, command: &str) -> String {
    let facts = format!(
        "version    {}\nembedder   {}\nset        {} ({} questions, {})\nseed       {}\n",
        run.version,
        run.embedder,
        run.set,
        run.questions.len(),
        run.fingerprint,
        run.seed
    );
    let recipes: BTreeMap<&str, _> = run.cells.iter().map(|cell| (cell.recipe.as_str(), &cell.settings)).collect();
    // A recipe is made of names and numbers; should one ever not be writable, the page is still a page.
    let recipes = toml::to_string(&recipes).unwrap_or_default();
    format!(
        "<section><h2>{}</h2><pre class=\"command\">{}</pre><pre>{}</pre><details><summary>{}</summary><pre>{}</pre>\
         </details></section>\n",
        both("To repeat it", "重复这次评测"),
        text(command),
        text(&facts),
        both("The recipes as they were", "当时的方案"),
        text(&recipes)
    )
}
