//! Maps for two whose homes are close, or where planets shrink.

use games::planetwars::rules::{NEUTRAL, Planet, PlayerId};
use games::rng::Rng;

/// Streams of a map's seed.
const CLOSE_STREAM: u64 = 11 << 32;
const CROWD_STREAM: u64 = 13 << 32;
const SHRINKING_STREAM: u64 = 12 << 32;

/// Planets that are added one by one, numbered from 1, no two at one place.
#[derive(Default)]
struct Sky(Vec<Planet>);

impl Sky {
    fn add(&mut self, (x, y): (i32, i32), growth: i64, owner: PlayerId, ships: i64) {
        let (x, y) = (f64::from(x), f64::from(y));
        if !self.0.iter().any(|planet| (planet.x, planet.y) == (x, y)) {
            let id = self.0.len() as u32 + 1;
            self.0.push(Planet {
                id,
                x,
                y,
                growth,
                owner,
                ships,
            });
        }
    }

    /// A planet and its reflection in the middle.
    fn pair(&mut self, (x, y): (i32, i32), growth: i64, owners: [PlayerId; 2], ships: i64) {
        self.add((x, y), growth, owners[0], ships);
        self.add((-x, -y), growth, owners[1], ships);
    }
}

fn coordinate(rng: &mut Rng, most: i32) -> i32 {
    rng.below(2 * most as u32 + 1) as i32 - most
}

/// Homes of 2 to 6 ships one to four turns apart, and up to eight free planets around, growth 1: three to eight are drawn,
/// and those that fall on a place that is taken are left out.
pub(super) fn near(seed: u64) -> Vec<Planet> {
    let mut rng = Rng::new(seed, CLOSE_STREAM);
    let mut sky = Sky::default();
    let ships = i64::from(2 + rng.below(5));
    let apart = 1 + rng.below(3) as i32;
    sky.add((0, 0), 1, 1, ships);
    sky.add((apart, rng.below(2) as i32), 1, 2, ships);
    for _ in 0..3 + rng.below(6) {
        let at = (coordinate(&mut rng, 4), coordinate(&mut rng, 4));
        sky.add(at, 1, NEUTRAL, i64::from(1 + rng.below(3)));
    }
    sky.0
}

/// Homes of 2 to 6 ships of more than two players, mostly one to four turns apart, and up to four free planets for each,
/// growth 1: two to four are drawn, and those that fall on a place that is taken are left out.
pub(super) fn crowd(seed: u64, players: usize) -> Vec<Planet> {
    let mut rng = Rng::new(seed, CROWD_STREAM);
    let mut sky = Sky::default();
    let ships = i64::from(2 + rng.below(5));
    let most = 1 + players as i32 / 4;
    while sky.0.len() < players {
        let (owner, at) = (sky.0.len() as PlayerId + 1, [0; 2]);
        let [x, y] = at.map(|_| coordinate(&mut rng, most));
        sky.add((x, y), 1, owner, ships);
    }
    for _ in 0..players * (2 + rng.below(3) as usize) {
        let at = (
            coordinate(&mut rng, most + 3),
            coordinate(&mut rng, most + 3),
        );
        sky.add(at, 1, NEUTRAL, i64::from(1 + rng.below(3)));
    }
    sky.0
}

/// The same for both: homes that shrink near the middle and free planets that grow around them, or the other
/// way round, or homes that grow and a middle that shrinks.
pub(super) fn shrinking(seed: u64) -> Vec<Planet> {
    let mut rng = Rng::new(seed, SHRINKING_STREAM);
    let mut sky = Sky::default();
    let kind = rng.below(4);
    let sign = if kind == 2 { -1 } else { 1 };
    let (growth, ships) = match kind {
        3 => (1, 10),
        _ => (
            -i64::from(1 + rng.below(5)),
            i64::from(10 * (2 + rng.below(4))),
        ),
    };
    let far = if kind == 3 { 3 } else { 1 };
    sky.pair((0, far), sign * growth, [1, 2], ships);
    if kind == 3 {
        sky.add((0, 0), -3, NEUTRAL, 0);
    }
    for _ in 0..3 + rng.below(12) {
        let at = (coordinate(&mut rng, 7), coordinate(&mut rng, 7));
        let grows = i64::from(1 + rng.below(3));
        sky.pair(
            at,
            sign * grows,
            [NEUTRAL; 2],
            3 * grows + i64::from(rng.below(3)),
        );
    }
    sky.0
}
