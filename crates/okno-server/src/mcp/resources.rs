//! Documents as resources: `okno://INDEX/NAME`, the name percent-encoded.

use crate::api;
use crate::app::App;
use crate::fault::Fault;
use rmcp::ErrorData;
use rmcp::model::{
    ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};
use std::fmt::Write;
use std::sync::Arc;

const SCHEME: &str = "okno://";

/// Resources of one page.
const PAGE: usize = 200;

/// The documents of all indexes, a page at a time; a cursor is how many were listed before.
pub async fn list(app: &Arc<App>, cursor: Option<String>) -> Result<ListResourcesResult, ErrorData> {
    let from: usize = match cursor {
        None => 0,
        Some(cursor) => cursor.parse().map_err(|_| ErrorData::invalid_params(format!("no cursor `{cursor}`"), None))?,
    };
    let places = app.places.clone();
    let work = move || {
        let mut all = Vec::new();
        for place in &places {
            for (_, record) in place.engine().snapshot()?.records()? {
                let name = record.id.name();
                let resource = Resource::new(uri(&place.index.name, name), name).with_mime_type("text/plain");
                all.push(resource.with_title(record.title.clone()).with_size(record.bytes));
            }
        }
        Ok(all)
    };
    let all = app.pool.run(work).await.map_err(|fault| failed(&fault))?;
    let more = all.len() > from + PAGE;
    let page: Vec<Resource> = all.into_iter().skip(from).take(PAGE).collect();
    let mut result = ListResourcesResult::with_all_items(page);
    result.next_cursor = more.then(|| (from + PAGE).to_string());
    Ok(result)
}

/// How a document's address is written.
pub fn templates() -> ListResourceTemplatesResult {
    let template = ResourceTemplate::new("okno://{index}/{name}", "document").with_mime_type("text/plain");
    ListResourceTemplatesResult::with_all_items(vec![
        template.with_description("The text of a document; its name percent-encoded"),
    ])
}

/// A document's text.
pub async fn read(app: &Arc<App>, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let unknown = || {
        let message = format!("no document at `{uri}`; expected `okno://INDEX/NAME` as `resources/list` gives it");
        ErrorData::resource_not_found(message, None)
    };
    let (index, name) = uri.strip_prefix(SCHEME).and_then(|rest| rest.split_once('/')).ok_or_else(unknown)?;
    let (index, name) = (decoded(index).ok_or_else(unknown)?, decoded(name).ok_or_else(unknown)?);
    let place = Arc::clone(app.place(Some(&index)).map_err(|fault| failed(&fault))?);
    let work = move || {
        let (number, _) = api::named(place.engine(), &name)?;
        Ok(place.engine().snapshot()?.text(number)?.to_owned())
    };
    let text = app.pool.run(work).await.map_err(|fault| failed(&fault))?;
    Ok(ReadResourceResult::new(vec![ResourceContents::text(text, uri).with_mime_type("text/plain")]))
}

fn failed(fault: &Fault) -> ErrorData {
    let data = serde_json::to_value(fault.info()).ok();
    match fault.status().as_u16() {
        404 => ErrorData::resource_not_found(fault.to_string(), data),
        400..500 => ErrorData::invalid_params(fault.to_string(), data),
        _ => ErrorData::internal_error(fault.to_string(), data),
    }
}

/// A document's address.
fn uri(index: &str, name: &str) -> String {
    format!("{SCHEME}{}/{}", encoded(index), encoded(name))
}

/// Everything but letters, digits and `-._~` as `%XX`.
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// The text that was encoded; `None` where it is no text.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
            bytes.push((digit(rest.next())? * 16 + digit(rest.next())?) as u8);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_leads_back_to_its_name() {
        for name in ["tea.md", "guide/绿茶 100%.md", "a?b#c", "C:\\x", ""] {
            let uri = uri("home", name);
            assert_eq!(decoded(uri.strip_prefix("okno://home/").expect(&uri)).as_deref(), Some(name));
        }
        assert_eq!((decoded("%zz"), decoded("%"), decoded("%ff")), (None, None, None));
    }
}
