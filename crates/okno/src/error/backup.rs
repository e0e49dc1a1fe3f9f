//! Why a backup was not made, or not restored.

use crate::message::Reason;

okno_document::messages! {
    /// Why a backup was not made, or not restored.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum BackupError {
        /// The index that was to be backed up is damaged.
        SourceDamaged { /** How many faults it has. */ count: usize, /** The first of them. */ first: Reason } =
            "backup_source_damaged" => (
            "not written, because the index is damaged (faults: {count}; the first: {first}); repair the index first",
            "未写入，因为索引已损坏（共 {count} 处，第一处：{first}）；请先修复索引",
        ),
        /// Another process writes a backup to the same file.
        Busy = "backup_busy" => (
            "another process is writing this backup; try again when it is done",
            "另一个进程正在写入这个备份；等它结束后再试",
        ),
        /// The file is something else, or its end is missing.
        NotABackup = "not_a_backup" => (
            "not a backup, or its end is missing; use another backup",
            "不是备份，或末尾缺失；请使用另一个备份",
        ),
        /// The bytes are not those that were written.
        Changed = "backup_changed" => (
            "the backup is damaged: its bytes are not those that were written; use another backup",
            "备份已损坏：内容与写入时不一致；请使用另一个备份",
        ),
        /// The index in the backup has faults.
        Faulty { /** The first of them. */ first: Reason } = "backup_faulty" => (
            "the index in the backup is damaged ({first}); use another backup",
            "备份中的索引已损坏（{first}）；请使用另一个备份",
        ),
    }
}
