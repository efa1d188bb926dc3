//! What players are asked and what they may answer. Faulty answers can be expressed too, because the rules
//! define what each fault leads to.

use crate::cards::{Animal, Compass, MONEY_MAX, Note, Purse};
use crate::message::{Goods, Sale};
use crate::view::View;
use drover_game::game::Illegal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A decision that a player has to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ask {
    /// The player's turn: an auction (while the deck lasts) or a trade. Answer [`Act::Auction`] or
    /// [`Act::Trade`].
    Turn,
    /// Bid more than `price` for `card`, or pass. Answer [`Act::Amount`].
    Bid {
        /// The card for sale.
        card: Animal,
        /// The highest bid, 0 if none.
        price: u16,
        /// Who made it; the auctioneer if nobody has bid.
        leader: Compass,
        /// The seller.
        auctioneer: Compass,
    },
    /// The player sells `card` and may buy it: [`Act::Amount`] of at least `price` buys, anything else sells.
    PreEmpt {
        /// The card for sale.
        card: Animal,
        /// The highest bid.
        price: u16,
        /// Who made it.
        bidder: Compass,
    },
    /// Pay at least `price`. Answer [`Act::Cards`]; without an answer the server picks.
    Pay {
        /// Who receives it.
        payee: Compass,
        /// The least to pay, in points.
        price: u16,
    },
    /// The player is challenged. Answer [`Act::Cards`]: a counter bid, or none to accept.
    Counter {
        /// The animal at stake.
        animal: Animal,
        /// How many cards of it: 1 or 2.
        count: u8,
        /// The player who challenges.
        challenger: Compass,
        /// How many cards the challenger offers.
        cards: u8,
    },
    /// The bids tied; bid again. Answer [`Act::Cards`].
    Rebid {
        /// The animal at stake.
        animal: Animal,
        /// How many cards of it: 1 or 2.
        count: u8,
        /// The other party.
        opponent: Compass,
        /// Cards in the other party's tied bid, or in its new bid if it has made one.
        cards: u8,
        /// Whether the player asked began the trade; the challenger bids first and wins a second tie.
        challenger: bool,
    },
}

impl Ask {
    /// The animals that a bid is asked for in a trade.
    pub(crate) const fn goods(&self) -> Option<Goods> {
        match *self {
            Self::Counter {
                animal,
                count,
                challenger: rival,
                ..
            }
            | Self::Rebid {
                animal,
                count,
                opponent: rival,
                ..
            } => Some(Goods {
                animal,
                count,
                rival,
            }),
            _ => None,
        }
    }

    pub(crate) const fn bid(sale: Sale) -> Self {
        Self::Bid {
            card: sale.card,
            price: sale.price,
            leader: sale.leader,
            auctioneer: sale.auctioneer,
        }
    }

    pub(crate) const fn pre_empt(sale: Sale) -> Self {
        Self::PreEmpt {
            card: sale.card,
            price: sale.price,
            bidder: sale.leader,
        }
    }

    pub(crate) const fn counter(goods: Goods, cards: u8) -> Self {
        Self::Counter {
            animal: goods.animal,
            count: goods.count,
            challenger: goods.rival,
            cards,
        }
    }

    pub(crate) const fn rebid(goods: Goods, cards: u8, challenger: bool) -> Self {
        Self::Rebid {
            animal: goods.animal,
            count: goods.count,
            opponent: goods.rival,
            cards,
            challenger,
        }
    }
}

/// Real money cards as answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Money {
    /// The answer names no money.
    Missing,
    /// These cards; possibly none, possibly not owned.
    Cards(Purse),
    /// Letters that are not money.
    Garbage,
}

/// A player's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Auction the next card.
    Auction,
    /// Challenge `opponent` for `animal`. `None`: missing, or no such place or animal.
    Trade {
        /// A rival.
        opponent: Option<Compass>,
        /// An animal both own.
        animal: Option<Animal>,
        /// The opening bid.
        offer: Money,
    },
    /// An amount: a bid, or the price at which the auctioneer buys. `None`: no amount.
    Amount(Option<u16>),
    /// Real cards: a payment, a counter bid, a new bid.
    Cards(Money),
}

impl Act {
    /// Passing, selling, accepting, or letting the server pick.
    pub const PASS: Act = Act::Amount(None);

    /// A bid of `amount` points.
    #[must_use]
    pub const fn bid(amount: u16) -> Act {
        Act::Amount(Some(amount))
    }

    /// These cards.
    #[must_use]
    pub const fn cards(purse: Purse) -> Act {
        Act::Cards(Money::Cards(purse))
    }

    /// A challenge with an opening bid.
    #[must_use]
    pub const fn trade(opponent: Compass, animal: Animal, offer: Purse) -> Act {
        Act::Trade {
            opponent: Some(opponent),
            animal: Some(animal),
            offer: Money::Cards(offer),
        }
    }
}

/// All legal acts for the player with `view`; of amounts and hands of cards, a legal sample.
pub(super) fn legal(view: &View, ask: &Ask, empty_offer: bool, out: &mut Vec<Act>) {
    match *ask {
        Ask::Turn => {
            if !view.deck_empty() {
                out.push(Act::Auction);
            }
            for rival in Compass::RIVALS {
                for animal in Animal::all().filter(|animal| view.stake(rival, *animal) > 0) {
                    let offers = parts(view.purse);
                    out.extend(
                        offers
                            .filter(|offer| empty_offer || offer.cards() > 0)
                            .map(|offer| Act::trade(rival, animal, offer)),
                    );
                }
            }
        }
        Ask::Bid { price, .. } => {
            out.push(Act::PASS);
            for more in [10, 20, 30, 80] {
                out.extend(
                    Some(price + more)
                        .filter(|bid| *bid <= MONEY_MAX)
                        .map(Act::bid),
                );
            }
        }
        Ask::PreEmpt { price, .. } => out.extend([Act::PASS, Act::bid(price)]),
        Ask::Pay { price, .. } => {
            out.extend(
                parts(view.purse)
                    .filter(|part| part.value() >= price)
                    .map(Act::cards),
            );
        }
        Ask::Counter { .. } | Ask::Rebid { .. } => out.extend(parts(view.purse).map(Act::cards)),
    }
}

/// A sample of the subsets of a hand: none, each single card, each run of the cheapest and of the dearest
/// cards, all.
fn parts(hand: Purse) -> impl Iterator<Item = Purse> {
    let mut parts = vec![Purse::EMPTY];
    for kinds in [Note::ALL, reversed(Note::ALL)] {
        let mut run = Purse::EMPTY;
        for note in kinds {
            for _ in 0..hand.count(note) {
                run = run.plus(Purse::single(note));
                parts.push(run);
            }
        }
    }
    let singles = Note::ALL
        .into_iter()
        .filter(move |note| hand.count(*note) > 0)
        .map(Purse::single);
    parts.extend(singles);
    parts.sort_unstable_by_key(|part| part.0);
    parts.dedup();
    parts.into_iter()
}

fn reversed(mut notes: [Note; 6]) -> [Note; 6] {
    notes.reverse();
    notes
}

/// Whether `act` answers `ask` as the rules want it.
pub(super) fn check(view: &View, ask: &Ask, empty_offer: bool, act: &Act) -> Result<(), Illegal> {
    let illegal = |why: String| Err(Illegal(why));
    let owned = |money: &Money| match money {
        Money::Cards(cards) if view.purse.holds(*cards) => Ok(*cards),
        Money::Cards(cards) => Err(Illegal(format!("{cards:?} is not all in {:?}", view.purse))),
        Money::Missing | Money::Garbage => Err(Illegal("the answer names no money cards".into())),
    };
    match (ask, act) {
        (Ask::Turn, Act::Auction) if view.deck_empty() => {
            illegal("the deck is empty: only a trade can be started".into())
        }
        (Ask::Turn, Act::Auction) => Ok(()),
        (
            Ask::Turn,
            Act::Trade {
                opponent: Some(rival),
                animal: Some(animal),
                offer,
            },
        ) => {
            if *rival == Compass::S || view.stake(*rival, *animal) == 0 {
                return illegal(format!(
                    "no trade over {animal:?} with {} is possible",
                    rival.letter()
                ));
            }
            let offer = owned(offer)?;
            if offer.cards() == 0 && !empty_offer {
                return illegal("an offer needs at least one card".into());
            }
            Ok(())
        }
        (Ask::Bid { .. } | Ask::PreEmpt { .. }, Act::Amount(None)) => Ok(()),
        (Ask::Bid { price, .. }, Act::Amount(Some(bid))) if bid > price && *bid <= MONEY_MAX => {
            Ok(())
        }
        (Ask::PreEmpt { price, .. }, Act::Amount(Some(bid))) if bid >= price => Ok(()),
        (Ask::Pay { price, .. }, Act::Cards(money)) => match owned(money)? {
            paid if paid.value() >= *price => Ok(()),
            paid => illegal(format!("{paid:?} is less than the price of {price}")),
        },
        (Ask::Counter { .. } | Ask::Rebid { .. }, Act::Cards(Money::Missing)) => Ok(()),
        (Ask::Counter { .. } | Ask::Rebid { .. }, Act::Cards(money)) => owned(money).map(|_| ()),
        (ask, act) => illegal(format!("{act:?} does not answer {ask:?}")),
    }
}

/// Whether the rules take `act` for what it says. Not to trade after the deck's end is a choice too,
/// with its price: the player is barred.
#[must_use]
pub fn is_in_order(view: &View, ask: &Ask, act: &Act) -> bool {
    in_order(view, ask, act).is_ok()
}

/// The same, with what is wrong.
///
/// # Errors
/// [`Illegal`].
pub fn in_order(view: &View, ask: &Ask, act: &Act) -> Result<(), Illegal> {
    match (ask, act) {
        (Ask::Turn, Act::Auction) => Ok(()),
        _ => check(view, ask, true, act),
    }
}

/// Acts that are in order; of amounts and hands of cards, a sample.
#[must_use]
pub fn listed(view: &View, ask: &Ask) -> Vec<Act> {
    let mut acts = Vec::new();
    legal(view, ask, true, &mut acts);
    acts
}
