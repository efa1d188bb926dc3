//! Message to text: what the referee sends, byte for byte.

use super::letters::{push_amount, push_cards};
use crate::cards::{Animal, Compass};
use crate::message::{Goods, History, Message, Sale};
use std::fmt::Write as _;

/// The callback's query for one message, with fields in the order of the worked examples. `None` for
/// what is never on the wire.
#[must_use]
pub fn write(market: u64, id: u64, message: &Message) -> Option<String> {
    let mut text = Text(String::with_capacity(96));
    text.number("market=", market);
    text.number("&id=", id);
    match message {
        Message::Settled(_) | Message::Expected { .. } => return None,
        Message::Start => text.kind("start"),
        Message::Begin | Message::Fault(_) | Message::SecondBluff => code(&mut text, message),
        Message::Bid(sale, history) | Message::PreEmpt(sale, history) => {
            asks_amount(&mut text, sale, history);
        }
        Message::Challenged { goods, cards } => asks_cards(&mut text, goods, *cards),
        Message::Tie { goods, cards } => {
            asks_cards(&mut text, goods, *cards);
            text.field("&message=equal_bid");
        }
        Message::End(scores) => {
            text.kind("end");
            let out = text.field("&message=");
            for (place, score) in Compass::ALL.iter().zip(scores) {
                push_number(out, place.letter(), *score);
            }
        }
        Message::Donkey(_)
        | Message::Dealt(_)
        | Message::Card(_)
        | Message::Money { .. }
        | Message::Won(_) => receives(&mut text, message),
        Message::Collect { .. } | Message::Lost(_) | Message::Pay { .. } => {
            collects(&mut text, message);
        }
        _ => informs(&mut text, message),
    }
    Some(text.0)
}

fn code(text: &mut Text, message: &Message) {
    text.kind("information");
    text.field("&message=").push_str(match message {
        Message::Begin => "begin",
        Message::Fault(fault) => fault.word(),
        _ => "second_bluff_not_allowed",
    });
}

fn asks_amount(text: &mut Text, sale: &Sale, history: &History) {
    text.kind("auction");
    text.goods("&goods=", sale.card, 1);
    text.opponent(sale.leader);
    if sale.price > 0 {
        push_amount(text.field("&money="), sale.price);
    }
    if sale.auctioneer != Compass::S {
        text.letter("&auctioneer=", sale.auctioneer.letter());
    }
    if !history.is_empty() {
        let out = text.field("&message=");
        for (place, value) in history {
            push_number(out, place.letter(), i64::from(*value));
        }
    }
}

fn asks_cards(text: &mut Text, goods: &Goods, cards: u8) {
    text.kind("trade");
    text.moved("&goods=", goods);
    text.hidden("&money=", cards);
}

fn receives(text: &mut Text, message: &Message) {
    text.kind("receive");
    match message {
        Message::Donkey(note) => text.letter("&money=", note.letter()),
        Message::Dealt(money) => push_cards(text.field("&money="), *money),
        Message::Card(card) => text.goods("&goods=", *card, 1),
        Message::Money { payer, paid } => {
            text.opponent(*payer);
            push_cards(text.field("&money="), *paid);
        }
        Message::Won(goods) => text.moved("&goods=", goods),
        _ => {}
    }
}

fn collects(text: &mut Text, message: &Message) {
    text.kind("collect");
    match message {
        Message::Collect { payee, price } => {
            text.opponent(*payee);
            push_amount(text.field("&money="), *price);
        }
        Message::Lost(goods) => text.moved("&goods=", goods),
        Message::Pay { receiver, paid } => {
            text.opponent(*receiver);
            push_cards(text.field("&money="), *paid);
        }
        _ => {}
    }
}

fn informs(text: &mut Text, message: &Message) {
    text.kind("information");
    match message {
        Message::DonkeyOther(place, note) => {
            text.opponent(*place);
            text.letter("&money=", note.letter());
        }
        Message::PaidByServer { payee, paid } => {
            text.opponent(*payee);
            push_cards(text.field("&money=-"), *paid);
            text.field("&message=paid_by_server");
        }
        Message::Bought(bought) => {
            text.goods("&goods=", bought.card, 1);
            text.opponent(bought.buyer);
            text.hidden("&money=-", bought.cards);
            text.number("", u64::from(bought.price));
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
        Message::TradeWon { goods, cards } => {
            text.moved("&goods=", goods);
            text.hidden("&money=-", *cards);
        }
        Message::TradeLost { goods, cards } => {
            text.moved("&goods=-", goods);
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

    /// The animals of a trade and whom the row names.
    fn moved(&mut self, name: &str, goods: &Goods) {
        self.goods(name, goods.animal, goods.count);
        self.opponent(goods.rival);
    }

    fn hidden(&mut self, name: &str, cards: u8) {
        self.0.push_str(name);
        self.0.extend((0..cards).map(|_| 'Q'));
    }

    fn number(&mut self, name: &str, number: u64) {
        let _ = write!(self.field(name), "{number}");
    }
}
