//! Who sent an HTTP request: its peer, or the client named by a trusted proxy.

use hyper::HeaderMap;
use ipnet::IpNet;
use std::net::IpAddr;

const FORWARDED_FOR: &str = "x-forwarded-for";
/// Headers that only a proxy sends.
const FORWARDING: [&str; 12] = [
    FORWARDED_FOR,
    "forwarded",
    "via",
    "x-real-ip",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-forwarded-port",
    "x-forwarded-server",
    "x-forwarded-prefix",
    "x-client-ip",
    "cf-connecting-ip",
    "true-client-ip",
];

/// Who sent a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The effective address: the peer's, or the one named by a trusted proxy.
    pub address: IpAddr,
    /// Whether the peer is the caller itself: not a trusted proxy, and without any forwarding header.
    pub direct: bool,
}

impl Caller {
    /// The caller behind `peer`. A forwarded address is trusted only from one of `proxies`: the last address
    /// that is not itself such a proxy counts.
    #[must_use]
    pub fn new(peer: IpAddr, headers: &HeaderMap, proxies: &[IpNet]) -> Self {
        let peer = peer.to_canonical();
        let trusted = |address: &IpAddr| proxies.iter().any(|net| net.contains(address));
        if !trusted(&peer) {
            let direct = !FORWARDING.iter().any(|name| headers.contains_key(*name));
            return Self {
                address: peer,
                direct,
            };
        }
        // What a proxy appended is at the end; the caller may have made up what precedes it.
        let hops = headers.get_all(FORWARDED_FOR).iter().rev();
        let forwarded = hops
            .flat_map(|value| value.to_str().unwrap_or_default().rsplit(','))
            .map_while(|hop| hop.trim().parse().ok())
            .map(|address: IpAddr| address.to_canonical());
        let mut address = peer;
        for hop in forwarded {
            address = hop;
            if !trusted(&hop) {
                break;
            }
        }
        Self {
            address,
            direct: false,
        }
    }

    /// Whether this is a direct caller on the same machine.
    #[must_use]
    pub fn is_local(&self) -> bool {
        self.direct && self.address.is_loopback()
    }
}

#[cfg(test)]
mod tests {
    use super::Caller;
    use hyper::HeaderMap;
    use hyper::header::{HeaderName, HeaderValue};

    #[test]
    fn only_a_trusted_proxy_names_the_caller() {
        let check = |peer: &str, headers: &[(&str, &str)], address: &str, local: bool| {
            let proxies = ["127.0.0.9/32", "10.0.0.0/8"].map(|net| net.parse().unwrap());
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                map.append(
                    name.parse::<HeaderName>().unwrap(),
                    HeaderValue::from_str(value).unwrap(),
                );
            }
            let caller = Caller::new(peer.parse().unwrap(), &map, &proxies);
            assert_eq!(caller.address.to_string(), address, "{peer} {headers:?}");
            assert_eq!(caller.is_local(), local, "{peer} {headers:?}");
        };
        check("127.0.0.1", &[], "127.0.0.1", true);
        check("::ffff:127.0.0.1", &[], "127.0.0.1", true);
        check("::1", &[], "::1", true);
        check("192.0.2.7", &[], "192.0.2.7", false);
        // An unknown proxy on the same machine is not trusted, nor is it local.
        let by = |addresses: &'static str| [("x-forwarded-for", addresses)];
        let for_other = &by("192.0.2.7");
        check("127.0.0.1", for_other, "127.0.0.1", false);
        for other in [("forwarded", "for=192.0.2.7"), ("via", "1.1 proxy")] {
            check("127.0.0.1", &[other], "127.0.0.1", false);
        }
        // A trusted one is believed, and is never local itself.
        check("127.0.0.9", for_other, "192.0.2.7", false);
        check("127.0.0.9", &[], "127.0.0.9", false);
        check("127.0.0.9", &by("127.0.0.1"), "127.0.0.1", false);
        let chain = &[("x-forwarded-for", "127.0.0.1, 192.0.2.7, 10.1.2.3")];
        check("127.0.0.9", chain, "192.0.2.7", false);
        let lines = &[
            ("x-forwarded-for", "1.1.1.1"),
            ("x-forwarded-for", "192.0.2.8"),
        ];
        check("127.0.0.9", lines, "192.0.2.8", false);
        check("127.0.0.9", &by("nobody"), "127.0.0.9", false);
    }
}
