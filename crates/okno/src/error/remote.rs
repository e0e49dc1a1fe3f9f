//! Why a store on another machine failed.

use crate::message::Reason;

okno_document::messages! {
    /// Why a store on another machine failed.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum RemoteError {
        /// The server cannot be reached, or did not answer in time.
        NoAnswer { /** What was seen of it. */ words: String } = "remote_no_answer" => (
            "no answer from the server ({words}); check that it runs and can be reached, then try again; what was \
             committed is safe",
            "服务器没有应答（{words}）；请检查它是否在运行、能否连上，然后重试；已提交的内容不会丢失",
        ),
        /// The server lacks what the store needs.
        TooOld { /** Its version, or what it says. */ found: String, /** The version needed. */ needed: String } =
            "remote_too_old" => (
            "the server is too old ({found}); use version {needed} or newer",
            "服务器版本太旧（{found}）；请使用 {needed} 或更新的版本",
        ),
        /// The server does not take the key.
        KeyRefused { /** What it says. */ words: String } = "remote_key_refused" =>
            ("the server refuses the key ({words})", "服务器拒绝了密钥（{words}）"),
        /// What is there is not what was written.
        Damaged { /** What is wrong with it. */ what: Reason } = "remote_damaged" => (
            "it is damaged ({what}); remove it from the server and index the documents again",
            "索引已损坏（{what}）；请从服务器上删除它，然后重新建立索引",
        ),
        /// Anything else: what the server says, or the store's own reason.
        Said(Reason),
    }
}
