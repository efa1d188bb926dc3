//! The fold over a transcript: our bot's side of a seat, and the referee's side of a match. Waking a
//! session, verifying, showing a transcript and resuming a match all use it.
//!
//! `dialogue` folds a seat and `table` a match; `setup` is what a dialogue starts from. `verify` compares a fold with what is
//! stored, `scenes` makes each step of a match visible, with players called as `names` has it, the facts that `found` joins
//! and what `wording` adds, `answers` and `answer_times` say what was answered and how soon, and `film` keeps all
//! steps small in memory. An explanation folds a new dialogue up to the entry that asked and has a copy of its bot think
//! again; bots that say nothing about themselves compare nothing.

mod answer_times;
mod answers;
mod compare;
mod dialogue;
mod explain;
mod explain_error;
mod film;
mod found;
mod fuzz;
mod names;
mod naming;
mod scenes;
mod seat;
mod setup;
mod table;
#[cfg(test)]
mod tests;
mod verify;
mod wording;

pub use answer_times::{AnswerTime, AnswerTimes, MEASURED_MS};
pub use answers::answers;
pub use compare::{
    Agreement, Candidate, Comparing, Comparison, DIFFERENCES_MAX, Differs, compare, times_ms,
};
pub use dialogue::{Line, Replayed, last_message, replay};
pub use explain::{
    BotSeat, Decision, Explained, NODES_DEFAULT, NODES_MAX, THINKS_MAX, bot_session, builtin_seeds,
};
pub use explain_error::ExplainError;
pub use film::{Film, Parts};
pub use found::{Event, StepFact, read_events};
pub use fuzz::fuzz;
pub use games::RecordedReply;
pub use names::seat_names;
pub use naming::Naming;
pub use scenes::{
    Footage, Remarks, STEPS_MAX, Shape, Step, StepStderr, Still, View, footage, seats,
};
pub use seat::{FoldedSeat, ReplayError, SeatDecision, asking_entries, fold_seat};
pub use setup::{ADVICE, PROGRAM, dialogue_setup, named, note_advice};
pub use table::{ReplayedMatch, lead_match, replay_match};
pub use verify::{Checked, Difference, VerifySummary, verify};
