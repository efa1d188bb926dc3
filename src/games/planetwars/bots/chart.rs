//! What follows from a map and does not change: distances, neighbours, whose home is nearest.

use crate::rules::{Distances, NEUTRAL, Planet, PlanetId, PlayerId, Travel};

/// Every planet has at least this many neighbours, if there are enough.
const NEIGHBOURS_MIN: usize = 2;

/// A map, indexed by the planets' places in the list.
#[derive(Clone, Debug)]
pub(super) struct Chart {
    /// Number and coordinates, which show whether it is the same map.
    spots: Vec<(PlanetId, f64, f64)>,
    distances: Distances,
    neighbours: Vec<Vec<usize>>,
}

fn spot(planet: &Planet) -> (PlanetId, f64, f64) {
    (planet.id, planet.x, planet.y)
}

/// The square of the distance, in units of length.
fn square(one: &Planet, other: &Planet) -> f64 {
    let (dx, dy) = (one.x - other.x, one.y - other.y);
    dx * dx + dy * dy
}

impl Chart {
    pub(super) fn new(planets: &[Planet]) -> Self {
        Self {
            spots: planets.iter().map(spot).collect(),
            distances: Distances::new(planets, Travel::Ceil),
            neighbours: neighbours(planets),
        }
    }

    pub(super) fn is_of(&self, planets: &[Planet]) -> bool {
        self.spots.iter().copied().eq(planets.iter().map(spot))
    }

    /// Turns until a fleet that leaves now has landed, 1 at least.
    pub(super) fn turns(&self, from: usize, to: usize) -> u32 {
        self.distances.turns(from, to).max(1)
    }

    /// The planets within the neighbourhood radius: the mean distance to the nearest planet, times whatever
    /// factor gives every planet two.
    pub(super) fn neighbours(&self, place: usize) -> &[usize] {
        self.neighbours.get(place).map_or(&[], Vec::as_slice)
    }

    pub(super) fn place(&self, id: PlanetId) -> Option<usize> {
        self.spots.iter().position(|(other, ..)| *other == id)
    }
}

fn neighbours(planets: &[Planet]) -> Vec<Vec<usize>> {
    let sorted = |(place, planet): (usize, &Planet)| {
        let others = planets.iter().enumerate().filter(|(at, _)| *at != place);
        let mut others: Vec<(f64, usize)> = others
            .map(|(at, other)| (square(planet, other).sqrt(), at))
            .collect();
        others.sort_by(|one, other| one.0.total_cmp(&other.0));
        others
    };
    let by_distance: Vec<Vec<(f64, usize)>> = planets.iter().enumerate().map(sorted).collect();
    let nearest = by_distance.iter().filter_map(|others| others.first());
    let mean = nearest.map(|(far, _)| far).sum::<f64>() / planets.len().max(1) as f64;
    let least = by_distance
        .iter()
        .filter_map(|others| others.get(NEIGHBOURS_MIN - 1));
    let least = least.map(|(far, _)| *far).fold(0.0, f64::max);
    let times = (least / mean).ceil().max(1.0);
    let radius = if times.is_finite() {
        mean * times
    } else {
        least
    };
    let near = |others: Vec<(f64, usize)>| -> Vec<usize> {
        let many = others.len() <= NEIGHBOURS_MIN;
        let others = others.into_iter().filter(|(far, _)| many || *far <= radius);
        others.map(|(_, at)| at).collect()
    };
    by_distance.into_iter().map(near).collect()
}

/// The neutral planets nearer to one of your homes than to any other player's; ties go to the lower player
/// number.
pub(super) fn cell(planets: &[Planet], you: PlayerId) -> Vec<PlanetId> {
    let homes = || planets.iter().filter(|planet| planet.owner != NEUTRAL);
    let nearest = |planet: &Planet| {
        let by_distance = homes().min_by(|one, other| {
            let far = square(planet, one).total_cmp(&square(planet, other));
            far.then(one.owner.cmp(&other.owner))
        });
        by_distance.map(|home| home.owner)
    };
    let free = planets.iter().filter(|planet| planet.owner == NEUTRAL);
    let mine = free.filter(|planet| nearest(planet) == Some(you));
    mine.map(|planet| planet.id).collect()
}
