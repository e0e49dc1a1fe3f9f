//! Mails that Outlook saved (`.msg`): the body is the text, the subject is the title, attachments are read as files of
//! their own.
//!
//! Every property is a stream that is called by its number and type; numbers and dates stand together in one stream.
//! The body may be there as text, as HTML and as packed RTF; text is taken first, as in other mails.

use encoding_rs::Encoding;

use super::super::compound::{Compound, Folder, ROOT, number16, number32};
use super::super::members::{Members, OpenMembers};
use super::super::rtf::{self, code_pages::code_page};
use super::super::{Html, Loader, Sink, SkipReason, Source, encoding::NotText, file_metadata, text};
use super::properties::{day, wide};
use okno_document::text::detect_language;
use okno_document::{Loaded, Metadata, Value};

/// Attachments of a mail.
const MOST_ATTACHMENTS: usize = 500;
/// Attachments inside of a mail that are mails; deeper ones are left out.
const DEEPEST: usize = 4;

pub(super) fn load(
    file: &Compound<'_>,
    source: &Source<'_>,
    members: &Members,
    out: &mut dyn Sink,
) -> Result<(), SkipReason> {
    let message = OutlookMail::open(file, ROOT, 32);
    let read = message.document(source).map(|loaded| out.document(loaded));
    if message.attachments().is_empty() {
        return read;
    }
    // A mail may hold nothing but its attachments.
    members.read(source, out, |open| message.read_attachments(open, 0))
}

/// A mail in a folder of the file.
struct OutlookMail<'f> {
    file: &'f Compound<'f>,
    folder: Folder,
    numbers: Vec<u8>,
    encoding: &'static Encoding,
}

impl<'f> OutlookMail<'f> {
    /// `header` is where the list of numbers begins in its stream.
    fn open(file: &'f Compound<'f>, folder: Folder, header: usize) -> Self {
        let mut numbers = file.stream_in(folder, "__properties_version1.0").unwrap_or_default();
        numbers.drain(..header.min(numbers.len()));
        let mut message = Self { file, folder, numbers, encoding: encoding_rs::WINDOWS_1252 };
        let page = [0x3ffd, 0x3fde].into_iter().find_map(|id| code_page(message.number(id)? as i32));
        message.encoding = page.unwrap_or(encoding_rs::WINDOWS_1252);
        message
    }

    fn number(&self, id: u16) -> Option<u64> {
        let entry = self.numbers.chunks_exact(16).find(|entry| number16(entry, 2) == id)?;
        Some(u64::from(number32(entry, 12)) << 32 | u64::from(number32(entry, 8)))
    }

    fn bytes(&self, id: u16) -> Option<Vec<u8>> {
        self.file.stream_in(self.folder, &format!("__substg1.0_{id:04X}0102"))
    }

    fn text(&self, id: u16) -> Option<String> {
        let stream = |kind: &str| self.file.stream_in(self.folder, &format!("__substg1.0_{id:04X}{kind}"));
        let text = match stream("001F") {
            Some(bytes) => wide(&bytes),
            None => self.decoded(&stream("001E")?),
        };
        let text = text.trim_end_matches('\0');
        Some(text.to_owned()).filter(|text| !text.trim().is_empty())
    }

    /// Letters of one byte: in the code page that the mail names, unless they are something else plainly.
    fn decoded(&self, bytes: &[u8]) -> String {
        let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        match super::super::encoding::decode_hinted(&bytes[..end], Some(self.encoding)) {
            Ok(decoded) => decoded.text.into_owned(),
            Err(_) => self.encoding.decode_without_bom_handling(&bytes[..end]).0.into_owned(),
        }
    }

    fn document(&self, source: &Source<'_>) -> Result<Loaded, SkipReason> {
        let mut loaded = self.body(source)?;
        loaded.title = self.text(0x0037).map_or_else(|| source.stem(), |subject| subject.trim().to_owned());
        loaded.metadata = self.metadata();
        file_metadata(&mut loaded.metadata, source, "mail");
        Ok(loaded)
    }

    fn body(&self, source: &Source<'_>) -> Result<Loaded, SkipReason> {
        if let Some(plain) = self.text(0x1000) {
            let blocks = text::blocks(&plain);
            return Ok(Loaded { language: detect_language(&plain), blocks, text: plain, ..Loaded::default() });
        }
        let html = self.bytes(0x1013).or_else(|| self.text(0x1013).map(String::into_bytes));
        if let Some(html) = html {
            let mut found = super::super::members::First(None);
            Html.load(&Source { content: Some(&html), ..*source }, &mut found)?;
            return found.0.ok_or_else(|| NotText::Blank.into());
        }
        let packed = self.bytes(0x1009).ok_or(NotText::Blank)?;
        let (rendering, _) = rtf::read(&unpacked(&packed));
        rendering.finish(source, "mail", Metadata::default())
    }

    fn metadata(&self) -> Metadata {
        let mut metadata = Metadata::default();
        let address = self.text(0x5d01).or_else(|| self.text(0x0c1f).filter(|address| address.contains('@')));
        let author = match (self.text(0x0c1a), address) {
            (Some(name), Some(address)) if name != address => Some(format!("{name} <{address}>")),
            (name, address) => name.or(address),
        };
        if let Some(author) = author {
            metadata.set("author", Value::Text(author));
        }
        for (key, id) in [("to", 0x0e04), ("cc", 0x0e03)] {
            let names: Vec<Value> = self.text(id).map(|names| people(&names)).unwrap_or_default();
            if !names.is_empty() {
                metadata.set(key, Value::List(names));
            }
        }
        let sent = [0x0039, 0x0e06, 0x3007].into_iter().find_map(|id| day(self.number(id)?));
        if let Some(sent) = sent {
            metadata.set("created", Value::Date(sent));
        }
        let attached: Vec<Value> =
            self.attachments().iter().map(|(_, folder)| Value::Text(self.attachment_name(*folder))).collect();
        if !attached.is_empty() {
            metadata.set("attachments", Value::List(attached));
        }
        metadata
    }

    fn attachments(&self) -> Vec<(&'f str, Folder)> {
        let mut folders = self.file.folders(self.folder);
        folders.retain(|(name, _)| name.starts_with("__attach_version1.0_"));
        folders.truncate(MOST_ATTACHMENTS);
        folders
    }

    fn attachment_name(&self, folder: Folder) -> String {
        let inner = OutlookMail { file: self.file, folder, numbers: Vec::new(), encoding: self.encoding };
        let name = [0x3707, 0x3704, 0x3001].into_iter().find_map(|id| inner.text(id));
        name.unwrap_or_else(|| "attachment".to_owned()).trim().to_owned()
    }

    fn read_attachments(&self, open: &mut OpenMembers<'_>, depth: usize) -> Result<(), SkipReason> {
        for (_, folder) in self.attachments() {
            let name = self.attachment_name(folder);
            let inner = OutlookMail { file: self.file, folder, numbers: Vec::new(), encoding: self.encoding };
            if let Some(bytes) = inner.bytes(0x3701) {
                if open.wants(&name) {
                    open.member(&name, &bytes)?;
                }
                continue;
            }
            // A mail inside of the mail is a folder.
            let folders = self.file.folders(folder);
            if let Some((_, within)) = folders.iter().find(|(name, _)| *name == "__substg1.0_3701000D") {
                let message = OutlookMail::open(self.file, *within, 24);
                open.made(&name, |source| message.document(source));
                if depth < DEEPEST {
                    message.read_attachments(open, depth + 1)?;
                }
            }
        }
        Ok(())
    }
}

fn people(names: &str) -> Vec<Value> {
    let names = names.split(';').map(|name| name.trim().trim_matches('\'')).filter(|name| !name.is_empty());
    names.map(|name| Value::Text(name.to_owned())).collect()
}

/// What packed RTF refers back to at its beginning.
const BEFORE: &[u8] = b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \
    \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \
    \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx";
const WINDOW: usize = 4096;
/// Bytes of RTF; packed ones become eight times as many at most.
const LONGEST: usize = 64 << 20;

/// Unpacks RTF: bytes, and references to one of the last 4096.
fn unpacked(packed: &[u8]) -> Vec<u8> {
    let data = packed.get(16..).unwrap_or_default();
    if packed.get(8..12) == Some(b"MELA") {
        return data.to_vec();
    }
    let mut window = vec![b' '; WINDOW];
    window[..BEFORE.len()].copy_from_slice(BEFORE);
    let (mut at, mut out) = (0, Vec::new());
    // The next byte of the window is the one behind what was written.
    let next = |out: &[u8]| (BEFORE.len() + out.len()) % WINDOW;
    while let Some(&control) = data.get(at).filter(|_| out.len() < LONGEST) {
        at += 1;
        for bit in 0..8 {
            let (from, length) = if control >> bit & 1 == 0 {
                let Some(&byte) = data.get(at) else { return out };
                at += 1;
                window[next(&out)] = byte;
                (next(&out), 1)
            } else {
                let Some(&[first, second]) = data.get(at..at + 2) else { return out };
                at += 2;
                let reference = u16::from_be_bytes([first, second]);
                let from = usize::from(reference >> 4);
                if from == next(&out) {
                    return out;
                }
                (from, usize::from(reference & 0xf) + 2)
            };
            for step in 0..length {
                let byte = window[(from + step) % WINDOW];
                window[next(&out)] = byte;
                out.push(byte);
            }
        }
    }
    out
}
