//! What players receive and what they order.

use drover_game::game::Illegal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A planet's number on the wire; maps may begin at 0 and have gaps.
pub type PlanetId = u32;
/// A player's number on the wire, from 1.
pub type PlayerId = u32;

/// The owner of planets that nobody owns.
pub const NEUTRAL: PlayerId = 0;
/// The most planets on a map.
pub const PLANETS_MAX: usize = 100;
/// The most orders in one answer: a judge reads no more lines.
const ORDERS_MAX: usize = 9_000;
/// How far from the origin a planet may lie.
pub const COORDINATE_MAX: f64 = 1_000_000.0;
/// How many players a game may have.
pub const PLAYERS: std::ops::RangeInclusive<usize> = 1..=100;
/// The most players in a team.
pub const TEAM_MAX: usize = 10;
/// The most initial ships of a planet or fleet, and the most growth: sums stay far below `i64::MAX`.
pub const SHIPS_MAX: i64 = 1_000_000_000;

/// A planet as players receive it (README.md, section 2).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Planet {
    /// Its number.
    pub id: PlanetId,
    /// Where it lies.
    pub x: f64,
    /// Where it lies.
    pub y: f64,
    /// Ships added per turn while a player owns it.
    pub growth: i64,
    /// Its owner; [`NEUTRAL`] if nobody owns it.
    pub owner: PlayerId,
    /// Ships on it, from 0.
    pub ships: i64,
}

/// The players that own planets, in order.
#[must_use]
pub fn owners(planets: &[Planet]) -> Vec<PlayerId> {
    let mut owners: Vec<PlayerId> = planets.iter().map(|planet| planet.owner).collect();
    owners.sort_unstable();
    owners.dedup();
    owners.retain(|owner| *owner != NEUTRAL);
    owners
}

/// Ships in flight, where players are shown them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ShownFleet {
    /// Whose they are.
    pub owner: PlayerId,
    /// Where they left.
    pub from: PlanetId,
    /// Where they land.
    pub to: PlanetId,
    /// How many.
    pub ships: i64,
    /// Turns of the whole flight, from 1.
    pub turns: u32,
    /// Turns until they land, from 1 to `turns`.
    pub left: u32,
}

/// What a player receives before each of its turns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct View {
    /// Turns that are over: 0 at first. Not on the wire; counted by the reader.
    pub turn: u32,
    /// All planets, in an order that never changes.
    pub planets: Arc<Vec<Planet>>,
    /// All fleets in flight; `None` if they are hidden.
    pub fleets: Option<Arc<Vec<ShownFleet>>>,
    /// The word from the previous player in the ring; `None` if the wire gave none.
    pub message: Option<u32>,
    /// The recipient.
    pub you: PlayerId,
}

impl View {
    /// Whether orders take ships from own planets only, and no more than there are, to other planets. Growth costs
    /// ships; whether it is for sale at all, the judge's rules say.
    ///
    /// # Errors
    /// [`Illegal`] names the planet.
    pub fn judge(&self, act: &Act) -> Result<(), Illegal> {
        let wrong = |why: String| Err(Illegal(why));
        if act.launches.len() + act.upgrades.len() > ORDERS_MAX {
            return wrong(format!("more than {ORDERS_MAX} orders"));
        }
        let own = self
            .planets
            .iter()
            .filter(|planet| planet.owner == self.you);
        let mut left: BTreeMap<PlanetId, (i64, i64)> = own
            .map(|planet| (planet.id, (planet.ships, planet.growth)))
            .collect();
        for Launch { from, to, ships } in &act.launches {
            let Some((there, _)) = left.get_mut(from) else {
                return wrong(format!("planet {from} is not yours"));
            };
            if from == to || !self.planets.iter().any(|planet| planet.id == *to) {
                return wrong(format!("no ships can be sent from planet {from} to {to}"));
            }
            if *ships < 1 || *ships > *there {
                return wrong(format!(
                    "{ships} of {there} ships cannot leave planet {from}"
                ));
            }
            *there -= *ships;
        }
        for (at, id) in act.upgrades.iter().enumerate() {
            let Some((there, growth)) = left.get(id) else {
                return wrong(format!("planet {id} is not yours"));
            };
            if 1i64
                .checked_shl(growth.unsigned_abs().min(63) as u32)
                .is_none_or(|cost| cost < 1 || cost > *there)
            {
                return wrong(format!("planet {id} has too few ships for more growth"));
            }
            if act
                .upgrades
                .get(..at)
                .is_some_and(|before| before.contains(id))
            {
                return wrong(format!("growth of planet {id} twice in a turn"));
            }
        }
        Ok(())
    }
}

/// The only kind of decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ask;

/// Ships sent from planet to planet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Launch {
    /// Where they leave.
    pub from: PlanetId,
    /// Where they land.
    pub to: PlanetId,
    /// How many.
    pub ships: i64,
}

/// A player's answer to a state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Act {
    /// Fleets that leave now, in the order given.
    pub launches: Vec<Launch>,
    /// Planets whose growth is raised by one, in rulesets that allow it.
    pub upgrades: Vec<PlanetId>,
    /// The word for the next player in the ring.
    pub message: Option<u32>,
}
