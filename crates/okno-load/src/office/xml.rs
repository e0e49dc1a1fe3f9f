//! XML as a stream of three things: an element opens, text, an element closes. Names without their prefix.
//!
//! Nothing fails: what comes after a broken place is not read, as in a file that ends there.

use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesStart, Event};

/// What comes next in the XML.
pub(crate) enum XmlEvent<'x> {
    Open(Element<'x>),
    Text(&'x str),
    Close(&'x str),
}

/// An element that opens.
pub(crate) struct Element<'x> {
    pub name: &'x str,
    start: &'x BytesStart<'x>,
}

impl Element<'_> {
    /// The value of an attribute, by its name without prefix.
    pub fn attribute(&self, name: &str) -> Option<String> {
        let found =
            self.start.attributes().with_checks(false).flatten().find(|a| a.key.local_name().as_ref() == name)?;
        Some(value(&found))
    }

    /// Calls `each` with every attribute: its name with the prefix, its value.
    pub fn attributes(&self, mut each: impl FnMut(&str, String)) {
        for attribute in self.start.attributes().with_checks(false).flatten() {
            each(attribute.key.as_ref(), value(&attribute));
        }
    }

    /// The value of an attribute that is a number.
    pub fn number(&self, name: &str) -> Option<usize> {
        self.attribute(name)?.trim().parse().ok()
    }
}

fn value(attribute: &Attribute<'_>) -> String {
    attribute
        .normalized_value(quick_xml::XmlVersion::Explicit1_0)
        .map_or_else(|_| attribute.value.to_string(), std::borrow::Cow::into_owned)
}

/// Elements inside of elements beyond this are not read: it is far above what any program writes.
const DEEPEST: usize = 1000;

/// Calls `each` with everything in the XML, in order. Entities that the file declares itself are not known here:
/// nothing is fetched, and nothing grows. What is inside of more than [`DEEPEST`] elements is left out.
pub(crate) fn walk(xml: &str, mut each: impl FnMut(XmlEvent<'_>)) {
    let mut depth = 0usize;
    everything(xml, |node| {
        let inside = match node {
            XmlEvent::Open(_) => {
                depth += 1;
                depth <= DEEPEST
            }
            XmlEvent::Close(_) => {
                depth = depth.saturating_sub(1);
                depth < DEEPEST
            }
            XmlEvent::Text(_) => depth <= DEEPEST,
        };
        if inside {
            each(node);
        }
    });
}

fn everything(xml: &str, mut each: impl FnMut(XmlEvent<'_>)) {
    let mut reader = Reader::from_str(xml);
    reader.config_mut().check_end_names = false;
    reader.config_mut().allow_unmatched_ends = true;
    loop {
        match reader.read_event() {
            Ok(Event::Start(start)) => {
                each(XmlEvent::Open(Element { name: start.local_name().as_ref(), start: &start }));
            }
            Ok(Event::Empty(start)) => {
                let name = start.local_name();
                each(XmlEvent::Open(Element { name: name.as_ref(), start: &start }));
                each(XmlEvent::Close(name.as_ref()));
            }
            Ok(Event::End(end)) => each(XmlEvent::Close(end.local_name().as_ref())),
            Ok(Event::Text(text)) => each(XmlEvent::Text(&text)),
            Ok(Event::CData(text)) => each(XmlEvent::Text(&text)),
            Ok(Event::GeneralRef(name)) => {
                if let Ok(Some(c)) = name.resolve_char_ref() {
                    each(XmlEvent::Text(c.encode_utf8(&mut [0; 4])));
                } else if let Some(text) = resolve_predefined_entity(&name) {
                    each(XmlEvent::Text(text));
                }
            }
            Ok(Event::Eof) | Err(_) => return,
            Ok(_) => {}
        }
    }
}

/// The targets of a part's relations, by their ids.
pub(super) fn relations(xml: &str) -> std::collections::HashMap<String, String> {
    let mut found = std::collections::HashMap::new();
    walk(xml, |node| {
        if let XmlEvent::Open(element) = node
            && let (Some(id), Some(target)) = (element.attribute("Id"), element.attribute("Target"))
        {
            found.insert(id, target);
        }
    });
    found
}

/// A path relative to a part's folder: `../media/a.png` in `ppt/slides/` is `ppt/media/a.png`.
pub(super) fn resolved(folder: &str, target: &str) -> String {
    if let Some(absolute) = target.strip_prefix('/') {
        return absolute.to_owned();
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            ".." => _ = parts.pop(),
            "." | "" => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_in_order_and_nothing_fails() {
        let mut seen = String::new();
        walk("<w:p a:b='1 &amp; 2'>x &lt;&#20013;<br/>y</w:p></q><broken", |node| match node {
            XmlEvent::Open(e) => seen += &format!("<{} {:?}>", e.name, e.attribute("b")),
            XmlEvent::Text(text) => seen += text,
            XmlEvent::Close(name) => seen += &format!("</{name}>"),
        });
        assert_eq!(seen, "<p Some(\"1 & 2\")>x <中<br None></br>y</p></q>");
        assert_eq!(resolved("ppt/slides", "../media/a.png"), "ppt/media/a.png");
        assert_eq!(resolved("word", "/word/a.xml"), "word/a.xml");
    }
}
