//! [`Kit`]: what the daemon may ask of a game without knowing which one it is, and what it says in asking.

use crate::card::GameCard;
use crate::game::{Outcome, Seat, Seats, SetupError};
use crate::neutral::Post;
use crate::rng::Rng;
use crate::wire::{Dialogue, Table};
use serde::Serialize;
use serde_json::Value;
use std::time::Duration;

/// What a bot's side of a conversation starts from.
#[derive(Clone, Debug, Default)]
pub struct DialogueSetup {
    /// The built-in bot's name.
    pub bot: String,
    /// Seeds the bot's own chance.
    pub seed: u64,
    /// Models of rivals whom the operator or our own referee could name: (rival's place, model).
    pub rivals: Vec<(String, Value)>,
    /// Models of learnt types: (type, model).
    pub types: Vec<(String, Value)>,
    /// Rivals whose names are known: (rival's place, name).
    pub named: Vec<(String, String)>,
    /// Models of known opponents, any of whom may sit where nobody is named: (name, model).
    pub known: Vec<(String, Value)>,
    /// Whether the bot may use models at all.
    pub models: bool,
    /// The built-in bot that answers where [`DialogueSetup::bot`] is a user's program; empty: it is built in.
    pub fallback: String,
    /// Where such a program's lines go; `None`: it is sent nothing.
    pub post: Option<Post>,
    /// What the opening words say where the wire has any, in the game's own words: for smart-dog
    /// `{"name": …, "hub": …}`.
    pub opening: Value,
}

/// What was learnt in earlier matches of those who play in this one: advice for one bot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Learnt {
    /// As in [`DialogueSetup::rivals`].
    pub rivals: Vec<(String, Value)>,
    /// As in [`DialogueSetup::types`].
    pub types: Vec<(String, Value)>,
}

impl DialogueSetup {
    /// A bot with its seed and nothing else.
    #[must_use]
    pub fn new(bot: impl Into<String>, seed: u64) -> Self {
        Self {
            bot: bot.into(),
            seed,
            ..Self::default()
        }
    }
}

/// What a referee's side starts from.
#[derive(Clone, Debug, Default)]
pub struct TableSetup {
    /// Seeds all chance of the match.
    pub seed: u64,
    /// The referee options that differ from the defaults, as one JSON object (or null).
    pub options: Value,
    /// The number of the match on the wire, where the wire carries one.
    pub market: u64,
    /// Each seat's number on the wire, where the wire carries one; else as many numbers as there are
    /// seats.
    pub ids: Vec<u64>,
}

impl TableSetup {
    /// Match 1 of players with the numbers from 1 up, one a seat.
    #[must_use]
    pub fn numbered(seed: u64, options: Value, seats: usize) -> Self {
        Self {
            seed,
            options,
            market: 1,
            ids: (1..=seats as u64).collect(),
        }
    }
}

/// A match to be played in process, without a wire.
#[derive(Clone, Debug, Default)]
pub struct PlaySetup {
    /// Built-in bots by seat.
    pub bots: Vec<String>,
    /// Seeds the deal and, with the seat as stream, each bot.
    pub seed: u64,
    /// As in [`TableSetup::options`].
    pub options: Value,
    /// Whether bots may use opponent models.
    pub models: bool,
    /// What bots have learnt, by seat; those beyond its end know what the game ships.
    pub learnt: Vec<Learnt>,
    /// Whether to keep the wire transcript and the facts (slower).
    pub record: bool,
}

impl PlaySetup {
    /// A match without opponent models whose transcript and facts are kept.
    #[must_use]
    pub const fn recorded(bots: Vec<String>, seed: u64, options: Value) -> Self {
        Self {
            bots,
            seed,
            options,
            models: false,
            learnt: Vec::new(),
            record: true,
        }
    }
}

/// How long bots may think in an in-process match. Time is passed in: level 5 owns the clock.
pub trait Pace {
    /// Nodes a decision.
    fn nodes(&self) -> u64;
    /// A decision of `seat` begins.
    fn begin(&self, seat: Seat);
    /// Whether the decision that began last must end.
    fn stop(&self) -> bool;
    /// How long the decision that began last has taken so far, where somebody looks at a clock.
    fn elapsed(&self) -> Option<Duration> {
        None
    }
    /// What a clock shows, where somebody keeps the time that the wire allows.
    fn now(&self) -> Option<Duration> {
        None
    }
    /// The decision that began last is made.
    fn end(&self);
    /// Whether the match is looked at now: asked after each step of one whose transcript is kept.
    fn looks(&self) -> bool {
        false
    }
    /// Looks at the match: what was said in it so far.
    fn look(&self, transcript: &[Exchange]) {
        let _ = transcript;
    }
}

/// Streams of a match's seed from which its bots are seeded begin here.
const BOT_STREAM: u64 = 1;

/// The seed of the bot on `seat` in a match with this seed.
#[must_use]
pub fn bot_seed(seed: u64, seat: Seat) -> u64 {
    Rng::new(seed, BOT_STREAM + u64::from(seat.0)).bits()
}

/// A pace of a number of nodes a decision and no clock.
#[derive(Clone, Copy, Debug)]
pub struct Nodes(pub u64);

impl Pace for Nodes {
    fn nodes(&self) -> u64 {
        self.0
    }
    fn begin(&self, _: Seat) {}
    fn stop(&self) -> bool {
        false
    }
    fn end(&self) {}
}

/// One line of a match's transcript as the referee saw it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Exchange {
    /// Whose line.
    pub seat: Seat,
    /// Sent to the seat.
    pub call: String,
    /// What came back; `None` where nobody waited for an answer or none came.
    pub reply: Option<String>,
    /// How long that took, where somebody looked at a clock.
    pub took: Option<Duration>,
}

impl Exchange {
    /// What a seat was sent, without an answer.
    #[must_use]
    pub const fn sent(seat: Seat, call: String) -> Self {
        Self {
            seat,
            call,
            reply: None,
            took: None,
        }
    }
}

/// An in-process match, played.
#[derive(Clone, Debug)]
pub struct Played {
    /// How it ended.
    pub outcome: Outcome,
    /// How many acts were asked for.
    pub asks: u32,
    /// How many acts the rules refused, by seat: 0 for a bot in good order.
    pub refused: Seats<u32>,
    /// Who took longer for a decision than the wire allows, and is out of the match since, in this order; where a
    /// pace has a clock ([`Pace::now`]) and the game takes out who is late.
    pub late: Vec<Seat>,
    /// The wire transcript, if it was wanted.
    pub transcript: Vec<Exchange>,
}

/// Who plays where in a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineUp {
    /// Which of the entrants plays on each seat.
    pub owners: Vec<usize>,
    /// Each seat's team, in games that have teams.
    pub teams: Option<Vec<u8>>,
}

impl LineUp {
    /// Each entrant on a seat of their own, without teams.
    #[must_use]
    pub fn single(entrants: usize) -> Self {
        Self {
            owners: (0..entrants).collect(),
            teams: None,
        }
    }
}

/// One game, its types erased.
pub trait Kit: Sync + Send {
    /// Everything about it that is data.
    fn card(&self) -> &'static GameCard;
    /// Who plays where in a match of this many entrants with these options.
    ///
    /// # Errors
    /// [`SetupError`] if the options do not exist or do not fit this many.
    fn line_up(&self, options: &Value, entrants: usize) -> Result<LineUp, SetupError>;
    /// A bot's side of a conversation.
    ///
    /// # Errors
    /// [`SetupError`] for an unknown bot, naming those that exist.
    fn dialogue(&self, setup: &DialogueSetup) -> Result<Box<dyn Dialogue>, SetupError>;
    /// The referee's side of a match.
    ///
    /// # Errors
    /// [`SetupError`] for unknown or ill-typed options or a wrong number of ids.
    fn table(&self, setup: &TableSetup) -> Result<Box<dyn Table>, SetupError>;
    /// The referee's side from the full setup that [`Table::setup`] gave.
    ///
    /// # Errors
    /// [`SetupError`] if it is not such a setup.
    fn reopen(&self, setup: &Value) -> Result<Box<dyn Table>, SetupError>;
    /// Plays one match in process at full speed.
    ///
    /// # Errors
    /// [`SetupError`] for unknown bots or options or a wrong number of seats.
    fn play(&self, setup: &PlaySetup, pace: &dyn Pace) -> Result<Played, SetupError>;
    /// The JSON Schemas of the lines to and from users' programs ([`crate::neutral`]).
    fn schema(&self) -> Value;
}
