//! Hits that have the form that a question asks for come first ([`AnswerForm`]): steps, lines that lead into a list, or
//! sentences that say what the thing asked about is, or each of the things that are compared.
//!
//! They are lifted before the best hits are compared once more: a step that was not among those thirty could not pass
//! the ingredients, whose short lines the title alone lifts. With that, and with steps that do not fit taken from the
//! first one on, .920 instead of .917 of the questions over recipes have their whole answer in 500 tokens, and no other
//! set moves. The lifts were chosen among four and six values on the sets they are measured on.

use super::blocks;
use super::fuse::Hit;
use super::views::{View, Views};
use crate::Result;
use crate::store::Snapshot;
use crate::text::terms::folded;
use crate::understand::{AnswerForm, Understood, without_article};

/// How much more a sentence counts that says what the thing asked about is, and one that is a step.
const DEFINITION: f32 = 2.0;
const STEP: f32 = 1.6;

/// The same for a line that leads into a list. At 1.3 and 1.6 no question of any set changes: those that this is for
/// ("Service 有哪几种类型") are not in them.
const LEAD_IN: f32 = 1.6;

/// The same for one that gives a figure of the kind asked for. Of 1.3, 1.6 and 2.0 the least: three more of the natural
/// questions that were looked at have their answer in 1,000 tokens, `rgb_zh_int` gains .02, `dragon_zh` .007, `squad`
/// .007, and nothing loses; at 1.6 `wiki2` loses .006 of its order.
const FIGURE: f32 = 1.3;

/// So many of the best hits are looked at: their texts must be unpacked for it. With all of them, up to two thousand,
/// one of 1,052 questions to six indexes gets another passage.
const LOOKED_AT: usize = 400;

/// Raises the hits that have the form of an answer, of hits that come best first; the best score stays what it was.
pub fn fitting(
    mut hits: Vec<Hit>,
    understood: &Understood,
    snapshot: &dyn Snapshot,
    views: &Views<'_>,
) -> Result<Vec<Hit>> {
    let subjects: Vec<String> = understood.subjects().into_iter().map(folded).collect();
    if understood.form.is_none() && subjects.is_empty() {
        return Ok(hits);
    }
    let best = |hits: &[Hit]| hits.iter().map(|hit| hit.score).fold(f32::MIN_POSITIVE, f32::max);
    let before = best(&hits);
    for hit in hits.iter_mut().take(LOOKED_AT) {
        let title = || Ok(snapshot.record(hit.run.document)?.title);
        let at = hit.run.anchor as usize;
        hit.score *= lift(understood.form.as_ref(), &subjects, at, &views[&hit.run.document], title)?;
    }
    let factor = before / best(&hits);
    for hit in &mut hits {
        hit.score *= factor;
    }
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.run.cmp(&b.run)));
    Ok(hits)
}

fn lift(
    form: Option<&AnswerForm>,
    subjects: &[String],
    at: usize,
    view: &View<'_>,
    title: impl Fn() -> Result<String>,
) -> Result<f32> {
    let sentence = || view.structure.sentences[at].span.of(&view.text);
    Ok(match form {
        Some(AnswerForm::Steps) if is_step(sentence()) => STEP,
        Some(AnswerForm::List) if blocks::announced(at, None, view).is_some() => LEAD_IN,
        Some(AnswerForm::Figure(figure)) if figure.is_in(sentence()) => FIGURE,
        _ if subjects.iter().any(|subject| defines(subject, sentence())) || opens(subjects, at, view, title)? => {
            DEFINITION
        }
        _ => 1.0,
    })
}

/// Whether a line is numbered, or something to type.
fn is_step(text: &str) -> bool {
    blocks::is_numbered(text) || text.strip_prefix("```").is_some_and(is_typed)
}

/// What a block of code is called that shows what a program says.
const PRINTED: [&str; 6] = ["text", "txt", "plain", "output", "log", "none"];

/// Whether a block of code is something to type, and not what a program says: its language is named, or its first line
/// begins with a prompt.
fn is_typed(fenced: &str) -> bool {
    let (language, code) = fenced.split_once('\n').unwrap_or((fenced, ""));
    let language = language.trim_start_matches('`').trim();
    let named = !language.is_empty() && !PRINTED.contains(&language.to_ascii_lowercase().as_str());
    named || code.trim_start().starts_with("$ ")
}

/// What is put around a subject.
const BRACKETS: &str = "【】[]()“”\"「」《》*_`";

/// What stands between a subject and what it is.
const SAYING: [&str; 14] =
    ["是", "指", "即", "为", "用于", "用来", ":", "—", "– ", "- ", "is ", "are ", "means ", "refers "];

/// Characters behind the subject that are looked at.
const HEAD: usize = 32;

/// Whether a sentence begins with its subject and says what it is: "A pod is …", "【焗(jú)】…", "**Taint**: …".
fn defines(subject: &str, sentence: &str) -> bool {
    let bracket = |c: char| BRACKETS.contains(c);
    let mark = |c: char| c.is_whitespace() || c.is_ascii_digit() || "-*+#>.)、_`".contains(c);
    let head: String = sentence.chars().take(subject.chars().count() + HEAD).collect();
    let head = folded(&head);
    let head = head.trim_start_matches(|c: char| mark(c) || bracket(c));
    let head = without_article(head).trim_start_matches(bracket);
    let Some(rest) = head.strip_prefix(subject) else { return false };
    let rest = rest.strip_prefix("es").or_else(|| rest.strip_prefix('s')).unwrap_or(rest);
    let rest = rest.trim_start_matches(['*', '_', '`', '"', '”', ' ']);
    let gloss = rest.strip_prefix('(').and_then(|gloss| gloss.split_once(')'));
    let rest = gloss.map_or(rest, |(_, rest)| rest);
    let bare = rest.trim_start_matches(|c: char| c.is_whitespace() || bracket(c));
    rest.starts_with('】') || SAYING.iter().any(|word| bare.starts_with(word))
}

/// Whether a sentence is in the first paragraph below a title or a heading that is one of the subjects.
fn opens(subjects: &[String], at: usize, view: &View<'_>, title: impl Fn() -> Result<String>) -> Result<bool> {
    if subjects.is_empty() {
        return Ok(false);
    }
    let View { structure, text } = view;
    let section = structure.section(at);
    let Some(first) = section.clone().find(|&at| !structure.sentences[at].heading) else { return Ok(false) };
    let end = (first + 1..section.end).find(|&next| !structure.sentences[next].attached).unwrap_or(section.end);
    if !(first..end).contains(&at) {
        return Ok(false);
    }
    let is_one = |heading: &str| subjects.iter().any(|subject| is_named(subject, heading));
    let heading = structure.sections[structure.section_number(at)].path.last().map(|heading| heading.of(text));
    Ok(heading.is_some_and(is_one) || section.start == 0 && is_one(&title()?))
}

/// Whether a heading is the subject, also in the plural or as a question.
fn is_named(subject: &str, heading: &str) -> bool {
    let heading = folded(heading);
    let words = heading.trim().trim_end_matches('?');
    let words = words.strip_prefix("what is ").or_else(|| words.strip_prefix("什么是")).unwrap_or(words);
    let singular = |words: &str| words.trim_end_matches('s').to_owned();
    singular(without_article(words)) == singular(subject)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_that_begins_with_its_subject_and_says_what_it_is_defines_it() {
        for (subject, sentence) in [
            ("焗", "【焗(jú)】利用灼热的粗盐等将食物致熟的烹调方法。"),
            ("pod", "A *Pod* is a group of containers."),
            ("pod", "Pods are the smallest units."),
            ("taint", "- **Taint**: keeps pods away"),
            ("污点", "污点（Taint）是节点的属性。"),
        ] {
            assert!(defines(subject, sentence), "{sentence}");
        }
        for (subject, sentence) in
            [("pod", "The pod template is a part of it."), ("焗", "- 盐焗鸡粉 5g"), ("pod", "pod")]
        {
            assert!(!defines(subject, sentence), "{sentence}");
        }
    }

    #[test]
    fn numbered_lines_and_commands_are_steps() {
        assert!(
            ["1. Wash it.", "2) Cut it.", "3、炒", "```sh\nmake\n```", "```\n$ make\n```"].into_iter().all(is_step)
        );
        // The error of a conflict came first for 如何限制 Pod 的 CPU.
        assert!(!["```\nPod \"web\" is invalid\n```", "```text\nKilled\n```"].into_iter().any(is_step));
        assert!(!["- salt", "12 eggs", "2024 was dry", ""].into_iter().any(is_step));
    }

    #[test]
    fn a_heading_may_be_plural_or_a_question() {
        for heading in ["Finalizers", "What is a Finalizer?", "The finalizer", "finalizer"] {
            assert!(is_named("finalizer", heading), "{heading}");
        }
        assert!(!is_named("finalizer", "Finalizers and owners"));
    }
}
