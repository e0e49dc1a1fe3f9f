//! Progress of long work on standard error, and stopping it with Ctrl-C.

use crate::locale::say;
use crate::output;
use anyhow::Result;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use okno::Progress;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// A bar on standard error. A template that does not parse leaves the default style.
pub fn bar(template: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// A bar for indexing and embedding, and the request to stop.
#[allow(clippy::struct_field_names)] // it wraps a bar
pub struct IndexBar {
    pub bar: ProgressBar,
    pub stop: Arc<AtomicBool>,
    embedded: AtomicUsize,
}

impl IndexBar {
    pub fn new() -> Self {
        let bar = bar("{spinner} {wide_msg} {bar:24} {bytes}/{total_bytes}  {binary_bytes_per_sec}  {eta}");
        bar.enable_steady_tick(Duration::from_millis(120));
        bar.set_message(say!("looking for files", "正在查找文件"));
        Self { bar, stop: Arc::new(AtomicBool::new(false)), embedded: AtomicUsize::new(0) }
    }
}

impl Progress for IndexBar {
    fn begin(&self, _files: usize, bytes: u64) {
        self.bar.set_length(bytes);
        self.bar.reset_eta();
    }

    fn advance(&self, path: &str, bytes: u64) {
        self.bar.set_message(output::printable(path));
        self.bar.inc(bytes);
    }

    fn embedded(&self, texts: usize) {
        let all = texts + self.embedded.fetch_add(texts, Ordering::Relaxed);
        self.bar.set_message(say!("{} sentences embedded", "已嵌入 {} 个句子", all));
    }

    fn stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// No progress is shown; the flag stops the work.
pub struct StopFlag<'a>(pub &'a AtomicBool);

impl Progress for StopFlag<'_> {
    fn stop(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Ctrl-C asks to stop after the current commit; a second one stops at once, which loses nothing committed.
pub fn stop_on_interrupt(stop: &Arc<AtomicBool>) -> Result<()> {
    let stop = Arc::clone(stop);
    ctrlc::set_handler(move || {
        if stop.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        output::note(&say!("stopping after the current commit …", "将在当前提交完成后停止……"));
    })?;
    Ok(())
}
