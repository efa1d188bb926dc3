//! The champion in whole matches, in slices, and given nonsense.

use super::{Champion, Memory};
use crate::bots::{listens, make};
use crate::cards::{Compass, PLAYERS, Purse};
use crate::fold::Fold;
use crate::message::Message;
use crate::models::Models;
use crate::options::{Options, TradePayment};
use crate::rules::{Koehandel, Setup};
use crate::tests::play::message;
use drover_game::game::{Bot, Budget, Game, Progress, Seat};
use drover_game::rng::Rng;

fn options(trade_payment: TradePayment) -> Options {
    Options {
        trade_payment,
        ..Options::default()
    }
}

#[test]
fn slices_and_one_piece_decide_alike() {
    let setup = Setup::deal(3, options(TradePayment::Winner));
    let run = |playouts_a_slice: u32| {
        let mut bot = Champion::new(Rng::new(5, 5), &Models::none());
        let mut others = Rng::new(8, 8);
        let mut messages: Vec<(Seat, Message)> = Vec::new();
        let mut game = Koehandel::open(&setup, &mut messages);
        let mut acts = Vec::new();
        while let Some((seat, ask)) = game.asked() {
            for (seat, message) in messages.drain(..) {
                if seat == Seat(0) {
                    bot.observe(&message);
                }
            }
            let act = if seat == 0 {
                let act = loop {
                    let left = std::cell::Cell::new(playouts_a_slice);
                    let slice = Budget {
                        nodes: 40,
                        stop: &|| left.replace(left.get().saturating_sub(1)) == 0,
                    };
                    let (act, progress) = bot.ponder(game.seen_by(0), &ask, slice);
                    if progress == Progress::Done {
                        break act;
                    }
                };
                acts.push(act);
                Some(act)
            } else {
                let mut legal = Vec::new();
                game.acts(Seat(seat as u8), &mut legal);
                legal
                    .get(others.below(legal.len() as u32) as usize)
                    .copied()
            };
            game.play(act, &mut messages);
        }
        acts
    };
    assert_eq!(run(3), run(1_000));
    assert!(run(1_000).len() > 20);
}

/// All deals considered possible hold the money that exists, in hands of the known sizes; hands that are proved are
/// the true ones, and after the first hidden payment a part of the deals still is.
#[test]
fn deals_agree_with_all_that_is_known() {
    for trade_payment in [TradePayment::Winner, TradePayment::Exchange] {
        for seed in 0..12 {
            let names = ["tuned", "guide", "random", "evolved"];
            let mut bots: Vec<_> = (0..PLAYERS)
                .map(|seat| make(names[seat], seed + seat as u64, &Models::none()).unwrap())
                .collect();
            let mut memory = Memory::new(seed);
            let mut messages: Vec<(Seat, Message)> = Vec::new();
            let setup = Setup::deal(seed, options(trade_payment));
            let mut game = Koehandel::open(&setup, &mut messages);
            let (mut right, mut drawn) = (0, 0);
            while let Some((seat, ask)) = game.asked() {
                for (seat, message) in messages.drain(..) {
                    if listens(names[seat.index()]) {
                        bots[seat.index()].observe(&message);
                    }
                    if seat == Seat(0) {
                        memory.receive(&message);
                    }
                }
                if seat == 0 {
                    let view = *game.seen_by(0);
                    memory.agree(&view);
                    let mut coin = super::playout::Coin::at(seed, 1, 0);
                    for _ in 0..5 {
                        let deal = memory.belief.draw(&mut coin);
                        let sum = deal
                            .iter()
                            .fold(Purse::EMPTY, |sum, purse| sum.plus(*purse));
                        let all = game
                            .purses()
                            .iter()
                            .fold(Purse::EMPTY, |sum, purse| sum.plus(*purse));
                        assert_eq!(sum, all);
                        for place in Compass::ALL.map(Compass::index) {
                            assert_eq!(deal[place].cards(), view.cards[place]);
                        }
                        for place in Compass::ALL {
                            let hand = deal[place.index()];
                            let proved = memory.belief.is_sure(place);
                            assert!(!proved || hand == game.purses()[place.index()]);
                        }
                        if !Compass::ALL
                            .iter()
                            .all(|place| memory.belief.is_sure(*place))
                        {
                            drawn += 1;
                            right += u32::from(deal == *game.purses());
                        }
                    }
                }
                let act = bots[seat].decide(game.seen_by(seat), &ask, Budget::nodes(1));
                game.play(Some(act), &mut messages);
            }
            assert!(
                right > 50 && right * 8 > drawn,
                "the true deal was drawn only {right} times of {drawn}"
            );
        }
    }
}

#[test]
fn nonsense_from_a_foreign_referee_does_no_harm() {
    let mut rng = Rng::new(11, 0);
    for round in 0..60 {
        let mut fold = Fold::new();
        let mut bot = Champion::new(Rng::new(round, 1), &Models::none());
        for _ in 0..120 {
            let message = message(&mut rng, true);
            if let Some(paid) = fold.receive(&message) {
                bot.observe(&Message::Settled(paid));
            }
            bot.observe(&message);
            if let Some(ask) = fold.ask() {
                let _ = bot.decide(fold.view(), &ask, Budget::nodes(12));
            }
        }
    }
}
