//! Stretches of days with a name: a day, a month, a quarter, a year.

use super::Date;
use std::cmp::Ordering;

/// Days from the first to the last, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Period {
    /// The first day.
    pub first: Date,
    /// The last day.
    pub last: Date,
}

impl Period {
    /// One day.
    pub fn day(date: Date) -> Self {
        Self { first: date, last: date }
    }

    /// A month of a year.
    pub fn month(year: i16, month: u8) -> Option<Self> {
        Self::months(year, month, month)
    }

    /// A quarter of a year, 1 to 4.
    pub fn quarter(year: i16, quarter: u8) -> Option<Self> {
        (1..=4).contains(&quarter).then(|| Self::months(year, quarter * 3 - 2, quarter * 3))?
    }

    /// A half of a year, 1 or 2.
    pub fn half(year: i16, half: u8) -> Option<Self> {
        (1..=2).contains(&half).then(|| Self::months(year, half * 6 - 5, half * 6))?
    }

    /// A year.
    pub fn year(year: i16) -> Option<Self> {
        Self::months(year, 1, 12)
    }

    fn months(year: i16, first: u8, last: u8) -> Option<Self> {
        let end = (28..=31).rev().find_map(|day| Date::new(year, last, day))?;
        Some(Self { first: Date::new(year, first, 1)?, last: end })
    }

    /// Reads a day, `2023-07`, `2023年7月`, `2023Q3`, `2023年第三季度`, `2023` or `2023年`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some(date) = Date::parse(text) {
            return Some(Self::day(date));
        }
        if let Some((year, month)) = Date::parse_month(text) {
            return Self::month(year, month);
        }
        // Four digits are four bytes; anything else is no year.
        let year: i16 = text.get(..4).filter(|year| year.bytes().all(|b| b.is_ascii_digit()))?.parse().ok()?;
        match text[4..].trim_start_matches(['年', '-', ' ']) {
            "" => Self::year(year),
            rest => Self::quarter(year, quarter(rest)?),
        }
    }

    /// Where a day lies: before, within, or after.
    pub fn order(self, date: Date) -> Ordering {
        if date < self.first {
            Ordering::Less
        } else if date > self.last {
            Ordering::Greater
        } else {
            Ordering::Equal
        }
    }
}

/// Reads `Q2`, `第二季度`, `二季度`, `第2季`.
fn quarter(text: &str) -> Option<u8> {
    let text = text.trim_start_matches('第');
    let number = match text.strip_prefix(['Q', 'q']) {
        Some(number) => number,
        None => text.strip_suffix("季度").or_else(|| text.strip_suffix('季'))?,
    };
    match number {
        "1" | "一" => Some(1),
        "2" | "二" => Some(2),
        "3" | "三" => Some(3),
        "4" | "四" => Some(4),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_people_call_a_stretch_of_time() {
        for (text, first, last) in [
            ("2023", "2023-01-01", "2023-12-31"),
            ("2023年", "2023-01-01", "2023-12-31"),
            ("2024-02", "2024-02-01", "2024-02-29"),
            ("2023年7月", "2023-07-01", "2023-07-31"),
            ("2023Q2", "2023-04-01", "2023-06-30"),
            ("2023-Q4", "2023-10-01", "2023-12-31"),
            ("2023年第二季度", "2023-04-01", "2023-06-30"),
            ("2023-07-28", "2023-07-28", "2023-07-28"),
        ] {
            let period = Period::parse(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((period.first.to_string(), period.last.to_string()), (first.into(), last.into()), "{text}");
        }
        for text in ["", "6", "23", "2023Q5", "2023-13", "20231", "年年年年", "２０２３"] {
            assert_eq!(Period::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_day_is_before_within_or_after() {
        let july = Period::parse("2023-07").unwrap();
        let day = |text| july.order(Date::parse(text).unwrap());
        assert_eq!(
            (day("2023-06-30"), day("2023-07-31"), day("2023-08-01")),
            (Ordering::Less, Ordering::Equal, Ordering::Greater)
        );
    }
}
