//! From lines to questions: which fields there are, and what each must hold.

use super::library::missing;
use super::{Fault, FaultReason, Gold, JsonKind, Library, NameMatch, Question};
use crate::Result;
use crate::gold::Points;
use okno::document::Filter;
use serde_json::{Map, Value};
use std::collections::{BTreeSet, HashSet};

/// A line as an object, or why it is none.
pub type ParsedLine = Result<(usize, Map<String, Value>), Fault>;

/// The objects of JSON lines; blank lines are passed over.
pub fn json_lines(text: &str) -> Vec<ParsedLine> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(number, line)| {
            let fault = |reason| Fault { line: number + 1, field: "", reason };
            match serde_json::from_str(line) {
                Ok(Value::Object(object)) => Ok((number + 1, object)),
                Ok(other) => Err(fault(FaultReason::NotObject { got: (&other).into() })),
                Err(error) => Err(fault(FaultReason::NotJson { column: error.column() })),
            }
        })
        .collect()
}

/// A document of a corpus file.
pub fn document(line: usize, object: &Map<String, Value>) -> Result<(usize, String, String), Fault> {
    let fields = LineFields { line, object };
    Ok((line, fields.required_text(&["doc_id"])?, fields.required_text(&["text"])?))
}

/// All questions, or all faults.
pub fn questions(lines: Vec<ParsedLine>, library: &mut dyn Library) -> Result<Result<Vec<Question>, Vec<Fault>>> {
    let (mut questions, mut faults, mut ids) = (Vec::new(), Vec::new(), HashSet::new());
    for line in lines {
        let read = match line {
            Ok((line, object)) => {
                question(&LineFields { line, object: &object }, library)?.map(|question| (line, question))
            }
            Err(fault) => Err(fault),
        };
        match read {
            Ok((line, question)) if !ids.insert(question.id.clone()) => {
                let reason = FaultReason::RepeatedQuestion { id: question.id };
                faults.push(Fault { line, field: "qid", reason });
            }
            Ok((_, question)) => questions.push(question),
            Err(fault) => faults.push(fault),
        }
    }
    Ok(if faults.is_empty() { Ok(questions) } else { Err(faults) })
}

fn question(fields: &LineFields<'_>, library: &mut dyn Library) -> Result<Result<Question, Fault>> {
    let plain = || {
        let filter = fields.object.get("filter").filter(|filter| !filter.is_null());
        let filter = filter
            .map(Filter::from_json)
            .transpose()
            .map_err(|reason| fields.fault("filter", FaultReason::Filter { reason }))?;
        Ok((fields.id(), fields.required_text(&["question", "query"])?, fields.text(&["kind"])?, filter))
    };
    let (id, text, kind, filter) = match plain() {
        Ok(plain) => plain,
        Err(fault) => return Ok(Err(fault)),
    };
    Ok(gold(fields, library)?.map(|gold| Question { id, text, kind, filter, gold }))
}

fn gold(fields: &LineFields<'_>, library: &mut dyn Library) -> Result<Result<Gold, Fault>> {
    if !fields.has("start") && fields.has("relevant") {
        return relevant(fields, library);
    }
    let name = match fields.required_text(&["doc_id", "document"]) {
        Ok(name) => name,
        Err(fault) => return Ok(Err(fault)),
    };
    let NameMatch::One(document) = library.find(&name)? else {
        let found = library.find(&name)?;
        return Ok(Err(fields.fault("doc_id", missing(&name, &found))));
    };
    let nothing = Vec::new();
    let text = library.texts().get(&document).unwrap_or(&nothing);
    Ok(places(fields, text).map(|(answer, excerpts)| Gold::Spans { document, answer, excerpts }))
}

/// Document-level relevance.
fn relevant(fields: &LineFields<'_>, library: &mut dyn Library) -> Result<Result<Gold, Fault>> {
    let mut names = BTreeSet::new();
    for value in fields.object["relevant"].as_array().map(Vec::as_slice).unwrap_or_default() {
        let Some(name) = value.as_str() else {
            return Ok(Err(fields.fault("relevant", FaultReason::NotName { got: value.into() })));
        };
        match library.find(name)? {
            NameMatch::One(own) => names.insert(own),
            found => return Ok(Err(fields.fault("relevant", missing(name, &found)))),
        };
    }
    let some = !names.is_empty();
    let fault = || fields.fault("relevant", FaultReason::NoNames);
    Ok(some.then_some(Gold::Documents(names)).ok_or_else(fault))
}

/// The answer and all excerpts: by offsets, or by looking for the answer's words.
fn places(fields: &LineFields<'_>, text: &[char]) -> Result<(Points, Vec<Points>), Fault> {
    if fields.has("start") || fields.has("end") {
        let answer = fields.span("start", fields.number("start")?, fields.number("end")?, text)?;
        return Ok((answer, fields.spans(text)?));
    }
    let field = if fields.has("answers") { "answers" } else { "answer" };
    let answers = fields.answers(field)?;
    let excerpts: Vec<Points> = answers
        .iter()
        .map(|answer| only_place(text, answer).map_err(|reason| fields.fault(field, reason)))
        .collect::<Result<_, _>>()?;
    Ok((excerpts[0].clone(), if excerpts.len() > 1 { excerpts } else { Vec::new() }))
}

/// The one place where an answer's words are, whatever the white space between them.
fn only_place(text: &[char], answer: &str) -> Result<Points, FaultReason> {
    let wanted: Vec<char> = answer.trim().chars().collect();
    let places: Vec<Points> =
        (0..text.len()).filter_map(|start| matched(text, start, &wanted).map(|end| start..end)).take(2).collect();
    let words: String = answer.chars().take(60).collect();
    match places.as_slice() {
        [place] => Ok(place.clone()),
        [] => Err(FaultReason::NotInDocument { words }),
        _ => Err(FaultReason::SeveralPlaces { words }),
    }
}

/// The end of `wanted` when it stands at `start`; a run of white space matches any other.
fn matched(text: &[char], start: usize, wanted: &[char]) -> Option<usize> {
    let (mut at, mut i) = (start, 0);
    while i < wanted.len() {
        let here = *text.get(at)?;
        if wanted[i].is_whitespace() {
            let skip =
                |list: &[char], from: usize| from + list[from..].iter().take_while(|c| c.is_whitespace()).count();
            if !here.is_whitespace() {
                return None;
            }
            (at, i) = (skip(text, at), skip(wanted, i));
        } else if here == wanted[i] {
            (at, i) = (at + 1, i + 1);
        } else {
            return None;
        }
    }
    (!wanted.is_empty()).then_some(at)
}

/// The fields of one line.
struct LineFields<'a> {
    line: usize,
    object: &'a Map<String, Value>,
}

impl LineFields<'_> {
    fn fault(&self, field: &'static str, reason: FaultReason) -> Fault {
        Fault { line: self.line, field, reason }
    }

    fn has(&self, field: &str) -> bool {
        self.object.get(field).is_some_and(|value| !value.is_null())
    }

    /// The question's own name, or its line.
    fn id(&self) -> String {
        match self.object.get("qid").or_else(|| self.object.get("id")) {
            Some(Value::String(id)) => id.clone(),
            Some(Value::Number(id)) => id.to_string(),
            _ => self.line.to_string(),
        }
    }

    fn text(&self, names: &[&'static str]) -> Result<Option<String>, Fault> {
        let given =
            names.iter().find_map(|&name| Some((name, self.object.get(name).filter(|value| !value.is_null())?)));
        match given {
            None => Ok(None),
            Some((_, Value::String(text))) if !text.trim().is_empty() => Ok(Some(text.clone())),
            Some((_, Value::Number(number))) => Ok(Some(number.to_string())),
            Some((name, Value::String(_))) => Err(self.fault(name, FaultReason::EmptyText)),
            Some((name, other)) => Err(self.fault(name, FaultReason::NotText { got: other.into() })),
        }
    }

    fn required_text(&self, names: &[&'static str]) -> Result<String, Fault> {
        self.text(names)?.ok_or_else(|| self.fault(names[0], FaultReason::NotText { got: JsonKind::Nothing }))
    }

    fn number(&self, name: &'static str) -> Result<usize, Fault> {
        let value = self.object.get(name).unwrap_or(&Value::Null);
        let number = value.as_u64().map(|number| number as usize);
        number.ok_or_else(|| self.fault(name, FaultReason::NotCount { got: value.to_string() }))
    }

    fn span(&self, field: &'static str, start: usize, end: usize, text: &[char]) -> Result<Points, Fault> {
        if start < end && end <= text.len() {
            return Ok(start..end);
        }
        Err(self.fault(field, FaultReason::Outside { length: text.len(), start, end }))
    }

    /// `[[start, end], …]` or `[{"start": …, "end": …}, …]`.
    fn spans(&self, text: &[char]) -> Result<Vec<Points>, Fault> {
        let list = match self.object.get("spans") {
            None | Some(Value::Null) => return Ok(Vec::new()),
            Some(Value::Array(list)) => list,
            Some(other) => return Err(self.fault("spans", FaultReason::NotList { got: other.into() })),
        };
        list.iter()
            .map(|span| {
                let end = |index: usize, name: &str| span.get(index).or_else(|| span.get(name)).and_then(Value::as_u64);
                let (Some(start), Some(end)) = (end(0, "start"), end(1, "end")) else {
                    return Err(self.fault("spans", FaultReason::NotSpan { got: span.to_string() }));
                };
                self.span("spans", start as usize, end as usize, text)
            })
            .collect()
    }

    fn answers(&self, field: &'static str) -> Result<Vec<String>, Fault> {
        let one = |value: &Value| match value {
            Value::String(text) if !text.trim().is_empty() => Ok(text.clone()),
            Value::Number(number) => Ok(number.to_string()),
            other => Err(self.fault(field, FaultReason::NotText { got: other.into() })),
        };
        match self.object.get(field) {
            Some(Value::Array(list)) if !list.is_empty() => list.iter().map(one).collect(),
            Some(value) if !value.is_null() => Ok(vec![one(value)?]),
            _ => Err(self.fault(field, FaultReason::NoAnswer)),
        }
    }
}
