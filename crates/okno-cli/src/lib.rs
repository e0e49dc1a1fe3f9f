//! The command line `okno` as a library: reads arguments and runs a command. The binary is `main.rs`; the Python
//! package calls the same function.
//!
//! Data goes to standard output, everything else to standard error. Exit codes: 0 success, 1 failure, 2 invalid command
//! line.

mod address;
mod cli;
mod commands;
mod conversation;
mod embedder;
mod errors;
mod globals;
mod help;
mod indexing;
mod locale;
#[cfg(any(feature = "serve", feature = "page-pictures"))]
mod memory_limit;
mod model;
mod ocr;
mod opening;
mod output;
#[cfg(all(feature = "ocr", feature = "page-pictures"))]
mod page_ocr;
mod program;
mod progress;
mod question_set;
mod remote_store;
mod reranker;
mod search_flags;
#[cfg(feature = "models")]
mod service;
mod settings;
mod values;

use cli::{Cli, Command};
use std::ffi::OsString;
use std::path::PathBuf;

/// Runs the command that the arguments name and returns the exit code; the first argument is the name of the program.
/// If the arguments are invalid or ask for help, prints that and ends the process.
pub fn main_with(arguments: &[OsString]) -> u8 {
    let cli = Cli::read(arguments);
    match run(&cli) {
        Ok(()) => 0,
        Err(error) if errors::is_broken_pipe(&error) => 0,
        Err(error) => {
            errors::print(&error);
            1
        }
    }
}

/// Says which program starts this command line, where that is not the executable of this process: the script of a
/// Python package. It is started again to load uploads and to draw pages.
pub fn set_program(program: PathBuf) {
    program::set(program);
}

fn run(cli: &Cli) -> anyhow::Result<()> {
    let globals = &cli.globals;
    match &cli.command {
        Command::Index(args) => commands::index::run(globals, args),
        Command::Search(args) => commands::search::run(globals, args),
        Command::Ask(args) => commands::ask::run(globals, args),
        Command::Compare(args) => commands::compare::run(globals, args),
        Command::Eval(args) => commands::eval::run(globals, args),
        Command::Runs(args) => commands::runs::run(globals, args),
        Command::Questions(command) => commands::questions::run(globals, command),
        Command::Tune(args) => commands::tune::run(globals, args),
        Command::Feedback(command) => commands::feedback::run(globals, command),
        Command::Status => commands::status::run(globals),
        Command::Check(args) => commands::check::run(globals, args),
        Command::Backup(args) => commands::backup::backup(globals, args),
        Command::Restore(args) => commands::backup::restore(globals, args),
        Command::Documents(args) => commands::documents::run(globals, args),
        Command::Show(args) => commands::show::run(globals, args),
        Command::Remove(args) => commands::remove::run(globals, args),
        #[cfg(feature = "sql")]
        Command::Sql(args) => commands::sql::run(globals, args),
        Command::Derive(args) => commands::derive::run(globals, args),
        Command::Units => commands::units::list(globals),
        Command::ImportUnits(args) => commands::units::import(globals, args),
        Command::Recipes => commands::recipes::run(globals),
        Command::Config => commands::config::run(globals),
        Command::Split(args) => commands::split::run(globals, args),
        #[cfg(feature = "serve")]
        Command::Serve(args) => commands::serve::run(globals, args),
        #[cfg(feature = "serve")]
        Command::Keys(command) => commands::keys::run(globals, command),
        #[cfg(feature = "serve")]
        Command::ProbeUpload(args) => commands::probe_upload::run(args),
        #[cfg(any(feature = "serve", feature = "page-pictures"))]
        Command::ReadPage(args) => commands::read_page::run(args),
        #[cfg(feature = "serve")]
        Command::Mcp => commands::serve::mcp(globals),
        Command::Load(args) => commands::load::run(globals, args),
        Command::Copy(args) => commands::copy::run(globals, args),
        Command::Embed => commands::embed::run(),
        Command::Demo => commands::demo::run(),
        #[cfg(feature = "models")]
        Command::Models(command) => commands::models::run(globals, command),
        Command::Reembed(args) => commands::reembed::run(globals, args),
    }
}
