//! How likely is it that a context has anything to do with the question?
//!
//! Scores say which context is the best; every question has a best one, also a question about something the index has
//! never heard of. The relevance is absolute: a number from 0 to 1, made only from the question's words and the words
//! of what was found, by the built-in model – not from the legs' scores – so that it means the same for every recipe,
//! every embedder, every filter and every size of index. From [`RELEVANT`] on something is relevant.
//!
//! Looked at is the sentence that was found with two on each side, its title and its headings ([`window`]):
//! a long context is not more relevant than a short one. Five features go into a logistic model ([`WEIGHTS`]):
//!
//! * *meant*: how much of the question is there in meaning – for each of its tokens the cosine of the token most like
//!   it,
//!   weighed by the square of its vector's length, which is small for "what" and 的 and large for names and rare words;
//! * *written*: how much is there by the letter, as index terms, weighed likewise – a name is split into tokens that
//!   are
//!   elsewhere too, but its stem or its pairs of characters are not;
//! * the cosine of the question with the best *sentence*, and with the *window*;
//! * *asked*: how much the question says, since a long one is never matched as well as a short one.
//!
//! How the weights were fitted, and what is missed, stands at [`WEIGHTS`].

use super::token_rows::TokenRows;
use crate::document::Structure;
use crate::embed::{StaticModel, sum_into, with_ids};
use crate::text::is_chinese;
use crate::text::terms::{of_query, terms};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::rc::Rc;

/// From here on a context is called relevant: the model's intercept is set so that this is one half.
pub const RELEVANT: f32 = 0.5;

/// Of a long question the heaviest tokens and the first terms are compared.
const TOKENS: usize = 48;
const TERMS: usize = 128;

/// Sentences looked at on each side of what was found, and at most of what was found itself.
const AROUND: usize = 2;
const LONGEST: usize = 24;

/// How much title and headings weigh in a vector beside the text: as in the index.
const HEADINGS: f32 = 0.5;

/// Features of a window: meant, written, sentence, window, asked.
const FEATURES: usize = 5;

/// Intercept, then one weight per feature.
///
/// Fitted by logistic regression on questions asked of their own documents and of documents that do not answer them:
/// thirteen public sets, 196 natural questions over a folder of 1,365 files, and 100 short ones about everyday things
/// that this folder does not speak of (`benches/natural`: dev, last and `far_dev`, each of which weighs four times as
/// much as a public set). Of an answer's windows the likeliest counts. Short questions are why *asked* weighs much: one
/// word in three is easily found by chance, so a short question must be met nearly whole and a long one need not.
///
/// Of what nothing was fitted on (held, fresh, kept: 211 questions with an answer; far: 160 without) 5 of the 211 are
/// told that nothing is relevant, with the weights before 6; of the 120 that are far from every file 105 instead of 78,
/// of the 40 near a topic 11 instead of 6. In `benches/refusals.py` 2.4 % of the answers are hidden instead of 2.2, and
/// .64 are told with their documents gone, as before.
///
/// Eight more features added next to nothing, in this fit and in an earlier one: how much is met without the best
/// piece, the heaviest piece that is not met, the least of the three heaviest, how many are met, the largest gap in
/// meaning and by the letter, numbers that are missing, the share of the terms known anywhere in the index.
const WEIGHTS: [f32; 1 + FEATURES] = [-11.2, 4.0, 3.2, 2.8, 1.7, 2.0];

/// The same where question and text are of different scripts: what is there by the letter are names, and most questions
/// that are answered across languages have one.
///
/// With the weights before, which had none for it, more than half of the short questions in English that nothing
/// answers got a Chinese passage for one word that both have. The price is paid by long questions without a name: of
/// 700 of `xquad` asked of the text in the other language 21 % instead of 14 are told that nothing is relevant (15 % do
/// not find the document), of 820 that nothing answers 69 % instead of 70 (`benches/across.py`).
const ACROSS: [f32; 1 + FEATURES] = [-9.1, 5.8, 3.1, 3.55, 1.75, 1.7];

/// A text in another language that says less than the question by this much – a quarter, since amounts are logarithms
/// – is not relevant. Of 0, .1, .3, .5 and .69 none changes what is told of 700 questions asked across Chinese and
/// English that have an answer; "3. third, 4. fourth" is told up to .5.
const LITTLE: f32 = 0.3;

/// What a Latin word that no document has takes from the log odds of a Chinese question: it is nearly always the name
/// of what is asked about (VLOOKUP). English questions name what a text need not name – a speech never says who holds
/// it –, so there it says little.
const UNKNOWN_NAME: f32 = 4.0;

/// What it adds to the log odds that a question names a document by its whole title: 24 of 195 natural questions do,
/// and 21 of these have an answer; of 100 about other things none does. "How do I cook rice?" is answered by the steps
/// below "Rice", which need not say what they are for.
const NAMED: f32 = 2.0;

/// For each token of a question the cosine of a token that is like it.
pub type TokenCosines = Rc<[f32]>;

/// A question, ready to be compared.
pub struct ComparedQuestion {
    model: &'static StaticModel,
    /// Its vector, of unit length.
    vector: Vec<f32>,
    /// The vectors of its heaviest tokens.
    tokens: TokenRows,
    /// Its index terms: the bit of each, and their weights.
    bits: FxHashMap<String, u128>,
    weights: Vec<f32>,
    /// How much it says.
    amount: f32,
    /// Whether it is mostly Chinese.
    chinese: bool,
    /// What the words that no document has take from the log odds.
    lacking: f32,
    /// For each token met so far where its cosines with the question's begin in `cosines`.
    met: FxHashMap<u32, usize>,
    cosines: Vec<f32>,
    /// The sentences and headings that were looked at so far, by their text: those of one passage are those of the
    /// next one too.
    known: FxHashMap<String, Rc<SentenceProfile>>,
    /// What is meant by these and by others, of which no more was asked for.
    meant: FxHashMap<String, TokenCosines>,
}

/// What is known of a sentence, or of title and headings.
struct SentenceProfile {
    sum: Vec<f32>,
    /// For each token of the question the cosine of the token most like it.
    meant: TokenCosines,
    /// The question's terms that are there.
    written: u128,
}

/// A sentence below its headings.
struct ComparedPart {
    profile: Rc<SentenceProfile>,
    /// The cosine of the question with both.
    cosine: f32,
}

impl ComparedQuestion {
    /// Reads a question; `unknown` are its Latin words that no document has.
    pub fn new(question: &str, unknown: &[String]) -> Self {
        let model = StaticModel::builtin();
        let mut asked = Self {
            model,
            vector: Vec::new(),
            tokens: TokenRows::default(),
            bits: FxHashMap::default(),
            weights: Vec::new(),
            amount: 0.0,
            chinese: is_chinese(question),
            lacking: if is_chinese(question) { UNKNOWN_NAME * unknown.len() as f32 } else { 0.0 },
            met: FxHashMap::default(),
            cosines: Vec::new(),
            known: FxHashMap::default(),
            meant: FxHashMap::default(),
        };
        asked.read_tokens(question);
        asked.read_terms(question);
        asked
    }

    fn read_tokens(&mut self, question: &str) {
        self.vector = unit(self.sum(question));
        let mut tokens = weighed(self.model, question);
        tokens.retain(|(_, weight)| *weight > 0.0);
        tokens.sort_by(|a, b| b.1.total_cmp(&a.1));
        self.amount = amount(&tokens);
        tokens.truncate(TOKENS);
        self.tokens = TokenRows::new(self.model, &tokens);
    }

    fn read_terms(&mut self, question: &str) {
        // Characters that only stand in for unknown pairs are left out: the pairs are asked for.
        for term in of_query(question).into_iter().filter(|term| term.unless.is_empty()) {
            if self.weights.len() < TERMS && !self.bits.contains_key(&term.text) {
                let weight = length(&self.sum(&term.text));
                self.bits.insert(term.text, 1 << self.weights.len());
                self.weights.push(term.weight * weight * weight);
            }
        }
    }

    fn sum(&self, text: &str) -> Vec<f32> {
        let mut sum = vec![0.0; self.model.dimensions()];
        sum_into(text, &mut sum);
        sum
    }

    /// The relevance of a run of sentences, below these headings.
    pub fn relevance(
        &mut self,
        headings: &[&str],
        structure: &Structure,
        text: &str,
        found: Range<usize>,
        anchor: usize,
        whole: &Range<usize>,
    ) -> f32 {
        if self.tokens.weights.is_empty() {
            return 0.0;
        }
        let head = self.part(&headings.join("\n"));
        let weights = self.weights_for(structure.span(whole.clone()).of(text));
        let besides = self.besides(headings);
        let (found, looked) = window(found, anchor, whole);
        if self.says_little(structure.span(looked.clone()).of(text)) {
            return 0.0;
        }
        let part = |at: usize| self.part_below(&head, structure.sentences[at].span.of(text));
        let parts: Vec<ComparedPart> = looked.clone().map(part).collect();
        let around = |at: usize| {
            &parts[at.saturating_sub(AROUND).max(looked.start) - looked.start
                ..(at + AROUND + 1).min(looked.end) - looked.start]
        };
        found.map(|at| probability(weights, besides, &self.compared(&head, around(at)))).fold(0.0, f32::max)
    }

    /// The relevance of a text made about something below these headings.
    pub fn relevance_of(&mut self, headings: &[&str], text: &str) -> f32 {
        if self.tokens.weights.is_empty() {
            return 0.0;
        }
        let head = self.part(&headings.join("\n"));
        let part = self.part_below(&head, text);
        probability(self.weights_for(text), self.besides(headings), &self.compared(&head, &[part]))
    }

    /// What adds to the log odds besides the features: headings begin with the title.
    fn besides(&self, headings: &[&str]) -> f32 {
        let named = headings.first().is_some_and(|title| self.names(title));
        if named { NAMED - self.lacking } else { -self.lacking }
    }

    /// Whether all of a title stands in the question.
    fn names(&self, title: &str) -> bool {
        let mut terms = of_query(title).into_iter().filter(|term| term.unless.is_empty()).peekable();
        terms.peek().is_some() && terms.all(|term| self.bits.contains_key(&term.text))
    }

    /// Whether a text in another language says much less than the question: "3. third" does not answer one about three
    /// painters, though it is likest to it.
    fn says_little(&self, text: &str) -> bool {
        self.chinese != is_chinese(text) && amount(&weighed(self.model, text)) < self.amount - LITTLE
    }

    fn weights_for(&self, text: &str) -> &'static [f32; 1 + FEATURES] {
        if self.chinese == is_chinese(text) { &WEIGHTS } else { &ACROSS }
    }

    /// The cosine of the question with a text.
    pub fn cosine(&mut self, text: &str) -> f32 {
        let text = unit(self.sum(text));
        dot(&self.vector, &text)
    }

    /// For each token of the question the cosine of the token of a text that is most like it.
    pub fn meant_by(&mut self, text: &str) -> TokenCosines {
        if let Some(known) = self.meant.get(text) {
            return Rc::clone(known);
        }
        let meant = with_ids(text, |ids| self.likest(ids));
        self.meant.insert(text.to_owned(), Rc::clone(&meant));
        meant
    }

    fn likest(&mut self, ids: &[u32]) -> TokenCosines {
        let Self { model, tokens, met, cosines, .. } = self;
        let mut meant = vec![0.0f32; tokens.weights.len()];
        for same in ids.chunk_by(|a, b| a == b) {
            let at = *met.entry(same[0]).or_insert_with(|| tokens.add_likeness(model, same[0], cosines));
            for (best, &cosine) in meant.iter_mut().zip(&cosines[at..]) {
                *best = if cosine > *best { cosine } else { *best };
            }
        }
        meant.into()
    }

    fn part(&mut self, text: &str) -> Rc<SentenceProfile> {
        if let Some(known) = self.known.get(text) {
            return Rc::clone(known);
        }
        let part = Rc::new(self.profile(text));
        self.known.insert(text.to_owned(), Rc::clone(&part));
        part
    }

    fn part_below(&mut self, head: &SentenceProfile, text: &str) -> ComparedPart {
        let profile = self.part(text);
        ComparedPart { cosine: self.cosine_below(head, &profile.sum), profile }
    }

    fn profile(&mut self, text: &str) -> SentenceProfile {
        let mut sum = vec![0.0; self.model.dimensions()];
        with_ids(text, |ids| self.model.sum_ids(ids, &mut sum));
        SentenceProfile { sum, meant: self.meant_by(text), written: self.bits_of(text) }
    }

    /// The bits of the question's terms that are in a text.
    fn bits_of(&self, text: &str) -> u128 {
        let mut bits = 0;
        terms(text, &mut |term: &str| bits |= self.bits.get(term).copied().unwrap_or(0));
        bits
    }

    /// How much of the question is in these texts together by the letter: from 0 to 1.
    pub fn written_in(&self, texts: &[String]) -> f32 {
        self.written(texts.iter().fold(0, |written, text| written | self.bits_of(text)))
    }

    /// How much of the question is in these texts together, piece by piece: from 0 to 1.
    pub fn likeness(&self, texts: &[&[f32]]) -> f32 {
        let best = |token: usize| texts.iter().map(|meant| meant[token]).fold(0.0, f32::max);
        let weights = self.tokens.weights.iter().map(|weight| weight * weight);
        let all: f32 = weights.clone().sum();
        weights.enumerate().map(|(at, weight)| weight * best(at)).sum::<f32>() / all.max(1e-6)
    }

    /// The cosine of the question with a text below its headings.
    fn cosine_below(&self, head: &SentenceProfile, sum: &[f32]) -> f32 {
        let with: Vec<f32> = sum.iter().zip(&head.sum).map(|(a, b)| a + HEADINGS * b).collect();
        dot(&self.vector, &with) / length(&with).max(1e-6)
    }

    fn compared(&self, head: &SentenceProfile, parts: &[ComparedPart]) -> [f32; FEATURES] {
        let sentence = parts.iter().map(|part| part.cosine).fold(0.0, f32::max);
        let mut window = vec![0.0; self.vector.len()];
        let mut written = head.written;
        for ComparedPart { profile, .. } in parts {
            window.iter_mut().zip(&profile.sum).for_each(|(a, b)| *a += b);
            written |= profile.written;
        }
        [self.meant(head, parts), self.written(written), sentence, self.cosine_below(head, &window), self.amount]
    }

    fn meant(&self, head: &SentenceProfile, parts: &[ComparedPart]) -> f32 {
        let best = |token: usize| parts.iter().map(|part| part.profile.meant[token]).fold(head.meant[token], f32::max);
        let squares = self.tokens.weights.iter().map(|weight| weight * weight);
        let all: f32 = squares.clone().sum();
        squares.enumerate().map(|(at, square)| square * best(at)).sum::<f32>() / all
    }

    fn written(&self, bits: u128) -> f32 {
        let all: f32 = self.weights.iter().sum();
        let there: f32 =
            self.weights.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, weight)| weight).sum();
        if all > 0.0 { there / all } else { 0.0 }
    }
}

/// The distinct tokens of a text with the lengths of their vectors.
fn weighed(model: &StaticModel, text: &str) -> Vec<(u32, f32)> {
    let mut ids = Vec::new();
    model.encode(text, &mut ids);
    ids.sort_unstable();
    ids.dedup();
    ids.into_iter().map(|id| (id, length(&model.row(id)))).collect()
}

/// How much tokens say.
fn amount(tokens: &[(u32, f32)]) -> f32 {
    tokens.iter().map(|(_, weight)| weight).sum::<f32>().max(1.0).ln()
}

/// The sentences whose windows are compared – of a long hit those around its anchor – and all that these windows need.
fn window(found: Range<usize>, anchor: usize, whole: &Range<usize>) -> (Range<usize>, Range<usize>) {
    let mut found = found.start.max(whole.start)..found.end.min(whole.end);
    if found.len() > LONGEST {
        let start = anchor.saturating_sub(LONGEST / 2).clamp(found.start, found.end - LONGEST);
        found = start..start + LONGEST;
    }
    let looked = found.start.saturating_sub(AROUND).max(whole.start)..(found.end + AROUND).min(whole.end);
    (found, looked)
}

fn probability(weights: &[f32; 1 + FEATURES], besides: f32, features: &[f32; FEATURES]) -> f32 {
    let sum: f32 = weights[0] + besides + dot(&weights[1..], features);
    1.0 / (1.0 + (-sum).exp())
}

/// Sixteen sums side by side: one alone waits for each addition, and this runs for every pair of tokens.
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<16>(), b.as_chunks::<16>());
    let mut sums = [0.0; 16];
    for (a, b) in a.iter().zip(b) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f32>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f32>()
}

pub(super) fn length(vector: &[f32]) -> f32 {
    dot(vector, vector).sqrt()
}

pub(super) fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let scale = 1.0 / length(&vector).max(f32::MIN_POSITIVE);
    for x in &mut vector {
        *x *= scale;
    }
    vector
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Block, BlockKind, Span};
    use proptest::prelude::*;

    fn relevance(question: &str, title: &str, text: &str) -> f32 {
        let blocks = [Block { kind: BlockKind::Paragraph, span: Span::new(0, text.len()) }];
        let structure = crate::split::structure(text, title, &blocks);
        let whole = 0..structure.sentences.len();
        ComparedQuestion::new(question, &[]).relevance(&[title], &structure, text, whole.clone(), 0, &whole)
    }

    #[test]
    fn a_title_counts_and_so_does_meaning() {
        let text = "Peel them, cut them into thin strips and soak them for ten minutes.";
        let question = "How long are potatoes soaked?";
        assert!(relevance(question, "Fried potatoes", text) > relevance(question, "", text));
        assert!(relevance("automobile", "", "The car was red.") > relevance("automobile", "", "The soup was red."));
    }

    #[test]
    fn a_question_may_name_the_document_that_answers_it() {
        let steps = "1. Wash the rice. 2. Add water to the rice. 3. Wait.";
        assert!(relevance("How do I cook rice?", "Rice", steps) > RELEVANT);
        assert!(relevance("How do I cook rice?", "Fried noodles", steps) < RELEVANT);
        assert!(!ComparedQuestion::new("How do I cook rice?", &[]).names(""));
        assert!(ComparedQuestion::new("宫保鸡丁怎么做", &[]).names("宫保鸡丁"));
    }

    #[test]
    fn a_text_is_like_a_question_by_its_pieces() {
        let mut asked = ComparedQuestion::new("automobile repair", &[]);
        let near = [asked.meant_by("The workshop mends cars."), asked.meant_by("The kitchen serves soup.")];
        let [cars, soup] = near.each_ref().map(|meant| asked.likeness(&[meant]));
        let both = asked.likeness(&[&near[1], &near[0]]);
        assert!(cars > soup && both >= cars && both <= 1.0, "{cars} {soup} {both}");
        let same = asked.meant_by("automobile repair");
        assert!(asked.likeness(&[&same]) > 0.99);
    }

    #[test]
    fn an_answer_in_another_language_is_not_hidden() {
        // Nothing of the question is there by the letter; four of five such answers were called irrelevant.
        let text = "土豆去皮、切丝，泡水十分钟，洗去淀粉。";
        assert!(relevance("How long are potato strips soaked in water?", "土豆丝", text) > RELEVANT);
        assert!(relevance("绿茶用多热的水泡？", "Tea", "Green tea is brewed with water of 80 °C.") > RELEVANT);
    }

    #[test]
    fn a_few_words_in_another_language_do_not_answer_a_long_question() {
        let question = "Which three painters and sculptors of the Italian Renaissance are called its three masters?";
        assert!(relevance(question, "", "第三。") <= 0.0);
        assert!(relevance(question, "", "意大利文艺复兴的三位大师是画家和雕塑家达芬奇、米开朗基罗和拉斐尔。") > 0.0);
    }

    #[test]
    fn a_long_text_is_not_relevant_for_being_long() {
        let filler = "Boats were built here for two hundred years, and sold abroad. ".repeat(30);
        let question = "Who discovered the structure of insulin?";
        assert!(relevance(question, "", &filler) < 0.1);
    }

    #[test]
    fn of_a_long_hit_what_was_returned_is_looked_at() {
        // A parent of sixty sentences, cut to the budget around sentence 50: the first 24 were looked at, and nothing
        // was left.
        assert_eq!(window(0..60, 50, &(48..53)), (48..53, 48..53));
        assert_eq!(window(0..60, 50, &(0..60)), (36..60, 34..60));
    }

    proptest! {
        #[test]
        fn relevance_is_a_probability(question in "\\PC{0,40}", title in "\\PC{0,10}", text in "\\PC{1,200}") {
            let relevance = relevance(&question, &title, &text);
            prop_assert!((0.0..=1.0).contains(&relevance), "{}", relevance);
        }
    }
}
