//! Maps: reading, writing, drawing.

use crate::KIT;
use crate::generate::{Look, Style, generate};
use crate::map::{read, text};
use crate::rules::{Distances, Planet, PlanetWars, Ruleset, Setup, Travel};
use drover_game::kit::{Kit as _, TableSetup};
use drover_game::ladder::digest;
use drover_game::maps::MapStyle;

#[test]
fn a_map_is_read_as_it_is_written() {
    let map = "# three planets\nP 0 2 3.5 -1 0 1\n\r\n  P 30 0 0 2 1 1  \r\nP 7 3 4 2 2 1\n";
    let planets = read(map).unwrap();
    assert_eq!(planets.len(), 3);
    assert_eq!(planets[0].y, 3.5);
    assert_eq!(
        text(&planets),
        "P 0 2 3.5 -1 0 1\nP 30 0 0 2 1 1\nP 7 3 4 2 2 1\n"
    );
    assert_eq!(read(&text(&planets)).unwrap(), planets);
}

#[test]
fn a_map_of_2010_is_read_on_every_wire() {
    // `P x y owner ships growth`, numbered by line.
    let map =
        "\u{feff}# of 2010\nP 5.5 5.5 0 20 3\nP 1.25 5.5 1 100 5 # home\nP 9.75 5.5 2 100 5\n";
    let planets = read(map).unwrap();
    assert_eq!(
        text(&planets),
        "P 0 5.5 5.5 3 0 20\nP 1 1.25 5.5 5 1 100\nP 2 9.75 5.5 5 2 100\n"
    );
    KIT.card().maps.unwrap().check(map).unwrap();
    for wire in ["team", "google2010"] {
        let options = serde_json::json!({"map": map, "wire": wire});
        KIT.table(&TableSetup::numbered(1, options, 2)).unwrap();
    }
}

#[test]
fn what_is_wrong_with_a_map_is_named() {
    let wrong = |text: &str, message: &str| {
        assert_eq!(read(text).unwrap_err().to_string(), message);
    };
    wrong("", "line 1: there is no planet");
    wrong("\n\nQ 1\n", "line 3: a planet's line begins with P");
    wrong(
        "P 1 2 3 4",
        "line 1: owner is missing: P id x y growth owner ships",
    );
    wrong(
        "P 1 2 3 4 5 6\nP 2 2.5 3 0 5",
        "line 2: a number is missing: P id x y growth owner ships; in a map of 2010 all planets, the first one too, are \
         P x y owner ships growth",
    );
    wrong(
        "P 5.5 5.5 0 20 3\nP 1 1 2 5 1 100",
        "line 2: this is no P x y owner ships growth, the form of 2010 in which the map begins",
    );
    wrong(
        "P 5.5 5.5 0 20.5 3",
        "line 1: ships must be a whole number from 0 to 1000000000, not \"20.5\"",
    );
    wrong(
        "P 5.5 5.5 0 20 3\nF 1 5 0 0 3 2\n",
        "line 2: a game begins without fleets: leave out the lines of F",
    );
    wrong("P 1 2 3 4 5 6 7", "line 1: \"7\" is one word too many");
    wrong(
        "P 1 2 3 4 5 6\nP 1 0 0 1 0 1",
        "line 2: planet 1 stands there twice",
    );
    wrong(
        "P 1 nan 3 4 5 6",
        "line 1: x must be a number up to 1000000, not \"nan\"",
    );
    wrong(
        "P -1 2 3 4 5 6",
        "line 1: id must be a whole number from 0 to 4294967295, not \"-1\"",
    );
    let many: String = (0..101)
        .map(|id| format!("P {id} {id} 0 1 0 1\n"))
        .collect();
    wrong(&many, "line 101: more than 100 planets");
}

#[test]
fn contest_maps_look_like_the_contest_s() {
    for (players, planets, side) in [(2, 10, 7), (4, 20, 10), (20, 99, 49)] {
        for seed in 0..50 {
            let map = generate(seed, &Style::new(Look::Contest, players)).unwrap();
            assert_eq!(map.len(), planets);
            for (place, planet) in map.iter().enumerate() {
                let home = place < players;
                assert_eq!(planet.id as usize, place + 1);
                assert_eq!(planet.growth, 1);
                assert_eq!(
                    planet.owner as usize,
                    if home { players - place } else { 0 }
                );
                assert_eq!(planet.ships, if home { 2 } else { 1 });
                let inside = |at: f64| at.fract() == 0.0 && (0.0..=f64::from(side)).contains(&at);
                assert!(inside(planet.x) && inside(planet.y), "{planet:?}");
                let there = |other: &&Planet| (other.x, other.y) == (planet.x, planet.y);
                assert_eq!(map.iter().filter(there).count(), 1);
            }
        }
    }
    let five = Style {
        planets: Some(5),
        side: Some(7),
        ..Style::new(Look::Contest, 2)
    };
    assert_eq!(generate(1, &five).unwrap().len(), 5);
}

#[test]
fn google_maps_are_alike_for_everybody() {
    for players in [2, 3, 4, 8, 20] {
        for seed in 0..60 {
            let map = generate(seed, &Style::new(Look::Google, players)).unwrap();
            let owned = |planet: &&Planet| planet.owner != 0;
            assert_eq!(map.iter().filter(owned).count(), players);
            assert!((13..=100).contains(&map.len()), "{} planets", map.len());
            // The distances from each home to all planets, sorted, are the same within rounding.
            let from = |home: &Planet| {
                let mut all: Vec<f64> = map
                    .iter()
                    .map(|planet| (planet.x - home.x).hypot(planet.y - home.y))
                    .collect();
                all.sort_by(f64::total_cmp);
                all
            };
            let homes: Vec<Vec<f64>> = map.iter().filter(owned).map(from).collect();
            for home in &homes {
                let apart = home.iter().zip(&homes[0]).map(|(one, other)| one - other);
                assert!(apart.into_iter().all(|apart| apart.abs() < 0.01));
                assert!(home[1] > 0.5, "seed {seed}: {} apart", home[1]);
            }
            let distances = Distances::new(&map, Travel::Ceil);
            let turns = |home: usize| {
                let mut all: Vec<u32> =
                    (0..map.len()).map(|to| distances.turns(home, to)).collect();
                all.sort_unstable();
                all
            };
            let homes = (0..map.len()).filter(|place| map[*place].owner != 0);
            let mut turns: Vec<Vec<u32>> = homes.map(turns).collect();
            turns.dedup();
            assert_eq!(turns.len(), 1, "seed {seed}, {players} players");
            assert!(
                map.iter()
                    .filter(owned)
                    .all(|p| (p.growth, p.ships) == (5, 100))
            );
        }
    }
}

/// Random maps never change.
#[test]
fn drawn_maps_are_frozen() {
    let mut all = String::new();
    for seed in 0..40 {
        let look = [Look::Contest, Look::Google][seed as usize % 2];
        // Half and quarter turns avoid sines, which differ between machines.
        let players = if seed % 4 < 2 { 2 } else { 4 };
        all += &text(&generate(seed, &Style::new(look, players)).unwrap());
    }
    assert_eq!(digest(&all), 0x1306_a03d_0d79_8e57);
}

#[test]
fn every_drawn_map_can_be_played() {
    for players in 1..=100 {
        for look in [Look::Contest, Look::Google] {
            let planets = generate(players as u64, &Style::new(look, players)).unwrap();
            let setup = Setup {
                planets,
                players: (1..=players as u32).collect(),
                teams: (0..players as u8).collect(),
                ruleset: Ruleset::TEAM,
            };
            assert!(PlanetWars::begin(&setup).is_ok(), "{players} {look:?}");
        }
    }
    let none = Style {
        planets: Some(1),
        ..Style::new(Look::Contest, 2)
    };
    assert!(generate(1, &none).unwrap_err().0.contains("1 planets: 2"));
    let wide = Style {
        side: Some(2_000),
        ..Style::new(Look::Contest, 2)
    };
    assert!(generate(1, &wide).is_err());
}

#[test]
fn the_kit_draws_both_styles() {
    let wanted = MapStyle {
        symmetric: true,
        sizes: vec![("players".to_owned(), 6), ("planets".to_owned(), 43)],
    };
    let maps = KIT.card().maps.unwrap();
    let map = maps.draw(3, &wanted).unwrap();
    assert_eq!(map.lines().count(), 43);
    maps.check(&map).unwrap();
    assert_ne!(map, maps.draw(4, &wanted).unwrap());
}
