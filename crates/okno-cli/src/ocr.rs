//! OCR of images.
//!
//! `OKNO_OCR` names the folder of the networks, or is `off`; otherwise the model `rapidocr` is used, if it is
//! installed.

use okno::Engine;
use okno::load::TextOfImage;

/// The OCR callback with its identity; `None` if its networks are not installed: images are then found by their
/// captions and surrounding text only.
#[cfg(feature = "ocr")]
pub fn reader() -> anyhow::Result<Option<(String, TextOfImage)>> {
    use okno_models::ocr::Ocr;
    use std::sync::Arc;
    let given = std::env::var_os("OKNO_OCR").filter(|value| !value.is_empty());
    let folder = match given {
        Some(off) if off == "off" => return Ok(None),
        Some(folder) => std::path::PathBuf::from(folder),
        // A missing model is not an error.
        None => match okno_models::shelf::Shelf::of_user().and_then(|shelf| shelf.get("rapidocr")) {
            Ok(model) => model.folder,
            Err(_) => return Ok(None),
        },
    };
    let ocr = Arc::new(Ocr::open(&folder)?);
    Ok(Some((ocr.identity().to_owned(), ocr.reader())))
}

/// This program was built without OCR.
#[cfg(not(feature = "ocr"))]
#[allow(clippy::unnecessary_wraps)] // the other one can fail
pub fn reader() -> anyhow::Result<Option<(String, TextOfImage)>> {
    Ok(None)
}

/// Sets the OCR callback.
pub fn set(engine: &mut Engine) -> anyhow::Result<()> {
    if let Some((identity, reader)) = reader()? {
        engine.set_image_reader(&identity, reader);
    }
    Ok(())
}
