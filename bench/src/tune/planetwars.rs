//! Planet Wars.

mod close;
mod strangers;

use crate::bots::{Chair, Named, Seated, Sheet};
use games::planetwars::generate::{Look, Style, generate};
use games::planetwars::map;
use games::planetwars::rules::PlanetWars;

/// Maps of the form that the contest of 2010 was decided on: two homes the same for both, and 21 planets.
const FINAL: Style = Style {
    planets: Some(23),
    ..Style::new(Look::Google, 2)
};

impl Sheet for PlanetWars {
    const PLAYERS: usize = 2;
    const NODES: u64 = 2_000;
    const MAPS: &'static [&'static str] = &["contest", "google"];

    fn stranger(named: &Named, chair: &Chair<'_, Self>) -> anyhow::Result<Option<Seated<Self>>> {
        let (teams, rules) = (&chair.setup.teams, chair.setup.ruleset);
        // Strangers know no teams of different sizes.
        let size = teams.len() / teams.iter().max().map_or(1, |last| usize::from(*last) + 1);
        let stranger = strangers::stranger(&named.name, chair.seed, rules, size);
        stranger.map(|bot| named.unchanged(bot)).transpose()
    }

    fn bot_seed(seed: u64, seat: u64) -> u64 {
        seed.wrapping_mul(128).wrapping_add(seat)
    }

    fn draw(name: &str, seed: u64, players: usize) -> Option<String> {
        let planets = match name {
            "close" if players > 2 => close::crowd(seed, players),
            "close" => close::near(seed),
            "shrinking" => close::shrinking(seed),
            "final" if players == 2 => generate(seed, &FINAL).ok()?,
            _ => return None,
        };
        Some(map::text(&planets))
    }
}
