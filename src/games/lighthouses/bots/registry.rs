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
    card(1, "passer", passer::DESCRIPTION, 0x29A4_816A_6AE8_457B),
    card(2, "drifter", drifter::DESCRIPTION, 0xC2BF_ADC1_BDD3_C622),
    card(3, "nearest", nearest::DESCRIPTION, 0x3977_C9C0_0131_A3BA),
    card(
        4,
        "harvester",
        harvester::DESCRIPTION,
        0x0A7C_901B_7D37_68E2,
    ),
    card(5, "ring", ring::DESCRIPTION, 0xC3FF_EF50_AC30_86F3),
    card(6, "triangle", triangle::DESCRIPTION, 0xD3F0_50BA_18A5_5B59),
    BotCard {
        thinks: true,
        ..card(7, "champion", champion::DESCRIPTION, 0x395D_DC04_8F5C_59DE)
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
