//! What an index says about the readings of a question.

use super::matching;
use crate::Result;
use crate::document::{Catalogue, Date, Filter, Layer};
use crate::generate::Asker;
use crate::store::{Ask, DocumentNumber, DocumentSet, Leg, Snapshot};
use crate::text::terms::folded;
use crate::understand::model::{Taken, read_filter};
use crate::understand::{Evidence, Understood, understand};
use std::time::{SystemTime, UNIX_EPOCH};

/// Reads a question against an index, inside the filter that was given with it.
pub fn read(
    snapshot: &dyn Snapshot,
    question: &str,
    given: Option<&Filter>,
    today: Option<Date>,
) -> Result<Understood> {
    let index = Index { snapshot, catalogue: snapshot.catalogue()?, given };
    understand(question, &index, today.unwrap_or_else(clock))
}

/// The same with a model's help; by rule where it gives nothing usable, which is said.
pub fn read_by_model(
    snapshot: &dyn Snapshot,
    question: &str,
    given: Option<&Filter>,
    today: Option<Date>,
    asker: Option<Asker<'_>>,
) -> Result<(Understood, Taken)> {
    let index = Index { snapshot, catalogue: snapshot.catalogue()?, given };
    let today = today.unwrap_or_else(clock);
    let (understood, taken) = read_filter(question, &index, today, asker)?;
    Ok((understood.map_or_else(|| understand(question, &index, today), Ok)?, taken))
}

/// Today, by the system's clock, in UTC.
fn clock() -> Date {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    Date::from_unix(seconds.cast_signed())
}

struct Index<'a> {
    snapshot: &'a dyn Snapshot,
    catalogue: &'a Catalogue,
    given: Option<&'a Filter>,
}

/// Sentences looked at when words are looked for outside a filter: the first ones have most of the words.
const LOOKED_AT: usize = 20;

impl Index<'_> {
    fn inside(&self, filter: &Filter) -> Result<Vec<DocumentNumber>> {
        match self.given {
            Some(given) => matching(self.snapshot, &given.clone().and(filter.clone())),
            None => matching(self.snapshot, filter),
        }
    }

    /// The documents that a filter would leave out.
    fn outside(&self, filter: &Filter) -> Result<DocumentSet> {
        let all = self.given.map_or_else(|| Ok(self.snapshot.numbers()), |given| matching(self.snapshot, given))?;
        let inside = DocumentSet::from(self.inside(filter)?);
        Ok(all.into_iter().filter(|number| !inside.contains(*number)).collect())
    }

    /// Whether a sentence, its headings or its document's title say these words.
    fn says(&self, document: DocumentNumber, sentence: usize, words: &str) -> Result<bool> {
        let (structure, text) = (self.snapshot.structure(document)?, self.snapshot.text(document)?);
        let headings = &structure.sections[structure.section_number(sentence)].path;
        let mut said = vec![structure.sentences[sentence].span.of(&text)];
        said.extend(headings.iter().map(|heading| heading.of(&text)));
        let title = self.snapshot.record(document)?.title;
        Ok(said.into_iter().chain([title.as_str()]).any(|text| folded(text).contains(words)))
    }
}

impl Evidence for Index<'_> {
    fn catalogue(&self) -> &Catalogue {
        self.catalogue
    }

    fn matching(&self, filter: &Filter) -> Result<usize> {
        Ok(self.inside(filter)?.len())
    }

    fn said_elsewhere(&self, words: &str, filter: &Filter) -> Result<bool> {
        let (outside, rankings) = (self.outside(filter)?, [(Leg::Lexical, Layer::Sentence)]);
        let allowed = Some(&outside);
        let ask = Ask {
            text: words,
            vector: &[],
            rankings: &rankings,
            allowed,
            sections: None,
            fields: None,
            depth: LOOKED_AT,
        };
        let words = folded(words);
        for unit in self.snapshot.search(&ask)?.into_iter().flatten() {
            if self.says(unit.run.document, unit.run.anchor as usize, &words)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_given(&self, field: &str) -> bool {
        self.given.is_some_and(|given| given.fields().contains(&field))
    }
}
