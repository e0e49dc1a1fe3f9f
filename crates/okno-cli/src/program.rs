//! The file that starts this program again.

use std::path::PathBuf;
use std::sync::OnceLock;

static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Names another file than the executable of this process; the first one that is named counts.
pub fn set(program: PathBuf) {
    let _ = PROGRAM.set(program);
}

/// The file that starts this program.
#[cfg_attr(not(feature = "serve"), allow(dead_code))] // only the server starts it again
pub fn path() -> std::io::Result<PathBuf> {
    PROGRAM.get().cloned().map_or_else(std::env::current_exe, Ok)
}
