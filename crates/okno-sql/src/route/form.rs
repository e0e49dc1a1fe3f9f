//! What a question asks of rows, by its words, in Chinese and English. Looks at the question only, so that a question
//! of no such form costs nothing.

use crate::words::position;

/// What is asked of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowForm {
    /// How many there are.
    Count,
    /// What the numbers of a column add up to.
    Sum,
    /// Their mean.
    Average,
    /// The row with the greatest number.
    Greatest,
    /// The row with the least number.
    Least,
    /// All rows that something holds for.
    All,
}

/// The words of a form; the longer of two that begin alike stands first.
pub const WORDS: &[(RowForm, &[&str])] = &[
    (RowForm::Average, &["on average", "average", "mean", "平均值", "平均", "均值"]),
    (RowForm::Sum, &["in total", "total", "sum", "总和", "合计", "总计", "加起来"]),
    (
        RowForm::Greatest,
        &[
            "most expensive",
            "highest",
            "largest",
            "biggest",
            "greatest",
            "maximum",
            "most",
            "最高",
            "最大",
            "最多",
            "最贵",
        ],
    ),
    (
        RowForm::Least,
        &[
            "least expensive",
            "cheapest",
            "lowest",
            "smallest",
            "minimum",
            "fewest",
            "least",
            "最便宜",
            "最低",
            "最小",
            "最少",
        ],
    ),
    (
        RowForm::Count,
        &[
            "how many",
            "the number of",
            "count",
            "有多少",
            "共多少",
            "多少个",
            "多少种",
            "多少家",
            "多少条",
            "多少项",
            "多少位",
            "多少名",
            "多少款",
            "多少件",
            "多少只",
            "多少部",
            "多少本",
            "多少行",
            "多少人",
            "有几",
            "几个",
            "几种",
            "几家",
            "几款",
            "几位",
        ],
    ),
    (RowForm::All, &["list all", "show all", "all", "list", "which", "列出", "所有", "全部", "哪些"]),
];

/// Words of a rank: the first or last few by a number.
pub const TOP: &[(&str, RowForm)] = &[("top", RowForm::Greatest), ("bottom", RowForm::Least)];

/// Numbers in words.
pub const NUMBERS: &[(&str, usize)] = &[
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
    ("两", 2),
    ("二", 2),
    ("三", 3),
    ("四", 4),
    ("五", 5),
    ("六", 6),
    ("七", 7),
    ("八", 8),
    ("九", 9),
    ("十", 10),
];

/// What stands between two conditions that both hold; the longer of two that begin alike stands first.
pub const AND: &[&str] = &["and", "并且", "而且", "且", "同时"];

/// What stands between two conditions of which one holds.
pub const OR: &[&str] = &["or", "或者", "或是", "或"];

/// What stands between the ends of a range, and what stands behind it.
pub const RANGES: &[&str] = &["and", "to", "到", "至", "和", "与", "–", "-", "~", "～"];

/// What an extreme is of, where the word says it: a price.
pub const OF_PRICE: &[&str] = &["expensive", "cheapest", "最贵", "最便宜"];

/// Parts of the names of columns that hold prices.
pub const PRICES: &[&str] = &["price", "cost", "价", "费用", "售价", "金额"];

/// Comparisons, and their operators; the longer of two that begin alike stands first.
pub const COMPARISONS: &[(&str, &str)] = &[
    ("greater than or equal to", ">="),
    ("at least", ">="),
    ("no less than", ">="),
    ("不低于", ">="),
    ("不少于", ">="),
    ("不小于", ">="),
    (">=", ">="),
    ("≥", ">="),
    ("at most", "<="),
    ("no more than", "<="),
    ("不超过", "<="),
    ("不高于", "<="),
    ("不大于", "<="),
    ("<=", "<="),
    ("≤", "<="),
    ("more than", ">"),
    ("greater than", ">"),
    ("higher than", ">"),
    ("larger than", ">"),
    ("over", ">"),
    ("above", ">"),
    ("超过", ">"),
    ("高于", ">"),
    ("大于", ">"),
    ("多于", ">"),
    (">", ">"),
    ("less than", "<"),
    ("fewer than", "<"),
    ("lower than", "<"),
    ("smaller than", "<"),
    ("under", "<"),
    ("below", "<"),
    ("低于", "<"),
    ("小于", "<"),
    ("少于", "<"),
    ("<", "<"),
];

/// Comparisons that stand behind their number.
pub const COMPARISONS_BEHIND: &[(&str, &str)] =
    &[("以上", ">="), ("以下", "<="), ("or more", ">="), ("or less", "<="), ("and above", ">="), ("and below", "<=")];

/// Characters that say nothing about rows.
pub const FILLING_CHARACTERS: &str =
    "的有是在了哪个一些几多少里中请问列出所我们给吗呢都款种条项位名家件只部本行张这那为其共总全记录数据表格值元块钱";

/// The form of a question; `None` where it has none, or two.
pub fn form(question: &str) -> Option<(RowForm, &'static str)> {
    // `at least 5` compares; it asks for nothing that is least.
    let asked = question.replace("at least", "").replace("at most", "");
    let is_there = |word: &str| position(&asked, word, 0).is_some() && !(word == "mean" && is_meant(question));
    let found = |words: &[&'static str]| words.iter().copied().find(|word| is_there(word));
    let mut forms = WORDS.iter().filter_map(|(form, words)| Some((*form, found(words)?)));
    let first = forms.next();
    let Some(first) = first.filter(|(form, _)| *form != RowForm::All) else {
        // `the top 3`, `价格前三`: an extreme in other words.
        let top = TOP.iter().find(|(word, _)| position(&asked, word, 0).is_some());
        let before = asked.contains('前').then_some((RowForm::Greatest, "前"));
        return top.map(|(word, form)| (*form, *word)).or(before).or(first);
    };
    match (first.0, forms.next()) {
        // `which` and `all` ask for the row of an extreme too, and for what is counted.
        (_, None | Some((RowForm::All, _))) => Some(first),
        // `how many … in total`
        (RowForm::Sum, Some(count @ (RowForm::Count, _))) if first.1 == "in total" => Some(count),
        _ => None,
    }
}

/// Whether the words of a question count, add or compare rows in any form: reason enough to ask a model for a query.
pub fn counts(question: &str) -> bool {
    let asked = question.replace("at least", "").replace("at most", "");
    let is_compared = || COMPARISONS.iter().any(|(word, _)| position(question, word, 0).is_some());
    let mut words = WORDS.iter().flat_map(|(_, words)| words.iter().copied());
    let is_top = TOP.iter().any(|(word, _)| position(question, word, 0).is_some());
    is_top
        || words.any(|word| {
            position(&asked, word, 0).is_some()
                && match word {
                    // `Which colour is it?` asks for one sentence.
                    "which" => is_compared(),
                    "mean" => !is_meant(question),
                    _ => true,
                }
        })
}

/// Whether `mean` is a verb: `What does it mean?` asks for no mean.
fn is_meant(question: &str) -> bool {
    ["does", "do", "did"].iter().any(|word| position(question, word, 0).is_some())
}
