//! Mail (`.eml`), mailboxes (`.mbox`) and web pages that are saved as mail (`.mhtml`).
//!
//! The body is the text, the headers are metadata, the subject is the title. A plain body stays as it was written; one
//! that is only HTML is rendered like any page. Attachments are read as files of their own (`members`), as are the
//! mails of a mailbox. A mail that was saved in UTF-16 is read as the text it is. Without the name, the headers tell.

use okno_document::text::detect_language;
use std::borrow::Cow;
use std::path::Path;

use mail_parser::{Address, Message, MessageParser, MessagePart, MimeHeaders, PartType};

use super::left_out::LeftOut;
use super::members::{First, Members, OpenMembers};
use super::{
    Html, Loader, Sink, SkipReason, Source, encoding, encoding::NotText, file_metadata, has_extension, text, textual,
};
use okno_document::{Date, Loaded, Metadata, Value};

/// Reads mails, mailboxes and saved pages.
#[derive(Debug, Clone, Default)]
pub struct Mail {
    members: Members,
}

impl Mail {
    /// Reads attachments so.
    pub(super) fn new(members: Members) -> Self {
        Self { members }
    }
}

const PAGES: [&str; 2] = ["mht", "mhtml"];
const MAILBOXES: [&str; 1] = ["mbox"];
/// Names under which mails and saved pages are found too.
const OTHERS: [&str; 9] = ["txt", "text", "doc", "xls", "msg", "mail", "email", "dat", "bak"];

impl Loader for Mail {
    fn accepts(&self, path: &Path, head: &[u8]) -> bool {
        if has_extension(path, &["eml"]) || has_extension(path, &PAGES) || has_extension(path, &MAILBOXES) {
            return textual(path, head);
        }
        let unnamed = path.extension().is_none() || has_extension(path, &OTHERS);
        unnamed && textual(path, head) && looks_like_mail(head)
    }

    fn load(&self, source: &Source<'_>, out: &mut dyn Sink) -> Result<(), SkipReason> {
        let bytes = narrowed(source.bytes()?);
        if bytes.starts_with(b"From ") && !has_extension(source.path, &["eml"]) {
            return self.members.read(source, out, |open| mailbox(&bytes, open));
        }
        bounded(&bytes)?;
        let message = MessageParser::default().parse(&bytes[..]).filter(|message| !message.headers().is_empty());
        let Some(message) = message else {
            return Err(SkipReason::NotMail);
        };
        if is_page(source, &message) {
            let mut loaded = body(&message, source)?;
            file_metadata(&mut loaded.metadata, source, "mhtml");
            out.document(loaded);
            return Ok(());
        }
        let read = document(&message, source).map(|loaded| out.document(loaded));
        let images = message.attachments().filter(|part| is_inline_image(part)).count();
        if images > 0 {
            out.left_out(source.name, LeftOut::Images { count: images });
        }
        if message.attachments().any(|part| !is_inline_image(part)) {
            // A mail may hold nothing but its attachments.
            return self.members.read(source, out, |open| attachments(&message, open));
        }
        read
    }
}

/// A mail in UTF-16 as the bytes that it would have without it.
fn narrowed(bytes: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let wide = bytes.starts_with(b"\xff\xfe")
        || bytes.starts_with(b"\xfe\xff")
        || memchr::memchr(0, &bytes[..bytes.len().min(64)]).is_some();
    match encoding::decode(&bytes) {
        Ok(decoded) if wide => Cow::Owned(decoded.text.into_owned().into_bytes()),
        _ => bytes,
    }
}

/// Headers that only mail has, and those that people write too.
const OWN_HEADERS: [&str; 8] = [
    "received",
    "message-id",
    "mime-version",
    "return-path",
    "delivered-to",
    "content-type",
    "x-mailer",
    "x-originating-ip",
];
const COMMON_HEADERS: [&str; 7] = ["from", "to", "subject", "date", "cc", "reply-to", "sender"];
/// Lines looked at.
const HEADER_LINES: usize = 60;

/// Whether a file begins with the headers of a mail, or with the line of a mailbox.
fn looks_like_mail(head: &[u8]) -> bool {
    let head = narrowed(Cow::Borrowed(head));
    let head = String::from_utf8_lossy(&head);
    let (mut own, mut common) = (0, 0);
    for (at, line) in head.lines().take(HEADER_LINES).enumerate() {
        if line.trim().is_empty() {
            break;
        }
        if line.starts_with([' ', '\t']) || (at == 0 && line.starts_with("From ")) {
            continue;
        }
        let Some((name, _)) = line.split_once(':') else { return false };
        let name = name.to_ascii_lowercase();
        own += usize::from(OWN_HEADERS.contains(&name.as_str()));
        common += usize::from(COMMON_HEADERS.contains(&name.as_str()));
    }
    own > 0 && own + common > 1
}

/// Whether it is a web page: one that says so, or that nobody sent.
fn is_page(source: &Source<'_>, message: &Message<'_>) -> bool {
    let related = message.content_type().is_some_and(|kind| kind.subtype() == Some("related"));
    has_extension(source.path, &PAGES) || (related && message.to().is_none() && message.html_body_count() > 0)
}

/// The mails of a mailbox: each begins behind a blank line with `From `.
fn mailbox(bytes: &[u8], open: &mut OpenMembers<'_>) -> Result<(), SkipReason> {
    let starts = memchr::memmem::find_iter(bytes, b"\nFrom ").map(|at| at + 1);
    let blank = |at: &usize| bytes[..*at].ends_with(b"\n\n") || bytes[..*at].ends_with(b"\n\r\n");
    let starts: Vec<usize> = std::iter::once(0).chain(starts.filter(blank)).collect();
    for (at, start) in starts.iter().enumerate() {
        let end = starts.get(at + 1).copied().unwrap_or(bytes.len());
        let mail = &bytes[*start..end];
        let headers = memchr::memchr(b'\n', mail).map_or(mail.len(), |line| line + 1);
        let mail = &mail[headers..];
        // One that has no headers begins with the blank line behind them.
        let kind = if mail.starts_with(b"\n") || mail.starts_with(b"\r\n") { "txt" } else { "eml" };
        open.member(&format!("{}.{kind}", at + 1), mail)?;
    }
    Ok(())
}

/// An image that stands in the text of a mail: a logo, a signature.
fn is_inline_image(part: &MessagePart<'_>) -> bool {
    let image = part.content_type().is_some_and(|kind| kind.ctype() == "image");
    let attached = part.content_disposition().is_some_and(mail_parser::ContentType::is_attachment);
    image && !attached
}

fn attachments(message: &Message<'_>, open: &mut OpenMembers<'_>) -> Result<(), SkipReason> {
    for part in message.attachments().filter(|part| !is_inline_image(part)) {
        if let PartType::Message(inner) = &part.body {
            let name = part.attachment_name().or_else(|| inner.subject()).unwrap_or("mail").replace(['/', '\\'], "_");
            let name = if name.to_ascii_lowercase().ends_with(".eml") { name } else { format!("{name}.eml") };
            open.member(&name, inner.raw_message())?;
            continue;
        }
        let kind = part.content_type();
        let ending = match kind.and_then(|kind| kind.subtype()) {
            Some("html") => "html",
            Some("calendar") => "ics",
            _ => "txt",
        };
        let name = part.attachment_name().map_or_else(|| format!("attachment.{ending}"), str::to_owned);
        if open.wants(&name) {
            open.member(&name, part.contents())?;
        }
    }
    Ok(())
}

fn document(message: &Message<'_>, source: &Source<'_>) -> Result<Loaded, SkipReason> {
    let mut loaded = body(message, source)?;
    loaded.metadata = metadata(message);
    loaded.title = message.subject().map_or_else(|| source.stem(), |subject| subject.trim().to_owned());
    file_metadata(&mut loaded.metadata, source, "mail");
    Ok(loaded)
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
    use super::super::tests::{check, load};
    use super::*;

    #[test]
    fn a_plain_mail() {
        let mail = "From: =?utf-8?B?5byg5LiJ?= <zhang@example.org>\r\nTo: Ann <ann@example.org>, bob@example.org\r\n\
            Subject: =?utf-8?Q?Caf=C3=A9_=E4=BC=9A=E8=AE=AE?=\r\n\
                    Date: Fri, 28 Jul 2023 16:40:00 +0800\r\nContent-Type: text/plain; charset=utf-8\r\n\
                    Content-Transfer-Encoding: quoted-printable\r\n\r\n=E4=BD=A0=E5=A5=BD.\r\n\r\nSee you there.\r\n";
        let got = load(&Mail::default(), "a.eml", mail.as_bytes()).documents.remove(0);
        assert_eq!(got.title, "Café 会议");
        assert!(got.text.contains("你好.") && got.text.contains("See you there."), "{:?}", got.text);
        assert_eq!(got.metadata.get("author"), Some(&Value::Text("张三 <zhang@example.org>".into())));
        assert_eq!(got.metadata.get("created"), Some(&Value::Date(Date { year: 2023, month: 7, day: 28 })));
        assert!(matches!(got.metadata.get("to"), Some(Value::List(to)) if to.len() == 2));
    }

    #[test]
    fn a_mail_of_html_with_an_attachment() {
        let mail = "From: a@b.c\r\nSubject: x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=B\r\n\r\n\
            --B\r\nContent-Type: text/html\r\n\r\n\
                    <html><body><h1>News</h1><p>All is well.</p></body></html>\r\n--B\r\nContent-Type: \
                    application/pdf; name=\"plan.pdf\"\r\nContent-Disposition: attachment; filename=\"plan.pdf\"\r\n\
                    \r\nzzz\r\n--B--\r\n";
        let got = load(&Mail::default(), "a.eml", mail.as_bytes()).documents.remove(0);
        assert_eq!(got.text, "# News\n\nAll is well.\n");
        assert_eq!(got.metadata.get("attachments"), Some(&Value::List(vec![Value::Text("plan.pdf".into())])));
        assert_eq!(load(&Mail::default(), "a.eml", b"").skipped[0].1, SkipReason::NotMail);
    }

    #[test]
    fn attachments_are_documents_of_their_own() {
        let mail = "From: a@b.c\r\nSubject: Plans\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=B\r\n\
            \r\n\
                    --B\r\nContent-Type: text/plain\r\n\r\nSee below.\r\n\
                    --B\r\nContent-Type: text/markdown\r\nContent-Disposition: attachment; filename=\"plan.md\"\r\n\r\n\
                    # Plan\r\n\
                    --B\r\nContent-Type: message/rfc822\r\n\r\nFrom: x@y.z\r\nSubject: Before\r\n\r\nEarlier words.\r\n\
                    --B--\r\n";
        let got = check(&Mail::default(), "d/a.eml", mail.as_bytes());
        let names: Vec<(Option<&str>, &str)> =
            got.documents.iter().map(|document| (document.id.as_deref(), document.title.as_str())).collect();
        assert_eq!(names, [(None, "Plans"), (Some("d/a.eml/plan.md"), "Plan"), (Some("d/a.eml/Before.eml"), "Before")]);
        assert!(got.documents[2].text.contains("Earlier words."));
    }

    #[test]
    fn a_mail_of_a_mailbox_may_have_no_headers() {
        let mails = "From someone Mon Jun 01 10:00:00 2009\n\nBare words\n> quoted\n\n\
            From a@b.c Mon Jun 01 10:00:00 2009\nFrom: a@b.c\nSubject: x\n\nWith headers.\n";
        let got = check(&Mail::default(), "box.mbox", mails.as_bytes());
        let texts: Vec<&str> = got.documents.iter().map(|document| document.text.trim()).collect();
        assert_eq!(texts, ["Bare words\n> quoted", "With headers."]);
    }

    #[test]
    fn a_mail_in_wide_letters_and_without_a_name() {
        let mail = "From: a@b.c\r\nTo: d@e.f\r\nMIME-Version: 1.0\r\nSubject: 你好\r\n\r\nWords of a mail.\r\n";
        let wide: Vec<u8> = [0xff, 0xfe].into_iter().chain(mail.encode_utf16().flat_map(u16::to_le_bytes)).collect();
        for bytes in [mail.as_bytes(), &wide] {
            assert!(Mail::default().accepts(Path::new("mail"), bytes));
            let got = check(&Mail::default(), "mail", bytes).documents.remove(0);
            assert_eq!((got.title.as_str(), got.text.trim()), ("你好", "Words of a mail."));
        }
        assert!(!Mail::default().accepts(Path::new("a.txt"), b"From: me\nTo: you\n\nA letter."));
    }

    #[test]
    fn a_mailbox_holds_mails() {
        let mailbox = "From a@b Mon Jan 1\nFrom: a@b.c\nSubject: One\n\nFirst.\n\nFrom d@e Tue Jan 2\nFrom: d@e.f\n\
            Subject: Two\n\n>From here on.\n";
        let got = check(&Mail::default(), "x.mbox", mailbox.as_bytes());
        let names: Vec<_> =
            got.documents.iter().map(|d| (d.id.as_deref().unwrap_or_default(), d.title.as_str())).collect();
        assert_eq!(names, [("x.mbox/1.eml", "One"), ("x.mbox/2.eml", "Two")]);
    }

    #[test]
    fn a_page_that_is_saved_as_mail() {
        let page = "From: <Saved by a browser>\r\nSubject: x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; \
            boundary=B; type=\"text/html\"\r\n\r\n\
                    --B\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\
                    Content-Location: http://example.org/\r\n\r\n\
                    <html><title>=E9=A1=B5</title><body><h1>News</h1><p>All is well.</p></body></html>\r\n\
                    --B\r\nContent-Type: text/css\r\n\r\nbody {}\r\n--B--\r\n";
        for name in ["a.mhtml", "a.doc"] {
            assert!(Mail::default().accepts(Path::new(name), page.as_bytes()));
            let got = check(&Mail::default(), name, page.as_bytes());
            assert_eq!(got.documents.len(), 1);
            assert_eq!(
                (got.documents[0].title.as_str(), got.documents[0].text.as_str()),
                ("页", "# News\n\nAll is well.\n")
            );
        }
    }
}
