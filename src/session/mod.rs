//! Sessions: our side of one seat in one match. Each is a fold over its transcript: one actor, one
//! mailbox, and nothing leaves before the store has it.
//!
//! [`Sessions::callback`] is the way in; [`Answer`] the way out.

mod actor;
mod append;
mod begins;
mod behind;
mod bot_address;
mod commit;
mod core;
mod deciding;
mod detach;
mod fold;
mod groups;
mod mailbox;
mod message;
mod meters;
mod naming;
mod numbering;
mod opening;
mod options;
mod program;
mod rates;
mod registry;
mod restore;
mod sessions;
mod sweep;
#[cfg(test)]
pub(crate) mod tests;
mod turn;

pub use bot_address::{BotAddress, Key};
pub use mailbox::{Answer, Sending};
pub use message::{Ended, Leaving, Local, Numbered, Opening, Origin, Refusal};
pub use naming::{NamingError, TakenIn};
pub use options::{Dependencies, SessionOptions, StoreError};
pub use sessions::{SessionView, Sessions};
