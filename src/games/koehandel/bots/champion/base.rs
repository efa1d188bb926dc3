//! The policy that the champion leaves only for a proven gain, and that it uses in its own playouts: the
//! evolved player's numbers after 100 more steps of hill climbing against the ladder and its variants
//! (README.md).

use crate::bots::evolved;
use crate::bots::policy::Profile;
use crate::options::TradePayment;

/// Its numbers if only the winner pays.
pub const WINNER: Profile = Profile {
    bid: 0.84,
    denial: 0.51,
    trade_denial: 0.63,
    pre_empt: 0.19,
    offer: (0.51, 0.67),
    counter: (0.37, 0.60),
    cash_cap: Some(1.13),
    ..evolved::WINNER
};

/// Its numbers if bids are exchanged.
pub const EXCHANGE: Profile = Profile {
    bid: 0.74,
    denial: 0.52,
    reserve: 0.09,
    trade_denial: 0.83,
    pre_empt: 0.07,
    offer: (0.85, 0.90),
    counter: (0.46, 1.03),
    cash_cap: Some(1.73),
    ..evolved::EXCHANGE
};

/// The base policy for one way of paying for trades.
#[must_use]
pub fn base(payment: TradePayment) -> &'static Profile {
    match payment {
        TradePayment::Winner => &WINNER,
        TradePayment::Exchange => &EXCHANGE,
    }
}
