//! For measuring: how well the belief knows where the cards are, and how others declare.

use super::belief::Belief;
use super::bids::{self, Occasion};
use super::knobs::Knobs;
use super::table::Table;
use crate::bots::position::{Layout, Mask, Position, narrow};
use crate::bots::worlds::{ASIDE, Unknown};
use crate::cards::CardSet;
use crate::rules::View;
use drover_game::rng::Rng;

/// Worlds that are counted.
const WORLDS: u32 = 300;
/// Worlds of the walk that are skipped before each.
const SKIPPED: u32 = 9;

/// The mean log loss of the places of the cards that others hold or that were not dealt, in nats a card; 0 if
/// there are none. `hands` are those of all seats, before the card that the view's player is to play.
#[must_use]
pub fn surprise(view: &View, hands: &[CardSet], knobs: &Knobs, table: &Table, rng: Rng) -> f64 {
    if narrow(view.game.deck()) {
        measure::<u64>(view, hands, knobs, table, rng)
    } else {
        measure::<u128>(view, hands, knobs, table, rng)
    }
}

fn measure<M: Mask>(
    view: &View,
    hands: &[CardSet],
    knobs: &Knobs,
    table: &Table,
    mut rng: Rng,
) -> f64 {
    let layout = Layout::<M>::new(view.game.deck());
    let mut belief = Belief::new(&layout, table, view, knobs, &mut rng);
    let mut unseen = layout.all & !M::of(view.round.gone()) & !M::of(view.hand);
    let mut cards = Vec::new();
    while let Some(card) = unseen.pop() {
        let holds = |hand: &CardSet| !(M::of(*hand) & M::card(card)).is_none();
        let place = hands.iter().position(holds).unwrap_or(ASIDE);
        cards.push((M::card(card), place, 0));
    }
    for _ in 0..WORLDS {
        for _ in 0..SKIPPED {
            belief.next(&layout, table, &mut rng);
        }
        let world = belief.next(&layout, table, &mut rng);
        for (card, place, right) in &mut cards {
            *right += u32::from(!(world[*place] & *card).is_none());
        }
    }
    // Half a world more for each of four places, so that none is impossible.
    let chance = |right: u32| (f64::from(right) + 0.5) / (f64::from(WORLDS) + 2.0);
    let sum: f64 = cards.iter().map(|(_, _, right)| -chance(*right).ln()).sum();
    sum / cards.len().max(1) as f64
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
    use crate::rules::{Ask, Game, Planowanie, Setup};
    use drover_game::arena::play_by;
    use drover_game::game::Budget;
    use drover_game::ladder::seated;
    use drover_game::stats::Moments;

    /// By what the first player's belief is surprised after the first trick of big deals: the true hands, and those with the
    /// others' hands passed on by a seat.
    fn surprises() -> Vec<(f64, f64)> {
        let mut bots = seated::<Planowanie>(&["rules"; 4], 5).unwrap();
        let (mut dealt, mut seen) = ([CardSet::default(); 4], Vec::new());
        let setup = Setup::seeded(Game::contest(), 5);
        play_by(&setup, &mut bots, |seat, bot, view, ask| {
            if *ask == Ask::Declare {
                dealt[seat.index()] = view.hand;
            } else if seat.0 == 0
                && view.round.cards() > 8
                && (4..8).contains(&view.round.played().len())
            {
                let gone = view.round.gone();
                let [own, one, two, three] = dealt.map(|hand| CardSet(hand.0 & !gone.0));
                let told = |hands: [CardSet; 4]| {
                    surprise(view, &hands, &CHAMPION, &SHIPPED, Rng::new(1, 2))
                };
                seen.push((told([own, one, two, three]), told([own, three, one, two])));
            }
            bot.decide(view, ask, Budget::nodes(0))
        });
        seen
    }

    #[test]
    fn the_true_hands_surprise_less_than_others_and_less_than_all_places_alike() {
        let (mut truth, mut passed_on) = (Moments::default(), Moments::default());
        for (right, wrong) in surprises() {
            truth.add(right);
            passed_on.add(wrong);
        }
        assert_eq!(truth.count, 5.0);
        assert!(truth.mean() > 0.0);
        assert!(truth.mean() < 4f64.ln());
        assert!(truth.mean() < passed_on.mean(), "{truth:?} {passed_on:?}");
    }
}
