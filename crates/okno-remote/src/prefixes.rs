//! Filters for engines that can only tell whether a row has a token.
//!
//! Numbers, days and truths are tokens of a fixed number of digits, so a range of them is some prefixes: rows then have
//! every prefix of such a value as a token too. Texts have one more token, without a value: the field has a text.
//! A range or a pattern of texts is bounded by that from above and by nothing from below; what lies between is read.

use crate::conditions::RowCondition;

/// A token in its parts.
struct TokenParts<'t> {
    /// Its type and the field, up to the value.
    head: &'t str,
    value: &'t str,
    /// Whether it comes after all values of the field.
    is_end: bool,
}

/// Tokens are the type, the length of the field's name, the name and the value.
fn split(token: &str) -> Option<TokenParts<'_>> {
    let (length, _) = token.get(1..)?.split_once(':')?;
    let at = length.len() + 2 + length.parse::<usize>().ok()?;
    let is_end = match token.get(at..=at)? {
        "=" => false,
        ">" => true,
        _ => return None,
    };
    Some(TokenParts { head: &token[..at], value: &token[at + 1..], is_end })
}

/// Base and number of digits of the values of a type; `None` where they have no order by digits.
fn digits(head: &str) -> Option<(u32, usize)> {
    match head.as_bytes().first()? {
        b'n' | b'm' => Some((16, 16)),
        b'd' => Some((10, 9)),
        b'b' => Some((10, 1)),
        _ => None,
    }
}

fn is_text(head: &str) -> bool {
    head.starts_with(['t', 'v', 's'])
}

/// The tokens and their prefixes: of values with digits every one, of texts that there is one.
pub fn with_prefixes(tokens: &[String]) -> Vec<&str> {
    let mut all: Vec<&str> = Vec::new();
    for token in tokens {
        all.push(token);
        let Some(TokenParts { head, value, .. }) = split(token) else { continue };
        let begins = head.len() + 1;
        match digits(head) {
            Some((_, width)) if value.len() == width => all.extend((1..width).map(|end| &token[..begins + end])),
            None if is_text(head) => all.push(head),
            _ => {}
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// The prefixes that a range of tokens consists of; `None` for texts, which have too many.
pub fn covering(from: &str, below: &str) -> Option<Vec<String>> {
    let (first, end) = (split(from)?, split(below)?);
    let (base, width) = digits(first.head).filter(|_| first.head == end.head)?;
    // A value, and whether it is the place after it that is meant.
    let place = |value: &str| {
        let (value, after) = value.strip_suffix('\0').map_or((value, 0), |value| (value, 1));
        let number = if value.is_empty() { Some(0) } else { u128::from_str_radix(value, base).ok() };
        number.map(|number| number + after)
    };
    let base_wide = u128::from(base);
    let end = if end.is_end { base_wide.pow(width as u32) } else { place(end.value)? };
    let (mut at, mut covering) = (place(first.value)?, Vec::new());
    while at < end {
        // The largest block that begins here and is inside.
        let (mut size, mut shown) = (1, width);
        while shown > 1 && at % (size * base_wide) == 0 && at + size * base_wide <= end {
            (size, shown) = (size * base_wide, shown - 1);
        }
        let value = if base == 16 { format!("{at:0width$x}") } else { format!("{at:0width$}") };
        covering.push(format!("{}={}", first.head, &value[..shown]));
        at += size;
    }
    Some(covering)
}

/// Whether every part of a condition can be told by tokens that rows have.
pub fn is_told(condition: &RowCondition) -> bool {
    match condition {
        RowCondition::All(parts) | RowCondition::Any(parts) => parts.iter().all(is_told),
        RowCondition::Not(part) => is_told(part),
        RowCondition::HasFrom(from, below) => covering(from, below).is_some(),
        RowCondition::HasLike { .. } => false,
        _ => true,
    }
}

/// A condition that can be told: fulfilled only where this one is, or, not `surely`, wherever this one is.
pub(crate) fn bound(condition: &RowCondition, surely: bool) -> RowCondition {
    let each = |parts: &[RowCondition]| parts.iter().map(|part| bound(part, surely)).collect();
    match condition {
        RowCondition::All(parts) => RowCondition::All(each(parts)),
        RowCondition::Any(parts) => RowCondition::Any(each(parts)),
        RowCondition::Not(part) => RowCondition::Not(Box::new(bound(part, !surely))),
        told if is_told(told) => told.clone(),
        RowCondition::HasFrom(token, _) | RowCondition::HasLike { begins: token, .. } if !surely => {
            split(token).map_or(RowCondition::All(Vec::new()), |parts| RowCondition::Has(vec![parts.head.to_owned()]))
        }
        _ => RowCondition::Any(Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn day(number: u32, after: &str) -> String {
        format!("d1:f={number:09}{after}")
    }

    #[test]
    fn prefixes_are_of_values_with_digits() {
        let tokens = ["b1:f=1", "g3:x=1", "n1:f=12", "t2:ab=c", "x2:ab="].map(str::to_owned);
        assert_eq!(with_prefixes(&tokens), ["b1:f=1", "g3:x=1", "n1:f=12", "t2:ab", "t2:ab=c", "x2:ab="]);
        let all = with_prefixes(&[day(34_791, "")]).len();
        assert_eq!(all, 9);
        assert_eq!(covering("t1:f=a", "t1:f>"), None);
        assert_eq!(covering("b1:f=", "b1:f=1"), Some(vec!["b1:f=0".to_owned()]));
    }

    proptest! {
        /// A value has exactly one of a range's prefixes if it is inside, and none otherwise.
        #[test]
        fn a_range_is_its_prefixes(value: u64, from: u64, below: u64, after in 0..4u8, open in 0..3u8, near: bool) {
            // Near values share most digits.
            let [value, from, below] = [value, from, below].map(|x| if near { x % 300 + (1 << 40) } else { x });
            let token = |value: u64, after: bool| format!("n4:year={value:016x}{}", if after { "\0" } else { "" });
            let from = if open == 1 { "n4:year=".to_owned() } else { token(from, after & 1 > 0) };
            let below = if open == 2 { "n4:year>".to_owned() } else { token(below, after & 2 > 0) };
            let covering = covering(&from, &below).unwrap();
            prop_assert!(covering.len() <= 2 * 15 * 16);
            let own = [token(value, false)];
            let has = with_prefixes(&own).into_iter().filter(|own| covering.iter().any(|one| one == own)).count();
            prop_assert_eq!(has, usize::from(own[0] >= from && own[0] < below));
        }
    }
}
