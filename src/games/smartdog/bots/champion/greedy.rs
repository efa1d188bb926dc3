//! What a player does that takes, dog by dog, what serves its own pen best at once, estimated without simulating: it
//! drives sheep home, out of others' pens, and freezes whoever is near. Rivals are expected to play so, and own
//! dogs go on so after their plans.

use crate::game::Seat;
use crate::smartdog::options::Key;
use crate::smartdog::rules::{
    Command, Direction, Dog, DogId, Fright, Ground, Land, SmartDog, Spot,
};
use smallvec::SmallVec;
use std::collections::VecDeque;

/// A sheep in the own pen, for such a rival; all else is measured against it.
const PENNED: i32 = 120;
/// A sheep's step towards the own pen.
const STEP: i32 = 3;
/// A sheep in somebody else's pen.
const ROBBED: i32 = -55;
/// The same for one that raids pens before anything else.
const RAIDED: i32 = -130;
/// A turn for which a foreign dog is disabled, and the same for a dog on guard.
const FREEZE: i32 = 2;
const GUARDED: i32 = 6;
/// A turn less for which a friend is disabled.
const FREED: i32 = 3;
/// To stand abroad where a foreign dog may bark next turn.
const EXPOSED: i32 = 4;
/// Steps by which work that another dog goes for is farther.
const TAKEN: u32 = 4;
/// From how many steps and a bark away foreign dogs are met by a dog on guard.
const MET: u32 = 8;
/// Steps from the pen at which it waits.
const POST: u32 = 2;
/// Steps that count as no way at all.
const FAR: u16 = 99;
/// The most sheep and steps of one that are looked at.
const SHEEP_MAX: usize = 200;
const RUN_MAX: u32 = 8;

/// Steps of a sheep to a seat's pen, by cell.
pub(super) fn ways_home(ground: &Ground, seat: Seat) -> Vec<u16> {
    let torus = ground.torus();
    let mut far = vec![FAR; torus.area()];
    let mut queue = VecDeque::new();
    for spot in torus.spots() {
        if ground.land(spot) == Land::Pen(seat) {
            far[torus.index(spot)] = 0;
            queue.push_back(spot);
        }
    }
    while let Some(spot) = queue.pop_front() {
        let steps = (far[torus.index(spot)] + 1).min(FAR - 1);
        for to in Direction::ALL.map(|way| torus.next(spot, way)) {
            if far[torus.index(to)] == FAR && ground.land(to).is_open() {
                far[torus.index(to)] = steps;
                queue.push_back(to);
            }
        }
    }
    far
}

/// What a dog prefers to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Role {
    /// Sheep in the open.
    Herds,
    /// Sheep in others' pens.
    Raids,
    /// Foreign dogs near the own pen.
    Guards,
}

impl Role {
    pub(super) const ALL: [Self; 3] = [Self::Herds, Self::Raids, Self::Guards];
}

/// A place from which a dog can do something, within `slack` steps of it, and what it costs to finish that.
struct Work {
    /// The sheep, or the dog to be met.
    what: usize,
    stand: Spot,
    slack: u32,
    more: u32,
}

/// A player in one position.
pub(super) struct Greedy<'a> {
    game: &'a SmartDog,
    seat: Seat,
    home: &'a [u16],
    role: Role,
    radius: u32,
    works: SmallVec<[Work; 32]>,
}

impl<'a> Greedy<'a> {
    /// `home` are the ways to the seat's pen.
    pub(super) fn new(game: &'a SmartDog, seat: Seat, home: &'a [u16], role: Role) -> Self {
        let radius = game.ground().options().get(Key::DogBarkingR);
        let mut rival = Self {
            game,
            seat,
            home,
            role,
            radius,
            works: SmallVec::new(),
        };
        if role == Role::Guards {
            rival.find_threats();
        } else {
            rival.find_work();
        }
        rival
    }

    fn home(&self, spot: Spot) -> u16 {
        let at = self.game.ground().torus().index(spot);
        self.home.get(at).copied().unwrap_or(FAR)
    }

    fn is_robbed(&self, spot: Spot) -> bool {
        matches!(self.game.ground().land(spot), Land::Pen(owner) if owner != self.seat)
    }

    fn find_work(&mut self) {
        let torus = self.game.ground().torus();
        let sheep = || self.game.sheep().iter().take(SHEEP_MAX);
        let raids = self.role == Role::Raids;
        let raid = raids && sheep().any(|sheep| self.is_robbed(sheep.spot));
        for (what, sheep) in sheep().enumerate() {
            let home = self.home(sheep.spot);
            if self.is_robbed(sheep.spot) {
                self.works.push(Work {
                    what,
                    stand: sheep.spot,
                    slack: self.radius,
                    more: if raids { 0 } else { 6 },
                });
            } else if home > 0 && home < FAR && !raid {
                let nearer = |way: &Direction| self.home(torus.next(sheep.spot, *way)) < home;
                let ways = Direction::ALL.into_iter().filter(nearer);
                let stands = ways.map(|way| torus.next(sheep.spot, way.opposite()));
                let work = |stand| Work {
                    what,
                    stand,
                    slack: 0,
                    more: u32::from(home) / 4,
                };
                self.works
                    .extend(stands.map(work).collect::<SmallVec<[_; 4]>>());
            }
        }
    }

    fn find_threats(&mut self) {
        for (what, dog) in self.game.dogs().iter().enumerate() {
            if dog.owner != self.seat && u32::from(self.home(dog.spot)) <= self.radius + MET {
                self.works.push(Work {
                    what,
                    stand: dog.spot,
                    slack: self.radius,
                    more: 0,
                });
            }
        }
    }

    /// What the dog does.
    pub(super) fn deed(&self, id: DogId, dog: &Dog) -> SmallVec<[Command; 2]> {
        let may_bark = dog.suffers().is_none();
        let before = may_bark.then(|| self.bark(dog.spot, id));
        let mut best = (i32::MIN, SmallVec::new());
        let mut consider = |value: i32, commands: &[Command]| {
            if value > best.0 {
                best = (value, SmallVec::from_slice(commands));
            }
        };
        let stand = -self.way(dog.spot);
        consider(stand - self.exposed(dog.spot, None), &[]);
        if let Some(bark) = before {
            let exposed = self.exposed(dog.spot, Some(dog.spot));
            consider(stand + bark - exposed, &[Command::Bark(id)]);
        }
        let torus = self.game.ground().torus();
        for way in Direction::ALL {
            let to = torus.next(dog.spot, way);
            let open = self.game.ground().land(to).is_open() && !self.game.is_taken(to);
            if dog.suffers() == Some(Fright::Panic) || !open {
                continue;
            }
            let (step, walk) = (Command::Move(id, way), -self.way(to));
            consider(walk - self.exposed(to, None), &[step]);
            if let Some(bark) = before {
                let after = walk + self.bark(to, id) - self.exposed(to, Some(to));
                consider(after, &[step, Command::Bark(id)]);
                let before = walk + bark - self.exposed(to, Some(dog.spot));
                consider(before, &[Command::Bark(id), step]);
            }
        }
        best.1
    }

    /// What it costs to stand here, if a foreign dog that did not hear the bark may bark at it abroad.
    fn exposed(&self, at: Spot, bark: Option<Spot>) -> i32 {
        let ground = self.game.ground();
        let (torus, tile) = (ground.torus(), ground.tiles().get(self.seat));
        if tile.is_some_and(|tile| tile.contains(at)) {
            return 0;
        }
        let able = |dog: &Dog| {
            let hit = bark.is_some_and(|from| torus.within(from, dog.spot, self.radius));
            dog.disabled <= 1 && !hit && torus.within(dog.spot, at, self.radius + 1)
        };
        let mut dogs = self.game.dogs().iter();
        if dogs.any(|dog| dog.owner != self.seat && able(dog)) {
            EXPOSED
        } else {
            0
        }
    }

    /// Steps to the nearest work.
    fn way(&self, from: Spot) -> i32 {
        if self.role == Role::Guards && self.works.is_empty() {
            return u32::from(self.home(from)).saturating_sub(POST) as i32;
        }
        let costs = self.works.iter().map(|work| self.cost(from, work));
        costs.min().unwrap_or_default()
    }

    fn cost(&self, from: Spot, work: &Work) -> i32 {
        let torus = self.game.ground().torus();
        let (dx, dy) = torus.displacement(from, work.stand);
        let steps = dx.unsigned_abs() + dy.unsigned_abs();
        (steps.saturating_sub(work.slack) + work.more) as i32
    }

    /// A dog that stands here goes for its nearest work: the others should do something else.
    pub(super) fn take(&mut self, from: Spot) {
        let nearest = self.works.iter().min_by_key(|work| self.cost(from, work));
        let Some(what) = nearest.map(|work| work.what) else {
            return;
        };
        let same = self.works.iter_mut().filter(|work| work.what == what);
        for work in same {
            work.more += TAKEN;
        }
    }

    /// What a bark from here is worth.
    fn bark(&self, from: Spot, id: DogId) -> i32 {
        let ground = self.game.ground();
        let torus = ground.torus();
        let turns = |key: Key| ground.options().get(key).min(RUN_MAX);
        let mut sum = 0;
        for sheep in self.game.sheep().iter().take(SHEEP_MAX) {
            if !torus.within(from, sheep.spot, self.radius) {
                continue;
            }
            let (dx, dy) = torus.displacement(from, sheep.spot);
            let way = Direction::along(dx, dy);
            let mut to = sheep.spot;
            for _ in 0..turns(Key::SheepScaryTurns) {
                let next = torus.next(to, way);
                if !ground.land(next).is_open() {
                    break;
                }
                to = next;
            }
            sum += self.worth(to) - self.worth(sheep.spot);
        }
        let freeze = if self.role == Role::Guards {
            GUARDED
        } else {
            FREEZE
        };
        let scared = turns(Key::DogScaryTurns);
        for (other, dog) in (0u16..).map(DogId).zip(self.game.dogs()) {
            if other == id || !torus.within(from, dog.spot, self.radius) {
                continue;
            }
            let rest = dog.disabled.saturating_sub(1);
            sum += if dog.owner == self.seat {
                FREED * rest.min(RUN_MAX) as i32
            } else {
                freeze * scared.saturating_sub(rest) as i32
            };
        }
        sum
    }

    fn worth(&self, spot: Spot) -> i32 {
        match self.game.ground().land(spot) {
            Land::Pen(owner) if owner == self.seat => PENNED,
            Land::Pen(_) if self.role == Role::Raids => RAIDED,
            Land::Pen(_) => ROBBED,
            _ => -STEP * i32::from(self.home(spot).min(40)),
        }
    }
}
