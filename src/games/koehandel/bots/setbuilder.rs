//! Rung 3: builds its own quartets and ignores everybody else's. Bids and buys up to half its claim, keeps a
//! fifth of its cash, offers 35 to 70 % of its claim; three offers in ten are a bare `n`.

use super::policy::Profile;

/// What it does, in one sentence.
pub const DESCRIPTION: &str = "Bids up to half of what a card brings its own quartets, denies nobody, bluffs three offers in ten with a bare zero.";

/// Its numbers.
pub const PROFILE: Profile = Profile {
    bid: 0.5,
    denial: 0.0,
    reserve: 0.2,
    pre_empt: 0.5,
    trade_denial: 0.0,
    offer: (0.35, 0.7),
    counter: (0.35, 0.7),
    bluff: 0.3,
    ..Profile::GUIDE
};
