//! Times in a question: years, quarters, months, days, spans between them, and those that count from today.

use super::text::{FoldedQuestion, FoldedRange};
use crate::document::{Date, Period};

/// A time that a question speaks of.
#[derive(Debug, Clone, PartialEq)]
pub struct Time {
    /// Where.
    pub place: FoldedRange,
    /// When; nothing for a quarter or month without a year.
    pub period: Option<Period>,
    /// The parts it is made of.
    pub parts: TimeParts,
    /// How documents relate to it.
    pub relation: Relation,
    /// Whether it counts from today.
    pub relative: bool,
}

/// What a time is made of, as far as it was said. A span of several years has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TimeParts {
    /// The year.
    pub year: Option<i16>,
    /// 1 to 4.
    pub quarter: Option<u8>,
    /// 1 to 12, and nothing finer.
    pub month: Option<u8>,
}

/// How documents relate to a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// In it.
    Within,
    /// After its end.
    After,
    /// Not before its beginning.
    Since,
    /// Before its beginning.
    Before,
    /// Not after its end.
    Until,
}

/// The times of a question, in order.
pub fn find(text: &FoldedQuestion, today: Date) -> Vec<Time> {
    let mut times = Vec::new();
    let mut at = 0;
    while at < text.len() {
        match point(text, at, today) {
            Some(point) => {
                let time = related(text, spanning(text, point, today));
                at = time.place.end;
                times.push(time);
            }
            None => at += 1,
        }
    }
    times
}

/// A time by itself.
struct Point {
    place: FoldedRange,
    period: Option<Period>,
    parts: TimeParts,
    relative: bool,
}

fn point(text: &FoldedQuestion, at: usize, today: Date) -> Option<Point> {
    if !text.is_edge(at) {
        return None;
    }
    let found = written_date(text, at)
        .or_else(|| chinese_year(text, at, today))
        .or_else(|| english_month(text, at))
        .or_else(|| quarter_then_year(text, at))
        .or_else(|| plain_year(text, at))
        .or_else(|| counted(text, at, today))
        .or_else(|| {
            quarter(text, at)
                .map(|(end, quarter)| (end, None, TimeParts { quarter: Some(quarter), ..TimeParts::default() }))
        });
    let (end, period, parts) = found?;
    let relative = period.is_some() && !has_year(text, at, end);
    Some(Point { place: at..end, period, parts, relative })
}

fn has_year(text: &FoldedQuestion, start: usize, end: usize) -> bool {
    (start..end).any(|i| text.digits(i).len() == 4)
}

type FoundTime = (usize, Option<Period>, TimeParts);

fn found(end: usize, parts: TimeParts) -> Option<FoundTime> {
    let year = parts.year?;
    let period = match (parts.month, parts.quarter) {
        (Some(month), _) => Period::month(year, month),
        (_, Some(quarter)) => Period::quarter(year, quarter),
        _ => Period::year(year),
    }?;
    Some((end, Some(period), parts))
}

/// Years that questions ask about; other numbers of four digits are numbers.
fn year_of(text: &FoldedQuestion, at: usize) -> Option<i16> {
    let digits = text.digits(at);
    let year = (digits.len() == 4).then(|| digits.iter().collect::<String>().parse().ok())??;
    (1900..=2100).contains(&year).then_some(year)
}

fn small(text: &FoldedQuestion, at: usize, most: u8) -> Option<(usize, u8)> {
    let digits = text.digits(at);
    let number = digits.iter().collect::<String>().parse().ok().filter(|n| (1..=most).contains(n))?;
    Some((at + digits.len(), number))
}

/// `2023-07-28`, `2023/7/28`, `2023-07`.
fn written_date(text: &FoldedQuestion, at: usize) -> Option<FoundTime> {
    let year = year_of(text, at)?;
    let dash = |i: usize| matches!(text.at(i), Some('-' | '/')).then_some(i + 1);
    let (end, month) = small(text, dash(at + 4)?, 12)?;
    if let Some((end, day)) = dash(end).and_then(|i| small(text, i, 31)) {
        return Some((end, Some(Period::day(Date::new(year, month, day)?)), TimeParts::default()));
    }
    found(end, TimeParts { year: Some(year), month: Some(month), quarter: None }).filter(|_| text.is_edge(end))
}

/// `2023年`, `2023年第二季度`, `2023年7月28日`, `去年下半年`, `今年3月`.
fn chinese_year(text: &FoldedQuestion, at: usize, today: Date) -> Option<FoundTime> {
    let (end, year) = match year_of(text, at) {
        Some(year) => (text.word_end(text.after_spaces(at + 4), "年")?, year),
        None => named_year(text, at, today)?,
    };
    if text.at(end) == Some('代') {
        return None;
    }
    let end = text.word_end(end, "度").unwrap_or(end);
    let rest = text.one_of(text.after_spaces(end), &["的"]).unwrap_or(end);
    let inner = text.after_spaces(rest);
    if let Some((end, half)) = half_year(text, inner) {
        return Some((end, Some(Period::half(year, half)?), TimeParts::default()));
    }
    if let Some((end, quarter)) = quarter(text, inner) {
        return found(end, TimeParts { year: Some(year), quarter: Some(quarter), month: None });
    }
    if let Some((end, month)) = month_number(text, inner) {
        let day =
            small(text, text.after_spaces(end), 31).and_then(|(i, day)| Some((text.one_of(i, &["日", "号"])?, day)));
        return match day {
            Some((end, day)) => Some((end, Some(Period::day(Date::new(year, month, day)?)), TimeParts::default())),
            None => found(end, TimeParts { year: Some(year), month: Some(month), quarter: None }),
        };
    }
    found(end, TimeParts { year: Some(year), ..TimeParts::default() })
}

fn named_year(text: &FoldedQuestion, at: usize, today: Date) -> Option<(usize, i16)> {
    let named: [(&[&str], i16); 3] = [
        (&["今年", "本年", "this year"], 0),
        (&["去年", "上一年", "last year"], 1),
        (&["前年", "the year before last"], 2),
    ];
    named.iter().find_map(|(words, ago)| Some((text.one_of(at, words)?, today.year - ago)))
}

fn half_year(text: &FoldedQuestion, at: usize) -> Option<(usize, u8)> {
    let first = text.one_of(at, &["上半年", "前半年"]).map(|end| (end, 1));
    first.or_else(|| text.one_of(at, &["下半年", "后半年"]).map(|end| (end, 2)))
}

fn month_number(text: &FoldedQuestion, at: usize) -> Option<(usize, u8)> {
    let (end, month) = small(text, at, 12)?;
    Some((text.one_of(text.after_spaces(end), &["月份", "月"])?, month))
}

/// `第二季度`, `二季度`, `Q2`, `second quarter`.
fn quarter(text: &FoldedQuestion, at: usize) -> Option<(usize, u8)> {
    const FORMS: [&[&str]; 4] = [
        &["第一季度", "一季度", "第1季度", "1季度", "q1", "first quarter", "1st quarter"],
        &["第二季度", "二季度", "第2季度", "2季度", "q2", "second quarter", "2nd quarter"],
        &["第三季度", "三季度", "第3季度", "3季度", "q3", "third quarter", "3rd quarter"],
        &["第四季度", "四季度", "第4季度", "4季度", "q4", "fourth quarter", "4th quarter"],
    ];
    (1..).zip(FORMS).find_map(|(number, forms)| Some((text.one_of(at, forms)?, number)))
}

/// `Q2 2023`, `second quarter of 2023`.
fn quarter_then_year(text: &FoldedQuestion, at: usize) -> Option<FoundTime> {
    let (end, number) = quarter(text, at)?;
    let next = text.after_spaces(text.one_of(text.after_spaces(end), &["of", "in", ","]).unwrap_or(end));
    let year = year_of(text, next)?;
    let end = text.word_end(next + 4, "年").unwrap_or(next + 4);
    found(end, TimeParts { year: Some(year), quarter: Some(number), month: None })
}

/// `July 2023`, `Jul 28, 2023`, `28 July 2023`.
fn english_month(text: &FoldedQuestion, at: usize) -> Option<FoundTime> {
    let (start, day_before) = match small(text, at, 31) {
        Some((end, day)) => (text.after_spaces(end), Some(day)),
        None => (at, None),
    };
    let (end, month) = month_name(text, start)?;
    let next = text.after_spaces(end);
    let (end, day_after) = match small(text, next, 31) {
        Some((end, day)) if text.is_edge(end) => (end, Some(day)),
        _ => (end, None),
    };
    let next = text.after_spaces(text.one_of(text.after_spaces(end), &[",", "of"]).unwrap_or(end));
    let year = year_of(text, next).filter(|_| text.is_edge(next + 4))?;
    match day_before.or(day_after) {
        Some(day) => Some((next + 4, Some(Period::day(Date::new(year, month, day)?)), TimeParts::default())),
        None => found(next + 4, TimeParts { year: Some(year), month: Some(month), quarter: None }),
    }
}

fn month_name(text: &FoldedQuestion, at: usize) -> Option<(usize, u8)> {
    const NAMES: [&[&str]; 12] = [
        &["january", "jan"],
        &["february", "feb"],
        &["march", "mar"],
        &["april", "apr"],
        &["may"],
        &["june", "jun"],
        &["july", "jul"],
        &["august", "aug"],
        &["september", "sep", "sept"],
        &["october", "oct"],
        &["november", "nov"],
        &["december", "dec"],
    ];
    (1..).zip(NAMES).find_map(|(month, names)| Some((text.one_of(at, names)?, month)))
}

/// `2023`, `2023 Q2`, `FY2023`-less: a number of four digits that counts nothing.
fn plain_year(text: &FoldedQuestion, at: usize) -> Option<FoundTime> {
    let year = year_of(text, at).filter(|_| text.is_edge(at + 4))?;
    let next = text.after_spaces(at + 4);
    if let Some((end, number)) = quarter(text, next) {
        return found(end, TimeParts { year: Some(year), quarter: Some(number), month: None });
    }
    // `2000元`, `1915 份`, `2,000.5`: in Chinese a year without 年 stands before what is named by it.
    let counts =
        text.at(next).is_some_and(super::text::is_dense) && text.one_of(next, super::words::DOCUMENTS).is_none();
    let decimal = matches!(text.at(at + 4), Some('.' | ',')) && text.at(at + 5).is_some_and(|c| c.is_ascii_digit());
    (!counts && !decimal).then(|| found(at + 4, TimeParts { year: Some(year), ..TimeParts::default() }))?
}

/// Times that count from today.
fn counted(text: &FoldedQuestion, at: usize, today: Date) -> Option<FoundTime> {
    let year = named_year(text, at, today)
        .and_then(|(end, year)| found(end, TimeParts { year: Some(year), ..TimeParts::default() }));
    year.or_else(|| named_month(text, at, today))
        .or_else(|| named_days(text, at, today))
        .or_else(|| past(text, at, today))
}

fn named_month(text: &FoldedQuestion, at: usize, today: Date) -> Option<FoundTime> {
    let months: [(&[&str], i16); 2] =
        [(&["本月", "这个月", "这月", "this month"], 0), (&["上月", "上个月", "last month"], 1)];
    let quarters: [(&[&str], i16); 2] =
        [(&["本季度", "这个季度", "this quarter"], 0), (&["上季度", "上个季度", "上一季度", "last quarter"], 1)];
    if let Some((end, ago)) = months.iter().find_map(|(words, ago)| Some((text.one_of(at, words)?, *ago))) {
        let (year, month) = back(today.year, i16::from(today.month), ago, 12);
        return found(end, TimeParts { year: Some(year), month: Some(month), quarter: None });
    }
    let (end, ago) = quarters.iter().find_map(|(words, ago)| Some((text.one_of(at, words)?, *ago)))?;
    let (year, quarter) = back(today.year, i16::from(today.month.div_ceil(3)), ago, 4);
    found(end, TimeParts { year: Some(year), quarter: Some(quarter), month: None })
}

/// So many parts of a year earlier, the parts counted from 1.
fn back(year: i16, part: i16, ago: i16, of_year: i16) -> (i16, u8) {
    let part = part - 1 - ago;
    (year + part.div_euclid(of_year), part.rem_euclid(of_year) as u8 + 1)
}

fn named_days(text: &FoldedQuestion, at: usize, today: Date) -> Option<FoundTime> {
    let days: [(&[&str], i64); 3] = [
        (&["今天", "今日", "today"], 0),
        (&["昨天", "昨日", "yesterday"], 1),
        (&["前天", "the day before yesterday"], 2),
    ];
    if let Some((end, ago)) = days.iter().find_map(|(words, ago)| Some((text.one_of(at, words)?, *ago))) {
        return Some((end, Some(Period::day(today.plus_days(-ago))), TimeParts::default()));
    }
    let weeks: [(&[&str], i64); 2] = [
        (&["本周", "这周", "这个星期", "本星期", "this week"], 0),
        (&["上周", "上个星期", "上星期", "上一周", "last week"], 1),
    ];
    let (end, ago) = weeks.iter().find_map(|(words, ago)| Some((text.one_of(at, words)?, *ago)))?;
    // 1970-01-01 was a Thursday; weeks begin on Monday.
    let monday = today.plus_days(-(today.days() + 3).rem_euclid(7) - 7 * ago);
    Some((end, Some(Period { first: monday, last: monday.plus_days(6) }), TimeParts::default()))
}

/// `最近三个月`, `过去7天`, `the last 2 weeks`: up to today.
fn past(text: &FoldedQuestion, at: usize, today: Date) -> Option<FoundTime> {
    let next = text.one_of(at, &["最近", "过去", "近", "last", "past"])?;
    let (next, number) = count(text, text.after_spaces(next))?;
    let next = text.after_spaces(text.word_end(next, "个").unwrap_or(next));
    let units: [(&[&str], i64); 4] = [
        (&["天", "日", "days", "day"], 1),
        (&["周", "星期", "weeks", "week"], 7),
        (&["月", "months", "month"], 30),
        (&["年", "years", "year"], 365),
    ];
    let (end, days) = units.iter().find_map(|(words, days)| Some((text.one_of(next, words)?, *days)))?;
    Some((end, Some(Period { first: today.plus_days(-days * number), last: today }), TimeParts::default()))
}

/// A small count: `3`, `三`, `两`, `two`.
fn count(text: &FoldedQuestion, at: usize) -> Option<(usize, i64)> {
    const WORDS: [&[&str]; 10] = [
        &["一", "one"],
        &["二", "两", "two"],
        &["三", "three"],
        &["四", "four"],
        &["五", "five"],
        &["六", "six"],
        &["七", "seven"],
        &["八", "eight"],
        &["九", "nine"],
        &["十", "ten"],
    ];
    if let Some((end, number)) = small(text, at, 99) {
        return Some((end, i64::from(number)));
    }
    (1..).zip(WORDS).find_map(|(number, words)| Some((text.one_of(at, words)?, number)))
}

/// `2020年到2022年`, `2020-2022`, `between 2020 and 2022`.
fn spanning(text: &FoldedQuestion, from: Point, today: Date) -> Point {
    let between =
        text.one_of(text.after_spaces(from.place.end), &["到", "至", "-", "–", "—", "~", "to", "and", "until"]);
    let asked = text.one_before(from.place.start, &["between", "from", "从", "自"]);
    let Some(next) = between.map(|end| text.after_spaces(end)) else { return from };
    let joined_by_and = text.one_before(next, &["and"]).is_some() && asked.is_none();
    match (point(text, next, today), from.period) {
        (Some(to), Some(first)) if !joined_by_and => match to.period.filter(|last| first.first <= last.last) {
            Some(last) => Point {
                place: asked.unwrap_or(from.place.start)..to.place.end,
                period: Some(Period { first: first.first, last: last.last }),
                parts: TimeParts::default(),
                relative: false,
            },
            None => from,
        },
        _ => from,
    }
}

/// The words around a time that say on which side of it.
fn related(text: &FoldedQuestion, point: Point) -> Time {
    let after: [(&[&str], Relation); 4] = [
        (&["以后", "之后", "过后", "后"], Relation::After),
        (&["以来", "起", "开始", "至今", "onwards", "or later"], Relation::Since),
        (&["以前", "之前", "前", "or earlier"], Relation::Before),
        (&["为止", "及以前"], Relation::Until),
    ];
    let before: [(&[&str], Relation); 4] = [
        (&["after", "later than", "晚于"], Relation::After),
        (&["since", "from", "starting", "starting in", "自", "自从", "不早于"], Relation::Since),
        (&["before", "prior to", "earlier than", "早于"], Relation::Before),
        (&["until", "till", "up to", "截至", "截止", "截止到", "截至到"], Relation::Until),
    ];
    let mut place = point.place;
    let mut relation = Relation::Within;
    let next = text.after_spaces(place.end);
    if let Some((end, side)) = after.iter().find_map(|(words, side)| Some((text.one_of(next, words)?, *side))) {
        (place.end, relation) = (end, side);
    }
    if let Some((start, side)) =
        before.iter().find_map(|(words, side)| Some((text.one_before(place.start, words)?, *side)))
    {
        // `from 2023` alone names where something is from.
        let names = side == Relation::Since && relation == Relation::Within && text.word_end(start, "from").is_some();
        place.start = start;
        relation = if relation == Relation::Within && !names { side } else { relation };
    }
    Time { place, period: point.period, parts: point.parts, relation, relative: point.relative }
}

#[cfg(test)]
mod tests;
