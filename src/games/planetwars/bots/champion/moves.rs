//! What a side may do in a state at close quarters.

use super::board::Order;
use super::habit::Style;
use super::rehearsal::{FREE, Future, LOOK, Rehearsal, State};

/// Moves beside the plans of a side in the present state, and moves in any other, at most.
const MOVES_NOW: usize = 8;
const MOVES_MAX: usize = 10;
/// Goals of a planet that a single order may go to.
const GOALS: usize = 3;
/// Free planets that exactly enough goes to at once.
const FREE_GOALS: usize = 2;
/// Shares of near enemy ships that are kept as a garrison, in the habits that are tried.
const CAUTIONS: [f64; 3] = [0.5, 0.0, 1.0];

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

/// What a side may do in the present state, beside its plans.
pub(super) fn now(rehearsal: &Rehearsal, (state, futures): (&State, &[Future]), side: u8) -> Moves {
    let view = View {
        rehearsal,
        state,
        futures,
        side,
    };
    let moves = [view.usual(), view.whole(), view.exact(), view.single()];
    different(moves.into_iter().flatten(), MOVES_NOW)
}

/// What it may do in a later state.
pub(super) fn later(
    rehearsal: &Rehearsal,
    (state, futures): (&State, &[Future]),
    side: u8,
) -> Moves {
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
            self.rehearsal
                .habit((self.state, self.futures), self.side, &style)
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

    /// Exactly enough to so many free planets, those near the own planet with the lowest place first, and the ships
    /// that are left by place.
    fn claim(&self, most: usize) -> (Vec<Order>, Vec<i32>) {
        let mut left = self.state.ships.clone();
        let mut orders: Vec<Order> = Vec::new();
        for from in self.own() {
            for to in self.rehearsal.near(from).iter().map(|to| usize::from(*to)) {
                let taken = orders.iter().any(|order| usize::from(order.to) == to);
                if orders.len() >= most || taken || self.state.owner[to] != FREE {
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
