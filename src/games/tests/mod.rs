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
