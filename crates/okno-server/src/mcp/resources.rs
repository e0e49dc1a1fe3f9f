//! Documents as resources: `okno://INDEX/NAME`, the name percent-encoded.

use crate::api;
use crate::error::ApiError;
use crate::requester::SeenApp;
use okno_document::message::Lang;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, PercentEncode, percent_decode_str, utf8_percent_encode};
use rmcp::ErrorData;
use rmcp::model::{
    ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};
use std::borrow::Cow;

const SCHEME: &str = "okno://";

/// Resources of one page.
const PAGE: usize = 200;

/// The documents of all indexes, a page at a time; a cursor is how many were listed before.
pub async fn list(app: &SeenApp, cursor: Option<String>) -> Result<ListResourcesResult, ErrorData> {
    let from: usize = match cursor {
        None => 0,
        Some(cursor) => cursor.parse().map_err(|_| ErrorData::invalid_params(format!("no cursor `{cursor}`"), None))?,
    };
    let indexes = app.indexes();
    let work = move || {
        let mut all = Vec::new();
        for served in &indexes {
            for (_, record) in served.engine().snapshot()?.records()? {
                let name = record.id.name();
                let resource = Resource::new(uri(&served.index.name, name), name).with_mime_type("text/plain");
                all.push(resource.with_title(record.title.clone()).with_size(record.bytes));
            }
        }
        Ok(all)
    };
    let all = app.pool.run(work).await.map_err(|error| failed(&error))?;
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
pub async fn read(app: &SeenApp, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let unknown = || {
        let message = format!("no document at `{uri}`; expected `okno://INDEX/NAME` as `resources/list` gives it");
        ErrorData::resource_not_found(message, None)
    };
    let (index, name) = uri.strip_prefix(SCHEME).and_then(|rest| rest.split_once('/')).ok_or_else(unknown)?;
    let (index, name) = (decoded(index).ok_or_else(unknown)?, decoded(name).ok_or_else(unknown)?);
    let served = app.served(Some(&index)).map_err(|error| failed(&error))?;
    let work = move || {
        let (number, _) = api::named(served.engine(), &name)?;
        Ok(served.engine().snapshot()?.text(number)?.to_owned())
    };
    let text = app.pool.run(work).await.map_err(|error| failed(&error))?;
    Ok(ReadResourceResult::new(vec![ResourceContents::text(text, uri).with_mime_type("text/plain")]))
}

fn failed(error: &ApiError) -> ErrorData {
    let data = serde_json::to_value(error.info(Lang::En)).ok();
    match error.status().as_u16() {
        404 => ErrorData::resource_not_found(error.to_string(), data),
        400..500 => ErrorData::invalid_params(error.to_string(), data),
        _ => ErrorData::internal_error(error.to_string(), data),
    }
}

/// A document's address.
fn uri(index: &str, name: &str) -> String {
    format!("{SCHEME}{}/{}", encoded(index), encoded(name))
}

/// Everything but letters, digits and `-._~` as `%XX`.
fn encoded(text: &str) -> PercentEncode<'_> {
    const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
    utf8_percent_encode(text, RESERVED)
}

/// The text that was encoded; `None` where it is not UTF-8.
fn decoded(text: &str) -> Option<String> {
    percent_decode_str(text).decode_utf8().ok().map(Cow::into_owned)
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
        assert_eq!(decoded("%ff"), None);
    }
}
