//! Dot products with rows of small numbers: the one inner loop of dense search, and of comparing tokens.
//!
//! The question's components have 16 bits, the rows' 8 or 4, and the products are added as 32-bit integers: exact, and
//! the same on every machine. With AVX2 a row of 256 components of eight bits takes some twenty cycles, so that a scan
//! waits for memory and not for arithmetic (wider instructions were not faster); without it the plain loop gives the
//! same numbers.

/// How many bits a component has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bits {
    /// The number of a level ([`LEVELS`]). Of 32 components the first 16 are the lower halves of 16 bytes, the others
    /// the upper halves; a row is filled up to a multiple of 32.
    Four,
    /// A signed byte.
    Eight,
}

/// What components of four bits stand for: the sixteen numbers that are nearest to those of a normal distribution
/// (Max, 1960), the largest as large as a byte allows.
pub const LEVELS: [i8; 16] = [-127, -96, -75, -58, -44, -31, -18, -6, 6, 18, 31, 44, 58, 75, 96, 127];

/// Components of four bits that stand together, and the bytes they take.
const TOGETHER: usize = 32;
const HALF: usize = TOGETHER / 2;

impl Bits {
    /// The bytes of a row.
    pub fn row(self, dimensions: usize) -> Option<usize> {
        match self {
            Self::Four => dimensions.checked_next_multiple_of(TOGETHER).map(|filled| filled / 2),
            Self::Eight => Some(dimensions),
        }
    }
}

/// The numbers of the levels of a row's components, as [`Bits::Four`] has them.
pub fn put_together(levels: &[u8], bytes: &mut Vec<u8>) {
    let (whole, rest) = levels.as_chunks::<TOGETHER>();
    for levels in whole {
        bytes.extend(std::array::from_fn::<u8, HALF, _>(|at| levels[at] | levels[at + HALF] << 4));
    }
    if !rest.is_empty() {
        let level = |at: usize| rest.get(at).copied().unwrap_or(0);
        bytes.extend((0..HALF).map(|at| level(at) | level(at + HALF) << 4));
    }
}

/// Adds the components of a row to these, as many as there are, times a scale.
pub fn add_row(row: &[u8], bits: Bits, scale: f32, sums: &mut [f32]) {
    let add = |sum: &mut f32, component: i8| *sum += scale * f32::from(component);
    match bits {
        Bits::Four => {
            for (sums, bytes) in sums.chunks_mut(TOGETHER).zip(row.chunks_exact(HALF)) {
                let (first, second) = sums.split_at_mut(HALF.min(sums.len()));
                first.iter_mut().zip(bytes).for_each(|(sum, byte)| add(sum, LEVELS[usize::from(byte & 15)]));
                second.iter_mut().zip(bytes).for_each(|(sum, byte)| add(sum, LEVELS[usize::from(byte >> 4)]));
            }
        }
        Bits::Eight => sums.iter_mut().zip(row).for_each(|(sum, byte)| add(sum, byte.cast_signed())),
    }
}

/// Rows, each to be multiplied with a scale of its own (4 bytes, little-endian).
#[derive(Clone, Copy)]
pub struct ScaledRows<'a> {
    /// The components, one row after the other.
    pub components: &'a [u8],
    /// The scales.
    pub scales: &'a [u8],
    /// How components are written.
    pub bits: Bits,
}

/// The dot product of the question with each row, times its scale, times `step`. Rows are as long as the question.
pub fn scan(question: &[i16], step: f32, rows: ScaledRows<'_>, dots: &mut [f32]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, checked above.
        return unsafe { scan_avx2(question, step, rows, dots) };
    }
    scan_plain(question, step, rows, dots);
}

fn scan_plain(question: &[i16], step: f32, rows: ScaledRows<'_>, dots: &mut [f32]) {
    for (dot, (row, scale)) in dots.iter_mut().zip(rows.each(question.len())) {
        let sum = match rows.bits {
            Bits::Four => plain_of_four(question, row),
            Bits::Eight => plain(question, row),
        };
        *dot = sum as f32 * scale * step;
    }
}

impl<'a> ScaledRows<'a> {
    /// The rows with their scales.
    fn each(self, dimensions: usize) -> impl Iterator<Item = (&'a [u8], f32)> {
        let length = self.bits.row(dimensions).unwrap_or(usize::MAX).max(1);
        self.components.chunks_exact(length).zip(self.scales.chunks_exact(4).map(float))
    }
}

/// A little-endian number.
pub fn float(bytes: &[u8]) -> f32 {
    f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

fn plain(question: &[i16], row: &[u8]) -> i32 {
    question.iter().zip(row).map(|(&q, &r)| i32::from(q) * i32::from(r.cast_signed())).sum()
}

fn plain_of_four(question: &[i16], row: &[u8]) -> i32 {
    let halves = question.chunks(HALF).zip(row.chunks_exact(HALF).flat_map(|bytes| [(bytes, 0), (bytes, 4)]));
    let level = |byte: u8, shift: i32| i32::from(LEVELS[usize::from(byte >> shift & 15)]);
    let dot = |(question, (bytes, shift)): (&[i16], (&[u8], i32))| -> i32 {
        question.iter().zip(bytes).map(|(&q, &byte)| i32::from(q) * level(byte, shift)).sum()
    };
    halves.map(dot).sum()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn scan_avx2(question: &[i16], step: f32, rows: ScaledRows<'_>, dots: &mut [f32]) {
    for (dot, (row, scale)) in dots.iter_mut().zip(rows.each(question.len())) {
        let sum = match rows.bits {
            Bits::Four => avx2_of_four(question, row),
            Bits::Eight => avx2(question, row),
        };
        *dot = sum as f32 * scale * step;
    }
}

/// A shuffle looks up the levels of 32 components at once.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
fn avx2_of_four(question: &[i16], row: &[u8]) -> i32 {
    use std::arch::x86_64::{
        _mm_and_si128, _mm_loadu_si128, _mm_set1_epi8, _mm_srli_epi16, _mm256_add_epi32, _mm256_broadcastsi128_si256,
        _mm256_castsi256_si128, _mm256_cvtepi8_epi16, _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_madd_epi16,
        _mm256_set_m128i, _mm256_setzero_si256, _mm256_shuffle_epi8,
    };
    // SAFETY: 16 bytes; unaligned loads are allowed.
    let levels = _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(LEVELS.as_ptr().cast()) });
    let lower_half = _mm_set1_epi8(15);
    let (blocks, rest) = question.as_chunks::<TOGETHER>();
    let mut sums = [_mm256_setzero_si256(); 2];
    for (question, bytes) in blocks.iter().zip(row.as_chunks::<HALF>().0) {
        // SAFETY: 16 bytes, and 32 numbers of two bytes; unaligned loads are allowed.
        let (bytes, first, second) = unsafe {
            let question = question.as_ptr();
            (
                _mm_loadu_si128(bytes.as_ptr().cast()),
                _mm256_loadu_si256(question.cast()),
                _mm256_loadu_si256(question.add(HALF).cast()),
            )
        };
        let (lower, upper) = (_mm_and_si128(bytes, lower_half), _mm_and_si128(_mm_srli_epi16::<4>(bytes), lower_half));
        let both = _mm256_shuffle_epi8(levels, _mm256_set_m128i(upper, lower));
        let lower = _mm256_cvtepi8_epi16(_mm256_castsi256_si128(both));
        let upper = _mm256_cvtepi8_epi16(_mm256_extracti128_si256::<1>(both));
        sums[0] = _mm256_add_epi32(sums[0], _mm256_madd_epi16(first, lower));
        sums[1] = _mm256_add_epi32(sums[1], _mm256_madd_epi16(second, upper));
    }
    let of_rest = plain_of_four(rest, row.get(blocks.len() * HALF..).unwrap_or_default());
    total_avx2(_mm256_add_epi32(sums[0], sums[1])) + of_rest
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

/// Rows of patterns of bits (sketches of vectors) that are summed together.
pub const ROWS_TOGETHER: usize = 32;

/// How many patterns four bits have: those of one group of four components.
pub const PATTERNS: usize = 16;

/// Sums, for each of [`ROWS_TOGETHER`] rows, the values of its patterns. `tables` holds the values of each group; of
/// two groups after another `codes` has 32 bytes: 16 of the first and 16 of the second, each with the pattern of a row
/// in its lower half and that of the row 16 further on in its upper half. Sums that do not fit wrap around. Returns the
/// largest.
pub fn sum_patterns(tables: &[u8], codes: &[u8], sums: &mut [u16; ROWS_TOGETHER]) -> u16 {
    assert!(
        tables.len().is_multiple_of(2 * PATTERNS) && tables.len() == codes.len(),
        "two groups at a time, and as many tables as codes"
    );
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, checked above.
        return unsafe { sum_patterns_avx2(tables, codes, sums) };
    }
    sum_patterns_plain(tables, codes, sums)
}

fn sum_patterns_plain(tables: &[u8], codes: &[u8], sums: &mut [u16; ROWS_TOGETHER]) -> u16 {
    sums.fill(0);
    for (table, codes) in tables.chunks_exact(PATTERNS).zip(codes.chunks_exact(PATTERNS)) {
        for (at, &code) in codes.iter().enumerate() {
            let (lower, upper) = (usize::from(code & 15), usize::from(code >> 4));
            sums[at] = sums[at].wrapping_add(table[lower].into());
            sums[at + PATTERNS] = sums[at + PATTERNS].wrapping_add(table[upper].into());
        }
    }
    largest(sums)
}

#[inline]
fn largest(sums: &[u16; ROWS_TOGETHER]) -> u16 {
    sums.iter().fold(0, |largest, &sum| largest.max(sum))
}

/// A shuffle looks up 32 values at once, 16 of each group. They are added as pairs of bytes, and the upper bytes once
/// more by themselves: what these carried into is taken away at the end.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn sum_patterns_avx2(tables: &[u8], codes: &[u8], sums: &mut [u16; ROWS_TOGETHER]) -> u16 {
    use std::arch::x86_64::{
        _MM_HINT_T0, _mm_add_epi16, _mm_prefetch, _mm_storeu_si128, _mm_unpackhi_epi16, _mm_unpacklo_epi16,
        _mm256_add_epi16, _mm256_and_si256, _mm256_castsi256_si128, _mm256_extracti128_si256, _mm256_loadu_si256,
        _mm256_set1_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_slli_epi16, _mm256_srli_epi16,
        _mm256_sub_epi16,
    };
    const STEP: usize = 2 * PATTERNS;
    /// As in the scan before this one, which took 5.6 instead of 15.6 ms for 50 MB with it; not measured again.
    const FETCHED_AHEAD: usize = 2048;
    let half = _mm256_set1_epi8(15);
    let mut pairs = [_mm256_setzero_si256(); 2];
    let mut uppers = [_mm256_setzero_si256(); 2];
    for (table, codes) in tables.chunks_exact(STEP).zip(codes.chunks_exact(STEP)) {
        // The processor fetches what comes next by itself, but not beyond a page of 4 KB. An address that is nobody's
        // does no harm.
        _mm_prefetch::<_MM_HINT_T0>(codes.as_ptr().wrapping_add(FETCHED_AHEAD).cast());
        // SAFETY: both are 32 bytes long; unaligned loads are allowed.
        let (table, codes) =
            unsafe { (_mm256_loadu_si256(table.as_ptr().cast()), _mm256_loadu_si256(codes.as_ptr().cast())) };
        let patterns = [_mm256_and_si256(codes, half), _mm256_and_si256(_mm256_srli_epi16::<4>(codes), half)];
        for (at, patterns) in patterns.into_iter().enumerate() {
            let values = _mm256_shuffle_epi8(table, patterns);
            pairs[at] = _mm256_add_epi16(pairs[at], values);
            uppers[at] = _mm256_add_epi16(uppers[at], _mm256_srli_epi16::<8>(values));
        }
    }
    for (at, (pairs, uppers)) in pairs.into_iter().zip(uppers).enumerate() {
        let evens = _mm256_sub_epi16(pairs, _mm256_slli_epi16::<8>(uppers));
        let both = |sums| _mm_add_epi16(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
        let (evens, odds) = (both(evens), both(uppers));
        let ordered = [_mm_unpacklo_epi16(evens, odds), _mm_unpackhi_epi16(evens, odds)];
        for (part, ordered) in sums[at * PATTERNS..][..PATTERNS].chunks_exact_mut(8).zip(ordered) {
            // SAFETY: eight numbers of 16 bits; unaligned stores are allowed.
            unsafe { _mm_storeu_si128(part.as_mut_ptr().cast(), ordered) };
        }
    }
    largest(sums)
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
            bits in prop::sample::select(vec![Bits::Four, Bits::Eight]),
            scale in 0.01..9.0f32,
        ) {
            let count = components.len() / bits.row(question.len()).unwrap();
            let scales = scale.to_le_bytes().repeat(count);
            let rows = ScaledRows { components: &components, scales: &scales, bits };
            let (mut found, mut expected) = (vec![0.0; count], vec![0.0; count]);
            scan(&question, 0.5, rows, &mut found);
            scan_plain(&question, 0.5, rows, &mut expected);
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn components_of_four_bits_are_those_that_were_put_together(levels in prop::collection::vec(0..16u8, 1..99)) {
            let mut row = Vec::new();
            put_together(&levels, &mut row);
            prop_assert_eq!(row.len(), Bits::Four.row(levels.len()).unwrap());
            let mut found = vec![1.0; levels.len()];
            add_row(&row, Bits::Four, 2.0, &mut found);
            let expected = levels.iter().map(|&level| 1.0 + 2.0 * f32::from(LEVELS[usize::from(level)]));
            prop_assert_eq!(found, expected.collect::<Vec<_>>());
        }

        #[test]
        fn nor_with_patterns(
            tables in prop::collection::vec(any::<u8>(), 32 * 130),
            codes in prop::collection::vec(any::<u8>(), 32 * 130),
            groups in 0..=130usize,
        ) {
            let (tables, codes) = (&tables[..32 * groups], &codes[..32 * groups]);
            let (mut found, mut expected) = ([7; ROWS_TOGETHER], [8; ROWS_TOGETHER]);
            let largest = [sum_patterns(tables, codes, &mut found), sum_patterns_plain(tables, codes, &mut expected)];
            prop_assert_eq!(found, expected);
            prop_assert_eq!(largest, [expected.into_iter().max().unwrap(); 2]);
        }
    }
}
