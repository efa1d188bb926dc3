//! Rung 7: the guide with minimum raises, a higher limit, a smaller reserve, and hardly ever buying.

use super::policy::Profile;

/// What it does, in one sentence.
pub const DESCRIPTION: &str = "The guide with minimum raises, limit 0.7 of the stake, a tenth of its cash in reserve, buying at 0.1.";

/// Its numbers.
pub const PROFILE: Profile = Profile {
    bid: 0.7,
    reserve: 0.1,
    pre_empt: 0.1,
    jump: false,
    ..Profile::GUIDE
};
