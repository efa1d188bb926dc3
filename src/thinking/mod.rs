//! The thinking pool: threads apart from the async runtime, earliest deadline first over short slices, so
//! that many matches at once lose search depth rather than deadlines.

mod guard;
mod job;
mod pool;
mod queue;
mod slice;
#[cfg(test)]
mod tests;
mod worker;

pub use guard::{Panicked, guarded};
pub use job::{Job, Pending, Thought};
pub use pool::{Pool, PoolError, PoolOptions, step_back};
