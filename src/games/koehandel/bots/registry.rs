//! The list of built-in players and how to make one by name.

use super::policy::Profile;
use super::{champion, evolved, face, filler, guide, random, setbuilder, trader, tuned};
use crate::models::Models;
use crate::rules::{Ask, Koehandel};
use crate::view::View;
use drover_game::by_rule::by_rule;
use drover_game::card::{BotCard, card, thinker};
use drover_game::game::Bot;
use drover_game::rng::Rng;

/// Every built-in player, weakest first.
pub const CARDS: &[BotCard] = &[
    card(1, "filler", filler::DESCRIPTION, 0xB11A_6676_455B_20CD),
    card(2, "random", random::DESCRIPTION, 0x2468_82F5_7E11_93C8),
    card(
        3,
        "setbuilder",
        setbuilder::DESCRIPTION,
        0x46C6_04BA_5D5E_12B8,
    ),
    card(4, "trader", trader::DESCRIPTION, 0xA9F0_98A6_B3F6_DB82),
    card(5, "face", face::DESCRIPTION, 0x1E0B_1725_0AF6_00C7),
    card(6, "guide", guide::DESCRIPTION, 0x636C_82BF_2BF1_1877),
    card(7, "tuned", tuned::DESCRIPTION, 0x90FD_5B15_FDCD_D38F),
    card(8, "evolved", evolved::DESCRIPTION, 0xEBDE_2B62_C3B5_B75C),
    BotCard {
        version: 4,
        ..thinker(9, "champion", champion::DESCRIPTION, 0x1540_5A71_3B70_2C81)
    },
];

/// The player with this name, or `None` if there is none. `seed` is its own chance; `models` is what
/// is known of its rivals, used by those that think.
#[must_use]
pub fn make(name: &str, seed: u64, models: &Models) -> Option<Box<dyn Bot<Koehandel>>> {
    let mut rng = Rng::for_bot(seed);
    let profile: Profile = match name {
        "filler" => return Some(by_rule(filler::act)),
        "random" => {
            let act = move |view: &View, ask: &Ask| random::act(view, ask, &mut rng);
            return Some(by_rule(act));
        }
        "face" => return Some(by_rule(face::act)),
        "champion" => return Some(Box::new(champion::Champion::new(rng, models))),
        "evolved" => return Some(by_rule(evolved::Evolved::new(rng))),
        "setbuilder" => setbuilder::PROFILE,
        "trader" => trader::PROFILE,
        "guide" => guide::PROFILE,
        "tuned" => tuned::PROFILE,
        _ => return None,
    };
    Some(profile.player(rng))
}

/// Whether this player heeds what it receives; the others play from the view alone, so that a match
/// among them need not send any messages.
#[must_use]
pub fn listens(name: &str) -> bool {
    matches!(name, "evolved" | "champion")
}
