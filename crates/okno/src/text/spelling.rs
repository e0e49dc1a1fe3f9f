//! How far two spellings are apart.

/// Words shorter than this are not corrected: too many others are near them.
pub const SHORTEST: usize = 5;

/// The edits that a word of so many letters may be away from the one that was meant.
pub fn tolerated(letters: usize) -> usize {
    match letters {
        0..SHORTEST => 0,
        SHORTEST..=9 => 1,
        _ => 2,
    }
}

/// How many letters must be added, taken out, replaced or swapped with their neighbour to make one word of another;
/// `None` if it is more than `most`.
pub fn edits(a: &[u8], b: &[u8], most: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > most || lacks(a, b) > most || lacks(b, a) > most {
        return None;
    }
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let mut row = before.clone();
    for i in 1..=a.len() {
        row[0] = i;
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        if row.iter().all(|&edits| edits > most) {
            return None;
        }
        std::mem::swap(&mut before, &mut last);
        std::mem::swap(&mut last, &mut row);
    }
    last.last().copied().filter(|&edits| edits <= most)
}

/// How many letters one word has that the other has not, at least: each is an edit, and nearly all words are told apart
/// by that.
fn lacks(a: &[u8], b: &[u8]) -> usize {
    let letters = |word: &[u8]| word.iter().fold(0u32, |letters, letter| letters | 1 << (letter % 32));
    (letters(a) & !letters(b)).count_ones() as usize
}

#[cfg(test)]
mod tests {
    use super::edits;
    use proptest::prelude::*;

    #[test]
    fn letters_added_taken_out_replaced_and_swapped() {
        let apart = |a: &str, b: &str| edits(a.as_bytes(), b.as_bytes(), 2);
        assert_eq!(apart("deamonset", "daemonset"), Some(1), "swapped");
        assert_eq!(apart("contaner", "container"), Some(1), "taken out");
        assert_eq!(apart("rotattion", "rotation"), Some(1), "added");
        assert_eq!(apart("keybord", "keyboard"), Some(1));
        assert_eq!(apart("kubernets", "kubernetes"), Some(1));
        assert_eq!(apart("usd", "used"), Some(1));
        assert_eq!(apart("lenght", "length"), Some(1));
        assert_eq!(apart("potato", "tomato"), Some(2));
        assert_eq!(apart("handbok", "pancake"), None);
    }

    proptest! {
        #[test]
        fn the_same_both_ways_and_nothing_between_equals(a in "[a-d]{0,8}", b in "[a-d]{0,8}") {
            let (there, back) = (edits(a.as_bytes(), b.as_bytes(), 8), edits(b.as_bytes(), a.as_bytes(), 8));
            prop_assert_eq!(there, back);
            prop_assert_eq!(there == Some(0), a == b);
            prop_assert_eq!(edits(a.as_bytes(), b.as_bytes(), 2), there.filter(|&edits| edits <= 2));
        }
    }
}
