//! Times that questions speak of, and numbers that are none.

use super::*;

const TODAY: Date = Date { year: 2024, month: 3, day: 13 };

/// `words: first..last relation`, for each time found.
fn times(question: &str) -> Vec<String> {
    let text = FoldedQuestion::new(question);
    let shown = |time: &Time| {
        let period = time.period.map_or("?".to_owned(), |p| format!("{}..{}", p.first, p.last));
        format!(
            "{}: {period} {:?}{}",
            text.original(&time.place),
            time.relation,
            if time.relative { " relative" } else { "" }
        )
    };
    find(&text, TODAY).iter().map(shown).collect()
}

#[test]
fn chinese_times() {
    for (question, expected) in [
        ("请总结一下2023年第二季度财报", "2023年第二季度: 2023-04-01..2023-06-30 Within"),
        ("2023年7月28日的会议", "2023年7月28日: 2023-07-28..2023-07-28 Within"),
        ("２０２３年 7 月份", "２０２３年 7 月份: 2023-07-01..2023-07-31 Within"),
        ("2020年以后的政策", "2020年以后: 2020-01-01..2020-12-31 After"),
        ("自2005年以来", "自2005年以来: 2005-01-01..2005-12-31 Since"),
        ("2020年到2022年的报告", "2020年到2022年: 2020-01-01..2022-12-31 Within"),
        ("去年下半年的笔记", "去年下半年: 2023-07-01..2023-12-31 Within relative"),
        ("去年第二季度", "去年第二季度: 2023-04-01..2023-06-30 Within relative"),
        ("上个月谁来过", "上个月: 2024-02-01..2024-02-29 Within relative"),
        ("上季度", "上季度: 2023-10-01..2023-12-31 Within relative"),
        ("上周的纪要", "上周: 2024-03-04..2024-03-10 Within relative"),
        ("昨天的新闻", "昨天: 2024-03-12..2024-03-12 Within relative"),
        ("最近三个月", "最近三个月: 2023-12-14..2024-03-13 Within relative"),
        ("第二季度的收入", "第二季度: ? Within"),
        ("2023财报", "2023: 2023-01-01..2023-12-31 Within"),
    ] {
        assert_eq!(times(question), [expected], "{question}");
    }
}

#[test]
fn english_times() {
    for (question, expected) in [
        ("reports from 2023", "from 2023: 2023-01-01..2023-12-31 Within"),
        ("articles after 2020", "after 2020: 2020-01-01..2020-12-31 After"),
        ("everything since July 2023", "since July 2023: 2023-07-01..2023-07-31 Since"),
        ("before Jul 28, 2023", "before Jul 28, 2023: 2023-07-28..2023-07-28 Before"),
        ("Q2 2023 results", "Q2 2023: 2023-04-01..2023-06-30 Within"),
        ("2023 Q2 results", "2023 Q2: 2023-04-01..2023-06-30 Within"),
        ("the second quarter of 2023", "second quarter of 2023: 2023-04-01..2023-06-30 Within"),
        ("between 2020 and 2022", "between 2020 and 2022: 2020-01-01..2022-12-31 Within"),
        ("last week's minutes", "last week: 2024-03-04..2024-03-10 Within relative"),
        ("yesterday", "yesterday: 2024-03-12..2024-03-12 Within relative"),
        ("in the past 10 days", "past 10 days: 2024-03-03..2024-03-13 Within relative"),
        ("notes of 2023-07-28", "2023-07-28: 2023-07-28..2023-07-28 Within"),
    ] {
        assert_eq!(times(question), [expected], "{question}");
    }
    assert_eq!(times("who won in 1992 and 1997?").len(), 2);
}

#[test]
fn numbers_and_decades_are_no_times() {
    for question in [
        "the 1880s",
        "1950年代",
        "西元前4713年1月1日",
        "12023",
        "2000元以下",
        "1915 份标书",
        "RFC2023x",
        "2,000.5",
        "May I come?",
        "第十五届",
        "",
    ] {
        assert_eq!(times(question), [""; 0], "{question}");
    }
}
