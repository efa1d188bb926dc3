//! The list of built-in players and how to make one by name.

use super::{random, shipped, stand};
use crate::game::Bot;
use crate::kit::BotCard;
use crate::rng::Rng;
use crate::smartdog::known::KnownMaps;
use crate::smartdog::rules::SmartDog;

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
    card(1, "stand", stand::DESCRIPTION, 0xB77C_E41E_D4E4_7F5E),
    card(2, "random", random::DESCRIPTION, 0xF34A_7961_AFDF_5442),
    card(3, "shipped", shipped::DESCRIPTION, 0xD799_E296_D6BF_50C9),
];

/// The player with this name, or `None` if there is none. `seed` is its own chance; `known` are maps
/// that it may recognise, used by those who think.
#[must_use]
pub fn make(name: &str, seed: u64, known: &KnownMaps) -> Option<Box<dyn Bot<SmartDog>>> {
    let _ = known;
    match name {
        "stand" => Some(Box::new(stand::Stand)),
        "random" => Some(Box::new(random::Random(Rng::new(seed, BOT_STREAM)))),
        "shipped" => Some(Box::<shipped::Shipped>::default()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::smartdog::bots::signature;

    #[test]
    fn signatures_stand_for_the_play() {
        for card in CARDS {
            assert_eq!(
                signature(card.name),
                Some(card.signature),
                "{} plays differently: raise its version and note the new signature",
                card.name
            );
        }
    }

    #[test]
    fn only_listed_names_make_players() {
        for card in CARDS {
            assert!(make(card.name, 1, &KnownMaps::none()).is_some());
        }
        assert!(make("nobody", 1, &KnownMaps::none()).is_none());
    }
}
