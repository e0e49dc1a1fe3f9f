//! The tools: `search`, `open`, `ask`, `list_documents`, `filters`.

use super::{resources, text};
use crate::answering;
use crate::api::{self, FieldView};
use crate::app::{App, ServedIndex};
use crate::audit::AuditNote;
use crate::code::Code;
use crate::error::ApiError;
use crate::requester::{Requester, SeenApp};
use axum::http::request::Parts;
use okno::document::{Access, Filter, Structure};
use okno::retrieve::{self, QueryRequest, matching};
use okno::{Answer, Query};
use okno_document::message::Lang;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    ContentBlock, Implementation, IntoContents, ListResourceTemplatesResult, ListResourcesResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
};
use rmcp::schemars::JsonSchema;
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, tool, tool_handler, tool_router};
use serde::Deserialize;
use std::fmt::Write;
use std::sync::Arc;

/// Tokens of a search by default: a page of a book.
const BUDGET: usize = 800;

/// Sentences on each side of an opened place by default.
const AROUND: usize = 3;

/// Characters of an opened text by default.
const CHARACTERS: usize = 6_000;

/// Documents of a list by default.
const LISTED: usize = 50;

/// What an agent may do.
#[derive(Debug, Clone)]
pub struct Tools {
    app: Arc<App>,
    /// Whether the agent is a program of the owner, on standard input and output.
    local: bool,
    router: ToolRouter<Self>,
}

/// A question.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
pub struct QuestionParams {
    /// The question, in the words of the documents where possible; Chinese and English both work
    question: String,
    /// Tokens of text at most [default: 800 for `search`, what the recipe says for `ask`]
    budget: Option<usize>,
    /// Only documents that match, e.g. `category = tea and year >= 2023`; the tool `filters` lists the fields
    filter: Option<String>,
    /// Who reads filters from the question: `rules` (default), or the server's language `model`
    filter_by: Option<FilterMethod>,
    /// What the server's language model does for the question, if it has one: rewrite, decompose, step-back,
    /// multi-query, hyde, sql
    transform: Option<Vec<String>>,
    /// How to look: `auto` (default), `hybrid`, `lexical`, `dense`, `broad`, or `model` to let the server's language
    /// model choose
    route: Option<String>,
    /// Let the server's language model drop what has nothing to do with the question [default: false]
    post_filter: Option<bool>,
    /// For `ask`: which of the server's language models answers [default: the usual one]
    model: Option<String>,
    /// The index, where there are several
    index: Option<String>,
}

impl QuestionParams {
    /// As the API asks; agents send empty filters where they mean none.
    fn request(self) -> QueryRequest {
        QueryRequest {
            question: self.question,
            budget: self.budget,
            filter: self.filter.filter(|filter| !filter.trim().is_empty()).map(Into::into),
            filter_by: self.filter_by.map(Into::into),
            transform: self.transform,
            route: self.route,
            post_filter: self.post_filter.unwrap_or(false),
            ..QueryRequest::default()
        }
    }
}

/// How filters are read from a question.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(rename_all = "lowercase")]
enum FilterMethod {
    /// By rules, without a model.
    Rules,
    /// By the language model.
    Model,
}

impl From<FilterMethod> for retrieve::FilterBy {
    fn from(method: FilterMethod) -> Self {
        match method {
            FilterMethod::Rules => Self::Rules,
            FilterMethod::Model => Self::Model,
        }
    }
}

/// A place in a document.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
pub struct OpenParams {
    /// The document's name, as `search` and `list_documents` give it
    document: String,
    /// First character (code point), as `search` gives it; from the beginning when left out
    start: Option<usize>,
    /// One past the last character; as far as the budget reaches when left out
    end: Option<usize>,
    /// Sentences to add on each side of the place [default: 3]
    around: Option<usize>,
    /// Characters to return at most [default: 6000]
    budget: Option<usize>,
    /// The index, where there are several
    index: Option<String>,
}

/// Which documents.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
pub struct ListParams {
    /// Only documents that match, e.g. `category = tea`
    filter: Option<String>,
    /// How many to pass over
    offset: Option<usize>,
    /// How many at most [default: 50]
    limit: Option<usize>,
    /// The index, where there are several
    index: Option<String>,
}

/// Which index.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
pub struct FiltersParams {
    /// The index, where there are several
    index: Option<String>,
}

#[tool_router]
impl Tools {
    /// The tools for a program of the owner.
    pub(crate) fn local(app: Arc<App>) -> Self {
        Self { app, local: true, router: Self::tool_router() }
    }

    /// The tools for whoever sends requests over HTTP.
    pub(crate) fn remote(app: Arc<App>) -> Self {
        Self { app, local: false, router: Self::tool_router() }
    }

    #[tool(
        description = "Find passages of the user's own documents that answer a question. Returns exact excerpts, \
            best first, each under a line with document name, character range, page and headings.",
        annotations(read_only_hint = true, open_world_hint = false)
    )]
    async fn search(
        &self,
        Parameters(mut params): Parameters<QuestionParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<String, ToolError> {
        let indexes = self.seen(&context).several(params.index.as_deref())?;
        params.budget = Some(params.budget.unwrap_or(BUDGET));
        let query = api::query_of(&self.app.limits, &params.request())?;
        let answer = self.noted(&context, &indexes, query).await?;
        Ok(text::answer(&answer))
    }

    #[tool(
        description = "Answer a question in words from the user's own documents, with citations; without a language \
            model, the best passages. Shorter than `search`, but less complete.",
        annotations(read_only_hint = true, open_world_hint = false)
    )]
    async fn ask(
        &self,
        Parameters(params): Parameters<QuestionParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<String, ToolError> {
        let indexes = self.seen(&context).several(params.index.as_deref())?;
        let model = self.app.picked(params.model.as_deref(), &indexes)?;
        let query = api::query_of(&self.app.limits, &params.request())?.to_answer(model.generator.is_some());
        let answer = self.noted(&context, &indexes, query).await?;
        let reply = answering::whole(&self.app, indexes, answer, model).await?;
        Ok(text::reply(&reply))
    }

    #[tool(
        description = "Read a document of the user, or the part of it around a place that `search` returned.",
        annotations(read_only_hint = true, open_world_hint = false)
    )]
    async fn open(
        &self,
        Parameters(params): Parameters<OpenParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<String, ToolError> {
        note_of(&context).documents([&*params.document]);
        let served = self.seen(&context).served(params.index.as_deref())?;
        let work = move || {
            let (number, record) = api::named(served.engine(), &params.document)?;
            let snapshot = served.engine().snapshot()?;
            let (text, structure) = (snapshot.text(number)?, snapshot.structure(number)?);
            let (start, end) = widened(&text, &structure, &params);
            let part = api::text_part(&record, &text, Some(start), Some(end));
            let name = text::one_line(part.doc_id);
            Ok(format!("{name} {}–{} of {} characters\n{}", part.start, part.end, part.characters, part.text))
        };
        Ok(self.app.pool.run(work).await?)
    }

    #[tool(
        description = "List the user's documents: name, number of sentences, title.",
        annotations(read_only_hint = true, open_world_hint = false)
    )]
    async fn list_documents(
        &self,
        Parameters(params): Parameters<ListParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<String, ToolError> {
        let served = self.seen(&context).served(params.index.as_deref())?;
        let work = move || {
            let filter = params.filter.as_deref().filter(|filter| !filter.trim().is_empty());
            let filter = filter.map(Filter::parse).transpose().map_err(okno::Error::from)?;
            let snapshot = served.engine().snapshot()?;
            let numbers = match filter {
                Some(filter) => matching(&*snapshot, &filter)?,
                None => snapshot.numbers(),
            };
            let (offset, limit) = (params.offset.unwrap_or(0), params.limit.unwrap_or(LISTED));
            let mut out = format!("{} documents\n", numbers.len());
            for &number in numbers.iter().skip(offset).take(limit) {
                let record = snapshot.record(number)?;
                let (name, title) = (text::one_line(record.id.name()), text::one_line(&record.title));
                let _ = writeln!(out, "- {name} · {} sentences · {title}", record.sentences);
            }
            Ok(out)
        };
        Ok(self.app.pool.run(work).await?)
    }

    #[tool(
        description = "List the fields and values that filters of `search` and `list_documents` may ask about.",
        annotations(read_only_hint = true, open_world_hint = false)
    )]
    async fn filters(
        &self,
        Parameters(params): Parameters<FiltersParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<String, ToolError> {
        let served = self.seen(&context).served(params.index.as_deref())?;
        Ok(self.app.pool.run(move || Ok(text::fields(&FieldView::all(&served)?))).await?)
    }
}

impl Tools {
    /// The server as whoever calls a tool sees it.
    fn seen(&self, context: &RequestContext<RoleServer>) -> SeenApp {
        let requester = match context.extensions.get::<Parts>() {
            _ if self.local => Requester::owner(),
            Some(parts) => Requester::of(parts),
            None => Requester { key: None, access: Access::public() },
        };
        SeenApp::new(&self.app, requester)
    }

    /// What was found, noted in the audit log.
    async fn noted(
        &self,
        context: &RequestContext<RoleServer>,
        indexes: &[Arc<ServedIndex>],
        query: Query,
    ) -> Result<Answer, ApiError> {
        let note = note_of(context);
        note.question(&query.text);
        let answer = answering::found(&self.app, indexes, query).await?;
        note.documents(answer.contexts.iter().map(|context| &*context.document));
        Ok(answer)
    }
}

/// The note of a call that came over HTTP.
fn note_of(context: &RequestContext<RoleServer>) -> AuditNote {
    context.extensions.get::<Parts>().map(AuditNote::of).unwrap_or_default()
}

/// Why a tool failed, for an agent to act on: the hint names a tool in place of a route of the API.
#[derive(Debug)]
pub struct ToolError(ApiError);

impl From<ApiError> for ToolError {
    fn from(error: ApiError) -> Self {
        Self(error)
    }
}

impl IntoContents for ToolError {
    fn into_contents(self) -> Vec<ContentBlock> {
        let info = self.0.info(Lang::En);
        let hint = match info.code {
            Code::NoDocument => Some("the tool `list_documents` lists the documents".to_owned()),
            Code::UnknownField | Code::BadFilter => Some("the tool `filters` lists fields and values".to_owned()),
            _ => info.hint,
        };
        let text = hint.map_or_else(|| info.message.clone(), |hint| format!("{}; {hint}", info.message));
        vec![ContentBlock::text(text)]
    }
}

/// The place that was asked for with its neighbours, in code points, within the budget.
fn widened(text: &str, structure: &Structure, params: &OpenParams) -> (usize, usize) {
    let most = params.budget.unwrap_or(CHARACTERS).max(1);
    let mut walk = okno::document::CodePoints::new(text);
    let mut spans: Vec<(usize, usize)> = Vec::with_capacity(structure.sentences.len());
    for sentence in &structure.sentences {
        spans.push((walk.at(sentence.span.start).0, walk.at(sentence.span.end).0));
    }
    let around = params.around.unwrap_or(AROUND);
    let start = params.start.map_or(0, |start| {
        let holding = spans.partition_point(|span| span.1 <= start);
        spans.get(holding.saturating_sub(around)).map_or(start, |span| span.0.min(start))
    });
    let end = params.end.map_or(usize::MAX, |end| {
        let behind = spans.partition_point(|span| span.0 < end);
        spans
            .get((behind + around).saturating_sub(1).min(spans.len().saturating_sub(1)))
            .map_or(end, |span| span.1.max(end))
    });
    (start, end.min(start.saturating_add(most)))
}

#[tool_handler(router = self.router)]
impl ServerHandler for Tools {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("okno", env!("CARGO_PKG_VERSION")).with_title("Okno"))
            .with_instructions(
                "Passages of the user's own documents. `search` first; cite document and character range; \
                 `open` shows more around a passage.",
            )
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        resources::list(&self.seen(&context), request.and_then(|request| request.cursor)).await
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(resources::templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        note_of(&context).documents([&*request.uri]);
        resources::read(&self.seen(&context), &request.uri).await.map(Into::into)
    }
}
