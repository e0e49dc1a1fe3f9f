//! Presentations (`.ppt`): each slide is a page, its title a heading, its lines paragraphs and list items, its notes
//! below.
//!
//! The stream is a tree of records. A file that was saved quickly holds old versions of its slides too: a directory
//! says where the current one of each is. The text of placeholders stands in one list of the document, which the
//! shapes of a slide name by number; other text stands in the shapes themselves.

use std::collections::{HashMap, HashSet};

use super::super::compound::{Compound, number16, number32};
use super::super::left_out::LeftOut;
use super::super::rendering::Rendering;
use super::super::{Sink, SkipReason, Source};
use super::damaged;
use super::properties::{self, wide};

/// Kinds of records.
mod kind {
    pub const DOCUMENT: u16 = 0x03e8;
    pub const NOTES_ATOM: u16 = 0x03f1;
    pub const PERSIST: u16 = 0x03f3;
    pub const PLACEHOLDER: u16 = 0x0bc3;
    pub const TEXT_REFERENCE: u16 = 0x0f9e;
    pub const TEXT_HEADER: u16 = 0x0f9f;
    pub const TEXT_WIDE: u16 = 0x0fa0;
    pub const TEXT_STYLE: u16 = 0x0fa1;
    pub const TEXT_NARROW: u16 = 0x0fa8;
    pub const TEXT_LIST: u16 = 0x0ff0;
    pub const EDIT: u16 = 0x0ff5;
    pub const DIRECTORY: u16 = 0x1772;
    pub const GROUP: u16 = 0xf003;
    pub const SHAPE: u16 = 0xf004;
    pub const PICTURE: u16 = 0xf00b;
    pub const TEXT_BOX: u16 = 0xf00d;
    pub const PLACE_IN_GROUP: u16 = 0xf00f;
    pub const MORE_PROPERTIES: u16 = 0xf122;
}

/// Records inside of records: deeper ones are damage.
const DEEPEST: usize = 32;
/// Saves of a file that are looked through for its slides.
const MOST_EDITS: usize = 1000;
/// Slides; far more than anybody shows.
const MOST_SLIDES: usize = 20_000;

pub(super) fn load(file: &Compound<'_>, source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason> {
    let stream = file.stream("PowerPoint Document").unwrap_or_default();
    let user = file.stream("Current User").unwrap_or_default();
    if number32(&user, 12) == 0xf3d1_c4df || file.stream("EncryptedSummary").is_some() {
        return Err(SkipReason::Encrypted);
    }
    let mut show =
        Presentation::read(&stream, number32(&user, 16) as usize).ok_or_else(|| damaged("no presentation"))?;
    let (mut rendering, mut pictures) = (Rendering::default(), 0);
    for (at, slide) in std::mem::take(&mut show.slides).into_iter().enumerate() {
        rendering.page((at + 1).to_string());
        let shapes = show.shapes(slide.place);
        pictures += shapes.iter().filter(|shape| shape.picture).count();
        write(&mut rendering, shapes, slide.outline);
        if let Some(notes) = show.notes.remove(&slide.identity) {
            let shapes = show.shapes(notes).into_iter().filter(|shape| !shape.furniture);
            for shape in shapes.filter(|shape| shape.text.as_ref().is_some_and(|text| !text.is_title())) {
                shape.text.into_iter().for_each(|text| text.paragraphs(&mut rendering));
            }
        }
    }
    if rendering.is_blank() {
        show.write_masters(&mut rendering);
    }
    out.document(rendering.finish(source, "ppt", properties::read(file))?);
    if pictures > 0 {
        out.left_out(source.name, LeftOut::Images { count: pictures });
    }
    Ok(())
}

/// A record: what it is, and what it holds.
#[derive(Clone, Copy)]
struct SlideRecord<'s> {
    kind: u16,
    instance: u16,
    /// Holds records.
    container: bool,
    data: &'s [u8],
}

impl<'s> SlideRecord<'s> {
    fn at(stream: &'s [u8], at: usize) -> Option<Self> {
        let start = at.checked_add(8)?;
        let length = number32(stream, at.checked_add(4)?) as usize;
        // A record that is cut short holds what is there.
        let data = stream.get(start..start.saturating_add(length).min(stream.len()))?;
        let version = number16(stream, at);
        let container = version & 0xf == 0xf;
        Some(Self { kind: number16(stream, at + 2), instance: version >> 4, container, data })
    }

    /// The records that it holds.
    fn inner(self) -> impl Iterator<Item = SlideRecord<'s>> {
        let mut at = 0;
        let data = if self.container || self.kind == kind::TEXT_BOX { self.data } else { &[] };
        std::iter::from_fn(move || {
            let record = SlideRecord::at(data, at).filter(|_| at + 8 <= data.len())?;
            at += 8 + record.data.len();
            Some(record)
        })
    }

    /// Calls `each` with everything below, in order; where it answers false, not with what is inside.
    fn walk(self, depth: usize, each: &mut dyn FnMut(SlideRecord<'s>) -> bool) {
        for record in self.inner() {
            if each(record) && depth < DEEPEST {
                record.walk(depth + 1, each);
            }
        }
    }
}

/// Text with what it is for, and the levels of its lines.
#[derive(Debug, Clone, Default)]
struct SlideText {
    purpose: u32,
    text: String,
    /// How many letters have which level.
    levels: Vec<(usize, u16)>,
}

impl SlideText {
    fn is_title(&self) -> bool {
        matches!(self.purpose, 0 | 6)
    }

    /// The lines with their levels.
    fn lines(&self) -> Vec<(usize, String)> {
        let (mut runs, mut left, mut level) = (self.levels.iter(), 0, 0);
        let mut lines = Vec::new();
        for line in self.text.split('\r') {
            if left == 0
                && let Some((letters, own)) = runs.next()
            {
                (left, level) = (*letters, *own);
            }
            left = left.saturating_sub(line.encode_utf16().count() + 1);
            let shown = line.replace('\u{b}', "\n").replace(|c: char| c < ' ' && c != '\n' && c != '\t', "");
            lines.extend((!shown.trim().is_empty()).then(|| (usize::from(level), shown)));
        }
        lines
    }

    fn words(&self) -> String {
        let lines: Vec<String> = self.lines().into_iter().map(|(_, line)| line).collect();
        lines.join(" ")
    }

    fn paragraphs(&self, rendering: &mut Rendering) {
        self.lines().iter().for_each(|(_, line)| _ = rendering.paragraph(line));
    }

    fn write(&self, rendering: &mut Rendering) {
        let lines = self.lines();
        match self.purpose {
            0 | 6 => {
                let words: Vec<&str> = lines.iter().map(|(_, line)| line.as_str()).collect();
                rendering.heading(1, &words.join(" "));
            }
            // Several lines of a body are a list, one alone is a paragraph.
            1 | 7 | 8 if lines.len() > 1 => {
                for (level, line) in &lines {
                    rendering.item(*level, "-", line);
                }
            }
            _ => self.paragraphs(rendering),
        }
    }
}

/// The texts among records that follow each other.
fn texts<'s>(records: impl Iterator<Item = SlideRecord<'s>>) -> Vec<SlideText> {
    let mut found: Vec<SlideText> = Vec::new();
    for record in records {
        match record.kind {
            kind::TEXT_HEADER => {
                found.push(SlideText { purpose: number32(record.data, 0), ..SlideText::default() });
            }
            kind::TEXT_WIDE | kind::TEXT_NARROW => {
                if found.last().is_none_or(|last| !last.text.is_empty()) {
                    found.push(SlideText { purpose: 4, ..SlideText::default() });
                }
                let letters = |bytes: &[u8]| bytes.iter().map(|byte| char::from(*byte)).collect();
                let text = if record.kind == kind::TEXT_WIDE { wide(record.data) } else { letters(record.data) };
                found.iter_mut().last().into_iter().for_each(|last| last.text.clone_from(&text));
            }
            kind::TEXT_STYLE => {
                if let Some(last) = found.last_mut() {
                    last.levels = levels(record.data, last.text.encode_utf16().count() + 1);
                }
            }
            _ => {}
        }
    }
    found
}

/// The levels of paragraphs: for each run how many letters it has, its level, and properties that are passed over.
fn levels(data: &[u8], letters: usize) -> Vec<(usize, u16)> {
    // Bits of the mask, and how many bytes a property takes where one of them is set.
    const SIZES: [(u32, usize); 15] = [
        (0x000f, 2),
        (0x0080, 2),
        (0x0010, 2),
        (0x0040, 2),
        (0x0020, 4),
        (0x0800, 2),
        (0x1000, 2),
        (0x2000, 2),
        (0x4000, 2),
        (0x0100, 2),
        (0x0400, 2),
        (0x8000, 2),
        (0x0001_0000, 2),
        (0x000e_0000, 2),
        (0x0020_0000, 2),
    ];
    let (mut found, mut at, mut read) = (Vec::new(), 0, 0);
    while read < letters && at + 10 <= data.len() {
        let (count, level, mask) = (number32(data, at) as usize, number16(data, at + 4), number32(data, at + 6));
        // The stops of tabs, which would stand in between, say their number; they are rare, and end the list.
        let known = mask & 0x0010_0000 == 0;
        at += 10 + SIZES.iter().filter(|(bits, _)| mask & bits != 0).map(|(_, size)| size).sum::<usize>();
        found.push((count.min(letters), level.min(8)));
        read = read.saturating_add(count.max(1));
        if !known {
            break;
        }
    }
    found
}

/// A slide: where it is, and the texts of its placeholders.
struct SlidePlace {
    place: usize,
    identity: u32,
    outline: Vec<SlideText>,
}

struct Presentation<'s> {
    stream: &'s [u8],
    slides: Vec<SlidePlace>,
    /// Where the masters are.
    masters: Vec<usize>,
    /// Where the notes of slides are, by the identity of the slide.
    notes: HashMap<u32, usize>,
    /// Bytes that may still be read: slides that share their bytes are not read for ever.
    left: usize,
}

/// What stands on a slide.
#[derive(Default)]
struct SlideShape {
    text: Option<SlideText>,
    /// The text of the outline that it shows.
    shows: Option<usize>,
    /// Numbers, dates, footers.
    furniture: bool,
    /// There to be filled, or replaced.
    placeholder: bool,
    picture: bool,
    table: Vec<Vec<String>>,
}

impl<'s> Presentation<'s> {
    fn read(stream: &'s [u8], edit: usize) -> Option<Self> {
        let (places, document) = directory(stream, edit);
        let record = |at: usize| SlideRecord::at(stream, at).filter(|record| record.kind == kind::DOCUMENT);
        let current = document.and_then(|id| places.get(&id)).and_then(|at| record(*at));
        let document = current.or_else(|| last_document(stream))?;
        let (slides_of, left) = (|list| slides(list, &places).into_iter().take(MOST_SLIDES), stream.len() * 2);
        let mut show = Self { stream, slides: Vec::new(), masters: Vec::new(), notes: HashMap::new(), left };
        for list in document.inner().filter(|record| record.kind == kind::TEXT_LIST) {
            match list.instance {
                0 => show.slides.extend(slides_of(list)),
                1 => show.masters.extend(slides_of(list).map(|master| master.place)),
                2 => slides_of(list).for_each(|slide| show.note(slide.place)),
                _ => {}
            }
        }
        Some(show)
    }

    /// Remembers whose notes stand here.
    fn note(&mut self, place: usize) {
        let Some(notes) = SlideRecord::at(self.stream, place) else { return };
        let slide = notes.inner().find(|record| record.kind == kind::NOTES_ATOM);
        if let Some(slide) = slide {
            self.notes.entry(number32(slide.data, 0)).or_insert(place);
        }
    }

    /// What masters show on every slide beside what slides fill: read where slides have nothing else.
    fn write_masters(&mut self, rendering: &mut Rendering) {
        for place in std::mem::take(&mut self.masters) {
            let own = self.shapes(place).into_iter().filter(|shape| !shape.placeholder);
            own.filter_map(|shape| shape.text).for_each(|text| text.paragraphs(rendering));
        }
    }

    /// What stands on the slide at this place.
    fn shapes(&mut self, place: usize) -> Vec<SlideShape> {
        let mut shapes: Vec<SlideShape> = Vec::new();
        let slide = SlideRecord::at(self.stream, place).filter(|slide| slide.data.len() <= self.left);
        let Some(slide) = slide else { return shapes };
        self.left -= slide.data.len();
        slide.walk(0, &mut |record| {
            match record.kind {
                kind::GROUP if is_table(record) => {
                    shapes.push(SlideShape { table: table(record), ..SlideShape::default() });
                    return false;
                }
                kind::SHAPE => shapes.push(SlideShape::default()),
                kind::PLACEHOLDER => {
                    let role = record.data.get(4).copied().unwrap_or(0);
                    if let Some(shape) = shapes.last_mut() {
                        (shape.furniture, shape.placeholder) = ((7..=10).contains(&role), true);
                    }
                }
                kind::PICTURE if shows_picture(record) => {
                    shapes.iter_mut().last().into_iter().for_each(|shape| shape.picture = true);
                }
                kind::TEXT_BOX => {
                    let named = record.inner().find(|inner| inner.kind == kind::TEXT_REFERENCE);
                    if shapes.is_empty() {
                        shapes.push(SlideShape::default());
                    }
                    if let Some(shape) = shapes.last_mut() {
                        shape.shows = named.map(|named| number32(named.data, 0) as usize);
                        shape.text = texts(record.inner()).into_iter().next();
                    }
                    return false;
                }
                _ => {}
            }
            true
        });
        shapes
    }
}

/// Whether a group of shapes is a table: its first shape, which stands for the group, says so.
fn is_table(group: SlideRecord<'_>) -> bool {
    let first = group.inner().find(|record| record.kind == kind::SHAPE);
    let says = |record: SlideRecord<'_>| {
        let count = usize::from(record.instance).min(record.data.len() / 6);
        let property = |at: usize| (number16(record.data, at * 6) & 0x3fff, number32(record.data, at * 6 + 2));
        record.kind == kind::MORE_PROPERTIES && (0..count).any(|at| property(at).0 == 0x039f && property(at).1 & 1 == 1)
    };
    first.is_some_and(|shape| shape.inner().any(says))
}

/// Cells of one table, filled and empty.
const MOST_CELLS: usize = 20_000;

/// The cells of a table by where they stand: shapes that have a width and a height; the others are lines.
fn table(group: SlideRecord<'_>) -> Vec<Vec<String>> {
    let mut cells: Vec<(u32, u32, String)> = Vec::new();
    for shape in group.inner().filter(|record| record.kind == kind::SHAPE).skip(1).take(MOST_CELLS) {
        let place = shape.inner().find(|record| record.kind == kind::PLACE_IN_GROUP);
        let Some([left, top, right, bottom]) = place.map(|place| [0, 4, 8, 12].map(|at| number32(place.data, at)))
        else {
            continue;
        };
        let text = shape.inner().find(|record| record.kind == kind::TEXT_BOX);
        let words = text.and_then(|text| texts(text.inner()).into_iter().next()).map(|text| text.words());
        if left != right && top != bottom {
            cells.push((top, left, words.unwrap_or_default()));
        }
    }
    let sorted = |places: Vec<u32>| {
        let mut places = places;
        places.sort_unstable();
        places.dedup();
        places
    };
    let tops = sorted(cells.iter().map(|(top, ..)| *top).collect());
    let lefts = sorted(cells.iter().map(|(_, left, _)| *left).collect());
    if tops.len().saturating_mul(lefts.len()) > MOST_CELLS {
        return cells.into_iter().map(|(.., words)| vec![words]).collect();
    }
    let mut rows = vec![vec![String::new(); lefts.len()]; tops.len()];
    for (top, left, words) in cells {
        rows[tops.partition_point(|other| *other < top)][lefts.partition_point(|other| *other < left)] = words;
    }
    rows
}

/// Whether the properties of a shape name a picture.
fn shows_picture(record: SlideRecord<'_>) -> bool {
    let count = usize::from(record.instance).min(record.data.len() / 6);
    (0..count).any(|at| number16(record.data, at * 6) & 0x3fff == 0x0104)
}

/// Where things are: the newest save says it for what it changed, older ones for the rest. And which the document is.
fn directory(stream: &[u8], mut edit: usize) -> (HashMap<u32, usize>, Option<u32>) {
    let (mut places, mut document, mut seen) = (HashMap::new(), None, HashSet::new());
    while seen.len() < MOST_EDITS && seen.insert(edit) {
        let Some(record) = SlideRecord::at(stream, edit).filter(|record| record.kind == kind::EDIT) else { break };
        document = document.or(Some(number32(record.data, 16)));
        let listed = SlideRecord::at(stream, number32(record.data, 12) as usize);
        let mut list = listed.filter(|listed| listed.kind == kind::DIRECTORY).map_or(&[][..], |listed| listed.data);
        while list.len() >= 8 {
            let (first, count) = (number32(list, 0) & 0x000f_ffff, (number32(list, 0) >> 20) as usize);
            for at in 0..count.min(list.len() / 4 - 1) {
                places.entry(first + at as u32).or_insert(number32(list, 4 + at * 4) as usize);
            }
            list = list.get(4 + count * 4..).unwrap_or_default();
        }
        edit = number32(record.data, 8) as usize;
        if edit == 0 {
            break;
        }
    }
    (places, document)
}

/// The last document of the stream, where no directory leads to one.
fn last_document(stream: &[u8]) -> Option<SlideRecord<'_>> {
    let (mut at, mut found) = (0, None);
    while let Some(record) = SlideRecord::at(stream, at).filter(|_| at + 8 <= stream.len()) {
        at += 8 + record.data.len();
        found = Some(record).filter(|record| record.kind == kind::DOCUMENT).or(found);
    }
    found
}

/// The slides of a list, in order.
fn slides(list: SlideRecord<'_>, places: &HashMap<u32, usize>) -> Vec<SlidePlace> {
    let records: Vec<SlideRecord<'_>> = list.inner().collect();
    let starts = records.iter().enumerate().filter(|(_, record)| record.kind == kind::PERSIST).map(|(at, _)| at);
    let starts: Vec<usize> = starts.collect();
    let ends = starts.iter().skip(1).copied().chain([records.len()]);
    let slide = |(start, end): (&usize, usize)| SlidePlace {
        place: places.get(&number32(records[*start].data, 0)).copied().unwrap_or(usize::MAX),
        identity: number32(records[*start].data, 12),
        outline: texts(records[*start + 1..end].iter().copied()),
    };
    starts.iter().zip(ends).map(slide).collect()
}

/// Writes a slide: its title first, wherever it was drawn. Each text of the outline is shown once.
fn write(rendering: &mut Rendering, shapes: Vec<SlideShape>, outline: Vec<SlideText>) {
    let mut outline: Vec<Option<SlideText>> = outline.into_iter().map(Some).collect();
    let mut rest: Vec<SlideShape> = Vec::new();
    for mut shape in shapes.into_iter().filter(|shape| !shape.furniture) {
        let shown = shape.shows.and_then(|at| outline.get_mut(at)).and_then(Option::take);
        shape.text = shown.or(shape.text);
        match &shape.text {
            Some(text) if text.is_title() => text.write(rendering),
            _ => rest.push(shape),
        }
    }
    for shape in rest {
        rendering.table(&shape.table);
        shape.text.iter().for_each(|text| text.write(rendering));
    }
    // A slide that cannot be found has at least the texts of its placeholders.
    outline.iter().flatten().for_each(|text| text.write(rendering));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(version: u16, kind: u16, data: &[u8]) -> Vec<u8> {
        let head = [version.to_le_bytes(), kind.to_le_bytes()].concat();
        [&head[..], &(data.len() as u32).to_le_bytes(), data].concat()
    }

    fn container(kind: u16, inner: &[Vec<u8>]) -> Vec<u8> {
        record(0xf, kind, &inner.concat())
    }

    fn words(text: &str) -> Vec<u8> {
        let texts = [record(0, kind::TEXT_HEADER, &[4, 0, 0, 0]), record(0, kind::TEXT_NARROW, text.as_bytes())];
        container(kind::TEXT_BOX, &texts)
    }

    #[test]
    fn masters_have_words_of_their_own() {
        let placeholder = record(0, kind::PLACEHOLDER, &[0, 0, 0, 0, 1, 0, 0, 0]);
        let shapes = [
            container(kind::SHAPE, &[words("Orchard Ltd.")]),
            container(kind::SHAPE, &[placeholder, words("Click to edit")]),
        ];
        let master = container(0x03f8, &shapes);
        let mut listed = record(0, kind::PERSIST, &[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        listed = record(0x1f, kind::TEXT_LIST, &listed);
        let document = container(kind::DOCUMENT, &[listed]);
        // Object 1 is the master, 2 the document.
        let numbers = |numbers: &[u32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
        let mut stream = [master.clone(), document.clone()].concat();
        let directory = stream.len();
        stream.extend(record(0, kind::DIRECTORY, &numbers(&[1 | 2 << 20, 0, master.len() as u32])));
        let edit = stream.len();
        stream.extend(record(0, kind::EDIT, &numbers(&[0, 0, 0, directory as u32, 2])));
        let mut show = Presentation::read(&stream, edit).expect("a document");
        let mut rendering = Rendering::default();
        show.write_masters(&mut rendering);
        assert_eq!((rendering.is_blank(), rendering.len()), (false, "Orchard Ltd.".len()));
    }
}
