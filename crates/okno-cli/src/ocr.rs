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
        // A shelf that cannot be found, or that has none, is no error: images are then found by their words only.
        None => match okno_models::shelf::Shelf::of_user().and_then(|shelf| shelf.get("rapidocr")) {
            Ok(model) => model.folder,
            Err(_) => return Ok(None),
        },
    };
    let ocr = Arc::new(Ocr::open(&folder)?);
    Ok(Some((ocr.identity().to_owned(), ocr.reader())))
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
