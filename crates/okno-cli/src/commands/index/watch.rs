//! `okno index --watch`: the index follows its folders until Ctrl-C.
//!
//! The system reports changes; a burst of them – a checkout, a save through a temporary file – becomes one run. Nothing
//! is locked between two runs, so other processes can search and index. URLs are not watched.

use crate::locale::say;
use crate::output;
use anyhow::{Context, Result};
use notify::{RecursiveMode, Watcher};
use okno::fetch::is_url;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Quiet time that ends a burst: editors save in several steps within a few dozen milliseconds.
const QUIET: Duration = Duration::from_millis(300);

/// A burst that does not end is cut here, so that a file that is always written to does not stop the others.
const LONGEST: Duration = Duration::from_secs(5);

/// How often Ctrl-C is looked for.
const TICK: Duration = Duration::from_millis(100);

/// Runs `sync` whenever something below the roots changes, until `stop`.
pub fn watch(roots: &[String], index: &Path, stop: &AtomicBool, mut sync: impl FnMut() -> Result<()>) -> Result<()> {
    let (tell, told) = channel();
    let index = index.canonicalize().unwrap_or_else(|_| index.to_owned());
    let outside = move |path: &PathBuf| !path.starts_with(&index);
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // Reading a file is an event too on some systems; an error may mean that events were lost, so it counts as one.
        let counts = event.map_or(true, |event| !event.kind.is_access() && event.paths.iter().any(&outside));
        if counts {
            // The receiver is gone once the watch has ended.
            let _ = tell.send(());
        }
    })?;
    for root in roots.iter().filter(|root| !is_url(root)) {
        watcher
            .watch(Path::new(root), RecursiveMode::Recursive)
            .with_context(|| say!("cannot watch `{}`", "无法监视 `{}`", root))?;
    }
    output::note(&say!("watching for changes – press Ctrl-C to stop", "正在监视 —— 按 Ctrl-C 结束"));
    while wait(&told, stop) {
        sync()?;
    }
    Ok(())
}

/// Waits for the end of a burst of changes; `false` when it is time to stop.
fn wait(told: &Receiver<()>, stop: &AtomicBool) -> bool {
    let mut begun: Option<Instant> = None;
    let mut last = Instant::now();
    loop {
        if stop.load(Ordering::Relaxed) {
            return false;
        }
        match told.recv_timeout(TICK) {
            Ok(()) => {
                last = Instant::now();
                begun.get_or_insert(last);
            }
            Err(RecvTimeoutError::Disconnected) => return false,
            Err(RecvTimeoutError::Timeout) => {}
        }
        if begun.is_some_and(|begun| last.elapsed() >= QUIET || begun.elapsed() >= LONGEST) {
            return true;
        }
    }
}
