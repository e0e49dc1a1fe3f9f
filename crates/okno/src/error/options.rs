//! What is wrong with an option.

use crate::load::{FieldsError, SelectionError};
use crate::message::Reason;
use crate::rules::RulesError;

okno_document::messages! {
    /// Why an option could not be used.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum OptionsError {
        /// Patterns of files.
        Selection(SelectionError),
        /// Names of fields of JSON lines.
        Fields(FieldsError),
        /// A rule.
        Rule(RulesError),
        /// A step of a language model that there is not.
        Step { /** What was given. */ given: String, /** Those there are. */ known: Vec<String> } = "no_step" =>
            ("no step `{given}` for a model; there are {known}", "模型没有步骤 `{given}`；可用的有 {known}"),
        /// A route that there is not.
        Route { /** What was given. */ given: String } = "no_route" => (
            "no route `{given}`; there are `hybrid`, `lexical`, `dense`, `broad`",
            "没有路由 `{given}`；可用的有 `hybrid`、`lexical`、`dense`、`broad`",
        ),
        /// A store that keeps the vectors it has.
        FixedVectors = "fixed_vectors" => (
            "this kind of store cannot change vectors; index the documents again",
            "这种存储不能更改向量；请重新索引文档",
        ),
        /// Somebody wrote to an index while it was copied.
        ChangedMeanwhile = "changed_meanwhile" =>
            ("the index was changed while it was read; try again", "读取期间索引被修改；请重试"),
        /// Documents of the source are not what was stored.
        SourceDamaged { /** The files they are from. */ names: Vec<String> } = "source_damaged" => (
            "these documents of the source are damaged: {names}; index their files again, then copy",
            "来源中的这些文档已损坏：{names}；请先重新索引相应文件，再复制",
        ),
        /// A copy into an index of another embedder.
        CopyEmbedder { /** That of the source. */ from: String, /** That of the target. */ to: String } =
            "copy_embedder" => (
            "the source was made with embedder `{from}`, the target with `{to}`; copy into a new place",
            "来源用的嵌入模型是 `{from}`，目标用的是 `{to}`；请复制到新的位置",
        ),
        /// A copy into an index of other documents.
        CopyRoot { /** A root of the target. */ root: String } = "copy_root" => (
            "the target holds documents of `{root}`, which the source does not know; copy into an empty place",
            "目标里有 `{root}` 的文档，来源没有；请复制到空的位置",
        ),
        /// Two indexes that should be the same.
        IndexesDiffer { /** In what. */ what: Difference } = "indexes_differ" => (
            "the indexes differ: {what}; copy again, and if it stays, copy into an empty place",
            "两个索引不一致：{what}；请重新复制，如果仍然如此，请复制到空的位置",
        ),
        /// A copy of a document that is not what was copied.
        CopyDiffers { /** Which document. */ name: String, /** In what. */ what: Difference } = "copy_differs" => (
            "`{name}` differs: {what}; copy again, and if it stays, copy into an empty place",
            "`{name}` 不一致：{what}；请重新复制，如果仍然如此，请复制到空的位置",
        ),
        /// A reason of the program that uses the engine.
        Other(Reason),
    }
}

okno_document::messages! {
    /// In what an index or a document differs from its copy.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Difference {
        /// Not as many documents.
        Documents { /** In the one. */ left: usize, /** In the other. */ right: usize } = "documents" =>
            ("{left} and {right} documents", "{left} 个和 {right} 个文档"),
        /// What was removed by hand.
        Removed = "removed" => ("what was removed by hand", "手动移除的内容"),
        /// It is not there.
        Missing = "missing" => ("missing", "缺失"),
        /// The bytes of an image.
        Image = "image" => ("an image", "图片"),
        /// The sentences' vectors.
        SentenceVectors = "sentence_vectors" => ("the sentences' vectors", "句子的向量"),
        /// The headings' vectors.
        HeadingVectors = "heading_vectors" => ("the headings' vectors", "标题的向量"),
        /// The derived units' vectors.
        DerivedVectors = "derived_vectors" => ("the derived units' vectors", "派生单元的向量"),
        /// Title, metadata and the like.
        Record = "record" => ("its record", "记录"),
        /// The text.
        Text = "text" => ("its text", "文本"),
        /// Sentences, sections, pages, images.
        Sentences = "sentences" => ("its sentences", "句子"),
        /// The derived units.
        DerivedUnits = "derived_units" => ("its derived units", "派生单元"),
    }
}
