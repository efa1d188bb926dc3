//! A tiny game for the referee's tests. Each round every seat hears a note, then one seat (or, with
//! the option `all`, every seat) is asked for a number; a seat's score is the sum of its numbers.

use games::rng::Rng;
use games::{
    BotCard, Call, Cause, Dialogue, DialogueSetup, Exchange, Fact, Kit, Models, Next, OptionCard,
    Outcome, Pace, PlaySetup, Played, Progress, Reply, Route, Seat, Seats, SetupError, Table,
    TableSetup, WireError,
};
use serde_json::{Value, json};
use std::time::Duration;

pub static FAKE: Fake = Fake;
pub const WITHIN: Duration = Duration::from_millis(400);
const SEATS: usize = 4;

pub struct Fake;

const BOTS: [BotCard; 3] = [
    card("filler", 1, false),
    card("one", 2, false),
    card("two", 3, true),
];
const OPTIONS: [OptionCard; 3] = [
    OptionCard::new("rounds", "4", "How many <rounds> & more."),
    OptionCard::new("all", "false", "Everybody is asked each round."),
    OptionCard::new("failures_max", "10", "A23."),
];

const fn card(name: &'static str, rung: u8, thinks: bool) -> BotCard {
    BotCard {
        name,
        rung,
        version: 1,
        description: "",
        signature: 0,
        thinks,
    }
}

fn number(bot: &str) -> Result<i64, SetupError> {
    let number = (0..).zip(&BOTS).find(|(_, card)| card.name == bot);
    let number = number.map(|(number, _)| number);
    number.ok_or_else(|| SetupError(format!("no bot {bot}")))
}

impl Kit for Fake {
    fn game(&self) -> &'static str {
        "count"
    }
    fn seats(&self) -> std::ops::RangeInclusive<usize> {
        SEATS..=SEATS
    }
    fn bots(&self) -> &'static [BotCard] {
        &BOTS
    }
    fn options(&self) -> &'static [OptionCard] {
        &OPTIONS
    }
    fn value_unit(&self) -> &'static str {
        "points"
    }
    fn answer_within(&self) -> Duration {
        WITHIN
    }
    fn route(&self, _: &[u8]) -> Result<Route, WireError> {
        Ok(Route {
            market: 1,
            id: 1,
            begins: false,
            seating: None,
        })
    }
    fn dialogue(&self, setup: &DialogueSetup) -> Result<Box<dyn Dialogue>, SetupError> {
        Ok(Box::new(Talk(number(&setup.bot)?)))
    }
    fn table(&self, setup: &TableSetup) -> Result<Box<dyn Table>, SetupError> {
        let options = setup.options.as_object().cloned().unwrap_or_default();
        if let Some(unknown) = options
            .keys()
            .find(|key| !OPTIONS.iter().any(|card| card.name == **key))
        {
            return Err(SetupError(format!("no option {unknown}")));
        }
        let rounds = match options.get("rounds") {
            None => 4,
            Some(rounds) => rounds
                .as_u64()
                .ok_or(SetupError("rounds is no number".into()))?,
        };
        let full = json!({
            "seed": setup.seed, "market": setup.market, "ids": setup.ids, "options": options,
        });
        Ok(Box::new(Count {
            market: setup.market,
            ids: setup.ids.clone(),
            rounds,
            all: options
                .get("all")
                .and_then(Value::as_bool)
                .unwrap_or_default(),
            setup: full,
            round: 0,
            open: Seats::from_fn(SEATS, |_| false),
            scores: Seats::from_fn(SEATS, |_| 0),
            ended: false,
        }))
    }
    fn reopen(&self, setup: &Value) -> Result<Box<dyn Table>, SetupError> {
        let ids = setup["ids"].as_array().ok_or(SetupError("no ids".into()))?;
        self.table(&TableSetup {
            seed: setup["seed"].as_u64().unwrap_or_default(),
            options: setup["options"].clone(),
            market: setup["market"].as_u64().unwrap_or_default(),
            ids: ids.iter().filter_map(Value::as_u64).collect(),
        })
    }
    /// Everybody's number plus the luck of the deck's seat.
    fn play(&self, setup: &PlaySetup, pace: &dyn Pace) -> Result<Played, SetupError> {
        let lucky = Seat(Rng::new(setup.seed, 0).below(SEATS as u32) as u8);
        let mut scores = Seats::from_fn(SEATS, |_| 0);
        let mut transcript = Vec::new();
        for (place, bot) in setup.bots.iter().enumerate() {
            let seat = Seat(place as u8);
            pace.begin(seat);
            let mut nodes = 0;
            while bot == "two" && !pace.stop() && nodes < pace.nodes() {
                nodes += 1;
            }
            pace.end();
            scores[seat] = 10 * number(bot)? + i64::from(seat == lucky);
            if setup.record {
                let reply = Some(format!("?n={}", scores[seat]));
                transcript.push(Exchange {
                    seat,
                    call: "type=ask".into(),
                    reply,
                    took: None,
                });
            }
        }
        let outcome = Outcome {
            cause: Cause::Normal,
            scores,
        };
        Ok(Played {
            late: Vec::new(),
            outcome,
            asks: 4,
            refused: Seats::from_fn(SEATS, |_| 0),
            transcript,
        })
    }
    fn models(&self) -> Option<&'static dyn Models> {
        Some(&Fake)
    }
}

impl Models for Fake {
    fn merge(&self, _: Option<&Value>, evidence: &Value) -> Value {
        evidence.clone()
    }
    fn show(&self, model: &Value) -> Value {
        model.clone()
    }
}

struct Count {
    market: u64,
    ids: Vec<u64>,
    setup: Value,
    rounds: u64,
    all: bool,
    round: u64,
    open: Seats<bool>,
    scores: Seats<i64>,
    ended: bool,
}

impl Count {
    fn call(&self, seat: Seat, kind: &str, wanted: bool) -> Call {
        let (market, id, round) = (self.market, self.ids[seat.index()], self.round);
        let text = format!("?market={market}&id={id}&type={kind}&round={round}");
        if wanted {
            Call::ask(seat, text, WITHIN)
        } else {
            Call::tell(seat, text)
        }
    }
}

impl Table for Count {
    fn calls(&mut self, out: &mut Vec<Call>) {
        if self.ended || self.open.values().contains(&true) {
            return;
        }
        let seats = (0..SEATS as u8).map(Seat);
        if self.round == self.rounds {
            self.ended = true;
            out.extend(seats.map(|seat| self.call(seat, "end", false)));
            return;
        }
        out.extend(seats.clone().map(|seat| self.call(seat, "note", false)));
        for seat in seats.filter(|seat| self.all || u64::from(seat.0) == self.round % 4) {
            out.push(self.call(seat, "ask", true));
            self.open[seat] = true;
        }
        self.round += 1;
    }
    fn answer(&mut self, seat: Seat, reply: Reply<'_>) {
        if let Reply::Text(text) = reply {
            let text = String::from_utf8_lossy(text);
            let said = text
                .trim()
                .strip_prefix("?n=")
                .and_then(|n| n.parse::<i64>().ok());
            self.scores[seat] += said.unwrap_or_default();
        }
        self.open[seat] = false;
    }
    fn waits(&self, seat: Seat) -> bool {
        self.open[seat]
    }
    fn outcome(&self) -> Option<Outcome> {
        let outcome = Outcome {
            cause: Cause::Normal,
            scores: self.scores.clone(),
        };
        self.ended.then_some(outcome)
    }
    fn setup(&self) -> Value {
        self.setup.clone()
    }
}

struct Talk(i64);

impl Dialogue for Talk {
    fn receive(&mut self, frame: &[u8]) -> Result<Next, WireError> {
        let asked = String::from_utf8_lossy(frame).contains("type=ask");
        let think = Next::Think {
            limit: WITHIN,
            target: None,
            fallback: String::new(),
        };
        Ok(if asked { think } else { Next::Wait })
    }
    fn think(&mut self, _: games::Budget<'_>, best: &mut String) -> Progress {
        *best = format!("?n={}", self.0);
        Progress::Done
    }
    fn said(&mut self, _: &str) {}
    fn facts(&mut self) -> Vec<Fact> {
        Vec::new()
    }
    fn view(&self) -> Value {
        Value::Null
    }
}
