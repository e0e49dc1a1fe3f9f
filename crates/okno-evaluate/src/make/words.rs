//! Words of a corpus: which are rare, and how to name them.

use crate::Result;
use okno::embed::StaticModel;
use okno::store::Snapshot;
use okno::text::script::is_han;
use okno::text::terms;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// How many sentences hold each term.
pub struct SentenceFrequencies {
    counts: FxHashMap<String, u32>,
    sentences: u32,
}

impl SentenceFrequencies {
    pub fn read(snapshot: &dyn Snapshot) -> Result<Self> {
        let mut corpus = Self { counts: FxHashMap::default(), sentences: 0 };
        for number in snapshot.numbers() {
            let text = snapshot.text(number)?;
            for sentence in &snapshot.structure(number)?.sentences {
                corpus.sentences += 1;
                for term in set_of(sentence.span.of(&text)) {
                    *corpus.counts.entry(term).or_default() += 1;
                }
            }
        }
        Ok(corpus)
    }

    /// How much a term tells: the rarer, the more.
    pub fn weight(&self, term: &str) -> f64 {
        let count = f64::from(self.counts.get(term).copied().unwrap_or(0));
        (1.0 + (f64::from(self.sentences) - count + 0.5) / (count + 0.5)).ln()
    }

    /// The mean weight of a text's terms.
    pub fn weight_of(&self, text: &str) -> f64 {
        let terms = set_of(text);
        terms.iter().map(|term| self.weight(term)).sum::<f64>() / terms.len().max(1) as f64
    }
}

/// The distinct index terms of a text.
pub fn set_of(text: &str) -> FxHashSet<String> {
    let mut set = FxHashSet::default();
    terms::terms(text, &mut |term| {
        if !set.contains(term) {
            set.insert(term.to_owned());
        }
    });
    set
}

/// Whether a text is Chinese: a third of its letters, since names and units in Latin letters are common.
pub fn is_chinese(text: &str) -> bool {
    let (mut han, mut letters) = (0, 0);
    for c in text.chars().filter(|c| c.is_alphanumeric()) {
        han += usize::from(is_han(c));
        letters += 1;
    }
    han * 3 > letters
}

/// English words that name nothing.
const COMMON: &[&str] = &[
    "about", "above", "after", "again", "against", "also", "although", "always", "among", "another", "because", "been",
    "before", "being", "below", "between", "both", "cannot", "could", "does", "doing", "down", "during", "each",
    "either", "else", "even", "ever", "every", "first", "from", "further", "have", "having", "here", "however", "into",
    "itself", "just", "last", "less", "like", "made", "make", "many", "might", "more", "most", "much", "must",
    "neither", "never", "next", "nothing", "often", "once", "only", "other", "others", "over", "rather", "same",
    "should", "since", "some", "still", "such", "than", "that", "their", "them", "then", "there", "these", "they",
    "this", "those", "though", "through", "under", "until", "upon", "used", "very", "was", "well", "were", "what",
    "when", "where", "whether", "which", "while", "will", "with", "within", "without", "would", "your",
];

/// The English words of a sentence that tell most, at most `count`, in their order.
pub fn key_words<'t>(sentence: &'t str, count: usize, corpus: &SentenceFrequencies) -> Vec<&'t str> {
    let word = |w: &&str| w.len() >= 4 && w.chars().all(|c| c.is_alphabetic() || c == '-');
    let mut words: Vec<(usize, &str)> = sentence
        .split(|c: char| !(c.is_alphanumeric() || c == '-'))
        .filter(word)
        .filter(|word| !COMMON.contains(&word.to_lowercase().as_str()))
        .enumerate()
        .collect();
    let mut seen = FxHashSet::default();
    words.retain(|(_, word)| seen.insert(word.to_lowercase()));
    words.sort_by(|(i, a), (j, b)| corpus.weight_of(b).total_cmp(&corpus.weight_of(a)).then(i.cmp(j)));
    words.truncate(count);
    words.sort_unstable();
    words.into_iter().map(|(_, word)| word).collect()
}

/// Words of one character that stand between names. Inside a longer word – 首都, 和平, 现在 – they are letters like any
/// other.
const LOOSE: &str = "的了是在和与及或被把让就还很都也并而且但其该此这那它他她我你们为以于从到对向将已";

/// How many characters a phrase has: shorter ones are ambiguous, longer ones are statements.
const PHRASE: std::ops::RangeInclusive<usize> = 3..=8;

/// The stretch of a Chinese sentence that tells most: whole words between marks, without loose ones at or between them.
pub fn key_phrase<'t>(sentence: &'t str, corpus: &SentenceFrequencies) -> Option<&'t str> {
    let runs = sentence.split(|c: char| !is_han(c)).filter(|run| !run.is_empty());
    let phrases = runs.flat_map(|run| phrases(run, &words(run)));
    phrases.max_by(|a, b| corpus.weight_of(a).total_cmp(&corpus.weight_of(b)))
}

/// The words of a run of Chinese characters, as the built-in model's tokenizer sees them.
fn words(run: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    let ends = StaticModel::builtin().piece_ends(run).into_iter();
    ends.map(|end| std::mem::replace(&mut start, end)..end).collect()
}

/// For each word, the longest phrase that begins with it.
fn phrases<'t>(run: &'t str, words: &[Range<usize>]) -> Vec<&'t str> {
    let is_loose = |word: &Range<usize>| LOOSE.contains(&run[word.clone()]);
    let beginning = |at: usize| {
        let following = words[at..].iter().take_while(|word| !is_loose(word));
        let fitting = following.map(|word| &run[words[at].start..word.end]);
        fitting.take_while(|phrase| phrase.chars().count() <= *PHRASE.end()).last()
    };
    let long = |phrase: &&str| PHRASE.contains(&phrase.chars().count());
    (0..words.len()).filter_map(beginning).filter(long).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_is_never_cut_inside_a_word() {
        // Broken before: 首都机场 was cut to 机场扩建工程 because 都 was taken for "all", 和平饭店 to 平饭店.
        let cut = |run: &str| words(run).into_iter().map(|word| run[word].to_owned()).collect::<Vec<_>>();
        for (run, within) in [("首都机场的扩建工程", "首都"), ("和平饭店在上海", "和平"), ("现在参与调查", "参与")]
        {
            assert!(cut(run).iter().any(|word| word.starts_with(within) || within == word), "{:?}", cut(run));
            let bounds: Vec<usize> = words(run).iter().flat_map(|word| [word.start, word.end]).collect();
            for phrase in phrases(run, &words(run)) {
                let start = phrase.as_ptr() as usize - run.as_ptr() as usize;
                assert!(bounds.contains(&start) && bounds.contains(&(start + phrase.len())), "{phrase}");
            }
        }
        assert!(
            phrases("首都机场的扩建工程", &words("首都机场的扩建工程")).iter().all(|phrase| !phrase.contains('的'))
        );
    }
}
