//! The binary `okno`.

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    okno_cli::main_with(&std::env::args_os().collect::<Vec<OsString>>()).into()
}
