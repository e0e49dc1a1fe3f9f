//! The binary `okno`: the only place where parts are assembled.
//!
//! Data goes to standard output, everything else to standard error. Exit codes: 0 done, 1 could not
//! be done, 2 the command line itself could not be read.

#[cfg(any(feature = "models", feature = "serve"))]
mod advice;
mod args;
mod commands;
mod embedder;
mod helper;
mod locale;
mod model;
mod ocr;
mod output;
mod place;
mod reasons;
mod remote;
mod reranker;
#[cfg(feature = "models")]
mod service;
mod settings;
mod understood;

use args::{Cli, Command};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::read();
    locale::choose(cli.lang);
    match run(&cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::note(&format!("{} {}", locale::say!("error:", "错误:"), output::printable_text(&message(&error))));
            let caret = error.chain().find_map(|cause| locale::caret(cause.downcast_ref::<okno::Error>()?));
            if let Some(caret) = caret {
                output::note(&output::printable_text(&caret));
            }
            ExitCode::FAILURE
        }
    }
}

fn run(cli: &Cli) -> anyhow::Result<()> {
    if cli.index.len() > 1 && !takes_several(&cli.command) {
        anyhow::bail!(locale::say!(
            "only `search`, `serve` and `mcp` take several indexes – give --index once",
            "只有 `search`、`serve` 和 `mcp` 可以同时使用多个索引 —— 请只给一个 --index"
        ));
    }
    match &cli.command {
        Command::Index(args) => commands::index::run(cli, args),
        Command::Search(args) => commands::search::run(cli, args),
        Command::Ask(args) => commands::ask::run(cli, args),
        Command::Compare(args) => commands::compare::run(cli, args),
        Command::Eval(args) => commands::eval::run(cli, args),
        Command::Runs(args) => commands::runs::run(cli, args),
        Command::Questions(what) => commands::questions::run(cli, what),
        Command::Tune(args) => commands::tune::run(cli, args),
        Command::Feedback(what) => commands::feedback::run(cli, what),
        Command::Status => commands::inspect::status(cli),
        Command::Documents { filter } => commands::inspect::documents(cli, filter.as_deref()),
        Command::Show(args) => commands::show::run(cli, args),
        Command::Remove { documents, root } => commands::remove::run(cli, documents, root.as_deref()),
        #[cfg(feature = "sql")]
        Command::Sql(args) => commands::sql::run(cli, args),
        Command::Derive(args) => commands::derive::run(cli, args),
        Command::Units => commands::units::list(cli),
        Command::ImportUnits { file } => commands::units::import(cli, file),
        Command::Recipes => commands::config::recipes(cli),
        Command::Config => commands::config::config(cli),
        Command::Split(args) => commands::split::run(cli, args),
        #[cfg(feature = "serve")]
        Command::Serve(args) => commands::serve::run(cli, args),
        #[cfg(feature = "serve")]
        Command::Mcp => commands::serve::mcp(cli),
        Command::Load(args) => commands::load::run(cli, args),
        Command::Copy(args) => commands::copy::run(cli, args),
        Command::Embed => commands::embed::run(),
        Command::Demo => commands::demo::run(),
        #[cfg(feature = "models")]
        Command::Models(what) => commands::models::run(cli, what),
        Command::Reembed(args) => commands::reembed::run(cli, args),
    }
}

/// Whether a command works with more than one index.
fn takes_several(command: &Command) -> bool {
    match command {
        Command::Search(_) => true,
        #[cfg(feature = "serve")]
        Command::Serve(_) | Command::Mcp => true,
        _ => false,
    }
}

/// The causes from the outside in, as `questions.jsonl:3: no document has the field …`; an error of the engine tells its own.
fn message(error: &anyhow::Error) -> String {
    let mut parts = Vec::new();
    for cause in error.chain() {
        if let Some(own) = cause.downcast_ref::<okno::Error>() {
            parts.push(locale::error(own));
            break;
        }
        if let Some(own) = cause.downcast_ref::<okno_evaluate::Error>() {
            parts.push(locale::evaluation(own));
            break;
        }
        #[cfg(feature = "models")]
        if let Some(own) = cause.downcast_ref::<okno_models::Error>() {
            parts.push(advice::of_models(own));
            break;
        }
        #[cfg(feature = "serve")]
        if let Some(own) = cause.downcast_ref::<okno_server::ServeError>() {
            parts.push(advice::of_server(own));
            break;
        }
        parts.push(reasons::shown(&cause.to_string()));
    }
    parts.join(": ")
}

/// `okno search … | head` closes the pipe early; that is no error.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| {
            let io = cause.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
            io.or_else(|| cause.downcast_ref::<serde_json::Error>()?.io_error_kind())
        })
        .any(|kind| kind == std::io::ErrorKind::BrokenPipe)
}
