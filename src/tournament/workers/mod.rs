//! Matches of tournaments on many workers.
//!
//! The organiser's run decides rounds as always and puts each round's matches into the database's queue (`awaited`); workers
//! claim them (`work`), know from the tournament's row who plays how (`stored_cup`), fetch users' bots (`carried`), play them by the runner and the match
//! players of every other run, and store the results (`shift`). What bots have learnt they read from the stored lessons of
//! the rounds before, as a resumed run does. So results depend neither on who played a match nor on how many workers there
//! are, as long as bots' decisions depend on nothing but what they are sent: built-in bots with a budget of nodes, and
//! programs that are deterministic.
//!
//! Nothing is played twice in the results: the transaction that stores a result takes the match out of the queue by the
//! claim's number, and fails if another claim was made since.

mod awaited;
mod carried;
mod pace;
mod shift;
mod stored_cup;
mod task;
#[cfg(test)]
mod tests;
mod work;
mod worker;

pub(super) use awaited::Awaited;
pub use carried::{fetch, offer};
pub use stored_cup::{shareable, stored_cup};
pub use task::{CarriedBot, Terms};
pub use work::work;
pub use worker::{Carried, Engagement, Hired, Players, Worker};
