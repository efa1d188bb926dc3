//! All sets of n entrants, split into as few rounds as there can be: Baranyai's theorem, by its usual proof.
//!
//! Entrants come in one by one. At any time each round holds as many partial sets as it will have tables, and among
//! all rounds each partial set occurs as often as it can still be completed. A new entrant may join one partial set
//! of each round; a flow decides which, so that both keep holding. That such a flow exists is the theorem.

use std::collections::VecDeque;

/// How many sets of `size` there are among `entrants`.
pub(super) fn choose(entrants: usize, size: usize) -> usize {
    let mut sets = 1usize;
    if size > entrants {
        return 0;
    }
    for taken in 0..size.min(entrants - size) {
        // Each step is a whole number of sets; one too large for the next step is large enough as it is.
        match sets.checked_mul(entrants - taken) {
            Some(more) => sets = more / (taken + 1),
            None => return usize::MAX,
        }
    }
    sets
}

/// A set that is not complete yet: another one and one more entrant.
struct Partial {
    smaller: usize,
    entrant: usize,
    size: usize,
}

/// The partial sets of each round by number, and what they consist of.
struct Factors {
    partials: Vec<Partial>,
    rounds: Vec<Vec<usize>>,
    entrants: usize,
    size: usize,
}

/// All sets of `size` among `entrants`, by round; each entrant is in one set of a round at most. All rounds have as
/// many sets as possible, but perhaps the last.
pub(super) fn rounds(entrants: usize, size: usize) -> Vec<Vec<Vec<usize>>> {
    let (sets, tables) = (choose(entrants, size), entrants / size);
    let mut rounds = vec![vec![0; tables]; sets / tables];
    if !sets.is_multiple_of(tables) {
        rounds.push(vec![0; sets % tables]);
    }
    let empty = Partial {
        smaller: 0,
        entrant: 0,
        size: 0,
    };
    let mut factors = Factors {
        partials: vec![empty],
        rounds,
        entrants,
        size,
    };
    for entrant in 0..entrants {
        factors.join(entrant, entrants - entrant);
    }
    let complete = |round: &Vec<usize>| round.iter().map(|set| factors.members(*set)).collect();
    factors.rounds.iter().map(complete).collect()
}

impl Factors {
    fn members(&self, mut set: usize) -> Vec<usize> {
        let mut members = Vec::new();
        while self.partials[set].size > 0 {
            members.push(self.partials[set].entrant);
            set = self.partials[set].smaller;
        }
        members
    }

    /// Lets an entrant join a set of each round that needs it; `left` come, with this one.
    fn join(&mut self, entrant: usize, left: usize) {
        let room = |partial: &Partial| match self.size.checked_sub(partial.size + 1) {
            Some(missing) => choose(left - 1, missing),
            None => 0,
        };
        let mut flow = Flow {
            left: choose(self.entrants - 1, self.size - 1),
            room: self.partials.iter().map(room).collect(),
            joined: vec![Vec::new(); self.partials.len()],
            reached: vec![(usize::MAX, 0); self.partials.len()],
            of_round: vec![None; self.rounds.len()],
        };
        let missing = |round: &Vec<usize>| -> usize {
            let sets = round.iter();
            sets.map(|set| self.size - self.partials[*set].size).sum()
        };
        // A round that still needs all who come has to get this one; once it has, others cannot take it away.
        let (must, may): (Vec<usize>, Vec<usize>) =
            (0..self.rounds.len()).partition(|round| missing(&self.rounds[*round]) == left);
        for round in must.into_iter().chain(may) {
            if flow.left == 0 {
                break;
            }
            flow.join(round, &self.rounds);
        }
        let mut larger = vec![None; self.partials.len()];
        for (round, set) in flow.of_round.into_iter().enumerate() {
            let Some(set) = set else { continue };
            let next = *larger[set].get_or_insert_with(|| {
                self.partials.push(Partial {
                    smaller: set,
                    entrant,
                    size: self.partials[set].size + 1,
                });
                self.partials.len() - 1
            });
            if let Some(place) = self.rounds[round].iter_mut().find(|place| **place == set) {
                *place = next;
            }
        }
    }
}

/// Which set the entrant joins in each round.
struct Flow {
    /// How many more rounds the entrant joins.
    left: usize,
    /// How many more rounds may join a set, by set.
    room: Vec<usize>,
    /// The rounds in which the set is joined, by set.
    joined: Vec<Vec<usize>>,
    /// For which round each set was last looked at, and from which round that was.
    reached: Vec<(usize, usize)>,
    of_round: Vec<Option<usize>>,
}

impl Flow {
    /// Finds a set for one more round, others changing theirs where that makes room.
    fn join(&mut self, round: usize, rounds: &[Vec<usize>]) {
        let search = round;
        let mut queue = VecDeque::from([round]);
        while let Some(round) = queue.pop_front() {
            for set in &rounds[round] {
                if self.reached[*set].0 == search {
                    continue;
                }
                self.reached[*set] = (search, round);
                if self.room[*set] > 0 {
                    self.room[*set] -= 1;
                    self.left -= 1;
                    return self.change(*set);
                }
                queue.extend(&self.joined[*set]);
            }
        }
    }

    fn change(&mut self, mut set: usize) {
        loop {
            let (_, round) = self.reached[set];
            self.joined[set].push(round);
            let Some(left) = self.of_round[round].replace(set) else {
                return;
            };
            self.joined[left].retain(|other| *other != round);
            set = left;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{choose, rounds};
    use std::collections::BTreeSet;

    #[test]
    fn all_sets_are_in_as_few_rounds_as_can_be() {
        for (entrants, least, most) in [
            (3, 2, 3),
            (9, 5, 9),
            (14, 3, 6),
            (23, 2, 4),
            (39, 2, 3),
            (66, 2, 2),
            (64, 62, 64),
        ] {
            for size in least..=most {
                let sets = choose(entrants, size);
                let tables = entrants / size;
                let rounds = rounds(entrants, size);
                assert_eq!(rounds.len(), sets.div_ceil(tables), "{entrants} {size}");
                let mut seen = BTreeSet::new();
                for round in rounds {
                    let apart: BTreeSet<_> = round.iter().flatten().copied().collect();
                    assert_eq!(apart.len(), round.len() * size);
                    seen.extend(round);
                }
                assert_eq!(seen.len(), sets, "{entrants} {size}");
            }
        }
    }

    #[test]
    fn sets_are_counted() {
        assert_eq!(choose(52, 5), 2_598_960);
        assert_eq!((choose(4, 4), choose(4, 5), choose(9, 1)), (1, 0, 9));
        assert_eq!(choose(2_000, 64), usize::MAX);
    }
}
