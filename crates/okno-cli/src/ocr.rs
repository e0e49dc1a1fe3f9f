//! OCR of images.
//!
//! `OKNO_OCR` names the folder of the networks, or is `off`; otherwise the model `rapidocr` is used, if it is
//! installed.

use okno::load::ImageReader;
use std::sync::Arc;

/// The OCR; `None` if its networks are not installed: images are then found by their
/// captions and surrounding text only.
#[cfg(feature = "ocr")]
pub fn reader() -> anyhow::Result<Option<Arc<dyn ImageReader>>> {
    use okno_models::ocr::Ocr;
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
    let ocr = Ocr::open(&folder)?;
    #[cfg(feature = "page-pictures")]
    let ocr = crate::page_ocr::PageOcr::new(ocr)?;
    Ok(Some(Arc::new(ocr)))
}

/// This program was built without OCR.
#[cfg(not(feature = "ocr"))]
#[allow(clippy::unnecessary_wraps)] // the other one can fail
pub fn reader() -> anyhow::Result<Option<Arc<dyn ImageReader>>> {
    Ok(None)
}
