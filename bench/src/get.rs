//! One request to an HTTP server of Drover's.

use anyhow::Context as _;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// The status and body of the answer to `GET`.
pub(crate) async fn get(server: SocketAddr, target: &str) -> anyhow::Result<(u16, String)> {
    let mut stream = TcpStream::connect(server).await?;
    let asked = format!("GET {target} HTTP/1.0\r\n\r\n");
    stream.write_all(asked.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let status = answer.split(' ').nth(1).and_then(|word| word.parse().ok());
    let (_, body) = answer.split_once("\r\n\r\n").context("no answer")?;
    Ok((status.context("no status")?, body.to_owned()))
}
