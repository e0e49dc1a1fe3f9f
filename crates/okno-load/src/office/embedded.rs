//! Documents inside of Microsoft's documents: each is read as a file of its own, as attachments of mails are.
//!
//! A part is a document itself, or a compound file that holds one: in a stream (`Package`, `CONTENTS`), behind the name
//! that it had on somebody's disk (`Ole10Native`), or it is an old document. Workbooks that only keep the numbers of a
//! chart are not read: the chart shows them.

use std::collections::HashSet;

use super::super::compound::{Compound, ROOT, number32};
use super::super::left_out::LeftOut;
use super::super::members::Members;
use super::super::{Sink, SkipReason, Source, encoding};
use super::archive::Archive;
use super::xml::relations;
use okno_document::Loaded;

/// The header of a PDF may stand behind some bytes.
const HEADER_WITHIN: usize = 1024;

/// Reads the documents that are embedded in an archive; how many there were.
pub(super) fn read(archive: &mut Archive<'_>, source: &Source<'_>, members: &Members, out: &mut dyn Sink) -> usize {
    let parts = parts(archive);
    if parts.is_empty() {
        return 0;
    }
    let (mut counting, mut unread) = (CountingSink { out, documents: 0 }, 0);
    let read = members.read(source, &mut counting, |open| {
        for part in parts {
            let object = archive.read(&part).ok().and_then(|bytes| object(&part, bytes));
            match object {
                Some((name, bytes)) => open.member(&name, &bytes)?,
                None => unread += 1,
            }
        }
        Ok(())
    });
    let CountingSink { out, documents } = counting;
    read.unwrap_or_else(|reason| out.skip(source.name, reason));
    if unread > 0 {
        out.left_out(source.name, LeftOut::Embedded { count: unread });
    }
    documents
}

/// The names of parts that are embedded, those of charts left out.
fn parts(archive: &mut Archive<'_>) -> Vec<String> {
    let names = archive.names();
    let mut of_charts: HashSet<String> = HashSet::new();
    for name in names.iter().filter(|name| name.contains("/charts/_rels/")) {
        let targets = archive.text(name).map(|xml| relations(&xml)).unwrap_or_default().into_values();
        of_charts.extend(targets.map(|target| last(&target).to_owned()));
    }
    let embedded = |name: &String| name.contains("/embeddings/") && !name.ends_with('/') && !name.contains("/_rels/");
    let mut parts: Vec<String> =
        names.into_iter().filter(embedded).filter(|name| !of_charts.contains(last(name))).collect();
    parts.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    parts
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The document that a part holds, with a name for it; nothing for formulas, sounds and other objects.
fn object(part: &str, bytes: Vec<u8>) -> Option<(String, Vec<u8>)> {
    let name = last(part);
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let Some(file) = Compound::open(&bytes) else {
        return (!ending.eq_ignore_ascii_case("bin")).then(|| (name.to_owned(), bytes));
    };
    let stream = |name: &str| file.stream_in(ROOT, name);
    if let Some(package) = stream("Package") {
        return Some((format!("{stem}.{}", ending_of(&package)), package));
    }
    let pdf =
        |content: &Vec<u8>| memchr::memmem::find(&content[..content.len().min(HEADER_WITHIN)], b"%PDF-").is_some();
    if let Some(content) = stream("CONTENTS").filter(pdf) {
        return Some((format!("{stem}.pdf"), content));
    }
    if let Some(native) = stream("\u{1}Ole10Native") {
        return native_file(&native);
    }
    let kinds = [("WordDocument", "doc"), ("PowerPoint Document", "ppt"), ("Workbook", "xls"), ("Book", "xls")];
    let kind = kinds.iter().find(|(name, _)| stream(name).is_some()).map(|(_, kind)| *kind)?;
    Some((format!("{stem}.{kind}"), bytes))
}

/// What kind of document an archive is.
fn ending_of(package: &[u8]) -> &'static str {
    let Ok(archive) = Archive::open(package) else { return "bin" };
    match () {
        () if archive.has("word/document.xml") => "docx",
        () if archive.has("ppt/presentation.xml") => "pptx",
        () if archive.has("xl/workbook.xml") => "xlsx",
        () => "zip",
    }
}

/// A file as it was dropped into a document: its length, its name, two paths, its bytes.
fn native_file(native: &[u8]) -> Option<(String, Vec<u8>)> {
    let text = |from: usize| {
        let rest = native.get(from..)?;
        let end = memchr::memchr(0, rest)?;
        Some((&rest[..end], from + end + 1))
    };
    let (label, at) = text(6)?;
    let (_, at) = text(at)?;
    let path = number32(native, at + 4) as usize;
    let at = at.checked_add(8)?.checked_add(path)?;
    let start = at.checked_add(4)?;
    let end = start.checked_add(number32(native, at) as usize)?;
    let content = native.get(start..end)?.to_vec();
    let label = encoding::decode(label).map_or_else(|_| "object".to_owned(), |decoded| decoded.text.into_owned());
    Some((last(&label.replace('\\', "/")).to_owned(), content)).filter(|(name, _)| !name.is_empty())
}

/// Counts documents.
struct CountingSink<'s> {
    out: &'s mut dyn Sink,
    documents: usize,
}

impl Sink for CountingSink<'_> {
    fn document(&mut self, loaded: Loaded) {
        self.documents += 1;
        self.out.document(loaded);
    }

    fn skip(&mut self, place: &str, reason: SkipReason) {
        self.out.skip(place, reason);
    }

    fn left_out(&mut self, place: &str, what: LeftOut) {
        self.out.left_out(place, what);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::compound::written;
    use super::*;

    fn native(label: &str, content: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0, 0, 0, 0, 2, 0];
        for path in [label, "C:\\a"] {
            bytes.extend(path.bytes().chain([0]));
        }
        bytes.extend([0, 0, 3, 0, 4, 0, 0, 0]);
        bytes.extend(b"C:b\0");
        bytes.extend((content.len() as u32).to_le_bytes());
        bytes.extend(content);
        bytes
    }

    #[test]
    fn objects_are_files_with_names() {
        let of = |streams: &[(&str, &[u8])]| object("word/embeddings/oleObject1.bin", written(streams));
        let dropped = native("plan.md", b"# Plan");
        assert_eq!(of(&[("\u{1}Ole10Native", &dropped)]), Some(("plan.md".into(), b"# Plan".to_vec())));
        assert_eq!(of(&[("CONTENTS", b"%PDF-1.4")]).unwrap().0, "oleObject1.pdf");
        assert_eq!(of(&[("WordDocument", b"x")]).unwrap().0, "oleObject1.doc");
        assert_eq!(of(&[("Equation Native", b"x")]), None);
        assert_eq!(object("ppt/embeddings/a.docx", b"PK".to_vec()), Some(("a.docx".into(), b"PK".to_vec())));
        assert_eq!(object("ppt/embeddings/a.bin", b"x".to_vec()), None);
        for cut in 0..dropped.len() {
            assert_eq!(native_file(&dropped[..cut]), None, "{cut}");
        }
    }
}
