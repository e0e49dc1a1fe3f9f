//! One name per concept: outside of tests no two types of the workspace have the same name.
//!
//! Reads the sources themselves, as `stages.rs` does. Each crate that can fail has its `Error`, and `Result` for it:
//! that is what Rust programmers look for.

use regex::Regex;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const ONE_PER_CRATE: [&str; 2] = ["Error", "Result"];

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_test = path.file_stem().is_some_and(|name| name == "tests");
        if path.is_dir() && !is_test {
            sources(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !is_test {
            out.push(path);
        }
    }
}

/// The code of a file without comments and without its inner test module, which stands last.
fn code(text: &str) -> String {
    let inner = |at: &usize| text[*at..].lines().nth(1).is_some_and(|line| line.contains('{'));
    let end = text.match_indices("#[cfg(test)]\nmod ").map(|(at, _)| at).find(inner).unwrap_or(text.len());
    let line = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
    text[..end].lines().map(line).collect::<Vec<_>>().join("\n")
}

/// What defines a type. An indented `type` belongs to a trait.
fn definition() -> Regex {
    let visible = r"(?:pub(?:\([^)]*\))? )?";
    Regex::new(&format!(r"(?m)^(?:[ \t]*{visible}(?:struct|enum|trait|union)|{visible}type) (\w+)")).unwrap()
}

/// The names that stand for more than one type, with the files that define them. `folders` are the crates.
fn shared(folders: &[PathBuf]) -> Vec<String> {
    let definition = definition();
    let mut names: BTreeMap<String, Vec<(usize, String)>> = BTreeMap::new();
    for (number, folder) in folders.iter().enumerate() {
        let mut files = Vec::new();
        sources(&folder.join("src"), &mut files);
        files.sort();
        for file in files {
            for found in definition.captures_iter(&code(&std::fs::read_to_string(&file).unwrap())) {
                names.entry(found[1].to_owned()).or_default().push((number, file.display().to_string()));
            }
        }
    }
    let is_shared = |name: &str, places: &[(usize, String)]| {
        let apart = places.iter().enumerate().all(|(at, place)| places[..at].iter().all(|other| other.0 != place.0));
        places.len() > 1 && !(ONE_PER_CRATE.contains(&name) && apart)
    };
    let described = |(name, places): (String, Vec<(usize, String)>)| {
        let files: Vec<String> = places.into_iter().map(|(_, file)| file).collect();
        format!("`{name}`: {}", files.join(", "))
    };
    names.into_iter().filter(|(name, places)| is_shared(name, places)).map(described).collect()
}

fn crates(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("src").is_dir())
        .collect();
    found.sort();
    found
}

#[test]
fn no_two_types_have_the_same_name() {
    let found = shared(&crates(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")));
    assert!(found.is_empty(), "types that share a name; say which one it is (`PdfLine`):\n{}", found.join("\n"));
}

#[test]
fn a_planted_name_is_found() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        (
            "a/src/lib.rs",
            "#[cfg(test)]\nmod tests;\npub enum Error {}\nstruct Line;\nimpl T for Line {\n    type Out = u8;\n}",
        ),
        ("a/src/tests.rs", "struct Page;"),
        ("a/src/page.rs", "pub(crate) struct Page;\n// struct Cell;\n#[cfg(test)]\nmod tests {\n    struct Line;\n}"),
        ("b/src/lib.rs", "pub enum Error {}\npub type Line<'a> = &'a str;\nmacro! {\n    pub enum Cell {}\n}"),
        ("b/src/deep/mod.rs", "trait Cell {\n    type Out;\n}"),
    ] {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let found = shared(&crates(folder.path()));
    let names: Vec<&str> = found.iter().filter_map(|line| line.split(':').next()).collect();
    assert_eq!(names, ["`Cell`", "`Line`"], "{found:?}");
    std::fs::write(folder.path().join("b/src/error.rs"), "pub struct Error;").unwrap();
    assert_eq!(shared(&crates(folder.path())).len(), 3, "two in one crate");
}
