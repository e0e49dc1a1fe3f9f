//! Pages of documents: where each begins, a picture of one, and where a span of text is on it.
//!
//! The file itself is needed for a picture. It is read where it was indexed from, and only if it still has the bytes
//! that were indexed: what is shown is what was searched.

use super::documents::{NAME, json, named, sent};
use crate::app::{App, ServedIndex};
use crate::audit::AuditNote;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{Name, NameAndPage, Params, Which};
use crate::page_reader::{PageMark, PageReader};
use crate::pool::WorkLength;
use crate::problem::Problem;
use crate::requester::SeenApp;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use okno::document::{CodePoints, Record, Structure, Value};
use okno::load::PageFailure;
use okno::shapes::slice;
use okno::store::{DocumentNumber, Snapshot};
use okno::{OriginalFile, OriginalLost};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// Pixels of a picture, unless another width is asked for.
const WIDTH: u32 = 1000;
const NARROWEST: u32 = 100;
const WIDEST: u32 = 2400;

/// Asked for again each time, sent again only when it is another.
const KEEP: &str = "private, no-cache";

/// A page of a document.
#[derive(Debug, Serialize, ToSchema)]
pub struct DocumentPage<'a> {
    /// Which one, from 1.
    pub page: usize,
    /// What is printed on it, or its number.
    pub label: &'a str,
    /// Its first code point.
    pub start: usize,
    /// One past its last.
    pub end: usize,
}

/// The pages of a document.
#[derive(Debug, Serialize, ToSchema)]
pub struct PageList<'a> {
    /// The document's name.
    pub doc_id: &'a str,
    /// Its title, possibly empty.
    pub title: &'a str,
    /// Whether pictures of them can be asked for.
    pub pictures: bool,
    /// The pages, in order; none where the format has no pages.
    pub pages: Vec<DocumentPage<'a>>,
}

/// The pages of a document: which part of the text each holds
#[utoipa::path(get, path = "/api/v1/documents/{name}/pages", tag = "documents",
    params(("name" = String, Path, description = NAME, example = "tea.pdf"), Which),
    responses((status = 200, body = PageList<'static>), (status = "4XX", body = ErrorBody)))]
pub async fn list(
    app: SeenApp,
    Name(name): Name,
    note: AuditNote,
    Params(which): Params<Which>,
) -> Result<impl IntoResponse, ApiError> {
    let served = app.served(which.index.as_deref())?;
    note.documents([&*name]);
    let draws = app.pages.as_ref().is_some_and(PageReader::draws);
    let work = move || {
        let found = FoundDocument::of(&served, &name)?;
        let (text, structure) = (found.snapshot.text(found.number)?, found.structure()?);
        let mut points = CodePoints::new(&text);
        let starts: Vec<usize> = structure.pages.iter().map(|page| points.at(page.start).0).collect();
        let all = points.at(text.len() as u32).0;
        let ends = starts.iter().skip(1).copied().chain([all]);
        let pages = structure.pages.iter().zip(starts.iter().zip(ends)).enumerate();
        let pages = pages.map(|(at, (page, (start, end)))| DocumentPage {
            page: at + 1,
            label: &page.label,
            start: *start,
            end,
        });
        let original = if draws && found.is_pdf() { found.original(&served)? } else { None };
        json(&PageList {
            doc_id: found.record.id.name(),
            title: &found.record.title,
            pictures: original.is_some_and(|original| original.may_be_there()),
            pages: pages.collect(),
        })
    };
    Ok(sent(app.pool.run(work).await?))
}

/// How a page is drawn.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PictureWidth {
    /// The index; the first when none is named
    pub index: Option<String>,
    /// Pixels from left to right; 1000 when nothing is said
    #[param(minimum = 100, maximum = 2400)]
    pub width: Option<u32>,
}

/// A picture of a page of a PDF, as it was when it was indexed
#[utoipa::path(get, path = "/api/v1/documents/{name}/pages/{page}/picture", tag = "documents",
    params(("name" = String, Path, description = NAME, example = "tea.pdf"),
        ("page" = usize, Path, description = "Which page, from 1", minimum = 1, example = 1), PictureWidth),
    responses((status = 200, content_type = "image/png", body = Vec<u8>), (status = 304, description = "Not changed"),
        (status = "4XX", body = ErrorBody)))]
pub async fn picture(
    app: SeenApp,
    NameAndPage(name, page): NameAndPage,
    note: AuditNote,
    headers: HeaderMap,
    Params(size): Params<PictureWidth>,
) -> Result<Response, ApiError> {
    let served = app.served(size.index.as_deref())?;
    note.documents([&*name]);
    let width = size.width.unwrap_or(WIDTH);
    if !(NARROWEST..=WIDEST).contains(&width) {
        return Err(Problem::BadWidth { width, least: NARROWEST, most: WIDEST }.into());
    }
    let shared = Arc::clone(&app);
    let work = move || {
        let (found, original) = drawable(&shared, &served, &name, page)?;
        let tag = format!("\"{:032x}-{page}-{width}\"", original.hash);
        let known = headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
        let picture = if known { None } else { Some(drawn(&shared, &found, &original, page, width)?) };
        Ok((tag, picture))
    };
    let (tag, picture) = app.pool.run_at(WorkLength::Long, work).await?;
    let headers = [(header::ETAG, tag), (header::CACHE_CONTROL, KEEP.to_owned())];
    Ok(match picture {
        Some(picture) => (headers, [(header::CONTENT_TYPE, "image/png")], picture).into_response(),
        None => (StatusCode::NOT_MODIFIED, headers).into_response(),
    })
}

/// Which part of the text.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct MarkedSpan {
    /// The index; the first when none is named
    pub index: Option<String>,
    /// First code point of the document's text
    pub start: usize,
    /// One past the last code point
    pub end: usize,
}

/// Where a span of text is on a page.
#[derive(Debug, Serialize, ToSchema)]
pub struct MarkedPage {
    /// Which page, from 1.
    pub page: usize,
    /// A box for each line of the span.
    pub marks: Vec<PageMark>,
    /// Whether all letters of the span that are on this page are inside of the boxes.
    pub complete: bool,
}

/// Where a span of a PDF's text is on a page: a box for each line; the part of the span on other pages is left out
#[utoipa::path(get, path = "/api/v1/documents/{name}/pages/{page}/marks", tag = "documents",
    params(("name" = String, Path, description = NAME, example = "tea.pdf"),
        ("page" = usize, Path, description = "Which page, from 1", minimum = 1, example = 1), MarkedSpan),
    responses((status = 200, body = MarkedPage), (status = "4XX", body = ErrorBody)))]
pub async fn marks(
    app: SeenApp,
    NameAndPage(name, page): NameAndPage,
    note: AuditNote,
    Params(span): Params<MarkedSpan>,
) -> Result<impl IntoResponse, ApiError> {
    let served = app.served(span.index.as_deref())?;
    note.documents([&*name]);
    let shared = Arc::clone(&app);
    let work = move || {
        let (found, original) = drawable(&shared, &served, &name, page)?;
        measured(&shared, &found, &original, page, &span)
    };
    Ok(sent(app.pool.run_at(WorkLength::Long, work).await?.to_vec()))
}

/// A document that was asked for, in the generation it was found in.
struct FoundDocument {
    snapshot: Arc<dyn Snapshot>,
    number: DocumentNumber,
    record: Record,
}

impl FoundDocument {
    fn of(served: &ServedIndex, name: &str) -> Result<Self, ApiError> {
        let snapshot = served.engine().snapshot()?;
        let (number, record) = named(served.engine(), name)?;
        Ok(Self { snapshot, number, record })
    }

    fn structure(&self) -> Result<Arc<Structure>, ApiError> {
        Ok(self.snapshot.structure(self.number)?)
    }

    fn is_pdf(&self) -> bool {
        self.record.metadata.get("type").is_some_and(|kind| matches!(kind, Value::Text(kind) if kind == "pdf"))
    }

    fn original(&self, served: &ServedIndex) -> Result<Option<OriginalFile>, ApiError> {
        Ok(served.engine().original(self.number, &self.record)?)
    }

    fn name(&self) -> String {
        self.record.id.name().to_owned()
    }

    fn lost(&self, lost: OriginalLost) -> Problem {
        match lost {
            OriginalLost::Changed => Problem::FileChanged { name: self.name() },
            _ => Problem::NoOriginal { name: self.name() },
        }
    }

    fn failed(&self, page: usize, reason: PageFailure) -> Problem {
        tracing::warn!(document = self.record.id.name(), page, %reason, "a page was not drawn");
        Problem::PageNotDrawn { name: self.name(), page, reason }
    }
}

/// A document with this page whose file can be asked for pictures.
fn drawable(
    app: &App,
    served: &ServedIndex,
    name: &str,
    page: usize,
) -> Result<(FoundDocument, OriginalFile), ApiError> {
    let found = FoundDocument::of(served, name)?;
    let pages = found.structure()?.pages.len();
    if page == 0 || page > pages {
        return Err(Problem::NoPage { name: found.name(), page, pages }.into());
    }
    if app.pages.is_none() || !found.is_pdf() {
        return Err(Problem::NoPictures { name: found.name() }.into());
    }
    let original = found.original(served)?.ok_or_else(|| Problem::NoOriginal { name: found.name() })?;
    // What is kept shows the file as it was indexed; it is not sent once the file is gone or has another size.
    if !original.may_be_there() {
        original.bytes().map_err(|lost| found.lost(lost))?;
    }
    Ok((found, original))
}

fn reader(app: &App, found: &FoundDocument) -> Result<PageReader, ApiError> {
    app.pages.clone().ok_or_else(|| Problem::NoPictures { name: found.name() }.into())
}

/// The picture of a page, from the cache or drawn now.
fn drawn(
    app: &App,
    found: &FoundDocument,
    original: &OriginalFile,
    page: usize,
    width: u32,
) -> Result<Bytes, ApiError> {
    let key = format!("{:032x} {page} {width}", original.hash).into_bytes();
    if let Some(kept) = app.pictures.get(&key) {
        return if kept.is_empty() { Err(found.failed(page, PageFailure::Ended).into()) } else { Ok(kept) };
    }
    let reader = reader(app, found)?;
    if !reader.draws() {
        return Err(Problem::NoPictures { name: found.name() }.into());
    }
    let file = original.bytes().map_err(|lost| found.lost(lost))?;
    match reader.picture(&file, page, width) {
        Ok(picture) => {
            let picture = Bytes::from(picture);
            app.pictures.keep(key, &picture);
            Ok(picture)
        }
        Err(reason) => {
            // The same bytes fail again; what took too long may have had a busy machine.
            if reason == PageFailure::Ended {
                app.pictures.keep(key, &[]);
            }
            Err(found.failed(page, reason).into())
        }
    }
}

/// The boxes of a span, from the cache or measured now.
fn measured(
    app: &App,
    found: &FoundDocument,
    original: &OriginalFile,
    page: usize,
    span: &MarkedSpan,
) -> Result<Bytes, ApiError> {
    let (start, end) = (span.start, span.end);
    let key = format!("{:032x} {:032x} {page} {start}-{end}", original.hash, found.record.hash).into_bytes();
    if let Some(kept) = app.pictures.get(&key) {
        return Ok(kept);
    }
    let text = found.snapshot.text(found.number)?;
    let (part, inner) = on_page(&text, &*found.structure()?, page, start..end.max(start));
    let answer = if inner.is_empty() {
        MarkedPage { page, marks: Vec::new(), complete: true }
    } else {
        let file = original.bytes().map_err(|lost| found.lost(lost))?;
        let measured = reader(app, found)?.marks(&file, page, part, &inner);
        let measured = measured.map_err(|reason| found.failed(page, reason))?;
        MarkedPage { page, complete: measured.found == measured.letters, marks: measured.boxes }
    };
    let answer = Bytes::from(json(&answer)?);
    app.pictures.keep(key, &answer);
    Ok(answer)
}

/// The text of a page, and the bytes of it that a span of the document's code points has.
fn on_page<'t>(text: &'t str, structure: &Structure, page: usize, span: Range<usize>) -> (&'t str, Range<usize>) {
    let begins = |at: usize| structure.pages.get(at).map_or(text.len(), |page| page.start as usize);
    let (from, to) = (begins(page - 1), begins(page).max(begins(page - 1)));
    let byte = |point: usize| slice(text, None, Some(point)).len();
    let inside = |byte: usize| byte.clamp(from, to) - from;
    (text.get(from..to).unwrap_or_default(), inside(byte(span.start))..inside(byte(span.end)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use okno::document::Page;

    #[test]
    fn a_span_over_two_pages_has_a_part_on_each() {
        let text = "茶是热的。Tea is hot.\n";
        let page = |start: u32| Page { label: String::new(), start };
        let structure = Structure { pages: vec![page(0), page(12), page(12), page(15)], ..Structure::default() };
        assert_eq!(on_page(text, &structure, 1, 2..8), ("茶是热的", 6..12));
        assert_eq!(on_page(text, &structure, 2, 2..8), ("", 0..0));
        assert_eq!(on_page(text, &structure, 3, 2..8), ("。", 0..3));
        assert_eq!(on_page(text, &structure, 4, 2..8), ("Tea is hot.\n", 0..3));
        assert_eq!(on_page(text, &structure, 4, 90..99), ("Tea is hot.\n", 12..12));
    }
}
