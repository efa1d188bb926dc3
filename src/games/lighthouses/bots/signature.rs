//! The fixed games whose acts are a player's signature, against ring builders and triangle hunters.

use crate::map::Map;
use crate::rules::{Lighthouses, Setup};
use drover_game::contest::Bout;

/// Rounds of such a game.
const ROUNDS: u32 = 120;
/// The number of the game in which players that search have time for every stage of it, on the first map: with as
/// many nodes as in the others, the champion spends all on its own next steps and reaches neither tours nor the beam.
const DEEP_GAME: u64 = 2;
/// Nodes of a decision there.
const DEEP_NODES: u64 = 6_000;
const SEARCHERS: [&str; 1] = ["champion"];
/// Seeds of one game's bots from the next one's.
const SEEDS_APART: u64 = 16;

/// The maps of those games.
const MAPS: [&str; 2] = [
    "\
###############
#!     #    ! #
#  1          #
#     !     ###
#!       2    #
##         !  #
#  3  !    #  #
#        4    #
#!           !#
###############
",
    "\
##########
#   !  1##
# !      #
##    ! ##
#  !     #
# 2   3  #
#    !  !#
##########
",
];

/// The games of the player with this name.
pub fn bouts(name: &str) -> Option<Vec<Bout<'_, Lighthouses>>> {
    let [wide, narrow] = MAPS;
    let bout = |number: u64, map, names: &[_]| {
        let setup = Setup::new(Map::read(map).ok()?, names.len(), ROUNDS);
        let own = names.iter().position(|seated| *seated == name)?;
        Some(Bout::new(setup, names, number * SEEDS_APART, own..own + 1))
    };
    let mut bouts = vec![
        bout(0, wide, &["ring", name, "triangle"])?,
        bout(1, narrow, &[name, "ring"])?,
    ];
    if SEARCHERS.contains(&name) {
        bouts.push(Bout {
            nodes: Some(DEEP_NODES),
            ..bout(DEEP_GAME, wide, &["triangle", name, "ring"])?
        });
    }
    Some(bouts)
}
