//! A summary without a model: the sentences of a passage that say most of what the whole says.
//!
//! Comes in: the sentences and their vectors. Goes out: which of them, in their order. The first is the
//! one most like the sum of all; each further one is chosen for what the sentences so far lack of that
//! sum, so that two that say the same are not both taken. Additive vectors make this a sum of
//! differences; with any other embedder it is a reasonable guess.

/// Sentences in an extractive summary, at most: what a model is asked for too.
const MOST: usize = 3;

/// The places of the sentences that stand for all of them: one in three, few at most.
pub fn central(vectors: &[f32], dimensions: usize) -> Vec<usize> {
    let rows: Vec<&[f32]> = vectors.chunks_exact(dimensions.max(1)).collect();
    let count = MOST.min(rows.len().div_ceil(3));
    let mut lacking: Vec<f32> = (0..dimensions).map(|at| rows.iter().map(|row| row[at]).sum()).collect();
    let mut chosen: Vec<usize> = Vec::new();
    while chosen.len() < count {
        let left = (0..rows.len()).filter(|at| !chosen.contains(at));
        let Some(best) =
            left.max_by(|&a, &b| gain(rows[a], &lacking).total_cmp(&gain(rows[b], &lacking)).then(b.cmp(&a)))
        else {
            break;
        };
        let share = gain(rows[best], &lacking) / length(rows[best]).max(f32::MIN_POSITIVE);
        lacking.iter_mut().zip(rows[best]).for_each(|(lack, value)| *lack -= share * value);
        chosen.push(best);
    }
    chosen.sort_unstable();
    chosen
}

/// How much of a direction a sentence speaks for.
fn gain(row: &[f32], direction: &[f32]) -> f32 {
    let product: f32 = row.iter().zip(direction).map(|(a, b)| a * b).sum();
    product / length(row).max(f32::MIN_POSITIVE)
}

fn length(row: &[f32]) -> f32 {
    row.iter().map(|value| value * value).sum::<f32>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_most_sentences_say_comes_first_and_nothing_twice() {
        // Four about one thing, two of them the same; two about another; one about neither.
        let rows = [
            [1.0, 0.0, 0.1],
            [1.0, 0.1, 0.0],
            [1.0, 0.1, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.1, 1.0, 0.0],
            [0.0, 0.0, 0.3],
        ];
        let chosen = central(&rows.concat(), 3);
        assert_eq!(chosen.len(), 3);
        assert!(chosen[0] < 4 && chosen.iter().any(|&at| at == 4 || at == 5), "{chosen:?}");
        assert!(!(chosen.contains(&1) && chosen.contains(&2)), "{chosen:?}");
        assert_eq!(central(&[0.5, 0.5], 2), [0]);
        assert!(central(&[], 2).is_empty());
    }

    proptest! {
        #[test]
        fn chosen_sentences_are_distinct_ordered_and_few(
            rows in prop::collection::vec(prop::array::uniform4(-1.0..1.0f32), 0..20),
        ) {
            let chosen = central(&rows.concat(), 4);
            prop_assert!(chosen.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert!(chosen.iter().all(|&at| at < rows.len()) && chosen.len() <= MOST);
            prop_assert_eq!(chosen.is_empty(), rows.is_empty());
        }
    }
}
