//! An image is found by what its author says about it – alternative text and caption – and by what is to be read in
//! it. It stands for its place in the text; one without a place of its own stands for the sentence before it.

use crate::document::{Derived, DerivedKind, Image, Loaded, Span, Structure};

/// A unit for every image that something is said about.
pub fn describe(loaded: &Loaded, structure: &Structure) -> Vec<Derived> {
    loaded.images.iter().filter_map(|image| derived(image, structure)).collect()
}

fn derived(image: &Image, structure: &Structure) -> Option<Derived> {
    let (said, read) = (said(&image.alt, &image.caption), image.seen.as_ref().map_or("", |seen| seen.text.trim()));
    let text = [said.as_str(), read].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
    let sentences = place(image.span, structure);
    (!text.is_empty() && !sentences.is_empty()).then_some(Derived {
        kind: DerivedKind::Image,
        first: sentences.start as u32,
        end: sentences.end as u32,
        text,
    })
}

/// What its author says about an image: how its own unit begins.
pub fn said(alt: &str, caption: &str) -> String {
    [alt.trim(), caption.trim()].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Which of the texts that stand for one place are its images' own: for each image that its author says something
/// about, the first that says just this, with what was read in it below. A caption that only begins like it, or says
/// it once more, is none.
pub fn own(texts: &[&str], said: &[String]) -> Vec<bool> {
    let mut own = vec![false; texts.len()];
    for said in said.iter().filter(|said| !said.is_empty()) {
        let says =
            |text: &str| text.strip_prefix(said.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('\n'));
        if let Some(at) = (0..texts.len()).find(|&at| !own[at] && says(texts[at])) {
            own[at] = true;
        }
    }
    own
}

/// The sentences that an image stands for.
pub fn place(image: Span, structure: &Structure) -> std::ops::Range<usize> {
    let touched = structure.touching(image);
    if !touched.is_empty() || structure.sentences.is_empty() {
        return touched;
    }
    let before = touched.start.saturating_sub(1);
    before..before + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Block, BlockKind, ImageHash, ImageSource, MediaType, Seen};

    #[test]
    fn found_by_what_is_read_in_it_where_it_stands() {
        let text = "One sentence. Another one.";
        let blocks = vec![Block { kind: BlockKind::Paragraph, span: Span::new(0, text.len()) }];
        let image = |at: usize, read: &str| Image {
            span: Span::new(at, at),
            alt: String::new(),
            caption: "Fig. 1".into(),
            source: ImageSource::Inside("x".into()),
            seen: Some(Seen { hash: ImageHash(1), media: MediaType::Png, text: read.into() }),
        };
        let structure = crate::split::structure(text, "", &blocks);
        let images = vec![image(0, "first"), image(text.len(), "last")];
        let loaded = Loaded { text: text.into(), blocks, images, ..Loaded::default() };
        let found: Vec<_> =
            describe(&loaded, &structure).into_iter().map(|unit| (unit.first, unit.end, unit.text)).collect();
        assert_eq!(found, [(0, 1, "Fig. 1\nfirst".to_owned()), (1, 2, "Fig. 1\nlast".to_owned())]);
    }
}
