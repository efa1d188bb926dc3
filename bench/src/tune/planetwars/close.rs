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
    fn add(&mut self, x: i32, y: i32, growth: i64, owner: PlayerId, ships: i64) {
        let (x, y) = (f64::from(x), f64::from(y));
        if !self.0.iter().any(|planet| (planet.x, planet.y) == (x, y)) {
            self.0.push(Planet {
                id: self.0.len() as u32 + 1,
                x,
                y,
                growth,
                owner,
                ships,
            });
        }
    }

    /// A planet and its reflection in the middle.
    fn pair(&mut self, x: i32, y: i32, growth: i64, owners: [PlayerId; 2], ships: i64) {
        self.add(x, y, growth, owners[0], ships);
        self.add(-x, -y, growth, owners[1], ships);
    }

    /// With free planets of growth 1, but those that fall on a place that is taken.
    fn free(mut self, rng: &mut Rng, count: u32, most: i32) -> Vec<Planet> {
        for _ in 0..count {
            let (x, y) = (coordinate(rng, most), coordinate(rng, most));
            self.add(x, y, 1, NEUTRAL, i64::from(1 + rng.below(3)));
        }
        self.0
    }
}

fn coordinate(rng: &mut Rng, most: i32) -> i32 {
    rng.below(2 * most as u32 + 1) as i32 - most
}

/// Homes of 2 to 6 ships one to four turns apart, and up to eight free planets around.
pub(super) fn near(seed: u64) -> Vec<Planet> {
    let (mut rng, mut sky) = (Rng::new(seed, CLOSE_STREAM), Sky::default());
    let ships = i64::from(2 + rng.below(5));
    let apart = 1 + rng.below(3) as i32;
    sky.add(0, 0, 1, 1, ships);
    sky.add(apart, rng.below(2) as i32, 1, 2, ships);
    let free = 3 + rng.below(6);
    sky.free(&mut rng, free, 4)
}

/// Homes of 2 to 6 ships of more than two players, mostly one to four turns apart, and up to four free planets for each.
pub(super) fn crowd(seed: u64, players: usize) -> Vec<Planet> {
    let (mut rng, mut sky) = (Rng::new(seed, CROWD_STREAM), Sky::default());
    let ships = i64::from(2 + rng.below(5));
    let most = 1 + players as i32 / 4;
    while sky.0.len() < players {
        let owner = sky.0.len() as PlayerId + 1;
        let (x, y) = (coordinate(&mut rng, most), coordinate(&mut rng, most));
        sky.add(x, y, 1, owner, ships);
    }
    let free = players as u32 * (2 + rng.below(3));
    sky.free(&mut rng, free, most + 3)
}

/// The same for both: homes that shrink near the middle and free planets that grow around them, or the other
/// way round, or homes that grow and a middle that shrinks.
pub(super) fn shrinking(seed: u64) -> Vec<Planet> {
    let (mut rng, mut sky) = (Rng::new(seed, SHRINKING_STREAM), Sky::default());
    let kind = rng.below(4);
    let sign = if kind == 2 { -1 } else { 1 };
    let (growth, ships, far) = match kind {
        3 => (1, 10, 3),
        _ => (
            -i64::from(1 + rng.below(5)),
            i64::from(2 + rng.below(4)) * 10,
            1,
        ),
    };
    sky.pair(0, far, sign * growth, [1, 2], ships);
    if kind == 3 {
        sky.add(0, 0, -3, NEUTRAL, 0);
    }
    for _ in 0..3 + rng.below(12) {
        let (x, y) = (coordinate(&mut rng, 7), coordinate(&mut rng, 7));
        let grows = i64::from(1 + rng.below(3));
        let ships = 3 * grows + i64::from(rng.below(3));
        sky.pair(x, y, sign * grows, [NEUTRAL; 2], ships);
    }
    sky.0
}
