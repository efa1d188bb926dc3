//! One plain HTTP request to a running daemon.

use anyhow::{Context as _, bail};
use std::io::{Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, ToSocketAddrs as _};
use std::time::Duration;

/// How long to wait for the connection, and for each part of the answer.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The longest answer read, in bytes.
const ANSWER_LEN_MAX: u64 = 1 << 20;

/// What the daemon said.
pub(super) struct Said {
    pub(super) status: u16,
    pub(super) body: String,
}

/// Where a daemon with this bound address is reached from the same machine.
pub(super) fn base(listen: SocketAddr) -> String {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    format!("http://{}", SocketAddr::new(ip, listen.port()))
}

/// What is asked.
pub(super) struct Asked<'a> {
    pub(super) method: &'a str,
    /// `http://HOST:PORT/PATH`
    pub(super) url: &'a str,
    /// The bearer token.
    pub(super) token: Option<&'a str>,
    pub(super) body: &'a str,
}

/// Asks and waits for the whole answer.
pub(super) fn call(asked: &Asked<'_>) -> anyhow::Result<Said> {
    let url = asked.url;
    let rest = url
        .strip_prefix("http://")
        .with_context(|| format!("{url} is not an http:// URL"))?;
    if rest
        .chars()
        .any(|letter| letter.is_control() || letter == ' ')
    {
        bail!("{url} holds a blank or a control character");
    }
    let (host, path) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, "/"),
    };
    let answer = exchange(host, path, asked).with_context(|| format!("no answer from {url}"))?;
    read(&answer).with_context(|| format!("{url} did not answer in HTTP"))
}

fn exchange(host: &str, path: &str, asked: &Asked<'_>) -> anyhow::Result<String> {
    let port = host
        .rsplit_once(':')
        .and_then(|(_, port)| port.parse::<u16>().ok());
    let address = if port.is_some() {
        host.to_owned()
    } else {
        format!("{host}:80")
    };
    let found = address
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
        .context("the head has no end")?;
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|code| code.parse().ok())
        .context("there is no status")?;
    Ok(Said {
        status,
        body: body.to_owned(),
    })
}
