//! Which part of the crate may use which: `lib` and `cli` use commands; commands use shared modules, not one another;
//! shared modules use no command and form no circle.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A source file: its path below `src`, and its text.
type SourceFile = (String, String);

#[test]
fn commands_use_shared_modules_and_nothing_uses_commands() {
    let files = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!(files.len() > 40 && files.iter().any(|(path, _)| path == "commands/search.rs"), "{files:#?}");
    assert_eq!(violations(&files), Vec::<String>::new());
}

#[test]
fn planted_violations_are_found() {
    let clean = [
        ("lib.rs", "use cli::Cli;\nfn run() { commands::search::run() }"),
        ("cli.rs", "use crate::commands::{ask, search};"),
        ("output/mod.rs", "use crate::locale::say; // not `crate::commands`"),
        ("locale.rs", "macro_rules! say { () => { $crate::locale::language() } }"),
        ("commands/search.rs", "use crate::output;\nuse crate::{\n    locale::say,\n    output::note,\n};"),
        ("commands/eval/judge.rs", "use super::bar;"),
    ];
    assert_eq!(violations(&files(&clean)), Vec::<String>::new());
    for (path, text, found) in [
        ("output/sides.rs", "use crate::commands::compare;", "output uses commands"),
        ("output/sides.rs", "fn f() { crate::{locale::say, cli::Cli}; }", "output uses cli"),
        ("commands/ask.rs", "use crate::{output, commands::search::query};", "commands/ask uses another command"),
        ("commands/ask.rs", "use super::search;", "commands/ask uses another command"),
        ("commands/eval/judge.rs", "use super::super::ask;", "commands/eval uses another command"),
        ("commands/eval/judge.rs", "use crate::cli::Cli;", "commands/eval uses cli"),
        ("locale.rs", "use crate::output::note;", "circle: locale → output → locale"),
    ] {
        let mut planted = files(&clean);
        planted.retain(|(known, _)| known != path);
        planted.push((path.to_owned(), text.to_owned()));
        let mut shown = violations(&planted);
        shown.retain(|violation| violation == found);
        assert_eq!(shown, [found], "{path}: {text}");
    }
}

fn files(files: &[(&str, &str)]) -> Vec<SourceFile> {
    files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

fn sources(folder: &Path) -> Vec<SourceFile> {
    fn collect(folder: &Path, below: &str, all: &mut Vec<SourceFile>) {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let (path, name) = (entry.path(), entry.file_name().into_string().unwrap());
            if path.is_dir() {
                collect(&path, &format!("{below}{name}/"), all);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                all.push((format!("{below}{name}"), std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    let mut all = Vec::new();
    collect(folder, "", &mut all);
    all
}

fn violations(files: &[SourceFile]) -> Vec<String> {
    let mut all = BTreeSet::new();
    let mut edges: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (path, text) in files {
        let module = path.trim_end_matches(".rs");
        let top = module.split('/').next().unwrap_or(module);
        let used = used(text);
        match top {
            "main" | "lib" | "cli" => {}
            "commands" => {
                let parts: Vec<&str> = module.split('/').collect();
                let name = format!("commands/{}", parts.get(1).copied().unwrap_or_default());
                let up = if parts.len() > 2 { "super::super::" } else { "super::" };
                if used.contains("commands") || code(text).contains(up) && parts.get(1) != Some(&"mod") {
                    all.insert(format!("{name} uses another command"));
                }
                if used.contains("cli") {
                    all.insert(format!("{name} uses cli"));
                }
            }
            _ => {
                for forbidden in ["commands", "cli"].into_iter().filter(|forbidden| used.contains(*forbidden)) {
                    all.insert(format!("{top} uses {forbidden}"));
                }
                let others = used.into_iter().filter(|other| other != top);
                edges.entry(top).or_default().extend(others);
            }
        }
    }
    for start in edges.keys() {
        if let Some(circle) = circle(start, &edges, &mut vec![(*start).to_owned()]) {
            all.insert(format!("circle: {}", circle.join(" → ")));
        }
    }
    all.into_iter().collect()
}

/// A way from the first module of `way` back to it.
fn circle(at: &str, uses: &BTreeMap<&str, BTreeSet<String>>, way: &mut Vec<String>) -> Option<Vec<String>> {
    for next in uses.get(at)? {
        if *next == way[0] {
            way.push(next.clone());
            return Some(way.clone());
        }
        if !way.contains(next) {
            way.push(next.clone());
            if let Some(found) = circle(next, uses, way) {
                return Some(found);
            }
            way.pop();
        }
    }
    None
}

/// A file without comments and without its unit tests.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The modules of this crate that a file names after `crate::`, also in braces.
fn used(text: &str) -> BTreeSet<String> {
    let text = code(text);
    let mut all = BTreeSet::new();
    for (at, marker) in text.match_indices("crate::") {
        let rest = &text[at + marker.len()..];
        let Some(group) = rest.strip_prefix('{') else {
            all.insert(identifier(rest));
            continue;
        };
        let (mut depth, mut first) = (1, true);
        for (at, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 1 => first = true,
                c if first && depth == 1 && !c.is_whitespace() => {
                    all.insert(identifier(&group[at..]));
                    first = false;
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    all
}

fn identifier(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}
