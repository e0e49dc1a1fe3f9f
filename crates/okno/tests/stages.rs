//! The order of the house: a stage knows the stages before it, and in most places modules form no circles.
//!
//! Reads the sources themselves. Test code may use anything.

use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The stages of the engine in the order data flows. Each may use those above it and the crates `okno-document` and
/// `okno-load`. `shapes` is how results leave the process, so it comes last.
const STAGES: [&str; 19] = [
    "document",
    "load",
    "packed",
    "embed",
    "text",
    "split",
    "rules",
    "generate",
    "error",
    "deadline",
    "parallel",
    "enrich",
    "store",
    "understand",
    "retrieve",
    "answer",
    "fetch",
    "config",
    "engine",
];

const LAST: &str = "shapes";

/// A module by its path below `src`, and the modules of the same crate that its code names.
type Uses = BTreeMap<Vec<String>, BTreeSet<Vec<String>>>;

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            out.push(path);
        }
    }
}

/// The path of a file's module; `None` for test code.
fn module(source: &Path, root: &Path) -> Option<Vec<String>> {
    let mut parts: Vec<String> = source
        .strip_prefix(root)
        .unwrap()
        .with_extension("")
        .iter()
        .map(|part| part.to_str().unwrap().to_owned())
        .collect();
    if parts.iter().any(|part| part == "tests" || part == "contract") {
        return None;
    }
    if parts.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        parts.pop();
    }
    Some(parts)
}

/// The code of a file without comments and without what is compiled for tests alone.
fn code(text: &str) -> String {
    let inner = |at: &usize| text[*at..].lines().nth(1).is_some_and(|line| line.contains('{'));
    let end = text.match_indices("#[cfg(test)]\nmod ").map(|(at, _)| at).find(inner).unwrap_or(text.len());
    let line = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
    text[..end].lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Every path that begins with `crate::` or `super::`, groups written out.
fn paths(code: &str) -> Vec<Vec<String>> {
    let start = Regex::new(r"\b(?:crate|super)::").unwrap();
    let mut found = Vec::new();
    let mut end = 0;
    for hit in start.find_iter(code) {
        // `super::super::x` is one path.
        if hit.start() >= end {
            end = hit.start() + read_path(&code[hit.start()..], &mut Vec::new(), &mut found);
        }
    }
    found
}

/// Reads a path, or a group of paths, behind `prefix`; returns its length.
fn read_path(text: &str, prefix: &mut Vec<String>, found: &mut Vec<Vec<String>>) -> usize {
    let before = prefix.len();
    let mut at = 0;
    loop {
        at += text[at..].len() - text[at..].trim_start().len();
        if text[at..].starts_with('{') {
            at += 1;
            loop {
                at += read_path(&text[at..], prefix, found);
                at += text[at..].len() - text[at..].trim_start().len();
                match text[at..].chars().next() {
                    Some(',') => at += 1,
                    Some('}') => break at += 1,
                    // Not a group of imports.
                    _ => break,
                }
            }
            break;
        }
        let name: String = text[at..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        if name.is_empty() {
            break;
        }
        at += name.len();
        prefix.push(name);
        if !text[at..].starts_with("::") {
            found.push(prefix.clone());
            break;
        }
        at += 2;
    }
    prefix.truncate(before);
    at.max(usize::from(!text.is_empty() && !text.starts_with(['}', ','])))
}

/// A path as it stands in a module, from the crate's root.
fn absolute(path: &[String], module: &[String]) -> Vec<String> {
    if path[0] == "crate" {
        return path[1..].to_vec();
    }
    let ups = path.iter().take_while(|part| *part == "super").count();
    module[..module.len().saturating_sub(ups)].iter().chain(&path[ups..]).cloned().collect()
}

fn uses(root: &Path) -> Uses {
    let mut files = Vec::new();
    sources(root, &mut files);
    let mut uses = Uses::new();
    for file in files {
        let Some(module) = module(&file, root) else { continue };
        let code = code(&std::fs::read_to_string(&file).unwrap());
        uses.entry(module.clone()).or_default().extend(paths(&code).iter().map(|path| absolute(path, &module)));
    }
    uses
}

/// Where a stage names a later one.
fn violations(uses: &Uses) -> Vec<String> {
    let place =
        |name: &str| if name == LAST { Some(STAGES.len()) } else { STAGES.iter().position(|stage| *stage == name) };
    let mut found = Vec::new();
    for (module, used) in uses.iter().filter(|(module, _)| !module.is_empty()) {
        let own = place(&module[0]).unwrap_or_else(|| panic!("`{}` is not in the list of stages", module[0]));
        for path in
            used.iter().filter(|path| path.first().and_then(|name| place(name)).is_some_and(|other| other > own))
        {
            found.push(format!("`{}` uses `{}`", module.join("::"), path.join("::")));
        }
    }
    found
}

/// The first circle among modules that stand side by side, if there is one.
fn circle(uses: &Uses) -> Option<Vec<String>> {
    let mut edges: BTreeMap<&[String], BTreeSet<&[String]>> = BTreeMap::new();
    let known: BTreeSet<&[String]> = uses.keys().flat_map(|module| (1..=module.len()).map(|n| &module[..n])).collect();
    for (module, used) in uses {
        for path in used {
            let common = module.iter().zip(path).take_while(|(a, b)| a == b).count();
            if module.len() > common && path.len() > common && known.contains(&path[..=common]) {
                edges.entry(&module[..=common]).or_default().insert(&path[..=common]);
            }
        }
    }
    let mut done = BTreeSet::new();
    known.iter().find_map(|start| visit(start, &edges, &mut Vec::new(), &mut done))
}

fn visit<'u>(
    node: &'u [String],
    edges: &BTreeMap<&'u [String], BTreeSet<&'u [String]>>,
    way: &mut Vec<&'u [String]>,
    done: &mut BTreeSet<&'u [String]>,
) -> Option<Vec<String>> {
    if let Some(at) = way.iter().position(|other| *other == node) {
        return Some(way[at..].iter().chain([&node]).map(|module| module.join("::")).collect());
    }
    if !done.insert(node) {
        return None;
    }
    way.push(node);
    let found = edges.get(node).into_iter().flatten().find_map(|next| visit(next, edges, way, done));
    way.pop();
    found
}

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[test]
fn a_stage_knows_only_the_stages_before_it() {
    let found = violations(&uses(&crates().join("okno/src")));
    assert!(found.is_empty(), "a stage names a later one:\n{}", found.join("\n"));
}

/// Crates, and folders of the engine, whose modules form no circle. Inside of the others some pairs still do.
const WITHOUT_CIRCLES: [(&str, &str); 5] =
    [("okno", "retrieve"), ("okno-document", ""), ("okno-models", ""), ("okno-sql", ""), ("okno-cli", "")];

#[test]
fn modules_do_not_use_each_other_in_circles() {
    for (name, folder) in WITHOUT_CIRCLES {
        let mut uses = uses(&crates().join(name).join("src"));
        uses.retain(|module, _| folder.is_empty() || module.first().is_some_and(|first| first == folder));
        assert_eq!(circle(&uses), None, "{name} {folder}: modules use each other in a circle");
    }
}

#[test]
fn a_planted_violation_is_found() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("lib.rs", "mod split; mod store;"),
        (
            "split.rs",
            "use crate::{document::Span, store::{Leg, Run}};\n#[cfg(test)]\nmod tests { use crate::engine::Engine; }",
        ),
        ("store/mod.rs", "// crate::engine\nmod a; mod b; fn f() { crate::split::structure(); }"),
        ("store/a.rs", "use super::b::B;"),
        ("store/b.rs", "use crate::store::a::A;"),
    ] {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let uses = uses(folder.path());
    assert_eq!(violations(&uses), ["`split` uses `store::Leg`", "`split` uses `store::Run`"]);
    assert_eq!(circle(&uses).unwrap(), ["split", "store", "split"]);
    let store_alone: Uses =
        uses.into_iter().filter(|(module, _)| module.first().is_some_and(|name| name == "store")).collect();
    assert_eq!(circle(&store_alone).unwrap(), ["store::a", "store::b", "store::a"]);
}
