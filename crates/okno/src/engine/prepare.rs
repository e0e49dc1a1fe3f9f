//! From loaded documents to documents ready to be stored: split, enrich, embed.

use crate::document::{Derived, DocumentId, Loaded, Record, Structure};
use crate::embed::{Embedder, Role};
use crate::enrich;
use crate::split::structure;
use crate::store::{Prepared, Vectors, Writer, add_scaled};
use crate::{Error, Result};
use rayon::prelude::*;
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

/// What the title's vector weighs beside a sentence's. The prototype's value; 1 gave the same.
const TITLE_WEIGHT: f32 = 0.5;

/// What each heading's vector weighs beside a sentence's. Tried in a prototype at 0, .25, .5 and 1: coverage on sets with
/// headings rises all the way.
const HEADING_WEIGHT: f32 = 1.0;

/// Facts about the file, not the document: a line of a JSONL file is the same whatever happens to the others.
const ABOUT_THE_FILE: [&str; 2] = ["modified", "size"];

/// The same hash, the same document: nothing about it needs to be done again.
pub fn content_hash(loaded: &Loaded) -> u128 {
    let mut metadata = loaded.metadata.clone();
    metadata.0.retain(|field, _| !ABOUT_THE_FILE.contains(&field.as_str()));
    let mut hash = Xxh3::new();
    for part in
        [&loaded.text, &loaded.title, loaded.language.as_deref().unwrap_or_default(), &metadata.to_json().to_string()]
    {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    for page in &loaded.pages {
        hash.update(&page.start.to_le_bytes());
        hash.update(page.label.as_bytes());
    }
    hash.digest128()
}

/// A document that must be stored, before it is split.
pub struct Changed {
    pub id: DocumentId,
    pub loaded: Loaded,
    pub hash: u128,
}

/// Splits and embeds documents.
pub fn prepare(documents: Vec<Changed>, embedder: &dyn Embedder, writer: &mut dyn Writer) -> Result<Vec<Prepared>> {
    let split: Vec<Split> = documents.into_par_iter().map(split).collect();
    let dimensions = embedder.dimensions();
    if embedder.is_slow() {
        let mut embed = |texts: &[&str]| cached(texts, embedder, writer);
        return split.into_iter().map(|document| prepared(document, dimensions, &mut embed)).collect();
    }
    split.into_par_iter().map(|document| prepared(document, dimensions, &mut |texts| embed(texts, embedder))).collect()
}

struct Split {
    document: Changed,
    structure: Structure,
    derived: Vec<Derived>,
}

fn split(document: Changed) -> Split {
    let loaded = &document.loaded;
    let mut structure = structure(&loaded.text, &loaded.title, &loaded.blocks);
    structure.pages.clone_from(&loaded.pages);
    let derived = enrich::derive(loaded, &structure);
    Split { document, structure, derived }
}

fn prepared(split: Split, dimensions: usize, embed: &mut Embed<'_>) -> Result<Prepared> {
    let Split { document: Changed { id, loaded, hash }, structure, derived } = split;
    let vectors = vectors(&loaded, &structure, &derived, dimensions, embed)?;
    let record = Record {
        id,
        title: loaded.title,
        language: loaded.language,
        metadata: loaded.metadata,
        hash,
        bytes: loaded.text.len() as u64,
        sentences: structure.sentences.len() as u32,
    };
    Ok(Prepared { record, text: loaded.text, structure, derived, vectors })
}

type Embed<'e> = dyn FnMut(&[&str]) -> Result<Vec<f32>> + 'e;

/// The vectors of all sentences, of what stands above the text of each section, and of derived texts.
fn vectors(
    loaded: &Loaded,
    structure: &Structure,
    derived: &[Derived],
    dimensions: usize,
    embed: &mut Embed<'_>,
) -> Result<Vectors> {
    let sentences: Vec<&str> = structure.sentences.iter().map(|sentence| sentence.span.of(&loaded.text)).collect();
    let sections = section_vectors(&loaded.text, &loaded.title, structure, dimensions, embed)?;
    let derived = with_context(derived, structure, &sections, dimensions, embed)?;
    Ok(Vectors { sentences: embed(&sentences)?, sections, derived })
}

/// The vectors of derived texts of a document that is stored already.
pub fn derived_vectors(
    derived: &[Derived],
    text: &str,
    title: &str,
    structure: &Structure,
    embedder: &dyn Embedder,
) -> Result<Vec<f32>> {
    let (dimensions, mut embed) = (embedder.dimensions(), |texts: &[&str]| embed(texts, embedder));
    let sections = section_vectors(text, title, structure, dimensions, &mut embed)?;
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
    title: &str,
    structure: &Structure,
    dimensions: usize,
    embed: &mut Embed<'_>,
) -> Result<Vec<f32>> {
    let mut headings: Vec<_> = structure.sections.iter().flat_map(|section| section.path.iter().copied()).collect();
    headings.sort_unstable();
    headings.dedup();
    let above: Vec<&str> = std::iter::once(title).chain(headings.iter().map(|span| span.of(text))).collect();
    let rows = embed(&above)?;
    let row = |index: usize| &rows[index * dimensions..(index + 1) * dimensions];
    let mut sections = vec![0.0; structure.sections.len() * dimensions];
    for (section, context) in structure.sections.iter().zip(sections.chunks_exact_mut(dimensions)) {
        add_scaled(context, row(0), TITLE_WEIGHT);
        for heading in &section.path {
            // Every heading of a path was collected above.
            let index = headings.partition_point(|other| other < heading);
            add_scaled(context, row(index + 1), HEADING_WEIGHT);
        }
    }
    Ok(sections)
}

fn embed(texts: &[&str], embedder: &dyn Embedder) -> Result<Vec<f32>> {
    let failed = |reason: String| Error::Embedding { name: embedder.identity().to_owned(), reason };
    let vectors = embedder.embed(texts, Role::Passage).map_err(|error| failed(error.to_string()))?;
    let expected = texts.len() * embedder.dimensions();
    if vectors.len() == expected {
        Ok(vectors)
    } else {
        Err(failed(format!("gave {} numbers instead of {expected}", vectors.len())))
    }
}

/// Embeds only texts whose vectors are not known yet, and remembers theirs.
fn cached(texts: &[&str], embedder: &dyn Embedder, writer: &mut dyn Writer) -> Result<Vec<f32>> {
    let keys: Vec<u128> =
        texts.iter().map(|text| xxh3_128(format!("{}\0{text}", embedder.identity()).as_bytes())).collect();
    let mut known: Vec<Option<Vec<f32>>> = keys.iter().map(|&key| writer.cached_vector(key)).collect::<Result<_>>()?;
    let missing: Vec<usize> = (0..texts.len()).filter(|&i| known[i].is_none()).collect();
    if !missing.is_empty() {
        let vectors = embed(&missing.iter().map(|&i| texts[i]).collect::<Vec<_>>(), embedder)?;
        for (&i, vector) in missing.iter().zip(vectors.chunks_exact(embedder.dimensions())) {
            writer.cache_vector(keys[i], vector)?;
            known[i] = Some(vector.to_vec());
        }
    }
    Ok(known.into_iter().flatten().flatten().collect())
}
