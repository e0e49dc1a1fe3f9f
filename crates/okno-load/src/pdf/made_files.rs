//! Files that are made here: each has one habit of real files that was read wrongly, or not at all.

use super::super::tests::load;
use super::*;
use okno_document::{BlockKind, Loaded, table};

/// A page: what is in its dictionary beside the usual, and its content.
struct MadePage<'a>(&'a str, &'a str);

/// A file of pages, with objects from number 100 on.
fn made(pages: &[MadePage<'_>], objects: &[&str]) -> Vec<u8> {
    let kids: String = (0..pages.len()).map(|at| format!("{} 0 R ", 10 + 2 * at)).collect();
    let mut file = format!(
        "%PDF-1.7\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n\
         2 0 obj <</Type/Pages/Kids[{kids}]/Count {}>> endobj\n\
         3 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>> endobj\n",
        pages.len()
    );
    for (at, MadePage(more, content)) in pages.iter().enumerate() {
        let number = 10 + 2 * at;
        let resources = if more.contains("/Resources") { "" } else { "/Resources<</Font<</F 3 0 R>>>>" };
        file += &format!(
            "{number} 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents {} 0 R{resources}{more}>> endobj\n\
             {} 0 obj <</Length {}>> stream\n{content}\nendstream endobj\n",
            number + 1,
            number + 1,
            content.len()
        );
    }
    for (at, object) in objects.iter().enumerate() {
        file += &format!("{} 0 obj {object} endobj\n", 100 + at);
    }
    (file + "trailer <</Root 1 0 R/Size 200>>\n%%EOF\n").into_bytes()
}

fn read_made(pages: &[MadePage<'_>], objects: &[&str]) -> Loaded {
    let mut got = load(&Pdf::default(), "made.pdf", &made(pages, objects));
    assert_eq!(got.skipped, []);
    got.documents.remove(0)
}

/// Text at a place.
fn at(x: u32, y: u32, text: &str) -> String {
    format!("BT /F 10 Tf {x} {y} Td ({text}) Tj ET\n")
}

#[test]
fn fields_and_comments_are_read_and_hidden_ones_are_not() {
    let label = at(40, 702, "Name:");
    let annotations = "/Annots[100 0 R 101 0 R 102 0 R 103 0 R 104 0 R 106 0 R]";
    let form = "/Type/XObject/Subtype/Form/BBox[0 0 100 20]/Resources<</Font<</F 3 0 R>>>>";
    let content = "BT /F 10 Tf 2 5 Td (Drawn) Tj ET";
    let drawing = format!("<<{form}/Length {}>> stream\n{content}\nendstream", content.len());
    let got = read_made(
        &[MadePage(annotations, &label)],
        &[
            "<</Subtype/Widget/FT/Tx/V(Ann Lee)/Rect[80 700 200 714]>>",
            "<</Subtype/Widget/FT/Tx/V(other)/Rect[40 640 140 660]/AP<</N 105 0 R>>>>",
            "<</Subtype/Widget/FT/Tx/Ff 8192/V(secret)/Rect[40 600 140 620]>>",
            "<</Subtype/Text/T(Bo)/Contents(Please check.)/Rect[0 0 1 1]>>",
            "<</Subtype/Text/F 2/Contents(nobody sees this)/Rect[0 0 1 1]>>",
            &drawing,
            "<</Subtype/Widget/FT/Ch/V(b)/Opt[[(a)(Apple)][(b)(Birch)]]/Rect[40 560 140 580]>>",
        ],
    );
    assert_eq!(got.text, "Name: Ann Lee\n\nDrawn\n\nBirch\n\nBo: Please check.\n");
}

#[test]
fn letters_that_run_to_the_left_are_read_from_the_right() {
    let font = "<</Type/Font/Subtype/Type1/BaseFont/X/Encoding<</Differences[97/finalmem/vav/lamed/shin]>>>>";
    let got =
        read_made(&[MadePage("/Resources<</Font<</F 100 0 R>>>>", "BT /F 12 Tf 40 700 Td (12 abcd) Tj ET")], &[font]);
    assert_eq!(got.text, "שלום 12\n");
}

/// Glyph 3 is a space, and ASCII follows: nothing in the file says so but the widths.
#[test]
fn a_font_without_tables_is_read_by_the_usual_order_of_glyphs() {
    let font = "<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/DescendantFonts[101 0 R]>>";
    let read = |widths: &str| {
        let below = format!(
            "<</Type/Font/Subtype/CIDFontType2/BaseFont/X/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)\
             /Supplement 0>>/FontDescriptor 102 0 R/W[{widths}]>>"
        );
        let about = "<</Type/FontDescriptor/FontName/X/Flags 32/FontBBox[0 0 1000 1000]/Ascent 900/Descent -200\
                     /ItalicAngle 0/CapHeight 700/StemV 80>>";
        let page = "BT /F 12 Tf 40 700 Td <00360058005000500044> Tj ET";
        let bytes = made(&[MadePage("/Resources<</Font<</F 100 0 R>>>>", page)], &[font, &below, about]);
        load(&Pdf::default(), "made.pdf", &bytes)
    };
    // a b … e, h i j, l m n o p q, u, w, and digits.
    let usual =
        "19 28 572 54 54 549 68[556 613 476 613 561]75[618 253 253]79[253 930 618 604 613 613]88 88 618 90 90 778";
    assert_eq!(read(usual).documents.remove(0).text, "Summa\n");
    // Digits that are not equally wide: another order.
    let other = usual.replace("19 28 572", "19[572 300 572]");
    assert!(matches!(read(&other).skipped[0].1, SkipReason::UnknownLetters), "{:?}", read(&other).skipped);
}

#[test]
fn letters_drawn_twice_are_read_once() {
    let content: String = [(40, "B"), (48, "o"), (55, "l"), (58, "d")]
        .iter()
        .map(|(x, letter)| {
            format!("BT /F 12 Tf {x} 700 Td ({letter}) Tj ET BT /F 12 Tf {x}.3 700.2 Td ({letter}) Tj ET ")
        })
        .collect();
    assert_eq!(read_made(&[MadePage("", &content)], &[]).text, "Bold\n");
}

#[test]
fn a_drawn_font_has_its_own_units() {
    // The widths are pixels, and the size is what one of them measures.
    let glyph = "<</Length 10>> stream\n50 0 d0 f \nendstream";
    let font = "<</Type/Font/Subtype/Type3/FontMatrix[1 0 0 1 0 0]/FontBBox[0 0 1 1]/FirstChar 97/LastChar 98\
         /Widths[50 50]/CharProcs<</a 101 0 R/b 101 0 R>>/Encoding<</Differences[97/a/b]>>>>";
    let content = "BT /F 0.12 Tf 40 700 Td [(ab)-4000(a)] TJ 40 0 Td (b) Tj ET";
    let got = read_made(&[MadePage("/Resources<</Font<</F 100 0 R>>>>", content)], &[font, glyph]);
    assert_eq!(got.text, "aba b\n");
}

#[test]
fn slanted_lines_are_lines() {
    let content = at(40, 700, "Sales by year") + "BT /F 10 Tf 0.7071 0.7071 -0.7071 0.7071 100 500 Tm (January) Tj ET";
    let text = read_made(&[MadePage("", &content)], &[]).text;
    assert!(text.contains("January"), "{text}");
}

#[test]
fn pages_of_nothing_but_their_number_keep_it() {
    let pages: Vec<String> = (1..=3).map(|number| at(290, 400, &format!("Page {number}"))).collect();
    let pages: Vec<MadePage<'_>> = pages.iter().map(|content| MadePage("", content)).collect();
    let text = read_made(&pages, &[]).text;
    assert!(["Page 1", "Page 2", "Page 3"].iter().all(|words| text.contains(words)), "{text}");
}

#[test]
fn image_pages_among_others_are_told() {
    let image = "<</Type/XObject/Subtype/Image/Width 64/Height 64/BitsPerComponent 8/ColorSpace/DeviceGray\
         /Filter/DCTDecode/Length 4>> stream\n\u{1}\u{1}\u{1}\u{1}\nendstream";
    let words = at(40, 700, "The words of the first page.");
    let resources = "/Resources<</XObject<</I 100 0 R>>>>";
    let file = made(&[MadePage("", &words), MadePage(resources, "500 0 0 700 0 0 cm /I Do")], &[image]);
    let got = load(&Pdf::default(), "made.pdf", &file);
    assert_eq!(got.documents.len(), 1);
    assert_eq!(got.skipped, [("made.pdf".to_owned(), SkipReason::PagesWithoutText { images: 1, pages: 2 })]);
}

#[test]
fn unknown_letters_are_counted_and_the_others_read() {
    let font = "<</Type/Font/Subtype/Type1/BaseFont/X/Encoding<</Differences[200/nobody/knows]>>>>";
    let content = "BT /F 12 Tf 40 700 Td (Known words) Tj /U 12 Tf (\\310\\311) Tj ET";
    let file = made(&[MadePage("/Resources<</Font<</F 3 0 R/U 100 0 R>>>>", content)], &[font]);
    let got = load(&Pdf::default(), "made.pdf", &file);
    assert_eq!(got.documents[0].text, "Known words\n");
    assert_eq!(got.skipped, [("made.pdf".to_owned(), SkipReason::LettersNotRead { unknown: 2, letters: 13 })]);
}

/// The library makes room for every width between two codes, and for every code before the first.
#[test]
fn widths_of_codes_that_no_font_has_take_no_memory() {
    let simple = "<</Type/Font/Subtype/TrueType/BaseFont/X/FirstChar 4000000000/LastChar 4000000001/Widths[1 2]>>";
    let wide = "<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/DescendantFonts[101 0 R]>>";
    let below = "<</Type/Font/Subtype/CIDFontType2/BaseFont/X/W[0 4294967294 500]>>";
    for (font, objects) in [("100 0 R", [simple, below]), ("100 0 R", [wide, below])] {
        let resources = format!("/Resources<</Font<</F 3 0 R/U {font}>>>>");
        let content = "BT /U 12 Tf 40 600 Td (ab) Tj /F 12 Tf 0 100 Td (Known words) Tj ET";
        assert_eq!(read_made(&[MadePage(&resources, content)], &objects).text, "Known words\n");
    }
}

/// A row of a report: a label and figures, each right-aligned.
fn row(y: u32, label: &str, figures: [&str; 2]) -> String {
    let cell = |right: u32, figure: &str| at(right - 5 * figure.len() as u32, y, figure);
    at(40, y, label) + &cell(400, figures[0]) + &cell(500, figures[1])
}

#[test]
fn a_table_goes_on_over_the_page_break() {
    let first = at(40, 760, "Figures of the company, in millions:")
        + &row(700, "", ["2023", "2022"])
        + &row(688, "Revenue", ["1,200", "900"])
        + &row(676, "Cost of sales", ["800", "700"]);
    let second = row(760, "Operating income", ["400", "200"]) + &row(748, "Net income", ["300", "150"]);
    let got = read_made(&[MadePage("", &first), MadePage("", &second)], &[]);
    let tables: Vec<&str> = got
        .blocks
        .iter()
        .filter(|block| block.kind == BlockKind::Table)
        .map(|block| block.span.of(&got.text))
        .collect();
    assert_eq!(tables.len(), 1, "{}", got.text);
    let table = table::read(tables[0]).unwrap();
    assert_eq!(table.header, ["", "2023", "2022"]);
    assert_eq!(table.rows.last().unwrap(), &["Net income", "300", "150"]);
    let begins = &got.text[got.pages[1].start as usize..];
    assert!(begins.trim_start().starts_with("| Operating income"), "{begins}");
}

/// Anyone may read a file whose owner restricts only what is done with it.
#[test]
fn files_with_an_owner_password_alone_are_read() {
    let files: [&[u8]; 4] = [
        include_bytes!("../../tests/files/owner-rc4-40.pdf"),
        include_bytes!("../../tests/files/owner-rc4-128.pdf"),
        include_bytes!("../../tests/files/owner-aes-128.pdf"),
        include_bytes!("../../tests/files/owner-aes-256.pdf"),
    ];
    for bytes in files {
        let got = load(&Pdf::default(), "owner.pdf", bytes);
        assert_eq!(got.documents[0].text, "The owner may restrict printing, yet anyone may read this.\n");
    }
}

#[test]
fn comments_in_rich_text_are_read() {
    let got = read_made(
        &[MadePage("/Annots[100 0 R]", &at(40, 702, "Page"))],
        &["<</Subtype/Text/T(Bo)/RC(<p>Hello <b>World</b>!</p>)/Rect[0 0 1 1]>>"],
    );
    assert!(got.text.contains("Hello") && got.text.contains("World") && !got.text.contains('<'), "{}", got.text);
}

/// A program of a Chinese system wrote its strings as they were, and called them Latin.
#[test]
fn fonts_that_are_named_in_the_encoding_of_their_text() {
    let font = |name: &str| format!("<</Type/Font/Subtype/TrueType/BaseFont/{name}/Encoding/WinAnsiEncoding>>");
    let page = MadePage("/Resources<</Font<</F 100 0 R>>>>", "BT /F 10 Tf 40 700 Td <C4BFC2BC2041> Tj ET");
    assert_eq!(read_made(&[page], &[&font("#CB#CE#CC#E5")]).text, "目录 A\n");
    let page = MadePage("/Resources<</Font<</F 100 0 R>>>>", "BT /F 10 Tf 40 700 Td <C4BFC2BC2041> Tj ET");
    assert!(read_made(&[page], &[&font("Arial")]).text.starts_with("Ä¿Â¼"));
}

/// A head that begins on the second page was lost.
#[test]
fn running_heads_are_kept_once_and_interrupt_no_sentence() {
    let page = |number: u32, name: &str| {
        let head = if number > 1 { at(40, 780, "Annual report of the Tea Company") } else { String::new() };
        let line =
            |(at_line, word): (u32, &str)| at(40, 700 - 30 * at_line, &format!("{name} words tell {word} of tea."));
        let words = ["the price", "the harvest", "the taste", "the colour", "the origin", "the trade", "the future"];
        head + &(0..).zip(words).map(line).collect::<String>() + &at(40, 20, &format!("Page {number}"))
    };
    let contents = [page(1, "First"), page(2, "Second"), page(3, "Third"), page(4, "Fourth")];
    let pages: Vec<MadePage<'_>> = contents.iter().map(|content| MadePage("", content)).collect();
    let text = read_made(&pages, &[]).text;
    assert_eq!(text.matches("Annual report of the Tea Company").count(), 1, "{text}");
    let (second, head) = (text.find("Second words").unwrap(), text.find("Annual report").unwrap());
    assert!(second < head && head < text.find("Third words").unwrap(), "{text}");
    assert!(!text.contains("Page 2"), "{text}");
}

/// The foot of the first page and the stamp along its margin stood in the middle of a sentence.
#[test]
fn a_sentence_goes_on_behind_feet_and_stamps() {
    let page = |number: u32, name: &str| {
        let words = ["the price", "the harvest", "the taste", "the colour", "the origin", "the trade", "the future"];
        let line = |(at_line, word): (u32, &str)| at(40, 700 - 12 * at_line, &format!("{name} words tell {word} and"));
        let stamp = format!("BT /F 8 Tf 0 1 -1 0 20 100 Tm (stamped {number}) Tj ET ");
        (0..).zip(words).map(line).collect::<String>() + &at(40, 20, "Printed by the Tea Company") + &stamp
    };
    let contents = [page(1, "first"), page(2, "second"), page(3, "third")];
    let pages: Vec<MadePage<'_>> = contents.iter().map(|content| MadePage("", content)).collect();
    let text = read_made(&pages, &[]).text;
    assert!(text.contains("first words tell the future and second words tell the price and"), "{text}");
    assert_eq!(text.matches("Printed by").count(), 1, "{text}");
    assert!((1..4).all(|number| text.contains(&format!("stamped {number}"))), "{text}");
}

#[test]
fn the_number_of_a_note_stands_apart_from_its_text() {
    let content = "BT /F 6 Tf 40 104 Td (12) Tj /F 10 Tf 1 0 0 1 46.8 100 Tm (The note says x) Tj \
         /F 6 Tf 1 0 0 1 117 104 Tm (2) Tj /F 10 Tf 1 0 0 1 123 100 Tm (and more.) Tj ET";
    let text = read_made(&[MadePage("", content)], &[]).text;
    assert!(text.starts_with("12 The note says x2"), "{text}");
}

/// The column of numbers beside the second one hid the gutter between both.
#[test]
fn dots_that_lead_to_numbers_hide_no_columns() {
    let mut content = String::new();
    for line in 0..12 {
        let y = 700 - 12 * line;
        content += &at(40, y, "These are words of the first of two columns");
        content += &at(260, y, &format!("({line}) Name ...................................................."));
        content += &at(480, y, &format!("{}", 2000 + line));
    }
    let text = read_made(&[MadePage("", &content)], &[]).text;
    let (last, first) = (text.rfind("These are words").unwrap(), text.find("(0) Name").unwrap());
    assert!(last < first, "{text}");
}
