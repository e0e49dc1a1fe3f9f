//! The binary `okno`: reads the command line and runs a command.
//!
//! Data goes to standard output, everything else to standard error. Exit codes: 0 success, 1 failure, 2 invalid command
//! line.

mod address;
mod cli;
mod commands;
mod embedder;
mod errors;
mod globals;
mod help;
mod indexing;
mod locale;
mod model;
mod ocr;
mod opening;
mod output;
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
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::read();
    match run(&cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if errors::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            errors::print(&error);
            ExitCode::FAILURE
        }
    }
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
