//! What Drover's games share: turns and seats, the wires' frames, tables and dialogues, options, maps, search,
//! scenes, statistics. Pure: no I/O, no clock, no global randomness. It knows no game.
//!
//! A game implements [`contest::Contest`] and shows itself as a [`Kit`].

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod answer;
pub mod arena;
pub mod contest;
pub mod counts;
pub mod explain;
pub mod game;
pub mod histogram;
pub mod kit;
pub mod knobs;
pub mod match_;
pub mod neutral;
pub mod options;
pub mod participation;
pub mod reasons;
pub mod rng;
pub mod scene;
pub mod search;
pub mod stats;
pub mod teams;
pub mod text;
pub mod wire;

pub use contest::ladder;
pub use explain::{Candidate, Explanation};
pub use game::{Bot, Budget, Cause, Duel, Fork, Game, Illegal, Listener, Outcome, Seat, Seats};
pub use histogram::Histogram;
pub use kit::{
    Bluff, BotCard, DialogueSetup, Exchange, Kit, Learnt, MapSize, MapStyle, Maps, Models, Nodes,
    OptionCard, Pace, PlaySetup, Played, Route, Seating, SetupError, StdioWire, TableSetup, Train,
    Training, Wire, bot_seed,
};
pub use match_::{Match, RecordedReply};
pub use participation::{Part, Participation, is_earned, judge};
pub use reasons::Belief;
pub use scene::{Picture, Scene};
pub use teams::are_mates;
pub use wire::{
    Arrival, Blame, Call, Dialogue, Ending, Fact, Frame, Lesson, Next, Noted, Progress, Reception,
    Reply, ReplyLine, Table, TeamFact, WireError,
};
