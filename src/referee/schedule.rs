//! Which bots meet on which seats over which deck.

use games::rng::Rng;

/// Seeds stay below this so that every JSON reader takes them for the same number.
const SEED_BITS: u32 = 53;

/// A plan of many matches. The same plan gives the same matches on every machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// How many entrants there are.
    pub entrants: usize,
    /// How many seats a match has.
    pub seats: usize,
    /// Whether each table draws its seats from the entrants; else they are the seats.
    pub pool: bool,
    /// Whether as many matches as there are seats share a deck, moving on by one seat each.
    pub rotate: bool,
    /// How many matches.
    pub games: u64,
    /// Seeds everything.
    pub seed: u64,
}

/// Matches over one deck with one set of entrants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deck {
    /// The number of its first match, from 0.
    pub first: u64,
    /// The seed of its matches.
    pub seed: u64,
    /// Entrants by absolute seat, one list a match.
    pub tables: Vec<Vec<usize>>,
}

impl Schedule {
    /// How many decks there are.
    #[must_use]
    pub fn decks(&self) -> u64 {
        self.games.div_ceil(self.games_a_deck())
    }

    /// One deck's matches.
    #[must_use]
    pub fn deck(&self, number: u64) -> Deck {
        let mut rng = Rng::new(self.seed, number);
        let seed = rng.bits() >> (u64::BITS - SEED_BITS);
        let line = self.line(&mut rng);
        let first = number * self.games_a_deck();
        let matches = self.games_a_deck().min(self.games.saturating_sub(first));
        let tables = (0..matches as usize)
            .map(|turn| {
                let mut table = line.clone();
                table.rotate_right(turn % self.seats.max(1));
                table
            })
            .collect();
        Deck {
            first,
            seed,
            tables,
        }
    }

    fn games_a_deck(&self) -> u64 {
        if self.rotate {
            self.seats.max(1) as u64
        } else {
            1
        }
    }

    /// The entrants of one deck: without repetition where the pool is large enough.
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
    use super::Schedule;

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
        assert_eq!(plan.decks(), 2);
        let tables = plan.deck(0).tables;
        assert_eq!(
            tables,
            [[0, 1, 2, 3], [3, 0, 1, 2], [2, 3, 0, 1], [1, 2, 3, 0]]
        );
        let last = plan.deck(1);
        assert_eq!((last.first, last.tables.len()), (4, 2));
        assert_ne!(last.seed, plan.deck(0).seed);
        assert_eq!(plan.deck(1), last);
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
        for number in 0..plan.decks() {
            let table = plan.deck(number).tables.remove(0);
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
        assert_eq!(plan.deck(0).tables.concat().len(), 4);
    }
}
