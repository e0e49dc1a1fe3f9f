//! What the answers of a cluster mean: whether a retry may help, and what is said where it did not.

use okno::error::RemoteError;
use serde_json::Value;

/// The first version whose Lucene graphs hold bytes and search them with a filter.
pub const OLDEST: (u32, u32) = (2, 9);

/// The first version that scores BM25 without the factor `k1 + 1`.
pub const PLAIN_BM25: (u32, u32) = (3, 0);

/// Longer messages of servers are cut: some send a whole page.
const LONGEST_REASON: usize = 300;

okno_document::messages! {
    /// What can go wrong with an index on OpenSearch besides what goes wrong with any server ([`RemoteError`]).
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum ClusterFailure {
        /// The cluster accepts no writes: an index is blocked, usually because a disk is nearly full.
        ReadOnly {
            /// What it says.
            said: String,
        } = "cluster_read_only" => (
            "the cluster accepts no writes ({said}); free disk space or remove the block, then try again; what was \
             committed is safe",
            "集群不接受写入（{said}）；请释放磁盘空间或解除只读限制，然后重试；已提交的内容不会丢失"
        ),
        /// Too few nodes are left to elect a manager, so that nothing can be written or searched for.
        NoQuorum {
            /// How many nodes answer.
            answering: usize,
            /// How many nodes the address names.
            nodes: usize,
        } = "cluster_no_quorum" => (
            "the cluster has no cluster manager: {answering} of {nodes} nodes of the address answer; start the missing \
             ones, then try again; what was committed is safe",
            "集群没有主节点：地址中的 {nodes} 个节点只有 {answering} 个有应答；请启动缺少的节点，然后重试；已提交的内容不会丢失"
        ),
        /// A node that knows of no manager.
        NoManager {
            /// What it says.
            said: String,
        } = "cluster_no_manager" => (
            "the node that was asked knows of no cluster manager ({said}); check that enough nodes are running, then \
             try again; what was committed is safe",
            "所询问的节点找不到主节点（{said}）；请检查运行的节点是否足够，然后重试；已提交的内容不会丢失"
        ),
        /// The cluster rejects requests because it has too many.
        TooBusy {
            /// What it says.
            said: String,
        } = "cluster_too_busy" => (
            "the cluster rejects requests because it is overloaded ({said}); try again later; what was committed is \
             safe",
            "集群负载过高，拒绝了请求（{said}）；请稍后重试；已提交的内容不会丢失"
        ),
        /// A server that is not OpenSearch.
        NotOpenSearch {
            /// What it is.
            found: String,
        } = "not_opensearch" => (
            "this is {found}, not OpenSearch; its vector fields and queries are different",
            "这是 {found}，不是 OpenSearch；两者的向量字段和查询不同"
        ),
        /// More rows than one answer holds.
        TooManyRows {
            /// How many an answer holds.
            most: usize,
        } = "too_many_rows" => (
            "more than {most} rows answer one question of the store; the index is too large for it",
            "存储的一次查询超过 {most} 行；索引过大"
        ),
        /// An answer that cannot be read.
        Unreadable {
            /// Why.
            why: String,
        } = "unreadable_answer" => (
            "the answer of the server cannot be read ({why})",
            "无法读取服务器的答复（{why}）"
        ),
        /// Any other error of the server.
        Refused {
            /// What it says.
            said: String,
        } = "cluster_error" => ("{said}", "{said}"),
    }
}

impl From<ClusterFailure> for RemoteError {
    fn from(failure: ClusterFailure) -> Self {
        Self::Said(failure.into())
    }
}

/// One attempt that failed.
#[derive(Debug, Clone, PartialEq)]
pub struct FailedAttempt {
    /// What it means where no other attempt succeeds.
    pub reason: RemoteError,
    /// Whether a retry may help.
    pub again: bool,
    /// Whether the node could not be reached: another may.
    pub is_away: bool,
    /// The status, where there was an answer.
    pub status: Option<u16>,
}

impl FailedAttempt {
    /// The node could not be reached, or did not answer.
    pub fn unreachable(words: &str) -> Self {
        let reason = RemoteError::NoAnswer { words: shortened(words) };
        Self { reason, again: true, is_away: true, status: None }
    }

    /// An answer that is not what was asked for; a dying node may cut one off.
    pub fn unreadable(error: &serde_json::Error) -> Self {
        let reason = ClusterFailure::Unreadable { why: error.to_string() }.into();
        Self { reason, again: true, is_away: true, status: None }
    }

    /// Some shards did not do what the others did.
    pub fn of_shards(failed: u64) -> Self {
        let reason = RemoteError::NoAnswer { words: format!("{failed} shards") };
        Self { reason, again: true, is_away: false, status: None }
    }

    /// Whether a cluster without a manager fails so: nodes or shards are away.
    pub fn may_lack_manager(&self) -> bool {
        self.is_away || self.status.is_none_or(|status| status >= 500)
    }

    /// An error with its status and what the server says about it: `{"type": …, "reason": …}`, or a text.
    pub fn of_answer(status: u16, error: &Value) -> Self {
        let cause = if error["root_cause"][0].is_object() { &error["root_cause"][0] } else { error };
        let kind = cause["type"].as_str().or(error["type"].as_str()).unwrap_or_default();
        let said = cause["reason"].as_str().or(error["reason"].as_str()).or(error.as_str()).unwrap_or(kind);
        let said = shortened(if said.is_empty() { "?" } else { said });
        let blocked = kind == "cluster_block_exception";
        let no_manager = kind.ends_with("_not_discovered_exception");
        let again = matches!(status, 408 | 429 | 500 | 502..=599) || blocked;
        let reason = match status {
            503 if blocked || no_manager => ClusterFailure::NoManager { said }.into(),
            403 | 429 if blocked => ClusterFailure::ReadOnly { said }.into(),
            401 | 403 => RemoteError::KeyRefused { words: said },
            429 => ClusterFailure::TooBusy { said }.into(),
            _ if again => RemoteError::NoAnswer { words: said },
            _ => ClusterFailure::Refused { said }.into(),
        };
        Self { reason, again, is_away: matches!(status, 502..=504), status: Some(status) }
    }
}

fn shortened(text: &str) -> String {
    text[..text.floor_char_boundary(LONGEST_REASON)].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use okno_document::message::Message;
    use serde_json::json;

    #[test]
    fn answers_are_told_apart_by_status_and_type() {
        let flood = "index [a] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark];";
        for (status, kind, reason, code, again) in [
            (429, "cluster_block_exception", flood, "cluster_read_only", true),
            (
                403,
                "cluster_block_exception",
                "index [a] blocked by: [FORBIDDEN/8/index write (api)];",
                "cluster_read_only",
                true,
            ),
            (
                503,
                "cluster_block_exception",
                "blocked by: [SERVICE_UNAVAILABLE/2/no cluster-manager];",
                "cluster_no_manager",
                true,
            ),
            (503, "cluster_manager_not_discovered_exception", "", "cluster_no_manager", true),
            (429, "rejected_execution_exception", "rejected", "cluster_too_busy", true),
            (503, "no_shard_available_action_exception", "", "remote_no_answer", true),
            (401, "security_exception", "missing credentials", "remote_key_refused", false),
            (400, "mapper_parsing_exception", "No handler for type [knn_vector]", "cluster_error", false),
        ] {
            let attempt = FailedAttempt::of_answer(status, &json!({"type": kind, "reason": reason}));
            assert_eq!((attempt.reason.code(), attempt.again), (code, again), "{kind}");
            let nested = json!({"root_cause": [{"type": kind, "reason": reason}], "type": "x", "reason": "y"});
            assert_eq!(FailedAttempt::of_answer(status, &nested), attempt, "{kind}");
        }
        assert_eq!(FailedAttempt::of_answer(400, &json!("plain words")).reason.to_string(), "plain words");
    }
}
