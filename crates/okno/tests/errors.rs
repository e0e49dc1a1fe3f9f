//! Errors are values: no function of any crate gives its error as a `String`. Reads the sources themselves; test code
//! may.

use std::path::{Path, PathBuf};

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" {
            sources(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "rs") && name != "tests.rs" {
            out.push(path);
        }
    }
}

/// The code of a file without comments and without what is compiled for tests alone.
fn code(text: &str) -> String {
    let inner_tests = text.find("#[cfg(test)]\nmod ").unwrap_or(text.len());
    let line = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
    text[..inner_tests].lines().map(line).collect::<Vec<_>>().join("\n")
}

/// The last type between the `<` that a text begins behind and its `>`; `None` where there is only one.
fn last_argument(text: &str) -> Option<&str> {
    let (mut depth, mut start, mut before) = (0i32, None, ' ');
    for (at, c) in text.char_indices() {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' if before == '-' => {}
            '>' | ')' | ']' if depth > 0 => depth -= 1,
            '>' => return start.map(|start| text[start..at].trim().trim_end_matches(',')),
            ',' if depth == 0 && !text[at + 1..].trim_start().starts_with('>') => start = Some(at + 1),
            ';' | '{' if depth == 0 => return None,
            _ => {}
        }
        before = c;
    }
    None
}

fn gives_strings(code: &str) -> bool {
    let result =
        code.match_indices("Result<").any(|(at, mark)| last_argument(&code[at + mark.len()..]) == Some("String"));
    result || ["type Err = String;", "type Error = String;"].iter().any(|written| code.contains(written))
}

#[test]
fn no_error_is_a_string() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(crates).unwrap() {
        sources(&entry.unwrap().path().join("src"), &mut files);
    }
    assert!(files.len() > 200, "the sources are elsewhere: {} files", files.len());
    let found: Vec<_> =
        files.iter().filter(|file| gives_strings(&code(&std::fs::read_to_string(file).unwrap()))).collect();
    assert!(found.is_empty(), "an error that is a `String`: {found:#?}");
}

#[test]
fn planted_strings_are_found() {
    for planted in [
        "fn a() -> Result<(), String> {",
        "fn a() -> std::result::Result<BTreeMap<String, u8>, String> {",
        "check: &dyn Fn(&str) -> Result<\n    (),\n    String,\n>,",
        "type Err = String;",
    ] {
        assert!(gives_strings(planted), "{planted}");
    }
    for fine in [
        "fn a() -> Result<BTreeMap<String, String>> {",
        "Result<String, Error>",
        "Result<Vec<(u8, String)>, A>",
        "if a < b {",
    ] {
        assert!(!gives_strings(fine), "{fine}");
    }
}
