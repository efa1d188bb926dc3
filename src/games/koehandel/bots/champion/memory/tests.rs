//! What is read from messages that are set.

use super::super::sale::Noted;
use super::Memory;
use crate::bots::styles::kind_named;
use crate::cards::{Animal, Compass, Note, Purse};
use crate::message::{Bought, Goods, History, Message, Sale};

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
    memory.receive(&Message::Start);
    memory.receive(&Message::Won(goods));
    let paid = Message::Pay {
        receiver: Compass::W,
        paid: offer,
    };
    let got = Message::Money {
        payer: Compass::W,
        paid: Purse([0, 3, 0, 0, 0, 0]),
    };
    for message in payments(paid, got) {
        memory.receive(&message);
    }
    memory
}

/// The winner of a trade learns what it pays before it learns what the loser had bid.
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
    assert_eq!(deal[1].count(Note::FiveHundred), 2);
}

/// A card whose buyer bluffed is sold again: that is the same turn of the same auctioneer.
#[test]
fn a_turn_is_read_once_however_often_its_card_is_sold() {
    let mut memory = Memory::new(3);
    memory.take_notes();
    for owner in [Compass::S, Compass::W] {
        memory.herds[owner.index()][animal('J').index()] = 1;
    }
    let mut turns = |messages: &[Message]| {
        messages.iter().for_each(|message| memory.receive(message));
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

/// Who was noted to be asked in an auction, its highest bid and the price that it would not exceed.
fn auctions(memory: &mut Memory, messages: &[Message]) -> Vec<(Compass, u16, Option<u16>)> {
    messages.iter().for_each(|message| memory.receive(message));
    let notes = memory.notes().into_iter();
    let auctions = notes.filter_map(|note| match note {
        Noted::Auction { rival, part, .. } => Some((rival, part.bid, part.passed)),
        _ => None,
    });
    auctions.collect()
}

#[test]
fn a_card_that_nobody_wants_was_passed_by_everybody() {
    let passed = |rival| (rival, 0, Some(0));
    let free = |auctioneer| Message::Free {
        card: animal('J'),
        auctioneer,
    };
    let mut memory = Memory::new(3);
    memory.take_notes();
    let received = [bid('J', Compass::W, &[(Compass::N, 0), (Compass::E, 0)])];
    let others = [Compass::N, Compass::E].map(passed).to_vec();
    assert_eq!(auctions(&mut memory, &received), []);
    assert_eq!(auctions(&mut memory, &[free(Compass::W)]), others);
    // The reader is asked first.
    let first = [bid('J', Compass::E, &[]), free(Compass::E)];
    let others = [Compass::W, Compass::N].map(passed).to_vec();
    assert_eq!(auctions(&mut memory, &first), others);
    // Its own card.
    let own = [Message::Start, Message::Card(animal('J'))];
    let others = Compass::RIVALS.map(passed).to_vec();
    assert_eq!(auctions(&mut memory, &own), others);
    let acts = [0, 1, 2].map(|at| memory.readings[at].acts);
    assert_eq!(acts, [2, 3, 2]);
    // A filler never bids, and the dearest animal is refused by few others.
    let filler = kind_named("filler").unwrap();
    let refused = Memory::new(3).readings[1].weights()[filler];
    assert!(memory.readings[1].weights()[filler] > 2.0 * refused);
}

/// A player that was exposed on a card may be left out when it is sold again.
#[test]
fn who_may_be_left_out_is_not_said_to_have_passed() {
    let mut memory = Memory::new(3);
    memory.take_notes();
    let bluffed = Message::Bluffed {
        by: Compass::N,
        hand: Purse::START,
    };
    let first = [bid('J', Compass::E, &[(Compass::N, 1_000)]), bluffed];
    assert_eq!(auctions(&mut memory, &first), [(Compass::N, 1_000, None)]);
    let again = bid('J', Compass::E, &[(Compass::W, 0)]);
    let free = Message::Free {
        card: animal('J'),
        auctioneer: Compass::E,
    };
    let passed = [(Compass::W, 0, Some(0))];
    assert_eq!(auctions(&mut memory, &[again, free]), passed);
}

/// What is noted of how W paid a price to N, and whether its hand is proved after that.
fn paid(memory: &mut Memory, cards: u8, price: u16) -> (Vec<bool>, bool) {
    memory.receive(&bid('A', Compass::N, &[]));
    memory.receive(&Message::Bought(Bought {
        card: animal('A'),
        buyer: Compass::W,
        cards,
        price,
    }));
    memory.receive(&Message::WasPaid {
        payee: Compass::N,
        cards,
        price,
    });
    let notes = memory.notes().into_iter();
    let exact = notes.filter_map(|note| match note {
        Noted::Paid { exact, .. } => Some(exact),
        _ => None,
    });
    (exact.collect(), memory.belief.is_sure(Compass::W))
}

/// With four cards that pay 40, W may have kept a ten or its fifty.
#[test]
fn a_hand_is_proved_only_while_no_other_cards_would_do() {
    let mut memory = Memory::new(3);
    memory.take_notes();
    assert_eq!(paid(&mut memory, 4, 40), (vec![true], false));
    assert_eq!(paid(&mut memory, 1, 50), (vec![], false));
    assert!(memory.belief.is_sure(Compass::E) && !memory.belief.is_sure(Compass::N));
    let mut memory = Memory::new(3);
    memory.take_notes();
    assert_eq!(paid(&mut memory, 5, 90), (vec![true], true));
    assert_eq!(paid(&mut memory, 2, 0), (vec![false], true));
    assert!(memory.belief.is_sure(Compass::N));
}
