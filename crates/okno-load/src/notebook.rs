//! Jupyter notebooks (`.ipynb`): cells come in; out goes one Markdown text.
//!
//! Cells of Markdown are what they are, code is fenced with its language, and what it printed is fenced below it.
//! Output that is not text – images, widgets – is left out and counted.

use std::path::Path;

use serde_json::Value as Json;

use super::left_out::LeftOut;
use super::{Loader, Sink, SkipReason, Source, encoding::NotText, has_extension, json, markdown, textual};
use okno_document::ImageSource;

/// Letters of one output that are kept: the log of a training run is no text to be read.
const LONGEST_OUTPUT: usize = 20_000;

/// Reads Jupyter notebooks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Notebook;

impl Loader for Notebook {
    fn accepts(&self, path: &Path, head: &[u8]) -> bool {
        let holds = |mark: &str| memchr::memmem::find(head, mark.as_bytes()).is_some();
        let cells = holds("\"cell_type\"") && (holds("\"cells\"") || holds("\"worksheets\""));
        let named = has_extension(path, &["ipynb"]);
        textual(path, head) && (named || (has_extension(path, &["json"]) && cells))
    }

    fn load(&self, source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason> {
        let text = source.text()?;
        json::bounded(&text)?;
        let notebook: Json =
            serde_json::from_str(&text).map_err(|error| SkipReason::NotJson { words: error.to_string() })?;
        drop(text);
        let (text, unread) = written(&notebook);
        if text.trim().is_empty() {
            return Err(NotText::Blank.into());
        }
        let mut page = markdown::read(&text);
        // Images that are kept in the cell itself are not files.
        page.images
            .retain(|image| !matches!(&image.source, ImageSource::Reference(to) if to.starts_with("attachment:")));
        out.document(page.document(text, source, "notebook"));
        if unread > 0 {
            out.left_out(source.name, LeftOut::Outputs { count: unread });
        }
        Ok(())
    }
}

/// The text of all cells, and how many outputs are not in it.
fn written(notebook: &Json) -> (String, usize) {
    let language = ["/metadata/language_info/name", "/metadata/kernelspec/language"];
    let language = language.iter().find_map(|path| notebook.pointer(path)?.as_str()).unwrap_or("python");
    let language: String = language.chars().filter(|c| c.is_ascii_alphanumeric() || "+-#_".contains(*c)).collect();
    let (mut text, mut unread) = (String::new(), 0);
    let lists = |value: &'_ Json| value.as_array().cloned().unwrap_or_default();
    let mut cells = lists(&notebook["cells"]);
    // Version 3 kept cells in sheets.
    cells.extend(lists(&notebook["worksheets"]).iter().flat_map(|sheet| lists(&sheet["cells"])));
    for cell in &cells {
        let source = joined(if cell["source"].is_null() { &cell["input"] } else { &cell["source"] });
        match cell["cell_type"].as_str().unwrap_or_default() {
            "code" => {
                add(&mut text, &fenced(&source, &language));
                for output in cell["outputs"].as_array().into_iter().flatten() {
                    let shown = shown(output);
                    let cut = shown.char_indices().nth(LONGEST_OUTPUT).map_or(shown.len(), |(at, _)| at);
                    unread += usize::from(shown.is_empty() || cut < shown.len());
                    add(&mut text, &fenced(&shown[..cut], ""));
                }
            }
            "heading" => {
                let level = cell["level"].as_u64().unwrap_or(1).clamp(1, 6) as usize;
                add(&mut text, &format!("{} {}", "#".repeat(level), super::rendering::one_line(&source)));
            }
            "raw" => add(&mut text, &fenced(&source, "")),
            _ => add(&mut text, source.trim()),
        }
    }
    if !text.is_empty() {
        text.push('\n');
    }
    (text, unread)
}

fn add(text: &mut String, part: &str) {
    if !part.trim().is_empty() {
        text.push_str(if text.is_empty() { "" } else { "\n\n" });
        text.push_str(part);
    }
}

/// A string, or lines of one.
fn joined(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Array(lines) => lines.iter().filter_map(Json::as_str).collect(),
        _ => String::new(),
    }
}

/// Code between fences that are longer than any inside of it.
fn fenced(code: &str, language: &str) -> String {
    if code.trim().is_empty() {
        return String::new();
    }
    let fence = super::markup::fence(code);
    format!("{fence}{language}\n{}\n{fence}", code.trim_matches(['\n', '\r']))
}

/// The text of an output; empty where it has none.
fn shown(output: &Json) -> String {
    let data = |kind: &str| joined(&output["data"][kind]);
    let pictured = output["data"].as_object().is_some_and(|data| data.keys().any(|kind| kind.starts_with("image/")));
    let text = match output["output_type"].as_str().unwrap_or_default() {
        "stream" => joined(&output["text"]),
        "error" | "pyerr" => {
            format!(
                "{}: {}",
                output["ename"].as_str().unwrap_or_default(),
                output["evalue"].as_str().unwrap_or_default()
            )
        }
        // `<Figure size 640x480 with 1 Axes>` stands for a picture.
        _ if pictured => String::new(),
        _ => [data("text/markdown"), data("text/plain"), joined(&output["text"])]
            .into_iter()
            .find(|text| !text.is_empty())
            .unwrap_or_default(),
    };
    without_colours(&text)
}

/// Text without the escapes that colour it in a terminal.
fn without_colours(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1b}' => _ = letters.by_ref().skip(1).find(char::is_ascii_alphabetic),
            '\u{8}' | '\0' => {}
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, load};
    use super::*;
    use okno_document::BlockKind;

    #[test]
    fn cells_in_order() {
        let notebook = r##"{"nbformat":4,"metadata":{"kernelspec":{"language":"R"}},"cells":[
            {"cell_type":"markdown","source":["# Tea\n","\n","- green\n","- black"]},
            {"cell_type":"code","source":"print(1)","outputs":[
                {"output_type":"stream","text":["1\n"]},
                {"output_type":"display_data","data":{"image/png":"x","text/plain":"<Figure>"}},
                {"output_type":"error","ename":"E","evalue":"\u001b[31mred\u001b[0m"}]}]}"##;
        let got = check(&Notebook, "a.ipynb", notebook.as_bytes()).documents.remove(0);
        assert_eq!(got.text, "# Tea\n\n- green\n- black\n\n```R\nprint(1)\n```\n\n```\n1\n```\n\n```\nE: red\n```\n");
        let kinds: Vec<BlockKind> = got.blocks.iter().map(|block| block.kind).collect();
        use BlockKind::{Code, Heading, ListItem};
        assert_eq!(kinds, [Heading(1), ListItem, ListItem, Code, Code, Code]);
        assert_eq!(got.title, "Tea");
        assert!(matches!(load(&Notebook, "a.ipynb", b"{").skipped[0].1, SkipReason::NotJson { .. }));
        assert!(Notebook.accepts(Path::new("a.json"), notebook.as_bytes()));
    }
}
