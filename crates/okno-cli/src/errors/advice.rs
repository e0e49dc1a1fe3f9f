//! Errors of models and of the server, with the flag or the command that helps.

use crate::locale::{Lang, language, say};
use okno_document::message::Message;

fn with_advice(error: &dyn Message, advice: Option<String>) -> String {
    let text = error.text(language());
    match (advice, language()) {
        (None, _) => text,
        (Some(advice), Lang::En) => format!("{text}; {advice}"),
        (Some(advice), Lang::Zh) => format!("{text}；{advice}"),
    }
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
            "set `OKNO_API_KEY` or `--api-key-file`, or stay on 127.0.0.1",
            "请设置 `OKNO_API_KEY` 或 `--api-key-file`，或只用 127.0.0.1"
        )),
        ServeError::ShortKey { .. } => {
            Some(say!("make one with `openssl rand -hex 16`", "可用 `openssl rand -hex 16` 生成"))
        }
        ServeError::Origin { .. } => Some(say!("correct `--cors`", "请更正 `--cors`")),
        _ => None,
    };
    with_advice(error, advice)
}
