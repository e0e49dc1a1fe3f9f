//! How a question was understood, one line each.

use super::{printable, shortened};
use crate::locale::{language, say};
use okno::message::Message;
use okno::understand::model::Taken;
use okno::understand::{AnswerForm, Because, Reading, ReadingReason, Route, Routing, Spelling, Understood};

/// Offers shown without being asked; `--explain` shows all.
const OFFERS: usize = 2;

/// Notes before the results: what was applied, what was withdrawn, what might have been meant.
pub fn notes(understood: &Understood) -> Vec<String> {
    let mut notes: Vec<String> = understood.spelled.iter().map(spelled).collect();
    if !understood.unknown.is_empty() {
        let words = understood.unknown.iter().map(|word| format!("“{}”", printable(word)));
        let words = words.collect::<Vec<_>>().join(say!(", ", "、").as_str());
        notes.push(say!("no document contains {}", "没有文档包含 {}", words));
    }
    if let Some(filter) = &understood.filter {
        let filter = printable(&filter.to_string());
        notes.push(say!(
            "filter inferred from the question: {} – turn this off with `--no-auto-filter`",
            "从问题中推断的条件：{} —— 加 `--no-auto-filter` 可关闭",
            filter
        ));
    }
    if understood.withdrawn {
        let filters = filters(&understood.offered);
        notes.push(say!(
            "nothing matches {}; searched again without the inferred filter",
            "没有符合 {} 的内容；已去掉推断的条件重新搜索",
            filters
        ));
    } else {
        let meant = |reading: &&Reading| reading.why != ReadingReason::Negated;
        let offers: Vec<Reading> = understood.offered.iter().filter(meant).take(OFFERS).cloned().collect();
        if !offers.is_empty() {
            let filters = filters(&offers);
            notes.push(say!(
                "did you mean {}? – add it with `--filter`",
                "是否想限定 {}？—— 可用 `--filter` 加上",
                filters
            ));
        }
    }
    notes
}

fn spelled(Spelling { written, read }: &Spelling) -> String {
    let (written, read) = (printable(written), printable(read));
    say!(
        "searched for “{}”; no document contains “{}” – put it in quotation marks to search for it as it is",
        "已改为搜索 “{}”；没有文档包含 “{}” —— 加上引号可按原样搜索",
        read,
        written
    )
}

fn filters(readings: &[Reading]) -> String {
    let filters: Vec<String> = readings
        .iter()
        .filter_map(|reading| reading.filter.as_ref())
        .map(|filter| format!("`{}`", printable(&filter.to_string())))
        .collect();
    filters.join(say!(" or ", " 或 ").as_str())
}

/// Everything that was read, for `--explain`.
pub fn explained(understood: &Understood) -> String {
    let mut text = String::new();
    let groups = [
        (say!("applied", "采用"), &understood.applied),
        (say!("offered", "可选"), &understood.offered),
        (say!("rejected", "不采用"), &understood.refused),
    ];
    for (label, readings) in groups {
        for reading in readings {
            let filter =
                reading.filter.as_ref().map_or_else(|| "–".to_owned(), |filter| printable(&filter.to_string()));
            text += &format!("  {label:8} {} → {filter}  ({})\n", printable(&reading.words), why(reading.why));
        }
    }
    if !understood.absent.is_empty() {
        let words = understood.absent.iter().map(|word| format!("“{}”", printable(word)));
        let words = words.collect::<Vec<_>>().join(say!(", ", "、").as_str());
        text += &say!("  nothing that was found says {}\n", "  找到的内容都没有提到 {}\n", words);
    }
    for part in &understood.parts {
        text += &say!("  part of the question: {}\n", "  问题的一部分：{}\n", printable(part));
    }
    for of in understood.subjects() {
        text += &say!("  sentences that say what {} is come first\n", "  说明“{}”是什么的句子优先\n", printable(of));
    }
    text += &match understood.form {
        Some(AnswerForm::Steps) => say!("  numbered steps come first\n", "  编号的步骤优先\n"),
        Some(AnswerForm::List) => say!("  lines that lead into a list come first\n", "  引出列表的句子优先\n"),
        _ => String::new(),
    };
    if understood.filter.is_some() {
        text += &say!("  searching for: {}\n", "  搜索内容：{}\n", printable(&understood.text));
    }
    text
}

/// The route and its reason, for `--explain`.
pub fn route(routing: &Routing) -> String {
    let name = match routing.route {
        Route::Hybrid => "hybrid",
        Route::Lexical => "lexical",
        Route::Dense => "dense",
        Route::Broad => "broad",
        Route::Sql => "sql",
    };
    let because = match routing.because {
        Because::Chosen => say!("as requested", "按指定"),
        Because::Code => say!("the question is a code", "问题是一个编号"),
        Because::Quotation => say!("the question is a quotation", "问题是一句引文"),
        Because::Whole => say!("the question is about a whole document", "问的是整体"),
        Because::Rows => say!("the question counts or compares rows", "问题是对行的计数或比较"),
        Because::Model => say!("chosen by the model", "由模型选择"),
        Because::Usual => say!("default", "常规方式"),
    };
    let phrases: Vec<String> = routing.phrases.iter().map(|phrase| format!("“{}”", printable(phrase))).collect();
    let first = if phrases.is_empty() { String::new() } else { say!("; {} first", "；{} 优先", phrases.join(", ")) };
    say!("  route    {} ({}){}\n", "  路线     {}（{}）{}\n", name, because, first)
}

fn why(why: ReadingReason) -> String {
    match why {
        ReadingReason::Named => say!("the field is named", "指明了字段"),
        ReadingReason::Attached => say!("it describes documents", "修饰的是文档"),
        ReadingReason::AskedFor => say!("the question asks for this kind of document", "问的就是这一类"),
        ReadingReason::Measured => say!("a number with this field's unit or name", "带有该字段单位或名称的数"),
        ReadingReason::CountsFromToday => say!("relative to today", "以今天为准的时间"),
        ReadingReason::OwnField => say!("the index has a field for it", "索引里有专门的字段"),
        ReadingReason::Telling => say!("no other document has these words", "其他文档都没有这个词"),
        ReadingReason::Model => say!("read by the model", "由模型读出"),
        ReadingReason::SeveralFields => say!("the value occurs in several fields", "多个字段都有这个值"),
        ReadingReason::Ordinary => say!("the words may be content", "也可能是要搜索的内容"),
        ReadingReason::Negated => say!("negated", "有否定词"),
        ReadingReason::Contradiction => say!("no results in combination", "合在一起没有结果"),
        ReadingReason::NoDocument => say!("no document matches", "没有符合的文档"),
        ReadingReason::NoField => say!("no field has this value", "索引里没有这样的字段"),
        ReadingReason::NoOperator => say!("unknown operator", "没有这样的运算符"),
    }
}

/// Steps of the language model that failed.
pub fn unhelped(steps: &[Taken]) -> Vec<String> {
    let note = |taken: &Taken| {
        let reason = printable(&taken.failed.as_ref()?.text(language()));
        Some(say!("searched without `{}`: {}", "未使用 `{}` 步骤：{}", taken.step, reason))
    };
    steps.iter().filter_map(note).collect()
}

/// What a model did, for `--explain`.
pub fn steps(steps: &[Taken]) -> String {
    let mut text = String::new();
    for taken in steps {
        let cost = format!("{} + {}", taken.usage.prompt, taken.usage.completion);
        text += &say!("  model    {} ({} tokens)\n", "  模型     {}（{} 词元）\n", taken.step, cost);
        let failed = taken.failed.iter().map(|reason| say!("failed: {}", "失败：{}", reason));
        for line in taken.gave.iter().cloned().chain(failed) {
            text += &format!("           → {}\n", printable(&shortened(&line, 160)));
        }
    }
    text
}
