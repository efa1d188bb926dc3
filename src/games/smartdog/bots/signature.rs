//! The fixed matches whose orders are a player's signature, against fixed rivals.

use crate::generate::{Style, generate};
use crate::options::Key;
use crate::rules::{Players, Setup, SmartDog};
use drover_game::arena::Acts;
use drover_game::contest::Bout;

/// Turns of such a match.
const TURNS: i64 = 80;
/// Seeds of one match's bots from the next one's.
const SEEDS_APART: u64 = 4;

/// Orders of turn N arrive in seat order beginning with seat (N − 1) mod players.
pub fn arrange(game: &SmartDog, acts: &mut Acts<SmartDog>) {
    acts.rotate_left((game.turn() as usize - 1) % acts.len().max(1));
}

/// The matches of the player with this name.
pub fn bouts(name: &str) -> Option<Vec<Bout<'_, SmartDog>>> {
    let bout = |(number, players): (u64, Players)| {
        let own = number as usize % players.count();
        let mut names = vec!["shipped"; players.count()];
        names[own] = name;
        let map = generate(number, &Style::default());
        let setup = Setup::on_map(map.with(Key::TurnsLimit, TURNS).ok()?, players);
        Some(Bout {
            arrange,
            ..Bout::new(setup, &names, number * SEEDS_APART, own..own + 1)
        })
    };
    (0..).zip(Players::ALL).map(bout).collect()
}
