//! What the rules must give.

mod recorded;
