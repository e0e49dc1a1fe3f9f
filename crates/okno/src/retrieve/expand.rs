//! From hits to pieces of documents: collapse to a target, grow, merge what touches.
//!
//! Everything here is arithmetic on runs of sentences. No text is joined or stored: a piece becomes
//! text only when it is cut out of the document at the very end, so it is an exact slice.

use super::fuse::Hit;
use super::recipe::{Expansion, Order, Worth};
use super::views::{View, Views};
use crate::document::{Layer, Structure};
use crate::store::DocumentNumber;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// A run of sentences to be returned.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextPiece {
    /// The document.
    pub document: DocumentNumber,
    /// The sentences.
    pub sentences: Range<usize>,
    /// Its worth: that of its best hit.
    pub score: f32,
    /// The sentence of its best hit.
    pub anchor: usize,
    /// The hits in it, best first.
    pub hits: Vec<Hit>,
}

/// Hits become hits of the unit of `layer` that holds their anchor, each unit once, best first.
pub fn collapse(hits: Vec<Hit>, layer: Layer, worth: Worth, views: &Views<'_>) -> Vec<Hit> {
    let mut targets: Vec<Hit> = Vec::new();
    let mut seen: FxHashMap<(DocumentNumber, usize), usize> = FxHashMap::default();
    let mut units: FxHashMap<DocumentNumber, Vec<Range<usize>>> = FxHashMap::default();
    for mut hit in hits {
        let view = &views[&hit.run.document];
        let units = units.entry(hit.run.document).or_insert_with(|| layer.runs(&view.structure, &view.text));
        let target = holder(units, hit.run.anchor as usize);
        hit.run.first = target.start as u32;
        hit.run.end = target.end as u32;
        hit.layer = layer;
        let at = *seen.entry((hit.run.document, target.start)).or_insert(targets.len());
        match (targets.get_mut(at), worth) {
            (None, _) => targets.push(hit),
            // Hits come best first.
            (Some(_), Worth::Max) => {}
            (Some(known), Worth::Sum) => known.score += hit.score,
        }
    }
    targets.sort_by(|a, b| b.score.total_cmp(&a.score));
    targets
}

/// The first unit of a layer that holds a sentence.
fn unit_of(layer: Layer, sentence: usize, view: &View<'_>) -> Range<usize> {
    holder(&layer.runs(&view.structure, &view.text), sentence)
}

/// The first of these units that holds a sentence: ends ascend.
fn holder(units: &[Range<usize>], sentence: usize) -> Range<usize> {
    let at = units.partition_point(|unit| unit.end <= sentence);
    units.get(at).filter(|unit| unit.contains(&sentence)).cloned().unwrap_or(sentence..sentence + 1)
}

/// Grows a hit. The result holds the hit and stays inside its document.
pub fn expand(hit: Hit, expansion: Expansion, parent: Layer, views: &Views<'_>) -> ContextPiece {
    let view = &views[&hit.run.document];
    let own = hit.run.sentences();
    let anchor = hit.run.anchor as usize;
    let sentences = match expansion {
        Expansion::None | Expansion::Auto => own,
        Expansion::Window(around) => {
            let end = own.end.saturating_add(around as usize).min(view.structure.sentences.len());
            own.start.saturating_sub(around as usize)..end
        }
        Expansion::Neighbors(around) => neighbors(&hit, around as usize, view),
        Expansion::Parent => covering(&own, &unit_of(parent, anchor, view)),
        Expansion::Section => covering(&own, &view.structure.section(anchor)),
        Expansion::Document => 0..view.structure.sentences.len(),
    };
    ContextPiece { document: hit.run.document, sentences, score: hit.score, anchor, hits: vec![hit] }
}

/// From the unit `around` before the hit to the one `around` after it, in the hit's own layer.
fn neighbors(hit: &Hit, around: usize, view: &View<'_>) -> Range<usize> {
    let units = hit.layer.runs(&view.structure, &view.text);
    let own = hit.run.sentences();
    let Some(at) = units.iter().position(|unit| *unit == own) else { return own };
    let last = at.saturating_add(around).min(units.len() - 1);
    units[at.saturating_sub(around)].start..units[last].end
}

pub(super) fn covering(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    a.start.min(b.start)..a.end.max(b.end)
}

/// Pieces of one document that touch or overlap become one. Best first.
pub fn merge(mut pieces: Vec<ContextPiece>) -> Vec<ContextPiece> {
    pieces.sort_by_key(|piece| (piece.document, piece.sentences.start, piece.sentences.end));
    let mut merged: Vec<ContextPiece> = Vec::new();
    for piece in pieces {
        match merged.last_mut() {
            Some(last) if last.document == piece.document && piece.sentences.start <= last.sentences.end => {
                join(last, piece);
            }
            _ => merged.push(piece),
        }
    }
    for piece in &mut merged {
        piece.hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.run.cmp(&b.run)));
    }
    in_order(merged)
}

fn join(into: &mut ContextPiece, mut piece: ContextPiece) {
    into.sentences.end = into.sentences.end.max(piece.sentences.end);
    into.hits.append(&mut piece.hits);
    if piece.score > into.score {
        (into.score, into.anchor) = (piece.score, piece.anchor);
    }
}

/// Puts pieces that come best first into another order.
pub fn arrange(pieces: Vec<ContextPiece>, order: Order) -> Vec<ContextPiece> {
    match order {
        Order::Score => pieces,
        Order::Document => by_document(pieces),
        Order::Ends => {
            let (mut front, mut back) = (Vec::new(), Vec::new());
            for (rank, piece) in pieces.into_iter().enumerate() {
                if rank % 2 == 0 { front.push(piece) } else { back.push(piece) }
            }
            front.extend(back.into_iter().rev());
            front
        }
    }
}

/// As they stand in their documents; documents in the order of their best pieces.
fn by_document(mut pieces: Vec<ContextPiece>) -> Vec<ContextPiece> {
    let mut ranks: FxHashMap<DocumentNumber, usize> = FxHashMap::default();
    for piece in &pieces {
        let next = ranks.len();
        ranks.entry(piece.document).or_insert(next);
    }
    pieces.sort_by_key(|piece| (ranks[&piece.document], piece.sentences.start));
    pieces
}

/// Best first; equal scores by document and place.
pub fn in_order(mut pieces: Vec<ContextPiece>) -> Vec<ContextPiece> {
    pieces.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then((a.document, a.sentences.start).cmp(&(b.document, b.sentences.start)))
    });
    pieces
}

/// Bytes of markup between two sentences that a context may hold: a rule, an anchor, a short tag.
const SHORT_MARKUP: usize = 40;

/// Cuts pieces where a comment stands between two sentences: what is not text is not returned.
pub fn without_markup(pieces: Vec<ContextPiece>, views: &Views<'_>) -> Vec<ContextPiece> {
    pieces.into_iter().flat_map(|piece| parted(piece, views)).collect()
}

/// Drops pieces that say nothing by themselves – headings, pictures, a line that leads in what is not there ("for
/// example:") –, unless nothing would be left.
pub fn without_bare(pieces: Vec<ContextPiece>, views: &Views<'_>) -> Vec<ContextPiece> {
    let bare = |piece: &ContextPiece| {
        let View { structure, text } = &views[&piece.document];
        let leads_in = |text: &str| piece.sentences.len() == 1 && text.ends_with([':', '：']);
        structure.sentences[piece.sentences.clone()].iter().all(|sentence| {
            let text = sentence.span.of(text).trim();
            sentence.heading || is_picture(text) || is_tags(text) || leads_in(text)
        })
    };
    if pieces.iter().all(bare) {
        return pieces;
    }
    pieces.into_iter().filter(|piece| !bare(piece)).collect()
}

/// Whether there are only tags in a text: the rows of a table in HTML begin and end with such lines.
fn is_tags(text: &str) -> bool {
    let mut rest = text;
    while let Some((tag, after)) = rest.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
        if tag.contains('<') {
            return false;
        }
        rest = after.trim_start();
    }
    rest.is_empty() && !text.is_empty()
}

/// Whether a line is a picture and nothing else, in Markdown or in a template's words.
fn is_picture(line: &str) -> bool {
    let markdown = line.starts_with("![") && line.ends_with(')') && line.matches("](").count() == 1;
    markdown || (line.starts_with("{{") && line.ends_with("}}") && line.matches("{{").count() == 1)
}

fn parted(piece: ContextPiece, views: &Views<'_>) -> Vec<ContextPiece> {
    let view = &views[&piece.document];
    let end_of = |at: usize| view.structure.sentences[at].span.end as usize;
    let start_of = |at: usize| view.structure.sentences[at].span.start as usize;
    let hidden = |&at: &usize| {
        let between = view.text[end_of(at - 1)..start_of(at)].trim();
        between.len() > SHORT_MARKUP || between.starts_with("<!--")
    };
    let cuts: Vec<usize> = (piece.sentences.start + 1..piece.sentences.end).filter(hidden).collect();
    if cuts.is_empty() {
        return vec![piece];
    }
    let starts = std::iter::once(piece.sentences.start).chain(cuts.iter().copied());
    let ends = cuts.iter().copied().chain([piece.sentences.end]);
    let part = |sentences: Range<usize>| ContextPiece {
        anchor: if sentences.contains(&piece.anchor) { piece.anchor } else { sentences.start },
        hits: piece.hits.iter().filter(|hit| sentences.contains(&(hit.run.anchor as usize))).copied().collect(),
        sentences,
        ..piece
    };
    let headings = |sentences: &Range<usize>| view.structure.sentences[sentences.clone()].iter().all(|s| s.heading);
    let (heads, bodies): (Vec<_>, Vec<_>) = starts.zip(ends).map(|(start, end)| start..end).partition(headings);
    // A heading that was cut off from its text is shown above it anyway.
    if bodies.is_empty() { heads } else { bodies }.into_iter().map(part).collect()
}

/// Keeps what fits into `budget` tokens – or characters, where these stand in their place –, best first. A piece that
/// does not fit is cut at sentence ends to what fits around its best hit, and is the last one; a best hit that alone is
/// larger than what is left is passed over.
pub fn within_budget(pieces: Vec<ContextPiece>, budget: usize, views: &Views<'_>) -> Vec<ContextPiece> {
    let mut left = budget;
    let mut kept = Vec::new();
    for mut piece in pieces {
        let structure = &views[&piece.document].structure;
        let cost = structure.tokens(piece.sentences.clone());
        if cost <= left {
            left -= cost;
            kept.push(piece);
        } else if let Some(part) = fitting_part(&piece, structure, left) {
            piece.sentences = part;
            kept.push(piece);
            break;
        }
    }
    kept
}

/// The sentences around the anchor that fit: what follows first, as an explanation follows a claim.
fn fitting_part(piece: &ContextPiece, structure: &Structure, budget: usize) -> Option<Range<usize>> {
    let cost = |i: usize| structure.sentences[i].tokens as usize;
    let mut left = budget.checked_sub(cost(piece.anchor))?;
    let mut part = piece.anchor..piece.anchor + 1;
    while part.end < piece.sentences.end && cost(part.end) <= left {
        left -= cost(part.end);
        part.end += 1;
    }
    while part.start > piece.sentences.start && cost(part.start - 1) <= left {
        left -= cost(part.start - 1);
        part.start -= 1;
    }
    Some(part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Section, Sentence, Span};
    use crate::store::Run;
    use proptest::prelude::*;
    use std::sync::Arc;

    /// A document of `count` sentences of 10 bytes and 5 tokens, sections of `section` sentences.
    fn document(count: usize, section: usize) -> (Structure, String) {
        let sentence = |i: usize| Sentence {
            span: Span::new(i * 10, i * 10 + 10),
            tokens: 5,
            terms: 2,
            heading: false,
            attached: true,
        };
        let sections = (0..count).step_by(section).map(|first| Section { first: first as u32, path: vec![], terms: 0 });
        let structure = Structure {
            sentences: (0..count).map(sentence).collect(),
            paragraphs: (0..count as u32).step_by(2).collect(),
            sections: sections.collect(),
            pages: vec![],
            images: vec![],
        };
        (structure, "0123456789".repeat(count))
    }

    fn views((structure, text): &(Structure, String)) -> Views<'_> {
        std::iter::once((1, View { structure: Arc::new(structure.clone()), text: text.as_str().into() })).collect()
    }

    fn hit(layer: Layer, sentences: Range<u32>, score: f32) -> Hit {
        Hit {
            run: Run { document: 1, first: sentences.start, end: sentences.end, anchor: sentences.start },
            layer,
            score,
        }
    }

    #[test]
    fn windows_are_clipped_at_the_documents_ends() {
        let document = document(6, 6);
        let window = |at: u32| {
            expand(hit(Layer::Sentence, at..at + 1, 1.0), Expansion::Window(3), Layer::Section, &views(&document))
                .sentences
        };
        assert_eq!((window(0), window(3), window(5)), (0..4, 0..6, 2..6));
    }

    #[test]
    fn neighbors_of_the_first_the_last_and_the_only_chunk() {
        // Source 003: `if previous_chunk_num:` is false for 0, so chunk 1 lost chunk 0; one chunk crashed.
        let layer: Layer = "chunk:20c".parse().unwrap();
        let document = document(20, 20);
        let around = |at: u32| {
            expand(hit(layer, at * 2..at * 2 + 2, 1.0), Expansion::Neighbors(1), Layer::Section, &views(&document))
                .sentences
        };
        assert_eq!((around(0), around(1), around(5), around(9)), (0..4, 0..6, 8..14, 16..20));
        let only = super::tests::document(1, 1);
        assert_eq!(
            expand(hit(layer, 0..1, 1.0), Expansion::Neighbors(3), Layer::Section, &views(&only)).sentences,
            0..1
        );
    }

    #[test]
    fn children_of_one_parent_are_one_target() {
        let parent: Layer = "chunk:60c".parse().unwrap();
        let document = document(12, 12);
        let child: Layer = "chunk:20c".parse().unwrap();
        let hits = vec![hit(child, 0..2, 0.9), hit(child, 4..6, 0.8), hit(child, 6..8, 0.7), hit(parent, 0..6, 0.6)];
        let targets = collapse(hits.clone(), parent, Worth::Max, &views(&document));
        assert_eq!(
            targets.iter().map(|t| (t.run.sentences(), t.score)).collect::<Vec<_>>(),
            [(0..6, 0.9), (6..12, 0.7)]
        );
        let summed = collapse(hits, parent, Worth::Sum, &views(&document));
        assert_eq!(summed.iter().map(|t| t.run.sentences()).collect::<Vec<_>>(), [0..6, 6..12]);
        assert!((summed[0].score - 2.3).abs() < 1e-6, "all its children count");
    }

    #[test]
    fn contexts_can_be_read_in_other_orders() {
        let piece = |document, start| ContextPiece {
            document,
            sentences: start..start + 1,
            score: 0.0,
            anchor: start,
            hits: vec![],
        };
        let arranged = |order| {
            let pieces = vec![piece(2, 9), piece(1, 4), piece(2, 1), piece(1, 0), piece(3, 0)];
            arrange(pieces, order).into_iter().map(|p| (p.document, p.sentences.start)).collect::<Vec<_>>()
        };
        assert_eq!(arranged(Order::Document), [(2, 1), (2, 9), (1, 0), (1, 4), (3, 0)]);
        assert_eq!(arranged(Order::Ends), [(2, 9), (2, 1), (3, 0), (1, 0), (1, 4)], "the weakest is in the middle");
        assert_eq!(arranged(Order::Score)[0], (2, 9));
    }

    #[test]
    fn a_budget_cuts_at_sentence_ends_around_the_hit() {
        let document = document(10, 10);
        let piece = |sentences: Range<usize>, anchor, score| ContextPiece {
            document: 1,
            sentences,
            score,
            anchor,
            hits: vec![],
        };
        let kept = |pieces, budget| {
            within_budget(pieces, budget, &views(&document)).into_iter().map(|p| p.sentences).collect::<Vec<_>>()
        };
        assert_eq!(kept(vec![piece(0..3, 1, 2.0), piece(5..9, 6, 1.0)], 24), [0..3, 6..7]);
        assert_eq!(kept(vec![piece(0..9, 4, 1.0)], 20).as_slice(), std::slice::from_ref(&(4..8)));
        assert_eq!(kept(vec![piece(0..3, 2, 1.0)], 10).as_slice(), std::slice::from_ref(&(1..3)));
        assert!(kept(vec![piece(0..3, 1, 1.0)], 4).is_empty());
        assert!(kept(vec![piece(0..3, 1, 1.0)], 0).is_empty());
    }

    #[test]
    fn a_heading_that_a_comment_cuts_off_from_its_text_is_left_out() {
        let text = format!("## Tea\n<!-- {} -->\nTea is brewed at 80 °C.", "x".repeat(SHORT_MARKUP));
        let body = text.rfind("Tea").unwrap();
        let mut structure = document(2, 2).0;
        structure.sentences[0].span = Span { start: 0, end: 6 };
        structure.sentences[0].heading = true;
        structure.sentences[1].span = Span { start: body as u32, end: text.len() as u32 };
        let document = (structure, text);
        let piece = ContextPiece { document: 1, anchor: 0, sentences: 0..2, score: 1.0, hits: vec![] };
        let left: Vec<_> =
            without_markup(vec![piece], &views(&document)).into_iter().map(|piece| piece.sentences).collect();
        assert_eq!(left.as_slice(), std::slice::from_ref(&(1..2)));
    }

    #[test]
    fn what_only_leads_in_is_left_out_unless_it_is_all_there_is() {
        let text = "For example:\n\nTea is brewed at 80 °C.";
        let mut structure = document(2, 2).0;
        structure.sentences[0].span = Span { start: 0, end: 12 };
        structure.sentences[1].span = Span { start: 14, end: text.len() as u32 };
        let document = (structure, text.to_owned());
        let piece = |sentences: Range<usize>| ContextPiece {
            document: 1,
            anchor: sentences.start,
            sentences,
            score: 1.0,
            hits: vec![],
        };
        let kept = |pieces| without_bare(pieces, &views(&document)).len();
        assert_eq!(kept(vec![piece(0..1), piece(1..2)]), 1);
        assert_eq!(kept(vec![piece(0..2)]), 1);
        assert_eq!(kept(vec![piece(0..1)]), 1);
        let mut headed = document.clone();
        headed.0.sentences[0].heading = true;
        assert_eq!(without_bare(vec![piece(0..1), piece(1..2)], &views(&headed)).len(), 1, "a heading alone");
        assert!(is_picture("![a cake](./cake.jpg)") && is_picture("{{< figure src=\"a.png\" >}}"));
        assert!(!is_picture("![a](b.png) and ![c](d.png)") && !is_picture("{{a}} is {{b}}"));
    }

    proptest! {
        #[test]
        fn expansion_holds_the_hit_and_merging_loses_and_repeats_nothing(
            (count, section, ats) in (1..40usize, 1..12usize).prop_flat_map(
                |(count, section)| (Just(count), Just(section), prop::collection::vec(0..count as u32, 1..8))),
            around in 0..5u32, which in 0..5usize, size in 1..80u32, overlap in 0.0..0.9f32,
        ) {
            let document = document(count, section);
            let layer = Layer::chunk(crate::document::Size::Characters(size), (size as f32 * overlap) as u32).unwrap();
            let expansion = [Expansion::None, Expansion::Window(around), Expansion::Neighbors(around),
                Expansion::Parent, Expansion::Section][which];
            let views = views(&document);
            let units = layer.runs(&document.0, &document.1);
            let pieces: Vec<ContextPiece> = ats.iter().map(|&at| {
                let unit = units.iter().find(|unit| unit.contains(&(at as usize))).unwrap();
                expand(hit(layer, unit.start as u32..unit.end as u32, 1.0 / (at + 1) as f32), expansion, Layer::Section,
                    &views)
            }).collect();
            for piece in &pieces {
                let own = piece.hits[0].run.sentences();
                prop_assert!(piece.sentences.start <= own.start && own.end <= piece.sentences.end);
                prop_assert!(piece.sentences.end <= count);
            }
            let wanted: std::collections::BTreeSet<usize> = pieces.iter().flat_map(|p| p.sentences.clone()).collect();
            let merged = merge(pieces);
            let given: Vec<usize> = {
                let mut all: Vec<usize> =
                    merged.iter().flat_map(|p| p.sentences.clone()).collect(); all.sort_unstable(); all };
            prop_assert_eq!(given, wanted.into_iter().collect::<Vec<_>>());
            prop_assert!(merged.windows(2).all(|w| w[0].score >= w[1].score));
            let kept = within_budget(merged, 37, &views);
            prop_assert!(kept.iter().map(|p| document.0.tokens(p.sentences.clone())).sum::<usize>() <= 37);
            prop_assert!(kept.iter().all(|p| p.sentences.contains(&p.anchor)));
        }
    }
}
