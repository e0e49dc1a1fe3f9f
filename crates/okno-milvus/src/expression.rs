//! Conditions as filter expressions of Milvus.

use okno_remote::{RowCondition, RunLimits};

/// Runs in one expression: about 60 kB of text at most.
pub const MOST: RunLimits = RunLimits { ranges: 2000, singles: 4000 };

/// A condition as Milvus reads it.
pub fn written(condition: &RowCondition) -> String {
    match condition {
        RowCondition::In(field, numbers) => one_of(field, numbers.iter().map(i64::to_string)),
        RowCondition::From(field, from) => format!("{field} >= {from}"),
        RowCondition::Below(field, below) => format!("{field} < {below}"),
        RowCondition::Named(field, names) => one_of(field, names.iter().map(|name| format!("\"{name}\""))),
        RowCondition::NamedFrom(field, from, below) => format!("{field} >= \"{from}\" and {field} < \"{below}\""),
        RowCondition::All(all) => joined(all, " and "),
        RowCondition::Any(any) => joined(any, " or "),
        RowCondition::Not(not) => format!("not ({})", written(not)),
        // Rows here have no tokens: the driver does not check fields, and is not asked.
        RowCondition::Has(_) | RowCondition::HasFrom(..) | RowCondition::HasLike { .. } => "document < 0".to_owned(),
    }
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
