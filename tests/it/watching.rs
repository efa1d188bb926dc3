//! Streams of events, over real sockets: at a drain, and over `kill -9`.

use crate::app::{PATIENCE, TestApp, folder};
use nix::sys::signal::Signal;
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A match with a bot of our own that answers at once.
const CALL: &str = "/koehandel/filler?market=5&id=9&type=";

/// A stream that is read event by event.
pub struct Stream {
    lines: BufReader<TcpStream>,
    /// All that was read of it.
    pub text: String,
    /// How long it may say no more than that it lives.
    patience: Duration,
}

/// One event of a stream.
#[derive(Debug)]
pub struct Event {
    pub kind: String,
    id: String,
    data: Value,
}

impl Stream {
    pub fn open(api: SocketAddr, path: &str, headers: &[String]) -> Self {
        let mut stream = TcpStream::connect(api).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        // HTTP/1.0: nothing stands between the lines.
        let mut asked = format!("GET {path} HTTP/1.0\r\nHost: {api}\r\n");
        headers
            .iter()
            .for_each(|header| asked += &format!("{header}\r\n"));
        stream.write_all(format!("{asked}\r\n").as_bytes()).unwrap();
        let (lines, text) = (BufReader::new(stream), String::new());
        Self {
            lines,
            text,
            patience: PATIENCE,
        }
    }

    /// With this much patience, also for a daemon that has no time to say that the stream lives.
    pub fn with_patience(self, patience: Duration) -> Self {
        let socket = self.lines.get_ref();
        socket.set_read_timeout(Some(patience)).unwrap();
        Self { patience, ..self }
    }

    fn of_match(app: &TestApp, id: &str, last: Option<&str>) -> Self {
        let headers = last.map(|last| format!("Last-Event-ID: {last}"));
        let path = format!("/api/v1/matches/{id}/events");
        Self::open(app.api, &path, headers.as_slice())
    }

    /// The next event; nothing at the stream's end.
    pub fn next(&mut self) -> Option<Event> {
        let (mut kind, mut id) = (String::new(), String::new());
        let begun = Instant::now();
        // A silent stream shows that it lives.
        while begun.elapsed() < self.patience {
            let from = self.text.len();
            // A daemon that is killed may reset the connection.
            if !matches!(self.lines.read_line(&mut self.text), Ok(1..)) {
                return None;
            }
            let line = self.text[from..].trim_end();
            if let Some(word) = line.strip_prefix("event: ") {
                kind = word.to_owned();
            } else if let Some(word) = line.strip_prefix("id: ") {
                id = word.to_owned();
            } else if let Some(data) = line.strip_prefix("data: ") {
                let data = serde_json::from_str(data).ok()?;
                return Some(Event { kind, id, data });
            }
        }
        panic!("nothing more comes: {}", self.text);
    }

    /// The next event of this kind.
    fn expect(&mut self, kind: &str) -> Event {
        loop {
            let event = self.next();
            let event = event.unwrap_or_else(|| panic!("no {kind} in {}", self.text));
            if event.kind == kind {
                return event;
            }
        }
    }

    /// The numbers of the next entries, and the last one's mark.
    fn entries(&mut self, count: usize) -> (Vec<Value>, String) {
        let mut mark = "0-0".to_owned();
        let numbers = (0..count).map(|_| {
            let entry = self.expect("entry");
            mark = entry.id;
            entry.data["id"].clone()
        });
        (numbers.collect(), mark)
    }
}

/// Begins the match; its id.
fn begin(app: &TestApp) -> String {
    assert_eq!(app.call(&format!("{CALL}begin")).status, 200);
    let row = app.items("/api/v1/matches").remove(0);
    row["id"].as_str().unwrap().to_owned()
}

/// Sends the bot something new so often.
fn send(app: &TestApp, times: usize) {
    static SENT: AtomicUsize = AtomicUsize::new(0);
    for _ in 0..times {
        let number = SENT.fetch_add(1, Ordering::Relaxed);
        assert_eq!(app.call(&format!("{CALL}ask&n={number}")).status, 200);
    }
}

#[test]
fn streams_go_on_over_kill_9_without_gap_or_repetition() {
    let folder = folder();
    let mut app = TestApp::start(folder.path());
    let id = begin(&app);
    // Each reads n entries between two kills, and is behind or waits when the next one comes.
    let mut watchers = [1, 2, 3, 4].map(|count| (count, Vec::new(), "0-0".to_owned()));
    let old = Stream::open(app.api, "/api/v1/events", &[])
        .expect("state")
        .id;
    for _ in 0..3 {
        send(&app, 2);
        let mut streams = Vec::new();
        for (_, _, mark) in &watchers {
            streams.push(Stream::of_match(&app, &id, Some(mark)));
        }
        send(&app, 2);
        for ((count, seen, mark), stream) in watchers.iter_mut().zip(&mut streams) {
            let (numbers, last) = stream.entries(*count);
            seen.extend(numbers);
            *mark = last;
        }
        app.kill();
        drop(streams);
        app = TestApp::start(folder.path());
    }
    let path = format!("/api/v1/matches/{id}/entries.ndjson");
    let lines = app.get(&path).body;
    let all = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].clone());
    let all: Vec<Value> = all.collect();
    assert!(all.len() > 12, "{lines}");
    for (_, seen, mark) in &mut watchers {
        let rest = all.len() - seen.len();
        seen.extend(Stream::of_match(&app, &id, Some(mark)).entries(rest).0);
        assert_eq!(*seen, all);
    }
    // So does the stream of all matches: nothing has begun or ended, and then something does.
    let headers = [format!("Last-Event-ID: {old}")];
    let mut of_all = Stream::open(app.api, "/api/v1/events", &headers);
    let other = CALL.replace("market=5", "market=6");
    assert_eq!(app.call(&format!("{other}begin")).status, 200);
    let begun = of_all.next().unwrap();
    assert_eq!(
        (begun.kind.as_str(), &begun.data["market"]),
        ("match", &6.into())
    );
    app.kill();
}

#[test]
fn watchers_hold_no_drain_and_are_notified_of_its_end() {
    let app = TestApp::new(&[("DRAIN__LIMIT_S", "3600")]);
    let id = begin(&app);
    send(&app, 1);
    let mut watcher = Stream::of_match(&app, &id, None);
    watcher.expect("state");
    let mut of_all = Stream::open(app.api, "/api/v1/events", &[]);
    of_all.expect("state");
    // Reads nothing.
    let _stalled = Stream::of_match(&app, &id, Some("0-0"));
    app.signal(Signal::SIGTERM);
    app.get_until("/readyz", |answer| answer.status == 503);
    send(&app, 1);
    assert_eq!(
        watcher.entries(1).0.len(),
        1,
        "the match goes on, and is reported"
    );
    app.signal(Signal::SIGTERM);
    for stream in [&mut watcher, &mut of_all] {
        let why = stream.expect("close").data;
        assert_eq!(why["reason"], "the daemon stops");
        assert!(stream.next().is_none(), "{}", stream.text);
    }
    assert!(app.wait().success());
}
