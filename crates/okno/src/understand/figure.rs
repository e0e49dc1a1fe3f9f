//! What a question wants measured or counted: how long, how big, how hot, how much money, when, how many of what. A
//! sentence that gives such a figure is more likely to answer than one that only speaks of the same things.

use crate::text::terms::folded;

/// A figure that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedFigure {
    name: &'static str,
    /// What stands behind the number, separated by `|`, folded.
    units: String,
    /// In front of a number.
    signs: &'static str,
}

/// A kind of figure: the phrases that ask for it, and the units that it is given in. All are folded; a unit may have
/// an `s` behind it.
struct FigureKind {
    name: &'static str,
    asked: &'static str,
    units: &'static str,
    signs: &'static str,
}

const KINDS: [FigureKind; 6] = [
    FigureKind {
        name: "duration",
        asked: "how long|how much time|how many minutes|how many hours|how many days|多久|多长时间|几分钟|几小时|几个小时|\
            几天|几秒|几个月|多少分钟|多少小时|多少天|多少秒",
        units: "s|sec|second|m|min|minute|h|hr|hour|day|week|month|year|秒|分钟|刻钟|小时|个小时|天|日|周|个星期|星期|个月|年",
        signs: "",
    },
    FigureKind {
        name: "size",
        asked: "how big|how large|how tall|how high|how far|how deep|how wide|how thick|maximum size|max size|\
            size limit|多大|多高|多远|多深|多宽|多厚|多粗|大小上限|大小限制",
        units: "b|byte|kb|mb|gb|tb|kib|mib|gib|tib|k|m|g|字节|兆|mm|cm|km|meter|metre|inch|inches|ft|feet|foot|mile|\
            acre|square|毫米|厘米|米|公里|千米|寸|英寸|英尺|平方|亩",
        signs: "",
    },
    FigureKind {
        name: "temperature",
        asked: "how hot|how cold|how warm|what temperature|which temperature|temperature of|多少度|几度|多少摄氏度|温度是|\
            什么温度|多高温度|温度多少|多热",
        units: "°|℃|℉|度|degree|c|f|摄氏度|成热|成油温",
        signs: "",
    },
    FigureKind {
        name: "money",
        asked: "how much does|how much did|how much do|how much is|how expensive|what does it cost|what is the price|\
            the cost of|多少钱|价格是|什么价|费用是|花了多少|售价",
        units: "元|块|yuan|rmb|dollar|usd|eur|euro|cny|万元|亿元|million|billion|港元|美元|欧元|日元",
        signs: "$€£¥￥",
    },
    FigureKind {
        name: "share",
        asked: "what percentage|what percent|what share|what proportion|百分之几|占比|比例是|多大比例|几成",
        units: "%|％|percent|per cent|percentage|成",
        signs: "之",
    },
    FigureKind {
        name: "time",
        asked: "when did|when was|when were|when is|when does|what year|which year|what date|哪年|哪一年|什么时候|何时|\
            几月|几号|哪天|哪一天|几点|什么时间|何年",
        units: "年|月|日|号|点|时|世纪|am|pm|january|february|march|april|may|june|july|august|september|october|november|\
            december|th|st|nd|rd",
        signs: "",
    },
];

/// What asks for a count, in front of what is counted.
const COUNTS: [&str; 3] = ["how many ", "多少", "几"];

/// Characters behind 多少 and 几 that are nothing counted.
const UNCOUNTED: &str = "的是在了呢吗都才就乎何度钱";

/// Words between a number and what is counted: `1,200 registered voters`.
const BETWEEN: usize = 2;

impl AskedFigure {
    /// The figure that a question, folded, asks for.
    pub fn asked_by(question: &str) -> Option<Self> {
        let asks = |kind: &&FigureKind| kind.asked.split('|').any(|phrase| question.contains(phrase));
        let kind = KINDS.iter().find(asks)?;
        Some(Self { name: kind.name, units: kind.units.to_owned(), signs: kind.signs })
    }

    /// The count that a question, folded, asks for.
    pub fn counted_by(question: &str) -> Option<Self> {
        let units = COUNTS.iter().find_map(|count| counted(question.split_once(count)?.1))?;
        Some(Self { name: "count", units, signs: "" })
    }

    /// Its name for programs.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Whether a sentence gives such a figure.
    pub fn is_in(&self, sentence: &str) -> bool {
        // Most sentences are told by their bytes.
        if sentence.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_digit()) || !sentence.contains(may_be_a_number)
        {
            return false;
        }
        let sentence = folded(sentence);
        let mut rest = sentence.as_str();
        while let Some(start) = rest.find(is_number) {
            let sign = rest[..start].trim_end().chars().next_back();
            let number = &rest[start..];
            let length = number.find(|c: char| !is_number(c) && !".,".contains(c)).unwrap_or(number.len());
            let behind = number[length..].trim_start_matches([' ', '-', '+', '多', '几', '余', '*', '_', '`']);
            let signed = sign.is_some_and(|sign| self.signs.contains(sign));
            if signed || self.is_unit(behind) || self.is_year(&number[..length]) {
                return true;
            }
            rest = &number[length..];
        }
        false
    }

    fn is_unit(&self, behind: &str) -> bool {
        let begins = |text: &str| {
            let whole = |unit: &str, rest: &str| {
                !unit.is_ascii() || !rest.trim_start_matches('s').starts_with(|c: char| c.is_ascii_alphanumeric())
            };
            self.units.split('|').any(|unit| text.strip_prefix(unit).is_some_and(|rest| whole(unit, rest)))
        };
        let words = if self.name == "count" { BETWEEN } else { 0 };
        let starts = behind.match_indices(' ').map(|(at, _)| at + 1).take(words);
        std::iter::once(0).chain(starts).any(|at| begins(&behind[at..]))
    }

    fn is_year(&self, number: &str) -> bool {
        self.name == "time" && number.parse().is_ok_and(|year: u32| (1000..=2100).contains(&year))
    }
}

/// Whether a character is one that a number is written with, folded.
fn is_number(c: char) -> bool {
    let numeral = || {
        matches!(c, '〇' | '零' | '一' | '二' | '三' | '四' | '五' | '六' | '七' | '八' | '九')
            || matches!(c, '十' | '百' | '千' | '万' | '两' | '半')
    };
    c.is_ascii_digit() || numeral()
}

/// Whether a character can be one of a number when it is folded: folding takes longer than all else here.
fn may_be_a_number(c: char) -> bool {
    /// Where Chinese characters and full-width digits begin.
    const CHINESE: char = '\u{2e80}';
    c.is_numeric() || c >= CHINESE
}

/// What is counted in the words behind `how many` or 多少: a word without its plural, or a character.
fn counted(behind: &str) -> Option<String> {
    let first = behind.trim_start().chars().next()?;
    if !first.is_ascii() {
        return (!UNCOUNTED.contains(first) && first.is_alphabetic()).then(|| first.to_string());
    }
    let word = behind.trim_start().split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    let word = word.strip_suffix('s').unwrap_or(word);
    (word.len() > 2).then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_makes_a_number_only_of_what_may_be_one() {
        let others = (char::MIN..=char::MAX).filter(|&c| !may_be_a_number(c)).map(String::from);
        for other in others {
            assert!(!folded(&other).contains(is_number), "{other:?}");
        }
    }

    #[test]
    fn a_figure_is_found_by_its_unit() {
        for (question, sentence) in [
            ("How big can a ConfigMap be?", "The data stored in a ConfigMap cannot exceed 1 MiB."),
            ("How long does a pod get to terminate?", "The default grace period is 30 seconds."),
            ("腌多久？", "放冰箱冷藏腌制 30 分钟"),
            ("腌多久？", "腌十分钟左右"),
            ("油温多少度下锅", "油温六成热时下锅"),
            ("How much did the SSD cost?", "SSD $260.00"),
            ("how much did the ssd cost", "it was 260 dollars"),
            ("什么时候成立的？", "公司成立于1998年。"),
            ("When was it founded?", "It was founded in 1998 in Berlin."),
            ("占比是多少", "占全部的 12%"),
        ] {
            let figure = AskedFigure::asked_by(&folded(question)).unwrap_or_else(|| panic!("{question}"));
            assert!(figure.is_in(sentence), "{question} {sentence}");
        }
        let long = AskedFigure::asked_by("how long").unwrap();
        for sentence in ["There are 30 pods.", "Pods take long.", "2 shards", "一次", "3mm", "第一步"] {
            assert!(!long.is_in(sentence), "{sentence}");
        }
        let pods = AskedFigure::counted_by("how many pods can a node run").unwrap();
        assert!(pods.is_in("No more than 110 pods per node") && pods.is_in("1 single pod") && !pods.is_in("3 nodes"));
        let people = AskedFigure::counted_by("公司有多少人").unwrap();
        assert!(people.is_in("现有员工 300 人") && people.is_in("三百多人") && !people.is_in("3 个部门"));
        assert_eq!(AskedFigure::asked_by("what is a pod"), None);
    }
}
