//! The list of built-in players and how to make one by name.

use super::player::{Habit, Player, Side};
use super::{bully, champion, dual, frontier, idle, prospector, rage, random, surplus};
use crate::game::Bot;
use crate::kit::{BotCard, card, thinker};
use crate::planetwars::rules::PlanetWars;
use crate::rng::Rng;

/// Streams of a bot's seed begin here.
const BOT_STREAM: u64 = 1 << 32;
/// What the name of a player ends in who plays with his team.
const TEAM: &str = "-team";

/// Every built-in player, weakest first.
pub const CARDS: &[BotCard] = &[
    card(1, "idle", idle::DESCRIPTION, 0x60A6_5CCF_0F26_386E),
    card(
        1,
        "idle-team",
        idle::TEAM_DESCRIPTION,
        0x585F_BBD6_AE5F_4F1E,
    ),
    card(2, "random", random::DESCRIPTION, 0xC163_71CE_E1D0_EDC1),
    card(
        2,
        "random-team",
        random::TEAM_DESCRIPTION,
        0xFD76_34D3_3899_63D8,
    ),
    card(3, "bully", bully::DESCRIPTION, 0x0507_6D4C_B45D_AAA5),
    card(
        3,
        "bully-team",
        bully::TEAM_DESCRIPTION,
        0x30B2_A5CA_CB7B_317F,
    ),
    card(
        4,
        "prospector",
        prospector::DESCRIPTION,
        0x8BCA_C8AE_2825_1CBF,
    ),
    card(
        4,
        "prospector-team",
        prospector::TEAM_DESCRIPTION,
        0xDABD_C024_C382_63CA,
    ),
    card(5, "dual", dual::DESCRIPTION, 0x595F_5900_0766_E999),
    card(
        5,
        "dual-team",
        dual::TEAM_DESCRIPTION,
        0xF14B_0477_B70D_FF88,
    ),
    card(6, "rage", rage::DESCRIPTION, 0x190C_6E00_C568_63EA),
    card(
        6,
        "rage-team",
        rage::TEAM_DESCRIPTION,
        0x57D1_F7F2_DE47_27D9,
    ),
    card(7, "frontier", frontier::DESCRIPTION, 0x4A60_DE65_5300_5671),
    card(
        7,
        "frontier-team",
        frontier::TEAM_DESCRIPTION,
        0x8A36_1C3E_9091_4244,
    ),
    card(8, "surplus", surplus::DESCRIPTION, 0x7FC2_B668_C0E4_4A0A),
    card(
        8,
        "surplus-team",
        surplus::TEAM_DESCRIPTION,
        0x284F_5581_91F4_8ACA,
    ),
    thinker(9, "champion", champion::DESCRIPTION, 0xD09D_6151_D734_456D),
    thinker(
        9,
        "champion-team",
        champion::TEAM_DESCRIPTION,
        0x4889_11D5_6031_1645,
    ),
];

/// The player with this name, or `None` if there is none. `seed` is its own chance.
#[must_use]
pub fn make(name: &str, seed: u64) -> Option<Box<dyn Bot<PlanetWars>>> {
    let (habit, side) = match name.strip_suffix(TEAM) {
        Some(habit) => (habit, Side::Team),
        None => (name, Side::Alone),
    };
    match habit {
        "idle" if side == Side::Alone => Some(Box::new(idle::Idle)),
        "idle" => Some(player(idle::Idle, side)),
        "random" => Some(player(
            random::Random::new(Rng::new(seed, BOT_STREAM)),
            side,
        )),
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

fn player<H: Habit + 'static>(habit: H, side: Side) -> Box<dyn Bot<PlanetWars>> {
    Box::new(Player::new(habit, side))
}
