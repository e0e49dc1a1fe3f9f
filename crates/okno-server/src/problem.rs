//! What the server itself finds wrong with a request: every reason with its code, its sentence and its advice, in both
//! languages.
//!
//! What the engine finds wrong is the engine's to say; see [`crate::error`]. Advice is for programs that use the API
//! and for people who use the page: neither can see the command line that started the server.

use crate::code::Code;
use okno::SkippedReason;
use okno::load::PageFailure;
use okno_document::message::{Lang, Word};
use std::path::PathBuf;

/// Declares [`Problem`]: fields, code, sentence and, where there is something to do about it, a hint; English and
/// Chinese each.
macro_rules! problems {
    ($(
        $(#[$meta:meta])*
        $variant:ident $({ $($field:ident: $type:ty),* $(,)? })? = $code:ident
            ($en:literal, $zh:literal) $(hint ($hint_en:literal, $hint_zh:literal))?;
    )*) => {
        /// Why the server refuses a request.
        #[derive(Debug)]
        pub enum Problem {
            $($(#[$meta])* $variant $({ $($field: $type),* })?,)*
        }

        impl Problem {
            /// Its code.
            pub fn code(&self) -> Code {
                match self {
                    $(Self::$variant { .. } => Code::$code,)*
                }
            }

            /// What happened, and what to do next.
            pub fn texts(&self, lang: Lang) -> (String, Option<String>) {
                match self {
                    $(Self::$variant $({ $($field),* })? => {
                        $($(#[allow(unused_variables)] let $field = Word::word($field, lang);)*)?
                        match lang {
                            Lang::En => (format!($en), [$(format!($hint_en))?].into_iter().next()),
                            Lang::Zh => (format!($zh), [$(format!($hint_zh))?].into_iter().next()),
                        }
                    })*
                }
            }
        }
    };
}

problems! {
    /// The `Host` header names another machine.
    WrongHost { host: String } = WrongHost
        ("`{host}` is not a name of this machine", "`{host}` 不是本机的名称")
        hint ("use `localhost` or `127.0.0.1`", "请使用 `localhost` 或 `127.0.0.1`");
    /// A page of another origin.
    CrossOrigin = CrossOrigin
        ("pages of other sites may not send requests to this server", "其他网站的页面不能向此服务发送请求")
        hint ("whoever runs the server can allow that site's origin", "服务的管理者可以允许该网站的来源");
    /// No key, or a wrong one.
    NoKey = NoKey
        ("the API key is missing or wrong", "缺少 API 密钥，或密钥错误")
        hint ("send `Authorization: Bearer KEY`", "请发送 `Authorization: Bearer KEY`");
    /// A key whose last day is over.
    KeyExpired { name: String } = KeyExpired
        ("the API key `{name}` has expired", "API 密钥 `{name}` 已过期")
        hint ("ask whoever runs the server for a new key", "请向服务的管理者索取新的密钥");
    /// The key's role does not allow this.
    RoleTooLow { name: String, role: String, needed: String } = RoleTooLow
        ("the API key `{name}` has the role `{role}`; this needs `{needed}`",
            "API 密钥 `{name}` 的角色是 `{role}`，此操作需要 `{needed}`")
        hint ("use a key with that role", "请使用具有该角色的密钥");
    /// More requests than a key may send in a time.
    RateLimited { seconds: u64 } = RateLimited
        ("too many requests with this key", "此密钥发送的请求过多")
        hint ("try again in {seconds} seconds", "请在 {seconds} 秒后重试");
    /// More bytes than a key may upload in a time.
    UploadQuota { seconds: u64 } = UploadQuota
        ("this key has uploaded as much as it may for now", "此密钥目前的上传量已达上限")
        hint ("try again in {seconds} seconds", "请在 {seconds} 秒后重试");
    /// The body is declared as something else.
    NotJson { kind: String } = NotJson
        ("the body is `{kind}`, not JSON", "请求体是 `{kind}`，不是 JSON")
        hint ("send `Content-Type: application/json`", "请发送 `Content-Type: application/json`");
    /// The body is JSON, but not an object.
    NotAnObject = BadJson
        ("the body is not a JSON object", "请求体不是 JSON 对象")
        hint ("`/api/v1/openapi.json` describes what may be sent", "`/api/v1/openapi.json` 说明了可以发送的内容");
    /// The body cannot be parsed.
    BadJson { cause: serde_json::Error } = BadJson
        ("the body cannot be parsed: {cause}", "无法解析请求体：{cause}")
        hint ("`/api/v1/openapi.json` describes what may be sent", "`/api/v1/openapi.json` 说明了可以发送的内容");
    /// The body is too large.
    BodyTooLarge = TooLarge
        ("the body is larger than this server accepts", "请求体超出此服务可接收的大小");
    /// The body cannot be received.
    BadBody { cause: String } = BadBody
        ("the body cannot be read: {cause}", "无法读取请求体：{cause}");
    /// A parameter behind the `?`.
    BadParameter { cause: String } = BadParameter
        ("invalid query parameter: {cause}", "查询参数无效：{cause}")
        hint ("`/api/v1/openapi.json` lists the parameters", "`/api/v1/openapi.json` 列出了各参数");
    /// A name in the path.
    BadPath { cause: String } = BadPath
        ("invalid path: {cause}", "路径无效：{cause}")
        hint ("percent-encode the name as UTF-8", "请将名称按 UTF-8 进行百分号编码");
    /// Nothing is at this path.
    NoRoute { path: String } = NoRoute
        ("there is nothing at `/{path}`", "`/{path}` 处没有内容")
        hint ("`/api/v1/openapi.json` lists the routes", "`/api/v1/openapi.json` 列出了各地址");
    /// The route has other methods.
    NoMethod = NoMethod
        ("this address does not support that method", "此地址不支持该方法")
        hint ("`/api/v1/openapi.json` lists the methods", "`/api/v1/openapi.json` 列出了可用的方法");
    /// The answer did not begin in time.
    Timeout = Timeout
        ("the request timed out", "请求超时")
        hint ("request less at once, or start a job", "请减少一次请求的内容，或改用任务");
    /// The queue is full.
    Overloaded = Overloaded
        ("too many requests are waiting", "等待处理的请求过多")
        hint ("try again in a moment, with fewer requests at once", "请稍后重试，并减少同时发送的请求");
    /// As many connections as there may be.
    TooManyConnections = Overloaded
        ("too many connections are open", "打开的连接过多")
        hint ("try again in a moment, over fewer connections", "请稍后重试，并减少连接数");
    /// A comparison that asks for more than one request may.
    TooMuchInAll { field: &'static str, given: usize, recipes: usize, limit: usize } = TooMuch
        ("`{field}` of {recipes} recipes together is {given}; the limit is {limit}",
         "{recipes} 个方案的 `{field}` 合计为 {given}，上限为 {limit}")
        hint ("send a smaller `{field}`, or fewer recipes", "请减小 `{field}`，或减少方案");
    /// An index cannot be read.
    NotReady = NotReady
        ("an index cannot be read, so that questions are not answered", "有索引无法读取，因此无法回答问题")
        hint ("the server's log says which and why", "服务日志说明了是哪个索引以及原因");
    /// Work panicked or was dropped.
    WorkFailed = Internal
        ("the request failed unexpectedly; this is a bug", "请求意外失败，这是程序缺陷")
        hint ("the server's log has the details", "详情见服务日志");
    /// An answer cannot be written as JSON.
    NotSerializable { cause: serde_json::Error } = Internal
        ("the answer cannot be written: {cause}", "无法写出回答：{cause}");
    /// No index is served at all.
    NothingServed = Internal
        ("the server has no index", "服务没有索引");
    /// No index of this name.
    NoIndex { name: String, known: Vec<String> } = NoIndex
        ("no index `{name}`", "没有索引 `{name}`")
        hint ("the indexes are {known}", "可用的索引：{known}");
    /// No language model of this name.
    NoModel { name: String, known: Vec<String> } = NoModel
        ("no language model `{name}` is set up", "没有设置名为 `{name}` 的语言模型")
        hint ("the models are {known}", "可用的模型：{known}");
    /// A name that several documents have.
    AmbiguousName { name: String, paths: Vec<String> } = AmbiguousName
        ("several documents are called `{name}`", "有多个文档名为 `{name}`")
        hint ("use one of {paths}", "请使用其中之一：{paths}");
    /// A job is writing.
    IndexBusy = IndexBusy
        ("a job is writing to this index", "有任务正在写入此索引")
        hint ("try again when it has finished", "请在其完成后重试");
    /// The file system refused an upload.
    CannotWrite { path: PathBuf, cause: std::io::Error } = CannotWrite
        ("cannot write `{path}`: {cause}", "无法写入 `{path}`：{cause}")
        hint ("check the disk's free space and permissions", "请检查磁盘空间和权限");
    /// A name that an upload cannot have.
    BadName { name: String, reason: NameFlaw } = BadName
        ("`{name}` cannot be the name of an upload: {reason}", "`{name}` 不能作为上传文件的名称：{reason}")
        hint ("send a plain file name such as `notes.md`", "请使用普通文件名，例如 `notes.md`");
    /// A document that cannot be put.
    BadDocument { name: String, reason: Box<SkippedReason> } = BadDocument
        ("`{name}` is not a document: {reason}", "`{name}` 不是文档：{reason}")
        hint ("send an id of at most 400 bytes and a text", "请发送不超过 400 字节的编号和文本");
    /// An operator of Dify that there is not.
    UnknownOperator { field: &'static str, given: String } = BadFilter
        ("`{field}`: unknown operator `{given}`", "`{field}`：未知的运算符 `{given}`");
    /// An upload would replace a document that its sender does not see.
    NameTaken { name: String } = NameTaken
        ("the name `{name}` is taken", "名称 `{name}` 已被占用")
        hint ("send the file under another name", "请换一个文件名发送");
    /// A path that may not be indexed.
    PathNotAllowed { path: String } = PathNotAllowed
        ("`{path}` may not be indexed over HTTP", "不允许通过 HTTP 索引 `{path}`")
        hint (
            "upload the file, or name a path inside of the index's `roots` (`GET /api/v1/status`); \
             whoever runs the server can allow more folders",
            "请上传该文件，或使用索引 `roots`（`GET /api/v1/status`）之内的路径；服务的管理者可以允许更多文件夹"
        );
    /// The upload is not a form.
    BadForm { cause: String } = BadForm
        ("the form cannot be read: {cause}", "无法读取表单：{cause}")
        hint ("send `multipart/form-data` with files", "请以 `multipart/form-data` 发送文件");
    /// The form has too many files.
    TooManyFiles { most: usize } = TooLarge
        ("more than {most} files", "文件超过 {most} 个")
        hint ("send them in several requests", "请分多次发送");
    /// The files are too large.
    UploadTooLarge = TooLarge
        ("the files are larger than this server accepts at once", "文件总大小超出此服务一次可接收的上限")
        hint ("send them one by one", "请逐个发送");
    /// The form has no files.
    NoFiles = NoFiles
        ("the form has no files", "表单中没有文件")
        hint ("send `multipart/form-data` with files: `curl -F files=@notes.md`",
            "请以 `multipart/form-data` 发送文件：`curl -F files=@notes.md`");
    /// No job of this name.
    NoJob { id: String } = NoJob
        ("no job `{id}`", "没有任务 `{id}`")
        hint ("jobs are forgotten when the server ends", "服务结束后，任务记录不再保留");
    /// No run of this name.
    NoRun { name: String } = NoRun
        ("no run `{name}`", "没有评测 `{name}`")
        hint ("`GET /api/v1/runs` lists the runs", "`GET /api/v1/runs` 列出了各次评测");
    /// The run has no report.
    NoReport { name: String } = NoReport
        ("no report of a run `{name}`", "没有评测 `{name}` 的报告")
        hint ("`GET /api/v1/runs` says which runs have one; run the evaluation again",
            "`GET /api/v1/runs` 说明了哪些评测有报告；请重新评测");
    /// Not a hash.
    BadHash { hash: String } = BadHash
        ("`{hash}` is not the hash of an image", "`{hash}` 不是图片的哈希")
        hint ("a hash has 32 hexadecimal digits", "哈希由 32 个十六进制数字组成");
    /// No such image.
    NoImage { hash: String } = NoImage
        ("no image `{hash}` in the index", "索引中没有图片 `{hash}`");
    /// No such page.
    NoPage { name: String, page: usize, pages: usize } = NoPage
        ("`{name}` has no page {page}; it has {pages}", "`{name}` 没有第 {page} 页，共 {pages} 页");
    /// Not a file with pages that can be drawn, or nothing that draws them.
    NoPictures { name: String } = NoPictures
        ("there are no pictures of the pages of `{name}`", "没有 `{name}` 各页的图像")
        hint ("only pages of PDF files are drawn, where the server was built for it; ask for the text",
            "只绘制 PDF 文件的页面，且服务须带有此功能；请改用文本");
    /// The file is not where it was.
    NoOriginal { name: String } = NoOriginal
        ("the file of `{name}` is no longer where it was indexed", "`{name}` 的文件已不在建立索引时的位置")
        hint ("ask for the text, or index the file again", "请改用文本，或重新索引该文件");
    /// The file is another.
    FileChanged { name: String } = FileChanged
        ("the file of `{name}` was changed after it was indexed", "`{name}` 的文件在建立索引后被修改过")
        hint ("ask for the text, or index the file again", "请改用文本，或重新索引该文件");
    /// A page that cannot be drawn.
    PageNotDrawn { name: String, page: usize, reason: PageFailure } = PageNotDrawn
        ("page {page} of `{name}` cannot be drawn: {reason}", "无法绘制 `{name}` 的第 {page} 页：{reason}")
        hint ("ask for the text", "请改用文本");
    /// A picture that is too narrow or too wide.
    BadWidth { width: u32, least: u32, most: u32 } = BadParameter
        ("invalid width {width}: expected {least} to {most} pixels", "宽度 {width} 无效：应为 {least} 至 {most} 像素");
    /// A chat without a question.
    NoUserMessage = NoQuestion
        ("there is no message of the user", "没有用户的消息")
        hint ("send a message with the role `user`", "请发送角色为 `user` 的消息");
    /// A question that is empty or too long.
    QuestionLength { most: usize } = NoQuestion
        ("expected a question of 1 to {most} characters", "问题应为 1 至 {most} 个字符");
    /// A range outside of the text.
    BadRange { document: String, characters: usize, start: usize, end: usize } = BadPlace
        ("{start} to {end} is not a range of `{document}`, which has {characters} characters",
            "{start} 至 {end} 不是 `{document}` 中的范围，该文档有 {characters} 个字符")
        hint ("send `start` and `end` of a context", "请发送某段上下文的 `start` 和 `end`");
    /// Too few or too many recipes to compare.
    RecipeCount { count: usize, most: usize } = BadOption
        ("{count} recipes cannot be compared; expected 2 to {most}", "无法比较 {count} 个方案，应为 2 至 {most} 个")
        hint ("send `\"recipes\": [\"chunks\", \"auto\"]`", "请发送 `\"recipes\": [\"chunks\", \"auto\"]`");
    /// Budgets of an evaluation.
    BadBudgets = BadOption
        ("expected 1 to 10 budgets, each above 0", "应有 1 至 10 个篇幅，均大于 0")
        hint ("send `\"budgets\": [500]`", "请发送 `\"budgets\": [500]`");
    /// Neither questions nor how many to make.
    NoQuestions { most: usize } = BadQuestionSet
        ("expected `questions`, or `make` from 1 to {most}", "应有 `questions`，或 1 至 {most} 的 `make`");
    /// The documents yield no question.
    NoQuestionsMade = BadQuestionSet
        ("no question could be made from these documents", "无法从这些文档生成问题")
        hint ("documents need headings, definitions, lists or figures for that; or send `questions`",
            "文档需要有标题、定义、列表或数字；也可以发送 `questions`");
}

okno_document::messages! {
    /// What is wrong with the name of an upload.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum NameFlaw {
        /// Nothing is left of it.
        Empty = "empty" => ("it is empty", "名称为空"),
        /// A dot in front.
        Hidden = "hidden" => ("it is hidden", "是隐藏文件名"),
        /// Longer than file systems allow.
        TooLong = "too_long" => ("it is too long", "名称太长"),
        /// Control characters, or those that file systems reserve.
        Characters = "characters" => ("it contains characters that file names cannot have", "包含文件名不能使用的字符"),
        /// `.`, `..` and the like.
        NotPlain = "not_plain" => ("it is not a plain file name", "不是普通文件名"),
    }
}
