//! Which steps of a match nobody waits for: a player who passes while others may still bid.

use super::state::{Stage, State};
use drover_game::scene::{News, Scene};
use serde_json::Value;

/// A pass is quiet; all else is said by the scene's own title.
#[must_use]
pub fn news(before: &Value, now: &Scene) -> Option<News> {
    let (was, is) = (State::read(before)?, State::read(&now.state)?);
    let (earlier, auction) = (was.auction?, is.auction?);
    let passed = auction.bids.last().is_some_and(|bid| bid.amount == 0);
    let fresh = auction.bids.len() > earlier.bids.len();
    let goes_on = is.stage == Stage::Auction;
    (passed && fresh && goes_on).then(|| News::quiet(&*now.title))
}
