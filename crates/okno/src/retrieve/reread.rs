//! The best hits are compared with the question once more, piece by piece.
//!
//! A vector of a whole sentence blurs what it is made of. Here every piece of the question – a word, a syllable, a
//! character – looks for the piece most like it in the sentence, its neighbours, its headings and its title; the mean
//! of these cosines, weighed by the square of how much each piece says, is blended with the fused score (unsquared,
//! `legal` at 500 tokens loses three points, `dragon_en` and squad one; at 2,000 `legal` gains one). It needs no other
//! model than the built-in table ("late interaction" without a network). Without it covidqa and `rgb_zh` lose two
//! points, scifact one of nDCG and wiki2 ten; the two sets of company reports gain five and eight. The constants were
//! chosen on the same sets (`benches/parts.py`). A heading that says what is asked ("Rolling Back to a Previous
//! Revision") lifts its section: two more of 84 natural questions (`benches/natural.py`, those that were looked at)
//! have their whole answer in 500 tokens, and one of 1,720 others has not; half and twice as much do the same.

use super::fuse::Hit;
use super::recipe::Rerank;
use super::relevance::{ComparedQuestion, TokenCosines};
use super::rerank::{Moved, Reranked, shares};
use super::views::Views;
use crate::Result;
use crate::store::{DocumentNumber, Run, Snapshot};
use rustc_hash::FxHashMap;

/// How many hits are compared (60 and 100 were no better at 500 tokens), and what the comparison weighs beside the
/// fused score.
const HOW: Rerank = Rerank { depth: 30, blend: 0.3 };

/// Who reads, in reports.
const NAME: &str = "built-in";

/// A heading that says the same as the question – its cosine is at least this – lifts what stands below it.
const SAME: f32 = 0.5;

/// What a line that is only a link is worth beside one that says something: it names what stands elsewhere. Not fitted:
/// no figure of the question sets moves with it.
const LINK: f32 = 0.5;

/// Compares the first hits with the question once more; hits come and go best first. Also tells what moved.
pub fn reread(
    hits: &[Hit],
    snapshot: &dyn Snapshot,
    views: &Views<'_>,
    asked: &mut ComparedQuestion,
) -> Result<(Vec<Hit>, Reranked)> {
    let weigh = |(rank, &hit): (usize, &Hit)| if rank < HOW.depth { weighed(hit, views) } else { hit };
    let hits: Vec<Hit> = hits.iter().enumerate().map(weigh).collect();
    let mut reading = Rereader { snapshot, views, asked, heads: FxHashMap::default() };
    let likeness: Vec<f32> = hits.iter().take(HOW.depth).map(|hit| reading.likeness(hit)).collect::<Result<_>>()?;
    let after = blended(&hits, &likeness);
    let moved = moved(&hits, &likeness, &after);
    Ok((after, Reranked { by: NAME.to_owned(), how: HOW, read: likeness.len(), undecided: false, moved }))
}

/// Where each hit that was compared went.
fn moved(hits: &[Hit], likeness: &[f32], after: &[Hit]) -> FxHashMap<Run, Moved> {
    let after: FxHashMap<Run, usize> = after.iter().map(|hit| hit.run).zip(1..).collect();
    let compared = hits.iter().zip(likeness).zip(1..);
    compared.map(|((hit, &score), before)| (hit.run, Moved { before, after: after[&hit.run], score })).collect()
}

/// The hits by both scores. Those that were not compared have the least likeness, so none of them overtakes one that
/// was.
fn blended(hits: &[Hit], likeness: &[f32]) -> Vec<Hit> {
    let best = hits.iter().map(|hit| hit.score).fold(0.0, f32::max);
    let shares = shares(likeness).chain(std::iter::repeat(0.0));
    let blend =
        |(&hit, share): (&Hit, f32)| Hit { score: (1.0 - HOW.blend) * hit.score + HOW.blend * share * best, ..hit };
    let mut hits: Vec<Hit> = hits.iter().zip(shares).map(blend).collect();
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.run.cmp(&b.run)));
    hits
}

/// A hit of one line that is only a link counts less.
fn weighed(hit: Hit, views: &Views<'_>) -> Hit {
    let view = &views[&hit.run.document];
    let alone = hit.run.end - hit.run.first == 1;
    let link = alone && is_link(view.structure.sentences[hit.run.anchor as usize].span.of(&view.text));
    Hit { score: if link { hit.score * LINK } else { hit.score }, ..hit }
}

/// Whether a line of Markdown is one link, or an address, and nothing else.
fn is_link(line: &str) -> bool {
    let line = line.trim().trim_start_matches(['-', '*', '+', ' ']);
    let address = |text: &str| text.starts_with("http") && !text.contains(char::is_whitespace);
    let named = line.strip_prefix('[').and_then(|line| line.strip_suffix(')')).and_then(|line| line.split_once("]("));
    named.is_some_and(|(name, to)| !name.contains(']') && !to.contains([')', ' ']))
        || address(line.trim_start_matches('<'))
}

struct Rereader<'r, 's> {
    snapshot: &'r dyn Snapshot,
    views: &'r Views<'s>,
    asked: &'r mut ComparedQuestion,
    /// Title and headings of a section, and how much its own heading says the same as the question.
    heads: FxHashMap<(DocumentNumber, usize), (TokenCosines, f32)>,
}

impl Rereader<'_, '_> {
    fn likeness(&mut self, hit: &Hit) -> Result<f32> {
        let document = hit.run.document;
        let view = &self.views[&document];
        let section = view.structure.section_number(hit.run.anchor as usize);
        if !self.heads.contains_key(&(document, section)) {
            let title = self.snapshot.record(document)?.title;
            let above = view.structure.sections[section].path.iter().map(|heading| heading.of(&view.text));
            let head: Vec<&str> = std::iter::once(title.as_str()).chain(above).collect();
            let head = (self.asked.meant_by(&head.join("\n")), lift(self.asked, &head));
            self.heads.insert((document, section), head);
        }
        let text = |at: u32| view.structure.sentences[at as usize].span.of(&view.text);
        let around = super::auto::block(hit.run.anchor, view);
        let around: Vec<TokenCosines> = around.map(|sentence| self.asked.meant_by(text(sentence))).collect();
        let (head, lift) = &self.heads[&(document, section)];
        let texts: Vec<&[f32]> = around.iter().chain([head]).map(|meant| &**meant).collect();
        Ok(self.asked.likeness(&texts) + lift)
    }
}

/// How much more likely a section is to answer because of its heading; `head` is the title, then the headings. One that
/// repeats the title tells nothing about the section.
fn lift(asked: &mut ComparedQuestion, head: &[&str]) -> f32 {
    let (title, own) = (head[0].trim(), head[head.len() - 1].trim());
    if own.contains(title) || title.contains(own) {
        return 0.0;
    }
    (asked.cosine(own) - SAME).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Layer;
    use proptest::prelude::*;

    #[test]
    fn a_heading_that_says_what_is_asked_lifts_its_section_and_no_other_does() {
        let question = "how do I roll a deployment back to an earlier revision";
        let mut asked = ComparedQuestion::new(question, &[]);
        assert!(lift(&mut asked, &["Deployments", "Rolling back a deployment to a previous revision"]) > 0.0);
        assert!(lift(&mut asked, &["Deployments", "Labels and annotations"]) <= 0.0);
        assert!(lift(&mut asked, &["Roll a deployment back to a revision", "a deployment back to a revision"]) <= 0.0);
    }

    #[test]
    fn only_a_line_that_is_nothing_but_a_link_is_one() {
        for line in ["[a video](https://a.b/c)", "- [a video](v.md)", "https://a.b/c", "<https://a.b/c>"] {
            assert!(is_link(line), "{line}");
        }
        for line in ["see [a video](v.md)", "[a](b) and [c](d)", "https://a.b says so", "[x] done", ""] {
            assert!(!is_link(line), "{line}");
        }
    }

    proptest! {
        #[test]
        fn the_same_hits_in_descending_order(
            mut fused in prop::collection::vec(0.01..4.0f32, 1..50),
            likeness in prop::collection::vec(0.0..1.0f32, 0..30)
        ) {
            fused.sort_by(|a, b| b.total_cmp(a));
            let run = |i: u32| Run { document: 1, first: i, end: i + 1, anchor: i };
            let hits: Vec<Hit> =
                (0..).zip(&fused).map(|(i, &score)| Hit { run: run(i), layer: Layer::Sentence, score }).collect();
            let likeness = &likeness[..likeness.len().min(hits.len())];
            let after = blended(&hits, likeness);
            prop_assert!(after.windows(2).all(|pair| pair[0].score >= pair[1].score));
            let mut runs: Vec<Run> = after.iter().map(|hit| hit.run).collect();
            runs.sort_unstable();
            prop_assert_eq!(runs, hits.iter().map(|hit| hit.run).collect::<Vec<_>>());
            prop_assert!(after[0].score <= fused[0] + 1e-4, "scores keep their size");
            for (run, Moved { before, after: place, score }) in moved(&hits, likeness, &after) {
                prop_assert!(hits[before - 1].run == run && after[place - 1].run == run);
                prop_assert!(score.total_cmp(&likeness[before - 1]).is_eq());
            }
        }
    }
}
