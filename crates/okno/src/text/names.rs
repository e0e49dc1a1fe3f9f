//! What documents are called, for questions that name one and for texts that name another.
//!
//! Comes in: titles and paths. Goes out: which documents a question names and how surely, and which titles a text
//! mentions. Names are taken apart: `3M_2018_10K.pdf` is found by `3M` and `2018`, `ACTIVISIONBLIZZARD` by `Activision
//! Blizzard`, `camelCase` by its words. A word of many names says little, a word of one name says all.

use super::terms::{QueryTerm, of_query};
use super::untagged::untagged;
use crate::embed::StaticModel;
use crate::packed::groups::{HashGroups, list};
use crate::packed::series::{Series, SeriesReader, SeriesWriter};
use okno_document::Record;
use okno_document::text::script::is_dense;
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::{BuildHasher, BuildHasherDefault};

/// The number of a document, as stores give it.
type Number = u32;

/// Words of a title that is looked for in texts, at most; characters of one in a dense script.
const LONGEST_TITLE: usize = 8;
const LONGEST_DENSE_TITLE: usize = 16;

/// Documents that share one title are not looked for by it: it says nothing.
const SHARED_BY: usize = 3;

/// The names of all documents, in rows that can be kept in a file and read in place: gathering the names of 70,000
/// documents takes half a second.
#[derive(Debug, Default)]
pub struct DocumentNames {
    /// For each word of a name the documents that have it, by their place in the rows below.
    words: HashGroups,
    /// The numbers of the documents, ascending.
    numbers: Series<Number>,
    /// The end of the words of each document in the next row.
    ends: Series<u32>,
    /// The words of all documents, by their place in `words`.
    own_words: Series<u32>,
    /// The path of each document without tags of languages.
    paths: Series<u64>,
    /// Whole titles, by their words, and the documents that have them.
    titles: HashGroups,
    /// What these titles begin with: the first word and the first two characters of each. Nearly everything in a text
    /// begins otherwise, and need not be looked at further.
    beginnings: Series<u64>,
    /// Paths without tags of languages that several documents have.
    shared_paths: Series<u64>,
}

fn sorted(hashes: FxHashSet<u64>) -> Series<u64> {
    let mut hashes: Vec<u64> = hashes.into_iter().collect();
    hashes.sort_unstable();
    hashes.into()
}

/// What stands there more than once.
fn repeated(hashes: &[u64]) -> Series<u64> {
    let mut sorted = hashes.to_vec();
    sorted.sort_unstable();
    sorted.chunk_by(|one, other| one == other).filter(|equal| equal.len() > 1).map(|equal| equal[0]).collect()
}

/// The names of documents while they are gathered.
#[derive(Debug, Default)]
pub struct NameGathering {
    words: FxHashMap<u64, Vec<u32>>,
    numbers: Vec<Number>,
    /// The end of the words of each document in the next row.
    ends: Vec<u32>,
    own_words: Vec<u64>,
    /// The path of each document without tags of languages.
    paths: Vec<u64>,
    titles: FxHashMap<u64, Vec<Number>>,
    beginnings: FxHashSet<u64>,
}

/// A document that a question names.
#[derive(Debug, Clone, PartialEq)]
pub struct Naming {
    /// The document.
    pub document: Number,
    /// How surely it is meant, from 0 to 1.
    pub surely: f32,
}

/// A word of a question that names have.
struct NamingWord<'n> {
    /// The documents whose names have it, by their place.
    documents: &'n [u32],
    rarity: f32,
}

/// The words of which a document has one at least whose words are together this rare. Common words, which thousands of
/// names have, are not among them where they say little all together.
fn telling<'w>(words: &'w [NamingWord<'w>], least: f32) -> Vec<&'w NamingWord<'w>> {
    let mut words: Vec<&NamingWord<'_>> = words.iter().collect();
    words.sort_unstable_by(|a, b| a.rarity.total_cmp(&b.rarity));
    let mut together = 0.0;
    words.retain(|word| {
        together += word.rarity;
        // Their order is another one where they are added up.
        together >= 0.99 * least
    });
    words
}

impl NameGathering {
    /// Adds a document; they come by ascending number.
    pub fn add(&mut self, number: Number, record: &Record) {
        let mut words: Vec<u64> = name_words(&record.title);
        if record.id.member.is_none() {
            words.extend(name_words(stem_of(&record.id.path)));
        }
        words.sort_unstable();
        words.dedup();
        let place = self.numbers.len() as u32;
        for &word in &words {
            self.words.entry(word).or_default().push(place);
        }
        self.numbers.push(number);
        self.own_words.extend(words);
        self.ends.push(self.own_words.len() as u32);
        self.paths.push(hash(&untagged(&format!("{}/{}", record.id.root, record.id.name()))));
        for title in title_forms(&record.title) {
            self.beginnings.extend([hash(first_word(&title)), hash(first_two(&title))]);
            self.titles.entry(hash(&title)).or_default().push(number);
        }
    }

    /// All names.
    pub fn names(self) -> DocumentNames {
        let words = HashGroups::new(self.words);
        let places = self.own_words.into_iter().filter_map(|word| words.place(word));
        DocumentNames {
            numbers: self.numbers.into(),
            ends: self.ends.into(),
            own_words: places.map(|place| place as u32).collect(),
            shared_paths: repeated(&self.paths),
            paths: self.paths.into(),
            words,
            titles: HashGroups::new(self.titles),
            beginnings: sorted(self.beginnings),
        }
    }
}

impl DocumentNames {
    /// Gathers the names of documents.
    pub fn new<'r>(records: impl Iterator<Item = (Number, &'r Record)>) -> Self {
        let mut names = NameGathering::default();
        for (number, record) in records {
            names.add(number, record);
        }
        names.names()
    }

    /// Writes the rows for [`Self::kept`].
    pub(crate) fn keep(&self, rows: &mut SeriesWriter) {
        self.words.keep(rows);
        rows.put(&self.numbers);
        rows.put(&self.ends);
        rows.put(&self.own_words);
        rows.put(&self.paths);
        self.titles.keep(rows);
        rows.put(&self.beginnings);
        rows.put(&self.shared_paths);
    }

    /// The names that [`Self::keep`] wrote.
    pub(crate) fn kept(rows: &mut SeriesReader) -> Option<Self> {
        Some(Self {
            words: HashGroups::kept(rows)?,
            numbers: rows.next()?,
            ends: rows.next()?,
            own_words: rows.next()?,
            paths: rows.next()?,
            titles: HashGroups::kept(rows)?,
            beginnings: rows.next()?,
            shared_paths: rows.next()?,
        })
    }

    /// Whether the paths of several documents differ only in tags of languages.
    pub fn has_translations(&self) -> bool {
        !self.shared_paths.is_empty()
    }

    /// What the path of a document has in common with those of its translations; `None` where there are none.
    pub fn translated_path(&self, number: Number) -> Option<u64> {
        let path = self.paths[self.place(number)?];
        self.shared_paths.binary_search(&path).is_ok().then_some(path)
    }

    fn place(&self, number: Number) -> Option<usize> {
        self.numbers.binary_search(&number).ok()
    }

    /// The words of a document, by their place in `words`.
    fn words_of_document(&self, place: usize) -> &[u32] {
        list(&self.ends, &self.own_words, place)
    }

    /// The documents that a question names at least this surely, the surest first.
    pub fn named(&self, question: &str, least: f32) -> Vec<Naming> {
        let mut asked: FxHashMap<u64, f32> = FxHashMap::default();
        for (word, weight) in question_words(question) {
            let known = asked.entry(word).or_default();
            *known = known.max(weight);
        }
        let known = |(&word, weight): (&u64, &f32)| {
            let documents = self.words.get(word)?;
            Some(NamingWord { documents, rarity: weight * self.rarity(documents.len()) })
        };
        let words: Vec<NamingWord<'_>> = asked.iter().filter_map(known).collect();
        let mut evidence = vec![0.0; self.numbers.len()];
        for word in &words {
            word.documents.iter().for_each(|&place| evidence[place as usize] += word.rarity);
        }
        // Nobody is meant more surely than the words say that are there, but for rounding.
        let least_evidence = 0.99 * least;
        let found = telling(&words, least_evidence).into_iter().flat_map(|word| word.documents);
        let once = found.map(|&place| (place, std::mem::take(&mut evidence[place as usize])));
        let may_be_meant = once.filter(|&(_, evidence)| evidence > 0.0 && evidence >= least_evidence);
        let mut namings: Vec<(u32, f32)> =
            may_be_meant.map(|(place, evidence)| (place, self.surely(place, evidence))).collect();
        namings.retain(|naming| naming.1 >= least);
        namings.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let naming = |(place, surely): (u32, f32)| Naming { document: self.numbers[place as usize], surely };
        namings.into_iter().map(naming).collect()
    }

    /// What a question says beside the names of these documents.
    pub fn rest(&self, question: &str, documents: &[Number]) -> String {
        if documents.is_empty() {
            return question.to_owned();
        }
        let places = documents.iter().filter_map(|&number| self.place(number));
        let named = places.map(|at| self.words_of_document(at).iter().map(|&word| self.words.keys[word as usize]));
        without(question, &named.flatten().collect())
    }

    /// How surely a document is meant whose name has words of this rarity in common with the question.
    fn surely(&self, place: u32, evidence: f32) -> f32 {
        let words = self.words_of_document(place as usize);
        let whole: f32 = words.iter().map(|&word| self.rarity(self.words.at(word as usize).len())).sum();
        let said = evidence / whole.max(1e-6);
        evidence.min(1.0) * said.max((evidence / ENOUGH).min(1.0))
    }

    /// From 0, a word of every name, to 1, a word of one.
    fn rarity(&self, documents: usize) -> f32 {
        let all = (self.numbers.len() + 1) as f32;
        1.0 - (documents as f32).ln() / all.ln()
    }

    /// The documents whose whole titles a text mentions, in the order of their mention.
    pub fn mentioned(&self, text: &str) -> Vec<Number> {
        let mut found: Vec<Number> = Vec::new();
        self.each_title_like(text, &mut |title| {
            let documents = self.titles.get(hash(title)).filter(|documents| documents.len() <= SHARED_BY);
            for &document in documents.into_iter().flatten() {
                if !found.contains(&document) {
                    found.push(document);
                }
            }
        });
        found
    }

    /// The documents whose whole title this is, in the singular or the plural.
    pub fn titled(&self, name: &str) -> Vec<Number> {
        let singular = name.strip_suffix('s').unwrap_or(name);
        let forms = [singular.to_owned(), format!("{singular}s")];
        let keys = forms.iter().filter_map(|form| title_key(form)).map(|title| hash(&title));
        let documents = keys.filter_map(|key| self.titles.get(key)).filter(|documents| documents.len() <= SHARED_BY);
        documents.flatten().copied().collect()
    }

    /// Calls `each` with everything in a text that begins like a title.
    fn each_title_like(&self, text: &str, each: &mut impl FnMut(&str)) {
        let separates = |c: char| !c.is_alphanumeric() || is_dense(c);
        let words: Vec<&str> = text.split(separates).filter(|word| !word.is_empty()).collect();
        let mut joined = String::new();
        for from in 0..words.len() {
            if words[from].starts_with(char::is_lowercase) {
                continue;
            }
            joined.clear();
            fold_into(words[from], &mut joined);
            if !self.begins(first_word(&joined)) {
                continue;
            }
            each(&joined);
            for word in words[from + 1..].iter().take(LONGEST_TITLE - 1) {
                joined.push(' ');
                fold_into(word, &mut joined);
                each(&joined);
            }
        }
        for run in text.split(|c: char| !(is_dense(c) || c.is_alphanumeric())).filter(|run| run.contains(is_dense)) {
            joined.clear();
            fold_into(run, &mut joined);
            for (from, _) in joined.char_indices() {
                let rest = &joined[from..];
                if self.begins(first_two(rest)) {
                    let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8());
                    ends.take(LONGEST_DENSE_TITLE).skip(1).for_each(|end| each(&rest[..end]));
                }
            }
        }
    }

    fn begins(&self, beginning: &str) -> bool {
        self.beginnings.binary_search(&hash(beginning)).is_ok()
    }
}

/// Rare words that are enough to name a document whatever else it is called.
const ENOUGH: f32 = 3.0;

/// What a word in lower case weighs: it is seldom a name.
const LOWER: f32 = 0.4;

/// A text in the form in which spellings that mean the same are the same.
fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    fold_into(text, &mut folded);
    folded
}

fn fold_into(text: &str, out: &mut String) {
    StaticModel::builtin().normalize(text, out);
}

fn hash(text: &str) -> u64 {
    BuildHasherDefault::<rustc_hash::FxHasher>::default().hash_one(text)
}

/// A path without its ending.
fn stem_of(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    &path[..path.len() - name.len() + stem.len()]
}

/// The words of a name: as they are indexed, and the parts of what is written together.
fn name_words(name: &str) -> Vec<u64> {
    // A letter or a digit out of a code is no name.
    let tells = |term: &QueryTerm| term.unless.is_empty() && term.text.len() > 1;
    let parts = of_query(&apart(name)).into_iter().filter(tells).map(|term| hash(&term.text));
    let written = words_of(name).filter(|word| !word.contains(is_dense)).map(word_key);
    let mut words: Vec<u64> = parts.chain(written).collect();
    words.sort_unstable();
    words.dedup();
    words
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// The key of one word, whole.
fn word_key(word: &str) -> u64 {
    of_query(word).first().map_or_else(|| hash(&folded(word)), |term| hash(&term.text))
}

/// The words of a question that may be of a name, also two and three neighbours written together; each with its weight:
/// a word in lower case is seldom a name.
fn question_words(question: &str) -> Vec<(u64, f32)> {
    let plain: Vec<&str> = words_of(question).collect();
    let weight = |word: &str| {
        let names =
            !word.starts_with(char::is_lowercase) || word.contains(|c: char| c.is_ascii_digit() || c.is_uppercase());
        if names { 1.0 } else { LOWER }
    };
    let mut words: Vec<(u64, f32)> =
        plain.iter().flat_map(|word| name_words(word).into_iter().map(|key| (key, weight(word)))).collect();
    let spaced: Vec<&str> = plain.into_iter().filter(|word| !word.contains(is_dense)).collect();
    for count in 2..=3 {
        let joined = |words: &[&str]| {
            let least = words.iter().map(|word| weight(word)).fold(1.0, f32::min);
            (word_key(&words.concat()), least)
        };
        words.extend(spaced.windows(count).map(joined));
    }
    words
}

/// `camelCase_2018` with its parts apart.
fn apart(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 8);
    let mut last = ' ';
    for c in name.replace("%20", " ").chars() {
        if (last.is_lowercase() && c.is_uppercase()) || (last.is_ascii_alphabetic() && c.is_ascii_digit()) {
            out.push(' ');
        }
        out.push(if c == '_' || c == '-' { ' ' } else { c });
        last = c;
    }
    out
}

/// A question without the words of names; whole where nothing would be left.
fn without(question: &str, named: &FxHashSet<u64>) -> String {
    let mut kept = String::with_capacity(question.len());
    for run in runs(question) {
        if run.starts_with(is_dense) {
            kept.extend(unnamed(run, named));
        } else if !(run.starts_with(char::is_alphanumeric) && named.contains(&word_key(run))) {
            kept.push_str(run);
        }
    }
    if kept.contains(char::is_alphanumeric) { kept } else { question.to_owned() }
}

/// The characters of a dense run that are in no pair of a name.
fn unnamed(run: &str, named: &FxHashSet<u64>) -> impl Iterator<Item = char> {
    let characters: Vec<char> = run.chars().collect();
    let pair = |pair: &[char]| named.contains(&hash(&folded(&pair.iter().collect::<String>())));
    let pairs: Vec<bool> = characters.windows(2).map(pair).collect();
    let is_named = move |at: usize| {
        pairs.get(at).is_some_and(|&named| named) || at.checked_sub(1).is_some_and(|before| pairs[before])
    };
    characters.into_iter().enumerate().filter(move |&(at, _)| !is_named(at)).map(|(_, c)| c)
}

/// A text in runs: dense characters, words, and what stands between them.
fn runs(text: &str) -> Vec<&str> {
    let kind = |c: char| (is_dense(c), c.is_alphanumeric());
    let mut runs = Vec::new();
    let mut start = 0;
    let mut last = None;
    for (at, c) in text.char_indices() {
        if last.is_some_and(|last| last != kind(c)) {
            runs.push(&text[start..at]);
            start = at;
        }
        last = Some(kind(c));
    }
    runs.push(&text[start..]);
    runs
}

/// A title as it may stand in a text: whole, and without what is in brackets behind it.
fn title_forms(title: &str) -> Vec<String> {
    let short = title.split(" (").next().unwrap_or(title);
    let mut forms: Vec<String> = [title, short].into_iter().filter_map(title_key).collect();
    forms.dedup();
    forms
}

/// A whole title as it is looked for; none for one that would be found everywhere.
fn title_key(title: &str) -> Option<String> {
    let folded = folded(title);
    if folded.contains(is_dense) {
        let dense: String = folded.chars().filter(|c| c.is_alphanumeric()).collect();
        let length = dense.chars().count();
        return (2..=LONGEST_DENSE_TITLE).contains(&length).then_some(dense);
    }
    let words: Vec<&str> = words_of(&folded).collect();
    let tells = words.len() > 1 || words.first().is_some_and(|word| word.chars().count() > 3);
    (tells && words.len() <= LONGEST_TITLE).then(|| words.join(" "))
}

/// The first word of a title.
fn first_word(title: &str) -> &str {
    title.split(' ').next().unwrap_or(title)
}

/// The first two characters of a title.
fn first_two(title: &str) -> &str {
    let end = title.char_indices().nth(2).map_or(title.len(), |(at, _)| at);
    &title[..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use okno_document::{DocumentId, Metadata};
    use proptest::prelude::*;

    fn names(titles: &[(&str, &str)]) -> DocumentNames {
        let record = |(title, path): &(&str, &str)| Record {
            id: DocumentId { root: String::new(), path: (*path).to_owned(), member: None },
            title: (*title).to_owned(),
            language: None,
            metadata: Metadata::default(),
            hash: 0,
            bytes: 0,
            sentences: 0,
        };
        let records: Vec<Record> = titles.iter().map(record).collect();
        DocumentNames::new((0..).zip(&records))
    }

    fn filings() -> DocumentNames {
        names(&[
            ("", "3M_2018_10K.pdf"),
            ("", "3M_2022_10Q.pdf"),
            ("", "ACTIVISIONBLIZZARD_2019_10K.pdf"),
            ("", "PepsiCo_2022_10K.pdf"),
            ("金融优势有限公司", "a.md"),
            ("Getting started", "docs/getStarted.md"),
        ])
    }

    fn surest(question: &str) -> Option<Number> {
        filings().named(question, 0.3).first().map(|naming| naming.document)
    }

    #[test]
    fn a_document_is_named_by_parts_of_its_file_name() {
        assert_eq!(surest("What is the FY2018 capital expenditure of 3M?"), Some(0));
        assert_eq!(surest("What did 3M earn in the second quarter of 2022?"), Some(1));
        assert_eq!(surest("What is the FY2019 fixed asset turnover of Activision Blizzard?"), Some(2));
        assert_eq!(surest("How did Pepsi Co do?"), Some(3));
        assert_eq!(surest("金融优势有限公司通过哪些渠道披露信息？"), Some(4));
        assert_eq!(surest("Who discovered insulin?"), None);
        assert_eq!(names(&[("", "3.md"), ("", "4.md")]).named("What is x7y3 about?", 0.3), []);
    }

    #[test]
    fn the_rest_of_a_question_is_what_it_says_beside_the_name() {
        let rest = |question: &str, document| filings().rest(question, &[document]);
        assert_eq!(rest("金融优势有限公司通过哪些渠道披露信息？", 4), "通过哪些渠道披露信息？");
        assert_eq!(rest("What was the revenue of 3M in 2018?", 0), "What was the revenue of  in ?");
        assert_eq!(rest("3M 2018", 0), "3M 2018", "something must be left to ask for");
    }

    #[test]
    fn a_title_is_found_in_the_singular_and_the_plural() {
        let names = names(&[("Finalizers", "a"), ("Secret", "b"), ("污点", "c")]);
        assert_eq!(names.titled("finalizer"), [0]);
        assert_eq!(names.titled("Secrets"), [1]);
        assert_eq!(names.titled("污点"), [2]);
        assert!(names.titled("secret types").is_empty());
    }

    #[test]
    fn titles_are_found_in_texts() {
        let names = names(&[("Nicki Minaj", "a"), ("Changed It (song)", "b"), ("宫保鸡丁", "c"), ("May", "d")]);
        assert_eq!(names.mentioned("\"Changed It\" is a song by Nicki Minaj."), [1, 0]);
        assert_eq!(names.mentioned("做法参考宫保鸡丁。"), [2]);
        assert_eq!(names.mentioned("It may rain in May; nicki minaj in lower case is no name."), [] as [Number; 0]);
    }

    proptest! {
        #[test]
        fn whoever_is_meant_has_a_telling_word(
            rarities in prop::collection::vec(0.01..1.0f32, 1..6), has in any::<u8>(), least in 0.0..2.0f32
        ) {
            let has = |at: usize| has >> at & 1 == 1;
            let own: f32 = rarities.iter().enumerate().filter(|(at, _)| has(*at)).map(|(_, rarity)| rarity).sum();
            let words: Vec<NamingWord<'_>> =
                rarities.iter().enumerate().map(|(at, &rarity)| NamingWord { documents: if has(at) { &[1] } else { &[] }, rarity }).collect();
            if own > 0.0 && own >= least {
                prop_assert!(telling(&words, least).iter().any(|word| !word.documents.is_empty()));
            }
        }

        #[test]
        fn any_text_can_be_asked_with(question in "\\PC{0,60}", title in "\\PC{0,20}") {
            let names = names(&[(&title, "a.md"), ("Tea", "b.md")]);
            for naming in names.named(&question, 0.0) {
                prop_assert!((0.0..=1.0).contains(&naming.surely), "{}", naming.surely);
            }
            names.mentioned(&question);
            prop_assert!(!names.rest(&question, &[0, 1]).is_empty() || question.is_empty());
        }
    }
}
