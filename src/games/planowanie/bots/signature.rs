//! The fixed games whose acts are a player's signature, against players by rules.

use crate::rules::{Game, Planowanie, Setup};
use drover_game::contest::Bout;

/// Seeds of one game's bots from the next one's.
const SEEDS_APART: u64 = 4;

/// Games that every player can be seated in: one of the tournament, and two odd ones.
fn games() -> Option<[Game; 3]> {
    Some([
        Game::contest(),
        Game::with_deals("789TJQKA", "CDHS", 3, &[(5, 0), (8, 2), (10, 1)]).ok()?,
        Game::with_deals("abcdefghi", "xyz", 2, &[(6, 1), (11, 0)]).ok()?,
    ])
}

/// The games of the player with this name.
pub fn bouts(name: &str) -> Option<Vec<Bout<'_, Planowanie>>> {
    let bout = |(number, game): (u64, Game)| {
        let own = number as usize % game.players();
        let mut names = vec!["rules"; game.players()];
        names[own] = name;
        let setup = Setup::seeded(game, number);
        Bout::new(setup, &names, number * SEEDS_APART, own..own + 1)
    };
    Some((0..).zip(games()?).map(bout).collect())
}
