//! Why something was left out of an index, or not made for it.

use crate::embed::EmbedError;
use crate::enrich::import::UnitError;
use crate::fetch::FetchError;
use crate::generate::structured::UnusableAnswer;
use crate::load::SkipReason;
use crate::message::Reason;

okno_document::messages! {
    /// Why something was left out of an index, or not made for it.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum SkippedReason {
        /// A file, or a part of one, gave no document.
        Load(SkipReason),
        /// A page was not fetched.
        Fetch(FetchError),
        /// A folder or file that was indexed is not there any more.
        Gone = "root_gone" =>
            ("the folder or file is gone; its documents are kept", "文件夹或文件已不存在；其文档仍保留"),
        /// A derived unit from outside cannot be used.
        Unit(UnitError),
        /// A model gave no usable answer.
        Model(UnusableAnswer),
        /// The embedder failed.
        Embed(EmbedError),
        /// Only a model can make such a unit.
        NeedsModel { /** The kind of the unit. */ kind: String } = "needs_model" =>
            ("a unit of kind `{kind}` needs a model", "`{kind}` 类的单元需要模型"),
        /// An image whose bytes are not in the index.
        ImageNotKept = "image_not_kept" =>
            ("its bytes are not kept in this index", "其内容没有保存在这个索引里"),
        /// A document that is not what it was.
        Changed = "document_changed" =>
            ("the document changed meanwhile; try again", "文档在此期间有改动；请重试"),
        /// A reason of somebody who uses the engine.
        Other(Reason),
    }
}
