//! Rung 8: the tuned player after a 250-step hill climb, once for each way of paying for a trade (A1). It
//! starts with the numbers for "the winner pays" and switches once it sees a loser pay.

use super::policy::{Limits, Profile};
use super::tuned;
use crate::message::Message;
use crate::options::TradePayment;
use crate::rules::{Act, Ask, Koehandel};
use crate::view::View;
use drover_game::by_rule::ByRule;
use drover_game::rng::Rng;

/// What it does, in one sentence.
pub const DESCRIPTION: &str = "The tuned player after a hill climb, with one set of numbers where bids are exchanged and one where the winner pays.";

/// Its numbers if both bids change hands.
pub const EXCHANGE: Profile = Profile {
    bid: 0.8,
    denial: 0.59,
    trade_denial: 0.65,
    reserve: 0.0,
    pre_empt: 0.06,
    offer: (0.9, 1.0),
    counter: (0.9, 1.0),
    cash_cap: Some(1.84),
    over: true,
    ..tuned::PROFILE
};

/// Its numbers if only the winner pays.
pub const WINNER: Profile = Profile {
    bid: 0.89,
    denial: 0.68,
    trade_denial: 0.61,
    reserve: 0.0,
    pre_empt: 0.20,
    offer: (0.355, 0.71),
    counter: (0.355, 0.71),
    cash_cap: Some(1.15),
    over: true,
    ..tuned::PROFILE
};

/// Its numbers for one way of paying for trades.
#[must_use]
pub fn profile(payment: TradePayment) -> &'static Profile {
    match payment {
        TradePayment::Winner => &WINNER,
        TradePayment::Exchange => &EXCHANGE,
    }
}

/// Learns from what is collected and received which way trades are paid for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rule {
    /// Whether the seat won the trade being settled, if it took part.
    won: Option<bool>,
    /// Whether a loser was seen to pay.
    loser_paid: bool,
    /// Trades in which no loser was seen to pay.
    unpaid: u8,
}

/// The probability of exchange before any trade was seen.
const EXCHANGE_FIRST: f64 = 0.3;
/// The probability that a loser bid nothing, so that a trade under exchange looks like any other.
const NOTHING_BID: f64 = 0.3;

impl Rule {
    /// Takes in a message to the seat.
    pub fn receive(&mut self, message: &Message) {
        match message {
            Message::Lost(_) => self.settle(Some(false)),
            Message::Won(_) => self.settle(Some(true)),
            Message::TradeLost { .. } => self.settle(None),
            Message::LoserPaid { .. } => self.loser_paid = true,
            Message::Pay { .. } => self.loser_paid |= self.won == Some(false),
            Message::Money { .. } => self.loser_paid |= self.won == Some(true),
            Message::Start | Message::Bid(..) | Message::Challenged { .. } => self.won = None,
            Message::Card(_) | Message::Settled(_) | Message::PreEmpt(..) => self.won = None,
            _ => {}
        }
    }

    fn settle(&mut self, won: Option<bool>) {
        self.won = won;
        self.unpaid = self.unpaid.saturating_add(1);
    }

    /// The probability that bids are exchanged. One observed payment by a loser proves it.
    #[must_use]
    pub fn exchange(self) -> f64 {
        if self.loser_paid {
            return 1.0;
        }
        let exchange = EXCHANGE_FIRST * NOTHING_BID.powi(i32::from(self.unpaid.min(20)));
        exchange / (exchange + 1.0 - EXCHANGE_FIRST)
    }

    /// The rule to assume: the winner pays unless a loser was seen to.
    #[must_use]
    pub fn payment(self) -> TradePayment {
        if self.loser_paid {
            TradePayment::Exchange
        } else {
            TradePayment::Winner
        }
    }
}

/// The evolved player.
#[derive(Clone)]
pub struct Evolved {
    rule: Rule,
    limits: Limits,
    rng: Rng,
}

impl Evolved {
    /// A player with its own random numbers.
    #[must_use]
    pub fn new(rng: Rng) -> Self {
        Self {
            rule: Rule::default(),
            limits: Limits::NONE,
            rng,
        }
    }
}

impl ByRule<Koehandel> for Evolved {
    fn observe(&mut self, message: &Message) {
        self.rule.receive(message);
    }

    fn turn(&mut self, view: &View, ask: &Ask) -> (Act, impl ToString) {
        profile(self.rule.payment()).reasoned(view, ask, &mut self.limits, &mut self.rng)
    }
}
