//! Translations: a document that is there in the question's language too is not returned in another.
//!
//! `guide-en/start.md` and `guide-zh/start.md` say the same; what a budget spends on both it spends twice. Two
//! documents are taken for translations when their paths differ only in tags of languages and their texts in script.

use super::fuse::Hit;
use super::views::{View, Views};
use crate::Result;
use crate::store::{DocumentNumber, Snapshot};
use crate::text::is_chinese;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;

/// Sentences that are looked at to tell the script of a document; a translation may keep the original in comments.
const SAMPLE: usize = 20;

/// Where the translation has a hit this good beside that of the original, the original is left out. At 0.8 an English
/// question was answered from the Chinese page that keeps its words; no question set moves between the two.
const AS_GOOD: f32 = 0.6;

/// The hits without those in documents that are there in the question's language too, with a hit about as good.
pub fn without_others(hits: Vec<Hit>, question: &str, snapshot: &dyn Snapshot, views: &Views<'_>) -> Result<Vec<Hit>> {
    let names = snapshot.names()?;
    if !names.has_translations() {
        return Ok(hits);
    }
    // The documents with their best hits: these come best first.
    let mut best: FxHashMap<DocumentNumber, f32> = FxHashMap::default();
    let mut groups: FxHashMap<u64, Vec<DocumentNumber>> = FxHashMap::default();
    for hit in &hits {
        let document = hit.run.document;
        if let Entry::Vacant(new) = best.entry(document) {
            new.insert(hit.score);
            if let Some(path) = names.translated_path(document) {
                groups.entry(path).or_default().push(document);
            }
        }
    }
    let asked = is_chinese(question);
    let mut others: FxHashSet<DocumentNumber> = FxHashSet::default();
    for group in groups.values().filter(|group| group.len() > 1) {
        let (own, foreign): (Vec<_>, Vec<_>) =
            group.iter().partition(|number| is_chinese_document(&views[number]) == asked);
        let own = own.iter().map(|number| best[number]).fold(0.0, f32::max);
        others.extend(foreign.into_iter().filter(|number| own >= AS_GOOD * best[number]));
    }
    Ok(hits.into_iter().filter(|hit| !others.contains(&hit.run.document)).collect())
}

fn is_chinese_document(view: &View<'_>) -> bool {
    let sample = view.structure.sentences.iter().take(SAMPLE).map(|sentence| sentence.span.of(&view.text));
    is_chinese(&sample.collect::<String>())
}
