//! Document first, passage second: documents that a question names, and documents that the best passages name.
//!
//! A question that names a document is asked once more inside of it, without the name: what is found there is ranked
//! among itself, and these rankings are fused with those of the whole index. So the named document comes first
//! softly – how much depends on how surely it is named –, its passages are told apart by what else the question says,
//! and of several named documents each has its best. The second hop does the same with documents whose titles stand
//! in the best passages.
//!
//! The constants were chosen among some thirty settings on the sets they were measured on (`benches/parts.py`; law,
//! finance, multi-hop, news, papers). Naming at half its weight, added alone, took the whole answers of `legal` in
//! 2,000 tokens from .53 to .61; without the second hop, `wiki2` fell from .73 to .33.

use super::Probe;
use super::balance;
use super::fuse::{FusedHits, Hit, LedBy, Ranking};
use super::recipe::Recipe;
use super::scope::QuestionScope;
use crate::Result;
use crate::document::Layer;
use crate::store::{Ask, DocumentNumber, DocumentSet, Leg, Run, Scored, Snapshot};
use crate::text::names::{DocumentNames, Naming};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// What the rankings inside of a document weigh beside those of the whole index, when it is surely meant.
const NAMED: f32 = 0.6;
const LINKED: f32 = 0.5;

/// A document is named when it is meant this surely, and this much as surely as the surest.
const LEAST: f32 = 0.4;
const SHARE_OF_SUREST: f32 = 0.6;

/// Named and linked documents that are asked, at most.
const MOST_NAMED: usize = 4;
const MOST_LINKED: usize = 6;

/// Hits whose surroundings are searched for titles.
const READ_FOR_TITLES: usize = 6;

/// How much the best of each named document comes near the best of all: the exponent of their ratio.
const EVENNESS: f32 = 0.3;

/// What the first sentence of a named document weighs: it says what the document is about.
const OPENING: f32 = 3.0;

/// A document to be asked by itself.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Lead {
    document: DocumentNumber,
    /// How surely it is the one: 0 to 1.
    surely: f32,
}

/// What a question asks about.
#[derive(Debug, Default)]
pub struct QuestionSubjects<'q> {
    /// What it asks to be explained or compared: documents of these titles are meant.
    pub names: Vec<&'q str>,
    /// Whether it asks about something as a whole, or has parts.
    pub is_broad: bool,
}

/// A question, or a part of one, and what was found for it so far.
pub struct Trail<'q> {
    /// What is searched for; what the first one names is followed.
    probes: &'q [Probe],
    /// The documents that it names, and what it says besides.
    named: Vec<Lead>,
    rest: String,
    /// How good the best hit in the whole index is.
    best: f32,
    /// What share words have of the weights, where it is not the recipe's.
    pub lexical: Option<f32>,
    /// All rankings, those of the whole index first.
    pub rankings: Vec<Ranking>,
    /// What they are fused to so far.
    fused: FusedHits,
    /// Their hits, best first.
    pub hits: Vec<Hit>,
}

/// Where rankings are made.
pub struct LeadSearch<'s> {
    pub snapshot: &'s dyn Snapshot,
    pub recipe: &'s Recipe,
    pub scope: &'s QuestionScope<'s>,
    pub depth: usize,
    /// What the question asks about.
    pub about: &'s QuestionSubjects<'s>,
}

impl LeadSearch<'_> {
    /// Searches the whole index for each of these; where names are followed, also the documents that they name for what
    /// they say besides. All of it in one round trip.
    pub fn search<'q>(&self, probes: &[&'q [Probe]], follows: bool) -> Result<Vec<Trail<'q>>> {
        let begin = |probes: &&'q [Probe]| self.begin(probes, follows);
        let mut trails: Vec<Trail<'q>> = probes.iter().map(begin).collect::<Result<_>>()?;
        let named: Vec<DocumentSet> = trails.iter().map(|trail| documents(&trail.named)).collect();
        let (wanted, weights): (Vec<_>, Vec<f32>) = self.recipe.rankings().into_iter().unzip();
        let mut asks = Vec::new();
        for (trail, named) in trails.iter().zip(&named) {
            asks.extend(trail.probes.iter().map(|probe| self.whole(probe, &wanted)));
            asks.extend((!named.is_empty()).then(|| self.inside(trail, named, &wanted)));
        }
        let mut found = self.snapshot.search_all(&asks)?.into_iter();
        for trail in &mut trails {
            let share = 1.0 / trail.probes.len() as f32;
            for units in found.by_ref().take(trail.probes.len()) {
                let named = wanted.iter().zip(&weights).zip(units);
                let ranking = |((&(leg, layer), own), units)| {
                    let units = self.scope.without_copies(units, self.depth);
                    Ranking { leg, layer, weight: own * share, led: None, units }
                };
                trail.rankings.extend(named.map(ranking));
            }
            if !trail.named.is_empty() {
                let units = found.next().unwrap_or_default();
                trail.rankings.extend(self.by_document(units, &trail.named, (LedBy::Name, NAMED)));
            }
            self.fuse(trail);
        }
        Ok(trails)
    }

    fn begin<'q>(&self, probes: &'q [Probe], follows: bool) -> Result<Trail<'q>> {
        let (mut named, mut rest) = (Vec::new(), String::new());
        if follows {
            let (catalogue, text) = (self.snapshot.names()?, probes[0].text.as_str());
            named = self.named(catalogue, text);
            rest = catalogue.rest(text, &named.iter().map(|lead| lead.document).collect::<Vec<_>>());
        }
        let (rankings, fused, hits) = (Vec::new(), self.nothing_fused(), Vec::new());
        Ok(Trail { probes, named, rest, best: 0.0, lexical: None, rankings, fused, hits })
    }

    /// Balances the legs, adds what documents say that the best passages name, in one round trip, and brings named
    /// documents nearer to one another. The best score stays what it was, so that `auto` sees numbers of the size it
    /// knows.
    pub fn follow(&self, trails: &mut [Trail<'_>]) -> Result<()> {
        let catalogue = self.snapshot.names()?;
        // All of them are read in the end.
        let read = |trail: &Trail<'_>| trail.hits.iter().map(|hit| hit.run.document).collect::<Vec<_>>();
        let documents_of_hits: BTreeSet<DocumentNumber> = trails.iter().flat_map(read).collect();
        self.snapshot.expect(&documents_of_hits.into_iter().collect::<Vec<_>>())?;
        trails.iter_mut().try_for_each(|trail| self.balance(trail))?;
        let linked: Vec<Vec<Lead>> = trails.iter().map(|trail| self.linked(catalogue, trail)).collect::<Result<_>>()?;
        let sets: Vec<DocumentSet> = linked.iter().map(|linked| documents(linked)).collect();
        let wanted: Vec<(Leg, Layer)> = self.recipe.rankings().into_iter().map(|(wanted, _)| wanted).collect();
        let asked = trails.iter().zip(&sets).filter(|(_, linked)| !linked.is_empty());
        let asks: Vec<Ask<'_>> = asked.map(|(trail, linked)| self.inside(trail, linked, &wanted)).collect();
        let mut found = self.snapshot.search_all(&asks)?.into_iter();
        for (trail, linked) in trails.iter_mut().zip(linked) {
            let fused = trail.rankings.len();
            let units = if linked.is_empty() { Vec::new() } else { found.next().unwrap_or_default() };
            trail.rankings.extend(self.by_document(units, &linked, (LedBy::Link, LINKED)));
            if trail.named.len() > 1 || self.about.is_broad {
                trail.rankings.extend(self.openings(&trail.named)?);
            }
            if trail.rankings.len() > fused {
                trail.fused.add(&trail.rankings[fused..]);
                trail.hits = trail.fused.ranked();
            }
            if trail.rankings.iter().any(|ranking| ranking.led.is_some()) {
                trail.hits = even(std::mem::take(&mut trail.hits), &trail.named);
                let factor = trail.best / trail.hits.first().map_or(1.0, |hit| hit.score);
                trail.hits.iter_mut().for_each(|hit| hit.score *= factor);
            }
        }
        Ok(())
    }

    /// Gives the legs the weights that they have for this question.
    fn balance(&self, trail: &mut Trail<'_>) -> Result<()> {
        let written = balance::written_across(&trail.probes[0].text, &trail.rankings, self.snapshot)?;
        trail.lexical = written.and_then(|written| balance::balance(&mut trail.rankings, written));
        if trail.lexical.is_some() {
            self.fuse(trail);
        }
        Ok(())
    }

    /// Fuses all rankings, those of the whole index first: they say how good the best hit is.
    fn fuse(&self, trail: &mut Trail<'_>) {
        let led = trail.rankings.iter().position(|ranking| ranking.led.is_some());
        let (whole, led) = trail.rankings.split_at(led.unwrap_or(trail.rankings.len()));
        trail.fused = self.nothing_fused();
        trail.fused.add(whole);
        trail.best = trail.fused.best();
        trail.fused.add(led);
        trail.hits = trail.fused.ranked();
    }

    fn nothing_fused(&self) -> FusedHits {
        FusedHits::new(self.recipe.fusion, self.depth)
    }

    /// The documents that a question names.
    fn named(&self, catalogue: &DocumentNames, question: &str) -> Vec<Lead> {
        let mut namings = catalogue.named(question, LEAST);
        let titled: Vec<DocumentNumber> =
            self.about.names.iter().flat_map(|subject| catalogue.titled(subject)).collect();
        namings.retain(|naming| !titled.contains(&naming.document));
        namings.splice(0..0, titled.into_iter().map(|document| Naming { document, surely: 1.0 }));
        namings.retain(|naming| self.scope.is_allowed(naming.document));
        let least = SHARE_OF_SUREST * namings.first().map_or(0.0, |naming| naming.surely);
        let lead = |Naming { document, surely }| Lead { document, surely };
        namings.into_iter().filter(|naming| naming.surely >= least).take(MOST_NAMED).map(lead).collect()
    }

    /// The documents whose titles stand around the best hits, the likeliest first.
    fn linked(&self, catalogue: &DocumentNames, Trail { hits, named, .. }: &Trail<'_>) -> Result<Vec<Lead>> {
        let best = hits.first().map_or(1.0, |hit| hit.score);
        let mut linked: Vec<Lead> = Vec::new();
        for hit in hits.iter().take(READ_FOR_TITLES) {
            let (document, surely) = (hit.run.document, hit.score / best);
            let (structure, text) = (self.snapshot.structure(document)?, self.snapshot.text(document)?);
            let text = structure.span(structure.with_neighbours(hit.run.anchor as usize)).of(&text);
            for other in catalogue.mentioned(text) {
                let known = other == document || named.iter().chain(&linked).any(|lead| lead.document == other);
                if !known && self.scope.is_allowed(other) {
                    linked.push(Lead { document: other, surely });
                }
            }
        }
        linked.truncate(MOST_LINKED);
        Ok(linked)
    }

    fn whole<'a>(&'a self, Probe { text, vector }: &'a Probe, rankings: &'a [(Leg, Layer)]) -> Ask<'a> {
        let (allowed, sections) = (self.scope.allowed.as_ref(), self.scope.sections.as_ref());
        let (fields, depth) = (self.scope.fields(), self.scope.depth(self.depth));
        Ask { text, vector, rankings, allowed, sections, fields, depth }
    }

    /// What a question says besides, asked of some documents only.
    fn inside<'a>(&'a self, trail: &'a Trail<'_>, documents: &'a DocumentSet, rankings: &'a [(Leg, Layer)]) -> Ask<'a> {
        Ask {
            text: &trail.rest,
            vector: &trail.probes[0].vector,
            rankings,
            allowed: Some(documents),
            sections: self.scope.sections.as_ref(),
            fields: None,
            depth: self.depth * documents.len(),
        }
    }

    /// The rankings inside of documents, each by itself: why they were asked, and what that weighs.
    fn by_document(&self, found: Vec<Vec<Scored>>, leads: &[Lead], (led, weight): (LedBy, f32)) -> Vec<Ranking> {
        let mut rankings = Vec::new();
        for (((leg, layer), own), units) in self.recipe.rankings().into_iter().zip(found) {
            for lead in leads {
                let units = units.iter().filter(|unit| unit.run.document == lead.document).copied();
                let units = units.take(self.depth).collect();
                rankings.push(Ranking { leg, layer, weight: weight * own * lead.surely, led: Some(led), units });
            }
        }
        rankings
    }

    /// The sentence that each named document begins with: where one is asked about as a whole, it says most. For every
    /// question that names one, `wiki2` loses five points and recipes one.
    fn openings(&self, named: &[Lead]) -> Result<Vec<Ranking>> {
        let opening = |lead: &Lead| {
            let structure = self.snapshot.structure(lead.document)?;
            let first = structure.sentences.iter().position(|sentence| !sentence.heading).map(|at| at as u32);
            let run = first.map(|at| Run { document: lead.document, first: at, end: at + 1, anchor: at });
            let units = run.map(|run| Scored { run, derived: None, score: 1.0 }).into_iter().collect();
            let (leg, layer) = (Leg::Lexical, Layer::Sentence);
            Ok(Ranking { leg, layer, weight: OPENING * lead.surely, led: Some(LedBy::Name), units })
        };
        named.iter().map(opening).collect()
    }
}

fn documents(leads: &[Lead]) -> DocumentSet {
    leads.iter().map(|lead| lead.document).collect()
}

/// The hits with the best of each named document nearer to the best of them all: each has its share of a budget.
fn even(mut hits: Vec<Hit>, named: &[Lead]) -> Vec<Hit> {
    if named.len() < 2 {
        return hits;
    }
    let mut best: FxHashMap<DocumentNumber, f32> = named.iter().map(|lead| (lead.document, 0.0)).collect();
    for hit in &hits {
        best.entry(hit.run.document).and_modify(|best| *best = best.max(hit.score));
    }
    let highest = best.values().copied().fold(0.0, f32::max);
    let surest = named.iter().map(|lead| lead.surely).fold(f32::MIN_POSITIVE, f32::max);
    let factor = |lead: &Lead| (highest / best[&lead.document]).powf(EVENNESS * lead.surely / surest);
    let found = named.iter().filter(|lead| best[&lead.document] > 0.0);
    let factors: FxHashMap<DocumentNumber, f32> = found.map(|lead| (lead.document, factor(lead))).collect();
    for hit in &mut hits {
        hit.score *= factors.get(&hit.run.document).copied().unwrap_or(1.0);
    }
    hits.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.run.cmp(&b.run)));
    hits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_documents_come_nearer_to_each_other_and_others_stay() {
        let hit = |document, score| {
            let run = Run { document, first: 0, end: 1, anchor: 0 };
            Hit { run, layer: Layer::Sentence, score }
        };
        let named = [Lead { document: 1, surely: 1.0 }, Lead { document: 2, surely: 1.0 }];
        let hits = vec![hit(1, 4.0), hit(3, 2.0), hit(2, 1.0)];
        let even = super::even(hits.clone(), &named);
        let score = |document| even.iter().find(|hit| hit.run.document == document).unwrap().score;
        assert_eq!((score(1), score(3)), (4.0, 2.0));
        assert!(score(2) > 1.0 && score(2) < 4.0, "{}", score(2));
        assert_eq!(super::even(hits.clone(), &named[..1]), hits, "one name alone changes nothing");
    }
}
