//! The list of built-in players and how to make one by name.

use super::stand;
use crate::game::Bot;
use crate::kit::BotCard;
use crate::smartdog::known::KnownMaps;
use crate::smartdog::rules::SmartDog;

/// Every built-in player, weakest first.
pub const CARDS: &[BotCard] = &[BotCard {
    name: "stand",
    rung: 1,
    version: 1,
    description: stand::DESCRIPTION,
    signature: 0,
    thinks: false,
}];

/// The player with this name, or `None` if there is none. `seed` is its own chance; `known` are maps
/// that it may recognise, used by those who think.
#[must_use]
pub fn make(name: &str, seed: u64, known: &KnownMaps) -> Option<Box<dyn Bot<SmartDog>>> {
    let _ = (seed, known);
    match name {
        "stand" => Some(Box::new(stand::Stand)),
        _ => None,
    }
}
