//! The thinking pool: threads apart from the async runtime, earliest deadline first over short slices, so
//! that many matches at once lose search depth rather than deadlines.
//!
//! `thinking.idle_priority` sets the lowest nice value instead of the idle scheduling class, for which there is no safe call.
//! A thread that a bot does not give back is replaced, and the bot is not asked again.

mod job;
mod pool;
mod queue;
mod shared;
mod slice;
#[cfg(test)]
mod tests;
mod worker;

pub use games::guard::{Panicked, guarded};
pub use job::{Job, Pending, Thought};
pub use pool::{Pool, PoolError, PoolOptions, step_back};
