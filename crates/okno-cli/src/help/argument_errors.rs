//! Errors of the command line in Chinese, from their kind and context.

use super::translate::usage;
use clap::Command;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use std::error::Error as _;
use std::ffi::OsString;

/// The error with what might have been meant, and how the command is used.
pub fn chinese(command: &Command, arguments: &[OsString], error: &Error) -> String {
    let mut message = message(error);
    for suggestion in suggestions(error) {
        message += &format!("\n\n  提示：{suggestion}");
    }
    with_usage(&message, command, arguments)
}

/// A message about the arguments, followed by how the command is used.
pub fn with_usage(message: &str, command: &Command, arguments: &[OsString]) -> String {
    let usage = usage(named(command, arguments));
    format!("错误：{message}\n\n用法：{usage}\n\n更多信息请使用 `--help`。\n")
}

fn message(error: &Error) -> String {
    let argument = text(error, ContextKind::InvalidArg);
    let value = text(error, ContextKind::InvalidValue);
    match error.kind() {
        ErrorKind::InvalidValue if value.is_empty() => format!("`{argument}` 需要一个值，但没有给出{}", valid(error)),
        ErrorKind::InvalidValue => format!("`{argument}` 的值 `{value}` 无效{}", valid(error)),
        ErrorKind::ValueValidation => {
            let reason = error.source().map(|source| format!("：{source}")).unwrap_or_default();
            format!("`{argument}` 的值 `{value}` 无效{reason}")
        }
        ErrorKind::UnknownArgument => format!("未知的参数 `{argument}`"),
        ErrorKind::InvalidSubcommand => format!("未知的命令 `{}`", text(error, ContextKind::InvalidSubcommand)),
        ErrorKind::MissingSubcommand => {
            let commands = list(error, ContextKind::ValidSubcommand).join("、");
            format!("`{}` 缺少命令 [命令：{commands}]", text(error, ContextKind::InvalidSubcommand))
        }
        ErrorKind::NoEquals => format!("`{argument}` 的值应写在等号之后"),
        ErrorKind::TooManyValues => format!("`{argument}` 不接受值 `{value}`"),
        ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues => wrong_number(error, &argument),
        ErrorKind::ArgumentConflict => conflict(error, &argument),
        ErrorKind::MissingRequiredArgument => {
            let missing: Vec<String> = list(error, ContextKind::InvalidArg);
            format!("缺少必需的参数：`{}`", missing.join("`、`"))
        }
        ErrorKind::InvalidUtf8 => "参数不是有效的 UTF-8 文本".to_owned(),
        _ => "无法读取命令行".to_owned(),
    }
}

fn wrong_number(error: &Error, argument: &str) -> String {
    let expected = [ContextKind::MinValues, ContextKind::ExpectedNumValues].map(|kind| text(error, kind)).concat();
    format!("`{argument}` 需要 {expected} 个值，但给出了 {} 个", text(error, ContextKind::ActualNumValues))
}

fn conflict(error: &Error, argument: &str) -> String {
    let others = list(error, ContextKind::PriorArg);
    if others.is_empty() {
        return format!("`{argument}` 不能与同时给出的其他参数一起使用");
    }
    if others.iter().all(|other| other == argument) {
        return format!("`{argument}` 只能给出一次");
    }
    format!("`{argument}` 不能与 `{}` 一起使用", others.join("`、`"))
}

/// ` [可选值：…]`, if there is a list of them.
fn valid(error: &Error) -> String {
    let valid = list(error, ContextKind::ValidValue);
    if valid.is_empty() { String::new() } else { format!(" [可选值：{}]", valid.join("、")) }
}

/// What might have been meant.
fn suggestions(error: &Error) -> Vec<String> {
    let kinds = [ContextKind::SuggestedArg, ContextKind::SuggestedValue, ContextKind::SuggestedSubcommand];
    let mut tips: Vec<String> = Vec::new();
    for name in kinds.into_iter().flat_map(|kind| list(error, kind)) {
        tips.push(format!("是否想用 `{name}`？"));
    }
    let unknown = text(error, ContextKind::InvalidArg);
    if error.kind() == ErrorKind::UnknownArgument && unknown.starts_with('-') && tips.is_empty() {
        tips.push(format!("若 `{unknown}` 是普通文本，请写成 `-- {unknown}`"));
    }
    tips
}

fn text(error: &Error, kind: ContextKind) -> String {
    list(error, kind).join(", ")
}

fn list(error: &Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        Some(ContextValue::Number(number)) => vec![number.to_string()],
        _ => Vec::new(),
    }
}

/// The command that the arguments name, as far as they can be followed.
fn named<'a>(mut command: &'a Command, arguments: &[OsString]) -> &'a Command {
    let mut words = arguments.iter().skip(1).map(|word| word.to_string_lossy());
    while let Some(word) = words.next() {
        if word.starts_with('-') {
            let takes_next = command.get_opts().any(|arg| {
                arg.get_action().takes_values() && arg.get_long().is_some_and(|long| word == format!("--{long}"))
            });
            if takes_next {
                words.next();
            }
        } else if let Some(sub) = command.find_subcommand(&*word) {
            command = sub;
        } else {
            break;
        }
    }
    command
}
