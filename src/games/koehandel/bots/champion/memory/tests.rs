//! What is read from messages that are set.

use super::super::sale::Noted;
use super::Memory;
use crate::koehandel::bots::styles::kind_named;
use crate::koehandel::cards::{Animal, Compass, Note, Purse};
use crate::koehandel::message::{Bought, Goods, History, Message, Sale};

fn animal(letter: char) -> Animal {
    Animal::from_letter(letter).unwrap()
}

/// The reader is asked for a bid for a card of a player at this place; the others' bids before.
fn bid(card: char, auctioneer: Compass, history: &[(Compass, u16)]) -> Message {
    let highest = history.iter().max_by_key(|(_, bid)| *bid);
    let (leader, price) = highest.copied().unwrap_or((auctioneer, 0));
    let sale = Sale {
        card: animal(card),
        auctioneer,
        leader,
        price,
    };
    Message::Bid(sale, History::from(history))
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

/// A card whose buyer bluffed is sold anew: that is the same turn of the same auctioneer.
#[test]
fn a_turn_is_read_once_however_often_its_card_is_sold() {
    let mut memory = Memory::new(3);
    memory.take_notes();
    for owner in [Compass::S, Compass::W] {
        memory.herds[owner.index()][animal('J').index()] = 1;
    }
    let mut turns = |messages: &[Message]| {
        messages.iter().for_each(|message| memory.hear(message));
        let notes = memory.notes();
        let turns = notes.iter().filter_map(|note| match note {
            Noted::Turn { rival, traded } => Some((*rival, *traded)),
            _ => None,
        });
        (turns.collect::<Vec<_>>(), memory.readings[0].acts)
    };
    let asked = bid('A', Compass::W, &[(Compass::N, 1_000), (Compass::E, 0)]);
    let once = turns(std::slice::from_ref(&asked));
    assert_eq!(once, (vec![(Compass::W, false)], 1));
    let bluffed = |by| Message::Bluffed {
        by,
        hand: Purse::START,
    };
    let again = [
        bluffed(Compass::N),
        asked.clone(),
        bluffed(Compass::E),
        asked,
    ];
    assert_eq!(turns(&again), (vec![], 1));
    // The next card is the next turn's.
    let bought = Bought {
        card: animal('A'),
        buyer: Compass::N,
        cards: 1,
        price: 10,
    };
    let paid = Message::WasPaid {
        payee: Compass::W,
        cards: 1,
        price: 10,
    };
    let next = [
        Message::Bought(bought),
        paid,
        bid('B', Compass::W, &[(Compass::N, 0), (Compass::E, 0)]),
    ];
    assert_eq!(turns(&next).0, [(Compass::W, false)]);
}
