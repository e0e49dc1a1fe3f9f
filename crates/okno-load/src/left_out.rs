//! What a loader saw in a file and did not read, so that a person can judge what is missing.

okno_document::messages! {
    /// Something that a document holds and its text does not.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum LeftOut {
        /// Images.
        Images { /** How many. */ count: usize } = "images" =>
            ("{count} images: their text is not read from this format", "{count} 张图片：不读取此格式中图片的文字"),
        /// Comments on the text.
        Comments { /** How many. */ count: usize } = "comments" => ("{count} comments", "{count} 条批注"),
        /// What stands on every page.
        HeadersAndFooters = "headers_and_footers" => ("headers and footers", "页眉和页脚"),
        /// Text that the author hid or deleted.
        HiddenText { /** How many. */ letters: usize } = "hidden_text" =>
            ("{letters} hidden or deleted characters", "{letters} 个隐藏或已删除的字符"),
        /// Diagrams of numbers.
        Charts { /** How many. */ count: usize } = "charts" =>
            ("{count} charts: only the cells that they show are read", "{count} 个图表：只读取其所示的单元格"),
        /// Files inside of a document.
        Embedded { /** How many. */ count: usize } = "embedded" =>
            ("{count} embedded objects", "{count} 个嵌入对象"),
        /// Output of a notebook that is not text.
        Outputs { /** How many. */ count: usize } = "outputs" =>
            ("{count} outputs that are not text (images, widgets)", "{count} 个非文字输出（图片、控件）"),
        /// Members of an archive that nobody reads.
        HiddenMembers { /** How many. */ count: usize } = "hidden_members" =>
            ("{count} hidden members", "{count} 个隐藏成员"),
    }
}
