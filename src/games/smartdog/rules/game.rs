//! The state of a match, its turns, its end.

use super::dogs::{Dog, DogId, Refusal};
use super::ground::{Ground, Land};
use super::setup::Setup;
use super::sheep::Sheep;
use super::torus::{Direction, Spot};
use super::view::View;
use crate::game::{Cause, Game, Illegal, Outcome, Seat, Seats};
use crate::smartdog::options::Key;
use std::sync::Arc;

/// A score above which alone one can win (README.md, section 5).
const WINNERS_ABOVE: f64 = -10.0;

/// One command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Act {
    /// `do ID move DIRECTION`: once a dog and turn.
    Move(DogId, Direction),
    /// `do ID bark`: once a dog and turn.
    Bark(DogId),
    /// `end`: nothing more this turn.
    End,
}

/// The decision a seat is asked for: its next command in this turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// The turn, from 1.
    pub turn: u32,
}

/// What a seat hears. What it sees is its [`View`], told anew every turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// Its command was refused; it may give another.
    Refused {
        /// The command.
        act: Act,
        /// Why.
        why: Refusal,
    },
    /// A turn begins.
    Turn(u32),
    /// The match is over.
    Over {
        /// The official winner, if there is one.
        winner: Option<Seat>,
    },
}

/// Who stands on a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Thing {
    Nothing,
    Dog(DogId),
    Sheep(u16),
}

/// One match.
#[derive(Clone, Debug)]
pub struct SmartDog {
    pub(super) ground: Arc<Ground>,
    pub(super) turn: u32,
    pub(super) dogs: Vec<Dog>,
    pub(super) sheep: Vec<Sheep>,
    /// Who stands where, by cell: always what `dogs` and `sheep` say.
    things: Vec<Thing>,
    ended: Seats<bool>,
    is_over: bool,
    /// Sheep asked aside this turn.
    pub(super) pushes: u32,
}

impl SmartDog {
    /// The position of turn 1.
    #[must_use]
    pub fn begin(setup: &Setup) -> Self {
        let (ground, places) = Ground::lay(setup);
        let mut things = vec![Thing::Nothing; ground.torus().area()];
        for (at, (_, spot)) in places.dogs.iter().enumerate() {
            things[ground.torus().index(*spot)] = Thing::Dog(DogId(at as u16));
        }
        for (at, spot) in places.sheep.iter().enumerate() {
            things[ground.torus().index(*spot)] = Thing::Sheep(at as u16);
        }
        let dog = |(owner, spot)| Dog::new(owner, spot);
        Self {
            turn: 1,
            dogs: places.dogs.into_iter().map(dog).collect(),
            sheep: places.sheep.into_iter().map(Sheep::new).collect(),
            things,
            ended: Seats::from_fn(setup.players.count(), |_| false),
            is_over: false,
            pushes: 0,
            ground: Arc::new(ground),
        }
    }

    /// Plays a seat's command at once. When all have ended, sheep and dogs act and the next turn
    /// begins, or the match is over.
    ///
    /// # Errors
    /// [`Refusal`]; nothing has changed then.
    pub fn play(&mut self, seat: Seat, act: Act) -> Result<(), Refusal> {
        if self.waits_for(seat) != Some(true) {
            return Err(Refusal::Ended);
        }
        match act {
            Act::Move(dog, direction) => self.move_dog(seat, dog, direction)?,
            Act::Bark(dog) => self.bark(seat, dog)?,
            Act::End => {
                self.ended[seat] = true;
                if self.ended.values().iter().all(|ended| *ended) {
                    self.end_turn();
                }
            }
        }
        Ok(())
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

    /// Sheep in each player's pen now, whoever's tile they started on.
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

    /// Everybody's points now, from −10.
    #[must_use]
    pub fn scores(&self) -> Seats<f64> {
        let penned = self.penned();
        Seats::from_fn(penned.len(), |seat| self.ground.score(penned[seat]))
    }

    /// Who would win now: the best score above −10, the first seat among equals.
    #[must_use]
    pub fn winner(&self) -> Option<Seat> {
        let mut best = (None, WINNERS_ABOVE);
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
        self.ended = Seats::from_fn(self.ended.len(), |_| false);
    }

    pub(super) fn thing(&self, spot: Spot) -> Thing {
        self.things[self.ground.torus().index(spot)]
    }

    pub(super) fn is_free(&self, spot: Spot) -> bool {
        self.thing(spot) == Thing::Nothing && self.ground.land(spot).is_open()
    }

    pub(super) fn shift(&mut self, from: Spot, to: Spot, thing: Thing) {
        let torus = self.ground.torus();
        self.things[torus.index(from)] = Thing::Nothing;
        self.things[torus.index(to)] = thing;
    }

    fn tell(&self, turn_before: u32, events: &mut Vec<(Seat, Event)>) {
        let event = if self.is_over {
            let winner = self.winner();
            Event::Over { winner }
        } else if self.turn > turn_before {
            Event::Turn(self.turn)
        } else {
            return;
        };
        events.extend(self.ended.iter().map(|(seat, _)| (seat, event)));
    }
}

impl Game for SmartDog {
    type Setup = Setup;
    type Ask = Ask;
    type Act = Act;
    type View = View;
    type Event = Event;

    fn start(setup: &Setup) -> Self {
        Self::begin(setup)
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

    fn acts(&self, seat: Seat, out: &mut Vec<Act>) {
        let own = (0u16..).map(DogId).zip(&self.dogs);
        for (id, _) in own.filter(|(_, dog)| dog.owner == seat) {
            let moves = Direction::ALL.map(|direction| Act::Move(id, direction));
            out.extend(moves.into_iter().chain([Act::Bark(id)]));
        }
        out.push(Act::End);
        out.retain(|act| self.allows(seat, *act).is_ok());
    }

    fn check(&self, seat: Seat, act: &Act) -> Result<(), Illegal> {
        self.allows(seat, *act)
            .map_err(|why| Illegal(why.to_string()))
    }

    /// A seat that gives nothing legal in time ends its turn. Refused commands change nothing.
    fn step(&mut self, acts: &[(Seat, Option<Act>)], events: &mut Vec<(Seat, Event)>) {
        for (seat, act) in acts {
            if self.is_over {
                return;
            }
            let (act, turn) = (act.unwrap_or(Act::End), self.turn);
            match self.play(*seat, act) {
                Ok(()) => self.tell(turn, events),
                Err(why) => events.push((*seat, Event::Refused { act, why })),
            }
        }
    }

    /// Points in hundredths, rounded: a tile has few enough sheep to keep different scores apart.
    fn outcome(&self) -> Option<Outcome> {
        let hundredths = |(_, score): (Seat, &f64)| (score * 100.0).round() as i64;
        self.is_over.then(|| Outcome {
            cause: Cause::Normal,
            scores: self.scores().iter().map(hundredths).collect(),
        })
    }
}
