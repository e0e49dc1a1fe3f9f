//! Is a difference more than noise? The same questions, both ways, resampled.
//!
//! Paired bootstrap: the differences per question are drawn again and again, with replacement; the interval holds 95
//! % of the means that come of it. Pairing matters: most questions are answered by both or by neither, and say
//! nothing about which is better. Seeded, so that the same rows always give the same interval.

use super::measure::{Measure, MeasureRow};
use super::random::Random;
use serde::{Deserialize, Serialize};

/// Times the questions are drawn. The ends move by less than a tenth of the interval from seed to seed.
const DRAWS: usize = 2000;

/// A mean and where it may lie: 95 %.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// Below this lie 2.5 % of the resampled means.
    pub low: f64,
    /// Above this lie 2.5 %.
    pub high: f64,
}

impl Interval {
    /// The interval of the mean of these values; all zeros for none.
    pub fn of(values: &[f64], seed: u64) -> Self {
        if values.is_empty() {
            return Self { mean: 0.0, low: 0.0, high: 0.0 };
        }
        let mut random = Random::new(seed);
        let mut mean =
            |_| (0..values.len()).map(|_| values[random.below(values.len())]).sum::<f64>() / values.len() as f64;
        let mut means: Vec<f64> = (0..DRAWS).map(&mut mean).collect();
        means.sort_unstable_by(f64::total_cmp);
        let tail = DRAWS / 40;
        Self { mean: values.iter().sum::<f64>() / values.len() as f64, low: means[tail], high: means[DRAWS - 1 - tail] }
    }

    /// Whether it leaves out zero: more than noise.
    pub fn is_clear(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

/// One way against another on the same questions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecipeComparison {
    /// The one that is said to be better or worse.
    pub one: String,
    /// The one it is measured against.
    pub other: String,
    /// What was measured.
    pub measure: Measure,
    /// Tokens each could spend.
    pub budget: usize,
    /// Questions both answered.
    pub questions: usize,
    /// `one` minus `other`.
    pub difference: Interval,
}

impl RecipeComparison {
    /// Compares two columns of rows, question by question.
    pub fn of(
        names: [&str; 2],
        measure: Measure,
        budget: usize,
        pairs: &[(MeasureRow, MeasureRow)],
        seed: u64,
    ) -> Self {
        let differences: Vec<f64> =
            pairs.iter().filter_map(|(one, other)| Some(one.get(measure)? - other.get(measure)?)).collect();
        Self {
            one: names[0].to_owned(),
            other: names[1].to_owned(),
            measure,
            budget,
            questions: differences.len(),
            difference: Interval::of(&differences, seed),
        }
    }

    /// The finding as an English sentence.
    pub fn english(&self) -> String {
        let Self { one, other, budget, .. } = self;
        let Interval { mean, low, high } = self.difference;
        let (points, low, high) = (points(mean), points(low), points(high));
        let verb = match self.measure {
            Measure::Coverage => "covers".to_owned(),
            Measure::Context => "covers readably".to_owned(),
            other => format!("has in {}", other.name()),
        };
        if !self.difference.is_clear() {
            return format!(
                "No difference beyond noise between `{one}` and `{other}` ({} at {budget} tokens: {points} points, 95 \
                 % CI {low} … {high}).",
                self.measure.name()
            );
        }
        let more = if mean > 0.0 { "more" } else { "fewer" };
        let (points, low, high) = if mean > 0.0 {
            (points, low, high)
        } else {
            (self::points(-mean), self::points(-self.difference.high), self::points(-self.difference.low))
        };
        format!("`{one}` {verb} {points} points {more} than `{other}` at {budget} tokens (95 % CI {low} … {high}).")
    }

    /// The finding as a Chinese sentence.
    pub fn chinese(&self) -> String {
        let Self { one, other, budget, .. } = self;
        let Interval { mean, low, high } = self.difference;
        let what = match self.measure {
            Measure::Coverage => "答案覆盖率".to_owned(),
            Measure::Context => "可读覆盖率".to_owned(),
            other => format!(" {} ", other.name()),
        };
        if !self.difference.is_clear() {
            return format!(
                "`{one}` 与 `{other}` 之间没有超出噪声的差异（{budget} 词元的{what}：{} 个百分点，95 % 置信区间 {} … {}）。",
                points(mean),
                points(low),
                points(high)
            );
        }
        let (more, mean, low, high) = if mean > 0.0 { ("高", mean, low, high) } else { ("低", -mean, -high, -low) };
        format!(
            "在 {budget} 词元内，`{one}` 的{what}比 `{other}` {more} {} 个百分点（95 % 置信区间 {} … {}）。",
            points(mean),
            points(low),
            points(high)
        )
    }
}

/// A share as percentage points with one decimal, with a real minus sign.
pub fn points(share: f64) -> String {
    let rounded = (share * 1000.0).round() / 10.0;
    // Adding zero turns −0 into 0.
    format!("{:.1}", rounded + 0.0).replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(gained: usize, lost: usize, same: usize) -> Vec<(MeasureRow, MeasureRow)> {
        let pair = |one: f64, other: f64| {
            let mut pair = (MeasureRow::default(), MeasureRow::default());
            pair.0.set(Measure::Coverage, one);
            pair.1.set(Measure::Coverage, other);
            pair
        };
        let repeat = |one, other, count| std::iter::repeat_n(pair(one, other), count);
        repeat(1.0, 0.0, gained).chain(repeat(0.0, 1.0, lost)).chain(repeat(1.0, 1.0, same)).collect()
    }

    fn compare(gained: usize, lost: usize) -> RecipeComparison {
        RecipeComparison::of(["auto", "window"], Measure::Coverage, 500, &pairs(gained, lost, 200 - gained - lost), 20)
    }

    #[test]
    fn a_clear_gain_is_said_and_noise_is_called_noise() {
        let clear = compare(16, 2);
        assert!(clear.english().starts_with("`auto` covers 7.0 points more than `window` at 500 tokens (95 % CI "));
        assert!(clear.chinese().contains("高 7.0 个百分点"));
        let noise = compare(6, 4);
        assert!(noise.english().starts_with("No difference beyond noise between `auto` and `window`"));
        assert!(noise.chinese().contains("没有超出噪声的差异"));
        let loss = compare(2, 16);
        assert!(loss.english().contains("covers 7.0 points fewer than"), "{}", loss.english());
        assert!(loss.difference.low < loss.difference.high && loss.difference.high < 0.0);
    }

    #[test]
    fn the_interval_is_that_of_the_normal_approximation() {
        // 16 gained, 2 lost of 200: mean .07, standard error √((18/200 − .07²)/200) = .0206.
        let Interval { mean, low, high } = compare(16, 2).difference;
        assert!((mean - 0.07).abs() < 1e-12);
        assert!(
            (low - (0.07 - 1.96 * 0.0206)).abs() < 0.006 && (high - (0.07 + 1.96 * 0.0206)).abs() < 0.006,
            "{low} {high}"
        );
    }

    #[test]
    fn the_same_seed_gives_the_same_interval() {
        assert_eq!(compare(9, 5), compare(9, 5));
        assert!(Interval::of(&[], 1).mean.abs() < 1e-12);
        assert!(!Interval::of(&[], 1).is_clear());
    }
}
