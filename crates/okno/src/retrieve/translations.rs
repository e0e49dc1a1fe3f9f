//! Translations: a document that is there in the question's language too is not returned in another.
//!
//! `guide-en/start.md` and `guide-zh/start.md` say the same; what a budget spends on both it spends twice. Two
//! documents are taken for translations when their paths differ only in tags of languages and their texts in script.

use super::expand::{View, Views};
use super::fuse::Hit;
use crate::Result;
use crate::store::{DocumentNumber, Snapshot};
use crate::text::is_chinese;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;

/// How folders and files are marked as English or Chinese.
const LANGUAGE_TAGS: [&str; 18] = [
    "en",
    "eng",
    "english",
    "us",
    "gb",
    "zh",
    "cn",
    "tw",
    "hk",
    "chs",
    "cht",
    "hans",
    "hant",
    "chinese",
    "中文",
    "英文",
    "简体中文",
    "繁体中文",
];

/// Sentences that are looked at to tell the script of a document; a translation may keep the original in comments.
const SAMPLE: usize = 20;

/// Where the translation has a hit this good beside that of the original, the original is left out.
const AS_GOOD: f32 = 0.8;

/// The hits without those in documents that are there in the question's language too, with a hit about as good.
pub fn without_others(hits: Vec<Hit>, question: &str, snapshot: &dyn Snapshot, views: &Views<'_>) -> Result<Vec<Hit>> {
    // The documents with their best hits: these come best first.
    let mut best: FxHashMap<DocumentNumber, f32> = FxHashMap::default();
    let mut groups: FxHashMap<String, Vec<DocumentNumber>> = FxHashMap::default();
    for hit in &hits {
        let document = hit.run.document;
        if let Entry::Vacant(new) = best.entry(document) {
            new.insert(hit.score);
            let id = snapshot.record(document)?.id;
            groups.entry(untagged(&format!("{}/{}", id.root, id.name()))).or_default().push(document);
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
    let sample = view.structure.sentences.iter().take(SAMPLE).map(|sentence| sentence.span.of(view.text));
    is_chinese(&sample.collect::<String>())
}

/// A path without the tags of languages in it.
fn untagged(path: &str) -> String {
    let parts = path.split(['/', '-', '_', '.']).filter(|part| !LANGUAGE_TAGS.contains(&part.to_lowercase().as_str()));
    parts.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::untagged;

    #[test]
    fn tags_of_languages_are_taken_out_of_paths() {
        assert_eq!(untagged("docs/k8s-en/pods/_index.md"), untagged("docs/k8s-zh/pods/_index.md"));
        assert_eq!(untagged("README.md"), untagged("README.zh-CN.md"));
        assert_ne!(untagged("guide/en/start.md"), untagged("guide/zh/stop.md"));
        assert_ne!(untagged("engine.md"), untagged("zhengine.md"));
    }
}
