//! The list of built-in players and how to make one by name.

use super::{champion, drifter, harvester, nearest, passer, ring, triangle};
use crate::game::Bot;
use crate::kit::BotCard;
use crate::lighthouses::rules::Lighthouses;
use crate::rng::Rng;

/// Streams of a bot's seed begin here.
const BOT_STREAM: u64 = 1 << 32;

/// Every built-in player, weakest first.
pub const CARDS: &[BotCard] = &[
    BotCard::new(1, "passer", passer::DESCRIPTION, 0xC709_DA33_502A_B346),
    BotCard::new(2, "drifter", drifter::DESCRIPTION, 0xA4D7_B576_384E_157D),
    BotCard::new(3, "nearest", nearest::DESCRIPTION, 0xED29_768F_1CCE_713C),
    BotCard::new(
        4,
        "harvester",
        harvester::DESCRIPTION,
        0xE097_F47D_3F2B_8EDD,
    ),
    BotCard::new(5, "ring", ring::DESCRIPTION, 0x4438_D591_CBE3_ABA2),
    BotCard::new(6, "triangle", triangle::DESCRIPTION, 0xDD95_9452_DE4F_8716),
    BotCard {
        thinks: true,
        ..BotCard::new(7, "champion", champion::DESCRIPTION, 0x03A7_3870_78D1_776F)
    },
];

/// The player with this name, or `None` if there is none. `seed` is its own chance.
#[must_use]
pub fn make(name: &str, seed: u64) -> Option<Box<dyn Bot<Lighthouses>>> {
    let rng = Rng::new(seed, BOT_STREAM);
    match name {
        "passer" => Some(Box::new(passer::Passer)),
        "drifter" => Some(Box::new(drifter::Drifter::new(rng))),
        "nearest" => Some(Box::new(nearest::Nearest::new(rng))),
        "harvester" => Some(Box::new(harvester::Harvester::new(rng))),
        "ring" => Some(Box::new(ring::Ring::new(rng))),
        "triangle" => Some(triangle::hunter(triangle::HABITS)),
        "champion" => Some(champion::champion(seed)),
        _ => None,
    }
}
