//! A daemon under test: started on free ports with a folder of its own, driven over real HTTP.

use drover::history::GameRules;
use drover::store::Store;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use std::ffi::OsStr;
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

/// The setting that adds a Koehandel referee to a daemon.
pub const WITH_REFEREE: (&str, &str) = ("REFEREE__KOEHANDEL__LISTEN", "127.0.0.1:0");

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
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }

    /// The items of a page.
    pub fn items(&self) -> Vec<Value> {
        let items = self.json()["items"].as_array().cloned();
        items.unwrap_or_else(|| panic!("no items in {self:?}"))
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
    /// Its own folder, which goes with it.
    folder: Option<TempDir>,
}

/// The executable with a clean environment.
pub fn drover() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_drover"));
    // A shell that exports its width would narrow tables.
    command.stdin(Stdio::null()).env_remove("COLUMNS");
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

/// The same with one variable of the environment set.
pub fn run_with(name: &str, value: impl AsRef<OsStr>, arguments: &[&str]) -> Output {
    drover().args(arguments).env(name, value).output().unwrap()
}

/// Runs a verb on this database to its end.
pub fn run_on(store: &Path, arguments: &[&str]) -> Output {
    let mut command = drover();
    command.args(arguments).arg("--store").arg(store);
    command.output().unwrap()
}

/// Runs a verb that asks the daemon at `url`, with a token or without.
pub fn verb(url: &str, token: Option<&str>, arguments: &[&str]) -> Output {
    let mut command = drover();
    command.args(arguments).args(["--url", url]);
    command.envs(token.map(|token| ("DROVER_TOKEN", token)));
    command.output().unwrap()
}

/// What a verb that ended well said.
pub fn ok(output: Output) -> String {
    assert!(
        output.status.success(),
        "{}: {}",
        output.status,
        text(&output.stderr)
    );
    text(&output.stdout)
}

/// What a verb said that ended with this code.
pub fn refused(output: Output, code: i32) -> String {
    assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
    text(&output.stderr)
}

/// `drover play` of one match between these seats with these rule options; the report is JSON.
pub fn play(game: &str, seats: &[&str], options: &[&str]) -> Command {
    let mut command = drover();
    command.args(["play", game, "--games", "1", "--no-rotate"]);
    command.args(["--output", "json"]);
    command.args(seats.iter().flat_map(|seat| ["--seat", seat]));
    command.args(options.iter().flat_map(|option| ["--option", option]));
    command
}

/// The report of [`play`], which ends with 1 exactly if a program took no decision in some match.
pub fn report(output: Output) -> Value {
    let report = serde_json::from_slice(&output.stdout);
    let report: Value = report.unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
    let idle = |seat: &Value| seat["failure"]["matches_not_played"].as_u64() > Some(0);
    let idle = report["seats"].as_array().unwrap().iter().any(idle);
    assert_eq!(output.status.success(), !idle, "{report}");
    report
}

/// Waits until it is so.
pub fn until(mut done: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !done() {
        pause(begun, || "it does not come".to_owned());
    }
}

/// Between two looks for what is waited for since then: ever longer, as a look may take a process. After too long, `lack`
/// says what is missing.
fn pause(since: Instant, lack: impl FnOnce() -> String) {
    assert!(since.elapsed() < PATIENCE, "{}", lack());
    let sixth = since.elapsed() / 6;
    std::thread::sleep(sixth.clamp(Duration::from_millis(5), Duration::from_millis(60)));
}

/// Runs what waits on a runtime of its own.
pub fn block_on<T>(waiting: impl Future<Output = T>) -> T {
    tokio::runtime::Runtime::new().unwrap().block_on(waiting)
}

/// Every transcript of an open store gives the stored answers and results again.
pub async fn clean(store: &Store) {
    let mut message = Vec::new();
    let summary = drover::replay::verify(store, None, |checked| {
        message.extend(checked.differences.clone())
    })
    .await;
    assert!(summary.unwrap().clean(), "{message:?}");
}

/// The database of a daemon in this folder, to be read.
pub async fn stored(folder: &Path) -> Store {
    let path = folder.join("drover.db");
    Store::open_readonly(path, GameRules::all()).await.unwrap()
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

/// The same command with this many files to open, and no way to get more.
pub fn with_files(plain: &Command, limit: u32) -> Command {
    after(plain, &format!("ulimit -n {limit}"))
}

/// The same command in a shell's process, after this line of it.
pub fn after(plain: &Command, line: &str) -> Command {
    let mut command = Command::new("sh");
    let script = format!("{line} && exec \"$0\" \"$@\"");
    command
        .arg("-c")
        .arg(script)
        .arg(plain.get_program())
        .args(plain.get_args());
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

/// A loopback address that nobody listens on at present.
pub fn free_address() -> SocketAddr {
    let probe = TcpListener::bind("127.0.0.1:0").unwrap();
    probe.local_addr().unwrap()
}

/// A command with these settings, such as `DRAIN__LIMIT_S`.
pub fn set(mut command: Command, settings: &[(&str, &str)]) -> Command {
    for (key, value) in settings {
        command.env(format!("DROVER__{key}"), value);
    }
    command
}

impl TestApp {
    /// Starts a daemon in a folder of its own with these settings, such as `DRAIN__LIMIT_S`.
    pub fn new(settings: &[(&str, &str)]) -> Self {
        let folder = folder();
        let mut app = Self::with(folder.path(), settings);
        app.folder = Some(folder);
        app
    }

    /// Starts a daemon in this folder.
    pub fn start(folder: &Path) -> Self {
        Self::spawn(serve(folder), folder)
    }

    /// Starts a daemon in this folder with these settings, such as `DRAIN__LIMIT_S`.
    pub fn with(folder: &Path, settings: &[(&str, &str)]) -> Self {
        Self::spawn(set(serve(folder), settings), folder)
    }

    /// Ends it without a word.
    pub fn kill(self) {
        self.signal(Signal::SIGKILL);
        self.wait();
    }

    /// The only match of this game, once it has ended.
    pub fn only_match(&self, game: &str) -> Value {
        self.ended_matches(game, 1).remove(0)
    }

    /// All matches of this game, once n have ended.
    pub fn ended_matches(&self, game: &str, count: usize) -> Vec<Value> {
        let path = format!("/api/v1/matches?game={game}&limit=100");
        let ended = |items: &[Value]| items.iter().filter(|item| !item["cause"].is_null()).count();
        let items = self.items_until(&path, |items| ended(items) >= count);
        assert_eq!((items.len(), ended(&items)), (count, count), "{items:#?}");
        items
    }

    /// How many facts of this kind a match has.
    pub fn facts(&self, id: &Value, kind: &str) -> usize {
        let path = format!("/api/v1/matches/{}/facts", id.as_str().unwrap());
        let facts = self.items(&path);
        facts.iter().filter(|fact| fact["kind"] == kind).count()
    }

    /// How many entries a match's transcripts have.
    pub fn entries(&self, id: &Value) -> usize {
        let path = format!("/api/v1/matches/{}/entries.ndjson", id.as_str().unwrap());
        self.get(&path).body.lines().count()
    }

    /// The texts of a match's transcripts that came in or went out.
    pub fn texts(&self, id: &Value, direction: &str) -> Vec<String> {
        let path = format!("/api/v1/matches/{}/entries.ndjson", id.as_str().unwrap());
        let body = self.get(&path).body;
        let entries = body
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let wanted = entries.filter(|entry| entry["direction"] == direction);
        wanted
            .map(|entry| entry["text"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Kills the daemon once the only match of this game has n entries, and starts another.
    pub fn killed_after(self, game: &str, entries: usize, folder: &Path) -> Self {
        until(|| {
            let list = self.items(&format!("/api/v1/matches?game={game}"));
            list.first()
                .is_some_and(|row| self.entries(&row["id"]) >= entries)
        });
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
            folder: None,
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
    pub fn stop(mut self) {
        let _folder = self.folder.take();
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
    pub fn stop_verified(mut self) {
        let _folder = self.folder.take();
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

    /// The items of a page.
    pub fn items(&self, path: &str) -> Vec<Value> {
        self.get(path).items()
    }

    /// The items of a page, asked for again until they please.
    pub fn items_until(&self, path: &str, pleases: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        self.get_until(path, |answer| pleases(&answer.items()))
            .items()
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
        let (begun, mut answer) = (Instant::now(), self.get(path));
        while !pleases(&answer) {
            pause(begun, || format!("{path} stays {answer:?}: {}", self.log()));
            answer = self.get(path);
        }
        answer
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

/// The same as a seat of `drover play`, at the socket of the daemon in this folder.
pub fn shim_seat(game: &str, bot: &str, folder: &Path) -> String {
    let (ours, socket) = (env!("CARGO_BIN_EXE_drover"), folder.join("drover.sock"));
    format!(
        "cmd:{ours} shim {game} --bot {bot} --socket {}",
        socket.display()
    )
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

/// Starts a match by this request to a referee; its market and its players' ids.
pub fn connected(referee: SocketAddr, query: &str) -> (u64, Vec<u64>) {
    let reply = request(referee, "GET", query, &[], "");
    assert_eq!(reply.status, 200, "{reply:?}");
    let numbers = reply
        .body
        .split('&')
        .map(|field| field.split_once('=').unwrap().1);
    let mut numbers = numbers.map(|number| number.parse().unwrap());
    (numbers.next().unwrap(), numbers.collect())
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

/// As [`request`], on a connection that is there; its last one.
pub fn exchange(
    mut stream: TcpStream,
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[&str],
    body: &str,
) -> std::io::Result<Answer> {
    // HTTP/1.0: the end of the connection ends the body.
    let mut head = format!("{method} {path} HTTP/1.0\r\n");
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
    Ok(Answer {
        status,
        head: head.to_owned(),
        body: body.to_owned(),
    })
}

/// Every transcript of a store gives the stored answers and results again; what the check says.
pub fn verified(store: &Path) -> String {
    let output = run_on(store, &["db", "verify"]);
    assert!(output.status.success(), "{}", text(&output.stdout));
    text(&output.stdout)
}

/// A folder that goes with its owner.
pub fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}
