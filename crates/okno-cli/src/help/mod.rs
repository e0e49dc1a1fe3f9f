//! Help and argument errors in the language of the run.
//!
//! English is what the command line's own definitions say. For Chinese the built command tree is walked and every text
//! in it is replaced from the table in `zh`; errors are rendered from their kind and context.

mod argument_errors;
mod translate;
mod zh;

use crate::locale::{Lang, language};
use clap::Command;
use clap::error::{Error, ErrorKind};
use std::ffi::OsString;

/// The command line with its help in the language of the run.
pub fn localized(command: Command) -> Command {
    match language() {
        Lang::En => command,
        Lang::Zh => translate::chinese(command),
    }
}

/// Prints an error of the command line, or the help that was asked for, and ends the program.
pub fn exit(command: &Command, arguments: &[OsString], error: &Error) -> ! {
    let is_help = matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    );
    if is_help || language() == Lang::En {
        error.exit();
    }
    crate::output::note(argument_errors::chinese(command, arguments, error).trim_end());
    std::process::exit(error.exit_code());
}

/// Prints that the arguments do not fit together, and ends the program.
pub fn exit_with(command: &Command, arguments: &[OsString], message: &str) -> ! {
    match language() {
        Lang::En => command.clone().error(ErrorKind::ArgumentConflict, message).exit(),
        Lang::Zh => {
            crate::output::note(argument_errors::with_usage(message, command, arguments).trim_end());
            std::process::exit(2);
        }
    }
}

#[cfg(test)]
pub mod tests {
    pub use super::argument_errors::chinese as chinese_error;
    pub use super::translate::chinese as chinese_help;
    pub use super::zh::{ARGUMENTS, COMMANDS, POSSIBLE_VALUES, VALUE_NAMES};
}
