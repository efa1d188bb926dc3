//! What a planet will hold, as far as one's own fleets determine it.

use super::super::field::Field;
use crate::rules::{NEUTRAL, PlayerId};

/// Turns of look-ahead.
pub(super) const HORIZON: usize = 40;

/// Owner and ships of a planet in the coming states, the present one first: fleets land, then it grows.
pub(super) struct Future {
    pub(super) states: Vec<(PlayerId, i64)>,
    /// Own ships that land in each turn.
    pub(super) landing: [i64; HORIZON + 1],
}

impl Future {
    pub(super) fn at_place(field: &Field<'_>, place: usize) -> Option<Self> {
        let planet = field.planets.get(place)?;
        let mut landing = [0i64; HORIZON + 1];
        for flight in field.flights.iter().filter(|flight| flight.to == planet.id) {
            let turns = flight.lands.saturating_sub(field.turn) as usize;
            if let Some(sum) = landing.get_mut(turns) {
                *sum = sum.saturating_add(flight.ships);
            }
        }
        let (mut owner, mut ships) = (planet.owner, planet.ships);
        let mut states = vec![(owner, ships)];
        for lands in landing.iter().skip(1) {
            if owner == field.you {
                ships = ships.saturating_add(*lands);
            } else if *lands > ships {
                (owner, ships) = (field.you, lands - ships);
            } else {
                ships -= lands;
            }
            if owner != NEUTRAL {
                ships = ships.saturating_add(planet.growth).max(0);
            }
            states.push((owner, ships));
        }
        Some(Self { states, landing })
    }

    pub(super) fn at(&self, turns: usize) -> (PlayerId, i64) {
        let last = || self.states.last().copied();
        let state = self.states.get(turns).copied().or_else(last);
        state.unwrap_or((NEUTRAL, 0))
    }

    /// Whether the planet will ever belong to this player.
    pub(super) fn falls_to(&self, player: PlayerId) -> bool {
        self.states.iter().any(|(owner, _)| *owner == player)
    }
}
