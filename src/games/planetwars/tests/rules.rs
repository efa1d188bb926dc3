//! The rules, point by point (README.md, section 1).

use crate::map;
use crate::rules::{
    Act, Alive, Battle, Distances, Dropped, Force, LOST, Launch, PlanetWars, PlayerId, Ruleset,
    SamePlanet, Setup, Travel, fight,
};
use drover_game::game::{Cause, Game as _, Seat};

fn launch(from: u32, to: u32, ships: i64) -> Launch {
    Launch { from, to, ships }
}

fn act(launches: &[Launch]) -> Act {
    Act {
        launches: launches.to_vec(),
        ..Act::default()
    }
}

/// A game on this map, every player alone unless `teams` says otherwise.
fn game(text: &str, players: usize, teams: Option<&[u8]>, ruleset: Ruleset) -> PlanetWars {
    let alone: Vec<u8> = (0..players as u8).collect();
    PlanetWars::begin(&Setup {
        planets: map::read(text).unwrap(),
        players: (1..=players as PlayerId).collect(),
        teams: teams.map_or(alone, <[u8]>::to_vec),
        ruleset,
    })
    .unwrap()
}

/// Seat 0 gives these orders, the others none.
fn first(game: &mut PlanetWars, launches: &[Launch]) {
    assert_eq!(game.answered(&[(Seat(0), Some(act(launches)))]), []);
}

fn ships(game: &PlanetWars, id: u32) -> (PlayerId, i64) {
    let planet = game
        .planets()
        .iter()
        .find(|planet| planet.id == id)
        .unwrap();
    (planet.owner, planet.ships)
}

/// `owner:ships | owner:ships,…` before, `owner:ships` after.
fn battle(rule: Battle, before: &str, after: &str) {
    let force = |text: &str| {
        let (owner, ships) = text.trim().split_once(':').unwrap();
        Force::new(owner.parse().unwrap(), ships.parse().unwrap())
    };
    let (garrison, arrivals) = before.split_once('|').unwrap();
    let mut merged: Vec<Force> = Vec::new();
    for arrival in arrivals.split(',').map(force) {
        match merged.iter_mut().find(|other| other.owner == arrival.owner) {
            Some(other) => other.ships += arrival.ships,
            None => merged.push(arrival),
        }
    }
    let left = fight(rule, force(garrison), &mut merged);
    assert_eq!(left, force(after), "{rule:?}: {before}");
}

#[test]
fn battles_of_the_contest() {
    for (before, after) in [
        ("0:3 | 1:10,2:6", "1:4"),
        ("0:2 | 1:8,2:8", "0:0"),
        ("0:8 | 1:8,2:3", "0:0"),
        ("0:20 | 1:9,2:5", "0:11"),
        ("3:10 | 1:6,2:6", "3:4"),
        ("3:10 | 1:11,2:11", "3:0"),
        ("1:5 | 1:3,1:3,2:10", "1:1"),
        ("3:0 | 1:4", "1:4"),
        ("3:5 | 3:7", "3:12"),
    ] {
        battle(Battle::Merged, before, after);
    }
}

#[test]
fn battles_of_other_engines() {
    // The judge of 2015 takes the smallest loser away.
    battle(Battle::SmallestLoser, "0:3 | 1:10,2:6", "1:7");
    battle(Battle::SmallestLoser, "0:20 | 1:9,2:5", "0:15");
    battle(Battle::SmallestLoser, "3:10 | 1:11,2:11", "0:0");
    battle(Battle::SmallestLoser, "3:11 | 1:11,2:4", "3:0");
    // A garrison that no attacker exceeds loses nothing; one that is exceeded fares as in the contest.
    battle(Battle::Untouched, "0:20 | 1:9,2:5", "0:20");
    battle(Battle::Untouched, "3:6 | 1:6,2:6", "3:6");
    battle(Battle::Untouched, "3:10 | 1:11,2:11", "3:0");
    battle(Battle::Untouched, "0:3 | 1:10,2:6", "1:4");
    battle(Battle::Untouched, "3:5 | 3:7", "3:12");
}

/// Planet 2 is 1.41 away, planet 3 exactly 5, planet 4 two.
const TRAVEL: &str = "P 1 0 0 3 1 20\nP 2 1 1 0 0 1\nP 3 3 4 0 0 1\nP 4 2 0 3 2 10\n";

#[test]
fn distances_are_rounded_up_or_down() {
    let planets = map::read(TRAVEL).unwrap();
    let up = Distances::new(&planets, Travel::Ceil);
    let down = Distances::new(&planets, Travel::Floor);
    assert_eq!([up.turns(0, 1), up.turns(0, 2), up.turns(0, 3)], [2, 5, 2]);
    assert_eq!([down.turns(0, 1), down.turns(0, 2)], [1, 5]);
    assert_eq!((up.longest(), up.turns(9, 9), up.turns(0, 9)), (5, 0, 0));
}

/// The spec's scenario: growth 3, garrison 10, 20 ships sent over a distance of 2.
#[test]
fn what_a_fleet_meets_in_each_engine() {
    let after = |ruleset: Ruleset, turns: u32| {
        let mut game = game(TRAVEL, 2, None, ruleset);
        first(&mut game, &[launch(1, 4, 20)]);
        while game.turn() < turns {
            game.play(&[]);
        }
        ships(&game, 4)
    };
    assert_eq!(after(Ruleset::TEAM, 1), (2, 13));
    assert_eq!(after(Ruleset::TEAM, 2), (1, 10));
    assert_eq!(after(Ruleset::GOOGLE2010, 2), (1, 4));
    assert_eq!(after(Ruleset::MZ2015, 2), (2, 16));
    assert_eq!(after(Ruleset::MZ2015, 3), (1, 1));
}

#[test]
fn the_first_state_is_the_map_unless_it_is_to_grow() {
    let raw = game(TRAVEL, 2, None, Ruleset::TEAM);
    assert_eq!((ships(&raw, 1), ships(&raw, 2)), ((1, 20), (0, 1)));
    let grown = Ruleset {
        first_growth: true,
        ..Ruleset::TEAM
    };
    assert_eq!(ships(&game(TRAVEL, 2, None, grown), 1), (1, 23));
}

#[test]
fn orders_are_checked_together() {
    let standing = game(TRAVEL, 2, None, Ruleset::TEAM);
    let refused = |act: &Act, part: &str| {
        let illegal = standing.check(Seat(0), act).unwrap_err();
        assert!(illegal.0.contains(part), "{illegal} has no {part:?}");
    };
    refused(&act(&[launch(4, 1, 1)]), "planet 4 belongs to player 2");
    refused(&act(&[launch(2, 1, 1)]), "planet 2 belongs to nobody");
    refused(&act(&[launch(1, 9, 1)]), "there is no planet 9");
    refused(&act(&[launch(9, 1, 1)]), "there is no planet 9");
    refused(
        &act(&[launch(1, 2, 21)]),
        "21 ships from planet 1, where there are 20",
    );
    refused(
        &act(&[launch(1, 2, 15), launch(1, 3, 6)]),
        "21 ships from planet 1, where there are 20",
    );
    refused(
        &act(&[launch(1, 2, i64::MAX), launch(1, 3, i64::MAX)]),
        "where there are 20",
    );
    refused(&act(&[launch(1, 2, -1)]), "-1 ships cannot leave");
    refused(&act(&[launch(1, 1, 1)]), "to itself");
    let upgrade = Act {
        upgrades: vec![1],
        ..Act::default()
    };
    refused(&upgrade, "not for sale");
    // Orders of no ships are ignored, whatever they name.
    assert_eq!(standing.check(Seat(0), &act(&[launch(4, 9, 0)])), Ok(()));
    let strict = game(TRAVEL, 2, None, Ruleset::GOOGLE2010);
    assert!(strict.check(Seat(0), &act(&[launch(1, 2, 0)])).is_err());
}

#[test]
fn ships_to_where_they_are() {
    let with = |same_planet| {
        let ruleset = Ruleset {
            same_planet,
            ..Ruleset::TEAM
        };
        let mut game = game(TRAVEL, 2, None, ruleset);
        first(&mut game, &[launch(1, 1, 5)]);
        ships(&game, 1)
    };
    // They are back after a turn, or have never left.
    assert_eq!(with(SamePlanet::Return), (1, 23));
    assert_eq!(with(SamePlanet::Ignore), (1, 23));
}

#[test]
fn growth_can_be_bought_where_the_rules_have_it() {
    let mut game = game(TRAVEL, 2, None, Ruleset::MZ2015);
    let buy = |upgrades: &[u32], launches: &[Launch]| Act {
        upgrades: upgrades.to_vec(),
        launches: launches.to_vec(),
        ..Act::default()
    };
    // Growth 3 costs 8.
    assert!(game.check(Seat(0), &buy(&[1, 1], &[])).is_err());
    assert!(game.check(Seat(0), &buy(&[4], &[])).is_err());
    assert!(
        game.check(Seat(0), &buy(&[1], &[launch(1, 2, 13)]))
            .is_err()
    );
    let bought = buy(&[1], &[launch(1, 2, 12)]);
    assert_eq!(game.answered(&[(Seat(0), Some(bought))]), []);
    assert_eq!(ships(&game, 1), (1, 4));
    // Negative growth does not go below nothing.
    let text = "P 0 0 0 -3 1 4\nP 1 5 5 1 2 1\n";
    let mut shrinking = self::game(text, 2, None, Ruleset::MZ2015);
    shrinking.play(&[]);
    assert_eq!(ships(&shrinking, 0), (1, 1));
    shrinking.play(&[]);
    assert_eq!(ships(&shrinking, 0), (1, 0));
}

/// Four players of one team and one against them; a word goes to the next higher number of the team.
#[test]
fn words_go_around_the_ring_with_a_round_s_delay() {
    let text = "P 1 0 0 1 1 2\nP 2 9 0 1 2 2\nP 3 0 9 1 3 2\nP 4 9 9 1 4 2\nP 5 5 5 1 5 2\n";
    let mut game = game(text, 5, Some(&[0, 1, 0, 0, 0]), Ruleset::TEAM);
    let words_of =
        |game: &PlanetWars| [0, 1, 2, 3, 4].map(|seat| game.view(Seat(seat)).message.unwrap());
    assert_eq!(words_of(&game), [0; 5]);
    let say = |seat: u8, word| {
        let act = Act {
            message: Some(word),
            ..Act::default()
        };
        (Seat(seat), Some(act))
    };
    game.play(&[
        say(0, 10),
        say(1, 11),
        say(2, 12),
        say(3, 13),
        say(4, u32::MAX),
    ]);
    // Player 5 is before player 1; player 2 is alone and receives its own word.
    assert_eq!(words_of(&game), [u32::MAX, 11, 10, 12, 13]);
    // A player that says nothing says 0, and so does a dropped one.
    game.play(&[say(0, 20), say(1, 21)]);
    assert_eq!(words_of(&game), [0, 21, 20, 0, 0]);
    game.drop_players(&[Seat(0)]);
    game.play(&[say(0, 30), say(2, 32)]);
    assert_eq!(words_of(&game), [0, 0, 0, 32, 0]);
    let silent = Ruleset {
        messages: false,
        ..Ruleset::TEAM
    };
    assert_eq!(
        self::game(TRAVEL, 2, None, silent).view(Seat(0)).message,
        None
    );
}

/// A player that has lost its planets stays in the ring, is asked, and its team may still win.
#[test]
fn the_game_ends_when_one_team_is_left() {
    let text = "P 1 0 0 1 1 2\nP 2 2 0 1 2 2\nP 3 1 0 1 3 30\n";
    let mut game = game(text, 3, Some(&[0, 0, 1]), Ruleset::TEAM);
    let all = |launches: &[Launch]| (Seat(2), Some(act(launches)));
    game.answered(&[all(&[launch(3, 1, 10)])]);
    assert!(!game.is_alive(Seat(0)) && game.ask(Seat(0)).is_some());
    let said = Act {
        message: Some(7),
        ..Act::default()
    };
    game.answered(&[(Seat(0), Some(said)), all(&[])]);
    assert_eq!(game.word_for(Seat(1)), 7);
    assert!(game.outcome().is_none());
    game.answered(&[all(&[launch(3, 2, 10)])]);
    let outcome = game.outcome().unwrap();
    assert_eq!(outcome.cause, Cause::Normal);
    assert_eq!(outcome.scores.values()[..2], [LOST, LOST]);
    assert!(outcome.scores.values()[2] > 20, "{outcome:?}");
    assert!(game.ask(Seat(2)).is_none());
}

/// The last one left has won, even without a single ship.
#[test]
fn nothing_is_more_than_having_lost() {
    let text = "P 1 0 0 0 1 5\nP 2 3 0 0 2 5\n";
    let mut game = game(text, 2, None, Ruleset::TEAM);
    // They meet on planet 1, where nothing remains.
    game.answered(&[(Seat(1), Some(act(&[launch(2, 1, 5)])))]);
    game.play(&[]);
    game.play(&[]);
    assert_eq!(ships(&game, 1), (1, 0));
    assert!(
        game.outcome().is_none(),
        "planet 2 still belongs to its player"
    );
    game.drop_players(&[Seat(1)]);
    let outcome = game.outcome().unwrap();
    assert_eq!(outcome.scores.values(), [0, LOST]);
    assert_eq!(outcome.win_shares().values(), [1.0, 0.0]);
}

/// The ends of the world are a million apart, and no room is kept for turns that never come.
#[test]
fn flights_beyond_the_last_round_never_land() {
    let text = "P 1 -1000000 -1000000 0 1 5\nP 2 1000000 1000000 0 2 5\n";
    let mut game = game(text, 2, None, Ruleset::TEAM);
    first(&mut game, &[launch(1, 2, 4)]);
    while game.outcome().is_none() {
        game.play(&[]);
    }
    assert_eq!((game.turn(), game.flying(Seat(0))), (200, 4));
    assert_eq!(game.outcome().unwrap().scores.values(), [5, 5]);
    let fleets = game.fleets();
    let [fleet] = &fleets[..] else {
        panic!("{fleets:?}");
    };
    assert_eq!((fleet.owner, fleet.ships), (1, 4));
    assert_eq!(fleet.turns, fleet.left + 200);
}

#[test]
fn fleets_that_would_land_too_late_vanish_with_a_dropped_player() {
    let ruleset = Ruleset {
        dropped: Dropped::Neutral,
        rounds: 2,
        ..Ruleset::TEAM
    };
    let mut game = game(TRAVEL, 2, None, ruleset);
    first(&mut game, &[launch(1, 3, 4), launch(1, 2, 3)]);
    assert_eq!((game.fleets().len(), game.flying(Seat(0))), (2, 7));
    game.drop_players(&[Seat(0)]);
    assert_eq!((game.fleets(), game.flying(Seat(0))), (vec![], 0));
}

#[test]
fn fleets_keep_a_player_alive_where_they_do() {
    let with = |alive| {
        let text = "P 1 0 0 1 1 5\nP 2 3 0 1 2 50\nP 3 9 0 0 0 1\n";
        let ruleset = Ruleset {
            alive,
            ..Ruleset::TEAM
        };
        let mut game = game(text, 2, None, ruleset);
        game.answered(&[
            (Seat(0), Some(act(&[launch(1, 3, 5)]))),
            (Seat(1), Some(act(&[launch(2, 1, 40)]))),
        ]);
        while game.turn() < 3 {
            game.play(&[]);
        }
        (game.outcome().is_none(), game.flying(Seat(0)))
    };
    assert_eq!(with(Alive::Fleets), (true, 5));
    assert_eq!(with(Alive::Planets), (false, 0));
}

#[test]
fn totals_decide_at_the_last_round() {
    let with = |flight_counts, rounds| {
        let ruleset = Ruleset {
            rounds,
            flight_counts,
            ..Ruleset::TEAM
        };
        let text = "P 1 0 0 1 1 9\nP 2 40 0 1 2 5\n";
        let mut game = game(text, 2, None, ruleset);
        first(&mut game, &[launch(1, 2, 9)]);
        while game.outcome().is_none() {
            game.play(&[]);
        }
        assert_eq!(game.turn(), rounds);
        game.outcome().unwrap().scores.values().to_vec()
    };
    assert_eq!(with(true, 3), [12, 8]);
    assert_eq!(with(false, 3), [3, 8]);
    // At turn 40 the 9 meet 5 and 39 that have grown.
    assert_eq!(with(true, 200), [200, 196]);
    assert_eq!(Ruleset::TEAM.rounds, 200);
    assert_eq!(Ruleset::MZ2015.rounds, 201);
}

#[test]
fn an_offender_stands_idle_or_leaves_its_planets() {
    let text = "P 1 0 0 1 1 5\nP 2 3 0 1 2 5\nP 3 9 0 1 3 5\nP 4 9 9 1 4 5\n";
    let with = |dropped| {
        let ruleset = Ruleset {
            dropped,
            ..Ruleset::TEAM
        };
        let mut game = game(text, 4, Some(&[0, 0, 1, 1]), ruleset);
        game.play(&[(Seat(0), Some(act(&[launch(1, 4, 2)])))]);
        let offence = act(&[launch(4, 1, 1)]);
        let offenders = game.answered(&[(Seat(0), Some(offence))]);
        assert_eq!(offenders.len(), 1);
        assert!(offenders[0].1.0.contains("planet 4 belongs to player 4"));
        game
    };
    let idle = with(Dropped::Idle);
    assert_eq!((ships(&idle, 1), idle.flying(Seat(0))), ((1, 5), 2));
    assert!(idle.ask(Seat(0)).is_none() && idle.ask(Seat(1)).is_some());
    let neutral = with(Dropped::Neutral);
    assert_eq!((ships(&neutral, 1), neutral.flying(Seat(0))), ((0, 4), 0));
    let team = with(Dropped::Team);
    let outcome = team.outcome().unwrap();
    assert_eq!(outcome.scores.values()[..2], [LOST, LOST]);
    assert_eq!(outcome.scores.values()[2..], [12, 12]);
    // Both at once: nobody has won.
    let mut both = game(TRAVEL, 2, None, Ruleset::TEAM);
    both.drop_players(&[Seat(0), Seat(1)]);
    assert_eq!(both.outcome().unwrap().scores.values(), [LOST, LOST]);
    let mut one = game(TRAVEL, 2, None, Ruleset::TEAM);
    one.drop_players(&[Seat(1)]);
    assert_eq!(one.outcome().unwrap().win_shares().values(), [1.0, 0.0]);
}

#[test]
fn setups_that_cannot_be_played_are_named() {
    let good = Setup::duel(map::read(TRAVEL).unwrap(), Ruleset::TEAM);
    assert_eq!(good.check(), Ok(()));
    let wrong = |change: &dyn Fn(&mut Setup), part: &str| {
        let mut setup = good.clone();
        change(&mut setup);
        let why = setup.check().unwrap_err().to_string();
        assert!(why.contains(part), "{why} has no {part:?}");
    };
    wrong(&|setup| setup.players = vec![1, 1], "numbers of their own");
    wrong(&|setup| setup.players = vec![1, 0], "numbers of their own");
    wrong(&|setup| setup.players = vec![1], "1 players and 2 teams");
    wrong(&|setup| setup.players = vec![1, 3], "who does not play");
    wrong(&|setup| setup.planets.clear(), "0 planets");
    wrong(&|setup| setup.planets[1].id = 1, "the number 1");
    wrong(&|setup| setup.planets[1].ships = -1, "too many or too few");
    wrong(&|setup| setup.planets[1].x = f64::NAN, "planet 2 lies at");
    wrong(&|setup| setup.planets[1].y = 1e300, "planet 2 lies at");
    wrong(&|setup| setup.planets[1].growth = i64::MAX, "too many");
    wrong(&|setup| setup.ruleset.delay = 2, "2 turns of delay");
    wrong(&|setup| setup.ruleset.rounds = 0, "0 rounds");
    let eleven = Setup {
        players: (1..=11).collect(),
        teams: vec![0; 11],
        ..good.clone()
    };
    assert!(
        eleven
            .check()
            .unwrap_err()
            .to_string()
            .contains("11 players")
    );
    let crowd = Setup {
        players: (1..=101).collect(),
        teams: (0..101).collect(),
        ..good
    };
    assert!(
        crowd
            .check()
            .unwrap_err()
            .to_string()
            .contains("1 to 100 can play")
    );
}
