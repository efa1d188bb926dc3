//! The value of a position: sheep that will stand in pens at the end, how far the others are from one, and
//! how far the dogs are from work.

use super::explore::explore;
use super::terrain::{FAR, Terrain};
use super::world::World;
use crate::options::Key;
use crate::rules::{Dog, Fright, Land, Sheep, SmartDog};
use drover_game::game::Seat;
use drover_game::knobs;
use smallvec::SmallVec;

knobs! {
    /// The unit is one sheep: a safely penned one is worth 1.
    struct Weights;
    /// The shipped weights.
    const WEIGHTS;
    /// A sheep one step from the pen, for this term; it falls off exponentially…
    near: f64 = 0.5,
    /// …with this many steps.
    near_steps: f64 = 8.0,
    /// A sheep at the pen's edge, for this term; it falls off linearly and is 0 from 80 steps on.
    far: f64 = 0.25,
    /// Each step between a dog and its work.
    walk: f64 = 0.003,
    /// A step of the sheep's way home, in steps of the dog's way, when choosing work.
    carry: f64 = 0.35,
    /// Sheep in all rivals' pens together.
    rivals: f64 = 0.15,
    /// Those of the rival that has most.
    leader: f64 = 0.85,
    /// A turn for which an own dog is frozen; mute dogs count half.
    frozen: f64 = 0.006,
    /// A turn for which a foreign dog is frozen.
    freezes: f64 = 0.003,
    /// Whether only dogs that can walk take work (above 0).
    roles: f64 = 0.0,
    /// A sheep in the own pen with one foreign dog more than own ones next to it; less the farther they are away.
    guard: f64 = 0.0,
    /// Being ahead at the end, by the rule for ties.
    win: f64 = 0.0,
    /// Turns before the end at which a lead of one sheep is half as sure.
    early: f64 = 30.0,
    /// Turns before the end from which on ways to work count less and less; then work that is too late is still work.
    fade: f64 = 0.0,
    /// Turns before the end from which on the lead counts more and more, and sheep less and less.
    closing: f64 = 0.0,
    /// What a sure lead is worth more at the end.
    closing_win: f64 = 0.0,
    /// Whether dogs go to see others' pens that were out of sight for long (above 0).
    look: f64 = 0.0,
    /// Turns out of sight after which it is worth nothing that a foreign dog is frozen.
    unseen: f64 = f64::INFINITY,
}

/// What all lines of a decision share.
#[derive(Clone, Debug)]
pub(super) struct Evaluation {
    weights: Weights,
    /// The last turn.
    limit: u32,
    /// Turns from stroll to stroll.
    period: u32,
    /// The value of a sheep by its steps from home.
    worth: Vec<f64>,
    /// Own dogs, by place.
    pub(super) own: Vec<usize>,
    /// Steps to cells worth looking at, by cell, if there are any ([`explore`]).
    explore: Option<Vec<u16>>,
    /// Sheep too far away to be simulated, by cell, and whether they stand in another's pen: work for later.
    far_sheep: Vec<(usize, bool)>,
    /// Sheep too far away to be simulated in each seat's pen, the own one too.
    far_penned: [f64; 4],
    /// Whether an empty pen cannot win: sheep stood in it at first.
    must_hold: bool,
    players: usize,
    /// How far a bark reaches.
    radius: u16,
    /// Dogs that were not seen for long, by place.
    doubtful: Vec<bool>,
}

/// Work for a dog.
#[derive(Clone, Copy)]
struct Job {
    /// The sheep's cell.
    sheep: usize,
    /// Its steps from the own pen.
    home: f64,
    taken: bool,
}

impl Job {
    const fn new(sheep: usize, home: f64) -> Self {
        let taken = false;
        Self { sheep, home, taken }
    }
}

/// What a position's sheep come to.
#[derive(Default)]
struct Census {
    /// Sheep in each seat's pen, less for those that are only likely to be.
    penned: [f64; 4],
    /// What sheep outside the own pen are worth.
    hopes: f64,
    jobs: SmallVec<[Job; 32]>,
}

impl Census {
    fn pen(&mut self, owner: Seat, sheep: f64) {
        if let Some(sum) = self.penned.get_mut(owner.index()) {
            *sum += sheep;
        }
    }
}

/// Steps by which a look around costs more than walking to a sheep.
const LOOK: f64 = 8.0;
/// Steps home, at most, of a sheep in another's pen, as work.
const ROBBED_HOME: f64 = 6.0;
/// Longer ways than this all count the same.
const COST_MAX: f64 = 120.0;
/// From how many steps and a bark away the own pen is threatened, or watched.
const GUARD_STEPS: f64 = 12.0;

impl Evaluation {
    pub(super) fn new(world: &World, terrain: &Terrain, mut weights: Weights) -> Self {
        let ground = world.game.ground();
        if ground.tiles().len() < 2 {
            // Alone there is no lead, and sheep count to the end.
            weights.fade = 0.0;
            weights.closing = 0.0;
        }
        let options = ground.options();
        let worth = (0..512)
            .map(|steps| {
                let steps = f64::from(steps);
                weights.near * (-steps / weights.near_steps).exp()
                    + weights.far * (1.0 - (steps / 80.0).min(1.0))
            })
            .collect();
        let own = (0..world.game.dogs().len())
            .filter(|at| world.game.dogs()[*at].owner == world.me)
            .collect();
        Self {
            weights,
            limit: options.get(Key::TurnsLimit),
            period: options.get(Key::SheepStandBy).saturating_add(1),
            worth,
            own,
            explore: explore(world, terrain, weights.look > 0.0),
            far_sheep: Vec::new(),
            far_penned: [0.0; 4],
            must_hold: ground.penned_of_tile() > 0,
            players: ground.tiles().len(),
            doubtful: (world.met.iter())
                .map(|met| f64::from(world.game.turn().saturating_sub(*met)) > weights.unseen)
                .collect(),
            radius: options.get(Key::DogBarkingR).min(1_000) as u16,
        }
    }

    /// Sheep that are not simulated, by cell, and what they stand on.
    pub(super) fn leave_out(&mut self, me: Seat, sheep: Vec<(usize, Land)>) {
        for (cell, land) in sheep {
            if let Land::Pen(owner) = land
                && let Some(sum) = self.far_penned.get_mut(owner.index())
            {
                *sum += 1.0;
            }
            // Those in the own pen are no work.
            if land != Land::Pen(me) {
                self.far_sheep.push((cell, matches!(land, Land::Pen(_))));
            }
        }
    }

    pub(super) fn turns_left(&self, game: &SmartDog) -> u32 {
        if game.is_over() {
            0
        } else {
            (self.limit + 1).saturating_sub(game.turn())
        }
    }

    fn strolls_left(&self, game: &SmartDog) -> u32 {
        if game.is_over() {
            return 0;
        }
        (self.limit / self.period).saturating_sub(game.turn().saturating_sub(1) / self.period)
    }

    /// The value of a position at the beginning of a turn.
    pub(super) fn value(&self, game: &SmartDog, terrain: &mut Terrain) -> f64 {
        let turns = self.turns_left(game);
        let mut census = self.census(game, terrain, turns);
        let walks = self.walks(game, terrain, &mut census.jobs, turns);
        let Census { penned, hopes, .. } = census;
        let haste = 1.0 - near_end(turns, self.weights.fade);
        let mut value = hopes - self.weights.walk * haste * walks;
        value += self.standing(&penned, terrain.me);
        if self.weights.guard > 0.0 {
            let own = penned.get(terrain.me.index()).copied().unwrap_or_default();
            value -= self.weights.guard * own * self.risk(game, terrain);
        }
        let closing = near_end(turns, self.weights.closing);
        value *= 1.0 - closing;
        if self.weights.win > 0.0 {
            let lead = self.lead(&penned, terrain.me, turns);
            value += self.weights.win * lead.tanh();
            // A lead can be sure; a player that is behind must not give up.
            let close = if lead > 0.0 {
                lead.tanh()
            } else {
                -(-lead).ln_1p()
            };
            value += closing * self.weights.closing_win * close;
        }
        value + self.frights(game, terrain.me)
    }

    /// Where the sheep stand and will stand, with the turns that are left.
    fn census(&self, game: &SmartDog, terrain: &Terrain, turns: u32) -> Census {
        let mut census = Census::default();
        let strolls = self.strolls_left(game);
        for sheep in game.sheep() {
            self.count(sheep, turns, strolls, terrain, &mut census);
        }
        for (cell, robbery) in &self.far_sheep {
            let home = terrain.home(*cell);
            if home != FAR {
                let home = if *robbery {
                    ROBBED_HOME
                } else {
                    f64::from(home)
                };
                census.jobs.push(Job::new(*cell, home));
            }
        }
        census
    }

    /// Counts a sheep where it will have run to.
    fn count(
        &self,
        sheep: &Sheep,
        turns: u32,
        strolls: u32,
        terrain: &Terrain,
        census: &mut Census,
    ) {
        let torus = terrain.ground.torus();
        let mut cell = torus.index(sheep.spot);
        let longest = u32::from(torus.cols()) + u32::from(torus.rows());
        for _ in 0..sheep.frightened.min(turns).min(longest) {
            let next = terrain.next(cell, sheep.direction);
            if next == cell {
                break;
            }
            cell = next;
        }
        let home = terrain.home(cell);
        let mut job = Job::new(cell, f64::from(home));
        match terrain.ground.land(torus.spot(cell)) {
            Land::Pen(owner) if owner == terrain.me => {
                census.pen(owner, if sheep.frightened > 0 { 0.96 } else { 1.0 });
                return;
            }
            Land::Pen(owner) => {
                census.pen(owner, 1.0);
                job.home = job.home.min(ROBBED_HOME);
            }
            _ => {
                let fate = terrain.fate(cell, sheep.direction);
                if u32::from(fate.strolls) <= strolls && fate.strolls != FAR {
                    let wait = f64::from(u32::from(fate.strolls) * self.period);
                    let sure = 0.95 - 0.25 * (wait / 150.0).min(1.0);
                    if fate.pen == terrain.me {
                        census.pen(fate.pen, sure);
                        return;
                    }
                    census.pen(fate.pen, 0.5 * sure);
                }
            }
        }
        if home == FAR {
            return;
        }
        let worth = self.worth.get(usize::from(home)).copied().unwrap_or(0.0);
        let late = u32::from(home) > turns;
        census.hopes += if late { 0.1 * worth } else { worth };
        if !late || job.home < f64::from(home) || self.weights.fade > 0.0 {
            census.jobs.push(job);
        }
    }

    /// The own sheep against the rivals'.
    fn standing(&self, penned: &[f64; 4], me: Seat) -> f64 {
        let mut standing = 0.0;
        let mut leader = 0.0f64;
        for (seat, penned) in penned.iter().enumerate().take(self.players.max(1)) {
            if seat == me.index() {
                standing += penned;
            } else {
                standing -= self.weights.rivals * penned;
                leader = leader.max(*penned);
            }
        }
        standing - self.weights.leader * leader
    }

    /// How far ahead of the best rival, negative if behind: the nearer the end, the more a small lead counts.
    fn lead(&self, penned: &[f64; 4], me: Seat, turns: u32) -> f64 {
        let far = |seat: usize| self.far_penned.get(seat).copied().unwrap_or_default();
        let own = penned.get(me.index()).copied().unwrap_or_default() + far(me.index());
        let empty = self.must_hold && own < 0.5;
        let lead = |(seat, penned): (usize, &f64)| {
            // The first seat among equals wins, unless its pen is empty and was not at first.
            let tie = if seat < me.index() || empty {
                -0.5
            } else {
                0.5
            };
            (seat != me.index()).then_some(own - penned - far(seat) + tie)
        };
        let all = penned.iter().enumerate().take(self.players.max(1));
        let least = all.filter_map(lead).reduce(f64::min).unwrap_or_default();
        least / (0.5 + f64::from(turns) / self.weights.early)
    }

    /// How badly the own pen is watched, from 0 to 1: foreign dogs that come near it, and no own dog there.
    fn risk(&self, game: &SmartDog, terrain: &Terrain) -> f64 {
        let (mut threat, mut cover) = (0.0f64, 0.0f64);
        for dog in game.dogs() {
            let steps = terrain.home(terrain.cell(dog.spot));
            let steps = steps.saturating_sub(self.radius);
            let near = 1.0 - (f64::from(steps) / GUARD_STEPS).min(1.0);
            let able = dog.suffers().is_none();
            if dog.owner != terrain.me {
                threat += if able { near } else { 0.7 * near };
            } else {
                cover += if able { near } else { 0.3 * near };
            }
        }
        (threat - cover).clamp(0.0, 1.0)
    }

    /// Steps from every own dog to the nearest job that no nearer dog has. Dogs that cannot walk keep no job from
    /// those that can.
    fn walks(&self, game: &SmartDog, terrain: &mut Terrain, jobs: &mut [Job], turns: u32) -> f64 {
        let roles = self.weights.roles > 0.0;
        let frozen = |dog: &Dog| roles && dog.suffers() == Some(Fright::Panic);
        let dogs: SmallVec<[&Dog; 8]> = (self.own.iter())
            .filter_map(|at| game.dogs().get(*at))
            .collect();
        let (frozen, able): (SmallVec<[&Dog; 8]>, SmallVec<[&Dog; 8]>) =
            dogs.into_iter().partition(|dog| frozen(dog));
        let mut sum = 0.0;
        for (at, dog) in able.iter().chain(&frozen).enumerate() {
            let walks = at < able.len();
            let stand = terrain.cell(dog.spot);
            let mut best = (COST_MAX, None);
            let mut tardy = (COST_MAX, None);
            let mut work = false;
            for (at, job) in jobs.iter().enumerate() {
                if job.taken && walks {
                    continue;
                }
                let carry = self.weights.carry * job.home;
                if carry >= best.0 {
                    continue;
                }
                let need = terrain.need(job.sheep, stand);
                if need == u8::MAX {
                    continue;
                }
                work = true;
                let cost = f64::from(need) + carry;
                let late = f64::from(need) + job.home > f64::from(turns);
                let nearest = if late { &mut tardy } else { &mut best };
                if cost < nearest.0 {
                    *nearest = (cost, Some(at));
                }
            }
            if best.1.is_none() && self.weights.fade > 0.0 {
                best = tardy;
            }
            if let Some(explore) = &self.explore {
                let steps = explore.get(stand).copied().unwrap_or(FAR);
                let cost = f64::from(steps) + LOOK;
                if cost < best.0 {
                    best = (cost, None);
                }
            }
            if let Some(job) = best.1.and_then(|at| jobs.get_mut(at)) {
                job.taken |= walks;
            }
            let idle = best.1.is_none() && best.0 >= COST_MAX && !work;
            sum += if idle { 0.0 } else { best.0 };
        }
        sum
    }

    fn frights(&self, game: &SmartDog, me: Seat) -> f64 {
        let mut sum = 0.0;
        for (at, dog) in game.dogs().iter().enumerate() {
            if dog.disabled == 0 || self.doubtful.get(at) == Some(&true) {
                continue;
            }
            let turns = f64::from(dog.disabled.min(8));
            let kind = if dog.fright == Fright::Panic {
                1.0
            } else {
                0.5
            };
            sum += if dog.owner == me {
                // The dog that froze it may keep it frozen for as long as they like.
                -self.weights.frozen * turns * kind
            } else {
                self.weights.freezes * turns * kind
            };
        }
        sum
    }
}

/// How near the end is, from 0, this many turns before it or earlier, to 1; 0 if there are none such turns.
fn near_end(turns: u32, from: f64) -> f64 {
    if from > 0.0 {
        1.0 - (f64::from(turns) / from).min(1.0)
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::player::CHAMPION;
    use super::*;
    use crate::known::KnownMaps;
    use crate::map::Map;
    use crate::options::Options;
    use crate::rules::{Direction, PUSHES_MAX, Players, Setup, Spot};

    const ME: Seat = Seat(0);
    /// A tile with a pen, two sheep in it, a dog and a gap to the next tile.
    const HELD: &str = "oo--..........\n....@.........\n..............";

    fn begun(rows: &str, players: Players, turns: i64) -> SmartDog {
        SmartDog::begin(&Setup {
            map: Map::read(rows).unwrap(),
            players,
            options: Options::default().with(Key::TurnsLimit, turns).unwrap(),
        })
    }

    fn duet(rows: &str) -> SmartDog {
        begun(rows, Players::Two, 200)
    }

    /// The champion's value of a position for the first player.
    fn value(game: &SmartDog) -> f64 {
        value_besides(game, Vec::new())
    }

    /// The same with these sheep in addition, which are not simulated.
    fn value_besides(game: &SmartDog, left_out: Vec<(usize, Land)>) -> f64 {
        let mut world = World::new(&game.seen_by(ME), &KnownMaps::none(), &[]);
        world.game.clone_from(game);
        world.met = vec![game.turn(); game.dogs().len()];
        let mut terrain = Terrain::new(game.ground(), ME);
        let mut evaluation = Evaluation::new(&world, &terrain, CHAMPION.weights);
        evaluation.leave_out(ME, left_out);
        evaluation.value(game, &mut terrain)
    }

    /// The position with these sheep, calm, and dogs changed by `change`.
    fn changed(
        game: &SmartDog,
        sheep: &[(u16, u16)],
        change: impl FnOnce(&mut Vec<Dog>),
    ) -> SmartDog {
        let mut dogs = game.dogs().to_vec();
        change(&mut dogs);
        let sheep = sheep.iter().map(|(x, y)| Spot { x: *x, y: *y });
        let sheep = sheep.map(|spot| Sheep::imagine(spot, Direction::Up, 0));
        SmartDog::imagine(game.ground(), game.turn(), dogs, sheep, PUSHES_MAX)
    }

    /// The position after the last turn of a match of one turn, with these sheep.
    fn ended(rows: &str, sheep: &[(u16, u16)], change: impl FnOnce(&mut Vec<Dog>)) -> SmartDog {
        let mut game = changed(&begun(rows, Players::Two, 1), sheep, change);
        game.end_all();
        assert!(game.is_over());
        game
    }

    #[test]
    fn sheep_are_worth_more_the_nearer_home_they_are_and_count_against_it_in_a_rivals_pen() {
        let game = duet("--............\n......@.......\n..............");
        let values = [(0, 0), (3, 1), (9, 1), (14, 0)].map(|sheep| {
            // The dogs stand far from all of them.
            value(&changed(&game, &[sheep], |_| {}))
        });
        assert!(values.is_sorted_by(|one, other| one > other), "{values:?}");
    }

    #[test]
    fn frozen_dogs_count_for_the_dog_that_froze_them() {
        let game = duet(HELD);
        let sheep = [(0, 0), (1, 0)];
        let frozen = |at: usize, fright| {
            value(&changed(&game, &sheep, |dogs| {
                dogs[at].disabled = 4;
                dogs[at].fright = fright;
            }))
        };
        let free = value(&changed(&game, &sheep, |_| {}));
        assert!(frozen(0, Fright::Panic) < frozen(0, Fright::Indignant));
        assert!(frozen(0, Fright::Indignant) < free);
        assert!(free < frozen(1, Fright::Indignant));
        assert!(frozen(1, Fright::Indignant) < frozen(1, Fright::Panic));
    }

    #[test]
    fn a_pen_is_to_be_watched_while_turns_are_left() {
        let sheep = [(0, 0), (1, 0)];
        let threat = |dogs: &mut Vec<Dog>| {
            dogs[0].spot = Spot { x: 13, y: 2 };
            dogs[1].spot = Spot { x: 3, y: 2 };
        };
        let away = |dogs: &mut Vec<Dog>| dogs[0].spot = Spot { x: 13, y: 2 };
        let game = duet(&format!("{HELD}\n..............\n.............."));
        assert!(value(&changed(&game, &sheep, threat)) < value(&changed(&game, &sheep, away)));
        // After the match nobody robs it.
        let rows = format!("{HELD}\n..............\n..............");
        let values =
            [ended(&rows, &sheep, threat), ended(&rows, &sheep, away)].map(|game| value(&game));
        assert_eq!(values[0].to_bits(), values[1].to_bits(), "{values:?}");
    }

    #[test]
    fn an_empty_pen_wins_only_if_it_was_empty_at_first() {
        let none = |_: &mut Vec<Dog>| {};
        // Level, and first among equals.
        assert!(value(&ended("--....\n..@...\n......", &[], none)) > 0.0);
        assert!(value(&ended("oo....\n..@...\n......", &[], none)) < 0.0);
        assert!(value(&ended("oo....\n..@...\n......", &[(0, 0)], none)) > 0.0);
    }

    #[test]
    fn sheep_in_pens_that_nobody_reaches_count_in_the_lead() {
        let game = ended("oo....\n..@...\n......", &[], |_| {});
        let besides = |left_out| value_besides(&game, left_out);
        let (own, rivals) = ((0, Land::Pen(ME)), (6, Land::Pen(Seat(1))));
        assert!(besides(vec![own]) > 0.0);
        assert!(besides(vec![rivals]) < besides(Vec::new()));
        assert!(besides(vec![own, rivals]) > 0.0, "first among equals");
    }

    #[test]
    fn it_does_not_pay_to_walk_away_from_distant_work() {
        let row = |things: &str| format!("{things:.<700}");
        let rows = [row("--"), row("@"), row("")].join("\n");
        let game = begun(&rows, Players::One, 1_000);
        let values = [100, 118, 130, 145, 257, 270, 340].map(|x| {
            let sheep = [(3, 1)];
            value(&changed(&game, &sheep, |dogs| {
                dogs[0].spot = Spot { x, y: 1 }
            }))
        });
        assert!(values.is_sorted_by(|one, other| one >= other), "{values:?}");
        assert!(values[0] > values[3]);
    }
}
