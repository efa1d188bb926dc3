//! A tiny game for tests of everything around games: its bot answers with a digest of everything that it
//! received and sent, so that two folds of one transcript can be compared.
//!
//! Messages: `type=KIND&…` or `KIND REST`. `ask` wants a decision, `say X` wants exactly `X`, `fact` and
//! `bluff BY BID` yield a fact, `end 3,1` ends. The table calls each of two seats in turn, `rounds` times; each
//! seat scores its answers' numbers.

use games::{
    Bluff, BotCard, Budget, Call, Candidate, Cause, Dialogue, DialogueSetup, Ending, Explanation,
    Fact, Frame, Kit, Models, Next, OptionCard, Outcome, Pace, Picture, PlaySetup, Played,
    Progress, Reply, Route, Scene, Seat, SetupError, Table, TableSetup, WireError,
};
use serde_json::{Value, json};
use std::ops::RangeInclusive;
use std::path::Path;
use std::time::Duration;

/// The game `fake`.
pub(crate) struct Fake;

pub(crate) static FAKE: &dyn Kit = &Fake;

/// As [`games::find`], for `fake` alone.
pub(crate) fn find(game: &str) -> Option<&'static dyn Kit> {
    (game == "fake").then_some(FAKE)
}

static BOTS: [BotCard; 2] = [card("quick", false), card("deep", true)];

const fn card(name: &'static str, thinks: bool) -> BotCard {
    BotCard {
        name,
        rung: 1,
        version: 1,
        description: "for tests",
        signature: 0,
        thinks,
    }
}

/// The value of a field in `a=1&b=2`.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.split('&')
        .filter_map(|pair| pair.split_once('='))
        .find(|(key, _)| *key == name)
        .map(|(_, value)| value)
}

fn number(text: &str, name: &'static str) -> Result<u64, WireError> {
    field(text, name)
        .and_then(|value| value.parse().ok())
        .filter(|value| *value > 0)
        .ok_or_else(|| WireError {
            field: name,
            why: "a whole number above 0 is wanted".into(),
        })
}

impl Models for Fake {
    fn merge(&self, model: Option<&Value>, evidence: &Value) -> Value {
        let count = |value: &Value| value["bluffs"].as_i64().unwrap_or(0);
        json!({ "bluffs": model.map_or(0, count) + count(evidence) })
    }
    fn show(&self, model: &Value) -> Value {
        json!({ "bluff_rate": { "value": 0.5, "evidence": model["bluffs"], "low": 0.1, "high": 0.9 } })
    }
    fn notes(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("bluff_rate", "How often it is proved."),
            ("other_rate", "Not shown."),
        ]
    }
}

impl Kit for Fake {
    fn game(&self) -> &'static str {
        "fake"
    }
    fn seats(&self) -> RangeInclusive<usize> {
        2..=4
    }
    fn bots(&self) -> &'static [BotCard] {
        &BOTS
    }
    fn options(&self) -> &'static [OptionCard] {
        &[]
    }
    fn value_unit(&self) -> &'static str {
        "points"
    }
    fn answer_within(&self) -> Duration {
        Duration::from_secs(5)
    }
    fn route(&self, frame: &[u8]) -> Result<Route, WireError> {
        let text = std::str::from_utf8(frame).unwrap_or_default();
        Ok(Route {
            market: number(text, "market")?,
            id: number(text, "id")?,
            begins: field(text, "type") == Some("begin"),
            seating: None,
        })
    }
    fn dialogue(&self, setup: &DialogueSetup) -> Result<Box<dyn Dialogue>, SetupError> {
        let mut talk = Talk {
            bot: setup.bot.clone(),
            digest: setup.seed,
            ..Talk::default()
        };
        for (name, model) in setup.rivals.iter().chain(&setup.types) {
            talk.mix(name);
            talk.mix(&model.to_string());
        }
        Ok(Box::new(talk))
    }
    fn table(&self, _: &TableSetup) -> Result<Box<dyn Table>, SetupError> {
        self.reopen(&json!({ "rounds": 1 }))
    }
    fn reopen(&self, setup: &Value) -> Result<Box<dyn Table>, SetupError> {
        let rounds = setup["rounds"].as_u64();
        Ok(Box::new(FakeTable {
            rounds: rounds.ok_or_else(|| SetupError("no rounds".into()))?,
            turn: 0,
            called: false,
            scores: [0, 0],
        }))
    }
    fn play(&self, _: &PlaySetup, _: &dyn Pace) -> Result<Played, SetupError> {
        Err(SetupError("no play".into()))
    }
    fn models(&self) -> Option<&'static dyn Models> {
        Some(&Fake)
    }
    fn picture(&self, state: &Value) -> Option<Picture> {
        let said = state["said"].as_str()?;
        Some(Picture {
            width: 10,
            height: 10,
            still: "<rect class=\"s-board\"/>".into(),
            moving: format!("<title>{said}</title>"),
        })
    }
    fn place(&self, word: &str) -> Option<u8> {
        let at = ["S", "W", "N", "E"].iter().position(|at| *at == word);
        at.map(|at| at as u8)
    }
    fn place_word(&self, clockwise: u8) -> Option<&'static str> {
        ["S", "W", "N", "E"].get(usize::from(clockwise)).copied()
    }
    fn bluff(&self, fact: &Fact) -> Option<Bluff> {
        (fact.kind == "bluffed").then(|| Bluff {
            by: "W".into(),
            bid: 90,
            held: None,
            caught: true,
        })
    }
}

/// The bot: the question determines how it behaves, if it is not of another bot (`of=quick`).
#[derive(Default)]
struct Talk {
    bot: String,
    digest: u64,
    asked: String,
    slices: u64,
    facts: Vec<Fact>,
    answers: u32,
    said: String,
}

/// Waits until there is such a file, or no folder for it any more. A file of the same name with `-here` says that it does.
fn wait_for(gate: &str) {
    let _ = std::fs::write(format!("{gate}-here"), "");
    let path = Path::new(gate);
    while !path.exists() && path.parent().is_some_and(Path::exists) {
        std::thread::park_timeout(Duration::from_millis(1));
    }
}

impl Talk {
    /// A field of the question that is about this bot.
    fn asks(&self, name: &str) -> Option<&str> {
        let meant = field(&self.asked, "of").is_none_or(|bot| bot == self.bot);
        field(&self.asked, name).filter(|_| meant)
    }
    fn mix(&mut self, text: &str) {
        for byte in text.bytes() {
            self.digest = (self.digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

impl Dialogue for Talk {
    fn receive(&mut self, frame: &[u8]) -> Result<Next, WireError> {
        let text = std::str::from_utf8(frame).unwrap_or_default();
        let words = || text.split_once(' ').unwrap_or((text, ""));
        let (kind, rest) = field(text, "type").map_or_else(words, |kind| (kind, ""));
        match kind {
            "begin" | "info" => self.mix(text),
            "ask" => {
                self.mix(text);
                text.clone_into(&mut self.asked);
                self.slices = 0;
                let fallback = "?a=fallback".to_owned();
                return Ok(Next::Think {
                    limit: Duration::from_secs(5),
                    target: field(text, "target")
                        .and_then(|ms| ms.parse().ok())
                        .map(Duration::from_millis),
                    fallback,
                });
            }
            "end" => {
                self.mix(text);
                let scores = if rest.is_empty() { "4,3,2,1" } else { rest }.split(',');
                return Ok(Next::Over(Ending {
                    scores: scores.map(|score| score.parse().unwrap()).collect(),
                    ..Ending::of(Cause::Normal, "")
                }));
            }
            "fact" => self.facts.push(Fact::new("seen", json!({}))),
            "say" => return Ok(Next::Send(rest.into())),
            "bluff" if !rest.is_empty() => self.facts.push(bluff(rest).0),
            "bluff" => self.facts.push(Fact::new("bluffed", json!({}))),
            "boom" => panic!("boom on {text}"),
            _ => {
                return Err(WireError {
                    field: "type",
                    why: "unknown".into(),
                });
            }
        }
        Ok(Next::Wait)
    }
    fn named(&mut self, rival: &str, name: &str, model: Option<&Value>) {
        for word in [rival, name, &model.unwrap_or(&Value::Null).to_string()] {
            self.mix(word);
        }
        self.facts
            .push(Fact::new("who", json!({ "rival": rival, "name": name })));
    }
    fn think(&mut self, slice: Budget<'_>, best: &mut Frame) -> Progress {
        self.slices += 1;
        if let Some(gate) = self.asks("until") {
            wait_for(gate);
        }
        let ms = |name| field(&self.asked, name).and_then(|text| text.parse::<u64>().ok());
        if let Some(stuck) = ms("stuck") {
            std::thread::sleep(Duration::from_millis(stuck));
        }
        if let Some(spin) = ms("spin") {
            let begun = std::time::Instant::now();
            while begun.elapsed() < Duration::from_millis(spin) {
                std::hint::spin_loop();
            }
        }
        match self.asks("how") {
            Some("panic") => panic!("while thinking"),
            Some("panic2") if self.slices == 2 => panic!("in the second slice"),
            Some("long") => {
                while !(slice.stop)() {
                    std::thread::yield_now();
                }
                *best = format!("?n={}", self.slices);
                Progress::More
            }
            Some("panic2") => {
                *best = "?a=first".to_owned();
                Progress::More
            }
            Some("pass") => {
                best.clear();
                Progress::Done
            }
            _ => {
                *best = format!("?a={:x}", self.digest);
                Progress::Done
            }
        }
    }
    fn explain(&self, budget: Budget<'_>) -> Option<Explanation> {
        let answer = format!("?a={:x}", self.digest);
        let candidate = Candidate {
            act: answer.clone(),
            plan: String::new(),
            value: Some(1.0),
            error: None,
            visits: Some(budget.nodes),
            chosen: true,
        };
        Some(Explanation {
            answer,
            nodes: budget.nodes,
            candidates: vec![candidate],
            beliefs: Vec::new(),
            summary: format!("It was asked {:?}.", self.asked),
        })
    }
    fn said(&mut self, frame: &str) {
        self.mix("said");
        self.mix(frame);
        self.answers += 1;
        frame.clone_into(&mut self.said);
    }
    fn facts(&mut self) -> Vec<Fact> {
        std::mem::take(&mut self.facts)
    }
    fn view(&self) -> Value {
        json!(self.digest)
    }
    fn scene(&self) -> Option<Scene> {
        let state = json!({ "said": self.said });
        Some(Scene::of(
            self.answers,
            format!("said {}", self.said),
            &state,
        ))
    }
}

struct FakeTable {
    rounds: u64,
    turn: u64,
    called: bool,
    scores: [i64; 2],
}

impl Table for FakeTable {
    fn calls(&mut self, out: &mut Vec<Call>) {
        if !self.called && self.outcome().is_none() {
            self.called = true;
            let seat = Seat((self.turn % 2) as u8);
            let text = format!("turn {}", self.turn);
            out.push(Call::ask(seat, text, Duration::from_secs(1)));
        }
    }
    fn answer(&mut self, seat: Seat, reply: Reply<'_>) {
        if let Reply::Text(text) = reply {
            self.scores[seat.index()] += std::str::from_utf8(text).unwrap().parse::<i64>().unwrap();
        }
        self.turn += 1;
        self.called = false;
    }
    fn waits(&self, seat: Seat) -> bool {
        self.called && self.turn % 2 == u64::from(seat.0)
    }
    fn outcome(&self) -> Option<Outcome> {
        (self.turn == self.rounds * 2).then(|| Outcome {
            cause: Cause::Normal,
            scores: self.scores.into_iter().collect(),
        })
    }
    fn scene(&self) -> Option<Scene> {
        let [first, second] = self.scores;
        let state = json!({ "said": format!("{first}:{second}") });
        Some(Scene::of(
            self.turn as u32,
            format!("{first} to {second}"),
            &state,
        ))
    }
    fn setup(&self) -> Value {
        json!({ "rounds": self.rounds })
    }
}

/// The fact of `bluff BY BID`, with its columns.
pub(crate) fn bluff(what: &str) -> (Fact, Bluff) {
    let (by, bid) = what.split_once(' ').unwrap();
    let bid: i64 = bid.parse().unwrap();
    let fact = Fact::new("bluff", json!({ "by": by, "bid": bid }));
    (
        fact,
        Bluff {
            by: by.into(),
            bid,
            held: Some(0),
            caught: bid > 100,
        },
    )
}
