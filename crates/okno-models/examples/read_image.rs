//! Prints what is read in images, as one JSON line each: `read_image FOLDER IMAGE…`. The bench `benches/ocr.py` runs
//! it.

use okno_models::ocr::{Ocr, paragraphs};
use std::path::Path;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("which folder holds the networks?")?;
    let ocr = Ocr::open(Path::new(&folder))?;
    for image in arguments {
        let begun = Instant::now();
        let lines = ocr.lines(&fs_err::read(&image)?)?;
        let seconds = begun.elapsed().as_secs_f64();
        let boxes: Vec<_> =
            lines.iter().map(|line| (&line.text, line.place.0.map(|p| [p.x, p.y]), line.confidence)).collect();
        println!(
            "{}",
            serde_json::json!({"image": image, "paragraphs": paragraphs(&lines), "lines": boxes, "seconds": seconds})
        );
    }
    Ok(())
}
