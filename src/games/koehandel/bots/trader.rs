//! Rung 4: the guide's numbers, but it challenges whenever a trade exists. Punishes players that accept
//! everything, loses to patience.

use super::policy::{Early, Profile};

/// What it does, in one sentence.
pub const DESCRIPTION: &str = "The guide's numbers, but it starts a trade whenever one exists.";

/// Its numbers.
pub const PROFILE: Profile = Profile {
    early: Early::Always,
    ..Profile::GUIDE
};
