//! How well the belief knows where the cards are.

use super::super::belief::Belief;
use super::super::knobs::{CHAMPION, Knobs};
use super::super::table::{SHIPPED, Table};
use crate::bots::position::{Layout, Mask, narrow};
use crate::bots::worlds::ASIDE;
use crate::cards::CardSet;
use crate::rules::{Ask, Game, Planowanie, Setup, View};
use drover_game::arena::play_by;
use drover_game::game::Budget;
use drover_game::ladder::seated;
use drover_game::rng::Rng;
use drover_game::stats::Moments;

/// Worlds that are counted.
const WORLDS: u32 = 300;
/// Worlds of the walk that are skipped before each.
const SKIPPED: u32 = 9;

/// The mean log loss of the places of the cards that others hold or that were not dealt, in nats a card; 0 if
/// there are none. `hands` are those of all seats, before the card that the view's player is to play.
fn surprise(view: &View, hands: &[CardSet], knobs: &Knobs, table: &Table, rng: Rng) -> f64 {
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
    let mut unseen = layout.all & !M::from_set(view.round.gone()) & !M::from_set(view.hand);
    let mut cards = Vec::new();
    while let Some(card) = unseen.pop() {
        let holds = |hand: &CardSet| !(M::from_set(*hand) & M::card(card)).is_none();
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
            let surprise_of =
                |hands: [CardSet; 4]| surprise(view, &hands, &CHAMPION, &SHIPPED, Rng::new(1, 2));
            seen.push((
                surprise_of([own, one, two, three]),
                surprise_of([own, three, one, two]),
            ));
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
