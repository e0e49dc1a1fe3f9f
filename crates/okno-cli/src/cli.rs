//! The command line: the flags of every command, and the commands.

use crate::commands::{
    ask, backup, check, compare, copy, derive, documents, eval, feedback, index, load, questions, reembed, remove,
    runs, search, show, split, tune, units,
};
use crate::globals::Globals;
use crate::{help, locale};
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use okno::message::Reason;
use std::ffi::OsString;

/// Search your own documents and get exact, cited passages, in Chinese and English, offline
#[derive(Debug, Parser)]
#[command(name = "okno", version, max_term_width = 100, subcommand_required = true, arg_required_else_help = true)]
pub struct Cli {
    #[command(flatten)]
    pub globals: Globals,
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Reads the command line. If it is invalid or asks for help, prints that and ends the program.
    pub fn read(arguments: &[OsString]) -> Self {
        // The language is needed before anything can be said about the arguments.
        locale::choose(locale::named_in(arguments));
        let command = help::localized(Self::command());
        let matches = command.clone().try_get_matches_from(arguments);
        let read = matches.and_then(|matches| Ok((Self::from_arg_matches(&matches)?, matches)));
        let (mut cli, matches) = read.unwrap_or_else(|error| help::exit(&command, arguments, &error));
        if let Err(message) = cli.choose_index(&matches).and_then(|()| cli.check_indexes()) {
            help::exit_with(&command, arguments, &message.to_string());
        }
        cli
    }

    /// A flag overrides the environment, also one that names the other kind of index.
    fn choose_index(&mut self, matches: &ArgMatches) -> Result<(), Reason> {
        match (matches.value_source("index"), matches.value_source("store")) {
            (Some(ValueSource::CommandLine), Some(ValueSource::EnvVariable)) => self.globals.store = None,
            (Some(ValueSource::EnvVariable), Some(ValueSource::CommandLine)) => self.globals.index.clear(),
            (Some(_), Some(_)) => {
                return Err(Reason::from(locale::say!(
                    "--index (OKNO_INDEX) and --store (OKNO_STORE) both name an index – use one of them",
                    "--index（OKNO_INDEX）和 --store（OKNO_STORE）都指定了索引 —— 请只用其中一个"
                )));
            }
            _ => {}
        }
        Ok(())
    }

    fn check_indexes(&self) -> Result<(), Reason> {
        if self.globals.index.len() > 1 && !self.command.takes_several_indexes() {
            return Err(Reason::from(locale::say!(
                "only `search`, `serve` and `mcp` accept several indexes – use --index once",
                "只有 `search`、`serve` 和 `mcp` 可以同时使用多个索引 —— 请只给一个 --index"
            )));
        }
        Ok(())
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Add files, folders and URLs to the index and update it; without a path, update everything added before
    Index(index::IndexArgs),
    /// Find the passages that answer a question [alias: s]
    #[command(alias = "s")]
    Search(search::SearchArgs),
    /// Answer a question in words, with citations of the exact passages
    Ask(Box<ask::AskArgs>),
    /// Search with several recipes and show the results side by side
    Compare(compare::CompareArgs),
    /// Measure recipes on questions with known answers
    Eval(eval::EvalArgs),
    /// List, compare and delete saved evaluation runs
    Runs(runs::RunsArgs),
    /// Create question sets from your own documents
    #[command(subcommand)]
    Questions(questions::QuestionsCommand),
    /// Search for a better recipe for these documents
    Tune(tune::TuneArgs),
    /// Record which contexts were useful, for `okno tune --from-feedback`
    #[command(subcommand)]
    Feedback(feedback::FeedbackCommand),
    /// Show what the index contains and how it was made
    Status,
    /// Check that the index is what was stored: texts, vectors, images, words, and the references between them
    Check(check::CheckArgs),
    /// Write the index to one file, checked, also while another process writes to the index
    Backup(backup::BackupArgs),
    /// Make an index from a backup, in an empty folder: `--index DIR`, or `.okno` here
    Restore(backup::RestoreArgs),
    /// List the documents of the index
    Documents(documents::DocumentsArgs),
    /// Print a document, a part of it, or an image of the index
    Show(show::ShowArgs),
    /// Remove documents from the index until their content changes
    Remove(remove::RemoveArgs),
    /// Query tables of the index's documents, or of files, with read-only SQL; without a query, list the tables
    #[cfg(feature = "sql")]
    Sql(crate::commands::sql::SqlArgs),
    /// Create texts by which passages are found: summaries, questions, descriptions, contexts
    Derive(derive::DeriveArgs),
    /// List the derived units: texts that are searched instead of the passages they are about
    Units,
    /// Add derived units – summaries, questions, descriptions – to documents of the index
    ImportUnits(units::ImportUnitsArgs),
    /// List the recipes, built-in and custom: what each searches, returns and costs
    Recipes,
    /// Show every setting and its source: environment, `okno.toml` beside the index, the user's file, default
    Config,
    /// Copy an index to another folder or to a server and back, without computing embeddings again
    Copy(copy::CopyArgs),
    /// Split a file into exact spans and print them, without an index
    Split(split::SplitArgs),
    /// Run an HTTP server: an API, a web page, and MCP for agents; several indexes: `--index NAME=DIR`
    #[cfg(feature = "serve")]
    Serve(crate::commands::serve::ServeArgs),
    /// Make, list and revoke keys for `okno serve`, each with a name, a role and an expiry
    #[cfg(feature = "serve")]
    #[command(subcommand)]
    Keys(crate::commands::keys::KeysCommand),
    /// Load a file with a limit on memory, to see whether that ends the process; run by `okno serve`
    #[cfg(feature = "serve")]
    #[command(hide = true)]
    ProbeUpload(crate::commands::probe_upload::ProbeUploadArgs),
    /// Draw a page of a PDF, or find text on it, with a limit on memory; run by `okno serve`, and for OCR
    #[cfg(any(feature = "serve", feature = "page-pictures"))]
    #[command(hide = true)]
    ReadPage(crate::commands::read_page::ReadPageArgs),
    /// Run an MCP server on standard input and output
    #[cfg(feature = "serve")]
    Mcp,
    /// Show what is read from a file or folder: text, structure and metadata, without an index
    Load(load::LoadArgs),
    /// List, download, add, remove and inspect models
    #[cfg(feature = "models")]
    #[command(subcommand)]
    Models(crate::commands::models::ModelsCommand),
    /// Change the embedder of the index without reading files again
    Reembed(reembed::ReembedArgs),
    /// Turn lines of standard input into vectors
    Embed,
    /// Index a small bilingual sample and search it
    Demo,
}

impl Command {
    /// Returns `true` if the command works with more than one index.
    pub fn takes_several_indexes(&self) -> bool {
        match self {
            Self::Search(_) => true,
            #[cfg(feature = "serve")]
            Self::Serve(_) | Self::Mcp => true,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests;
