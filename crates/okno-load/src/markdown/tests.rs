use super::super::tests::load;
use super::*;
use BlockKind::{Code, FrontMatter, Heading, ListItem, Markup, Paragraph, Table};

fn shape(text: &str) -> Vec<(BlockKind, &str)> {
    read(text).blocks.iter().map(|block| (block.kind, block.span.of(text))).collect()
}

#[test]
fn headings() {
    assert_eq!(
        shape("# One\ntext\n\nTwo\n===\n\nThree\n---\n##四\n#tag\n####### seven\n"),
        [
            (Heading(1), "# One"),
            (Paragraph, "text"),
            (Heading(1), "Two\n==="),
            (Heading(2), "Three\n---"),
            (Heading(2), "##四"),
            (Paragraph, "#tag"),
            (Paragraph, "####### seven"),
        ]
    );
}

#[test]
fn the_words_of_headings() {
    for (heading, words) in [
        ("## Install   {#install}", "Install"),
        ("# C# ##", "C#"),
        ("Title\n=====", "Title"),
        (" = = Plot = = ", "Plot"),
        ("# **Bold** `code`", "Bold code"),
        ("##四", "四"),
    ] {
        assert_eq!(heading_text(heading), words);
    }
}

#[test]
fn code_fenced_and_indented() {
    assert_eq!(
        shape(
            "```yaml\n# no heading\n\n- no item\n```\n\n    indented\n\n      more\ntext\n~~~~\n~~~\n~~~~ \nend \
             ```x``` end"
        ),
        [
            (Code, "```yaml\n# no heading\n\n- no item\n```"),
            (Code, "    indented\n\n      more"),
            (Paragraph, "text"),
            (Code, "~~~~\n~~~\n~~~~"),
            (Paragraph, "end ```x``` end")
        ]
    );
}

#[test]
fn a_fence_without_end_stops_with_its_item() {
    assert_eq!(
        shape("- item\n  ```\n  code\n\nafter"),
        [(ListItem, "- item"), (Code, "  ```\n  code"), (Paragraph, "after")]
    );
    assert_eq!(shape("```\ncode\n\n# all"), [(Code, "```\ncode\n\n# all")]);
}

#[test]
fn lists() {
    assert_eq!(
        shape(
            "Intro:\n- one\n  goes on\n  - nested\n    1. deeper\n- two\n\n  second paragraph\n\n  ```\n  code\n  ```\n\
             \n      indented\n* three\nlazy\n\nafter"
        ),
        [
            (Paragraph, "Intro:"),
            (ListItem, "- one\n  goes on"),
            (ListItem, "- nested"),
            (ListItem, "1. deeper"),
            (ListItem, "- two"),
            (ListItem, "second paragraph"),
            (Code, "  ```\n  code\n  ```"),
            (Code, "      indented"),
            (ListItem, "* three\nlazy"),
            (Paragraph, "after"),
        ]
    );
    let wrapped = "The treaty was signed by all the members in the spring of the year\n1986. It was never put into \
        force after that, for many reasons.";
    assert_eq!(shape(wrapped), [(Paragraph, wrapped)]);
}

#[test]
fn tables() {
    assert_eq!(
        shape(
            "Text above.\n| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 | 4 |\nText below.\n\n| no | header |\n| x | y |\n\na | \
             b\n- | -\nc | d\n"
        ),
        [
            (Paragraph, "Text above."),
            (Table, "| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 | 4 |"),
            (Paragraph, "Text below."),
            (Table, "| no | header |\n| x | y |"),
            (Table, "a | b\n- | -\nc | d"),
        ]
    );
    assert_eq!(
        shape("<table>\n<tr><td>x</td></tr>\n</table>\ntext"),
        [(Table, "<table>\n<tr><td>x</td></tr>\n</table>"), (Paragraph, "text")]
    );
}

#[test]
fn comments_and_shortcodes_are_markup() {
    assert_eq!(
        shape(
            "<!--\n## English\n\n- item\n-->\n## 中文\n{{< note >}}\n<!-- one line -->\n正文。\n{{< /note >}}\n<!-- no end\n\
             # H"
        ),
        [
            (Markup, "<!--\n## English\n\n- item\n-->"),
            (Heading(2), "## 中文"),
            (Markup, "{{< note >}}"),
            (Markup, "<!-- one line -->"),
            (Paragraph, "正文。"),
            (Markup, "{{< /note >}}"),
            (Paragraph, "<!-- no end"),
            (Heading(1), "# H"),
        ]
    );
}

#[test]
fn a_shortcode_without_partner_is_a_word() {
    let text = "Clients get metrics from the\n{{< glossary_tooltip text=\"aggregated APIs\" >}}\nof the cluster.";
    assert_eq!(shape(text), [(Paragraph, text)]);
    let code = "{{< highlight yaml >}}\n---\n# no heading\n{{< /highlight >}}";
    assert_eq!(shape(&format!("{code}\ntext")), [(Code, code), (Paragraph, "text")]);
}

#[test]
fn quotes_and_rules() {
    assert_eq!(
        shape(
            "> A quote that is wrapped over two lines because it is\n> longer than a line.\n>\n> Second.\ntext\n\n***\n\
             - - -\n"
        ),
        [
            (Paragraph, "> A quote that is wrapped over two lines because it is\n> longer than a line.\n>"),
            (Paragraph, "> Second."),
            (Paragraph, "text"),
            (Markup, "***"),
            (Markup, "- - -"),
        ]
    );
}

#[test]
fn front_matter_is_a_block_and_metadata() {
    let page = "---\ntitle: Pods\nlang: en-US\nweight: 10\n---\n# Heading\n";
    assert_eq!(shape(page)[0], (FrontMatter, "---\ntitle: Pods\nlang: en-US\nweight: 10\n---"));
    let got = load(&Markdown, "docs/pods.md", page.as_bytes());
    let document = &got.documents[0];
    assert_eq!((document.title.as_str(), document.language.as_deref()), ("Pods", Some("en")));
    assert_eq!(document.metadata.0["weight"], Value::Number(10.0));
    assert_eq!(document.metadata.0["path"], Value::Text("docs/pods.md".into()));
    assert!(!document.metadata.0.contains_key("title"));
}

#[test]
fn titles_in_order() {
    let title = |content: &str| load(&Markdown, "a/stem.md", content.as_bytes()).documents[0].title.clone();
    assert_eq!(title("---\ntitle: Front\n---\n# Heading"), "Front");
    assert_eq!(title("## Second\n\n# First\n\n# Other"), "First");
    assert_eq!(title("no heading"), "stem");
}

#[test]
fn recognised_by_content() {
    let accepts = |name: &str, head: &str| Markdown.accepts(Path::new(name), head.as_bytes());
    assert!(accepts("a.md", "anything"));
    assert!(accepts("README", "# Title\n\n- one\n"));
    assert!(accepts("a.txt", "## Part\n\n[link](x)"));
    assert!(!accepts("a.txt", "# comment\nvalue = 1\n"));
    assert!(!accepts("a.py", "# Title\n\n- one\n"));
    assert!(!accepts("a.md", "%PDF-1.4"));
}

#[test]
fn hostile_texts_take_linear_time() {
    for text in [
        "- ```\n",
        "<!-- \n",
        "> ",
        "- ",
        "```\n~~~\n",
        "a|b\n",
        "[x](",
        "* * a\n",
        "    \n",
        "1. 1. 1. ",
        "{{< a >}}\n",
    ] {
        let text = text.repeat(100_000);
        // Time of this thread: a busy machine is not the text's fault.
        let started = cpu_time::ThreadTime::now();
        read(&text);
        assert!(started.elapsed().as_secs() < 5, "{:?} took {:?}", &text[..6], started.elapsed());
    }
}
