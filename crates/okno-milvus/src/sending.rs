//! What a writer sends: documents, the rows of their units, and how the frequency table changes.

use crate::documents::content;
use crate::layers::{LayerCode, MADE, key, pair, partition};
use crate::ledger::{EntryKind, LedgerEntry, TERMS};
use crate::pack;
use crate::snapshot::read_frequencies;
use crate::state::now;
use crate::units::{UnitSource, dense, weighed};
use crate::writer::MilvusWriter;
use milvus::v2::prelude::FieldData;
use okno::Result;
use okno::store::{DocumentNumber, PreparedDocument, above};
use rustc_hash::FxHashMap;

/// Rows of units in one request: 2 MB of vectors of 256 dimensions.
const ROWS: usize = 2000;

/// Requests of units on their way at once.
const AT_ONCE: usize = 4;

/// Segments of the frequency table that are written as one.
const MOST_SEGMENTS: usize = 32;

/// Documents read at once where they are taken out.
const PAGE: usize = 200;

impl MilvusWriter {
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
        self.parts.documents.put(&documents, &above, self.born(), self.manifest.dimensions)?;
        let sources: Vec<UnitSource<'_>> = documents
            .iter()
            .zip(&above)
            .map(|((_, document), above)| {
                UnitSource::new(&document.text, &document.structure, &document.derived, above)
            })
            .collect();
        for code in 0..MADE.len() {
            self.send(code, &documents, &sources)?;
        }
        for unit in documents.iter().flat_map(|(_, document)| &document.derived) {
            *self.state.derived.entry(unit.kind).or_default() += 1;
        }
        Ok(())
    }

    /// Sends the units of one layer.
    fn send(
        &mut self,
        code: LayerCode,
        documents: &[(DocumentNumber, PreparedDocument)],
        sources: &[UnitSource<'_>],
    ) -> Result<()> {
        self.set_mean(code, sources);
        let (mean, dimensions) = (self.state.mean(code), self.manifest.dimensions);
        let (mut batches, mut rows) = (Vec::new(), UnitRows::default());
        for ((number, document), source) in documents.iter().zip(sources) {
            for place in source.places(code) {
                let counts = source.counts(code, place);
                self.delta.count(code, &counts, 1);
                self.state.units[code] += 1;
                self.written += 1;
                rows.keys.push(key(code, *number, place.ordinal));
                rows.documents.push(i64::from(*number));
                rows.sections.push(pair(*number, place.section));
                rows.places.push(pair(place.first, place.end));
                rows.dense.push(dense(&document.vectors, code, place, dimensions));
                rows.sparse.push(weighed(&counts, source.length(code, place), MADE[code], mean));
                if rows.keys.len() == ROWS {
                    batches.push((Some(partition(code)), std::mem::take(&mut rows).columns()));
                }
                if batches.len() == AT_ONCE {
                    self.parts.client.insert_all(&self.parts.collections.units, std::mem::take(&mut batches))?;
                }
            }
        }
        if !rows.keys.is_empty() {
            batches.push((Some(partition(code)), rows.columns()));
        }
        self.parts.client.insert_all(&self.parts.collections.units, batches)
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
            delta.add(&read_frequencies(&self.parts, &self.state.segments)?);
            let old = crate::expression::joined(&std::mem::take(&mut self.state.segments));
            self.state.garbage.push((now(), format!("kind == {} and born in [{old}]", EntryKind::Terms as i64)));
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

#[derive(Default)]
struct UnitRows {
    keys: Vec<i64>,
    documents: Vec<i64>,
    sections: Vec<i64>,
    places: Vec<i64>,
    dense: Vec<Vec<f32>>,
    sparse: Vec<milvus::v2::types::SparseVector>,
}

impl UnitRows {
    fn columns(self) -> Vec<FieldData> {
        vec![
            FieldData::int64("key", self.keys),
            FieldData::int64("document", self.documents),
            FieldData::int64("section", self.sections),
            FieldData::int64("place", self.places),
            FieldData::FloatVector { name: "dense".to_owned(), values: self.dense },
            FieldData::sparse_float_vector("sparse", self.sparse),
        ]
    }
}
