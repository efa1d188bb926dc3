//! Whether a mind searches, where two play at close quarters, and whether it is behind.

use super::super::board::{Board, Sides};
use super::super::chart::Sight;
use super::super::contact::{self, Search, Unseen};
use super::super::ending::Ending;
use super::super::line::Root;
use super::super::rehearsal::Rehearsal;
use super::super::ships::Fleet;
use super::super::ships::NOBODY;
use super::{CLOSE_NODES, LAST, Mind, Stance};
use crate::bots::champion::plan::Plan;

/// Two players are at close quarters with at most this many ships on all planets, and planets at most this
/// many turns apart: where their homes are that near, and elsewhere.
const CLOSE: [(i32, usize); 2] = [(24, 3), (20, 2)];
/// On maps of at most this many planets two players are so all the time.
const FEW: usize = 12;
/// On larger maps there is no search: a game is played on with all planets, and takes longer with each.
const SEARCHED_MAX: usize = 32;

impl Mind {
    /// Whether the game is nearly over and will be lost as it stands.
    pub(super) fn behind(&self, now: &Sight, sides: &Sides, ending: Ending) -> bool {
        let rounds = ending.rounds;
        let planets = now.owner.iter().zip(&now.ships).zip(&now.growth);
        let held = planets.map(|((owner, ships), growth)| {
            let end = i64::from(*ships) + i64::from(*growth) * i64::from(rounds);
            i64::from(sides.of(*owner)) * end.max(0)
        });
        let of = |player: u8, ships: i32| i64::from(sides.of(player)) * i64::from(ships);
        let flying: i64 = if let Some(shown) = &now.fleets {
            let landings = shown.iter().map(|shown| shown.landing);
            landings.map(|at| of(at.owner, at.ships)).sum()
        } else {
            let chart = self.calibration.chart();
            let lands = |fleet: &Fleet| {
                let lands = chart.lands(fleet.launched, fleet.from, usize::from(fleet.to));
                lands.saturating_sub(now.turn as usize)
            };
            let own = self.ledger.fleets.iter();
            let own = own.filter(|fleet| ending.counts(lands(fleet)));
            let own = own.map(|fleet| of(fleet.owner, fleet.ships));
            // More may have landed than was seen to leave.
            let theirs = (0u8..).zip(&self.ledger.flying);
            let theirs = theirs.filter(|(player, _)| sides.of(*player) < 0);
            let theirs = theirs.map(|(player, ships)| of(player, (*ships).max(0)));
            own.chain(theirs).sum()
        };
        rounds < LAST && held.sum::<i64>() + flying < 0
    }

    /// The two players at close quarters, where two fight with few ships.
    pub(super) fn close(&self, board: &Board<'_>, nodes: u64) -> Option<[u8; 2]> {
        let now = self.before.as_ref()?;
        let players = contact::two(board.sides)?;
        let (all, near) = (
            now.ships.iter().sum::<i32>(),
            contact::near(board.chart, &now.owner, players),
        );
        let homes = contact::near(board.chart, &self.homes, players);
        let close = CLOSE
            .iter()
            .zip([homes <= CLOSE[0].1, true])
            .any(|((ships, turns), here)| here && all <= *ships && near <= *turns);
        // Free planets where ships rot are of no use to anybody.
        let useful = now.owner.iter().zip(&now.growth);
        let useful = useful.filter(|(owner, growth)| **owner != NOBODY || **growth >= 0);
        let few = useful.count() <= FEW;
        let small = now.owner.len() <= SEARCHED_MAX && (close || few);
        let fights = self.stance == Stance::Open && small && nodes >= CLOSE_NODES;
        fights.then_some(players)
    }

    /// The search among these plans at close quarters.
    pub(super) fn searched(
        &self,
        board: &Board<'_>,
        players: [u8; 2],
        plans: [Vec<Plan>; 2],
        futures: u64,
    ) -> Search {
        let now = self.before.as_ref();
        let hidden = now.is_some_and(|now| now.fleets.is_none());
        let guesses = self.ledger.guesses.iter().filter(|_| hidden);
        let unseen = guesses.map(|guess| Unseen {
            guess: guess.clone(),
            shares: self.ledger.shares(guess),
        });
        let unseen = (unseen.collect(), now.map_or(0, |now| now.turn));
        let roots: Vec<Root> = board.spots.iter().map(|spot| spot.root).collect();
        let landings = board.spots.iter().map(|spot| spot.landings.clone());
        let rehearsal = Rehearsal::new(board.chart, players, &roots, board.ending);
        let state = rehearsal.state(&roots, &landings.collect::<Vec<_>>());
        let quiet = self.ledger.quiet;
        Search::new(rehearsal, state, plans, unseen, quiet, futures)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::chart::{Names, Shown};
    use super::super::super::ships::Move;
    use super::*;
    use crate::map;
    use crate::rules::{PlanetWars, Ruleset, Setup};
    use drover_game::game::{Game as _, Seat};
    use std::sync::Arc;

    /// What is shown counts, and where nothing is, fleets that landed without having been seen to leave do not.
    #[test]
    fn who_is_behind_counts_fleets_in_flight() {
        let setup = Setup::duel(
            map::read("P 1 0 0 0 1 10\nP 2 9 0 0 2 20\n").unwrap(),
            Ruleset::GOOGLE2010,
        );
        let view = PlanetWars::start(&setup).view(Seat(0));
        let names = Arc::new(Names::new(&view));
        let mut mind = Mind::new(Arc::clone(&names), &[1], Stance::Open);
        mind.ledger.flying = vec![0, 0, -100];
        let sides = mind.sides();
        let shown = |owner| {
            let (turn, ships) = (3, 100);
            let landing = Move { turn, owner, ships };
            vec![Shown { to: 0, landing }]
        };
        for (fleets, behind) in [
            (None, true),
            (Some(Vec::new()), true),
            (Some(shown(1)), false),
            (Some(shown(2)), true),
        ] {
            let now = Sight {
                fleets,
                ..names.sight(&view)
            };
            let ending = |rounds| Ending {
                rounds,
                flight_counts: true,
            };
            assert_eq!(mind.behind(&now, &sides, ending(20)), behind, "{now:?}");
            assert!(!mind.behind(&now, &sides, ending(LAST)));
        }
        // Nine turns of flight.
        mind.ledger.fleets.push(Fleet {
            owner: 1,
            from: 0,
            to: 1,
            ships: 100,
            launched: 0,
        });
        for (rounds, flight_counts, behind) in
            [(9, false, false), (8, false, true), (8, true, false)]
        {
            let ending = Ending {
                rounds,
                flight_counts,
            };
            let now = names.sight(&view);
            assert_eq!(mind.behind(&now, &sides, ending), behind, "{ending:?}");
        }
    }
}
