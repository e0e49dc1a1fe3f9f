//! Question by question: what the best recipe wins and loses against each other one, with both contexts and the gold
//! marked.

use super::html::{both, text};
use super::{Report, covers, target};
use crate::gold::{Points, Target};
use crate::run::RunCell;
use crate::score::Returned;
use std::fmt::Write;

/// Questions shown of each sort for each pair; a page is for looking, the run's file has every row.
const SHOWN: usize = 12;

/// Characters of one side that are shown; a budget of 500 tokens fits whole.
const LONGEST_SIDE: usize = 4_000;

/// The section, within `room` bytes.
pub fn section(report: &Report<'_>, budget: usize, room: usize) -> String {
    let ranked = report.outcome.run.ranked(budget);
    let Some((best, others)) = ranked.split_first() else { return String::new() };
    if others.is_empty() {
        return String::new();
    }
    let mut out = format!("<section><h2>{}</h2>", both("Question by question", "逐题对比"));
    let share = room / others.len();
    for (i, other) in others.iter().enumerate() {
        out += &pair(report, best, other, share, i == 0);
    }
    out + "</section>\n"
}

/// What came of a question.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Win,
    Loss,
    Neither,
}

impl Sort {
    fn title(self, best: &str, other: &str, count: usize) -> String {
        let (best, other) = (text(best), text(other));
        match self {
            Self::Win => both(
                &format!("+ only <code>{best}</code> has the answer: {count}"),
                &format!("+ 只有 <code>{best}</code> 含有答案：{count}"),
            ),
            Self::Loss => both(
                &format!("− only <code>{other}</code> has it: {count}"),
                &format!("− 只有 <code>{other}</code> 含有答案：{count}"),
            ),
            Self::Neither => both(&format!("○ neither has it: {count}"), &format!("○ 两者都没有：{count}")),
        }
    }
}

fn pair(report: &Report<'_>, best: &RunCell, other: &RunCell, room: usize, open: bool) -> String {
    let measure = report.outcome.run.main_measure();
    let all = 0..report.set.questions.len();
    let sorted = |sort: Sort| -> Vec<usize> {
        let of = |&question: &usize| match (covers(best, question, measure), covers(other, question, measure)) {
            (true, false) => sort == Sort::Win,
            (false, true) => sort == Sort::Loss,
            (false, false) => sort == Sort::Neither,
            (true, true) => false,
        };
        all.clone().filter(of).collect()
    };
    let (wins, losses, neither) = (sorted(Sort::Win), sorted(Sort::Loss), sorted(Sort::Neither));
    let same = all.len() - wins.len() - losses.len() - neither.len();
    let names = (text(&best.recipe), text(&other.recipe));
    let title = both(
        &format!(
            "<code>{}</code> against <code>{}</code>: {} won, {} lost, {same} answered by both",
            names.0,
            names.1,
            wins.len(),
            losses.len()
        ),
        &format!(
            "<code>{}</code> 对 <code>{}</code>：赢 {}，输 {}，两者都答出 {same}",
            names.0,
            names.1,
            wins.len(),
            losses.len()
        ),
    );
    let open = if open { " open" } else { "" };
    let mut out = format!("<details class=\"pair\"{open}><summary>{title}</summary>");
    let mut left = room;
    for (sort, questions) in [(Sort::Win, wins), (Sort::Loss, losses), (Sort::Neither, neither)] {
        out += &group(report, [best, other], sort, &questions, &mut left);
    }
    out + "</details>"
}

fn group(report: &Report<'_>, cells: [&RunCell; 2], sort: Sort, questions: &[usize], left: &mut usize) -> String {
    if questions.is_empty() {
        return String::new();
    }
    let mut out = format!("<h3>{}</h3>", sort.title(&cells[0].recipe, &cells[1].recipe, questions.len()));
    let mut shown = 0;
    for &question in questions.iter().take(SHOWN) {
        let html = one(report, cells, question);
        if html.len() > *left {
            break;
        }
        *left -= html.len();
        out += &html;
        shown += 1;
    }
    if shown < questions.len() {
        let more = questions.len() - shown;
        let _ = write!(
            out,
            "<p class=\"more\">{}</p>",
            both(&format!("{more} more not shown"), &format!("另有 {more} 题未显示"))
        );
    }
    out
}

fn one(report: &Report<'_>, cells: [&RunCell; 2], question: usize) -> String {
    let asked = &report.set.questions[question];
    let gold = target(report, question);
    let mut out = format!("<details class=\"q\"><summary>{}</summary>", text(&asked.text));
    if let Some((document, target)) = &gold {
        let words: String = report.texts[document][target.sentence.clone()].iter().take(LONGEST_SIDE / 4).collect();
        let _ = write!(
            out,
            "<p class=\"gold\"><span class=\"tag\">{}</span> <mark>{}</mark> <small>{}</small></p>",
            both("gold sentence", "标准答案句"),
            text(&words),
            text(document)
        );
    }
    out += "<div class=\"sides\">";
    for cell in cells {
        out += &side(report, cell, question, gold.as_ref());
    }
    out + "</div></details>"
}

fn side(report: &Report<'_>, cell: &RunCell, question: usize, gold: Option<&(String, Target)>) -> String {
    let run = &report.outcome.run;
    let place = run.cells.iter().position(|other| std::ptr::eq(other, cell)).unwrap_or_default();
    let has = covers(cell, question, run.main_measure());
    let verdict = if has { both("has the answer", "含有答案") } else { both("misses it", "没有答案") };
    let mut out = format!(
        "<div class=\"side {}\"><h4><code>{}</code> <small>{} {verdict}</small></h4>",
        if has { "has" } else { "lacks" },
        text(&cell.recipe),
        if has { "✓" } else { "✗" }
    );
    let mut left = LONGEST_SIDE;
    for context in &report.outcome.contexts[place][question] {
        if left == 0 {
            break;
        }
        let own = gold.filter(|(document, _)| *document == context.document).map(|(_, target)| target);
        let shown: Vec<char> = context.text.chars().take(left).collect();
        left -= shown.len();
        let _ = write!(
            out,
            "<p class=\"where\">{}</p><blockquote>{}</blockquote>",
            text(&context.document),
            marked(context, &shown, own)
        );
    }
    if report.outcome.contexts[place][question].is_empty() {
        out += &both("nothing was returned", "没有返回内容");
    }
    out + "</div>"
}

/// The text with the gold sentence marked, and the answer itself strong.
fn marked(context: &Returned, shown: &[char], gold: Option<&Target>) -> String {
    let part = |range: Points| text(&shown[range].iter().collect::<String>());
    let Some(target) = gold else { return part(0..shown.len()) };
    let local = |span: &Points| {
        let at = |point: usize| point.saturating_sub(context.start).min(shown.len());
        at(span.start)..at(span.end)
    };
    let (sentence, answer) = (local(&target.sentence), local(&target.answer));
    if sentence.is_empty() {
        return part(0..shown.len());
    }
    let answer = answer.start.clamp(sentence.start, sentence.end)..answer.end.clamp(sentence.start, sentence.end);
    format!(
        "{}<mark>{}<strong>{}</strong>{}</mark>{}",
        part(0..sentence.start),
        part(sentence.start..answer.start),
        part(answer.clone()),
        part(answer.end..sentence.end),
        part(sentence.end..shown.len())
    )
}
