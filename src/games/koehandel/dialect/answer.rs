//! Answers: what a player replies, and how the referee reads it (README.md 2.2.1).

use super::fields::{FRAME_MAX, Fields};
use super::letters::{self, AMOUNT_LETTERS_MAX, push_amount, push_cards};
use crate::cards::{Animal, Compass, MONEY_MAX};
use crate::rules::{Act, Ask, Money};
use drover_game::game::Illegal;
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

/// Whether an answer to this message is legal in form, whatever the rules say.
///
/// # Errors
/// [`Illegal`] says what a reader would not take.
pub fn in_form(message: &[u8], answer: &str) -> Result<(), Illegal> {
    let body = answer.as_bytes();
    let read = |text| Fields::cut(text).map_err(Illegal::new);
    let (asked, fields) = (read(message)?, read(body)?);
    let (payee, leader, auctioneer, price) = (Compass::W, Compass::W, Compass::W, 0);
    let cards = || read_answer(&Ask::Pay { payee, price }, body);
    let bid = Ask::Bid {
        card: Animal::DONKEY,
        price,
        leader,
        auctioneer,
    };
    let legal = answer.len() <= FRAME_MAX
        && match (asked.kind(), fields.kind()) {
            ("start", "auction") => true,
            ("start", "trade") => match read_answer(&Ask::Turn, body) {
                Some(Act::Trade { offer, .. }) => offer != Money::Garbage,
                _ => false,
            },
            ("auction", "") => matches!(read_answer(&bid, body), Some(Act::Amount(Some(_)))),
            ("trade" | "collect", "") => matches!(cards(), Some(Act::Cards(Money::Cards(_)))),
            _ => false,
        };
    let wrong = || Illegal(format!("{answer:?} is no answer to {:?}", asked.kind()));
    legal.then_some(()).ok_or_else(wrong)
}
