//! The comparison as a page: the report's own style and its rules about text.

use crate::locale::Lang;
use okno_evaluate::report::{both, page as whole, text};
use okno_evaluate::sides::{Side, answering, part, parts};
use std::fmt::Write;

pub fn page(question: &str, sides: &[Side], gold: Option<&str>, language: Lang) -> String {
    let mut body = format!(
        "<header><p class=\"eyebrow\">{}</p><h1>{}</h1><p class=\"facts\">{}</p></header><section><div \
         class=\"sides\">",
        both("Okno comparison", "Okno 对比"),
        text(question),
        both(
            "What only one recipe returned has a coloured ground and a + in front.",
            "只有一个方案返回的内容带底色，并以 + 开头。"
        )
    );
    for own in 0..sides.len() {
        body += &side(sides, own, gold);
    }
    whole(&format!("Okno · {question}"), &(body + "</div></section>\n"), language == Lang::Zh)
}

fn side(sides: &[Side], own: usize, gold: Option<&str>) -> String {
    let side = &sides[own];
    let found = gold.map(|gold| answering(side, gold));
    let class = match &found {
        Some(Some(_)) => " has",
        Some(None) => " lacks",
        None => "",
    };
    let tokens = side.answer.tokens();
    let mut out = format!(
        "<div class=\"side{class}\"><h4><code>{}</code> <small>{}</small></h4>",
        text(&side.name),
        both(&format!("{tokens} tokens"), &format!("{tokens} 个词元"))
    );
    match found {
        Some(Some(found)) => {
            let _ = write!(out, "<p class=\"gold\">✓ <mark>{}</mark></p>", text(&found.sentence));
        }
        Some(None) => {
            let _ = write!(out, "<p class=\"gold\">✗ {}</p>", both("does not return the answer", "没有返回答案"));
        }
        None => (),
    }
    for context in &side.answer.contexts {
        let _ = write!(out, "<p class=\"where\">{}</p><blockquote>", text(&context.document));
        for (span, alone) in parts(context, sides, own) {
            let words = text(part(context, span));
            let _ = if alone { write!(out, "<span class=\"only\">+ {words}</span>") } else { write!(out, "{words}") };
        }
        out += "</blockquote>";
    }
    out + "</div>"
}
