//! The fixed games whose acts are a player's signature: a team of it against frontiers.

use crate::generate::{Look, Style, generate};
use crate::map;
use crate::rules::{Planet, PlanetWars, PlayerId, Ruleset, Setup};
use drover_game::contest::Bout;

/// Rounds of such a game.
const ROUNDS: u32 = 90;
/// Team sizes of those games, and what their maps look like.
const GAMES: [(usize, Look); 3] = [(1, Look::Google), (2, Look::Contest), (3, Look::Google)];
/// Seeds of one game's bots from the next one's.
const SEEDS_APART: u64 = 128;

/// Two small homes two turns apart, and what lies around them.
pub(crate) const CLOSE: &str = "P 1 0 0 1 1 5\nP 2 2 0 1 2 5\nP 3 -2 1 1 0 2\nP 4 4 -1 1 0 2\nP 5 1 3 1 0 1\n\
                     P 6 1 -3 1 0 1\n";
/// The number of the game played there, and who plays it: players that search close quarters.
const CLOSE_GAME: u64 = 4;
const SEARCHERS: [&str; 2] = ["champion", "champion-team"];

/// The games of the player with this name.
pub fn bouts(name: &str) -> Option<Vec<Bout<'_, PlanetWars>>> {
    let bout = |(seed, (size, look))| {
        let setup = teams(seed, size, look)?;
        let mut names = vec![name; size];
        names.resize(2 * size, "frontier-team");
        Some(Bout::new(setup, &names, seed * SEEDS_APART, 0..size))
    };
    let close = SEARCHERS.contains(&name).then(|| {
        let setup = setup(map::read(CLOSE).ok()?, 1);
        let seed = CLOSE_GAME * SEEDS_APART;
        Some(Bout::new(setup, &[name, "surplus"], seed, 0..1))
    });
    (1..).zip(GAMES).map(bout).chain(close).collect()
}

/// Two teams of this size on a drawn map.
fn teams(seed: u64, size: usize, look: Look) -> Option<Setup> {
    let style = Style::new(look, 2 * size);
    Some(setup(generate(seed, &style).ok()?, size))
}

/// Two teams of this size, their players' numbers odd and even.
fn setup(planets: Vec<Planet>, size: usize) -> Setup {
    let odd = (0..size as PlayerId).map(|place| 2 * place + 1);
    Setup {
        planets,
        players: odd.clone().chain(odd.map(|player| player + 1)).collect(),
        teams: (0..2 * size).map(|seat| u8::from(seat >= size)).collect(),
        ruleset: Ruleset {
            rounds: ROUNDS,
            ..Ruleset::TEAM
        },
    }
}
