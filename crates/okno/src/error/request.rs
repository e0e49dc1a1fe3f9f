//! Why a question cannot be asked as it was written: which field, what was given, what was expected.

use crate::document::messages;

messages! {
    /// Why a [`QueryRequest`](crate::retrieve::QueryRequest) is no query.
    #[derive(Debug, Clone, PartialEq)]
    #[non_exhaustive]
    pub enum RequestError {
        /// There is no question.
        NoQuestion = "no_question" => ("the question is empty", "问题是空的"),
        /// A number, or the length of a text or list, is over its limit.
        TooMuch {
            /** The field. */ field: &'static str,
            /** What was given. */ given: usize,
            /** The limit. */ limit: usize,
        } = "too_much" => ("`{field}` is {given}; the limit is {limit}", "`{field}` 为 {given}，上限为 {limit}"),
        /// A share outside of its range.
        NotAShare { /** The field. */ field: &'static str, /** What was given. */ given: f32 } = "not_a_share" =>
            ("invalid `{field}` {given}: expected a number from 0 to 1", "`{field}` 的值 {given} 无效：应为 0 到 1 之间的数"),
        /// A name that the field does not know.
        UnknownName {
            /** The field. */ field: &'static str,
            /** What was given. */ given: String,
            /** The names there are. */ known: Vec<String>,
        } = "unknown_name" => ("invalid `{field}` `{given}`: expected {known}", "`{field}` 的值 `{given}` 无效：应为 {known}"),
        /// A budget that cannot be read.
        Budget { /** What was given. */ given: String } = "bad_budget" => (
            "invalid budget `{given}`: expected a number of tokens (`500`) or characters (`2000c`)",
            "预算 `{given}` 无效：应为词元数（`500`）或字符数（`2000c`）",
        ),
        /// Fields that say different things about one choice.
        Exclusive { /** The fields. */ fields: Vec<String> } = "exclusive" =>
            ("{fields} exclude each other; give only one of them", "{fields} 互相排斥；只能给出其中一个"),
    }
}
