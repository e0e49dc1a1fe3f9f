//! A run of lines without a blank one between them comes in; out go its paragraphs.
//!
//! Two habits collide here. Markdown and mails break *one* paragraph over many lines at a fixed width. Chinese text
//! files, transcripts and exported records put *one paragraph on every line*. Nothing in the file says which; the
//! lines themselves do:
//!
//! 1. **Every line ends a sentence** – each line is a paragraph. If the lines were wrapped after all, only a
//!    paragraph got shorter:
//!    no sentence is cut.
//! 2. **Some lines end inside a sentence.** Text wrapped at a width has lines of about that width, and a width is 40
//!    to 130 columns
//!    (a Chinese character counts two). If so – at most a third of the lines that break a sentence are shorter than
//!    60 % of the longest
//!    one – the whole run is one paragraph. Unless most of its lines start with a capital, which in wrapped text few
//!    do: a list of records.
//! 3. **Otherwise the lines are names, titles, verses, records**: each line is a paragraph, except where the break is
//!    plainly inside
//!    a sentence (the line ends with a comma or a particle, or the next one starts with a lower-case letter, a link,
//!    code or a
//!    bracket) – and three or more short lines with no stop at all are names even then.
//!
//! Whatever the rule says, a line that starts with an ideographic space, or that is indented after the end of a
//! sentence, starts a paragraph; and `: text` under a term stays with its term. The width of a text is measured
//! without the addresses of its links, but a line is full with them.
//!
//! Measured on the Markdown of the Kubernetes documentation, where by the rules of Markdown every run is one
//! paragraph: of 13 225 line ends inside English ones 8.5 % split it, all but 0.4 % at the end of a sentence; of 9
//! 013 inside Chinese ones 22 % and 0.9 %, for its authors like one sentence per line. On two long texts with one
//! paragraph on each of their 693 lines, 3 pairs are joined.

use std::ops::Range;

use super::lines::{LineSpan, columns, indent, list_marker};

/// Nobody wraps text narrower or wider than this: mails use 72, Markdown 80 to 120, and prose on one line is longer.
const NARROWEST: usize = 40;
const WIDEST: usize = 130;
/// A line this much shorter than the longest was not broken because it was full.
const FULL_PERCENT: usize = 60;

/// Characters that end no line of their own: `这是我的` and `これは父の` want the next one.
const PARTICLES: [char; 16] =
    ['的', '之', '和', '与', '與', '及', '或', '把', '被', 'の', 'を', 'に', 'は', 'が', 'と', 'で'];

/// What the rule looks at in one line.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "five independent answers about one line")]
struct Look {
    /// Columns as they are in the file, and without link addresses.
    columns: usize,
    visible: usize,
    ends_sentence: bool,
    ends_clause: bool,
    /// The sentence goes on at the next line whatever the widths are.
    goes_on: bool,
    starts_paragraph: bool,
    /// The next line starts with a capital, a digit or a quote.
    next_is_name: bool,
}

/// Calls `each` with the line indices of every paragraph of the run, in order. The lines are given as their text.
pub(super) fn paragraphs(text: &str, run: &[LineSpan], mut each: impl FnMut(Range<usize>)) {
    if run.len() < 2 {
        return each(0..run.len());
    }
    let looks: Vec<Look> = (0..run.len()).map(|i| look(text, run, i)).collect();
    let (wrapped, names) = (wrapped(&looks), names(&looks));
    let mut start = 0;
    for i in 1..run.len() {
        let joined = wrapped || (looks[i - 1].goes_on && !names);
        if looks[i].starts_paragraph || !joined {
            each(start..i);
            start = i;
        }
    }
    each(start..run.len());
}

/// Three and more short lines without a single stop: a list of words, capitals or not.
fn names(looks: &[Look]) -> bool {
    looks.len() > 2 && looks.iter().all(|look| !look.ends_sentence && !look.ends_clause && look.columns < NARROWEST)
}

fn wrapped(looks: &[Look]) -> bool {
    let longest = looks.iter().map(|look| look.visible).max().unwrap_or(0);
    let widest = looks.iter().map(|look| look.columns).max().unwrap_or(0);
    let broken = looks[..looks.len() - 1].iter().filter(|look| !look.ends_sentence);
    let early = broken.clone().filter(|look| !look.goes_on && look.columns * 100 < longest * FULL_PERCENT).count();
    let records = broken.clone().filter(|look| look.next_is_name).count();
    let broken = broken.count();
    let listed = broken >= 3 && records * 3 >= broken * 2;
    broken > 0 && !listed && widest >= NARROWEST && longest <= WIDEST && early * 3 <= broken
}

fn look(text: &str, run: &[LineSpan], i: usize) -> Look {
    let line = bare(run[i].of(text));
    let next = run.get(i + 1).map_or("", |next| bare(next.of(text)));
    let before = i.checked_sub(1).map(|p| run[p].of(text));
    let (width, ends_sentence) = (columns(line), ends_sentence(line));
    let opening = next.chars().next().unwrap_or(' ');
    // Authors break a line before a link or a code word because it is long; a list of links has them on both lines.
    let long_word = matches!(opening, '[' | '`' | '(' | '（' | '{') && !line.starts_with(opening);
    let continued =
        opening.is_lowercase() || long_word || line.ends_with([',', '，', '、']) || line.ends_with(PARTICLES);
    Look {
        columns: width,
        visible: visible_columns(line, width),
        ends_sentence,
        ends_clause: line.ends_with([',', '，', '、', ':']) || next.starts_with(": "),
        goes_on: next.starts_with(": ") || (!ends_sentence && continued),
        next_is_name: opening.is_uppercase() || opening.is_numeric() || opening == '"',
        starts_paragraph: before.is_some_and(|before| starts_paragraph(before, run[i].of(text))),
    }
}

/// The line without quote marks and the white space around it.
fn bare(line: &str) -> &str {
    line.trim_start_matches([' ', '\t', '>']).trim_end()
}

fn starts_paragraph(before: &str, line: &str) -> bool {
    let indented = indent(line).0 >= indent(before).0 + 2;
    line.starts_with('\u{3000}') || (indented && ends_sentence(before.trim_end()))
}

/// Whether a line ends a sentence, or introduces something with a colon; closing quotes, brackets and emphasis may
/// follow.
fn ends_sentence(line: &str) -> bool {
    let closing = ['”', '’', '"', '\'', ')', '）', ']', '】', '」', '』', '》', '*', '_', '`'];
    line.trim_end_matches(closing).ends_with(['.', '!', '?', '。', '！', '？', '…', ':', '：', ';', '；'])
}

/// The columns of a line, `total` in all, without its link addresses: `[words](address)` is as wide as `[words]`.
fn visible_columns(line: &str, mut total: usize) -> usize {
    let mut rest = line;
    while let Some(open) = rest.find("](") {
        let Some(close) = rest[open..].find(')') else { break };
        total -= columns(&rest[open + 1..=open + close]);
        rest = &rest[open + close + 1..];
    }
    total
}

/// Whether a plain-text line starts something of its own inside a run: a list item.
pub(super) fn starts_item(line: &str) -> bool {
    let line = line.trim_start();
    list_marker(line).is_some_and(|width| width < line.len()) || line.starts_with(['•', '●', '▪', '◦'])
}

#[cfg(test)]
mod tests {
    use super::super::lines::lines;
    use super::*;

    fn split(text: &str) -> Vec<&str> {
        let run: Vec<LineSpan> = lines(text, 0..text.len()).collect();
        let mut found = Vec::new();
        paragraphs(text, &run, |r| found.push(&text[run[r.start].start..run[r.end - 1].end]));
        found
    }

    #[test]
    fn wrapped_text_is_one_paragraph() {
        let english = "The present study is a history of the DEWEY Decimal\nClassification.  The first edition of the \
            DDC was published\n\
                       in 1876, the eighteenth edition in 1971, and future editions\nwill continue to appear as \
                       needed.";
        assert_eq!(split(english), [english]);
        let chinese = "在网络语境中，容器运行时（Container Runtime）是在节点上的守护进程，\n被配置用来为 kubelet 提供 CRI 服务。具体而言，\
                       容器运行时必须配置为加载所需的\nCNI 插件，从而实现 Kubernetes 网络模型。";
        assert_eq!(split(chinese), [chinese]);
    }

    #[test]
    fn a_link_is_as_wide_as_its_words() {
        let text = "You must use a CNI plugin that is compatible with the\n\
                    [v0.4.0](https://example.org/a/very/long/address/that/would/be/wider/than/anything/else/SPEC.md) \
                    or later\n\
                    releases of the specification.";
        assert_eq!(split(text).len(), 1);
    }

    #[test]
    fn a_paragraph_on_every_line() {
        let news = "第一段讲了一件事。它很重要。\n第二段讲了另一件事，也很重要！\n“第三段是引语。”";
        assert_eq!(split(news).len(), 3);
        let long = format!("{}\n{}\nTitle\n{}", "word ".repeat(60), "Word ".repeat(80), "Word ".repeat(50));
        assert_eq!(split(&long).len(), 4);
    }

    #[test]
    fn names_titles_and_verses_stay_apart() {
        assert_eq!(split("土豆\n西红柿\n鸡蛋").len(), 3);
        assert_eq!(split("bread\nmilk, two bottles\nhoney").len(), 3);
        assert_eq!(split("it was cold\nthat night\nin the city.").len(), 1, "a stop makes it a sentence");
        assert_eq!(split("这本书是我父亲的\n朋友写的。").len(), 1, "no title ends with a particle");
        let records = "Picturesque Children of the Allies ; J. Salmon , 1916\nNational Mission ; Society for the \
            Preservation of Knowledge , 1916\n\
                       Shakespeare's Boy Characters ; C. W. Faulkner , 1917\nShakespeare's Girl Characters ; C. W. \
                       Faulkner , 1920";
        assert_eq!(split(records).len(), 4);
        assert_eq!(split("Alice Smith\nBob\nCarol Jones").len(), 3);
        assert_eq!(
            split("A title without an end\nA paragraph that is much longer than the title above it, in one line.")
                .len(),
            2
        );
    }

    #[test]
    fn indentation_starts_paragraphs() {
        assert_eq!(split("　　第一段，没有句号\n　　第二段").len(), 2);
        let text = "experimental investigation of the aerodynamics of a\nwing in a slipstream .\n  an experimental \
            study of a wing in a \
                    propeller slipstream was\nmade in order to determine the spanwise distribution";
        assert_eq!(split(text).len(), 2);
    }

    #[test]
    fn a_definition_stays_with_its_term() {
        assert_eq!(split("etcd\n: Consistent and highly-available key value store for all API server data.").len(), 1);
    }
}
