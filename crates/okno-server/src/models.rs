//! The language models that write answers: the usual one, and those that a request may pick by name.
//!
//! The usual one answers as the settings of the asked index say, any other as its own do. What helps to search is
//! asked of each index's own model, whichever writes.

use crate::app::{App, ServedIndex};
use crate::error::ApiError;
use crate::problem::Problem;
use okno::answer::ReplyOptions;
use okno::config::ModelConfig;
use okno::generate::Generator;
use serde::Serialize;
use std::fmt;
use std::sync::Arc;
use utoipa::ToSchema;

/// A language model that a request may pick.
pub struct NamedModel {
    /// Its name in requests; `default` is the usual model.
    pub name: String,
    /// The model.
    pub generator: Arc<dyn Generator>,
    /// How it answers; fields that the index hides stay hidden.
    pub replies: ReplyOptions<'static>,
    /// Whether it looks at the images among what was found.
    pub vision: bool,
}

impl fmt::Debug for NamedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NamedModel")
            .field("name", &self.name)
            .field("generator", &self.generator)
            .finish_non_exhaustive()
    }
}

/// A model in a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct ModelChoice {
    /// Its name in requests.
    pub name: String,
    /// Provider and model.
    pub model: String,
}

/// Who writes an answer, and how.
pub(crate) struct PickedModel {
    /// `None` for passages of the documents.
    pub generator: Option<Arc<dyn Generator>>,
    pub options: ReplyOptions<'static>,
    /// Whether it looks at images; as the settings of an index say where it does not.
    pub vision: Option<bool>,
}

impl App {
    /// The model of this name, to answer from these indexes; the usual one when none is named.
    pub fn picked(&self, name: Option<&str>, indexes: &[Arc<ServedIndex>]) -> Result<PickedModel, ApiError> {
        let own = indexes.first().map(|served| served.index.replies.clone()).unwrap_or_default();
        let Some(name) = name.filter(|name| *name != ModelConfig::DEFAULT) else {
            return Ok(PickedModel { generator: self.generator.clone(), options: own, vision: None });
        };
        let known = || std::iter::once(ModelConfig::DEFAULT.to_owned()).chain(self.model_names()).collect();
        let model = self.models.iter().find(|model| model.name == name);
        let model = model.ok_or_else(|| Problem::NoModel { name: name.to_owned(), known: known() })?;
        let mut options = model.replies.clone();
        options.hidden.extend(own.hidden);
        Ok(PickedModel { generator: Some(Arc::clone(&model.generator)), options, vision: Some(model.vision) })
    }

    /// The names of the models beside the usual one.
    pub fn model_names(&self) -> impl Iterator<Item = String> {
        self.models.iter().map(|model| model.name.clone())
    }

    /// The models that a request may pick, the usual one first where there is one.
    pub fn model_choices(&self) -> Vec<ModelChoice> {
        let choice = |name: &str, generator: &Arc<dyn Generator>| ModelChoice {
            name: name.to_owned(),
            model: generator.identity().to_owned(),
        };
        let usual = self.generator.iter().map(|generator| choice(ModelConfig::DEFAULT, generator));
        usual.chain(self.models.iter().map(|model| choice(&model.name, &model.generator))).collect()
    }
}
