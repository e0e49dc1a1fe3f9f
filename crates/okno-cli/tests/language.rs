//! Help and argument errors in the language of the run: by `--lang`, else by the locale.

mod support;

use support::{Ran, World};

/// The output of a command with this locale.
fn with_locale(world: &World, variable: &str, locale: &str, arguments: &[&str]) -> Ran {
    Ran::of(world.command().env(variable, locale).args(arguments))
}

#[test]
fn help_follows_the_flag_and_the_locale() {
    let world = World::new();
    let english = world.okno(["search", "--help"]).succeeds().out;
    assert!(english.contains("Usage: okno search") && english.contains("- section: Whole section"), "{english}");
    let chinese = world.okno(["search", "--help", "--lang", "zh"]).succeeds().out;
    for part in [
        "查找能回答问题的段落",
        "用法：okno search [选项] [问题]",
        "参数：",
        "选项：",
        "- dense：按语义",
        "[默认值：auto]",
    ] {
        assert!(chinese.contains(part), "no {part}:\n{chinese}");
    }
    for (variable, locale) in [("LC_ALL", "zh_CN.UTF-8"), ("LC_MESSAGES", "zh_TW.UTF-8"), ("LANG", "zh_CN")] {
        assert_eq!(with_locale(&world, variable, locale, &["search", "--help"]).succeeds().out, chinese, "{variable}");
    }
    assert_eq!(with_locale(&world, "LC_ALL", "zh_CN", &["--lang=en", "search", "--help"]).succeeds().out, english);
    let short = world.okno(["--lang", "zh", "-h"]).succeeds().out;
    assert!(short.contains("命令：\n  index") && short.contains("显示本帮助"), "{short}");
    assert_eq!(
        world.okno(["--lang", "zh", "help"]).succeeds().out,
        world.okno(["--lang", "zh", "--help"]).succeeds().out
    );
    let nested = world.okno(["help", "models", "add", "--lang", "zh"]).status;
    assert!(nested.success() || nested.code() == Some(2), "`help` takes no flags");
    assert!(world.okno(["--lang", "zh"]).ends_with(2).err.contains("用法：okno [选项] <命令>"));
    assert_eq!(world.okno(["--lang", "zh", "--version"]).succeeds().out, world.okno(["--version"]).succeeds().out);
}

#[test]
fn argument_errors_follow_the_language_and_end_with_2() {
    let world = World::new();
    let english = world.okno(["search", "x", "--budget", "abc"]).ends_with(2).err;
    assert!(
        english.starts_with(
            "error: invalid value 'abc' for '--budget <SIZE>': expected a number of tokens (`500`) or characters \
             (`2000c`)\n"
        ),
        "{english}"
    );
    let chinese = world.okno(["search", "x", "--budget", "abc", "--lang", "zh"]).ends_with(2).err;
    assert_eq!(
        chinese,
        "错误：`--budget <大小>` 的值 `abc` 无效：应为词元数（`500`）或字符数（`2000c`）\n\n\
         用法：okno search [选项] [问题]\n\n更多信息请使用 `--help`。\n"
    );
    // After `--` it is a question, not a flag.
    assert!(world.okno(["search", "--bugdet", "--", "--lang", "zh"]).ends_with(2).err.contains("unexpected argument"));
    for (language, says) in [("en", "both name an index"), ("zh", "都指定了索引")] {
        let two = ["--lang", language, "status", "--index", "a", "--store", "milvus://h/b"];
        world.okno(two).ends_with(2).says(&[says]);
        world.okno(["--lang", language, "status", "--index", "a", "--index", "b"]).ends_with(2).says(&["`mcp`"]);
    }
}
