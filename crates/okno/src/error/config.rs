//! What is wrong with a configuration.

use crate::error::RecipeError;
use crate::generate::PromptError;
use crate::load::SelectionError;
use crate::message::DidYouMean;
use crate::rules::RulesError;

okno_document::messages! {
    /// Why a configuration could not be used.
    #[derive(Debug, Clone, PartialEq)]
    #[non_exhaustive]
    pub enum ConfigError {
        /// Not TOML, or a value of another type.
        Toml { /** What the reader of TOML says. */ words: String } = "bad_toml" => ("{words}", "{words}"),
        /// A key that there is not.
        UnknownKey { /** The key. */ key: String, /** The nearest ones there are. */ near: DidYouMean } =
            "unknown_key" =>
            ("no key `{key}` here{near}", "这里没有键 `{key}`{near}"),
        /// A variable that must be a number or a truth value.
        NotPlain { /** What was given. */ given: String } = "not_plain" =>
            ("`{given}` is not a number, `true` or `false`", "`{given}` 不是数字，也不是 `true` 或 `false`"),
        /// A rule.
        Rule(RulesError),
        /// A recipe.
        Recipe(RecipeError),
        /// Patterns of files.
        Selection { /** Why. */ reason: SelectionError } = "bad_selection" => ("[index] {reason}", "[index] {reason}"),
        /// No leg to search by.
        NoLegs = "no_legs" =>
            ("`legs` is empty; name `dense`, `lexical` or both", "`legs` 是空的；请写 `dense`、`lexical` 或两者"),
        /// A time that cannot be waited.
        Seconds { /** The table and the key. */ key: String, /** The least. */ least: f64 } = "bad_seconds" =>
            ("{key} is a number of seconds from {least} to 86400", "{key} 是 {least} 到 86400 的秒数"),
        /// A number that must not be 0.
        Zero { /** The table and the key. */ key: String } = "zero" => ("{key} is at least 1", "{key} 至少为 1"),
        /// A temperature that models do not have.
        Temperature { /** The table and the key. */ key: String } = "bad_temperature" =>
            ("{key} is a number from 0 to 2", "{key} 是 0 到 2 的数"),
        /// A name that a language model cannot have.
        ModelName { /** The name. */ name: String } = "bad_model_name" => (
            "invalid name of a model `{name}`: expected letters, digits, `-`, `_`, and `.` in a name in quotes \
             (`[models.\"qwen2.5\"]`); `default` is the model in `[model]`",
            "模型名称 `{name}` 无效：应由字母、数字、`-`、`_` 组成；含 `.` 的名称须加引号（`[models.\"qwen2.5\"]`）；\
             `default` 指 `[model]` 中的模型"
        ),
        /// A prompt of one's own.
        Prompt(PromptError),
    }
}
