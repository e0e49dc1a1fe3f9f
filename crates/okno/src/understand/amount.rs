//! Comparisons with a number in a question: `不超过30分钟`, `under 30 minutes`, `难度3以上`.
//!
//! A number alone says nothing: the field must be named before the comparison, or its unit after the
//! number, and there must be one such field.

use super::text::{FoldedQuestion, FoldedRange};
use super::words::ABOUT_THE_FILE;
use crate::document::{Catalogue, Comparison, FieldKind, Filter};

/// A comparison that a question makes.
#[derive(Debug, Clone, PartialEq)]
pub struct Amount {
    /// Where.
    pub place: FoldedRange,
    /// What it asks of documents.
    pub filter: Filter,
}

use Comparison::{Greater, GreaterOrEqual, Less, LessOrEqual};

/// Comparisons before a number, longer words before those they hold.
const BEFORE: [(Comparison, &[&str]); 4] = [
    (
        LessOrEqual,
        &[
            "不超过",
            "不多于",
            "不高于",
            "不大于",
            "最多",
            "至多",
            "at most",
            "no more than",
            "not more than",
            "up to",
            "within",
            "<=",
            "≤",
        ],
    ),
    (GreaterOrEqual, &["不少于", "不低于", "不小于", "至少", "最少", "at least", "no less than", ">=", "≥"]),
    (
        Less,
        &[
            "少于",
            "小于",
            "低于",
            "不到",
            "不足",
            "短于",
            "under",
            "below",
            "less than",
            "fewer than",
            "shorter than",
            "<",
        ],
    ),
    (Greater, &["超过", "多于", "大于", "高于", "长于", "over", "above", "more than", "longer than", ">"]),
];

/// Comparisons after a number and its unit.
const AFTER: [(Comparison, &[&str]); 2] = [
    (LessOrEqual, &["以内", "之内", "以下", "内", "or less", "or fewer", "or under"]),
    (GreaterOrEqual, &["以上", "or more", "or longer", "or higher"]),
];

/// Units, what they are worth in the field's own, and parts of the names of fields that are measured in them.
const UNITS: &[(&[&str], f64, &[&str])] = &[
    (&["分钟", "分", "minutes", "minute", "mins", "min"], 1.0, MINUTES),
    (&["小时", "个小时", "hours", "hour", "h"], 60.0, MINUTES),
    (&["元", "块", "块钱", "yuan", "rmb", "dollars", "usd"], 1.0, &["price", "cost", "价格", "单价", "费用"]),
    (&["页", "pages", "page"], 1.0, &["page", "页"]),
    (&["岁", "years old"], 1.0, &["age", "年龄"]),
    (&["大卡", "千卡", "卡", "kcal", "calories"], 1.0, &["calor", "kcal", "热量", "卡路里"]),
    (&["星", "颗星", "stars", "star"], 1.0, &["star", "difficulty", "rating", "难度", "星级", "评分"]),
    (&["人份", "servings", "serving"], 1.0, &["serving", "份数", "人份"]),
    (&["字", "words"], 1.0, &["words", "字数"]),
];

const MINUTES: &[&str] = &["minute", "分钟", "时长", "用时", "耗时", "duration", "cooking_time"];

/// The comparisons of a question, in order.
pub fn find(text: &FoldedQuestion, catalogue: &Catalogue) -> Vec<Amount> {
    let mut amounts: Vec<Amount> = Vec::new();
    for at in 0..text.len() {
        if amounts.last().is_none_or(|last| at >= last.place.end) {
            amounts.extend(before(text, at, catalogue).or_else(|| after(text, at, catalogue)));
        }
    }
    amounts
}

/// A comparison, then a number.
fn before(text: &FoldedQuestion, at: usize, catalogue: &Catalogue) -> Option<Amount> {
    let (end, comparison) =
        BEFORE.iter().find_map(|(comparison, words)| Some((text.one_of(at, words)?, *comparison)))?;
    let (end, number) = number(text, text.after_spaces(end))?;
    amount(text, at, end, comparison, number, catalogue)
}

/// A number, its unit, then a comparison.
fn after(text: &FoldedQuestion, at: usize, catalogue: &Catalogue) -> Option<Amount> {
    let (end, number) = number(text, at).filter(|_| text.is_edge(at))?;
    let next = text.after_spaces(unit(text, end).map_or(end, |(end, ..)| end));
    let (last, comparison) =
        AFTER.iter().find_map(|(comparison, words)| Some((text.one_of(next, words)?, *comparison)))?;
    let amount = amount(text, at, end, comparison, number, catalogue)?;
    Some(Amount { place: amount.place.start..last, ..amount })
}

/// What a number means: by the field named before it, else by the unit after it.
fn amount(
    text: &FoldedQuestion,
    at: usize,
    end: usize,
    comparison: Comparison,
    number: f64,
    catalogue: &Catalogue,
) -> Option<Amount> {
    let measured = unit(text, end);
    let after_unit = measured.map_or(end, |(end, ..)| end);
    if let Some((start, field)) = named_before(text, at, catalogue) {
        let factor = measured.map_or(1.0, |(_, factor, names)| if is_called(&field, names) { factor } else { 1.0 });
        return Some(Amount { place: start..after_unit, filter: compare(field, comparison, number * factor) });
    }
    let (_, factor, names) = measured?;
    let mut fields = numbers(catalogue).filter(|field| is_called(field, names));
    let only = fields.next().filter(|_| fields.next().is_none())?;
    Some(Amount { place: at..after_unit, filter: compare(only.to_owned(), comparison, number * factor) })
}

fn compare(field: String, comparison: Comparison, number: f64) -> Filter {
    Filter::Compare(field, comparison, number.to_string())
}

fn numbers(catalogue: &Catalogue) -> impl Iterator<Item = &str> {
    let is_number = |kind| kind == FieldKind::Number;
    catalogue
        .fields()
        .filter(move |(name, field)| is_number(field.kind) && !ABOUT_THE_FILE.contains(name))
        .map(|(name, _)| name)
}

fn is_called(field: &str, names: &[&str]) -> bool {
    let field = field.to_lowercase();
    names.iter().any(|name| field.contains(name))
}

/// A field of numbers whose name ends here.
fn named_before(text: &FoldedQuestion, at: usize, catalogue: &Catalogue) -> Option<(usize, String)> {
    let end = text.one_before(at, &["是", "为", "要", "在", "is", "of", "are", ":"]).unwrap_or(at);
    numbers(catalogue).find_map(|field| {
        let (folded, spaced) = (field.to_lowercase(), field.to_lowercase().replace('_', " "));
        Some((text.one_before(end, &[&folded, &spaced])?, field.to_owned()))
    })
}

fn unit(text: &FoldedQuestion, at: usize) -> Option<(usize, f64, &'static [&'static str])> {
    let at = text.after_spaces(at);
    UNITS.iter().find_map(|(words, factor, names)| Some((text.one_of(at, words)?, *factor, *names)))
}

/// `30`, `2.5`, `3万`, `三十`, `半` (as in 半小时).
fn number(text: &FoldedQuestion, at: usize) -> Option<(usize, f64)> {
    let digit = |i: usize| text.at(i).is_some_and(|c| c.is_ascii_digit());
    let mut end = at;
    while digit(end) || (end > at && text.at(end) == Some('.') && digit(end + 1)) {
        end += 1;
    }
    if end == at {
        return chinese_number(text, at);
    }
    let end = end + usize::from(matches!(text.at(end), Some('千' | '万' | '亿')));
    Some((end, crate::document::number(&text.folded(at..end))?))
}

fn chinese_number(text: &FoldedQuestion, at: usize) -> Option<(usize, f64)> {
    let digit = |i: usize| "零一二三四五六七八九".chars().position(|c| Some(c) == text.at(i));
    if text.at(at) == Some('半') {
        return Some((at + 1, 0.5));
    }
    let mut read = ChineseNumber::default();
    let mut end = at;
    while let Some(c) = text.at(end).filter(|_| end - at < LONGEST_NUMBER) {
        let known = match (digit(end).or((c == '两').then_some(2)), c) {
            (Some(digit), _) => read.digit(digit as f64),
            (None, '十') => read.unit(10.0),
            (None, '百') => read.unit(100.0),
            (None, '千') => read.unit(1000.0),
            (None, '万') if end > at => read.myriad(1e4),
            (None, '亿') if end > at => read.myriad(1e8),
            _ => false,
        };
        if !known {
            break;
        }
        end += 1;
    }
    (end > at).then(|| (end, read.value()))
}

/// Characters of a number, at most.
const LONGEST_NUMBER: usize = 16;

/// A number as it is read from left to right: 一百二十 is 120, and so is 一百二.
#[derive(Default)]
struct ChineseNumber {
    /// What 万 and 亿 closed, and what stands before the next of them.
    closed: f64,
    section: f64,
    /// The last digit, where no unit follows it yet.
    last: Option<f64>,
    /// The unit before it, unless 零 stands between them.
    unit: f64,
}

impl ChineseNumber {
    /// Whether a digit may stand here: none stands beside another.
    fn digit(&mut self, digit: f64) -> bool {
        if digit == 0.0 {
            self.unit = 0.0;
        }
        match self.last {
            Some(last) if last > 0.0 => false,
            _ => {
                self.last = Some(digit);
                true
            }
        }
    }

    /// Whether a unit may stand here: 十 is ten by itself, 百 is no number.
    fn unit(&mut self, unit: f64) -> bool {
        let last = self.last.take().filter(|last| *last > 0.0);
        if last.is_none() && unit > 10.0 {
            return false;
        }
        self.section += last.unwrap_or(1.0) * unit;
        self.unit = unit;
        true
    }

    fn myriad(&mut self, unit: f64) -> bool {
        self.closed = (self.closed + self.section + self.last.take().unwrap_or(0.0)) * unit;
        (self.section, self.unit) = (0.0, 0.0);
        true
    }

    fn value(&self) -> f64 {
        let rest = self.last.unwrap_or(0.0) * if self.unit > 10.0 { self.unit / 10.0 } else { 1.0 };
        self.closed + self.section + rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::understand::tests::catalogue;

    fn amounts(question: &str) -> Vec<String> {
        let text = FoldedQuestion::new(question);
        find(&text, &catalogue()).iter().map(|a| format!("{}: {}", text.original(&a.place), a.filter)).collect()
    }

    #[test]
    fn chinese_numbers_are_read_whole() {
        for (text, expected) in [
            ("三", 3.0),
            ("十", 10.0),
            ("二十五", 25.0),
            ("一百", 100.0),
            ("两百", 200.0),
            ("一百二十", 120.0),
            ("一百二", 120.0),
            ("一百零二", 102.0),
            ("一千", 1000.0),
            ("三万五千", 35000.0),
            ("一亿", 1e8),
        ] {
            let question = FoldedQuestion::new(text);
            assert_eq!(number(&question, 0), Some((text.chars().count(), expected)), "{text}");
        }
        assert_eq!(number(&FoldedQuestion::new("百货"), 0), None);
    }

    #[test]
    fn a_unit_or_a_name_says_which_field() {
        for (question, expected) in [
            ("不超过30分钟的菜", "不超过30分钟: minutes <= 30"),
            ("30分钟以内能做好的", "30分钟以内: minutes <= 30"),
            ("三十分钟以内", "三十分钟以内: minutes <= 30"),
            ("半小时以内", "半小时以内: minutes <= 30"),
            ("at most 1.5 hours", "at most 1.5 hours: minutes <= 90"),
            ("recipes under 30 minutes", "under 30 minutes: minutes < 30"),
            ("难度不超过3", ""),
            ("difficulty at least 2", "difficulty at least 2: difficulty >= 2"),
            ("minutes > 1万", "minutes > 1万: minutes > 10000"),
            ("2星以上", "2星以上: difficulty >= 2"),
            ("价格低于100元", ""),
            ("over 100 years before", ""),
            ("at least two", ""),
        ] {
            assert_eq!(amounts(question).join(" | "), expected, "{question}");
        }
    }
}
