//! Our own bots on the seats of our own matches: how they are called, stored and shown.

use super::seat_spec::{SeatSpec, SeatSpecError};
use crate::config::Secret;
use crate::link::Target;
use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Replaces a secret where an address is stored or shown.
const MASK: &str = "***";

/// Where this process serves callbacks, and the secrets of that address.
#[derive(Clone, Debug)]
pub struct OwnAddress {
    /// The address that their listener is bound to.
    pub listener: SocketAddr,
    /// The prefix of every path there, if any: no slash at either end.
    pub secret_path: Secret,
    /// The game that is played there.
    pub game: &'static str,
    /// The bot that answers a path without a bot's name.
    pub default_bot: String,
    /// What our referee uses in place of its name.
    pub nonce: Secret,
}

impl OwnAddress {
    /// Where a listener is reached from this machine.
    #[must_use]
    pub fn reached(listener: SocketAddr) -> SocketAddr {
        let ip = match listener.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
            ip => ip,
        };
        SocketAddr::new(ip, listener.port())
    }

    /// How a seat is stored and shown: our own address without its secrets, all others as given.
    pub(in crate::referee) fn kept(own: Option<&Self>, spec: &SeatSpec) -> String {
        let own = own.and_then(|own| own.masked(spec));
        own.unwrap_or_else(|| spec.to_string())
    }

    /// The address to call: one of our own bots with our referee's nonce, all others as given.
    pub(in crate::referee) fn real<'a>(
        own: Option<&Self>,
        spec: &'a SeatSpec,
    ) -> Result<Cow<'a, SeatSpec>, SeatSpecError> {
        let Some((own, visit)) = own.and_then(|own| Some((own, own.visit(spec)?))) else {
            return Ok(Cow::Borrowed(spec));
        };
        let rest = own.behind(visit.path, own.secret());
        let Some(bot) = rest.and_then(|rest| own.bot(rest)) else {
            return Ok(Cow::Borrowed(spec));
        };
        let nonce = own.nonce.reveal().unwrap_or_default();
        let real = own.url(bot, nonce, visit.query);
        real.parse().map(Cow::Owned)
    }

    /// A stored seat, perhaps with another secret path, in a form that [`Self::real`] recognises.
    pub(in crate::referee) fn known_again(
        own: Option<&Self>,
        spec: &SeatSpec,
    ) -> Result<SeatSpec, SeatSpecError> {
        let Some((own, visit)) = own.and_then(|own| Some((own, own.visit(spec)?))) else {
            return Ok(spec.clone());
        };
        let rests = [MASK, own.secret(), ""].map(|secret| own.behind(visit.path, secret));
        let mut bots = rests.into_iter().flatten().filter_map(|rest| own.bot(rest));
        let plain = bots.next().map(|bot| own.url(bot, "", visit.query));
        plain.map_or_else(|| Ok(spec.clone()), |plain| plain.parse())
    }

    fn masked(&self, spec: &SeatSpec) -> Option<String> {
        let visit = self.visit(spec)?;
        let rest = self.behind(visit.path, self.secret())?;
        let mut kept = format!("url:http://{}", visit.authority);
        if !self.secret().is_empty() {
            kept.push('/');
            kept.push_str(MASK);
        }
        match self.bot(rest) {
            Some(bot) => kept.push_str(&format!("/{}/{bot}", self.game)),
            None => {
                kept.push('/');
                kept.push_str(rest.trim_start_matches('/'));
            }
        }
        Some(kept + visit.query)
    }

    /// A bot's address; without `nonce`, as people write it.
    fn url(&self, bot: &str, nonce: &str, query: &str) -> String {
        let mut url = format!("url:http://{}", Self::reached(self.listener));
        for segment in [self.secret(), self.game, bot, nonce] {
            if !segment.is_empty() {
                url.push('/');
                url.push_str(segment);
            }
        }
        url + query
    }

    fn secret(&self) -> &str {
        self.secret_path.reveal().unwrap_or_default()
    }

    /// The parts of a URL that leads to our own listener.
    fn visit<'a>(&self, spec: &'a SeatSpec) -> Option<Visit<'a>> {
        let SeatSpec::Url(target) = spec else {
            return None;
        };
        if !self.leads_here(target) {
            return None;
        }
        let whole = target.path_and_query();
        let (path, query) = whole.split_at(whole.find('?').unwrap_or(whole.len()));
        let authority = target.authority();
        Some(Visit {
            authority,
            path,
            query,
        })
    }

    fn leads_here(&self, target: &Target) -> bool {
        let bound = self.listener.ip().to_canonical();
        let here = |ip: IpAddr| match bound {
            // Another process may listen on the other family's address.
            IpAddr::V4(any) if any.is_unspecified() => {
                ip.is_ipv4() && (ip.is_loopback() || ip.is_unspecified())
            }
            IpAddr::V6(any) if any.is_unspecified() => ip.is_loopback() || ip.is_unspecified(),
            bound => ip == bound,
        };
        let host = target.host();
        let local = [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
        target.port() == self.listener.port()
            && match host.parse::<IpAddr>() {
                Ok(ip) => here(ip.to_canonical()),
                Err(_) => host.eq_ignore_ascii_case("localhost") && local.into_iter().any(here),
            }
    }

    /// The rest of a path after this first part.
    fn behind<'a>(&self, path: &'a str, first: &str) -> Option<&'a str> {
        let rest = path.trim_start_matches('/').strip_prefix(first)?;
        (first.is_empty() || rest.is_empty() || rest.starts_with('/')).then_some(rest)
    }

    /// The bot that a path names, whatever else is in it: the caller is our own referee.
    fn bot<'a>(&'a self, path: &'a str) -> Option<&'a str> {
        let mut segments = path.split('/').filter(|segment| !segment.is_empty());
        if segments.next().is_some_and(|game| game != self.game) {
            return None;
        }
        let bot = segments.next().unwrap_or(&self.default_bot);
        (segments.count() <= 1).then_some(bot)
    }
}

/// A URL that leads to our own listener.
struct Visit<'a> {
    authority: &'a str,
    path: &'a str,
    /// Including its question mark; empty: none.
    query: &'a str,
}

#[cfg(test)]
mod tests {
    use super::{OwnAddress, SeatSpec};
    use crate::config::Secret;

    fn own(listener: &str, secret_path: &str) -> OwnAddress {
        OwnAddress {
            listener: listener.parse().unwrap(),
            secret_path: Secret::new(secret_path.to_owned()),
            game: "koehandel",
            default_bot: "champion".to_owned(),
            nonce: Secret::new("n0nce".to_owned()),
        }
    }

    fn check(own: &OwnAddress, given: &str, kept: &str, real: &str) {
        let own = Some(own);
        let spec: SeatSpec = format!("url:http://{given}").parse().unwrap();
        assert_eq!(OwnAddress::kept(own, &spec), format!("url:http://{kept}"));
        let called = OwnAddress::real(own, &spec).unwrap().to_string();
        assert_eq!(called, format!("url:http://{real}"), "{given}");
        // The stored form is called the same way again.
        let again: SeatSpec = OwnAddress::kept(own, &spec).parse().unwrap();
        let again = OwnAddress::known_again(own, &again).unwrap();
        let called = OwnAddress::real(own, &again).unwrap().to_string();
        assert_eq!(called, format!("url:http://{real}"), "{given}");
    }

    #[test]
    fn our_own_bots_are_called_by_a_nonce_that_nobody_sees() {
        let open = own("0.0.0.0:80", "");
        let real = "127.0.0.1:80/koehandel/guide/n0nce";
        for given in [
            "127.0.0.1/koehandel/guide",
            "127.0.0.1:80/koehandel/guide/",
            "127.0.0.1/koehandel/guide/drover",
            "127.0.0.1/koehandel/guide/n0nce",
            "127.0.0.1/koehandel/guide/cup:s3cret",
        ] {
            check(&open, given, "127.0.0.1/koehandel/guide", real);
        }
        for local in ["localhost/koehandel/guide", "127.9.9.9/koehandel/guide"] {
            check(&open, local, local, real);
        }
        let champion = "127.0.0.1:80/koehandel/champion/n0nce";
        check(&open, "127.0.0.1", "127.0.0.1/koehandel/champion", champion);
        check(
            &open,
            "127.0.0.1/koehandel",
            "127.0.0.1/koehandel/champion",
            champion,
        );
        let more = "127.0.0.1:80/koehandel/guide/n0nce?a=b";
        check(
            &open,
            "127.0.0.1/koehandel/guide?a=b",
            "127.0.0.1/koehandel/guide?a=b",
            more,
        );
        for foreign in [
            "127.0.0.1:81/koehandel/guide",
            "[::1]/koehandel/guide",
            "192.0.2.7/koehandel/guide",
            "127.0.0.1/koehandel/guide/a/b",
            "127.0.0.1/poker/guide",
        ] {
            check(&open, foreign, foreign, foreign);
        }
        let here = "127.0.0.1/koehandel/guide";
        let both = own("[::]:80", "");
        check(&both, here, here, "[::1]:80/koehandel/guide/n0nce");
        let one = own("10.0.0.5:80", "");
        check(&one, here, here, here);
        let there = "10.0.0.5/koehandel/guide";
        check(&one, there, there, "10.0.0.5:80/koehandel/guide/n0nce");
    }

    #[test]
    fn the_secret_path_is_neither_kept_nor_given_to_others() {
        let own = own("127.0.0.1:5", "s3cret/x");
        let real = "127.0.0.1:5/s3cret/x/koehandel/filler/n0nce";
        let kept = "127.0.0.1:5/***/koehandel/filler";
        check(&own, "127.0.0.1:5/s3cret/x/koehandel/filler", kept, real);
        check(
            &own,
            "localhost:5/s3cret/x/koehandel/filler/us",
            "localhost:5/***/koehandel/filler",
            real,
        );
        // As stored with another secret, or none.
        for before in ["***/koehandel/filler", "koehandel/filler"] {
            let spec: SeatSpec = format!("url:http://127.0.0.1:5/{before}").parse().unwrap();
            let again = OwnAddress::known_again(Some(&own), &spec).unwrap();
            let called = OwnAddress::real(Some(&own), &again).unwrap().to_string();
            assert_eq!(called, format!("url:http://{real}"));
        }
        // A URL without the right secret is not let in by our own referee either.
        for given in [
            "127.0.0.1:5/koehandel/filler",
            "127.0.0.1:5/***/koehandel/filler",
            "10.0.0.1:5/***/x",
        ] {
            let spec: SeatSpec = format!("url:http://{given}").parse().unwrap();
            assert_eq!(*OwnAddress::real(Some(&own), &spec).unwrap(), spec);
            assert_eq!(OwnAddress::kept(Some(&own), &spec), spec.to_string());
        }
        let filler = SeatSpec::filler();
        assert_eq!(*OwnAddress::real(Some(&own), &filler).unwrap(), filler);
    }
}
