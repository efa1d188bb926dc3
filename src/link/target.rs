//! Where a player is called: an absolute `http://` URL, parsed once on input.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use std::fmt;
use url::{Host, ParseError, Position, Url};

/// The longest URL accepted, in bytes.
pub const URL_LEN_MAX: usize = 2_048;

/// Why a URL cannot be called, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// It is empty.
    #[error("the URL is empty; write http://host:port/path")]
    Empty,
    /// More than [`URL_LEN_MAX`] bytes.
    #[error("the URL has {0} bytes; at most {URL_LEN_MAX} are accepted")]
    TooLong(usize),
    /// Encrypted transport is not supported.
    #[error(
        "{0} is an https URL; Drover speaks plain http only: give an http URL, such as that of a proxy that adds TLS"
    )]
    Https(String),
    /// Another scheme, or none.
    #[error("{0} is not an absolute http URL; write http://host:port/path")]
    Scheme(String),
    /// A user name or password before the host.
    #[error("{0} carries a user name; put what is needed into the path or query instead")]
    UserInfo(String),
    /// No host, or characters that a host cannot have.
    #[error(
        "{url} has no valid host ({why}); write a name of letters, digits, dots and hyphens, or an IP address"
    )]
    Host {
        /// The whole URL.
        url: String,
        /// What is wrong with it.
        why: ParseError,
    },
    /// Not a port number.
    #[error("{0} has no valid port; write a number from 1 to 65535 after the colon")]
    Port(String),
}

/// What neither a path nor a query contains literally, besides control and non-ASCII characters.
const ESCAPED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// A parsed URL of a player.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    url: String,
    authority: String,
    host: String,
    port: u16,
    path_and_query: String,
}

impl Target {
    /// Parses an absolute `http://` URL. What its path and query may not contain literally (spaces, non-ASCII
    /// characters) is percent-encoded; a fragment is dropped. Everything else is called as given: `url`
    /// parses only the host and the port, since it would rewrite a path.
    ///
    /// # Errors
    /// [`TargetError`] says what is wrong with it.
    pub fn parse(url: &str) -> Result<Self, TargetError> {
        let url = url.trim();
        if url.is_empty() {
            return Err(TargetError::Empty);
        }
        if url.len() > URL_LEN_MAX {
            return Err(TargetError::TooLong(url.len()));
        }
        let no_http = || TargetError::Scheme(url.to_owned());
        let (scheme, rest) = url.split_once("://").ok_or_else(no_http)?;
        match scheme.to_ascii_lowercase().as_str() {
            "http" => {}
            "https" => return Err(TargetError::Https(url.to_owned())),
            _ => return Err(no_http()),
        }
        let rest = rest.split('#').next().unwrap_or_default();
        let (given, request) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        if given.contains('@') {
            return Err(TargetError::UserInfo(url.to_owned()));
        }
        let no_host = |why| TargetError::Host {
            url: url.to_owned(),
            why,
        };
        // Browsers accept these, and so does `url`.
        if given.contains(|letter: char| letter == '\\' || letter.is_control()) {
            return Err(no_host(ParseError::InvalidDomainCharacter));
        }
        let no_port = || TargetError::Port(url.to_owned());
        let parsed = Url::parse(&format!("http://{given}")).map_err(|why| match why {
            ParseError::InvalidPort => no_port(),
            why => no_host(why),
        })?;
        let host = match parsed.host() {
            Some(Host::Ipv6(ip)) => ip.to_string(),
            Some(Host::Domain(name)) if !name.bytes().all(is_of_name) => {
                return Err(no_host(ParseError::InvalidDomainCharacter));
            }
            Some(host) => host.to_string(),
            None => return Err(no_host(ParseError::EmptyHost)),
        };
        let port = parsed.port_or_known_default().filter(|port| *port > 0);
        let root = if request.starts_with('/') { "" } else { "/" };
        Ok(Self {
            url: url.to_owned(),
            authority: parsed[Position::BeforeHost..Position::AfterPort].to_owned(),
            host,
            port: port.ok_or_else(no_port)?,
            path_and_query: format!("{root}{}", utf8_percent_encode(request, ESCAPED)),
        })
    }

    /// The host without brackets: what is resolved.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The value of the `Host` header.
    #[must_use]
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// The path, beginning with a slash, and the query.
    #[must_use]
    pub fn path_and_query(&self) -> &str {
        &self.path_and_query
    }

    /// The request target with `text` as (a further part of) its query. A leading `?` or `&` of
    /// `text` is ignored.
    #[must_use]
    pub fn with_query(&self, text: &str) -> String {
        let text = text.trim_start_matches(['?', '&']);
        let path = &self.path_and_query;
        let joint = if path.ends_with(['?', '&']) {
            ""
        } else if path.contains('?') {
            "&"
        } else {
            "?"
        };
        format!("{path}{joint}{text}")
    }
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.url)
    }
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b".-_".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::{Target, TargetError, URL_LEN_MAX};

    fn check(url: &str, authority: &str, request: &str) {
        let target = Target::parse(url).unwrap();
        assert_eq!(target.authority(), authority, "{url}");
        assert_eq!(target.with_query("?market=1&id=2"), request, "{url}");
    }

    #[test]
    fn our_text_joins_the_urls_own_query() {
        check("http://iets.nl", "iets.nl", "/?market=1&id=2");
        check("HTTP://iets.nl:80/", "iets.nl", "/?market=1&id=2");
        check(
            "http://iets.nl:8080/bot.php",
            "iets.nl:8080",
            "/bot.php?market=1&id=2",
        );
        check("http://iets.nl?x=1", "iets.nl", "/?x=1&market=1&id=2");
        check("http://iets.nl/a?", "iets.nl", "/a?market=1&id=2");
        check("http://iets.nl/a?b&#top", "iets.nl", "/a?b&market=1&id=2");
        check("http://[::1]:9/é b", "[::1]:9", "/%C3%A9%20b?market=1&id=2");
        check("http://[0:0::1]", "[::1]", "/?market=1&id=2");
        check(
            "http://büro.example/",
            "xn--bro-hoa.example",
            "/?market=1&id=2",
        );
    }

    #[test]
    fn paths_and_queries_are_called_as_they_are_given() {
        for odd in [
            "/a/../b//c/.",
            "/%7e/%zz?a=%2f'~!*()[]@:;,",
            "/?a=1+2&a=1&&=;",
            "/a?b?c/../d",
        ] {
            let target = Target::parse(&format!("http://Iets.nl{odd}#top")).unwrap();
            assert_eq!(target.path_and_query(), odd);
            assert_eq!(target.to_string(), format!("http://Iets.nl{odd}#top"));
        }
        let escaped = Target::parse("http://h/\"<>\\^`{|}\u{1}\u{7f}").unwrap();
        assert_eq!(
            escaped.path_and_query(),
            "/%22%3C%3E%5C%5E%60%7B%7C%7D%01%7F"
        );
    }

    #[test]
    fn refusals_say_how_to_fix() {
        let refusal = |url: &str| Target::parse(url).unwrap_err();
        assert!(matches!(refusal("https://iets.nl"), TargetError::Https(_)));
        assert!(
            refusal("https://iets.nl")
                .to_string()
                .contains("an http URL")
        );
        assert_eq!(refusal("  "), TargetError::Empty);
        assert!(matches!(refusal("iets.nl/bot"), TargetError::Scheme(_)));
        assert!(matches!(refusal("ftp://iets.nl"), TargetError::Scheme(_)));
        assert!(matches!(refusal("http://"), TargetError::Host { .. }));
        assert!(matches!(refusal("http://[::1"), TargetError::Host { .. }));
        for host in ["a b", "a\tb", "a\\b", "a%2fb", "a~b", "::1"] {
            let refusal = refusal(&format!("http://{host}/"));
            let of_port = matches!(refusal, TargetError::Port(_)) && host == "::1";
            assert!(
                of_port || matches!(refusal, TargetError::Host { .. }),
                "{host}: {refusal}"
            );
        }
        for port in ["0", "+8", "65536"] {
            let refusal = refusal(&format!("http://iets.nl:{port}/"));
            assert!(matches!(refusal, TargetError::Port(_)), "{port}");
        }
        assert!(matches!(
            refusal("http://me:pw@iets.nl/"),
            TargetError::UserInfo(_)
        ));
        let long = format!("http://iets.nl/{}", "a".repeat(URL_LEN_MAX));
        assert!(matches!(refusal(&long), TargetError::TooLong(_)));
    }
}
