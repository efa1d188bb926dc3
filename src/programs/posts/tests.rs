//! Matches with a URL that is well, fails, hangs, talks nonsense, drops connections or is started again.

use super::BODY_MAX;
use crate::link::Target;
use crate::programs::bots::Bots;
use crate::programs::conduct::Conduct;
use crate::programs::launch::{Launch, Protocol};
use crate::programs::opening::Opening;
use crate::programs::patience::{PATIENCE, until};
use crate::programs::runner::Runner;
use games::Cause;
use games::neutral::{End, Line, Model, Start};
use games::seat::ProgramReply;
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What a server does with a POST.
enum Does {
    Says(String),
    Fails(u16),
    Hangs,
    Cuts,
    /// Says this with this length before it, and leaves.
    Raw(usize, Vec<u8>),
}

/// A POST as it came.
#[derive(Clone, Debug)]
struct Posted {
    talk: String,
    of_match: Option<String>,
    connection: usize,
    lines: Vec<Value>,
}

impl Posted {
    fn kinds(&self) -> Vec<&str> {
        let kinds = self.lines.iter().map(|line| line["type"].as_str().unwrap());
        kinds.collect()
    }

    fn ask(&self) -> &Value {
        self.lines.last().unwrap()
    }

    /// The answer to its decision, if it is one.
    fn act(&self) -> Does {
        if self.ask()["type"] == "end" {
            return Does::Says(String::new());
        }
        let number = &self.ask()["number"];
        Does::Says(json!({"type": "act", "number": number, "act": number}).to_string())
    }
}

/// A server that does so with each POST, by its number from 0.
struct Server {
    address: SocketAddr,
    posted: Arc<Mutex<Vec<Posted>>>,
    /// Connections that it has closed.
    closed: Arc<AtomicUsize>,
}

impl Server {
    fn new(does: impl Fn(usize, &Posted) -> Does + Send + Sync + 'static) -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").unwrap(), does)
    }

    fn on(
        listener: TcpListener,
        does: impl Fn(usize, &Posted) -> Does + Send + Sync + 'static,
    ) -> Self {
        let address = listener.local_addr().unwrap();
        let posted = Arc::new(Mutex::new(Vec::new()));
        let (all, does) = (Arc::clone(&posted), Arc::new(does));
        let closed = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&closed);
        std::thread::spawn(move || {
            for (connection, stream) in listener.incoming().enumerate() {
                let (all, does) = (Arc::clone(&all), Arc::clone(&does));
                let (stream, count) = (stream.unwrap(), Arc::clone(&count));
                std::thread::spawn(move || {
                    serve(stream, connection, &all, &*does);
                    count.fetch_add(1, Ordering::Release);
                });
            }
        });
        Self {
            address,
            posted,
            closed,
        }
    }

    fn runner(&self) -> Runner {
        runner(self.address)
    }

    fn posted(&self) -> Vec<Posted> {
        self.posted.lock().clone()
    }
}

fn serve(
    mut stream: TcpStream,
    connection: usize,
    all: &Mutex<Vec<Posted>>,
    does: &dyn Fn(usize, &Posted) -> Does,
) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    loop {
        let (mut head, mut line) = (Vec::new(), String::new());
        while reader.read_line(&mut line).is_ok_and(|count| count > 2) {
            head.push(line.trim().to_ascii_lowercase());
            line.clear();
        }
        let header = |name: &str| {
            let mut found = head.iter().filter_map(|line| line.strip_prefix(name));
            found.next().map(|value| value.trim().to_owned())
        };
        let Some(length) = header("content-length:") else {
            return;
        };
        assert!(head[0].starts_with("post /bot?key=1 "), "{head:?}");
        assert_eq!(header("content-type:").unwrap(), "application/x-ndjson");
        let mut body = vec![0; length.parse().unwrap()];
        reader.read_exact(&mut body).unwrap();
        let lines = body
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty());
        let posted = Posted {
            talk: header("drover-talk:").unwrap(),
            of_match: header("drover-match:"),
            connection,
            lines: lines
                .map(|line| serde_json::from_slice(line).unwrap())
                .collect(),
        };
        let number = {
            let mut all = all.lock();
            all.push(posted.clone());
            all.len() - 1
        };
        let mut leaves = false;
        let (status, length, body) = match does(number, &posted) {
            Does::Says(text) => (200, text.len(), text.into_bytes()),
            Does::Fails(status) => (status, 2, b"no".to_vec()),
            Does::Raw(length, body) => {
                leaves = true;
                (200, length, body)
            }
            Does::Hangs => {
                // Until the other side has enough.
                let _ = reader.read(&mut [0]);
                return;
            }
            Does::Cuts => {
                stream.shutdown(Shutdown::Both).unwrap();
                return;
            }
        };
        let head = format!("HTTP/1.1 {status} So\r\ncontent-length: {length}\r\n\r\n");
        // A reader that was sent too much may have left.
        let _ = stream.write_all(head.as_bytes());
        let _ = stream.write_all(&body);
        if leaves {
            return;
        }
    }
}

fn runner(address: SocketAddr) -> Runner {
    let launch = Launch {
        name: "mine".to_owned(),
        protocol: Protocol::Http,
        url: Some(Target::parse(&format!("http://{address}/bot?key=1")).unwrap()),
        ..Launch::default()
    };
    let opening = Opening {
        game: "toy",
        start: Start {
            id: "M1".to_owned(),
            ..Start::default()
        },
        models: vec![Model {
            of: "W".to_owned(),
            model: Value::from(7),
        }],
    };
    Runner::new(&Bots::none(), Arc::new(launch), opening, || ())
}

/// Sends an event and a decision, and asks for it; afterwards it is past.
fn decide(runner: &mut Runner, number: u64, within: Duration) -> ProgramReply {
    let seen = Line::Plain(format!("{{\"type\":\"seen\",\"event\":{number}}}"));
    let rest = "\"ask\":1}".to_owned();
    runner.send_lines(vec![seen, Line::Ask { number, rest }]);
    let reply = runner.ask(number, Instant::now() + within);
    let act = number.to_string();
    runner.send_lines(vec![Line::Played { number, act }]);
    reply
}

fn well(runner: &mut Runner, number: u64) {
    let reply = decide(runner, number, PATIENCE);
    assert_eq!(reply, ProgramReply::Act(Value::from(number)));
}

fn ended(mut runner: Runner) -> Conduct {
    runner.end(Some(End {
        cause: Cause::Normal,
        detail: String::new(),
        scores: vec![3],
        wins: Vec::new(),
    }))
}

#[test]
fn a_decision_is_one_post_and_so_is_the_end() {
    let server = Server::new(|_, posted| match posted.ask()["type"] == "end" {
        true => Does::Says("{\"type\":\"note\",\"note\":[1]}\r\n".to_owned()),
        false => posted.act(),
    });
    let mut runner = server.runner();
    for number in 1..=3 {
        well(&mut runner, number);
    }
    let report = ended(runner);
    assert_eq!((report.starts, report.failed), (1, 0), "{report:?}");
    assert_eq!((report.answered, report.late), (3, 0), "{report:?}");
    assert_eq!(report.note, Some(json!([1])));
    let posted = server.posted();
    let kinds: Vec<_> = posted.iter().map(Posted::kinds).collect();
    assert_eq!(kinds[0], ["hello", "match", "seen", "ask"]);
    assert_eq!(kinds[1], ["played", "seen", "ask"]);
    assert_eq!(kinds[3], ["played", "end"]);
    assert_eq!(posted.len(), 4);
    let asked = posted[1].ask();
    assert_eq!(
        (&asked["number"], &asked["past"]),
        (&2.into(), &false.into())
    );
    assert!(asked["deadline_ms"].as_u64().unwrap() > 30_000);
    assert_eq!(posted[0].lines[1]["again"], false);
    for one in &posted {
        assert_eq!((&one.talk, one.connection), (&posted[0].talk, 0));
        assert_eq!(one.of_match.as_deref(), Some("m1"));
    }
}

/// A failure is reported, and the same decision is asked once more of a match sent again.
fn fails_once(does: impl Fn(&Posted) -> Does + Send + Sync + 'static, expected: &str) -> Conduct {
    let server = Server::new(move |number, posted| match number {
        1 => does(posted),
        _ => posted.act(),
    });
    let mut runner = server.runner();
    well(&mut runner, 1);
    well(&mut runner, 2);
    well(&mut runner, 3);
    let report = ended(runner);
    assert_eq!((report.starts, report.failed), (2, 1), "{report:?}");
    assert_eq!((report.answered, report.late), (3, 0), "{report:?}");
    assert!(report.faults[0].contains(expected), "{report:?}");
    let posted = server.posted();
    let again = &posted[2];
    assert_eq!(
        again.kinds(),
        ["hello", "match", "seen", "ask", "played", "seen", "ask"]
    );
    assert_eq!(again.lines[1]["again"], true);
    assert_eq!(
        (&again.lines[3]["past"], &again.lines[6]["past"]),
        (&true.into(), &false.into())
    );
    assert_ne!(again.talk, posted[1].talk);
    assert_eq!(posted[3].kinds(), ["played", "seen", "ask"]);
    assert_eq!(posted[3].talk, again.talk);
    report
}

#[test]
fn a_failure_begins_the_match_again() {
    fails_once(|_| Does::Fails(500), "status 500: \"no\"");
    fails_once(|_| Does::Fails(302), "status 302");
    fails_once(|_| Does::Cuts, "closed before an answer");
    fails_once(|_| Does::Raw(99, b"cut".to_vec()), "not whole HTTP");
    fails_once(|_| Does::Says(String::new()), "no act for the decision");
    let huge = BODY_MAX + 1;
    fails_once(
        move |_| Does::Raw(huge, vec![b' '; huge]),
        "status 200 with more than 1048576 bytes",
    );
    let garbage = fails_once(|_| Does::Says("<html>\n{}\n".to_owned()), "no act");
    assert_eq!(garbage.refused, 2);
    let other = |_: &Posted| Does::Says(json!({"type": "act", "number": 9, "act": 1}).to_string());
    assert_eq!(fails_once(other, "no act").refused, 1);
    let flood = "\n{\"type\":\"note\",\"note\":1}".repeat(65);
    fails_once(
        move |_| Does::Says(flood.clone()),
        "says more than it is asked",
    );
}

#[test]
fn a_late_answer_is_not_waited_for() {
    let server = Server::new(|number, posted| match number {
        0 => Does::Hangs,
        _ => posted.act(),
    });
    let mut runner = server.runner();
    let late = decide(&mut runner, 1, Duration::from_millis(300));
    assert_eq!(late, ProgramReply::Late);
    well(&mut runner, 2);
    let report = ended(runner);
    assert_eq!((report.late, report.failed), (1, 0), "{report:?}");
    let again = &server.posted()[1];
    assert_eq!(
        again.kinds(),
        ["hello", "match", "seen", "ask", "played", "seen", "ask"]
    );
    assert_eq!(again.connection, 1);
}

#[test]
fn a_url_that_hangs_has_failed_after_three_decisions() {
    let server = Server::new(|_, _| Does::Hangs);
    let mut runner = server.runner();
    for number in 1..=3 {
        let late = decide(&mut runner, number, Duration::from_millis(100));
        assert_eq!(late, ProgramReply::Late);
    }
    let report = runner.end(None);
    assert_eq!((report.late, report.failed), (3, 1), "{report:?}");
    assert!(
        report.faults[0].contains("none of 3 decisions"),
        "{report:?}"
    );
}

#[test]
fn a_url_that_only_fails_is_not_called_for_ever() {
    let server = Server::new(|_, _| Does::Fails(503));
    let mut runner = server.runner();
    let begun = Instant::now();
    let mut number = 0;
    while server.posted().len() < 8 {
        number += 1;
        assert_eq!(decide(&mut runner, number, PATIENCE), ProgramReply::Gone);
        assert!(begun.elapsed() < PATIENCE);
    }
    assert_eq!(
        decide(&mut runner, number + 1, PATIENCE),
        ProgramReply::Gone
    );
    let report = ended(runner);
    assert_eq!((report.starts, report.failed), (8, 8), "{report:?}");
    assert_eq!(server.posted().len(), 8);
}

#[test]
fn a_server_that_is_started_again_goes_on_with_the_match() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let mut runner = runner(address);
    let gone = decide(&mut runner, 1, Duration::from_millis(50));
    assert_eq!(gone, ProgramReply::Gone);
    let server = Server::on(TcpListener::bind(address).unwrap(), |_, posted| {
        posted.act()
    });
    well(&mut runner, 2);
    let report = ended(runner);
    assert_eq!((report.answered, report.late), (1, 0), "{report:?}");
    assert!(
        report.faults[0].contains("cannot connect to 127.0.0.1"),
        "{report:?}"
    );
    assert_eq!(server.posted()[0].lines[1]["again"], true);
}

#[test]
fn models_come_with_the_decision_once_more() {
    let server = Server::new(|number, posted| match number {
        0 => Does::Says("{\"type\":\"models\"}\n{\"type\":\"note\",\"note\":2}".to_owned()),
        _ => posted.act(),
    });
    let mut runner = server.runner();
    well(&mut runner, 1);
    well(&mut runner, 2);
    let report = ended(runner);
    assert_eq!((report.starts, report.failed), (1, 0), "{report:?}");
    assert_eq!(report.note, Some(json!(2)));
    let posted = server.posted();
    assert_eq!(posted[1].kinds(), ["models", "ask"]);
    assert_eq!(posted[1].lines[0]["models"][0]["model"], 7);
    assert_eq!(posted[2].kinds(), ["played", "seen", "ask"]);
}

#[test]
fn a_connection_that_is_closed_between_decisions_is_no_failure() {
    let server = Server::new(|_, posted| match posted.act() {
        Does::Says(text) => Does::Raw(text.len(), text.into_bytes()),
        other => other,
    });
    let mut runner = server.runner();
    for connections in 1..=3 {
        well(&mut runner, connections as u64);
        // Its end must be there: one that comes while a POST is on its way is a failure.
        until(|| server.closed.load(Ordering::Acquire) >= connections);
    }
    let report = ended(runner);
    assert_eq!((report.starts, report.failed), (1, 0), "{report:?}");
    let posted = server.posted();
    let connections: Vec<_> = posted.iter().map(|one| one.connection).collect();
    assert_eq!(connections, [0, 1, 2, 3]);
    assert!(posted.iter().all(|one| one.talk == posted[0].talk));
}

#[test]
fn what_cannot_be_reached_cannot_play() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let end = Instant::now() + PATIENCE;
    assert_eq!(runner(address).try_out(end), None);
    drop(listener);
    let why = runner(address).try_out(end).unwrap();
    assert!(why.contains("cannot connect to"), "{why}");
}
