//! The command tree with every text in Chinese.

use super::zh;
use clap::builder::PossibleValue;
use clap::{Arg, Command};

/// The command tree in Chinese.
pub fn chinese(mut command: Command) -> Command {
    // Adds the built-in flags and the command `help`, and gives global flags to every command.
    command.build();
    translated(command, "")
}

fn translated(command: Command, path: &str) -> Command {
    let described = described(path);
    let command = match zh::command(&described) {
        Some(about) => command.about(about),
        None => command,
    };
    let command = command.mut_args(|arg| argument(arg, &described));
    let command = command.mut_subcommands(|sub| {
        let path = format!("{path} {}", sub.get_name());
        translated(sub, path.trim_start())
    });
    let (template, usage) = (template(&command), usage(&command));
    command.help_template(template).override_usage(usage)
}

/// The path under which a command is described: `help index` as `index`, every `help` as the first one.
fn described(path: &str) -> String {
    if path.split(' ').next_back() == Some("help") {
        return "help".to_owned();
    }
    path.split(' ').filter(|name| *name != "help").collect::<Vec<_>>().join(" ")
}

/// An argument with its help and value names; what clap would add to them in English is part of the help.
fn argument(mut arg: Arg, path: &str) -> Arg {
    if let (true, Some(names)) = (arg.get_action().takes_values(), arg.get_value_names()) {
        let names: Vec<&'static str> = names.iter().map(|name| zh::value_name(name).unwrap_or("值")).collect();
        arg = arg.value_names(names);
    }
    let Some(help) = zh::argument(path, arg.get_id().as_str()) else { return arg };
    let short = help.split("\n\n").next().unwrap_or(help);
    let values = arg.get_possible_values();
    let id = arg.get_id().clone();
    let names: Vec<&str> = values.iter().map(PossibleValue::get_name).collect();
    let (mut short, mut long) = (short.to_owned(), help.to_owned());
    if arg.get_action().takes_values() {
        if !names.is_empty() {
            short += &format!(" [可选值：{}]", names.join("、"));
        }
        let notes = defaults(&arg);
        short += &notes;
        long += &notes;
        let lines: String = names
            .iter()
            .map(|name| format!("\n- {name}：{}", zh::possible_value(id.as_str(), name).unwrap_or_default()))
            .collect();
        if !lines.is_empty() {
            long += &format!("\n\n可选值：{lines}");
        }
    }
    if long != short || arg.get_long_help().is_some() {
        arg = arg.long_help(long);
    }
    arg.help(short).hide_possible_values(true).hide_default_value(true).hide_env(true)
}

/// Default value and environment variable, if there are any.
fn defaults(arg: &Arg) -> String {
    let mut notes = String::new();
    if let Some(variable) = arg.get_env() {
        let value = std::env::var_os(variable).unwrap_or_default();
        notes += &format!(" [环境变量：{}={}]", variable.to_string_lossy(), value.to_string_lossy());
    }
    let values: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    if !values.is_empty() {
        notes += &format!(" [默认值：{}]", values.join(","));
    }
    notes
}

fn template(command: &Command) -> String {
    let mut template = "{about-with-newline}\n用法：{usage}".to_owned();
    if command.has_subcommands() {
        template += "\n\n命令：\n{subcommands}";
    }
    if command.get_positionals().next().is_some() {
        template += "\n\n参数：\n{positionals}";
    }
    if command.get_opts().next().is_some() {
        template += "\n\n选项：\n{options}";
    }
    template
}

/// `okno search [选项] [问题]`.
pub fn usage(command: &Command) -> String {
    let mut parts = vec![command.get_bin_name().unwrap_or(command.get_name()).to_owned()];
    parts.push("[选项]".to_owned());
    let required = command.get_opts().filter(|arg| arg.is_required_set());
    parts.extend(required.chain(command.get_positionals()).map(ToString::to_string));
    if command.has_subcommands() {
        parts.push(if command.is_subcommand_required_set() { "<命令>" } else { "[命令]" }.to_owned());
    }
    parts.join(" ")
}
