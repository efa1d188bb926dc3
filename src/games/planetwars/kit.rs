//! The game's door.

use super::bots;
use super::dialect::judge::REPLY_LINE_MAX;
use super::dialect::player as wire;
use super::facts::Record;
use super::generate::{Look, Style, generate};
use super::map;
use super::options::{self, Conduct};
use super::player::{Player, START_WITHIN, TURN_WITHIN, default_answer};
use super::referee::{Referee, RefereeSetup};
use super::rules::{Act, Ask, NEUTRAL, PLAYERS, PlanetWars, PlayerId, Setup};
use crate::game::{Bot, Budget, Cause, Game as _, Outcome, Seat, Seats};
use crate::kit::{
    Bluff, BotCard, DialogueSetup, Heard, Kit, MapStyle, OptionCard, Pace, PlaySetup, Played,
    Route, Seating, SetupError, StdioWire, TableSetup, TeamFact, Wire, bot_seed,
};
use crate::wire::{Call, Dialogue, Fact, Reply, Table, WireError};
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;

/// What is thought about a turn at most; the champion stops by nodes long before.
const USUAL_BUDGET: Duration = Duration::from_millis(300);

/// Planet Wars in teams.
pub static KIT: PlanetWarsKit = PlanetWarsKit;

/// Planet Wars' [`Kit`].
pub struct PlanetWarsKit;

fn make_bot(name: &str, seed: u64) -> Result<Box<dyn Bot<PlanetWars>>, SetupError> {
    bots::make(name, seed).ok_or_else(|| {
        let names: Vec<&str> = bots::CARDS.iter().map(|card| card.name).collect();
        SetupError(format!(
            "planetwars has no bot {name:?}; it has {}",
            names.join(", ")
        ))
    })
}

impl Kit for PlanetWarsKit {
    fn game(&self) -> &'static str {
        "planetwars"
    }

    fn seats(&self) -> std::ops::RangeInclusive<usize> {
        PLAYERS
    }

    fn line_up(&self, options: &Value, entrants: usize) -> Result<Vec<usize>, SetupError> {
        options::line_up(options, entrants)
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
        START_WITHIN
    }

    fn advised(&self) -> bool {
        false
    }

    fn usual_budget(&self) -> Duration {
        USUAL_BUDGET
    }

    /// The wire has no numbers, and every state looks alike: whoever holds the pipe tells games apart, one
    /// program playing one game.
    fn route(&self, frame: &[u8]) -> Result<Route, WireError> {
        let state = wire::read(frame)?;
        let mut players: Vec<PlayerId> = state.planets.iter().map(|planet| planet.owner).collect();
        players.sort_unstable();
        players.dedup();
        players.retain(|player| *player != NEUTRAL);
        let seat = players.iter().position(|player| *player == state.you);
        let seating = seat.map(|seat| Seating {
            seat: Seat(seat as u8),
            seats: players.len() as u8,
            within: TURN_WITHIN,
        });
        Ok(Route {
            market: 0,
            id: 0,
            begins: false,
            seating,
        })
    }

    fn dialogue(&self, setup: &DialogueSetup) -> Result<Box<dyn Dialogue>, SetupError> {
        let bot = make_bot(&setup.bot, setup.seed)?;
        Ok(Box::new(Player::new(bot)))
    }

    fn table(&self, setup: &TableSetup) -> Result<Box<dyn Table>, SetupError> {
        let (position, conduct) = options::read(&setup.options, setup.seed, setup.ids.len())?;
        let referee = Referee::new(RefereeSetup { position, conduct }).map_err(SetupError)?;
        Ok(Box::new(referee))
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
        let mut rounds = setup.record.then(Vec::new);
        let mut played = run(&position, players, pace, rounds.as_mut());
        if let Some(rounds) = rounds {
            played.transcript = transcribed(position, conduct, &rounds)?;
        }
        Ok(played)
    }

    fn team_fact(&self) -> Option<TeamFact> {
        Some(TeamFact {
            kind: "team",
            table: "digest",
            player: "player",
            allies: "allies",
        })
    }

    fn teams(&self, setup: &str) -> Option<Vec<u8>> {
        #[derive(Deserialize)]
        struct Told {
            position: Position,
        }
        #[derive(Deserialize)]
        struct Position {
            teams: Vec<u8>,
        }
        let told: Told = serde_json::from_str(setup).ok()?;
        Some(told.position.teams)
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

    fn completes(&self, line: &[u8]) -> bool {
        wire::completes(line)
    }

    fn wire(&self) -> Wire {
        Wire::Stdio
    }

    fn stdio(&self) -> StdioWire {
        StdioWire {
            reply_line_max: REPLY_LINE_MAX,
            farewell: None,
            memory: None,
            time_option: Some("turn_ms"),
        }
    }

    fn draw_map(&self, seed: u64, wanted: &MapStyle) -> Result<String, SetupError> {
        let style = Style {
            look: if wanted.symmetric {
                Look::Google
            } else {
                Look::Contest
            },
            players: wanted.players.unwrap_or(2),
            planets: wanted.planets,
            side: wanted.width,
        };
        let planets = generate(seed, &style).map_err(SetupError)?;
        Ok(map::text(&planets))
    }

    fn check_map(&self, text: &str) -> Result<(), SetupError> {
        let read = map::read(text).map(drop);
        read.map_err(|why| SetupError(why.to_string()))
    }

    fn place(&self, word: &str) -> Option<u8> {
        word.parse().ok()
    }
}

/// Everybody's orders of one round.
type Round = Vec<(Seat, Option<Act>)>;

/// Plays a game in process. Who breaks the rules is dropped as the rules say.
fn run(
    setup: &Setup,
    mut bots: Vec<Box<dyn Bot<PlanetWars>>>,
    pace: &dyn Pace,
    mut rounds: Option<&mut Vec<Round>>,
) -> Played {
    let mut game = PlanetWars::start(setup);
    let mut refused: Seats<u32> = Seats::from_fn(bots.len(), |_| 0);
    let mut asks = 0;
    let stop = || pace.stop();
    while game.outcome().is_none() {
        let mut acts = Round::with_capacity(bots.len());
        for (seat, bot) in (0..).map(Seat).zip(&mut bots) {
            if game.ask(seat).is_none() {
                continue;
            }
            asks += 1;
            let budget = Budget {
                nodes: pace.nodes(),
                stop: &stop,
            };
            pace.begin(seat);
            let act = bot.decide(&game.view(seat), &Ask, budget);
            pace.end();
            acts.push((seat, Some(act)));
        }
        for (seat, _) in game.answered(&acts) {
            refused[seat] += 1;
        }
        if let Some(rounds) = &mut rounds {
            rounds.push(acts);
        }
    }
    let stalled = || Outcome {
        cause: Cause::Stalled,
        scores: Seats::from_fn(bots.len(), |_| 0),
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
    rounds: &[Round],
) -> Result<Vec<Heard>, SetupError> {
    let mut referee = Referee::new(RefereeSetup { position, conduct }).map_err(SetupError)?;
    let mut transcript = Vec::new();
    let mut calls = Vec::new();
    for round in rounds {
        referee.calls(&mut calls);
        for Call { seat, text, .. } in calls.drain(..) {
            let act = round.iter().find(|(asked, _)| *asked == seat);
            let act = act.and_then(|(_, act)| act.as_ref());
            let reply = act.map(wire::write);
            if let Some(reply) = &reply {
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
    Ok(transcript)
}
