//! Recordings are represented by the transcript beside them.
//!
//! `talk.mp3` next to `talk.srt`, `talk.vtt` or `talk.txt` is that document, which says so in its metadata (`audio`).
//! A recording without a transcript is skipped, with what to do about it.

use std::path::Path;

use super::{Loader, Sink, SkipReason, Source, has_extension};
use okno_document::{Metadata, Value};

const RECORDINGS: [&str; 13] =
    ["mp3", "m4a", "wav", "flac", "ogg", "opus", "aac", "wma", "mp4", "mkv", "mov", "webm", "avi"];
const TRANSCRIPTS: [&str; 3] = ["srt", "vtt", "txt"];

/// Accepts recordings, and gives no documents: their transcripts do.
#[derive(Debug, Clone, Copy, Default)]
pub struct Recording;

impl Loader for Recording {
    fn accepts(&self, path: &Path, head: &[u8]) -> bool {
        // A text that is only called so is a text.
        has_extension(path, &RECORDINGS) && head.iter().any(|byte| *byte < 9)
    }

    fn load(&self, source: &Source<'_>, _: &mut dyn Sink) -> Result<(), SkipReason> {
        if is_file(source) && TRANSCRIPTS.iter().any(|kind| source.path.with_extension(kind).is_file()) {
            return Ok(());
        }
        Err(SkipReason::NoTranscript { stem: source.stem() })
    }

    fn streams(&self) -> bool {
        true
    }
}

/// Whether the source is a file, and not bytes that only have a name.
fn is_file(source: &Source<'_>) -> bool {
    source.content.is_none() || source.path.is_absolute()
}

/// Names the recording that a transcript stands for.
pub(super) fn name_recording(metadata: &mut Metadata, source: &Source<'_>) {
    if !is_file(source) {
        return;
    }
    let beside = RECORDINGS.iter().map(|kind| source.path.with_extension(kind)).find(|path| path.is_file());
    if let Some(name) = beside.as_deref().and_then(Path::file_name) {
        metadata.0.entry("audio".to_owned()).or_insert_with(|| Value::Text(name.to_string_lossy().into_owned()));
    }
}
