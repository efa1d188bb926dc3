//! The list of built-in players and how to make one by name.

use super::champion::{CHAMPION, HERDER, Herder, SEARCHER};
use super::{random, shipped, stand};
use crate::known::KnownMaps;
use crate::rules::SmartDog;
use drover_game::by_rule::by_rule;
use drover_game::card::{BotCard, card, thinker};
use drover_game::game::Bot;
use drover_game::rng::Rng;

/// Every built-in player, weakest first.
pub const CARDS: &[BotCard] = &[
    card(1, "stand", stand::DESCRIPTION, 0x680B_3C6B_7F15_8644),
    card(2, "random", random::DESCRIPTION, 0xFF48_6AE0_C719_1DDB),
    card(3, "shipped", shipped::DESCRIPTION, 0xBE29_2D47_60CE_DED9),
    BotCard {
        version: 4,
        ..card(
            4,
            "herder",
            "Guesses where everything stands and tries every move and bark of every dog one turn ahead by the exact rules.",
            0x73B0_585E_A629_6906,
        )
    },
    BotCard {
        version: 4,
        ..thinker(
            5,
            "herder-search",
            "Plans eight turns ahead for dog after dog with a beam; others are taken to stand. A node is one simulated turn of one line.",
            0xE213_EFDB_593A_6BD5,
        )
    },
    BotCard {
        version: 9,
        ..thinker(
            6,
            "champion",
            "Gives its dogs roles and plans with widening beams against the replies it expects, on maps it may know, guards its pen and plays for the win. A node is one simulated turn of one line.",
            0x9A51_26A7_2D19_380A,
        )
    },
];

/// The player with this name, or `None` if there is none. `seed` is its own chance; `known` are maps
/// that the champion may recognise.
#[must_use]
pub fn make(name: &str, seed: u64, known: &KnownMaps) -> Option<Box<dyn Bot<SmartDog>>> {
    match name {
        "stand" => Some(by_rule(stand::act)),
        "random" => Some(by_rule(random::Random(Rng::for_bot(seed)))),
        "shipped" => Some(by_rule(shipped::Shipped::default())),
        "herder" => Some(Box::new(Herder::new(HERDER, known))),
        "herder-search" => Some(Box::new(Herder::new(SEARCHER, known))),
        "champion" => Some(Box::new(Herder::new(CHAMPION, known))),
        _ => None,
    }
}
