//! A process that reads a file of somebody else: it may end abnormally, or never.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How often is looked whether the process has ended.
const LOOK: Duration = Duration::from_millis(2);
/// Bytes of an answer: a picture of nothing but noise is smaller.
const LARGEST: u64 = 64 << 20;

/// Why a process gave nothing.
#[derive(Debug)]
pub enum ChildFailure {
    /// It ended abnormally, or said that it failed.
    Ended,
    /// It took too long.
    TooLong,
    /// Nobody wants its answer any more.
    Unwanted,
    /// It cannot be started.
    NoProcess(io::Error),
}

/// A command that may take so long.
#[derive(Debug, Clone)]
pub struct BoundedCommand {
    /// The program and its first arguments.
    pub command: Vec<OsString>,
    /// How long it may take.
    pub time: Duration,
}

impl BoundedCommand {
    /// Runs the command with more arguments and this input; gives what it prints. It is ended when its time is over,
    /// or when it is `unwanted`.
    ///
    /// # Errors
    /// If it cannot be started, fails, or is ended.
    pub fn run(
        &self,
        arguments: &[OsString],
        input: &[&[u8]],
        unwanted: impl Fn() -> bool,
    ) -> Result<Vec<u8>, ChildFailure> {
        let nothing = || ChildFailure::NoProcess(io::ErrorKind::NotFound.into());
        let (program, first) = self.command.split_first().ok_or_else(nothing)?;
        let mut command = Command::new(program);
        command.args(first).args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // Ctrl-C is for the program that waits: a file is not to be told as damaged because of it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(ChildFailure::NoProcess)?;
        let (to, from) = (child.stdin.take(), child.stdout.take());
        std::thread::scope(|scope| {
            // A process that ended early does not read to the end.
            scope.spawn(move || to.map(|mut to| input.iter().try_for_each(|part| to.write_all(part))));
            let answer = scope.spawn(move || {
                let mut answer = Vec::new();
                from.map(|from| from.take(LARGEST).read_to_end(&mut answer));
                answer
            });
            let ended = self.waited(&mut child, unwanted);
            let answer = answer.join().unwrap_or_default();
            ended.map(|()| answer)
        })
    }

    fn waited(&self, child: &mut Child, unwanted: impl Fn() -> bool) -> Result<(), ChildFailure> {
        let end = Instant::now() + self.time;
        let failure = loop {
            match child.try_wait() {
                Ok(Some(status)) if status.success() => return Ok(()),
                Ok(Some(_)) | Err(_) => return Err(ChildFailure::Ended),
                Ok(None) if unwanted() => break ChildFailure::Unwanted,
                Ok(None) if Instant::now() > end => break ChildFailure::TooLong,
                Ok(None) => std::thread::sleep(LOOK),
            }
        };
        // It may have ended in this moment.
        let _ = child.kill();
        let _ = child.wait();
        Err(failure)
    }
}
