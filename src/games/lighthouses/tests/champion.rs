//! The champion: its arithmetic against the rules, repeatability.

use crate::atlas;
use crate::bots::champion::{
    CHAMPION, Knobs, Rivals, State, Terrain, Worth, champion, champion_with,
};
use crate::bots::{bouts, make};
use crate::map::Map;
use crate::rules::{Act, Ask, Beacon, Lighthouse, Lighthouses, Setup, View};
use drover_game::arena::play_by;
use drover_game::contest::Contest as _;
use drover_game::game::{Bot, Budget, Game as _, Seat};
use drover_game::rng::Rng;
use std::sync::Arc;

/// Rounds compared after some random ones.
const ROUNDS: usize = 60;

fn setup(name: &str, players: usize, rounds: u32) -> Setup {
    Setup::new(atlas::find(name).unwrap().unwrap(), players, rounds)
}

/// A random act that often charges and links, so that triangles come and go.
fn stir(game: &Lighthouses, seat: Seat, rng: &mut Rng) -> Act {
    let view = game.view(seat);
    let chart = game.chart();
    let linkable = |to: &Lighthouse| game.legal(Act::Connect(*to)).is_ok();
    let all = (0..chart.lighthouses().len() as u8).map(Lighthouse);
    let links: Vec<Lighthouse> = all.filter(linkable).collect();
    let charge = Act::Attack(i64::from(rng.below(view.energy + 1)));
    if !links.is_empty() && rng.chance(0.9) {
        return Act::Connect(links[rng.below(links.len() as u32) as usize]);
    }
    if game.legal(charge).is_ok() && rng.chance(0.6) {
        return charge;
    }
    let near = chart.neighbours(view.position);
    Act::Move(chart.step(view.position, near[rng.below(near.len() as u32) as usize]))
}

#[test]
fn what_stands_brings_what_it_counts_on() {
    let text = "#########\n#! A  ! #\n#  !   !#\n# !   ! #\n#  B !  #\n#!    ! #\n#########\n";
    for seed in 0..40 {
        let mut rng = Rng::new(seed, 0);
        let mut game = Lighthouses::begin(&Setup::new(Map::read(text).unwrap(), 2, 10_000));
        for _ in 0..2 * (40 + 10 * seed) {
            let act = stir(&game, game.turn().unwrap(), &mut rng);
            game.play(act).unwrap();
        }
        let terrain = Terrain::new(Arc::clone(game.chart()));
        let mut worth = Worth::new(0);
        worth.weigh(|round| f64::from(u8::from(round < ROUNDS)));
        worth.expect(true, |_| 0.0);
        worth.expect(false, |_| 0.0);
        worth.owners[0] = 1.0;
        worth.owners[1] = -1.0;
        let mut state = State::from_beacons(&terrain, &worth, game.network().beacons());
        let before = game.scores().values().to_vec();
        for round in 0..ROUNDS {
            let place = format!("seed {seed}, round {round}");
            for (at, beacon) in game.network().beacons().iter().enumerate() {
                let owner = beacon.owner.map_or(u8::MAX, |seat| seat.0);
                assert_eq!(state.owner(at), owner, "{place}, {at}");
                if beacon.owner.is_some() {
                    assert_eq!(state.energy(at), beacon.energy, "{place}, {at}");
                }
                assert_eq!(state.links(at), beacon.links, "{place}, {at}");
            }
            let player = game.players()[0];
            state.purse = player.energy;
            state.keys = player.keys;
            let act = stir(&game, Seat(0), &mut rng);
            let here = game.chart().lighthouse_at(player.position);
            match (act, here) {
                (Act::Attack(strength), Some(at)) => {
                    state.charge(&terrain, &worth, at.index(), strength as u32);
                }
                (Act::Connect(to), Some(at)) => {
                    assert!(!state.crossed(&terrain, at.index(), to.index()), "{place}");
                    let joinable = state.joinable(&terrain, at.index());
                    assert!(joinable & to.bit() != 0, "{place}");
                    state.join(&terrain, &worth, at.index(), to.index());
                }
                _ => {}
            }
            state.pass(1, terrain.count);
            game.play(act).unwrap();
            game.play(Act::Pass).unwrap();
        }
        let after = game.scores();
        let gained = |seat: usize| (after.values()[seat] - before[seat]) as f32;
        let gain = gained(0) - gained(1);
        assert!(
            (state.value - gain).abs() < 1.0,
            "{seed}: {} {gain}",
            state.value
        );
    }
}

/// What each of four players' points are worth to the first, after lighthouses belonged to these for a while.
fn weights(owners: [u8; 4]) -> Vec<f32> {
    let text = "#######\n#!   !#\n# ABCD#\n#!   !#\n#######\n";
    let game = Lighthouses::begin(&Setup::new(Map::read(text).unwrap(), 4, 10));
    let terrain = Terrain::new(Arc::clone(game.chart()));
    let mut worth = Worth::new(0);
    worth.expect(true, |_| 0.0);
    worth.expect(false, |_| 0.0);
    let beacons = owners.map(|owner| Beacon {
        owner: Some(Seat(owner)),
        energy: 500,
        links: 0,
    });
    let state = State::from_beacons(&terrain, &worth, &beacons);
    let mut rivals = Rivals::new(&CHAMPION, 0, 4);
    for round in 0..500 {
        rivals.see(&CHAMPION, &terrain, &state, round);
    }
    rivals.weigh(&CHAMPION, &mut worth);
    worth.owners[..4].to_vec()
}

#[test]
fn points_of_one_who_scores_far_more_than_the_others_count_against() {
    let check = |owners, expected: [f32; 4]| {
        for (weight, expected) in weights(owners).iter().zip(expected) {
            assert!(
                (weight - expected).abs() < 0.01,
                "{owners:?}: {weight} {expected}"
            );
        }
    };
    check([0, 1, 2, 3], [1.0, 0.0, 0.0, 0.0]);
    check([0, 0, 0, 3], [1.0, 0.0, 0.0, 0.0]);
    check([0, 2, 2, 3], [1.0, 0.0, -1.0 / 3.0, 0.0]);
    check([3, 3, 3, 3], [1.0, 0.0, 0.0, -1.0]);
}

#[test]
fn who_is_shot_at_without_falling_is_expected_to_stand_less_long() {
    let text = "#######\n#!   !#\n# ABCD#\n#!   !#\n#######\n";
    let game = Lighthouses::begin(&Setup::new(Map::read(text).unwrap(), 4, 10));
    let terrain = Terrain::new(Arc::clone(game.chart()));
    let mut worth = Worth::new(0);
    let mut rivals = Rivals::new(&CHAMPION, 0, 4);
    let mut energies = [4_000; 4];
    for round in 0..60 {
        let beacons = energies.map(|energy| Beacon {
            owner: Some(Seat(0)),
            energy,
            links: 0,
        });
        let state = State::from_beacons(&terrain, &worth, &beacons);
        rivals.see(&CHAMPION, &terrain, &state, round);
        // The first one is shot at, the second one is charged, the others only decay.
        rivals.put(1, 300);
        energies = [
            energies[0] - 50,
            energies[1] + 290,
            energies[2] - 10,
            energies[3] - 10,
        ];
    }
    rivals.expect(&CHAMPION, &mut worth);
    let lives = [0, 1, 2, 3].map(|at| worth.life(at, 0, 1_500));
    assert!(lives[0] < lives[2], "{lives:?}");
    assert_eq!(lives[1..], [lives[2]; 3], "{lives:?}");
}

/// Plays a game with the first seat's acts by `decide`, the others by `rivals`: its end, and those acts.
fn play(
    setup: &Setup,
    rivals: &[&str],
    decide: impl FnMut(&mut dyn Bot<Lighthouses>, &View, &Ask) -> Act,
) -> (Lighthouses, Vec<Act>) {
    play_as(champion(1), setup, rivals, decide)
}

/// The same with this bot in the first seat.
fn play_as(
    own: Box<dyn Bot<Lighthouses>>,
    setup: &Setup,
    rivals: &[&str],
    mut decide: impl FnMut(&mut dyn Bot<Lighthouses>, &View, &Ask) -> Act,
) -> (Lighthouses, Vec<Act>) {
    let mut bots = vec![own];
    bots.extend(rivals.iter().map(|name| make(name, 1).unwrap()));
    let mut acts = Vec::new();
    let end = play_by(setup, &mut bots, |seat, bot, view, ask| {
        if seat != Seat(0) {
            return bot.decide(view, ask, Budget::nodes(200));
        }
        acts.push(decide(bot, view, ask));
        acts[acts.len() - 1]
    });
    assert_eq!(end.refused.values()[0], 0);
    (end.game, acts)
}

#[test]
fn every_act_is_legal_and_it_earns_more_than_hunters() {
    for (name, rivals) in [
        ("atoll", &[] as &[&str]),
        ("delta", &["triangle"]),
        ("plain", &["ring", "drifter"]),
        ("orchard", &["harvester", "nearest", "drifter"]),
    ] {
        let setup = setup(name, 1 + rivals.len(), 250);
        let (game, _) = play(&setup, rivals, |bot, view, ask| {
            bot.decide(view, ask, Budget::nodes(5000))
        });
        let scores = game.scores();
        let (own, others) = scores.values().split_first().unwrap();
        let most = others.iter().fold(0, |most, other| most.max(*other));
        assert!(*own > most, "{name}: {scores:?}");
    }
}

#[test]
fn as_many_nodes_give_the_same_acts_in_one_budget_or_in_slices() {
    let acts = |all: u64, slice: u64| {
        let play = play(&setup("fjord", 2, 60), &["ring"], |bot, view, ask| {
            let mut nodes = slice;
            while nodes < all {
                bot.ponder(view, ask, Budget::nodes(nodes));
                nodes += slice;
            }
            bot.decide(view, ask, Budget::nodes(all))
        });
        play.1
    };
    let whole = acts(700, 700);
    assert_eq!(whole, acts(700, 700));
    assert_eq!(whole, acts(700, 90));
    assert_eq!(whole, acts(700, 1));
    // With these, tours and the beam come into it.
    assert_eq!(acts(6_000, 6_000), acts(6_000, 37));
}

/// A square island with nothing on it but one player and these lighthouses.
fn bare(
    side: usize,
    player: (usize, usize),
    is_lighthouse: impl Fn((usize, usize)) -> bool,
) -> Setup {
    let mut text = String::new();
    for y in 0..side {
        for x in 0..side {
            let border = x == 0 || y == 0 || x + 1 == side || y + 1 == side;
            text.push(match (x, y) {
                _ if border => '#',
                place if place == player => 'A',
                place if is_lighthouse(place) => '!',
                _ => ' ',
            });
        }
        text.push('\n');
    }
    Setup::new(Map::read(&text).unwrap(), 1, 150)
}

#[test]
fn three_lighthouses_far_apart_become_a_triangle_sooner_by_a_tour() {
    let setup = bare(26, (12, 12), |place| {
        matches!(place, (1, 1) | (24, 2) | (13, 24))
    });
    let [without, with] = [0, CHAMPION.tours].map(|tours| {
        let own = champion_with(1, Knobs { tours, ..CHAMPION });
        let (game, _) = play_as(own, &setup, &[], |bot, view, ask| {
            bot.decide(view, ask, Budget::nodes(5_000))
        });
        (game.network().income(Seat(0)), game.scores().values()[0])
    });
    assert!(with.0 > 250, "{with:?}");
    assert!(10 * with.1 > 11 * without.1, "{without:?} {with:?}");
}

/// Its acts in the games of its signature, with n tours tried.
fn signed(tours: usize) -> Vec<Act> {
    let mut acts = Vec::new();
    for bout in bouts("champion").unwrap() {
        let bot = |(name, seed): &(&str, u64)| match *name {
            "champion" => champion_with(*seed, Knobs { tours, ..CHAMPION }),
            name => make(name, *seed).unwrap(),
        };
        let mut bots: Vec<_> = bout.bots.iter().map(bot).collect();
        let nodes = bout.nodes.unwrap_or(Lighthouses::BOUT_NODES);
        play_by(&bout.setup, &mut bots, |seat, bot, view, ask| {
            let act = bot.decide(view, ask, Budget::nodes(nodes));
            acts.extend(bout.own.contains(&seat.index()).then_some(act));
            act
        });
    }
    acts
}

#[test]
fn its_signature_stands_for_tours_too() {
    assert_ne!(signed(CHAMPION.tours), signed(0));
}

#[test]
fn the_largest_map_fits() {
    let setup = bare(256, (100, 101), |(x, y)| x % 30 == 20 && y % 32 == 20);
    let (game, _) = play(&setup, &[], |bot, view, ask| {
        bot.decide(view, ask, Budget::nodes(3000))
    });
    assert_eq!(game.chart().lighthouses().len(), 64);
    assert!(game.scores().values()[0] > 0);
}
