//! The content hash: the same hash, the same document, and nothing about it needs to be done again.
//!
//! The upper half is of what is split and embedded, the lower half of the metadata, so that one number tells whether
//! new metadata can be written beside old vectors. The bytes that are hashed are written out here, name by name: they
//! are those of version 0.1, which hashed what `Debug` printed. Renaming a type or a field changes nothing, and every
//! index made so far keeps its hashes.

use crate::document::{Block, BlockKind, Image, Loaded, MediaType, Seen, Span};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Facts about the file, not the document: a line of a JSONL file is the same whatever happens to the others.
const ABOUT_THE_FILE: [&str; 2] = ["modified", "size"];

/// The content hash of a document of which the metadata `embedded` is searched as text.
pub fn content_hash(loaded: &Loaded, embedded: &[String]) -> u128 {
    u128::from(body_hash(loaded, embedded)) << 64 | u128::from(metadata_hash(loaded))
}

/// Returns `true` if two documents differ in metadata at most.
pub fn same_body(a: u128, b: u128) -> bool {
    a >> 64 == b >> 64
}

fn body_hash(loaded: &Loaded, embedded: &[String]) -> u64 {
    let mut body = Xxh3::new();
    let fields = loaded.metadata.line(embedded);
    for part in [&loaded.text, &loaded.title, &fields] {
        body.update(&(part.len() as u64).to_le_bytes());
        body.update(part.as_bytes());
    }
    for page in &loaded.pages {
        body.update(&page.start.to_le_bytes());
        body.update(page.label.as_bytes());
    }
    for image in &loaded.images {
        if let Some(seen) = &image.seen {
            body.update(image_bytes(image, seen).as_bytes());
        }
    }
    for block in &loaded.blocks {
        body.update(block_bytes(block).as_bytes());
    }
    body.digest()
}

fn metadata_hash(loaded: &Loaded) -> u64 {
    let mut metadata = loaded.metadata.clone();
    metadata.0.retain(|field, _| !ABOUT_THE_FILE.contains(&field.as_str()));
    let language = loaded.language.as_deref().unwrap_or_default();
    xxh3_64(format!("{language}\0{}", metadata.to_json()).as_bytes())
}

fn span_bytes(span: Span) -> String {
    format!("Span {{ start: {}, end: {} }}", span.start, span.end)
}

fn block_bytes(block: &Block) -> String {
    let kind = match block.kind {
        BlockKind::Heading(level) => format!("Heading({level})"),
        BlockKind::Paragraph => "Paragraph".to_owned(),
        BlockKind::ListItem => "ListItem".to_owned(),
        BlockKind::Code => "Code".to_owned(),
        BlockKind::Table => "Table".to_owned(),
        BlockKind::FrontMatter => "FrontMatter".to_owned(),
        BlockKind::Markup => "Markup".to_owned(),
    };
    format!("Block {{ kind: {kind}, span: {} }}", span_bytes(block.span))
}

fn image_bytes(image: &Image, seen: &Seen) -> String {
    let media = match seen.media {
        MediaType::Png => "Png",
        MediaType::Jpeg => "Jpeg",
        MediaType::Webp => "Webp",
    };
    let seen = format!("Some(Seen {{ hash: ImageHash({}), media: {media}, text: {:?} }})", seen.hash.0, seen.text);
    format!("{}{}{}{seen}", span_bytes(image.span), image.alt, image.caption)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{ImageHash, ImageSource, Page, Value};

    fn document() -> Loaded {
        let kinds = [
            BlockKind::FrontMatter,
            BlockKind::Heading(2),
            BlockKind::Paragraph,
            BlockKind::ListItem,
            BlockKind::Code,
            BlockKind::Table,
        ];
        let block = |(at, kind)| Block { kind, span: Span { start: at as u32, end: at as u32 + 1 } };
        let image = |media| Image {
            span: Span { start: 1, end: 2 },
            alt: "a plant".into(),
            caption: "茶".into(),
            source: ImageSource::Bytes(Vec::new()),
            seen: Some(Seen { hash: ImageHash(7), media, text: "80 °C\n\"hot\"".into() }),
        };
        let mut loaded = Loaded {
            title: "Tea".into(),
            language: Some("en".into()),
            text: "abcdef".into(),
            blocks: kinds.into_iter().enumerate().map(block).collect(),
            pages: vec![Page { label: "iv".into(), start: 3 }],
            images: [MediaType::Png, MediaType::Jpeg, MediaType::Webp].map(image).into(),
            ..Loaded::default()
        };
        loaded.metadata.0.insert("year".into(), Value::Number(2023.0));
        loaded.metadata.0.insert("size".into(), Value::Number(1.0));
        loaded
    }

    /// The bytes of version 0.1, hashed outside of this program. If this fails, every index of that version embeds all
    /// of its documents again.
    #[test]
    fn hashes_of_version_0_1_are_kept() {
        assert_eq!(format!("{:032x}", content_hash(&document(), &["year".into()])), "90033681e255139e8d3082cab54e0b3f");
    }

    #[test]
    fn facts_about_the_file_are_not_content() {
        let (one, mut other) = (document(), document());
        other.metadata.0.insert("size".into(), Value::Number(2.0));
        assert_eq!(content_hash(&one, &[]), content_hash(&other, &[]));
        other.metadata.0.insert("year".into(), Value::Number(2024.0));
        assert!(same_body(content_hash(&one, &[]), content_hash(&other, &[])));
        assert_ne!(content_hash(&one, &[]), content_hash(&other, &[]));
    }
}
