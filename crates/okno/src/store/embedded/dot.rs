//! Dot products of a question with rows of signed bytes: the one inner loop of dense search.
//!
//! The question's components have 16 bits, the rows' 8, and the products are added as 32-bit integers: exact, and the
//! same on every machine. With AVX2 a row of 256 components takes some twenty cycles, so that a scan waits for memory
//! and not for arithmetic (wider instructions were not faster); without it the plain loop gives the same numbers.

/// Hands over the dot product of the question with each row, in order. Rows are as long as the question.
pub fn each(question: &[i16], rows: &[u8], mut found: impl FnMut(i32)) {
    if question.is_empty() {
        return;
    }
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, checked above.
        unsafe { each_avx2(question, rows, found) };
        return;
    }
    rows.chunks_exact(question.len()).for_each(|row| found(plain(question, row)));
}

fn plain(question: &[i16], row: &[u8]) -> i32 {
    question.iter().zip(row).map(|(&q, &r)| i32::from(q) * i32::from(r.cast_signed())).sum()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn each_avx2(question: &[i16], rows: &[u8], mut found: impl FnMut(i32)) {
    for row in rows.chunks_exact(question.len()) {
        found(avx2(question, row));
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
fn avx2(question: &[i16], row: &[u8]) -> i32 {
    use std::arch::x86_64::{
        __m256i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_loadu_si128, _mm_shuffle_epi32, _mm256_add_epi32,
        _mm256_castsi256_si128, _mm256_cvtepi8_epi16, _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_madd_epi16,
        _mm256_setzero_si256,
    };
    /// Components that fit into a register.
    const STEP: usize = 16;
    let length = question.len().min(row.len());
    let whole = length / STEP * STEP;
    let product = |at: usize| -> __m256i {
        // SAFETY: called with `at + STEP <= whole`, which is at most the length of both slices; unaligned loads are
        // allowed.
        let (q, r) = unsafe {
            (_mm256_loadu_si256(question.as_ptr().add(at).cast()), _mm_loadu_si128(row.as_ptr().add(at).cast()))
        };
        _mm256_madd_epi16(q, _mm256_cvtepi8_epi16(r))
    };
    // Two sums, so that an addition need not wait for the one before.
    let mut sums = [_mm256_setzero_si256(); 2];
    for (turn, at) in (0..whole).step_by(STEP).enumerate() {
        sums[turn % 2] = _mm256_add_epi32(sums[turn % 2], product(at));
    }
    let sum = _mm256_add_epi32(sums[0], sums[1]);
    let sum = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
    let sum = _mm_add_epi32(sum, _mm_shuffle_epi32::<0b01_00_11_10>(sum));
    let sum = _mm_add_epi32(sum, _mm_shuffle_epi32::<0b10_11_00_01>(sum));
    _mm_cvtsi128_si32(sum) + plain(&question[whole..length], &row[whole..length])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn vector_instructions_change_nothing(
            question in prop::collection::vec(any::<i16>(), 1..99),
            rows in prop::collection::vec(any::<u8>(), 0..400),
        ) {
            let mut found = Vec::new();
            each(&question, &rows, |dot| found.push(dot));
            let expected: Vec<i32> = rows.chunks_exact(question.len()).map(|row| plain(&question, row)).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
