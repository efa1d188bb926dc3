//! The state of a match in the form in which it is shown. Players are numbered by seat where the table gives it,
//! and clockwise from the viewer's own where a seat does.

use crate::cards::{Animal, Compass, PLAYERS, Purse};
use crate::fold::Deal;
use crate::message::{Bought, Message};
use crate::rules::score;
use crate::view::{Bounds, Herd};
use drover_game::card::Curves;
use drover_game::game::Seat;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// What the match is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// A player is to choose between an auction and a trade.
    Turn,
    /// An animal is being bid for.
    Auction,
    /// The auctioneer may buy it at the highest bid.
    Buy,
    /// The price is being paid.
    Pay,
    /// A trade is under way.
    Trade,
    /// The match is over.
    Over,
}

/// The state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// What it is at.
    pub stage: Stage,
    /// The players.
    pub players: [Player; PLAYERS],
    /// Whose turn it is, where known.
    pub turn: Option<usize>,
    /// Whose answer is awaited, where known.
    pub asked: Option<usize>,
    /// Animals that nobody owns yet, the one for sale included.
    pub deck_left: u8,
    /// Donkeys turned up so far.
    pub donkeys: u8,
    /// The auction under way.
    pub auction: Option<Auction>,
    /// The trade under way.
    pub trade: Option<Trade>,
    /// What was settled last.
    pub settled: Option<Settled>,
}

/// One player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Player {
    /// `Seat 0` … `Seat 3`, or the wire's `S`, `W`, `N`, `E`.
    pub place: String,
    /// How many it owns of each animal that it owns.
    pub animals: BTreeMap<Animal, u8>,
    /// Points of its quartets.
    pub score: i64,
    /// Its money by letters, largest first; null: hidden.
    pub money: Option<String>,
    /// How many money cards it holds.
    pub cards: u8,
    /// What they are worth, as far as the viewer can prove.
    pub cash: Cash,
    /// Whether it was caught bluffing on the animal now for sale.
    pub caught: bool,
    /// Whether it may start no more trades, as far as known.
    pub barred: bool,
}

/// The least and the most that hidden money can be worth, in points; alike where it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cash {
    /// The least.
    pub low: u16,
    /// The most.
    pub high: u16,
}

/// An auction under way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Auction {
    /// The animal for sale.
    pub card: Animal,
    /// Who sells it.
    pub seller: usize,
    /// The highest bid; 0: none.
    pub price: u16,
    /// Who made it, or bought at it.
    pub leader: Option<usize>,
    /// The bids in order, since the bidding began or began again.
    pub bids: Vec<Bid>,
}

/// A bid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bid {
    /// Whose.
    pub by: usize,
    /// Its amount; 0: a pass.
    pub amount: u16,
    /// Whether it is more than the bidder holds; null: the viewer cannot know.
    pub bluff: Option<bool>,
}

/// A trade under way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trade {
    /// The animal at stake.
    pub animal: Animal,
    /// How many of it.
    pub count: u8,
    /// Who began it.
    pub challenger: usize,
    /// Who was challenged.
    pub target: usize,
    /// The challenger's bid; null: not made yet.
    pub offer: Option<Stake>,
    /// The other's bid; null: not made yet.
    pub counter: Option<Stake>,
    /// Whether the first bids were equal.
    pub tied: bool,
}

/// Money cards that lie face down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stake {
    /// How many.
    pub cards: u8,
    /// Which, by letters; null: hidden.
    pub money: Option<String>,
}

/// An animal that has found its owner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settled {
    /// Which.
    pub animal: Animal,
    /// How many of it.
    pub count: u8,
    /// Who had it; null: it was auctioned.
    pub from: Option<usize>,
    /// Who has it now.
    pub to: usize,
    /// The highest bid of the auction; null: a trade, or unknown.
    pub price: Option<u16>,
    /// What was paid.
    pub payments: Vec<Payment>,
}

/// Money that changed hands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Payment {
    /// Who paid.
    pub from: usize,
    /// Who was paid.
    pub to: usize,
    /// The cards.
    #[serde(flatten)]
    pub stake: Stake,
}

impl State {
    /// Reads a state that may come from anywhere.
    #[must_use]
    pub fn read(value: &Value) -> Option<Self> {
        let state = Self::deserialize(value).ok()?;
        let auction = state.auction.iter();
        let auction = auction.flat_map(|auction| {
            let bids = auction.bids.iter().map(|bid| bid.by);
            bids.chain([auction.seller]).chain(auction.leader)
        });
        let trade = state.trade.iter();
        let trade = trade.flat_map(|trade| [trade.challenger, trade.target]);
        let settled = state.settled.iter();
        let settled = settled.flat_map(|settled| {
            let payments = settled.payments.iter();
            let payments = payments.flat_map(|payment| [payment.from, payment.to]);
            payments.chain(settled.from).chain([settled.to])
        });
        let named = auction.chain(trade).chain(settled);
        let all = named.chain(state.turn).chain(state.asked).max();
        all.is_none_or(|most| most < PLAYERS).then_some(state)
    }
}

impl Player {
    /// A player with these animals.
    #[must_use]
    pub fn new(place: String, herd: &Herd, money: Option<Purse>, cards: u8, cash: Bounds) -> Self {
        let owned = Animal::all().map(|animal| (animal, herd[animal.index()]));
        let (low, high) = (cash.low, cash.high);
        Self {
            place,
            animals: owned.filter(|(_, count)| *count > 0).collect(),
            score: score(herd),
            money: money.map(|money| money.to_string()),
            cards,
            cash: Cash { low, high },
            caught: false,
            barred: false,
        }
    }
}

impl Stake {
    /// Cards that the viewer has seen.
    #[must_use]
    pub fn seen(money: Purse) -> Self {
        Self {
            cards: money.cards(),
            money: Some(money.to_string()),
        }
    }

    /// Cards of which only the number is known, unless `money` says more.
    #[must_use]
    pub fn new(cards: u8, money: Option<Purse>) -> Self {
        money.map_or(Self { cards, money: None }, Self::seen)
    }
}

impl From<&Deal> for Settled {
    /// A settlement as a seat received it.
    fn from(deal: &Deal) -> Self {
        let pay = |from: Compass, to: Compass, cards, paid| Payment {
            from: from.index(),
            to: to.index(),
            stake: Stake::new(cards, paid),
        };
        match deal {
            Deal::Sale(sold) => Self {
                animal: sold.card,
                count: 1,
                from: None,
                to: sold.buyer.index(),
                price: sold.price,
                payments: sold
                    .payee
                    .map(|payee| pay(sold.buyer, payee, sold.cards, sold.paid))
                    .into_iter()
                    .collect(),
            },
            Deal::Trade(traded) => {
                let (winner, loser) = (traded.winner, traded.loser);
                let paid = pay(winner, loser, traded.cards, traded.paid);
                let back = pay(loser, winner, traded.back, traded.paid_back);
                let payments = [paid, back].into_iter();
                Self {
                    animal: traded.animal,
                    count: traded.count,
                    from: Some(loser.index()),
                    to: winner.index(),
                    price: None,
                    payments: payments.filter(|payment| payment.stake.cards > 0).collect(),
                }
            }
        }
    }
}

impl Settled {
    /// What messages to all seats report as settled, if they do.
    #[must_use]
    pub fn from_messages(received: &[(Seat, Message)]) -> Option<Self> {
        received.iter().find_map(|(reader, message)| {
            let reader = reader.index();
            match *message {
                Message::Free { card, auctioneer } => {
                    Some(Self::sold(card, auctioneer.seat(reader), 0))
                }
                Message::Bought(Bought {
                    card, buyer, price, ..
                }) => {
                    let sold = Self::sold(card, buyer.seat(reader), price);
                    Some(Self {
                        payments: payments(received),
                        ..sold
                    })
                }
                Message::Won(goods) => Some(Self {
                    animal: goods.animal,
                    count: goods.count,
                    from: Some(goods.rival.seat(reader)),
                    to: reader,
                    price: None,
                    payments: payments(received),
                }),
                _ => None,
            }
        })
    }

    fn sold(card: Animal, to: usize, price: u16) -> Self {
        Self {
            animal: card,
            count: 1,
            from: None,
            to,
            price: Some(price),
            payments: Vec::new(),
        }
    }
}

/// What the payees of an auction or a trade receive.
fn payments(received: &[(Seat, Message)]) -> Vec<Payment> {
    let paid = received.iter().filter_map(|(reader, message)| {
        let Message::Money { payer, paid } = message else {
            return None;
        };
        Some(Payment {
            from: payer.seat(reader.index()),
            to: reader.index(),
            stake: Stake::seen(*paid),
        })
    });
    paid.collect()
}

/// What is counted over a match: points, and money as far as it is known.
pub const CURVES: Curves = Curves {
    turn: "deal",
    names: &["Points", "Money"],
    figures: |state, _| {
        let state = State::read(state)?;
        let points = state.players.iter().map(|player| Some(player.score));
        let money = state.players.iter().map(|player| {
            let Cash { low, high } = player.cash;
            (low == high).then_some(i64::from(low))
        });
        Some(vec![points.collect(), money.collect()])
    },
};
