//! The list of built-in players and how to make one by name.

use super::player::{Habit, Player, Side};
use super::{bully, champion, dual, frontier, idle, prospector, rage, random, surplus};
use crate::game::Bot;
use crate::kit::BotCard;
use crate::planetwars::rules::PlanetWars;
use crate::rng::Rng;

/// Streams of a bot's seed begin here.
const BOT_STREAM: u64 = 1 << 32;
/// What the name of a player ends in who plays with his team.
const TEAM: &str = "-team";

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
    card(1, "idle", idle::DESCRIPTION, 0x80E1_DDA0_C7B7_9602),
    card(
        1,
        "idle-team",
        idle::TEAM_DESCRIPTION,
        0x9B92_852D_5E92_16BA,
    ),
    card(2, "random", random::DESCRIPTION, 0x2BB4_20C3_7F11_4B15),
    card(
        2,
        "random-team",
        random::TEAM_DESCRIPTION,
        0x4233_92F4_C928_20BC,
    ),
    card(3, "bully", bully::DESCRIPTION, 0xBE1D_B41A_0B2A_F579),
    card(
        3,
        "bully-team",
        bully::TEAM_DESCRIPTION,
        0xDA97_1110_85F7_0F63,
    ),
    card(
        4,
        "prospector",
        prospector::DESCRIPTION,
        0x4DBC_FEA2_3C5C_D1C3,
    ),
    card(
        4,
        "prospector-team",
        prospector::TEAM_DESCRIPTION,
        0x6191_D24D_039C_8216,
    ),
    card(5, "dual", dual::DESCRIPTION, 0x29E4_3126_B122_1E05),
    card(
        5,
        "dual-team",
        dual::TEAM_DESCRIPTION,
        0x6BF1_F2EF_CFFC_EB5C,
    ),
    card(6, "rage", rage::DESCRIPTION, 0xCD13_2788_867B_5CFC),
    card(
        6,
        "rage-team",
        rage::TEAM_DESCRIPTION,
        0xD9AA_CBA4_CE0B_BF8B,
    ),
    card(7, "frontier", frontier::DESCRIPTION, 0xA97B_EE8E_4477_FA0D),
    card(
        7,
        "frontier-team",
        frontier::TEAM_DESCRIPTION,
        0xAAF3_2CDF_DDFB_5318,
    ),
    card(8, "surplus", surplus::DESCRIPTION, 0xA7DA_5E73_9E3B_B68E),
    card(
        8,
        "surplus-team",
        surplus::TEAM_DESCRIPTION,
        0x151A_F250_B60D_5996,
    ),
    BotCard {
        thinks: true,
        ..card(9, "champion", champion::DESCRIPTION, 0x7824_0942_F629_47E7)
    },
    BotCard {
        thinks: true,
        ..card(
            9,
            "champion-team",
            champion::TEAM_DESCRIPTION,
            0x2B95_66B4_2A7E_C657,
        )
    },
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
