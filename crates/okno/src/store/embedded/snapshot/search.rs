//! Both legs of a search, in one generation.

use super::super::atlas::{Allowed, Findable};
use super::super::best::ScoredUnit;
use super::super::bm25;
use super::super::dense::{DenseQuestion, Dots, Scan};
use super::super::known_terms::terms_of;
use super::super::lexical::lexical_failure;
use super::super::lexical_folder;
use super::super::signs::BySigns;
use super::super::sketch::Sketch;
use super::super::units::Units;
use super::EmbeddedSnapshot;
use crate::Result;
use crate::deadline;
use crate::document::Layer;
use crate::store::{Ask, DocumentNumber, Leg, Scored};
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl EmbeddedSnapshot {
    /// Searches, with the signs of all sentences if they were compared already.
    pub(super) fn search_by(&self, ask: &Ask<'_>, signs: Option<BySigns>) -> Result<Vec<Vec<Scored>>> {
        let derived = ask.rankings.iter().any(|(_, layer)| matches!(layer, Layer::Derived(_)));
        let allowed = ask.allowed.map(|numbers| Allowed::new(&self.atlas, numbers, ask.sections));
        let copies = if allowed.is_none() { self.further_copies.as_ref() } else { None };
        let findable = Findable { allowed: allowed.as_ref(), copies };
        let units: Vec<Arc<Units>> = ask.rankings.iter().map(|&(_, layer)| self.units(layer)).collect();
        let of_leg = |wanted: Leg| {
            let rankings = ask.rankings.iter().zip(&units);
            rankings.filter(move |((leg, _), _)| *leg == wanted).map(|(&(_, layer), units)| (layer, &**units))
        };
        let (dense, lexical): (Vec<_>, Vec<_>) = (of_leg(Leg::Dense).collect(), of_leg(Leg::Lexical).collect());
        let question = DenseQuestion { vector: ask.vector, derived, findable, depth: ask.depth };
        let mut by_meaning = Vec::new();
        if asks_by_meaning(ask) {
            let mut dots = self.dots(question, signs);
            for (_, units) in &dense {
                deadline::check()?;
                by_meaning.push(dots.best(units, findable, ask.depth));
            }
        }
        deadline::check()?;
        let by_words = match &self.lexical {
            Some(index) if !lexical.is_empty() => {
                let terms = terms_of(ask.text, &self.atlas, index, &self.terms, derived)
                    .map_err(|source| lexical_failure(lexical_folder(&self.tables.path), source))?;
                let best = |&(layer, units)| bm25::best(layer, units, &terms, findable, ask.depth, &self.spare_words);
                lexical.iter().map(best).collect()
            }
            _ => Vec::new(),
        };
        let (mut by_meaning, mut by_words) = (by_meaning.into_iter(), by_words.into_iter());
        let ranking = |(&(leg, _), units): (&(Leg, Layer), &Arc<Units>)| {
            let best = match leg {
                Leg::Dense => by_meaning.next(),
                Leg::Lexical => by_words.next(),
            };
            self.named(units, best.unwrap_or_default())
        };
        Ok(ask.rankings.iter().zip(&units).map(ranking).collect())
    }

    fn dots<'s>(&'s self, asked: DenseQuestion<'s>, signs: Option<BySigns>) -> Dots<'s> {
        let sentences = asked.findable.allowed.map_or(self.atlas.sentences(), |allowed| allowed.texts.count() as usize);
        match self.scan.is_approximate(sentences).then(|| self.sketch()).flatten() {
            Some(sketch) => {
                Dots::near(&self.atlas, sketch, self.units(Layer::Sentence), &self.spare_dense, asked, signs)
            }
            None => Dots::new(&self.atlas, &self.spare_dense, asked),
        }
    }

    /// The signs of all sentences compared with all questions that are asked of all documents, where there are several.
    pub(super) fn signs(&self, asks: &[Ask<'_>]) -> Vec<Option<BySigns>> {
        let is_compared = |ask: &&Ask<'_>| ask.allowed.is_none() && asks_by_meaning(ask);
        let vectors: Vec<&[f32]> = asks.iter().filter(is_compared).map(|ask| ask.vector).collect();
        let is_near = vectors.len() > 1 && self.scan.is_approximate(self.atlas.sentences());
        let Some(sketch) = is_near.then(|| self.sketch()).flatten() else { return asks.iter().map(|_| None).collect() };
        let mut compared = BySigns::of(&vectors, sketch, 0..sketch.blocks(), &self.spare_dense.likenesses).into_iter();
        asks.iter().map(|ask| is_compared(&ask).then(|| compared.next()).flatten()).collect()
    }

    /// The sketch; `None` while drawing it would cost more than it saves.
    fn sketch(&self) -> Option<&Sketch> {
        let pays = || self.scan != Scan::Auto || self.without_sketch.fetch_add(1, Ordering::Relaxed) >= DRAWN_AFTER;
        if self.sketch.get().is_none() && !pays() {
            return None;
        }
        Some(self.sketch.get_or_init(|| Sketch::new(&self.atlas)))
    }

    /// Units as the rest of the program names them.
    fn named(&self, units: &Units, best: Vec<ScoredUnit>) -> Vec<Scored> {
        let named = |(score, unit): ScoredUnit| {
            let (run, derived) = units.run(unit as usize, &self.atlas);
            Scored { run, derived, score }
        };
        let mut named: Vec<Scored> = best.into_iter().map(named).collect();
        if self.found_later.load(Ordering::Relaxed) > 0 {
            let damaged: HashSet<DocumentNumber> = self.lock_damage().iter().map(|damaged| damaged.number).collect();
            named.retain(|scored| !damaged.contains(&scored.run.document));
        }
        named
    }
}

/// Whether vectors are to be compared.
fn asks_by_meaning(ask: &Ask<'_>) -> bool {
    ask.rankings.iter().any(|(leg, _)| *leg == Leg::Dense) && ask.vector.iter().any(|&x| x != 0.0)
}

/// So many exact scans take about as long as drawing a sketch.
const DRAWN_AFTER: usize = 5;
