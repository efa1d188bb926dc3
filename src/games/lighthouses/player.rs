//! A bot's side of the wire: the engine's messages in, a greeting and commands out.

use super::dialect::player::{self as wire, Begin, Message, PASS};
use super::facts::Facts;
use super::rules::{Act, Ask, Beacon, Cell, Chart, Event, Point, Refusal, View};
use super::scene::{State, deed};
use drover_game::explain::{Explanation, explain};
use drover_game::game::{Bot, Budget, Cause, Progress, Seat};
use drover_game::reasons::Belief;
use drover_game::scene::{Scene, Who};
use drover_game::wire::{Dialogue, Ending, Fact, Frame, Lesson, Next, WireError};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Time for the greeting.
pub(super) const GREET_WITHIN: Duration = Duration::from_secs(2);
/// What getting ready is worth: the rest is for starting up.
const PREPARING: Duration = Duration::from_millis(500);
/// Time for a turn.
pub(super) const TURN_WITHIN: Duration = Duration::from_millis(100);

/// Rivals of whom beliefs are reported.
const SEATS_SHOWN: usize = 16;

/// One seat's side of one game, played by any bot.
pub struct Player {
    bot: Box<dyn Bot<super::rules::Lighthouses>>,
    name: String,
    game: Option<Game>,
    /// The decision that is wanted.
    asked: Option<(Arc<View>, Ask)>,
    /// Whether the bot has seen what it is asked about.
    shown: bool,
    /// The command that was given and whose result is still to come.
    given: Option<Act>,
    /// The state that was received last, and what was answered to it.
    last: Option<(Vec<u8>, Option<Frame>)>,
    /// The score of a state that was not folded, since it was lower than the one before.
    doubted: Option<i64>,
    /// The points at the end, where somebody knows them.
    points: Option<i64>,
    facts: Facts,
}

/// The game once it has begun.
struct Game {
    chart: Arc<Chart>,
    seat: Seat,
    players: usize,
    /// States received so far.
    turns: u32,
    /// What was received last.
    view: Option<Arc<View>>,
    /// What was done last, with its result.
    done: Option<(Act, Result<(), Refusal>)>,
}

impl Game {
    /// How many lighthouses each of the others has.
    fn known(&self, view: &View) -> Vec<Belief> {
        let others = (0..self.players).filter(|seat| *seat != self.seat.index());
        let held = |seat: usize| {
            let of = |beacon: &&Beacon| beacon.owner.is_some_and(|owner| owner.index() == seat);
            let held = view.beacons.iter().filter(of).count() as f64;
            Belief::amount(seat, "holds", held, "lighthouses").within(held, held)
        };
        others.take(SEATS_SHOWN).map(held).collect()
    }
}

impl Player {
    /// A player before the first message, under the name that it will greet with.
    #[must_use]
    pub fn new(bot: Box<dyn Bot<super::rules::Lighthouses>>, name: &str) -> Self {
        Self {
            bot,
            name: name.to_owned(),
            game: None,
            asked: None,
            shown: false,
            given: None,
            last: None,
            doubted: None,
            points: None,
            facts: Facts::default(),
        }
    }

    fn ask(&mut self, view: Arc<View>, ask: Ask) {
        self.asked = Some((view, ask));
        self.shown = false;
    }

    /// A state is answered again if it comes again before the result of its command. One with a lower
    /// score than before is older, or wrong: `None` if it is to be folded.
    fn answered(&mut self, frame: &[u8], view: &View) -> Option<Next> {
        if let (Some((received, Some(said))), true) = (&self.last, self.given.is_some())
            && received == frame
        {
            return Some(Next::Send(said.clone()));
        }
        let before = self.game.as_ref().and_then(|game| game.view.as_ref());
        let sinks = before.is_some_and(|before| view.score < before.score);
        let players = self.game.as_ref().map_or(0, |game| game.players);
        let strange = |beacon: &Beacon| beacon.owner.is_some_and(|owner| owner.index() >= players);
        let why = if view.beacons.iter().any(strange) {
            "a lighthouse is owned by nobody who plays"
        } else if sinks && self.doubted.is_none_or(|score| view.score < score) {
            // Of two that agree with each other the second is believed.
            self.doubted = Some(view.score);
            "the score is lower than before"
        } else {
            self.doubted = None;
            return None;
        };
        self.facts.unsound("state", why);
        self.asked = None;
        Some(Next::Send(PASS.to_owned()))
    }

    /// Whether this is the game that is being played, sent again.
    fn plays(&self, begin: &Begin) -> bool {
        self.game.as_ref().is_some_and(|game| {
            game.turns > 0
                && (game.seat, game.players) == (begin.seat, begin.players)
                && game.chart.island() == begin.chart.island()
                && game.chart.lighthouses() == begin.chart.lighthouses()
                && game.chart.width() == begin.chart.width()
        })
    }

    fn begins(&mut self, begin: Begin) -> Next {
        if self.plays(&begin) {
            self.asked = None;
            return Next::Send(wire::greet(&self.name));
        }
        let Begin {
            seat,
            players,
            position,
            chart,
        } = begin;
        self.bot
            .observe(&Event::Begins(Arc::clone(&chart), seat, players));
        let start = chart.point(position);
        self.facts.begins(&chart, seat, players, start);
        let view = View::unseen(&chart, position);
        self.game = Some(Game {
            chart,
            seat,
            players,
            turns: 0,
            view: None,
            done: None,
        });
        (self.given, self.last, self.doubted) = (None, None, None);
        self.ask(Arc::new(view), Ask::Prepare);
        Next::Think {
            limit: GREET_WITHIN,
            target: Some(PREPARING),
            fallback: wire::greet(&self.name),
        }
    }
}

impl Dialogue for Player {
    fn receive(&mut self, frame: &[u8]) -> Result<Next, WireError> {
        let message = wire::read(frame).inspect_err(|why| {
            self.facts.unsound(why.field, &why.why);
        })?;
        let game = match message {
            Message::Begin(begin) => return Ok(self.begins(*begin)),
            Message::State(_) | Message::Result(_) => self.game.as_mut(),
        };
        let game = game.ok_or_else(|| {
            WireError::new(
                "message",
                "the game has not begun: the message with player_num comes first",
            )
        })?;
        match message {
            Message::State(state) => {
                let view = state.on(&game.chart, game.turns).inspect_err(|why| {
                    self.facts.unsound(why.field, &why.why);
                })?;
                if let Some(next) = self.answered(frame, &view) {
                    return Ok(next);
                }
                let Some(game) = self.game.as_mut() else {
                    return Ok(Next::Wait);
                };
                let view = Arc::new(view);
                self.last = Some((frame.to_vec(), None));
                game.turns = game.turns.saturating_add(1);
                (game.view, game.done) = (Some(Arc::clone(&view)), None);
                self.facts.state(&game.chart, &view);
                self.given = None;
                self.ask(view, Ask::Turn);
                Ok(Next::Think {
                    limit: TURN_WITHIN,
                    target: None,
                    fallback: PASS.to_owned(),
                })
            }
            Message::Result(done) => {
                if let Some(act) = self.given.take() {
                    game.done = Some((act, done));
                    if done.is_ok() {
                        self.facts.done(&game.chart, act);
                    }
                    self.bot.observe(&Event::Done(act, done));
                }
                Ok(Next::Wait)
            }
            Message::Begin(_) => Ok(Next::Wait),
        }
    }

    fn think(&mut self, slice: Budget<'_>, best: &mut Frame) -> Progress {
        let (Some((view, ask)), Some(game)) = (self.asked.clone(), &self.game) else {
            return Progress::Done;
        };
        self.shown = true;
        let (act, progress) = self.bot.ponder(&view, &ask, slice);
        if ask == Ask::Turn {
            *best = wire::write(&game.chart, act);
        }
        progress
    }

    fn explain(&self, budget: Budget<'_>) -> Option<Explanation> {
        let (view, ask) = self.asked.as_ref()?;
        let game = self.game.as_ref()?;
        let write = |act: &Act| match ask {
            Ask::Turn => Some(wire::write(&game.chart, *act)),
            Ask::Prepare => Some(wire::greet(&self.name)),
        };
        let reasons = self.bot.clone().reasons(view, ask, budget);
        Some(explain(reasons, write, Frame::new(), game.known(view)))
    }

    /// A bot that did not think about what it is asked, because somebody else answered, sees it now.
    fn said(&mut self, frame: &str) {
        let Some((view, ask)) = self.asked.take() else {
            return;
        };
        if !self.shown {
            // What it would have done does not matter.
            let _ = self.bot.ponder(&view, &ask, Budget::SPENT);
        }
        let act = self.game.as_ref().and_then(|game| match ask {
            Ask::Prepare => Some(Act::Pass),
            Ask::Turn => said(&game.chart, frame),
        });
        self.bot.answered(&view, &ask, act.as_ref());
        if ask == Ask::Turn && self.game.is_some() {
            self.given = act;
            if let Some((_, answer)) = &mut self.last {
                *answer = Some(frame.to_owned());
            }
        }
    }

    fn facts(&mut self) -> Vec<Fact> {
        self.facts.take()
    }

    fn lessons(&self) -> Vec<Lesson> {
        self.facts.lessons()
    }

    fn scored(&mut self, points: i64) {
        self.points = Some(points);
    }

    /// The pipe's end is the only word for the game's end, unless something is still to be said: then
    /// the engine is gone, or has done with us. Others' scores are never sent, and of our own not the last
    /// round's points.
    fn hung_up(&mut self) -> Option<Ending> {
        if self.asked.is_some() || self.given.is_some() {
            return None;
        }
        let game = self.game.as_ref()?;
        let view = game.view.as_ref()?;
        let (points, rounds) = (view.score, game.turns);
        self.facts.result(self.points, points, rounds);
        let detail = format!("{points} points after {rounds} rounds, the last one's not counted");
        Some(Ending::new(Cause::Normal, detail))
    }

    /// The state that was received last; what was done since is in the title only.
    fn scene(&self) -> Option<Scene> {
        let game = self.game.as_ref()?;
        let view = game.view.as_ref()?;
        let (from, energy) = (view.position, view.energy);
        let what = match game.done {
            Some((act, done)) => deed(&game.chart, game.seat, from, energy, act, done),
            None => format!("{} is asked", Who(game.seat.index())),
        };
        let state = State::from_view(&game.chart, game.seat, game.players, view);
        Some(state.scene(what))
    }

    fn view(&self) -> Value {
        let Some(game) = &self.game else {
            return Value::Null;
        };
        let chart = &game.chart;
        let Some(view) = &game.view else {
            return json!({"seat": game.seat, "players": game.players});
        };
        let place = |cell: &Cell| chart.point(*cell);
        let of = |set: u64| {
            let cells = chart.lighthouses().iter().enumerate();
            cells
                .filter(|(at, _)| set & 1 << at != 0)
                .map(|(_, cell)| place(cell))
                .collect::<Vec<Point>>()
        };
        let lighthouses = chart.lighthouses().iter().zip(&view.beacons);
        let lighthouses: Vec<Value> = lighthouses
            .map(|(cell, beacon)| {
                json!({
                    "position": place(cell),
                    "owner": beacon.owner,
                    "energy": beacon.energy,
                    "connections": of(beacon.links),
                })
            })
            .collect();
        json!({
            "seat": game.seat,
            "players": game.players,
            "round": view.round,
            "position": place(&view.position),
            "score": view.score,
            "energy": view.energy,
            "keys": of(view.keys),
            "lighthouses": lighthouses,
        })
    }
}

/// The act of a command of our own.
fn said(chart: &Chart, frame: &str) -> Option<Act> {
    super::dialect::engine::command(chart, frame.as_bytes())
        .ok()?
        .ok()
}
