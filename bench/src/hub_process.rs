//! A hub as a process of its own, to be killed.

use anyhow::{Context as _, bail};
use std::net::{SocketAddr, TcpListener};
use std::process::Stdio;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

/// How long a hub may take to listen.
const START_MAX: Duration = Duration::from_secs(20);

/// A running hub; killed when dropped.
pub(crate) struct HubProcess {
    pub(crate) address: SocketAddr,
    options: Vec<String>,
    child: Child,
}

impl HubProcess {
    /// A hub on a loopback port that is free at present; rule options as `NAME=VALUE`.
    pub(crate) async fn start(options: &[String]) -> anyhow::Result<Self> {
        let probe = TcpListener::bind(("127.0.0.1", 0)).context("no free loopback port")?;
        let address = probe.local_addr()?;
        drop(probe);
        Ok(Self {
            address,
            options: options.to_vec(),
            child: spawn(address, options).await?,
        })
    }

    /// `kill -9`, a pause, and a new one.
    pub(crate) async fn kill_and_start(&mut self, pause: Duration) -> anyhow::Result<()> {
        self.child
            .kill()
            .await
            .context("the hub cannot be killed")?;
        tokio::time::sleep(pause).await;
        self.child = spawn(self.address, &self.options).await?;
        Ok(())
    }

    /// Its process's number.
    pub(crate) fn id(&self) -> anyhow::Result<u32> {
        self.child.id().context("the hub has ended")
    }

    pub(crate) async fn stop(mut self) -> anyhow::Result<()> {
        self.child.kill().await.context("the hub cannot be killed")
    }
}

async fn spawn(address: SocketAddr, options: &[String]) -> anyhow::Result<Child> {
    let program = std::env::current_exe().context("this executable cannot be found")?;
    let child = Command::new(program)
        .args([
            "drover",
            "referee",
            "smartdog",
            "--listen",
            &address.to_string(),
        ])
        .args(options.iter().flat_map(|option| ["--option", option]))
        .env("DROVER__LOG__LEVEL", "warn")
        // All players come from one address: its share is three quarters.
        .env("DROVER__REFEREE__SMARTDOG__CONNECTIONS_MAX", "16384")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .context("the hub does not start")?;
    let until = tokio::time::Instant::now() + START_MAX;
    while TcpStream::connect(address).await.is_err() {
        if tokio::time::Instant::now() > until {
            bail!("the hub does not listen on {address}");
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(child)
}
