//! The conversation with an index, kept for `okno ask --continue`: the last turns of each index, in the user's own
//! state folder.

use okno::answer::Turn;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Turns that are kept of a conversation.
const TURNS: usize = 10;

/// Indexes whose last conversation is kept.
const INDEXES: usize = 20;

/// The name of an index, and the turns of the last conversation with it.
type Conversation = (String, Vec<Turn>);

/// The file, where there is a place for it.
fn file() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let states = folder("XDG_STATE_HOME").or_else(|| folder("LOCALAPPDATA"));
    let states = states.or_else(|| Some(folder("HOME")?.join(".local/state")))?;
    Some(states.join("okno").join("conversations.json"))
}

/// All conversations, the latest first; none where there is no file, or one that cannot be read.
fn all() -> Vec<Conversation> {
    let text = file().and_then(|file| std::fs::read(file).ok()).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

fn name(index: &Path) -> String {
    std::fs::canonicalize(index).unwrap_or_else(|_| index.to_owned()).display().to_string()
}

/// The turns of the last conversation with an index.
pub fn turns(index: &Path) -> Vec<Turn> {
    let name = name(index);
    all().into_iter().find(|(index, _)| *index == name).map(|(_, turns)| turns).unwrap_or_default()
}

/// Keeps a conversation in place of the last one. Where it cannot be written there is nothing to continue.
pub fn keep(index: &Path, mut turns: Vec<Turn>) {
    let index = name(index);
    turns.drain(..turns.len().saturating_sub(TURNS));
    let mut kept = all();
    kept.retain(|(other, _)| *other != index);
    kept.insert(0, (index, turns));
    kept.truncate(INDEXES);
    let _ = write(&kept);
}

/// Written beside and moved into place: only the user can read it.
fn write(kept: &[Conversation]) -> std::io::Result<()> {
    let Some(file) = file() else { return Ok(()) };
    let folder = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut written = tempfile::NamedTempFile::new_in(folder)?;
    written.write_all(&serde_json::to_vec_pretty(kept)?)?;
    written.persist(&file)?;
    Ok(())
}
