//! What a player does that takes, dog by dog, what serves its own pen best at once, estimated without simulating: it
//! drives sheep home, out of others' pens, and freezes every dog nearby. Rivals are expected to play so, and own
//! dogs go on so after their plans.

use crate::options::Key;
use crate::rules::{
    Command, Direction, Dog, DogId, Fright, Ground, Land, SmartDog, Spot, UNREACHED,
};
use drover_game::game::Seat;
use smallvec::SmallVec;

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
/// From how many steps and a bark away foreign dogs are met by a dog on guard.
const MET: u32 = 8;
/// Steps from the pen at which it waits.
const POST: u32 = 2;
/// Steps that count as no way at all.
const FAR: u16 = 99;
/// The most sheep and steps of one that are looked at.
const SHEEP_MAX: usize = 200;
const RUN_MAX: u32 = 8;

/// What a player of this kind knows of the ground.
#[derive(Clone, Debug)]
pub(super) struct PenTables {
    /// Steps of a sheep to the own pen, by cell.
    home: Vec<u16>,
    /// The directions in which these steps get fewer, by cell: a bit each.
    nearer: Vec<u8>,
    /// What it gains if a sheep flees, by cell and direction: for others, and for one that raids pens first.
    gains: [Vec<i16>; 2],
}

impl PenTables {
    pub(super) fn new(ground: &Ground, seat: Seat) -> Self {
        let steps = |steps: u16| {
            if steps == UNREACHED {
                FAR
            } else {
                steps.min(FAR - 1)
            }
        };
        let home: Vec<u16> = ground.steps_to_pen(seat).into_iter().map(steps).collect();
        let torus = ground.torus();
        let at = |spot: Spot| home.get(torus.index(spot)).copied().unwrap_or(FAR);
        let nearer = |spot: Spot| {
            let is_nearer = |way: &Direction| at(torus.next(spot, *way)) < at(spot);
            let ways = Direction::ALL.into_iter().filter(is_nearer);
            ways.fold(0, |bits, way| bits | 1 << way as u8)
        };
        let worth = |spot: Spot, robbed: i32| match ground.land(spot) {
            Land::Pen(owner) if owner == seat => PENNED,
            Land::Pen(_) => robbed,
            _ => -STEP * i32::from(at(spot).min(40)),
        };
        let turns = ground.options().get(Key::SheepScaryTurns).min(RUN_MAX);
        let flees = |from: Spot, way: Direction| {
            let mut spot = from;
            for _ in 0..turns {
                let next = torus.next(spot, way);
                if !ground.land(next).is_open() {
                    break;
                }
                spot = next;
            }
            spot
        };
        let gains = |robbed: i32| {
            let gain = |from: Spot| {
                let gain = move |way| worth(flees(from, way), robbed) - worth(from, robbed);
                Direction::ALL.map(gain).map(|gain| gain as i16)
            };
            torus.spots().flat_map(gain).collect()
        };
        Self {
            nearer: torus.spots().map(nearer).collect(),
            gains: [ROBBED, RAIDED].map(gains),
            home,
        }
    }
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
    stand: Spot,
    slack: u32,
    more: u32,
}

/// A player in one position.
pub(super) struct Greedy<'a> {
    game: &'a SmartDog,
    seat: Seat,
    tables: &'a PenTables,
    role: Role,
    radius: u32,
    works: SmallVec<[Work; 32]>,
}

impl<'a> Greedy<'a> {
    /// `tables` is the seat's.
    pub(super) fn new(game: &'a SmartDog, seat: Seat, tables: &'a PenTables, role: Role) -> Self {
        let radius = game.ground().options().get(Key::DogBarkingR);
        let mut rival = Self {
            game,
            seat,
            tables,
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
        self.tables.home.get(at).copied().unwrap_or(FAR)
    }

    fn is_robbed(&self, spot: Spot) -> bool {
        matches!(self.game.ground().land(spot), Land::Pen(owner) if owner != self.seat)
    }

    fn find_work(&mut self) {
        let torus = self.game.ground().torus();
        let sheep = || self.game.sheep().iter().take(SHEEP_MAX);
        let raids = self.role == Role::Raids;
        let raid = raids && sheep().any(|sheep| self.is_robbed(sheep.spot));
        for sheep in sheep() {
            let home = self.home(sheep.spot);
            if self.is_robbed(sheep.spot) {
                self.works.push(Work {
                    stand: sheep.spot,
                    slack: self.radius,
                    more: if raids { 0 } else { 6 },
                });
            } else if home > 0 && home < FAR && !raid {
                let nearer = self.tables.nearer.get(torus.index(sheep.spot)).copied();
                let nearer = nearer.unwrap_or_default();
                let ways = Direction::ALL.into_iter();
                let ways = ways.filter(|way| nearer & 1 << *way as u8 != 0);
                let stands = ways.map(|way| torus.next(sheep.spot, way.opposite()));
                let work = |stand| Work {
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
        for dog in self.game.dogs() {
            if dog.owner != self.seat && u32::from(self.home(dog.spot)) <= self.radius + MET {
                self.works.push(Work {
                    stand: dog.spot,
                    slack: self.radius,
                    more: 0,
                });
            }
        }
    }

    /// What the dog does.
    pub(super) fn deed(&self, id: DogId, dog: &Dog) -> SmallVec<[Command; 2]> {
        let near = Near::new(self, id, dog);
        let here = (0, 0);
        let may_bark = dog.suffers().is_none();
        let before = may_bark.then(|| self.bark(&near, here));
        let mut best = (i32::MIN, SmallVec::new());
        let mut consider = |value: i32, commands: &[Command]| {
            if value > best.0 {
                best = (value, SmallVec::from_slice(commands));
            }
        };
        let stand = -self.way(dog.spot, &near, here);
        consider(stand - self.exposed(dog.spot, &near, here, None), &[]);
        if let Some(bark) = before {
            let exposed = self.exposed(dog.spot, &near, here, Some(here));
            consider(stand + bark - exposed, &[Command::Bark(id)]);
        }
        let torus = self.game.ground().torus();
        for way in Direction::ALL {
            let to = torus.next(dog.spot, way);
            let open = self.game.ground().land(to).is_open() && !self.game.is_taken(to);
            if dog.suffers() == Some(Fright::Panic) || !open {
                continue;
            }
            let there = way.delta();
            let (step, walk) = (Command::Move(id, way), -self.way(to, &near, there));
            let silent = walk - self.exposed(to, &near, there, None);
            consider(silent, &[step]);
            if let Some(bark) = before {
                let after = walk + self.bark(&near, there);
                let exposed = self.exposed(to, &near, there, Some(there));
                consider(after - exposed, &[step, Command::Bark(id)]);
                let exposed = self.exposed(to, &near, there, Some(here));
                consider(walk + bark - exposed, &[Command::Bark(id), step]);
            }
        }
        best.1
    }

    /// What it costs to stand here, if a foreign dog that was out of the bark's reach may bark at it abroad.
    fn exposed(&self, at: Spot, near: &Near, place: Offset, bark: Option<Offset>) -> i32 {
        let tile = self.game.ground().tiles().get(self.seat);
        if near.able.is_empty() || tile.is_some_and(|tile| tile.contains(at)) {
            return 0;
        }
        let able = |dog: &Offset| {
            let hit = bark.is_some_and(|from| within(from, *dog, self.radius));
            !hit && within(*dog, place, self.radius + 1)
        };
        if near.able.iter().any(able) {
            EXPOSED
        } else {
            0
        }
    }

    /// Steps to the nearest work.
    fn way(&self, from: Spot, near: &Near, place: Offset) -> i32 {
        if self.role == Role::Guards && self.works.is_empty() {
            return u32::from(self.home(from)).saturating_sub(POST) as i32;
        }
        let costs = self.works.iter().zip(&near.works);
        let costs = costs.map(|(work, stand)| work.cost(from_to(place, *stand)));
        costs.min().unwrap_or_default()
    }

    /// What a bark from this place is worth.
    fn bark(&self, near: &Near, place: Offset) -> i32 {
        let gains = &self.tables.gains[usize::from(self.role == Role::Raids)];
        let mut sum = 0;
        for (sheep, cell) in &near.sheep {
            if within(place, *sheep, self.radius) {
                let (dx, dy) = from_to(place, *sheep);
                let at = 4 * cell + Direction::along(dx, dy) as usize;
                sum += gains.get(at).copied().map_or(0, i32::from);
            }
        }
        for (dog, worth) in &near.dogs {
            if within(place, *dog, self.radius) {
                sum += worth;
            }
        }
        sum
    }
}

/// A displacement from where a dog stands.
type Offset = (i32, i32);

const fn from_to(from: Offset, to: Offset) -> Offset {
    (to.0 - from.0, to.1 - from.1)
}

fn within(from: Offset, to: Offset, radius: u32) -> bool {
    let (dx, dy) = from_to(from, to);
    (dx * dx + dy * dy) as u64 <= u64::from(radius) * u64::from(radius)
}

/// What is near a dog, by its offset from it: a step moves the dog, not the rest. What lies half the world away, or
/// anywhere in worlds narrower than two barks, may be a step off.
struct Near {
    /// Sheep that a bark may reach after a step, and their cells.
    sheep: SmallVec<[(Offset, usize); 32]>,
    /// Other dogs in the same reach, and what it is worth to bark at them.
    dogs: SmallVec<[(Offset, i32); 16]>,
    /// Foreign dogs that may reach this dog after a step of both.
    able: SmallVec<[Offset; 16]>,
    /// The works of the player, in order.
    works: SmallVec<[Offset; 32]>,
}

impl Near {
    fn new(player: &Greedy<'_>, id: DogId, dog: &Dog) -> Self {
        let ground = player.game.ground();
        let torus = ground.torus();
        let offset = |spot: Spot| torus.displacement(dog.spot, spot);
        let reach =
            |to: Offset, steps: u32| within((0, 0), to, player.radius.saturating_add(steps));
        let sheep = player.game.sheep().iter().take(SHEEP_MAX);
        let sheep = sheep.map(|sheep| (offset(sheep.spot), torus.index(sheep.spot)));
        let freeze = if player.role == Role::Guards {
            GUARDED
        } else {
            FREEZE
        };
        let scared = ground.options().get(Key::DogScaryTurns).min(RUN_MAX);
        let mut near = Self {
            sheep: sheep.filter(|(to, _)| reach(*to, 1)).collect(),
            dogs: SmallVec::new(),
            able: SmallVec::new(),
            works: (player.works.iter())
                .map(|work| offset(work.stand))
                .collect(),
        };
        for (other, dog) in (0u16..).map(DogId).zip(player.game.dogs()) {
            let to = offset(dog.spot);
            let own = dog.owner == player.seat;
            if !own && dog.disabled <= 1 && reach(to, 2) {
                near.able.push(to);
            }
            if other == id || !reach(to, 1) {
                continue;
            }
            let rest = dog.disabled.saturating_sub(1);
            let worth = if own {
                FREED * rest.min(RUN_MAX) as i32
            } else {
                freeze * scared.saturating_sub(rest) as i32
            };
            near.dogs.push((to, worth));
        }
        near
    }
}

impl Work {
    /// Steps until it is done, for a dog that is so far from its place.
    fn cost(&self, (dx, dy): Offset) -> i32 {
        let steps = dx.unsigned_abs() + dy.unsigned_abs();
        (steps.saturating_sub(self.slack) + self.more) as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::Map;
    use crate::options::Options;
    use crate::rules::{PUSHES_MAX, Players, Setup};

    const ME: Seat = Seat(0);

    /// A match of two with one dog a tile, whose barks reach so far.
    fn begun(rows: &str, bark: i64) -> SmartDog {
        SmartDog::begin(&Setup {
            map: Map::read(rows).unwrap(),
            players: Players::Two,
            options: Options::default().with(Key::DogBarkingR, bark).unwrap(),
        })
    }

    /// What the first player's dog does in this role.
    fn deed(game: &SmartDog, role: Role) -> SmallVec<[Command; 2]> {
        let tables = PenTables::new(game.ground(), ME);
        let player = Greedy::new(game, ME, &tables, role);
        player.deed(DogId(0), &game.dogs()[0])
    }

    fn step(commands: &[Command]) -> Option<Direction> {
        commands.iter().find_map(|command| match command {
            Command::Move(_, way) => Some(*way),
            Command::Bark(_) => None,
        })
    }

    #[test]
    fn a_sheep_next_to_the_pen_is_barked_into_it() {
        let mut game = begun("..........\n..-*@.....\n..........\n..........", 1);
        for command in deed(&game, Role::Herds) {
            game.play(ME, command).unwrap();
        }
        game.end_all();
        assert_eq!(game.penned()[ME], 1);
    }

    #[test]
    fn herders_go_for_sheep_in_the_open_and_raiders_for_others_pens() {
        // The sheep in the open is to the left, and the rival's pen, nearer than the way round, to the right.
        let game = begun(
            "..............\n..............\no.....*..@....\n..............",
            1,
        );
        let way = |role| step(&deed(&game, role));
        assert_eq!(way(Role::Herds), Some(Direction::Left));
        assert_eq!(way(Role::Raids), Some(Direction::Right));
    }

    #[test]
    fn guards_bark_at_every_dog_that_comes_and_wait_at_the_pen() {
        // The rival's tile is far away.
        let rows = ["o", "", "......@", ""].map(|row| format!("{row:.<30}"));
        let game = begun(&rows.join("\n"), 3);
        let alone = deed(&game, Role::Guards);
        assert!(matches!(
            step(&alone),
            Some(Direction::Left | Direction::Up)
        ));
        let mut dogs = game.dogs().to_vec();
        dogs[1].spot = Spot { x: 4, y: 1 };
        let sheep = game.sheep().iter().cloned();
        let met = SmartDog::imagine(game.ground(), 1, dogs, sheep, PUSHES_MAX);
        assert!(deed(&met, Role::Guards).contains(&Command::Bark(DogId(0))));
    }
}
