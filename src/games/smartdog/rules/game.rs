//! The state of a match, its turns and its end.

mod dogs;
mod sheep;
mod view;

use super::commands::{Command, Orders};
use super::dogs::{Dog, DogId, Refusal};
use super::ground::{Ground, Land};
use super::setup::Setup;
use super::sheep::{PUSHES_MAX, Sheep};
use super::torus::{Direction, Spot};
use super::view::View;
use crate::options::Key;
use drover_game::game::{Cause, Game, Illegal, Listener, Outcome, Seat, Seats};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The score of a player that has forfeited; only a higher one can win (README.md, section 5).
const FORFEIT: f64 = -10.0;

/// The decision that a seat must make: its orders for this turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ask {
    /// The turn, from 1.
    pub turn: u32,
}

/// What a seat is sent, and what it orders: together they are all that it knows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A turn begins: what the seat sees.
    Turn(Arc<View>),
    /// The seat's orders as sent; those refused follow below.
    Ordered(Orders),
    /// One of its commands was refused; the others stand.
    Refused {
        /// The command.
        command: Command,
        /// Why.
        why: Refusal,
    },
    /// The match is over.
    Over {
        /// The official winner, if there is one.
        winner: Option<Seat>,
    },
}

/// What stands on a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Thing {
    Nothing,
    Dog(DogId),
    Sheep(u16),
}

/// One match.
#[derive(Clone, Debug)]
pub struct SmartDog {
    ground: Arc<Ground>,
    turn: u32,
    dogs: Vec<Dog>,
    sheep: Vec<Sheep>,
    /// What stands where, by cell: always agrees with `dogs` and `sheep`.
    things: Vec<Thing>,
    ended: Seats<bool>,
    forfeited: Seats<bool>,
    is_over: bool,
    /// Sheep asked aside this turn.
    pub(super) pushes: u32,
    /// The most sheep that may be asked aside in one turn.
    pub(super) pushes_max: u32,
    /// What each seat received in this turn, if anything.
    views: Vec<Arc<View>>,
}

impl SmartDog {
    /// The position of turn 1.
    #[must_use]
    pub fn begin(setup: &Setup) -> Self {
        let (ground, places) = Ground::lay(setup);
        let dog = |(owner, spot)| Dog::new(owner, spot);
        let dogs = places.dogs.into_iter().map(dog);
        let sheep = places.sheep.into_iter().map(Sheep::new);
        Self::imagine(&Arc::new(ground), 1, dogs, sheep, PUSHES_MAX)
    }

    /// A position with these dogs and sheep, whether or not a match can lead to it, for searches. Dogs and
    /// sheep outside the world, on closed ground or on a taken cell are left out. `pushes_max` bounds the
    /// sheep asked aside in a turn (see [`PUSHES_MAX`]).
    #[must_use]
    pub fn imagine(
        ground: &Arc<Ground>,
        turn: u32,
        dogs: impl IntoIterator<Item = Dog>,
        sheep: impl IntoIterator<Item = Sheep>,
        pushes_max: u32,
    ) -> Self {
        let players = ground.tiles().len();
        let mut game = Self {
            turn,
            dogs: Vec::new(),
            sheep: Vec::new(),
            things: vec![Thing::Nothing; ground.torus().area()],
            ended: Seats::from_fn(players, |_| false),
            forfeited: Seats::from_fn(players, |_| false),
            is_over: false,
            pushes: 0,
            pushes_max: pushes_max.min(PUSHES_MAX),
            views: Vec::new(),
            ground: Arc::clone(ground),
        };
        for dog in dogs {
            let id = DogId(game.dogs.len() as u16);
            if game.settle(dog.spot, Thing::Dog(id)) {
                game.dogs.push(dog);
            }
        }
        for sheep in sheep {
            if game.settle(sheep.spot, Thing::Sheep(game.sheep.len() as u16)) {
                game.sheep.push(sheep);
            }
        }
        game
    }

    fn settle(&mut self, spot: Spot, thing: Thing) -> bool {
        let free = self.ground.torus().contains(spot) && self.is_free(spot);
        if free {
            let at = self.ground.torus().index(spot);
            self.things[at] = thing;
        }
        free
    }

    /// Moves a dog anywhere; false if it cannot stand there or does not exist.
    pub fn teleport(&mut self, dog: DogId, to: Spot) -> bool {
        let Some(from) = self.dogs.get(dog.index()).map(|dog| dog.spot) else {
            return false;
        };
        let free = self.ground.torus().contains(to) && self.is_free(to);
        if free {
            self.dogs[dog.index()].spot = to;
            self.shift(from, to, Thing::Dog(dog));
        }
        free
    }

    /// Ends a dog's disablement at once, for beliefs: the dog that barked was able to. Without such a dog, no effect.
    pub fn enable(&mut self, dog: DogId) {
        if let Some(dog) = self.dogs.get_mut(dog.index()) {
            dog.disabled = 0;
        }
    }

    /// Ends the turn for all players.
    pub fn end_all(&mut self) {
        if !self.is_over {
            self.end_turn();
        }
    }

    /// Becomes a copy of another position, reusing memory where possible.
    pub fn copy_from(&mut self, other: &Self) {
        self.turn = other.turn;
        self.dogs.clone_from(&other.dogs);
        self.sheep.clone_from(&other.sheep);
        self.things.clone_from(&other.things);
        self.ended.clone_from(&other.ended);
        self.forfeited.clone_from(&other.forfeited);
        self.is_over = other.is_over;
        self.pushes = other.pushes;
        self.pushes_max = other.pushes_max;
        self.views.clone_from(&other.views);
        self.ground.clone_from(&other.ground);
    }

    /// Whether a dog or a sheep stands on a cell of the world.
    #[must_use]
    pub fn is_taken(&self, spot: Spot) -> bool {
        self.thing(spot) != Thing::Nothing
    }

    /// Plays a seat's command at once.
    ///
    /// # Errors
    /// [`Refusal`]; nothing has changed then.
    pub fn play(&mut self, seat: Seat, command: Command) -> Result<(), Refusal> {
        if !self.may_command(seat) {
            return Err(Refusal::Ended);
        }
        match command {
            Command::Move(dog, direction) => self.move_dog(seat, dog, direction),
            Command::Bark(dog) => self.bark(seat, dog),
        }
    }

    /// Whether a seat may command: as long as the turn lasts, even after its own end, as at the official
    /// server.
    pub(super) fn may_command(&self, seat: Seat) -> bool {
        !self.is_over && self.has_forfeited(seat) == Some(false)
    }

    /// Ends a seat's turn: it is no longer waited for. When all have ended, sheep and dogs act and the next
    /// turn begins, or the match is over.
    ///
    /// # Errors
    /// [`Refusal::Ended`] if it had ended already; nothing has changed then.
    pub fn end(&mut self, seat: Seat) -> Result<(), Refusal> {
        if self.waits_for(seat) != Some(true) {
            return Err(Refusal::Ended);
        }
        self.ended[seat] = true;
        if self.ended.values().iter().all(|ended| *ended) {
            self.end_turn();
        }
        Ok(())
    }

    /// Takes a seat out of the match: from now on it commands nothing and scores -10. Its dogs stay where
    /// they are. A turn that waited only for it ends; without players the match is over.
    pub fn forfeit(&mut self, seat: Seat) {
        if self.is_over || self.has_forfeited(seat) != Some(false) {
            return;
        }
        self.forfeited[seat] = true;
        if self.forfeited.values().iter().all(|forfeited| *forfeited) {
            self.is_over = true;
            return;
        }
        // A seat that has already ended this turn is not waited for.
        let _ = self.end(seat);
    }

    /// Whether a seat has [forfeited](Self::forfeit); `None` for a seat that does not play.
    #[must_use]
    pub fn has_forfeited(&self, seat: Seat) -> Option<bool> {
        self.forfeited.get(seat).copied()
    }

    /// Whether a seat may still give commands this turn; `None` for a seat that does not play.
    #[must_use]
    pub fn waits_for(&self, seat: Seat) -> Option<bool> {
        self.ended.get(seat).map(|ended| !ended && !self.is_over)
    }

    /// The turn being played, from 1; after the end the last one played.
    #[must_use]
    pub const fn turn(&self) -> u32 {
        self.turn
    }

    /// Whether the last turn has been played.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.is_over
    }

    /// Landscape, tiles and options.
    #[must_use]
    pub fn ground(&self) -> &Arc<Ground> {
        &self.ground
    }

    /// Every dog, by [`DogId`].
    #[must_use]
    pub fn dogs(&self) -> &[Dog] {
        &self.dogs
    }

    /// Every sheep, in creation order.
    #[must_use]
    pub fn sheep(&self) -> &[Sheep] {
        &self.sheep
    }

    /// Sheep in each player's pen now, from any tile.
    #[must_use]
    pub fn penned(&self) -> Seats<u32> {
        let mut penned = Seats::from_fn(self.ended.len(), |_| 0);
        for sheep in &self.sheep {
            if let Land::Pen(owner) = self.ground.land(sheep.spot) {
                penned[owner] += 1;
            }
        }
        penned
    }

    /// All players' current points, from −10.
    #[must_use]
    pub fn scores(&self) -> Seats<f64> {
        let penned = self.penned();
        Seats::from_fn(penned.len(), |seat| {
            if self.forfeited[seat] {
                FORFEIT
            } else {
                self.ground.score(penned[seat])
            }
        })
    }

    /// The points in hundredths, rounded: a tile has few enough sheep to keep different scores apart.
    #[must_use]
    pub fn hundredths(&self) -> Seats<i64> {
        let hundredths = |(_, score): (Seat, &f64)| (score * 100.0).round() as i64;
        self.scores().iter().map(hundredths).collect()
    }

    /// Who would win now: the best score above −10, the first seat among equals.
    #[must_use]
    pub fn winner(&self) -> Option<Seat> {
        let mut best = (None, FORFEIT);
        for (seat, score) in self.scores().iter() {
            if *score > best.1 {
                best = (Some(seat), *score);
            }
        }
        best.0
    }

    fn end_turn(&mut self) {
        self.drive_sheep();
        self.end_dogs();
        self.is_over = self.turn >= self.ground.options().get(Key::TurnsLimit);
        if self.is_over {
            return;
        }
        self.turn += 1;
        for sheep in &mut self.sheep {
            sheep.begin_turn();
        }
        self.ended.clone_from(&self.forfeited);
    }

    fn thing(&self, spot: Spot) -> Thing {
        self.things[self.ground.torus().index(spot)]
    }

    fn is_free(&self, spot: Spot) -> bool {
        self.thing(spot) == Thing::Nothing && self.ground.land(spot).is_open()
    }

    fn shift(&mut self, from: Spot, to: Spot, thing: Thing) {
        let torus = self.ground.torus();
        self.things[torus.index(from)] = Thing::Nothing;
        self.things[torus.index(to)] = thing;
    }

    /// The events sent to all seats when a turn has ended.
    fn notify(&mut self, listener: &mut impl Listener<Event>) {
        let winner = self.winner();
        let mut views = Vec::new();
        for (seat, _) in self.ended.iter() {
            listener.receive(seat, || {
                if self.is_over {
                    return Event::Over { winner };
                }
                let view = Arc::new(self.seen_by(seat));
                views.push(Arc::clone(&view));
                Event::Turn(view)
            });
        }
        // Somebody who received nothing may sit between two who were.
        if views.len() == self.ended.len() {
            self.views = views;
        }
    }
}

impl Game for SmartDog {
    type Setup = Setup;
    type Ask = Ask;
    type Act = Orders;
    type View = View;
    type Event = Event;

    fn open(setup: &Setup, listener: &mut impl Listener<Event>) -> Self {
        let mut game = Self::begin(setup);
        game.notify(listener);
        game
    }

    fn to_move(&self) -> Seats<bool> {
        let waits = |(seat, _)| self.waits_for(seat) == Some(true);
        self.ended.iter().map(waits).collect()
    }

    fn ask(&self, seat: Seat) -> Option<Ask> {
        (self.waits_for(seat) == Some(true)).then_some(Ask { turn: self.turn })
    }

    fn view(&self, seat: Seat) -> View {
        self.seen_by(seat)
    }

    /// At a turn's beginning: what the seat received.
    fn look<T>(&self, seat: Seat, look: impl FnOnce(&View) -> T) -> T {
        match self.views.get(seat.index()) {
            Some(views) => look(views),
            None => look(&self.view(seat)),
        }
    }

    /// Nothing at all, every single command, and every dog's bark before and after each of its moves.
    fn acts(&self, seat: Seat, out: &mut Vec<Orders>) {
        if self.waits_for(seat) != Some(true) {
            return;
        }
        out.push(Orders::new());
        let own = (0u16..).map(DogId).zip(&self.dogs);
        for (id, _) in own.filter(|(_, dog)| dog.owner == seat) {
            let bark = Command::Bark(id);
            let barks = self.allows(seat, bark).is_ok();
            out.extend(barks.then(|| Orders::from_slice(&[bark])));
            for direction in Direction::ALL {
                let step = Command::Move(id, direction);
                if self.allows(seat, step).is_err() {
                    continue;
                }
                out.push(Orders::from_slice(&[step]));
                if barks {
                    out.push(Orders::from_slice(&[step, bark]));
                    out.push(Orders::from_slice(&[bark, step]));
                }
            }
        }
    }

    fn check(&self, seat: Seat, act: &Orders) -> Result<(), Illegal> {
        let mut tried = self.clone();
        for command in act {
            tried
                .play(seat, *command)
                .map_err(|why| Illegal(why.to_string()))?;
        }
        tried.end(seat).map_err(|why| Illegal(why.to_string()))
    }

    /// A seat that gives nothing in time ends its turn. Refused commands change nothing; an act with one
    /// that the position before the step does not allow is refused.
    fn step(&mut self, acts: &[(Seat, Option<Orders>)], listener: &mut impl Listener<Event>) {
        self.views.clear();
        for (seat, orders) in acts {
            let orders = orders.as_ref().filter(|orders| !orders.is_empty());
            if orders.is_some_and(|orders| self.check(*seat, orders).is_err()) {
                listener.refuse(*seat);
            }
        }
        for (seat, orders) in acts {
            let turn = self.turn;
            if let Some(orders) = orders {
                listener.receive(*seat, || Event::Ordered(orders.clone()));
            }
            for command in orders.iter().flatten() {
                if let Err(why) = self.play(*seat, *command) {
                    let command = *command;
                    listener.receive(*seat, || Event::Refused { command, why });
                }
            }
            if self.end(*seat).is_ok() && (self.turn > turn || self.is_over) {
                self.notify(listener);
            }
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        self.is_over.then(|| Outcome {
            cause: Cause::Normal,
            scores: self.hundredths(),
        })
    }
}
