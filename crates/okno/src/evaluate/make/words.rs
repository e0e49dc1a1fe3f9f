//! Words of a corpus: which are rare, and how to name them.

use crate::Result;
use crate::store::{Snapshot, terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// How many sentences hold each term.
pub struct Corpus {
    counts: FxHashMap<String, u32>,
    sentences: u32,
}

impl Corpus {
    pub fn read(snapshot: &dyn Snapshot) -> Result<Self> {
        let mut corpus = Self { counts: FxHashMap::default(), sentences: 0 };
        for number in snapshot.numbers() {
            let text = snapshot.text(number)?;
            for sentence in &snapshot.structure(number)?.sentences {
                corpus.sentences += 1;
                for term in set_of(sentence.span.of(text)) {
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

fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}')
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
pub fn key_words<'t>(sentence: &'t str, count: usize, corpus: &Corpus) -> Vec<&'t str> {
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

/// Characters that stand between names and in none: not 上, 中, 可 or 会, which make 上海, 中文, 可能 and 会议.
const LOOSE: &str = "的了是在和与及或被把让就还很都也并而且但其该此这那它他她我你们";

/// The stretch of a Chinese sentence that tells most: two to eight characters between marks, without loose ends.
pub fn key_phrase<'t>(sentence: &'t str, corpus: &Corpus) -> Option<&'t str> {
    let runs = sentence.split(|c: char| !is_han(c) || LOOSE.contains(c));
    let long = |run: &&str| (3..=8).contains(&run.chars().count());
    runs.filter(long).max_by(|a, b| corpus.weight_of(a).total_cmp(&corpus.weight_of(b)))
}
