//! The fold knows from messages alone exactly what the rules let its seat know.

use super::play::{Happened, all_options, play};
use crate::cards::PLAYERS;
use crate::fold::Fold;
use crate::message::Message;
use crate::options::{LostRow, TradePayment};
use crate::rules::Act;

#[test]
fn fold_is_what_the_rules_show() {
    let (mut compared, mut certain) = (0u32, 0u32);
    for (number, options) in all_options().into_iter().enumerate() {
        for seed in 0..25 {
            let seed = seed * 1000 + number as u64;
            let mut folds = vec![Fold::new(); PLAYERS];
            play(seed, 9, options, |happened| match happened {
                Happened::Sent(_, Message::Settled(_)) => {}
                Happened::Sent(seat, message) => {
                    folds[seat.index()].receive(&message);
                }
                Happened::Said(game, seat, ask, act) => {
                    let fold = &mut folds[seat];
                    assert_eq!(fold.ask().as_ref(), Some(ask), "seed {seed}, {options:?}");
                    compared += 1;
                    if options.lost_row == LostRow::Loser {
                        assert!(fold.is_certain());
                    }
                    if fold.is_certain() {
                        certain += 1;
                        let case = format!("seed {seed}, {options:?}, {ask:?}");
                        assert_eq!(fold.view(), game.seen_by(seat), "{case}");
                    }
                    assert_eq!(fold.view().purse, game.purses()[seat]);
                    fold.said(&act.unwrap_or(Act::Auction));
                }
            });
            for fold in &folds {
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
