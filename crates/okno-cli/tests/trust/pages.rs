//! Pages of PDFs as pictures, over HTTP: of the file that was indexed, for those who may read it, and in a process of
//! their own.

use super::{Server, World};
use serde_json::Value;
use std::time::Instant;

/// A file with a page for each of these contents.
fn pdf(pages: &[String]) -> Vec<u8> {
    let kids: String = (0..pages.len()).map(|at| format!("{} 0 R ", 10 + 2 * at)).collect();
    let mut file = format!(
        "%PDF-1.7\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n\
         2 0 obj <</Type/Pages/Kids[{kids}]/Count {}>> endobj\n\
         3 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>> endobj\n",
        pages.len()
    );
    for (at, content) in pages.iter().enumerate() {
        let number = 10 + 2 * at;
        file += &format!(
            "{number} 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents {} 0 R\
             /Resources<</Font<</F 3 0 R>>>>>> endobj\n{} 0 obj <</Length {}>> stream\n{content}\nendstream endobj\n",
            number + 1,
            number + 1,
            content.len()
        );
    }
    (file + "trailer <</Root 1 0 R/Size 10000>>\n%%EOF\n").into_bytes()
}

fn line(words: &str) -> String {
    format!("BT /F 12 Tf 60 700 Td ({words}) Tj ET\n")
}

fn json(answer: &(u16, String)) -> Value {
    serde_json::from_str(&answer.1).unwrap_or_else(|_| panic!("{answer:?}"))
}

fn code(answer: &(u16, String)) -> (u16, String) {
    (answer.0, json(answer)["error"]["code"].as_str().unwrap_or_default().to_owned())
}

#[test]
fn a_page_is_drawn_while_its_file_is_what_was_indexed() {
    let world = World::new();
    let pages = [line("Green tea is brewed at eighty degrees."), line("Black tea needs boiling water.")];
    world.write("notes/tea.pdf", pdf(&pages)).write("notes/tea.md", "Tea is hot.\n");
    world.index(["notes"]);
    let server = Server::start(&world, &[]);
    let listed = json(&server.get("/api/v1/documents/tea.pdf/pages"));
    assert_eq!((&listed["pictures"], &listed["pages"][1]["page"]), (&true.into(), &2.into()), "{listed}");
    let start = listed["pages"][1]["start"].as_u64().unwrap();
    let picture = server.get("/api/v1/documents/tea.pdf/pages/2/picture?width=400");
    assert!(picture.0 == 200 && picture.1.contains("PNG") && picture.1.contains("IHDR"), "{}", picture.0);
    let marks = json(&server.get(&format!("/api/v1/documents/tea.pdf/pages/2/marks?start={start}&end={}", start + 9)));
    assert_eq!(
        (marks["complete"].as_bool(), marks["marks"].as_array().map(Vec::len)),
        (Some(true), Some(1)),
        "{marks}"
    );
    let left = marks["marks"][0]["left"].as_f64().unwrap();
    assert!((left - 0.1).abs() < 0.01, "{marks}");
    // What the words of page 1 are is not on page 2.
    let none = json(&server.get("/api/v1/documents/tea.pdf/pages/2/marks?start=0&end=5"));
    assert_eq!(none["marks"], serde_json::json!([]));

    for (path, refused) in [
        ("tea.pdf/pages/3/picture", (404, "no_page")),
        ("tea.pdf/pages/0/picture", (404, "no_page")),
        ("tea.pdf/pages/x/picture", (400, "bad_path")),
        ("tea.pdf/pages/1/picture?width=1", (400, "bad_parameter")),
        ("tea.pdf/pages/1/marks", (400, "bad_parameter")),
        ("tea.md/pages/1/picture", (404, "no_page")),
        ("none.pdf/pages", (404, "no_document")),
    ] {
        let answer = server.get(&format!("/api/v1/documents/{path}"));
        assert_eq!(code(&answer), (refused.0, refused.1.to_owned()), "{path}");
    }

    world.write("notes/tea.pdf", pdf(&[line("Something else.")]));
    for path in ["2/picture?width=400", "1/picture", "1/marks?start=0&end=5"] {
        let answer = server.get(&format!("/api/v1/documents/tea.pdf/pages/{path}"));
        assert_eq!(code(&answer), (404, "file_changed".to_owned()), "{path}");
    }
    world.delete("notes/tea.pdf");
    assert_eq!(code(&server.get("/api/v1/documents/tea.pdf/pages/1/picture")), (404, "no_original".to_owned()));
    assert_eq!(json(&server.get("/api/v1/documents/tea.pdf/pages"))["pictures"], false);
}

#[test]
fn a_page_that_never_ends_or_takes_all_memory_costs_its_process() {
    let world = World::new();
    let slow = line("Green tea is brewed slowly.") + &"0 0 600 800 re f\n".repeat(300_000);
    world.write("notes/slow.pdf", pdf(&[slow])).write("notes/tea.pdf", pdf(&[line("Black tea.")]));
    world.index(["notes"]);
    world.write("okno.toml", "[serve]\nload_timeout = 1\n");
    let server = Server::start(&world, &[]);
    let begun = Instant::now();
    let answer = server.get("/api/v1/documents/slow.pdf/pages/1/picture?width=2400");
    assert_eq!(code(&answer), (422, "page_not_drawn".to_owned()), "{answer:?}");
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
    let chinese = server.request(
        "GET",
        "/api/v1/documents/slow.pdf/pages/1/picture?width=2400",
        &[("Accept-Language", "zh")],
        b"",
    );
    assert!(chinese.1.contains("无法绘制"), "{chinese:?}");
    drop(server);
    world.write("okno.toml", "[serve]\nload_memory = \"1MB\"\n");
    let server = Server::start(&world, &[]);
    let answer = server.get("/api/v1/documents/tea.pdf/pages/1/picture?width=2400");
    assert_eq!(code(&answer), (422, "page_not_drawn".to_owned()), "{answer:?}");
    assert_eq!(server.get("/readyz").0, 200);
}
