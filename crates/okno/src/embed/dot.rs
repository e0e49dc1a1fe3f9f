//! Dot products with rows of signed bytes: the one inner loop of dense search, and of comparing tokens.
//!
//! The question's components have 16 bits, the rows' 8, and the products are added as 32-bit integers: exact, and the
//! same on every machine. With AVX2 a row of 256 components takes some twenty cycles, so that a scan waits for memory
//! and not for arithmetic (wider instructions were not faster); without it the plain loop gives the same numbers.

/// Rows of signed bytes, each to be multiplied with a scale of its own (4 bytes, little-endian).
#[derive(Clone, Copy)]
pub struct ScaledRows<'a> {
    /// The components, one row after the other.
    pub components: &'a [u8],
    /// The scales.
    pub scales: &'a [u8],
}

/// The dot product of the question with each row, times its scale, times `step`. Rows are as long as the question.
pub fn scan(question: &[i16], step: f32, rows: ScaledRows<'_>, dots: &mut [f32]) {
    if question.is_empty() {
        return;
    }
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, checked above.
        return unsafe { scan_avx2(question, step, rows, dots) };
    }
    scan_plain(question, step, rows, dots);
}

fn scan_plain(question: &[i16], step: f32, rows: ScaledRows<'_>, dots: &mut [f32]) {
    let each = rows.components.chunks_exact(question.len()).zip(rows.scales.chunks_exact(4));
    for (dot, (row, scale)) in dots.iter_mut().zip(each) {
        *dot = plain(question, row) as f32 * float(scale) * step;
    }
}

/// A little-endian number.
pub fn float(bytes: &[u8]) -> f32 {
    f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

fn plain(question: &[i16], row: &[u8]) -> i32 {
    question.iter().zip(row).map(|(&q, &r)| i32::from(q) * i32::from(r.cast_signed())).sum()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn scan_avx2(question: &[i16], step: f32, rows: ScaledRows<'_>, dots: &mut [f32]) {
    let each = rows.components.chunks_exact(question.len()).zip(rows.scales.chunks_exact(4));
    for (dot, (row, scale)) in dots.iter_mut().zip(each) {
        *dot = avx2(question, row) as f32 * float(scale) * step;
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
fn avx2(question: &[i16], row: &[u8]) -> i32 {
    use std::arch::x86_64::{
        __m256i, _mm_loadu_si128, _mm256_add_epi32, _mm256_cvtepi8_epi16, _mm256_loadu_si256, _mm256_madd_epi16,
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
    total_avx2(_mm256_add_epi32(sums[0], sums[1])) + plain(&question[whole..length], &row[whole..length])
}

/// The same for rows of two-bit codes (sketches of vectors): a code c stands for 2c − 3, and the question's
/// components, laid out as the codes are and padded with zeros, add up to `sum`.
pub fn scan_codes(question: &[i8], sum: i32, step: f32, rows: ScaledRows<'_>, dots: &mut [f32]) {
    if question.is_empty() {
        return;
    }
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, checked above.
        return unsafe { scan_codes_avx2(question, sum, step, rows, dots) };
    }
    scan_codes_plain(question, sum, step, rows, dots);
}

fn scan_codes_plain(question: &[i8], sum: i32, step: f32, rows: ScaledRows<'_>, dots: &mut [f32]) {
    let stride = question.len() / 4;
    let code = |row: &[u8], at: usize| i32::from(row[at % stride] >> (at / stride * 2) & 3);
    let each = rows.components.chunks_exact(stride).zip(rows.scales.chunks_exact(4));
    for (dot, (row, scale)) in dots.iter_mut().zip(each) {
        let codes: i32 = question.iter().enumerate().map(|(at, &q)| i32::from(q) * code(row, at)).sum();
        *dot = (2 * codes - 3 * sum) as f32 * float(scale) * step;
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn scan_codes_avx2(question: &[i8], sum: i32, step: f32, rows: ScaledRows<'_>, dots: &mut [f32]) {
    let each = rows.components.chunks_exact(question.len() / 4).zip(rows.scales.chunks_exact(4));
    for (dot, (row, scale)) in dots.iter_mut().zip(each) {
        *dot = (2 * codes_avx2(question, row) - 3 * sum) as f32 * float(scale) * step;
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
fn codes_avx2(question: &[i8], row: &[u8]) -> i32 {
    use std::arch::x86_64::{
        _MM_HINT_T0, _mm_prefetch, _mm256_add_epi16, _mm256_add_epi32, _mm256_and_si256, _mm256_loadu_si256,
        _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_set1_epi8, _mm256_set1_epi16, _mm256_setzero_si256,
        _mm256_srli_epi16,
    };
    const STEP: usize = 32;
    /// With this 50 MB take 5.6 instead of 15.6 ms; with 1 to 8 KB about as long.
    const FETCHED_AHEAD: usize = 2048;
    assert!(
        row.len().is_multiple_of(STEP) && question.len() == row.len() * 4,
        "rows of codes are padded to whole registers"
    );
    let (three, one) = (_mm256_set1_epi8(3), _mm256_set1_epi16(1));
    let mut sum = _mm256_setzero_si256();
    for at in (0..row.len()).step_by(STEP) {
        // The processor fetches what comes next by itself, but not beyond a page of 4 KB. An address that is nobody's
        // does no harm.
        _mm_prefetch::<_MM_HINT_T0>(row.as_ptr().wrapping_add(at + FETCHED_AHEAD).cast());
        // SAFETY: `at + STEP <= row.len()`, and the question is four rows long, both checked above; unaligned loads are
        // allowed.
        let load = |part: usize| unsafe { _mm256_loadu_si256(question.as_ptr().add(part * row.len() + at).cast()) };
        // SAFETY: as above.
        let codes = unsafe { _mm256_loadu_si256(row.as_ptr().add(at).cast()) };
        // Bits shifted in from the neighbouring byte are masked off. Eight products of 3 · 127 fit into 16 bits.
        let parts = [
            _mm256_maddubs_epi16(_mm256_and_si256(codes, three), load(0)),
            _mm256_maddubs_epi16(_mm256_and_si256(_mm256_srli_epi16::<2>(codes), three), load(1)),
            _mm256_maddubs_epi16(_mm256_and_si256(_mm256_srli_epi16::<4>(codes), three), load(2)),
            _mm256_maddubs_epi16(_mm256_and_si256(_mm256_srli_epi16::<6>(codes), three), load(3)),
        ];
        let halves = (_mm256_add_epi16(parts[0], parts[1]), _mm256_add_epi16(parts[2], parts[3]));
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_add_epi16(halves.0, halves.1), one));
    }
    total_avx2(sum)
}

/// The sum of eight 32-bit numbers.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
fn total_avx2(sum: std::arch::x86_64::__m256i) -> i32 {
    use std::arch::x86_64::{
        _mm_add_epi32, _mm_cvtsi128_si32, _mm_shuffle_epi32, _mm256_castsi256_si128, _mm256_extracti128_si256,
    };
    let sum = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
    let sum = _mm_add_epi32(sum, _mm_shuffle_epi32::<0b01_00_11_10>(sum));
    let sum = _mm_add_epi32(sum, _mm_shuffle_epi32::<0b10_11_00_01>(sum));
    _mm_cvtsi128_si32(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn vector_instructions_change_nothing(
            question in prop::collection::vec(any::<i16>(), 1..99),
            components in prop::collection::vec(any::<u8>(), 0..400),
            scale in 0.01..9.0f32,
        ) {
            let count = components.len() / question.len();
            let scales = scale.to_le_bytes().repeat(count);
            let rows = ScaledRows { components: &components, scales: &scales };
            let (mut found, mut expected) = (vec![0.0; count], vec![0.0; count]);
            scan(&question, 0.5, rows, &mut found);
            scan_plain(&question, 0.5, rows, &mut expected);
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn nor_with_codes(
            question in prop::collection::vec(-127i8..=127, 256),
            codes in prop::collection::vec(any::<u8>(), 0..300),
        ) {
            let count = codes.len() / 64;
            let scales = 0.25f32.to_le_bytes().repeat(count);
            let rows = ScaledRows { components: &codes, scales: &scales };
            let sum = question.iter().map(|&q| i32::from(q)).sum();
            let (mut found, mut expected) = (vec![0.0; count], vec![0.0; count]);
            scan_codes(&question, sum, 0.5, rows, &mut found);
            scan_codes_plain(&question, sum, 0.5, rows, &mut expected);
            prop_assert_eq!(found, expected);
        }
    }
}
