//! The game's door.

use super::atlas;
use super::bots;
use super::cartographer;
use super::dialect::{self, Message};
use super::generate::{Style, generate};
use super::known::KnownMaps;
use super::map::Map;
use super::options::{Key, Options};
use super::player::Player;
use super::reception::Hub;
use super::referee::{OnFault, Referee, RefereeSetup};
use super::rules::{Event, Orders, Players, Setup, SmartDog};
use crate::game::{Bot, Budget, Cause, Game, Outcome, Seat, Seats};
use crate::kit::{
    Bluff, BotCard, DialogueSetup, Exchange, Kit, MapSize, MapStyle, Maps, OptionCard, Pace,
    PlaySetup, Played, Route, Seating, SetupError, TableSetup, Wire, bot_seed,
};
use crate::wire::{Call, Dialogue, Fact, Reception, Reply, Table, WireError};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// The time for a turn unless a hub tells another, and the most that is taken.
const ANSWER_WITHIN: Duration = Duration::from_millis(300_000);
/// The number that matches without a wire carry in their transcripts.
const MARKET: u64 = 1;
/// Matches after which numbers of dogs come again.
const MATCHES_APART: u64 = 5_000_000;
/// Dogs of the largest match.
const DOGS_APART: u64 = 400;
/// The score of a player who has forfeited, as outcomes have it; only above it can one win.
const FORFEIT_HUNDREDTHS: i64 = -1_000;
/// The map that is drawn by the match's seed.
const DRAWN: &str = "drawn";
/// The name under which a player joins who was given none.
const USUAL_NAME: &str = "drover";

/// Smart-dog.
pub static KIT: SmartDogKit = SmartDogKit;

/// Smart-dog's [`Kit`].
pub struct SmartDogKit;

const OPTIONS: &[OptionCard] = &[
    OptionCard::new(
        "map",
        "null",
        "The tile that every player gets: the name of a map of ours, `drawn` for one drawn by the match's seed, or a map file's text; null: a map of ours by seed.",
    ),
    OptionCard::new(
        "on_fault",
        "\"forfeit\"",
        "When a player is gone or out of time: forfeit (he scores -10, the others play on) or abort (over for all, as at the official server).",
    ),
    OptionCard::new(
        "turnsLimit",
        "null",
        "Turns of the match; null: as the map says.",
    ),
    OptionCard::new(
        "dogVisibilityR",
        "null",
        "Radius in cells of a dog's sight; null: as the map says.",
    ),
    OptionCard::new(
        "dogBarkingR",
        "null",
        "Radius in cells of a bark; null: as the map says.",
    ),
    OptionCard::new(
        "sheepScaryTurns",
        "null",
        "Turns for which a frightened sheep runs; null: as the map says.",
    ),
    OptionCard::new(
        "dogScaryTurns",
        "null",
        "Turns for which an enemy's bark disables a dog; null: as the map says.",
    ),
    OptionCard::new(
        "sheepStandBy",
        "null",
        "Turns for which a calm sheep stands between two steps; null: as the map says.",
    ),
    OptionCard::new(
        "waitForTurn",
        "null",
        "Milliseconds that players have for a turn; null: as the map says.",
    ),
];

/// The match that options, seed and number of players describe.
fn read_options(
    options: &Value,
    seed: u64,
    players: usize,
) -> Result<(Setup, OnFault), SetupError> {
    let wrong = |why: String| SetupError(format!("smartdog options: {why}"));
    let players = u8::try_from(players)
        .map_err(|_| format!("{players} cannot play"))
        .and_then(Players::try_from)
        .map_err(wrong)?;
    let empty = serde_json::Map::new();
    let given = match options {
        Value::Null => &empty,
        Value::Object(given) => given,
        other => return Err(wrong(format!("an object is wanted, not {other}"))),
    };
    let mut map = named_map(given.get("map"), seed).map_err(wrong)?;
    let mut on_fault = OnFault::default();
    for (name, value) in given {
        match (name.as_str(), value) {
            ("map", _) | (_, Value::Null) => {}
            ("on_fault", value) => {
                on_fault = serde_json::from_value(value.clone())
                    .map_err(|why| wrong(format!("on_fault: {why}")))?;
            }
            (name, value) => {
                let key = Key::from_name(name).ok_or_else(|| wrong(unknown(name)))?;
                let number = value
                    .as_i64()
                    .ok_or_else(|| wrong(format!("{name} must be a whole number, not {value}")))?;
                map = map
                    .with(key, number)
                    .map_err(|why| wrong(why.to_string()))?;
            }
        }
    }
    let setup = Setup {
        map,
        players,
        options: Options::default(),
    };
    Ok((setup, on_fault))
}

fn unknown(name: &str) -> String {
    let names: Vec<&str> = OPTIONS.iter().map(|card| card.name).collect();
    format!(
        "there is no option {name:?}; the options are {}",
        names.join(", ")
    )
}

fn named_map(wanted: Option<&Value>, seed: u64) -> Result<Map, String> {
    match wanted {
        None | Some(Value::Null) => {
            let at = (seed % atlas::MAPS.len() as u64) as usize;
            let (_, text) = atlas::MAPS[at];
            Map::read(text).map_err(|why| why.to_string())
        }
        Some(Value::String(text)) if text.contains('\n') => {
            Map::read(text).map_err(|why| format!("map: {why}"))
        }
        Some(Value::String(name)) if name == DRAWN => Ok(generate(seed, &Style::default())),
        Some(Value::String(name)) => match atlas::find(name) {
            Some(map) => map.map_err(|why| why.to_string()),
            None => {
                let names: Vec<&str> = atlas::MAPS.iter().map(|(name, _)| *name).collect();
                Err(format!(
                    "there is no map {name:?}; there are {}, and {DRAWN}",
                    names.join(", ")
                ))
            }
        },
        Some(other) => Err(format!("map must be a text, not {other}")),
    }
}

fn make_bot(
    name: &str,
    seed: u64,
    known: &KnownMaps,
) -> Result<Box<dyn Bot<SmartDog>>, SetupError> {
    bots::make(name, seed, known).ok_or_else(|| {
        let names: Vec<&str> = bots::CARDS.iter().map(|card| card.name).collect();
        SetupError(format!(
            "smartdog has no bot {name:?}; it has {}",
            names.join(", ")
        ))
    })
}

/// Models are of maps.
impl crate::Models for SmartDogKit {
    fn merge(&self, model: Option<&Value>, evidence: &Value) -> Value {
        cartographer::merge(model, evidence)
    }

    fn show(&self, model: &Value) -> Value {
        model.clone()
    }
}

impl Kit for SmartDogKit {
    fn game(&self) -> &'static str {
        "smartdog"
    }

    fn seats(&self) -> std::ops::RangeInclusive<usize> {
        1..=Players::ALL.len()
    }

    fn bots(&self) -> &'static [BotCard] {
        bots::CARDS
    }

    fn options(&self) -> &'static [OptionCard] {
        OPTIONS
    }

    fn answer_within(&self) -> Duration {
        ANSWER_WITHIN
    }

    fn usual_budget(&self) -> Duration {
        Duration::from_millis(50)
    }

    /// The wire has no numbers: whoever holds the connection gives them.
    fn route(&self, frame: &[u8]) -> Result<Route, WireError> {
        let text = String::from_utf8_lossy(frame);
        let mut seating = None;
        for line in text.lines() {
            let read = dialect::read(line).map_err(|why| WireError {
                field: "start",
                why,
            })?;
            if let Message::Start(start) = read {
                let within = start.told.options.get(Key::WaitForTurn);
                seating = Some(Seating {
                    seat: start.told.seat,
                    seats: u8::from(start.told.players),
                    within: Duration::from_millis(u64::from(within)),
                });
            }
        }
        Ok(Route {
            market: 0,
            id: 0,
            begins: seating.is_some(),
            seating,
        })
    }

    fn dialogue(&self, setup: &DialogueSetup) -> Result<Box<dyn Dialogue>, SetupError> {
        let known = if setup.models {
            KnownMaps::of_models(&setup.types)
        } else {
            KnownMaps::none()
        };
        let bot = make_bot(&setup.bot, setup.seed, &known)?;
        let word = |key: &str| setup.opening.get(key).and_then(Value::as_str);
        let name = word("name").unwrap_or(USUAL_NAME);
        let hub = word("hub").unwrap_or_default();
        Ok(Box::new(Player::new(bot, name, hub)))
    }

    fn table(&self, setup: &TableSetup) -> Result<Box<dyn Table>, SetupError> {
        let (position, on_fault) = read_options(&setup.options, setup.seed, setup.ids.len())?;
        Ok(Box::new(Referee::new(RefereeSetup {
            position,
            on_fault,
            first_dog: first_dog(setup.market),
        })))
    }

    fn reopen(&self, setup: &Value) -> Result<Box<dyn Table>, SetupError> {
        Ok(Box::new(Referee::reopen(setup)?))
    }

    fn play(&self, setup: &PlaySetup, pace: &dyn Pace) -> Result<Played, SetupError> {
        let (position, _) = read_options(&setup.options, setup.seed, setup.bots.len())?;
        let known = if setup.models {
            KnownMaps::of_atlas()
        } else {
            KnownMaps::none()
        };
        let mut players = Vec::with_capacity(setup.bots.len());
        for (seat, name) in setup.bots.iter().enumerate() {
            let seed = bot_seed(setup.seed, Seat(seat as u8));
            players.push(make_bot(name, seed, &known)?);
        }
        Ok(run(&position, players, setup.record, pace))
    }

    fn models(&self) -> Option<&'static dyn crate::Models> {
        Some(&SmartDogKit)
    }

    fn bluff(&self, _: &Fact) -> Option<Bluff> {
        None
    }

    fn default_answer(&self, frame: &str) -> &'static str {
        let asks = frame.lines().any(|line| line.trim() == dialect::TURN);
        if asks { dialect::END } else { "" }
    }

    fn completes(&self, line: &[u8]) -> bool {
        dialect::completes(&String::from_utf8_lossy(line))
    }

    /// The official winner takes all: the first seat among equal best scores, nobody without more than
    /// -10 points.
    fn win_shares(&self, outcome: &Outcome) -> Seats<f64> {
        let mut best = (None, FORFEIT_HUNDREDTHS);
        for (seat, score) in outcome.scores.iter() {
            if *score > best.1 {
                best = (Some(seat), *score);
            }
        }
        let share = |(seat, _): (Seat, &i64)| f64::from(u8::from(best.0 == Some(seat)));
        outcome.scores.iter().map(share).collect()
    }

    fn wire(&self) -> Wire {
        Wire::Hub
    }

    fn maps(&self) -> Option<&'static dyn Maps> {
        Some(&Tiles)
    }

    fn reception(&self) -> Option<&'static dyn Reception> {
        Some(&Hub)
    }

    /// Players by their numbers on the wire.
    fn place(&self, _: &str) -> Option<u8> {
        None
    }
}

/// The game's maps: one player's tile each.
struct Tiles;

impl Maps for Tiles {
    fn sizes(&self) -> &'static [MapSize] {
        &[]
    }

    fn shipped(&self) -> &'static [(&'static str, &'static str)] {
        &atlas::MAPS
    }

    fn draw(&self, seed: u64, wanted: &MapStyle) -> Result<String, SetupError> {
        if wanted
            .size("lighthouses")
            .or(wanted.size("players"))
            .is_some()
        {
            let why = "a smartdog map is one player's tile: it has no lighthouses or players";
            return Err(SetupError(why.to_owned()));
        }
        if wanted.size("width").or(wanted.size("height")).is_some() {
            let why = "the size of a smartdog map is drawn by its seed";
            return Err(SetupError(why.to_owned()));
        }
        let style = Style {
            symmetric: wanted.symmetric,
            ..Style::default()
        };
        Ok(generate(seed, &style).to_string())
    }

    fn check(&self, text: &str) -> Result<(), SetupError> {
        let read = Map::read(text).map(drop);
        read.map_err(|why| SetupError(why.to_string()))
    }
}

/// Plays a match. All decide on what they see at the turn's beginning; their orders arrive seat after
/// seat, another one first every turn.
fn run(
    setup: &Setup,
    mut bots: Vec<Box<dyn Bot<SmartDog>>>,
    record: bool,
    pace: &dyn Pace,
) -> Played {
    let mut game = SmartDog::begin(setup);
    let seats = bots.len();
    let mut refused: Seats<u32> = Seats::from_fn(seats, |_| 0);
    let mut arrived = Vec::new();
    let mut asks = 0;
    let stop = || pace.stop();
    while !game.is_over() {
        let mut turn: Vec<Orders> = Vec::with_capacity(seats);
        for (at, bot) in bots.iter_mut().enumerate() {
            let seat = Seat(at as u8);
            let view = Arc::new(game.seen_by(seat));
            bot.observe(&Event::Turn(Arc::clone(&view)));
            let Some(ask) = game.ask(seat) else { continue };
            asks += 1;
            pace.begin(seat);
            let budget = Budget {
                nodes: pace.nodes(),
                stop: &stop,
            };
            let orders = bot.decide(&view, &ask, budget);
            pace.end();
            if !orders.is_empty() && game.check(seat, &orders).is_err() {
                refused[seat] += 1;
            }
            bot.observe(&Event::Ordered(orders.clone()));
            turn.push(orders);
        }
        let first = game.turn() as usize % seats.max(1);
        for at in (0..seats).map(|place| (first + place) % seats) {
            let (seat, Some(orders)) = (Seat(at as u8), turn.get_mut(at)) else {
                continue;
            };
            for command in &*orders {
                if let (Err(why), Some(bot)) = (game.play(seat, *command), bots.get_mut(at)) {
                    let command = *command;
                    bot.observe(&Event::Refused { command, why });
                }
            }
            if record {
                arrived.push((seat, std::mem::take(orders)));
            }
        }
        for at in 0..seats {
            // Nobody has ended this turn before.
            let _ = game.end(Seat(at as u8));
        }
    }
    let winner = game.winner();
    for bot in &mut bots {
        bot.observe(&Event::Over { winner });
    }
    Played {
        outcome: game.outcome().unwrap_or_else(|| Outcome {
            cause: Cause::Stalled,
            scores: game.hundredths(),
        }),
        asks,
        refused,
        transcript: if record {
            transcribed(setup, &arrived)
        } else {
            Vec::new()
        },
    }
}

/// The wire's text of a match that was played without one: the referee hears the orders as they arrived.
fn transcribed(setup: &Setup, arrived: &[(Seat, Orders)]) -> Vec<Exchange> {
    let first_dog = first_dog(MARKET);
    let mut referee = Referee::new(RefereeSetup {
        position: setup.clone(),
        on_fault: OnFault::default(),
        first_dog,
    });
    let mut transcript = Vec::new();
    let mut asked: Seats<Option<String>> = Seats::from_fn(setup.players.count(), |_| None);
    let mut calls = Vec::new();
    let mut hear =
        |referee: &mut Referee, asked: &mut Seats<Option<String>>, all: &mut Vec<Exchange>| {
            referee.calls(&mut calls);
            for Call {
                seat,
                text,
                answer_within,
                ..
            } in calls.drain(..)
            {
                if answer_within.is_some() {
                    asked[seat] = Some(text);
                } else {
                    let (call, reply) = (text, None);
                    all.push(Exchange {
                        seat,
                        call,
                        reply,
                        took: None,
                    });
                }
            }
        };
    hear(&mut referee, &mut asked, &mut transcript);
    for (seat, orders) in arrived {
        let said = dialect::orders(orders, |dog| Some(first_dog + u64::from(dog.0)));
        transcript.push(Exchange {
            seat: *seat,
            call: asked[*seat].take().unwrap_or_default(),
            reply: Some(said.clone()),
            took: None,
        });
        referee.answer(*seat, Reply::Text(said.as_bytes()));
        hear(&mut referee, &mut asked, &mut transcript);
    }
    transcript
}

/// The number of a match's first dog: no two matches near each other share one, and all fit 32 bits.
const fn first_dog(market: u64) -> u64 {
    1 + market % MATCHES_APART * DOGS_APART
}
