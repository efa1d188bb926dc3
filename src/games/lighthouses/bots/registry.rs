//! The list of built-in players and how to make one by name.

use super::{champion, drifter, harvester, nearest, passer, ring, triangle};
use crate::game::Bot;
use crate::kit::BotCard;
use crate::lighthouses::rules::Lighthouses;
use crate::rng::Rng;

/// Streams of a bot's seed begin here.
const BOT_STREAM: u64 = 1 << 32;

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
    card(1, "passer", passer::DESCRIPTION, 0x959C_66BA_4DCD_9F73),
    card(2, "drifter", drifter::DESCRIPTION, 0xB0E8_29AF_44D2_74D7),
    card(3, "nearest", nearest::DESCRIPTION, 0xE4D5_83C3_5F05_01A0),
    card(
        4,
        "harvester",
        harvester::DESCRIPTION,
        0xA7EA_E320_CCCF_EA61,
    ),
    card(5, "ring", ring::DESCRIPTION, 0xE32B_64B8_EEFF_1405),
    card(6, "triangle", triangle::DESCRIPTION, 0x7141_54FB_A989_E4FF),
    BotCard {
        thinks: true,
        ..card(7, "champion", champion::DESCRIPTION, 0)
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
