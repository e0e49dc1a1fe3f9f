//! Everything the command line says exists in Chinese.

use super::Cli;
use crate::help::tests::{
    ARGUMENTS, COMMANDS, POSSIBLE_VALUES, VALUE_NAMES, chinese_error as error_in_chinese, chinese_help,
};
use crate::locale::{self, Lang};
use clap::builder::PossibleValue;
use clap::error::ErrorKind;
use clap::{Arg, Command, CommandFactory};
use std::collections::BTreeSet;
use std::ffi::OsString;

/// Each command with its path below `okno`. There is one `help` for all: it repeats the other commands.
fn each(command: &Command, path: &str, visit: &mut dyn FnMut(&str, &Command)) {
    visit(path, command);
    for sub in command.get_subcommands().filter(|_| path != "help") {
        let below = format!("{path} {}", sub.get_name());
        each(sub, if sub.get_name() == "help" { "help" } else { below.trim_start() }, visit);
    }
}

fn english() -> Command {
    let mut command = Cli::command();
    command.build();
    command
}

/// Arguments that a person sees.
fn arguments(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|arg| !arg.is_hide_set())
}

#[test]
fn every_text_of_the_help_is_in_the_table() {
    let mut missing = Vec::new();
    each(&english(), "", &mut |path, command| {
        if !COMMANDS.iter().any(|(known, _)| *known == path) {
            missing.push(format!("command `{path}`"));
        }
        for arg in arguments(command) {
            let id = arg.get_id().as_str();
            let entries = ARGUMENTS.iter().filter(|(paths, known, _)| *known == id && covers(paths, path)).count();
            if entries != 1 {
                missing.push(format!("`{path}`: argument `{id}` has {entries} entries"));
            }
            if !arg.get_action().takes_values() {
                continue;
            }
            for value in arg.get_possible_values() {
                if !POSSIBLE_VALUES.iter().any(|(of, known, _)| *of == id && *known == value.get_name()) {
                    missing.push(format!("`{path}`: value `{}` of `{id}`", value.get_name()));
                }
            }
            for name in arg.get_value_names().unwrap_or_default() {
                if !VALUE_NAMES.iter().any(|(known, _)| known == name) {
                    missing.push(format!("`{path}`: value name `{name}` of `{id}`"));
                }
            }
        }
    });
    assert_eq!(missing, Vec::<String>::new());
}

fn covers(paths: &[&str], path: &str) -> bool {
    paths.is_empty() || paths.contains(&path)
}

#[test]
fn every_entry_of_the_table_names_something() {
    let (mut commands, mut ids, mut values, mut names) =
        (BTreeSet::new(), BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    each(&english(), "", &mut |path, command| {
        commands.insert(path.to_owned());
        for arg in arguments(command) {
            let id = arg.get_id().to_string();
            ids.insert((path.to_owned(), id.clone()));
            if !arg.get_action().takes_values() {
                continue;
            }
            values.extend(arg.get_possible_values().iter().map(|value| (id.clone(), value.get_name().to_owned())));
            names.extend(arg.get_value_names().unwrap_or_default().iter().map(ToString::to_string));
        }
    });
    // A build without some features lacks their commands; the whole table is checked with all of them.
    if cfg!(not(all(feature = "sql", feature = "models", feature = "serve"))) {
        return;
    }
    let unknown = COMMANDS.iter().filter(|(path, _)| !commands.contains(*path)).map(|(path, _)| (*path).to_owned());
    let mut unknown: Vec<String> = unknown.collect();
    for (paths, id, _) in ARGUMENTS {
        let exists = |path: &str| ids.contains(&(path.to_owned(), (*id).to_owned()));
        if paths.is_empty() && !exists("") {
            unknown.push(format!("argument `{id}`"));
        }
        unknown.extend(paths.iter().filter(|path| !exists(path)).map(|path| format!("`{path}`: argument `{id}`")));
    }
    let of_value = POSSIBLE_VALUES.iter().map(|(id, value, _)| ((*id).to_owned(), (*value).to_owned()));
    unknown.extend(of_value.filter(|value| !values.contains(value)).map(|(id, value)| format!("{id} {value}")));
    unknown.extend(VALUE_NAMES.iter().filter(|(name, _)| !names.contains(*name)).map(|(name, _)| (*name).to_owned()));
    assert_eq!(unknown, Vec::<String>::new());
}

/// Words in a row, outside of backticks and brackets, that are neither flags nor commands: `a`, `b`, `c` of "a b c".
fn english_sentence(text: &str, commands: &BTreeSet<String>) -> Option<String> {
    let quoted = text.split('`').enumerate().filter(|(at, _)| at % 2 == 0).map(|(_, part)| part);
    let text = quoted.collect::<Vec<_>>().join(" ` ");
    let mut row: Vec<&str> = Vec::new();
    for word in text.split_whitespace().chain(["-"]) {
        let plain = word.trim_end_matches(['.', ',', ':', ';']);
        let is_word = !plain.is_empty() && plain.chars().all(|c| c.is_ascii_alphabetic() || c == '\'');
        // `JSON` and `SELECT` are names.
        let is_word = is_word && plain.chars().any(|c| c.is_ascii_lowercase());
        if is_word && !commands.contains(plain) {
            row.push(word);
        } else if row.len() > 1 {
            return Some(row.join(" "));
        } else {
            row.clear();
        }
    }
    None
}

fn command_names() -> BTreeSet<String> {
    let mut names = BTreeSet::from(["okno".to_owned()]);
    each(&english(), "", &mut |_, command| {
        names.insert(command.get_name().to_owned());
    });
    names
}

#[test]
fn chinese_help_has_no_english_sentence() {
    let (mut found, names) = (Vec::new(), command_names());
    each(&chinese_help(Cli::command()), "", &mut |path, command| {
        let mut command = command.clone();
        for help in [command.render_help().to_string(), command.render_long_help().to_string()] {
            if let Some(english) = english_sentence(&help, &names) {
                found.push(format!("`{path}`: {english}"));
            }
            for heading in ["Usage", "Options", "Commands", "Arguments", "possible values", "default:", "env:"] {
                if help.contains(heading) {
                    found.push(format!("`{path}`: {heading}"));
                }
            }
        }
    });
    assert_eq!(found, Vec::<String>::new());
}

/// A command line for each kind of error, with words that its Chinese message must have.
const MISTAKES: &[(&[&str], ErrorKind, &[&str])] = &[
    (
        &["search", "x", "--order", "best"],
        ErrorKind::InvalidValue,
        &["--order <顺序>", "best", "score、document、ends"],
    ),
    (&["search", "x", "--order", "scor"], ErrorKind::InvalidValue, &["是否想用 `score`"]),
    (&["search", "x", "--budget"], ErrorKind::InvalidValue, &["--budget <大小>", "需要一个值"]),
    (
        &["search", "x", "--bugdet", "5"],
        ErrorKind::UnknownArgument,
        &["--bugdet", "是否想用 `--budget`", "okno search"],
    ),
    (&["status", "-z"], ErrorKind::UnknownArgument, &["-z", "-- -z"]),
    (&["serach", "x"], ErrorKind::InvalidSubcommand, &["serach", "是否想用 `search`"]),
    (&["questions"], ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand, &[]),
    (&["search", "x", "--budget", "abc"], ErrorKind::ValueValidation, &["abc", "应为词元数（`500`）"]),
    (&["search", "x", "-k", "many"], ErrorKind::ValueValidation, &["many", "应为整数"]),
    (&["search", "x", "--window", "4294967296"], ErrorKind::ValueValidation, &["4294967295"]),
    (&["search", "x", "--diversity", "2"], ErrorKind::ValueValidation, &["0 到 1"]),
    (&["index", "--size", "big"], ErrorKind::ValueValidation, &["big", "`512t`"]),
    (&["index", "--max-file-size", "big"], ErrorKind::ValueValidation, &["`64MB`"]),
    (&["eval", "set", "--budget", "0"], ErrorKind::ValueValidation, &["词元数"]),
    (&["status", "--json=yes"], ErrorKind::TooManyValues, &["--json", "yes"]),
    (&["search", "x", "--window", "1", "--expand", "auto"], ErrorKind::ArgumentConflict, &["--window", "--expand"]),
    (&["search", "x", "-k", "1", "-k", "2"], ErrorKind::ArgumentConflict, &["只能给出一次"]),
    (&["search", "x", "--queries", "f"], ErrorKind::ArgumentConflict, &["--queries", "问题"]),
    (&["search"], ErrorKind::MissingRequiredArgument, &["<问题>"]),
    (&["copy", "--from", "a"], ErrorKind::MissingRequiredArgument, &["--to <目录|地址>"]),
    (&["--lang", "fr", "status"], ErrorKind::InvalidValue, &["--lang <语言>", "en、zh"]),
];

#[test]
fn errors_of_the_command_line_are_in_chinese() {
    // Values are read in the language of the run; no other test of this program depends on it.
    locale::choose(Some(Lang::Zh));
    let (command, names) = (chinese_help(Cli::command()), command_names());
    for (words, kind, has) in MISTAKES {
        let line: Vec<OsString> = ["okno"].iter().chain(*words).map(OsString::from).collect();
        let error = command.clone().try_get_matches_from(&line).expect_err(&words.join(" "));
        assert_eq!(error.kind(), *kind, "{words:?}");
        let text = match error.kind() {
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => error.to_string(),
            _ => error_in_chinese(&command, &line, &error),
        };
        let lacking: Vec<_> = has.iter().filter(|part| !text.contains(**part)).collect();
        assert!(lacking.is_empty(), "{words:?} lacks {lacking:?}:\n{text}");
        assert_eq!(english_sentence(&text, &names), None, "{words:?}:\n{text}");
        assert!(text.contains("用法：okno"), "{words:?}:\n{text}");
    }
}

#[test]
fn possible_values_explain_themselves_in_english() {
    each(&english(), "", &mut |path, command| {
        for arg in arguments(command).filter(|arg| arg.get_action().takes_values()) {
            let values = arg.get_possible_values();
            let silent: Vec<&str> =
                values.iter().filter(|value| value.get_help().is_none()).map(PossibleValue::get_name).collect();
            assert!(silent.is_empty(), "`{path}`: {} {silent:?}", arg.get_id());
        }
    });
}
