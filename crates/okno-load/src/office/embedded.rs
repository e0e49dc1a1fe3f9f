//! Documents inside of Microsoft's documents: each is read as a file of its own, as attachments of mails are.
//!
//! A part is a document itself, or a compound file that holds one: in a stream (`Package`, `CONTENTS`), behind the name
//! that it had on somebody's disk (`Ole10Native`), or it is an old document. Workbooks that only keep the numbers of a
//! chart are not read: the chart shows them. Old documents keep such objects in folders (`MBD…`, `ObjectPool`).

use std::collections::HashSet;

use super::super::compound::{Compound, Folder, ROOT, number32, written};
use super::super::left_out::LeftOut;
use super::super::members::Members;
use super::super::{Sink, SkipReason, Source, encoding};
use super::archive::Archive;
use super::xml::relations;
use okno_document::Loaded;

/// The header of a PDF may stand behind some bytes.
const HEADER_WITHIN: usize = 1024;

/// Objects that are no documents: behind so many of them, no more are looked at.
const MOST_UNREAD: usize = 100;

/// Reads the documents that are embedded in an archive; how many there were.
pub(super) fn read(archive: &mut Archive<'_>, source: &Source<'_>, members: &Members, out: &mut dyn Sink) -> usize {
    let parts = parts(archive);
    if parts.is_empty() {
        return 0;
    }
    let objects = parts.into_iter().map(|part| archive.read(&part).ok().and_then(|bytes| object(&part, bytes)));
    read_objects(objects, source, members, out)
}

/// Reads the documents that are embedded in an old document, each in a folder of its own; how many there were.
pub(in super::super) fn read_folders(
    file: &Compound<'_>,
    source: &Source<'_>,
    members: &Members,
    out: &mut dyn Sink,
) -> usize {
    let workbook = file.folders(ROOT).into_iter().filter(|(name, _)| name.starts_with("MBD"));
    let pools = file.folders(ROOT).into_iter().filter(|(name, _)| *name == "ObjectPool");
    let word = pools.flat_map(|(_, pool)| file.folders(pool));
    let folders: Vec<(&str, Folder)> = workbook.chain(word).collect();
    if folders.is_empty() {
        return 0;
    }
    let number = |at: usize| format!("object{}", at + 1);
    let objects = folders.iter().enumerate().map(|(at, (_, folder))| {
        packed(file, *folder, &number(at)).or_else(|| {
            let kind = kind_of(file, *folder)?;
            Some((format!("{}.{kind}", number(at)), alone(file, *folder)))
        })
    });
    read_objects(objects, source, members, out)
}

/// The streams of a folder as a file of its own; folders inside of it are left out.
fn alone(file: &Compound<'_>, folder: Folder) -> Vec<u8> {
    // Streams may claim the same bytes: together they are no longer than the file.
    let mut left = file.length();
    let mut streams = Vec::new();
    for (name, stream) in file.streams(folder) {
        let content = file.read(stream);
        let Some(rest) = left.checked_sub(content.len()) else { break };
        left = rest;
        streams.push((name, content));
    }
    written(&streams.iter().map(|(name, content)| (*name, content.as_slice())).collect::<Vec<_>>())
}

fn read_objects(
    objects: impl Iterator<Item = Option<(String, Vec<u8>)>>,
    source: &Source<'_>,
    members: &Members,
    out: &mut dyn Sink,
) -> usize {
    let (mut counting, mut unread) = (CountingSink { out, documents: 0 }, 0);
    let read = members.read(source, &mut counting, |open| {
        for object in objects {
            match object {
                Some((name, bytes)) => open.member(&name, &bytes)?,
                None => unread += 1,
            }
            if unread >= MOST_UNREAD {
                break;
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
    if let Some(found) = packed(&file, ROOT, stem) {
        return Some(found);
    }
    let kind = kind_of(&file, ROOT)?;
    Some((format!("{stem}.{kind}"), bytes))
}

/// The document that a stream of a folder holds, with a name for it.
fn packed(file: &Compound<'_>, folder: Folder, stem: &str) -> Option<(String, Vec<u8>)> {
    let stream = |name: &str| file.stream_in(folder, name);
    if let Some(package) = stream("Package") {
        return Some((format!("{stem}.{}", ending_of(&package)), package));
    }
    let pdf =
        |content: &Vec<u8>| memchr::memmem::find(&content[..content.len().min(HEADER_WITHIN)], b"%PDF-").is_some();
    if let Some(content) = stream("CONTENTS").filter(pdf) {
        return Some((format!("{stem}.pdf"), content));
    }
    native_file(&stream("\u{1}Ole10Native")?)
}

/// What kind of old document the streams of a folder are.
fn kind_of(file: &Compound<'_>, folder: Folder) -> Option<&'static str> {
    let kinds = [("WordDocument", "doc"), ("PowerPoint Document", "ppt"), ("Workbook", "xls"), ("Book", "xls")];
    let streams = file.streams(folder);
    let has = |name: &str| streams.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
    kinds.iter().find(|(name, _)| has(name)).map(|(_, kind)| *kind)
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
    use super::super::super::tests::Collected;
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
    #[test]
    fn folders_of_an_old_workbook_are_documents() {
        let plan = native("plan.md", b"# Plan\n\nTea at four.");
        let handbook = include_bytes!("../../tests/files/handbook.doc");
        let inner = Compound::open(handbook).unwrap();
        let streams: Vec<(String, Vec<u8>)> =
            inner.streams(ROOT).into_iter().map(|(name, at)| (format!("MBD2/{name}"), inner.read(at))).collect();
        let mut all: Vec<(&str, &[u8])> = vec![("Workbook", b"x"), ("MBD1/\u{1}Ole10Native", &plan)];
        all.extend(streams.iter().map(|(name, content)| (name.as_str(), content.as_slice())));
        all.push(("MBD3/Equation Native", b"x"));
        let bytes = written(&all);
        let (file, mut got) = (Compound::open(&bytes).unwrap(), Collected::default());
        let source = Source::memory("book.xls", &bytes);
        assert_eq!(read_folders(&file, &source, &Members::default(), &mut got), 2);
        let names: Vec<&str> = got.documents.iter().map(|document| document.id.as_deref().unwrap()).collect();
        assert_eq!(names, ["book.xls/plan.md", "book.xls/object2.doc"]);
        assert!(got.documents[1].text.starts_with("# Staff handbook"), "{}", got.documents[1].text);
    }
}
