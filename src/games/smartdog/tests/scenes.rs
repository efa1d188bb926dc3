//! Scenes: a player is shown what its dogs see and nothing else, and the hub's last scene is the result.

use crate::KIT;
use crate::rules::{SmartDog, Spot, Torus};
use crate::scene::{DogState, State};
use drover_game::game::Seat;
use drover_game::kit::{DialogueSetup, Kit as _, Nodes, PlaySetup, TableSetup};
use drover_game::scene::{Names, Scene};
use drover_laws::scenes_of;
use serde::Deserialize as _;
use serde_json::json;
use std::collections::BTreeMap;

const BOTS: [&str; 2] = ["herder", "shipped"];

fn states(scenes: &[Scene]) -> Vec<State> {
    let read = |scene: &Scene| State::deserialize(&scene.state).unwrap();
    scenes.iter().map(read).collect()
}

/// What a seat should see of the whole position.
fn as_seen_by(whole: &State, viewer: u8, own: &State) -> State {
    let (rows, cols) = (whole.landscape.len(), whole.landscape[0].len());
    let torus = Torus::new(cols as u16, rows as u16);
    let dogs = whole.dogs.iter().filter(|dog| dog.player == viewer);
    let dogs: Vec<Spot> = dogs.map(|dog| Spot::new(dog.x, dog.y)).collect();
    let seen = |x, y| {
        dogs.iter()
            .any(|dog| torus.within(*dog, Spot::new(x, y), whole.sight))
    };
    let mut shown = whole.clone();
    shown.viewer = Some(viewer);
    shown.dogs.retain(|dog| seen(dog.x, dog.y));
    shown.sheep.retain(|sheep| seen(sheep.x, sheep.y));
    shown.dogs.iter_mut().for_each(|dog| dog.frozen = None);
    let unseen = |dog: &&DogState| dog.barked && !seen(dog.x, dog.y);
    let voices = whole.dogs.iter().filter(unseen);
    shown.voices = voices.map(|dog| Spot::new(dog.x, dog.y)).collect();
    for (player, own_player) in shown.players.iter_mut().zip(&own.players) {
        (player.penned, player.points, player.forfeited) = (None, None, None);
        // What it has seen of its own pen is its own.
        if player.player == viewer {
            player.clone_from(own_player);
        }
    }
    in_order(shown)
}

fn in_order(mut state: State) -> State {
    state.dogs.sort_by_key(|dog| dog.number);
    state.sheep.sort_by_key(|sheep| (sheep.y, sheep.x));
    state.voices.sort_by_key(|spot| (spot.y, spot.x));
    state
}

#[test]
fn a_player_is_shown_what_its_dogs_see_and_nothing_else() {
    let options = json!({"map": "market", "turnsLimit": 60});
    let scenes = scenes_of::<SmartDog>(&BOTS, 4, &options);
    let mut whole: BTreeMap<u32, State> = BTreeMap::new();
    for state in states(&scenes["the table"]) {
        // The first of a turn, before anybody's commands, is what players receive.
        whole.entry(state.turn).or_insert(state);
    }
    let (mut hidden, mut barks) = (0, 0);
    for viewer in 1..=4 {
        let seen = states(&scenes[&format!("seat {}", viewer - 1)]);
        assert!(seen.len() >= 60);
        for state in seen {
            let all = &whole[&state.turn];
            assert_eq!(in_order(state.clone()), as_seen_by(all, viewer, &state));
            hidden += all.sheep.len() - state.sheep.len();
            barks += state.voices.len();
            let rivals = state
                .players
                .iter()
                .filter(|player| player.player != viewer);
            let unknown = |player: &crate::scene::PlayerState| {
                (player.penned, player.points, player.forfeited) == (None, None, None)
            };
            assert!(rivals.into_iter().all(unknown));
        }
    }
    assert!(hidden > 100 && barks > 0, "{hidden} hidden, {barks} barks");
}

#[test]
fn the_last_scene_is_the_result() {
    for seed in 1..4 {
        let options = json!({"turnsLimit": 40});
        let names = BOTS.iter().cycle().take(4).map(|&name| name.to_owned());
        let setup = PlaySetup::recorded(names.collect(), seed, options.clone());
        let played = KIT.play(&setup, &Nodes(20)).unwrap();
        let scenes = scenes_of::<SmartDog>(&BOTS, seed, &options);
        let last = scenes["the table"].last().unwrap();
        assert!(
            last.title.starts_with("Turn 40 was the last"),
            "{}",
            last.title
        );
        let state = State::deserialize(&last.state).unwrap();
        for player in &state.players {
            let score = played.outcome.scores[Seat(player.player - 1)];
            assert_eq!((player.points.unwrap() * 100.0).round() as i64, score);
        }
    }
}

#[test]
fn sheep_that_are_penned_or_lost_are_news_with_points() {
    let scenes = scenes_of::<SmartDog>(&BOTS, 3, &json!({"turnsLimit": 120}));
    let scenes = &scenes["the table"];
    let (mut changes, mut quiet) = (0, 0);
    for (before, now) in scenes.iter().zip(scenes.iter().skip(1)) {
        let Some(news) = (KIT.card().news)(&before.state, now) else {
            assert_eq!(Some(now), scenes.last());
            continue;
        };
        let states = [before, now].map(|scene| State::deserialize(&scene.state).unwrap());
        let title = Names::default().fill(&news.title);
        for (was, is) in states[0].players.iter().zip(&states[1].players) {
            let (had, has) = (was.penned.unwrap(), is.penned.unwrap());
            let verb = if has > had { "pens" } else { "loses" };
            let said = title.contains(&format!("Seat {} {verb}", is.player));
            assert!(said == (has != had) || title.ends_with(" more"), "{title}");
            if said {
                let points = (is.points.unwrap() * 100.0).round();
                assert!(title.contains(&format!("{points} point")), "{title}");
                changes += 1;
            }
        }
        assert!(!(news.quiet && title.contains("panic")), "{title}");
        assert!(news.quiet || !title.contains("bark"), "{title}");
        quiet += usize::from(news.quiet);
    }
    assert!(
        changes > 3 && quiet > 60,
        "{changes} changes, {quiet} quiet"
    );
}

#[test]
fn turns_never_fall_even_where_a_hub_goes_back() {
    let scenes = |turns: &[u32]| -> Vec<Scene> {
        let mut player = KIT.dialogue(&DialogueSetup::new("stand", 1)).unwrap();
        let table = KIT.table(&TableSetup::numbered(1, json!({"map": "fold"}), 1));
        let (mut table, mut calls) = (table.unwrap(), Vec::new());
        table.calls(&mut calls);
        let texts: Vec<&str> = calls.iter().map(|call| call.text.as_str()).collect();
        player.receive(texts[0].as_bytes()).unwrap();
        let scenes = turns.iter().map(|turn| {
            let state = texts[1].replacen("\"turn\":1\n", &format!("\"turn\":{turn}\n"), 1);
            assert!(*turn == 1 || state != texts[1], "{state}");
            player.receive(state.as_bytes()).unwrap();
            player.said("end");
            player.scene().unwrap()
        });
        scenes.collect()
    };
    let turns = |scenes: Vec<Scene>| -> Vec<(u32, u64)> {
        let of = |scene: Scene| (scene.turn, scene.state["turn"].as_u64().unwrap());
        scenes.into_iter().map(of).collect()
    };
    // Of two lower ones that follow each other the second is believed.
    assert_eq!(
        turns(scenes(&[1, 9, 4, 5])),
        [(0, 1), (8, 9), (8, 9), (8, 5)]
    );
}

#[test]
fn a_picture_is_drawn_as_ever() {
    let options = json!({"map": "canyon", "turnsLimit": 30});
    let scenes = scenes_of::<SmartDog>(&BOTS, 3, &options);
    let scene = scenes["seat 1"]
        .iter()
        .find(|scene| scene.turn == 19)
        .unwrap();
    let card = KIT.card();
    let picture = (card.picture)(&scene.state, &Names::default()).unwrap();
    assert_eq!(picture.document(""), include_str!("../golden/scene.svg"));
    // On a phone 64 columns are no wider than what its letters are drawn for.
    let narrow = card.narrow.unwrap()(&scene.state, &Names::default()).unwrap();
    assert_eq!((picture.width, narrow.width), (560, 360));
    // A map has no score.
    let mut map = scene.state.clone();
    map["viewer"] = json!(null);
    for player in map["players"].as_array_mut().unwrap() {
        (player["penned"], player["points"]) = (json!(null), json!(null));
    }
    let listed = (card.picture)(&map, &Names::default()).unwrap().moving;
    assert!(listed.contains(">Seat 1</text>"), "{listed}");
    assert!(
        !listed.contains("in its pen") && !listed.contains("not known"),
        "{listed}"
    );
    // Its key names the fright that there is.
    let mut state = scene.state.clone();
    state["sheep"] = json!([]);
    for dog in state["dogs"].as_array_mut().unwrap() {
        dog["action"] = json!("indignant");
    }
    let moving = (card.picture)(&state, &Names::default()).unwrap().moving;
    let named = ["panic", "indignant"].map(|word| moving.contains(&format!(">{word}</text>")));
    assert_eq!(named, [false, true], "{moving}");
}
