//! The value of a position: sheep that will stand in pens at the end, how far the others are from one, and
//! how far the dogs are from work.

use super::explore::explore;
use super::terrain::{FAR, Terrain};
use super::world::World;
use crate::game::Seat;
use crate::knobs::knobs;
use crate::smartdog::options::Key;
use crate::smartdog::rules::{Dog, Fright, Land, SmartDog};
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
    /// A sheep at the pen's edge, for this term; it falls off linearly to the end of the world.
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
    /// Turns added to an own dog's disablement.
    lasting: f64 = 0.0,
    /// A turn for which a foreign dog is frozen.
    freezes: f64 = 0.003,
    /// Whether only dogs that can walk take work (above 0).
    roles: f64 = 0.0,
    /// A sheep in the own pen that a foreign dog reaches sooner than an own one does.
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
    /// Sheep too far away to be simulated, by cell: work for later.
    far_sheep: Vec<(usize, bool)>,
    players: usize,
    /// How far a bark is heard.
    radius: u16,
    /// Dogs that were not seen for long, by place.
    doubtful: Vec<bool>,
}

/// Work for a dog.
#[derive(Clone, Copy)]
struct Job {
    sheep: usize,
    home: f64,
    taken: bool,
}

/// Steps by which a look around costs more than walking to a sheep.
const LOOK: f64 = 8.0;
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
            players: ground.tiles().len(),
            doubtful: (world.met.iter())
                .map(|met| f64::from(world.game.turn().saturating_sub(*met)) > weights.unseen)
                .collect(),
            radius: options.get(Key::DogBarkingR).min(1_000) as u16,
        }
    }

    /// Sheep that are not simulated.
    pub(super) fn leave_out(&mut self, cells: Vec<(usize, bool)>) {
        self.far_sheep = cells;
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
        let ground = std::sync::Arc::clone(&terrain.ground);
        let torus = ground.torus();
        let (turns, strolls) = (self.turns_left(game), self.strolls_left(game));
        let mut penned = [0.0f64; 4];
        let mut hopes = 0.0;
        let mut jobs: SmallVec<[Job; 32]> = SmallVec::new();
        let add = |penned: &mut [f64; 4], seat: Seat, worth: f64| {
            if let Some(sum) = penned.get_mut(seat.index()) {
                *sum += worth;
            }
        };
        for sheep in game.sheep() {
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
            let mut job = Job {
                sheep: cell,
                home: f64::from(home),
                taken: false,
            };
            match ground.land(torus.spot(cell)) {
                Land::Pen(owner) if owner == terrain.me => {
                    let safe = if sheep.frightened > 0 { 0.96 } else { 1.0 };
                    add(&mut penned, owner, safe);
                    continue;
                }
                Land::Pen(owner) => {
                    add(&mut penned, owner, 1.0);
                    job.home = job.home.min(6.0);
                }
                _ => {
                    let fate = terrain.fate(cell, sheep.direction);
                    if u32::from(fate.strolls) <= strolls && fate.strolls != FAR {
                        let wait = f64::from(u32::from(fate.strolls) * self.period);
                        let sure = 0.95 - 0.25 * (wait / 150.0).min(1.0);
                        if fate.pen == terrain.me {
                            add(&mut penned, fate.pen, sure);
                            continue;
                        }
                        add(&mut penned, fate.pen, 0.5 * sure);
                    }
                }
            }
            if home == FAR {
                continue;
            }
            let worth = self.worth.get(usize::from(home)).copied().unwrap_or(0.0);
            let late = u32::from(home) > turns;
            hopes += if late { 0.1 * worth } else { worth };
            if !late || job.home < f64::from(home) || self.weights.fade > 0.0 {
                jobs.push(job);
            }
        }
        for (cell, robbery) in &self.far_sheep {
            let home = terrain.home(*cell);
            if home != FAR {
                jobs.push(Job {
                    sheep: *cell,
                    home: if *robbery { 6.0 } else { f64::from(home) },
                    taken: false,
                });
            }
        }
        let walks = self.walks(game, terrain, &mut jobs, turns);
        let mut value =
            hopes - self.weights.walk * (1.0 - near_end(turns, self.weights.fade)) * walks;
        let mut leader = 0.0f64;
        for (seat, penned) in penned.iter().enumerate().take(self.players.max(1)) {
            if seat == terrain.me.index() {
                value += penned;
            } else {
                value -= self.weights.rivals * penned;
                leader = leader.max(*penned);
            }
        }
        value -= self.weights.leader * leader;
        let closing = near_end(turns, self.weights.closing);
        value *= 1.0 - closing;
        if self.weights.guard > 0.0 {
            let own = penned.get(terrain.me.index()).copied().unwrap_or_default();
            value -= self.weights.guard * own * self.risk(game, terrain);
        }
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

    /// How far ahead of the best rival, negative if behind: the nearer the end, the more a small lead counts.
    fn lead(&self, penned: &[f64; 4], me: Seat, turns: u32) -> f64 {
        let own = penned.get(me.index()).copied().unwrap_or_default();
        let lead = |(seat, penned): (usize, &f64)| {
            // The first seat among equals wins.
            let tie = if seat < me.index() { -0.5 } else { 0.5 };
            (seat != me.index()).then_some(own - penned + tie)
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
            let idle = best.1.is_none() && best.0 >= COST_MAX;
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
                // Whoever froze it may keep it frozen for as long as they like.
                -self.weights.frozen * (turns + self.weights.lasting) * kind
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
