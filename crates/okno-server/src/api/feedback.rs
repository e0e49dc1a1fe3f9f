//! Feedback on contexts, kept beside the index for `okno tune --from-feedback`.

use super::documents::named;
use crate::audit::AuditNote;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{JsonBody, Params, Which};
use crate::jobs::now;
use crate::limits::LONGEST_QUESTION;
use crate::problem::Problem;
use crate::requester::SeenApp;
use axum::Json;
use okno_evaluate::feedback::{Feedback, Opinion, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use utoipa::ToSchema;

/// A verdict about a range of a document.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"question": "black tea?", "doc_id": "tea.md", "start": 20, "end": 30, "verdict": "useful"}))]
pub struct Judging {
    /// The question.
    #[schema(min_length = 1, max_length = 8000)]
    pub question: String,
    /// The document's name.
    pub doc_id: String,
    /// The first code point of the context.
    pub start: usize,
    /// One past the last.
    pub end: usize,
    /// `useful` or `not-useful`.
    #[schema(value_type = String, example = "useful")]
    pub verdict: Verdict,
}

/// How many verdicts were recorded.
#[derive(Debug, Serialize, ToSchema)]
pub struct Recorded {
    /// How many.
    pub recorded: usize,
}

/// Say whether a context helped
#[utoipa::path(post, path = "/api/v1/feedback", tag = "evaluate", params(Which), request_body = Judging,
    responses((status = 200, body = Recorded), (status = "4XX", body = ErrorBody)))]
pub async fn add(
    app: SeenApp,
    Params(which): Params<Which>,
    note: AuditNote,
    JsonBody(judging, _): JsonBody<Judging>,
) -> Result<Json<Recorded>, ApiError> {
    let served = app.served(which.index.as_deref())?;
    note.question(&judging.question);
    note.documents([&*judging.doc_id]);
    let work = move || {
        let engine = served.engine();
        let (number, record) = named(engine, &judging.doc_id)?;
        let characters = engine.snapshot()?.text(number)?.chars().count();
        check(&judging, characters)?;
        let opinion = Opinion {
            question: judging.question,
            document: record.id.name().to_owned(),
            start: judging.start,
            end: judging.end,
            verdict: judging.verdict,
            time: now(),
        };
        Feedback::beside(engine.beside()).add(&[opinion])?;
        Ok(Json(Recorded { recorded: 1 }))
    };
    app.pool.run(work).await
}

fn check(judging: &Judging, characters: usize) -> Result<(), ApiError> {
    if judging.question.trim().is_empty() || judging.question.chars().count() > LONGEST_QUESTION {
        return Err(Problem::QuestionLength { most: LONGEST_QUESTION }.into());
    }
    let (start, end) = (judging.start, judging.end);
    if start >= end || end > characters {
        return Err(Problem::BadRange { document: judging.doc_id.clone(), characters, start, end }.into());
    }
    Ok(())
}

/// All verdicts.
#[derive(Debug, Serialize, ToSchema)]
pub struct Verdicts {
    /// Oldest first.
    #[schema(value_type = Vec<Object>)]
    pub verdicts: Vec<Opinion>,
}

/// List all verdicts
#[utoipa::path(get, path = "/api/v1/feedback", tag = "evaluate", params(Which),
    responses((status = 200, body = Verdicts), (status = "4XX", body = ErrorBody)))]
pub async fn list(app: SeenApp, Params(which): Params<Which>) -> Result<Json<Verdicts>, ApiError> {
    let served = app.served(which.index.as_deref())?;
    let work = move || {
        let engine = served.engine();
        let mut verdicts = Feedback::beside(engine.beside()).all()?;
        if engine.hides_documents()? {
            let mut names = BTreeSet::new();
            engine.snapshot()?.each_record(&mut |_, record| {
                names.insert(record.id.name().to_owned());
            })?;
            verdicts.retain(|verdict| names.contains(&verdict.document));
        }
        Ok(Json(Verdicts { verdicts }))
    };
    app.pool.run(work).await
}
