//! The orders of one turn: never more ships than there are, never to their own planet, never zero.

use super::field::{Field, Stance};
use super::reason::Reason;
use crate::rules::Launch;

pub(super) struct Orders {
    /// Ships without orders, by place; 0 on planets of others.
    left: Vec<i64>,
    launches: Vec<Launch>,
    /// What decided, for people.
    pub(super) reason: Reason,
}

impl Orders {
    pub(super) fn new(field: &Field<'_>) -> Self {
        let planets = field.planets.iter().enumerate();
        let own = |place| field.stance(place) == Stance::Own;
        Self {
            left: planets
                .map(|(place, planet)| if own(place) { planet.ships } else { 0 })
                .collect(),
            launches: Vec::new(),
            reason: Reason::NoGoal,
        }
    }

    /// Whether `most` fleets of its own or more are under way, which is the reason then.
    pub(super) fn waits(&mut self, field: &Field<'_>, most: usize) -> bool {
        let fleets = field.flights.len();
        if fleets >= most {
            self.reason = Reason::UnderWay { fleets, most };
        }
        fleets >= most
    }

    pub(super) fn left(&self, place: usize) -> i64 {
        self.left.get(place).copied().unwrap_or_default()
    }

    /// Sends ships if there are enough and the target is another planet; returns whether it did.
    pub(super) fn send(&mut self, field: &Field<'_>, from: usize, to: usize, ships: i64) -> bool {
        let (Some(start), Some(goal)) = (field.planets.get(from), field.planets.get(to)) else {
            return false;
        };
        let Some(left) = self.left.get_mut(from) else {
            return false;
        };
        if from == to || ships < 1 || ships > *left {
            return false;
        }
        *left -= ships;
        let (from, to) = (start.id, goal.id);
        match self
            .launches
            .iter_mut()
            .find(|other| (other.from, other.to) == (from, to))
        {
            Some(launch) => launch.ships += ships,
            None => self.launches.push(Launch { from, to, ships }),
        }
        true
    }

    pub(super) fn launches(self) -> Vec<Launch> {
        self.launches
    }
}
