//! The wire: lines of a word and an argument. The hub's lines are written exactly as the official server
//! writes them and read in every known form; players' lines likewise.
//!
//! A hub's lines between two decisions make one frame, joined by line feeds: `start` and `landscape`; a
//! turn's warnings, `state`, every `obj`, `turn`.

mod argument;
mod order;
mod read;
mod write;

pub use order::{END, Line, in_form, orders, receive};
pub use read::{Finish, Message, Object, Start, TURN, cells, completes, read};
pub use write::{error, escaped, finish, gone, start, state, wait, warning};
