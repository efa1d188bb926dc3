//! Laws of every built-in player.

use crate::bots::{CARDS, make};
use crate::generate::{Look, Style, generate};
use crate::rules::{
    Act, Ask, Launch, NEUTRAL, Planet, PlanetId, PlanetWars, PlayerId, Ruleset, SamePlanet, Setup,
    View, ZeroShips,
};
use drover_game::arena::play_by;
use drover_game::game::{Bot, Budget, Game as _, Seat};
use drover_game::ladder::seated;
use drover_game::rng::Rng;
use std::sync::Arc;

/// Rules in which every order that any engine forbids is illegal.
const STRICT: Ruleset = Ruleset {
    same_planet: SamePlanet::Illegal,
    zero_ships: ZeroShips::Illegal,
    ..Ruleset::TEAM
};

/// Two teams on a random map with arbitrary planet and player numbers, one planet being 0.
fn setup(seed: u64, size: usize, rounds: u32) -> Setup {
    let mut rng = Rng::new(seed, 9);
    let style = Style::new([Look::Contest, Look::Google][(seed % 2) as usize], 2 * size);
    let mut planets = generate(seed, &style).unwrap();
    let mut id = 0;
    for planet in &mut planets {
        planet.id = id;
        id += 1 + rng.below(40);
    }
    rng.shuffle(&mut planets);
    let mut players: Vec<PlayerId> = (1..=2 * size as PlayerId).collect();
    rng.shuffle(&mut players);
    let number = |player: PlayerId| player * 7 - 3;
    for planet in planets.iter_mut().filter(|planet| planet.owner != NEUTRAL) {
        planet.owner = number(planet.owner);
    }
    Setup {
        planets,
        players: players.into_iter().map(number).collect(),
        teams: (0..2 * size).map(|seat| u8::from(seat >= size)).collect(),
        ruleset: Ruleset { rounds, ..STRICT },
    }
}

/// A game of two teams, whose acts must all be legal; returns what the first seat did.
fn play(names: [&str; 2], setup: &Setup, seed: u64) -> (PlanetWars, Vec<Act>) {
    let seats = setup.teams.iter();
    let names: Vec<&str> = seats.map(|team| names[usize::from(*team)]).collect();
    let mut acts = Vec::new();
    let mut bots = seated::<PlanetWars>(&names, seed * 128).unwrap();
    let game = play_by(setup, &mut bots, |seat, bot, view, ask| {
        let act = bot.decide(view, ask, Budget::nodes(100));
        if seat == Seat(0) {
            acts.push(act.clone());
        }
        act
    })
    .game;
    for seat in (0..names.len() as u8).map(Seat) {
        assert!(
            !game.is_dropped(seat),
            "{} was illegal",
            names[seat.index()]
        );
    }
    (game, acts)
}

fn is_team(name: &str) -> bool {
    name.ends_with("-team")
}

/// Whose planet each launch goes to, in games of teams that know themselves.
#[test]
fn teams_do_not_attack_their_mates() {
    for card in CARDS.iter().filter(|card| is_team(card.name)) {
        for (seed, size) in [(8, 2), (8, 4), (9, 2), (10, 3), (11, 2), (12, 3), (13, 4)] {
            let setup = setup(seed, size, 120);
            let names = vec![card.name; 2 * size];
            let team = |player: PlayerId| {
                let seat = setup.players.iter().position(|other| *other == player);
                seat.map(|seat| setup.teams[seat])
            };
            let mut bots = seated::<PlanetWars>(&names, 128).unwrap();
            play_by(&setup, &mut bots, |_, bot, view, ask| {
                let act = bot.decide(view, ask, Budget::nodes(100));
                for launch in &act.launches {
                    let goal = view.planets.iter().find(|planet| planet.id == launch.to);
                    let owner = goal.unwrap().owner;
                    let mates = team(owner) == team(view.you) && owner != view.you;
                    assert!(!mates, "{} {seed} {launch:?}", card.name);
                    let known = view.turn >= size as u32;
                    assert!(known || owner == NEUTRAL || owner == view.you);
                }
                act
            });
        }
    }
}

#[test]
fn every_act_is_legal_and_only_those_of_a_team_say_something() {
    let setup = setup(12, 4, 40);
    for card in CARDS {
        let (_, acts) = play([card.name, card.name], &setup, 1);
        let reported = |act: &Act| act.message.unwrap_or_default() != 0;
        assert_eq!(
            acts.iter().all(reported),
            is_team(card.name),
            "{}",
            card.name
        );
        assert_eq!(
            acts.iter().any(reported),
            is_team(card.name),
            "{}",
            card.name
        );
    }
}

/// A view as a broken engine might send it.
fn garbage(rng: &mut Rng, turn: u32) -> View {
    let huge = |rng: &mut Rng| (rng.bits() >> rng.below(64)) as i64;
    let coordinate = |rng: &mut Rng| match rng.below(12) {
        0 => f64::NAN,
        1 => f64::INFINITY,
        2 => rng.between(-1e300, 1e300),
        _ => f64::from(rng.below(30)),
    };
    let count = rng.below(101);
    let planet = |rng: &mut Rng| Planet {
        id: rng.below(120),
        x: coordinate(rng),
        y: coordinate(rng),
        growth: if rng.chance(0.8) { 1 } else { huge(rng) },
        owner: rng.below(4),
        ships: if rng.chance(0.8) {
            rng.below(50).into()
        } else {
            huge(rng)
        },
    };
    View {
        turn,
        planets: Arc::new((0..count).map(|_| planet(rng)).collect()),
        fleets: None,
        message: rng.chance(0.8).then(|| rng.bits() as u32),
        you: rng.below(5),
    }
}

/// Orders that no engine refuses: known planets, other ones than the first, ships that are there.
fn legal(view: &View, act: &Act) -> bool {
    let planet = |id: PlanetId| view.planets.iter().find(|planet| planet.id == id);
    let mut spent: Vec<(PlanetId, i64)> = Vec::new();
    act.launches.iter().all(|launch| {
        let Launch { from, to, ships } = *launch;
        let (Some(start), Some(_)) = (planet(from), planet(to)) else {
            return false;
        };
        spent.push((from, ships));
        let mine = spent.iter().filter(|(id, _)| *id == from);
        let all: i128 = mine.map(|(_, ships)| i128::from(*ships)).sum();
        from != to && ships > 0 && all <= i128::from(start.ships) && start.owner == view.you
    })
}

#[test]
fn no_message_makes_a_player_panic_or_err() {
    let mut rng = Rng::new(11, 0);
    for card in CARDS {
        for game in 0..40 {
            let mut bot: Box<dyn Bot<PlanetWars>> = make(card.name, game).unwrap();
            let mut view = garbage(&mut rng, 0);
            for turn in 0..30 {
                let turn = if rng.chance(0.1) {
                    u32::MAX - turn
                } else {
                    turn
                };
                view = match rng.below(3) {
                    0 => garbage(&mut rng, turn),
                    // The same map with some of it gone.
                    1 => {
                        let mut planets = view.planets.to_vec();
                        planets.truncate(rng.below(101) as usize);
                        View {
                            turn,
                            planets: Arc::new(planets),
                            ..view
                        }
                    }
                    _ => View { turn, ..view },
                };
                let act = bot.decide(&view, &Ask, Budget::nodes(9));
                assert!(legal(&view, &act), "{}: {act:?} at {view:?}", card.name);
            }
        }
    }
}

#[test]
fn the_ladder_leads_upwards() {
    for size in [1, 3] {
        for (seed, rival) in [(20, "idle-team"), (21, "random-team"), (22, "bully-team")] {
            let setup = setup(seed, size, 200);
            let (game, _) = play(["frontier-team", rival], &setup, 1);
            assert!(game.total(0) > game.total(1), "{rival}");
            let (game, _) = play([rival, "frontier-team"], &setup, 1);
            assert!(game.total(0) < game.total(1), "{rival}");
            assert!(game.outcome().is_some());
        }
    }
}
