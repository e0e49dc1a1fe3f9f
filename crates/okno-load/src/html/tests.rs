use super::super::tests::load;
use super::*;
use okno_document::{BlockKind, Date};

fn text(page: &str) -> String {
    let got = load(&Html, "a.html", page.as_bytes());
    got.documents.into_iter().next().map(|document| document.text).unwrap_or_default()
}

#[test]
fn a_page_as_markdown() {
    let page = "<html><body><h1>Top <a class=headerlink href='#x'>¶</a></h1><p>First\n  <b>bold</b> &amp; <a \
        href=x>link</a>.</p>second<br>line\
                <ul><li>one<li>two<ol><li>deep</ul><pre><code class='language-sh'>\n$ ls\n  -l\n</code></pre>\
                <table><caption>Sizes</caption><tr><th>a<th>b</tr><tr><td>1|2<td><p>x</p><p>y</p></table><dl><dt>\
                term<dd>meaning</dl></body></html>";
    let expected = "# Top\n\nFirst bold & link.\n\nsecond\nline\n\n- one\n- two\n  1. deep\n\n```sh\n$ ls\n  -l\n```\n\
        \nSizes\n\n| a | b |\n| --- | --- |\n| 1\\|2 | x y |\n\nterm\n: meaning\n";
    assert_eq!(text(page), expected);
    let document = &load(&Html, "a.html", page.as_bytes()).documents[0];
    let kinds: Vec<BlockKind> = document.blocks.iter().map(|block| block.kind).collect();
    use BlockKind::{Code, Heading, ListItem, Paragraph, Table};
    assert_eq!(
        kinds,
        [Heading(1), Paragraph, Paragraph, ListItem, ListItem, ListItem, Code, Paragraph, Table, Paragraph, Paragraph]
    );
    assert_eq!(document.blocks[8].span.of(&document.text), "| a | b |\n| --- | --- |\n| 1\\|2 | x y |");
}

#[test]
fn furniture_is_left_out() {
    let page = "<body class='has-sidebar'><header>Site</header><nav><a href=/>Home</a></nav><div class='sidebar \
        menu'><a href=a>A</a> <a href=b>B</a></div>\
                <script>var x = '<p>';</script><div style='display: none'>secret</div><ul><li><a \
                href='#1'>One</a><li><a href='#2'>Two</a><li><a href='#3'>Three</a></ul>\
                <h2>Part<span class='mw-editsection'>[<a>edit</a>]</span></h2><h2>Other [edit]</h2><div \
                class='sidebar'><p>GOING FURTHER: a box with a lot of prose in it.</p></div>\
                <p>Words<sup class=reference>[1]</sup> of the page, long enough to be what it is about.</p><aside><a \
                href=x>Promoted link</a></aside><footer>Copyright</footer>";
    let expected = "## Part\n\n## Other\n\nGOING FURTHER: a box with a lot of prose in it.\n\nWords of the page, long \
        enough to be what it is about.\n";
    assert_eq!(text(page), expected);
}

#[test]
fn main_is_believed_when_it_holds_the_text() {
    let page = "<div>Log in</div><main><article><header><h1>T</h1></header><p>All of the text is \
        here.</p></article></main><div>Related</div>";
    assert_eq!(text(page), "# T\n\nAll of the text is here.\n");
    let wrong = format!("<main>x</main><p>{}</p>", "The text is elsewhere. ".repeat(20));
    assert!(text(&wrong).contains("elsewhere"));
    let unclosed = format!("<p>Intro</p><nav><a href=x>Home</a><p>{}</p>", "Nobody closed the navigation. ".repeat(20));
    assert!(text(&unclosed).contains("Nobody closed"));
}

#[test]
fn tables_that_lay_out_a_page() {
    assert_eq!(
        text("<table><tr><td>menu<td><h2>Title</h2><p>Text</p><table><tr><td>a<td>b<tr><td>c<td>d</table></table>"),
        "menu\n\n## Title\n\nText\n\n| a | b |\n| --- | --- |\n| c | d |\n"
    );
    assert_eq!(text("<table><tr><td>Note<td>Take care.</table>"), "Note\n\nTake care.\n");
}

#[test]
fn chinese_lines_join_without_spaces() {
    assert_eq!(text("<p>这是一个\n  段落，用\nKubernetes\n的。</p>"), "这是一个段落，用 Kubernetes 的。\n");
}

#[test]
fn what_a_page_says_about_itself() {
    let page = "<html lang='zh-CN'><head><title>安全 – 手册</title><meta name=author content='张三'><meta \
        property='article:published_time' content='2023-07-28T08:00:00+08:00'>\
                <meta name=description content='关于安全'><meta name=keywords content='防火墙, nftables'></head><body><h1>\
                安全</h1><p>正文。</p>";
    let document = &load(&Html, "docs/a.html", page.as_bytes()).documents[0];
    assert_eq!((document.title.as_str(), document.language.as_deref()), ("安全", Some("zh")));
    assert_eq!(document.metadata.0["author"], Value::Text("张三".into()));
    assert_eq!(document.metadata.0["created"], Value::Date(Date { year: 2023, month: 7, day: 28 }));
    assert_eq!(document.metadata.0["description"], Value::Text("关于安全".into()));
    assert_eq!(
        document.metadata.0["keywords"],
        Value::List(vec![Value::Text("防火墙".into()), Value::Text("nftables".into())])
    );
    assert_eq!(document.metadata.0["type"], Value::Text("html".into()));
}

#[test]
fn charsets() {
    let page = "<html><head><meta charset='gb2312'></head><body><p>简体中文</p></body></html>";
    let bytes = encoding_rs::GBK.encode(page).0;
    assert_eq!(load(&Html, "a.html", &bytes).documents[0].text, "简体中文\n");
    let wrong = page.replace("gb2312", "iso-8859-1");
    assert_eq!(load(&Html, "a.html", wrong.as_bytes()).documents[0].text, "简体中文\n");
    let wide: Vec<u8> = std::iter::once(0xfeff).chain(page.encode_utf16()).flat_map(u16::to_be_bytes).collect();
    assert!(Html.accepts(Path::new("page"), &wide));
    assert_eq!(load(&Html, "a.html", &wide).documents[0].text, "简体中文\n");
}

#[test]
fn recognised_by_content() {
    let accepts = |name: &str, head: &str| Html.accepts(Path::new(name), head.as_bytes());
    assert!(accepts("page.txt", "\u{feff}<!DOCTYPE html><p>x"));
    assert!(accepts("a.htm", "<p>x"));
    assert!(!accepts("a.md", "<html>"));
    assert!(!accepts("a.html", "no mark-up"));
    assert!(!accepts("a.txt", "a text about <html>"));
}

#[test]
fn a_page_without_text_is_skipped() {
    let got = load(&Html, "a.html", b"<html><script>x</script></html>");
    assert_eq!(got.skipped, [("a.html".to_owned(), super::super::encoding::NotText::Blank.into())]);
}

#[test]
fn hostile_pages_take_linear_time() {
    for part in [
        "<div>",
        "<table><tr><td>",
        "<ul><li>",
        "<p><b>",
        "</div>",
        "<a href=#>",
        "<h1>",
        "<nav>x",
        "<td colspan=9999>x",
        "<dl><dt><dd>",
        "<pre>",
        "<div class=nav>y",
    ] {
        let page = format!("<p>start</p>{}end", part.repeat(100_000));
        // Time of this thread: a busy machine is not the page's fault.
        let started = cpu_time::ThreadTime::now();
        let got = load(&Html, "a.html", page.as_bytes());
        assert!(started.elapsed().as_secs() < 10, "{part} took {:?}", started.elapsed());
        assert_eq!(got.documents.len(), 1, "{part}");
    }
}

#[test]
fn images_carry_the_captions_of_their_figures() {
    let page = "<html><body><p>See <img alt='a map' src='m.png' title='Map'>.</p><figure><img alt='a cat' \
        src='c.jpg'><figcaption>Our <b>cat</b></figcaption></figure>\
                <table><caption>Sizes</caption><tr><td>1<td>2</tr><tr><td>3<td>4</tr></table></body></html>";
    let got = load(&Html, "a.html", page.as_bytes()).documents.remove(0);
    let found: Vec<(&str, &str, &str)> =
        got.images.iter().map(|image| (image.span.of(&got.text), image.alt.as_str(), image.caption.as_str())).collect();
    assert_eq!(found, [("![a map](m.png)", "a map", "Map"), ("![a cat](c.jpg)", "a cat", "Our cat")]);
}

#[test]
fn images_that_a_page_carries_are_named_by_their_hash() {
    use okno_document::{ImageHash, ImageSource};
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    let page = "<p>See <img alt='a map' src='data:image/png;base64,iVBORw0KGgoAAAANSUhEUg=='> and <img alt='no' \
        src='data:text/plain,x'>.</p>";
    let got = load(&Html, "a.html", page.as_bytes()).documents.remove(0);
    assert_eq!(got.text.trim_end(), format!("See ![a map]({}.png) and .", ImageHash::of(png)));
    assert_eq!(got.images.len(), 1);
    assert_eq!(got.images[0].source, ImageSource::Bytes(png.to_vec()));
    let mut seen = got;
    crate::look_at_own_images(&mut seen, None);
    assert_eq!(seen.images[0].seen.as_ref().map(|seen| seen.hash), Some(ImageHash::of(png)));
}
