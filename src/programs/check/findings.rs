//! What a check finds out.

use crate::programs::{Launch, Protocol};
use serde::Serialize;
use std::fmt;

/// What a bot is put through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Weather {
    /// Everything as usual.
    Fair,
    /// Lines arrive in pieces, the first byte late.
    Pieces,
    /// Lines end with a carriage return and a line feed.
    CarriageReturns,
    /// Between the lines there are some of a type that this version does not know.
    Strange,
    /// Every second decision is over before its answer can be there.
    Hurried,
    /// The program is killed in the middle of the match and started again.
    Killed,
    /// The daemon is: the program's input ends, and another one begins.
    DaemonRestarted,
    /// Each decision is posted on a connection of its own.
    Closed,
}

impl Weather {
    /// All, the fair one first.
    const ALL: [Self; 8] = [
        Self::Fair,
        Self::Pieces,
        Self::CarriageReturns,
        Self::Strange,
        Self::Hurried,
        Self::Killed,
        Self::Closed,
        Self::DaemonRestarted,
    ];

    /// What this bot is put through, the fair weather first.
    pub fn for_launch(launch: &Launch) -> impl Iterator<Item = Self> {
        let is_called = launch.url.is_some();
        // Lines end and begin as its arbiter has them.
        let is_native = !is_called && launch.protocol == Protocol::Native;
        Self::ALL.into_iter().filter(move |weather| match weather {
            Self::Fair | Self::Hurried | Self::DaemonRestarted => true,
            Self::CarriageReturns | Self::Strange => !is_native,
            // Pieces are put together before a URL's bot sees them, and its process is not ours to kill.
            Self::Pieces | Self::Killed => !is_called,
            Self::Closed => is_called,
        })
    }
}

impl fmt::Display for Weather {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(match self {
            Self::Fair => "as usual",
            Self::Pieces => "lines in pieces",
            Self::CarriageReturns => "lines that end with CR LF",
            Self::Strange => "lines of unknown types",
            Self::Hurried => "decisions over too soon",
            Self::Killed => "killed and started again",
            Self::DaemonRestarted => "Drover started again",
            Self::Closed => "a connection each",
        })
    }
}

/// What came of one weather.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// The weather.
    pub weather: Weather,
    /// Decisions whose answer was waited for.
    pub asked: u32,
    /// Answers that came in time.
    pub answers: u32,
    /// Those of them that were legal.
    pub legal: u32,
    /// How long the program took from its start to its first line, in milliseconds.
    pub ready_ms: Option<f64>,
    /// Half of the answers took no longer, in milliseconds.
    pub p50_ms: Option<f64>,
    /// The same of 99 in 100.
    pub p99_ms: Option<f64>,
    /// How long the answer took that was nearest to its deadline.
    pub slowest_ms: Option<f64>,
    /// How long that one might have taken: what the contest gives, less what sessions keep for the way back and the fallback.
    pub allowed_ms: Option<f64>,
    /// Answers that were late or slow while others took the machine: that is not held against it.
    pub disturbed: u32,
    /// What to fix, each a sentence.
    pub fix: Vec<String>,
}

impl Finding {
    pub(super) const fn new(weather: Weather) -> Self {
        Self {
            weather,
            asked: 0,
            answers: 0,
            legal: 0,
            ready_ms: None,
            p50_ms: None,
            p99_ms: None,
            slowest_ms: None,
            allowed_ms: None,
            disturbed: 0,
            fix: Vec::new(),
        }
    }

    /// The share of the time that was used for the answer nearest to its deadline, from 0 to 1.
    #[must_use]
    pub fn used(&self) -> Option<f64> {
        Some(self.slowest_ms? / self.allowed_ms?)
    }

    /// Adds what to fix, once.
    pub(super) fn fix(&mut self, what: String) {
        if !self.fix.contains(&what) && self.fix.len() < FIXES_MAX {
            self.fix.push(what);
        }
    }
}

/// Sentences about one weather at most.
const FIXES_MAX: usize = 8;

/// What came of a game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The game.
    pub game: String,
    /// By weather, the fair one first; those after one without any answer are left out.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Whether there is nothing to fix.
    #[must_use]
    pub fn is_well(&self) -> bool {
        self.findings.iter().all(|finding| finding.fix.is_empty())
    }
}
