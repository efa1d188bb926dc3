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
pub(super) struct HubProcess {
    pub(super) address: SocketAddr,
    wait_for_turn_ms: u32,
    child: Child,
}

impl HubProcess {
    pub(super) async fn start(wait_for_turn_ms: u32) -> anyhow::Result<Self> {
        let probe = TcpListener::bind(("127.0.0.1", 0)).context("no free loopback port")?;
        let address = probe.local_addr()?;
        drop(probe);
        Ok(Self {
            address,
            wait_for_turn_ms,
            child: spawn(address, wait_for_turn_ms).await?,
        })
    }

    /// `kill -9`, a pause, and a new one.
    pub(super) async fn kill_and_start(&mut self, pause: Duration) -> anyhow::Result<()> {
        self.child
            .kill()
            .await
            .context("the hub cannot be killed")?;
        tokio::time::sleep(pause).await;
        self.child = spawn(self.address, self.wait_for_turn_ms).await?;
        Ok(())
    }

    pub(super) async fn stop(mut self) -> anyhow::Result<()> {
        self.child.kill().await.context("the hub cannot be killed")
    }
}

async fn spawn(address: SocketAddr, wait_for_turn_ms: u32) -> anyhow::Result<Child> {
    let program = std::env::current_exe().context("this executable cannot be found")?;
    let child = Command::new(program)
        .args(["referee", "smartdog", "--listen", &address.to_string()])
        .args(["--option", &format!("waitForTurn={wait_for_turn_ms}")])
        .env("DROVER__LOG__LEVEL", "warn")
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
