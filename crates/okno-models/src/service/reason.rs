//! Why a service did not answer, in both languages.

use okno_document::message::{Lang, Message, Word};
use std::time::Duration;

okno_document::messages! {
    /// Why a service did not answer, or did not answer usefully. `table` is the table of the configuration with its
    /// settings.
    #[derive(Debug, Clone, PartialEq)]
    #[non_exhaustive]
    pub enum ServiceReason {
        /// The name cannot be resolved.
        NoHost {
            /// Host and port.
            host: String,
            /// Its table of the configuration.
            table: String,
        } = "no_host" => (
            "there is no host `{host}`; check `{table}.base_url` and the network",
            "没有主机 `{host}`；请检查 `{table}.base_url` 和网络"
        ),
        /// The address is not a URL.
        BadAddress {
            /// What was read as the host.
            host: String,
            /// Its table of the configuration.
            table: String,
        } = "bad_address" => (
            "`{host}` is not a valid address; `{table}.base_url` looks like `http://localhost:8080/v1`",
            "`{host}` 不是有效的地址；`{table}.base_url` 应类似 `http://localhost:8080/v1`"
        ),
        /// The connection was refused.
        NothingListens {
            /// Host and port.
            host: String,
            /// Its table of the configuration.
            table: String,
        } = "nothing_listens" => (
            "nothing listens at `{host}`; start the server, or check `{table}.base_url`",
            "`{host}` 没有服务在监听；请启动服务，或检查 `{table}.base_url`"
        ),
        /// The connection ended within the answer.
        ConnectionCut = "connection_cut" => (
            "the connection was closed in the middle of the answer",
            "连接在回答中途断开"
        ),
        /// The answer is not HTTP.
        NotHttp {
            /// Host and port.
            host: String,
        } = "not_http" => ("`{host}` closed the connection, or does not speak HTTP", "`{host}` 断开了连接，或不是 HTTP 服务"),
        /// No connection in time.
        ConnectTimeout {
            /// The limit.
            limit: Seconds,
            /// Its table of the configuration.
            table: String,
        } = "connect_timeout" => (
            "no connection within {limit}; `{table}.timeout` sets the limit",
            "{limit} 内未能连接；`{table}.timeout` 设置时限"
        ),
        /// The answer was not complete in time.
        AnswerTimeout {
            /// The limit.
            limit: Seconds,
            /// Its table of the configuration.
            table: String,
        } = "answer_timeout" => (
            "no complete answer within {limit}; the service may be overloaded; `{table}.timeout` sets the limit",
            "{limit} 内没有完整的回答；服务可能过载；`{table}.timeout` 设置时限"
        ),
        /// Nothing came for too long.
        SilenceTimeout {
            /// The limit.
            limit: Seconds,
            /// Its table of the configuration.
            table: String,
        } = "silence_timeout" => (
            "no data for {limit}; the service may be overloaded; `{table}.timeout` sets the limit",
            "{limit} 内没有收到数据；服务可能过载；`{table}.timeout` 设置时限"
        ),
        /// Another failure of the connection.
        Transport {
            /// What the HTTP client reports.
            cause: String,
        } = "transport" => ("{cause}", "{cause}"),
        /// The service answered with an error.
        Status {
            /// The HTTP status.
            status: u16,
            /// What the service says, without the key.
            said: String,
            /// What to do about it.
            advice: StatusAdvice,
        } = "status" => ("{status}: {said}{advice}", "{status}：{said}{advice}"),
        /// An answer that cannot be parsed.
        NotParsable {
            /// What the parser reports.
            cause: String,
            /// The answer, shortened.
            body: String,
        } = "not_parsable" => ("{cause} in `{body}`", "{cause}，出现在 `{body}` 中"),
        /// The answer ended early for another reason.
        BrokeOff {
            /// That reason.
            reason: Box<ServiceReason>,
        } = "broke_off" => ("the answer broke off: {reason}", "回答中断：{reason}"),
        /// The answer has no end.
        CutOff = "cut_off" => ("the answer was cut off; try again", "回答被截断；请重试"),
        /// A line of a stream that is too long.
        EndlessLine = "endless_line" => ("a line of the stream is too long", "数据流中有一行过长"),
        /// Bytes that are not text.
        NotUtf8 = "not_utf8" => ("the answer is not UTF-8", "回答不是 UTF-8"),
        /// The service's filter removed the answer.
        Filtered = "filtered" => ("the service's content filter blocked the answer", "服务的内容过滤拦截了回答"),
        /// The caller stopped it.
        Stopped = "stopped" => ("stopped", "已停止"),
        /// The list of models cannot be parsed.
        BadModelList {
            /// Its table of the configuration.
            table: String,
        } = "bad_model_list" => (
            "the list of models is not valid JSON; name a model in `{table}.name`",
            "模型列表不是有效的 JSON；请在 `{table}.name` 中指定模型"
        ),
        /// The list of models is empty.
        NoModels {
            /// Its table of the configuration.
            table: String,
        } = "no_models" => (
            "the service lists no model; name one in `{table}.name`",
            "服务没有列出模型；请在 `{table}.name` 中指定模型"
        ),
        /// The answer is not a list of vectors.
        NotVectors {
            /// What the parser reports.
            cause: String,
        } = "not_vectors" => ("the answer is not a list of vectors: {cause}", "回答不是向量列表：{cause}"),
        /// Another number of vectors than of texts.
        VectorCount {
            /// Vectors that came.
            got: usize,
            /// Texts that were sent.
            texts: usize,
        } = "vector_count" => ("got {got} vectors for {texts} texts", "{texts} 段文本只得到 {got} 个向量"),
        /// Vectors without components.
        EmptyVectors = "empty_vectors" => ("its vectors are empty", "向量为空"),
        /// Vectors of another length than the index has.
        VectorLength {
            /// The length that came.
            got: usize,
            /// The length that is needed.
            expected: usize,
        } = "vector_length" => (
            "got a vector of {got} components, expected {expected}; `embedding.dimensions` sets the length where the \
             model offers several",
            "得到 {got} 维的向量，应为 {expected} 维；若模型支持多种长度，可用 `embedding.dimensions` 指定"
        ),
        /// Infinite or undefined components.
        NotFinite = "not_finite" => ("a vector has components that are not finite numbers", "向量中有非有限的数"),
    }
}

okno_document::messages! {
    /// What to do about a status, at the end of a sentence.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub enum StatusAdvice {
        /// Nothing in particular.
        Nothing = "nothing" => ("", ""),
        /// The key may be wrong.
        CheckKey {
            /// The variable that holds it.
            variable: String,
        } = "check_key" => ("; check the key in `{variable}`", "；请检查 `{variable}` 中的密钥"),
        /// There is no key.
        SetKey {
            /// The variable that should hold it.
            variable: String,
        } = "set_key" => ("; it requires a key: set `{variable}`", "；需要密钥：请设置 `{variable}`"),
        /// There is no key, and no variable for it.
        NameKey {
            /// Its table of the configuration.
            table: String,
        } = "name_key" => (
            "; it requires a key: name its variable in `{table}.key_env`",
            "；需要密钥：请在 `{table}.key_env` 中指定变量名"
        ),
        /// Model or address may be wrong.
        CheckModel {
            /// Its table of the configuration.
            table: String,
        } = "check_model" => (
            "; check `{table}.name`, and that `{table}.base_url` ends as the service's does (`/v1`)",
            "；请检查 `{table}.name`，以及 `{table}.base_url` 的结尾是否与服务一致（`/v1`）"
        ),
        /// The service has moved.
        Moved {
            /// Its table of the configuration.
            table: String,
        } = "moved" => ("; it redirects elsewhere: check `{table}.base_url`", "；它重定向到别处：请检查 `{table}.base_url`"),
    }
}

/// A time limit in a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seconds(pub Duration);

impl Word for Seconds {
    fn word(&self, lang: Lang) -> String {
        let seconds = self.0.as_secs_f32();
        match lang {
            Lang::En => format!("{seconds} s"),
            Lang::Zh => format!("{seconds} 秒"),
        }
    }
}

/// Where a reason comes from: the model and its host.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AtHost<'r> {
    pub model: &'r str,
    pub host: &'r str,
    pub reason: &'r ServiceReason,
}

impl AtHost<'_> {
    /// `bge-m3 at localhost:8080: …`
    pub fn text(&self, lang: Lang) -> String {
        let Self { model, host, reason } = self;
        let reason = reason.text(lang);
        match lang {
            Lang::En => format!("{model} at `{host}`: {reason}"),
            Lang::Zh => format!("`{host}` 的 {model}：{reason}"),
        }
    }
}
