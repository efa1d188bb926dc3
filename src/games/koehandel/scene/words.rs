//! What happened, in words.

use super::state::Auction;
use crate::cards::{Animal, Compass, PLAYERS, Purse};
use crate::message::{Bought, Goods, Message, Sale};
use crate::rules::{Act, Ask, Money};
use drover_game::game::Seat;
use drover_game::scene::Who;

/// Who sits at a place, as the reader has it.
type Whom<'a> = &'a dyn Fn(Compass) -> Who;

/// What the most important of the messages that followed one act says, of players by seat. `auction` is the one that
/// they left under way.
#[must_use]
pub fn title(received: &[(Seat, Message)], auction: Option<&Auction>) -> Option<String> {
    let (reader, message) = received
        .iter()
        .rev()
        .max_by_key(|(_, message)| weight(message))?;
    let auction = auction.filter(|_| matches!(message, Message::Collect { .. }));
    if let Some(decided) = auction.and_then(decided) {
        return Some(decided);
    }
    let paid = match message {
        Message::Bought(bought) => paid(received, bought),
        _ => None,
    };
    Some(paid.unwrap_or_else(|| sentence(message, &|place| Who(place.seat(reader.index())))))
}

/// What the buyer has paid: who buys for how much was said before.
fn paid(received: &[(Seat, Message)], bought: &Bought) -> Option<String> {
    let (payer, payee, paid) = received.iter().find_map(|(seat, message)| match message {
        Message::Money { payer, paid } => {
            let payer = payer.seat(seat.index());
            Some((Who(payer), Who(seat.index()), paid.value()))
        }
        _ => None,
    })?;
    let (card, price) = (bought.card.name(), bought.price);
    let bid = match paid == price {
        true => String::new(),
        false => format!(" (bid {price})"),
    };
    Some(format!("{payer} pays {payee} {paid} for the {card}{bid}"))
}

/// What the auctioneer has done, by whom there is to pay.
fn decided(auction: &Auction) -> Option<String> {
    let (seller, buyer) = (Who(auction.seller), auction.leader?);
    let (card, price) = (auction.card.name(), auction.price);
    Some(match buyer == auction.seller {
        true => format!("{seller} keeps the {card} that it auctioned for {price}"),
        false => format!("{seller} sells the {card} to {} for {price}", Who(buyer)),
    })
}

/// How much a message reports of what has happened, the most for the match's end.
const fn weight(message: &Message) -> u8 {
    match message {
        Message::End(_) => 10,
        Message::Bluffed { .. } => 9,
        Message::Won(_) => 8,
        Message::Bought(_) | Message::Free { .. } => 7,
        Message::SecondBluff | Message::Fault(_) => 6,
        Message::Challenged { .. } | Message::Tie { .. } => 5,
        Message::Collect { .. } => 4,
        Message::Donkey(_) => 3,
        Message::Bid(..) | Message::PreEmpt(..) => 2,
        Message::Start => 1,
        _ => 0,
    }
}

/// A message as a sentence.
#[must_use]
pub fn sentence(message: &Message, name: Whom<'_>) -> String {
    let own = name(Compass::S);
    match *message {
        Message::Begin => "The match begins".to_owned(),
        Message::Start => format!("It is {own}'s turn"),
        Message::Fault(fault) => format!(
            "{own} does what is not allowed: {}",
            fault.word().replace('_', " ")
        ),
        Message::Donkey(note) => format!("A donkey: every player gets {}", note.value()),
        Message::Dealt(money) => format!("{own} gets {} from the bank", worth(money)),
        Message::DonkeyOther(place, note) => {
            format!("{} gets {} from the bank", name(place), note.value())
        }
        Message::Bid(sale, ref history) => match history.last() {
            None => format!("{} auctions a {}", name(sale.auctioneer), sale.card.name()),
            Some((place, value)) if *value > 0 && *value == sale.price => {
                format!("{} bids {value} for the {}", name(*place), sale.card.name())
            }
            Some((place, _)) => format!("{} passes on the {}", name(*place), sale.card.name()),
        },
        Message::PreEmpt(sale, ref history) => bids_closed(sale, history, name),
        Message::Card(card) => format!("{own} gets the {}", card.name()),
        Message::Collect { payee, price } => {
            format!("{own} is to pay {price} to {}", name(payee))
        }
        Message::PaidByServer { payee, paid } => {
            let payee = name(payee);
            format!("The referee takes {} from {own} for {payee}", worth(paid))
        }
        Message::Money { payer, paid } => format!("{} pays {} to {own}", name(payer), worth(paid)),
        Message::Bought(ref bought) => format!(
            "{} buys the {} for {}",
            name(bought.buyer),
            bought.card.name(),
            bought.price
        ),
        Message::WasPaid {
            payee,
            cards,
            price,
        } => format!("{} gets {} for {price}", name(payee), counted(cards)),
        Message::Free { card, auctioneer } => {
            format!(
                "Nobody bids: {} keeps the {}",
                name(auctioneer),
                card.name()
            )
        }
        Message::Bluffed { by, hand } => {
            format!("{} is caught bluffing with {}", name(by), worth(hand))
        }
        Message::SecondBluff => format!("{own}'s bid is refused: it was caught bluffing before"),
        Message::Challenged { goods, cards } => format!(
            "{} challenges {own} for {} with {}",
            name(goods.rival),
            animals(goods),
            counted(cards)
        ),
        Message::Tie { goods, .. } => {
            format!(
                "The bids for {} are equal: {own} bids again",
                animals(goods)
            )
        }
        Message::Lost(goods) => format!("{own} loses {} to {}", animals(goods), name(goods.rival)),
        Message::Won(goods) => format!("{own} wins {} from {}", animals(goods), name(goods.rival)),
        Message::Pay { receiver, paid } => {
            format!("{own} pays {} to {}", worth(paid), name(receiver))
        }
        Message::TradeWon { goods, cards } => format!(
            "{} wins {} and pays {}",
            name(goods.rival),
            animals(goods),
            counted(cards)
        ),
        Message::TradeLost { goods, .. } => {
            format!("{} loses {}", name(goods.rival), animals(goods))
        }
        Message::LoserPaid {
            loser: place,
            cards,
        } => format!("{} pays {}", name(place), counted(cards)),
        Message::WinnerPaid {
            winner: place,
            cards,
        } => format!("{} gets {}", name(place), counted(cards)),
        Message::End(scores) => ended(&scores, name),
        Message::Settled(paid) => format!("{own} pays {}", worth(paid)),
        Message::Expected { rival, .. } => {
            format!("{} seems to play in a way of its own", name(rival))
        }
    }
}

/// The last of the bids, and who leads.
fn bids_closed(sale: Sale, history: &[(Compass, u16)], name: Whom<'_>) -> String {
    let (leader, price, card) = (name(sale.leader), sale.price, sale.card.name());
    match history.last() {
        Some((place, 0)) => format!(
            "{} passes; {leader} leads with {price} for the {card}",
            name(*place)
        ),
        _ => format!("{leader} leads with {price} for the {card}"),
    }
}

fn ended(scores: &[i64; PLAYERS], name: Whom<'_>) -> String {
    let best = scores.iter().max().copied().unwrap_or_default();
    let places = Compass::ALL.into_iter().zip(scores);
    let winners = places.filter(|(_, score)| **score == best);
    let mut winners: Vec<Who> = winners.map(|(place, _)| name(place)).collect();
    winners.sort_unstable_by_key(|who| who.0);
    let winners: Vec<String> = winners.iter().map(Who::to_string).collect();
    let verb = if winners.len() == 1 { "wins" } else { "win" };
    let winners = winners.join(" and ");
    format!("The match is over: {winners} {verb} with {best}")
}

/// What the reader itself says, as a sentence.
pub(super) fn said(ask: &Ask, act: &Act, name: Whom<'_>) -> String {
    let own = name(Compass::S);
    let cards = |money: &Money| match money {
        Money::Missing => "no card".to_owned(),
        Money::Cards(cards) if cards.cards() == 0 => "no card".to_owned(),
        Money::Cards(cards) => worth(*cards),
        Money::Garbage => "what is not money".to_owned(),
    };
    match (ask, act) {
        (
            Ask::Turn,
            Act::Trade {
                opponent,
                animal,
                offer,
            },
        ) => {
            let opponent =
                opponent.map_or_else(|| "nobody".to_owned(), |rival| name(rival).to_string());
            let animal = animal.map_or("animal", Animal::name);
            format!(
                "{own} challenges {opponent} for the {animal} with {}",
                cards(offer)
            )
        }
        (Ask::Turn, _) => format!("{own} auctions the next animal"),
        (Ask::Bid { card, price, .. }, Act::Amount(Some(amount))) if amount > price => {
            format!("{own} bids {amount} for the {}", card.name())
        }
        (Ask::Bid { card, .. }, _) => format!("{own} passes on the {}", card.name()),
        (Ask::PreEmpt { card, price, .. }, Act::Amount(Some(amount)))
            if *amount > 0 && amount >= price =>
        {
            format!(
                "{own} keeps the {} that it auctioned for {price}",
                card.name()
            )
        }
        (Ask::PreEmpt { card, bidder, .. }, _) => {
            format!("{own} sells the {} to {}", card.name(), name(*bidder))
        }
        (Ask::Pay { .. }, Act::Cards(money)) if !matches!(money, Money::Missing) => {
            format!("{own} pays with {}", cards(money))
        }
        (Ask::Pay { .. }, _) => format!("{own} lets the referee choose the cards"),
        (Ask::Counter { animal, .. } | Ask::Rebid { animal, .. }, Act::Cards(money)) => {
            format!("{own} bids {} for the {}", cards(money), animal.name())
        }
        (Ask::Counter { animal, .. } | Ask::Rebid { animal, .. }, _) => {
            format!("{own} bids no card for the {}", animal.name())
        }
    }
}

/// What cards are worth, and how many they are.
#[must_use]
pub fn worth(money: Purse) -> String {
    match money.cards() {
        0 => "nothing".to_owned(),
        cards => format!("{} in {}", money.value(), counted(cards)),
    }
}

fn animals(goods: Goods) -> String {
    goods.animal.counted(goods.count)
}

/// Money cards of which only the number is known.
#[must_use]
pub fn counted(cards: u8) -> String {
    match cards {
        0 => "no card".to_owned(),
        1 => "1 card".to_owned(),
        _ => format!("{cards} cards"),
    }
}
