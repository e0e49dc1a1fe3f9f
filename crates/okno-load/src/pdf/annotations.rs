//! What lies over a page: the fields of forms with their values, and the comments of readers.
//!
//! A field usually brings the drawing of its value, which is read like any other content of the page. One without a
//! drawing – programs that fill forms leave it to the viewer – gives its value at its place. The words of a comment
//! stand nowhere on the page; they follow its text as a paragraph of their own. Hidden annotations and passwords are
//! not read.

use hayro_syntax::object::{Array, Dict, Name, Object, Stream, String as Text};
use hayro_syntax::page::Page;

use super::super::members::First;
use super::super::{Html, Loader, Source};

/// Annotations of one page that are looked at: chosen, above any form.
const MOST: usize = 10_000;
/// Fields inside of fields deeper than this are damage.
const DEEPEST: usize = 8;
/// Flags of an annotation: hidden, and not shown on screens.
const HIDDEN: u32 = 1 << 1 | 1 << 5;
/// The flag of a text field that holds a password.
const PASSWORD: u32 = 1 << 13;
/// Kinds whose words are a comment.
const COMMENTS: [&[u8]; 16] = [
    b"Text",
    b"FreeText",
    b"Highlight",
    b"Underline",
    b"Squiggly",
    b"StrikeOut",
    b"Caret",
    b"Ink",
    b"Line",
    b"Square",
    b"Circle",
    b"Polygon",
    b"PolyLine",
    b"Stamp",
    b"FileAttachment",
    b"Redact",
];

/// An annotation that has something to read.
pub(super) struct Annotation<'a> {
    /// Left, bottom, right, top.
    pub rectangle: [f64; 4],
    /// What it looks like.
    pub drawing: Option<Stream<'a>>,
    /// The words for its place, where the drawing shows none.
    pub value: Option<String>,
    /// The words that stand nowhere on the page.
    pub comment: Option<String>,
}

/// The annotations of a page in the order of the file.
pub(super) fn of_page<'a>(page: &Page<'a>) -> impl Iterator<Item = Annotation<'a>> {
    let all = page.raw().get::<Array<'a>>("Annots");
    all.into_iter().flat_map(|all| all.iter::<Object<'a>>()).take(MOST).filter_map(|object| match object {
        Object::Dict(dict) => annotation(&dict),
        _ => None,
    })
}

fn annotation<'a>(dict: &Dict<'a>) -> Option<Annotation<'a>> {
    let kind = dict.get::<Name<'_>>("Subtype")?;
    let kind = kind.as_ref();
    if dict.get::<u32>("F").unwrap_or(0) & HIDDEN != 0 || kind == b"Popup" {
        return None;
    }
    let rectangle = rectangle(dict);
    let drawing = rectangle.and_then(|_| drawing(dict));
    let annotation =
        |value, comment, drawing| Annotation { rectangle: rectangle.unwrap_or_default(), drawing, value, comment };
    match kind {
        b"Widget" if number(dict, "Ff") & PASSWORD != 0 && is_field(dict, b"Tx") => None,
        b"Widget" => Some(annotation(rectangle.and_then(|_| value(dict)), None, drawing)),
        // Its words are its drawing.
        b"FreeText" if drawing.is_some() => Some(annotation(None, None, drawing)),
        kind if COMMENTS.contains(&kind) => Some(annotation(None, comment(dict), drawing)),
        _ => drawing.map(|drawing| annotation(None, None, Some(drawing))),
    }
}

fn rectangle(dict: &Dict<'_>) -> Option<[f64; 4]> {
    let [a, b, c, d] = dict.get::<[f64; 4]>("Rect")?;
    [a, b, c, d].iter().all(|side| side.is_finite()).then(|| [a.min(c), b.min(d), a.max(c), b.max(d)])
}

/// The drawing of the state that an annotation is in.
fn drawing<'a>(dict: &Dict<'a>) -> Option<Stream<'a>> {
    let drawings = dict.get::<Dict<'a>>("AP")?;
    if let Some(one) = drawings.get::<Stream<'a>>("N") {
        return Some(one);
    }
    let state = dict.get::<Name<'_>>("AS")?;
    drawings.get::<Dict<'a>>("N")?.get::<Stream<'a>>(state.as_ref())
}

/// What a field says of a key, or those that it is part of.
fn inherited<'a, T>(dict: &Dict<'a>, get: impl Fn(&Dict<'a>) -> Option<T>) -> Option<T> {
    let mut dict = dict.clone();
    for _ in 0..DEEPEST {
        if let Some(found) = get(&dict) {
            return Some(found);
        }
        dict = dict.get::<Dict<'a>>("Parent")?;
    }
    None
}

fn number(dict: &Dict<'_>, key: &str) -> u32 {
    inherited(dict, |dict| dict.get::<u32>(key)).unwrap_or(0)
}

fn is_field(dict: &Dict<'_>, kind: &[u8]) -> bool {
    inherited(dict, |dict| dict.get::<Name<'_>>("FT")).is_some_and(|name| name.as_ref() == kind)
}

/// The value of a field as a reader sees it; that of a button is its caption.
fn value(dict: &Dict<'_>) -> Option<String> {
    let words = match () {
        () if is_field(dict, b"Tx") => words(&inherited(dict, |dict| dict.get::<Object<'_>>("V"))?),
        () if is_field(dict, b"Ch") => choices(dict),
        () if is_field(dict, b"Btn") => words(&dict.get::<Dict<'_>>("MK")?.get::<Object<'_>>("CA")?),
        () => String::new(),
    };
    Some(words).filter(|words| !words.trim().is_empty())
}

/// What is chosen, by the names that are shown for it.
fn choices(dict: &Dict<'_>) -> String {
    let Some(value) = inherited(dict, |dict| dict.get::<Object<'_>>("V")) else { return String::new() };
    let chosen: Vec<String> = match value {
        Object::Array(several) => several.iter::<Object<'_>>().take(MOST).map(|one| words(&one)).collect(),
        one => vec![words(&one)],
    };
    let options = inherited(dict, |dict| dict.get::<Array<'_>>("Opt"));
    let shown = |value: String| {
        let pairs = options.iter().flat_map(Array::iter::<Array<'_>>).take(MOST);
        let name = pairs.filter_map(|pair| {
            let mut pair = pair.iter::<Text<'_>>();
            Some((super::text_string(pair.next()?.as_bytes()), super::text_string(pair.next()?.as_bytes())))
        });
        name.into_iter().find(|(own, _)| *own == value).map_or(value, |(_, shown)| shown)
    };
    // Options may be many: looking for a name is worth it only for few choices.
    if chosen.len() > 100 { chosen.join("\n") } else { chosen.into_iter().map(shown).collect::<Vec<_>>().join("\n") }
}

fn words(value: &Object<'_>) -> String {
    match value {
        Object::String(text) => super::text_lines(text.as_bytes()),
        Object::Stream(stream) => stream.decoded_data().map(|data| super::text_lines(&data)).unwrap_or_default(),
        _ => String::new(),
    }
}

/// The words of a comment, behind who wrote it.
fn comment(dict: &Dict<'_>) -> Option<String> {
    let plain = dict.get::<Object<'_>>("Contents").map(|text| words(&text)).unwrap_or_default();
    let rich = || dict.get::<Object<'_>>("RC").map(|text| without_tags(&words(&text))).unwrap_or_default();
    let words = if plain.trim().is_empty() { rich() } else { plain };
    if words.trim().is_empty() {
        return None;
    }
    let author = dict.get::<Text<'_>>("T").map(|text| super::text_string(text.as_bytes())).unwrap_or_default();
    Some(if author.is_empty() { words } else { format!("{author}: {words}") })
}

/// The words of text that is marked up as a web page is: some programs write a comment only so.
fn without_tags(text: &str) -> String {
    let mut found = First(None);
    let page = Source::memory("comment.html", text.as_bytes());
    let read = Html.load(&page, &mut found);
    read.ok().and(found.0).map(|loaded| loaded.text.trim().to_owned()).unwrap_or_default()
}

/// The transformation that puts a drawing into its rectangle, as the standard says.
#[expect(clippy::many_single_char_names, reason = "the names the standard gives them")]
pub(super) fn placement(drawing: &Stream<'_>, [left, bottom, right, top]: [f64; 4]) -> Option<[f64; 6]> {
    let [x, y, to_x, to_y] = drawing.dict().get::<[f64; 4]>("BBox")?;
    let [a, b, c, d, e, f] = drawing.dict().get::<[f64; 6]>("Matrix").unwrap_or([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    let corners = [(x, y), (to_x, y), (x, to_y), (to_x, to_y)].map(|(x, y)| (a * x + c * y + e, b * x + d * y + f));
    let least = corners.iter().fold((f64::MAX, f64::MAX), |least, at| (least.0.min(at.0), least.1.min(at.1)));
    let most = corners.iter().fold((f64::MIN, f64::MIN), |most, at| (most.0.max(at.0), most.1.max(at.1)));
    let scale = |to: f64, from: f64| if from > 0.0 && to > 0.0 { to / from } else { 1.0 };
    let (across, up) = (scale(right - left, most.0 - least.0), scale(top - bottom, most.1 - least.1));
    let matrix = [across, 0.0, 0.0, up, left - across * least.0, bottom - up * least.1];
    matrix.iter().all(|number| number.is_finite()).then_some(matrix)
}
