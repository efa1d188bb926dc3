//! What strangers see: planets by place, fleets as far as they are known, and each planet's future.

use games::planetwars::rules::{
    Act, Distances, Force, Growth, Launch, NEUTRAL, Planet, PlayerId, Ruleset, View, fight, owners,
};
use std::sync::Arc;

/// Ships that will land on a planet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coming {
    pub(super) owner: PlayerId,
    pub(super) to: usize,
    pub(super) ships: i64,
    /// Turns from now, from 1.
    pub(super) after: u32,
}

/// A turn's state.
#[derive(Clone)]
pub(super) struct Space {
    pub(super) rules: Ruleset,
    pub(super) me: PlayerId,
    /// Those who are neither fought nor counted as enemies: all, until the whole team is known.
    pub(super) spared: Vec<PlayerId>,
    pub(super) turn: u32,
    pub(super) planets: Vec<Planet>,
    pub(super) coming: Vec<Coming>,
    distances: Arc<Distances>,
}

/// An order by places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Order {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) ships: i64,
}

/// What a stranger remembers from turn to turn: its own fleets, where the wire hides them, and its mates.
#[derive(Clone)]
pub(super) struct Memory {
    rules: Ruleset,
    distances: Option<Arc<Distances>>,
    own: Vec<(Coming, u32)>,
    /// How many its team has, and those whose numbers arrived.
    team: usize,
    mates: Vec<PlayerId>,
    word: u32,
}

impl Memory {
    pub(super) fn new(rules: Ruleset, team: usize) -> Self {
        Self {
            rules,
            distances: None,
            own: Vec::new(),
            team,
            mates: Vec::new(),
            word: 0,
        }
    }

    /// Sends its own number first and passes on the others'; returns who is spared.
    fn receive(&mut self, view: &View) -> Vec<PlayerId> {
        self.word = match view.message {
            Some(received) if received != 0 && received != view.you => received,
            _ => view.you,
        };
        if self.word != view.you && !self.mates.contains(&self.word) {
            self.mates.push(self.word);
        }
        if self.mates.len() + 1 < self.team {
            return owners(&view.planets);
        }
        self.mates.clone()
    }

    pub(super) fn see(&mut self, view: &View) -> Space {
        let spared = self.receive(view);
        let distances = self
            .distances
            .get_or_insert_with(|| Arc::new(Distances::new(&view.planets, self.rules.travel)));
        self.own.retain(|(_, lands)| *lands > view.turn);
        let place = |id| view.planets.iter().position(|planet| planet.id == id);
        let coming = match &view.fleets {
            Some(fleets) => fleets
                .iter()
                .filter_map(|fleet| {
                    Some(Coming {
                        owner: fleet.owner,
                        to: place(fleet.to)?,
                        ships: fleet.ships,
                        after: fleet.left,
                    })
                })
                .collect(),
            None => {
                let own = self.own.iter().map(|(coming, lands)| Coming {
                    after: lands - view.turn,
                    ..*coming
                });
                own.collect()
            }
        };
        Space {
            rules: self.rules,
            me: view.you,
            spared,
            turn: view.turn,
            planets: view.planets.to_vec(),
            coming,
            distances: Arc::clone(distances),
        }
    }

    /// The act of these orders, which are legal; they are remembered.
    pub(super) fn act(&mut self, space: &Space, orders: &[Order], upgrades: Vec<usize>) -> Act {
        for order in orders {
            let lands = space.turn + space.turns(order.from, order.to);
            let coming = Coming {
                owner: space.me,
                to: order.to,
                ships: order.ships,
                after: 0,
            };
            self.own.push((coming, lands));
        }
        let id = |place: usize| space.planets[place].id;
        Act {
            launches: orders
                .iter()
                .map(|order| Launch {
                    from: id(order.from),
                    to: id(order.to),
                    ships: order.ships,
                })
                .collect(),
            upgrades: upgrades.into_iter().map(id).collect(),
            message: (self.team > 1).then_some(self.word),
        }
    }
}

impl Space {
    pub(super) fn turns(&self, from: usize, to: usize) -> u32 {
        (self.distances.turns(from, to) + self.rules.delay).max(1)
    }

    /// The places of planets that satisfy this.
    pub(super) fn places(&self, wanted: impl Fn(&Planet) -> bool) -> Vec<usize> {
        let places = self.planets.iter().enumerate();
        let places = places.filter(|(_, planet)| wanted(planet));
        places.map(|(place, _)| place).collect()
    }

    pub(super) fn mine(&self) -> Vec<usize> {
        self.places(|planet| planet.owner == self.me)
    }

    pub(super) fn theirs(&self) -> Vec<usize> {
        let foe = |owner| ![self.me, NEUTRAL].contains(&owner) && !self.spared.contains(&owner);
        self.places(|planet| foe(planet.owner))
    }

    pub(super) fn free(&self) -> Vec<usize> {
        self.places(|planet| planet.owner == NEUTRAL)
    }

    /// Owner and ships of a planet from now to `horizon` turns ahead, if `more` lands there too.
    pub(super) fn future(
        &self,
        place: usize,
        horizon: u32,
        more: &[Coming],
    ) -> Vec<(PlayerId, i64)> {
        let planet = &self.planets[place];
        let (mut owner, mut ships) = (planet.owner, planet.ships);
        let mut states = vec![(owner, ships)];
        let mut arrivals: Vec<Force> = Vec::new();
        let all = || self.coming.iter().chain(more);
        for turn in 1..=horizon {
            let grow = |owner, ships: i64| match owner {
                NEUTRAL => ships,
                _ => (ships + planet.growth).max(0),
            };
            if self.rules.growth == Growth::BeforeBattles {
                ships = grow(owner, ships);
            }
            arrivals.clear();
            for coming in all().filter(|coming| coming.to == place && coming.after == turn) {
                match arrivals
                    .iter_mut()
                    .find(|force| force.owner == coming.owner)
                {
                    Some(force) => force.ships += coming.ships,
                    None => arrivals.push(Force::new(coming.owner, coming.ships)),
                }
            }
            if !arrivals.is_empty() {
                let garrison = Force::new(owner, ships);
                Force { owner, ships } = fight(self.rules.battle, garrison, &mut arrivals);
            }
            if self.rules.growth == Growth::AfterBattles {
                ships = grow(owner, ships);
            }
            states.push((owner, ships));
        }
        states
    }

    /// The state after one turn with these orders of some players.
    pub(super) fn after(&self, orders: &[(PlayerId, Order)]) -> Self {
        let mut next = self.clone();
        next.turn += 1;
        for (owner, order) in orders {
            next.planets[order.from].ships -= order.ships;
            next.coming.push(Coming {
                owner: *owner,
                to: order.to,
                ships: order.ships,
                after: self.turns(order.from, order.to),
            });
        }
        for place in 0..next.planets.len() {
            let (owner, ships) = next.future(place, 1, &[])[1];
            (next.planets[place].owner, next.planets[place].ships) = (owner, ships);
        }
        next.coming.retain(|coming| coming.after > 1);
        for coming in &mut next.coming {
            coming.after -= 1;
        }
        next
    }

    /// A player's ships, in flight and on planets.
    pub(super) fn ships(&self, of: impl Fn(PlayerId) -> bool) -> i64 {
        let planets = self.planets.iter().filter(|planet| of(planet.owner));
        let flying = self.coming.iter().filter(|coming| of(coming.owner));
        planets.map(|planet| planet.ships).sum::<i64>()
            + flying.map(|coming| coming.ships).sum::<i64>()
    }
}

/// What a stranger does in a turn: orders, and planets whose growth it buys.
pub(super) trait Way: Send {
    fn turn(&mut self, space: &Space) -> (Vec<Order>, Vec<usize>);
}
