//! What is wrong with an index, found by reading all of it.

use super::DocumentNumber;

okno_document::messages! {
    /// Something of an index that is not what was stored, or does not fit the rest.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum IndexFault {
        /// A document, or its vectors.
        Document { /** Its number. */ number: DocumentNumber, /** Its file, or its number. */ name: String } =
            "damaged_document" => ("`{name}` is not what was stored", "`{name}` 与存入时不一致"),
        /// An image of a document.
        Image { /** Its hash. */ hash: String, /** The document that has it. */ number: DocumentNumber } =
            "damaged_image" => ("image {hash} is not what was stored", "图片 {hash} 与存入时不一致"),
        /// A document that is not found by its name.
        Name { /** The document. */ name: String } = "damaged_name" =>
            ("`{name}` is not found under its name", "按名称找不到 `{name}`"),
        /// Names of documents that there are not.
        UnknownNames { /** How many. */ count: usize } = "unknown_names" =>
            ("{count} names belong to no document", "有 {count} 个名称不属于任何文档"),
        /// What is known of a file.
        FileState = "damaged_file_state" => ("the state of a file cannot be read", "无法读取文件的状态"),
        /// Headers of values in the key-value store, which follow from the rest.
        PageHeaders { /** How many. */ count: usize } = "damaged_page_headers" => (
            "{count} pages of `data.mdb` do not begin as they were written",
            "`data.mdb` 中有 {count} 页的开头与写入时不一致",
        ),
        /// The lexical index as a whole.
        Lexical { /** What its library says. */ words: String } = "damaged_lexical" =>
            ("the lexical index cannot be read: {words}", "无法读取全文索引：{words}"),
        /// The words of a document.
        Words { /** The document. */ name: String } = "missing_words" =>
            ("the lexical index does not hold all sentences of `{name}`", "全文索引缺少 `{name}` 的部分句子"),
    }
}

impl IndexFault {
    /// The document that has to be read again from its file, if it concerns one.
    pub fn document(&self) -> Option<DocumentNumber> {
        match self {
            Self::Document { number, .. } | Self::Image { number, .. } => Some(*number),
            _ => None,
        }
    }

    /// Whether it concerns the lexical index, which can be built again from the documents.
    pub fn is_lexical(&self) -> bool {
        matches!(self, Self::Lexical { .. } | Self::Words { .. })
    }
}
