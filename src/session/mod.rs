//! Sessions: our side of one seat in one match. Each is a fold over its transcript: one actor, one
//! mailbox, and nothing leaves before the store has it.
//!
//! [`Sessions::callback`] is the way in; [`Answer`] the way out.
//!
//! # The walk of a message
//!
//! - `sessions` finds or creates the session of a key; `mailbox` lets the message in. If nobody is working on the
//!   session, the caller's own task becomes the actor, and a new task takes over if that one is dropped (`detach`): a
//!   message then costs no spawn and one wake-up less.
//! - `actor` wakes the dialogue (`fold`, which replays the transcript), answers a repeated message from the log, opens
//!   a session on a first message (`begins`, `opening`), and feeds the text to the dialogue. `numbering` processes each
//!   numbered message of an edge once.
//! - `turn` waits for what the session's seat ([`games::seat`]) says is due: thinking in the pool, or a user bot's answer
//!   (`program`).
//! - `commit` stores it and answers. A plain acknowledgement to a shim is answered before that and stored behind it
//!   (`behind`); what is decided or learnt waits until everything before it is stored.
//! - The transport reports that it has the answer (`Sending::handed`), which completes the row of the deadline ledger.
//!
//! Names that somebody gives a rival during a match are messages, too (`naming`): they are entries of the transcript,
//! with the model that the opponent had then, so that a replay reads them in the same place. `sweep` puts idle sessions
//! to sleep and ends those that were left alone; `restore` takes them up at the start. Where several replicas share a
//! store, `ownership` reads a session again in each epoch in which this one owns it.

mod actor;
mod append;
mod begins;
mod behind;
mod bot_address;
mod commit;
mod core;
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
mod ownership;
mod program;
mod registry;
mod restore;
mod sessions;
mod sweep;
#[cfg(test)]
pub(crate) mod tests;
mod turn;

pub use bot_address::{BotAddress, Key};
pub use mailbox::{Answer, Sending};
pub use message::{Ended, Held, Leaving, Local, Numbered, Opening, Origin, Refusal, TakenIn};
pub use naming::NamingError;
pub use options::{Dependencies, SessionOptions, StoreError};
pub use sessions::Sessions;
