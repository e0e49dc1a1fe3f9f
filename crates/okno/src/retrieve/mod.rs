//! Retrieval: from a question to contexts.
//!
//! ```text
//! understand → search (dense, lexical) → fuse → collapse → rerank → expand → merge → budget → contexts
//! ```
//!
//! `search` reads like that line. The store is asked once, again where fewer than k targets came of it, and by `auto`
//! inside of documents that the question or the best passages name (`lead`); from fusing to budgeting everything is
//! a pure function over plain data.

mod absent;
mod auto;
mod balance;
mod blocks;
mod context;
mod diversify;
mod evidence;
mod expand;
mod fitting;
mod fuse;
mod help;
mod lead;
mod parts;
mod phrases;
mod pieces;
mod query;
mod recipe;
mod relevance;
mod request;
mod rerank;
mod reread;
mod row_answer;
mod rows;
mod scope;
mod sections;
mod several;
mod spelling;
mod steps;
mod tables;
mod token_rows;
mod translations;
mod views;

pub use crate::store::DEFAULT_RECIPE;
pub use context::{Answer, Context, ContextHit, FoundUnit, Stage};
pub use fuse::{LedBy, Trace};
pub use pieces::PieceMatch;
pub use query::Query;
pub(crate) use recipe::built_in_text;
pub use recipe::{Expansion, Fusion, Order, Recipe, Recipes, Rerank, Unit, Worth, built_in, name_of};
pub use relevance::RELEVANT;
pub use request::{Budget, FilterBy, QueryLimits, QueryRequest};
pub use rerank::{Moved, RerankError, Reranked, Reranker};
pub use row_answer::{CitedRow, QueryWriter, RowAnswer, RowRoute};
pub(crate) use rows::{look_up as look_up_rows, may_write_sql};
pub use scope::matching;
pub(crate) use scope::nearest;
pub(crate) use several::together;

use crate::document::{Filter, Layer};
use crate::embed::{Embedder, Role, normalize};
use crate::generate::Asker;
use crate::store::{DocumentNumber, Leg, Snapshot};
use crate::understand::model::{Probes, Step, Taken};
use crate::understand::{AnswerForm, Because, Route, Routing, Understood};
use crate::{Error, Result};
use expand::ContextPiece;
use fuse::{Hit, Ranking};
use help::PreparedQuestion;
use query::DEEPEST;
use scope::QuestionScope;
use views::{Views, in_characters, refuse_unread, views};

/// One stage of the flow as a span, for whoever traces; where nobody does it costs a comparison.
macro_rules! stage {
    ($name:literal, $work:expr) => {
        tracing::debug_span!($name).in_scope(|| $work)
    };
}

/// The models that a search asks.
#[derive(Clone, Copy)]
pub(crate) struct Models<'a> {
    /// Makes the vectors.
    pub embedder: &'a dyn Embedder,
    /// Reads the best hits once more before they grow.
    pub reranker: Option<&'a dyn Reranker>,
    /// Does what a recipe's `transform` says; without one the search goes on without it.
    pub asker: Option<Asker<'a>>,
    /// Answers questions about rows.
    pub row_route: Option<&'a dyn RowRoute>,
}

/// Answers a question from one generation of an index.
pub(crate) fn search(snapshot: &dyn Snapshot, models: Models<'_>, recipes: &Recipes, query: &Query) -> Result<Answer> {
    let prepared = stage!("understand", help::prepare(snapshot, recipes, query, models))?;
    let PreparedQuestion { understood, routing, probes, steps } = prepared;
    let mut answer = answer(snapshot, models, recipes, query, understood, routing, &probes)?;
    if let Some((understood, routing)) = second_try(&answer, query) {
        answer = self::answer(snapshot, models, recipes, query, understood, routing, &probes)?;
    }
    answer.steps.splice(0..0, steps);
    Ok(answer)
}

/// Where a rule of ours found nothing: the question without it, and visibly so.
fn second_try(answer: &Answer, query: &Query) -> Option<(Understood, Routing)> {
    let ruled = answer.routing.because != Because::Chosen && answer.routing.route != Route::Hybrid;
    let plainly = Routing { route: Route::Hybrid, because: Because::Usual, ..answer.routing.clone() };
    match (answer.stage.hits, &answer.understood.filter) {
        (0, Some(_)) => Some((answer.understood.clone().withdraw(&query.text), plainly)),
        (0, None) if ruled => Some((answer.understood.clone(), plainly)),
        _ => None,
    }
}

/// By which route a question is answered.
fn route(query: &Query) -> Routing {
    query.route.map_or_else(|| crate::understand::route::route(&query.text), Routing::chosen)
}

/// What a language model is to do for a question: as it says itself, or as its recipe does.
pub(crate) fn steps(snapshot: &dyn Snapshot, recipes: &Recipes, query: &Query) -> Result<Vec<Step>> {
    Ok(query.completed_recipe(snapshot, recipes, Route::Hybrid)?.transform)
}

/// What a question says besides its content.
fn understand(snapshot: &dyn Snapshot, query: &Query) -> Result<Understood> {
    if query.auto_filter == Some(false) {
        return Ok(Understood::plainly(&query.text));
    }
    evidence::read(snapshot, &query.text, query.filter.as_ref(), query.today)
}

/// Answers a question that is understood.
fn answer(
    snapshot: &dyn Snapshot,
    models: Models<'_>,
    recipes: &Recipes,
    query: &Query,
    mut understood: Understood,
    routing: Routing,
    probes: &Probes,
) -> Result<Answer> {
    let mut recipe = query.completed_recipe(snapshot, recipes, routing.route)?;
    if models.reranker.is_some() {
        // What a reranker is to read must be there.
        recipe.depth = recipe.depth.max(recipe.rerank.depth.min(DEEPEST));
    }
    let scope = QuestionScope::new(snapshot, both(query.filter.as_ref(), understood.filter.as_ref()).as_ref())?;
    let asked = stage!("embed", asked(&recipe, models.embedder, &understood.text, probes))?;
    if is_auto(&recipe) {
        understood.parts = crate::understand::parts(&understood.text);
        understood.form = AnswerForm::of(&understood.text);
    }
    let parts = stage!("embed", part_probes(&recipe, models.embedder, &understood.parts))?;
    let names = understood.subjects();
    let is_broad = !names.is_empty() || !parts.is_empty();
    let about = lead::QuestionSubjects { names, is_broad };
    let LegResults { rankings, depth, lexical, fused, hits, views } =
        stage!("find", find(snapshot, &recipe, &asked, &parts, &scope, &about))?;
    let (views, scale) = match recipe.unit {
        Unit::Tokens => (views, 1.0),
        Unit::Characters => in_characters(views),
    };
    let mut stage = Stage::new(&rankings, fused, hits.len(), scope.matching);
    stage.lexical = lexical;
    stage.led = led(snapshot, &rankings)?;
    let hits = stage!("rerank", reranked(hits, models.reranker, &recipe, &understood.text, &views, &mut stage))?;
    let mut asked = forms(&understood, &query.text, probes);
    let hits = match stage.reranked {
        None if is_auto(&recipe) && !is_derived(&recipe) => {
            // What has the form of an answer must be among the hits that are compared.
            let hits = fitting::fitting(hits, &understood, snapshot, &views)?;
            let (hits, moved) = stage!("reread", reread::reread(&hits, snapshot, &views, &mut asked[0]))?;
            stage.reranked = Some(moved);
            hits
        }
        _ => hits,
    };
    let (hits, steps) = stage!("post-filter", post_filtered(snapshot, hits, models.asker, query, &recipe, &views))?;
    let hits = match routing.because {
        Because::Quotation => phrases::raised(hits, &routing.phrases, &views),
        _ => hits,
    };
    let nearest: Vec<Hit> = hits.iter().take(NEAREST).copied().collect();
    let pieces = stage!(
        "expand",
        match recipe.expand {
            Expansion::Auto => {
                let ordered = understood.form == Some(AnswerForm::Steps);
                auto::select(&hits, recipe.k, recipe.budget, scale, ordered, &views)
            }
            expansion => grow(hits, expansion, &recipe, &views),
        }
    );
    let pieces = tables::with_rows(pieces, recipe.budget, &views);
    let mut pieces = expand::without_markup(expand::arrange(pieces, recipe.order), &views);
    if is_auto(&recipe) {
        pieces = expand::without_bare(pieces, &views);
    }
    let places: Vec<absent::ContextPlace> =
        pieces.iter().map(|piece| (piece.document, piece.sentences.clone())).collect();
    let traces = fuse::HitTraces::new(&rankings, recipe.fusion, depth);
    let mut contexts: Vec<Context> = pieces
        .into_iter()
        .map(|piece| context::cut(snapshot, piece, &scope, &traces, stage.reranked.as_ref(), &mut asked))
        .collect::<Result<_>>()?;
    let near: Vec<absent::ContextPlace> = nearest.iter().map(|hit| (hit.run.document, hit.run.sentences())).collect();
    let absent = stage!("absent", absent::absent(&understood.text, &near, snapshot, &views))?;
    let told = |relevance: f32, place: &absent::ContextPlace| {
        let counts = absent::counts(&absent, &understood.text, place, &views);
        if counts { relevance * absent::LEFT } else { relevance }
    };
    let (mut relevance, mut matters) = (0.0_f32, false);
    for (hit, place) in nearest.iter().zip(&near) {
        let like = stage!("relevance", context::relevance_of(hit, &traces.of(hit), snapshot, &mut asked))?;
        matters |= like >= RELEVANT;
        relevance = relevance.max(told(like, place));
        if relevance >= RELEVANT {
            break;
        }
    }
    if matters {
        for (context, place) in contexts.iter_mut().zip(&places) {
            context.relevance = told(context.relevance, place);
        }
        understood.absent = absent.into_iter().map(|thing| thing.text).collect();
    }
    let is_any_relevant = contexts.iter().any(|context| context.relevance >= RELEVANT);
    match query.min_relevance {
        Some(least) => contexts.retain(|context| context.relevance >= least),
        None if is_auto(&recipe) && is_any_relevant => contexts.retain(|context| !is_noise(context, &stage)),
        None => {}
    }
    let contexts = match recipe.order {
        Order::Score => phrases::first(contexts, &routing.phrases),
        Order::Document | Order::Ends => contexts,
    };
    refuse_unread(views)?;
    let (question, damaged) = (query.text.clone(), Vec::new());
    let rows = None;
    Ok(Answer { question, recipe, contexts, relevance, stage, understood, routing, steps, rows, damaged })
}

/// So many of the best hits tell whether anything is relevant, whatever of them the budget holds; the first that is
/// tells it. As told of what was returned, 16 of 296 natural questions had something relevant at one budget and nothing
/// at another. With 3 hits one answer in ten of `dragon_en`, which needs two documents, is hidden; with 8 fewer
/// questions that have no answer are told so.
const NEAREST: usize = 5;

/// A context this unlikely to have to do with the question is not returned where another one is relevant. From 0.02 to
/// 0.1 no figure of `benches/quality.py` and `benches/parts.py` (some 2,400 questions) moves by more than a thousandth.
const NOISE: f32 = 0.02;

/// Whether a context can be left out: a named document may answer in words that are not the question's.
fn is_noise(context: &Context, stage: &Stage) -> bool {
    context.relevance < NOISE && !stage.led.iter().any(|(_, document)| *document == context.document)
}

/// The documents that were asked by themselves, and why.
fn led(snapshot: &dyn Snapshot, rankings: &[Ranking]) -> Result<Vec<(LedBy, String)>> {
    let mut led: Vec<(LedBy, DocumentNumber)> = Vec::new();
    for ranking in rankings {
        let by = ranking.led.filter(|by| *by != LedBy::Part);
        let found = by.zip(ranking.units.first()).map(|(by, unit)| (by, unit.run.document));
        led.extend(found.filter(|found| !led.contains(found)));
    }
    led.into_iter().map(|(by, document)| Ok((by, snapshot.record(document)?.id.name().to_owned()))).collect()
}

/// The hits in the order in which a reranker puts them, where there is one and the recipe wants it.
fn reranked(
    hits: Vec<Hit>,
    reranker: Option<&dyn Reranker>,
    recipe: &Recipe,
    text: &str,
    views: &Views<'_>,
    stage: &mut Stage,
) -> Result<Vec<Hit>> {
    let Some(reranker) = reranker.filter(|_| recipe.rerank.depth > 0) else { return Ok(hits) };
    let (hits, moved) = rerank::rerank(&hits, reranker, recipe.rerank, text, views)?;
    stage.reranked = Some(moved);
    Ok(hits)
}

/// The hits without those that a language model calls irrelevant, where the recipe asks one.
fn post_filtered(
    snapshot: &dyn Snapshot,
    hits: Vec<Hit>,
    asker: Option<Asker<'_>>,
    query: &Query,
    recipe: &Recipe,
    views: &Views<'_>,
) -> Result<(Vec<Hit>, Vec<Taken>)> {
    if hits.is_empty() || !recipe.transform.contains(&Step::PostFilter) {
        return Ok((hits, Vec::new()));
    }
    let (hits, taken) = help::post_filter(snapshot, hits, &query.text, recipe, views, asker)?;
    Ok((hits, vec![taken]))
}

/// All forms of a question: what has to do with one of them has to do with the question.
fn forms(understood: &Understood, question: &str, probes: &Probes) -> Vec<relevance::ComparedQuestion> {
    let question = understood.respelled(question);
    let forms = std::iter::once(question.as_str()).chain(probes.instead.as_deref());
    let forms = forms.chain(probes.beside.iter().map(String::as_str));
    forms.map(|form| relevance::ComparedQuestion::new(form, &understood.unknown)).collect()
}

/// The filter that was given and the one that was read.
fn both(given: Option<&Filter>, read: Option<&Filter>) -> Option<Filter> {
    match (given.cloned(), read.cloned()) {
        (Some(given), Some(read)) => Some(given.and(read)),
        (given, read) => given.or(read),
    }
}

/// Expands the first k hits, merges what touches, cuts to the budget.
fn grow(mut hits: Vec<Hit>, expansion: Expansion, recipe: &Recipe, views: &Views<'_>) -> Vec<ContextPiece> {
    hits.truncate(recipe.k);
    let parent = recipe.collapse.or(recipe.layers.last().copied()).unwrap_or(Layer::Section);
    let pieces = hits.into_iter().map(|hit| expand::expand(hit, expansion, parent, views)).collect();
    expand::within_budget(expand::merge(pieces), recipe.budget, views)
}

/// What the legs found.
struct LegResults<'s> {
    rankings: Vec<Ranking>,
    depth: usize,
    /// What share words have of the weights, where it is not the recipe's.
    lexical: Option<f32>,
    /// Hits before they were collapsed.
    fused: usize,
    /// Distinct targets, best first.
    hits: Vec<Hit>,
    /// The documents they are in.
    views: Views<'s>,
}

/// Asks the store for more until there are k distinct targets or no more to be had.
fn find<'s>(
    snapshot: &'s dyn Snapshot,
    recipe: &Recipe,
    asked: &[Probe],
    parts: &[Probe],
    scope: &QuestionScope<'_>,
    about: &lead::QuestionSubjects<'_>,
) -> Result<LegResults<'s>> {
    let mut depth = recipe.depth;
    loop {
        let lead = lead::LeadSearch { snapshot, recipe, scope, depth, about };
        let probes: Vec<&[Probe]> = std::iter::once(asked).chain(parts.iter().map(std::slice::from_ref)).collect();
        let mut trails = lead.search(&probes, is_auto(recipe))?;
        let whole = |ranking: &&Ranking| ranking.led.is_none();
        let mut lengths = trails[0].rankings.iter().filter(whole).map(|ranking| ranking.units.len());
        let exhausted = depth >= DEEPEST || lengths.all(|length| length < depth);
        if is_auto(recipe) {
            lead.follow(&mut trails)?;
        }
        let lexical = trails[0].lexical;
        let (rankings, mut hits) = with_parts(trails);
        let (fused, views) = (hits.len(), views(snapshot, &hits)?);
        if is_auto(recipe) {
            hits = translations::without_others(hits, &asked[0].text, snapshot, &views)?;
        }
        let hits = match recipe.collapse {
            Some(layer) => expand::collapse(hits, layer, recipe.worth, &views),
            None => hits,
        };
        let hits = diversify::diversify(hits, recipe.diversity, &views);
        if recipe.expand == Expansion::Auto || hits.len() >= recipe.k || exhausted {
            return Ok(LegResults { rankings, depth, lexical, fused, hits, views });
        }
        depth = (depth * 4).min(DEEPEST);
    }
}

/// What a question found, and then its parts.
fn with_parts(trails: Vec<lead::Trail<'_>>) -> (Vec<Ranking>, Vec<Hit>) {
    let mut trails = trails.into_iter();
    let (mut rankings, hits) = trails.next().map(|whole| (whole.rankings, whole.hits)).unwrap_or_default();
    let mut of_parts = Vec::new();
    for part in trails {
        rankings.extend(part.rankings.into_iter().map(|ranking| Ranking { led: Some(LedBy::Part), ..ranking }));
        of_parts.push(part.hits);
    }
    (rankings, parts::together(hits, &of_parts))
}

/// Whether a budget is filled with what is likeliest: the recipes `auto` and `broad`.
fn is_auto(recipe: &Recipe) -> bool {
    recipe.expand == Expansion::Auto && recipe.fusion == Fusion::Relative
}

/// Whether texts made about the documents are searched: those are not in what is compared once more.
fn is_derived(recipe: &Recipe) -> bool {
    recipe.layers.iter().any(|layer| matches!(layer, Layer::Derived(_)))
}

/// One form of the question, ready to be searched for.
struct Probe {
    text: String,
    /// Empty where no ranking asks for it.
    vector: Vec<f32>,
}

/// Everything that is searched for: the question or what stands in its place, then what stands beside it.
///
/// Nothing is embedded for words alone: they are found also while an embedding service is away.
fn asked(recipe: &Recipe, embedder: &dyn Embedder, question: &str, probes: &Probes) -> Result<Vec<Probe>> {
    let dense = finds_by_vectors(recipe);
    let form = |(at, text): (usize, &str)| {
        let vector = match &probes.passage {
            _ if !dense => Vec::new(),
            Some(passage) if at == 0 => unit_vector(embedder, passage, Role::Passage)?,
            _ => unit_vector(embedder, text, Role::Query)?,
        };
        Ok(Probe { text: text.to_owned(), vector })
    };
    probes.texts(question).into_iter().enumerate().map(form).collect()
}

/// The parts of a question, as they are searched for.
fn part_probes(recipe: &Recipe, embedder: &dyn Embedder, parts: &[String]) -> Result<Vec<Probe>> {
    let dense = finds_by_vectors(recipe);
    let vector = |text: &str| if dense { unit_vector(embedder, text, Role::Query) } else { Ok(Vec::new()) };
    let probe = |text: &str| Ok(Probe { vector: vector(text)?, text: text.to_owned() });
    parts.iter().map(|part| probe(crate::understand::searched(part))).collect()
}

fn finds_by_vectors(recipe: &Recipe) -> bool {
    recipe.legs.contains(&Leg::Dense)
}

fn unit_vector(embedder: &dyn Embedder, text: &str, role: Role) -> Result<Vec<f32>> {
    let failed = |reason| Error::Embedding { name: embedder.identity().to_owned(), reason };
    let mut vector = embedder.embed(&[text], role).map_err(failed)?;
    normalize(&mut vector);
    Ok(vector)
}
