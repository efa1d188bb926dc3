//! Whether a mind buys growth, and what.

use super::super::board::{Board, Sides};
use super::super::chart::Sight;
use super::super::ships::Order;
use super::super::upgrades::{self, Offer, Threat};
use super::{Mind, PATIENCE};

impl Mind {
    /// Who buys growth, where it is for sale: only in the dialect without words and with hidden fleets, where
    /// planets shrink, growth was seen to be bought, or fleets fly a turn longer.
    pub(super) fn buyer(&self, now: &Sight) -> Option<u8> {
        let [player] = self.team[..] else {
            return None;
        };
        let shrinks = || now.growth.iter().any(|growth| *growth < 0);
        let sold = || self.sold || shrinks() || self.calibration.delays();
        let sells = self.buys && now.is_bare() && sold();
        sells.then_some(player)
    }

    /// What is for sale for ships that the plan leaves idle.
    pub(super) fn offered(&self, board: &Board<'_>, player: u8) -> Vec<Offer> {
        let threat = Threat {
            flying: self.flying(board.sides),
            quiet: self.frozen >= PATIENCE,
        };
        upgrades::offers(board, player, &self.cheap, threat)
    }

    /// Ships in hidden fleets of enemies.
    fn flying(&self, sides: &Sides) -> i32 {
        let guesses = self.ledger.guesses.iter();
        let theirs = guesses.filter(|guess| sides.of(guess.owner) < 0);
        let ships = theirs.map(|guess| guess.ships.max(0));
        ships.fold(0, i32::saturating_add)
    }

    /// Planets whose growth is bought besides these orders.
    pub(in super::super) fn buying(&self, orders: &[Order]) -> Vec<u8> {
        let idle = upgrades::idle(&self.offers, orders);
        self.cheap.iter().copied().chain(idle).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::chart::Names;
    use super::super::{Stance, Turn};
    use super::*;
    use crate::map;
    use crate::rules::{PlanetWars, Ruleset, Setup};
    use drover_game::game::{Game as _, Seat};
    use std::sync::Arc;

    /// Ships that the enemy has in flight may come, whatever its planet holds: growth bought on a planet that falls
    /// is the enemy's.
    #[test]
    fn no_growth_is_bought_with_what_a_hidden_fleet_may_be_met_by() {
        let setup = Setup::duel(
            map::read("P 1 0 1 3 1 20\nP 2 0 -1 3 2 20\nP 3 9 9 -1 0 5\n").unwrap(),
            Ruleset::MZ2015,
        );
        let view = PlanetWars::start(&setup).view(Seat(0));
        let names = Arc::new(Names::new(&view));
        for (left, bought) in [(20, vec![]), (0, vec![]), (12, vec![0])] {
            let mut mind = Mind::new(Arc::clone(&names), &[1], Stance::Open);
            mind.buys = true;
            let states = [[20, 20], [23, 23 - left]];
            for (turn, [ours, theirs]) in (0..).zip(states) {
                let mut sight = names.sight(&view);
                sight.turn = turn;
                sight.ships = vec![ours, theirs, 5];
                mind.adopt(Turn {
                    team: vec![1],
                    spared: Vec::new(),
                    stance: Stance::Open,
                    sight,
                });
            }
            mind.plan(100);
            assert_eq!(mind.buying(&[]), bought, "{left} ships left");
        }
    }
}
