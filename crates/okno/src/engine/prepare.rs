//! From loaded documents to documents ready to be stored: split, enrich, embed.

use super::report::{Progress, Silent};
use crate::document::{Derived, DocumentId, Image, Loaded, Record, Structure};
use crate::embed::{EmbedError, Embedder, Role};
use crate::enrich;
use crate::split::structure;
use crate::store::{PreparedDocument, Vectors, Writer, add_scaled};
use crate::{Error, Result};
use rayon::prelude::*;
use std::collections::HashMap;
use xxhash_rust::xxh3::xxh3_128;

/// What the title's vector weighs beside a sentence's. The prototype's value; 1 gave the same.
const TITLE_WEIGHT: f32 = 0.5;

/// What each heading's vector weighs beside a sentence's. Tried in a prototype at 0, .25, .5 and 1: coverage on sets
/// with headings rises all the way.
const HEADING_WEIGHT: f32 = 1.0;

/// What the vector of metadata chosen for embedding weighs: it stands beside the title. Not tuned.
const FIELDS_WEIGHT: f32 = TITLE_WEIGHT;

/// Whether a stored record says something else about the document or its file.
pub fn says_otherwise(stored: &Record, loaded: &Loaded) -> bool {
    stored.metadata != loaded.metadata || stored.language != loaded.language
}

/// A document that must be stored, before it is split.
pub struct Changed {
    pub id: DocumentId,
    pub loaded: Loaded,
    pub hash: u128,
}

/// Splits and embeds documents.
pub fn prepare(
    documents: Vec<Changed>,
    embedder: &dyn Embedder,
    fields: &[String],
    writer: &mut dyn Writer,
    progress: &dyn Progress,
) -> Result<Vec<PreparedDocument>> {
    let split: Vec<CutDocument> = documents.into_par_iter().map(|document| split(document, fields)).collect();
    let dimensions = embedder.dimensions();
    if embedder.is_slow() {
        // All texts of all documents at once: a network likes company.
        let texts: Vec<&str> = split.iter().flat_map(CutDocument::texts).collect();
        let known = remembered(&texts, embedder, writer, progress)?;
        let mut embed = |texts: &[&str]| Ok(known.of(texts));
        return split.into_iter().map(|document| prepared(document, dimensions, &mut embed)).collect();
    }
    split.into_par_iter().map(|document| prepared(document, dimensions, &mut |texts| embed(texts, embedder))).collect()
}

/// What stands above every text of a document.
#[derive(Clone, Copy)]
pub struct Above<'a> {
    /// Its title.
    pub title: &'a str,
    /// The metadata chosen for embedding, as one text; usually empty.
    pub fields: &'a str,
}

struct CutDocument {
    document: Changed,
    fields: String,
    structure: Structure,
    derived: Vec<Derived>,
}

impl CutDocument {
    fn texts(&self) -> Vec<&str> {
        let Loaded { text, title, .. } = &self.document.loaded;
        texts(text, Above { title, fields: &self.fields }, &self.structure, &self.derived)
    }
}

/// Every text of a document that has a vector.
pub fn texts<'d>(text: &'d str, above: Above<'d>, structure: &'d Structure, derived: &'d [Derived]) -> Vec<&'d str> {
    let headings = structure.sections.iter().flat_map(|section| section.path.iter().map(|span| span.of(text)));
    let sentences = structure.sentences.iter().map(|sentence| sentence.span.of(text));
    let derived = derived.iter().map(|unit| unit.text.as_str());
    [above.title, above.fields].into_iter().chain(headings).chain(sentences).chain(derived).collect()
}

fn split(document: Changed, embedded: &[String]) -> CutDocument {
    let loaded = &document.loaded;
    let mut structure = structure(&loaded.text, &loaded.title, &loaded.blocks);
    structure.pages.clone_from(&loaded.pages);
    structure.images = loaded.images.iter().filter_map(Image::picture).collect();
    let derived = enrich::derive(loaded, &structure);
    let fields = loaded.metadata.line(embedded);
    CutDocument { document, fields, structure, derived }
}

fn prepared(split: CutDocument, dimensions: usize, embed: &mut Embed<'_>) -> Result<PreparedDocument> {
    let CutDocument { document: Changed { id, loaded, hash }, fields, structure, derived } = split;
    let above = Above { title: &loaded.title, fields: &fields };
    let vectors = vectors(&loaded.text, above, &structure, &derived, dimensions, embed)?;
    let record = Record {
        id,
        title: loaded.title,
        language: loaded.language,
        metadata: loaded.metadata,
        hash,
        bytes: loaded.text.len() as u64,
        sentences: structure.sentences.len() as u32,
    };
    Ok(PreparedDocument { record, text: loaded.text, structure, derived, vectors })
}

pub type Embed<'e> = dyn FnMut(&[&str]) -> Result<Vec<f32>> + 'e;

/// The vectors of all sentences, of what stands above the text of each section, and of derived texts.
pub fn vectors(
    text: &str,
    above: Above<'_>,
    structure: &Structure,
    derived: &[Derived],
    dimensions: usize,
    embed: &mut Embed<'_>,
) -> Result<Vectors> {
    let sentences: Vec<&str> = structure.sentences.iter().map(|sentence| sentence.span.of(text)).collect();
    let sections = section_vectors(text, above, structure, dimensions, embed)?;
    let derived = with_context(derived, structure, &sections, dimensions, embed)?;
    Ok(Vectors { sentences: embed(&sentences)?, sections, derived })
}

/// The vectors of derived texts of a document that is stored already.
pub fn derived_vectors(
    derived: &[Derived],
    text: &str,
    above: Above<'_>,
    structure: &Structure,
    embedder: &dyn Embedder,
    writer: &mut dyn Writer,
) -> Result<Vec<f32>> {
    let dimensions = embedder.dimensions();
    let mut embed = |texts: &[&str]| {
        if embedder.is_slow() {
            Ok(remembered(texts, embedder, writer, &Silent)?.of(texts))
        } else {
            embed(texts, embedder)
        }
    };
    let sections = section_vectors(text, above, structure, dimensions, &mut embed)?;
    with_context(derived, structure, &sections, dimensions, &mut embed)
}

/// Derived texts with what stands above their targets.
fn with_context(
    derived: &[Derived],
    structure: &Structure,
    sections: &[f32],
    dimensions: usize,
    embed: &mut Embed<'_>,
) -> Result<Vec<f32>> {
    let texts: Vec<&str> = derived.iter().map(|unit| unit.text.as_str()).collect();
    let mut rows = embed(&texts)?;
    for (unit, row) in derived.iter().zip(rows.chunks_exact_mut(dimensions)) {
        let section = structure.section_number(unit.first as usize) * dimensions;
        add_scaled(row, &sections[section..section + dimensions], 1.0);
    }
    Ok(rows)
}

/// The vectors of what stands above the text of each section: title and headings.
fn section_vectors(
    text: &str,
    above: Above<'_>,
    structure: &Structure,
    dimensions: usize,
    embed: &mut Embed<'_>,
) -> Result<Vec<f32>> {
    let mut headings: Vec<_> = structure.sections.iter().flat_map(|section| section.path.iter().copied()).collect();
    headings.sort_unstable();
    headings.dedup();
    let fields = above.fields;
    let above: Vec<&str> = std::iter::once(above.title)
        .chain(headings.iter().map(|span| span.of(text)))
        .chain((!fields.is_empty()).then_some(fields))
        .collect();
    let rows = embed(&above)?;
    let row = |index: usize| &rows[index * dimensions..(index + 1) * dimensions];
    let mut sections = vec![0.0; structure.sections.len() * dimensions];
    for (section, context) in structure.sections.iter().zip(sections.chunks_exact_mut(dimensions)) {
        add_scaled(context, row(0), TITLE_WEIGHT);
        if !fields.is_empty() {
            add_scaled(context, row(headings.len() + 1), FIELDS_WEIGHT);
        }
        for heading in &section.path {
            // Every heading of a path was collected above.
            let index = headings.partition_point(|other| other < heading);
            add_scaled(context, row(index + 1), HEADING_WEIGHT);
        }
    }
    Ok(sections)
}

pub fn embed(texts: &[&str], embedder: &dyn Embedder) -> Result<Vec<f32>> {
    let failed = |reason: EmbedError| Error::Embedding { name: embedder.identity().to_owned(), reason };
    let vectors = embedder.embed(texts, Role::Passage).map_err(failed)?;
    let expected = texts.len() * embedder.dimensions();
    if vectors.len() == expected {
        Ok(vectors)
    } else {
        Err(failed(EmbedError::Count { got: vectors.len(), expected }))
    }
}

/// Texts that are embedded before somebody is asked whether to go on: full batches, and no long wait. Not tuned.
const BLOCK: usize = 256;

/// Vectors by the key of their text.
pub struct KnownVectors<'e> {
    embedder: &'e dyn Embedder,
    vectors: HashMap<u128, Vec<f32>>,
}

impl KnownVectors<'_> {
    /// The vectors of texts that were all asked for.
    pub fn of(&self, texts: &[&str]) -> Vec<f32> {
        texts.iter().flat_map(|text| &self.vectors[&key(text, self.embedder)]).copied().collect()
    }
}

fn key(text: &str, embedder: &dyn Embedder) -> u128 {
    xxh3_128(format!("{}\0{text}", embedder.identity()).as_bytes())
}

/// Embeds only texts whose vectors are not known yet, and remembers theirs. When it is stopped, those that were made
/// are remembered with the next commit.
pub fn remembered<'e>(
    texts: &[&str],
    embedder: &'e dyn Embedder,
    writer: &mut dyn Writer,
    progress: &dyn Progress,
) -> Result<KnownVectors<'e>> {
    let mut known = KnownVectors { embedder, vectors: HashMap::new() };
    let mut missing: Vec<(u128, &str)> = Vec::new();
    for text in texts {
        let key = key(text, embedder);
        if let std::collections::hash_map::Entry::Vacant(e) = known.vectors.entry(key) {
            let cached = writer.cached_vector(key)?;
            missing.extend(cached.is_none().then_some((key, *text)));
            // An empty place keeps a repeated text from being asked for twice.
            e.insert(cached.unwrap_or_default());
        }
    }
    for block in missing.chunks(BLOCK) {
        if progress.stop() {
            return Err(Error::Stopped);
        }
        let vectors = embed(&block.iter().map(|(_, text)| *text).collect::<Vec<_>>(), embedder)?;
        for (&(key, _), vector) in block.iter().zip(vectors.chunks_exact(embedder.dimensions())) {
            writer.cache_vector(key, vector)?;
            known.vectors.insert(key, vector.to_vec());
        }
        progress.embedded(block.len());
    }
    Ok(known)
}
