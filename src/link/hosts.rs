//! Which host a request is meant for, and on whose behalf it is sent: this keeps a page in a user's browser
//! from talking to a listener in the user's place.
//!
//! A page can make its own host name resolve to any address (DNS rebinding) and may then read and write as if
//! the listener were its own server; but its requests still carry that name in `Host`. A literal address in
//! `Host` cannot be rebound, so every one is accepted; names are accepted if they are configured. Without
//! rebinding, a page's request shows that it comes from elsewhere: `Sec-Fetch-Site` and `Origin`.

use hyper::header::{HOST, HeaderMap, ORIGIN};
use hyper::http::uri::Authority;
use hyper::{Request, StatusCode, Uri, Version};
use std::net::IpAddr;
use std::sync::Arc;

const FETCH_SITE: &str = "sec-fetch-site";
/// Every machine's name for itself.
const LOCALHOST: &str = "localhost";
/// How much of a foreign name is repeated, at most.
const SHOWN_LEN_MAX: usize = 100;

/// The names that a listener answers to, besides literal addresses and `localhost`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosts {
    names: Arc<[String]>,
    key: &'static str,
}

/// Why a request is not for us, or not its sender's own: a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misdirected {
    /// No `Host`, several, or an invalid one.
    #[error("a request needs one header Host with a name or an address")]
    NoHost,
    /// A name that is not configured.
    #[error(
        "this listener does not answer to the name {host:?}: call it by its address, or add the name to `{key}`"
    )]
    Host {
        /// The host in the request, truncated if long.
        host: String,
        /// The key that lists names.
        key: &'static str,
    },
    /// A browser reports that another site's page sends this.
    #[error("a page of another site may not do this (Sec-Fetch-Site: {0}); call it directly")]
    Site(String),
    /// A page of another origin.
    #[error(
        "a page of the origin {origin:?} may not do this; if it is served under one of our names, add that name to `{key}`"
    )]
    Origin {
        /// As sent, truncated if long.
        origin: String,
        /// The key that lists names.
        key: &'static str,
    },
}

impl Misdirected {
    /// The matching status.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        match self {
            Self::NoHost => StatusCode::BAD_REQUEST,
            Self::Host { .. } => StatusCode::MISDIRECTED_REQUEST,
            Self::Site(_) | Self::Origin { .. } => StatusCode::FORBIDDEN,
        }
    }
}

impl Hosts {
    /// `names` without ports; `key` of the configuration lists them.
    #[must_use]
    pub fn new(names: impl IntoIterator<Item = String>, key: &'static str) -> Self {
        let names = names.into_iter().map(|name| plain(&name).to_owned());
        Self {
            names: names.collect(),
            key,
        }
    }

    /// Checks which host a request is meant for.
    ///
    /// # Errors
    /// [`Misdirected::NoHost`] and [`Misdirected::Host`].
    pub fn admit<B>(&self, request: &Request<B>) -> Result<(), Misdirected> {
        let Some(host) = own_host(request)? else {
            return Ok(());
        };
        if is_literal(host.host()) || self.knows(host.host()) || same(host.host(), LOCALHOST) {
            return Ok(());
        }
        let (host, key) = (shown(host.as_str()), self.key);
        Err(Misdirected::Host { host, key })
    }

    /// Checks that a request which changes something is not sent by another site's page. A request without
    /// these headers is not from a browser.
    ///
    /// # Errors
    /// [`Misdirected::Site`] and [`Misdirected::Origin`].
    pub fn same_origin<B>(&self, request: &Request<B>) -> Result<(), Misdirected> {
        let headers = request.headers();
        for site in headers.get_all(FETCH_SITE) {
            if !matches!(site.as_bytes(), b"same-origin" | b"none") {
                let site = String::from_utf8_lossy(site.as_bytes());
                return Err(Misdirected::Site(shown(&site)));
            }
        }
        let own = own_host(request)?;
        for origin in headers.get_all(ORIGIN) {
            let from = origin
                .to_str()
                .ok()
                .and_then(|text| text.parse::<Uri>().ok());
            let from = from.as_ref().and_then(Uri::authority);
            let ours = from.is_some_and(|from| {
                let own = own.as_ref().map(Authority::as_str);
                own.is_some_and(|own| same(own, from.as_str())) || self.knows(from.host())
            });
            if !ours {
                let origin = shown(&String::from_utf8_lossy(origin.as_bytes()));
                let key = self.key;
                return Err(Misdirected::Origin { origin, key });
            }
        }
        Ok(())
    }

    fn knows(&self, host: &str) -> bool {
        self.names.iter().any(|name| same(name, plain(host)))
    }
}

/// The host in the request; `None` only in HTTP/1.0, which browsers do not use, and which may omit it.
fn own_host<B>(request: &Request<B>) -> Result<Option<Authority>, Misdirected> {
    let header = host_header(request.headers())?;
    // A request target with a host takes precedence over the header.
    let host = request.uri().authority().cloned().or(header);
    match host {
        Some(host) if host.as_str().contains('@') => Err(Misdirected::NoHost),
        None if request.version() != Version::HTTP_10 => Err(Misdirected::NoHost),
        host => Ok(host),
    }
}

fn host_header(headers: &HeaderMap) -> Result<Option<Authority>, Misdirected> {
    let mut all = headers.get_all(HOST).iter();
    let Some(host) = all.next() else {
        return Ok(None);
    };
    match (Authority::try_from(host.as_bytes()), all.next()) {
        (Ok(host), None) => Ok(Some(host)),
        _ => Err(Misdirected::NoHost),
    }
}

fn is_literal(host: &str) -> bool {
    let bare = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    bare.unwrap_or(host).parse::<IpAddr>().is_ok()
}

/// A name without the dot that ends a fully qualified one.
fn plain(name: &str) -> &str {
    name.strip_suffix('.').unwrap_or(name)
}

fn same(one: &str, other: &str) -> bool {
    plain(one).eq_ignore_ascii_case(plain(other))
}

fn shown(text: &str) -> String {
    text.chars().take(SHOWN_LEN_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::Hosts;
    use hyper::{Request, Version};

    fn hosts() -> Hosts {
        Hosts::new(
            ["drover".to_owned(), "Bots.Example".to_owned()],
            "api.hosts",
        )
    }

    fn request(target: &str, headers: &[(&str, &str)]) -> Request<()> {
        let mut request = Request::builder().uri(target);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).unwrap()
    }

    #[test]
    fn only_addresses_and_known_names_are_answered() {
        for (host, status) in [
            ("127.0.0.1", None),
            ("192.0.2.7:8081", None),
            ("[::1]:8081", None),
            ("localhost", None),
            ("LOCALHOST:8081", None),
            ("localhost.:1", None),
            ("drover:8081", None),
            ("bots.example", None),
            ("evil.example", Some(421)),
            ("evil.example:8081", Some(421)),
            ("localhost.evil.example", Some(421)),
            ("127.0.0.1.evil.example", Some(421)),
            ("drover.evil.example", Some(421)),
            ("drover@evil.example", Some(400)),
            ("", Some(400)),
            ("a b", Some(400)),
        ] {
            let admitted = hosts().admit(&request("/", &[("host", host)]));
            assert_eq!(
                admitted.map_err(|why| why.status().as_u16()).err(),
                status,
                "{host}"
            );
        }
        let said = hosts().admit(&request("/", &[("host", "evil.example")]));
        let said = said.unwrap_err().to_string();
        assert!(
            said.contains("\"evil.example\"") && said.contains("`api.hosts`"),
            "{said}"
        );
    }

    #[test]
    fn a_request_says_once_whom_it_calls() {
        assert!(hosts().admit(&request("/", &[])).is_err());
        let twice = &[("host", "127.0.0.1"), ("host", "evil.example")];
        assert!(hosts().admit(&request("/", twice)).is_err());
        let absolute = request("http://evil.example/", &[("host", "127.0.0.1")]);
        assert!(hosts().admit(&absolute).is_err());
        let mut old = request("/", &[]);
        *old.version_mut() = Version::HTTP_10;
        assert!(hosts().admit(&old).is_ok());
    }

    #[test]
    fn other_sites_pages_change_nothing() {
        let own = ("host", "127.0.0.1:8081");
        for (headers, may) in [
            (&[][..], true),
            (&[("sec-fetch-site", "same-origin")], true),
            (&[("sec-fetch-site", "none")], true),
            (&[("sec-fetch-site", "same-site")], false),
            (&[("sec-fetch-site", "cross-site")], false),
            (&[("sec-fetch-site", "sideways")], false),
            (&[("origin", "http://127.0.0.1:8081")], true),
            (&[("origin", "https://bots.example")], true),
            (&[("origin", "http://127.0.0.1:3000")], false),
            (&[("origin", "http://evil.example")], false),
            (&[("origin", "null")], false),
            (&[("origin", "")], false),
        ] {
            let all: Vec<_> = headers.iter().copied().chain([own]).collect();
            let checked = hosts().same_origin(&request("/", &all));
            assert_eq!(checked.is_ok(), may, "{headers:?} {checked:?}");
        }
    }
}
