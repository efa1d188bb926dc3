//! The list of built-in players and how to make one by name.

use super::player::{Habit, Player, Side};
use super::{bully, champion, dual, frontier, idle, prospector, rage, random, surplus};
use crate::rules::PlanetWars;
use drover_game::by_rule::by_rule;
use drover_game::card::{BotCard, card, thinker};
use drover_game::game::Bot;
use drover_game::rng::Rng;

/// What the name of a player that plays with its team ends in.
const TEAM: &str = "-team";

/// Both players of every rung, alone and with their team: their module and signatures.
macro_rules! rungs {
    ($($rung:literal $card:ident $bot:ident $alone:literal $team:literal,)+) => {
        &[$(
            $card($rung, stringify!($bot), $bot::DESCRIPTION, $alone),
            $card($rung, concat!(stringify!($bot), "-team"), $bot::TEAM_DESCRIPTION, $team),
        )+]
    };
}

/// Raised whenever the champion plays otherwise.
const CHAMPION_VERSION: u32 = 9;

/// The champion in its present version.
const fn versioned(
    rung: u8,
    name: &'static str,
    description: &'static str,
    signature: u64,
) -> BotCard {
    BotCard {
        version: CHAMPION_VERSION,
        ..thinker(rung, name, description, signature)
    }
}

/// Every built-in player, weakest first.
pub const CARDS: &[BotCard] = rungs![
    1 card idle 0x60A6_5CCF_0F26_386E 0x585F_BBD6_AE5F_4F1E,
    2 card random 0xC163_71CE_E1D0_EDC1 0xFD76_34D3_3899_63D8,
    3 card bully 0x0507_6D4C_B45D_AAA5 0x30B2_A5CA_CB7B_317F,
    4 card prospector 0x8BCA_C8AE_2825_1CBF 0xDABD_C024_C382_63CA,
    5 card dual 0x595F_5900_0766_E999 0xF14B_0477_B70D_FF88,
    6 card rage 0x190C_6E00_C568_63EA 0x57D1_F7F2_DE47_27D9,
    7 card frontier 0x4A60_DE65_5300_5671 0x8A36_1C3E_9091_4244,
    8 card surplus 0x7FC2_B668_C0E4_4A0A 0x284F_5581_91F4_8ACA,
    9 versioned champion 0x21AA_424F_73FD_426F 0xB1BE_79F1_47A9_5C94,
];

/// The player with this name, or `None` if there is none. `seed` is its own chance.
#[must_use]
pub fn make(name: &str, seed: u64) -> Option<Box<dyn Bot<PlanetWars>>> {
    let (habit, side) = match name.strip_suffix(TEAM) {
        Some(habit) => (habit, Side::Team),
        None => (name, Side::Alone),
    };
    match habit {
        "idle" if side == Side::Alone => Some(by_rule(idle::act)),
        "idle" => Some(player(idle::Idle, side)),
        "random" => Some(player(random::Random::new(Rng::for_bot(seed)), side)),
        "bully" => Some(player(bully::Bully, side)),
        "prospector" => Some(player(prospector::Prospector, side)),
        "dual" => Some(player(dual::Dual, side)),
        "rage" => Some(player(rage::Rage, side)),
        "frontier" => Some(player(frontier::Frontier, side)),
        "surplus" => Some(player(surplus::Surplus::default(), side)),
        "champion" if side == Side::Alone => Some(champion::solo()),
        "champion" => Some(champion::team()),
        _ => None,
    }
}

fn player<H: Habit + Clone + 'static>(habit: H, side: Side) -> Box<dyn Bot<PlanetWars>> {
    by_rule(Player::new(habit, side))
}
