//! Answers: what a player replies, and how the referee reads it (README.md 2.2.1).

use super::fields::Fields;
use super::letters::{self, AMOUNT_LETTERS_MAX, push_amount, push_cards};
use crate::koehandel::cards::{Compass, MONEY_MAX};
use crate::koehandel::rules::{Act, Ask, Money};
use std::time::Duration;

/// The wire's limit for connecting and answering together.
pub const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// The reply's text. Empty for passing, accepting and letting the server pick.
#[must_use]
pub fn write_answer(act: &Act) -> String {
    let mut out = String::with_capacity(48);
    match act {
        Act::Auction => out.push_str("?type=auction"),
        Act::Trade {
            opponent,
            animal,
            offer,
        } => {
            out.push_str("?type=trade");
            if let Some(opponent) = opponent {
                out.push_str("&opponent=");
                out.push(opponent.letter());
            }
            if let Some(animal) = animal {
                out.push_str("&goods=");
                out.push(animal.letter());
            }
            push_money(&mut out, '&', offer);
        }
        Act::Amount(None) => {}
        Act::Amount(Some(amount)) => {
            out.push_str("?money=");
            push_amount(&mut out, *amount);
        }
        Act::Cards(money) => push_money(&mut out, '?', money),
    }
    out
}

fn push_money(out: &mut String, mark: char, money: &Money) {
    let (cards, garbage) = match money {
        Money::Missing => return,
        Money::Cards(cards) => (Some(*cards), ""),
        Money::Garbage => (None, "-"),
    };
    out.push(mark);
    out.push_str("money=");
    out.push_str(garbage);
    if let Some(cards) = cards {
        push_cards(out, cards);
    }
}

/// Reads a reply's body as the answer to `ask`. `None` is the empty reply: an empty body, one without any
/// `key=value`, or one that cannot be read.
#[must_use]
pub fn read_answer(ask: &Ask, body: &[u8]) -> Option<Act> {
    let fields = Fields::cut(body).ok().filter(Fields::any)?;
    Some(match ask {
        Ask::Turn if fields.kind() == "trade" => Act::Trade {
            opponent: letters::place(fields.opponent()).filter(|place| *place != Compass::S),
            animal: letters::goods(fields.goods())
                .filter(|goods| !goods.minus)
                .map(|goods| goods.animal),
            offer: money(&fields),
        },
        Ask::Turn => Act::Auction,
        Ask::Bid { .. } | Ask::PreEmpt { .. } => Act::Amount(
            fields
                .money()
                .filter(|text| text.len() <= AMOUNT_LETTERS_MAX)
                .and_then(letters::amount)
                .filter(|amount| *amount <= MONEY_MAX),
        ),
        Ask::Pay { .. } | Ask::Counter { .. } | Ask::Rebid { .. } => Act::Cards(money(&fields)),
    })
}

fn money(fields: &Fields<'_>) -> Money {
    match fields.money() {
        None => Money::Missing,
        Some(text) => letters::cards(text).map_or(Money::Garbage, Money::Cards),
    }
}
