//! What is read from messages that are set.

use super::Memory;
use crate::koehandel::bots::styles::kind_named;
use crate::koehandel::cards::{Animal, Compass, Note, Purse};
use crate::koehandel::message::{Goods, Message};

fn animal(letter: char) -> Animal {
    Animal::from_letter(letter).unwrap()
}

/// After W, with 90 points, lost a trade under exchange in which it bid three tens against two F.
fn after_a_trade_won(payments: impl FnOnce(Message, Message) -> [Message; 2]) -> Memory {
    let mut memory = Memory::new(3);
    let offer = Purse([0, 0, 0, 0, 0, 2]);
    memory.belief.shown(Compass::S, offer);
    let goods = Goods {
        animal: animal('J'),
        count: 1,
        rival: Compass::W,
    };
    for owner in [Compass::S, Compass::W] {
        memory.herds[owner.index()][goods.animal.index()] = 1;
    }
    memory.hear(&Message::Start);
    memory.hear(&Message::Won(goods));
    let paid = Message::Pay {
        receiver: Compass::W,
        paid: offer,
    };
    let got = Message::Money {
        payer: Compass::W,
        paid: Purse([0, 3, 0, 0, 0, 0]),
    };
    for message in payments(paid, got) {
        memory.hear(&message);
    }
    memory
}

/// The winner of a trade hears what it pays before it hears what the loser had bid.
#[test]
fn a_bid_is_read_by_what_its_bidder_had_before_the_payments() {
    let winner = after_a_trade_won(|paid, got| [paid, got]);
    let loser = after_a_trade_won(|paid, got| [got, paid]);
    assert_eq!(winner.readings[0].weights(), loser.readings[0].weights());
    // The face player bids a third of its cash.
    let (best, _) = winner.readings[0].best();
    assert_eq!(Some(best), kind_named("face"));
    let mut coin = super::Coin::at(0, 0, 0);
    let deal = winner.belief.draw(&mut coin);
    let [own, rival] = [Compass::S, Compass::W].map(|place| deal[place.index()].value());
    assert_eq!((own, rival), (30, 1_060));
    assert_eq!(deal[1].of(Note::FiveHundred), 2);
}
