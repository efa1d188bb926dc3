//! Message to text: what the referee sends, byte for byte.

use super::letters::{push_amount, push_cards};
use crate::koehandel::cards::{Animal, Compass};
use crate::koehandel::message::{Fault, Message};
use std::fmt::Write as _;

/// The callback's query for one message, with fields in the order of the worked examples. `None` for
/// [`Message::Settled`], which is never on the wire.
#[must_use]
pub fn write(market: u64, id: u64, message: &Message) -> Option<String> {
    let mut text = Text(String::with_capacity(96));
    text.number("market=", market);
    text.number("&id=", id);
    match message {
        Message::Settled(_) => return None,
        Message::Start => text.kind("start"),
        Message::Begin | Message::Fault(_) | Message::SecondBluff => code(&mut text, message),
        Message::Donkey(note) => {
            text.kind("receive");
            text.letter("&money=", note.letter());
        }
        Message::Dealt(money) => {
            text.kind("receive");
            push_cards(text.field("&money="), *money);
        }
        Message::DonkeyOther(place, note) => {
            text.kind("information");
            text.opponent(*place);
            text.letter("&money=", note.letter());
        }
        Message::Bid { .. } | Message::PreEmpt { .. } => asks_amount(&mut text, message),
        Message::Card(_)
        | Message::Collect { .. }
        | Message::PaidByServer { .. }
        | Message::Money { .. } => settles_auction(&mut text, message),
        Message::Bought { .. }
        | Message::WasPaid { .. }
        | Message::Free { .. }
        | Message::Bluffed { .. } => tells_auction(&mut text, message),
        Message::Challenged { .. } | Message::Tie { .. } => asks_cards(&mut text, message),
        Message::Lost { .. } | Message::Won { .. } | Message::Pay { .. } => {
            settles_trade(&mut text, message);
        }
        Message::TradeWon { .. }
        | Message::TradeLost { .. }
        | Message::LoserPaid { .. }
        | Message::WinnerPaid { .. } => tells_trade(&mut text, message),
        Message::End(scores) => {
            text.kind("end");
            let out = text.field("&message=");
            for (place, score) in Compass::ALL.iter().zip(scores) {
                push_number(out, place.letter(), *score);
            }
        }
    }
    Some(text.0)
}

fn code(text: &mut Text, message: &Message) {
    text.kind("information");
    text.field("&message=").push_str(match message {
        Message::Begin => "begin",
        Message::Fault(Fault::Opponent) => "no_opponement_specified",
        Message::Fault(Fault::OpponentGoods) => "opponent_goods_do_not_match",
        Message::Fault(Fault::Goods) => "goods_not_owned_by_player",
        Message::Fault(Fault::Bid) => "invalid_bid",
        _ => "second_bluff_not_allowed",
    });
}

fn asks_amount(text: &mut Text, message: &Message) {
    let (card, leader, price, auctioneer, history) = match message {
        Message::Bid {
            card,
            leader,
            price,
            auctioneer,
            history,
        } => (card, leader, price, Some(auctioneer), history),
        Message::PreEmpt {
            card,
            bidder,
            price,
            history,
        } => (card, bidder, price, None, history),
        _ => return,
    };
    text.kind("auction");
    text.goods("&goods=", *card, 1);
    text.opponent(*leader);
    if *price > 0 {
        push_amount(text.field("&money="), *price);
    }
    if let Some(auctioneer) = auctioneer {
        text.letter("&auctioneer=", auctioneer.letter());
    }
    if !history.is_empty() {
        let out = text.field("&message=");
        for (place, value) in history {
            push_number(out, place.letter(), i64::from(*value));
        }
    }
}

fn settles_auction(text: &mut Text, message: &Message) {
    match message {
        Message::Card(card) => {
            text.kind("receive");
            text.goods("&goods=", *card, 1);
        }
        Message::Collect { payee, price } => {
            text.kind("collect");
            text.opponent(*payee);
            push_amount(text.field("&money="), *price);
        }
        Message::PaidByServer { payee, paid } => {
            text.kind("information");
            text.opponent(*payee);
            push_cards(text.field("&money=-"), *paid);
            text.field("&message=paid_by_server");
        }
        Message::Money { payer, paid } => {
            text.kind("receive");
            text.opponent(*payer);
            push_cards(text.field("&money="), *paid);
        }
        _ => {}
    }
}

fn tells_auction(text: &mut Text, message: &Message) {
    text.kind("information");
    match message {
        Message::Bought {
            card,
            buyer,
            cards,
            price,
        } => {
            text.goods("&goods=", *card, 1);
            text.opponent(*buyer);
            text.hidden("&money=-", *cards);
            text.number("", u64::from(*price));
        }
        Message::WasPaid {
            payee,
            cards,
            price,
        } => {
            text.opponent(*payee);
            text.hidden("&money=", *cards);
            text.number("", u64::from(*price));
        }
        Message::Free { card, auctioneer } => {
            text.goods("&goods=", *card, 1);
            text.opponent(*auctioneer);
            text.field("&money=-0");
        }
        Message::Bluffed { by, hand } => {
            if *by != Compass::S {
                text.opponent(*by);
            }
            push_cards(text.field("&money="), *hand);
            text.field("&message=bluffed");
        }
        _ => {}
    }
}

fn asks_cards(text: &mut Text, message: &Message) {
    let (animal, count, rival, cards, tie) = match message {
        Message::Challenged {
            animal,
            count,
            challenger,
            cards,
        } => (animal, count, challenger, cards, false),
        Message::Tie {
            animal,
            count,
            opponent,
            cards,
        } => (animal, count, opponent, cards, true),
        _ => return,
    };
    text.kind("trade");
    text.goods("&goods=", *animal, *count);
    text.opponent(*rival);
    text.hidden("&money=", *cards);
    if tie {
        text.field("&message=equal_bid");
    }
}

fn settles_trade(text: &mut Text, message: &Message) {
    match message {
        Message::Lost {
            animal,
            count,
            winner,
        } => {
            text.kind("collect");
            text.goods("&goods=", *animal, *count);
            text.opponent(*winner);
        }
        Message::Won {
            animal,
            count,
            loser,
        } => {
            text.kind("receive");
            text.goods("&goods=", *animal, *count);
            text.opponent(*loser);
        }
        Message::Pay { receiver, paid } => {
            text.kind("collect");
            text.opponent(*receiver);
            push_cards(text.field("&money="), *paid);
        }
        _ => {}
    }
}

fn tells_trade(text: &mut Text, message: &Message) {
    text.kind("information");
    match message {
        Message::TradeWon {
            animal,
            count,
            winner,
            cards,
        } => {
            text.goods("&goods=", *animal, *count);
            text.opponent(*winner);
            text.hidden("&money=-", *cards);
        }
        Message::TradeLost {
            animal,
            count,
            named,
            cards,
        } => {
            text.goods("&goods=-", *animal, *count);
            text.opponent(*named);
            if let Some(cards) = cards {
                text.hidden("&money=", *cards);
            }
        }
        Message::LoserPaid { loser, cards } => {
            text.opponent(*loser);
            text.hidden("&money=-", *cards);
        }
        Message::WinnerPaid { winner, cards } => {
            text.opponent(*winner);
            text.hidden("&money=", *cards);
        }
        _ => {}
    }
}

fn push_number(out: &mut String, letter: char, number: i64) {
    // Writing to a String cannot fail.
    let _ = write!(out, "{letter}{number}");
}

struct Text(String);

impl Text {
    fn field(&mut self, name: &str) -> &mut String {
        self.0.push_str(name);
        &mut self.0
    }

    fn kind(&mut self, kind: &str) {
        self.field("&type=").push_str(kind);
    }

    fn letter(&mut self, name: &str, letter: char) {
        self.field(name).push(letter);
    }

    fn opponent(&mut self, place: Compass) {
        self.letter("&opponent=", place.letter());
    }

    fn goods(&mut self, name: &str, animal: Animal, count: u8) {
        self.0.push_str(name);
        self.0.extend((0..count).map(|_| animal.letter()));
    }

    fn hidden(&mut self, name: &str, cards: u8) {
        self.0.push_str(name);
        self.0.extend((0..cards).map(|_| 'Q'));
    }

    fn number(&mut self, name: &str, number: u64) {
        let _ = write!(self.field(name), "{number}");
    }
}
