//! The game's door.

use super::atlas;
use super::bots;
use super::dialect::engine::REPLY_LINE_MAX;
use super::dialect::player as wire;
use super::facts::Record;
use super::generate::{Style, generate};
use super::map::Map;
use super::options::{self, Conduct};
use super::player::{GREET_WITHIN, Player, TURN_WITHIN, default_answer, unseen};
use super::referee::{Referee, RefereeSetup};
use super::rules::{Act, Ask, Event, Lighthouses, PLAYERS, Setup};
use crate::game::{Bot, Budget, Cause, Game as _, Outcome, Seat, Seats};
use crate::kit::{
    Bluff, BotCard, DialogueSetup, Heard, Kit, MapStyle, OptionCard, Pace, PlaySetup, Played,
    Route, Seating, SetupError, StdioWire, TableSetup, Wire, bot_seed,
};
use crate::wire::{Call, Dialogue, Fact, Reply, Table, WireError};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// What is thought about a turn: the rest of the wire's 100 ms is for the way.
const USUAL_BUDGET: Duration = Duration::from_millis(60);
/// Games without a clock are to be over in seconds.
const PLAY_BUDGET: Duration = Duration::from_millis(2);
/// How long each answer takes in transcripts of games without a clock.
const TICK: Duration = Duration::from_micros(1);

/// Lighthouses.
pub static KIT: LighthousesKit = LighthousesKit;

/// Lighthouses' [`Kit`].
pub struct LighthousesKit;

fn make_bot(name: &str, seed: u64) -> Result<Box<dyn Bot<Lighthouses>>, SetupError> {
    bots::make(name, seed).ok_or_else(|| {
        let names: Vec<&str> = bots::CARDS.iter().map(|card| card.name).collect();
        SetupError(format!(
            "lighthouses has no bot {name:?}; it has {}",
            names.join(", ")
        ))
    })
}

impl Kit for LighthousesKit {
    fn game(&self) -> &'static str {
        "lighthouses"
    }

    fn seats(&self) -> std::ops::RangeInclusive<usize> {
        PLAYERS
    }

    fn bots(&self) -> &'static [BotCard] {
        bots::CARDS
    }

    fn options(&self) -> &'static [OptionCard] {
        options::OPTIONS
    }

    fn answer_within(&self) -> Duration {
        TURN_WITHIN
    }

    fn open_within(&self) -> Duration {
        GREET_WITHIN
    }

    fn advised(&self) -> bool {
        false
    }

    fn usual_budget(&self) -> Duration {
        USUAL_BUDGET
    }

    fn play_budget(&self) -> Duration {
        PLAY_BUDGET
    }

    /// The wire has no numbers: whoever holds the pipe gives them. The message with the player's number
    /// begins a game.
    fn route(&self, frame: &[u8]) -> Result<Route, WireError> {
        let seating = wire::seating(frame).map(|(seat, seats)| Seating {
            seat,
            seats,
            within: TURN_WITHIN,
        });
        Ok(Route {
            market: 0,
            id: 0,
            begins: seating.is_some(),
            seating,
        })
    }

    fn dialogue(&self, setup: &DialogueSetup) -> Result<Box<dyn Dialogue>, SetupError> {
        let bot = make_bot(&setup.bot, setup.seed)?;
        let name = format!("drover-{}", setup.bot);
        Ok(Box::new(Player::new(bot, &name)))
    }

    fn table(&self, setup: &TableSetup) -> Result<Box<dyn Table>, SetupError> {
        let (position, conduct) = options::read(&setup.options, setup.seed, setup.ids.len())?;
        Ok(Box::new(Referee::new(RefereeSetup { position, conduct })))
    }

    fn reopen(&self, setup: &Value) -> Result<Box<dyn Table>, SetupError> {
        Ok(Box::new(Referee::reopen(setup)?))
    }

    fn play(&self, setup: &PlaySetup, pace: &dyn Pace) -> Result<Played, SetupError> {
        let (position, conduct) = options::read(&setup.options, setup.seed, setup.bots.len())?;
        let mut players = Vec::with_capacity(setup.bots.len());
        for (seat, name) in setup.bots.iter().enumerate() {
            players.push(make_bot(name, bot_seed(setup.seed, Seat(seat as u8)))?);
        }
        let mut acts = setup.record.then(Vec::new);
        let mut played = run(&position, players, pace, acts.as_mut());
        if let Some(acts) = acts {
            played.transcript = transcribed(position, conduct, &setup.bots, &acts);
        }
        Ok(played)
    }

    fn merge_model(&self, model: Option<&Value>, evidence: &Value) -> Value {
        let read = |value: &Value| serde_json::from_value::<Record>(value.clone());
        let before = model.map(read).and_then(Result::ok).unwrap_or_default();
        json!(before.plus(read(evidence).unwrap_or_default()))
    }

    fn show_model(&self, model: &Value) -> Value {
        serde_json::from_value::<Record>(model.clone()).map_or(Value::Null, |record| record.show())
    }

    fn bluff(&self, _: &Fact) -> Option<Bluff> {
        None
    }

    fn default_answer(&self, frame: &str) -> &'static str {
        default_answer(frame)
    }

    fn wire(&self) -> Wire {
        Wire::Stdio
    }

    fn stdio(&self) -> StdioWire {
        StdioWire {
            reply_line_max: REPLY_LINE_MAX,
            farewell: None,
            memory: None,
            time_option: None,
        }
    }

    fn maps(&self) -> &'static [(&'static str, &'static str)] {
        &atlas::MAPS
    }

    fn draw_map(&self, seed: u64, wanted: &MapStyle) -> Result<String, SetupError> {
        let usual = Style::default();
        let style = Style {
            width: wanted.width,
            height: wanted.height,
            lighthouses: wanted.lighthouses,
            players: wanted.players.unwrap_or(usual.players),
            symmetric: wanted.symmetric,
        };
        let map = generate(seed, &style).map_err(SetupError)?;
        Ok(map.to_string())
    }

    fn check_map(&self, text: &str) -> Result<(), SetupError> {
        let read = Map::read(text).map(drop);
        read.map_err(|why| SetupError(why.to_string()))
    }

    fn place(&self, word: &str) -> Option<u8> {
        word.parse().ok()
    }
}

/// Plays a game in process. All get ready before it begins.
fn run(
    setup: &Setup,
    mut bots: Vec<Box<dyn Bot<Lighthouses>>>,
    pace: &dyn Pace,
    mut acts: Option<&mut Vec<(Seat, Act)>>,
) -> Played {
    let mut game = Lighthouses::begin(setup);
    let players = bots.len();
    let mut refused: Seats<u32> = Seats::from_fn(players, |_| 0);
    let mut asks = 0;
    let stop = || pace.stop();
    let budget = || Budget {
        nodes: pace.nodes(),
        stop: &stop,
    };
    for (seat, bot) in (0..).map(Seat).zip(&mut bots) {
        bot.observe(&Event::Begins(Arc::clone(game.chart()), seat, players));
        let start = game.players().get(seat.index()).map(|own| own.position);
        let view = unseen(game.chart(), start.unwrap_or_default());
        pace.begin(seat);
        // Nothing is done yet.
        let _ = bot.decide(&view, &Ask::Prepare, budget());
        pace.end();
    }
    while let Some(seat) = game.turn() {
        let Some(bot) = bots.get_mut(seat.index()) else {
            break;
        };
        asks += 1;
        let view = game.told(seat);
        pace.begin(seat);
        let act = bot.decide(&view, &Ask::Turn, budget());
        pace.end();
        let done = game.play(act);
        refused[seat] += u32::from(done.is_err());
        bot.observe(&Event::Done(act, done));
        if let Some(acts) = &mut acts {
            acts.push((seat, act));
        }
    }
    let stalled = || Outcome {
        cause: Cause::Stalled,
        scores: game.scores(),
    };
    Played {
        outcome: game.outcome().unwrap_or_else(stalled),
        asks,
        refused,
        transcript: Vec::new(),
    }
}

/// The wire's text of a game that was played without one.
fn transcribed(
    position: Setup,
    conduct: Conduct,
    bots: &[String],
    acts: &[(Seat, Act)],
) -> Vec<Heard> {
    let mut referee = Referee::new(RefereeSetup { position, conduct });
    let chart = Arc::clone(referee.game().chart());
    let mut acts = acts.iter();
    let mut transcript = Vec::new();
    let mut calls = Vec::new();
    loop {
        referee.calls(&mut calls);
        if calls.is_empty() {
            return transcript;
        }
        for Call {
            seat,
            text,
            answer_within,
            ..
        } in calls.drain(..)
        {
            let greets = referee.name(seat).is_none();
            let reply = match answer_within {
                None => None,
                Some(_) if greets => {
                    let name = bots.get(seat.index()).map_or("", String::as_str);
                    Some(wire::greet(&format!("drover-{name}")))
                }
                Some(_) => match acts.next() {
                    Some((_, act)) => Some(wire::write(&chart, *act)),
                    None => return transcript,
                },
            };
            if let Some(reply) = &reply {
                referee.spent(seat, TICK);
                referee.answer(seat, Reply::Text(reply.as_bytes()));
            }
            transcript.push(Heard {
                seat,
                call: text,
                reply,
                took: None,
            });
        }
    }
}
