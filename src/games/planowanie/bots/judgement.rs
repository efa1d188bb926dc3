//! The rules policy: how the players of rungs 3 to 6 declare and play by a few simple rules.

use super::position::{Layout, Mask, PLIES_MAX, Position};
use super::reason::Reason;
use crate::cards::CARDS_MAX;
use crate::rules::View;

/// The share of the summed win chances that is declared.
const CAUTION: f64 = 0.95;

/// Estimates what a hand may expect: for each card the probability that no hand holds a higher one, less the
/// risk of ruffs, plus ruffs by spare trumps. The probabilities are computed once per deal.
#[derive(Clone)]
pub struct Counting {
    cards: u8,
    others: i32,
    /// Probability that this many unseen cards are all outside the players' hands.
    absent: [f64; CARDS_MAX + 1],
    /// Probability that a hand has none of this many unseen cards.
    lacking: [f64; CARDS_MAX + 1],
}

impl Counting {
    /// The probabilities for the deal of a view.
    #[must_use]
    pub fn new<M: Mask>(layout: &Layout<M>, view: &View) -> Self {
        let dealt = view.round.cards();
        let cards = f64::from(dealt);
        let others = (view.round.players() as i32 - 1).max(0);
        let unseen = (f64::from(layout.all.count()) - cards).max(1.0);
        let held = (f64::from(others) * cards / unseen).min(1.0);
        let at_least = |count: usize| (count as f64 / unseen).min(1.0);
        Self {
            cards: dealt,
            others,
            absent: std::array::from_fn(|count| (1.0 - held).powi(count as i32)),
            lacking: std::array::from_fn(|count| (1.0 - at_least(count)).powi(i32::from(dealt))),
        }
    }

    fn absent(&self, count: u32) -> f64 {
        self.absent[(count as usize).min(CARDS_MAX)]
    }

    fn lacking(&self, count: u32) -> f64 {
        self.lacking[(count as usize).min(CARDS_MAX)]
    }

    /// The tricks that a hand may expect.
    #[must_use]
    pub fn tricks<M: Mask>(&self, layout: &Layout<M>, hand: M) -> f64 {
        let has_trump = 1.0 - self.lacking((layout.suit(0) & !hand).count());
        let mut sum = 0.0;
        let mut spare_trumps = 0.0;
        let mut rest = hand & layout.suit(0);
        while let Some(card) = rest.pop() {
            let wins = self.absent((layout.above(card) & !hand).count());
            sum += wins;
            spare_trumps += 1.0 - wins;
        }
        let mut ruffs = 0.0;
        for suit in 1..layout.suit_count {
            let own = hand & layout.suit(suit);
            let strange = (layout.suit(suit) & !hand).count();
            let void = self.lacking(strange);
            let mut rest = own;
            let mut round = f64::from(own.count());
            while let Some(card) = rest.pop() {
                round -= 1.0;
                // A suit that has been led before is ruffed more often.
                let strange = f64::from(strange);
                let gone_round = (f64::from(self.others) * round).min(strange);
                let thin = (void + gone_round / strange.max(1.0) * 0.6).min(1.0);
                let safe = (1.0 - thin * has_trump).powi((self.others - 1).max(1));
                sum += self.absent((layout.above(card) & !hand).count()) * safe;
            }
            let short = (2.0 - f64::from(own.count())).max(0.0) * 0.5;
            ruffs += short * (1.0 - void).powi(self.others);
        }
        sum + ruffs.min(spare_trumps) * 0.6
    }

    /// The rules policy's declaration.
    #[must_use]
    pub fn declaration<M: Mask>(&self, layout: &Layout<M>, hand: M) -> u8 {
        self.declared(self.tricks(layout, hand))
    }

    /// What is declared where `tricks` may be expected.
    #[must_use]
    pub fn declared(&self, tricks: f64) -> u8 {
        let tricks = (CAUTION * tricks).round();
        (tricks.max(0.0) as u8).min(self.cards)
    }
}

/// The rules policy's card; `None` only if there is none.
#[inline]
#[must_use]
pub fn card<M: Mask>(layout: &Layout<M>, position: &Position<M>) -> Option<u8> {
    reasoned(layout, position).map(|(card, _)| card)
}

/// The same with the rule that decided.
#[inline]
#[must_use]
pub fn reasoned<M: Mask>(layout: &Layout<M>, position: &Position<M>) -> Option<(u8, Reason)> {
    let playable = position.playable(layout);
    if playable.count() <= 1 {
        return (!playable.is_none()).then(|| (playable.lowest(), Reason::Only));
    }
    let need = position.wanted();
    let greedy = need < 0 || need >= position.left as i8;
    let chosen = if position.laid == 0 {
        lead(layout, position, playable, need, greedy)
    } else {
        follow(layout, position, playable, need, greedy)
    };
    Some(chosen)
}

/// Cards that another player may still hold.
#[inline]
fn unseen<M: Mask>(layout: &Layout<M>, position: &Position<M>) -> M {
    layout.all & !position.hand() & !position.gone
}

fn lead<M: Mask>(
    layout: &Layout<M>,
    position: &Position<M>,
    playable: M,
    need: i8,
    greedy: bool,
) -> (u8, Reason) {
    let unseen = unseen(layout, position);
    if need == 0 {
        return (safest(layout, unseen, playable), Reason::LeadsLow);
    }
    let mut boss = None;
    let mut rest = playable;
    while let Some(card) = rest.pop() {
        if (layout.above(card) & unseen).is_none() {
            // Side suits first, while no player has run out of them.
            let first = boss.is_none() || layout.suit_of(card) != 0;
            if first {
                boss = Some(card);
            }
        }
    }
    if let Some(card) = boss {
        return (card, Reason::LeadsSure);
    }
    if greedy {
        (strongest(layout, unseen, playable), Reason::LeadsHigh)
    } else {
        (safest(layout, unseen, playable), Reason::LeadsSafe)
    }
}

fn follow<M: Mask>(
    layout: &Layout<M>,
    position: &Position<M>,
    playable: M,
    need: i8,
    greedy: bool,
) -> (u8, Reason) {
    let winning = playable & layout.beating(position.best);
    let losing = playable & !winning;
    let unseen = unseen(layout, position);
    let last = position.laid + 1 == position.players;
    if need == 0 {
        return if losing.is_none() {
            if last {
                (strongest(layout, unseen, winning), Reason::MustTake)
            } else {
                (safest(layout, unseen, winning), Reason::HopesToLose)
            }
        } else {
            (strongest(layout, unseen, losing), Reason::Sheds)
        };
    }
    if winning.is_none() {
        return (safest(layout, unseen, losing), Reason::CannotWin);
    }
    if last {
        return (cheapest(layout, winning), Reason::WinsCheaply);
    }
    let mut boss = M::NONE;
    let mut rest = winning;
    while let Some(card) = rest.pop() {
        if (layout.above(card) & unseen).is_none() {
            boss = boss | M::card(card);
        }
    }
    if !boss.is_none() {
        return (cheapest(layout, boss), Reason::WinsSurely);
    }
    if greedy || losing.is_none() {
        (strongest(layout, unseen, winning), Reason::WinsNow)
    } else {
        (safest(layout, unseen, losing), Reason::Waits)
    }
}

/// The lowest card, of a side suit if there is one.
#[inline]
fn cheapest<M: Mask>(layout: &Layout<M>, cards: M) -> u8 {
    let side = cards & !layout.suit(0);
    let of = if side.is_none() { cards } else { side };
    of.lowest()
}

/// How likely a card is to take a trick eventually, as a rank: trumps above all, then by how few unseen cards
/// are higher.
#[inline]
fn danger<M: Mask>(layout: &Layout<M>, unseen: M, card: u8) -> i32 {
    let higher = (layout.above(card) & unseen).count() as i32;
    let lower = (layout.below(card) & unseen).count() as i32;
    let trump = if layout.suit_of(card) == 0 { 40 } else { 0 };
    trump + lower - 2 * higher
}

#[inline]
fn strongest<M: Mask>(layout: &Layout<M>, unseen: M, cards: M) -> u8 {
    let mut rest = cards;
    let mut best = (i32::MIN, cards.lowest());
    while let Some(card) = rest.pop() {
        best = best.max((danger(layout, unseen, card), card));
    }
    best.1
}

#[inline]
fn safest<M: Mask>(layout: &Layout<M>, unseen: M, cards: M) -> u8 {
    let mut rest = cards;
    let mut best = (i32::MAX, cards.lowest());
    while let Some(card) = rest.pop() {
        best = best.min((danger(layout, unseen, card), card));
    }
    best.1
}

/// Plays a deal out by the rules policy.
#[inline]
pub fn play_out<M: Mask>(layout: &Layout<M>, position: &mut Position<M>) {
    for _ in 0..PLIES_MAX {
        let Some(card) = card(layout, position).filter(|_| !position.is_over()) else {
            return;
        };
        position.play(layout, card);
    }
}
