//! What search needs of a document: its sentences in order, and the runs of them that belong together.

use super::{Page, Picture, Span};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A document as sentences. Paragraphs and sections are runs of sentences: both lists are ordered,
/// start at sentence 0, and each entry lasts until the next begins.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Structure {
    /// The sentences, in order, without overlap; they cover every non-blank character that is text.
    pub sentences: Vec<Sentence>,
    /// The first sentence of each paragraph.
    pub paragraphs: Vec<u32>,
    /// The sections, each from its heading to the next heading of any level.
    pub sections: Vec<Section>,
    /// The pages, in order; the first begins at byte 0. Empty for formats without pages.
    pub pages: Vec<Page>,
    /// The images that are kept, in the order of their places.
    pub images: Vec<Picture>,
}

/// The smallest unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sentence {
    /// Where it is.
    pub span: Span,
    /// What it costs of a budget, in tokens of the project's tokenizer.
    pub tokens: u32,
    /// How many index terms it has: its length for BM25.
    pub terms: u32,
    /// Whether it is a heading.
    pub heading: bool,
    /// Whether it belongs to the same block as the sentence before: it is no heading, and no blank line is between
    /// them.
    pub attached: bool,
}

/// A section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// Its first sentence: the heading, where it has one.
    pub first: u32,
    /// The headings above its text, outermost first, without their marks.
    pub path: Vec<Span>,
    /// How many index terms the title and these headings have.
    pub terms: u32,
}

impl Structure {
    /// The span of these sentences, from the first's start to the last's end.
    ///
    /// # Panics
    /// When the run is empty or not of this document.
    pub fn span(&self, run: Range<usize>) -> Span {
        self.sentences[run.start].span.cover(self.sentences[run.end - 1].span)
    }

    /// The sentences of the paragraph that holds this sentence.
    pub fn paragraph(&self, sentence: usize) -> Range<usize> {
        let next = self.paragraphs.partition_point(|&first| first as usize <= sentence);
        let end = self.paragraphs.get(next).map_or(self.sentences.len(), |&first| first as usize);
        self.paragraphs[next - 1] as usize..end
    }

    /// The number of the section that holds this sentence.
    pub fn section_number(&self, sentence: usize) -> usize {
        self.sections.partition_point(|section| section.first as usize <= sentence) - 1
    }

    /// The sentences of the section that holds this sentence.
    pub fn section(&self, sentence: usize) -> Range<usize> {
        let number = self.section_number(sentence);
        let end = self.sections.get(number + 1).map_or(self.sentences.len(), |next| next.first as usize);
        self.sections[number].first as usize..end
    }

    /// A sentence with its neighbours in the same block: one before, one after.
    pub fn with_neighbours(&self, sentence: usize) -> Range<usize> {
        let start = sentence - usize::from(self.sentences[sentence].attached);
        let follows = self.sentences.get(sentence + 1).is_some_and(|next| next.attached);
        start..sentence + 1 + usize::from(follows)
    }

    /// The first and last page that this span is on, as places in the list of pages; `None` where there are no pages.
    pub fn pages_of(&self, span: Span) -> Option<(usize, usize)> {
        let page = |byte: u32| self.pages.partition_point(|page| page.start <= byte).checked_sub(1);
        Some((page(span.start)?, page(span.end.saturating_sub(1).max(span.start))?))
    }

    /// What these sentences cost, in tokens.
    pub fn tokens(&self, run: Range<usize>) -> usize {
        self.sentences[run].iter().map(|s| s.tokens as usize).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_on_the_pages_it_touches() {
        let page = |start: u32| Page { label: String::new(), start };
        // The third page is empty: it begins where the fourth does.
        let structure = Structure { pages: vec![page(0), page(10), page(20), page(20)], ..Structure::default() };
        let pages = |start, end| structure.pages_of(Span::new(start, end)).unwrap();
        assert_eq!(pages(0, 10), (0, 0));
        assert_eq!(pages(9, 11), (0, 1));
        assert_eq!(pages(10, 10), (1, 1));
        assert_eq!(pages(19, 40), (1, 3));
        assert_eq!(Structure::default().pages_of(Span::new(0, 1)), None);
    }
}
