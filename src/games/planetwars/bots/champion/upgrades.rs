//! Growth that is bought, where the dialect sells it: one more for two to the power of what there is.

use super::board::{Board, Spot};
use super::chart::price;
use super::line::TURNS;
use super::ships::Order;

/// Growth from and up to which it is bought: below, the ships are of more use elsewhere.
const GROWTH: std::ops::RangeInclusive<i32> = -2..=12;
/// Growth up to which it is bought before anything else is planned: it has paid for itself within as many
/// turns as its price.
const CHEAP: std::ops::RangeInclusive<i32> = 0..=2;
/// A price is worth it if this many times as many turns are left.
const WORTH: i64 = 2;

/// Whether n ships of a planet are worth one more growth.
fn pays(board: &Board<'_>, spot: &Spot, player: u8, ships: i32) -> bool {
    let price = price(spot.root.growth);
    let whose = spot.root.owner == player && spot.line.owner[0] == player;
    whose && ships >= price && i64::from(price) * WORTH <= i64::from(board.ending.rounds)
}

/// The planets of a player whose growth is to be bought before anything else.
pub(super) fn cheap(board: &Board<'_>, player: u8) -> Vec<u8> {
    let cheap = (0u8..).zip(&board.spots).filter(|(_, spot)| {
        CHEAP.contains(&spot.root.growth) && pays(board, spot, player, spot.line.spare[0])
    });
    cheap.map(|(place, _)| place).collect()
}

/// What the enemy may do about growth that is bought.
#[derive(Clone, Copy, Debug)]
pub(super) struct Threat {
    /// Its ships in hidden fleets: wherever they land, they may come.
    pub(super) flying: i32,
    /// Whether it has long been quiet.
    pub(super) quiet: bool,
}

/// Ships that a planet needs against the strongest that could come from one planet, three quarters of them if it
/// has long been quiet: who sends all takes it, and loses its own; or against all that are in flight.
fn guard(board: &Board<'_>, place: usize, Threat { flying, quiet }: Threat) -> i32 {
    let growth = board.spots[place].root.growth.max(0);
    let foes = (0..board.spots.len()).filter(|from| {
        let owner = board.spots[*from].root.owner;
        board.sides.of(owner) < 0
    });
    let threat = foes.map(|from| {
        let turns = board.chart.turns(from, place).min(TURNS) as i32;
        board.spots[from].root.ships - growth * (turns - 1)
    });
    let threat = threat.max().unwrap_or_default().max(0);
    let threat = if quiet { threat * 3 / 4 } else { threat };
    threat.max(flying)
}

/// A planet whose growth is for sale for ships that a plan leaves idle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offer {
    place: u8,
    /// Ships that may leave and are not needed as a guard, and what one more growth costs of them.
    free: i32,
    price: i32,
}

/// What is for sale of a player's planets, but for those bought already.
pub(super) fn offers(board: &Board<'_>, player: u8, bought: &[u8], threat: Threat) -> Vec<Offer> {
    let offers = (0u8..).zip(&board.spots).filter_map(|(place, spot)| {
        let free = spot.line.spare[0] - guard(board, usize::from(place), threat);
        let offered = GROWTH.contains(&spot.root.growth)
            && !bought.contains(&place)
            && pays(board, spot, player, free);
        let price = price(spot.root.growth);
        offered.then_some(Offer { place, free, price })
    });
    offers.collect()
}

/// The planets whose growth is to be bought from ships that these orders leave idle.
pub(super) fn idle(offers: &[Offer], orders: &[Order]) -> impl Iterator<Item = u8> {
    let idle = offers.iter().filter(|offer| {
        let sent = orders.iter().filter(|order| order.from == offer.place);
        offer.free - sent.map(|order| order.ships).sum::<i32>() >= offer.price
    });
    idle.map(|offer| offer.place)
}
