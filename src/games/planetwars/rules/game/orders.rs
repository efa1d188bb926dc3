//! What may be ordered, and how ships leave.

use super::{Fleet, PlanetWars, UPGRADE_MAX};
use crate::rules::ruleset::{SamePlanet, ZeroShips};
use crate::rules::world::{Act, Launch, NEUTRAL, PlanetId};
use drover_game::game::{Game as _, Illegal, Seat};
use std::sync::Arc;

impl PlanetWars {
    fn place(&self, id: PlanetId) -> Option<usize> {
        let at = self.places.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        self.places.get(at).map(|(_, place)| usize::from(*place))
    }

    /// The place of a planet that a seat may send from.
    fn own(&self, seat: Seat, id: PlanetId) -> Result<usize, Illegal> {
        let place = self
            .place(id)
            .ok_or_else(|| Illegal(format!("there is no planet {id}")))?;
        if self.owners.get(place) != Some(&Some(seat)) {
            let owner = self
                .planets
                .get(place)
                .map_or(NEUTRAL, |planet| planet.owner);
            let whose = match owner {
                NEUTRAL => "nobody".to_owned(),
                owner => format!("player {owner}"),
            };
            return Err(Illegal(format!("planet {id} belongs to {whose}")));
        }
        Ok(place)
    }

    /// Whether ships would leave, and from where to where.
    fn launched(&self, seat: Seat, launch: &Launch) -> Result<Option<(usize, usize)>, Illegal> {
        let Launch { from, to, ships } = *launch;
        if ships == 0 && self.ruleset.zero_ships == ZeroShips::Ignore {
            return Ok(None);
        }
        if ships < 1 {
            return Err(Illegal(format!("{ships} ships cannot leave planet {from}")));
        }
        let start = self.own(seat, from)?;
        let goal = self
            .place(to)
            .ok_or_else(|| Illegal(format!("there is no planet {to}")))?;
        match self.ruleset.same_planet {
            SamePlanet::Illegal if from == to => {
                Err(Illegal(format!("ships from planet {from} to itself")))
            }
            SamePlanet::Ignore if from == to => Ok(None),
            _ => Ok(Some((start, goal))),
        }
    }

    /// The price of one more growth on a planet.
    fn upgrade_cost(&self, place: usize) -> i64 {
        let growth = self.planets.get(place).map_or(0, |planet| planet.growth);
        1 << growth.abs().min(UPGRADE_MAX)
    }

    /// Adds what leaves a planet to what earlier orders took, and checks that it is not too much.
    fn withdraw(
        &self,
        spent: &mut Vec<(usize, i64)>,
        place: usize,
        ships: i64,
    ) -> Result<(), Illegal> {
        let left = match spent.iter_mut().find(|(at, _)| *at == place) {
            Some((_, left)) => {
                *left = left.saturating_add(ships);
                *left
            }
            None => {
                spent.push((place, ships));
                ships
            }
        };
        let Some(planet) = self.planets.get(place).filter(|planet| planet.ships < left) else {
            return Ok(());
        };
        let (id, there) = (planet.id, planet.ships);
        Err(Illegal(format!(
            "{left} ships from planet {id}, where there are {there}"
        )))
    }

    /// Carries out a seat's orders. All or none.
    pub(super) fn depart(&mut self, seat: Seat, act: &Act) {
        if (act.launches.is_empty() && act.upgrades.is_empty()) || self.check(seat, act).is_err() {
            return;
        }
        for launch in &act.launches {
            let Ok(Some((from, to))) = self.launched(seat, launch) else {
                continue;
            };
            let turns = self.distances.turns(from, to) + self.ruleset.delay;
            let lands = self.turn + turns.max(1);
            if let Some(planet) = Arc::make_mut(&mut self.planets).get_mut(from) {
                planet.ships -= launch.ships;
            }
            if let Some(player) = self.players.get_mut(seat.index()) {
                player.flying += launch.ships;
            }
            let fleet = Fleet {
                owner: seat,
                from: from as u16,
                to: to as u16,
                ships: launch.ships,
                left: self.turn,
                lands,
            };
            if lands <= self.ruleset.rounds {
                let slot = lands as usize % self.flights.len();
                self.flights[slot].push(fleet);
            } else {
                self.beyond.push(fleet);
            }
        }
        for id in &act.upgrades {
            if let Ok(place) = self.own(seat, *id) {
                let cost = self.upgrade_cost(place);
                if let Some(planet) = Arc::make_mut(&mut self.planets).get_mut(place) {
                    planet.ships -= cost;
                    planet.growth += 1;
                }
            }
        }
    }

    /// Whether a seat may give these orders, all of them together.
    pub(super) fn check_orders(&self, seat: Seat, act: &Act) -> Result<(), Illegal> {
        if self.ask(seat).is_none() {
            return Err(Illegal("this seat is not asked".to_owned()));
        }
        let mut spent = Vec::new();
        for launch in &act.launches {
            if let Some((from, _)) = self.launched(seat, launch)? {
                self.withdraw(&mut spent, from, launch.ships)?;
            }
        }
        for (at, id) in act.upgrades.iter().enumerate() {
            if !self.ruleset.upgrades {
                return Err(Illegal("growth is not for sale".to_owned()));
            }
            if act.upgrades[..at].contains(id) {
                return Err(Illegal(format!("growth of planet {id} twice in a turn")));
            }
            let place = self.own(seat, *id)?;
            self.withdraw(&mut spent, place, self.upgrade_cost(place))?;
        }
        Ok(())
    }
}
