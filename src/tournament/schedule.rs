//! Which bots play on which seats over which deck.

use crate::secrets::Secret;
use crate::store::types::Slot;
use games::rng::Rng;
use serde::{Deserialize, Serialize};

/// Seeds stay below this so that every JSON reader reads them as the same number.
pub(super) const SEED_BITS: u32 = 53;

/// A plan of many matches. The same plan gives the same matches on every machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// How many entrants there are.
    pub entrants: usize,
    /// How many seats a match has.
    pub seats: usize,
    /// Whether each table draws its seats from the entrants; otherwise they are the seats.
    pub pool: bool,
    /// Whether as many matches as there are seats share a deck, rotating by one seat each.
    pub rotate: bool,
    /// The number of matches.
    pub games: u64,
    /// The seed of everything.
    pub seed: u64,
}

/// One match of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedMatch {
    /// Its number, from 0.
    pub number: u64,
    /// The number of its deck, from 0.
    pub deck: u64,
    /// How many matches share the deck.
    pub of_deck: usize,
    /// The deck's seed.
    pub seed: u64,
    /// Seeds its numbers on the wire: they do not lead to the deck's seed.
    pub numbers: u64,
    /// Entrants by absolute seat, or by side where they play whole teams.
    pub table: Vec<usize>,
    /// Its place in a tournament, under which it is stored.
    pub slot: Option<Slot>,
}

impl Schedule {
    /// All matches, grouped by deck.
    pub fn matches(&self) -> impl Iterator<Item = PlannedMatch> + use<> {
        let plan = self.clone();
        (0..self.games.div_ceil(self.games_a_deck())).flat_map(move |number| plan.deck(number))
    }

    fn deck(&self, deck: u64) -> impl Iterator<Item = PlannedMatch> + use<> {
        let mut rng = Rng::new(self.seed, deck);
        let seed = rng.bits() >> (u64::BITS - SEED_BITS);
        let mut table = self.line(&mut rng);
        let (secret, first) = (Secret::of_seed(self.seed), deck * self.games_a_deck());
        let of_deck = self.games_a_deck().min(self.games.saturating_sub(first)) as usize;
        (first..).take(of_deck).map(move |number| {
            let planned = PlannedMatch {
                number,
                deck,
                of_deck,
                seed,
                numbers: secret.number("numbers", number),
                table: table.clone(),
                slot: None,
            };
            let turn = usize::from(!table.is_empty());
            table.rotate_right(turn);
            planned
        })
    }

    fn games_a_deck(&self) -> u64 {
        if self.rotate {
            self.seats.max(1) as u64
        } else {
            1
        }
    }

    /// The entrants of one deck: without repetition if the pool is large enough.
    fn line(&self, rng: &mut Rng) -> Vec<usize> {
        let mut all: Vec<usize> = (0..self.entrants).collect();
        if !self.pool {
            return all;
        }
        if self.entrants >= self.seats {
            rng.shuffle(&mut all);
            all.truncate(self.seats);
            return all;
        }
        let draw = |_| rng.below(self.entrants as u32) as usize;
        (0..self.seats).map(draw).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{PlannedMatch, Schedule};

    #[test]
    fn everybody_sits_everywhere_over_one_deck() {
        let plan = Schedule {
            entrants: 4,
            seats: 4,
            pool: false,
            rotate: true,
            games: 6,
            seed: 9,
        };
        let all: Vec<PlannedMatch> = plan.matches().collect();
        let tables: Vec<&[usize]> = all.iter().map(|planned| &*planned.table).collect();
        assert_eq!(
            tables[..4],
            [[0, 1, 2, 3], [3, 0, 1, 2], [2, 3, 0, 1], [1, 2, 3, 0]]
        );
        let places: Vec<_> = all
            .iter()
            .map(|planned| (planned.number, planned.deck, planned.of_deck))
            .collect();
        assert_eq!(
            places,
            [
                (0, 0, 4),
                (1, 0, 4),
                (2, 0, 4),
                (3, 0, 4),
                (4, 1, 2),
                (5, 1, 2)
            ]
        );
        assert_eq!(all[0].seed, all[3].seed);
        assert_ne!(all[0].seed, all[4].seed);
        assert_eq!(plan.matches().collect::<Vec<_>>(), all);
    }

    #[test]
    fn a_pool_draws_without_repetition_and_evenly() {
        let plan = Schedule {
            entrants: 6,
            seats: 4,
            pool: true,
            rotate: false,
            games: 6_000,
            seed: 1,
        };
        let mut sat = [0u32; 6];
        for PlannedMatch { table, .. } in plan.matches() {
            let mut once = table.clone();
            once.sort_unstable();
            once.dedup();
            assert_eq!(once.len(), 4);
            for entrant in table {
                sat[entrant] += 1;
            }
        }
        assert!(
            sat.iter().all(|count| (3_800..4_200).contains(count)),
            "{sat:?}"
        );
    }

    #[test]
    fn a_small_pool_repeats() {
        let plan = Schedule {
            entrants: 2,
            seats: 4,
            pool: true,
            rotate: false,
            games: 1,
            seed: 1,
        };
        assert_eq!(plan.matches().next().unwrap().table.len(), 4);
    }
}
