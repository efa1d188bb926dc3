//! Scenes: a player is shown the planets and its own fleets and nothing else, and the judge's last one is the
//! result.

use crate::KIT;
use crate::map;
use crate::rules::{LOST, PlanetWars, ShownFleet, View};
use crate::scene::State;
use drover_game::Budget;
use drover_game::kit::{DialogueSetup, Kit as _, TableSetup};
use drover_game::scene::{Names, Scene};
use drover_game::wire::{Next, Reply};
use drover_laws::scenes_of;
use serde::Deserialize as _;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

fn states(scenes: &[Scene]) -> Vec<State> {
    let read = |scene: &Scene| State::deserialize(&scene.state).unwrap();
    scenes.iter().map(read).collect()
}

fn in_order(mut fleets: Vec<ShownFleet>) -> Vec<ShownFleet> {
    fleets.sort_by_key(|fleet| (fleet.left, fleet.from, fleet.to, fleet.ships));
    fleets
}

fn place(state: &State, player: u32) -> usize {
    let mut players = state.players.iter();
    players.position(|known| known.player == player).unwrap()
}

#[test]
fn a_player_is_shown_the_planets_and_its_own_fleets_and_nothing_else() {
    let options = json!({"map": "google", "rounds": 60});
    let scenes = scenes_of::<PlanetWars>(&["rage", "prospector"], 2, &options);
    let whole = states(&scenes["the table"]).into_iter();
    let whole: BTreeMap<u32, State> = whole.map(|state| (state.turn, state)).collect();
    let (mut own_fleets, mut hidden) = (0, 0);
    for seat in 0..4 {
        for state in states(&scenes[&format!("seat {seat}")]) {
            let all = &whole[&state.turn];
            let viewer = state.viewer.unwrap();
            assert_eq!(viewer, all.players[seat].player);
            assert_eq!(state.planets, all.planets);
            let (own, others): (Vec<_>, Vec<_>) =
                all.fleets.iter().partition(|fleet| fleet.owner == viewer);
            assert!(state.hidden);
            assert_eq!(in_order(state.fleets.clone()), in_order(own));
            assert_eq!(
                state.players[place(&state, viewer)].flying,
                all.players[seat].flying
            );
            for player in &state.players {
                assert_eq!((player.team, player.score), (None, None));
                assert_eq!(player.flying.is_some(), player.player == viewer);
            }
            own_fleets += state.fleets.len();
            hidden += others.len();
        }
    }
    assert!(own_fleets > 100 && hidden > 100, "{own_fleets}, {hidden}");
}

#[test]
fn where_the_wire_shows_fleets_a_player_is_shown_all() {
    let options =
        json!({"rules": "google2010", "wire": "google2010", "map": "google", "rounds": 40});
    let mut table = KIT.table(&TableSetup::numbered(2, options, 2)).unwrap();
    let player = |_| KIT.dialogue(&DialogueSetup::new("rage", 1)).unwrap();
    let mut players: Vec<_> = (0..2).map(player).collect();
    let (mut fleets, mut calls) = (0, Vec::new());
    while table.outcome().is_none() {
        let all = State::deserialize(&table.scene().unwrap().state).unwrap();
        table.calls(&mut calls);
        for call in calls.drain(..) {
            let player = &mut players[call.seat.index()];
            let Ok(Next::Think { mut fallback, .. }) = player.receive(call.text.as_bytes()) else {
                panic!("a state is thought about");
            };
            let state = State::deserialize(&player.scene().unwrap().state).unwrap();
            assert_eq!((state.hidden, state.turn), (false, all.turn));
            assert_eq!(state.fleets.len(), all.fleets.len());
            for player in &all.players {
                let shown = &state.players[place(&state, player.player)];
                assert!(player.flying.is_some());
                assert_eq!(shown.flying, player.flying);
            }
            fleets += state.fleets.len();
            let _ = player.think(Budget::nodes(20), &mut fallback);
            player.said(&fallback);
            table.answer(call.seat, Reply::Text(fallback.as_bytes()));
        }
    }
    assert!(fleets > 100, "{fleets}");
}

#[test]
fn ships_in_flight_are_counted_also_of_fleets_that_are_not_shown() {
    let fleet = ShownFleet {
        owner: 1,
        from: 1,
        to: 2,
        ships: 3,
        turns: 9,
        left: 4,
    };
    let view = View {
        turn: 5,
        planets: Arc::new(map::read("P 1 0 0 1 1 5\nP 2 9 0 1 2 5\n").unwrap()),
        fleets: Some(Arc::new(vec![fleet; 1_500])),
        message: None,
        you: 2,
    };
    let state = State::from_view(&view, Vec::new(), &[], &[1, 2]);
    assert_eq!(state.fleets.len(), 1_000);
    let flying: Vec<_> = state.players.iter().map(|player| player.flying).collect();
    assert_eq!(flying, [Some(4_500), Some(0)]);
}

#[test]
fn the_last_scene_is_the_result_of_teams() {
    let options = json!({"teams": [2, 2], "rounds": 60});
    for seed in 1..4 {
        let scenes = scenes_of::<PlanetWars>(&["rage", "prospector-team"], seed, &options);
        let last = scenes["the table"].last().unwrap();
        assert!(last.title.ends_with("; the game is over"), "{}", last.title);
        let state = State::deserialize(&last.state).unwrap();
        for team in [Some(0), Some(1)] {
            let mates = || state.players.iter().filter(|player| player.team == team);
            let ships: i64 = mates().map(|mate| mate.ships + mate.flying.unwrap()).sum();
            let total = if ships == 0 { LOST } else { ships };
            assert!(
                mates().all(|mate| mate.score == Some(total)),
                "{mates:?}",
                mates = state.players
            );
        }
    }
}

#[test]
fn a_seat_knows_its_own_name_and_of_others_their_numbers() {
    let options = json!({"map": "google", "rounds": 20});
    let scenes = scenes_of::<PlanetWars>(&["rage", "prospector"], 2, &options);
    let scene = scenes["seat 1"].last().unwrap();
    let own = State::deserialize(&scene.state).unwrap().viewer;
    let names = Names::by_seat(&["ann", "bob", "cid", "dan"].map(Some)).numbered_at(1, own);
    let moving = (KIT.card().picture)(&scene.state, &names).unwrap().moving;
    assert!(moving.contains("bob"), "{moving}");
    for other in ["ann", "cid", "dan"] {
        assert!(!moving.contains(other), "{other}: {moving}");
    }
    assert!(moving.contains("\"s-p1\""), "{moving}");
    for other in ["s-p0\"", "s-p2\"", "s-p3\""] {
        assert!(!moving.contains(other), "{other}: {moving}");
    }
}

/// The planets and the fleets of a turn.
type Turn<'a> = (&'a str, &'a [ShownFleet]);

/// The news between two turns, each with its planets and fleets, and whether they are quiet.
fn news(turns: [Turn<'_>; 2]) -> (String, bool) {
    let [before, now] = [5, 6].map(|turn| {
        let (planets, fleets) = turns[turn as usize - 5];
        let view = View {
            turn,
            planets: Arc::new(map::read(planets).unwrap()),
            fleets: Some(Arc::new(fleets.to_vec())),
            message: None,
            you: 1,
        };
        State::from_view(&view, Vec::new(), &[], &[1, 2]).scene()
    });
    let news = (KIT.card().news)(&before.state, &now).unwrap();
    (Names::default().fill(&news.title), news.quiet)
}

#[test]
fn captures_and_battles_are_news_and_other_turns_quiet() {
    const EVEN: &str = "P 1 0 0 1 1 30\nP 2 9 0 1 2 30\n";
    const AHEAD: &str = "P 1 0 0 1 1 30\nP 2 9 0 1 2 20\n";
    let fleet = |owner, to, ships, left| ShownFleet {
        owner,
        from: 3 - to,
        to,
        ships,
        turns: 4,
        left,
    };
    let cases: &[([Turn<'_>; 2], &str, bool)] = &[
        (
            [(AHEAD, &[]), (AHEAD, &[])],
            "Player 1 leads with 30 ships to 20",
            true,
        ),
        ([(EVEN, &[]), (EVEN, &[])], "Turn 6", true),
        (
            [(EVEN, &[]), (AHEAD, &[])],
            "Player 1 takes the lead",
            false,
        ),
        (
            [(AHEAD, &[]), ("P 1 0 0 1 1 30\nP 2 9 0 1 1 20\n", &[])],
            "Player 1 takes planet 2 from Player 2; Player 2 is eliminated",
            false,
        ),
        (
            [(AHEAD, &[fleet(1, 2, 7, 1)]), (AHEAD, &[])],
            "Player 2 holds planet 2 against 7 ships of Player 1",
            false,
        ),
        // Its own planet is no battle, and launches are nothing to wait for.
        (
            [(AHEAD, &[fleet(1, 1, 7, 1)]), (AHEAD, &[])],
            "Player 1 leads with 30 ships to 20",
            true,
        ),
        (
            [(AHEAD, &[]), (AHEAD, &[fleet(1, 2, 9, 3)])],
            "Player 1 sends 9 ships to planet 2 of Player 2",
            true,
        ),
        (
            [
                (AHEAD, &[]),
                (AHEAD, &[fleet(1, 2, 10, 3), fleet(1, 2, 5, 3)]),
            ],
            "Player 1 sends 15 ships to planet 2 of Player 2",
            true,
        ),
        // They were sent before.
        (
            [
                (AHEAD, &[fleet(1, 2, 25, 3)]),
                (AHEAD, &[fleet(1, 2, 25, 2)]),
            ],
            "Player 1 leads with 55 ships to 20",
            true,
        ),
    ];
    for (turns, expected, quiet) in cases.iter().copied() {
        assert_eq!(news(turns), (expected.to_owned(), quiet), "{turns:?}");
    }
}

#[test]
fn a_picture_is_drawn_as_ever() {
    let options = json!({"map": "google", "rounds": 60});
    let scenes = scenes_of::<PlanetWars>(&["rage", "prospector"], 2, &options);
    let scene = scenes["seat 0"]
        .iter()
        .find(|scene| scene.turn == 25)
        .unwrap();
    let drawn = [KIT.card().narrow.unwrap(), KIT.card().picture].map(|draw| {
        let picture = draw(&scene.state, &Names::default()).unwrap();
        (picture.width, picture.height, picture.document(""))
    });
    let [(.., narrow), (width, height, wide)] = drawn;
    assert_eq!(narrow, include_str!("../golden/scene_narrow.svg"));
    assert_eq!(wide, include_str!("../golden/scene.svg"));
    // In a window it has the same planets and fleets, and a window's shape.
    for mark in ["<title>Planet ", "▸"] {
        let count = |picture: &str| picture.matches(mark).count();
        assert_eq!(count(&narrow), count(&wide), "{mark}");
    }
    assert!(4 * height < 3 * width, "{width} x {height}");
    // A planet that is upgraded moves.
    let draw = |state: &Value| (KIT.card().picture)(state, &Names::default()).unwrap();
    let mut upgraded = scene.state.clone();
    upgraded["planets"][0]["growth"] = json!(4);
    let upgraded = draw(&upgraded);
    assert_eq!(upgraded.still, draw(&scene.state).still);
    assert!(upgraded.moving.contains("P1 +4: planet 1,"));
    assert!(upgraded.moving.contains("4 new ships a turn"));
    // The key has the sizes of the map, as many as it has room for, and none that is not on it.
    let samples = |growths: &[i64]| {
        let mut state = scene.state.clone();
        let planets = state["planets"].as_array_mut().unwrap();
        for (planet, growth) in planets.iter_mut().zip(growths.iter().cycle()) {
            planet["growth"] = json!(growth);
        }
        let drawn = draw(&state).moving;
        let mut samples = vec!["+0", "+1", "+2", "+3", "+4", "+5", "≥5"];
        samples.retain(|one| drawn.contains(&format!(">{one}<")));
        samples
    };
    assert_eq!(samples(&[2]), ["+2"]);
    assert_eq!(samples(&[1, 3, 5]), ["+1", "+3", "+5"]);
    assert_eq!(samples(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), ["+0", "+1", "≥5"]);
}
