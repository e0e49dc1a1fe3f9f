//! What the legs weigh where the documents speak another language than the question.
//!
//! Relative fusion makes the best match by words a 1, however poor it is. Of a question in another language it is a
//! match of "put" and "not" in some other document, and would count twice what the best match by meaning counts. So
//! where the passages most like a question are in another language, the less of the question is written in what its
//! words find, the less these weigh; what they lose goes to the vectors. Rankings keep their sum, so that `auto` sees
//! scores of the size it knows.

use super::fuse::Ranking;
use super::relevance::ComparedQuestion;
use crate::Result;
use crate::document::Layer;
use crate::store::{Leg, Run, Snapshot};
use crate::text::is_chinese;

/// From this share of a question on, words weigh what the recipe says; below, in proportion.
///
/// Of 700 questions of `xquad` asked of the text in the other language, among others (`benches/across.py`), 594
/// instead of 421 get a passage of the document, 526 instead of 370 as the first. No figure of `benches/quality.py` and
/// `benches/parts.py` moves. Natural questions (`benches/natural.py`), before → now, whole answers in 500 / 1,000
/// tokens: .762 / .845 → .798 / .845 (dev), .671 / .812 → .706 / .847 (held), .767 / .900 → .783 / .900 (fresh),
/// .569 / .681 → .597 / .694 (last).
///
/// The value was chosen among seven, with exponents, on all of these but held, fresh and last, while this was for any
/// question whose words find little; all seven found 596 to 611 of the 700. Of 60 fresh questions five lost their whole
/// answer in 1,000 tokens that way: the right document was found more often, and less of what answers in it. So it is
/// for other languages only, and that was decided on held, fresh and last.
const ENOUGH: f32 = 0.6;

/// Windows of each leg that are looked at. Not tuned.
const LOOKED_AT: usize = 3;

/// How much of a question is written in the best windows that its words find, or in their title and headings, from 0 to
/// 1; `None` where most of the windows that are most like it are in its own language.
pub fn written_across(question: &str, rankings: &[Ranking], snapshot: &dyn Snapshot) -> Result<Option<f32>> {
    let chinese = is_chinese(question);
    let like = windows(rankings, Leg::Dense, snapshot)?;
    if like.iter().filter(|texts| is_chinese(&texts.join("\n")) != chinese).count() * 2 <= like.len() {
        return Ok(None);
    }
    let question = ComparedQuestion::new(question, &[]);
    let found = windows(rankings, Leg::Lexical, snapshot)?;
    Ok(Some(found.iter().map(|texts| question.written_in(texts)).fold(0.0, f32::max)))
}

/// The best windows that a leg found, each with its title and headings.
fn windows(rankings: &[Ranking], leg: Leg, snapshot: &dyn Snapshot) -> Result<Vec<Vec<String>>> {
    let is_looked_at = |one: &&Ranking| one.leg == leg && matches!(one.layer, Layer::Window(_)) && is_whole(one);
    let windows = rankings.iter().filter(is_looked_at).flat_map(|ranking| ranking.units.iter().take(LOOKED_AT));
    windows.map(|window| with_headings(window.run, snapshot)).collect()
}

fn with_headings(run: Run, snapshot: &dyn Snapshot) -> Result<Vec<String>> {
    let (structure, text) = (snapshot.structure(run.document)?, snapshot.text(run.document)?);
    let section = &structure.sections[structure.section_number(run.anchor as usize)];
    let headings = section.path.iter().map(|heading| heading.of(&text).to_owned());
    let texts = [structure.span(run.sentences()).of(&text).to_owned(), snapshot.record(run.document)?.title];
    Ok(texts.into_iter().chain(headings).collect())
}

/// Gives the rankings the weights that they have where so much of the question is written. Returns what share words
/// have then, if it is another one.
pub fn balance(rankings: &mut [Ranking], written: f32) -> Option<f32> {
    let weight = |leg| rankings.iter().filter(|one| one.leg == leg && is_whole(one)).map(|one| one.weight).sum::<f32>();
    let (lexical, dense) = (weight(Leg::Lexical), weight(Leg::Dense));
    if written >= ENOUGH || lexical <= 0.0 || dense <= 0.0 {
        return None;
    }
    let left = written / ENOUGH;
    let gained = 1.0 + lexical * (1.0 - left) / dense;
    for ranking in rankings {
        ranking.weight *= if ranking.leg == Leg::Lexical { left } else { gained };
    }
    Some(lexical * left / (lexical + dense))
}

/// Whether the whole index was ranked.
fn is_whole(ranking: &Ranking) -> bool {
    ranking.led.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rankings(lexical: f32, dense: f32) -> Vec<Ranking> {
        let ranking = |leg, weight| Ranking { leg, layer: Layer::Sentence, weight, led: None, units: Vec::new() };
        vec![ranking(Leg::Lexical, lexical), ranking(Leg::Dense, dense)]
    }

    proptest! {
        #[test]
        fn what_words_lose_meaning_gets(lexical in 0.1f32..3.0, dense in 0.1f32..3.0, written in 0.0f32..1.0) {
            let mut balanced = rankings(lexical, dense);
            let share = balance(&mut balanced, written);
            prop_assert_eq!(share.is_none(), written >= ENOUGH);
            prop_assert!((balanced[0].weight + balanced[1].weight - lexical - dense).abs() < 1e-4);
            prop_assert!(balanced[0].weight <= lexical && balanced[1].weight >= dense);
            let expected = share.map_or(lexical, |share| share * (lexical + dense));
            prop_assert!((balanced[0].weight - expected).abs() < 1e-4);
        }
    }

    #[test]
    fn one_leg_alone_keeps_its_weight() {
        for (lexical, dense) in [(1.0, 0.0), (0.0, 1.0)] {
            let mut balanced = rankings(lexical, dense);
            assert_eq!(balance(&mut balanced, 0.1), None);
            assert_eq!((balanced[0].weight, balanced[1].weight), (lexical, dense));
        }
    }
}
