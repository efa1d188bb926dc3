//! The champion with and against programs of other authors.

use crate::bots::make;
use crate::bots::ring::{HELLO, word};
use crate::generate::{Look, Style, generate};
use crate::map;
use crate::rules::{Act, Ask, Launch, NEUTRAL, PlanetWars, PlayerId, Ruleset, Setup, View};
use drover_game::arena::play_by;
use drover_game::game::{Bot, Budget, Game as _, Seat};

/// Sends everything from everywhere to the nearest planet of another player, turn after turn.
#[derive(Clone)]
struct Rusher;

impl Bot<PlanetWars> for Rusher {
    fn decide(&mut self, view: &View, _: &Ask, _: Budget<'_>) -> Act {
        let near = |from: usize| {
            let far = |to: &usize| {
                let (one, other) = (&view.planets[from], &view.planets[*to]);
                (one.x - other.x).hypot(one.y - other.y)
            };
            let foes = (0..view.planets.len()).filter(|to| {
                let owner = view.planets[*to].owner;
                owner != view.you && owner != NEUTRAL
            });
            foes.min_by(|one, other| far(one).total_cmp(&far(other)))
        };
        let own = (0..view.planets.len()).filter(|from| view.planets[*from].owner == view.you);
        let launches = own.filter_map(|from| {
            let planet = &view.planets[from];
            let to = view.planets[near(from)?].id;
            (planet.ships > 0).then_some(Launch {
                from: planet.id,
                to,
                ships: planet.ships,
            })
        });
        Act {
            launches: launches.collect(),
            ..Act::default()
        }
    }
}

/// Homes one or two turns apart with few ships: a player that sends everything away is out at once.
#[test]
fn a_rush_on_small_close_homes_is_withstood() {
    let around = "P 3 -2 0 1 0 1\nP 4 4 0 1 0 1\nP 5 1 3 1 0 1\nP 6 1 -3 1 0 1\n";
    for apart in 1..=2 {
        for ships in [2, 4, 6] {
            let text = format!("P 1 0 0 1 1 {ships}\nP 2 {apart} 0 1 2 {ships}\n{around}");
            for seat in 0..2 {
                let setup = Setup::duel(
                    map::read(&text).unwrap(),
                    Ruleset {
                        rounds: 30,
                        ..Ruleset::TEAM
                    },
                );
                let champion = || make("champion", 1).unwrap();
                let mut bots = [champion(), Box::new(Rusher) as Box<dyn Bot<PlanetWars>>];
                bots.rotate_right(seat);
                let game = play_by(&setup, &mut bots, |_, bot, view, ask| {
                    bot.decide(view, ask, Budget::nodes(700))
                });
                let alive = game.game.is_alive(Seat(seat as u8));
                assert!(alive, "{ships} ships {apart} apart, seat {seat}");
            }
        }
    }
}

/// Sends half of its strongest planet to the weakest of the others', once there are enough.
#[derive(Clone)]
struct Halver;

impl Bot<PlanetWars> for Halver {
    fn decide(&mut self, view: &View, _: &Ask, _: Budget<'_>) -> Act {
        let planets = view.planets.iter();
        let own = planets.clone().filter(|planet| planet.owner == view.you);
        let others = planets.filter(|planet| ![view.you, NEUTRAL].contains(&planet.owner));
        let strongest = own.max_by_key(|planet| planet.ships);
        let weakest = others.min_by_key(|planet| planet.ships);
        let both = strongest.zip(weakest).filter(|(from, _)| from.ships >= 19);
        let launch = both.map(|(from, to)| Launch {
            from: from.id,
            to: to.id,
            ships: from.ships / 2,
        });
        Act {
            launches: launch.into_iter().collect(),
            ..Act::default()
        }
    }
}

/// Where all free planets shrink there are only the homes: their ships can have no other goal.
#[test]
fn a_duel_of_homes_among_planets_that_shrink_is_won() {
    let free = (3..17).map(|id| format!("P {id} {} {} -2 0 6\n", id % 5, id / 2 + 3));
    let free: String = free.collect();
    let text = format!("P 1 0 1 3 1 50\nP 2 0 -1 3 2 50\n{free}");
    for seat in 0..2 {
        let setup = Setup::duel(map::read(&text).unwrap(), Ruleset::MZ2015);
        let champion = make("champion", 1).unwrap();
        let mut bots = [champion, Box::new(Halver) as Box<dyn Bot<PlanetWars>>];
        bots.rotate_right(seat);
        let game = play_by(&setup, &mut bots, |_, bot, view, ask| {
            bot.decide(view, ask, Budget::nodes(2_000))
        });
        let totals = [0, 1].map(|team| game.game.total(team));
        assert!(totals[seat] > totals[1 - seat], "seat {seat}: {totals:?}");
    }
}

/// Equal homes one turn apart: who sends ships elsewhere may be taken, but an enemy that was still for long is
/// expected to stay so.
#[test]
fn an_enemy_that_does_nothing_is_outgrown() {
    let text = "P 1 0 0 1 1 4\nP 2 1 0 1 2 4\nP 3 -3 4 1 0 1\nP 4 2 -4 1 0 2\nP 5 -3 -1 1 0 3\nP 6 3 4 1 0 2\n";
    for seat in 0..2 {
        let setup = Setup::duel(
            map::read(text).unwrap(),
            Ruleset {
                rounds: 60,
                ..Ruleset::TEAM
            },
        );
        let champion = make("champion", 1).unwrap();
        let mut bots = [champion, make("idle", 1).unwrap()];
        bots.rotate_right(seat);
        let game = play_by(&setup, &mut bots, |_, bot, view, ask| {
            bot.decide(view, ask, Budget::nodes(700))
        });
        let totals = [0, 1].map(|team| game.game.total(team));
        assert!(totals[seat] > totals[1 - seat], "seat {seat}: {totals:?}");
    }
}

/// Says its number, passes on every message, and takes neutral planets.
#[derive(Clone)]
struct Forwarder(Box<dyn Bot<PlanetWars>>);

impl Bot<PlanetWars> for Forwarder {
    fn decide(&mut self, view: &View, ask: &Ask, budget: Budget<'_>) -> Act {
        let received = view.message.filter(|word| *word != 0);
        let mut act = self.0.decide(view, ask, budget);
        let free = |launch: &Launch| {
            let goal = view.planets.iter().find(|planet| planet.id == launch.to);
            goal.is_some_and(|goal| goal.owner == NEUTRAL)
        };
        act.launches.retain(free);
        act.message = Some(received.unwrap_or(view.you));
        act
    }
}

/// Teams in which every other program is somebody else's: no program of our own ever sends a fleet at a mate.
#[test]
fn no_fleet_goes_to_a_mate_of_another_author() {
    let mut launches = 0;
    for (seed, size) in [(1, 2), (2, 3), (3, 4), (4, 2)] {
        for ours in ["champion-team", "frontier-team", "surplus-team"] {
            let planets = generate(seed, &Style::new(Look::Contest, 2 * size)).unwrap();
            let setup = Setup {
                planets,
                players: (1..=2 * size as PlayerId).collect(),
                teams: (0..2 * size).map(|seat| (seat % 2) as u8).collect(),
                ruleset: Ruleset {
                    rounds: 60,
                    ..Ruleset::TEAM
                },
            };
            let bot = |seat: usize| -> Box<dyn Bot<PlanetWars>> {
                if (seat / 2).is_multiple_of(2) {
                    make(ours, seat as u64).unwrap()
                } else {
                    Box::new(Forwarder(make("frontier", seat as u64).unwrap()))
                }
            };
            let mut bots: Vec<_> = (0..2 * size).map(bot).collect();
            play_by(&setup, &mut bots, |seat, bot, view, ask| {
                let act = bot.decide(view, ask, Budget::nodes(100));
                if (seat.index() / 2).is_multiple_of(2) {
                    for launch in &act.launches {
                        let goal = view.planets.iter().find(|planet| planet.id == launch.to);
                        let owner = goal.unwrap().owner;
                        let mate = owner != NEUTRAL && owner % 2 == view.you % 2;
                        let turn = view.turn;
                        assert!(
                            !mate || owner == view.you,
                            "{ours} {seed}: {launch:?} in {turn}"
                        );
                    }
                    launches += act.launches.len();
                }
                act
            });
        }
    }
    assert!(launches > 300, "{launches} launches");
}

/// A neighbour's ships land on our home before the team is known: it is fought, unless it is known to be a mate.
#[test]
fn a_mate_that_has_attacked_is_spared_before_the_team_is_known() {
    let text = "P 1 0 0 1 1 30\nP 2 2 0 1 2 10\nP 3 40 0 1 3 5\nP 4 0 40 1 4 5\n";
    let setup = Setup {
        planets: map::read(text).unwrap(),
        players: vec![1, 2, 3, 4],
        teams: vec![0, 0, 0, 1],
        ruleset: Ruleset::TEAM,
    };
    for (received, fought) in [(0, true), (word(HELLO, 0b10), false)] {
        let mut game = PlanetWars::start(&setup);
        let mut bot = make("champion-team", 1).unwrap();
        let mut against = 0;
        for turn in 0..12 {
            let view = View {
                message: Some(if turn == 0 { 0 } else { received }),
                ..game.view(Seat(0))
            };
            let ours = bot.decide(&view, &Ask, Budget::nodes(700));
            let launches = ours.launches.iter();
            against += launches.filter(|launch| launch.to == 2).count();
            let strays = (turn == 0).then_some(Launch {
                from: 2,
                to: 1,
                ships: 10,
            });
            let theirs = Act {
                launches: strays.into_iter().collect(),
                ..Act::default()
            };
            game.answered(&[(Seat(0), Some(ours)), (Seat(1), Some(theirs))]);
        }
        assert_eq!(
            against > 0,
            fought,
            "{against} fleets, {received:#x} received"
        );
    }
}
