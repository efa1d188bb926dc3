//! Laws of the champion, against any opponent and under any rules.

use crate::KIT;
use crate::bots::champion::{Team, Timing, solo, team, timing_found};
use crate::bots::{CLOSE, make};
use crate::generate::{Look, Style, generate};
use crate::map;
use crate::rules::{
    Act, Ask, Launch, PlanetWars, PlayerId, Ruleset, Setup, ShownFleet, Travel, View,
};
use drover_game::arena::play_by;
use drover_game::game::{Bot, Budget, Game, Progress, Seat};
use drover_game::kit::{DialogueSetup, Exchange, Kit as _, Nodes, PlaySetup};
use drover_game::rng::Rng;
use serde_json::json;
use std::cell::Cell;
use std::fmt::Write as _;
use std::sync::Arc;

const NODES: u64 = 100;

fn setup(seed: u64, look: Look, teams: &[u8], ruleset: Ruleset) -> Setup {
    let style = Style::new(look, teams.len());
    Setup {
        planets: generate(seed, &style).expect("a map can be drawn"),
        players: (1..=teams.len() as PlayerId).collect(),
        teams: teams.to_vec(),
        ruleset,
    }
}

/// The same game with players' and planets' numbers far apart.
fn scattered(mut setup: Setup, rng: &mut Rng) -> Setup {
    let odd = |id: u32| id * 37 % 1_009 + (id % 3) * 2_000;
    let shift = rng.below(5);
    for planet in &mut setup.planets {
        planet.id = odd(planet.id - 1 + shift);
        if planet.owner != 0 {
            planet.owner = odd(planet.owner);
        }
        planet.x += 0.25;
    }
    for player in &mut setup.players {
        *player = odd(*player);
    }
    setup
}

/// The contest's rules for n rounds.
fn short(rounds: u32) -> Ruleset {
    Ruleset {
        rounds,
        ..Ruleset::TEAM
    }
}

/// Whether a launch goes to a planet of this player.
fn goes_to(view: &View, launch: &Launch, owner: PlayerId) -> bool {
    let goal = view.planets.iter().find(|planet| planet.id == launch.to);
    goal.is_some_and(|planet| planet.owner == owner)
}

#[test]
fn time_is_reckoned_as_the_rules_do() {
    let floor = Ruleset {
        travel: Travel::Floor,
        ..Ruleset::TEAM
    };
    let rulesets = [Ruleset::TEAM, Ruleset::MZ2015, Ruleset::GOOGLE2010, floor];
    for (seed, ruleset) in (7..)
        .flat_map(|seed| rulesets.map(|ruleset| (seed, ruleset)))
        .take(16)
    {
        let mut setup = setup(seed, Look::Google, &[0, 1], ruleset);
        for planet in setup.planets.iter_mut().filter(|planet| planet.owner == 0) {
            planet.ships = planet.ships % 9 + 1;
        }
        let mut game = PlanetWars::start(&setup);
        let found = timing_found(&mut game, Seat(0), 60);
        assert_eq!(found, Some(Timing::from_ruleset(&ruleset)), "seed {seed}");
    }
}

#[test]
fn no_order_is_ever_illegal() {
    let mut rng = Rng::new(1, 9);
    for round in 0..8 {
        let players = 2 + rng.below(19) as usize;
        let teams: Vec<u8> = (0..players).map(|_| rng.below(2) as u8).collect();
        if teams.iter().all(|team| *team == teams[0]) || players > 10 && round % 2 == 0 {
            continue;
        }
        let look = [Look::Contest, Look::Google][round % 2];
        let rulesets = [Ruleset::TEAM, Ruleset::MZ2015, Ruleset::GOOGLE2010];
        let ruleset = Ruleset {
            rounds: 40,
            zero_ships: crate::rules::ZeroShips::Illegal,
            same_planet: crate::rules::SamePlanet::Illegal,
            ..rulesets[round % 3]
        };
        let setup = scattered(setup(rng.bits(), look, &teams, ruleset), &mut rng);
        let bot = |seat: usize| {
            if seat.is_multiple_of(3) {
                solo()
            } else {
                team()
            }
        };
        let mut bots: Vec<_> = (0..players).map(bot).collect();
        let end = play_by(&setup, &mut bots, |_, bot, view, ask| {
            bot.decide(view, ask, Budget::nodes(NODES))
        });
        assert!(
            end.refused.values().iter().all(|acts| *acts == 0),
            "round {round}"
        );
    }
}

/// Plays a game of two teams of four, the first of them ours; `cut` says which of our programs are stopped when. Each
/// turn: the plans of the team by member, and which members deviated.
fn play_team(
    seed: u64,
    look: Look,
    cut: impl Fn(u32, usize) -> bool,
    mut each: impl FnMut(u32, &[String], &[Option<Vec<u8>>]),
) {
    let setup = setup(seed, look, &[0, 1, 0, 1, 1, 0, 0, 1], Ruleset::TEAM);
    let mut game = PlanetWars::start(&setup);
    let ours: Vec<Seat> = (0..8)
        .filter(|seat| setup.teams[*seat] == 0)
        .map(|seat| Seat(seat as u8))
        .collect();
    let mut mates: Vec<Team> = ours
        .iter()
        .map(|seat| Team::new(&game.view(*seat)))
        .collect();
    let mut rivals: Vec<Box<dyn Bot<PlanetWars>>> = (0..8).map(|_| team()).collect();
    while game.outcome().is_none() && game.turn() < 60 {
        let turn = game.turn();
        let mut acts = Vec::new();
        let (mut plans, mut astray) = (Vec::new(), Vec::new());
        for (at, (seat, mate)) in ours.iter().zip(&mut mates).enumerate() {
            let view = game.view(*seat);
            let budget = Budget {
                nodes: NODES,
                stop: &|| cut(turn, at),
            };
            let orders = mate.turn(&view, budget);
            plans.push(format!("{orders:?}"));
            astray.push(mate.astray().map(<[u8]>::to_vec));
            let act = Act {
                launches: mate.launches(&view, &orders),
                message: Some(mate.say()),
                ..Act::default()
            };
            acts.push((*seat, Some(act)));
        }
        for (seat, bot) in (0..).map(Seat).zip(&mut rivals) {
            if !ours.contains(&seat) {
                acts.push((
                    seat,
                    Some(bot.decide(&game.view(seat), &Ask, Budget::nodes(NODES))),
                ));
            }
        }
        each(turn, &plans, &astray);
        assert!(game.answered(&acts).is_empty());
    }
}

#[test]
fn all_of_a_team_have_the_same_plan() {
    for (seed, look) in [(1, Look::Contest), (2, Look::Google), (3, Look::Contest)] {
        let (mut whole, mut doubts) = (0, 0);
        play_team(
            seed,
            look,
            |_, _| false,
            |turn, plans, astray| {
                if astray.iter().all(Option::is_some) {
                    whole += 1;
                    assert!(
                        plans.windows(2).all(|pair| pair[0] == pair[1]),
                        "seed {seed} turn {turn}"
                    );
                    // Unknown fleets of others may look like orders that were not followed, equally to all.
                    assert!(astray.windows(2).all(|pair| pair[0] == pair[1]));
                    doubts += usize::from(!astray.iter().flatten().all(Vec::is_empty));
                }
            },
        );
        assert!(whole > 10, "seed {seed}: {whole} turns");
        assert!(doubts * 5 < whole, "seed {seed}: {doubts} of {whole} turns");
    }
}

#[test]
fn a_decision_that_was_cut_is_made_up_for() {
    for (seed, look) in [(4, Look::Contest), (5, Look::Google)] {
        let cut = |turn: u32, mate: usize| turn % 7 == 3 && mate == turn as usize / 7 % 4;
        let mut same = 0;
        play_team(seed, look, cut, |turn, plans, astray| {
            if turn % 7 != 3 && astray.iter().all(Option::is_some) {
                same += 1;
                assert!(
                    plans.windows(2).all(|pair| pair[0] == pair[1]),
                    "seed {seed} turn {turn}"
                );
            }
        });
        assert!(same > 10, "seed {seed}: {same} turns");
    }
}

/// A plan once begun is completed, whenever its time slice ends, and so is the same on every machine; and a
/// player that is only replayed a game, as after a restart, continues like the one that played.
#[test]
fn plans_hang_on_nodes_alone_and_are_thought_over_again() {
    // On the small map these two are not beaten too soon.
    let games = [
        ("champion", 1, "google", "frontier"),
        ("champion-team", 3, "google", "frontier-team"),
        ("champion", 1, CLOSE, "champion"),
        ("champion-team", 1, CLOSE, "frontier"),
    ];
    for (bot, size, map, rival) in games {
        let mut bots = vec![bot.to_owned(); size];
        bots.extend(vec![rival.to_owned(); size]);
        let setup = PlaySetup::recorded(bots, 9, json!({"teams": size, "rounds": 16, "map": map}));
        let played = KIT.play(&setup, &Nodes(u64::MAX)).unwrap();
        let received: Vec<&Exchange> = played
            .transcript
            .iter()
            .filter(|received| received.seat == Seat(0))
            .collect();
        let turns = received.len();
        assert!(turns > 12, "{turns} turns");
        let setup = DialogueSetup::new(bot, 0);
        for first in [0, 8] {
            let mut player = KIT.dialogue(&setup).unwrap();
            let mut more = 0;
            for (turn, received) in received.iter().enumerate() {
                player.receive(received.call.as_bytes()).unwrap();
                let reply = received.reply.as_ref().unwrap();
                if turn >= first {
                    let asked = Cell::new(false);
                    // Every slice is over at its second check.
                    let slice = Budget {
                        nodes: u64::MAX,
                        stop: &|| asked.replace(true),
                    };
                    let mut best = String::new();
                    while player.think(slice, &mut best) == Progress::More {
                        asked.set(false);
                        more += 1;
                    }
                    assert_eq!(best, *reply, "{bot} from turn {first} on, turn {turn}");
                }
                player.said(reply);
            }
            // A search takes many slices; nothing else takes more than one a turn.
            assert!(
                first > 0 || (more > turns) == (map == CLOSE),
                "{bot}: {more} slices"
            );
        }
    }
}

/// At close quarters it counts what it plays on, and asks before each game whether it must stop.
#[test]
fn a_search_at_close_quarters_counts_nodes_and_stops() {
    let setup = Setup {
        planets: map::read(CLOSE).unwrap(),
        ..setup(1, Look::Contest, &[0, 1], short(60))
    };
    let view = PlanetWars::start(&setup).view(Seat(0));
    let polls = |nodes: u64, most: u32| {
        let polls = Cell::new(0);
        let stop = || {
            polls.set(polls.get() + 1);
            polls.get() > most
        };
        let slice = Budget { nodes, stop: &stop };
        let (_, progress) = solo().ponder(&view, &Ask, slice);
        (polls.get(), progress)
    };
    let (few, done) = polls(500, u32::MAX);
    assert_eq!(done, Progress::Done);
    let (many, done) = polls(2_000, u32::MAX);
    assert_eq!(done, Progress::Done);
    assert!(1 < few && few < many, "{few} and {many} games");
    assert_eq!(polls(u64::MAX, 5), (6, Progress::More));
}

/// Two small homes two turns apart on a square of free planets, few of which grow.
fn sparse(planets: usize) -> View {
    let mut text = "P 1 0 0 1 1 10\nP 2 2 0 1 2 10\n".to_owned();
    let side = planets.isqrt() + 1;
    for id in 3..=planets {
        let (x, y) = (id % side, id / side + 1);
        let growth = u8::from(id % 8 == 0);
        writeln!(text, "P {id} {x} {y} {growth} 0 0").unwrap();
    }
    let setup = Setup {
        planets: map::read(&text).unwrap(),
        ..setup(1, Look::Contest, &[0, 1], Ruleset::TEAM)
    };
    PlanetWars::start(&setup).view(Seat(0))
}

/// Nodes of a decision at most: those of its plans, of the enemy's, and of its search, and what each begins last.
const DECISION_NODES: u64 = 2_000 + 1_000 + 5_000 + 500;

/// However many planets there are and however many nodes are given, what a decision computes is bounded, and so
/// is that of a player that was replayed some turns and makes up for two of them whatever its time.
#[test]
fn a_decision_on_a_large_map_is_bounded_by_counted_work() {
    for (planets, games) in [(16, 1_000), (32, 500), (33, 0), (100, 0)] {
        let first = sparse(planets);
        let state = |turn: u32| View {
            turn,
            ..first.clone()
        };
        let polls = Cell::new(0);
        let stop = || {
            polls.set(polls.get() + 1);
            false
        };
        let slice = Budget {
            nodes: u64::MAX,
            stop: &stop,
        };
        let nodes = solo().reasons(&first, &Ask, slice).nodes;
        assert_eq!(polls.get(), games + 1, "{planets} planets");
        assert!(nodes <= DECISION_NODES, "{planets} planets: {nodes} nodes");
        // There is time for all of it, or to begin and then none.
        for (missed, decisions, time) in [(2, 3, true), (6, 2, false)] {
            let mut bot = solo();
            for turn in 0..missed {
                let act = bot.decide(&state(turn), &Ask, Budget::nodes(0));
                assert!(act.launches.is_empty());
            }
            let asked = Cell::new(false);
            let slice = Budget {
                nodes: u64::MAX,
                stop: &|| !time && asked.replace(true),
            };
            let nodes = bot.reasons(&state(missed), &Ask, slice).nodes;
            let most = decisions * DECISION_NODES;
            assert!(
                0 < nodes && nodes <= most,
                "{planets} planets, {missed} turns missed: {nodes} nodes"
            );
        }
    }
}

/// Numbers of ships as large as a wire may name them, on planets and in all the fleets that are shown.
#[test]
fn no_number_of_ships_is_too_large() {
    for growth in [-5, 0, 5] {
        let planets = format!(
            "P 1 0 0 {growth} 1 9999999\nP 2 3 0 5 0 1\nP 3 30 0 {growth} 2 9999999\nP 4 33 0 0 0 1\nP 5 5 5 5 2 1\n"
        );
        let setup = Setup {
            planets: map::read(&planets).unwrap(),
            ..setup(1, Look::Contest, &[0, 1], Ruleset::GOOGLE2010)
        };
        let first = PlanetWars::start(&setup).view(Seat(0));
        for to in first.planets.iter().map(|planet| planet.id) {
            for owners in [[1, 1], [1, 2], [2, 2]] {
                let fleet = |number: u32| ShownFleet {
                    owner: owners[number as usize % 2],
                    ships: i64::MAX,
                    from: first.planets[2].id,
                    to,
                    turns: 30,
                    left: 1 + number % 20,
                };
                let view = View {
                    message: None,
                    fleets: Some(Arc::new((0..10_000).map(fleet).collect())),
                    ..first.clone()
                };
                for nodes in [NODES, 500] {
                    let act = solo().decide(&view, &Ask, Budget::nodes(nodes));
                    assert!(view.judge(&act).is_ok());
                }
            }
        }
    }
}

/// What it orders alone by these rules in this state.
fn ordered(ruleset: Ruleset, planets: &str, turn: u32, nodes: u64) -> Act {
    let setup = Setup {
        planets: map::read(planets).unwrap(),
        ..setup(1, Look::Contest, &[0, 1], ruleset)
    };
    let view = View {
        turn,
        ..PlanetWars::start(&setup).view(Seat(0))
    };
    solo().decide(&view, &Ask, Budget::nodes(nodes))
}

/// Ships of a home that shrinks are lost where they are, so that any neighbour that does not is worth taking.
#[test]
fn ships_that_rot_leave_for_any_planet_that_does_not_shrink() {
    for growth in [0, 1] {
        for nodes in [NODES, 2_000] {
            let planets = format!(
                "P 1 0 0 -5 1 50\nP 2 3 0 {growth} 0 20\nP 3 30 0 -5 2 50\nP 4 33 0 {growth} 0 20\n"
            );
            let sent: i64 = ordered(Ruleset::TEAM, &planets, 0, nodes)
                .launches
                .iter()
                .map(|launch| launch.ships)
                .sum();
            assert!(sent > 40, "growth {growth}, {nodes} nodes: {sent} sent");
        }
    }
}

/// The same where nobody else is, where few ships hold the neighbour, and for one of a team.
#[test]
fn a_home_that_shrinks_is_left_alone_and_in_a_team() {
    for (home, growth, garrison) in [(-5, 0, 20), (-5, 1, 5), (-5, 0, 5), (-1, 0, 5)] {
        let text = format!("P 0 0 0 {home} 1 50\nP 1 3 0 {growth} 0 {garrison}\n");
        let setup = Setup {
            planets: map::read(&text).unwrap(),
            players: vec![1],
            teams: vec![0],
            ruleset: Ruleset::TEAM,
        };
        let view = PlanetWars::start(&setup).view(Seat(0));
        for name in ["champion", "champion-team"] {
            let mut bot = make(name, 1).unwrap();
            let act = bot.decide(&view, &Ask, Budget::nodes(2_000));
            assert!(!act.launches.is_empty(), "{name}, {text}");
        }
    }
}

/// Ships that are never used win nothing for a player that is behind.
#[test]
fn a_player_that_is_behind_attacks_before_the_game_is_over() {
    let planets = "P 1 0 0 1 1 120\nP 2 3 0 1 2 60\nP 3 -3 0 1 2 60\nP 4 0 30 1 2 10\n";
    for nodes in [NODES, 2_000] {
        let act = ordered(Ruleset::TEAM, planets, 175, nodes);
        assert!(!act.launches.is_empty(), "{nodes} nodes");
    }
}

/// A free planet that costs four ships and can grow three times before the end is worth nothing, however much it would
/// grow afterwards.
#[test]
fn games_are_not_played_on_past_the_end() {
    let planets = "P 1 0 0 0 1 6\nP 2 30 0 0 2 6\nP 3 3 0 1 0 4\n";
    for (turn, sent) in [(150, true), (195, false)] {
        let act = ordered(Ruleset::TEAM, planets, turn, 700);
        let claims = act.launches.iter().any(|launch| launch.to == 3);
        assert_eq!(claims, sent, "turn {turn}: {act:?}");
    }
}

/// The games of 2015 have 201 rounds, and ships in flight do not count at their end.
#[test]
fn no_ships_leave_too_late_and_none_are_spent_in_the_last_round() {
    let planets = "P 1 0 0 1 1 50\nP 2 4 0 1 1 2\nP 3 9 0 1 2 20\nP 4 0 1 1 0 3\nP 5 0 -9 -1 0 5\n";
    for nodes in [NODES, 700] {
        for turn in 196..=200 {
            let act = ordered(Ruleset::MZ2015, planets, turn, nodes);
            let late = |launch: &&Launch| {
                let turns = match (launch.from.min(launch.to), launch.from.max(launch.to)) {
                    (1, 4) => 2,
                    (1, 2) => 5,
                    (2, 3 | 4) => 6,
                    _ => 10,
                };
                turn + turns > Ruleset::MZ2015.rounds
            };
            let late: Vec<&Launch> = act.launches.iter().filter(late).collect();
            assert!(late.is_empty(), "{nodes} nodes, turn {turn}: {late:?}");
            let spent = turn == 200 && !act.upgrades.is_empty();
            assert!(!spent, "{nodes} nodes: {:?}", act.upgrades);
        }
    }
}

/// Late words: by then it has settled alone; once it knows a mate it starts nothing against it.
#[test]
fn mates_that_are_found_late_are_not_fought() {
    let setup = setup(31, Look::Contest, &[0, 0, 1, 1], short(60));
    let mut bots: Vec<_> = (0..4).map(|_| team()).collect();
    let mut launches = 0;
    let end = play_by(&setup, &mut bots, |seat, bot, view, ask| {
        let turn = view.turn;
        // No member has spoken in the first states.
        let view = View {
            message: view.message.filter(|_| turn > 2),
            ..view.clone()
        };
        let act = bot.decide(&view, ask, Budget::nodes(NODES));
        let me = PlayerId::from(seat.0) + 1;
        let mate = PlayerId::from(seat.0 ^ 1) + 1;
        let against = |launch: &&Launch| goes_to(&view, launch, mate);
        if turn > 12 {
            launches += act.launches.len();
            let against: Vec<&Launch> = act.launches.iter().filter(against).collect();
            assert!(against.is_empty(), "turn {turn}: {me} sends {against:?}");
        }
        act
    });
    assert_eq!(end.refused.values(), [0; 4]);
    assert!(launches > 50, "{launches} launches");
}

/// A mate that never orders anything is no sign that fleets fly longer.
#[test]
fn orders_that_were_not_followed_say_nothing_about_time() {
    let teams = [0, 0, 1, 1];
    let mut strays = 0;
    for seed in 31..39 {
        let mut game = PlanetWars::start(&setup(seed, Look::Contest, &teams, Ruleset::TEAM));
        let mut mates: Vec<Team> = (0..4)
            .map(|seat| Team::new(&game.view(Seat(seat))))
            .collect();
        while game.outcome().is_none() && game.turn() < 30 {
            let mut acts = Vec::new();
            for (seat, mate) in (0..).map(Seat).zip(&mut mates) {
                let view = game.view(seat);
                let orders = mate.turn(&view, Budget::nodes(NODES));
                let idle = seat == Seat(1);
                let launches = mate.launches(&view, &orders);
                let act = Act {
                    launches: if idle { Vec::new() } else { launches },
                    message: Some(mate.say()),
                    ..Act::default()
                };
                acts.push((seat, Some(act)));
            }
            if let Some(timing) = mates[0].timing() {
                assert_eq!(timing, Timing::from_ruleset(&Ruleset::TEAM), "map {seed}");
                strays += mates[0].astray().map_or(0, <[u8]>::len);
            }
            assert!(game.answered(&acts).is_empty());
        }
    }
    assert!(strays > 20, "{strays} turns not followed");
}

/// In games without words no player waits for them.
#[test]
fn a_game_without_words_is_fought_from_the_start() {
    let setup = setup(31, Look::Contest, &[0, 1], short(20));
    let mut bots: Vec<_> = (0..2).map(|_| team()).collect();
    let mut attacks = 0;
    let end = play_by(&setup, &mut bots, |seat, bot, view, ask| {
        let silent = View {
            message: None,
            ..view.clone()
        };
        let act = bot.decide(&silent, ask, Budget::nodes(NODES));
        let foe = PlayerId::from(seat.0 ^ 1) + 1;
        let attacks_foe = |launch: &&Launch| goes_to(view, launch, foe);
        attacks += act.launches.iter().filter(attacks_foe).count();
        act
    });
    assert_eq!(end.refused.values(), [0; 2]);
    assert!(attacks > 5, "{attacks} attacks");
}
