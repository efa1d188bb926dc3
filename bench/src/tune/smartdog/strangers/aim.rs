//! What a stranger wants: the value of a position for each way of playing.

use games::game::Seat;
use games::smartdog::options::Key;
use games::smartdog::rules::{Direction, Dog, Ground, Land, SmartDog, Spot, UNREACHED};

/// Steps that count as no way at all.
const FAR: u16 = 99;

/// A way of playing, in numbers; a penned sheep is worth 120.
#[derive(Clone, Copy)]
pub(super) struct Aim {
    /// A sheep in somebody else's pen.
    pub(super) robs: f64,
    /// A step of a sheep to the own pen.
    pub(super) herds: f64,
    /// Whether dogs prefer sheep in others' pens to those in the open.
    pub(super) raids: bool,
    /// Whether a dog stays at the own pen, against those that come near.
    pub(super) guards: bool,
    /// A turn for which a foreign dog is disabled.
    pub(super) freezes: f64,
}

/// Herds, and takes from pens what is easily had.
pub(super) const HERDER: Aim = Aim {
    robs: 25.0,
    herds: 3.0,
    raids: false,
    guards: false,
    freezes: 2.0,
};

/// Empties others' pens first.
pub(super) const ROBBER: Aim = Aim {
    robs: 100.0,
    raids: true,
    ..HERDER
};

/// Herds with all dogs but one, which keeps others away from the own pen.
pub(super) const GUARD: Aim = Aim {
    guards: true,
    freezes: 6.0,
    ..HERDER
};

/// What one seat wants on one ground.
#[derive(Clone)]
pub(super) struct Purpose {
    pub(super) aim: Aim,
    me: Seat,
    /// Steps to the own pen, by cell.
    home: Vec<u16>,
    radius: u32,
}

impl Purpose {
    pub(super) fn new(aim: Aim, me: Seat, ground: &Ground) -> Self {
        let radius = ground.options().get(Key::DogBarkingR);
        let steps = |steps: u16| {
            if steps == UNREACHED {
                FAR
            } else {
                steps.min(FAR - 1)
            }
        };
        Self {
            aim,
            me,
            home: ground.steps_to_pen(me).into_iter().map(steps).collect(),
            radius,
        }
    }

    fn home(&self, ground: &Ground, spot: Spot) -> u16 {
        self.home[ground.torus().index(spot)]
    }

    /// Where the sheep goes.
    pub(super) fn sheep(&self, game: &SmartDog) -> f64 {
        let ground = game.ground();
        let worth = |spot: Spot| match ground.land(spot) {
            Land::Pen(owner) if owner == self.me => 120.0,
            Land::Pen(_) => -self.aim.robs - self.aim.herds * 10.0,
            _ => -self.aim.herds * f64::from(self.home(ground, spot).min(40)),
        };
        game.sheep().iter().map(|sheep| worth(sheep.spot)).sum()
    }

    /// How the dogs stand: ways to their work, those disabled, and the reach of able enemies.
    pub(super) fn dogs(&self, game: &SmartDog) -> f64 {
        let ground = game.ground();
        let torus = ground.torus();
        let mine = |dog: &&Dog| dog.owner == self.me;
        let (own, foreign): (Vec<&Dog>, Vec<&Dog>) = game.dogs().iter().partition(mine);
        let disabled = |dogs: &[&Dog]| {
            dogs.iter()
                .map(|dog| f64::from(dog.disabled.min(6)))
                .sum::<f64>()
        };
        let mut sum = self.aim.freezes * disabled(&foreign) - 3.0 * disabled(&own);
        let tile = ground.tiles().get(self.me);
        for (at, dog) in own.iter().enumerate() {
            let abroad = tile.is_none_or(|tile| !tile.contains(dog.spot));
            let near = |enemy: &&Dog| {
                enemy.disabled == 0 && torus.within(enemy.spot, dog.spot, self.radius + 1)
            };
            if abroad && foreign.iter().any(near) {
                sum -= 4.0;
            }
            sum -= match self.watch(game, &own, at, &foreign) {
                Some(post) => f64::from(post),
                None => f64::from(self.work(game, dog.spot)),
            };
        }
        sum
    }

    /// Steps from the guard to its post, or to a dog that comes near the own pen; `None` for other dogs.
    fn watch(&self, game: &SmartDog, own: &[&Dog], at: usize, foreign: &[&Dog]) -> Option<u32> {
        let ground = game.ground();
        let threat = |dog: &&&Dog| u32::from(self.home(ground, dog.spot)) <= self.radius + 4;
        let threats: Vec<Spot> = foreign.iter().filter(threat).map(|dog| dog.spot).collect();
        let penned = game
            .sheep()
            .iter()
            .any(|sheep| ground.land(sheep.spot) == Land::Pen(self.me));
        let duty = self.aim.guards
            && at + 1 == own.len()
            && penned
            && (own.len() > 1 || !threats.is_empty());
        let post = u32::from(self.home(ground, own[at].spot)).saturating_sub(2);
        let far = |to: &Spot| steps(ground, own[at].spot, *to).saturating_sub(self.radius);
        duty.then(|| threats.iter().map(far).min().unwrap_or(post))
    }

    /// Steps from a dog to the nearest place from which it can do something.
    fn work(&self, game: &SmartDog, dog: Spot) -> u32 {
        let ground = game.ground();
        let robbed = |spot: Spot| matches!(ground.land(spot), Land::Pen(owner) if owner != self.me);
        let raid = self.aim.raids && game.sheep().iter().any(|sheep| robbed(sheep.spot));
        let mut least = u32::from(FAR);
        for sheep in game.sheep() {
            let home = self.home(ground, sheep.spot);
            let cost = if robbed(sheep.spot) {
                let far = steps(ground, dog, sheep.spot).saturating_sub(self.radius);
                far + if self.aim.raids { 0 } else { 6 }
            } else if home == 0 || raid || home == FAR {
                continue;
            } else {
                let ways = Direction::ALL.into_iter();
                let nearer = |way: &Direction| {
                    self.home(ground, ground.torus().next(sheep.spot, *way)) < home
                };
                let behind = |way: Direction| ground.torus().next(sheep.spot, way.opposite());
                let stands = ways.filter(nearer).map(behind);
                let far = stands.map(|stand| steps(ground, dog, stand)).min();
                far.unwrap_or(u32::from(FAR)) + u32::from(home) / 4
            };
            least = least.min(cost);
        }
        if least < u32::from(FAR) {
            return least;
        }
        // Nothing is known: towards the nearest pen of somebody else.
        let pens = ground.torus().spots().filter(|spot| robbed(*spot));
        pens.map(|spot| steps(ground, dog, spot))
            .min()
            .unwrap_or_default()
    }
}

fn steps(ground: &Ground, from: Spot, to: Spot) -> u32 {
    let (dx, dy) = ground.torus().displacement(from, to);
    dx.unsigned_abs() + dy.unsigned_abs()
}
