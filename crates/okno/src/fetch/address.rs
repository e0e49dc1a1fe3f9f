//! Which addresses may be connected to: those of the public internet.
//!
//! [`AddressGuard`] resolves names for the client. Whatever it returns is what is connected to, and nothing else is, so
//! an address cannot be swapped between check and use.

use super::error::FetchError;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

/// Resolves names, to public addresses only unless told otherwise.
#[derive(Debug)]
pub struct AddressGuard {
    pub allow_private: bool,
    pub names: DefaultResolver,
}

impl Resolver for AddressGuard {
    fn resolve(&self, uri: &Uri, config: &Config, timeout: NextTimeout) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let resolved = self.names.resolve(uri, config, timeout)?;
        let allowed: Vec<SocketAddr> =
            resolved.iter().copied().filter(|address| self.allow_private || is_public(address.ip())).collect();
        let Some(refused) = resolved.iter().next().filter(|_| allowed.is_empty()) else {
            let mut addresses = self.empty();
            for address in allowed {
                addresses.push(address);
            }
            return Ok(addresses);
        };
        let host = uri.host().unwrap_or_default();
        let private = FetchError::Private { host: host.to_owned(), address: refused.ip() };
        // The client passes errors of input and output on as they are: the reason is taken out of it again.
        Err(ureq::Error::Io(std::io::Error::new(std::io::ErrorKind::PermissionDenied, private)))
    }
}

/// Whether an address belongs to the public internet, by the special-purpose registries of IANA.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => embedded_v4(v6).map_or_else(|| is_public_v6(v6), is_public_v4),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let shared = a == 100 && (64..128).contains(&b);
    let protocol = a == 192 && b == 0 && c == 0;
    let benchmark = a == 198 && (18..20).contains(&b);
    !(a == 0
        || a >= 224
        || shared
        || protocol
        || benchmark
        || address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_documentation())
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    // Global unicast is 2000::/3; of that, 2001:db8::/32 is for examples.
    first & 0xe000 == 0x2000 && !(first == 0x2001 && second == 0x0db8)
}

/// The IPv4 address inside mapped, translated (`64:ff9b::/96`) and 6to4 (`2002::/16`) addresses.
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let s = address.segments();
    let v4 = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match s {
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => {
            Some(v4(high, low))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_addresses_are_public() {
        for address in [
            "127.0.0.1",
            "127.9.9.9",
            "0.0.0.0",
            "10.0.0.1",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "198.18.0.1",
            "192.0.2.1",
            "224.0.0.1",
            "255.255.255.255",
            "::1",
            "::",
            "fe80::1",
            "fc00::1",
            "fd12::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::a00:1",
            "2002:7f00:1::",
            "2001:db8::1",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
        for address in ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "::ffff:1.1.1.1", "172.32.0.1", "100.128.0.1"] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
    }
}
