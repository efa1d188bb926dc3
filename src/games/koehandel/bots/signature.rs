//! The fixed matches whose acts are a player's signature, against fixed rivals under both ways to pay a
//! trade.

use crate::cards::PLAYERS;
use crate::options::{Options, TradePayment};
use crate::rules::{Koehandel, Setup};
use drover_game::contest::Bout;

/// Matches for each way to pay a trade.
const MATCHES: usize = 6;

/// The matches of the player with this name.
pub fn bouts(name: &str) -> Vec<Bout<'_, Koehandel>> {
    let bout = |trade_payment, number| {
        let own = number % PLAYERS;
        let mut names = ["guide", "tuned", "random", "guide"];
        names[own] = name;
        let options = Options {
            trade_payment,
            ..Options::default()
        };
        let seed = (number * PLAYERS) as u64;
        let setup = Setup::deal(number as u64, options);
        Bout::new(setup, &names, seed, own..own + 1)
    };
    let payments = [TradePayment::Winner, TradePayment::Exchange].into_iter();
    payments
        .flat_map(|payment| (0..MATCHES).map(move |number| bout(payment, number)))
        .collect()
}
