//! The map format, and the maps that come with the program.

use crate::atlas::{self, MAPS};
use crate::map::{DOGS_MAX, FILE_BYTES_MAX, HEADER_BYTES_MAX, Map, SHEEP_MAX, SIDE_MAX, Square};
use crate::options::{Key, Options};
use crate::rules::{Players, Setup, SmartDog};
use drover_game::game::{Game as _, Seat};
use proptest::prelude::*;

fn squares() -> impl Strategy<Value = Vec<Vec<Square>>> {
    let letter = prop::sample::select(".#^-o*@".chars().collect::<Vec<_>>());
    let square = letter.prop_map(|letter| Square::from_letter(letter).unwrap());
    (1usize..12, 1usize..12).prop_flat_map(move |(cols, rows)| {
        prop::collection::vec(prop::collection::vec(square.clone(), cols), rows)
    })
}

fn entries() -> impl Strategy<Value = Vec<(String, i64)>> {
    let own = prop::sample::select(Key::ALL.to_vec())
        .prop_flat_map(|key| (Just(key.name().to_owned()), key.range().prop_map(i64::from)));
    let extra = ("[a-z\"\\\\ä]{1,8}", any::<i64>());
    prop::collection::vec(prop_oneof![own, extra], 0..10)
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(rows in squares(), entries in entries()) {
        let header: serde_json::Map<_, _> =
            entries.into_iter().map(|(key, value)| (key, value.into())).collect();
        let rows: Vec<String> = rows
            .iter()
            .map(|row| row.iter().map(|square| square.letter()).collect())
            .collect();
        let text = format!("{}\n{}", serde_json::Value::from(header), rows.join("\n"));
        let map = Map::read(&text).unwrap();
        prop_assert_eq!(&Map::read(&map.to_string()).unwrap(), &map);
        let again: Vec<Vec<Square>> = map.iter().map(<[Square]>::to_vec).collect();
        prop_assert_eq!(Map::new(map.header().clone(), &again).unwrap(), map);
    }

    #[test]
    fn no_text_is_too_odd_to_read(text in "[.#^o*@{}\":,0-9a\\-\\n\\r ]{0,80}") {
        if let Ok(map) = Map::read(&text) {
            prop_assert_eq!(Map::read(&map.to_string()).unwrap(), map);
        }
    }
}

#[test]
fn margins_blank_lines_and_quoted_numbers_are_taken() {
    let map =
        Map::read("\r\n {\"turnsLimit\": \"7\", \"year\": 2012}\r\n\r\n  .@ \r\n\t-*\r\n").unwrap();
    assert_eq!(
        map.to_string(),
        "{\"turnsLimit\": 7, \"year\": 2012}\n.@\n-*\n"
    );
    let options = map.header().over(Options::default());
    assert_eq!(options.get(Key::TurnsLimit), 7, "the map's");
    assert_eq!(options.get(Key::DogBarkingR), 4, "the hub's");
    assert_eq!((map.cols(), map.rows()), (2, 2));
}

#[test]
fn errors_say_what_where_and_why() {
    let check = |text: &str, expected: &str| {
        assert_eq!(Map::read(text).unwrap_err().to_string(), expected);
    };
    check("\n\n", "the map has no rows");
    check(
        "...\n\n..\n",
        "line 3: the row has 2 cells, the first row 3; all rows are equally long",
    );
    check("..\n.x\n", "line 2, column 2: 'x' is none of `.#^-o*@`");
    check(
        "{\"turnsLimit\": 0}\n..",
        "line 1: turnsLimit is 0, but must lie in 1 to 100000",
    );
    check(
        "{\"dogBarkingR\": 1.5}\n..",
        "line 1: the header's \"dogBarkingR\" must be a whole number, not 1.5",
    );
    let broken = Map::read("{\"a\": 1\n..").unwrap_err().to_string();
    let header = "line 1: the header must be one JSON object on one line: ";
    assert!(broken.starts_with(header), "{broken}");
}

#[test]
fn sizes_are_limited() {
    for (text, why) in [
        ("*".repeat(SHEEP_MAX + 1), "the tile has 501 sheep;"),
        ("@".repeat(DOGS_MAX + 1), "the tile has 101 dogs;"),
        (".".repeat(SIDE_MAX + 1), "the tile has 1001 columns;"),
        (".\n".repeat(SIDE_MAX + 1), "the tile has 1001 rows;"),
        (
            format!("{{{}}}\n.", " ".repeat(HEADER_BYTES_MAX)),
            "line 1: the header has 4098 bytes;",
        ),
        (" ".repeat(FILE_BYTES_MAX + 1), "the map has 2000001 bytes;"),
    ] {
        let error = Map::read(&text).unwrap_err().to_string();
        assert!(error.starts_with(why), "{error}");
    }
}

#[test]
fn a_setup_is_stored_whole() {
    let setup = Setup {
        map: atlas::find("canyon").unwrap().unwrap(),
        players: Players::Three,
        options: Options::default().with(Key::WaitForTurn, 1_000).unwrap(),
    };
    let text = serde_json::to_string(&setup).unwrap();
    assert_eq!(serde_json::from_str::<Setup>(&text).unwrap(), setup);
    assert!(
        serde_json::from_str::<Setup>(&text.replace("\"players\":3", "\"players\":5")).is_err()
    );
    assert!(serde_json::from_str::<Options>(r#"{"turnLimit": 5}"#).is_err());
}

#[test]
fn every_own_map_is_written_as_it_is_read() {
    assert!(atlas::find("nowhere").is_none());
    for (name, text) in MAPS {
        let map = atlas::find(name).unwrap().unwrap();
        assert_eq!(map.to_string(), text, "{name} is written as it is read");
        for key in Key::ALL.into_iter().filter(|key| *key != Key::WaitForTurn) {
            assert!(
                name == "seed" || map.header().get(key).is_some(),
                "{name} sets {}",
                key.name()
            );
        }
        assert!(map.count(Square::has_sheep) > 0, "{name} has sheep");
        assert!(
            map.count(|square| square == Square::Dog) > 0,
            "{name} has dogs"
        );
    }
}

#[test]
fn a_game_of_silence_lasts_as_many_turns_as_its_map_says() {
    let setup = Setup::on_map(atlas::find("guards").unwrap().unwrap(), Players::Two);
    let mut game = SmartDog::begin(&setup);
    let mut turns = 0;
    while game.outcome().is_none() {
        for seat in 0..2 {
            game.end(Seat(seat)).unwrap();
        }
        turns += 1;
    }
    assert_eq!(turns, 200);
    assert_eq!(game.winner(), Some(Seat(0)), "the first seat wins a tie");
    assert_eq!(game.outcome().unwrap().scores.values(), [0, 0]);
}
