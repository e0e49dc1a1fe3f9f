//! Keeping an index in step with files, folders and URLs.
//!
//! A file whose size and time are those of the last run is not read; one whose bytes are the same is
//! not loaded; a document whose content is the same is not split or embedded. What is gone from a
//! folder that could be read is gone from the index; what could not be read is kept and reported.

use super::Engine;
use super::fetched::known_urls;
use super::report::{IndexOptions, IndexReport, Progress};
use super::storing::IndexRun;
use crate::Result;
use crate::error::OptionsError;
use crate::fetch::is_url;
use crate::load::CompiledSelection;
use crate::rules::Rules;
use crate::store::{DocumentNumber, FileState, Manifest, Snapshot, Writer};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::Instant;

/// Brings the index up to date.
pub fn sync(engine: &Engine, paths: &[&Path], options: &IndexOptions, progress: &dyn Progress) -> Result<IndexReport> {
    write(engine, options, progress, |run, roots, files| run.follow(paths, roots, files))
}

/// Writes to the index with one run, which gets the roots and files that the index knows, and makes it visible.
pub fn write(
    engine: &Engine,
    options: &IndexOptions,
    progress: &dyn Progress,
    work: impl FnOnce(&mut IndexRun<'_>, Vec<String>, Vec<FileState>) -> Result<()>,
) -> Result<IndexReport> {
    let store = engine.store()?;
    let mut writer = store.writer()?;
    let snapshot = store.snapshot()?;
    engine.same_embedder(snapshot.manifest())?;
    let (roots, mut files) = (snapshot.roots().to_vec(), known_files(&*snapshot)?);
    let manifest = set_manifest(engine, &*snapshot, options, &mut *writer)?;
    if reads_otherwise(&manifest, snapshot.manifest()) {
        look_again(&mut files, &mut *writer)?;
    }
    let damaged: HashSet<DocumentNumber> = snapshot.all_damaged().iter().map(|damaged| damaged.number).collect();
    drop(snapshot);
    store.release();
    let (rules, loaders) = (Rules::new(&manifest.rules)?, engine.loaders(&manifest)?);
    let mut run = IndexRun {
        engine,
        loaders: &loaders,
        options,
        rules: &rules,
        embedded: &manifest.embedded_fields,
        chosen: CompiledSelection::new(&manifest.selection).map_err(OptionsError::from)?,
        writer: &mut *writer,
        progress,
        report: IndexReport::default(),
        damaged,
        allow_lists: None,
        uncommitted: 0,
        committed: Instant::now(),
    };
    work(&mut run, roots, files)?;
    let report = run.report;
    engine.finish(writer)?;
    Ok(report)
}

impl IndexRun<'_> {
    /// Follows files and folders first, then URLs; with none given, all that the index knows.
    fn follow(&mut self, paths: &[&Path], mut roots: Vec<String>, files: Vec<FileState>) -> Result<()> {
        let all = paths.is_empty();
        let (urls, paths): (Vec<&Path>, Vec<&Path>) = paths.iter().partition(|path| url_of(path).is_some());
        let mut scopes = Vec::new();
        if all || !paths.is_empty() {
            (scopes, roots) = self.scopes(&paths, roots, &files)?;
        }
        self.writer.set_roots(&roots)?;
        if all {
            self.discard_unowned(&files)?;
        }
        let urls: Vec<String> = if all {
            roots.iter().filter(|root| is_url(root)).cloned().collect()
        } else {
            urls.into_iter().filter_map(url_of).collect()
        };
        let mut urls = known_urls(&urls, &files);
        for (_, known) in &mut urls {
            self.read_again_if_damaged(known.as_mut())?;
        }
        let work = self.plan(&scopes, files)?;
        self.progress.begin(work.len(), work.iter().map(|work| work.entry.size).sum());
        self.read_all(work)?;
        self.fetch_all(urls, &mut roots)
    }
}

/// The same bytes now mean other documents: every file is looked at again. Written down together with the manifest,
/// so that a run that is killed, or that looks at one root only, leaves nothing behind that is never looked at again.
fn look_again(files: &mut [FileState], writer: &mut dyn Writer) -> Result<()> {
    for file in files {
        (file.modified, file.size, file.hash) = (i64::MIN, 0, 0);
        writer.set_file(file)?;
    }
    Ok(())
}

/// What is known of every file. A run that ended early leaves documents of files that were not yet marked as read:
/// such a file is known by these documents, and by no content, so that it is read again, or forgotten with them.
pub(super) fn known_files(snapshot: &dyn Snapshot) -> Result<Vec<FileState>> {
    let mut files = snapshot.files()?;
    let marked: HashSet<DocumentNumber> = files.iter().flat_map(|file| file.documents.iter().copied()).collect();
    let mut unmarked: HashMap<(String, String), Vec<DocumentNumber>> = HashMap::new();
    for number in snapshot.numbers().into_iter().filter(|number| !marked.contains(number)) {
        let id = snapshot.record(number)?.id;
        unmarked.entry((id.root, id.path)).or_default().push(number);
    }
    if unmarked.is_empty() {
        return Ok(files);
    }
    let unread = |root, path, documents| FileState {
        root,
        path,
        modified: i64::MIN,
        size: 0,
        hash: 0,
        validator: None,
        documents,
    };
    for file in &mut files {
        if let Some(mut documents) = unmarked.remove(&(file.root.clone(), file.path.clone())) {
            documents.append(&mut file.documents);
            *file = unread(file.root.clone(), file.path.clone(), documents);
        }
    }
    files.extend(unmarked.into_iter().map(|((root, path), documents)| unread(root, path, documents)));
    Ok(files)
}

/// Whether the same bytes give other documents than before.
fn reads_otherwise(now: &Manifest, before: &Manifest) -> bool {
    (&now.jsonl_fields, now.lines, &now.rules, &now.embedded_fields, &now.image_reader)
        != (&before.jsonl_fields, before.lines, &before.rules, &before.embedded_fields, &before.image_reader)
}

/// The URL that was given where a path may be.
fn url_of(path: &Path) -> Option<String> {
    path.to_str().filter(|text| is_url(text)).map(str::to_owned)
}

fn set_manifest(
    engine: &Engine,
    snapshot: &dyn Snapshot,
    options: &IndexOptions,
    writer: &mut dyn Writer,
) -> Result<Manifest> {
    let mut manifest = snapshot.manifest().clone();
    if let Some(recipe) = &options.recipe {
        crate::retrieve::Recipe::named(recipe, &manifest, engine.recipes())?;
        manifest.recipe.clone_from(recipe);
    }
    manifest.chunk = options.chunk.or(manifest.chunk);
    manifest.neighbors = options.neighbors.or(manifest.neighbors);
    manifest.jsonl_fields = options.jsonl_fields.clone().or(manifest.jsonl_fields);
    manifest.rules = options.rules.clone().unwrap_or(manifest.rules);
    manifest.selection = options.selection.clone().unwrap_or(manifest.selection);
    manifest.embedded_fields = options.embedded_fields.clone().unwrap_or(manifest.embedded_fields);
    manifest.lines |= options.lines;
    // Where nobody reads images today, what was read stays.
    manifest.image_reader = engine.image_reader().map(|reader| reader.identity().to_owned()).or(manifest.image_reader);
    if manifest != *snapshot.manifest() {
        writer.set_manifest(&manifest)?;
    }
    Ok(manifest)
}
