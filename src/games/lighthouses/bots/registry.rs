//! The list of built-in players and how to make one by name.

use super::scout::scouting;
use super::{champion, drifter, harvester, nearest, passer, ring, triangle};
use crate::rules::Lighthouses;
use drover_game::by_rule::by_rule;
use drover_game::card::{BotCard, card, thinker};
use drover_game::game::Bot;
use drover_game::rng::Rng;

/// Every built-in player, weakest first.
pub const CARDS: &[BotCard] = &[
    card(1, "passer", passer::DESCRIPTION, 0xC709_DA33_502A_B346),
    card(2, "drifter", drifter::DESCRIPTION, 0xA4D7_B576_384E_157D),
    card(3, "nearest", nearest::DESCRIPTION, 0xED29_768F_1CCE_713C),
    card(
        4,
        "harvester",
        harvester::DESCRIPTION,
        0xE097_F47D_3F2B_8EDD,
    ),
    card(5, "ring", ring::DESCRIPTION, 0x4438_D591_CBE3_ABA2),
    card(6, "triangle", triangle::DESCRIPTION, 0xDD95_9452_DE4F_8716),
    BotCard {
        version: 5,
        ..thinker(7, "champion", champion::DESCRIPTION, 0x9F33_AF60_B12E_D40D)
    },
];

/// The player with this name, or `None` if there is none. `seed` is its own chance.
#[must_use]
pub fn make(name: &str, seed: u64) -> Option<Box<dyn Bot<Lighthouses>>> {
    let rng = Rng::for_bot(seed);
    match name {
        "passer" => Some(by_rule(passer::act)),
        "drifter" => Some(scouting(rng, drifter::act)),
        "nearest" => Some(scouting(rng, nearest::act)),
        "harvester" => Some(scouting(rng, harvester::act)),
        "ring" => {
            let mut charged = None;
            Some(scouting(rng, move |scout, scene, rng| {
                ring::act(scout, scene, rng, &mut charged)
            }))
        }
        "triangle" => Some(triangle::hunter(triangle::HABITS)),
        "champion" => Some(champion::champion(seed)),
        _ => None,
    }
}
