//! Batches: groups of texts of equal length.
//!
//! Padding costs time and changes the last bits of a vector, and in a network with dynamic int8 scales the vector would
//! depend on the other texts of the batch. With equal lengths there is no padding, and a vector depends on its text
//! alone.

/// Tokens of one batch, at most: some twenty sentences. Not tuned yet; `examples/throughput.rs` takes other values.
pub const MOST_TOKENS: usize = 512;

/// Groups texts of the same length, the longest first so that no core is left with a long one at the end. A batch has
/// at most `most_tokens` tokens, or one text. Texts without tokens are in none.
pub fn batches(lengths: &[usize], most_tokens: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..lengths.len()).filter(|&i| lengths[i] > 0).collect();
    order.sort_by_key(|&i| (std::cmp::Reverse(lengths[i]), i));
    let groups = order.chunk_by(|&a, &b| lengths[a] == lengths[b]);
    groups.flat_map(|group| group.chunks((most_tokens / lengths[group[0]]).max(1))).map(<[usize]>::to_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_in_one_batch_of_its_length() {
        let lengths: Vec<usize> = (0..500).map(|i| i * 7919 % 41).collect();
        for most in [1, 40, 300, 10_000] {
            let made = batches(&lengths, most);
            let mut all: Vec<usize> = made.concat();
            all.sort_unstable();
            let expected: Vec<usize> = (0..500).filter(|&i| lengths[i] > 0).collect();
            assert_eq!(all, expected);
            for batch in &made {
                assert!(batch.iter().all(|&i| lengths[i] == lengths[batch[0]]));
                assert!(batch.len() == 1 || batch.len() * lengths[batch[0]] <= most);
            }
            assert!(made.windows(2).all(|pair| lengths[pair[0][0]] >= lengths[pair[1][0]]));
        }
    }
}
