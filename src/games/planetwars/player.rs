//! A player's side of the wire: states in, orders out.

use super::dialect::player::{self as wire, END, State};
use super::dialect::{google, judge};
use super::facts::Facts;
use super::rules::{Act, Ask, Planet, PlanetId, PlanetWars, PlayerId, View, owners};
use super::scene::State as Shown;
use drover_game::explain::{Explanation, explain};
use drover_game::game::{Bot, Budget, Cause, Progress};
use drover_game::reasons::Belief;
use drover_game::scene::Scene;
use drover_game::wire::{Dialogue, Ending, Fact, Frame, Lesson, Next, WireError};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

/// Time for the first reply, starting up included.
pub(super) const START_WITHIN: Duration = Duration::from_secs(10);
/// Time for every other one.
pub(super) const TURN_WITHIN: Duration = Duration::from_secs(1);
/// What getting ready is worth: the rest is for starting up.
const PREPARING: Duration = Duration::from_secs(2);

/// One seat's side of one game, played by any bot. Nothing is shared with another one's.
pub struct Player {
    bot: Box<dyn Bot<PlanetWars>>,
    /// States received so far.
    turns: u32,
    view: Option<View>,
    /// Whether the wire is that of 2010.
    google: bool,
    /// Whether an answer is wanted.
    asked: bool,
    /// Whether the bot has seen what it is asked about.
    shown: bool,
    /// The map of a state that was not folded, since it is of another game than those before.
    doubted: Option<Map>,
    facts: Facts,
    /// Those that had planets at first.
    players: Vec<PlayerId>,
}

/// What states of one game have in common: who receives them, and every planet's number and place.
type Map = (PlayerId, Vec<(PlanetId, u64, u64)>);

fn map(you: PlayerId, planets: &[Planet]) -> Map {
    let place = |planet: &Planet| (planet.id, planet.x.to_bits(), planet.y.to_bits());
    let mut places: Vec<_> = planets.iter().map(place).collect();
    places.sort_unstable();
    (you, places)
}

impl Player {
    /// A player before the first state.
    #[must_use]
    pub fn new(bot: Box<dyn Bot<PlanetWars>>) -> Self {
        Self {
            bot,
            turns: 0,
            view: None,
            google: false,
            asked: false,
            shown: false,
            doubted: None,
            facts: Facts::default(),
            players: Vec::new(),
        }
    }
}

impl Player {
    const fn end(&self) -> &'static str {
        if self.google { google::END } else { END }
    }

    fn written(&self, act: &Act) -> Frame {
        if self.google {
            google::write(act)
        } else {
            wire::write(act)
        }
    }

    /// Whether a state is of the same game as the one before. Of two that agree with each other the second
    /// is believed: then it was the first that was wrong.
    fn is_of_the_game(&mut self, state: &State) -> bool {
        let Some(view) = &self.view else {
            return true;
        };
        let received = map(state.you, &state.planets);
        let of_the_game = received == map(view.you, &view.planets);
        let believed = of_the_game || self.doubted.as_ref() == Some(&received);
        self.doubted = (!believed).then_some(received);
        believed
    }
}

impl Dialogue for Player {
    fn receive(&mut self, frame: &[u8]) -> Result<Next, WireError> {
        self.google = google::is_spoken(frame);
        let state = wire::read(frame).inspect_err(|why| {
            self.facts.unsound("state", &why.to_string());
        })?;
        if !self.is_of_the_game(&state) {
            self.facts
                .unsound("state", "it is of another player or of other planets");
            self.asked = false;
            return Ok(Next::Send(self.end().to_owned()));
        }
        let view = View {
            turn: self.turns,
            planets: Arc::new(state.planets),
            fleets: state.fleets.map(Arc::new),
            message: state.message,
            you: state.you,
        };
        self.turns = self.turns.saturating_add(1);
        self.facts.state(&view);
        if self.view.is_none() {
            self.players = owners(&view.planets);
        }
        let first = self.view.replace(view).is_none();
        (self.asked, self.shown) = (true, false);
        Ok(Next::Think {
            limit: if first { START_WITHIN } else { TURN_WITHIN },
            target: first.then_some(PREPARING),
            fallback: self.end().to_owned(),
        })
    }

    fn think(&mut self, slice: Budget<'_>, best: &mut Frame) -> Progress {
        let Some(view) = self.view.as_ref().filter(|_| self.asked) else {
            return Progress::Done;
        };
        self.shown = true;
        let (act, progress) = self.bot.ponder(view, &Ask, slice);
        *best = self.written(&act);
        progress
    }

    fn explain(&self, budget: Budget<'_>) -> Option<Explanation> {
        let view = self.view.as_ref().filter(|_| self.asked)?;
        let allies = self.facts.allies().iter().filter(|ally| **ally != view.you);
        let known = allies.map(|ally| Belief::likely(ally, "is an ally (by the ring)", 1.0));
        let write = |act: &Act| Some(self.written(act));
        let reasons = self.bot.clone().reasons(view, &Ask, budget);
        Some(explain(reasons, write, Frame::new(), known.collect()))
    }

    /// A bot that did not think about what it is asked, because somebody else answered, sees it now.
    fn said(&mut self, frame: &str) {
        let Some(view) = self.view.as_ref().filter(|_| self.asked) else {
            return;
        };
        if !self.shown {
            // What it would have done does not matter: the next state shows what was done.
            let _: (Act, Progress) = self.bot.ponder(view, &Ask, Budget::SPENT);
        }
        let reply = match self.google {
            true => Cow::Owned(google::translated(frame)),
            false => Cow::Borrowed(frame),
        };
        let act = judge::act(&reply);
        self.bot.answered(view, &Ask, Some(&act));
        self.facts.said(&reply);
        self.asked = false;
    }

    fn facts(&mut self) -> Vec<Fact> {
        self.facts.take()
    }

    fn lessons(&self) -> Vec<Lesson> {
        self.facts.lessons()
    }

    /// The pipe's end is the only word for the game's end, unless something is still to be said: then the
    /// judge is gone, or has done with us.
    fn hung_up(&mut self) -> Option<Ending> {
        let view = self.view.as_ref().filter(|_| !self.asked)?;
        let detail = self.facts.result(view);
        Some(Ending::new(Cause::Normal, detail))
    }

    fn scene(&self) -> Option<Scene> {
        let view = self.view.as_ref()?;
        let state = Shown::from_view(
            view,
            self.facts.fleets(),
            self.facts.allies(),
            &self.players,
        );
        Some(state.scene())
    }

    fn view(&self) -> Value {
        let Some(view) = &self.view else {
            return Value::Null;
        };
        json!({
            "turn": view.turn,
            "player": view.you,
            "message": view.message,
            "planets": *view.planets,
            "allies": self.facts.allies(),
        })
    }
}
