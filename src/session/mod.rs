//! Sessions: our side of one seat in one match. Each is a fold over its transcript: one actor, one
//! mailbox, and nothing leaves before the store has it.
//!
//! [`Sessions::callback`] is the way in; [`Answer`] the way out.

mod actor;
mod answer;
mod append;
mod begins;
mod core;
mod deciding;
mod detach;
mod fold;
mod groups;

mod bot_address;
mod mailbox;
mod meters;
mod numbering;
mod opening;
mod options;
mod registry;
mod sweep;
#[cfg(test)]
mod tests;

pub use answer::{Answer, Ended, Refusal, Sending};
pub use begins::Origin;
pub use bot_address::{BotAddress, Key};
pub use mailbox::{Local, Numbered, Opening};
pub use options::{Dependencies, SessionOptions, StoreError};
pub use registry::{SessionView, Sessions};
