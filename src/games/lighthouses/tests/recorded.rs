//! Games and triangles recorded from the public engine.

use crate::dialect::engine;
use crate::map::Map;
use crate::rules::{Lighthouse, Lighthouses, Point, Setup, spans};
use drover_game::game::Seat;
use serde_json::{Value, json};

const TRACES: [(&str, &str); 3] = [
    ("square", include_str!("../golden/trace_square_2p.jsonl")),
    ("island", include_str!("../golden/trace_island_3p.jsonl")),
    (
        "square_xl",
        include_str!("../golden/trace_square_xl_2p.jsonl"),
    ),
];

fn points(list: &Value) -> Vec<Point> {
    serde_json::from_value(list.clone()).unwrap()
}

/// The map of a trace's head.
fn map(head: &Value) -> Map {
    let rows: Vec<Vec<u8>> = serde_json::from_value(head["map"].clone()).unwrap();
    let (lighthouses, starts) = (points(&head["lighthouses"]), points(&head["starts"]));
    let mut text = String::new();
    for (y, row) in rows.iter().enumerate().rev() {
        for (x, island) in row.iter().enumerate() {
            let at = Point::from((x as i32, y as i32));
            let start = starts.iter().position(|start| *start == at);
            text.push(match (island, start) {
                (0, _) => '#',
                _ if lighthouses.contains(&at) => '!',
                (_, Some(player)) => (b'A' + player as u8).into(),
                _ => ' ',
            });
        }
        text.push('\n');
    }
    Map::read(&text).unwrap()
}

fn sorted(mut list: Vec<Value>) -> Value {
    list.sort_by_key(ToString::to_string);
    list.into()
}

/// The state in the traces' format.
fn state(game: &Lighthouses) -> Value {
    let chart = game.chart();
    let place = |at: Lighthouse| json!(chart.point(chart.lighthouses()[at.index()]));
    let places = |set: u64| sorted(Lighthouse::in_set(set).map(place).collect());
    let beacons = game.network().beacons();
    let all = || (0..beacons.len() as u8).map(Lighthouse);
    let (mut links, mut triangles) = (Vec::new(), Vec::new());
    for a in all() {
        for b in Lighthouse::in_set(beacons[a.index()].links).filter(|b| a < *b) {
            links.push(sorted(vec![place(a), place(b)]));
            let common = beacons[a.index()].links & beacons[b.index()].links;
            for c in Lighthouse::in_set(common).filter(|c| b < *c) {
                let corners = sorted(vec![place(a), place(b), place(c)]);
                triangles.push(json!([corners, chart.area(a, b, c)]));
            }
        }
    }
    let players = game.players().iter().map(|player| {
        json!([
            chart.point(player.position),
            player.energy,
            player.score,
            places(player.keys)
        ])
    });
    let lighthouses = all().map(|at| {
        let beacon = beacons[at.index()];
        let owner = beacon.owner.map_or(-1, |seat| i64::from(seat.0));
        json!([place(at), owner, beacon.energy])
    });
    json!({
        "lh": lighthouses.collect::<Vec<_>>(),
        "links": sorted(links),
        "tris": sorted(triangles),
        "players": players.collect::<Vec<_>>(),
    })
}

/// The same for a trace's line, with its unordered lists sorted.
fn message_of(line: &Value) -> Value {
    let list = |value: &Value| value.as_array().unwrap().clone();
    let players = list(&line["players"]).into_iter().map(|mut player| {
        player[3] = sorted(list(&player[3]));
        player
    });
    let links = list(&line["links"])
        .into_iter()
        .map(|link| sorted(list(&link)));
    let triangles = list(&line["tris"])
        .into_iter()
        .map(|triangle| json!([sorted(list(&triangle[0])), triangle[1]]));
    json!({
        "lh": line["lh"],
        "links": sorted(links.collect()),
        "tris": sorted(triangles.collect()),
        "players": players.collect::<Vec<_>>(),
    })
}

#[test]
fn the_recorded_games_are_played_alike_phase_by_phase() {
    for (name, trace) in TRACES {
        let mut lines = trace
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let head = lines.next().unwrap();
        let players = head["starts"].as_array().unwrap().len();
        let mut game = Lighthouses::begin(&Setup::new(map(&head), players, 1_000));
        let mut phases = 0;
        for line in lines {
            let place = format!("{name}, round {}, {}", line["round"], line["phase"]);
            match line["phase"].as_str().unwrap() {
                "pre" => {
                    assert_eq!(state(&game), message_of(&line), "{place}");
                    if let Some(cells) = line.get("cells") {
                        let rows = game.cells().chunks(game.chart().width());
                        assert_eq!(json!(rows.collect::<Vec<_>>()), *cells, "{place}");
                    }
                }
                "turn" => {
                    let seat = Seat(line["player"].as_u64().unwrap() as u8);
                    assert_eq!(game.turn(), Some(seat), "{place}");
                    let text = engine::state(&game, seat, engine::Neutral::MinusOne);
                    let text: Value = serde_json::from_str(&text).unwrap();
                    assert_eq!(text["view"], line["view"], "{place}");
                    let command = line["cmd"].to_string();
                    let act = engine::command(game.chart(), command.as_bytes());
                    let act = act.unwrap().unwrap();
                    let last = seat.index() + 1 == players;
                    let mut after = game.clone();
                    let done = after.play(act);
                    let reply = match done {
                        Ok(()) => json!({"success": true}),
                        Err(why) => json!({"success": false, "message": why.to_string()}),
                    };
                    assert_eq!(reply, line["reply"], "{place}");
                    if !last {
                        assert_eq!(state(&after), message_of(&line), "{place}");
                    }
                    game = after;
                }
                _ => {
                    let scores: Vec<i64> = serde_json::from_value(line["scores"].clone()).unwrap();
                    assert_eq!(game.scores().values(), scores, "{place}");
                }
            }
            phases += 1;
        }
        assert!(phases >= 1_200, "{name}: {phases} phases");
    }
}

#[test]
fn the_recorded_triangles_light_the_same_cells() {
    let mut count = 0;
    for line in include_str!("../golden/triangles.jsonl").lines() {
        let triangle: Value = serde_json::from_str(line).unwrap();
        let corners = points(&triangle["points"]);
        let mut lit: Vec<Point> = spans(corners[0], corners[1], corners[2])
            .flat_map(|(y, span)| span.map(move |x| Point { x, y }))
            .collect();
        lit.sort();
        assert_eq!(lit, points(&triangle["cells"]), "{corners:?}");
        count += 1;
    }
    assert_eq!(count, 400);
}
