//! How likely a declaration is by how far it is from the model's mean for a hand. A rival declares either as the
//! champion does, or as players do who count their tricks by rules: in big deals wider, and lower.

use super::bids::{self, Occasion, SIZES};
use super::knobs::Knobs;
use super::table::Table;
use crate::planowanie::bots::position::{Layout, Mask, Position, narrow};
use crate::planowanie::bots::worlds::Unknown;
use crate::planowanie::rules::View;

/// How `mcbid-200`, and with it `pimc-50` and `ismcts-1000`, declares compared with the model, by size of deal: the
/// mean, and the spread around it, in tricks: from 7 cards on near what was measured (README.md), below
/// that assumed.
const COUNTING: [(f32, f32); SIZES] = [
    (0.0, 0.5),
    (0.0, 0.5),
    (0.0, 0.5),
    (0.0, 0.5),
    (0.0, 0.5),
    (0.0, 0.5),
    (-0.02, 0.5),
    (-0.04, 0.5),
    (-0.05, 0.52),
    (-0.07, 0.6),
    (-0.17, 0.78),
    (-0.36, 1.0),
    (-0.53, 1.23),
];

/// A kind of players: normally distributed declarations.
#[derive(Clone, Copy)]
struct Kind {
    /// The logarithm of how likely a rival is of this kind, less that of the spread.
    weight: f32,
    mean: f32,
    /// -½ over the square of the spread.
    narrowness: f32,
}

impl Kind {
    fn new(share: f32, mean: f32, spread: f32) -> Self {
        Self {
            weight: (share / spread).ln(),
            mean,
            narrowness: -0.5 / (spread * spread),
        }
    }

    #[inline]
    fn log_likelihood(&self, excess: f32) -> f32 {
        let excess = excess - self.mean;
        self.weight + self.narrowness * excess * excess
    }
}

/// How likely declarations are in one deal.
#[derive(Clone, Copy)]
pub(super) struct Likelihood {
    own: Kind,
    counting: Kind,
}

impl Likelihood {
    pub(super) fn new(table: &Table, occasion: Occasion, knobs: &Knobs) -> Self {
        let (mean, spread) = COUNTING[occasion.size()];
        let counts = knobs.counting.clamp(0.0, 1.0);
        let own = table.bids.spread(occasion).max(knobs.spread_least);
        Self {
            own: Kind::new(1.0 - counts, 0.0, own),
            counting: Kind::new(counts, mean, spread),
        }
    }

    /// The logarithm, but for a constant, of how likely a declaration is that exceeds the mean by this many tricks.
    #[inline]
    pub(super) fn log(&self, excess: f32) -> f32 {
        let own = self.own.log_likelihood(excess);
        let counting = self.counting.log_likelihood(excess);
        let (less, more) = if own < counting {
            (own, counting)
        } else {
            (counting, own)
        };
        more + (less - more).exp().ln_1p()
    }
}

/// The class of the deal that is declared in, and by how many tricks a declaration exceeds the model's mean for the
/// hand: for measuring.
#[must_use]
pub fn excess(view: &View, tricks: u8, table: &Table) -> (usize, f32) {
    fn measure<M: Mask>(view: &View, tricks: u8, table: &Table) -> (usize, f32) {
        let layout = Layout::<M>::new(view.game.deck());
        let start = Position::seen(&layout, view);
        let own = Unknown::new(&layout, view);
        let occasion = Occasion::new(&layout, start.players, start.cards);
        let turn = bids::turn(
            own.seat,
            usize::from(start.turn),
            usize::from(start.players),
        );
        let mean = table.bids.mean(&layout, occasion, turn, own.hand);
        (occasion.size(), f32::from(tricks) - mean)
    }
    if narrow(view.game.deck()) {
        measure::<u64>(view, tricks, table)
    } else {
        measure::<u128>(view, tricks, table)
    }
}

#[cfg(test)]
mod tests {
    use super::super::knobs::CHAMPION;
    use super::super::table::SHIPPED;
    use super::*;
    use crate::planowanie::cards::Deck;

    fn likelihood(cards: u8, counting: f32) -> Likelihood {
        let layout = Layout::<u64>::new(&Deck::contest());
        let occasion = Occasion::new(&layout, 4, cards);
        let knobs = Knobs {
            counting,
            ..CHAMPION
        };
        Likelihood::new(&SHIPPED, occasion, &knobs)
    }

    #[test]
    fn without_players_who_count_it_is_one_normal_distribution() {
        let likelihood = likelihood(13, 0.0);
        let spread =
            SHIPPED
                .bids
                .spread(Occasion::new(&Layout::<u64>::new(&Deck::contest()), 4, 13));
        let spread = spread.max(CHAMPION.spread_least);
        for excess in [-3.0f32, -0.4, 0.0, 1.1] {
            let gain = likelihood.log(excess) - likelihood.log(0.0);
            let expected = -0.5 * (excess / spread).powi(2);
            assert!((gain - expected).abs() < 1e-4, "{gain} {expected}");
        }
    }

    #[test]
    fn low_declarations_are_likelier_than_high_ones_in_big_deals() {
        let (big, small) = (likelihood(13, 0.5), likelihood(4, 0.5));
        assert!(big.log(-2.0) > big.log(2.0) + 1.0);
        assert!((small.log(-2.0) - small.log(2.0)).abs() < 1e-4);
        assert!(big.log(-2.0) - big.log(0.0) > small.log(-2.0) - small.log(0.0));
    }

    #[test]
    fn the_most_absurd_declaration_still_compares() {
        for cards in 1..=13 {
            let likelihood = likelihood(cards, 0.5);
            assert!(likelihood.log(60.0).is_finite());
            assert!(likelihood.log(60.0) < likelihood.log(59.0));
        }
    }
}
