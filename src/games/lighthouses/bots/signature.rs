//! The fixed games whose acts are a player's signature, against ring builders and triangle hunters.

use crate::ladder::Bout;
use crate::lighthouses::map::Map;
use crate::lighthouses::rules::{Lighthouses, Setup};

/// Rounds of such a game.
const ROUNDS: u32 = 120;
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
    let bout = |(number, text)| {
        let names: &[&str] = match number {
            0 => &["ring", name, "triangle"],
            _ => &[name, "ring"],
        };
        let setup = Setup::new(Map::read(text).ok()?, names.len(), ROUNDS);
        let own = names.iter().position(|seated| *seated == name)?;
        Some(Bout::new(setup, names, number * SEEDS_APART, own..own + 1))
    };
    (0..).zip(MAPS).map(bout).collect()
}
