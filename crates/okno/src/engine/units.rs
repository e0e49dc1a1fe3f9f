//! Derived units of documents that are stored already.

use super::{Engine, Skipped, prepare};
use crate::Result;
use crate::document::{Derived, DerivedKind};
use crate::enrich::{
    self,
    import::{UnitError, UnitLine},
};
use crate::message::Reason;
use crate::store::{DocumentNumber, Snapshot, Writer};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::BufRead;

/// What importing units did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImportReport {
    /// Documents that have them now.
    pub documents: usize,
    /// How many of each kind came in.
    pub units: BTreeMap<DerivedKind, usize>,
    /// Lines that could not be used.
    pub skipped: Vec<Skipped>,
}

impl Engine {
    /// Adds derived units from JSON lines ([`crate::enrich::import`]). For each document named, they take the place of
    /// all units it had of the same layers; those of a document are lost when its content changes.
    pub fn import_units(&self, lines: impl BufRead) -> Result<ImportReport> {
        let store = self.store()?;
        let mut writer = store.writer()?;
        let snapshot = self.snapshot()?;
        self.same_embedder(snapshot.manifest())?;
        let mut report = ImportReport::default();
        let given = self.read_units(&*snapshot, lines, &mut report)?;
        let mut moved = BTreeMap::new();
        for (number, units) in given {
            for unit in &units {
                *report.units.entry(unit.kind).or_default() += 1;
            }
            report.documents += 1;
            moved.insert(number, self.replace_units(&*snapshot, &mut *writer, number, units)?);
        }
        follow(&*snapshot, &mut *writer, &moved)?;
        drop(snapshot);
        self.finish(writer)?;
        Ok(report)
    }

    /// The units by document; lines that cannot be used go to the report.
    fn read_units(
        &self,
        snapshot: &dyn Snapshot,
        lines: impl BufRead,
        report: &mut ImportReport,
    ) -> Result<BTreeMap<DocumentNumber, Vec<Derived>>> {
        let mut names: HashMap<&str, Vec<DocumentNumber>> = HashMap::new();
        for (number, record) in snapshot.records()? {
            names.entry(record.id.name()).or_default().push(*number);
        }
        let mut units: BTreeMap<DocumentNumber, Vec<Derived>> = BTreeMap::new();
        for (at, line) in lines.lines().enumerate() {
            let line = line?;
            if line.trim().is_empty() {
                continue;
            }
            match self.read_unit(snapshot, &names, &line) {
                Ok(found) => found.into_iter().for_each(|(number, unit)| units.entry(number).or_default().push(unit)),
                Err(reason) => {
                    report.skipped.push(Skipped { place: format!("line {}", at + 1), reason: reason.into() });
                }
            }
        }
        Ok(units)
    }

    /// A line's unit in every document of that name.
    fn read_unit(
        &self,
        snapshot: &dyn Snapshot,
        names: &HashMap<&str, Vec<DocumentNumber>>,
        json: &str,
    ) -> Result<Vec<(DocumentNumber, Derived)>, UnitError> {
        let line = UnitLine::read(json)?;
        let numbers = match names.get(line.document.as_str()) {
            Some(numbers) => numbers.clone(),
            None => self.numbers_of(&line.document).map_err(Reason::from)?,
        };
        if numbers.len() > 1 {
            return Err(UnitError::Several { name: line.document });
        }
        let unit = |number| {
            let (text, structure) = (snapshot.text(number), snapshot.structure(number));
            let text = text.map_err(Reason::from)?;
            let structure = structure.map_err(Reason::from)?;
            Ok((number, line.clone().unit(&text, &structure)?))
        };
        numbers.into_iter().map(unit).collect()
    }

    fn numbers_of(&self, name: &str) -> Result<Vec<DocumentNumber>> {
        Ok(self.named(name)?.into_iter().map(|(number, _)| number).collect())
    }

    fn replace_units(
        &self,
        snapshot: &dyn Snapshot,
        writer: &mut dyn Writer,
        number: DocumentNumber,
        mut units: Vec<Derived>,
    ) -> Result<DocumentNumber> {
        let kinds: BTreeSet<DerivedKind> = units.iter().map(|unit| unit.kind).collect();
        units.extend(snapshot.derived(number)?.iter().filter(|unit| !kinds.contains(&unit.kind)).cloned());
        self.set_units(snapshot, writer, number, units)
    }

    /// Gives a document these derived units and no others.
    pub(super) fn set_units(
        &self,
        snapshot: &dyn Snapshot,
        writer: &mut dyn Writer,
        number: DocumentNumber,
        mut units: Vec<Derived>,
    ) -> Result<DocumentNumber> {
        enrich::sort(&mut units);
        let (text, structure) = (snapshot.text(number)?, snapshot.structure(number)?);
        let record = snapshot.record(number)?;
        let fields = record.metadata.line(&snapshot.manifest().embedded_fields);
        let above = prepare::Above { title: &record.title, fields: &fields };
        let vectors = prepare::derived_vectors(&units, &text, above, &structure, self.embedder(), writer)?;
        writer.derive(number, &units, &vectors)
    }
}

/// Files name their documents by number.
pub(super) fn follow(
    snapshot: &dyn Snapshot,
    writer: &mut dyn Writer,
    moved: &BTreeMap<DocumentNumber, DocumentNumber>,
) -> Result<()> {
    for mut file in snapshot.files()? {
        let mut changed = false;
        for number in &mut file.documents {
            if let Some(&new) = moved.get(number) {
                (*number, changed) = (new, true);
            }
        }
        if changed {
            writer.set_file(&file)?;
        }
    }
    Ok(())
}
