//! The game's door.

use super::bots;
use super::clock;
use super::dialect::{self, Command, REPLY_LINE_MAX};
use super::facts::Record;
use super::options;
use super::player::{Player, default_reply};
use super::referee::{Referee, RefereeSetup};
use super::rules::{Act, Event, PLAYERS, Planowanie, Setup};
use crate::game::{Bot, Budget, Cause, Duel, Game as _, Outcome, Seat, Seats};
use crate::kit::{
    Bluff, BotCard, DialogueSetup, Exchange, Kit, OptionCard, Pace, PlaySetup, Played, Route,
    SetupError, StdioWire, TableSetup, Training, Wire, bot_seed,
};
use crate::wire::{Call, Dialogue, Fact, Reply, Table, WireError};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// The longest time for a game in the contest, which bounds a single answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(15 * 60);
/// A decision's share of the clock binds long before.
const USUAL_BUDGET: Duration = Duration::from_secs(60);
/// Games without a clock are to be over in seconds.
const PLAY_BUDGET: Duration = Duration::from_millis(100);
/// How long each answer takes in transcripts of games without a clock: entries stand one microsecond
/// apart.
const TICK: Duration = Duration::from_micros(1);

/// Planowanie.
pub static KIT: PlanowanieKit = PlanowanieKit;

/// Planowanie's [`Kit`].
pub struct PlanowanieKit;

fn make_bot(name: &str, seed: u64) -> Result<Box<dyn Bot<Planowanie>>, SetupError> {
    bots::make(name, seed).ok_or_else(|| {
        let names: Vec<&str> = bots::CARDS.iter().map(|card| card.name).collect();
        SetupError(format!(
            "planowanie has no bot {name:?}; it has {}",
            names.join(", ")
        ))
    })
}

impl crate::Models for PlanowanieKit {
    fn merge(&self, model: Option<&Value>, evidence: &Value) -> Value {
        let read = |value: &Value| serde_json::from_value::<Record>(value.clone());
        let before = model.map(read).and_then(Result::ok).unwrap_or_default();
        json!(before.plus(read(evidence).unwrap_or_default()))
    }

    fn show(&self, model: &Value) -> Value {
        serde_json::from_value::<Record>(model.clone()).map_or(Value::Null, |record| record.show())
    }
}

impl crate::Train for PlanowanieKit {
    fn train(&self, training: &Training, done: &mut dyn FnMut(u64)) -> String {
        bots::train(training, done)
    }
}

impl Kit for PlanowanieKit {
    fn game(&self) -> &'static str {
        "planowanie"
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
        ANSWER_WITHIN
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

    /// The wire has no numbers: whoever holds the pipe gives them. A deck begins a game.
    fn route(&self, frame: &[u8]) -> Result<Route, WireError> {
        let begins = matches!(dialect::read(frame).command, Ok(Command::SetDeck(_)));
        Ok(Route {
            market: 0,
            id: 0,
            begins,
            seating: None,
        })
    }

    fn dialogue(&self, setup: &DialogueSetup) -> Result<Box<dyn Dialogue>, SetupError> {
        Ok(Box::new(Player::new(make_bot(&setup.bot, setup.seed)?)))
    }

    fn table(&self, setup: &TableSetup) -> Result<Box<dyn Table>, SetupError> {
        let (position, conduct) = options::read(&setup.options, setup.seed, setup.ids.len())?;
        let position = Setup::clone(&position);
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
        let time = Duration::from_millis(conduct.time_ms);
        let mut played = run(&position, players, time, pace);
        if setup.record {
            let position = Setup::clone(&position);
            let setup = RefereeSetup { position, conduct };
            played.played.transcript = transcribed(setup, &played.acts);
        }
        Ok(played.played)
    }

    fn models(&self) -> Option<&'static dyn crate::Models> {
        Some(&PlanowanieKit)
    }

    fn training(&self) -> Option<&'static dyn crate::Train> {
        Some(&PlanowanieKit)
    }

    fn bluff(&self, _: &Fact) -> Option<Bluff> {
        None
    }

    fn default_answer(&self, frame: &str) -> &'static str {
        default_reply(frame)
    }

    /// Whoever's fault ended the game has lost, and all others have won.
    fn win_shares(&self, outcome: &Outcome) -> Seats<f64> {
        if outcome.cause == Cause::Normal {
            return outcome.win_shares();
        }
        let winners = outcome.scores.values().iter().filter(|score| **score >= 0);
        let share = 1.0 / winners.count().max(1) as f64;
        let share_of = |score: &i64| if *score >= 0 { share } else { 0.0 };
        outcome.scores.values().iter().map(share_of).collect()
    }

    /// Of a game that ended by somebody's fault, only his own results count (B3).
    fn duels(&self, outcome: &Outcome) -> Vec<Duel> {
        let all = outcome.duels();
        if outcome.cause == Cause::Normal {
            return all;
        }
        let lost = |seat: Seat| outcome.scores.get(seat).is_some_and(|score| *score < 0);
        all.into_iter()
            .filter(|duel| lost(duel.first) || lost(duel.second))
            .collect()
    }

    fn wire(&self) -> Wire {
        Wire::Stdio
    }

    fn stdio(&self) -> Option<&'static StdioWire> {
        Some(&StdioWire {
            reply_line_max: REPLY_LINE_MAX,
            farewell: Some("quit"),
            memory: Some(400 << 20),
            time_option: Some("time_ms"),
        })
    }

    fn place(&self, word: &str) -> Option<u8> {
        word.parse().ok()
    }
}

/// A game that was played without a wire, with its acts in order.
struct Run {
    played: Played,
    acts: Vec<(Seat, Act)>,
}

/// Plays a game. All declare before any declaration is revealed. Where the pace looks at a clock, each has
/// `time` for the game, and decisions get their shares of it.
fn run(
    setup: &Arc<Setup>,
    mut bots: Vec<Box<dyn Bot<Planowanie>>>,
    time: Duration,
    pace: &dyn Pace,
) -> Run {
    let mut game = Planowanie::begin(Arc::clone(setup));
    let mut refused: Seats<u32> = Seats::from_fn(bots.len(), |_| 0);
    let mut left: Seats<Duration> = Seats::from_fn(bots.len(), |_| time);
    let (mut acts, mut events, mut asks) = (Vec::new(), Vec::new(), 0);
    for (at, bot) in bots.iter_mut().enumerate() {
        let seat = Seat(at as u8);
        bot.observe(&Event::Begins(Arc::clone(game.game()), seat));
        bot.observe(&Event::Dealt(game.hand(seat)));
    }
    while !game.is_over() {
        let mut step = Vec::new();
        for (at, bot) in bots.iter_mut().enumerate() {
            let seat = Seat(at as u8);
            let Some(ask) = game.ask(seat) else { continue };
            asks += 1;
            let mut view = game.view(seat);
            pace.begin(seat);
            let clocked = pace.elapsed().is_some();
            view.left = clocked.then_some(left[seat]);
            let target = clock::allot(left[seat], &view, ask);
            let stop =
                || pace.stop() || clocked && pace.elapsed().is_some_and(|taken| taken >= target);
            let budget = Budget {
                nodes: pace.nodes(),
                stop: &stop,
            };
            let act = bot.decide(&view, &ask, budget);
            let taken = pace.elapsed().unwrap_or_default();
            left[seat] = left[seat].saturating_sub(taken);
            pace.end();
            if game.check(seat, &act).is_err() {
                refused[seat] += 1;
            }
            acts.push((seat, act));
            step.push((seat, Some(act)));
        }
        game.step(&step, &mut events);
        for (seat, event) in events.drain(..) {
            if let Some(bot) = bots.get_mut(seat.index()) {
                bot.observe(&event);
            }
        }
    }
    let outcome = game.outcome().unwrap_or_else(|| Outcome {
        cause: Cause::Stalled,
        scores: game.points().clone(),
    });
    Run {
        played: Played {
            outcome,
            asks,
            refused,
            transcript: Vec::new(),
        },
        acts,
    }
}

/// The wire's text of a game that was played without one.
fn transcribed(setup: RefereeSetup, acts: &[(Seat, Act)]) -> Vec<Exchange> {
    let deck = setup.position.game().deck().clone();
    let mut referee = Referee::new(setup);
    let mut acts = acts.iter();
    let mut transcript = Vec::new();
    let mut calls = Vec::new();
    loop {
        referee.calls(&mut calls);
        let Some(Call { seat, text, .. }) = calls.pop() else {
            return transcript;
        };
        let reply = match text.as_str() {
            "gen_declare" | "gen_move" => match acts.next() {
                Some((_, Act::Declare(tricks))) => format!("= {tricks}\n"),
                Some((_, Act::Play(card))) => format!("= {}\n", deck.text(*card)),
                None => return transcript,
            },
            _ => dialect::YES.to_owned(),
        };
        referee.spent(seat, TICK);
        referee.answer(seat, Reply::Text(reply.as_bytes()));
        transcript.push(Exchange {
            seat,
            call: text,
            reply: Some(reply),
            took: None,
        });
    }
}
