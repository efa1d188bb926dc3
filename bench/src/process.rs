//! Drover as processes of their own, to be measured and killed.

use anyhow::{Context as _, bail, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::ffi::OsStr;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

/// The first word of a command line that is Drover's own.
pub(crate) const DROVER: &str = "drover";

/// How long a hub may take to listen.
const START_MAX: Duration = Duration::from_secs(20);

/// This executable with these words, as a program that others start.
pub(crate) fn own(words: &[&str]) -> anyhow::Result<Vec<String>> {
    let program = std::env::current_exe().context("this executable cannot be found")?;
    let program = program
        .to_str()
        .context("this executable's name is no text")?;
    let words = std::iter::once(program).chain(words.iter().copied());
    Ok(words.map(str::to_owned).collect())
}

/// Drover with these words, as a program that others start.
pub(crate) fn drover(words: &[&str]) -> anyhow::Result<Vec<String>> {
    own(&[&[DROVER], words].concat())
}

/// Drover with these words, to be started here; killed when dropped.
pub(crate) fn command<S: AsRef<OsStr>>(
    words: impl IntoIterator<Item = S>,
) -> anyhow::Result<Command> {
    let program = std::env::current_exe().context("this executable cannot be found")?;
    let mut command = Command::new(program);
    command
        .arg(DROVER)
        .args(words)
        .env("DROVER__LOG__LEVEL", "warn")
        .stdin(Stdio::null())
        .kill_on_drop(true);
    Ok(command)
}

/// A loopback port that is free at present.
pub(crate) fn free_address() -> anyhow::Result<SocketAddr> {
    let probe = TcpListener::bind(("127.0.0.1", 0)).context("no free loopback port")?;
    Ok(probe.local_addr()?)
}

/// A running process; killed when dropped.
pub(crate) struct Running(Child);

impl Running {
    /// Waits until a daemon says that it listens. Gives the address of its REST interface.
    pub(crate) async fn ready(&mut self) -> anyhow::Result<SocketAddr> {
        let out = self.0.stdout.take().context("the output is read already")?;
        let mut lines = BufReader::new(out).lines();
        while let Some(line) = lines.next_line().await? {
            if let Some(places) = line.strip_prefix("listening ") {
                let api = places
                    .split(' ')
                    .find_map(|place| place.strip_prefix("api="));
                return Ok(api
                    .context("the daemon does not say where its API is")?
                    .parse()?);
            }
        }
        bail!(
            "the daemon ended without listening: {}",
            self.0.wait().await?
        )
    }

    /// `kill -9`.
    pub(crate) async fn kill(mut self) -> anyhow::Result<()> {
        self.0.kill().await.context("a process cannot be killed")
    }

    /// Asks it to end, and waits until it has.
    pub(crate) async fn terminate(mut self) -> anyhow::Result<()> {
        let id = Pid::from_raw(i32::try_from(self.id()?)?);
        kill(id, Signal::SIGTERM).context("the daemon cannot be asked to end")?;
        let ended = self.0.wait().await?;
        ensure!(ended.success(), "the daemon ended with {ended}");
        Ok(())
    }

    fn id(&self) -> anyhow::Result<u32> {
        self.0.id().context("the process has ended")
    }

    /// A file or folder of `/proc`.
    pub(crate) fn proc(&self, name: &str) -> anyhow::Result<PathBuf> {
        Ok(Path::new("/proc").join(self.id()?.to_string()).join(name))
    }

    fn read(&self, name: &str) -> anyhow::Result<String> {
        let path = self.proc(name)?;
        std::fs::read_to_string(path).context("no /proc: processes can only be read on Linux")
    }

    /// A number of `/proc/PID/status`, such as `Threads:`.
    pub(crate) fn status(&self, name: &str) -> anyhow::Result<u64> {
        let status = self.read("status")?;
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let word = line.and_then(|line| line.split_whitespace().next());
        let number = word.and_then(|word| word.parse().ok());
        number.with_context(|| format!("no {name} in /proc/PID/status"))
    }

    /// Resident memory in bytes.
    pub(crate) fn resident(&self) -> anyhow::Result<u64> {
        Ok(self.status("VmRSS:")? * 1024)
    }

    /// Processor time used.
    pub(crate) fn processor_seconds(&self) -> anyhow::Result<f64> {
        let stat = self.read("stat")?;
        let (_, rest) = stat.rsplit_once(')').context("no /proc/PID/stat")?;
        let field = |at: usize| rest.split_whitespace().nth(at)?.parse::<u64>().ok();
        let ticks = field(11).zip(field(12));
        let (user, system) = ticks.context("no times in /proc/PID/stat")?;
        // Linux counts in hundredths of a second everywhere that matters.
        Ok((user + system) as f64 / 100.0)
    }
}

/// How to start a daemon.
pub(crate) struct Daemon {
    pub(crate) data: PathBuf,
    pub(crate) listen: SocketAddr,
    /// Configuration by environment: `DROVER__SECTION__KEY` and its value.
    set: Vec<(String, String)>,
}

impl Daemon {
    /// A daemon on a loopback port that is free at present.
    pub(crate) fn new(data: &Path) -> anyhow::Result<Self> {
        Ok(Self {
            data: data.to_path_buf(),
            listen: free_address()?,
            set: Vec::new(),
        })
    }

    pub(crate) fn set(&mut self, key: &str, value: impl ToString) {
        self.set.push((format!("DROVER__{key}"), value.to_string()));
    }

    /// Starts it without waiting for it.
    pub(crate) fn spawn(&self) -> anyhow::Result<Running> {
        let listen = self.listen.to_string();
        let mut command = command(["serve", "--api-listen", "127.0.0.1:0", "--listen", &listen])?;
        command.arg("--data").arg(&self.data);
        command
            .envs(self.set.iter().cloned())
            .stdout(Stdio::piped());
        Ok(Running(
            command.spawn().context("the daemon does not start")?,
        ))
    }

    /// Starts it and waits until it listens.
    pub(crate) async fn start(&self) -> anyhow::Result<Running> {
        Ok(self.start_with_api().await?.0)
    }

    /// The same; gives the address of its REST interface, too.
    pub(crate) async fn start_with_api(&self) -> anyhow::Result<(Running, SocketAddr)> {
        let mut running = self.spawn()?;
        let api = running.ready().await?;
        Ok((running, api))
    }

    /// How a shim is started that speaks with it.
    pub(crate) fn shim(&self, game: &str, bot: &str) -> anyhow::Result<Vec<String>> {
        let socket = std::path::absolute(self.data.join("drover.sock"))?;
        let socket = socket.to_str().context("the folder's name is no text")?;
        drover(&["shim", game, "--bot", bot, "--socket", socket])
    }
}

/// A hub of our own.
pub(crate) struct Hub {
    pub(crate) address: SocketAddr,
    pub(crate) running: Running,
}

impl Hub {
    /// A hub on a loopback port that is free at present; rule options as `NAME=VALUE`.
    pub(crate) async fn start(options: Vec<String>) -> anyhow::Result<Self> {
        let address = free_address()?;
        Ok(Self {
            address,
            running: hub(address, &options).await?,
        })
    }
}

async fn hub(address: SocketAddr, options: &[String]) -> anyhow::Result<Running> {
    let child = command(["referee", "smartdog", "--listen", &address.to_string()])?
        .args(options.iter().flat_map(|option| ["--option", option]))
        // All players come from one address: its share is three quarters.
        .env("DROVER__REFEREE__SMARTDOG__CONNECTIONS_MAX", "16384")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .context("the hub does not start")?;
    let begun = Instant::now();
    while TcpStream::connect(address).await.is_err() {
        ensure!(
            begun.elapsed() < START_MAX,
            "the hub does not listen on {address}"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(Running(child))
}
