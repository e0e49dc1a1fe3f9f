//! What is wrong with a rule.

use crate::load::GlobError;

okno_document::messages! {
    /// Which rule is wrong, and how.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum RulesError {
        /// This one.
        Rule { /** Which, from 1. */ number: usize, /** Why. */ reason: RuleError } = "bad_rule" =>
            ("rule {number}: {reason}", "第 {number} 条规则：{reason}"),
    }
}

okno_document::messages! {
    /// What is wrong with a rule.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum RuleError {
        /// The pattern of paths.
        Path { /** Why. */ reason: GlobError } = "bad_path" => ("`path`: {reason}", "`path`:{reason}"),
        /// A regular expression.
        Regex {
            /** The key. */ key: &'static str,
            /** What was given. */ pattern: String,
            /** What its reader says. */ words: String,
        } = "bad_regex" => (
            "`{key}`: `{pattern}` is not a valid regular expression: {words}",
            "`{key}`：`{pattern}` 不是有效的正则表达式：{words}",
        ),
        /// There is nothing to set.
        SetsNothing = "sets_nothing" => (
            "it sets nothing; add `set = { field = \"value\" }`",
            "它什么也没有设置；请加上 `set = { 字段 = \"值\" }`",
        ),
        /// All of nothing.
        AllWithoutMatches = "all_without_matches" => (
            "`all` is about the matches of `section` and `text`, and there is neither",
            "`all` 针对 `section` 和 `text` 的匹配，而两者都没有",
        ),
        /// A default of nothing.
        DefaultWithoutMap = "default_without_map" => (
            "`default` is for texts that `map` does not know, and there is no `map`",
            "`default` 用于 `map` 里没有的文字，而没有 `map`",
        ),
        /// A field that is not a rule's to set.
        Reserved { /** The field. */ field: String } = "reserved_field" => (
            "`{field}` is a fact about the file and cannot be set; choose another name",
            "`{field}` 是文件自身的信息，不能设置；请换一个名称",
        ),
        /// A function that templates do not have.
        NoFunction { /** Its name. */ name: String, /** Those there are. */ known: Vec<String> } = "no_function" =>
            ("no function `{name}`; there are {known}", "没有函数 `{name}`；可用的有 {known}"),
        /// A `$` alone.
        NoName { /** The template. */ template: String } = "no_name" => (
            "`{template}`: a name or number must follow `$`; `$$` is a dollar sign",
            "`{template}`：`$` 后面应有名称或数字；`$$` 表示美元符号",
        ),
        /// A number that no pattern captures.
        NoCapture {
            /** The template. */ template: String,
            /** The number. */ number: usize,
            /** How many there are. */ captures: usize,
        } = "no_capture" => (
            "`{template}` refers to `${number}`, but its patterns capture {captures}; count from `$1`",
            "`{template}` 引用了 `${number}`，但模式只捕获 {captures} 个；从 `$1` 数起",
        ),
    }
}
