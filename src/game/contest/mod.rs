//! What a game is to the rest of Drover: [`Contest`], typed, and the [`Erased`] that makes a
//! [`Kit`](crate::kit::Kit) of it.
//!
//! A contest says what is its own: rules, wire, bots, options. Playing in process, transcripts, signatures,
//! reading options and reopening matches are written once, here and in [`crate::arena`],
//! [`ladder`] and [`crate::options`].

mod erased;
mod forwarding;
mod interface;
pub mod ladder;
mod remote;
mod scripted;

pub use erased::Erased;
pub use interface::{Advice, Bout, Contest, Deal, Decision, MATCH_NUMBER};
pub use scripted::TICK;
