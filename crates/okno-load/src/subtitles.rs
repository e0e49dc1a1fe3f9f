//! Subtitles (SRT, WebVTT): what was said, as running text. The moments are its pages, so that a citation says when.

use std::path::Path;

use super::rendering::Rendering;
use super::{Loader, Sink, SkipReason, Source, audio, has_extension, textual};
use okno_document::{BlockKind, Metadata, Value};

/// Silence longer than this (milliseconds) starts a paragraph.
const PAUSE: u64 = 3000;
/// A paragraph that ends a sentence after so many letters is long enough.
const LONG: usize = 600;

/// Reads `.srt` and `.vtt` files.
#[derive(Debug, Clone, Copy, Default)]
pub struct Subtitles;

impl Loader for Subtitles {
    fn accepts(&self, path: &Path, head: &[u8]) -> bool {
        let unnamed = path.extension().is_none() && head.starts_with(b"WEBVTT");
        (has_extension(path, &["srt", "vtt"]) || unnamed) && textual(path, head)
    }

    fn load(&self, source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason> {
        let text = source.text()?;
        let cues = cues(&text);
        if cues.is_empty() {
            return Err(SkipReason::NoSubtitles);
        }
        let mut metadata = Metadata::default();
        metadata.set("title", Value::Text(source.stem()));
        audio::name_recording(&mut metadata, source);
        let kind = if has_extension(source.path, &["vtt"]) { "vtt" } else { "srt" };
        out.document(render(&cues).finish(source, kind, metadata)?);
        Ok(())
    }
}

/// What is shown at once.
struct Cue {
    start: u64,
    end: u64,
    text: String,
}

/// Reads the cues: a line with times, then text up to a blank line. Numbers, notes and styles stand outside of them.
fn cues(text: &str) -> Vec<Cue> {
    let mut cues: Vec<Cue> = Vec::new();
    let mut open = false;
    for line in text.lines().map(str::trim) {
        if let Some((start, end)) = times(line) {
            cues.push(Cue { start, end, text: String::new() });
            open = true;
        } else if line.is_empty() {
            open = false;
        } else if let Some(cue) = cues.last_mut().filter(|_| open) {
            super::rendering::join(&mut cue.text, &plain(line));
        }
    }
    cues.retain(|cue| !cue.text.is_empty());
    // Captions that roll up repeat the line before.
    cues.dedup_by(|next, before| {
        let same = next.text == before.text;
        before.end = if same { next.end } else { before.end };
        same
    });
    cues
}

/// `00:00:01,000 --> 00:00:02.500 align:start` in milliseconds.
fn times(line: &str) -> Option<(u64, u64)> {
    let (start, rest) = line.split_once("-->")?;
    Some((moment(start.trim())?, moment(rest.split_whitespace().next()?)?))
}

fn moment(text: &str) -> Option<u64> {
    let (whole, part) = text.split_once([',', '.']).unwrap_or((text, "0"));
    let mut seconds: u64 = 0;
    for field in whole.split(':') {
        seconds = seconds.checked_mul(60)?.checked_add(field.trim().parse().ok()?)?;
    }
    seconds.checked_mul(1000)?.checked_add(part.parse::<u64>().ok()?.min(999))
}

/// A line without tags (`<i>`, `<v Ann>`, `{\an8}`) and with its entities resolved.
fn plain(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut closing = None;
    for c in line.chars() {
        match (closing, c) {
            (None, '<') => closing = Some('>'),
            (None, '{') => closing = Some('}'),
            (Some(end), c) if c == end => closing = None,
            (None, c) => out.push(c),
            (Some(_), _) => {}
        }
    }
    // An opening sign that never closes is no tag.
    let out = if closing.is_some() { line.to_owned() } else { out };
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&nbsp;", " "), ("&lrm;", ""), ("&rlm;", ""), ("&amp;", "&")];
    entities.iter().fold(out, |text, (name, sign)| text.replace(name, sign)).trim().to_owned()
}

fn render(cues: &[Cue]) -> Rendering {
    let mut rendering = Rendering::default();
    let mut text = String::new();
    let mut moments: Vec<(u64, usize)> = Vec::new();
    let mut last_end: u64 = 0;
    for cue in cues {
        let paused = cue.start > last_end.saturating_add(PAUSE);
        let said = text.ends_with(['.', '!', '?', '。', '！', '？', '…']);
        let speaker =
            cue.text.starts_with(['-', '–']) || cue.text.split_once(':').is_some_and(|(name, _)| is_name(name));
        if !text.is_empty() && (paused || speaker || (said && text.len() > LONG)) {
            write(&mut rendering, &mut text, &mut moments);
        }
        super::rendering::join(&mut text, &cue.text);
        moments.push((cue.start, text.len() - cue.text.len()));
        last_end = cue.end;
    }
    write(&mut rendering, &mut text, &mut moments);
    rendering
}

/// `ANN`, `Dr. Lee`: who speaks, before a colon.
fn is_name(words: &str) -> bool {
    words.len() <= 24 && words.starts_with(char::is_uppercase) && words.split(' ').count() <= 3
}

fn write(rendering: &mut Rendering, text: &mut String, moments: &mut Vec<(u64, usize)>) {
    let start = rendering.raw(BlockKind::Paragraph, text);
    for (moment, at) in moments.drain(..) {
        let seconds = moment / 1000;
        let label = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
        rendering.page_at(label, start + at);
    }
    text.clear();
}

#[cfg(test)]
mod tests {
    use super::super::tests::load;
    use super::*;

    #[test]
    fn what_was_said_and_when() {
        let srt = "1\r\n00:00:01,000 --> 00:00:02,000\r\n<i>Hello &amp; welcome</i>\r\nto the talk.\r\n\r\n2\r\n\
            00:00:02,100 --> 00:00:04,000\r\n我们开始\r\n\r\n\
                   3\r\n00:00:04,000 --> 00:00:05,000\r\n吧。\r\n\r\n4\r\n01:02:03,000 --> 01:02:04,000\r\nLater.\r\n";
        let got = load(&Subtitles, "talk.srt", srt.as_bytes()).documents.remove(0);
        assert_eq!(got.text, "Hello & welcome to the talk. 我们开始吧。\n\nLater.\n");
        let places: Vec<(&str, &str)> =
            got.pages.iter().map(|page| (page.label.as_str(), &got.text[page.start as usize..])).collect();
        assert_eq!(places[0].0, "00:00:01");
        assert!(places[1].0 == "00:00:02" && places[1].1.starts_with("我们"), "{places:?}");
        assert!(places[2].1.starts_with("吧。"));
        assert_eq!(places[3], ("01:02:03", "Later.\n"));
    }

    #[test]
    fn web_subtitles() {
        let vtt = "WEBVTT\n\nNOTE not said\n\nSTYLE\n::cue {}\n\nintro\n00:01.000 --> 00:02.000 align:start\n<v \
            Ann>Yes.\n\n00:03.000 --> 00:04.000\nYes.\n";
        let got = load(&Subtitles, "talk.vtt", vtt.as_bytes()).documents.remove(0);
        assert_eq!(got.text, "Yes.\n");
        assert_eq!(got.pages[0].label, "00:00:01");
        assert_eq!(load(&Subtitles, "a.srt", b"just words").skipped[0].1, SkipReason::NoSubtitles);
    }
}
