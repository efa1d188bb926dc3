//! The laws of every game, on this one.

use crate::atlas;
use crate::map::Map;
use crate::rules::{Lighthouses, Setup};
use drover_game::game::Cause;
use drover_laws::{laws, play_randomly};

laws!(Lighthouses, {"rounds": 60}, also: [scenes_are_whole, own_words_are_read_back]);

#[test]
fn random_games_keep_the_laws() {
    for (number, (name, text)) in (0u64..).zip(atlas::MAPS) {
        for players in 1..=4 {
            let setup = Setup::new(Map::read(text).unwrap(), players, 150);
            let silence = if players == 3 { 0.05 } else { 0.0 };
            let audit = |game: &Lighthouses| {
                assert!(game.cells().iter().all(|energy| *energy <= 100), "{name}");
                for (at, beacon) in game.network().beacons().iter().enumerate() {
                    assert_eq!(beacon.owner.is_some(), beacon.energy > 0, "{name}");
                    assert_eq!(beacon.links & 1 << at, 0, "{name}");
                }
            };
            let (outcome, _) = play_randomly::<Lighthouses>(&setup, number, silence, audit);
            assert_eq!(outcome.cause, Cause::Normal, "{name}");
        }
    }
}

#[test]
fn disturbed_matches_recover() {
    drover_laws::disturb::check(&crate::KIT, 80);
}
