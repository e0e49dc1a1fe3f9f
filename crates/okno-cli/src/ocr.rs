//! Who reads the text in images: the OCR networks, where they are.
//!
//! `OKNO_OCR` names their folder, or is `off`; otherwise they are looked for among the user's models, under `rapidocr`.

use okno::Engine;
use okno::load::TextOfImage;

/// Who reads, and how. Where there are no networks nobody does, and that is no error: images are then found by their words only.
#[cfg(feature = "ocr")]
pub fn reader() -> anyhow::Result<Option<(String, TextOfImage)>> {
    use okno_models::ocr::Ocr;
    use std::sync::Arc;
    let given = std::env::var_os("OKNO_OCR").filter(|value| !value.is_empty());
    let folder = match given {
        Some(off) if off == "off" => return Ok(None),
        Some(folder) => std::path::PathBuf::from(folder),
        None => match models().map(|models| models.join("rapidocr")).filter(|folder| folder.is_dir()) {
            Some(folder) => folder,
            None => return Ok(None),
        },
    };
    let ocr = Arc::new(Ocr::open(&folder)?);
    Ok(Some((ocr.identity().to_owned(), ocr.reader())))
}

/// The folder of the user's models.
#[cfg(feature = "ocr")]
fn models() -> Option<std::path::PathBuf> {
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(std::path::PathBuf::from);
    let own = || folder("XDG_DATA_HOME").or_else(|| folder("LOCALAPPDATA"));
    let data = || own().or_else(|| Some(folder("HOME")?.join(".local").join("share")));
    folder("OKNO_MODELS").or_else(|| Some(data()?.join("okno").join("models")))
}

/// Built without them.
#[cfg(not(feature = "ocr"))]
#[allow(clippy::unnecessary_wraps)] // the other one can fail
pub fn reader() -> anyhow::Result<Option<(String, TextOfImage)>> {
    Ok(None)
}

/// Lets an engine read images.
pub fn set(engine: &mut Engine) -> anyhow::Result<()> {
    if let Some((identity, reader)) = reader()? {
        engine.set_image_reader(&identity, reader);
    }
    Ok(())
}
