//! The list of built-in players and how to make one by name.

use super::searcher::{Searcher, Thinking};
use super::{champion, greedy, ismcts, mcbid, pimc, random, rules};
use crate::rules::{Ask, Planowanie, View};
use drover_game::by_rule::by_rule;
use drover_game::card::{BotCard, card, thinker};
use drover_game::game::Bot;
use drover_game::rng::Rng;

/// Every built-in player, weakest first.
pub const CARDS: &[BotCard] = &[
    card(1, "random", random::DESCRIPTION, 0x6982_DB73_6B55_0680),
    card(2, "greedy", greedy::DESCRIPTION, 0x654A_FE23_C7F1_8099),
    card(3, "rules", rules::DESCRIPTION, 0x5CE2_972B_90AA_B966),
    thinker(4, "mcbid-200", mcbid::DESCRIPTION, 0xDF81_F7B8_C305_4A2A),
    thinker(5, "pimc-50", pimc::DESCRIPTION, 0xEEC3_D261_D92E_2C86),
    thinker(6, "ismcts-1000", ismcts::DESCRIPTION, 0xB6F1_1B58_C868_C794),
    BotCard {
        version: 6,
        ..thinker(7, "champion", champion::DESCRIPTION, 0x6690_FDEF_4632_9214)
    },
];

/// The player with this name, or `None` if there is none. `seed` is its own chance.
#[must_use]
pub fn make(name: &str, seed: u64) -> Option<Box<dyn Bot<Planowanie>>> {
    let searcher = |begin: fn(&View, Ask, Rng) -> Option<Box<dyn Thinking>>| {
        Some(Box::new(Searcher::new(seed, begin)) as Box<dyn Bot<Planowanie>>)
    };
    match name {
        "random" => Some(by_rule(random::Random(Rng::for_bot(seed)))),
        "greedy" => Some(by_rule(greedy::act)),
        "rules" => Some(by_rule(rules::reasoned)),
        "mcbid-200" => searcher(mcbid::begin),
        "pimc-50" => searcher(pimc::begin),
        "ismcts-1000" => searcher(ismcts::begin),
        "champion" => Some(champion::champion(seed)),
        _ => None,
    }
}
