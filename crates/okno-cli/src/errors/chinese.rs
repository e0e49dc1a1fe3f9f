//! Errors of the libraries in Chinese.

use crate::locale::{Lang, language};
use okno::message::Message;
use okno::reasons::in_chinese;

/// A reason in the language of this run.
pub fn reason(reason: &str) -> String {
    match language() {
        Lang::En => reason.to_owned(),
        Lang::Zh => in_chinese(reason),
    }
}

/// An error in the language of this run.
pub fn error(error: &okno::Error) -> String {
    match language() {
        Lang::En => error.to_string(),
        Lang::Zh => chinese(error),
    }
}

/// An error of an evaluation in the language of this run.
pub fn evaluation(failed: &okno_evaluate::Error) -> String {
    use okno_evaluate::Error::{Engine, QuestionSet};
    match (language(), failed) {
        (_, Engine(engine)) => error(engine),
        (Lang::En, other) => other.to_string(),
        (Lang::Zh, QuestionSet { path, faults }) => {
            let lines: Vec<String> = faults
                .iter()
                .take(20)
                .map(|f| format!("\n  第 {} 行,字段 `{}`:{}", f.line, f.field, in_chinese(&f.reason)))
                .collect();
            let more =
                if faults.len() > 20 { format!("\n  …… 还有 {} 处", faults.len() - 20) } else { String::new() };
            format!("“{}” 有误,没有运行,也没有改动任何内容 —— 请修正这些行:{}{more}", path.display(), lines.concat())
        }
        (Lang::Zh, other) => in_chinese(&other.to_string()),
    }
}

fn chinese(error: &okno::Error) -> String {
    use okno::Error::{
        AlreadyOpen, Config, Damaged, Embedder, Embedding, Filter, Format, KeyValue, Layer, Lexical, Locked,
        NoDocument, NoIndex, NoRoot, NoUnits, NotAnIndex, Options, Recipe, Request, Reranking, Stopped, UnknownField,
        Unreadable,
    };
    match error {
        NoIndex(path) => format!("“{}” 里没有索引 —— 先运行 `okno index 路径` 建立索引", path.display()),
        Locked(path) => format!("另一个进程正在写入索引 “{}” —— 搜索不受影响;等它结束后再试", path.display()),
        AlreadyOpen(path) => format!("索引 “{}” 已在本进程中打开", path.display()),
        NotAnIndex(path) => {
            format!("“{}” 是文件,或里面有别的文件,不是索引 —— 换一个空文件夹,或用 `--index` 指定别处", path.display())
        }
        Format { path, found, expected } => format!(
            "索引 “{}” 的格式是 {found},本程序只读格式 {expected} —— 请在新文件夹里重新建立索引",
            path.display()
        ),
        Embedder { path, index, given } => format!(
            "索引 “{}” 用的嵌入模型是 `{index}`,不是 `{given}` —— 用 `{index}` 打开,或用 `okno reembed` 重建向量",
            path.display()
        ),
        Damaged { path, what } => format!("索引 “{}” 已损坏({what})—— 删除该文件夹后重新建立索引", path.display()),
        Filter(error) => format!(
            "过滤条件 `{}` 第 {} 个字符处有误:{} —— 正确的例子:`category = 素菜 and year >= 2023`",
            error.pointer().line,
            error.at + 1,
            chinese_fault(&error.fault)
        ),
        UnknownField { field, known } => {
            format!("没有文档有字段 `{field}`;相近的字段:`{}` —— `okno status` 列出所有字段", known.join("`、`"))
        }
        Config { place, reason } => format!("配置有误 {place}:{}", in_chinese(reason)),
        Layer(error) => chinese_layer(error),
        Request(error) => error.text(Lang::Zh),
        NoUnits(layers) => format!("这个索引里没有 `{layers}` 层的单元 —— 用 `okno import-units 文件` 添加"),
        Recipe(reason) => format!("方案有误:{}", in_chinese(reason)),
        Options(reason) => format!("选项有误:{}", in_chinese(reason)),
        NoRoot { root, known } => format!("“{root}” 没有被索引过;已索引的有:`{}`", known.join("`、`")),
        NoDocument(name) => format!("索引里没有文档 `{name}` —— `okno documents` 列出所有文档"),
        Unreadable { path, reason } => {
            format!("无法读取 “{}”:{} —— 请检查它是否存在、是否可读", path.display(), in_chinese(reason))
        }
        Reranking { name, reason } => format!("重排模型 `{name}` 出错:{reason}"),
        Stopped => "已停止".to_owned(),
        Embedding { name, reason } => format!("嵌入模型 `{name}` 出错:{reason}"),
        KeyValue { path, source } => {
            format!("写入或读取 “{}” 时出错:{source} —— 请检查磁盘空间和权限;已提交的内容不会丢失", path.display())
        }
        Lexical { path, source } => format!(
            "全文索引 “{}” 出错:{source} —— 请检查磁盘空间,然后运行 `okno index`:损坏的全文索引会由已存的文档重建",
            path.display()
        ),
        okno::Error::Generate(error) => chinese_generate(error),
        okno::Error::Remote { place, reason } => format!("索引 “{place}”:{}", chinese_remote(reason)),
        other => other.to_string(),
    }
}

/// What is wrong with the name of a layer.
pub fn chinese_layer(error: &okno::document::LayerError) -> String {
    use okno::document::LayerError::{NoSentences, Overlap, Unknown, Zero};
    match error {
        Unknown(name) => format!(
            "`{name}` 不是层 —— 可用的有 `sentence`、`sentences:3`、`window:2`、`paragraph`、`section`、\
             `chunk:400c/200c`、`chunk:512t`、`summary`、`question`、`table`、`image`、`context`"
        ),
        Overlap { size, overlap } => {
            format!("分块的重叠 {overlap} 必须小于大小 {size} —— 可以试试 {}", size / 2)
        }
        Zero => "分块大小为 0 什么也装不下 —— 可以试试 `chunk:400c`".to_owned(),
        NoSentences => "每组 0 个句子什么也装不下 —— 可以试试 `sentences:3`".to_owned(),
    }
}

fn chinese_generate(error: &okno::generate::GenerateError) -> String {
    use okno::generate::GenerateError::{Away, Busy, Garbled, Refused, Stopped, TooLong};
    match error {
        Away { model, reason } => format!("无法连接 {model}:{reason}"),
        Busy { model, reason, .. } => format!("{model} 繁忙({reason})—— 请稍后再试,或减小 `model.concurrency`"),
        Refused { model, reason } => format!("{model} 拒绝了请求:{reason}"),
        TooLong { model, reason } => format!("提示超过了 {model} 能读取的长度({reason})—— 请减小 --budget"),
        Garbled { model, reason } => format!("{model} 的回答无法读取:{reason}"),
        Stopped => "已停止".to_owned(),
        other => other.to_string(),
    }
}

fn chinese_fault(fault: &okno::document::FilterFault) -> String {
    use okno::document::FilterFault::{Deep, Field, List, Operator, Rest, Unclosed, Value};
    match fault {
        Field => "缺少字段名".to_owned(),
        Operator => "缺少运算符,例如 `=`、`!=`、`<=`、`in`、`contains`、`exists`".to_owned(),
        Value => "缺少值".to_owned(),
        List => "`in` 后面缺少 `[`".to_owned(),
        Unclosed(close) => format!("缺少 `{close}`"),
        Deep(most) => format!("嵌套超过 {most} 层"),
        Rest => "这里应当是 `and`、`or` 或结尾".to_owned(),
        other => other.to_string(),
    }
}

/// English and Chinese beginnings of what a server's errors say; the rest is the server's own words.
const REASONS: [(&str, &str); 4] = [
    (
        "no answer from the server",
        "服务器没有应答 —— 请检查那里的 Milvus 是否在运行、能否连上,然后再运行一次;已提交的内容不会丢失",
    ),
    ("the server is Milvus", "服务器的 Milvus 版本太旧,没有全文检索所需的稀疏向量 —— 请使用 2.4 或更新的版本"),
    ("the server refuses the key", "服务器拒绝了密钥 —— 请设置 OKNO_MILVUS_TOKEN 为 `用户:密码` 或密钥"),
    ("it is damaged", "索引已损坏 —— 请删除它的集合,然后重新建立索引"),
];

/// A reason in Chinese, with the original behind it.
fn chinese_remote(reason: &str) -> String {
    let known = REASONS.iter().find(|(english, _)| reason.starts_with(english));
    known.map_or_else(|| reason.to_owned(), |(_, chinese)| format!("{chinese}({reason})"))
}
