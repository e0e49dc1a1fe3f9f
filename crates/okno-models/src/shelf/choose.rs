//! Chooses the files of a model in a package: from a list of paths to the files that the card names, or the reason why
//! not.
//!
//! Packages are made for other programs, with various names: `bge-small-zh-v1.5-q.onnx` beside `…-tokenizer.json`, or
//! `dist/Xenova/gte-small/onnx/model.onnx` beside five other models. So weights are found by their extension, then by
//! the model's name in the path, then by whether their name says that they are quantised; if several are left, they are
//! refused and listed.

use super::package::PackageEntry;
use crate::registry::{Card, ModelFile, TOKENIZER, WEIGHTS};
use crate::{PackageFlaw, PathList};

/// A file of the card, and where it is in the package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenFile {
    pub file: ModelFile,
    pub entry: String,
}

/// The vocabulary of a `WordPiece` tokenizer, for packages that have no `tokenizer.json`.
const VOCABULARY: &str = "vocab.txt";

/// Chooses the files of a card; `only` names the weights where there is a choice.
pub fn files(card: &Card, entries: &[PackageEntry], only: Option<&str>) -> Result<Vec<ChosenFile>, PackageFlaw> {
    let mut found: Vec<ChosenFile> = Vec::new();
    for file in &card.files {
        let entry = match file.name.as_str() {
            _ if !file.find.is_empty() => named(file, entries),
            WEIGHTS => Some(weights(card, entries, only)?),
            TOKENIZER => tokenizer(entries, found.first().map_or("", |weights| &weights.entry)),
            name => entries.iter().find(|entry| base(&entry.path) == name).map(|entry| entry.path.clone()),
        };
        match entry {
            Some(entry) => found.push(ChosenFile { file: renamed(file, &entry), entry }),
            None if file.optional => {}
            None => return Err(missing(file)),
        }
    }
    Ok(found)
}

fn missing(file: &ModelFile) -> PackageFlaw {
    let names = if file.find.is_empty() { vec![file.name.clone()] } else { file.find.clone() };
    PackageFlaw::NoFile { names }
}

/// A vocabulary keeps its name: it is read by another rule than a tokenizer.
fn renamed(file: &ModelFile, entry: &str) -> ModelFile {
    let name = if file.name == TOKENIZER && base(entry) == VOCABULARY { VOCABULARY } else { &file.name };
    ModelFile { name: name.to_owned(), ..file.clone() }
}

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn named(file: &ModelFile, entries: &[PackageEntry]) -> Option<String> {
    let fits = |entry: &&PackageEntry| file.find.iter().any(|pattern| matches(pattern, base(&entry.path)));
    entries.iter().find(fits).map(|entry| entry.path.clone())
}

/// Whether a name matches a pattern, ignoring case; `*` stands for anything.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.to_lowercase(), name.to_lowercase());
    let mut parts = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

fn weights(card: &Card, entries: &[PackageEntry], only: Option<&str>) -> Result<String, PackageFlaw> {
    let all: Vec<&str> =
        entries.iter().map(|entry| entry.path.as_str()).filter(|path| path.to_lowercase().ends_with(".onnx")).collect();
    if let Some(only) = only {
        let mut asked = all.iter().filter(|path| **path == only || path.ends_with(&format!("/{only}")));
        let missing = || PackageFlaw::NoSuchWeights { file: only.to_owned(), paths: list(&all) };
        return asked.next().map(|path| (*path).to_owned()).ok_or_else(missing);
    }
    let named = narrowed(all.clone(), |path| says(path, &card.name));
    let exact = narrowed(named, |path| is_quantized(path) == card.quantized);
    let plain = narrowed(exact, |path| base(path) == "model.onnx");
    match plain.as_slice() {
        [one] => Ok((*one).to_owned()),
        [] => Err(no_weights(entries)),
        several => Err(PackageFlaw::SeveralWeights { paths: list(several) }),
    }
}

/// The paths that fit, or all if none does.
fn narrowed(paths: Vec<&str>, fits: impl Fn(&str) -> bool) -> Vec<&str> {
    let fitting: Vec<&str> = paths.iter().copied().filter(|path| fits(path)).collect();
    if fitting.is_empty() { paths } else { fitting }
}

/// Whether a path contains a model's name; for `bge-small-zh-v1.5-q`, `bge-small-zh-v1.5` is enough.
fn says(path: &str, name: &str) -> bool {
    let path = path.to_lowercase();
    path.contains(name) || name.strip_suffix("-q").is_some_and(|plain| path.contains(plain))
}

fn is_quantized(path: &str) -> bool {
    let name = base(path).to_lowercase();
    ["quant", "int8", "uint8", "-q.onnx", "_q.onnx", "q8"].iter().any(|mark| name.contains(mark))
}

fn no_weights(entries: &[PackageEntry]) -> PackageFlaw {
    let other = entries.iter().find(|entry| {
        let path = entry.path.to_lowercase();
        [".safetensors", ".bin"].iter().any(|ending| path.ends_with(ending))
    });
    match other {
        Some(other) => PackageFlaw::OtherWeights { path: other.path.clone() },
        None => PackageFlaw::NoWeights,
    }
}

/// The tokenizer nearest to the weights: the one whose path has most in common with theirs.
fn tokenizer(entries: &[PackageEntry], weights: &str) -> Option<String> {
    let shared = |path: &str| path.bytes().zip(weights.bytes()).take_while(|(a, b)| a == b).count();
    let nearest = |fits: &dyn Fn(&str) -> bool| {
        let fitting = entries.iter().map(|entry| entry.path.as_str()).filter(|path| fits(base(path)));
        fitting.max_by_key(|path| shared(path)).map(str::to_owned)
    };
    nearest(&|name| name == TOKENIZER || name.ends_with("-tokenizer.json"))
        .or_else(|| nearest(&|name| name == VOCABULARY))
}

fn list(paths: &[&str]) -> PathList {
    PathList(paths.iter().map(|path| (*path).to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;

    fn chosen(name: &str, paths: &[&str]) -> Result<Vec<String>, PackageFlaw> {
        let entries: Vec<PackageEntry> =
            paths.iter().map(|path| PackageEntry { path: (*path).to_owned(), size: 1 }).collect();
        let card = registry::find(name).unwrap().unwrap();
        Ok(files(&card, &entries, None)?.into_iter().map(|found| found.entry).collect())
    }

    #[test]
    fn packages_as_they_are_made() {
        let jar = ["META-INF/MANIFEST.MF", "bge-small-zh-v1.5-q-tokenizer.json", "bge-small-zh-v1.5-q.onnx"];
        let expected = ["bge-small-zh-v1.5-q.onnx", "bge-small-zh-v1.5-q-tokenizer.json"];
        assert_eq!(chosen("bge-small-zh-v1.5-q", &jar).unwrap(), expected);
        let npm = [
            "a/all-MiniLM-L6-v2/tokenizer.json",
            "a/all-MiniLM-L6-v2/onnx/model.onnx",
            "a/gte-small/onnx/model.onnx",
            "a/gte-small/tokenizer.json",
        ];
        assert_eq!(chosen("gte-small", &npm).unwrap(), ["a/gte-small/onnx/model.onnx", "a/gte-small/tokenizer.json"]);
        assert_eq!(chosen("all-minilm-l6-v2", &npm).unwrap()[1], "a/all-MiniLM-L6-v2/tokenizer.json");
        let hub = ["onnx/model.onnx", "onnx/model_fp16.onnx", "onnx/model_quantized.onnx", "vocab.txt"];
        assert_eq!(chosen("bge-small-zh-v1.5", &hub).unwrap(), ["onnx/model.onnx", "vocab.txt"]);
        assert_eq!(chosen("bge-small-zh-v1.5-q", &hub).unwrap()[0], "onnx/model_quantized.onnx");
    }

    #[test]
    fn what_cannot_be_chosen_says_why() {
        let refused = |paths: &[&str]| chosen("gte-small", paths).unwrap_err();
        let other = PackageFlaw::OtherWeights { path: "m/model.safetensors".into() };
        assert_eq!(refused(&["m/model.safetensors", "m/tokenizer.json"]), other);
        assert_eq!(refused(&["a.txt"]), PackageFlaw::NoWeights);
        let several = refused(&["a.onnx", "b.onnx"]);
        assert_eq!(several, PackageFlaw::SeveralWeights { paths: list(&["a.onnx", "b.onnx"]) });
        assert!(several.to_string().ends_with(":\n  a.onnx\n  b.onnx"), "{several}");
        assert_eq!(refused(&["model.onnx"]), PackageFlaw::NoFile { names: vec!["tokenizer.json".into()] });
    }

    #[test]
    fn patterns() {
        for (pattern, name) in [("*_det_*.onnx", "PP-OCRv6_det_small.onnx"), ("a*", "a"), ("x.y", "X.Y"), ("*", "")] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("*_det_*.onnx", "a_rec_b.onnx"), ("a*a", "a"), ("x", "xy")] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}
