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

/// Asks `METHOD http://HOST:PORT/PATH`.
pub(super) fn call(method: &str, url: &str, token: Option<&str>) -> anyhow::Result<Said> {
    let rest = url
        .strip_prefix("http://")
        .with_context(|| format!("{url} is not an http:// URL"))?;
    let (authority, path) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, "/"),
    };
    if path
        .chars()
        .any(|letter| letter.is_control() || letter == ' ')
    {
        bail!("{url} holds a blank or a control character");
    }
    let with_port = if authority
        .rsplit_once(':')
        .is_some_and(|(_, port)| port.parse::<u16>().is_ok())
    {
        authority.to_owned()
    } else {
        format!("{authority}:80")
    };
    let answer = exchange(&with_port, method, path, authority, token)
        .with_context(|| format!("no answer from {url}"))?;
    read(&answer).with_context(|| format!("{url} did not answer in HTTP"))
}

fn exchange(
    address: &str,
    method: &str,
    path: &str,
    host: &str,
    token: Option<&str>,
) -> anyhow::Result<String> {
    let found = address
        .to_socket_addrs()?
        .next()
        .context("the name has no address")?;
    let mut stream = TcpStream::connect_timeout(&found, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    let bearer = token
        .map(|token| format!("Authorization: Bearer {token}\r\n"))
        .unwrap_or_default();
    let head = format!(
        "{method} {path} HTTP/1.0\r\nHost: {host}\r\n{bearer}Content-Length: 0\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
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
