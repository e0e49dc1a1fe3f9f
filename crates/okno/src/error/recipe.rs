//! What is wrong with a recipe.

use crate::message::DidYouMean;

okno_document::messages! {
    /// Why a recipe, or a part of one, could not be read.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum RecipeError {
        /// There is none of this name.
        Unknown { /** The name. */ name: String, /** Those there are. */ known: Vec<String> } = "no_recipe" =>
            ("no recipe `{name}`; there are {known}", "没有方案 `{name}`；可用的有 {known}"),
        /// Not an expansion.
        Expansion { /** What was given. */ given: String } = "no_expansion" => (
            "no expansion `{given}`; there are `none`, `window:3`, `neighbors:1`, `parent`, `section`, `document`, \
             `auto`",
            "没有扩展方式 `{given}`；可用的有 `none`、`window:3`、`neighbors:1`、`parent`、`section`、`document`、`auto`",
        ),
        /// Not a fusion.
        Fusion { /** What was given. */ given: String } = "no_fusion" => (
            "no fusion `{given}`; there are `relative` and `rrf:60`",
            "没有融合方式 `{given}`；可用的有 `relative` 和 `rrf:60`",
        ),
        /// A recipe of one's own that cannot be used.
        Own { /** Its name. */ name: String, /** Why. */ reason: OwnRecipeError } = "bad_recipe" =>
            ("recipe `{name}`: {reason}", "方案 `{name}`：{reason}"),
        /// The table of recipes cannot be read or written.
        Table { /** What the library says. */ words: String } = "recipe_table" => ("{words}", "{words}"),
    }
}

okno_document::messages! {
    /// What is wrong with a recipe of one's own.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum OwnRecipeError {
        /// The name of a built-in one.
        BuiltIn = "built_in_name" =>
            ("there is a built-in recipe of this name; choose another", "已有同名的内置方案；请换一个名称"),
        /// `from` is not a name.
        FromNotName { /** The recipes there are. */ known: Vec<String> } = "from_not_name" =>
            ("`from` is the name of a recipe: {known}", "`from` 是方案的名称：{known}"),
        /// `from` is a name that there is not.
        NoBase { /** The name. */ name: String, /** The recipes there are. */ known: Vec<String> } = "no_base_recipe" =>
            ("no recipe `{name}` to start from; there are {known}", "没有可作为起点的方案 `{name}`；可用的有 {known}"),
        /// A key that a recipe does not have.
        UnknownKey { /** The key. */ key: String, /** The nearest ones there are. */ near: DidYouMean } =
            "unknown_key" =>
            ("no key `{key}` here{near}", "这里没有键 `{key}`{near}"),
        /// A key that a recipe must have.
        MissingKey { /** The key. */ key: &'static str } = "missing_key" => (
            "the key `{key}` is missing; add it, or start from a built-in recipe with `from = \"window\"`",
            "缺少键 `{key}`；请加上，或用 `from = \"window\"` 从内置方案开始",
        ),
        /// A number that must not be 0.
        Zero { /** Its key. */ key: &'static str } = "zero" => ("`{key}` must be more than 0", "`{key}` 必须大于 0"),
        /// Nothing to search.
        NoLayers = "no_layers" =>
            ("`layers` and `legs` must name at least one each", "`layers` 和 `legs` 各至少写一个"),
        /// Weights of a leg that there is not.
        WeightsLeg { /** Its name. */ leg: String } = "weights_leg" => (
            "`weights` has no leg `{leg}`; there are `dense` and `lexical`",
            "`weights` 没有 `{leg}` 这一路；可用的有 `dense` 和 `lexical`",
        ),
        /// Not one weight for each layer.
        Weights { /** The leg. */ leg: String, /** How many layers there are. */ layers: usize } = "weights" => (
            "`weights.{leg}` needs one number from 0 for each of the {layers} layers",
            "`weights.{leg}` 需要为 {layers} 个层各写一个不小于 0 的数",
        ),
        /// A value of another type, or one that cannot be read.
        Value { /** What the reader of TOML says. */ words: String } = "bad_value" => ("{words}", "{words}"),
    }
}
