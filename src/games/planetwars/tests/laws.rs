//! The laws that every game must pass.

use crate::generate::{Look, Style, generate};
use crate::rules::{PlanetWars, Ruleset, Setup};
use drover_laws::{laws, play_randomly};

laws!(PlanetWars, {"rounds": 60}, also: [scenes_are_whole, own_words_are_read_back]);

#[test]
fn random_play_obeys_the_laws() {
    for seed in 0..60 {
        let players = 2 + (seed % 7) as usize;
        let style = Style::new([Look::Contest, Look::Google][(seed % 2) as usize], players);
        let setup = Setup {
            planets: generate(seed, &style).unwrap(),
            players: (1..=players as u32).collect(),
            teams: (0..players as u8).map(|seat| seat % 3).collect(),
            ruleset: Ruleset {
                rounds: 60,
                ..Ruleset::TEAM
            },
        };
        let audit = |game: &PlanetWars| {
            assert!(game.planets().iter().all(|planet| planet.ships >= 0));
        };
        play_randomly::<PlanetWars>(&setup, seed, 0.1, audit);
    }
}

#[test]
fn disturbed_matches_recover() {
    drover_laws::disturb::check(&crate::KIT, 75);
}
