//! Errors of the libraries, with the flag, the command or the variable that helps: the libraries name none.

use crate::locale::{Lang, language, say};
use okno::error::{BackupError, OptionsError, RemoteError};
use okno::fetch::FetchError;
use okno::generate::GenerateError;
#[cfg(feature = "sql")]
use okno::load::FileKind;
use okno::load::SkipReason;
use okno::message::Message;
use okno::{Error, SkippedReason};
use okno_evaluate::Error as EvaluationError;

fn with_advice(error: &dyn Message, advice: Option<String>) -> String {
    let text = error.text(language());
    match (advice, language()) {
        (None, _) => text,
        (Some(advice), Lang::En) => format!("{text}; {advice}"),
        (Some(advice), Lang::Zh) => format!("{text}；{advice}"),
    }
}

/// An error of the engine.
pub fn of_engine(error: &Error) -> String {
    with_advice(error, for_engine(error))
}

fn for_engine(error: &Error) -> Option<String> {
    Some(match error {
        Error::NoIndex(_) => say!("make one with `okno index PATH`", "先运行 `okno index 路径` 建立索引"),
        Error::NotAnIndex(_) => say!("or another `--index`", "或用 `--index` 指定别处"),
        Error::FolderInUse(_) => say!("name it with `--index`", "用 `--index` 指定"),
        Error::Backup { reason: BackupError::SourceDamaged { .. }, .. } => {
            say!("`okno check --repair` repairs it", "可用 `okno check --repair` 修复")
        }
        Error::Embedder { .. } => say!("`okno reembed` makes them anew", "`okno reembed` 可重建向量"),
        Error::UnknownField { .. } => say!("`okno status` lists the fields", "`okno status` 列出所有字段"),
        Error::NoUnits(_) => say!("`okno import-units FILE` adds them", "用 `okno import-units 文件` 添加"),
        Error::Lexical { .. } => say!("run `okno index`", "请运行 `okno index`"),
        Error::NoDocument(_) => say!("`okno documents` lists them", "`okno documents` 列出所有文档"),
        Error::Options(OptionsError::Fields(_)) => say!("check `--jsonl-fields`", "请检查 `--jsonl-fields`"),
        Error::Generate(GenerateError::Busy { .. }) => {
            say!("lower `model.concurrency`", "可减小 `model.concurrency`")
        }
        Error::Generate(GenerateError::TooLong { .. }) => say!("lower `--budget`", "请减小 `--budget`"),
        Error::Remote { place, reason: RemoteError::KeyRefused { .. } } if place.starts_with("milvus://") => {
            say!("set OKNO_MILVUS_TOKEN to `user:password` or a key", "请将 OKNO_MILVUS_TOKEN 设为 `用户:密码` 或密钥")
        }
        Error::Remote { reason: RemoteError::KeyRefused { .. }, .. } => say!(
            "set OKNO_OPENSEARCH_USER and OKNO_OPENSEARCH_PASSWORD, or OKNO_OPENSEARCH_API_KEY",
            "请设置 OKNO_OPENSEARCH_USER 和 OKNO_OPENSEARCH_PASSWORD，或 OKNO_OPENSEARCH_API_KEY"
        ),
        _ => return None,
    })
}

/// An error of an evaluation.
pub fn of_evaluation(error: &EvaluationError) -> String {
    let advice = match error {
        EvaluationError::Engine(error) => for_engine(error),
        EvaluationError::RunExists { name } => Some(say!(
            "`--name` names a run, `okno runs remove {}` removes this one",
            "`--name` 指定名称，`okno runs remove {}` 删除已有的",
            name
        )),
        EvaluationError::TooManyRuns { .. } => {
            Some(say!("`okno runs remove NAME` removes one", "用 `okno runs remove 名称` 删除"))
        }
        EvaluationError::FewQuestions { .. } => Some(say!(
            "`okno questions make` makes some from your documents",
            "`okno questions make` 可从你的文档生成一些"
        )),
        EvaluationError::NotAdded { .. } => Some(say!("`--recipe-name` names it", "用 `--recipe-name` 指定名称")),
        _ => None,
    };
    with_advice(error, advice)
}

/// Why something was skipped.
pub fn of_skipped(reason: &SkippedReason) -> String {
    let advice = match reason {
        SkippedReason::Load(reason) => return of_file(reason),
        SkippedReason::Fetch(FetchError::Private { .. }) => {
            Some(say!("`--allow-private` allows it", "用 `--allow-private` 允许"))
        }
        SkippedReason::Gone => Some(say!("`okno remove --root` takes them out", "`okno remove --root` 可将其移除")),
        _ => None,
    };
    with_advice(reason, advice)
}

/// Why a file, or a part of one, was skipped.
pub fn of_file(reason: &SkipReason) -> String {
    let advice = match reason {
        SkipReason::TooLarge { .. } => Some(say!("`--max-file-size` raises it", "可用 `--max-file-size` 提高上限")),
        SkipReason::NoTextLayer { .. } => Some(say!(
            "add the OCR models (`pip download --no-deps rapidocr`, then `okno models add rapidocr \
             rapidocr-*.whl`), or run `ocrmypdf` over it",
            "请添加文字识别模型（先 `pip download --no-deps rapidocr`，再 `okno models add rapidocr \
             rapidocr-*.whl`），或先用 `ocrmypdf` 处理"
        )),
        #[cfg(feature = "sql")]
        SkipReason::Unsupported { kind: FileKind::Sqlite, .. } => Some(say!(
            "index the rows of a table with `okno index FILE --table NAME`",
            "可用 `okno index 文件 --table 表名` 索引表中的行"
        )),
        SkipReason::NoTextField { .. } => {
            Some(say!("name it with `--jsonl-fields text=…`", "请用 `--jsonl-fields text=…` 指定"))
        }
        _ => None,
    };
    with_advice(reason, advice)
}

/// An error about models.
#[cfg(feature = "models")]
pub fn of_models(error: &okno_models::Error) -> String {
    use okno_models::{Error, PackageFlaw};
    let advice = match error {
        Error::Unknown { .. } => Some(say!(
            "add your own weights with `okno models add NAME PATH`",
            "自己的权重用 `okno models add 名称 路径` 加入"
        )),
        Error::Missing { name, .. } => Some(say!(
            "`okno models pull {}` downloads them; offline, use `okno models add {} PACKAGE`",
            "用 `okno models pull {}` 下载；离线时用 `okno models add {} 安装包`",
            name,
            name
        )),
        Error::Kind { .. } => Some(say!("`okno models list` shows the kinds", "`okno models list` 列出种类")),
        Error::Package { flaw: PackageFlaw::SeveralWeights { .. }, .. } => {
            Some(say!("choose one with `--file`", "用 `--file` 选择其一"))
        }
        Error::Hub { name, .. } => {
            Some(say!("use `okno models add {} PACKAGE`", "用 `okno models add {} 安装包`", name))
        }
        Error::Weights { .. } => {
            Some(say!("add other weights with `okno models add`", "用 `okno models add` 加入其他权重"))
        }
        _ => None,
    };
    with_advice(error, advice)
}

/// Why the server did not run.
#[cfg(feature = "serve")]
pub fn of_server(error: &okno_server::ServeError) -> String {
    use okno_server::ServeError;
    let advice = match error {
        ServeError::PortInUse { port } => {
            let next = port.checked_add(1).unwrap_or(0);
            Some(say!("try `--port {}`", "可改用 `--port {}`", next))
        }
        ServeError::Listen { .. } => {
            Some(say!("choose another `--host` or `--port`", "请换用其他 `--host` 或 `--port`"))
        }
        ServeError::NoKey { .. } => Some(say!(
            "make one with `okno keys make`, set `OKNO_API_KEY` or `--api-key-file`, or stay on 127.0.0.1",
            "可用 `okno keys make` 生成，或设置 `OKNO_API_KEY`、`--api-key-file`，或只用 127.0.0.1"
        )),
        ServeError::ShortKey { .. } => {
            Some(say!("make one with `openssl rand -hex 16`", "可用 `openssl rand -hex 16` 生成"))
        }
        ServeError::Origin { .. } => Some(say!("correct `--cors`", "请更正 `--cors`")),
        _ => None,
    };
    with_advice(error, advice)
}
