//! Maps: what is read, what is rejected, and what is drawn.

use crate::atlas;
use crate::generate::{Style, generate};
use crate::map::Map;
use crate::rules::Point;
use drover_game::ladder::digest;

#[test]
fn our_maps_are_maps() {
    for (name, text) in atlas::MAPS {
        let map = Map::read(text).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert_eq!(map.to_string(), text, "{name}");
        assert!(map.starts().len() >= 8, "{name}");
        assert!(map.lighthouses().len() >= 8, "{name}");
        let crlf = text.replace('\n', "\r\n");
        assert_eq!(Map::read(crlf.trim_end()).unwrap(), map, "{name}");
    }
}

#[test]
fn lighthouses_and_starts_stand_in_the_order_of_the_wire() {
    let map = Map::read("######\n#B!A #\n#!A !#\n# a0 #\n######\n").unwrap();
    let points = |list: &[(i32, i32)]| list.iter().map(|at| Point::from(*at)).collect::<Vec<_>>();
    assert_eq!(map.lighthouses(), points(&[(1, 2), (4, 2), (2, 3)]));
    // By character, then x, then y.
    let starts: Vec<Point> = map.starts().collect();
    assert_eq!(starts, points(&[(3, 1), (2, 2), (3, 3), (1, 3), (2, 1)]));
}

#[test]
fn what_is_no_map_is_refused_by_what_where_and_why() {
    for (text, why) in [
        ("", "the map is empty"),
        (
            "####\n#A!\n####\n",
            "row 2 has 3 cells, the first row 4: All map rows must have the same width",
        ),
        (
            "####\n#A!#\n## #\n",
            "row 3, column 3 is ' ': Map border must not be part of island",
        ),
        (
            "###\n#A#\n###\n",
            "the map has 0 lighthouses; it must have 1 to 64",
        ),
        (
            "####\n# !#\n####\n",
            "the map has no start cell: any character but '#', ' ' and '!'",
        ),
        (
            "######\n#A #!#\n######\n",
            "row 2, column 5 cannot be reached from row 2, column 2: the island must be connected",
        ),
    ] {
        assert_eq!(Map::read(text).unwrap_err().to_string(), why, "{text:?}");
    }
    let wide = format!("{}\n", "#".repeat(257));
    let why = |text: &str| Map::read(text).unwrap_err().to_string();
    assert!(why(&wide).starts_with("the map is 257 x 1;"));
    assert!(why(&"#".repeat(1 << 20)).starts_with("the map has 1048576 bytes;"));
    // Corners may be passed between: this island is one.
    assert!(Map::read("#####\n#A#!#\n## ##\n#####\n").is_ok());
}

#[test]
fn drawn_maps_are_maps_of_the_style_asked_for() {
    let (mut lighthouses, mut off) = (0, Vec::new());
    for seed in 0..300 {
        let symmetric = seed % 2 == 1;
        let style = Style {
            symmetric,
            players: 1 + seed as usize % 8,
            ..Style::default()
        };
        let map = generate(seed, &style).unwrap();
        assert_eq!(generate(seed, &style).unwrap(), map, "seed {seed}");
        assert_eq!(Map::read(&map.to_string()).unwrap(), map, "seed {seed}");
        assert_eq!(map.starts().len(), style.players, "seed {seed}");
        // Around the middle, whichever sides are odd.
        let side = |sum: i32| sum as f64 / map.starts().len() as f64;
        let off_x = side(map.starts().map(|at| at.x).sum()) / (map.width() - 1) as f64;
        let off_y = side(map.starts().map(|at| at.y).sum()) / (map.height() - 1) as f64;
        off.push((off_x - 0.5).abs().max((off_y - 0.5).abs()));
        lighthouses += map.lighthouses().len();
        if symmetric {
            let (w, h) = (map.width() as i32 - 1, map.height() as i32 - 1);
            let turned = |at: Point| Point::from((w - at.x, h - at.y));
            let island: Vec<bool> = map.island().iter().rev().copied().collect();
            assert_eq!(island, map.island(), "seed {seed}");
            let alone = map
                .lighthouses()
                .iter()
                .filter(|at| !map.lighthouses().contains(&turned(**at)));
            assert_eq!(alone.count(), 0, "seed {seed}");
            let starts: Vec<Point> = map.starts().collect();
            for pair in starts.chunks_exact(2) {
                assert_eq!(pair[1], turned(pair[0]), "seed {seed}");
            }
        }
    }
    off.sort_by(f64::total_cmp);
    assert!(off[off.len() / 2] < 0.06, "{off:?}");
    assert!(lighthouses > 1_500, "{lighthouses}");
    let style = |width, height, lighthouses, players| Style {
        width: Some(width),
        height: Some(height),
        lighthouses: Some(lighthouses),
        players,
        symmetric: false,
    };
    let map = generate(7, &style(21, 18, 11, 16)).unwrap();
    assert_eq!((map.width(), map.height()), (21, 18));
    assert_eq!((map.lighthouses().len(), map.starts().len()), (11, 16));
    assert!(generate(7, &style(256, 256, 64, 16)).is_ok());
    for (style, why) in [
        (style(5, 18, 3, 2), "width must be 6 to 256, not 5"),
        (style(18, 300, 3, 2), "height must be 6 to 256, not 300"),
        (style(18, 18, 65, 2), "lighthouses must be 1 to 64, not 65"),
        (style(18, 18, 3, 17), "players must be 1 to 16, not 17"),
        (
            style(6, 6, 15, 2),
            "there is no room for that many lighthouses and players",
        ),
    ] {
        assert_eq!(generate(1, &style).unwrap_err().0, why);
    }
}

/// The first drawing forever: its text was recorded when it was made.
#[test]
fn drawings_are_frozen() {
    let drawn = |symmetric| {
        let style = Style {
            symmetric,
            ..Style::default()
        };
        digest(&generate(1, &style).unwrap().to_string())
    };
    assert_eq!(
        (drawn(false), drawn(true)),
        (12_602_108_499_677_542_668, 14_338_599_701_925_487_263)
    );
}
