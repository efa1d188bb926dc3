//! Where a player is called: an absolute `http://` URL, parsed once at the door.

use std::fmt;

/// Longest URL accepted, in bytes.
pub const URL_LEN_MAX: usize = 2_048;
/// The port of a URL that names none.
const PORT: u16 = 80;

/// Why a URL cannot be called, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// Nothing there.
    #[error("the URL is empty; write http://host:port/path")]
    Empty,
    /// More than [`URL_LEN_MAX`] bytes.
    #[error("the URL has {0} bytes; at most {URL_LEN_MAX} are accepted")]
    TooLong(usize),
    /// Encrypted transport is not spoken.
    #[error(
        "{0} is an https URL; players are called over plain http only, so write http:// instead"
    )]
    Https(String),
    /// Another scheme, or none at all.
    #[error("{0} is not an absolute http URL; write http://host:port/path")]
    Scheme(String),
    /// A user name or password before the host.
    #[error("{0} carries a user name; put what the player needs into its path or query instead")]
    UserInfo(String),
    /// No host, or letters that a host cannot have.
    #[error(
        "{url} has no valid host ({host:?}); write a name of ASCII letters, digits, dots and hyphens, or an IP address"
    )]
    Host {
        /// The whole URL.
        url: String,
        /// What stands where the host should.
        host: String,
    },
    /// Not a port number.
    #[error("{url} has no valid port ({port:?}); write a number from 1 to 65535 after the colon")]
    Port {
        /// The whole URL.
        url: String,
        /// What stands where the port should.
        port: String,
    },
}

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
    /// Parses an absolute `http://` URL. What its path and query may not carry literally (blanks,
    /// letters outside ASCII) is percent-encoded; a fragment is dropped.
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
        let rest = after_scheme(url)?;
        let rest = rest.split('#').next().unwrap_or_default();
        let (authority, path_and_query) = match rest.find(['/', '?']) {
            Some(end) => rest.split_at(end),
            None => (rest, ""),
        };
        if authority.contains('@') {
            return Err(TargetError::UserInfo(url.to_owned()));
        }
        let (host, port) = split_port(url, authority)?;
        check_host(url, host)?;
        let authority = if port == PORT {
            host.to_owned()
        } else {
            format!("{host}:{port}")
        };
        Ok(Self {
            url: url.to_owned(),
            authority,
            host: host.trim_matches(['[', ']']).to_owned(),
            port,
            path_and_query: rooted(path_and_query),
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

    /// What stands in the `Host` header.
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

fn after_scheme(url: &str) -> Result<&str, TargetError> {
    let Some((scheme, rest)) = url.split_once("://") else {
        return Err(TargetError::Scheme(url.to_owned()));
    };
    if scheme.eq_ignore_ascii_case("http") {
        Ok(rest)
    } else if scheme.eq_ignore_ascii_case("https") {
        Err(TargetError::Https(url.to_owned()))
    } else {
        Err(TargetError::Scheme(url.to_owned()))
    }
}

/// Host (an IPv6 address still in brackets) and port.
fn split_port<'a>(url: &str, authority: &'a str) -> Result<(&'a str, u16), TargetError> {
    let (host, port) = match authority.find(']') {
        Some(end) => authority.split_at(end + 1),
        // An address whose bracket is never closed is no host.
        None if authority.starts_with('[') => (authority, ""),
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    let port = port.strip_prefix(':').unwrap_or(port);
    if port.is_empty() {
        return Ok((host, PORT));
    }
    match port.parse::<u16>() {
        Ok(number) if number > 0 && port.bytes().all(|byte| byte.is_ascii_digit()) => {
            Ok((host, number))
        }
        _ => Err(TargetError::Port {
            url: url.to_owned(),
            port: port.to_owned(),
        }),
    }
}

fn check_host(url: &str, host: &str) -> Result<(), TargetError> {
    let valid = match host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
    {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => {
            !host.is_empty()
                && host
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte))
        }
    };
    if valid {
        Ok(())
    } else {
        Err(TargetError::Host {
            url: url.to_owned(),
            host: host.to_owned(),
        })
    }
}

fn rooted(path_and_query: &str) -> String {
    let mut text = String::with_capacity(path_and_query.len() + 1);
    if !path_and_query.starts_with('/') {
        text.push('/');
    }
    for byte in path_and_query.bytes() {
        if byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push_str(percent_encoding::percent_encode_byte(byte));
        }
    }
    text
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
    }

    #[test]
    fn refusals_say_how_to_mend() {
        let refusal = |url: &str| Target::parse(url).unwrap_err();
        assert!(matches!(refusal("https://iets.nl"), TargetError::Https(_)));
        assert!(refusal("https://iets.nl").to_string().contains("http://"));
        assert_eq!(refusal("  "), TargetError::Empty);
        assert!(matches!(refusal("iets.nl/bot"), TargetError::Scheme(_)));
        assert!(matches!(refusal("ftp://iets.nl"), TargetError::Scheme(_)));
        assert!(matches!(refusal("http://"), TargetError::Host { .. }));
        assert!(matches!(refusal("http://[::1"), TargetError::Host { .. }));
        assert!(matches!(
            refusal("http://iets.nl:0/"),
            TargetError::Port { .. }
        ));
        assert!(matches!(
            refusal("http://iets.nl:+8/"),
            TargetError::Port { .. }
        ));
        assert!(matches!(
            refusal("http://iets.nl:65536/"),
            TargetError::Port { .. }
        ));
        assert!(matches!(
            refusal("http://me:pw@iets.nl/"),
            TargetError::UserInfo(_)
        ));
        let long = format!("http://iets.nl/{}", "a".repeat(URL_LEN_MAX));
        assert!(matches!(refusal(&long), TargetError::TooLong(_)));
    }
}
