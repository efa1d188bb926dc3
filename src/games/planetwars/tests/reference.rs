//! A second, slow implementation of the rules, written from their text alone: every fleet by itself, every
//! battle by search. Random games must agree with it every turn.

use crate::generate::{Look, Style, generate};
use crate::rules::{
    Act, Battle, Growth, Launch, PlanetWars, PlayerId, Ruleset, SamePlanet, Setup, Travel,
};
use drover_game::game::{Game as _, Seat};
use drover_game::rng::Rng;
use std::collections::BTreeMap;

struct Flight {
    owner: PlayerId,
    to: u32,
    ships: i64,
    /// The turn after which it has landed.
    lands: u32,
}

struct Slow {
    ruleset: Ruleset,
    /// Number: place, growth, owner, ships.
    planets: BTreeMap<u32, ((f64, f64), i64, PlayerId, i64)>,
    flights: Vec<Flight>,
    turn: u32,
    grown: i64,
    destroyed: i64,
}

impl Slow {
    fn new(setup: &Setup) -> Self {
        let planets = setup.planets.iter();
        Self {
            ruleset: setup.ruleset,
            planets: planets
                .map(|p| (p.id, ((p.x, p.y), p.growth, p.owner, p.ships)))
                .collect(),
            flights: Vec::new(),
            turn: 0,
            grown: 0,
            destroyed: 0,
        }
    }

    fn all(&self) -> i64 {
        let on: i64 = self.planets.values().map(|planet| planet.3).sum();
        on + self.flights.iter().map(|flight| flight.ships).sum::<i64>()
    }

    /// The least whole number whose square is not less than the distance's, found by counting up, or the
    /// greatest whose square is not more.
    fn turns(&self, from: u32, to: u32) -> u32 {
        let ((ax, ay), (bx, by)) = (self.planets[&from].0, self.planets[&to].0);
        let square = (ax - bx) * (ax - bx) + (ay - by) * (ay - by);
        let mut turns = 0u32;
        match self.ruleset.travel {
            Travel::Ceil => {
                while f64::from(turns * turns) < square {
                    turns += 1;
                }
            }
            Travel::Floor => {
                while f64::from((turns + 1) * (turns + 1)) <= square {
                    turns += 1;
                }
            }
        }
        (turns + self.ruleset.delay).max(1)
    }

    fn order(&mut self, owner: PlayerId, launch: &Launch) {
        if launch.ships == 0
            || (launch.from == launch.to && self.ruleset.same_planet == SamePlanet::Ignore)
        {
            return;
        }
        let lands = self.turn + self.turns(launch.from, launch.to);
        self.planets.get_mut(&launch.from).unwrap().3 -= launch.ships;
        self.flights.push(Flight {
            owner,
            to: launch.to,
            ships: launch.ships,
            lands,
        });
    }

    fn grow(&mut self) {
        for (_, growth, owner, ships) in self.planets.values_mut() {
            if *owner != 0 {
                *ships += *growth;
                self.grown += *growth;
            }
        }
    }

    fn land(&mut self) {
        let turn = self.turn;
        let (landing, flying): (Vec<Flight>, Vec<Flight>) = std::mem::take(&mut self.flights)
            .into_iter()
            .partition(|flight| flight.lands == turn);
        self.flights = flying;
        for (id, planet) in &mut self.planets {
            let here: Vec<&Flight> = landing.iter().filter(|flight| flight.to == *id).collect();
            if here.is_empty() {
                continue;
            }
            let mut forces: BTreeMap<PlayerId, i64> = BTreeMap::new();
            forces.insert(planet.2, planet.3);
            for flight in here {
                *forces.entry(flight.owner).or_default() += flight.ships;
            }
            let before: i64 = forces.values().sum();
            if forces.len() == 1 {
                planet.3 = before;
                continue;
            }
            let most = *forces.values().max().unwrap();
            let least = *forces.values().min().unwrap();
            let with_most: Vec<PlayerId> = forces
                .iter()
                .filter(|(_, ships)| **ships == most)
                .map(|(owner, _)| *owner)
                .collect();
            let attack = forces
                .iter()
                .filter(|(owner, _)| **owner != planet.2)
                .map(|(_, ships)| *ships)
                .max()
                .unwrap();
            let defence = forces[&planet.2];
            (planet.2, planet.3) = match self.ruleset.battle {
                Battle::Untouched if attack <= defence => (planet.2, defence),
                _ if with_most.len() > 1 => match self.ruleset.battle {
                    Battle::SmallestLoser if !with_most.contains(&planet.2) => (0, 0),
                    _ => (planet.2, 0),
                },
                Battle::SmallestLoser => (with_most[0], most - least),
                _ => {
                    let second = forces
                        .iter()
                        .filter(|(owner, _)| **owner != with_most[0])
                        .map(|(_, ships)| *ships)
                        .max()
                        .unwrap();
                    (with_most[0], most - second)
                }
            };
            self.destroyed += before - planet.3;
        }
    }

    fn round(&mut self, orders: &[(PlayerId, Vec<Launch>)]) {
        for (owner, launches) in orders {
            for launch in launches {
                self.order(*owner, launch);
            }
        }
        self.turn += 1;
        match self.ruleset.growth {
            Growth::AfterBattles => {
                self.land();
                self.grow();
            }
            Growth::BeforeBattles => {
                self.grow();
                self.land();
            }
        }
    }
}

/// A few orders that a seat may give.
fn orders(game: &PlanetWars, seat: Seat, rng: &mut Rng) -> Act {
    let you = game.player(seat).unwrap();
    let planets = game.planets();
    let mut act = Act {
        message: Some(rng.bits() as u32),
        ..Act::default()
    };
    for planet in planets.iter().filter(|planet| planet.owner == you) {
        let mut left = planet.ships;
        for _ in 0..rng.below(3) {
            let to = &planets[rng.below(planets.len() as u32) as usize];
            let ships = match rng.below(4) {
                0 => left,
                1 => 0,
                _ => i64::from(rng.below(left.min(1_000) as u32 + 1)),
            };
            let loops = to.id == planet.id && game.ruleset().same_planet == SamePlanet::Illegal;
            if loops || ships > left {
                continue;
            }
            left -= ships;
            act.launches.push(Launch {
                from: planet.id,
                to: to.id,
                ships,
            });
        }
    }
    act
}

fn setup(seed: u64, rng: &mut Rng) -> Setup {
    let players = 2 + rng.below(19) as usize;
    let look = [Look::Google, Look::Contest][usize::from(rng.chance(0.5))];
    let style = Style::new(look, players);
    let mut ruleset = match seed % 4 {
        0 => Ruleset::MZ2015,
        1 => Ruleset {
            zero_ships: crate::rules::ZeroShips::Ignore,
            ..Ruleset::GOOGLE2010
        },
        2 => Ruleset {
            travel: Travel::Floor,
            battle: Battle::Untouched,
            ..Ruleset::TEAM
        },
        _ => Ruleset::TEAM,
    };
    ruleset.rounds = 40;
    let size = 1 + rng.below(4) as u8;
    let mut numbers: Vec<PlayerId> = (1..=players as u32).collect();
    rng.shuffle(&mut numbers);
    Setup {
        planets: generate(seed, &style).unwrap(),
        players: numbers,
        teams: (0..players as u8).map(|seat| seat / size).collect(),
        ruleset,
    }
}

/// Ships come from growth and are lost in battles, and every planet is as the slow rules say, in 2,000 random
/// games of 2 to 20 players under four sets of rules.
#[test]
fn two_thousand_random_games_agree_and_keep_every_ship() {
    let mut battles = 0;
    for seed in 0..2_000 {
        let mut rng = Rng::new(seed, 77);
        let setup = setup(seed, &mut rng);
        let mut game = PlanetWars::start(&setup);
        let mut slow = Slow::new(&setup);
        let begun = slow.all();
        while game.outcome().is_none() {
            let asked: Vec<Seat> = game
                .to_move()
                .iter()
                .filter(|(_, asked)| **asked)
                .map(|(seat, _)| seat)
                .collect();
            let mut acts: Vec<(Seat, Option<Act>)> = Vec::new();
            for seat in asked {
                acts.push((seat, Some(orders(&game, seat, &mut rng))));
            }
            let ordered: Vec<(PlayerId, Vec<Launch>)> = acts
                .iter()
                .map(|(seat, act)| {
                    let launches = act.as_ref().unwrap().launches.clone();
                    (game.player(*seat).unwrap(), launches)
                })
                .collect();
            assert_eq!(
                game.answered(&acts),
                [],
                "seed {seed}: all orders are legal"
            );
            slow.round(&ordered);
            for planet in game.planets().iter() {
                let (_, _, owner, ships) = slow.planets[&planet.id];
                assert_eq!(
                    (planet.owner, planet.ships),
                    (owner, ships),
                    "seed {seed}, turn {}, planet {}",
                    game.turn(),
                    planet.id
                );
            }
            let flying: i64 = (0..setup.players.len() as u8)
                .map(|seat| game.flying(Seat(seat)))
                .sum();
            let on_planets: i64 = game.planets().iter().map(|planet| planet.ships).sum();
            assert_eq!(on_planets + flying, begun + slow.grown - slow.destroyed);
            assert_eq!(slow.all(), begun + slow.grown - slow.destroyed);
            battles += i64::from(slow.destroyed > 0);
        }
    }
    assert!(battles > 20_000, "{battles} turns after battles");
}
