//! The map as the champion uses it: planets by place, players by small numbers, turns of flight.

use super::ships::Move;
use super::ships::{NOBODY, Order};
use super::timing::Timing;

use crate::rules::{Distances, Launch, Planet, PlanetId, PlayerId, ShownFleet, View, owners};

/// Ship counts are capped here, so that sums over all planets fit.
const SHIPS_MAX: i64 = 200_000;
/// The most fleets shown that are counted, and the most ships of them together, as many as on all planets.
const FLEETS_MAX: usize = 10_000;
const FLOWN_MAX: i64 = 255 * SHIPS_MAX;
/// Growth is capped here.
const GROWTH_MAX: i64 = 1_000;

/// What does not change in a game: which planets and players there are.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    planets: Vec<Planet>,
    places: Vec<(PlanetId, u8)>,
    /// By small number minus 1.
    players: Vec<PlayerId>,
}

/// All planets at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sight {
    /// Turns that are over.
    pub(super) turn: u32,
    /// Owners by place, as small numbers.
    pub(super) owner: Vec<u8>,
    /// Ships by place.
    pub(super) ships: Vec<i32>,
    /// Growth by place.
    pub(super) growth: Vec<i32>,
    /// Whether the wire has words.
    pub(super) speaks: bool,
    /// All fleets in flight by where they land and how many turns are left, where they are shown.
    pub(super) fleets: Option<Vec<Shown>>,
}

/// A fleet that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    /// Where it lands.
    pub(super) to: u8,
    /// Its owner, ships and turns left.
    pub(super) landing: Move,
}

impl Sight {
    /// Whether the wire has neither words nor fleets, as only that of 2015.
    pub(super) fn is_bare(&self) -> bool {
        !self.speaks && self.fleets.is_none()
    }

    /// The same, but with the growth paid for that the next state shows as bought.
    pub(super) fn paid(&self, next: &Self) -> Self {
        let mut paid = self.clone();
        for place in 0..paid.owner.len() {
            if next.growth.get(place) == Some(&(paid.growth[place] + 1)) {
                paid.ships[place] = (paid.ships[place] - price(paid.growth[place])).max(0);
                paid.growth[place] += 1;
            }
        }
        paid
    }
}

/// What one more growth costs.
pub(super) fn price(growth: i32) -> i32 {
    1 << growth.unsigned_abs().min(20)
}
impl Names {
    /// The names in a game that begins with this state.
    pub(super) fn new(view: &View) -> Self {
        let planets: Vec<Planet> = view.planets.iter().take(255).copied().collect();
        let mut places: Vec<(PlanetId, u8)> = (0u8..)
            .zip(&planets)
            .map(|(at, planet)| (planet.id, at))
            .collect();
        places.sort_unstable();
        let mut players = owners(&planets);
        players.truncate(200);
        Self {
            planets,
            places,
            players,
        }
    }

    /// How many planets there are.
    pub(super) fn planets(&self) -> usize {
        self.planets.len()
    }

    /// How many players are known.
    pub(super) fn players(&self) -> usize {
        self.players.len()
    }

    /// The small number of a player that owned a planet at the start, else [`NOBODY`].
    pub(super) fn player(&self, id: PlayerId) -> u8 {
        let at = self.players.binary_search(&id);
        at.map_or(NOBODY, |at| at as u8 + 1)
    }

    /// The number on the wire of a player with this small number.
    pub(super) fn player_id(&self, player: u8) -> Option<PlayerId> {
        let at = usize::from(player).checked_sub(1)?;
        self.players.get(at).copied()
    }

    /// The number of a planet on the wire.
    pub(super) fn id(&self, place: u8) -> Option<PlanetId> {
        self.planets.get(usize::from(place)).map(|planet| planet.id)
    }

    /// The state seen, by place. Planets no longer reported are nobody's and hold as many ships as are counted at most, so
    /// that none go there; those of players that were not there at the start are nobody's and keep their ships.
    pub(super) fn sight(&self, view: &View) -> Sight {
        let mut sight = Sight {
            turn: view.turn,
            owner: vec![NOBODY; self.planets()],
            ships: vec![SHIPS_MAX as i32; self.planets()],
            growth: vec![0; self.planets()],
            speaks: view.message.is_some(),
            fleets: view.fleets.as_ref().map(|fleets| self.shown(fleets)),
        };
        for planet in view.planets.iter() {
            let Some(place) = self.place(planet.id).map(usize::from) else {
                continue;
            };
            sight.owner[place] = self.player(planet.owner);
            sight.ships[place] = planet.ships.clamp(0, SHIPS_MAX) as i32;
            sight.growth[place] = planet.growth.clamp(-GROWTH_MAX, GROWTH_MAX) as i32;
        }
        sight
    }

    fn place(&self, id: PlanetId) -> Option<u8> {
        let at = self.places.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        self.places.get(at).map(|(_, place)| *place)
    }

    /// The fleets shown that land on known planets.
    fn shown(&self, fleets: &[ShownFleet]) -> Vec<Shown> {
        let mut left = FLOWN_MAX;
        let shown = fleets.iter().filter_map(|fleet| {
            let landing = Move {
                turn: fleet.left.clamp(1, 255) as u8,
                owner: self.player(fleet.owner),
                ships: fleet.ships.clamp(0, SHIPS_MAX.min(left)) as i32,
            };
            let to = self.place(fleet.to)?;
            let shown = (landing.owner != NOBODY).then_some(Shown { to, landing })?;
            left -= i64::from(landing.ships);
            Some(shown)
        });
        shown.take(FLEETS_MAX).collect()
    }

    /// The orders that leave now from planets of the player asked, as sent: legal whatever the plan was.
    pub(super) fn launches(&self, view: &View, orders: &[Order], bought: &[u8]) -> Vec<Launch> {
        let mut launches: Vec<Launch> = Vec::new();
        for order in orders.iter().filter(|order| order.wait == 0) {
            let (Some(from), Some(to)) = (self.id(order.from), self.id(order.to)) else {
                continue;
            };
            let known = view.planets.iter().any(|planet| planet.id == to);
            let start = view.planets.iter().find(|planet| planet.id == from);
            let Some(start) = start.filter(|start| known && start.owner == view.you) else {
                continue;
            };
            let spent = launches.iter().filter(|launch| launch.from == from);
            let paid = if bought.contains(&order.from) {
                i64::from(price(start.growth.clamp(-64, 64) as i32))
            } else {
                0
            };
            let left = start.ships - paid - spent.map(|launch| launch.ships).sum::<i64>();
            let ships = i64::from(order.ships).min(left);
            if ships < 1 || from == to {
                continue;
            }
            let same = |launch: &&mut Launch| launch.from == from && launch.to == to;
            match launches.iter_mut().find(same) {
                Some(launch) => launch.ships += ships,
                None => launches.push(Launch { from, to, ships }),
            }
        }
        launches
    }

    /// The planets of the player asked whose growth is bought: what can be paid.
    pub(super) fn upgrades(&self, view: &View, bought: &[u8]) -> Vec<PlanetId> {
        let ids = bought.iter().filter_map(|place| self.id(*place));
        let paid = |id: &PlanetId| {
            let planet = view.planets.iter().find(|planet| planet.id == *id);
            planet.is_some_and(|planet| {
                let price = price(planet.growth.clamp(-64, 64) as i32);
                planet.owner == view.you && planet.ships >= i64::from(price)
            })
        };
        ids.filter(paid).collect()
    }

    /// Turns from every planet to every other with this timing.
    pub(super) fn chart(&self, timing: Timing) -> Chart {
        let distances = Distances::new(&self.planets, timing.travel);
        let count = self.planets();
        let pairs = (0..count).flat_map(|from| (0..count).map(move |to| (from, to)));
        let turns = pairs.map(|(from, to)| {
            let turns = distances.turns(from, to).max(1);
            let turns = turns.saturating_add(timing.delay);
            turns.min(u32::from(u16::MAX)) as u16
        });
        Chart {
            planets: count,
            turns: turns.collect(),
            timing,
        }
    }
}

/// Turns of flight.
#[derive(Clone, Debug)]
pub(super) struct Chart {
    /// How many planets there are.
    pub(super) planets: usize,
    turns: Vec<u16>,
    /// The timing with which the turns were computed.
    pub(super) timing: Timing,
}

impl Chart {
    /// Turns until a fleet that leaves one place now arrives at the other, from 1.
    pub(super) fn turns(&self, from: usize, to: usize) -> usize {
        let turns = self.turns.get(from * self.planets + to);
        turns.map_or(usize::from(u16::MAX), |turns| usize::from(*turns))
    }

    /// The turn in which a fleet lands that left in that turn.
    pub(super) fn lands(&self, launched: u32, from: u8, to: usize) -> usize {
        launched as usize + self.turns(usize::from(from), to)
    }
}
