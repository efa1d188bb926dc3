//! What all players share: memory of the map, of their own fleets and of the team; each adds how it orders.

use super::chart::{Chart, cell};
use super::field::{Field, Flight, Stance};
use super::orders::Orders;
use super::ring::Ring;
use crate::rules::{Act, Ask, NEUTRAL, Planet, PlanetId, PlanetWars, PlayerId, View};
use drover_game::by_rule::ByRule;

/// From this turn on any player not known to be a mate is an enemy.
const WARY_TURN: u32 = 25;

/// How a player orders, apart from what it remembers.
pub(super) trait Habit: Send {
    fn order(&mut self, field: &Field<'_>, orders: &mut Orders);
}

/// Whom a player fights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// All others.
    Alone,
    /// Those not in its team, once it knows the team.
    Team,
}

/// What a member of a team knows about the others.
#[derive(Clone)]
struct Team {
    ring: Ring,
    /// Neutral planets that it may take before it knows its mates.
    cell: Vec<PlanetId>,
    /// Strangers that took a planet of the team.
    hostile: Vec<PlayerId>,
    /// Owners in the previous state.
    owners: Vec<(PlanetId, PlayerId)>,
}

/// A player with this habit.
#[derive(Clone)]
pub(super) struct Player<H> {
    habit: H,
    side: Side,
    chart: Option<Chart>,
    flights: Vec<Flight>,
    team: Option<Team>,
}

impl<H: Habit> Player<H> {
    pub(super) fn new(habit: H, side: Side) -> Self {
        Self {
            habit,
            side,
            chart: None,
            flights: Vec::new(),
            team: None,
        }
    }
}

impl Team {
    fn new(view: &View) -> Self {
        Self {
            ring: Ring::new(view),
            cell: cell(&view.planets, view.you),
            hostile: Vec::new(),
            owners: Vec::new(),
        }
    }

    fn see(&mut self, view: &View) {
        self.ring.receive(view);
        for (planet, (id, before)) in view.planets.iter().zip(&self.owners) {
            let lost = planet.id == *id && self.ring.is_mate(*before);
            let owner = planet.owner;
            let stranger = owner != NEUTRAL && !self.ring.is_mate(owner);
            if lost && stranger && !self.hostile.contains(&owner) {
                self.hostile.push(owner);
            }
        }
        self.owners.clear();
        let owners = view.planets.iter().map(|planet| (planet.id, planet.owner));
        self.owners.extend(owners);
    }

    fn stance(&self, turn: u32, planet: &Planet) -> Stance {
        let owner = planet.owner;
        if owner == NEUTRAL {
            let free = self.ring.settled() || self.cell.contains(&planet.id);
            return if free {
                Stance::Neutral
            } else {
                Stance::Reserved
            };
        }
        if self.ring.is_mate(owner) {
            return Stance::Mate;
        }
        let late = turn >= WARY_TURN && !self.ring.grows();
        let known = self.ring.complete() || late;
        if known || self.hostile.contains(&owner) {
            Stance::Enemy
        } else {
            Stance::Unknown
        }
    }
}

/// The planets, sanitised: none twice, none with negative ships.
fn sane(planets: &[Planet]) -> Vec<Planet> {
    let mut sane: Vec<Planet> = Vec::with_capacity(planets.len());
    for planet in planets {
        if !sane.iter().any(|other| other.id == planet.id) {
            sane.push(Planet {
                ships: planet.ships.max(0),
                ..*planet
            });
        }
    }
    sane
}

impl<H: Habit + Clone + 'static> ByRule<PlanetWars> for Player<H> {
    fn turn(&mut self, view: &View, _: &Ask) -> (Act, impl ToString) {
        let planets = sane(&view.planets);
        let chart = match self.chart.take() {
            Some(chart) if chart.is_of(&planets) => chart,
            _ => Chart::new(&planets),
        };
        self.flights.retain(|flight| flight.lands > view.turn);
        if self.side == Side::Team {
            self.team.get_or_insert_with(|| Team::new(view)).see(view);
        }
        let stance = |planet: &Planet| match (&self.team, planet.owner) {
            (_, owner) if owner == view.you && owner != NEUTRAL => Stance::Own,
            (Some(team), _) => team.stance(view.turn, planet),
            (None, NEUTRAL) => Stance::Neutral,
            (None, _) => Stance::Enemy,
        };
        let stances: Vec<Stance> = planets.iter().map(stance).collect();
        let field = Field {
            turn: view.turn,
            you: view.you,
            planets: &planets,
            stances: &stances,
            chart: &chart,
            flights: &self.flights,
        };
        let mut orders = Orders::new(&field);
        self.habit.order(&field, &mut orders);
        let reason = orders.reason;
        let launches = orders.launches();
        for launch in &launches {
            let way = chart.place(launch.from).zip(chart.place(launch.to));
            let turns = way.map_or(1, |(from, to)| chart.turns(from, to));
            self.flights.push(Flight {
                to: launch.to,
                lands: view.turn.saturating_add(turns),
                ships: launch.ships,
            });
        }
        self.chart = Some(chart);
        let act = Act {
            launches,
            upgrades: Vec::new(),
            message: Some(self.team.as_ref().map_or(0, |team| team.ring.say())),
        };
        (act, reason)
    }
}
