//! Laws that every loader keeps, and the flow from a folder to documents.

use std::fs;

use okno_document::message::Message;
use proptest::prelude::*;

use super::*;

pub(crate) use super::contract::{Collected, check, load};

/// Reads in every image what the function makes of its bytes.
pub(crate) struct Saying<F>(pub F);

impl<F: Fn(&[u8]) -> String + Send + Sync> ImageReader for Saying<F> {
    fn identity(&self) -> &'static str {
        "saying"
    }

    fn read(&self, image: &[u8]) -> Option<String> {
        Some((self.0)(image))
    }
}

fn load_folder(root: &Path) -> Collected {
    let mut collected = Collected::default();
    for entry in walk(root, &WalkOptions::default()) {
        match entry {
            Ok(entry) => load_file(&entry, &builtin(), 1 << 16, &mut collected),
            Err(skipped) => collected.skip(&skipped.place, skipped.reason),
        }
    }
    collected
}

#[test]
fn a_folder_with_good_and_bad_files() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, content: &[u8]| fs::write(folder.path().join(name), content).unwrap();
    write("a.md", b"# Title\n\ntext");
    write("b.txt", b"\xef\xbb\xbfplain\r\n");
    write("c.html", b"<html><title>Page</title><p>words</p></html>");
    write("d.jsonl", b"{\"id\":\"x\",\"text\":\"line\"}\nbroken\n");
    write("e.pdf", b"%PDF-1.7\n...");
    write("f.md", b"PK\x03\x04\x14\0\0\0");
    write("g.txt", b"  \n");
    write("h.bin", b"\0\x01\x02\0\0\x01");
    write("i.txt", &vec![b'a'; (1 << 16) + 1]);
    write("j.jsonl", &[&b"{\"text\":\"long\"}\n"[..], &b"\n".repeat(1 << 16)].concat());
    let got = load_folder(folder.path());
    let titles: Vec<&str> = got.documents.iter().map(|d| d.title.as_str()).collect();
    assert_eq!(titles, ["Title", "b", "Page", "d", "j"]);
    assert_eq!(got.documents[1].text, "plain\r\n");
    assert_eq!(got.documents[1].metadata.0["file"], Value::Text("b.txt".into()));
    assert!(matches!(got.documents[1].metadata.0["modified"], Value::Date(_)));
    assert_eq!(got.documents[1].metadata.0["size"], Value::Number(10.0));
    let skipped: Vec<(&str, &str)> =
        got.skipped.iter().map(|(place, reason)| (place.as_str(), reason.code())).collect();
    assert_eq!(
        skipped,
        [
            ("d.jsonl:2", "bad_json"),
            ("e.pdf", "damaged_pdf"),
            ("f.md", "damaged"),
            ("g.txt", "no_text"),
            ("h.bin", "binary"),
            ("i.txt", "too_large"),
        ]
    );
}

#[cfg(unix)]
#[test]
fn an_unreadable_file_is_reported() {
    let entry = FileEntry { path: "/no/such/file.md".into(), name: "file.md".into(), size: 1, modified: 0 };
    let mut got = Collected::default();
    load_file(&entry, &builtin(), MAX_FILE_SIZE, &mut got);
    assert!(matches!(got.skipped[0].1, SkipReason::Unreadable { .. }), "{got:?}");
}

/// Pieces of mark-up and text in any order: where loaders go wrong if they do.
fn markup() -> impl Strategy<Value = String> {
    let parts = prop::sample::select(vec![
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        " ",
        "    ",
        "\t",
        "　",
        "# ",
        "## 标题",
        "##",
        "===",
        "---",
        "***",
        "```",
        "~~~",
        "````rust",
        "- ",
        "* ",
        "1. ",
        "12) ",
        "> ",
        "|",
        "| a | b |",
        "|---|---|",
        "<!--",
        "-->",
        "{{< note >}}",
        " = T = ",
        ": ",
        "+++",
        "title: x",
        "<table>",
        "</table>",
        "<tr><td>",
        "<td colspan=9>",
        "</td>",
        "<pre>",
        "</pre>",
        "<p>",
        "<li>",
        "<ul>",
        "</ul>",
        "<ol>",
        "<h2>",
        "</h2>",
        "<div class=nav>",
        "<div>",
        "</div>",
        "<a href='#x'>",
        "</a>",
        "<br>",
        "<nav>",
        "<main>",
        "</main>",
        "<dl><dt>",
        "<dd>",
        "<span hidden>",
        "<title>",
        "<script>",
        "</script>",
        "<img alt=a src=b>",
        "&nbsp;",
        "&#20013;",
        "word",
        "中文。",
        "Words go on,",
        "é",
        "🙂",
        "\u{feff}",
        "\u{85}",
        "\u{2028}",
        "\"",
        "{\"text\":\"a\"}",
    ]);
    prop::collection::vec(parts, 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_markup_keeps_the_laws(text in markup()) {
        for loader in builtin() {
            check(loader.as_ref(), "a.x", text.as_bytes());
        }
    }

    #[test]
    fn text_and_markdown_stay_unchanged(text in markup()) {
        let whole = text.strip_prefix('\u{feff}').unwrap_or(&text);
        for loader in [&Markdown as &dyn Loader, &PlainText] {
            for document in load(loader, "a.x", text.as_bytes()).documents {
                prop_assert_eq!(&document.text, whole);
            }
        }
    }

    #[test]
    fn a_text_in_a_line_of_json_stays_unchanged(text in markup()) {
        let line = serde_json::json!({ "text": text }).to_string();
        for document in load(&Jsonl::default(), "a.jsonl", line.as_bytes()).documents {
            prop_assert_eq!(&document.text, &text);
        }
    }

    #[test]
    fn no_bytes_make_a_loader_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for loader in builtin() {
            loader.accepts(Path::new("a"), &bytes);
            load(loader.as_ref(), "a", &bytes);
        }
    }
}

/// Real files, whole and harmed: whatever a loader makes of them keeps the laws, and nothing panics.
fn harmed(loader: &dyn Loader, name: &str, whole: &[u8]) {
    check(loader, name, whole);
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed as usize % below.max(1)
    };
    for round in 0..40 {
        load(loader, name, &whole[..whole.len() * round / 40]);
        let mut changed = whole.to_vec();
        for _ in 0..=round {
            let at = random(changed.len());
            changed[at] = random(256) as u8;
        }
        load(loader, name, &changed);
    }
}

macro_rules! files {
    ($($name:literal),* $(,)?) => { [$(($name, include_bytes!(concat!("../tests/files/", $name)).as_slice())),*] };
}

#[cfg(feature = "pdf")]
#[test]
fn harmed_pdf_files_do_no_harm() {
    for (name, bytes) in
        files!["columns.pdf", "chinese-cid.pdf", "chinese-embedded.pdf", "scanned.pdf", "protected.pdf"]
    {
        harmed(&Pdf::default(), name, bytes);
    }
}

#[cfg(feature = "office")]
#[test]
fn harmed_office_files_do_no_harm() {
    for (name, bytes) in files!["handbook.docx", "roadmap.pptx", "garden.odt", "book.epub"] {
        harmed(&Office::default(), name, bytes);
    }
    for (name, bytes) in files!["prices.xlsx", "garden.ods"] {
        harmed(&Workbook, name, bytes);
    }
}

/// Files are what they hold, whatever they are called.
#[cfg(all(feature = "office", feature = "mail"))]
#[test]
fn names_that_are_missing_or_wrong() {
    let kind = |name: &str, content: &[u8]| {
        let loaders = builtin();
        let mut got = Collected::default();
        let loader = accepting(Path::new(name), &content[..content.len().min(HEAD)], &loaders).unwrap();
        loader.load(&Source::memory(name, content), &mut got).unwrap();
        got.documents[0].metadata.get("type").map(ToString::to_string).unwrap_or_default()
    };
    let [(_, docx), (_, xlsx)] = files!["handbook.docx", "prices.xlsx"];
    assert_eq!(
        (kind("a", docx), kind("a.doc", docx), kind("a.docx", xlsx)),
        ("docx".into(), "docx".into(), "xlsx".into())
    );
    assert_eq!(kind("table.xls", b"<table><tr><td>a</td><td>b</td></tr></table>"), "html");
    assert_eq!(kind("table.xls", b"a\tb\n1\t2\n"), "tsv");
    assert_eq!(kind("table.xls", b"<?xml version=\"1.0\"?><Workbook><Worksheet ss:Name=\"S\"/></Workbook>"), "xml");
    assert_eq!(kind("letter.doc", b"{\\rtf1 words}"), "rtf");
    assert_eq!(kind("data", b"{\"a\": [1, 2]}"), "json");
    assert_eq!(kind("data", b"{\"a\": no, this is text}"), "text");
    assert_eq!(kind("words", b"<?xml version=\"1.0\"?><a><b>c</b></a>"), "xml");
    assert_eq!(kind("page", b"<!doctype html><p>words"), "html");
    assert_eq!(kind("paper", b"\\documentclass{a}\\begin{document}words\\end{document}"), "latex");
}

#[test]
fn a_recording_is_its_transcript() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, content: &[u8]| fs::write(folder.path().join(name), content).unwrap();
    write("talk.mp3", b"ID3\x03\0\0\0");
    write("talk.srt", b"1\n00:00:01,000 --> 00:00:02,000\nHello.\n");
    write("alone.mp3", b"ID3\x03\0\0\0");
    let got = load_folder(folder.path());
    assert_eq!(got.documents.len(), 1);
    assert_eq!(got.documents[0].metadata.get("audio"), Some(&Value::Text("talk.mp3".into())));
    assert_eq!(got.skipped.len(), 1, "{:?}", got.skipped);
    assert!(
        got.skipped[0].0 == "alone.mp3" && got.skipped[0].1 == SkipReason::NoTranscript { stem: "alone".into() },
        "{:?}",
        got.skipped
    );
}
