//! Answers: what a player replies, and how the referee reads it (README.md 2.2.1).

use super::fields::{FRAME_MAX, Fields};
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
                .filter(|(minus, ..)| !minus)
                .map(|(_, animal, _)| animal),
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

/// Whether an answer is legal in form, whatever the rules say.
///
/// # Errors
/// A sentence that says what a reader would not take.
pub fn in_form(answer: &str) -> Result<(), String> {
    let body = answer.as_bytes();
    let unread = || format!("{answer:?} is no answer");
    let fields = Fields::cut(body).map_err(|why| why.to_string())?;
    if answer.len() > FRAME_MAX || !fields.any() {
        return Err(unread());
    }
    let turn = read_answer(&Ask::Turn, body);
    let payee = Compass::W;
    let cards = read_answer(&Ask::Pay { payee, price: 0 }, body);
    match (fields.kind(), turn, cards) {
        ("auction", Some(Act::Auction), _) => Ok(()),
        ("trade", Some(Act::Trade { offer, .. }), _) if offer != Money::Garbage => Ok(()),
        // Sums of coins and lists of cards are the same letters.
        ("", _, Some(Act::Cards(Money::Cards(_)))) => Ok(()),
        _ => is_amount(&fields).then_some(()).ok_or_else(unread),
    }
}

fn is_amount(fields: &Fields<'_>) -> bool {
    let money = fields.money().unwrap_or_default();
    let letter = |byte: u8| byte.is_ascii_alphanumeric();
    fields.kind().is_empty() && !money.is_empty() && money.bytes().all(letter)
}
