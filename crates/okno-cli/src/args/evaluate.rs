//! The commands that prove things: `eval`, `runs`, `questions`, `tune`, `feedback`, `compare`.

use super::How;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Where chance begins unless told otherwise.
pub const SEED: u64 = 20;

/// Questions with known answers, several recipes, figures.
#[derive(Debug, Args)]
pub struct EvalArgs {
    /// A folder with `corpus.jsonl` and `queries.jsonl`, or a file of questions (JSON lines, CSV, TSV) over the index
    pub set: PathBuf,
    /// The recipes to measure [default: all]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    pub recipes: Vec<String>,
    /// Also each of these recipes with a model's help: rewrite, decompose, step-back, multi-query, hyde, filter, route, post-filter
    #[arg(long, value_name = "STEP,…", value_delimiter = ',')]
    pub transform: Vec<String>,
    /// Tokens of context; every recipe is asked once per budget
    #[arg(long, value_name = "TOKENS,…", value_delimiter = ',', default_value = "500,1000,2000")]
    pub budget: Vec<usize>,
    /// Write a page to look at
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Keep the figures under this name: see `okno runs`
    #[arg(long, value_name = "RUN")]
    pub name: Option<String>,
    /// Where chance begins; the same seed gives the same intervals
    #[arg(long, default_value_t = SEED)]
    pub seed: u64,
    /// Let the language model answer, and judge its answers: is each statement grounded, is the question answered, were
    /// the contexts relevant?
    #[arg(long)]
    pub judge: bool,
    /// How many questions are answered and judged for each recipe and budget, the first of the set
    #[arg(long, value_name = "N", default_value_t = 20, requires = "judge")]
    pub judge_questions: usize,
}

/// Runs that were kept.
#[derive(Debug, Args)]
pub struct RunsArgs {
    /// Order by this budget [default: the smallest of each run]
    #[arg(long, value_name = "TOKENS", global = true)]
    pub budget: Option<usize>,
    #[command(subcommand)]
    pub what: Option<RunsCommand>,
}

/// What to do with runs; without any, they are listed best first.
#[derive(Debug, Subcommand)]
pub enum RunsCommand {
    /// One run against another, or one recipe of a run against one of another: `monday tuesday`, `monday/auto tuesday/window`
    Compare {
        /// A run, or `RUN/RECIPE`
        one: String,
        /// The run it is measured against
        other: String,
    },
    /// Forget runs
    Remove {
        /// Their names
        #[arg(required = true)]
        names: Vec<String>,
    },
    /// Forget all runs
    Reset,
}

/// Question sets.
#[derive(Debug, Subcommand)]
pub enum QuestionsCommand {
    /// Make questions from the documents of the index alone, each with the place of its answer
    Make {
        /// Where to write them, as JSON lines
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// How many, at most
        #[arg(long, default_value_t = 100)]
        count: usize,
        /// Who writes them: rules over headings, lists and figures, or the language model
        #[arg(long, value_name = "WHO", default_value = "rules")]
        by: QuestionsBy,
        /// Where chance begins; the same seed makes the same set
        #[arg(long, default_value_t = SEED)]
        seed: u64,
    },
}

/// Who writes questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum QuestionsBy {
    /// Rules, without a model
    Rules,
    /// The language model, its answers checked
    Model,
}

/// A better recipe for these documents.
#[derive(Debug, Args)]
pub struct TuneArgs {
    /// A question set, as for `okno eval`
    #[arg(required_unless_present = "from_feedback")]
    pub set: Option<PathBuf>,
    /// Use what was found useful (`okno feedback`) instead of a set
    #[arg(long, conflicts_with = "set")]
    pub from_feedback: bool,
    /// The budgets that the recipe must do well at, on average
    #[arg(long, value_name = "TOKENS,…", value_delimiter = ',', default_value = "500,1000,2000")]
    pub budget: Vec<usize>,
    /// The recipe to beat [default: the index's own]
    #[arg(long, value_name = "RECIPE")]
    pub reference: Option<String>,
    /// The configuration file that gets the winner [default: `okno.toml` beside the index]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// What the winner is called
    #[arg(long, value_name = "NAME", default_value = "tuned")]
    pub recipe_name: String,
    /// Where chance begins: which questions choose and which judge
    #[arg(long, default_value_t = SEED)]
    pub seed: u64,
}

/// What was useful.
#[derive(Debug, Subcommand)]
pub enum FeedbackCommand {
    /// Say which contexts of a question helped: by their numbers in `okno search`, or by their place
    Add(Box<VerdictArgs>),
    /// Print all verdicts
    List,
    /// Write all verdicts to a file, as JSON lines
    Export {
        /// The file
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
    },
    /// Forget verdicts
    Remove {
        /// Those about this question
        #[arg(required_unless_present = "all")]
        question: Option<String>,
        /// All of them
        #[arg(long)]
        all: bool,
    },
}

/// What was useful for a question.
#[derive(Debug, Args)]
pub struct VerdictArgs {
    /// The question
    pub question: String,
    /// Numbers of contexts that helped
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    pub useful: Vec<usize>,
    /// Numbers of contexts that did not
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    pub not_useful: Vec<usize>,
    /// A place instead of a number: the document
    #[arg(long, requires_all = ["start", "end", "verdict"], conflicts_with_all = ["useful", "not_useful"])]
    pub document: Option<String>,
    /// Its first character (code point)
    #[arg(long, requires = "document")]
    pub start: Option<usize>,
    /// One past its last
    #[arg(long, requires = "document")]
    pub end: Option<usize>,
    /// Whether that place helped
    #[arg(long, requires = "document")]
    pub verdict: Option<VerdictName>,
    /// The recipe that was used [default: the index's own]
    #[arg(long)]
    pub recipe: Option<String>,
    #[command(flatten)]
    pub how: How,
}

/// A verdict by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum VerdictName {
    /// It helped
    Useful,
    /// It did not
    NotUseful,
}

/// A question to several recipes.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// The question
    pub question: String,
    /// The recipes
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', num_args = 1, default_value = "chunks,auto")]
    pub recipes: Vec<String>,
    /// The words that answer: who returns them, and in which sentence?
    #[arg(long, value_name = "TEXT")]
    pub gold: Option<String>,
    /// Write a page instead of printing
    #[arg(long, value_name = "FILE.html")]
    pub html: Option<PathBuf>,
    #[command(flatten)]
    pub how: How,
}
