//! What a side may do in a state at close quarters.

use super::habit::{Style, habit as by_habit};
use super::rehearsal::{FREE, Future, LOOK, Rehearsal, State};
use super::ships::Order;

/// Moves besides the plans of a side in the present state, and moves in any other, at most.
const MOVES_NOW: usize = 8;
const MOVES_MAX: usize = 10;
/// Goals of a planet that a single order may go to.
const GOALS: usize = 3;
/// Free planets that exactly enough goes to at once.
const FREE_GOALS: usize = 2;
/// Shares of near enemy ships that are kept as a garrison, in the habits that are tried.
const CAUTIONS: [f64; 3] = [0.5, 0.0, 1.0];

/// By turn from now: ships of hidden fleets of the other side that may land on a planet.
pub(super) type Hidden = [i32; LOOK + 1];

/// What a side may do: orders that leave at once.
type Moves = Vec<Vec<Order>>;

/// A side's view of a state.
#[derive(Clone, Copy)]
struct View<'a> {
    rehearsal: &'a Rehearsal,
    state: &'a State,
    futures: &'a [Future],
    side: u8,
}

/// What a side may do in the present state, besides its plans.
pub(super) fn now(
    rehearsal: &Rehearsal,
    (state, futures): (&State, &[Future]),
    side: u8,
    hidden: &[Hidden],
) -> Moves {
    let view = View {
        rehearsal,
        state,
        futures,
        side,
    };
    let moves = [view.usual(), view.whole(), view.exact(), view.single()];
    let mut moves = different(moves.into_iter().flatten(), MOVES_NOW);
    moves.extend(view.spared(hidden));
    different(moves.into_iter(), usize::MAX)
}

/// What it may do in a later state.
pub(super) fn later(rehearsal: &Rehearsal, state: &State, futures: &[Future], side: u8) -> Moves {
    let view = View {
        rehearsal,
        state,
        futures,
        side,
    };
    let moves = [view.usual(), view.whole(), view.single()];
    different(moves.into_iter().flatten(), MOVES_MAX)
}

/// The first few of these, each once.
fn different(all: impl Iterator<Item = Vec<Order>>, most: usize) -> Moves {
    let mut moves = Moves::new();
    for orders in all {
        if moves.len() < most && !moves.contains(&orders) {
            moves.push(orders);
        }
    }
    moves
}

impl View<'_> {
    fn own(&self) -> Vec<usize> {
        let own = self.state.places(self.side);
        own.filter(|from| self.state.ships[*from] > 0).collect()
    }

    fn order(&self, from: usize, to: usize, ships: i32) -> Order {
        self.rehearsal.order(self.side, from, to, ships)
    }

    /// Ships that take a planet when they land there; `None` if they are not needed.
    fn enough(&self, from: usize, to: usize) -> Option<i32> {
        let turns = self.rehearsal.chart.turns(from, to).min(LOOK);
        let then = self.futures[to][turns];
        (then.owner != self.side).then_some(then.ships + 1)
    }

    /// The habit, first because later moves are not tried before a state was reached a few times, and nothing.
    fn usual(&self) -> Moves {
        let habit = |caution: &f64| {
            let style = Style::plain(*caution);
            by_habit(self.rehearsal, self.state, self.futures, self.side, &style)
        };
        let mut moves: Moves = CAUTIONS.iter().map(habit).collect();
        moves.insert(1, Vec::new());
        moves
    }

    /// Everything to one planet: the weakest two of the enemy's, and the weakest of its own.
    fn whole(&self) -> Moves {
        let weakest = |side: u8| {
            let mut places: Vec<usize> = self.state.places(side).collect();
            places.sort_by_key(|to| self.state.ships[*to]);
            places
        };
        let all = |to: usize| {
            let others = self.own().into_iter().filter(move |from| *from != to);
            others
                .map(|from| self.order(from, to, self.state.ships[from]))
                .collect()
        };
        let foes = weakest(1 - self.side).into_iter().take(2);
        foes.chain(weakest(self.side).into_iter().take(1))
            .map(all)
            .collect()
    }

    /// All that can be spared if hidden fleets land wherever they may, to one planet: the weakest two of the enemy's.
    fn spared(&self, hidden: &[Hidden]) -> Moves {
        let spare: Vec<i32> = (0..hidden.len())
            .map(|from| self.spare(from, &hidden[from]))
            .collect();
        let mut foes: Vec<usize> = self.state.places(1 - self.side).collect();
        foes.sort_by_key(|to| self.state.ships[*to]);
        let to = |to: usize| {
            let from = self.own().into_iter().filter(|from| spare[*from] > 0);
            from.map(|from| self.order(from, to, spare[from])).collect()
        };
        foes.into_iter().take(2).map(to).collect()
    }

    /// Ships that may leave a planet without losing it to these fleets, if they all land there.
    fn spare(&self, from: usize, hidden: &Hidden) -> i32 {
        let (mut landed, mut spare) = (0, self.state.ships[from]);
        for (then, landing) in self.futures[from].iter().zip(hidden).skip(1) {
            landed += landing;
            if then.owner == self.side && *landing > 0 {
                spare = spare.min(then.low - landed);
            }
        }
        spare.max(0)
    }

    /// Exactly enough to one or two free planets near an own one, and the rest stays or goes to the weakest planet of the enemy's.
    fn exact(&self) -> Moves {
        let foe = self.state.places(1 - self.side);
        let foe = foe.min_by_key(|to| self.state.ships[*to]);
        let mut moves = Moves::new();
        for most in 1..=FREE_GOALS {
            let (mut orders, left) = self.claim(most);
            if orders.is_empty() {
                continue;
            }
            moves.push(orders.clone());
            if let Some(foe) = foe {
                let rest = self.own().into_iter().filter(|from| left[*from] > 0);
                orders.extend(rest.map(|from| self.order(from, foe, left[from])));
                moves.push(orders);
            }
        }
        moves
    }

    /// Exactly enough to n free planets, those near the own planet with the lowest place first, and the ships
    /// that are left by place.
    fn claim(&self, most: usize) -> (Vec<Order>, Vec<i32>) {
        let mut left = self.state.ships.clone();
        let mut orders: Vec<Order> = Vec::new();
        for from in self.own() {
            for to in self.rehearsal.near(from).iter().map(|to| usize::from(*to)) {
                let taken = orders.iter().any(|order| usize::from(order.to) == to);
                let rots = self.rehearsal.growth[to] < 0;
                if orders.len() >= most || taken || rots || self.state.owner[to] != FREE {
                    continue;
                }
                if let Some(ships) = self.enough(from, to).filter(|ships| *ships <= left[from]) {
                    left[from] -= ships;
                    orders.push(self.order(from, to, ships));
                }
            }
        }
        (orders, left)
    }

    /// Single orders of exactly enough or of everything from the strongest planets.
    fn single(&self) -> Moves {
        let mut strong = self.own();
        strong.sort_by_key(|from| std::cmp::Reverse(self.state.ships[*from]));
        let mut moves = Moves::new();
        for from in strong.into_iter().take(3) {
            let all = self.state.ships[from];
            for to in self.rehearsal.near(from).iter().take(GOALS) {
                let to = usize::from(*to);
                let exact = self.enough(from, to).filter(|ships| *ships < all);
                let both = exact.into_iter().chain([all]);
                moves.extend(both.map(|ships| vec![self.order(from, to, ships)]));
            }
        }
        moves
    }
}

#[cfg(test)]
mod tests {
    use super::super::rehearsal::tests::opened;
    use super::*;
    use crate::rules::Ruleset;

    /// Homes of 20 and 5 ships three turns apart, and two free planets near ours, of which the nearer one shrinks.
    fn check(look: impl Fn(&Rehearsal, (&State, &[Future]))) {
        let planets = "P 1 0 0 1 1 20\nP 2 3 0 1 2 5\nP 3 0 1 -1 0 2\nP 4 0 2 1 0 2\n";
        let (rehearsal, state) = opened(planets, Ruleset::TEAM, 0);
        look(&rehearsal, (&state, &rehearsal.futures(&state)));
    }

    #[test]
    fn what_can_be_spared_with_hidden_fleets_under_way_is_tried() {
        check(|rehearsal, present| {
            let mut hidden = [Hidden::default(); 4];
            (hidden[0][2], hidden[0][3]) = (12, 3);
            let moves = now(rehearsal, present, 0, &hidden);
            // Of 20 ships and 2 that grow, 15 may be needed.
            let spared = vec![rehearsal.order(0, 0, 1, 7)];
            assert!(moves.contains(&spared), "{moves:?}");
            let moves = now(rehearsal, present, 0, &[Hidden::default(); 4]);
            assert!(!moves.contains(&spared), "{moves:?}");
        });
    }

    #[test]
    fn free_planets_that_shrink_are_not_claimed() {
        check(|rehearsal, (state, futures)| {
            let view = View {
                rehearsal,
                state,
                futures,
                side: 0,
            };
            let (orders, left) = view.claim(FREE_GOALS);
            assert_eq!(orders, [rehearsal.order(0, 0, 3, 3)]);
            assert_eq!(left[0], 17);
        });
    }
}
