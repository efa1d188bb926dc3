//! One plain HTTP request to a running daemon.

use super::usage::UsageError;
use crate::link::Target;
use crate::referee::OwnAddress;
use anyhow::Context as _;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs as _};
use std::time::Duration;

/// How long to wait for the connection, and for each read of the answer.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The longest answer accepted, in bytes.
const ANSWER_LEN_MAX: u64 = 1 << 20;

/// The daemon's answer.
pub(super) struct Said {
    pub(super) status: u16,
    pub(super) body: String,
}

/// The URL at which a daemon with this bound address is reached from the same machine.
pub(super) fn base(listen: SocketAddr) -> String {
    format!("http://{}", OwnAddress::reached(listen))
}

/// The URL of a daemon that the user names, without a slash at its end.
///
/// # Errors
/// [`UsageError`] if it is none.
pub(super) fn named(url: &str) -> Result<&str, UsageError> {
    let read = Target::parse(url).map(|_| url.trim_end_matches('/'));
    read.map_err(|why| UsageError(format!("--url: {why}")))
}

/// The request to send.
pub(super) struct Asked<'a> {
    pub(super) method: &'a str,
    /// `http://HOST:PORT/PATH`
    pub(super) url: &'a str,
    /// The bearer token.
    pub(super) token: Option<&'a str>,
    pub(super) body: &'a str,
}

/// Sends the request and waits for the whole answer.
pub(super) fn call(asked: &Asked<'_>) -> anyhow::Result<Said> {
    let url = Target::parse(asked.url)?;
    let answer = exchange(&url, asked).with_context(|| {
        format!("no answer from {url} (drover serve answers there; --url or api.listen name another address)")
    })?;
    read(&answer).with_context(|| format!("{url} did not answer in HTTP"))
}

fn exchange(url: &Target, asked: &Asked<'_>) -> anyhow::Result<String> {
    let found = (url.host(), url.port())
        .to_socket_addrs()?
        .next()
        .context("the name has no address")?;
    let mut stream = TcpStream::connect_timeout(&found, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    let bearer = match asked.token {
        Some(token) => format!("Authorization: Bearer {token}\r\n"),
        None => String::new(),
    };
    let (path, host) = (url.path_and_query(), url.authority());
    let (method, body, length) = (asked.method, asked.body, asked.body.len());
    let request = format!(
        "{method} {path} HTTP/1.0\r\nHost: {host}\r\n{bearer}Content-Length: {length}\r\n\
         Connection: close\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes())?;
    let mut answer = Vec::new();
    stream.take(ANSWER_LEN_MAX).read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

fn read(answer: &str) -> anyhow::Result<Said> {
    let (head, body) = answer
        .split_once("\r\n\r\n")
        .context("the response's head is incomplete")?;
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|code| code.parse().ok())
        .context("the response has no status")?;
    Ok(Said {
        status,
        body: body.to_owned(),
    })
}
