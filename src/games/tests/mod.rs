//! What holds of all games together.

mod neutral;

use crate::MapStyle;
use crate::text::BYTE_ORDER_MARK;

#[test]
fn maps_of_all_games_may_begin_with_a_mark() {
    let mut read = 0;
    for (kit, maps) in crate::ALL
        .iter()
        .filter_map(|kit| Some((kit, kit.card().maps?)))
    {
        let drawn = maps.draw(1, &MapStyle::default()).unwrap();
        let checked = maps.check(&format!("{BYTE_ORDER_MARK}{drawn}"));
        checked.unwrap_or_else(|why| panic!("{}: {why}", kit.card().name));
        read += 1;
    }
    assert_eq!(read, 3);
}

#[test]
fn the_plainest_player_of_each_game_is_no_champion() {
    let plainest = crate::ALL.iter().map(|kit| kit.plainest().unwrap().name);
    let plainest: Vec<_> = plainest.collect();
    assert_eq!(plainest, ["filler", "stand", "random", "passer", "idle"]);
}

#[test]
fn a_score_is_a_number_of_something_or_a_word() {
    for (game, score, full, short) in [
        ("planetwars", -1, "eliminated", "eliminated"),
        ("planetwars", 374, "374 ships", "374"),
        ("planowanie", -1, "lost by a fault", "lost by a fault"),
        ("smartdog", -1_000, "forfeited", "forfeited"),
        ("smartdog", -1, "-1 points", "-1"),
        ("koehandel", 1, "1 point", "1"),
        ("koehandel", 14_050, "14,050 points", "14,050"),
        ("koehandel", -234_567, "-234,567 points", "-234,567"),
        ("koehandel", -100, "-100 points", "-100"),
        ("no game", 2, "2 points", "2"),
    ] {
        let scores = crate::scores(game);
        assert_eq!(
            (scores.full(score), scores.short(score)),
            (full.to_owned(), short.to_owned()),
            "{game}"
        );
    }
}
