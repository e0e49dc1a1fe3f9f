//! Conditions as filter expressions of Milvus.

use okno_remote::{RowCondition, RunLimits, covering, is_told, with_prefixes};
use sha2::{Digest, Sha256};

/// Runs in one expression: about 60 kB of text at most.
pub const MOST: RunLimits = RunLimits { ranges: 2000, singles: 4000 };

/// The field with the tokens of a document's fields, hashed: nothing that people wrote enters an expression.
pub const TOKENS: &str = "tokens";

/// Tokens that one expression may name: as many bytes as runs.
const MOST_TOKENS: usize = 3000;

/// The beginning of a cryptographic hash: tokens also say who may see a document, so that nobody may find another token
/// of the same hash.
fn hashed(token: &str) -> i64 {
    Sha256::digest(token).iter().take(8).fold(0, |hash, &byte| hash << 8 | i64::from(byte))
}

/// Tokens as a row keeps them, with the prefixes that ranges are made of.
pub fn row_tokens(tokens: &[String]) -> Vec<i64> {
    with_prefixes(tokens).into_iter().map(hashed).collect()
}

/// Whether a condition can be written as it is.
pub fn is_written(condition: &RowCondition) -> bool {
    is_told(condition) && count(condition) <= MOST_TOKENS
}

fn count(condition: &RowCondition) -> usize {
    match condition {
        RowCondition::All(parts) | RowCondition::Any(parts) => parts.iter().map(count).sum(),
        RowCondition::Not(part) => count(part),
        RowCondition::Has(tokens) => tokens.len(),
        RowCondition::HasFrom(from, below) => covering(from, below).map_or(0, |covering| covering.len()),
        _ => 0,
    }
}

/// A condition as Milvus reads it.
pub fn written(condition: &RowCondition) -> String {
    match condition {
        RowCondition::In(field, numbers) => one_of(field, numbers.iter().map(i64::to_string)),
        RowCondition::From(field, from) => format!("{field} >= {from}"),
        RowCondition::Below(field, below) => format!("{field} < {below}"),
        RowCondition::Named(field, names) => one_of(field, names.iter().map(|name| format!("\"{name}\""))),
        RowCondition::NamedFrom(field, from, below) => format!("{field} >= \"{from}\" and {field} < \"{below}\""),
        RowCondition::All(all) if all.is_empty() => EVERYTHING.to_owned(),
        RowCondition::Any(any) if any.is_empty() => NOTHING.to_owned(),
        RowCondition::All(all) => joined(all, " and "),
        RowCondition::Any(any) => joined(any, " or "),
        RowCondition::Not(not) => format!("not ({})", written(not)),
        RowCondition::Has(tokens) => has(tokens),
        RowCondition::HasFrom(from, below) => has(&covering(from, below).unwrap_or_default()),
        // It is not told by tokens, so that the driver is not asked.
        RowCondition::HasLike { .. } => NOTHING.to_owned(),
    }
}

const EVERYTHING: &str = "document >= 0";
const NOTHING: &str = "document < 0";

fn has(tokens: &[String]) -> String {
    let hashes: Vec<String> = tokens.iter().map(|token| hashed(token).to_string()).collect();
    if hashes.is_empty() { NOTHING.to_owned() } else { format!("array_contains_any({TOKENS},[{}])", hashes.join(",")) }
}

fn one_of(field: &str, values: impl ExactSizeIterator<Item = String>) -> String {
    match (values.len(), values.collect::<Vec<_>>().join(",")) {
        (1, value) => format!("{field} == {value}"),
        (_, values) => format!("{field} in [{values}]"),
    }
}

fn joined(conditions: &[RowCondition], word: &str) -> String {
    let part = |condition: &RowCondition| match condition {
        RowCondition::All(_) | RowCondition::Any(_) => format!("({})", written(condition)),
        _ => written(condition),
    };
    conditions.iter().map(part).collect::<Vec<_>>().join(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use okno::store::Sections;
    use okno_remote::{Numbers, visible, within};
    use proptest::prelude::*;

    fn set(numbers: &[u32]) -> Numbers {
        numbers.iter().copied().collect()
    }

    fn all(conditions: &[RowCondition]) -> Vec<String> {
        conditions.iter().map(written).collect()
    }

    #[test]
    fn expressions_read_as_expected() {
        let seen = |next, dead: &[u32], allowed: Option<&Numbers>| all(&visible(next, &set(dead), allowed, MOST));
        assert_eq!(seen(9, &[], None), ["document < 9"]);
        assert_eq!(seen(9, &[3], None), ["document < 9 and not (document == 3)"]);
        let few = set(&[1, 2, 3, 7]);
        assert_eq!(seen(9, &[], Some(&few)), ["(document >= 1 and document < 4) or document == 7"]);
        let nearly_all: Numbers = (0..100).filter(|number| number % 40 != 1).collect();
        assert_eq!(seen(100, &[], Some(&nearly_all)), ["document < 100 and not (document in [1,41,81])"]);
        assert!(seen(9, &[], Some(&set(&[]))).is_empty());
        let sections = Sections::from([(2, vec![0, 3])]);
        assert_eq!(
            all(&within(&set(&[1, 2]), &sections, MOST)),
            ["document == 1".to_owned(), format!("section in [{},{}]", 2i64 << 32, (2i64 << 32) + 3)]
        );
        let named = RowCondition::Named("base", vec!["image/0a".to_owned(), "holders/0a".to_owned()]);
        assert_eq!(
            written(&named),
            "base in [\"image/0a\",\"holders/0a\"]",
            "heads that were written before hold this text"
        );
    }

    #[test]
    fn tokens_are_numbers() {
        let year = |token: &str| format!("n4:year={token}");
        let from = RowCondition::HasFrom(year("8000000000000000"), "n4:year>".to_owned());
        let hashes: Vec<String> = (8..16).map(|digit| hashed(&year(&format!("{digit:x}"))).to_string()).collect();
        assert_eq!(written(&from), format!("array_contains_any(tokens,[{}])", hashes.join(",")));
        let quoted = RowCondition::Has(vec!["t1:a=\"] or document >= 0 or [\"".to_owned()]);
        assert!(written(&quoted).chars().all(|c| c.is_ascii_alphanumeric() || "_-(,[])".contains(c)));
        assert_eq!(written(&RowCondition::Any(Vec::new())), "document < 0");
        assert_eq!(written(&RowCondition::All(Vec::new())), "document >= 0");
        let like = RowCondition::HasLike { begins: "t1:a=b".to_owned(), then: String::new(), ends: false };
        assert!(is_written(&from) && is_written(&quoted) && !is_written(&like));
        let own = row_tokens(&[year("c09f9c0000000000")]);
        assert!(own.len() == 16 && own.iter().any(|hash| hashes.contains(&hash.to_string())));
    }

    proptest! {
        /// Nothing but numbers, names of fields and operators; never longer than bounded.
        #[test]
        fn expressions_are_bounded_and_plain(
            numbers in prop::collection::btree_set(0..100_000u32, 0..12_000),
            next in 100_000..200_000u32,
        ) {
            let allowed: Numbers = numbers.iter().copied().collect();
            let expressions = all(&visible(next, &Numbers::default(), Some(&allowed), MOST));
            for expression in &expressions {
                prop_assert!(expression.len() < 64 * MOST.singles);
                prop_assert!(expression.chars().all(|c| c.is_ascii_alphanumeric() || " <>=()[],".contains(c)));
            }
            prop_assert_eq!(expressions.is_empty(), numbers.is_empty());
        }
    }
}
