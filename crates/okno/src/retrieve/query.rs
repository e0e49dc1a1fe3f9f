//! A question with everything its asker chose; the rest is the recipe's to say.

use super::auto;
use super::recipe::{Expansion, Order, Recipe, Recipes, Unit};
use crate::Result;
use crate::document::{Date, Filter};
use crate::store::{DEFAULT_RECIPE, Leg, Snapshot};
use crate::understand::Route;
use crate::understand::model::Step;

/// Tokens of passages that are quoted as an answer where no model writes one: more than a reader takes in helps nobody.
/// Of the natural questions that were looked at, 200, 300 and 400 tokens hold the whole answer of .60, .65 and .73.
const QUOTED: usize = 400;

/// A question and how to answer it. What is `None` is the recipe's to say.
///
/// ```
/// use okno::Query;
///
/// let query = Query::new("How hot should water for black tea be?").recipe("window").budget(500);
/// assert_eq!(query.budget, Some(500));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Query {
    /// The question.
    pub text: String,
    /// The recipe's name; the index's own when `None`.
    pub recipe: Option<String>,
    /// A recipe of its own, in place of a named one.
    pub recipe_value: Option<Recipe>,
    /// The legs to find with.
    pub legs: Option<Vec<Leg>>,
    /// Which documents may be searched.
    pub filter: Option<Filter>,
    /// How hits grow.
    pub expand: Option<Expansion>,
    /// How many distinct targets are expanded.
    pub k: Option<usize>,
    /// How much context, at most.
    pub budget: Option<usize>,
    /// What the budget counts.
    pub unit: Option<Unit>,
    /// How much a hit loses that says what a better one says.
    pub diversity: Option<f32>,
    /// How many hits a reranker reads.
    pub rerank_depth: Option<usize>,
    /// What its score weighs beside the fused one, from 0 to 1.
    pub rerank_blend: Option<f32>,
    /// In which order contexts are returned.
    pub order: Option<Order>,
    /// Whether filters are read from the question; they are when `None`.
    pub auto_filter: Option<bool>,
    /// By which route it is answered; by rule when `None`.
    pub route: Option<Route>,
    /// What a language model does for it; what the recipe says when `None`.
    pub transform: Option<Vec<Step>>,
    /// Whether a language model may write a query over rows where the question counts, and the rule is not sure. What
    /// answers in words lets it, unless the question names its steps; a search does not.
    pub sql_by_model: bool,
    /// The day that `last week` counts from; the system's when `None`.
    pub today: Option<Date>,
    /// Contexts of less relevance are not returned; all are when `None`.
    pub min_relevance: Option<f32>,
}

impl Query {
    /// A question, answered as the index's recipe says.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Answers as this recipe says.
    #[must_use]
    pub fn recipe(mut self, recipe: impl Into<String>) -> Self {
        self.recipe = Some(recipe.into());
        self
    }

    /// Answers as a recipe of its own says, in place of a named one.
    #[must_use]
    pub fn recipe_value(mut self, recipe_value: impl Into<Option<Recipe>>) -> Self {
        self.recipe_value = recipe_value.into();
        self
    }

    /// Finds with these legs only.
    #[must_use]
    pub fn legs(mut self, legs: impl Into<Option<Vec<Leg>>>) -> Self {
        self.legs = legs.into();
        self
    }

    /// Searches only documents that match.
    #[must_use]
    pub fn filter(mut self, filter: impl Into<Option<Filter>>) -> Self {
        self.filter = filter.into();
        self
    }

    /// Expands hits in this way.
    #[must_use]
    pub fn expand(mut self, expand: impl Into<Option<Expansion>>) -> Self {
        self.expand = expand.into();
        self
    }

    /// Expands at most this many distinct targets.
    #[must_use]
    pub fn k(mut self, k: impl Into<Option<usize>>) -> Self {
        self.k = k.into();
        self
    }

    /// Returns at most this much context.
    #[must_use]
    pub fn budget(mut self, budget: impl Into<Option<usize>>) -> Self {
        self.budget = budget.into();
        self
    }

    /// Says what the budget counts.
    #[must_use]
    pub fn unit(mut self, unit: impl Into<Option<Unit>>) -> Self {
        self.unit = unit.into();
        self
    }

    /// Lets the reranker read this many hits.
    #[must_use]
    pub fn rerank_depth(mut self, rerank_depth: impl Into<Option<usize>>) -> Self {
        self.rerank_depth = rerank_depth.into();
        self
    }

    /// Says whether filters are read from the question.
    #[must_use]
    pub fn auto_filter(mut self, auto_filter: impl Into<Option<bool>>) -> Self {
        self.auto_filter = auto_filter.into();
        self
    }

    /// Answers by this route.
    #[must_use]
    pub fn route(mut self, route: impl Into<Option<Route>>) -> Self {
        self.route = route.into();
        self
    }

    /// Lets a language model do these steps, in place of the recipe's.
    #[must_use]
    pub fn transform(mut self, transform: impl Into<Option<Vec<Step>>>) -> Self {
        self.transform = transform.into();
        self
    }

    /// For an answer in words. With a model, it may write a query over rows, unless the steps of this question are
    /// named; without one what is found is quoted, so the budget is small where none is given.
    #[must_use]
    pub fn to_answer(mut self, has_model: bool) -> Self {
        self.sql_by_model = self.transform.is_none();
        self.budget = self.budget.or_else(|| (!has_model).then_some(QUOTED));
        self
    }

    /// Counts `last week` from this day.
    #[must_use]
    pub fn today(mut self, today: impl Into<Option<Date>>) -> Self {
        self.today = today.into();
        self
    }

    /// Returns only contexts of at least this relevance.
    #[must_use]
    pub fn min_relevance(mut self, min_relevance: impl Into<Option<f32>>) -> Self {
        self.min_relevance = min_relevance.into();
        self
    }

    /// Narrows the question to documents that also match this filter.
    pub fn narrow(&mut self, filter: Filter) {
        self.filter = Some(match self.filter.take() {
            Some(given) => given.and(filter),
            None => filter,
        });
    }

    /// The recipe with this question's own choices in it.
    pub(super) fn completed_recipe(&self, snapshot: &dyn Snapshot, recipes: &Recipes, route: Route) -> Result<Recipe> {
        let manifest = snapshot.manifest();
        let usual = if route == Route::Broad && manifest.recipe == DEFAULT_RECIPE { BROAD } else { &manifest.recipe };
        let mut recipe = match &self.recipe_value {
            Some(recipe) => recipe.clone(),
            None => Recipe::named(self.recipe.as_deref().unwrap_or(usual), manifest, recipes)?,
        };
        match route {
            Route::Lexical => recipe.legs = vec![Leg::Lexical],
            Route::Dense => recipe.legs = vec![Leg::Dense],
            Route::Hybrid | Route::Broad | Route::Sql => {}
        }
        recipe.k = self.k.unwrap_or(match (recipe.expand, self.expand.unwrap_or(recipe.expand)) {
            // `auto` chooses from many candidates, more where the budget is large; anything else returns a few.
            (_, Expansion::Auto) => recipe.k.max(self.budget.unwrap_or(recipe.budget) / auto::TOKENS_PER_CANDIDATE),
            (Expansion::Auto, _) => FEW,
            _ => recipe.k,
        });
        recipe.expand = self.expand.unwrap_or(recipe.expand);
        recipe.budget = self.budget.unwrap_or(recipe.budget);
        recipe.diversity = self.diversity.unwrap_or(recipe.diversity).clamp(0.0, 1.0);
        recipe.rerank.depth = self.rerank_depth.unwrap_or(recipe.rerank.depth);
        recipe.rerank.blend = self.rerank_blend.unwrap_or(recipe.rerank.blend).clamp(0.0, 1.0);
        recipe.unit = self.unit.unwrap_or(recipe.unit);
        if let Some(steps) = &self.transform {
            recipe.transform.clone_from(steps);
        }
        recipe.order = self.order.unwrap_or(recipe.order);
        recipe.leave_out_missing(snapshot.derived_counts())?;
        if let Some(legs) = &self.legs {
            recipe.legs.clone_from(legs);
        }
        recipe.depth = recipe.depth.max(recipe.k.min(DEEPEST));
        Ok(recipe)
    }
}

/// The recipe of the route `broad`, in place of the default one.
const BROAD: &str = "broad";

/// How many targets are expanded when nobody says.
const FEW: usize = 3;

/// No ranking is longer than this, whatever k is asked for.
pub(super) const DEEPEST: usize = 10_000;
