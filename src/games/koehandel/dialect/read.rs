//! Text to message: what a player receives.

use super::fields::{Fields, error};
use super::letters::{self, Shown};
use crate::cards::{Animal, Compass, Note, Purse};
use crate::fold::Fold;
use crate::message::{Bought, Fault, Goods, Message, Sale};
use crate::rules::score;
use drover_game::wire::WireError;

/// The message in these fields, for the reader that knows `fold`: money collected means one thing after an
/// auction and another after a trade (I8), and an end may leave out the reader's own score (I7). `None`: a
/// row with no known meaning, such as another referee's own code.
///
/// # Errors
/// [`WireError`] for an unknown type, or for a field that its type needs and that cannot be read.
pub fn read(fields: &Fields<'_>, fold: &Fold) -> Result<Option<Message>, WireError> {
    match fields.kind() {
        "start" => Ok(Some(Message::Start)),
        "auction" => auction(fields).map(Some),
        "trade" => trade(fields).map(Some),
        "information" => information(fields),
        "collect" => collect(fields, fold).map(Some),
        "receive" => receive(fields).map(Some),
        "end" => Ok(Some(end(fields, fold))),
        "" => Err(error("type", "it is missing")),
        _ => Err(error(
            "type",
            "it must be one of start, trade, auction, information, collect, receive, end",
        )),
    }
}

fn animals(fields: &Fields<'_>) -> Result<(Animal, u8), WireError> {
    letters::goods(fields.goods())
        .map(|(_, animal, count)| (animal, count))
        .ok_or_else(|| {
            error(
                "goods",
                "it must be one letter from A to J, or that letter twice",
            )
        })
}

/// A rival's place. An empty text and the reader's own `S` are `None`.
fn rival(field: &'static str, text: &str) -> Result<Option<Compass>, WireError> {
    if text.is_empty() {
        return Ok(None);
    }
    letters::place(text)
        .map(|place| Some(place).filter(|place| *place != Compass::S))
        .ok_or_else(|| error(field, "it must be W, N or E"))
}

fn opponent(fields: &Fields<'_>) -> Result<Compass, WireError> {
    rival("opponent", fields.opponent())?.ok_or_else(|| error("opponent", "it must be W, N or E"))
}

fn amount(fields: &Fields<'_>) -> Result<u16, WireError> {
    letters::amount(fields.money().unwrap_or_default())
        .ok_or_else(|| error("money", "it must hold only the letters n, t, f, h, T and F"))
}

fn real_cards(fields: &Fields<'_>) -> Result<Purse, WireError> {
    letters::cards(fields.money().unwrap_or_default()).ok_or_else(|| {
        error(
            "money",
            "it must hold only the letters n, t, f, h, T and F, and no more of them than there are cards",
        )
    })
}

fn shown(fields: &Fields<'_>) -> Result<Shown, WireError> {
    letters::shown(fields.money().unwrap_or_default()).ok_or_else(|| {
        error(
            "money",
            "it must be cards by letter or Q, perhaps after a minus, perhaps with a price behind",
        )
    })
}

fn auction(fields: &Fields<'_>) -> Result<Message, WireError> {
    let (card, _) = animals(fields)?;
    let leader = rival("opponent", fields.opponent())?;
    let price = amount(fields)?;
    let history = letters::history(fields.message());
    let seller = rival("auctioneer", fields.auctioneer())?;
    let auctioneer = seller.unwrap_or(Compass::S);
    let sale = Sale {
        card,
        auctioneer,
        leader: leader.unwrap_or(auctioneer),
        price,
    };
    Ok(match seller {
        Some(_) => Message::Bid(sale, history),
        None => Message::PreEmpt(sale, history),
    })
}

fn trade(fields: &Fields<'_>) -> Result<Message, WireError> {
    let (animal, count) = animals(fields)?;
    let rival = opponent(fields)?;
    let cards = shown(fields)?.cards();
    let goods = Goods {
        animal,
        count,
        rival,
    };
    Ok(match fields.message() {
        "equal_bid" => Message::Tie { goods, cards },
        _ => Message::Challenged { goods, cards },
    })
}

fn information(fields: &Fields<'_>) -> Result<Option<Message>, WireError> {
    Ok(Some(match fields.message() {
        "begin" => Message::Begin,
        "second_bluff_not_allowed" => Message::SecondBluff,
        "bluffed" => Message::Bluffed {
            by: rival("opponent", fields.opponent())?.unwrap_or(Compass::S),
            hand: real_cards(fields)?,
        },
        "paid_by_server" => Message::PaidByServer {
            payee: rival("opponent", fields.opponent())?.unwrap_or(Compass::S),
            paid: shown(fields)?.open,
        },
        word => match Fault::ALL.into_iter().find(|fault| fault.word() == word) {
            Some(fault) => Message::Fault(fault),
            None => return moved(fields),
        },
    }))
}

/// Rows that report what moved between players: 5, 12 to 14, 24, 25 and those of A1 (a).
fn moved(fields: &Fields<'_>) -> Result<Option<Message>, WireError> {
    let Some(place) = rival("opponent", fields.opponent())? else {
        return Ok(None);
    };
    let money = shown(fields)?;
    if fields.goods().is_empty() {
        return Ok(money_alone(place, &money));
    }
    let (minus, animal, count) = letters::goods(fields.goods()).ok_or_else(|| {
        error(
            "goods",
            "it must be one letter from A to J, perhaps twice, perhaps after a minus",
        )
    })?;
    let goods = Goods {
        animal,
        count,
        rival: place,
    };
    if minus {
        let cards = Some(money.cards()).filter(|cards| *cards > 0);
        return Ok(Some(Message::TradeLost { goods, cards }));
    }
    let open = Some(money.open.value()).filter(|_| money.open.cards() > 0);
    Ok(Some(match (money.price.or(open), money.cards()) {
        (Some(0), 0) => Message::Free {
            card: animal,
            auctioneer: place,
        },
        (Some(price), cards) => Message::Bought(Bought {
            card: animal,
            buyer: place,
            cards,
            price,
        }),
        (None, cards) => Message::TradeWon { goods, cards },
    }))
}

fn money_alone(place: Compass, money: &Shown) -> Option<Message> {
    let cards = money.cards();
    let open = money.open;
    let was_paid = |price: u16| Message::WasPaid {
        payee: place,
        cards,
        price,
    };
    let donkey = donkey_note(open).filter(|_| cards == 1);
    Some(match (money.minus, money.price, donkey) {
        (true, None, _) if open.cards() > 0 => Message::PaidByServer {
            payee: place,
            paid: open,
        },
        (true, None, _) if cards > 0 => Message::LoserPaid {
            loser: place,
            cards,
        },
        (false, None, Some(note)) => Message::DonkeyOther(place, note),
        (false, None, _) if open.cards() > 0 => was_paid(open.value()),
        (false, None, _) if cards > 0 => Message::WinnerPaid {
            winner: place,
            cards,
        },
        (false, Some(price), _) => was_paid(price),
        _ => return None,
    })
}

/// The one card that a donkey gives.
fn donkey_note(cards: Purse) -> Option<Note> {
    Note::DONKEYS
        .into_iter()
        .find(|note| cards == Purse::single(*note))
}

fn collect(fields: &Fields<'_>, fold: &Fold) -> Result<Message, WireError> {
    let rival = opponent(fields)?;
    if !fields.goods().is_empty() {
        let (animal, count) = animals(fields)?;
        return Ok(Message::Lost(Goods {
            animal,
            count,
            rival,
        }));
    }
    if fold.trade_is_settling() {
        return Ok(Message::Pay {
            receiver: rival,
            paid: real_cards(fields)?,
        });
    }
    Ok(Message::Collect {
        payee: rival,
        price: amount(fields)?,
    })
}

fn receive(fields: &Fields<'_>) -> Result<Message, WireError> {
    let from = rival("opponent", fields.opponent())?;
    if !fields.goods().is_empty() {
        let (animal, count) = animals(fields)?;
        return Ok(match from {
            Some(rival) => Message::Won(Goods {
                animal,
                count,
                rival,
            }),
            None => Message::Card(animal),
        });
    }
    let paid = real_cards(fields)?;
    Ok(match (from, donkey_note(paid)) {
        (Some(payer), _) => Message::Money { payer, paid },
        (None, Some(note)) => Message::Donkey(note),
        (None, None) => Message::Dealt(paid),
    })
}

fn end(fields: &Fields<'_>, fold: &Fold) -> Message {
    let mut scores = fold.view().herds.map(|herd| score(&herd));
    for (place, digits) in letters::by_place(fields.message()) {
        for (known, score) in Compass::ALL.into_iter().zip(&mut scores) {
            if known == place {
                *score = digits.parse().unwrap_or(*score);
            }
        }
    }
    Message::End(scores)
}
