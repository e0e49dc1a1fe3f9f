//! Fields of documents as tokens of rows, and filters as conditions on these tokens.
//!
//! A row holds one list of tokens whatever fields there are, so that no name of a field becomes part of an engine's
//! schema. A token is the type of a value, the field's name and the value in a form whose order as text is the order
//! of the values: numbers as 16 hexadecimal digits, dates as digits. A filter then needs nothing but equality, ranges
//! and wildcards of text. What cannot be said so – a long value, very many values – is not said at all: the document
//! is *unsaid* and told by its number.

use crate::conditions::RowCondition;
use okno::document::{ALLOW, Access, Comparison, Date, Filter, Period, Record, Value, group_names, number};

/// Bytes of a token, at most; engines refuse terms of 32 kB.
const LONGEST: usize = 1000;

/// Bytes of a document's tokens, at most: they stand in each of its rows.
const MOST_BYTES: usize = 4000;

/// Conditions that one filter may become, and how deep they may be nested: an engine takes 1,024 and 20.
const MOST_CONDITIONS: usize = 300;
const DEEPEST: usize = 8;

/// Fields that every document has; whether they exist is not asked.
const EVERYWHERE: [&str; 3] = ["title", "path", "doc_id"];

/// The first row of a document whose rows say its fields; in rows of documents only.
pub const FIRST_ROW: &str = "a";

/// A document without `allow`.
const PUBLIC: &str = "p";

/// What a token says.
#[derive(Clone, Copy)]
enum TokenType {
    /// A text that is no number.
    Words = b't' as isize,
    /// A text that is a number, and that number.
    Digits = b'v' as isize,
    DigitsValue = b'm' as isize,
    /// A number, day or truth, and how it is written.
    Number = b'n' as isize,
    Day = b'd' as isize,
    Truth = b'b' as isize,
    Written = b's' as isize,
    /// The field is there; it holds a list.
    Exists = b'x' as isize,
    Listed = b'l' as isize,
}

/// Texts as they are written, whatever the type of the value.
const TEXTS: [TokenType; 3] = [TokenType::Words, TokenType::Digits, TokenType::Written];

impl TokenType {
    /// What all tokens of a field begin with. The length keeps names apart of which one begins with another.
    fn begins(self, field: &str) -> String {
        format!("{}{}:{field}=", self as isize as u8 as char, field.len())
    }

    /// What comes after all of them.
    fn ends(self, field: &str) -> String {
        format!("{}{}:{field}>", self as isize as u8 as char, field.len())
    }

    fn token(self, field: &str, value: &str) -> String {
        self.begins(field) + value
    }
}

/// A number as text in the same order; `None` for what has no order.
fn ordered(number: f64) -> Option<String> {
    let bits = if number == 0.0 { 0 } else { number.to_bits() };
    let ordered = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
    (!number.is_nan()).then(|| format!("{ordered:016x}"))
}

fn day(date: Date) -> String {
    format!("{:05}{:02}{:02}", i32::from(date.year) + 32_768, date.month, date.day)
}

/// The tokens of a document; `None` where they are too long or too many.
pub fn tokens(record: &Record) -> Option<Vec<String>> {
    let mut tokens = Vec::new();
    for name in EVERYWHERE.into_iter().chain(["language"]) {
        if record.metadata.get(name).is_none()
            && let Some(value) = record.field(name)
        {
            add_field(&mut tokens, name, &value);
        }
    }
    for (name, value) in &record.metadata.0 {
        add_field(&mut tokens, name, value);
    }
    match record.metadata.get(ALLOW) {
        Some(allow) => tokens.extend(group_names(&allow.to_string()).iter().map(|group| group_token(group))),
        None => tokens.push(PUBLIC.to_owned()),
    }
    tokens.sort_unstable();
    tokens.dedup();
    let bytes: usize = tokens.iter().map(String::len).sum();
    (bytes <= MOST_BYTES && tokens.iter().all(|token| token.len() <= LONGEST)).then_some(tokens)
}

fn add_field(tokens: &mut Vec<String>, name: &str, value: &Value) {
    if !EVERYWHERE.contains(&name) {
        tokens.push(TokenType::Exists.begins(name));
    }
    if matches!(value, Value::List(_)) {
        tokens.push(TokenType::Listed.begins(name));
    }
    add_value(tokens, name, value);
}

fn add_value(tokens: &mut Vec<String>, name: &str, value: &Value) {
    let mut add = |of: TokenType, value: &str| tokens.push(of.token(name, value));
    match value {
        Value::List(items) => return items.iter().for_each(|item| add_value(tokens, name, item)),
        Value::Text(text) => match text.trim().parse::<f64>() {
            Ok(number) => {
                add(TokenType::Digits, text);
                if let Some(number) = ordered(number) {
                    add(TokenType::DigitsValue, &number);
                }
            }
            Err(_) => add(TokenType::Words, text),
        },
        Value::Number(number) => {
            if let Some(number) = ordered(*number) {
                add(TokenType::Number, &number);
            }
        }
        Value::Date(date) => add(TokenType::Day, &day(*date)),
        Value::Bool(truth) => add(TokenType::Truth, if *truth { "1" } else { "0" }),
    }
    if !matches!(value, Value::Text(_)) {
        add(TokenType::Written, &value.to_string());
    }
}

fn group_token(group: &str) -> String {
    format!("g{group}")
}

/// The token of the root that a document came from; in rows of documents only.
pub fn root_token(root: &str) -> Option<String> {
    (root.len() < LONGEST).then(|| format!("r{root}"))
}

/// The documents that somebody may see.
pub fn seen_by(access: &Access) -> Option<RowCondition> {
    match access {
        Access::Everything => Some(RowCondition::All(Vec::new())),
        Access::Groups(groups) => {
            let tokens: Vec<String> =
                std::iter::once(PUBLIC.to_owned()).chain(groups.iter().map(|group| group_token(group))).collect();
            sayable(RowCondition::Has(tokens))
        }
    }
}

/// The documents that match a filter; `None` where that cannot be said.
pub fn condition(filter: &Filter) -> Option<RowCondition> {
    sayable(translated(filter, 0)?)
}

fn translated(filter: &Filter, depth: usize) -> Option<RowCondition> {
    if depth > DEEPEST {
        return None;
    }
    let each = |filters: &[Filter]| -> Option<Vec<RowCondition>> {
        filters.iter().map(|filter| translated(filter, depth + 1)).collect()
    };
    Some(match filter {
        Filter::All(filters) => RowCondition::All(each(filters)?),
        Filter::Any(filters) => RowCondition::Any(each(filters)?),
        Filter::Not(filter) => not(translated(filter, depth + 1)?),
        Filter::Compare(field, comparison, literal) => compared(field, *comparison, literal),
        Filter::In(field, literals) => equal(field, literals),
        Filter::Exists(field) => exists(field),
    })
}

fn not(condition: RowCondition) -> RowCondition {
    RowCondition::Not(Box::new(condition))
}

fn exists(field: &str) -> RowCondition {
    if EVERYWHERE.contains(&field) {
        RowCondition::All(Vec::new())
    } else {
        RowCondition::Has(vec![TokenType::Exists.begins(field)])
    }
}

/// As [`Filter::matches`] compares, type by type.
fn compared(field: &str, comparison: Comparison, literal: &str) -> RowCondition {
    let like = |begins: &str, then: &str, ends| {
        let of = |of: TokenType| RowCondition::HasLike { begins: of.token(field, begins), then: then.to_owned(), ends };
        RowCondition::Any(TEXTS.map(of).into())
    };
    let own = [literal];
    match comparison {
        Comparison::Equal => equal(field, &own),
        Comparison::NotEqual => exists(field).and(not(equal(field, &own))),
        Comparison::StartsWith => like(literal, "", false),
        Comparison::EndsWith => like("", literal, true),
        Comparison::Contains => {
            let listed = RowCondition::Has(vec![TokenType::Listed.begins(field)]);
            RowCondition::Any(vec![listed.clone().and(equal(field, &own)), not(listed).and(like("", literal, false))])
        }
        order => ordered_so(field, order, literal),
    }
}

/// One of the values is one of the literals.
fn equal<L: AsRef<str>>(field: &str, literals: &[L]) -> RowCondition {
    let (mut tokens, mut any) = (Vec::new(), Vec::new());
    for literal in literals.iter().map(AsRef::as_ref) {
        tokens.extend(TEXTS.map(|of| of.token(field, literal)));
        tokens.extend(number(literal).and_then(ordered).map(|number| TokenType::Number.token(field, &number)));
        match Period::parse(literal) {
            Some(Period { first, last }) if first == last => tokens.push(TokenType::Day.token(field, &day(first))),
            Some(Period { first, last }) => any.push(RowCondition::HasFrom(
                TokenType::Day.token(field, &day(first)),
                after(TokenType::Day.token(field, &day(last))),
            )),
            None => {}
        }
    }
    any.push(RowCondition::Has(tokens));
    RowCondition::Any(any)
}

/// The first text after this one.
fn after(text: String) -> String {
    text + "\0"
}

/// One of the values stands so to the literal.
fn ordered_so(field: &str, comparison: Comparison, literal: &str) -> RowCondition {
    let range = |of: TokenType, first: &str, last: &str| {
        let (first, last) = (of.token(field, first), of.token(field, last));
        match comparison {
            Comparison::Less => RowCondition::HasFrom(of.begins(field), first),
            Comparison::LessOrEqual => RowCondition::HasFrom(of.begins(field), after(last)),
            Comparison::Greater => RowCondition::HasFrom(after(last), of.ends(field)),
            _ => RowCondition::HasFrom(first, of.ends(field)),
        }
    };
    let value = |of: TokenType, value: &str| range(of, value, value);
    let mut any = vec![value(TokenType::Words, literal)];
    match number(literal).and_then(ordered) {
        Some(number) => any.extend([TokenType::Number, TokenType::DigitsValue].map(|of| value(of, &number))),
        None => any.push(value(TokenType::Digits, literal)),
    }
    any.extend(Period::parse(literal).map(|period| range(TokenType::Day, &day(period.first), &day(period.last))));
    any.extend(literal.parse::<bool>().ok().map(|truth| value(TokenType::Truth, if truth { "1" } else { "0" })));
    RowCondition::Any(any)
}

/// A condition that is neither too large nor holds too long a text.
fn sayable(condition: RowCondition) -> Option<RowCondition> {
    size(&condition).filter(|size| *size <= MOST_CONDITIONS).map(|_| condition)
}

/// How many parts it has; `None` where one is too long.
fn size(condition: &RowCondition) -> Option<usize> {
    let short = |texts: &[&String]| texts.iter().map(|text| text.len()).sum::<usize>() <= LONGEST;
    match condition {
        RowCondition::All(parts) | RowCondition::Any(parts) => {
            parts.iter().map(size).try_fold(1, |sum, part| Some(sum + part?))
        }
        RowCondition::Not(part) => size(part).map(|size| size + 1),
        RowCondition::Has(tokens) => tokens.iter().all(|token| short(&[token])).then_some(1 + tokens.len() / 64),
        RowCondition::HasFrom(from, below) => (short(&[from]) && short(&[below])).then_some(1),
        // A pattern costs more than a term.
        RowCondition::HasLike { begins, then, .. } => short(&[begins, then]).then_some(4),
        _ => Some(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prefixes::{bound, covering, is_told, with_prefixes};
    use okno::document::Metadata;
    use okno::store::contract::document;
    use proptest::prelude::*;

    fn fulfils(tokens: &[String], condition: &RowCondition) -> bool {
        let any = |test: &dyn Fn(&str) -> bool| tokens.iter().any(|token| test(token));
        match condition {
            RowCondition::All(all) => all.iter().all(|one| fulfils(tokens, one)),
            RowCondition::Any(all) => all.iter().any(|one| fulfils(tokens, one)),
            RowCondition::Not(one) => !fulfils(tokens, one),
            RowCondition::Has(own) => own.iter().any(|own| tokens.contains(own)),
            RowCondition::HasFrom(from, below) => any(&|token| token >= from.as_str() && token < below.as_str()),
            RowCondition::HasLike { begins, then, ends } => any(&|token| {
                let rest = token.strip_prefix(begins.as_str());
                rest.is_some_and(|rest| if *ends { rest.ends_with(then) } else { rest.contains(then) })
            }),
            other => unreachable!("{other:?} is about no field"),
        }
    }

    /// Ranges as the prefixes they consist of.
    fn by_equality(condition: &RowCondition) -> RowCondition {
        let each = |parts: &[RowCondition]| parts.iter().map(by_equality).collect();
        match condition {
            RowCondition::All(parts) => RowCondition::All(each(parts)),
            RowCondition::Any(parts) => RowCondition::Any(each(parts)),
            RowCondition::Not(part) => RowCondition::Not(Box::new(by_equality(part))),
            RowCondition::HasFrom(from, below) => RowCondition::Has(covering(from, below).unwrap()),
            RowCondition::HasLike { .. } => unreachable!("it is bounded"),
            other => other.clone(),
        }
    }

    fn text() -> impl Strategy<Value = String> {
        let words =
            ["", "a", "ab", "b", "3", "3.0", "-0", "30", "3万", "2023", "2023-07", "2023-07-28", "2023Q3", "true"];
        let more = ["nan", "inf", "素菜", "素", "a*", "?", "\\", "false", " 3", "２０２３", "=", ">", "\u{0}"];
        prop::sample::select([&words[..], &more[..]].concat()).prop_map(str::to_owned)
    }

    fn value() -> impl Strategy<Value = Value> {
        let number = prop::sample::select(vec![0.0, -0.0, 3.0, 30.0, 2023.0, -1.5, 30_000.0, f64::NAN, f64::INFINITY]);
        let date = (2022..2025i16, 6..9u8, 27..30u8).prop_map(|(year, month, day)| Date { year, month, day });
        let one = prop_oneof![
            text().prop_map(Value::Text),
            number.prop_map(Value::Number),
            any::<bool>().prop_map(Value::Bool),
            date.prop_map(Value::Date),
        ];
        one.prop_recursive(2, 6, 3, |inner| prop::collection::vec(inner, 0..3).prop_map(Value::List))
    }

    fn field() -> impl Strategy<Value = String> {
        prop::sample::select(vec!["f", "f2", "title", "path", "language", "allow", "2:f=", ""]).prop_map(str::to_owned)
    }

    fn filter() -> impl Strategy<Value = Filter> {
        let one = prop_oneof![
            4 => (field(), prop::sample::select(Comparison::ALL.to_vec()), text())
                .prop_map(|(field, comparison, literal)| Filter::Compare(field, comparison, literal)),
            1 => (field(), prop::collection::vec(text(), 0..3)).prop_map(|(field, all)| Filter::In(field, all)),
            1 => field().prop_map(Filter::Exists),
        ];
        one.prop_recursive(3, 8, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Filter::All),
                prop::collection::vec(inner.clone(), 0..3).prop_map(Filter::Any),
                inner.prop_map(|filter| Filter::Not(Box::new(filter))),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        /// Whatever the fields and the filter: the tokens fulfil the condition if the record matches the filter.
        #[test]
        fn a_condition_on_tokens_is_the_filter(
            fields in prop::collection::btree_map(field(), value(), 0..4),
            filter in filter(),
            title in text(),
        ) {
            let mut record = document("a", "Text.").record;
            record.title = title;
            record.metadata = Metadata(fields);
            let (tokens, condition) = (tokens(&record).unwrap(), condition(&filter).unwrap());
            prop_assert_eq!(fulfils(&tokens, &condition), record.matches(&filter), "{:?} {:?}", record, filter);
            // An engine that knows nothing but equality errs on the right side, or not at all.
            let all: Vec<String> = with_prefixes(&tokens).into_iter().map(str::to_owned).collect();
            let told = |surely| fulfils(&all, &by_equality(&bound(&condition, surely)));
            prop_assert!(record.matches(&filter) || !told(true), "{:?} {:?}", record, filter);
            prop_assert!(told(false) || !record.matches(&filter), "{:?} {:?}", record, filter);
            prop_assert!(!is_told(&condition) || told(false) == told(true));
        }

        #[test]
        fn tokens_say_who_may_see(
            allow in prop::option::of(value()),
            groups in prop::collection::btree_set("[ab3,]{1,2}", 0..3),
        ) {
            let mut record = document("a", "Text.").record;
            record.metadata = Metadata(allow.map(|allow| (ALLOW.to_owned(), allow)).into_iter().collect());
            let access = Access::Groups(groups);
            let seen = fulfils(&tokens(&record).unwrap(), &seen_by(&access).unwrap());
            prop_assert_eq!(seen, access.sees(&record.metadata));
        }
    }

    #[test]
    fn what_is_too_much_is_not_said() {
        let mut record = document("a", "Text.").record;
        assert!(tokens(&record).is_some());
        record.metadata.set("long", Value::Text("x".repeat(LONGEST)));
        assert_eq!(tokens(&record), None);
        record.metadata = Metadata((0..1000).map(|at| (format!("field{at}"), Value::Bool(true))).collect());
        assert_eq!(tokens(&record), None);
        assert_eq!(condition(&Filter::equal("long", "x".repeat(LONGEST))), None);
        let deep = (0..20).fold(Filter::Exists("f".to_owned()), |filter, _| Filter::Not(Box::new(filter)));
        assert_eq!(condition(&deep), None);
        let wide = Filter::Any((0..400).map(|at| Filter::equal("f", at.to_string())).collect());
        assert_eq!(condition(&wide), None);
    }
}
