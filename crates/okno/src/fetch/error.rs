//! Why a page was not fetched.

use crate::message::{Bytes, Lang, Word};
use std::net::IpAddr;
use std::time::Duration;

okno_document::messages! {
    /// Why a page was not fetched.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum FetchError {
        /// Another kind of address.
        Scheme = "bad_scheme" => ("only `http` and `https` are fetched", "只抓取 `http` 和 `https`"),
        /// A secret in the address.
        Password = "password_in_url" => (
            "a URL with a password in it is not fetched: it would be stored and shown",
            "不抓取带密码的网址：密码会被保存和显示",
        ),
        /// Not a host's name.
        Host { /** What was given. */ host: String } = "bad_host" =>
            ("`{host}` is not a valid host; write its ASCII form", "`{host}` 不是有效的主机名；请写 ASCII 形式"),
        /// A redirect without an address.
        RedirectNowhere = "redirect_nowhere" => ("a redirect to nowhere", "重定向没有目标"),
        /// A redirect to another kind of address.
        RedirectScheme { /** Its target. */ to: String } = "redirect_scheme" => (
            "a redirect to `{to}`: only `http` and `https` are fetched",
            "重定向到 `{to}`：只抓取 `http` 和 `https`",
        ),
        /// Redirects without end.
        Redirects { /** The limit. */ limit: u32 } = "too_many_redirects" =>
            ("more than {limit} redirects (`fetch.redirects`)", "重定向超过 {limit} 次（`fetch.redirects`）"),
        /// Another status than success.
        Status { /** The status. */ status: u16, /** What it means. */ meaning: StatusMeaning } = "bad_status" =>
            ("the server answered {status}{meaning}", "服务器返回 {status}{meaning}"),
        /// The site does not want it.
        Robots = "robots" =>
            ("the site's `robots.txt` asks not to fetch it", "该网站的 `robots.txt` 要求不要抓取"),
        /// A page that is too large.
        TooLarge { /** The limit. */ limit: Bytes } = "page_too_large" =>
            ("larger than {limit} (`fetch.max_size`)", "超过 {limit}（`fetch.max_size`）"),
        /// An answer that did not end.
        Timeout { /** The limit. */ limit: Duration } = "fetch_timeout" =>
            ("no whole answer within {limit} (`fetch.timeout`)", "{limit} 内没有完整的应答（`fetch.timeout`）"),
        /// A name that is unknown.
        NoHost = "no_such_host" =>
            ("no such host; check the address and the network", "没有这个主机；请检查网址和网络"),
        /// An address that only this machine or its network can reach.
        Private { /** The host. */ host: String, /** Its address. */ address: IpAddr } = "private_address" => (
            "`{host}` is {address}, an address of this machine or a private network: not fetched",
            "`{host}` 是 {address}，属于本机或专用网络：不抓取",
        ),
        /// Anything else.
        Failed { /** What was seen of it. */ words: String } = "fetch_failed" =>
            ("cannot be fetched: {words}", "无法抓取：{words}"),
        /// Without the feature `fetch`.
        Disabled = "fetch_disabled" => (
            "this program was built without the feature `fetch` and reads no URLs",
            "本程序编译时没有包含 `fetch` 功能，不读取网址",
        ),
    }
}

/// What a status of HTTP means for who asked, behind its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StatusMeaning {
    /// Not permitted.
    Denied,
    /// No such page.
    Missing,
    /// Too much to do.
    Busy,
    /// Anything else.
    Other,
}

impl From<u16> for StatusMeaning {
    fn from(status: u16) -> Self {
        match status {
            401 | 403 => Self::Denied,
            404 | 410 => Self::Missing,
            429 | 503 => Self::Busy,
            _ => Self::Other,
        }
    }
}

impl Word for StatusMeaning {
    fn word(&self, lang: Lang) -> String {
        let (english, chinese) = match self {
            Self::Denied => (": access is denied", "：拒绝访问"),
            Self::Missing => (": there is no such page", "：没有这个页面"),
            Self::Busy => (": it is busy; try again later", "：服务器繁忙；请稍后再试"),
            Self::Other => ("", ""),
        };
        match lang {
            Lang::En => english.to_owned(),
            Lang::Zh => chinese.to_owned(),
        }
    }
}
