//! URLs: just enough of them to fetch pages and follow redirects.

#[cfg(feature = "fetch")]
use super::error::FetchError;

/// Whether a text is a URL that could be fetched.
#[must_use]
pub fn is_url(text: &str) -> bool {
    let start = |scheme: &str| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    start("http://") || start("https://")
}

/// A URL in its parts.
#[cfg(feature = "fetch")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    /// `http` or `https`.
    pub scheme: String,
    /// Host and port.
    pub authority: String,
    /// Path and query, beginning with `/`, percent-encoded.
    pub target: String,
}

#[cfg(feature = "fetch")]
impl Url {
    /// Reads a URL.
    pub fn parse(text: &str) -> Result<Self, FetchError> {
        let text = text.trim();
        let (scheme, rest) = text.split_once("://").filter(|_| is_url(text)).ok_or(FetchError::Scheme)?;
        let rest = rest.split('#').next().unwrap_or_default();
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, target) = rest.split_at(end);
        if authority.contains('@') {
            return Err(FetchError::Password);
        }
        if authority.is_empty() || !authority.is_ascii() || authority.contains(char::is_whitespace) {
            return Err(FetchError::Host { host: authority.to_owned() });
        }
        let target = if target.starts_with('/') { encoded(target) } else { format!("/{}", encoded(target)) };
        Ok(Self { scheme: scheme.to_ascii_lowercase(), authority: authority.to_ascii_lowercase(), target })
    }

    /// Where a `Location` header leads from here.
    pub fn join(&self, location: &str) -> Result<Self, FetchError> {
        let location = location.trim();
        let Self { scheme, authority, target } = self;
        if is_url(location) {
            return Self::parse(location);
        }
        let path = target.split('?').next().unwrap_or_default();
        match location {
            "" => Err(FetchError::RedirectNowhere),
            own if own.starts_with("//") => Self::parse(&format!("{scheme}:{own}")),
            own if own.split(['/', '?', '#']).next().is_some_and(|start| start.contains(':')) => {
                Err(FetchError::RedirectScheme { to: own.to_owned() })
            }
            own if own.starts_with('/') => Self::parse(&format!("{scheme}://{authority}{own}")),
            own if own.starts_with('?') => Self::parse(&format!("{scheme}://{authority}{path}{own}")),
            own => {
                let folder = &path[..=path.rfind('/').unwrap_or(0)];
                Self::parse(&format!("{scheme}://{authority}{folder}{own}"))
            }
        }
    }

    /// The last name of the path, without the query.
    pub fn file_name(&self) -> &str {
        let path = self.target.split('?').next().unwrap_or_default();
        path.rsplit('/').next().unwrap_or_default()
    }
}

#[cfg(feature = "fetch")]
impl std::fmt::Display for Url {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}://{}{}", self.scheme, self.authority, self.target)
    }
}

/// Percent-encodes what may not stand in a request; what is encoded already stays.
#[cfg(feature = "fetch")]
fn encoded(target: &str) -> String {
    use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
    const UNSAFE: &AsciiSet =
        &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'\\').add(b'^').add(b'`').add(b'{').add(b'|').add(b'}');
    utf8_percent_encode(target, UNSAFE).to_string()
}

#[cfg(all(test, feature = "fetch"))]
mod tests {
    use super::*;

    #[test]
    fn parts_and_joins() {
        let url = Url::parse("HTTPS://Example.org/文档/a b.html?x=1#part").unwrap();
        assert_eq!(url.to_string(), "https://example.org/%E6%96%87%E6%A1%A3/a%20b.html?x=1");
        assert_eq!(url.file_name(), "a%20b.html");
        assert_eq!(Url::parse("http://h?q").unwrap().to_string(), "http://h/?q");
        let base = Url::parse("http://h:81/a/b?c").unwrap();
        for (location, expected) in [
            ("/x", "http://h:81/x"),
            ("y", "http://h:81/a/y"),
            ("?z", "http://h:81/a/b?z"),
            ("//other/x", "http://other/x"),
            ("https://o/x", "https://o/x"),
        ] {
            assert_eq!(base.join(location).unwrap().to_string(), expected);
        }
    }

    #[test]
    fn what_is_not_fetched_is_refused() {
        for url in ["ftp://h/x", "http://", "http:///x", "http://user:pw@h/", "http://例子.中国/", "notes/a.md"] {
            assert!(Url::parse(url).is_err(), "{url}");
        }
        let base = Url::parse("http://h/a").unwrap();
        for location in ["", "file:///etc/passwd", "javascript:alert(1)", "http://u@h/"] {
            assert!(base.join(location).is_err(), "{location}");
        }
        assert!(!is_url("notes/http://x") && !is_url("http:/x") && is_url("Http://x"));
    }
}
