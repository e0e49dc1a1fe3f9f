//! The images of a text that is written as Markdown: `![what it shows](where it is "its title")`.

use okno_document::{Block, BlockKind, Image, ImageSource, Span};

/// A longer description was never closed.
const LONGEST: usize = 1000;

/// The images in the blocks that are text, in order.
pub(crate) fn images(text: &str, blocks: &[Block]) -> Vec<Image> {
    let read = |block: &&Block| !matches!(block.kind, BlockKind::Code | BlockKind::FrontMatter);
    blocks.iter().filter(read).flat_map(|block| within(text, block.span)).collect()
}

fn within(text: &str, block: Span) -> Vec<Image> {
    let mut found = Vec::new();
    let mut at = block.start as usize;
    while let Some(next) = memchr::memmem::find(&text.as_bytes()[at..block.end as usize], b"![") {
        let start = at + next;
        match image(&text[start..block.end as usize]) {
            Some((length, alt, target, title)) => {
                found.push(Image {
                    span: Span::new(start, start + length),
                    alt: alt.trim().to_owned(),
                    caption: title.trim().to_owned(),
                    source: ImageSource::Reference(target.to_owned()),
                    seen: None,
                });
                at = start + length;
            }
            None => at = start + 2,
        }
    }
    found
}

/// Length, description, address and title of the image that a text begins with.
fn image(text: &str) -> Option<(usize, &str, &str, &str)> {
    let near = &text[..text.floor_char_boundary(LONGEST)];
    let alt = near[2..].split_once("](").map(|(alt, _)| alt).filter(|alt| !alt.contains(']'))?;
    let inside_at = 2 + alt.len() + 2;
    // An address may hold one pair of brackets: `File_(1).png`.
    let mut depth = 0;
    let close = near[inside_at..].find(|c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth < 0
    })?;
    let inside = near[inside_at..inside_at + close].trim();
    let (target, title) = inside.split_once(char::is_whitespace).unwrap_or((inside, ""));
    let target = target.trim_start_matches('<').trim_end_matches('>');
    (!target.is_empty()).then(|| (inside_at + close + 1, alt, target, title.trim().trim_matches(['"', '\''])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_with_their_words() {
        let text = "See ![a red panda](img/panda_(1).png \"Panda\") and ![](x.jpg).\n\n![no](\n";
        let blocks = [Block { kind: BlockKind::Paragraph, span: Span::new(0, text.len()) }];
        let found = images(text, &blocks);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].span.of(text), "![a red panda](img/panda_(1).png \"Panda\")");
        assert_eq!((found[0].alt.as_str(), found[0].caption.as_str()), ("a red panda", "Panda"));
        assert_eq!(found[0].source, ImageSource::Reference("img/panda_(1).png".into()));
        assert_eq!(found[1].source, ImageSource::Reference("x.jpg".into()));
        let code = [Block { kind: BlockKind::Code, span: Span::new(0, text.len()) }];
        assert_eq!(images(text, &code), []);
    }
}
