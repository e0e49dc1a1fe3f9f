//! The file that starts this program again.

use crate::locale::say;
use anyhow::Context as _;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;

static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Names another file than the executable of this process; the first one that is named counts.
pub fn set(program: PathBuf) {
    let _ = PROGRAM.set(program);
}

/// This program with a command that takes so many bytes of memory at most.
#[cfg_attr(not(feature = "serve"), allow(dead_code))] // without the server, only OCR starts it again
pub fn limited(memory: u64, command: &str) -> anyhow::Result<Vec<OsString>> {
    let program = path().context(say!("cannot find this program", "找不到本程序"))?;
    Ok(vec![program.into(), command.into(), "--memory".into(), memory.to_string().into()])
}

/// The file that starts this program.
fn path() -> std::io::Result<PathBuf> {
    PROGRAM.get().cloned().map_or_else(std::env::current_exe, Ok)
}
