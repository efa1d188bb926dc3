//! The shim: the small program that a foreign arbiter starts as its player. It relays its standard input to
//! the daemon and the daemon's answers to its standard output, and plays on its own, with the same bot,
//! whenever the daemon does not answer. Plain threads and blocking calls: it starts in milliseconds and adds
//! microseconds.

mod input;
mod journal;
mod line;
mod local;
mod patience;
mod player;
mod reconnector;
mod run;
mod transcript;

pub use journal::{JOURNAL_EXTENSION, JournalError, Told, folder_of, read_journal};
pub use local::Thinking;
pub use run::{ShimError, ShimOptions, run};
