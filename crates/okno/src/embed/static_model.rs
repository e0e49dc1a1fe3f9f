//! The built-in embedder: a text comes in, the sum of its tokens' vectors goes out. No network runs; a sentence takes
//! microseconds.
//!
//! ```text
//! text → special tokens out → charsmap → runs of one character class → Unigram pieces → ids
//! v = Σ over distinct ids of sqrt(count) · scale[id] · row[id]
//! ```
//!
//! The ids are exactly those of the Python library `tokenizers` with the model's own `tokenizer.json`, without
//! special tokens. Sums are not normalised, because a window's vector is the sum of its sentences'. They are added in
//! ascending order of ids, each component for itself, without fused multiply-add, so the same text gives the same
//! bits on every machine.
//!
//! The model is one packed file (see `models/pack.py` for its sections), read where it lies.

use std::sync::LazyLock;

use super::charsmap::{Charsmap, lowers_ascii};
use super::unigram::{BestPath, Unigram};
use crate::packed::short_words::ShortWords;
use crate::packed::{CharTable, PackedFile, Specials, TextOrSpecial, Trie, class_of, u32_at, u64_at};

pub use crate::packed::PackedError as ModelError;

const KIND: &str = "oknostat";
const VERSION: u32 = 1;
const SECTIONS: usize = 12;
const FACTS_SIZE: u64 = 24;
/// Positions in a run are kept in 32 bits. Longer runs, gigabytes without a space, are cut here.
const LONGEST_RUN: usize = 1 << 30;

/// On a cache line, so that a row of 256 bytes touches four of them and not five.
#[repr(align(64))]
struct Aligned<T: ?Sized>(T);

static BUILTIN_BYTES: &Aligned<[u8]> = &Aligned(*include_bytes!("../../assets/okno-static.bin"));
static BUILTIN: LazyLock<StaticModel> = LazyLock::new(|| {
    // The file is part of the program and a test opens it: it can fail here only where that test fails.
    StaticModel::from_bytes(&BUILTIN_BYTES.0).expect("the built-in model is well formed")
});

/// A static embedding model and its tokenizer.
pub struct StaticModel {
    file: PackedFile<SECTIONS>,
    specials: Specials,
    identity: String,
    rows: usize,
    dimensions: usize,
    unknown: u32,
    longest_piece: usize,
    unknown_score: f64,
    lowers_ascii: bool,
    /// The classes of ASCII characters, taken from the table of all.
    ascii_classes: [u8; 128],
}

/// Room to work in, with one model; keep one per thread and no sentence allocates.
#[derive(Default)]
pub struct Scratch {
    normal: String,
    run: String,
    best: Vec<BestPath>,
    ids: Vec<u32>,
    runs: ShortWords<RunIds>,
}

/// The ids of a run that has few, and how many.
type RunIds = ([u32; 3], u8);

fn run_ids(ids: &[u32]) -> Option<RunIds> {
    let mut few = [0; 3];
    few.get_mut(..ids.len())?.copy_from_slice(ids);
    Some((few, ids.len() as u8))
}

impl Scratch {
    /// The ids of the last text.
    #[must_use]
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }
}

impl StaticModel {
    /// The model that is part of the program.
    #[must_use]
    pub fn builtin() -> &'static Self {
        &BUILTIN
    }

    /// Opens a packed model without copying or parsing it.
    ///
    /// # Errors
    /// If the bytes are no packed model of this version, are cut short, or contradict themselves. Damage inside the
    /// sections is not looked for; it gives wrong vectors, never a panic.
    pub fn from_bytes(bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> Result<Self, ModelError> {
        let file = PackedFile::<SECTIONS>::open(bytes, KIND, VERSION)?;
        file.expect_size(0, "section `facts`", FACTS_SIZE)?;
        let facts = file.section(0);
        let (rows, dimensions) = (u32_at(facts, 0), u32_at(facts, 4));
        let model = Self {
            specials: Specials::read(file.section(10)),
            identity: format!("okno-static-{}", file.identity()),
            rows: rows as usize,
            dimensions: dimensions as usize,
            unknown: u32_at(facts, 8),
            longest_piece: u32_at(facts, 12) as usize,
            unknown_score: f64::from_bits(u64_at(facts, 16)),
            lowers_ascii: lowers_ascii(char_table(&file)),
            ascii_classes: std::array::from_fn(|code| {
                class_of(file.section(8), file.section(9), char::from(code as u8))
            }),
            file,
        };
        model.file.expect_size(1, "section `rows`", u64::from(rows) * u64::from(dimensions))?;
        model.file.expect_size(2, "section `scales`", u64::from(rows) * 4)?;
        model.file.expect_size(3, "section `scores`", u64::from(rows) * 8)?;
        Ok(model)
    }

    /// A name that changes with the content: indexes built with another one must not be mixed.
    #[must_use]
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// Components of a vector.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Number of ids.
    #[must_use]
    pub fn vocabulary(&self) -> usize {
        self.rows
    }

    /// Appends the normal form of `text`: what the model takes for the same becomes the same.
    pub fn normalize(&self, text: &str, out: &mut String) {
        self.charsmap().normalize(text, out);
    }

    /// Appends the normal form of every character of `text` by itself.
    pub fn normalize_characters(&self, text: &str, out: &mut String) {
        self.charsmap().normalize_characters(text, out);
    }

    /// Appends the ids of `text`.
    pub fn encode(&self, text: &str, ids: &mut Vec<u32>) {
        let mut scratch = Scratch::default();
        self.encode_with(text, &mut scratch);
        ids.append(&mut scratch.ids);
    }

    /// Sets `out` to the unnormalised vector of `text`; an empty text gives zeros. A shorter `out` gets the first
    /// components.
    pub(crate) fn sum_into(&self, text: &str, scratch: &mut Scratch, out: &mut [f32]) {
        self.encode_sorted(text, scratch);
        self.sum_ids(&scratch.ids, out);
    }

    /// The same for a text with these ids, which ascend.
    pub(crate) fn sum_ids(&self, ids: &[u32], out: &mut [f32]) {
        out.fill(0.0);
        let mut together = [(&[][..], 0.0); ABREAST];
        let mut waiting = 0;
        for same in ids.chunk_by(|a, b| a == b) {
            if let Some((row, scale)) = self.components(same[0]).zip(self.scale(same[0])) {
                together[waiting] = (row, (same.len() as f32).sqrt() * scale);
                waiting += 1;
            }
            if waiting == ABREAST {
                add_rows(out, together);
                waiting = 0;
            }
        }
        together[..waiting].iter().for_each(|row| add_rows(out, [*row]));
    }

    /// Where the pieces of a run of letters end, in bytes: for Chinese, whose words have no blanks between them,
    /// mostly the ends of words.
    pub fn piece_ends(&self, run: &str) -> Vec<usize> {
        self.unigram().pieces(run).into_iter().map(|(at, _)| at.end).collect()
    }

    /// The pieces of a text that the model knows, as they read in its normal form, with their ids.
    pub(crate) fn pieces(&self, text: &str) -> Vec<(String, u32)> {
        let (mut normal, mut pieces) = (String::new(), Vec::new());
        let prefix = str::from_utf8(self.file.section(11)).unwrap_or_default();
        self.normalize(text, &mut normal);
        self.for_each_run(&normal, |letters| {
            let run = [prefix, letters].concat();
            let known = self.unigram().pieces(&run).into_iter().filter(|(_, id)| *id != self.unknown);
            let named = known.map(|(at, id)| (run[at].trim_start_matches(prefix).to_owned(), id));
            pieces.extend(named.filter(|(piece, _)| !piece.is_empty()));
        });
        pieces
    }

    fn scale(&self, id: u32) -> Option<f32> {
        self.file.words(2).get(id as usize).map(|bytes| f32::from_le_bytes(*bytes))
    }

    /// The vector of one id but for its scale, in signed bytes; `None` for an id there is none of.
    pub(crate) fn components(&self, id: u32) -> Option<&[u8]> {
        let start = (id as usize).checked_mul(self.dimensions)?;
        self.file.section(1).get(start..)?.get(..self.dimensions)
    }

    /// The vector of one id; zeros for an id there is none of.
    #[must_use]
    pub fn row(&self, id: u32) -> Vec<f32> {
        let mut out = vec![0.0; self.dimensions];
        if let Some(row) = self.components(id).zip(self.scale(id)) {
            add_rows(&mut out, [row]);
        }
        out
    }

    /// Leaves the ids of `text` in the scratch, ascending.
    pub(crate) fn encode_sorted(&self, text: &str, scratch: &mut Scratch) {
        self.encode_with(text, scratch);
        scratch.ids.sort_unstable();
    }

    /// Leaves the ids of `text` in the scratch.
    fn encode_with(&self, text: &str, scratch: &mut Scratch) {
        scratch.ids.clear();
        for part in self.specials.split(text) {
            match part {
                TextOrSpecial::Special(id, _) => scratch.ids.push(id),
                TextOrSpecial::Text(text) => self.encode_plain(text, scratch),
            }
        }
    }

    fn encode_plain(&self, text: &str, scratch: &mut Scratch) {
        let Scratch { normal, run, best, ids, runs } = scratch;
        let (unigram, prefix) = (self.unigram(), str::from_utf8(self.file.section(11)).unwrap_or_default());
        normal.clear();
        self.charsmap().normalize(text, normal);
        self.for_each_run(normal, |letters| {
            let first = ids.len();
            let known = runs.get_or_make(letters.as_bytes(), || {
                run.clear();
                run.push_str(prefix);
                run.push_str(letters);
                unigram.encode(run, best, ids);
                run_ids(&ids[first..])
            });
            if let Some((few, count)) = known {
                ids.truncate(first);
                ids.extend_from_slice(&few[..usize::from(count)]);
            }
        });
    }

    /// Runs of characters that one alternative of the pattern takes: the first alternative that takes a run's first
    /// character goes on as long as it can. Characters that no alternative takes are dropped.
    fn for_each_run(&self, text: &str, mut each: impl FnMut(&str)) {
        let (index, blocks) = (self.file.section(8), self.file.section(9));
        let (mut start, mut taken) = (0, 0u8);
        for (at, c) in text.char_indices() {
            let ascii = self.ascii_classes.get(c as usize);
            let class = ascii.map_or_else(|| class_of(index, blocks, c), |class| *class);
            if class & taken == 0 || at - start >= LONGEST_RUN {
                if taken != 0 {
                    each(&text[start..at]);
                }
                (start, taken) = (at, class & class.wrapping_neg());
            }
        }
        if taken != 0 {
            each(&text[start..]);
        }
    }

    pub(super) fn charsmap(&self) -> Charsmap<'_> {
        Charsmap::new(char_table(&self.file), self.lowers_ascii)
    }

    fn unigram(&self) -> Unigram<'_> {
        Unigram {
            pieces: Trie::new(self.file.words(4)),
            scores: self.file.section(3).as_chunks().0,
            unknown: self.unknown,
            unknown_score: self.unknown_score,
            longest: self.longest_piece,
        }
    }
}

fn char_table(file: &PackedFile<SECTIONS>) -> CharTable<'_> {
    CharTable::new(file.section(5), file.words(6), file.words(7))
}

/// Rows that are added in one pass: the processor waits for the memory of all of them at once.
const ABREAST: usize = 4;

/// A row in signed bytes, and its weight.
type WeightedRow<'r> = (&'r [u8], f32);

/// `out += weight · row`, row after row. With AVX2, four together, this takes a third of the time.
fn add_rows<const N: usize>(out: &mut [f32], rows: [WeightedRow; N]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, checked above.
        return unsafe { add_rows_avx2(out, rows) };
    }
    add_rows_plain(out, rows);
}

/// The same, compiled for wider vector instructions: each component gets the same operations, so the same bits.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn add_rows_avx2<const N: usize>(out: &mut [f32], rows: [WeightedRow; N]) {
    add_rows_plain(out, rows);
}

/// A loop that the compiler turns into vector instructions.
#[expect(clippy::inline_always, reason = "a function of its own would be compiled without wider instructions")]
#[inline(always)]
fn add_rows_plain<const N: usize>(out: &mut [f32], rows: [WeightedRow; N]) {
    let length = rows.iter().fold(out.len(), |length, (row, _)| length.min(row.len()));
    let rows = rows.map(|(row, weight)| (&row[..length], weight));
    for (at, sum) in out[..length].iter_mut().enumerate() {
        for (row, weight) in rows {
            *sum += weight * f32::from(row[at].cast_signed());
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cases() -> impl Iterator<Item = serde_json::Value> {
        include_str!("../../tests/embedding_cases.jsonl").lines().map(|line| serde_json::from_str(line).unwrap())
    }

    fn ids(text: &str) -> Vec<u32> {
        let mut ids = Vec::new();
        StaticModel::builtin().encode(text, &mut ids);
        ids
    }

    fn sum(model: &StaticModel, text: &str) -> Vec<f32> {
        let mut out = vec![0.0; model.dimensions()];
        model.sum_into(text, &mut Scratch::default(), &mut out);
        out
    }

    #[test]
    fn normal_forms_and_ids_are_those_of_tokenizers() {
        for case in cases() {
            let text = case["text"].as_str().unwrap();
            let mut normal = String::new();
            StaticModel::builtin().normalize(text, &mut normal);
            assert_eq!(normal, case["normal"], "{text:?}");
            assert_eq!(serde_json::json!(ids(text)), case["ids"], "{text:?}");
        }
    }

    #[test]
    fn vectors_are_those_of_numpy() {
        for case in cases() {
            let got = sum(StaticModel::builtin(), case["text"].as_str().unwrap());
            for (got, expected) in got.iter().zip(case["head"].as_array().unwrap()) {
                let gap = (f64::from(*got) - expected.as_f64().unwrap()).abs();
                assert!(gap < 1e-5 * case["norm"].as_f64().unwrap().max(1.0), "{} is off by {gap}", case["text"]);
            }
        }
    }

    /// Numbers that the trainer published beside the model, in case the fixture and this code ever share a mistake.
    #[test]
    fn the_published_checks_hold() {
        assert_eq!(ids("How do I restart a Pod?"), [3939, 511, 3764, 5399, 3706, 2104]);
        assert_eq!(ids("法國的首都在哪裡？"), [2, 28321, 27947, 29278, 27949, 33525]);
        let vector = sum(StaticModel::builtin(), "How do I restart a Pod?");
        let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        for (got, expected) in vector.iter().zip([-0.13057, -0.13177, 0.02927, -0.08794, 0.00794, -0.00867]) {
            assert!((got / norm - expected).abs() < 1e-5, "{} is not {expected}", got / norm);
        }
    }

    #[test]
    fn a_shorter_vector_is_the_beginning_of_the_long_one() {
        let mut short = vec![1.0; 64];
        StaticModel::builtin().sum_into("how do I restart a pod", &mut Scratch::default(), &mut short);
        assert_eq!(short, sum(StaticModel::builtin(), "how do I restart a pod")[..64].to_vec());
    }

    #[test]
    fn what_a_text_was_before_leaves_no_trace() {
        let (mut scratch, mut out) = (Scratch::default(), vec![0.0; StaticModel::builtin().dimensions()]);
        StaticModel::builtin().sum_into("another text 另一個", &mut scratch, &mut out);
        StaticModel::builtin().sum_into("", &mut scratch, &mut out);
        assert!(out.iter().all(|x| *x == 0.0));
    }

    #[test]
    fn every_beginning_of_the_file_is_refused() {
        for length in [0, 7, 8, 12, 100, 223, 224, 1000, BUILTIN_BYTES.0.len() - 1] {
            assert!(StaticModel::from_bytes(BUILTIN_BYTES.0[..length].to_vec()).is_err(), "{length} bytes");
        }
    }

    /// A model of a few kilobytes: one section of the real one after the other is cut to what is left of a small file.
    fn small_file() -> Vec<u8> {
        let mut bytes = BUILTIN_BYTES.0[..TABLE_END].to_vec();
        let mut facts = BUILTIN.file.section(0).to_vec();
        facts[..4].copy_from_slice(&SMALL_ROWS.to_le_bytes());
        for number in 0..SECTIONS {
            let real = if number == 0 { &facts[..] } else { BUILTIN.file.section(number) };
            let rows = SMALL_ROWS as usize;
            let size = [24, rows * BUILTIN.dimensions, rows * 4, rows * 8]
                .get(number)
                .copied()
                .unwrap_or(4096)
                .min(real.len());
            let at = 32 + 16 * number;
            let start = bytes.len() as u64;
            bytes[at..at + 8].copy_from_slice(&start.to_le_bytes());
            bytes[at + 8..at + 16].copy_from_slice(&(size as u64).to_le_bytes());
            bytes.extend(&real[..size]);
        }
        bytes
    }

    const TABLE_END: usize = 32 + 16 * SECTIONS;
    const SMALL_ROWS: u32 = 40;
    const HARD_TEXT: &str = "The 的中國 ＡＢＣ e\u{301}É\u{301} [UNK] ﷺ 가 😀\u{200d}x abc123";

    #[test]
    fn a_small_file_opens() {
        let model = StaticModel::from_bytes(small_file()).unwrap();
        assert_eq!((model.vocabulary(), model.dimensions()), (40, 256));
        assert_eq!(sum(&model, HARD_TEXT).len(), 256);
    }

    proptest! {
        #[test]
        fn rows_are_added_one_after_the_other(
            rows in prop::collection::vec(any::<[u8; 4]>(), 300),
            sums in prop::collection::vec(-9.0..9.0f32, 0..300),
            weights in prop::array::uniform4(-2.0..2.0f32),
        ) {
            let rows: [Vec<u8>; 4] = std::array::from_fn(|row| rows.iter().map(|components| components[row]).collect());
            let rows: [WeightedRow; 4] = std::array::from_fn(|row| (&rows[row][..], weights[row]));
            let (mut found, mut expected) = (sums.clone(), sums);
            add_rows(&mut found, rows);
            for row in rows {
                add_rows_plain(&mut expected, [row]);
            }
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn any_text_gives_known_ids(text in "\\PC*|[a-zÉ中的國\u{300}\u{200d}\\[\\]UNK 0-9]{0,80}") {
            let model = StaticModel::builtin();
            prop_assert!(ids(&text).iter().all(|id| (*id as usize) < model.vocabulary()));
            prop_assert!(sum(model, &text).iter().all(|x| x.is_finite()));
        }

        /// Runs end at white space, so a text's ids are those of its parts.
        #[test]
        fn ids_add_up_at_white_space(left in "\\PC{0,30}", right in "[a-z中]\\PC{0,30}") {
            prop_assert_eq!(ids(&format!("{left}\n{right}")), [ids(&left), ids(&right)].concat());
        }

        #[test]
        fn damaged_files_never_panic(damage in prop::collection::vec((0usize..40_000, any::<u8>()), 1..200)) {
            let mut bytes = small_file();
            for (at, value) in damage {
                let at = at % bytes.len();
                bytes[at] = value;
            }
            if let Ok(model) = StaticModel::from_bytes(bytes) {
                model.sum_into(HARD_TEXT, &mut Scratch::default(), &mut [0.0; 256]);
            }
        }
    }
}
