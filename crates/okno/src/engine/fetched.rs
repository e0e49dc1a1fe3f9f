//! Pages of the web in an index: each URL is a root of its own with one page in it.
//!
//! A page that cannot be fetched is kept as it was and reported, like a folder that is gone; one whose server says it
//! is the same is not loaded. Pages are fetched one after the other, after all files are stored.

use super::storing::IndexRun;
use crate::Result;
use crate::store::FileState;

/// A URL to be brought up to date, and what is known of it.
pub type KnownUrl = (String, Option<FileState>);

/// The URLs, each once, with what is known of them.
pub fn known_urls(urls: &[String], files: &[FileState]) -> Vec<KnownUrl> {
    let mut known: Vec<KnownUrl> = Vec::new();
    for url in urls {
        let url = url.split('#').next().unwrap_or_default().trim().to_owned();
        if !known.iter().any(|(other, _)| *other == url) {
            let state = files.iter().find(|file| file.root == url).cloned();
            known.push((url, state));
        }
    }
    known
}

impl IndexRun<'_> {
    #[cfg(not(feature = "fetch"))]
    pub fn fetch_all(&mut self, urls: Vec<KnownUrl>, _roots: &mut Vec<String>) -> Result<()> {
        for (url, _) in urls {
            self.skip(url, crate::fetch::FetchError::Disabled);
        }
        Ok(())
    }

    /// Fetches and stores the pages.
    #[cfg(feature = "fetch")]
    pub fn fetch_all(&mut self, urls: Vec<KnownUrl>, roots: &mut Vec<String>) -> Result<()> {
        let options = self.options;
        let mut fetcher = crate::fetch::Fetcher::new(&options.fetch);
        for (url, known) in urls {
            if self.report.stopped || self.progress.stop() {
                self.report.stopped = true;
                return Ok(());
            }
            // Without a hash, the same bytes may mean another document now: the page itself is needed.
            let validator = known.as_ref().filter(|known| known.hash != 0).and_then(|known| known.validator.clone());
            match fetcher.fetch(&url, validator.as_deref()) {
                Ok(crate::fetch::Fetched::Same) => {
                    self.report.unchanged += known.map_or(0, |known| known.documents.len());
                }
                Ok(crate::fetch::Fetched::Page(page)) => self.store_page(url, page, known, roots)?,
                Err(reason) => self.skip(url, reason),
            }
        }
        Ok(())
    }

    #[cfg(feature = "fetch")]
    fn store_page(
        &mut self,
        url: String,
        page: crate::fetch::FetchedPage,
        known: Option<FileState>,
        roots: &mut Vec<String>,
    ) -> Result<()> {
        use super::plan::Work;
        let (known_hash, reader) = (known.as_ref().map(|known| known.hash), self.engine.image_reader());
        let read = super::read::read_page(&url, &page, known_hash, self.loaders, reader);
        let read = super::storing::ruled(read, url.split_once("://").map_or(&*url, |(_, rest)| rest), self.rules);
        let entry = crate::load::FileEntry {
            path: url.clone().into(),
            name: url.clone(),
            size: page.bytes.len() as u64,
            modified: 0,
        };
        if !roots.contains(&url) && !matches!(read, super::read::ReadOutcome::Failed(_)) {
            roots.push(url.clone());
            self.writer.set_roots(roots)?;
        }
        let known = known.map(Box::new);
        self.store(vec![(read, Work { root: url.into(), entry, known, validator: page.validator, allow_list: None })])
    }
}
