//! Citations as models write them: `[1]`, `【1】`, `［1］`, `[1, 2]`, `[1、3]`, `[1-3]`, `[^1]`.

/// Longer numbers are years and amounts, not citations.
const DIGITS: usize = 3;

/// What may follow a citation at the end of a sentence.
pub const ENDS: [char; 4] = ['.', ',', ';', ')'];

/// The numbers of the citation that a text begins with, and its length in bytes. A range gives its two ends and what is
/// between them.
pub fn marker(text: &str) -> Option<(Vec<usize>, usize)> {
    let inside = text.strip_prefix(['[', '【', '［'])?;
    let end = inside.find([']', '】', '］'])?;
    let length = text.len() - inside.len() + end + inside[end..].chars().next()?.len_utf8();
    let inside = inside[..end].trim().trim_start_matches('^');
    let mut numbers = Vec::new();
    for part in inside.split([',', '，', '、', ';', '；']) {
        let mut ends = part.split(['-', '–', '~', '—']).map(number);
        match (ends.next()?, ends.next(), ends.next()) {
            (first, None, _) => numbers.push(first?),
            (first, Some(last), None) => numbers.extend(first?..=last?),
            _ => return None,
        }
    }
    (!numbers.is_empty()).then_some((numbers, length))
}

fn number(text: &str) -> Option<usize> {
    let text = text.trim();
    let plain = (1..=DIGITS).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if plain { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_of_writing() {
        for (text, numbers, length) in [
            ("[1] tea", vec![1], 3),
            ("【2】。", vec![2], 7),
            ("［12］", vec![12], 8),
            ("[1, 2]", vec![1, 2], 6),
            ("[1、3]", vec![1, 3], 7),
            ("[2-4]", vec![2, 3, 4], 5),
            ("[1–2, 5]", vec![1, 2, 5], 10),
            ("[^3]", vec![3], 4),
            ("[ 3 ]", vec![3], 5),
            ("[0]", vec![0], 3),
        ] {
            assert_eq!(marker(text), Some((numbers, length)), "{text}");
        }
        for text in ["[2023]", "[a]", "[]", "[1", "[1.5]", "[-]", "[4-2]", "[1-2-3]", "tea [1]", "[１]"] {
            assert_eq!(marker(text), None, "{text}");
        }
    }
}
