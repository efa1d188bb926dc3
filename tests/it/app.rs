//! A daemon under test: started on free ports with a folder of its own, driven over real HTTP.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Longest wait for anything before a test fails.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// An HTTP answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// Shown when a test fails.
    #[allow(dead_code)]
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }
}

/// A running `drover serve`.
pub struct TestApp {
    child: Option<Child>,
    pub callbacks: SocketAddr,
    pub api: SocketAddr,
    pub referee: Option<SocketAddr>,
    pub hub: Option<SocketAddr>,
    log: PathBuf,
}

/// The executable with a clean environment.
pub fn drover() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_drover"));
    command.stdin(Stdio::null());
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("DROVER") {
            command.env_remove(name);
        }
    }
    command
}

/// Runs a verb to its end.
pub fn run(arguments: &[&str]) -> Output {
    drover().args(arguments).output().unwrap()
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// `drover serve` on free ports with its database in `folder`.
pub fn serve(folder: &Path) -> Command {
    serve_on(SocketAddr::from(([127, 0, 0, 1], 0)), folder)
}

/// The same with callbacks at this address, such as one that holds over restarts.
pub fn serve_on(callbacks: SocketAddr, folder: &Path) -> Command {
    let mut command = drover();
    command.args(["serve", "--listen", &callbacks.to_string()]);
    command.args(["--api-listen", "127.0.0.1:0", "--data"]);
    command.arg(folder);
    command
}

/// A loopback address that nobody listens on at present.
pub fn free_address() -> SocketAddr {
    let probe = TcpListener::bind("127.0.0.1:0").unwrap();
    probe.local_addr().unwrap()
}

impl TestApp {
    /// Starts a daemon in this folder.
    pub fn start(folder: &Path) -> Self {
        Self::spawn(serve(folder), folder)
    }

    /// Starts a daemon in this folder with these variables.
    pub fn with(folder: &Path, variables: &[(&str, &str)]) -> Self {
        let mut command = serve(folder);
        command.envs(variables.iter().copied());
        Self::spawn(command, folder)
    }

    /// Ends it without a word.
    pub fn kill(self) {
        self.signal(Signal::SIGKILL);
        self.wait();
    }

    /// The only match of this game, once it has ended.
    pub fn only_match(&self, game: &str) -> serde_json::Value {
        let path = format!("/api/v1/matches?game={game}");
        let ended = |answer: &Answer| !answer.json()["items"][0]["cause"].is_null();
        let list = self.get_until(&path, ended).json();
        assert_eq!(list["items"].as_array().unwrap().len(), 1, "{list}");
        list["items"][0].clone()
    }

    /// How many facts of this kind a match has.
    pub fn facts(&self, id: &serde_json::Value, kind: &str) -> usize {
        let path = format!("/api/v1/matches/{}/facts", id.as_str().unwrap());
        let facts = self.get(&path).json();
        let items = facts["items"].as_array().unwrap();
        items.iter().filter(|fact| fact["kind"] == kind).count()
    }

    /// Kills the daemon once the only match of this game has so many entries, and starts another.
    pub fn killed_after(self, game: &str, entries: usize, folder: &Path) -> Self {
        let stored = |app: &Self| {
            let list = app.get(&format!("/api/v1/matches?game={game}")).json();
            list["items"][0]["id"].as_str().map_or(0, |id| {
                let path = format!("/api/v1/matches/{id}/entries.ndjson");
                app.get(&path).body.lines().count()
            })
        };
        while stored(&self) < entries {
            std::thread::sleep(Duration::from_millis(20));
        }
        self.kill();
        std::thread::sleep(Duration::from_millis(500));
        Self::start(folder)
    }

    /// Starts a daemon by this command and waits until it says where it listens.
    pub fn spawn(mut command: Command, folder: &Path) -> Self {
        static STARTED: AtomicUsize = AtomicUsize::new(0);
        let log = folder.join(format!("log-{}", STARTED.fetch_add(1, Ordering::Relaxed)));
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(File::create(&log).unwrap())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        let address = |name: &str| -> Option<SocketAddr> {
            let word = line
                .split_whitespace()
                .find_map(|word| word.strip_prefix(name))?;
            Some(word.strip_prefix('=')?.parse().unwrap())
        };
        let (Some(callbacks), Some(api)) = (address("callbacks"), address("api")) else {
            let ended = child.wait();
            panic!(
                "it does not listen ({ended:?}): {}",
                std::fs::read_to_string(&log).unwrap()
            );
        };
        let (referee, hub) = (address("referee"), address("hub"));
        Self {
            child: Some(child),
            callbacks,
            api,
            referee,
            hub,
            log,
        }
    }

    pub fn pid(&self) -> u32 {
        self.child.as_ref().unwrap().id()
    }

    pub fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.pid() as i32), signal).unwrap();
    }

    /// Waits for its end.
    pub fn wait(mut self) -> ExitStatus {
        wait(self.child.take().unwrap())
    }

    /// SIGTERM and a good end.
    pub fn stop(self) {
        self.signal(Signal::SIGTERM);
        let log = self.log.clone();
        let status = self.wait();
        assert!(
            status.success(),
            "{status}: {}",
            std::fs::read_to_string(log).unwrap()
        );
    }

    /// A good end, after which every transcript gives the stored answers and results again.
    pub fn stop_verified(self) {
        let store = self.log.with_file_name("drover.db");
        self.stop();
        verified(&store);
    }

    /// What it has logged so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }

    /// Asks the REST interface.
    pub fn get(&self, path: &str) -> Answer {
        request(self.api, "GET", path, &[], "")
    }

    /// The REST interface's root, as `--url` takes it.
    pub fn url(&self) -> String {
        format!("http://{}", self.api)
    }

    /// Calls a bot.
    pub fn call(&self, path: &str) -> Answer {
        request(self.callbacks, "GET", path, &[], "")
    }

    /// Asks again until the answer pleases.
    pub fn get_until(&self, path: &str, pleases: impl Fn(&Answer) -> bool) -> Answer {
        let begun = Instant::now();
        loop {
            let answer = self.get(path);
            if pleases(&answer) {
                return answer;
            }
            assert!(
                begun.elapsed() < PATIENCE,
                "{path} stays {answer:?}: {}",
                self.log()
            );
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for TestApp {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            // It may have ended by itself: then there is nothing to end.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A program and both its pipes.
pub struct Piped {
    pub child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Piped {
    pub fn start(mut command: Command, stderr: Stdio) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(stderr)
            .spawn()
            .unwrap();
        Self {
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    /// Says a line.
    pub fn say(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    /// Its next line, end included.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line
    }

    /// Closes its input; its exit code.
    pub fn close(mut self) -> Option<i32> {
        drop(self.input.take());
        self.child.wait().unwrap().code()
    }
}

/// A shim of a bot of this game at a socket.
pub fn shim(game: &str, bot: &str, socket: &Path) -> Piped {
    Piped::start(shim_command(game, bot, socket), Stdio::null())
}

/// The command of [`shim`].
pub fn shim_command(game: &str, bot: &str, socket: &Path) -> Command {
    let mut command = drover();
    command.args(["shim", game, "--bot", bot, "--socket"]);
    command.arg(socket);
    command
}

/// Waits for a process to end, with patience.
pub fn wait(mut child: Child) -> ExitStatus {
    let pid = Pid::from_raw(child.id() as i32);
    let (sender, ended) = mpsc::channel();
    std::thread::spawn(move || sender.send(child.wait()));
    match ended.recv_timeout(PATIENCE) {
        Ok(status) => status.unwrap(),
        Err(_) => {
            kill(pid, Signal::SIGKILL).unwrap();
            panic!("the process did not end");
        }
    }
}

/// A connection from an address of our choice.
pub fn dial_from(from: [u8; 4], to: SocketAddr) -> TcpStream {
    use socket2::{Domain, Protocol, Socket, Type};
    let socket = Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::TCP)).unwrap();
    socket
        .bind(&SocketAddr::from((from, 0)).into())
        .and_then(|()| socket.connect(&to.into()))
        .unwrap();
    let stream = TcpStream::from(socket);
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// One request on a connection of its own.
pub fn request(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[&str],
    body: &str,
) -> Answer {
    try_request(address, method, path, headers, body).unwrap()
}

/// As [`request`], for a listener that may be gone. Headers with a Host of their own have no other.
pub fn try_request(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[&str],
    body: &str,
) -> std::io::Result<Answer> {
    let stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    exchange(stream, address, method, path, headers, body)
}

/// A request without a body on a connection that is there; its last one.
pub fn request_on(
    stream: TcpStream,
    address: SocketAddr,
    method: &str,
    path: &str,
) -> std::io::Result<Answer> {
    exchange(stream, address, method, path, &[], "")
}

fn exchange(
    mut stream: TcpStream,
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[&str],
    body: &str,
) -> std::io::Result<Answer> {
    let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
    if !headers.iter().any(|header| header.starts_with("Host:")) {
        head.push_str(&format!("Host: {address}\r\n"));
    }
    for header in headers {
        head.push_str(header);
        head.push_str("\r\n");
    }
    write!(stream, "{head}Content-Length: {}\r\n\r\n{body}", body.len())?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    let answer = text(&bytes);
    let (head, body) = answer
        .split_once("\r\n\r\n")
        .ok_or(std::io::ErrorKind::UnexpectedEof)?;
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|code| code.parse().ok())
        .unwrap();
    let chunked = head
        .to_ascii_lowercase()
        .contains("transfer-encoding: chunked");
    let body = if chunked {
        joined(body)
    } else {
        body.to_owned()
    };
    Ok(Answer {
        status,
        head: head.to_owned(),
        body,
    })
}

/// A chunked body put together.
fn joined(mut rest: &str) -> String {
    let mut whole = String::new();
    while let Some((size, after)) = rest.split_once("\r\n") {
        let length = usize::from_str_radix(size, 16).unwrap();
        if length == 0 {
            break;
        }
        whole.push_str(&after[..length]);
        rest = &after[length + 2..];
    }
    whole
}

/// Every transcript of a store gives the stored answers and results again; what the check says.
pub fn verified(store: &Path) -> String {
    let output = drover()
        .args(["db", "verify"])
        .env("DROVER__STORE__PATH", store)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output.stdout));
    text(&output.stdout)
}

/// A folder that goes with its owner.
pub fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}
