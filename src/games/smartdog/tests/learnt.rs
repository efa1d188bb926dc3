//! Maps are learnt from matches on them and recognised afterwards.

use crate::cartographer::{Cartographer, found, map_name, merge, words};
use crate::generate::{Style, generate};
use crate::known::KnownMaps;
use crate::map::{Header, Map, Square};
use crate::options::{Key, Options};
use crate::rules::{Event, Players, Setup, SmartDog};
use drover_game::arena::play_by;
use drover_game::game::{Budget, Seat};
use drover_game::ladder::seated;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A match of the kit's players; what each seat's cartographer has found.
fn watch(map: &Map, players: Players) -> Vec<Value> {
    let setup = Setup::on_map(map.clone(), players);
    let names = vec!["shipped"; players.count()];
    let mut bots = seated::<SmartDog>(&names, 1).unwrap();
    let mut makers = vec![Cartographer::new(); players.count()];
    play_by(&setup, &mut bots, |seat, bot, view, ask| {
        let maker = &mut makers[seat.index()];
        maker.observe(&Event::Turn(Arc::new(view.clone())));
        let orders = bot.decide(view, ask, Budget::nodes(1));
        maker.observe(&Event::Ordered(orders.clone()));
        orders
    });
    makers.iter().map(Cartographer::evidence).collect()
}

fn places(model: &Value) -> Vec<(u64, u64)> {
    let places = model["places"].as_array().unwrap();
    let number = |place: &Value, at: usize| place[at].as_u64().unwrap();
    places
        .iter()
        .map(|place| (number(place, 0), number(place, 1)))
        .collect()
}

/// Every place found is one on which a sheep starts.
fn check(map: &Map, players: Players) -> bool {
    let model = watch(map, players)
        .iter()
        .fold(Value::Null, |model, evidence| merge(Some(&model), evidence));
    let rows: Vec<&[Square]> = map.iter().collect();
    for (x, y) in places(&model) {
        assert!(
            rows[y as usize][x as usize].has_sheep(),
            "({x}, {y}) in\n{map}"
        );
    }
    let known = KnownMaps::of_models(&[("m".to_owned(), model.clone())]);
    let learnt = known.iter().count() > KnownMaps::of_atlas().iter().count();
    if learnt {
        assert_eq!(known.iter().last(), Some(map));
    }
    learnt
}

#[test]
fn nothing_false_is_learnt() {
    let style = Style::default();
    let learnt = (0..60)
        .filter(|seed| check(&generate(*seed, &style), Players::ALL[*seed as usize % 4]))
        .count();
    assert!(learnt >= 5, "{learnt} maps were learnt whole");
}

#[test]
fn a_map_learnt_is_recognised() {
    let rows = ["........", ".@....*.", "...--...", "...-o...", "........"];
    let rows: Vec<Vec<Square>> = rows
        .iter()
        .map(|row| row.chars().filter_map(Square::from_letter).collect())
        .collect();
    let mut header = Header::default();
    for key in &Key::ALL[..6] {
        header
            .set(*key, i64::from(Options::default().get(*key)))
            .unwrap();
    }
    header.set(Key::DogVisibilityR, 6).unwrap();
    let map = Map::new(header, &rows).unwrap();
    let evidence = watch(&map, Players::Two);
    let model = merge(Some(&merge(None, &evidence[0])), &evidence[1]);
    assert_eq!(model["matches"], 2);
    // People see where what starts.
    let said: BTreeMap<_, _> = words(&model).into_iter().collect();
    let size = "8 × 5 cells for each player, with 1 dog and 2 sheep, 1 of them in the pen";
    assert_eq!(said["Size"], size);
    assert_eq!(said["Dogs start at (x, y from 0)"], "(1, 1)");
    assert_eq!(found(&model).as_ref(), Some(&map));
    assert!(found(&json!(7)).is_none());
    assert!(said["Options"].contains("sight radius 6"), "{said:?}");
    assert!(words(&json!(7)).is_empty());
    // Its board for two would have more than 16,384 cells.
    let mut large = model.clone();
    large["landscape"] = json!(vec![".".repeat(64); 129]);
    let (_, size) = words(&large).swap_remove(0);
    assert!(size.ends_with(", too large to be drawn for two players"));
    let known = KnownMaps::of_models(&[("m".to_owned(), model)]);
    let setup = Setup::on_map(map.clone(), Players::Four);
    let game = SmartDog::begin(&setup);
    let tile = known.recognise(&game.seen_by(Seat(3))).unwrap();
    assert_eq!(tile.dogs, [(1, 1)]);
    assert_eq!(tile.sheep, [(6, 1), (4, 3)]);
    let names: Vec<_> = (0..4)
        .map(|seat| map_name(game.ground(), Seat(seat)))
        .collect();
    assert!(names.iter().all(|name| *name == names[0] && name.is_some()));
    assert_eq!(names[0].as_deref(), Some("map-19cc2d8e5d3dd26c"));
}

#[test]
fn garbage_teaches_nothing() {
    let map = generate(3, &Style::default());
    let good = merge(None, &watch(&map, Players::Two)[0]);
    let garbage = [
        Value::Null,
        json!(7),
        json!({"version": 1}),
        json!([good.clone()]),
        json!({"version": 2, "landscape": ["."], "options": {}, "sheep": 1, "penned": 0, "dogs": [], "places": [], "matches": 1}),
        json!({"version": 1, "landscape": [".é"], "options": {}, "sheep": 1, "penned": 0, "dogs": [[9, 9]], "places": [[70000, 1, 1]], "matches": 1}),
    ];
    for garbage in &garbage {
        assert_eq!(merge(Some(&good), garbage), good);
        assert_eq!(merge(Some(garbage), &good)["landscape"], good["landscape"]);
        assert_eq!(merge(None, garbage), Value::Null);
        let known = KnownMaps::of_models(&[("x".to_owned(), garbage.clone())]);
        assert_eq!(known.iter().count(), KnownMaps::of_atlas().iter().count());
    }
    let other = merge(
        None,
        &watch(&generate(4, &Style::default()), Players::Two)[0],
    );
    assert_eq!(merge(Some(&good), &other), good);
}
