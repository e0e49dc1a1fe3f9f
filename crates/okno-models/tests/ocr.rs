//! Reading rendered images with the real networks. `OKNO_TEST_MODELS` names a shelf, or a folder that holds the
//! `rapidocr` wheel.
#![cfg(feature = "ocr")]

mod skipped;

use okno::load::ImageReader;
use okno_models::ocr::Ocr;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The networks, wherever they are; the folder lives as long as what is returned with it.
fn networks() -> Option<(Ocr, Option<tempfile::TempDir>)> {
    let Some(folder) = std::env::var_os("OKNO_TEST_MODELS").map(PathBuf::from) else {
        skipped::say_skipped("no OCR networks – set OKNO_TEST_MODELS to a shelf or a folder with the `rapidocr` wheel");
        return None;
    };
    let shelf = folder.join("rapidocr");
    if shelf.is_dir() {
        return Some((Ocr::open(&shelf).unwrap(), None));
    }
    let wheel = std::fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.path()).find(|path| is_wheel(path));
    let Some(wheel) = wheel else {
        skipped::say_skipped(&format!("no OCR networks in OKNO_TEST_MODELS ({})", folder.display()));
        return None;
    };
    let unpacked = unpacked(&wheel);
    Some((Ocr::open(unpacked.path()).unwrap(), Some(unpacked)))
}

fn is_wheel(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("rapidocr-") && name.ends_with(".whl")
}

fn unpacked(wheel: &Path) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut archive = zip::ZipArchive::new(std::fs::File::open(wheel).unwrap()).unwrap();
    for at in 0..archive.len() {
        let mut file = archive.by_index(at).unwrap();
        let name = file.enclosed_name().unwrap();
        if name.extension().is_some_and(|extension| extension == "onnx") {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).unwrap();
            std::fs::write(folder.path().join(name.file_name().unwrap()), bytes).unwrap();
        }
    }
    folder
}

fn image(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/images").join(name)).unwrap()
}

#[test]
fn reads_slanted_english_chinese_and_columns() {
    let Some((ocr, _folder)) = networks() else { return };
    let text = |name: &str| ocr.text(&image(name)).unwrap().unwrap();
    let harbour = text("harbour.png");
    assert!(harbour.contains("opens at seven in the morning and closes when the last ferry has left."), "{harbour}");
    assert!(harbour.ends_with("\n\nTickets are sold on board; dogs travel free."), "{harbour}");
    let tea = text("tea.png");
    assert!(tea.contains("茶山合作社的会议在每月第一个星期三举行") && tea.contains("两位老社员推荐"), "{tea}");
    let columns = text("columns.png");
    let (left, right) = (columns.find("made the honey dark").unwrap(), columns.find("The right column").unwrap());
    assert!(left < right, "{columns}");
    // No image, no text: and no panic.
    assert!(ocr.lines(b"\x89PNG\r\n\x1a\n").is_err());
}

#[test]
fn a_reader_finds_nothing_where_there_is_nothing_and_asks_once() {
    let Some((ocr, _folder)) = networks() else { return };
    assert_eq!(ocr.read(b"no image"), None);
    let timed = || {
        let begun = std::time::Instant::now();
        (ocr.read(&image("tea.png")), begun.elapsed())
    };
    let ((first, reading), (second, remembering)) = (timed(), timed());
    assert!(first.is_some() && second == first);
    assert!(remembering < reading / 4, "the second time it is remembered: {remembering:?} of {reading:?}");
}
