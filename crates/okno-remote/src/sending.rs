//! What a writer sends: documents, the rows of their units, and how the frequency table changes.

use crate::conditions::RowCondition;
use crate::documents::content;
use crate::driver::{UnitBatch, UnitRow};
use crate::fields;
use crate::layers::{LayerCode, MADE, key, pair};
use crate::ledger::{EntryKind, LedgerEntry, TERMS};
use crate::pack;
use crate::snapshot::add_frequencies;
use crate::state::now;
use crate::units::{UnitSource, dense};
use crate::writer::RemoteWriter;
use okno::Result;
use okno::store::{DocumentNumber, PreparedDocument, above};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Rows of units in one request: 2 MB of vectors of 256 dimensions.
const ROWS: usize = 2000;

/// Requests of units on their way at once.
const AT_ONCE: usize = 4;

/// Segments of the frequency table that are written as one.
const MOST_SEGMENTS: usize = 32;

/// Documents read at once where they are taken out.
const PAGE: usize = 200;

impl RemoteWriter {
    /// Sends what is buffered.
    pub fn flush(&mut self) -> Result<()> {
        let documents = std::mem::take(&mut self.buffer);
        self.buffered = 0;
        if documents.is_empty() {
            return Ok(());
        }
        self.know_copies(&documents)?;
        let fields = &self.manifest.embedded_fields;
        let above: Vec<String> = documents.iter().map(|(_, document)| above(&document.record, fields)).collect();
        let tokens = self.tokens(&documents);
        self.parts.documents.put(&documents, &above, &tokens, self.born(), self.manifest.dimensions)?;
        let sources: Vec<UnitSource<'_>> = documents
            .iter()
            .zip(&above)
            .map(|((_, document), above)| {
                UnitSource::new(&document.text, &document.structure, &document.derived, above)
            })
            .collect();
        for code in 0..MADE.len() {
            self.send(code, &documents, &sources, &tokens)?;
        }
        for unit in documents.iter().flat_map(|(_, document)| &document.derived) {
            *self.state.derived.entry(unit.kind).or_default() += 1;
        }
        Ok(())
    }

    /// The fields of documents as tokens; those that hold too much get none, and are told by their numbers.
    fn tokens(&mut self, documents: &[(DocumentNumber, PreparedDocument)]) -> Vec<Arc<[String]>> {
        let checks = self.parts.driver.checks_fields();
        let mut of = |(number, document): &(DocumentNumber, PreparedDocument)| -> Arc<[String]> {
            let tokens = fields::tokens(&document.record).filter(|_| checks);
            if tokens.is_none() && checks {
                self.state.unsaid.insert(*number);
            }
            tokens.unwrap_or_default().into()
        };
        documents.iter().map(&mut of).collect()
    }

    /// Sends the units of one layer.
    fn send(
        &mut self,
        code: LayerCode,
        documents: &[(DocumentNumber, PreparedDocument)],
        sources: &[UnitSource<'_>],
        tokens: &[Arc<[String]>],
    ) -> Result<()> {
        self.set_mean(code, sources);
        let (mean, dimensions) = (self.state.mean(code), self.manifest.dimensions);
        let batch = |rows: &mut Vec<UnitRow>| UnitBatch { code, mean, rows: std::mem::take(rows) };
        let (mut batches, mut rows) = (Vec::new(), Vec::new());
        for (((number, document), source), tokens) in documents.iter().zip(sources).zip(tokens) {
            for place in source.places(code) {
                let terms = source.counts(code, place);
                self.delta.count(code, &terms, 1);
                self.state.units[code] += 1;
                self.written += 1;
                rows.push(UnitRow {
                    key: key(code, *number, place.ordinal),
                    document: i64::from(*number),
                    section: pair(*number, place.section),
                    place: pair(place.first, place.end),
                    dense: dense(&document.vectors, code, place, dimensions),
                    terms,
                    length: source.length(code, place),
                    tokens: Arc::clone(tokens),
                });
                if rows.len() == ROWS {
                    batches.push(batch(&mut rows));
                }
                if batches.len() == AT_ONCE {
                    self.parts.driver.write_units(std::mem::take(&mut batches))?;
                }
            }
        }
        if !rows.is_empty() {
            batches.push(batch(&mut rows));
        }
        if batches.is_empty() { Ok(()) } else { self.parts.driver.write_units(batches) }
    }

    /// The first documents set what is a usual length.
    fn set_mean(&mut self, code: LayerCode, sources: &[UnitSource<'_>]) {
        if self.state.units[code] > 0 {
            return;
        }
        let lengths =
            sources.iter().flat_map(|source| source.places(code).into_iter().map(|place| source.length(code, place)));
        let (sum, count) = lengths.fold((0.0f64, 0u32), |(sum, count), length| (sum + f64::from(length), count + 1));
        if count > 0 {
            self.state.means[code] = (sum / f64::from(count)).max(1.0) as f32;
        }
    }

    /// Finds the documents that have the same texts as these.
    fn know_copies(&mut self, documents: &[(DocumentNumber, PreparedDocument)]) -> Result<()> {
        let own: Vec<(i64, DocumentNumber)> =
            documents.iter().map(|(number, document)| (content(&document.text), *number)).collect();
        let mut known: FxHashMap<i64, DocumentNumber> = FxHashMap::default();
        if self.state.live.count() > documents.len() {
            let contents: Vec<i64> = own.iter().map(|(content, _)| *content).collect();
            let found = self.parts.documents.with_contents(&contents)?;
            known.extend(found.into_iter().filter(|(_, number)| self.state.live.contains(*number)));
        }
        for (content, number) in own {
            if let Some(&other) = known.get(&content) {
                self.state.same(other, number);
            }
            known.insert(content, number);
        }
        Ok(())
    }

    /// Takes back what documents that are gone brought to the frequency table and the counts.
    pub fn subtract(&mut self) -> Result<()> {
        let gone: Vec<DocumentNumber> = self.dead.iter().collect();
        for page in gone.chunks(PAGE) {
            for stored in self.parts.documents.read(&page.iter().copied().collect(), self.born())? {
                let source = UnitSource::new(&stored.text, &stored.structure, &stored.derived, &stored.above);
                for code in 0..MADE.len() {
                    for place in source.places(code) {
                        self.delta.count(code, &source.counts(code, place), -1);
                        self.state.units[code] = self.state.units[code].saturating_sub(1);
                    }
                }
                self.images.released.extend(stored.structure.images.iter().map(|picture| picture.hash));
                for unit in stored.derived.iter() {
                    let count = self.state.derived.entry(unit.kind).or_default();
                    *count = count.saturating_sub(1);
                }
            }
        }
        self.state.derived.retain(|_, count| *count > 0);
        Ok(())
    }

    /// The frequency table's next segment: the differences, or everything where there are many segments.
    pub fn segment(&mut self) -> Result<Option<LedgerEntry>> {
        let (born, mut delta) = (self.born(), std::mem::take(&mut self.delta));
        if self.state.segments.len() >= MOST_SEGMENTS {
            add_frequencies(&mut delta, &self.parts, &self.state.segments)?;
            let old = std::mem::take(&mut self.state.segments).into_iter().map(|born| born as i64).collect();
            let old = EntryKind::Terms.rows().and(RowCondition::In("born", old));
            self.state.garbage.push((now(), self.parts.driver.expression(&old)));
        }
        if delta.is_empty() {
            return Ok(None);
        }
        self.state.segments.push(born);
        Ok(Some(LedgerEntry {
            kind: EntryKind::Terms,
            base: TERMS.to_owned(),
            born,
            value: pack::to_text(&delta.write()),
        }))
    }
}
