//! Fetching: a URL comes in, the bytes of its page go out, or one line that says why not.
//!
//! A polite guest: named, one request at a time, a pause per host, `robots.txt` respected, and nothing asked for
//! twice that the server says is the same. A careful one: time, size and redirects have limits, and addresses that
//! only this machine or its network can reach are refused. The check is made on the very addresses that are then
//! connected to, at every redirect, so a name that resolves to something else a moment later gains nothing.

#[cfg(feature = "fetch")]
mod address;
#[cfg(feature = "fetch")]
mod client;
mod error;
#[cfg(feature = "fetch")]
mod robots;
mod url;

#[cfg(feature = "fetch")]
pub(crate) use client::{Fetched, FetchedPage, Fetcher};
pub use error::{FetchError, StatusMeaning};
pub use url::is_url;

use std::time::Duration;

/// Limits and manners.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FetchOptions {
    /// For one page, redirects included.
    pub timeout: Duration,
    /// Bytes of a page, at most.
    pub max_size: u64,
    /// Between two requests to one host.
    pub delay: Duration,
    /// Redirects of one page, at most.
    pub redirects: u32,
    /// Whether `robots.txt` is asked and respected.
    pub robots: bool,
    /// The name given to servers, and looked for in `robots.txt`.
    pub user_agent: String,
    /// Whether addresses of this machine and of private networks may be fetched.
    pub allow_private: bool,
}

impl Default for FetchOptions {
    fn default() -> Self {
        Self {
            // A slow page of a small server answers within seconds; nobody waits for minutes.
            timeout: Duration::from_secs(30),
            // The largest single-page standards and books on the web are around 10 MB.
            max_size: 16 << 20,
            // What crawlers commonly keep where nothing else is said.
            delay: Duration::from_secs(1),
            // Browsers stop at 20; honest chains (http, www, language, slash) are shorter than this.
            redirects: 5,
            robots: true,
            user_agent: concat!("okno/", env!("CARGO_PKG_VERSION")).to_owned(),
            allow_private: false,
        }
    }
}
