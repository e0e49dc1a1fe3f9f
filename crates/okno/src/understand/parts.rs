//! The parts of a question: what it asks of several things, or several questions in one.
//!
//! `NoSchedule 和 NoExecute 有什么区别` is asked of the one and of the other; "How fast did sales grow and how many users
//! are there?" are two questions. Rules over the words, in both languages; a question that they do not cut has no
//! parts.

use okno_document::text::script::is_han;
use std::ops::Range;

/// More things than this are not told apart.
const MOST: usize = 4;

/// A thing that is named has at most this many characters.
const LONGEST_THING: usize = 24;

/// Where two things do not end alike, and one is much longer, as many characters as this are the shorter.
const LONGEST_UNLIKE: usize = 4;

/// A clause of fewer words, or Chinese characters, belongs to the one before.
const SHORTEST_CLAUSE: usize = 5;

/// Words that ask.
const ASKING: &str = "谁 什么 哪 几 多少 多久 多长 多大 多高 多远 多重 怎么 怎样 如何 为什么 为何 吗 是否 何时 何地 有没有 能不能 差在 誰 什麼 幾 怎麼 怎樣 嗎 為何 為什麼";
const ASKING_ENGLISH: &str = "who whom whose what when where which why how does did can should";

/// Words that stand for what another clause names.
const REFERRING: &str = "它 其 该 他 她 这 那";
const REFERRING_ENGLISH: &str = "this these that those it its they their them he his him she her";

/// Words between things that a question is asked of.
const BETWEEN: &str = "以及 还是 或者 和 与 跟 及 或 、 與 還是";
const BETWEEN_ENGLISH: &str = "and or vs vs. versus than";

/// Words that may stand before a name or inside of it.
const SMALL: &str = "the of for a an in by to on at from";

/// What stands before two things that are compared, however they are written: "the difference between pods and nodes".
const COMPARING_ENGLISH: [&str; 8] = [
    "difference between",
    "differences between",
    "distinguish between",
    "choose between",
    "choice between",
    "comparison of",
    "compare",
    "comparing",
];

/// What says of the things before it that they are compared: "A and B, what is the difference".
const TOLD_APART_ENGLISH: [&str; 4] = ["difference", "differ", "compared", "comparison"];

/// What stands between two things that are compared, whatever else is said, and what may stand before the first.
const AGAINST: [&str; 6] = [" vs ", " vs. ", " versus ", " different from ", " differ from ", " compared to "];
const BEFORE_COMPARED: [&str; 7] = ["how is ", "how are ", "how does ", "how do ", "is ", "are ", "what is "];

/// Things that are compared have at most this many words.
const LONGEST_COMPARED: usize = 5;

/// Words that have one of those inside.
const NOT_BETWEEN: &str = "参与 參與 与否 和平 和谐 总和 及其 涉及 普及 及时 及格 或许 以及 總和 及時";

/// What says that a question is asked of each of several things.
const TELLS_APART: &str = "分别 各 区别 不同 差 哪个 还是 比较 对比 相比 异同 分別 區別 哪個 還是 比較 對比 異同";

/// Without such a word, what joins two things in a longer question is rarely what it asks about.
const LONGEST_JOINED: usize = 40;

/// Where the name of a thing ends; what says that each is meant is not a part of the question.
const EACH: &str = "分别 各自 各";
const ENDS: &str = "的 在 是 有什 有哪 有多 有何 了 把 被 比 对 从 哪 谁 什么 怎 如何 多少 几 相比 之间 之 都 能 会 要 应 该 为 放 说 请问 比较";

fn words(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split(' ')
}

fn has(list: &'static str, word: &str) -> bool {
    words(list).any(|other| other.eq_ignore_ascii_case(word))
}

/// The parts of a question, each a question; none where it is one.
pub fn parts(question: &str) -> Vec<String> {
    if question.chars().nth(super::LONGEST_QUESTION).is_some() {
        return Vec::new();
    }
    let clauses = clauses(question);
    if clauses.len() > 1 {
        let alone = !clauses[1..].iter().any(|clause| refers_back(clause));
        return if alone { clauses } else { Vec::new() };
    }
    let coordinated = chinese(question);
    if coordinated.is_empty() { english(question) } else { coordinated }
}

/// What stands behind one of the things that a Chinese question compares.
const COMPARING: &str = "有什么区别 有什么不同 有何区别 有何不同 有什么差别 的区别是什么 的区别 的不同 区别";

/// The thing that a part asks about, where the question compares several: "difference between a Pod" is about a Pod.
pub fn compared_thing(part: &str) -> Option<&str> {
    let part = part.trim().trim_end_matches(['?', '？']);
    let thing = compared_in_english(part).or_else(|| words(COMPARING).find_map(|phrase| part.strip_suffix(phrase)))?;
    let thing = thing.trim().rsplit('的').next().unwrap_or_default();
    Some(super::without_article(thing.trim()))
}

fn compared_in_english(part: &str) -> Option<&str> {
    COMPARING_ENGLISH.iter().find_map(|phrase| Some(part.split_once(phrase)?.1))
}

/// What is searched for a part: of what is compared the thing alone, since a text about one thing says nothing of its
/// difference to another.
pub fn searched(part: &str) -> &str {
    compared_in_english(part).unwrap_or(part)
}

/// The questions in a question; what stands before the first that asks belongs to each.
fn clauses(question: &str) -> Vec<String> {
    let mut prefix = String::new();
    let mut clauses: Vec<String> = Vec::new();
    for clause in cut(question) {
        let clause = clause.trim().trim_start_matches("and ");
        match clauses.last_mut() {
            _ if asks(clause) && says_enough(clause) => clauses.push(format!("{prefix}{clause}")),
            Some(last) => last.extend([" ", clause]),
            None => prefix.extend([clause, " "]),
        }
    }
    clauses.truncate(MOST);
    clauses
}

/// Whether a clause has words of its own to be searched for: not only "at what rate" or 各多少克.
fn says_enough(clause: &str) -> bool {
    let chinese = clause.chars().filter(|&c| is_han(c)).count();
    let latin = clause.split_whitespace().filter(|word| word.starts_with(|c: char| c.is_ascii_alphanumeric())).count();
    chinese + latin >= SHORTEST_CLAUSE && !words(EACH).any(|each| clause.starts_with(each))
}

/// A question cut at its marks, and before an English "and" that goes on to ask.
fn cut(question: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for (at, c) in question.char_indices() {
        let rest = &question[at + c.len_utf8()..];
        let ends = match c {
            '，' | '；' | '。' | '？' | '?' => !inside_quotes(question, at),
            ',' | ';' => !between_digits(question, at) && !inside_quotes(question, at) && goes_on(rest),
            ' ' => rest.strip_prefix("and ").is_some_and(goes_on),
            _ => false,
        };
        if ends {
            pieces.push(&question[start..at]);
            start = at + c.len_utf8();
        }
    }
    pieces.push(&question[start..]);
    pieces.retain(|piece| !piece.trim().is_empty());
    pieces
}

/// Whether a text begins to ask – "and how many", "in which" –, and not to tell more: "which included".
fn goes_on(text: &str) -> bool {
    if text.trim_start().starts_with(is_han) {
        return true;
    }
    let mut words = text.split_whitespace().filter(|word| *word != "and");
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    (first != "which" && asks(first)) || (has(SMALL, first) && asks(second))
}

fn between_digits(text: &str, at: usize) -> bool {
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    digit(text[..at].chars().next_back()) && digit(text[at..].chars().nth(1))
}

fn asks(clause: &str) -> bool {
    let english = |word: &str| has(ASKING_ENGLISH, word);
    words(ASKING).any(|word| clause.contains(word)) || clause.split(|c: char| !c.is_alphanumeric()).any(english)
}

/// Whether a clause says "it" or "this" of what another one names: it cannot be asked by itself.
fn refers_back(clause: &str) -> bool {
    let english = |word: &str| has(REFERRING_ENGLISH, word);
    words(REFERRING).any(|word| clause.contains(word)) || clause.split(|c: char| !c.is_alphanumeric()).any(english)
}

/// Whether a place is inside of a quotation or the title of a work.
fn inside_quotes(text: &str, at: usize) -> bool {
    let before = &text[..at];
    let open = |opening: char, closing: char| before.matches(opening).count() > before.matches(closing).count();
    open('《', '》') || open('“', '”') || open('「', '」') || before.matches('"').count() % 2 == 1
}

/// The question once for each of the things that stand between 和, 与, 、.
fn chinese(question: &str) -> Vec<String> {
    let told_apart = words(TELLS_APART).any(|word| question.contains(word));
    if !told_apart && question.chars().nth(LONGEST_JOINED).is_some() {
        return Vec::new();
    }
    let places = words(BETWEEN).flat_map(|between| question.match_indices(between));
    let lists = places.filter_map(|(at, between)| list(question, at..at + between.len()));
    let Some(things) = lists.max_by_key(|things| things.iter().map(Range::len).sum::<usize>()) else {
        return Vec::new();
    };
    let whole = things[0].start..things[things.len() - 1].end;
    let one = |thing: Range<usize>| {
        let text = [&question[..whole.start], &question[thing], &question[whole.end..]].concat();
        words(EACH).fold(text, |text, each| text.replace(each, ""))
    };
    things.into_iter().map(one).collect()
}

/// The things of which a word stands between the first two.
fn list(question: &str, between: Range<usize>) -> Option<Vec<Range<usize>>> {
    let within = |word: &str| {
        word.len() > between.len()
            && question.match_indices(word).any(|(at, _)| at <= between.start && between.end <= at + word.len())
    };
    if inside_quotes(question, between.start) || words(NOT_BETWEEN).any(within) {
        return None;
    }
    let (left, right) = two(question, before(question, between.start), after(question, between.end))?;
    if asks(&question[left.clone()]) || asks(&question[right.clone()]) {
        return None;
    }
    let mut things = vec![left, right];
    while things.len() < MOST {
        let end = things[things.len() - 1].end;
        let rest = question[end..].trim_start();
        let Some(between) = words(BETWEEN).find(|between| rest.starts_with(*between)) else { break };
        let next = after(question, question.len() - rest.len() + between.len());
        if next.is_empty() {
            break;
        }
        things.push(next);
    }
    Some(things)
}

/// The two things around a word between them: as much of each as is a thing.
fn two(question: &str, left: Range<usize>, right: Range<usize>) -> Option<(Range<usize>, Range<usize>)> {
    let (a, b) = (&question[left.clone()], &question[right.clone()]);
    if let (Some(first), Some(second)) = (time_at_end(a), time_at_start(b)) {
        return Some((left.end - first..left.end, right.start..right.start + second));
    }
    if !a.ends_with(is_han) || !b.starts_with(is_han) {
        return (!a.is_empty() && !b.is_empty()).then_some((left, right));
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let (shorter, longer) = (a.len().min(b.len()), a.len().max(b.len()));
    // Things of one kind end alike: 中国和美国经济, 女子和男子单人滑.
    let alike = (2..=shorter).rev().find(|&n| a[a.len() - 1] == b[n - 1]);
    let (m, n) = match alike {
        Some(n) => (n, n),
        None if !words(TELLS_APART).any(|word| question.contains(word)) => return None,
        None if longer <= 2 * shorter => (a.len(), b.len()),
        None if shorter <= LONGEST_UNLIKE => (shorter, shorter),
        None => return None,
    };
    let size = |chars: &[char]| chars.iter().map(|c| c.len_utf8()).sum::<usize>();
    Some((left.end - size(&a[a.len() - m..])..left.end, right.start..right.start + size(&b[..n])))
}

/// The name that ends at a place.
fn before(text: &str, end: usize) -> Range<usize> {
    let end = text[..end].trim_end().len();
    let mut start = end;
    for (at, c) in text[..end].char_indices().rev().take(LONGEST_THING) {
        let ends = words(ENDS).chain(words(BETWEEN)).chain(words(EACH)).any(|word| text[..start].ends_with(word));
        let turns = start < end && is_time(c, text[start..].chars().next());
        if ends || turns || !is_name(c) {
            break;
        }
        start = at;
    }
    start..end
}

/// The name that begins at a place.
fn after(text: &str, start: usize) -> Range<usize> {
    let start = text.len() - text[start..].trim_start().len();
    let mut end = start;
    for (at, c) in text[start..].char_indices().take(LONGEST_THING) {
        let ends =
            words(ENDS).chain(words(BETWEEN)).chain(words(EACH)).any(|word| text[start + at..].starts_with(word));
        if (ends && at > 0) || !is_name(c) {
            break;
        }
        end = start + at + c.len_utf8();
    }
    start..end
}

/// The bytes of a year, a month or a day at the end of a text, and at its beginning: 2022, 2023年.
fn time_at_end(text: &str) -> Option<usize> {
    let digits = text.trim_end_matches(['年', '月', '日']);
    let before = digits.trim_end_matches(|c: char| c.is_ascii_digit());
    (before.len() < digits.len()).then_some(text.len() - before.len())
}

fn time_at_start(text: &str) -> Option<usize> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let after = rest.strip_prefix(['年', '月', '日']).unwrap_or(rest);
    (rest.len() < text.len()).then_some(text.len() - after.len())
}

/// Whether a year, a month or a day ends here and something else begins: 2022年|考研.
fn is_time(c: char, next: Option<char>) -> bool {
    "年月日".contains(c) && next.is_some_and(is_han)
}

fn is_name(c: char) -> bool {
    is_han(c) || c.is_ascii_alphanumeric() || "_-./".contains(c)
}

/// The question once for each of the names around "and" or "or": words that begin with a capital letter or a digit.
fn english(question: &str) -> Vec<String> {
    let words: Vec<&str> = question.split(' ').collect();
    if let Some(compared) = compared(question).or_else(|| told_apart(question)) {
        return Vec::from(compared);
    }
    let between = |at: &usize| has(BETWEEN_ENGLISH, words[*at]);
    (0..words.len()).filter(between).find_map(|at| two_names(&words, at)).map(Vec::from).unwrap_or_default()
}

/// The question with the one and with the other of two things that it compares.
fn compared(question: &str) -> Option<[String; 2]> {
    let lower = question.to_ascii_lowercase();
    let start = COMPARING_ENGLISH.iter().filter_map(|said| ends_at(&lower, said)).min()?;
    let rest = &question[start..];
    let end = rest.find(['?', ',', ';', '.', ':']).map_or(question.len(), |end| start + end);
    let between = |word: &&str| has(BETWEEN_ENGLISH, word) || has("with to", word);
    let things: Vec<&str> = question[start..end].split(' ').filter(|word| !word.is_empty()).collect();
    let at = things.iter().position(between)?;
    let (one, other) = (&things[..at], &things[at + 1..]);
    // What is compared of the one is compared of the other: "the profit of A and B" is not two things.
    let is_thing = |words: &[&str]| (1..=LONGEST_COMPARED).contains(&words.len()) && !words.contains(&"of");
    if !is_thing(one) || !is_thing(other) || other.iter().any(between) {
        return None;
    }
    let with = |thing: &[&str]| format!("{}{}{}", &question[..start], thing.join(" "), &question[end..]);
    Some([with(one), with(other)])
}

/// The two things that a question begins with and compares: "A vs B", "how does A differ from B", "A and B, what is the
/// difference". Each is asked for as if their difference had been named first.
fn told_apart(question: &str) -> Option<[String; 2]> {
    let lower = question.to_ascii_lowercase();
    let end = lower.find(['?', ',', ';', ':']).unwrap_or(lower.len());
    let (things, said) = lower.split_at(end);
    let start = BEFORE_COMPARED.iter().find(|words| things.starts_with(**words)).map_or(0, |words| words.len());
    let joined = || TOLD_APART_ENGLISH.iter().any(|word| said.contains(word));
    let between = AGAINST
        .iter()
        .copied()
        .chain([" and ", " or "].into_iter().filter(|_| joined()))
        .find_map(|between| Some((start + things[start..].find(between)?, between.len())))?;
    let (one, other) = (question[start..between.0].trim(), question[between.0 + between.1..end].trim());
    let is_thing = |text: &str| (1..=LONGEST_COMPARED).contains(&text.split_whitespace().count());
    let part = |thing: &str| format!("difference between {thing}");
    (is_thing(one) && is_thing(other)).then(|| [part(one), part(other)])
}

/// Where words end that a text has, with the space after them.
fn ends_at(text: &str, said: &str) -> Option<usize> {
    let at = text.find(said)?;
    let alone = text[..at].is_empty() || text[..at].ends_with(' ');
    text[at + said.len()..].starts_with(' ').then_some(at + said.len() + 1).filter(|_| alone)
}

/// The question with the one and with the other name around a word.
fn two_names(words: &[&str], at: usize) -> Option<[String; 2]> {
    let named = |at: usize| words[at].starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
    let small = |at: usize| has(SMALL, words[at]);
    let ends = |at: usize| words[at].ends_with([',', ';', ':', '?', '!']);
    let start = (0..at).rev().take_while(|&at| named(at) || small(at)).filter(|&at| named(at)).last()?;
    let first = (at + 1..words.len()).find(|&at| !small(at))?;
    // "EduCorp in 2020" is one name.
    let inside = |at: usize| named(at) || (at > first && small(at) && at + 1 < words.len() && named(at + 1));
    let end = first + (first..words.len()).take_while(|&at| inside(at) && (at == first || !ends(at - 1))).count();
    if start == 0 || words[start - 1] == "between" || ends(at - 1) || !named(at - 1) || first == end {
        return None;
    }
    let left = [&words[..at], &words[end..]].concat().join(" ");
    Some([left, [&words[..start], &words[first..]].concat().join(" ")])
}

#[cfg(test)]
mod tests {
    use super::{compared_thing, parts};

    #[test]
    fn the_things_that_are_compared_are_told_from_the_words_that_compare() {
        let things = |question: &str| -> Vec<String> {
            parts(question).iter().filter_map(|part| compared_thing(part)).map(str::to_owned).collect()
        };
        assert_eq!(
            things("What is the difference between a Deployment and a StatefulSet?"),
            ["Deployment", "StatefulSet"]
        );
        for question in [
            "kubectl proxy and kube-proxy, what is the difference",
            "kubectl proxy vs kube-proxy",
            "kubectl proxy versus kube-proxy: which one do I need?",
            "How is kubectl proxy different from kube-proxy?",
            "how does kubectl proxy differ from kube-proxy",
            "What is kubectl proxy compared to kube-proxy?",
        ] {
            assert_eq!(things(question), ["kubectl proxy", "kube-proxy"], "{question}");
        }
        assert_eq!(things("ConfigMap 和 Secret 有什么区别"), ["ConfigMap", "Secret"]);
        assert_eq!(things("污点的 NoSchedule 和 NoExecute 有什么区别"), ["NoSchedule", "NoExecute"]);
        assert!(things("How fast did sales grow and how many users are there?").is_empty());
    }

    #[test]
    fn things_that_a_question_is_asked_of() {
        for (question, wanted) in [
            (
                "污点的 NoSchedule 和 NoExecute 有什么区别",
                ["污点的 NoSchedule 有什么区别", "污点的 NoExecute 有什么区别"],
            ),
            ("2021年中国和美国经济分别增长了多少？", ["2021年中国经济增长了多少？", "2021年美国经济增长了多少？"]),
            ("开水焯和冷水焯分别适合什么食材", ["开水焯适合什么食材", "冷水焯适合什么食材"]),
            ("2022年和2023年春节档首日票房冠军", ["2022年春节档首日票房冠军", "2023年春节档首日票房冠军"]),
            ("2022年考研和高考报名人数分别是多少？", ["2022年考研报名人数是多少？", "2022年高考报名人数是多少？"]),
            (
                "How many votes did Kamala Harris and Ronald Gold get?",
                ["How many votes did Kamala Harris get?", "How many votes did Ronald Gold get?"],
            ),
            (
                "difference between init containers and sidecar containers",
                ["difference between init containers", "difference between sidecar containers"],
            ),
            (
                "What is the difference between a Deployment and a StatefulSet?",
                ["What is the difference between a Deployment?", "What is the difference between a StatefulSet?"],
            ),
            (
                "Compare the profit of Artistic Creations Inc. in 2019 and EduCorp in 2020.",
                ["Compare the profit of Artistic Creations Inc. in 2019", "Compare the profit of EduCorp in 2020."],
            ),
        ] {
            assert_eq!(parts(question), wanted);
        }
        let modes = parts("准入的 enforce、audit、warn 三种模式分别会怎样");
        assert_eq!(
            modes,
            ["准入的 enforce 三种模式会怎样", "准入的 audit 三种模式会怎样", "准入的 warn 三种模式会怎样"]
        );
    }

    #[test]
    fn several_questions_in_one() {
        let parts = |question| super::parts(question).join(" | ");
        assert_eq!(parts("热干面的面烫多久，速冻水饺煮多久"), "热干面的面烫多久 | 速冻水饺煮多久");
        assert_eq!(
            parts("Q3 slides: how fast did sales grow and how many users are there now"),
            "Q3 slides: how fast did sales grow | how many users are there now"
        );
        assert_eq!(
            parts("2022年上半年，西藏经济增长了多少，新疆人口增长了多少"),
            "2022年上半年 西藏经济增长了多少 | 2022年上半年 新疆人口增长了多少"
        );
    }

    #[test]
    fn one_question_stays_one() {
        for question in [
            "宫保鸡丁怎么做？",
            "智慧教育科技有限公司在2021年1月参与了什么公共服务项目？",
            "《战争与和平》的作者是谁？",
            "做烤鱼需要准备哪些原料和工具？",
            "信达百货公司计划如何将可持续发展和社会责任纳入公司战略？",
            "Consider the agreement between DoiT and ICN; does it survive?",
            "What is search and rescue?",
            "search and rescue, what is it?",
            "How did the resolution of March 2020, which included the appointment of directors, help?",
            "When does it start, in which format, at what rate?",
            "Who discovered this and where did they come from?",
            "万能炸串酱料要放哪些粉料，各放多少克",
            "和",
            "and",
            "A and",
            "、和与",
        ] {
            assert_eq!(parts(question), Vec::<String>::new(), "{question}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_cut_without_a_panic(
            text in "(和|与|、|，|and |or |分别|A|2022年|多少|how |[a-z\u{4e00}-\u{4fff}\" ，。?《》]){0,30}"
        ) {
            proptest::prop_assert!(parts(&text).len() <= super::MOST);
        }
    }
}
