//! A tiny game for the store's tests, and ways to fill a store with it.
//!
//! Messages: `ask` wants a decision, `say X` wants exactly `X`, `bluff BY BID` yields a fact,
//! `end 3,1` ends. The table calls each seat in turn, `rounds` times; each seat scores its answers' numbers.

use crate::store::{
    Append, Close, Direction, Durability, EntryId, NewEntry, NewMatch, NewSeat, NewSession,
    Receipt, SessionId, Settings, Side, Store,
};
use games::{
    Bluff, BotCard, Budget, Call, Cause, Dialogue, DialogueSetup, Ending, Fact, Frame, Kit, Lesson,
    Models, Next, OptionCard, Outcome, Pace, PlaySetup, Played, Progress, Reply, Route, Seat,
    SetupError, Table, TableSetup, WireError,
};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

pub(crate) struct FakeKit;

pub(crate) fn kit(game: &str) -> Option<&'static dyn Kit> {
    (game == "fake").then_some(&FakeKit as &dyn Kit)
}

impl Kit for FakeKit {
    fn game(&self) -> &'static str {
        "fake"
    }
    fn seats(&self) -> std::ops::RangeInclusive<usize> {
        2..=4
    }
    fn bots(&self) -> &'static [BotCard] {
        &[]
    }
    fn options(&self) -> &'static [OptionCard] {
        &[]
    }
    fn answer_within(&self) -> Duration {
        Duration::from_secs(1)
    }
    fn route(&self, _: &[u8]) -> Result<Route, WireError> {
        Ok(Route {
            market: 0,
            id: 0,
            begins: false,
            seating: None,
        })
    }
    fn dialogue(&self, _: &DialogueSetup) -> Result<Box<dyn Dialogue>, SetupError> {
        Ok(Box::new(FakeDialogue::default()))
    }
    fn table(&self, _: &TableSetup) -> Result<Box<dyn Table>, SetupError> {
        self.reopen(&json!({ "rounds": 1 }))
    }
    fn reopen(&self, setup: &Value) -> Result<Box<dyn Table>, SetupError> {
        let rounds = setup["rounds"]
            .as_u64()
            .ok_or_else(|| SetupError("no rounds".into()))?;
        Ok(Box::new(FakeTable {
            rounds,
            turn: 0,
            called: false,
            scores: [0, 0],
        }))
    }
    fn play(&self, _: &PlaySetup, _: &dyn Pace) -> Result<Played, SetupError> {
        Err(SetupError("it is not played".into()))
    }
    fn models(&self) -> Option<&'static dyn Models> {
        Some(&FakeKit)
    }
    fn place(&self, word: &str) -> Option<u8> {
        let at = ["S", "W", "N", "E"].iter().position(|at| *at == word);
        at.map(|at| at as u8)
    }
}

impl Models for FakeKit {
    fn merge(&self, model: Option<&Value>, evidence: &Value) -> Value {
        let count = |value: &Value| value["bluffs"].as_i64().unwrap_or(0);
        json!({ "bluffs": model.map_or(0, count) + count(evidence) })
    }
    fn show(&self, model: &Value) -> Value {
        json!({ "bluff_rate": { "value": 0.5, "evidence": model["bluffs"], "low": 0.1, "high": 0.9 } })
    }
}

#[derive(Default)]
struct FakeDialogue {
    facts: Vec<Fact>,
}

impl Dialogue for FakeDialogue {
    fn receive(&mut self, frame: &[u8]) -> Result<Next, WireError> {
        let text = std::str::from_utf8(frame).unwrap();
        match text.split_once(' ').unwrap_or((text, "")) {
            ("ask", _) => Ok(Next::Think {
                limit: Duration::from_secs(1),
                target: None,
                fallback: "0".into(),
            }),
            ("say", what) => Ok(Next::Send(what.into())),
            ("bluff", what) => {
                self.facts.push(bluff(what).0);
                Ok(Next::Wait)
            }
            ("end", scores) => Ok(Next::Over(Ending {
                scores: scores
                    .split(',')
                    .map(|score| score.parse().unwrap())
                    .collect(),
                ..Ending::of(Cause::Normal, "")
            })),
            _ => Err(WireError {
                field: "word",
                why: format!("{text} is none"),
            }),
        }
    }
    fn think(&mut self, _: Budget<'_>, _: &mut Frame) -> Progress {
        Progress::Done
    }
    fn said(&mut self, _: &str) {}
    fn facts(&mut self) -> Vec<Fact> {
        std::mem::take(&mut self.facts)
    }
    fn view(&self) -> Value {
        Value::Null
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

pub(crate) fn settings(folder: &Path) -> Settings {
    Settings {
        kit,
        ..Settings::at(folder.join("data/drover.db"))
    }
}

pub(crate) async fn open(folder: &Path) -> Store {
    Store::open(&settings(folder)).await.unwrap()
}

/// A store in a folder of its own.
pub(crate) async fn opened() -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    (folder, store)
}

/// The same with a session of match 1 that was asked once.
pub(crate) async fn asked() -> (TempDir, Store, Pen) {
    let (folder, store) = opened().await;
    let mut pen = Pen::player(&store, 1);
    pen.write(&store, vec![heard("ask")]).await;
    (folder, store, pen)
}

/// A match's row: four seats, the first ours. Ids rise with `number`.
pub(crate) fn new_match(number: u64, ours: bool) -> NewMatch {
    let seat = |seat| NewSeat {
        seat,
        spec: String::new(),
        name: None,
    };
    NewMatch {
        id: match_id(number),
        game: "fake".into(),
        referee: "contest".into(),
        market: number,
        ours,
        started_us: 1_000_000 * number as i64,
        setup: if ours {
            json!({ "rounds": 2 })
        } else {
            Value::Null
        },
        seats: (0..if ours { 2 } else { 4 }).map(seat).collect(),
    }
}

pub(crate) fn match_id(number: u64) -> String {
    format!("01AAAAAAAAAAAAAAAA{number:08}")
}

pub(crate) fn new_session(number: u64, side: Side, seat: u8) -> NewSession {
    NewSession {
        match_id: match_id(number),
        side,
        game: "fake".into(),
        bot: "champion".into(),
        referee: "contest".into(),
        market: number,
        player: 3,
        seat: Some(seat),
        seed: u64::MAX,
        setup: json!({ "models": true }),
        durability: Durability::Power,
    }
}

pub(crate) fn heard(text: &str) -> NewEntry {
    NewEntry {
        at_us: 5,
        direction: Direction::In,
        text: text.into(),
    }
}

pub(crate) fn said(text: &str) -> NewEntry {
    NewEntry {
        at_us: 6,
        direction: Direction::Out,
        text: text.into(),
    }
}

/// One session being written.
pub(crate) struct Pen {
    pub(crate) id: SessionId,
    pub(crate) previous: Option<EntryId>,
    pub(crate) seq: u64,
    open: Option<Box<NewSession>>,
    match_: Option<Box<NewMatch>>,
}

impl Pen {
    pub(crate) fn new(store: &Store, match_: Option<NewMatch>, session: NewSession) -> Self {
        let (open, match_) = (Some(Box::new(session)), match_.map(Box::new));
        Self {
            id: store.next_session(),
            previous: None,
            seq: 0,
            open,
            match_,
        }
    }

    /// A player's session on seat 0 of a match with a foreign referee.
    pub(crate) fn player(store: &Store, number: u64) -> Self {
        Self::new(
            store,
            Some(new_match(number, false)),
            new_session(number, Side::Player, 0),
        )
    }

    pub(crate) fn append(&mut self, entries: Vec<NewEntry>) -> Append {
        let (session, previous, seq) = (self.id, self.previous, self.seq);
        let (open, match_) = (self.open.take(), self.match_.take());
        Append {
            session,
            previous,
            seq,
            open,
            match_,
            entries,
            facts: Vec::new(),
            close: None,
        }
    }

    pub(crate) async fn send(&mut self, store: &Store, append: Append) -> Receipt {
        let count = append.entries.len() as u64;
        let receipt = store.append(append).await.unwrap();
        self.previous = receipt.last;
        self.seq += count;
        receipt
    }

    pub(crate) async fn write(&mut self, store: &Store, entries: Vec<NewEntry>) -> Receipt {
        let append = self.append(entries);
        self.send(store, append).await
    }

    /// Receives a bluff by `what`, with its fact.
    pub(crate) async fn bluff(&mut self, store: &Store, what: &str) {
        let mut append = self.append(vec![heard(&format!("bluff {what}"))]);
        let (fact, columns) = bluff(what);
        append.facts.push((fact, Some(columns)));
        self.send(store, append).await;
    }

    /// Receives the end, with a lesson about W.
    pub(crate) async fn end(&mut self, store: &Store, scores: Vec<i64>, bluffs: i64) {
        let text: Vec<String> = scores.iter().map(i64::to_string).collect();
        let mut append = self.append(vec![heard(&format!("end {}", text.join(",")))]);
        append.close = Some(Box::new(Close {
            at_us: 9,
            cause: Cause::Normal,
            detail: String::new(),
            wins: Vec::new(),
            scores,
            lessons: vec![Lesson {
                rival: "W".into(),
                kind: Some(("bluffer".into(), 0.9)),
                evidence: json!({ "bluffs": bluffs }),
            }],
        }));
        self.send(store, append).await;
    }
}
