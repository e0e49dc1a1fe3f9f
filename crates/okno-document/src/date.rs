//! Calendar days: what metadata compares, in the forms people write.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A day. Ordered by time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Date {
    /// The year.
    pub year: i16,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
}

impl Date {
    /// The day, if there is such a one.
    pub fn new(year: i16, month: u8, day: u8) -> Option<Self> {
        let last = match month {
            1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
            4 | 6 | 9 | 11 => 30,
            2 if is_leap(year) => 29,
            2 => 28,
            _ => return None,
        };
        (1..=last).contains(&day).then_some(Self { year, month, day })
    }

    /// Reads `2023-07-28`, `2023/7/28`, `2023年7月28日`, and the day of `2023-07-28T16:40:00Z`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (year, rest) = number(text)?;
        let (month, rest) = number(rest.strip_prefix(['-', '/', '年'])?)?;
        let (day, rest) = number(rest.strip_prefix(['-', '/', '月'])?)?;
        (is_end(rest) && year.len() == 4).then_some(())?;
        Self::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)
    }

    /// Reads a month, `2023-07`, `2023/7` or `2023年7月`, as its year and month.
    pub fn parse_month(text: &str) -> Option<(i16, u8)> {
        let (year, rest) = number(text.trim())?;
        let (month, rest) = number(rest.strip_prefix(['-', '/', '年'])?)?;
        let whole = year.len() == 4 && matches!(rest, "" | "月");
        let month = month.parse().ok().filter(|month| (1..=12).contains(month))?;
        whole.then_some((year.parse().ok()?, month))
    }

    /// Days since 1970-01-01.
    pub fn days(self) -> i64 {
        // The inverse of `from_unix`: years counted from March, eras of 400 years.
        let (year, month) = (i64::from(self.year) - i64::from(self.month <= 2), i64::from(self.month));
        let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
        let of_year = (153 * ((month + 9) % 12) + 2) / 5 + i64::from(self.day) - 1;
        era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
    }

    /// The day so many days later.
    #[must_use]
    pub fn plus_days(self, days: i64) -> Self {
        Self::from_unix((self.days() + days) * 86_400)
    }

    /// The UTC day of this many seconds since 1970.
    pub fn from_unix(seconds: i64) -> Self {
        // Howard Hinnant's days-to-civil algorithm: years counted from March, eras of 400 years.
        let days = seconds.div_euclid(86_400) + 719_468;
        let era = days.div_euclid(146_097);
        let of_era = days.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let from_march = (5 * of_year + 2) / 153;
        let day = of_year - (153 * from_march + 2) / 5 + 1;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Self { year: year as i16, month: month as u8, day: day as u8 }
    }
}

fn is_leap(year: i16) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// What may follow a day: nothing, or a time. Words mean that the text only begins with a date.
fn is_end(rest: &str) -> bool {
    let rest = rest.strip_prefix('日').unwrap_or(rest);
    let is_time = |c: char| c.is_ascii_digit() || ":.,+-Z ".contains(c);
    rest.strip_prefix(['T', ' ']).is_none_or(|time| time.chars().all(is_time))
        && (rest.is_empty() || rest.starts_with(['T', ' ']))
}

/// The digits a text begins with, and the rest.
fn number(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    (1..=4).contains(&end).then(|| text.split_at(end))
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_forms_people_write() {
        let day = Date::new(2023, 7, 28);
        for text in ["2023-07-28", "2023/7/28", "2023年7月28日", "2023-07-28T16:40:00Z", "2023-07-28 16:40"] {
            assert_eq!(Date::parse(text), day, "{text}");
        }
        for text in [
            "",
            "2023",
            "2023-13-01",
            "2023-02-29",
            "23-07-28",
            "2023-07-28x",
            "1.2.3",
            "2023-7",
            "2024-05-04 Weekly notes",
            "2023年7月28日电",
        ] {
            assert_eq!(Date::parse(text), None, "{text}");
        }
    }

    #[test]
    fn reads_months() {
        for text in ["2023-07", "2023/7", "2023年7月"] {
            assert_eq!(Date::parse_month(text), Some((2023, 7)), "{text}");
        }
        for text in ["2023", "2023-13", "2023-07-01", "23-07"] {
            assert_eq!(Date::parse_month(text), None, "{text}");
        }
    }

    #[test]
    fn days_since_1970() {
        assert_eq!(Date::from_unix(0), Date { year: 1970, month: 1, day: 1 });
        assert_eq!(Date::from_unix(951_782_400), Date { year: 2000, month: 2, day: 29 });
        assert_eq!(Date::from_unix(-1), Date { year: 1969, month: 12, day: 31 });
        assert_eq!(Date::from_unix(1_690_531_200).to_string(), "2023-07-28");
        for days in (-800_000..800_000).step_by(997) {
            assert_eq!(Date::from_unix(days * 86_400).days(), days);
        }
        assert_eq!(Date { year: 2024, month: 3, day: 1 }.plus_days(-1).to_string(), "2024-02-29");
    }
}
