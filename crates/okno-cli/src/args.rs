//! The command line as its user sees it.

mod evaluate;

pub use evaluate::{
    CompareArgs, EvalArgs, FeedbackCommand, QuestionsBy, QuestionsCommand, RunsArgs, RunsCommand, TuneArgs,
    VerdictArgs, VerdictName,
};

use crate::locale::Language;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use okno::retrieve::Unit;
use std::path::{Path, PathBuf};

/// Index small, return big: ask questions of your own documents, in Chinese and English, offline.
#[derive(Debug, Parser)]
#[command(name = "okno", version, max_term_width = 100, subcommand_required = true, arg_required_else_help = true)]
pub struct Cli {
    /// The index folder; `search` takes several [default: the nearest `.okno` here or above]
    #[arg(long, global = true, env = "OKNO_INDEX", value_name = "DIR")]
    pub index: Vec<PathBuf>,
    /// The index on a Milvus server, in place of a folder: `milvus://host:19530/name`
    #[arg(long, global = true, env = "OKNO_STORE", value_name = "ADDRESS")]
    pub store: Option<PathBuf>,
    /// Language of messages [default: by locale]
    #[arg(long, global = true, value_name = "LANG")]
    pub lang: Option<Language>,
    /// Print data as JSON
    #[arg(long, global = true)]
    pub json: bool,
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Reads the command line; where it cannot be read, says so and ends the program.
    pub fn read() -> Self {
        let matches = Self::command().get_matches();
        let mut cli = Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
        // A flag counts before the environment, also one that names the other kind of index.
        match (matches.value_source("index"), matches.value_source("store")) {
            (Some(ValueSource::CommandLine), Some(ValueSource::EnvVariable)) => cli.store = None,
            (Some(ValueSource::EnvVariable), Some(ValueSource::CommandLine)) => cli.index.clear(),
            (Some(_), Some(_)) => {
                let two = "--index (OKNO_INDEX) and --store (OKNO_STORE) each name an index – give one of them";
                Self::command().error(ErrorKind::ArgumentConflict, two).exit();
            }
            _ => {}
        }
        cli
    }

    /// The index that was named, if one was.
    pub fn index(&self) -> Option<&Path> {
        self.store.as_deref().or(self.index.first().map(PathBuf::as_path))
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Add files, folders and URLs to the index and bring it up to date; without a path, all that were added before
    Index(IndexArgs),
    /// Find the passages that answer a question
    #[command(visible_alias = "s")]
    Search(SearchArgs),
    /// Answer a question in words, with the exact places the answer rests on
    Ask(Box<crate::commands::ask::AskArgs>),
    /// The same question to several recipes, side by side
    Compare(CompareArgs),
    /// Measure recipes on questions with known answers
    Eval(EvalArgs),
    /// The runs that were kept: best first, compared, forgotten
    Runs(RunsArgs),
    /// Question sets from your own documents
    #[command(subcommand)]
    Questions(QuestionsCommand),
    /// Look for a better recipe for these documents
    Tune(TuneArgs),
    /// Say which contexts helped, for `okno tune --from-feedback`
    #[command(subcommand)]
    Feedback(FeedbackCommand),
    /// What the index holds and how it was made
    Status,
    /// List the documents of the index
    Documents {
        /// Only documents that match
        #[arg(long, value_name = "FILTER")]
        filter: Option<String>,
    },
    /// Print a document, a part of it, or an image of the index
    Show(crate::commands::show::ShowArgs),
    /// Take documents out; they stay out until their content changes
    Remove {
        /// Names, as `okno documents` prints them
        #[arg(required_unless_present = "root")]
        documents: Vec<String>,
        /// Everything that was added with this folder or file, and the folder or file itself
        #[arg(long, value_name = "PATH")]
        root: Option<PathBuf>,
    },
    /// Ask tables with SQL, read-only: those of the index's documents, or of files; without a query, list them
    #[cfg(feature = "sql")]
    Sql(SqlArgs),
    /// Make texts by which passages are found: summaries, questions, descriptions, contexts
    Derive(crate::commands::derive::DeriveArgs),
    /// List the derived units: texts that are searched in place of what they stand for
    Units,
    /// Add derived units – summaries, questions, descriptions – to documents of the index
    ImportUnits {
        /// JSON lines with `document`, `layer`, `text` and, for a part of the document, `start` and `end`; `-` for standard input
        file: PathBuf,
    },
    /// List the recipes, built-in and own: what each searches, returns and costs
    Recipes,
    /// Show every setting and where it comes from: environment, `okno.toml` beside the index, the user's file, default
    Config,
    /// Copy an index to another folder or to a Milvus server and back, without embedding anything again
    Copy(crate::commands::copy::CopyArgs),
    /// Cut a file into exact spans and print them, without any index
    Split(crate::commands::split::SplitArgs),
    /// Serve HTTP: an API for programs, a page for people, MCP for agents; `--index NAME=DIR` may be given several times
    #[cfg(feature = "serve")]
    Serve(crate::commands::serve::ServeArgs),
    /// Serve an agent over standard input and output (MCP)
    #[cfg(feature = "serve")]
    Mcp,
    /// Show what is read of a file or folder: text, structure and metadata, without an index
    Load(LoadArgs),
    /// Models on this machine: list, pull, add, remove, info
    #[cfg(feature = "models")]
    #[command(subcommand)]
    Models(crate::commands::models::ModelsCommand),
    /// Give the index the vectors of another embedder, without reading files again
    Reembed(crate::commands::reembed::ReembedArgs),
    /// Turn lines of standard input into vectors
    Embed,
    /// Index a small bilingual sample and show what search does with it
    Demo,
}

/// What to index and how.
#[derive(Debug, Default, Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag
pub struct IndexArgs {
    /// Files, folders and URLs; hidden files and those named in `.gitignore` or `.oknoignore` are left out
    pub paths: Vec<PathBuf>,
    /// The recipe that searches of this index use
    #[arg(long)]
    pub recipe: Option<String>,
    /// What the recipe `neighbors` searches: `sentence`, or `chunk` with --size and --overlap; makes it the index's recipe
    #[arg(long, value_name = "SPLITTER")]
    pub splitter: Option<Splitter>,
    /// Chunk size: `400` or `400c` characters, `512t` tokens
    #[arg(long, value_name = "SIZE")]
    pub size: Option<String>,
    /// What a chunk repeats of the one before, in the same unit
    #[arg(long, value_name = "N")]
    pub overlap: Option<u32>,
    /// Sizes and neighbours that suit a kind of document; makes `neighbors` the index's recipe
    #[arg(long, conflicts_with_all = ["splitter", "size", "overlap"])]
    pub preset: Option<Preset>,
    /// Skip files larger than this [default: 64MB]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub max_file_size: Option<u64>,
    /// JSON lines: which fields hold what
    #[arg(long, value_name = "id=doc_id,text=body,…")]
    pub jsonl_fields: Option<String>,
    /// Plain text files hold one document per line
    #[arg(long)]
    pub lines: bool,
    /// Fail when a file of this run had to be skipped
    #[arg(long)]
    pub strict: bool,
    /// Stay, and follow the folders as they change, until Ctrl-C
    #[arg(long, conflicts_with = "strict")]
    pub watch: bool,
    /// Also the URLs in this file, one per line
    #[arg(long, value_name = "FILE")]
    pub urls: Option<PathBuf>,
    /// The embedder of a new index: `builtin`, a model of `okno models list`, `service` or `service:MODEL`
    #[arg(long, value_name = "NAME")]
    pub embedder: Option<String>,
    /// Let URLs lead to this machine and to private networks
    #[arg(long)]
    pub allow_private: bool,
}

/// A query and what it is asked of.
#[cfg(feature = "sql")]
#[derive(Debug, Args)]
pub struct SqlArgs {
    /// One SELECT
    pub query: Option<String>,
    /// Files with tables – CSV, XLSX, Markdown, HTML, SQLite … – instead of the index
    #[arg(long, value_name = "FILE")]
    pub from: Vec<PathBuf>,
    /// A question in words: the language model writes the SELECT, which is shown before it runs
    #[arg(long, value_name = "QUESTION", conflicts_with = "query")]
    pub ask: Option<String>,
    /// Run what the model wrote without asking
    #[arg(long, requires = "ask")]
    pub yes: bool,
    /// Rows printed at most
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub limit: usize,
    /// Seconds a query may take
    #[arg(long, value_name = "S", default_value_t = 10)]
    pub seconds: u64,
}

/// What to read.
#[derive(Debug, Args)]
pub struct LoadArgs {
    /// A file or folder
    pub path: PathBuf,
    /// Plain text files hold one document per line
    #[arg(long)]
    pub lines: bool,
    /// Skip files larger than this, e.g. `64MB`
    #[arg(long, value_name = "BYTES", default_value = "64MB", value_parser = bytes)]
    pub max_file_size: u64,
    /// JSON lines: which fields hold what
    #[arg(long, value_name = "id=doc_id,text=body,…")]
    pub jsonl_fields: Option<String>,
}

/// What the chunk recipes search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Splitter {
    /// Single sentences
    Sentence,
    /// Runs of whole sentences up to a size
    Chunk,
}

/// Sizes that suit a kind of document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Preset {
    /// Questions and answers, news: 250 characters, one neighbour
    Faq,
    /// Technical documents: 500 characters, one neighbour
    Docs,
    /// Papers: 700 characters, two neighbours
    Paper,
}

/// A question and how to answer it.
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// The question
    #[arg(required_unless_present = "queries")]
    pub question: Option<String>,
    /// Many questions: a file of JSON lines with `question` and, where wanted, `qid` and `filter`; prints one JSON line each
    #[arg(long, value_name = "FILE", conflicts_with = "question")]
    pub queries: Option<PathBuf>,
    /// The recipe [default: the index's own]
    #[arg(long)]
    pub recipe: Option<String>,
    #[command(flatten)]
    pub how: How,
    /// Show which leg, rank and expansion gave each result
    #[arg(long)]
    pub explain: bool,
    /// Show what came nearest even where nothing is relevant
    #[arg(long)]
    pub all: bool,
}

/// Choices that change what is returned, never what is stored.
#[derive(Debug, Args)]
pub struct How {
    /// Return each hit with this many sentences on each side
    #[arg(long, value_name = "N", conflicts_with_all = ["neighbors", "expand"])]
    pub window: Option<u32>,
    /// Return each chunk with this many on each side (recipe `neighbors`, unless another is named)
    #[arg(long, value_name = "N", conflicts_with = "expand")]
    pub neighbors: Option<u32>,
    /// How hits grow: none, window:N, neighbors:N, parent, section, document, auto
    #[arg(long, value_name = "HOW")]
    pub expand: Option<String>,
    /// Find by words only, by meaning only, or by both [default: both]
    #[arg(long, value_name = "LEG", value_delimiter = ',')]
    pub legs: Option<Vec<LegName>>,
    /// Context, at most: `500` or `500t` tokens, `2000c` characters
    #[arg(long, value_name = "SIZE", value_parser = budget)]
    pub budget: Option<(usize, Unit)>,
    /// How much a hit loses that says what a better one says, from 0 to 1
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub diversity: Option<f32>,
    /// Read the best hits once more with a reranker of `okno models list`, `maxsim:NAME` with an embedder, or `model`
    #[arg(long, value_name = "NAME")]
    pub rerank: Option<String>,
    /// How many hits the reranker reads [default: the recipe's, 30]
    #[arg(long, value_name = "N")]
    pub rerank_depth: Option<usize>,
    /// What its score weighs beside the fused one, from 0 to 1 [default: the recipe's, 0.5]
    #[arg(long, value_name = "X", value_parser = share)]
    pub rerank_blend: Option<f32>,
    /// Best contexts first, as in their documents, or the best at both ends
    #[arg(long)]
    pub order: Option<OrderName>,
    /// Only documents that match, e.g. `category = 素菜 and year >= 2023`
    #[arg(long, value_name = "FILTER")]
    pub filter: Option<String>,
    /// Take the question at its word: read no filters from it
    #[arg(long)]
    pub no_auto_filter: bool,
    /// Read filters from the question by rule, or let the model read them
    #[arg(long, value_name = "WHO", default_value = "rules", conflicts_with = "no_auto_filter")]
    pub filter_by: FilterBy,
    /// What the model does for the question, in place of what the recipe says: rewrite, decompose, step-back, multi-query, hyde; none
    #[arg(long, value_name = "STEP,…", value_delimiter = ',')]
    pub transform: Option<Vec<String>>,
    /// Let the model drop hits that have nothing to do with the question, before they grow
    #[arg(long)]
    pub post_filter: bool,
    /// How to look: auto (by rule), hybrid, lexical, dense, broad; model lets the model choose
    #[arg(long, value_name = "ROUTE", default_value = "auto")]
    pub route: String,
    /// How many distinct hits are expanded
    #[arg(short, value_name = "K")]
    pub k: Option<usize>,
    /// Return only contexts at least this relevant, from 0 (all) to 1; from 0.5 on they are called relevant
    #[arg(long, value_name = "X", value_parser = share)]
    pub min_relevance: Option<f32>,
}

/// Who reads filters from a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FilterBy {
    /// Rules, without a model
    Rules,
    /// The language model, checked against the index
    Model,
}

/// One way of finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LegName {
    /// By meaning
    Dense,
    /// By words
    Lexical,
}

/// The order of contexts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OrderName {
    /// Best first
    Score,
    /// As they stand in their documents
    Document,
    /// The best at both ends, the weakest in the middle
    Ends,
}

/// Reads `500`, `500t`, `2000c`.
fn budget(text: &str) -> Result<(usize, Unit), String> {
    let (number, unit) = match text.strip_suffix('c') {
        Some(number) => (number, Unit::Characters),
        None => (text.strip_suffix('t').unwrap_or(text), Unit::Tokens),
    };
    let number =
        number.parse().map_err(|_| format!("`{text}` is no budget; expected `500` tokens or `2000c` characters"))?;
    Ok((number, unit))
}

/// Reads a number from 0 to 1.
fn share(text: &str) -> Result<f32, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| format!("`{text}` is no number from 0 to 1; expected something like `0.5`"))
}

/// Reads `64MB`, `500k`, `1.5GiB`, `123`.
fn bytes(text: &str) -> Result<u64, String> {
    text.parse().map(|okno::config::Bytes(bytes)| bytes)
}
