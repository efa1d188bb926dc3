//! The fixed games whose acts are a player's signature: a team of it against frontiers.

use crate::ladder::Bout;
use crate::planetwars::generate::{Look, Style, generate};
use crate::planetwars::rules::{PlanetWars, PlayerId, Ruleset, Setup};

/// Rounds of such a game.
const ROUNDS: u32 = 90;
/// Team sizes of those games, and what their maps look like.
const GAMES: [(usize, Look); 3] = [(1, Look::Google), (2, Look::Contest), (3, Look::Google)];
/// Seeds of one game's bots from the next one's.
const SEEDS_APART: u64 = 128;

/// The games of the player with this name.
pub fn bouts(name: &str) -> Option<Vec<Bout<'_, PlanetWars>>> {
    let bout = |(seed, (size, look))| {
        let setup = teams(seed, size, look)?;
        let mut names = vec![name; size];
        names.resize(2 * size, "frontier-team");
        Some(Bout::new(setup, &names, seed * SEEDS_APART, 0..size))
    };
    (1..).zip(GAMES).map(bout).collect()
}

/// Two teams of this size, their players' numbers odd and even, on a drawn map.
fn teams(seed: u64, size: usize, look: Look) -> Option<Setup> {
    let style = Style::new(look, 2 * size);
    let odd = (0..size as PlayerId).map(|place| 2 * place + 1);
    Some(Setup {
        planets: generate(seed, &style).ok()?,
        players: odd.clone().chain(odd.map(|player| player + 1)).collect(),
        teams: (0..2 * size).map(|seat| u8::from(seat >= size)).collect(),
        ruleset: Ruleset {
            rounds: ROUNDS,
            ..Ruleset::TEAM
        },
    })
}
