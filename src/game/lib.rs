//! What Drover's games share: turns and seats, the wires' frames, tables and dialogues, options, maps, search,
//! scenes, statistics. Pure: no I/O, no clock, no global randomness. It knows no game.
//!
//! A game implements [`contest::Contest`] and shows itself as a [`Kit`].

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod answer;
pub mod arena;
pub mod by_rule;
pub mod card;
pub mod contest;
pub mod counts;
pub mod dialect;
pub mod explain;
pub mod game;
pub mod guard;
pub mod histogram;
pub mod history;
pub mod kit;
pub mod knobs;
pub mod maps;
pub mod match_;
pub mod misread;
pub mod models;
pub mod neutral;
pub mod options;
pub mod participation;
pub mod reasons;
pub mod rng;
pub mod scene;
pub mod search;
pub mod seat;
pub mod sentence;
pub mod sighting;
pub mod stats;
pub mod teams;
pub mod text;
pub mod wire;

pub use card::{
    BotCard, GameCard, Limits, OptionCard, Places, Scores, StdioWire, TeamFact, Teams, Wire,
};
pub use contest::ladder;
pub use dialect::{Dialect, ReplyLine, Route, Seating};
pub use explain::{Candidate, Explanation};
pub use game::{
    Bot, Budget, Cause, Duel, Fork, Game, Illegal, Listener, Outcome, Seat, Seats, SetupError,
};
pub use histogram::Histogram;
pub use history::{Bluff, History, MatchFact};
pub use kit::{
    DialogueSetup, Exchange, Kit, Learnt, LineUp, Nodes, Pace, PlaySetup, Played, TableSetup,
    bot_seed,
};
pub use maps::{MapSize, MapStyle, Maps};
pub use match_::{Match, RecordedReply};
pub use models::{Modelled, Models, Train, Training};
pub use participation::{Part, Participation, is_earned, judge};
pub use reasons::Belief;
pub use scene::{Picture, Scene};
pub use sighting::{Happened, Observed, Sighting, happened};
pub use teams::are_mates;
pub use wire::{
    Arrival, Blame, Call, Dialogue, Ending, Fact, Frame, Lesson, Next, Noted, Progress, Reception,
    Reply, Table, WireError,
};
