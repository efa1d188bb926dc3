//! A match that one of our referees led to its end, whatever its wire.

use super::host::Numbers;
use super::record::{DecisionTimes, OpenRecord};
use super::seat::Left;
use games::match_::Conduct;
use games::{Blame, Exchange, Outcome, Participation};

/// A match that reached its end; lists are by seat.
#[derive(Clone, Debug)]
pub struct Refereed {
    /// Under which id it is stored, if it is; `None`: drawn when it is.
    pub match_id: Option<String>,
    /// When it began, in microseconds since 1970-01-01 UTC.
    pub started_us: i64,
    /// The seats' specs.
    pub seats: Vec<String>,
    /// How it ended.
    pub outcome: Outcome,
    /// The players at fault for its end or for their own part in it, and how it showed.
    pub blames: Vec<Blame>,
    /// How each seat kept its time; may be empty.
    pub conduct: Vec<Conduct>,
    /// How each seat took part, where that is known; may be empty.
    pub participation: Vec<Option<Participation>>,
    /// What was sent and received, if recorded.
    pub transcript: Vec<Exchange>,
    /// What each seat's program left behind; may be empty.
    pub left: Vec<Left>,
    /// How long each decision took.
    pub times: DecisionTimes,
    /// Its numbers on the wire, if it had one: its calls carry them.
    pub numbers: Option<Numbers>,
    /// Why the machine made a program late that was blamed for it, if it did.
    pub excuse: Option<String>,
    /// Its record, if it was stored while it was played; `None`: it is stored when it is over.
    pub record: Option<OpenRecord>,
}

impl Refereed {
    /// A match of which nothing but its end is known.
    #[must_use]
    pub fn ended(outcome: Outcome) -> Self {
        Self {
            match_id: None,
            started_us: 0,
            seats: Vec::new(),
            outcome,
            blames: Vec::new(),
            conduct: Vec::new(),
            participation: Vec::new(),
            transcript: Vec::new(),
            left: Vec::new(),
            times: DecisionTimes::Stamped,
            numbers: None,
            excuse: None,
            record: None,
        }
    }
}
