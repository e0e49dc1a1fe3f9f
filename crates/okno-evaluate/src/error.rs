//! What can go wrong while measuring.

use crate::set::Faults;
use okno::generate::GenerateError;
use std::path::PathBuf;

okno::document::messages! {
    /// Why an evaluation was not done or not kept.
    #[derive(Debug)]
    #[non_exhaustive]
    pub enum Error {
        /// The engine failed.
        Engine(okno::Error),
        /// A question set cannot be used as it is.
        QuestionSet { /** The file. */ path: PathBuf, /** What is wrong, line by line. */ faults: Faults } =
            "bad_question_set" => (
            "`{path}` has faults; nothing was run, nothing was changed; fix these lines:{faults}",
            "“{path}” 有误，没有运行，也没有改动任何内容；请修正这些行：{faults}",
        ),
        /// A run of this name is kept.
        RunExists { /** The name. */ name: String } = "run_exists" => (
            "there is a run `{name}` already; choose another name, or remove it first",
            "已有名为 `{name}` 的运行；请换一个名称，或先删除它",
        ),
        /// No more runs are kept.
        TooManyRuns { /** The limit. */ most: usize } = "too_many_runs" =>
            ("{most} runs are kept already; remove some first", "已保存 {most} 次运行；请先删除一些"),
        /// There is no run of this name.
        NoRun { /** The name. */ name: String, /** Those there are. */ known: Vec<String> } = "no_run" =>
            ("no run `{name}`; there are {known}", "没有名为 `{name}` 的运行；已有的是 {known}"),
        /// A run of another version.
        OldRun { /** Its file. */ path: PathBuf, /** What its reader says. */ words: String } = "old_run" => (
            "`{path}` is not a run of this version: {words}; remove the file",
            "“{path}” 不是本版本的运行：{words}；请删除该文件",
        ),
        /// A name that cannot be kept.
        RunName { /** The name. */ name: String, /** Bytes, at most. */ longest: usize } = "bad_run_name" => (
            "`{name}` is not a valid name for a run; use letters, digits, `-`, `_` and `.`, at most {longest} bytes",
            "`{name}` 不能作为运行的名称；请用字母、数字、`-`、`_` 和 `.`，最多 {longest} 字节",
        ),
        /// A run was stopped.
        Stopped = "run_stopped" => ("the run was stopped", "运行已停止"),
        /// A line of verdicts that cannot be read.
        Feedback { /** File and line. */ place: String, /** What its reader says. */ words: String } = "bad_feedback" =>
            ("{place}: {words}; fix or delete that line", "{place}：{words}；请修正或删除该行"),
        /// Too few questions to learn from.
        FewQuestions { /** How many are needed. */ fewest: usize, /** How many there are. */ got: usize } =
            "few_questions" =>
            ("tuning needs at least {fewest} questions, got {got}", "调优至少需要 {fewest} 个问题，只有 {got} 个"),
        /// A recipe that does not go into a configuration file.
        NotAdded { /** Why. */ reason: SectionError } = "recipe_not_added" => (
            "the recipe cannot be added to the configuration: {reason}; fix the file, or choose another name for the \
             recipe",
            "无法把方案加入配置：{reason}；请修正该文件，或换一个方案名称",
        ),
        /// Something that cannot be written as JSON or TOML.
        Unwritable { /** What the library says. */ words: String } = "unwritable" =>
            ("cannot be written: {words}", "无法写出：{words}"),
    }
}

okno::document::messages! {
    /// Why a recipe does not go into a configuration file.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum SectionError {
        /// The file would not be TOML.
        Toml { /** What the reader of TOML says. */ words: String } = "bad_toml" => ("{words}", "{words}"),
        /// The recipe would not be in it.
        NoRecipe { /** Its name. */ name: String } = "no_recipe" => ("no recipe `{name}`", "没有方案 `{name}`"),
    }
}

/// What most of this crate returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        okno::Error::from(error).into()
    }
}

impl From<GenerateError> for Error {
    fn from(error: GenerateError) -> Self {
        okno::Error::from(error).into()
    }
}
