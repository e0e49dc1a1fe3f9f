//! The client: one page at a time, with redirects followed by hand so that every hop is asked about and checked.

use super::FetchOptions;
use super::address::AddressGuard;
use super::error::FetchError;
use super::robots::{MAX_BYTES, Robots};
use super::url::Url;
use crate::document::Date;
use crate::message::Bytes;
use std::collections::HashMap;
use std::io::Read;
use std::time::{Duration, Instant, UNIX_EPOCH};
use ureq::Agent;
use ureq::http::{HeaderMap, header};
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::DefaultConnector;

/// What came of asking for a page.
#[derive(Debug)]
pub enum Fetched {
    /// The server says it is as it was.
    Same,
    /// The page.
    Page(FetchedPage),
}

/// A page.
#[derive(Debug)]
pub struct FetchedPage {
    /// Where it was in the end.
    pub url: String,
    /// A file name that tells its kind, for loaders that look at one.
    pub file_name: String,
    /// The content.
    pub bytes: Vec<u8>,
    /// What the server calls this state.
    pub validator: Option<String>,
    /// When the server says it was changed.
    pub modified: Option<Date>,
}

/// Fetches pages and remembers its manners.
pub struct Fetcher<'o> {
    options: &'o FetchOptions,
    agent: Agent,
    robots: HashMap<String, Robots>,
    last: HashMap<String, Instant>,
}

/// One answer of a server.
struct ServerReply {
    status: u16,
    headers: HeaderMap,
    bytes: Vec<u8>,
}

impl<'o> Fetcher<'o> {
    pub fn new(options: &'o FetchOptions) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            // A proxy would resolve names for us, and could not be held to our addresses.
            .proxy(None)
            .user_agent(options.user_agent.as_str())
            .accept("text/html, text/*;q=0.9, */*;q=0.8")
            .build();
        let guard = AddressGuard { allow_private: options.allow_private, names: DefaultResolver::default() };
        let agent = Agent::with_parts(config, DefaultConnector::default(), guard);
        Self { options, agent, robots: HashMap::new(), last: HashMap::new() }
    }

    /// Asks for a page; with a validator, only for another state than that.
    pub fn fetch(&mut self, url: &str, validator: Option<&str>) -> Result<Fetched, FetchError> {
        let deadline = Instant::now() + self.options.timeout;
        let mut url = Url::parse(url)?;
        for _ in 0..=self.options.redirects {
            self.ask_permission(&url, deadline)?;
            let answer = self.get(&url, validator, self.options.max_size, deadline)?;
            match answer.status {
                200 => return Ok(Fetched::Page(page(&url, answer))),
                304 if validator.is_some() => return Ok(Fetched::Same),
                301 | 302 | 303 | 307 | 308 => {
                    url = url.join(text(&answer.headers, header::LOCATION).unwrap_or_default())?;
                }
                status => return Err(FetchError::Status { status, meaning: status.into() }),
            }
        }
        Err(FetchError::Redirects { limit: self.options.redirects })
    }

    /// Whether the site lets us have this page.
    fn ask_permission(&mut self, url: &Url, deadline: Instant) -> Result<(), FetchError> {
        if !self.options.robots {
            return Ok(());
        }
        let site = format!("{}://{}", url.scheme, url.authority);
        if !self.robots.contains_key(&site) {
            let robots = self.ask_robots(&site, deadline)?;
            self.robots.insert(site.clone(), robots);
        }
        let allowed = self.robots.get(&site).is_none_or(|robots| robots.allows(&url.target));
        if allowed { Ok(()) } else { Err(FetchError::Robots) }
    }

    fn ask_robots(&mut self, site: &str, deadline: Instant) -> Result<Robots, FetchError> {
        let mut url = Url::parse(&format!("{site}/robots.txt"))?;
        for _ in 0..=self.options.redirects {
            let answer = self.get(&url, None, MAX_BYTES, deadline)?;
            match answer.status {
                200 => return Ok(Robots::parse(&String::from_utf8_lossy(&answer.bytes), &self.options.user_agent)),
                301 | 302 | 303 | 307 | 308 => {
                    url = url.join(text(&answer.headers, header::LOCATION).unwrap_or_default())?;
                }
                500.. => return Ok(Robots::forbidding()),
                _ => return Ok(Robots::default()),
            }
        }
        Ok(Robots::default())
    }

    fn get(
        &mut self,
        url: &Url,
        validator: Option<&str>,
        limit: u64,
        deadline: Instant,
    ) -> Result<ServerReply, FetchError> {
        self.pause(&url.authority);
        let left = deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        let mut request = self.agent.get(url.to_string()).config().timeout_global(Some(left)).build();
        match validator.and_then(|validator| validator.split_once(' ')) {
            Some(("etag", tag)) => request = request.header(header::IF_NONE_MATCH, tag),
            Some(("date", date)) => request = request.header(header::IF_MODIFIED_SINCE, date),
            _ => {}
        }
        let (parts, body) = request.call().map_err(|error| self.explain(&error))?.into_parts();
        let mut bytes = Vec::new();
        let wanted = parts.status.as_u16() == 200;
        if wanted {
            let mut reader = body.into_reader().take(limit + 1);
            reader.read_to_end(&mut bytes).map_err(|error| self.explain(&error.into()))?;
        }
        if bytes.len() as u64 > limit {
            return Err(FetchError::TooLarge { limit: Bytes(limit) });
        }
        Ok(ServerReply { status: parts.status.as_u16(), headers: parts.headers, bytes })
    }

    /// Waits until the host may be asked again.
    fn pause(&mut self, host: &str) {
        if let Some(last) = self.last.get(host) {
            std::thread::sleep((*last + self.options.delay).saturating_duration_since(Instant::now()));
        }
        self.last.insert(host.to_owned(), Instant::now());
    }

    fn explain(&self, error: &ureq::Error) -> FetchError {
        match error {
            ureq::Error::Timeout(_) => FetchError::Timeout { limit: self.options.timeout },
            ureq::Error::HostNotFound => FetchError::NoHost,
            ureq::Error::Io(io) => match io.get_ref().and_then(|inside| inside.downcast_ref::<FetchError>()) {
                Some(own) => own.clone(),
                None => FetchError::Failed { words: error.to_string() },
            },
            other => FetchError::Failed { words: other.to_string() },
        }
    }
}

fn page(url: &Url, answer: ServerReply) -> FetchedPage {
    let tag = text(&answer.headers, header::ETAG).map(|tag| format!("etag {tag}"));
    let changed = text(&answer.headers, header::LAST_MODIFIED);
    FetchedPage {
        file_name: file_name(url, text(&answer.headers, header::CONTENT_TYPE)),
        validator: tag.or_else(|| changed.map(|date| format!("date {date}"))),
        modified: changed.and_then(http_date),
        bytes: answer.bytes,
        url: url.to_string(),
    }
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok().filter(|text| !text.trim().is_empty())
}

/// Kinds whose content does not always tell them, and the extension that does.
const EXTENSIONS: [(&str, &str); 6] = [
    ("text/html", "html"),
    ("application/xhtml+xml", "html"),
    ("text/markdown", "md"),
    ("text/csv", "csv"),
    ("application/json", "json"),
    ("application/pdf", "pdf"),
];

/// The page's own file name, with the extension of its kind where that is known and the name has another or none.
fn file_name(url: &Url, kind: Option<&str>) -> String {
    let kind = kind.unwrap_or_default().split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let own = url.file_name();
    match EXTENSIONS.iter().find(|(known, _)| *known == kind) {
        Some((_, extension)) if !own.to_ascii_lowercase().ends_with(&format!(".{extension}")) => {
            format!("{own}.{extension}")
        }
        _ => own.to_owned(),
    }
}

/// The day of `Tue, 15 Nov 1994 08:12:31 GMT`.
fn http_date(text: &str) -> Option<Date> {
    let since = httpdate::parse_http_date(text).ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(Date::from_unix(i64::try_from(since.as_secs()).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_dates() {
        let name = |url: &str, kind| file_name(&Url::parse(url).unwrap(), kind);
        assert_eq!(name("http://h/", Some("text/html; charset=utf-8")), ".html");
        assert_eq!(name("http://h/a.php?x", Some("text/html")), "a.php.html");
        assert_eq!(name("http://h/a.HTML", Some("text/html")), "a.HTML");
        assert_eq!(name("http://h/notes.md", Some("text/plain")), "notes.md");
        assert_eq!(http_date("Tue, 15 Nov 1994 08:12:31 GMT"), Date::new(1994, 11, 15));
        assert_eq!(http_date("yesterday"), None);
    }
}
