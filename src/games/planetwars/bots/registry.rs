//! The list of built-in players and how to make one by name.

use super::{champion, idle};
use crate::game::Bot;
use crate::kit::BotCard;
use crate::planetwars::rules::PlanetWars;

const fn card(rung: u8, name: &'static str, description: &'static str, signature: u64) -> BotCard {
    BotCard {
        name,
        rung,
        version: 1,
        description,
        signature,
        thinks: false,
    }
}

/// Every built-in player, weakest first.
pub const CARDS: &[BotCard] = &[
    card(1, "idle", idle::DESCRIPTION, 0),
    BotCard {
        thinks: true,
        ..card(9, "champion", champion::DESCRIPTION, 0)
    },
    BotCard {
        thinks: true,
        ..card(9, "champion-team", champion::TEAM_DESCRIPTION, 0)
    },
];

/// The player with this name, or `None` if there is none. `seed` is its own chance.
#[must_use]
pub fn make(name: &str, _seed: u64) -> Option<Box<dyn Bot<PlanetWars>>> {
    match name {
        "idle" => Some(Box::new(idle::Idle)),
        "champion" => Some(champion::solo()),
        "champion-team" => Some(champion::team()),
        _ => None,
    }
}
