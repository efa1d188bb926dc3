//! The rule by which a bot that plays by fixed rules decided.

use std::fmt;

/// The rule that decided, with the numbers that it compared. Amounts are in points. Shown, it is a sentence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reason {
    /// It never does anything but this.
    Nothing,
    /// Chance decided among legal acts.
    Chance,
    /// It owes a price.
    Pay { price: u16 },
    /// It bids within its limit for the card.
    Bid { limit: u16 },
    /// The least that a bid must be is over its limit for the card.
    Pass { least: u16, limit: u16 },
    /// The least that a bid must be is more than its cash.
    Short { least: u16, cash: u16 },
    /// It buys if the highest bid, the price, is within the most that it buys for, else sells.
    PreEmpt { price: u16, limit: u16 },
    /// Cards of the deck are left, and no trade completes a quartet.
    NoQuartet,
    /// There is no trade, or none but those that it has tried since the last card of the deck.
    NoTrade,
    /// It starts the trade that comes first by rank (3: the fourth card; 2: the parties stand equal; 1: neither) and
    /// stake.
    Offer { rank: u8, stake: f32, aim: Aim },
    /// It bids against a challenge.
    Counter { stake: f32, aim: Aim },
    /// It bluffs with a single `n`.
    Bluff,
    /// It trades only once the deck is empty.
    Late,
    /// It goes for the most valuable animal, with a third of its cash.
    Dearest,
    /// It bids a third of its cash against every challenge.
    Third,
}

/// What a bot wants to bid in a trade, before it puts cards together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aim {
    /// In points.
    pub amount: u16,
    /// Whether the rival's cash, as it counted it, allowed no more.
    pub capped: bool,
}

impl Reason {
    /// Why this is bid over `price`, by a player with this `cash`.
    #[must_use]
    pub fn from_bid(bid: Option<u16>, price: u16, limit: u16, cash: u16) -> Self {
        let least = price.saturating_add(10);
        match bid {
            Some(_) => Self::Bid { limit },
            None if cash < least => Self::Short { least, cash },
            None => Self::Pass { least, limit },
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Nothing => "It never bids, buys, counters or trades.",
            Self::Chance => "Chance decided among the legal answers.",
            Self::NoQuartet => "It auctions: before the deck is empty it trades only to complete a quartet, and cannot now.",
            Self::NoTrade => "It auctions: it has no trade to start.",
            Self::Bluff => "Chance decided that it bluffs, with a single 0.",
            Self::Late => "It auctions: it trades only once the deck is empty.",
            Self::Dearest => "It starts the trade for the most valuable animal, with a third of its cash.",
            Self::Third => "It bids a third of its cash against every challenge.",
            Self::Pay { price } => return write!(out, "It owes {price}, and gives the cards that exceed it least."),
            Self::Bid { limit } => return write!(out, "It bids within its limit for this card, {limit}."),
            Self::Pass { least, limit } => return write!(out, "It passes: the least bid, {least}, is over its limit for this card, {limit}."),
            Self::Short { cash: 0, .. } => "It passes: it has no money.",
            Self::Short { least, cash } => return write!(out, "It passes: the least bid, {least}, is more than the {cash} that it has."),
            Self::PreEmpt { price, limit } => {
                let sells = if price > limit { "sells: it " } else { "" };
                return write!(out, "It {sells}buys this card at up to {limit}; the price is {price}.");
            }
            Self::Offer { rank, stake, aim } => {
                let first = match rank {
                    3 => "Of the trades that complete a quartet",
                    2 => "Of the trades with a rival that owns equally many, as none completes a quartet,",
                    _ => "Of the possible trades",
                };
                return write!(out, "{first} this is worth the most to it, {stake:.0}. It wants to offer {aim}.");
            }
            Self::Counter { stake, aim } => return write!(out, "The trade is worth {stake:.0} to it. It wants to bid {aim}."),
        })
    }
}

impl fmt::Display for Aim {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self.capped {
            true => "the most that makes sense against the rival's cash",
            false => "a share of that, drawn from its range",
        };
        write!(out, "{}, {why}", self.amount)
    }
}

#[cfg(test)]
mod tests {
    use super::Reason;

    #[test]
    fn a_limit_is_the_reason_only_where_there_is_money() {
        let why = |price, limit, cash| Reason::from_bid(None, price, limit, cash).to_string();
        assert_eq!(why(0, 0, 0), "It passes: it has no money.");
        assert_eq!(
            why(40, 20, 40),
            "It passes: the least bid, 50, is more than the 40 that it has."
        );
        assert_eq!(
            why(40, 20, 50),
            "It passes: the least bid, 50, is over its limit for this card, 20."
        );
    }
}
