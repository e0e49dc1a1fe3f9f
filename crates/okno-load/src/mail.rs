//! Mail (`.eml`): the body is the text, the headers are metadata, the subject is the title.
//!
//! A plain body stays as it was written; one that is only HTML is rendered like any page. Attachments are named, not
//! read.

use okno_document::text::detect_language;
use std::path::Path;

use mail_parser::{Address, Message, MessageParser, PartType};

use super::{Html, Loader, Sink, SkipReason, Source, encoding::NotText, file_metadata, has_extension, text, textual};
use okno_document::{Date, Loaded, Metadata, Value};

/// Reads `.eml` files.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mail;

impl Loader for Mail {
    fn accepts(&self, path: &Path, head: &[u8]) -> bool {
        has_extension(path, &["eml"]) && textual(path, head)
    }

    fn load(&self, source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason> {
        let bytes = source.bytes()?;
        bounded(&bytes)?;
        let message = MessageParser::default().parse(&bytes[..]).filter(|message| !message.headers().is_empty());
        let Some(message) = message else {
            return Err(SkipReason::NotMail);
        };
        let metadata = metadata(&message);
        let title = message.subject().map_or_else(|| source.stem(), |subject| subject.trim().to_owned());
        let mut loaded = body(&message, source)?;
        loaded.metadata = metadata;
        loaded.title = title;
        file_metadata(&mut loaded.metadata, source, "mail");
        out.document(loaded);
        Ok(())
    }
}

/// Bytes of all headers: an address of one letter takes a hundred times as much in memory.
const LONGEST_HEADERS: usize = 4 << 20;
/// Lines that may begin a part.
const MOST_PARTS: usize = 50_000;
/// Messages inside of messages: they are let go of one inside of the other.
const MOST_MESSAGES: usize = 200;

/// Refuses a mail that would take far more memory than its length: of headers, of parts, of mails in mails.
fn bounded(bytes: &[u8]) -> Result<(), SkipReason> {
    let (mut headers, mut parts, mut messages, mut in_headers, mut message) = (0, 0, 0, true, false);
    for line in bytes.split(|byte| *byte == b'\n') {
        let blank = line.trim_ascii().is_empty();
        match line {
            [b'-', b'-', ..] => (in_headers, message, parts) = (true, false, parts + 1),
            // The headers of a mail inside follow those of its part.
            _ if blank && in_headers && headers > 0 => (in_headers, message) = (message, false),
            _ => {}
        }
        if in_headers && !blank {
            headers += line.len() + 1;
            if names_message(line) {
                (message, messages) = (true, messages + 1);
            }
        }
    }
    let limits = [(headers, LONGEST_HEADERS), (parts, MOST_PARTS), (messages, MOST_MESSAGES)];
    let over = limits.into_iter().find(|(count, limit)| count > limit);
    over.map_or(Ok(()), |(parts, limit)| Err(SkipReason::TooManyParts { parts, limit }))
}

/// Whether a header says that what follows is a mail.
fn names_message(line: &[u8]) -> bool {
    let line = line.to_ascii_lowercase();
    ["rfc822", "global", "digest"].iter().any(|kind| memchr::memmem::find(&line, kind.as_bytes()).is_some())
}

fn body(message: &Message<'_>, source: &Source<'_>) -> Result<Loaded, SkipReason> {
    let plain: Vec<&str> = message
        .text_bodies()
        .filter_map(|part| if let PartType::Text(text) = &part.body { Some(text.as_ref()) } else { None })
        .collect();
    let plain = plain.join("\n\n");
    if !plain.trim().is_empty() {
        return Ok(Loaded {
            language: detect_language(&plain),
            blocks: text::blocks(&plain),
            text: plain,
            ..Loaded::default()
        });
    }
    let html =
        message.html_bodies().find_map(|part| if let PartType::Html(html) = &part.body { Some(html) } else { None });
    let html = html.ok_or(NotText::Blank)?;
    let mut found = First(None);
    Html.load(&Source { content: Some(html.as_bytes()), ..*source }, &mut found)?;
    found.0.ok_or_else(|| NotText::Blank.into())
}

/// Keeps the first document.
struct First(Option<Loaded>);

impl Sink for First {
    fn document(&mut self, loaded: Loaded) {
        self.0.get_or_insert(loaded);
    }

    fn skip(&mut self, _: &str, _: SkipReason) {}
}

fn metadata(message: &Message<'_>) -> Metadata {
    let mut metadata = Metadata::default();
    let people = [("author", message.from()), ("to", message.to()), ("cc", message.cc())];
    for (key, address) in people {
        let names: Vec<Value> = address.map(names).unwrap_or_default();
        match names.len() {
            0 => {}
            1 if key == "author" => metadata.set(key, names[0].clone()),
            _ => metadata.set(key, Value::List(names)),
        }
    }
    let sent = message.date().and_then(|date| Date::new(i16::try_from(date.year).ok()?, date.month, date.day));
    if let Some(sent) = sent {
        metadata.set("created", Value::Date(sent));
    }
    let attached: Vec<Value> = message
        .attachments()
        .filter_map(mail_parser::MimeHeaders::attachment_name)
        .map(|name| Value::Text(name.to_owned()))
        .collect();
    if !attached.is_empty() {
        metadata.set("attachments", Value::List(attached));
    }
    metadata
}

/// `Ann Lee <ann@example.org>` for each address.
fn names(address: &Address<'_>) -> Vec<Value> {
    let shown = |person: &mail_parser::Addr<'_>| match (person.name(), person.address()) {
        (Some(name), Some(address)) => Some(format!("{name} <{address}>")),
        (name, address) => name.or(address).map(str::to_owned),
    };
    address.iter().filter_map(shown).map(Value::Text).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::load;
    use super::*;

    #[test]
    fn a_plain_mail() {
        let mail = "From: =?utf-8?B?5byg5LiJ?= <zhang@example.org>\r\nTo: Ann <ann@example.org>, bob@example.org\r\nSubject: =?utf-8?Q?Caf=C3=A9_=E4=BC=9A=E8=AE=AE?=\r\n\
                    Date: Fri, 28 Jul 2023 16:40:00 +0800\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n=E4=BD=A0=E5=A5=BD.\r\n\r\nSee you there.\r\n";
        let got = load(&Mail, "a.eml", mail.as_bytes()).documents.remove(0);
        assert_eq!(got.title, "Café 会议");
        assert!(got.text.contains("你好.") && got.text.contains("See you there."), "{:?}", got.text);
        assert_eq!(got.metadata.get("author"), Some(&Value::Text("张三 <zhang@example.org>".into())));
        assert_eq!(got.metadata.get("created"), Some(&Value::Date(Date { year: 2023, month: 7, day: 28 })));
        assert!(matches!(got.metadata.get("to"), Some(Value::List(to)) if to.len() == 2));
    }

    #[test]
    fn a_mail_of_html_with_an_attachment() {
        let mail = "From: a@b.c\r\nSubject: x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=B\r\n\r\n--B\r\nContent-Type: text/html\r\n\r\n\
                    <html><body><h1>News</h1><p>All is well.</p></body></html>\r\n--B\r\nContent-Type: application/pdf; name=\"plan.pdf\"\r\nContent-Disposition: attachment; filename=\"plan.pdf\"\r\n\r\nzzz\r\n--B--\r\n";
        let got = load(&Mail, "a.eml", mail.as_bytes()).documents.remove(0);
        assert_eq!(got.text, "# News\n\nAll is well.\n");
        assert_eq!(got.metadata.get("attachments"), Some(&Value::List(vec![Value::Text("plan.pdf".into())])));
        assert_eq!(load(&Mail, "a.eml", b"").skipped[0].1, SkipReason::NotMail);
    }
}
