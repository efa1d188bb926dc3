//! What both searches share: the position they start from, its turns played by the rules, and their value.

use super::arrival::Arrival;
use super::deed::Deed;
use super::greedy::{Greedy, Role};
use super::reach::Reach;
use super::reply::{Expected, Replies};
use super::terrain::Terrain;
use super::value::Evaluation;
use super::world::{PUSHES_MAX, World, renumbered};
use crate::options::Key;
use crate::rules::{DogId, Fright, Land, Orders, SmartDog, Spot, Torus};
use drover_game::game::Seat;
use smallvec::SmallVec;

/// Sheep farther away than this many steps plus a bark are not simulated.
const RANGE_MAX: u32 = 40;

/// One turn's deeds of all own dogs.
pub(super) type Deeds = SmallVec<[Deed; 6]>;

/// A turn that has begun: with the others' orders, if they act first; else with those that are still to come.
pub(super) struct Begun {
    pub(super) game: SmartDog,
    expected: Expected,
}

/// Simulates turns of one decision.
#[derive(Clone)]
pub(super) struct Simulator {
    /// The believed position without the sheep that no dog near can reach in time.
    pub(super) root: SmartDog,
    pub(super) me: Seat,
    pub(super) evaluation: Evaluation,
    /// Simulated turns so far.
    pub(super) used: u64,
    /// The share that the values along the way have in a line's value.
    trail: f64,
    /// What is known of the order of arrival.
    arrival: Option<Arrival>,
    /// Turns that a line goes on after its plans.
    horizon: u32,
    replies: Replies,
    /// Foreign dogs near enough to matter, by place.
    active: Vec<bool>,
    spare: Vec<SmartDog>,
}

impl Simulator {
    /// For lines of `depth` turns; other players reply where `replies` says so, with the dogs that are within
    /// `range` steps plus a bark.
    pub(super) fn new(
        world: &World,
        mut evaluation: Evaluation,
        depth: u32,
        range: u32,
        reach: Reach,
    ) -> Self {
        let Reach {
            replies,
            trail,
            horizon,
            ..
        } = reach;
        let root = near(world, &mut evaluation, depth);
        let torus = root.ground().torus();
        let range = (range + bark(&root)) as i32;
        let home = root.ground().tiles().get(world.me).copied();
        let own = || root.dogs().iter().filter(|dog| dog.owner == world.me);
        let near = |spot: Spot| own().any(|dog| steps(torus, dog.spot, spot) <= range);
        let matters = |spot: Spot| near(spot) || home.is_some_and(|home| home.contains(spot));
        let dogs = root.dogs().iter();
        let active = dogs.map(|dog| replies && dog.owner != world.me && matters(dog.spot));
        Self {
            me: world.me,
            active: active.collect(),
            replies: world.replies().clone(),
            spare: Vec::new(),
            used: 0,
            trail,
            horizon,
            arrival: world.arrival.clone(),
            root,
            evaluation,
        }
    }

    /// A copy of a position, in the memory of one that is not needed any more if there is one.
    pub(super) fn copy(&mut self, game: &SmartDog) -> SmartDog {
        match self.spare.pop() {
            Some(mut copy) => {
                copy.copy_from(game);
                copy
            }
            None => game.clone(),
        }
    }

    /// These positions are not needed any more.
    pub(super) fn reuse(&mut self, games: impl IntoIterator<Item = SmartDog>) {
        self.spare.extend(games);
    }

    /// Plays one turn of all players; own dogs without a deed stand.
    pub(super) fn play(&mut self, game: &mut SmartDog, deeds: impl IntoIterator<Item = Deed>) {
        let expected = self.expected(game);
        let last = self.is_last(game.turn());
        if last {
            command(game, &expected);
        }
        self.finish(game, deeds);
        if !last {
            command(game, &expected);
        }
        game.end_all();
    }

    /// Begins a turn from which several are to be played.
    pub(super) fn begin(&mut self, game: &SmartDog) -> Begun {
        let mut expected = self.expected(game);
        let mut game = self.copy(game);
        if self.is_last(game.turn()) {
            command(&mut game, &expected);
            expected.clear();
        }
        Begun { game, expected }
    }

    /// One turn that has begun, played by these deeds.
    pub(super) fn played(
        &mut self,
        begun: &Begun,
        deeds: impl IntoIterator<Item = Deed>,
    ) -> SmartDog {
        let mut game = self.copy(&begun.game);
        self.finish(&mut game, deeds);
        command(&mut game, &begun.expected);
        game.end_all();
        game
    }

    /// Whether the others act first in this turn.
    fn is_last(&self, turn: u32) -> bool {
        Arrival::others_first(self.arrival.as_ref(), turn)
    }

    /// What the others are expected to order.
    fn expected(&mut self, game: &SmartDog) -> Expected {
        let active = &self.active;
        if active.contains(&true) {
            let wanted = |at: usize| active.get(at).copied().unwrap_or(false);
            self.replies.orders(game, &wanted)
        } else {
            Expected::new()
        }
    }

    /// Gives the own orders of a turn, which is counted.
    fn finish(&mut self, game: &mut SmartDog, deeds: impl IntoIterator<Item = Deed>) {
        self.used += 1;
        for (own, deed) in self.evaluation.own.iter().zip(deeds) {
            for command in deed.commands(DogId(*own as u16)) {
                let _ = game.play(self.me, command);
            }
        }
    }

    /// Whether lines go on after their plans.
    pub(super) const fn goes_on(&self) -> bool {
        self.horizon > 0
    }

    /// What the own dogs do by their roles.
    fn by_roles(&self, game: &SmartDog, roles: &[Role]) -> Deeds {
        let Some(tables) = self.replies.tables(self.me) else {
            return Deeds::new();
        };
        let mut players: [Option<Greedy<'_>>; 3] = [None, None, None];
        let dogs = self.evaluation.own.iter().zip(roles);
        let deed = |(own, role): (&usize, &Role)| {
            let dog = game.dogs().get(*own)?;
            if dog.suffers() == Some(Fright::Panic) {
                return None;
            }
            let player = players.get_mut(*role as usize)?;
            let player = player.get_or_insert_with(|| Greedy::new(game, self.me, tables, *role));
            Some(Deed::from_commands(&player.deed(DogId(*own as u16), dog)))
        };
        dogs.map(deed).map(Option::unwrap_or_default).collect()
    }

    /// Plays some turns by roles from a position of this value; notes the deeds. The last value, and the sum of all; after
    /// the match's end the value stays.
    pub(super) fn go_on(
        &mut self,
        game: &mut SmartDog,
        mut value: f64,
        turns: u32,
        roles: &[Role],
        terrain: &mut Terrain,
        mut note: impl FnMut(&Deeds),
    ) -> (f64, f64) {
        let mut sum = 0.0;
        for turn in 0..turns {
            if game.is_over() {
                sum += value * f64::from(turns - turn);
                break;
            }
            let deeds = self.by_roles(game, roles);
            note(&deeds);
            self.play(game, deeds.iter().copied());
            value = self.evaluation.value(game, terrain);
            sum += value;
        }
        (value, sum)
    }

    /// The value of a line that has come to this position by plans of `depth` turns: the mean of what it is worth on
    /// its way and at its end, after it has gone on by roles.
    pub(super) fn far_total(
        &mut self,
        game: &mut SmartDog,
        value: f64,
        sum: f64,
        depth: usize,
        roles: &[Role],
        terrain: &mut Terrain,
    ) -> f64 {
        if !self.goes_on() {
            return self.total(value, sum);
        }
        let turns = self.horizon;
        let (last, more) = self.go_on(game, value, turns, roles, terrain, |_| ());
        f64::midpoint(last, (sum + more) / f64::from(depth as u32 + turns))
    }

    /// The value of a line that ends with this value, and the sum of the values along the way.
    pub(super) fn total(&self, value: f64, sum: f64) -> f64 {
        value + self.trail * sum
    }

    /// The value of n turns of these deeds, by the own dog's place and the turn.
    pub(super) fn line(
        &mut self,
        depth: usize,
        terrain: &mut Terrain,
        deed: impl Fn(usize, usize) -> Deed,
    ) -> f64 {
        let mut game = self.root.clone();
        let (mut sum, mut value) = (0.0, 0.0);
        let own = self.evaluation.own.len();
        for turn in 0..depth {
            self.play(&mut game, (0..own).map(|dog| deed(dog, turn)));
            value = self.evaluation.value(&game, terrain);
            sum += value;
        }
        self.total(value, sum)
    }

    /// These deeds of the own dogs as orders, in terms of the believed position.
    pub(super) fn orders(&self, deeds: impl IntoIterator<Item = Deed>) -> Orders {
        let mut game = self.root.clone();
        let mut orders = Orders::new();
        for (own, deed) in self.evaluation.own.iter().zip(deeds) {
            for command in deed.commands(DogId(*own as u16)) {
                if game.play(self.me, command).is_ok() {
                    orders.push(command);
                }
            }
        }
        orders
    }
}

/// Others' orders; those that are refused change nothing.
fn command(game: &mut SmartDog, orders: &Expected) {
    for (seat, command) in orders {
        let _ = game.play(*seat, *command);
    }
}

/// The position without the sheep that no dog near can reach within n turns; the evaluation counts them as
/// work for later, and in the lead where they stand in pens.
fn near(world: &World, evaluation: &mut Evaluation, depth: u32) -> SmartDog {
    let game = &world.game;
    let ground = game.ground();
    let torus = ground.torus();
    let range = (depth.min(RANGE_MAX) + bark(game) + 2) as i32;
    let within = |from: Spot, to: Spot| steps(torus, from, to) <= range;
    let mut left_out = Vec::new();
    let mut sheep = Vec::new();
    for (number, one) in game.sheep().iter().enumerate() {
        let land = ground.land(one.spot);
        let at_stake = land == Land::Pen(world.me);
        let mut dogs = game.dogs().iter();
        if dogs.any(|dog| (dog.owner == world.me || at_stake) && within(dog.spot, one.spot)) {
            sheep.push((Some(number), one.clone()));
        } else {
            left_out.push((torus.index(one.spot), land));
        }
    }
    evaluation.leave_out(world.me, left_out);
    let dogs = game.dogs().iter().cloned();
    let sheep = renumbered(sheep, game.sheep().len());
    SmartDog::imagine(ground, game.turn(), dogs, sheep, PUSHES_MAX)
}

/// How far a bark reaches, as far as ranges go.
fn bark(game: &SmartDog) -> u32 {
    game.ground().options().get(Key::DogBarkingR).min(1_000)
}

fn steps(torus: Torus, from: Spot, to: Spot) -> i32 {
    let (dx, dy) = torus.displacement(from, to);
    dx.abs() + dy.abs()
}

/// A fingerprint: equal for equal positions.
pub(super) fn print(game: &SmartDog) -> u64 {
    let mut print = 0u64;
    let mut mix = |value: u64| {
        print = (print.rotate_left(5) ^ value).wrapping_mul(0x517C_C1B7_2722_0A95);
    };
    for dog in game.dogs() {
        mix(u64::from(dog.spot.x) | u64::from(dog.spot.y) << 16 | u64::from(dog.disabled) << 32);
    }
    for sheep in game.sheep() {
        mix(u64::from(sheep.spot.x)
            | u64::from(sheep.spot.y) << 16
            | (sheep.direction as u64) << 32
            | u64::from(sheep.frightened) << 34);
    }
    print
}

#[cfg(test)]
mod tests {
    use super::super::player::CHAMPION;
    use super::super::value::WEIGHTS;
    use super::*;
    use crate::known::KnownMaps;
    use crate::map::Map;
    use crate::options::Options;
    use crate::rules::{Command, Players, Setup};

    const ME: Seat = Seat(0);

    /// A match of one with these options.
    fn begun(rows: &str, options: &[(Key, i64)]) -> SmartDog {
        let set = |all: Options, (key, value): &(Key, i64)| all.with(*key, *value).unwrap();
        SmartDog::begin(&Setup {
            map: Map::read(rows).unwrap(),
            players: Players::One,
            options: options.iter().fold(Options::default(), set),
        })
    }

    #[test]
    fn a_pen_that_nobody_reaches_is_not_empty() {
        // One turn is left, each pen holds a sheep, and the first among equals wins.
        let row = format!("o{:.<199}", "");
        let dogs = format!("{:.<100}@{:.<99}", "", "");
        let game = SmartDog::begin(&Setup {
            map: Map::read(&format!("{row}\n{dogs}")).unwrap(),
            players: Players::Two,
            options: Options::default().with(Key::TurnsLimit, 1).unwrap(),
        });
        let mut world = World::new(&game.seen_by(ME), &KnownMaps::none(), &[]);
        world.game.clone_from(&game);
        let mut terrain = Terrain::new(game.ground(), ME);
        let mut evaluation = Evaluation::new(&world, &terrain, CHAMPION.weights);
        let near = near(&world, &mut evaluation, 1);
        assert!(near.sheep().is_empty());
        assert!(evaluation.value(&near, &mut terrain) > 0.0);
    }

    #[test]
    fn fright_is_not_given_back_where_far_sheep_are_left_out() {
        let options = [
            (Key::SheepScaryTurns, 2),
            (Key::DogBarkingR, 2),
            (Key::SheepStandBy, 90),
        ];
        let mut game = begun(
            "..........*.........\n@.*.................\n...*................\n....................",
            &options,
        );
        game.play(ME, Command::Bark(DogId(0))).unwrap();
        game.end_all();
        let mut world = World::new(&game.seen_by(ME), &KnownMaps::none(), &[]);
        world.game.clone_from(&game);
        let mut evaluation = Evaluation::new(&world, &Terrain::new(game.ground(), ME), WEIGHTS);
        let mut near = near(&world, &mut evaluation, 1);
        assert_eq!(near.sheep().len(), 2);
        for _ in 0..3 {
            game.end_all();
            near.end_all();
            let spots = |game: &SmartDog, skipped: usize| -> Vec<Spot> {
                let sheep = game.sheep().iter().skip(skipped);
                sheep.map(|sheep| sheep.spot).collect()
            };
            assert_eq!(spots(&near, 0), spots(&game, 1));
        }
    }
}
