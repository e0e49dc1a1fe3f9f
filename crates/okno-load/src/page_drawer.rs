//! Pages of PDFs as pictures, for whoever reads images: some scans can only be read when their page is drawn.
//!
//! The decoders of JBIG2 and JPEG 2000 take what an image claims to need, so this crate does not call them while it
//! loads a file. Whoever draws pages does it in a process with limits ([`BoundedCommand`](super::BoundedCommand)).

use super::child_process::ChildFailure;

/// Draws pages.
///
/// A page that takes too much memory or time is given up. `draw` may be called from several threads at once.
pub trait PageDrawer: Send + Sync {
    /// A picture (PNG) of a page of a PDF, counted from 1, large enough to be read.
    ///
    /// # Errors
    /// If the page cannot be drawn within the limits.
    fn draw(&self, pdf: &[u8], page: usize) -> Result<Vec<u8>, PageFailure>;
}

okno_document::messages! {
    /// Why a page was not drawn or measured.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum PageFailure {
        /// The process ended abnormally, or could not read the page.
        Ended = "page_failed" => (
            "drawing failed or took too much memory",
            "绘制失败，或占用内存过多",
        ),
        /// The process took too long.
        TooLong { /** Seconds. */ seconds: u64 } = "page_too_slow" => (
            "drawing took more than {seconds} s",
            "绘制超过 {seconds} 秒",
        ),
        /// The process cannot be started.
        NoProcess { /** Why. */ cause: String } = "no_page_process" => (
            "no process can be started for it: {cause}",
            "无法启动相应的进程：{cause}",
        ),
        /// Whoever asked has gone.
        Cancelled = "page_cancelled" => ("the request was cancelled", "请求已取消"),
    }
}

impl PageFailure {
    /// Why a process that may take so many seconds gave nothing.
    #[must_use]
    pub fn of(failure: &ChildFailure, seconds: u64) -> Self {
        match failure {
            ChildFailure::Ended => Self::Ended,
            ChildFailure::TooLong => Self::TooLong { seconds },
            ChildFailure::Unwanted => Self::Cancelled,
            ChildFailure::NoProcess(cause) => Self::NoProcess { cause: cause.to_string() },
        }
    }
}
