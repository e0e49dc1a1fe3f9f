//! Reading the values of flags; errors are in the language of the run.

use crate::locale::say;
use okno::config::ByteSize;
#[cfg(feature = "serve")]
use okno::document::Date;
use okno::document::Size;
use okno::retrieve::Budget;
use std::fmt;
use std::num::{IntErrorKind, ParseIntError};
use std::str::FromStr;

/// What was expected instead of a value; the error that contains it names the flag and the value.
#[derive(Debug)]
pub struct InvalidValue(String);

impl fmt::Display for InvalidValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidValue {}

/// Reads a whole number of an unsigned type.
pub fn number<T: FromStr<Err = ParseIntError>>(text: &str) -> Result<T, InvalidValue> {
    text.parse().map_err(|error: ParseIntError| {
        let largest = u64::MAX >> (64 - 8 * size_of::<T>());
        InvalidValue(match error.kind() {
            IntErrorKind::PosOverflow => {
                say!("expected a number of at most {}", "应为不超过 {} 的数", largest)
            }
            _ => say!("expected a whole number, such as `10`", "应为整数，例如 `10`"),
        })
    })
}

/// Reads a day: `2027-01-31`.
#[cfg(feature = "serve")]
pub fn day(text: &str) -> Result<Date, InvalidValue> {
    Date::parse(text)
        .ok_or_else(|| InvalidValue(say!("expected a day, such as `2027-01-31`", "应为日期，例如 `2027-01-31`")))
}

/// Reads a rate: `60/min`.
#[cfg(feature = "serve")]
pub fn rate(text: &str) -> Result<okno_server::RateLimit, InvalidValue> {
    text.parse().map_err(|_| {
        InvalidValue(say!(
            "expected how much in which time, such as `60/min`, `5/s` or `500MB/day`",
            "应为单位时间内的数量，例如 `60/min`、`5/s` 或 `500MB/day`"
        ))
    })
}

/// Reads a number of tokens that can hold something.
pub fn tokens(text: &str) -> Result<usize, InvalidValue> {
    number(text)
        .ok()
        .filter(|tokens| *tokens > 0)
        .ok_or_else(|| InvalidValue(say!("expected a number of tokens, such as `500`", "应为词元数，例如 `500`")))
}

/// Reads a budget: `500`, `500t`, `2000c`.
pub fn budget(text: &str) -> Result<Budget, InvalidValue> {
    text.parse().map_err(|_| {
        InvalidValue(say!(
            "expected a number of tokens (`500`) or characters (`2000c`)",
            "应为词元数（`500`）或字符数（`2000c`）"
        ))
    })
}

/// Reads a chunk size: `400`, `400c`, `512t`.
pub fn chunk_size(text: &str) -> Result<Size, InvalidValue> {
    text.parse().map_err(|()| {
        InvalidValue(say!(
            "expected a number of characters (`400` or `400c`) or tokens (`512t`)",
            "应为字符数（`400` 或 `400c`）或词元数（`512t`）"
        ))
    })
}

/// Reads a number from 0 to 1.
pub fn share(text: &str) -> Result<f32, InvalidValue> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| {
        InvalidValue(say!("expected a number from 0 to 1, such as `0.5`", "应为 0 到 1 之间的数，例如 `0.5`"))
    })
}

/// Reads a size in bytes: `64MB`, `500k`, `1.5GiB`, `123`.
pub fn bytes(text: &str) -> Result<u64, InvalidValue> {
    text.parse().map(|ByteSize(bytes)| bytes).map_err(|_| {
        InvalidValue(say!("expected a size such as `64MB`, `500k` or `123`", "应为大小，例如 `64MB`、`500k` 或 `123`"))
    })
}

/// Reads an IP address.
pub fn ip(text: &str) -> Result<std::net::IpAddr, InvalidValue> {
    text.parse().map_err(|_| {
        InvalidValue(say!(
            "expected an IP address, such as `127.0.0.1` or `0.0.0.0`",
            "应为 IP 地址，例如 `127.0.0.1` 或 `0.0.0.0`"
        ))
    })
}
