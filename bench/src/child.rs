//! A daemon as a process of its own, to be measured and killed.

use anyhow::{Context as _, bail};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

/// How to start a daemon.
pub(crate) struct Daemon {
    pub(crate) data: PathBuf,
    pub(crate) listen: SocketAddr,
    /// Configuration by environment: key in the form `DROVER__SECTION__KEY`, value.
    pub(crate) set: Vec<(String, String)>,
    /// A configuration file.
    config: Option<PathBuf>,
}

/// Where a daemon says that it listens.
pub(crate) struct Listening {
    pub(crate) api: SocketAddr,
}

/// A running daemon; killed when dropped.
pub(crate) struct Running {
    child: Child,
}

impl Daemon {
    /// A daemon on a loopback port that is free at present.
    pub(crate) fn new(data: &Path) -> anyhow::Result<Self> {
        let probe = TcpListener::bind(("127.0.0.1", 0)).context("no free loopback port")?;
        let listen = probe.local_addr()?;
        Ok(Self {
            data: data.to_path_buf(),
            listen,
            set: Vec::new(),
            config: None,
        })
    }

    /// Gives it a configuration file with this text.
    pub(crate) fn configure(&mut self, text: &str) -> anyhow::Result<()> {
        let path = self.data.join("drover.toml");
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        self.config = Some(path);
        Ok(())
    }

    pub(crate) fn set(&mut self, key: &str, value: impl ToString) {
        self.set.push((format!("DROVER__{key}"), value.to_string()));
    }

    /// Starts it without waiting for it.
    pub(crate) fn spawn(&self) -> anyhow::Result<Running> {
        let program = std::env::current_exe().context("this executable cannot be found")?;
        let child = Command::new(program)
            .args(["drover", "serve"])
            .args([
                "--listen",
                &self.listen.to_string(),
                "--api-listen",
                "127.0.0.1:0",
            ])
            .arg("--data")
            .arg(&self.data)
            .args(
                self.config
                    .iter()
                    .flat_map(|path| [Path::new("--config"), path]),
            )
            .envs(self.set.iter().map(|(key, value)| (key, value)))
            .env("DROVER__LOG__LEVEL", "warn")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .context("the daemon does not start")?;
        Ok(Running { child })
    }
}

impl Running {
    /// Waits until it says that it listens.
    pub(crate) async fn ready(&mut self) -> anyhow::Result<Listening> {
        let out = self
            .child
            .stdout
            .take()
            .context("the daemon's output is read already")?;
        let mut lines = BufReader::new(out).lines();
        while let Some(line) = lines.next_line().await? {
            if let Some(places) = line.strip_prefix("listening ") {
                let api = places
                    .split(' ')
                    .find_map(|place| place.strip_prefix("api="));
                let api = api.context("the daemon does not say where its API is")?;
                return Ok(Listening { api: api.parse()? });
            }
        }
        bail!(
            "the daemon ended without listening: {}",
            self.child.wait().await?
        )
    }

    /// `kill -9`.
    pub(crate) async fn kill(mut self) -> anyhow::Result<()> {
        self.child
            .kill()
            .await
            .context("the daemon cannot be killed")
    }

    /// Its process's number.
    pub(crate) fn id(&self) -> anyhow::Result<u32> {
        self.child.id().context("the daemon has ended")
    }

    /// Asks it to end, and waits until it has.
    pub(crate) async fn terminate(mut self) -> anyhow::Result<()> {
        let id = i32::try_from(self.id()?)?;
        nix::sys::signal::kill(nix::unistd::Pid::from_raw(id), nix::sys::signal::SIGTERM)
            .context("the daemon cannot be asked to end")?;
        let ended = self.child.wait().await?;
        anyhow::ensure!(ended.success(), "the daemon ended with {ended}");
        Ok(())
    }

    /// Resident memory in bytes.
    pub(crate) fn resident(&self) -> anyhow::Result<u64> {
        let id = self.id()?;
        let status = std::fs::read_to_string(format!("/proc/{id}/status"))
            .context("no /proc: memory can only be read on Linux")?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
        Ok(kib.context("no VmRSS in /proc/PID/status")? * 1024)
    }
}
