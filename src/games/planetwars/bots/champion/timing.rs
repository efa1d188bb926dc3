//! How long flights take and when planets grow, in each of the engines.

use crate::rules::Travel;
#[cfg(test)]
use crate::rules::{Growth, Ruleset};

/// One timing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Timing {
    /// How a distance is converted to turns.
    pub(crate) travel: Travel,
    /// Extra turns that each flight takes.
    pub(crate) delay: u32,
    /// Whether planets grow before the battles of a turn.
    pub(crate) grows_first: bool,
}

impl Timing {
    /// Whether it is that of 2015.
    pub(super) fn is_of_2015(self) -> bool {
        self == OF_2015
    }

    /// The timing of these rules.
    #[cfg(test)]
    pub(crate) fn from_ruleset(ruleset: &Ruleset) -> Self {
        Self {
            travel: ruleset.travel,
            delay: ruleset.delay,
            grows_first: ruleset.growth == Growth::BeforeBattles,
        }
    }
}

/// That of 2015.
pub(super) const OF_2015: Timing = Timing {
    travel: Travel::Ceil,
    delay: 1,
    grows_first: true,
};

/// All timings, the most likely first.
pub(super) const TIMINGS: [Timing; 8] = {
    const fn timing(travel: Travel, delay: u32, grows_first: bool) -> Timing {
        Timing {
            travel,
            delay,
            grows_first,
        }
    }
    [
        timing(Travel::Ceil, 0, false),
        timing(Travel::Ceil, 0, true),
        OF_2015,
        timing(Travel::Floor, 0, false),
        timing(Travel::Floor, 0, true),
        timing(Travel::Floor, 1, true),
        timing(Travel::Ceil, 1, false),
        timing(Travel::Floor, 1, false),
    ]
};
