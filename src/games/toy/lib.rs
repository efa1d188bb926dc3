//! The toy game: each round one seat, or every seat, names a number, and the highest sum wins. It shows what a game
//! consists of: rules, bots, the two sides of a wire, and a [`Contest`] that joins them. A real game has a file or a
//! folder for each of these. Tests of the daemon play it; programs do not know it, as `games::ALL` does not list it.
//!
//! `extras` is what those tests need besides, and what a first version of a game can do without.

mod extras;

use self::extras::Bluffs;
pub use self::extras::INSTEAD;
use drover_game::card::{self, GameCard, Limits, OptionCard, Places, Scores, StdioWire, Wire};
use drover_game::contest::{Advice, Bout, Contest, Deal, Decision, Erased};
use drover_game::dialect::{Dialect, Route};
use drover_game::explain::explain;
use drover_game::kit::DialogueSetup;
use drover_game::ladder::digest;
use drover_game::reasons::{Reasons, Weighed};
use drover_game::wire::{Call, Dialogue, Ending, Fact, Frame, Next, Reply, Table, WireError};
use drover_game::{
    Bot, Budget, Cause, Explanation, Game, Illegal, Listener, Outcome, Progress, Scene, Seat,
    Seats, SetupError,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::Duration;

/// How long the referee waits for an answer; a player may take the longer time of the first one, as others may referee.
pub const WITHIN: Duration = Duration::from_millis(400);
/// The highest number that may be named.
const MOST: u32 = 1_000_000;

/// What an organiser may set; each field has a card in [`GameCard::options`].
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    rounds: Option<u64>,
    all: bool,
    failures_max: Option<u16>,
}

/// What a match starts from, its chance included.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Setup {
    market: u64,
    ids: Vec<u64>,
    first: u64,
    options: Options,
}

/// A position. An act is a number, a question its words, and a view a number too: the round, or at a bot's side of the
/// wire a digest of what its seat has received.
#[derive(Clone, Debug)]
pub struct Toy {
    setup: Setup,
    round: u64,
    points: Seats<i64>,
}

/// The rules, which know neither wire nor bots.
impl Game for Toy {
    type Setup = Setup;
    type Ask = String;
    type Act = u32;
    type View = u64;
    type Event = String;

    fn open(setup: &Setup, _: &mut impl Listener<String>) -> Self {
        Self {
            setup: setup.clone(),
            round: 0,
            points: Seats::from_fn(setup.ids.len(), |_| 0),
        }
    }
    fn to_move(&self) -> Seats<bool> {
        let (seats, over) = (self.points.len(), self.outcome().is_some());
        let turn = (self.setup.first + self.round) % seats as u64;
        let asked = |seat: Seat| self.setup.options.all || u64::from(seat.0) == turn;
        Seats::from_fn(seats, |seat| !over && asked(seat))
    }
    fn ask(&self, seat: Seat) -> Option<String> {
        self.to_move()[seat].then(|| format!("round={}", self.round))
    }
    fn view(&self, _: Seat) -> u64 {
        self.round
    }
    /// A sample, as there are too many.
    fn acts(&self, seat: Seat, out: &mut Vec<u32>) {
        out.extend([0, 1, MOST].into_iter().filter(|_| self.to_move()[seat]));
    }
    fn check(&self, _: Seat, act: &u32) -> Result<(), Illegal> {
        legal(*act)
    }
    fn step(&mut self, acts: &[(Seat, Option<u32>)], listener: &mut impl Listener<String>) {
        for (seat, act) in acts {
            match act.filter(|act| self.check(*seat, act).is_ok()) {
                Some(number) => self.points[*seat] += i64::from(number),
                None if act.is_some() => listener.refuse(*seat),
                None => {}
            }
        }
        self.round += 1;
    }
    fn outcome(&self) -> Option<Outcome> {
        (Some(self.round) == self.setup.options.rounds).then(|| Outcome {
            cause: Cause::Normal,
            scores: self.points.clone(),
        })
    }
}

fn legal(act: u32) -> Result<(), Illegal> {
    let why = || Illegal(format!("{act} is more than {MOST}"));
    (act <= MOST).then_some(()).ok_or_else(why)
}

/// A bot that always names one number, or else one by its seed, its advice, and all that it received and said.
#[derive(Clone)]
struct Namer(Option<u32>, u64);

impl Bot<Toy> for Namer {
    fn decide(&mut self, view: &u64, _: &String, _: Budget<'_>) -> u32 {
        let known = after(self.1, &view.to_string()) % u64::from(MOST);
        self.0.unwrap_or(1 + known as u32)
    }
    fn reasons(&mut self, view: &u64, ask: &String, budget: Budget<'_>) -> Reasons<u32> {
        let act = self.decide(view, ask, budget);
        let options = [0, act].map(|number| Weighed::new(number, Some(number.into()), None));
        Reasons {
            nodes: if (budget.stop)() { 0 } else { budget.nodes },
            options: options.into(),
            ..Reasons::from_act(act)
        }
    }
}

fn after(view: u64, text: &str) -> u64 {
    digest(&format!("{view} {text}"))
}

/// A bot's side of the wire. `?market=M&id=I&type=KIND&REST`, or `KIND REST` for short, is a message; `?n=NUMBER` is
/// the answer to one that asks.
struct Player {
    bot: Box<dyn Bot<Toy>>,
    name: String,
    view: u64,
    asked: Option<String>,
    facts: Vec<Fact>,
    turns: u64,
    last: Frame,
}

impl Player {
    fn observe(&mut self, event: String) {
        self.view = after(self.view, &event);
        self.bot.observe(&event);
    }
}

impl Dialogue for Player {
    fn receive(&mut self, frame: &[u8]) -> Result<Next, WireError> {
        let (kind, rest) = kind_and_rest(std::str::from_utf8(frame).unwrap_or_default());
        match kind {
            "begin" | "info" | "note" => self.observe(format!("{kind} {rest}")),
            "ask" => {
                self.view = after(self.view, &format!("ask {rest}"));
                self.asked = Some(rest.to_owned());
                let target = field(rest, "target").and_then(|ms| ms.parse().ok());
                return Ok(Next::Think {
                    limit: Toy::CARD.limits.open,
                    target: target.map(Duration::from_millis),
                    fallback: written(0),
                });
            }
            "end" => {
                let mut ending = Ending::new(Cause::Normal, "");
                ending.scores = rest.split(',').flat_map(str::parse).collect();
                return Ok(Next::Over(ending));
            }
            _ => return extras::received(kind, rest, &mut self.facts),
        }
        Ok(Next::Wait)
    }
    fn think(&mut self, budget: Budget<'_>, best: &mut Frame) -> Progress {
        let Some(ask) = &self.asked else {
            return Progress::Done;
        };
        if let Some(progress) = extras::instead(&self.name, ask, budget, best) {
            return progress;
        }
        let (act, progress) = self.bot.ponder(&self.view, ask, budget);
        *best = written(act);
        progress
    }
    fn explain(&self, budget: Budget<'_>) -> Option<Explanation> {
        let ask = self.asked.as_ref()?;
        let reasons = self.bot.clone().reasons(&self.view, ask, budget);
        let write = |act: &u32| Some(written(*act));
        Some(explain(reasons, write, written(0), Vec::new()))
    }
    fn named(&mut self, rival: &str, name: &str, model: Option<&Value>) {
        self.observe(format!("named {rival} {name} {model:?}"));
        let fact = Fact::new("who", json!({ "rival": rival, "name": name }));
        self.facts.push(fact);
    }
    fn said(&mut self, frame: &str) {
        if let Some(ask) = self.asked.take() {
            self.bot.answered(&self.view, &ask, read(frame).as_ref());
        }
        self.view = after(self.view, &format!("said {frame}"));
        self.turns += 1;
        frame.clone_into(&mut self.last);
    }
    fn facts(&mut self) -> Vec<Fact> {
        std::mem::take(&mut self.facts)
    }
    fn view(&self) -> Value {
        json!(self.view)
    }
    fn scene(&self) -> Option<Scene> {
        let title = format!("said {}", self.last);
        Some(extras::scene(self.turns, title, &self.last))
    }
}

/// The value of a field in `?a=1&b=2`.
#[must_use]
pub fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let pairs = text.trim_start_matches('?').split('&');
    let mut pairs = pairs.filter_map(|pair| pair.split_once('='));
    pairs.find_map(|(key, value)| (key == name).then_some(value))
}

fn number(text: &str, name: &'static str) -> Result<u64, WireError> {
    let number = field(text, name).and_then(|value| value.parse().ok());
    let above = number.filter(|number| *number > 0);
    above.ok_or_else(|| WireError::new(name, "a whole number above 0 is wanted"))
}

fn kind_and_rest(text: &str) -> (&str, &str) {
    match text.split_once("type=") {
        Some((_, text)) => text.split_once('&').unwrap_or((text, "")),
        None => text.split_once(' ').unwrap_or((text, "")),
    }
}

fn written(act: u32) -> Frame {
    format!("?n={act}")
}

fn read(answer: &str) -> Option<u32> {
    let answer = answer.trim();
    answer.strip_prefix("?n=").unwrap_or(answer).parse().ok()
}

/// The referee's side of the wire. Where more than two play, all are sent a note each round, and their points at the
/// end, each its own first.
struct Referee {
    game: Toy,
    waits: Seats<bool>,
    acts: Vec<(Seat, Option<u32>)>,
    ended: bool,
}

impl Referee {
    fn text(&self, seat: Seat, rest: &str) -> Frame {
        let Setup { market, ids, .. } = &self.game.setup;
        let id = ids.get(seat.index()).copied().unwrap_or_default();
        format!("?market={market}&id={id}&type={rest}")
    }
    fn points(&self, first: Seat, between: &str) -> String {
        let mut points = self.game.points.values().to_vec();
        points.rotate_left(first.index());
        let points: Vec<String> = points.iter().map(i64::to_string).collect();
        points.join(between)
    }
}

impl Table for Referee {
    fn calls(&mut self, out: &mut Vec<Call>) {
        if self.ended || self.waits.values().contains(&true) {
            return;
        }
        self.ended = self.game.outcome().is_some();
        self.waits = self.game.to_move();
        let round = self.game.round;
        for (seat, _) in self.waits.iter().filter(|_| self.waits.len() > 2) {
            let rest = match self.ended {
                true => format!("end&{}", self.points(seat, ",")),
                false => format!("note&round={round}"),
            };
            out.push(Call::send(seat, self.text(seat, &rest)));
        }
        for (seat, _) in self.waits.iter().filter(|(_, waits)| **waits) {
            let text = self.text(seat, &format!("ask&round={round}"));
            out.push(Call::ask(seat, text, WITHIN));
        }
    }
    fn answer(&mut self, seat: Seat, reply: Reply<'_>) {
        let Reply::Text(text) = reply else {
            return self.answer(seat, Reply::Text(b""));
        };
        if std::mem::take(&mut self.waits[seat]) {
            self.acts.push((seat, read(&String::from_utf8_lossy(text))));
            if !self.waits.values().contains(&true) {
                self.game.step(&std::mem::take(&mut self.acts), &mut ());
            }
        }
    }
    fn waits(&self, seat: Seat) -> bool {
        self.waits.get(seat) == Some(&true)
    }
    fn outcome(&self) -> Option<Outcome> {
        self.game.outcome().filter(|_| self.ended)
    }
    fn scene(&self) -> Option<Scene> {
        let [title, said] = [" to ", ":"].map(|between| self.points(Seat(0), between));
        Some(extras::scene(self.game.round, title, &said))
    }
    fn setup(&self) -> Value {
        json!(self.game.setup)
    }
}

/// The toy game.
pub static KIT: Erased<Toy> = Erased::NEW;

impl Contest for Toy {
    type Options = Options;
    type Refereed = Setup;
    type Known = ();

    const CARD: &'static GameCard = &GameCard {
        name: "toy",
        title: "toy",
        seats: 2..=4,
        bots: &[
            card::card(1, "filler", "Names 0.", 0x245B_1605_A922_BD8C),
            card::card(2, "quick", "Names 1.", 0x3A78_0BC4_2705_BAC8),
            card::thinker(3, "champion", "Names what it knows.", 0x84B4_AE40_2AC4_CB3E),
        ],
        options: &[
            OptionCard::new("rounds", "4", "How many <rounds> & more."),
            OptionCard::new("all", "false", "Everybody is asked each round."),
            OptionCard::new("failures_max", "10", "Failures that end a player."),
        ],
        limits: Limits {
            open: Duration::from_secs(5),
            ..Limits::new(WITHIN, Duration::from_millis(200))
        },
        wire: Wire::Callbacks,
        stdio: StdioWire::USUAL,
        dialect: &Queries,
        places: Places::Named(&["S", "W", "N", "E"]),
        repeats: false,
        advised: true,
        scores: Scores::POINTS,
        value_unit: "points",
        win_shares: Outcome::win_shares,
        duels: Outcome::duels,
        picture: extras::picture,
        narrow: None,
        news: |_, _| None,
        sentence: |_| None,
        turns_on: |_| false,
        routine: |_| false,
        kinds: &[],
        sighting: extras::sighting,
        curves: None,
        teams: None,
        history: Some(&extras::Shown),
        maps: None,
        models: Some(&Bluffs),
        reception: None,
        training: None,
    };
    const BOUT_NODES: u64 = 1;

    fn set_up(mut options: Options, deal: &Deal<'_>) -> Result<Setup, SetupError> {
        options.rounds.get_or_insert(4);
        options.failures_max.get_or_insert(10);
        Ok(Setup {
            market: deal.market,
            ids: deal.ids.to_vec(),
            first: deal.seed % deal.seats() as u64,
            options,
        })
    }
    fn position(setup: &Setup) -> &Setup {
        setup
    }
    fn referee(setup: Setup) -> Result<Box<dyn Table>, SetupError> {
        Ok(Box::new(Referee {
            game: Toy::start(&setup),
            waits: Seats::from_fn(setup.ids.len(), |_| false),
            acts: Vec::new(),
            ended: false,
        }))
    }
    fn player(bot: Box<dyn Bot<Self>>, opened: &DialogueSetup) -> Box<dyn Dialogue> {
        Box::new(Player {
            bot,
            name: opened.bot.clone(),
            view: 0,
            asked: None,
            facts: Vec::new(),
            turns: 0,
            last: String::new(),
        })
    }
    fn judge(_: &Decision<'_, Self>, act: &u32) -> Result<(), Illegal> {
        legal(*act)
    }
    fn bot(name: &str, seed: u64, advice: Advice<'_>) -> Option<Box<dyn Bot<Self>>> {
        let always = match name {
            "filler" => Some(0),
            "quick" => Some(1),
            "champion" => None,
            _ => return None,
        };
        let seed = after(seed, &format!("{advice:?}"));
        Some(Box::new(Namer(always, seed)))
    }
    fn bouts(name: &str) -> Option<Vec<Bout<'_, Self>>> {
        let ids = &[1, 2];
        let (seed, market) = (1, 1);
        let setup = Self::set_up(Options::default(), &Deal { seed, market, ids }).ok()?;
        Some(vec![Bout::new(setup, &[name, "quick"], 1, 0..1)])
    }
}

/// A query is a message, and another one answers it.
struct Queries;

impl Dialect for Queries {
    fn route(&self, frame: &[u8]) -> Result<Route, WireError> {
        let text = std::str::from_utf8(frame).unwrap_or_default();
        Ok(Route {
            market: number(text, "market")?,
            id: number(text, "id")?,
            begins: kind_and_rest(text).0 == "begin",
            seating: None,
        })
    }

    fn in_form(&self, _: &[u8], answer: &str) -> Result<(), Illegal> {
        read(answer)
            .map(drop)
            .ok_or_else(|| Illegal::new("?n=NUMBER is wanted"))
    }
    fn in_words(&self, _: &[u8], answer: &str) -> Option<String> {
        (!answer.is_empty()).then(|| format!("names {answer}"))
    }
    fn default_answer(&self, _: &str) -> &'static str {
        ""
    }
}

#[cfg(test)]
drover_laws::laws!(Toy, {"rounds": 12, "all": true}, also: [scenes_are_whole]);
