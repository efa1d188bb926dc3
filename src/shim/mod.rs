//! The shim: the small program that a foreign arbiter starts as its player. It relays its standard input to
//! the daemon and the daemon's answers to its standard output, and plays on its own, with the same bot,
//! whenever the daemon does not answer. Plain threads and blocking calls: it starts in milliseconds and adds
//! microseconds.
//!
//! `run` reads a message (`input`); `player` numbers it and hands it to the daemon on the Unix socket (`line`). The same bot
//! follows every message here, too (`local`): one with a single possible answer (none, an acknowledgement, a forced card)
//! is answered at once and handed over without waiting. A decision is the daemon's, which is waited for as long as
//! `patience` grants; from a moment on that leaves time for both, the bot here searches next to it.
//!
//! Each answer that the daemon did not give is first written to a journal next to the socket (`journal`). Meanwhile, off the
//! arbiter's clock, `reconnector` tries to reconnect and delivers what the daemon missed from the shim's own `transcript`.
//! The end of the game is in the journal, too, until the daemon has acknowledged that it is stored: a shim that ends without
//! that leaves its journal, which the daemon folds in and removes once everything in it is stored. Such answers carry the
//! fact `local`. If the daemon stored an answer that did not arrive in time, the one actually given overrides it: the
//! transcript holds both, and the last one counts.

mod input;
mod journal;
mod line;
mod local;
mod options;
mod patience;
mod player;
mod port;
mod reconnector;
mod run;
mod transcript;

pub use journal::{JOURNAL_EXTENSION, JournalError, Journaled, folder_of, read_journal};
pub use local::Thinking;
pub use options::ShimOptions;
pub use player::Player;
pub use port::{Port, UnixPort, Wire};
pub use run::{ShimError, run};
