//! The fold knows from messages alone exactly what the rules let its seat know.

use super::play::{all_options, play};
use crate::game::Game as _;
use crate::koehandel::cards::PLAYERS;
use crate::koehandel::fold::Fold;
use crate::koehandel::message::Message;
use crate::koehandel::options::{LostRow, TradePayment};
use crate::koehandel::rules::{Act, Koehandel, Setup};
use crate::rng::Rng;

#[test]
fn fold_is_what_the_rules_show() {
    let (mut compared, mut certain) = (0u32, 0u32);
    for (number, options) in all_options().into_iter().enumerate() {
        for seed in 0..25 {
            let seed = seed * 1000 + number as u64;
            let mut rng = Rng::new(seed, 9);
            let mut heard = Vec::new();
            let mut game = Koehandel::open(&Setup::deal(seed, options), &mut heard);
            let folds = std::cell::RefCell::new(vec![Fold::new(); PLAYERS]);
            play(
                &mut game,
                &mut heard,
                &mut rng,
                |_, heard| {
                    for (seat, message) in heard.drain(..) {
                        if !matches!(message, Message::Settled(_)) {
                            folds.borrow_mut()[seat.index()].hear(&message);
                        }
                    }
                },
                |game, seat, ask, act| {
                    let fold = &mut folds.borrow_mut()[seat];
                    assert_eq!(fold.ask().as_ref(), Some(ask), "seed {seed}, {options:?}");
                    compared += 1;
                    if options.lost_row == LostRow::Loser {
                        assert!(fold.is_certain());
                    }
                    if fold.is_certain() {
                        certain += 1;
                        assert_eq!(
                            fold.view(),
                            game.seen_by(seat),
                            "seed {seed}, {options:?}, {ask:?}"
                        );
                    }
                    assert_eq!(fold.view().purse, game.purses()[seat]);
                    fold.said(&act.unwrap_or(Act::Auction));
                },
            );
            for fold in folds.borrow().iter() {
                let payment = fold.payment();
                assert!(
                    payment.is_none_or(|payment| payment == options.trade_payment),
                    "A1 learnt wrongly"
                );
                if options.trade_payment == TradePayment::Exchange && options.empty_offer {
                    assert_eq!(
                        payment,
                        Some(TradePayment::Exchange),
                        "A1 not learnt, seed {seed}"
                    );
                }
            }
        }
    }
    assert!(
        certain * 10 > compared * 7,
        "{certain} of {compared} certain"
    );
}
