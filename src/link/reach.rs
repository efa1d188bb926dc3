//! Which addresses may be called. A URL from outside must not make us contact what only we can reach: our own
//! REST interface, a router, a neighbour's database.

use super::target::Target;
use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

/// Which addresses may be called.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Reach {
    /// Every address.
    #[default]
    Any,
    /// Only these.
    Only(Arc<Allowed>),
}

/// The addresses that may be called.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Allowed {
    /// Every address of the public internet.
    pub public: bool,
    /// Every address of this machine's loopback.
    pub loopback: bool,
    /// Every address in these networks.
    pub networks: Vec<IpNet>,
    /// Our own bots' listeners.
    pub own: Vec<OwnDoor>,
}

/// Where our own bots are called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnDoor {
    /// The address.
    pub address: SocketAddr,
    /// The required prefix of a path there.
    pub path: String,
}

impl Reach {
    /// Whether `target` may be called at `address`, one of its host's addresses.
    #[must_use]
    pub fn allows(&self, target: &Target, address: SocketAddr) -> bool {
        match self {
            Self::Any => true,
            Self::Only(allowed) => allowed.allows(target, address),
        }
    }
}

impl Allowed {
    fn allows(&self, target: &Target, address: SocketAddr) -> bool {
        let ip = inner(address.ip());
        let listed = |ip: IpAddr| self.networks.iter().any(|net| net.contains(&ip));
        let own = |door: &OwnDoor| {
            door.address.port() == address.port()
                && door.address.ip().to_canonical() == ip
                && target.path_and_query().starts_with(&door.path)
        };
        listed(ip)
            || listed(address.ip())
            || self.loopback && ip.is_loopback()
            || self.public && is_public(ip)
            || self.own.iter().any(own)
    }
}

/// Addresses that are not of the public internet (the registries of special-purpose addresses, RFC 6890, and
/// those reserved by RFC 1918, 3927, 5737 and 6598).
const SPECIAL_V4: [Ipv4Net; 15] = [
    v4(0, 0, 0, 0, 8),
    v4(10, 0, 0, 0, 8),
    v4(100, 64, 0, 0, 10),
    v4(127, 0, 0, 0, 8),
    v4(169, 254, 0, 0, 16),
    v4(172, 16, 0, 0, 12),
    v4(192, 0, 0, 0, 24),
    v4(192, 0, 2, 0, 24),
    v4(192, 88, 99, 0, 24),
    v4(192, 168, 0, 0, 16),
    v4(198, 18, 0, 0, 15),
    v4(198, 51, 100, 0, 24),
    v4(203, 0, 113, 0, 24),
    v4(224, 0, 0, 0, 4),
    v4(240, 0, 0, 0, 4),
];
/// All IPv6 addresses allocated so far.
const GIVEN_V6: Ipv6Net = v6([0x2000, 0], 3);
/// What is reserved in it: protocols and tunnels (Teredo, 6to4, which embed an address in another) and
/// documentation.
const SPECIAL_V6: [Ipv6Net; 4] = [
    v6([0x2001, 0], 23),
    v6([0x2001, 0x0db8], 32),
    v6([0x2002, 0], 16),
    v6([0x3fff, 0], 20),
];
/// Where a translator embeds an IPv4 address in the last 32 bits (RFC 6052), and the old way to do so.
const HIDING_V6: [Ipv6Net; 2] = [v6([0x0064, 0xff9b], 96), v6([0, 0], 96)];

const fn v4(a: u8, b: u8, c: u8, d: u8, bits: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), bits)
}

const fn v6(start: [u16; 2], bits: u8) -> Ipv6Net {
    let [first, second] = start;
    Ipv6Net::new_assert(Ipv6Addr::new(first, second, 0, 0, 0, 0, 0, 0), bits)
}

/// The address that packets to this one end at: an IPv4 address mapped into IPv6 counts as IPv4.
fn inner(ip: IpAddr) -> IpAddr {
    match ip.to_canonical() {
        IpAddr::V6(ip) if !ip.is_loopback() && HIDING_V6.iter().any(|net| net.contains(&ip)) => {
            let [.., a, b, c, d] = ip.octets();
            IpAddr::V4(Ipv4Addr::new(a, b, c, d))
        }
        ip => ip,
    }
}

fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => !SPECIAL_V4.iter().any(|net| net.contains(&ip)),
        IpAddr::V6(ip) => GIVEN_V6.contains(&ip) && !SPECIAL_V6.iter().any(|net| net.contains(&ip)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Allowed, OwnDoor, Reach, Target};
    use std::net::{IpAddr, SocketAddr};
    use std::sync::Arc;

    fn check(allowed: &Allowed, address: &str, may: bool) {
        let target = Target::parse("http://name.example/bot").unwrap();
        let ip: IpAddr = address.parse().unwrap();
        let reach = Reach::Only(Arc::new(allowed.clone()));
        assert_eq!(reach.allows(&target, (ip, 80).into()), may, "{address}");
    }

    #[test]
    fn public_is_what_everybody_reaches() {
        let public = Allowed {
            public: true,
            ..Allowed::default()
        };
        for address in [
            "1.1.1.1",
            "100.63.255.255",
            "100.128.0.0",
            "172.32.0.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2001:4860:4860::8888",
            "::ffff:1.1.1.1",
            "64:ff9b::1.1.1.1",
        ] {
            check(&public, address, true);
        }
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.170",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.19.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.1.2.3",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::10.0.0.1",
            "64:ff9b::127.0.0.1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            check(&public, address, false);
        }
    }

    #[test]
    fn what_is_listed_may_be_called_in_every_form() {
        let listed = Allowed {
            networks: vec!["10.0.0.0/8".parse().unwrap(), "fd00::/8".parse().unwrap()],
            ..Allowed::default()
        };
        for address in [
            "10.9.9.9",
            "::ffff:10.1.1.1",
            "64:ff9b::10.1.1.1",
            "fd00::1",
        ] {
            check(&listed, address, true);
        }
        for address in ["1.1.1.1", "127.0.0.1", "192.168.0.1", "fe80::1"] {
            check(&listed, address, false);
        }
        let local = Allowed {
            loopback: true,
            ..Allowed::default()
        };
        check(&local, "127.0.0.1", true);
        check(&local, "::1", true);
        check(&local, "::ffff:127.9.9.9", true);
        check(&local, "0.0.0.0", false);
        check(&local, "1.1.1.1", false);
    }

    #[test]
    fn our_own_bots_may_always_be_called_at_their_paths_alone() {
        let door = OwnDoor {
            address: "127.0.0.1:8080".parse().unwrap(),
            path: "/s3cret/koehandel/".to_owned(),
        };
        let reach = Reach::Only(Arc::new(Allowed {
            own: vec![door],
            ..Allowed::default()
        }));
        let may = |url: &str, address: &str| {
            let target = Target::parse(url).unwrap();
            reach.allows(&target, address.parse::<SocketAddr>().unwrap())
        };
        let at = "127.0.0.1:8080";
        assert!(may(
            "http://localhost:8080/s3cret/koehandel/champion/us",
            at
        ));
        assert!(!may("http://localhost:8080/metrics", at));
        assert!(!may("http://localhost:8080/s3cret/koehandel", at));
        assert!(!may(
            "http://localhost:8081/s3cret/koehandel/champion",
            "127.0.0.1:8081"
        ));
    }
}
