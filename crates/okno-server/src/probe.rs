//! Uploads are loaded in another process first: one that makes its loader abort, or take all memory, or never end,
//! costs that process, not the server.
//!
//! The same bytes give the same documents, so what ended well there ends well here. An upload that ended its process
//! twice – the first time something else may have been wrong – is set aside: moved into a hidden folder beside the
//! other uploads, where nothing reads it.

use crate::uploads::Uploads;
use okno::LoadGuard;
use okno::load::{BoundedCommand, ChildFailure, SkipReason};
use okno::message::Reason;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How often an upload may end its process before it is set aside.
const STRIKES: u32 = 2;

okno_document::messages! {
    /// Why an upload is not loaded.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum UploadRefused {
        /// The process that loaded it ended abnormally.
        Ended = "loader_ended" => (
            "reading this file ended its process (too much memory, or a crash); it is tried once more",
            "读取该文件时进程异常结束（内存不足或崩溃）；会再尝试一次",
        ),
        /// The process that loaded it took too long.
        TooLong { /** Seconds. */ seconds: u64 } = "loader_too_long" => (
            "reading this file took more than {seconds} s; it is tried once more",
            "读取该文件超过 {seconds} 秒；会再尝试一次",
        ),
        /// It was moved away.
        SetAside { /** Where it is. */ path: PathBuf } = "set_aside" => (
            "reading this file ended its process twice; it was set aside as `{path}`",
            "读取该文件两次使进程异常结束；已移至 `{path}`",
        ),
        /// The process cannot be started.
        NoProcess { /** Why. */ cause: String } = "no_process" => (
            "no process can be started to read this file: {cause}; try again later",
            "无法启动读取该文件的进程：{cause}；请稍后重试",
        ),
    }
}

/// Loads uploads in another process before they are loaded in this one.
#[derive(Debug)]
pub struct UploadProbe {
    uploads: Uploads,
    /// The program and its arguments; the file's name comes last, and its content to standard input. For a file that is
    /// not in memory, its path comes behind that.
    command: BoundedCommand,
    /// How often each upload ended its process.
    strikes: Mutex<BTreeMap<String, u32>>,
}

impl UploadProbe {
    /// Probes the uploads beside this index with a command that may take this long.
    pub fn new(index: &Path, command: Vec<OsString>, time: Duration) -> Self {
        let uploads = Uploads::beside(index);
        let strikes = std::fs::read(strikes_file(&uploads)).ok();
        let strikes = strikes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        Self { uploads, command: BoundedCommand { command, time }, strikes: Mutex::new(strikes) }
    }

    /// Runs the command; whether it ended well, or why not.
    fn probed(&self, file: &Path, content: Option<&[u8]>) -> Result<(), UploadRefused> {
        let mut arguments = vec![file.file_name().unwrap_or_default().to_owned()];
        if content.is_none() {
            arguments.push(file.into());
        }
        let probed = self.command.run(&arguments, &[content.unwrap_or_default()], || false);
        probed.map(drop).map_err(|failure| match failure {
            ChildFailure::Ended | ChildFailure::Unwanted => UploadRefused::Ended,
            ChildFailure::TooLong => UploadRefused::TooLong { seconds: self.command.time.as_secs() },
            ChildFailure::NoProcess(cause) => UploadRefused::NoProcess { cause: cause.to_string() },
        })
    }

    /// Counts a failure; the second one sets the file aside.
    fn struck(&self, file: &Path, refused: UploadRefused) -> UploadRefused {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // Only whole entries are added and removed.
        let mut strikes = self.strikes.lock().unwrap_or_else(PoisonError::into_inner);
        let count = strikes.entry(name.clone()).or_default();
        *count += 1;
        let moved = (*count >= STRIKES).then(|| self.uploads.set_aside(file).ok()).flatten();
        if moved.is_some() {
            strikes.remove(&name);
        }
        self.write(&strikes);
        match moved {
            Some(path) => UploadRefused::SetAside { path },
            None => refused,
        }
    }

    fn forgiven(&self, file: &Path) {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut strikes = self.strikes.lock().unwrap_or_else(PoisonError::into_inner);
        if strikes.remove(&name).is_some() {
            self.write(&strikes);
        }
    }

    /// So that a server that is started again goes on counting; where it cannot be written, it begins anew.
    fn write(&self, strikes: &BTreeMap<String, u32>) {
        if let Ok(bytes) = serde_json::to_vec(strikes) {
            let _ = std::fs::write(strikes_file(&self.uploads), bytes);
        }
    }
}

fn strikes_file(uploads: &Uploads) -> PathBuf {
    uploads.folder().join(".loader-failures.json")
}

impl LoadGuard for UploadProbe {
    fn admit(&self, file: &Path, content: Option<&[u8]>) -> Result<(), SkipReason> {
        if !self.uploads.holds(file) {
            return Ok(());
        }
        let refused = match self.probed(file, content) {
            Ok(()) => {
                self.forgiven(file);
                return Ok(());
            }
            Err(refused @ UploadRefused::NoProcess { .. }) => refused,
            Err(refused) => self.struck(file, refused),
        };
        tracing::warn!(file = %file.display(), reason = %refused, "an upload was not loaded");
        Err(SkipReason::Custom(Reason::of(&refused)))
    }
}
