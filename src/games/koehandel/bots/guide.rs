//! Rung 6: the guide. Bids up to 0.6 of its own claim plus 0.65 of the best rival's, at most 70 % of
//! its cash, in random jumps; buys at 0.35 of the stake; offers and counters half to all of a stake;
//! trades early only to complete a quartet.

use super::policy::Profile;

/// What it does, in one sentence.
pub const DESCRIPTION: &str = "Weighs its own claim and the best rival's, bids in random jumps up to 0.6 of it, trades when the deck is empty or a quartet is won.";

/// Its numbers.
pub const PROFILE: Profile = Profile::GUIDE;
