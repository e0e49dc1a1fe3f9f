//! Why a reranker failed.

use crate::message::Reason;

okno_document::messages! {
    /// Why a reranker failed.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum RerankError {
        /// Its own reason.
        Failed(Reason),
        /// Not one number for each passage.
        Scores { /** Scores it gave. */ got: usize, /** Passages. */ passages: usize } = "wrong_scores" => (
            "gave {got} scores for {passages} passages, or one that is not a number",
            "对 {passages} 段文字给出了 {got} 个分数，或其中有的不是数字",
        ),
    }
}

impl RerankError {
    /// A reranker's own reason.
    pub fn new(reason: impl Into<Reason>) -> Self {
        Self::Failed(reason.into())
    }
}
