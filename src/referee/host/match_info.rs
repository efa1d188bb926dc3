//! What is requested when a match is started, and what is known of a running one.

use crate::link::Reach;
use crate::referee::feed::{Beginning, Feed};
use crate::referee::record::log::MatchLog;
use crate::referee::seat::Left;
use crate::referee::seat::seat_spec::SeatSpec;
use crate::store::types::{MatchRow, SeatRow};
use games::match_::Conduct;
use games::{Cause, Exchange, Learnt, Outcome, Participation, Seat};
use serde::Serialize;
use serde_json::Value;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// A match to be started.
#[derive(Clone, Debug, Default)]
pub struct MatchRequest {
    /// The players, by absolute seat.
    pub seats: Vec<SeatSpec>,
    /// The name under which a seat's history is kept, by absolute seat; may be shorter than `seats`.
    pub names: Vec<Option<String>>,
    /// After how many failures a seat's player is a filler for the match, by absolute seat; may be shorter. `None`: after
    /// as many as the rules say. One with 0 is not called.
    pub tries: Vec<Option<u16>>,
    /// What built-in bots have learnt of their rivals, by absolute seat; may be shorter.
    pub learnt: Vec<Learnt>,
    /// Seeds all randomness; `None` draws one.
    pub seed: Option<u64>,
    /// Seeds the numbers on the wire; `None` draws unpredictable ones.
    pub numbers: Option<u64>,
    /// Rule options that differ from the host's own.
    pub options: Value,
    /// Wait before each message that asks for an answer: zero except for matches to be watched.
    pub pause: Duration,
    /// The addresses that its players may have; `None`: those that the host calls.
    pub reach: Option<Reach>,
    /// Where it is passed on while it is played, if somebody watches.
    pub feed: Option<Feed>,
}

/// The players and their numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MatchInfo {
    /// The match's id in the store: a ULID.
    pub match_id: String,
    /// The game's name.
    pub game: String,
    /// The match's number on the wire.
    pub market: u64,
    /// Each seat's number on the wire, unique over all matches of the game.
    pub ids: Vec<u64>,
    /// Each seat's spec.
    pub seats: Vec<String>,
    /// The name under which each seat's history is kept.
    pub names: Vec<Option<String>>,
    /// Microseconds since 1970-01-01 UTC.
    pub started_us: i64,
}

impl MatchInfo {
    /// The match's row in the store.
    #[must_use]
    pub fn row(&self, referee: &str, setup: Value) -> MatchRow {
        let seats = (0u8..).zip(self.seats.iter().zip(&self.names));
        MatchRow {
            id: self.match_id.clone(),
            game: self.game.clone(),
            referee: referee.to_owned(),
            market: self.market,
            ours: true,
            started_us: self.started_us,
            setup,
            seats: seats
                .map(|(seat, (spec, name))| SeatRow {
                    seat,
                    spec: spec.clone(),
                    name: name.clone(),
                    ..SeatRow::default()
                })
                .collect(),
            ..MatchRow::default()
        }
    }

    /// How the match begins, where it is passed on.
    pub(super) fn beginning(&self) -> Beginning {
        Beginning {
            match_id: self.match_id.clone(),
            started_us: self.started_us,
            seats: self.seats.clone(),
            market: Some(self.market),
            ids: self.ids.clone(),
        }
    }
}

/// How a match ended.
#[derive(Clone, Debug)]
pub struct MatchEnd {
    /// Microseconds since 1970-01-01 UTC.
    pub at_us: i64,
    /// Why it ended.
    pub cause: Cause,
    /// A sentence with details, or empty.
    pub detail: String,
    /// The result, if there is one.
    pub outcome: Option<Outcome>,
    /// Why it is not wholly stored, if it was to be.
    pub unrecorded: Option<String>,
    /// How each seat kept its time.
    pub conduct: Vec<Conduct>,
    /// How each seat took part.
    pub participation: Vec<Option<Participation>>,
    /// What each seat's program left behind.
    pub left: Vec<Left>,
}

/// A match that is running or has run, with its log.
#[derive(Debug)]
pub struct HostedMatch {
    /// The players.
    pub info: MatchInfo,
    /// Every callback so far.
    pub log: Arc<MatchLog>,
    /// Set once it has ended.
    pub end: OnceLock<MatchEnd>,
}

impl HostedMatch {
    /// Its result, once it has ended with one.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.end.get()?.outcome.clone()
    }
}

/// What was sent to all seats and came back, as the log shows it, in the order in which it was sent.
#[must_use]
pub fn transcript(hosted: &HostedMatch) -> Vec<Exchange> {
    let seats = (0u8..).map(Seat).take(hosted.info.seats.len());
    let mut all: Vec<(i64, Exchange)> = seats
        .flat_map(|seat| {
            let lines = hosted.log.lines(seat).into_iter();
            lines.map(move |line| (seat, line))
        })
        .map(|(seat, line)| {
            let exchange = Exchange {
                seat,
                call: line.query,
                reply: Some(line.reply),
                took: None,
            };
            (line.at_us, exchange)
        })
        .collect();
    all.sort_by_key(|(at_us, _)| *at_us);
    all.into_iter().map(|(_, exchange)| exchange).collect()
}
